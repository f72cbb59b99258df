"""Studies: what bots find out about a finished match, what could have happened in it, and what
people say of its positions.

A study is asked for by whoever may see the match, and is everybody's who may. A worker on the bots'
queue does it piece by piece, a few seconds at a time, and stores each piece as it is found: one
that is killed loses a single piece, which the next one does again. Nothing here says anything about
a match that is not over.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import msgspec
from django.conf import settings
from django.db import transaction

from accounts.models import User
from core import chance
from core.clock import now_utc
from core.jobs import guard
from core.refusals import Forbidden, Refusal
from games import store
from games.engine.capabilities import thinks_of
from games.engine.chance import RandomSource
from games.engine.decisions import ALL, Audience, Seat, seen_by
from games.engine.live import Live
from games.engine.studying import (
    METHOD,
    Judgement,
    Studied,
    answer_judged,
    mistakes_of,
    position_weighed,
    step_at,
    studied,
    swings_of,
)
from games.engine.table import AnyRuleset, Entry, Header
from games.engine.variations import Variation, followed, played
from games.engine.views import match_view
from games.engine.weighing import Worth
from games.jobs import bot_is_playing, bot_is_waited_for, study_enqueue
from games.models import ChatMessage, Match, Study, StudyPart
from games.services.chat import HISTORY, fit_to_say, message_json
from games.services.turns import client_id_validate
from games.thinking import processor_time

#: The name under which a match is set aside that cannot be studied.
STUDIED: Final = "bots.study"
#: For how long a study makes room at most.
WAITS: Final = timedelta(seconds=20)
EYES: Final[tuple[Audience, ...]] = (0, 1, ALL)


# -- what is found out ---------------------------------------------------------------------------


def must_be_over(match: Match) -> None:
    """Whether a match can be studied at all. Raises Refusal ``match.not-over``."""
    if not match.is_over:
        raise Refusal("match.not-over", "A match can be studied once it is over.")


def can_be_weighed(match: Match) -> bool:
    """Whether bots can say anything about a match's positions: they play its game."""
    ruleset, _ = store.header_of(match)
    return thinks_of(ruleset) is not None


@transaction.atomic
def study_ask(*, match: Match) -> Study:
    """Have a match looked at again, for whoever may see it. One that was asked for is as it was,
    unless it was done by an older `METHOD`: it is begun anew.

    Raises Refusal ``match.not-over`` and ``study.game`` (no bot plays this).
    """
    must_be_over(match)
    if not can_be_weighed(match):
        raise Refusal("study.game", "No bot plays this game, so none can judge it.")
    study = Study.objects.filter(match=match, method__gte=METHOD).first() or _study_begin(match)
    if study.done_at is None:
        transaction.on_commit(study_enqueue, robust=True)
    return study


def _study_begin(match: Match) -> Study:
    """Begin a study, and forget what an older method has found. For a transaction."""
    Study.objects.filter(match=match, method__lt=METHOD).delete()
    _, _, pieces = _pieces_of(match)
    counted = {"positions": len(pieces.positions), "answers": len(pieces.answers)}
    study, _ = Study.objects.get_or_create(match=match, defaults={**counted, "method": METHOD})
    return study


def study_next() -> int | None:
    """The match whose study has waited longest for a worker."""
    # While two releases run, what the newer one has begun is the newer one's.
    begun = Study.objects.filter(done_at=None, method__lte=METHOD)
    waiting = begun.filter(guard.may_try(STUDIED))
    return waiting.order_by("worked_at").values_list("pk", flat=True).first()


def study_can_wait(match_id: int) -> bool:
    """Whether a study is to make room for somebody who plays a bot: not for long."""
    if not bot_is_playing():
        return False
    since = now_utc() - WAITS
    return Study.objects.filter(pk=match_id, worked_at__gt=since).exists()


def studies_hand_out() -> None:
    """Go on with what is studied, where no task of it is on its way."""
    if study_next() is not None:
        study_enqueue()


