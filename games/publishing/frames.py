"""The frames of the live protocol (`docs/protocol.md`), and which audience gets which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

import msgspec

from accounts.models import User
from accounts.moderation.standing import silence_of
from core.refusals import Refusal
from games.audience import AUDIENCES, group_of
from games.engine import acts
from games.engine import table as tables
from games.engine.capabilities import premoves_of
from games.engine.course import MatchCourse
from games.engine.decisions import ALL, Audience, Event, seen_by
from games.engine.live import Happened, Live, Reminder
from games.engine.table import AnyRuleset
from games.engine.views import match_view
from games.models import Match, MatchEntry
from games.options.terms import counting_terms
from games.publishing.publish import Frame, encode
from games.store import Held, Readers, actor_of, header_of


def encoded(frame: dict[str, Any]) -> str:
    """A frame as JSON text."""
    return encode(frame).decode()


# -- steps ---------------------------------------------------------------------------------------


def step_frames(
    ruleset: AnyRuleset, before: Live, after: Live, readers: Readers, happened: Sequence[Happened],
    *, match_id: int, at: int, actor: str | None = None,
) -> tuple[Readers, list[Frame]]:  # fmt: skip
    """What the audiences are told of a change: their new versions, and a `step` frame for each
    audience whose view has changed. ``actor`` is there where the log names another one than the
    entries do.

    Once a match has begun its views there leave out `draws`, which change no more.

    A change that concerns one seat only (a sealed choice, a secret preparation) moves nobody
    else's version, so that nobody can tell when a secret choice was made.
    """
    versions, logs = list(readers.versions), list(readers.logs)
    frames = []
    over = after.table.result is not None
    # What draws are derived from stays as it is once a match has begun, and its readers have it.
    told = _without_draws(after) if before.waiting is None else after
    resync = over or any(acts.is_take_back(h.entry) for h in happened)
    for index, audience in enumerate(AUDIENCES):
        items = _new_items(happened, ALL if over else audience, logs[index], at, actor)
        # Its view changed, unless the events say so already?
        if not items and not _is_seen(ruleset, before, after, audience, at):
            continue
        versions[index] += 1
        logs[index] += len(items)
        frame = {
            "type": "step",
            "match": match_id,
            "version": versions[index],
            "at": at,
            "view": None,
            "events": items,
            "resync": resync,
        }
        made = partial(_with_view, frame, ruleset, told, audience, at)
        frames.append(Frame(group_of(match_id, audience), made, versions[index]))
    since = [
        versions[seat] if _opens_anew(before, after, seat) else readers.since[seat]
        for seat in (0, 1)
    ]
    now = Readers(
        (versions[0], versions[1], versions[2]), (logs[0], logs[1], logs[2]), (since[0], since[1])
    )
    return now, frames


def _is_seen(ruleset: AnyRuleset, before: Live, after: Live, audience: Audience, at: int) -> bool:
    old, new = (match_view(ruleset, live, audience, at=at) for live in (before, after))
    return encode(old) != encode(new)


def _without_draws(live: Live) -> Live:
    return msgspec.structs.replace(live, draws=None)


def _with_view(
    frame: dict[str, Any], ruleset: AnyRuleset, live: Live, audience: Audience, at: int
) -> dict[str, Any]:
    return {**frame, "view": match_view(ruleset, live, audience, at=at)}


def _opens_anew(before: Live, after: Live, seat: int) -> bool:
    old, new = before.table.open[seat], after.table.open[seat]
    return new is not None and (old is None or old.decision.id != new.decision.id)


def _new_items(
    happened: Iterable[Happened], audience: Audience, length: int, at: int, actor: str | None
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for each in happened:
        seen = seen_by(each.events, audience)
        if seen:
            number = length + len(items) + 1
            items.append(_item(number, at, actor or each.entry.actor, seen, taken_back=False))
    return items


def _item(
    number: int, at: int, actor: int | str, seen: Sequence[Any], *, taken_back: bool
) -> dict[str, Any]:
    return {
        "n": number,
        "at": at,
        "actor": actor,
        "taken_back": taken_back,
        "events": msgspec.to_builtins(seen),
    }


# -- sync ----------------------------------------------------------------------------------------


class Lasting(NamedTuple):
    """How much of a log still reads as it was first told: nothing before item ``retold``, which
    took something back (0: none did); and since the end only so many items as ``alike`` says, since
    others were revealed between them."""

    retold: int = 0
    alike: int = 0


class Log(NamedTuple):
    """A log as an audience may read it now."""

    items: list[dict[str, Any]]
    lasting: Lasting


def sync_frame(
    held: Held, match: Match, audience: Audience, *, organise: bool, at: int, log: Log
) -> dict[str, Any]:
    """Everything one reader may know of a match: what a reader gets on connecting. ``log`` is
    `log_now` of the same."""
    index = AUDIENCES.index(audience)
    return {
        "type": "sync",
        "match": match.pk,
        "version": held.readers.versions[index],
        "at": at,
        "you": audience if audience in (0, 1) else None,
        # Whoever is told that it is over may be told what was ruled on its result since.
        "header": {**header_json(match, organise=organise), "terms": counting_terms(match)},
        "view": match_view(held.ruleset, held.live, audience, at=at),
        "log": log.items,
    }


def header_json(match: Match, *, organise: bool) -> dict[str, Any]:
    """What never changes about a match, as the protocol's `header`."""
    ruleset, header = header_of(match)
    return {
        "ruleset": ruleset.id,
        "ruleset_name": ruleset.name,
        "variant": match.variant,
        "options": msgspec.to_builtins(header.options),
        "items": msgspec.to_builtins(header.items),
        "seats": [
            {"name": player.name, "username": player.user.username if player.user else None}
            for player in match.players.all()
        ],
        "organise": organise,
        "terms": match.unrated,
        "late_s": match.late_s,
        "premoves": sorted(premoves_of(ruleset)),
        "practice": match.is_practice,
    }


