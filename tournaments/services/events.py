"""The season's own history: one row an event, and one word to those who listen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from accounts.models import User
from core.clock import now_utc
from core.hooks import send
from games.engine.errors import EngineFault
from tournaments import hooks
from tournaments.events.kinds import KINDS
from tournaments.models import Contestant, DeathMatch, Leg, Round, Season, SeasonEvent
from tournaments.naming import plain

Writer = Callable[[Season, Sequence[SeasonEvent]], None]
_writers: list[Writer] = []


def register_writer(writer: Writer) -> None:
    """Have ``writer`` called with the new events of a season, in their transaction: what it writes
    is there exactly if they are. Registering again changes nothing."""
    if writer not in _writers:
        _writers.append(writer)


def season_event(  # noqa: PLR0913  (what an event may be about)
    *,
    season: Season,
    kind: str,
    words: str,
    data: Mapping[str, Any] | None = None,
    round: Round | None = None,  # noqa: A002  (the field's own word)
    death_match: DeathMatch | None = None,
    leg: Leg | None = None,
    contestant: Contestant | None = None,
    by: User | None = None,
    at: datetime | None = None,
) -> SeasonEvent:
    """Append one event, inside the transaction of the action; send `hooks.season_happened` after
    the commit. ``words`` is a whole sentence for people, written down without the marks of names
    (`tournaments.naming`); ``data`` must be public. ``by`` is
    the organiser who ruled so: everybody is told the name.

    A leg names its death match, and that its round: they need not be given too.
    """
    death_match = death_match or (leg.death_match if leg else None)
    event = SeasonEvent(
        season=season,
        kind=kind,
        words=words,
        data={**(data or {}), **({} if by is None else {"by": by.shown_name})},
        round=round or (death_match.round if death_match else None),
        death_match=death_match,
        leg=leg,
        contestant=contestant,
        at=now_utc() if at is None else at,
    )
    season_events(season=season, events=[event])
    return event


def season_events(*, season: Season, events: Sequence[SeasonEvent]) -> None:
    """Append several events of one season, not saved yet, as `season_event` does one. The number of
    queries does not depend on how many they are."""
    if not transaction.get_connection().in_atomic_block:
        raise EngineFault("a season event belongs into the transaction of its action")
    for event in events:
        if event.kind not in KINDS:
            raise EngineFault(f"there is no season event {event.kind!r}")
        # Who has an account is said where it is read (`tournaments.naming`).
        event.words = plain(event.words)[:500]
    SeasonEvent.objects.bulk_create(events)
    Season.objects.filter(pk=season.pk).update(changed_at=now_utc())
    for write in _writers:
        write(season, events)
    for event in events:
        happened = partial(
            send, hooks.season_happened, SeasonEvent, event_id=event.pk, kind=event.kind
        )
        transaction.on_commit(happened, robust=True)