def study_work(*, match_id: int, random: RandomSource = chance.system) -> None:
    """Do the next pieces of a study, for `GAUNTLET_STUDY_SLICE_SECONDS` of this thread's processor
    time (`processor_time`) or a little more, or until somebody waits for a bot. Idempotent: a piece
    that is there is not done again, and of two who do the same piece at a time the first is
    believed."""
    has_time = processor_time(settings.GAUNTLET_STUDY_SLICE_SECONDS)
    begun = Study.objects.filter(pk=match_id, done_at=None)
    if not begun.update(worked_at=now_utc()):
        return
    match = Match.objects.defer("snapshot").get(pk=match_id)
    if begun.filter(method__lt=METHOD).exists():
        with transaction.atomic():
            _study_begin(match)
    ruleset, _, pieces = _pieces_of(match)
    parts = StudyPart.objects.filter(study=match_id)
    there = {*parts.values_list("kind", "number")}
    tries = settings.GAUNTLET_STUDY_TRIES
    found: Worth | Judgement
    for position in pieces.positions:
        if (StudyPart.Kind.POSITION, position.at) in there:
            continue
        found = position_weighed(
            ruleset,
            position,
            random,
            tries=tries,
            may_think=_Spell(2 * settings.GAUNTLET_BOT_SECONDS),  # it answers for both
            may_go_on=_Spell(),
        )
        _store(match_id, StudyPart.Kind.POSITION, position.at, found)
        if not has_time() or bot_is_waited_for():
            return
    for answer in pieces.answers:
        if (StudyPart.Kind.ANSWER, answer.move) in there:
            continue
        found = answer_judged(
            ruleset,
            answer,
            random,
            tries=tries,
            may_think=_Spell(settings.GAUNTLET_BOT_SECONDS),
            may_go_on=_Spell(),
        )
        _store(match_id, StudyPart.Kind.ANSWER, answer.move, found)
        if not has_time() or bot_is_waited_for():
            return
    Study.objects.filter(pk=match_id, done_at=None).update(done_at=now_utc())