def log_now(held: Held, match: Match, audience: Audience) -> Log:
    """The log as ``audience`` may read it now: after the end, all of it."""
    # No further than the view: a turn may have been committed between the two queries.
    entries = _entries_of(match, up_to=held.seq)
    seen = _log_of(entries, audience)
    if not held.is_over:
        return seen
    whole = _log_of(entries, ALL)
    pairs = zip(seen.items, whole.items, strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return Log(whole.items, Lasting(whole.lasting.retold, alike))


def log_of(match: Match, audience: Audience, *, up_to: int) -> list[dict[str, Any]]:
    """The log as ``audience`` may read it, up to that entry; entries that were taken back are
    marked."""
    return _log_of(_entries_of(match, up_to=up_to), audience).items


class _Entry(NamedTuple):
    """An entry as logs tell of it."""

    actor: str
    at: int
    events: list[Event]
    takes_back: bool
    taken_back: bool


def _entries_of(match: Match, *, up_to: int) -> list[_Entry]:
    rows = list(
        MatchEntry.objects.filter(match_id=match.pk, seq__lte=up_to)
        .order_by("seq")
        .values_list("actor", "at", "events", "text", "timeout", "reading_ms")
    )
    undone = _undone_indices(
        match, [(actor, text, late, ms) for actor, _, _, text, late, ms in rows]
    )
    return [
        _Entry(
            actor,
            at,
            msgspec.convert(events, list[Event]),
            acts.takes_back(actor, text),
            index in undone,
        )
        for index, (actor, at, events, text, *_) in enumerate(rows)
    ]


def _log_of(entries: Iterable[_Entry], audience: Audience) -> Log:
    log: list[dict[str, Any]] = []
    retold = 0
    for entry in entries:
        if entry.takes_back:
            retold = len(log) + 1
        seen = seen_by(entry.events, audience)
        if seen:
            who = int(entry.actor) if entry.actor in ("0", "1") else entry.actor
            log.append(_item(len(log) + 1, entry.at, who, seen, taken_back=entry.taken_back))
    return Log(log, Lasting(retold))


def _undone_indices(match: Match, rows: Sequence[tuple[str, str, bool, int | None]]) -> set[int]:
    """The indices of entries that a later take-back undid."""
    if not any(acts.takes_back(actor, text) for actor, text, _, _ in rows):
        return set()
    entries = {
        index: tables.Entry(actor=actor_of(actor), text=text, timeout=late, reading_ms=reading)
        for index, (actor, text, late, reading) in enumerate(rows)
        if actor != MatchEntry.Actor.SERVICE
    }
    course = MatchCourse(*header_of(match), entries.values())
    indices = list(entries)
    standing = {indices[number] for number in course.standing}
    return {
        index
        for index, entry in entries.items()
        if index not in standing and not acts.is_take_back(entry)
    }


# -- the rest ------------------------------------------------------------------------------------


def reminder_frames(match_id: int, reminder: Reminder) -> list[Frame]:
    """An announcement that time is running out, for both players and the room."""
    text = encoded(
        {
            "type": "reminder",
            "match": match_id,
            "at": reminder.at,
            "seat": reminder.seat,
            "kind": reminder.kind,
            "left": reminder.left_ms,
        }
    )
    return [Frame(group_of(match_id, audience), text) for audience in AUDIENCES]


def silenced_frame(user: User) -> dict[str, Any]:
    """Why a person may not write now, for their own pages; `why` is empty where they may."""
    silence = silence_of(user)
    return {"type": "silenced", "why": silence.why, "left": silence.left_ms}


def refused_frame(client_id: str | None, refusal: Refusal) -> dict[str, Any]:
    """The answer to something that was refused."""
    return {
        "type": "refused",
        "id": client_id,
        "code": refusal.code,
        "sentence": refusal.sentence,
        "squares": list(refusal.squares),
    }


def ack_frame(ack: Any) -> dict[str, Any]:
    """The answer to a submission that is on disk."""
    return {
        "type": "ack",
        "id": ack.client_id,
        "match": ack.match_id,
        "version": ack.version,
        "at": ack.at,
    }


def error_frame(code: str, sentence: str, **more: Any) -> dict[str, Any]:
    """The answer to a frame that could not be understood."""
    return {"type": "error", "code": code, "sentence": sentence, **more}
