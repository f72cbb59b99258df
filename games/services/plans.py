"""What players plan in their matches, kept between turns and devices.

A plan is its author's alone. It is no part of the match: the rules never look at it, it changes no
version and no row of the match, and nobody else is told of it. There is no audit row of it, on
purpose: moderators read those, and moderators play.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
from django.db import transaction

from accounts.models import User
from core.clock import now_utc
from core.refusals import Forbidden, NotUnderstood, Refusal, Together
from games.audience import group_of, may_plan, seat_of
from games.models import Match, MatchPlayer, Plan
from games.publishing.publish import Frame, publish
from games.reading.matches import match_for

#: Of a plan as compact JSON, in bytes of UTF-8.
BYTES_MAX: Final = 64 * 1024

# -- what a plan may hold ------------------------------------------------------------------------

# Neither the database's JSON nor UTF-8 has these.
_LETTERS: Final = "^[^\x00\ud800-\udfff]*$"

Colour: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=3)]
Board: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=7)]
# Ten-thousandths of a drawing's width or height.
Part: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Point: TypeAlias = tuple[Part, Part]
Words: TypeAlias = Annotated[str, msgspec.Meta(max_length=200, pattern=_LETTERS)]
DecisionId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=80, pattern=_LETTERS)]
MoveText: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=2000, pattern=_LETTERS)]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Something on a plan."""


class Move(_Part, frozen=True, tag="move"):
    """A move, as it could be submitted; whether it stands is judged when it is."""

    text: MoveText
    colour: Colour


class Arrow(_Part, frozen=True, tag="arrow"):
    """From here to there."""

    board: Board
    begin: Point = msgspec.field(name="from")
    end: Point = msgspec.field(name="to")
    colour: Colour


class Mark(_Part, frozen=True, tag="mark"):
    """A sign at a place."""

    board: Board
    at: Point
    sign: Literal["ring", "cross", "dot", "question"]
    colour: Colour


class Cut(_Part, frozen=True, tag="cut"):
    """A shape with these corners."""

    board: Board
    points: Annotated[list[Point], msgspec.Meta(min_length=3, max_length=200)]
    colour: Colour


class Note(_Part, frozen=True, tag="note"):
    """Words at a place."""

    board: Board
    at: Point
    text: Words


class Line(_Part, frozen=True, tag="line"):
    """A line through these points."""

    board: Board
    points: Annotated[list[Point], msgspec.Meta(min_length=2, max_length=200)]
    colour: Colour


Item: TypeAlias = Move | Arrow | Mark | Cut | Note | Line


class Candidate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of several things that could be done."""

    name: Annotated[str, msgspec.Meta(max_length=40, pattern=_LETTERS)]
    items: Annotated[list[Item], msgspec.Meta(max_length=80)]


class Premove(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A move to be submitted when its decision opens: the one of this id, or else the next one that
    can be answered before it opens."""

    text: MoveText
    decision: DecisionId | None = None


Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=_LETTERS)]


