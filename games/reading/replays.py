"""A finished match, step by step, as everybody may see it once it is over."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import msgspec
import structlog
from django.core.cache import cache
from redis.exceptions import RedisError

from core.refusals import Refusal
from games import store
from games.engine import acts, play, records
from games.engine.course import MatchCourse
from games.engine.decisions import ALL, Audience, Seat, seen_by
from games.engine.live import Live
from games.engine.table import AnyRuleset, Entry, Header
from games.engine.views import match_view
from games.models import Match
from games.pictures.diagrams import reached_after
from games.publishing import frames

log = structlog.get_logger("gauntlet.replays")

KEPT_S = 24 * 3600
# Part of the cache's key: raise it when the shape of a step, or of any ruleset's view or events,
# changes.
SHAPE = 5


def replay_of(match: Match) -> dict[str, Any]:
    """The replay of a match: ``{"header", "steps"}``, see `steps_of`.

    What is over never changes, so it is reckoned once and kept. Raises Refusal ``match.not-over``
    while the match is on.
    """
    if match.finished_at is None:
        raise Refusal("match.not-over", "There is a replay once the match is over.")
    key = _key(match.pk, match.finished_at)
    kept = cache.get(key)
    if kept is None:
        reached = reached_after(match.pk)
        steps = steps_of(*store.header_of(match), store.entries_of(match.pk), reached)
        kept = zlib.compress(msgspec.json.encode(steps), level=3)
        cache.set(key, kept, timeout=KEPT_S)
    return {
        "header": frames.header_json(match, organise=False),
        "steps": msgspec.json.decode(zlib.decompress(kept)),
    }


def _key(match_id: int, finished_at: datetime) -> str:
    # The moment tells matches of the same number apart: a cache may outlive a database.
    return f"replay:{SHAPE}:{match_id}:{finished_at.timestamp()}"


def replays_forget(match_ids: Collection[int]) -> None:
    """Have them reckoned anew: somebody whom they name is gone. Called after commit; where the
    cache is away, what it has is used until it is too old."""
    over = Match.objects.filter(pk__in=match_ids, finished_at__isnull=False)
    rows = over.values_list("pk", "finished_at")
    try:
        cache.delete_many([_key(pk, at) for pk, at in rows if at is not None])
    except RedisError as error:
        log.warning("replays.cache-away", error=type(error).__name__)


def steps_seen(match: Match, seat: Seat) -> list[dict[str, Any]]:
    """The steps of a finished match after the opening as a seat was told of them then: of each
    ``{"n", "actor", "taken_back", "text", "events"}``, as in `steps_of`. ``text`` is empty where it
    is not the seat's own: it may have been kept from it."""
    ruleset, header = store.header_of(match)
    entries = store.entries_of(match.pk)
    standing = set(MatchCourse(ruleset, header, entries).standing)
    eyes: Audience = 1 if seat else 0
    return [
        {
            "n": reckoned.index + 1,
            "actor": reckoned.entry.actor,
            "taken_back": reckoned.index not in standing and not acts.is_take_back(reckoned.entry),
            "text": reckoned.entry.text if reckoned.entry.actor == seat else "",
            "events": msgspec.to_builtins(seen_by(reckoned.events, eyes)),
        }
        for reckoned in records.replay(ruleset, header, entries)
    ]


def steps_of(
    ruleset: AnyRuleset, header: Header, entries: Sequence[Entry], reached: Sequence[int]
) -> list[dict[str, Any]]:
    """One step an entry, after step 0, the opening: plain JSON values. ``reached`` as of
    `games.pictures.diagrams.reached_after`.

    A step is ``{"n", "actor", "text", "t", "timeout", "taken_back", "by", "why", "still",
    "events", "view"}``. ``actor`` is 0, 1, ``"chance"``, ``"organiser"`` or, for the opening, null;
    ``text`` the entry as the record has it; ``t`` what the decision's clock showed, in seconds, or
    null; ``taken_back`` whether a later take-back undid the entry; ``still`` the number of the
    picture of the board after it, as the room saw it (see `games.pictures.diagrams`), or null;
    ``events`` and ``view`` (the match after the entry) are as everybody sees them after the end.
    """
    standing = set(MatchCourse(ruleset, header, entries).standing)
    opening = Live(play.opened(ruleset, header))
    steps: list[dict[str, Any]] = [
        {
            "n": 0,
            "actor": None,
            "text": "",
            "t": None,
            "timeout": False,
            "taken_back": False,
            "by": "",
            "why": "",
            # Nobody had told the room anything: it is the board before the first of its log.
            "still": None if opening.table.state is None else 0,
            "events": [],
            "view": match_view(ruleset, opening, ALL, at=0),
        }
    ]
    pictures = {played: number for number, played in reversed([*enumerate(reached)][1:])}
    for reckoned in records.replay(ruleset, header, entries):
        entry = reckoned.entry
        undone = reckoned.index not in standing and not acts.is_take_back(entry)
        number = pictures.get(reckoned.index + 1) if reckoned.table.state is not None else None
        steps.append(
            {
                "n": reckoned.index + 1,
                "actor": entry.actor,
                "text": entry.text,
                "t": None if entry.reading_ms is None else entry.reading_ms / 1000,
                "timeout": entry.timeout,
                "taken_back": undone,
                "by": entry.by,
                "why": entry.why,
                "still": number,
                "events": msgspec.to_builtins(seen_by(reckoned.events, ALL)),
                "view": match_view(ruleset, Live(reckoned.table), ALL, at=0),
            }
        )
    return steps