class _Spell:
    """So much processor time of this thread (`processor_time`), from when it is first asked for."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = settings.GAUNTLET_STUDY_PART_SECONDS if seconds is None else seconds
        self._has_time: Callable[[], bool] | None = None

    def __call__(self) -> bool:
        if self._has_time is None:
            self._has_time = processor_time(self._seconds)
        return self._has_time()


def _store(match_id: int, kind: StudyPart.Kind, number: int, found: Worth | Judgement) -> None:
    part = StudyPart(study_id=match_id, kind=kind, number=number, found=msgspec.to_builtins(found))
    StudyPart.objects.bulk_create([part], ignore_conflicts=True)


def _pieces_of(match: Match) -> tuple[AnyRuleset, Header, Studied]:
    ruleset, header = store.header_of(match)
    return ruleset, header, studied(ruleset, header, store.entries_of(match.pk))


def study_of(match: Match) -> dict[str, Any]:
    """What has been found out about a match so far, plain JSON values: ``state`` (``none`` where
    nobody has asked, ``working``, ``delayed`` where that failed and is tried again later, ``done``,
    or ``never`` where no bot plays the game); ``done`` and
    ``total``, how many pieces, of which ``positions_total`` and ``answers_total``; ``positions``,
    each ``{"at", "share", "low", "high", "tries"}`` of seat 0; ``answers``, each with the ``move``
    it is about; ``swings``, where the graph changed most; ``mistakes``, the moves with which
    something was missed (see `swings_of` and `mistakes_of` of the engine's).

    Raises Refusal ``match.not-over``.
    """
    must_be_over(match)
    study = Study.objects.filter(match=match).first()
    told: dict[str, Any] = {
        "state": "none" if can_be_weighed(match) else "never",
        "done": 0,
        "total": 0,
        "positions_total": 0,
        "answers_total": 0,
        "positions": [],
        "answers": [],
        "swings": [],
        "mistakes": [],
    }
    if study is None:
        return told
    if study.method < METHOD and study.done_at is not None:
        return {**told, "state": "old"}
    judgements: list[tuple[int, Judgement]] = []
    # Whoever takes up one of an older method begins it anew.
    parts = study.parts.filter(study__method__gte=METHOD)
    for kind, number, found in parts.values_list("kind", "number", "found"):
        if kind == StudyPart.Kind.POSITION:
            told["positions"].append({"at": number, **found})
        else:
            told["answers"].append({"move": number, **found})
            judgements.append((number, msgspec.convert(found, Judgement)))
    told["positions"].sort(key=lambda each: each["at"])
    told["answers"].sort(key=lambda each: each["move"])
    weighed = [(each["at"], msgspec.convert(each, Worth)) for each in told["positions"]]
    told["swings"] = msgspec.to_builtins(swings_of(weighed))
    told["mistakes"] = mistakes_of(judgements)
    told["done"] = len(told["positions"]) + len(judgements)
    told["positions_total"] = study.positions
    told["answers_total"] = study.answers
    told["total"] = study.positions + study.answers
    if study.done_at is not None:
        told["state"] = "done"
    else:
        told["state"] = "delayed" if guard.has_failed(STUDIED, match.pk) else "working"
    return told


# -- what could have happened --------------------------------------------------------------------


def position_of(
    match: Match,
    *,
    at: int,
    line: str = "",
    seat: Seat | None = None,
    text: str = "",
    random: RandomSource = chance.system,
) -> dict[str, Any]:
    """A position of a finished match, or where a line leads to from it, and with ``seat`` and
    ``text`` one more answer: plain JSON values. Nothing is kept: the ``line`` that is given back
    holds all of it, what chance brought included.

    ``views`` has the match as each seat could see it then (``"0"``, ``"1"``), and everything
    (``"all"``); ``events`` what happened last, to the same eyes.

    Raises Refusal ``match.not-over``, ``study.position``, and as `variations.played`.
    """
    must_be_over(match)
    ruleset, header = store.header_of(match)
    entries: list[Entry] = store.entries_of(match.pk)
    begin = step_at(ruleset, header, entries, at)
    table = begin.table
    if seat is not None:
        here = played(ruleset, table, line, seat, text, random)
    elif line:
        here = followed(ruleset, table, line, random)
    else:
        here = Variation("", table, begin.events)
    return {
        "at": at,
        "line": here.line,
        "views": {str(eyes): _seen(ruleset, here, eyes) for eyes in EYES},
        "events": {str(eyes): msgspec.to_builtins(seen_by(here.events, eyes)) for eyes in EYES},
    }


def _seen(ruleset: AnyRuleset, here: Variation, eyes: Audience) -> dict[str, Any]:
    view = match_view(ruleset, Live(here.table), eyes, at=0)
    # An end opens everything to everybody; here it is beside what each could know until then.
    return {**view, "game": ruleset.view(here.table.state, eyes)}


# -- what is said --------------------------------------------------------------------------------


@transaction.atomic
def study_comment_post(
    *,
    acting_user: User,
    match: Match,
    step: int,
    client_id: str,
    text: str,
    at: int,
    line: str = "",
) -> dict[str, Any]:
    """Say something of a position of a finished match, or with ``line`` of where that leads to from
    it, to everybody who may see the match; returns it as its readers get it. Sent again with the
    same client id it is said once.

    Raises Refusal ``match.not-over``, ``study.position``, ``study.practice``, ``study.guest``,
    ``chat.muted``, ``chat.empty``, ``chat.too-long``, ``frame.malformed``, and as `line_validate`.
    """
    client_id_validate(client_id)
    must_be_able_to_comment(match, acting_user)
    must_be_a_step(match, step)
    said = fit_to_say(acting_user, text)
    message, _ = ChatMessage.objects.get_or_create(
        match=match,
        author=acting_user,
        client_id=client_id,
        defaults={
            "room": ChatMessage.Room.STUDY,
            "text": said,
            "at": at,
            "step": step,
            "line": line_validate(match, step, line),
        },
    )
    return _comment_json(message, match)


def line_validate(match: Match, step: int, line: str) -> str:
    """A line from a step of a match, in its canonical form; none is one, too. Raises Refusal
    ``study.position``, ``study.line-too-long``, and ``study.line`` for what cannot be played."""
    if line == "":
        return ""
    ruleset, header = store.header_of(match)
    begin = step_at(ruleset, header, store.entries_of(match.pk), step)
    try:
        return followed(ruleset, begin.table, line).line
    except Refusal as refusal:
        if refusal.code in ("study.line", "study.line-too-long"):
            raise
        raise Refusal("study.line", f"It cannot go on like that: {refusal.sentence}") from refusal


def _comment_json(message: ChatMessage, match: Match) -> dict[str, Any]:
    return {**message_json(message, match), "step": message.step, "line": message.line}


def must_be_a_step(match: Match, step: int) -> None:
    """Whether the replay of a match has that step. Raises Refusal ``study.position``."""
    if not 0 <= step <= len(store.entries_of(match.pk)):
        raise Refusal("study.position", "The match has no such position.")


def must_be_able_to_comment(match: Match, user: User) -> None:
    """Whether somebody who may see a match may say something of its positions. Raises Refusal
    ``match.not-over``, ``study.guest`` and ``study.practice``."""
    must_be_over(match)
    if match.is_practice:
        raise Refusal("study.practice", "Nobody else sees your practice.")
    if user.is_guest:
        raise Forbidden("study.guest", "Please sign in to comment.")


def study_comments(match: Match) -> list[dict[str, Any]]:
    """What has been said of the positions of a match, the oldest first: messages as the protocol
    has them, with the ``step`` of the replay that each is about, and the ``line`` from there where
    it is about a variation. Raises Refusal ``match.not-over``."""
    must_be_over(match)
    latest = (
        ChatMessage.objects.filter(
            match=match, room=ChatMessage.Room.STUDY, removed_at__isnull=True
        )
        .select_related("author")
        .order_by("-id")[:HISTORY]
    )
    return [_comment_json(each, match) for each in reversed(latest)]