class Content(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan."""

    version: Literal[1]
    candidates: Annotated[list[Candidate], msgspec.Meta(max_length=4)]
    shown: Annotated[int, msgspec.Meta(ge=0)]
    note: Annotated[str, msgspec.Meta(max_length=2000, pattern=_LETTERS)]
    premove: Premove | None = None
    #: What the player would have out of what is drafted, the first one first.
    wanted: Annotated[list[Name], msgspec.Meta(max_length=100)] = msgspec.field(
        default_factory=list
    )


_EMPTY: Final = Content(version=1, candidates=[], shown=0, note="")


def content_of(said: Any) -> dict[str, Any]:
    """A plan as it is kept, of what a client says. Raises Refusal ``plan.content`` with the part
    that it is about, all of them where there are several, and ``plan.too-large``."""
    try:
        content = msgspec.convert(said, Content)
    except msgspec.ValidationError as error:
        faults = Together()
        for each in _faults_in(said):
            faults.note(each)
        faults.settle()
        raise _fault(error) from error
    if content.shown >= max(len(content.candidates), 1):
        raise NotUnderstood(
            "plan.content", "There is no candidate of this number to show.", field="shown"
        )
    if len(set(content.wanted)) < len(content.wanted):
        raise NotUnderstood("plan.content", "Everything is wanted only once.", field="wanted")
    text = msgspec.json.encode(content)
    if len(text) > BYTES_MAX:
        raise NotUnderstood(
            "plan.too-large", f"This is too much for one plan, which has {BYTES_MAX // 1024} KiB."
        )
    kept: dict[str, Any] = msgspec.json.decode(text)
    return kept


def _faults_in(said: Any) -> Iterator[Refusal]:
    """What is wrong with each of the parts of a plan that cannot be kept."""
    if not isinstance(said, dict):
        return
    candidates = said.get("candidates")
    several = candidates if isinstance(candidates, list) else []
    yield from _faults_of({**said, "candidates": []} if several else said, Content)
    for number, each in enumerate(several):
        path = f"candidates.{number}"
        items = each.get("items") if isinstance(each, dict) else None
        several_items = items if isinstance(items, list) else []
        yield from _faults_of({**each, "items": []} if several_items else each, Candidate, path)
        for item_number, item in enumerate(several_items):
            yield from _faults_of(item, Item, f"{path}.items.{item_number}")


def _faults_of(said: Any, kind: Any, path: str = "") -> Iterator[Refusal]:
    try:
        msgspec.convert(said, kind)
    except msgspec.ValidationError as error:
        yield _fault(error, path)


def _fault(error: msgspec.ValidationError, path: str = "") -> Refusal:
    """What the library says of a value, at the part of the whole that ``path`` leads to."""
    what, at, inner = str(error).partition(" - at `$")
    found = re.sub(r"\[(\d+)\]", r".\1", inner.rstrip("`")) if at else ""
    if "regex" in what:  # which says nothing to anybody
        what = "Some characters of this text cannot be kept"
    field = f"{path}{found}".lstrip(".")
    return NotUnderstood("plan.content", f"A plan cannot be kept like this: {what}.", field=field)


# -- keeping -------------------------------------------------------------------------------------


class Kept(NamedTuple):
    """A plan as its author sees it; of revision 0 where nothing has been kept yet."""

    revision: int
    content: dict[str, Any]


def plannable_match(*, match_id: int, user: User) -> Match:
    """The match, where this person may keep a plan of it. Raises Refusal ``match.none`` and
    ``seat.none``."""
    match = match_for(match_id, user)
    if not may_plan(match, user):
        raise Forbidden("seat.none", "Only the two players keep plans here, each their own.")
    return match


def plan_of(*, match_id: int, user: User) -> Kept:
    """What somebody has planned in a match of theirs. Raises Refusal as `plannable_match` does."""
    match = plannable_match(match_id=match_id, user=user)
    return _kept(Plan.objects.visible_to(user).filter(match=match).first())


def _kept(plan: Plan | None) -> Kept:
    if plan is None:
        return Kept(0, msgspec.to_builtins(_EMPTY))
    # Plans of earlier releases lack what has come since.
    return Kept(plan.revision, {**msgspec.to_builtins(_EMPTY), **plan.content})


@transaction.atomic
def plan_save(*, acting_user: User, match_id: int, revision: int, content: Any) -> Kept:
    """Keep a plan in place of the one of this ``revision``, out of which it was made (0: of none).
    What the new one does not name, since a page of an earlier release sends it, stays as it is.
    Other pages that its author has open on the match are told so after commit, and fetch it.

    The same plan sent again, since its answer was lost, counts once. Raises Refusal ``match.none``,
    ``seat.none``, ``plan.content``, ``plan.too-large``, and ``plan.changed`` where another one has
    been kept meanwhile.
    """
    match = plannable_match(match_id=match_id, user=acting_user)
    content_of(content)
    # One save at a time for each person, the first included. It locks no row that a turn writes.
    seated = MatchPlayer.objects.select_for_update(no_key=True)
    if not seated.filter(match=match, user=acting_user).exists():
        raise Forbidden("seat.none", "This seat is somebody else's now.")
    plan = Plan.objects.filter(match=match, user=acting_user).first()
    kept = _kept(plan)
    new = content_of({**kept.content, **content})
    if plan is not None and kept == Kept(revision + 1, new):
        return kept
    if revision != kept.revision:
        raise Refusal(
            "plan.changed", "Your plan was changed elsewhere meanwhile. Fetch it, and go on there."
        )
    if plan is None:
        plan = Plan(match=match, user=acting_user, revision=0)
    plan.content, plan.revision, plan.updated_at = new, plan.revision + 1, now_utc()
    plan.save()
    seat = seat_of(match, acting_user)
    assert seat is not None  # noqa: S101  (`may_plan`)
    frame = {"type": "plan", "match": match.pk, "revision": plan.revision}
    told = Frame(group_of(match.pk, 1 if seat else 0), frame)
    transaction.on_commit(partial(publish, [told]))
    return _kept(plan)
