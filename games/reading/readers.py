"""A reader of a match, and everything that they may know of it now."""

from __future__ import annotations

from typing import Any, NamedTuple

from core.clock import now_ms
from games import store
from games.audience import LATE, Reading, audience_of, may_organise
from games.engine.decisions import ROOM, Audience
from games.models import Match
from games.publishing import frames
from games.publishing.frames import Lasting
from games.reading.known import Known, kept_of
from games.reading.matches import match_for, standing_of
from games.reading.shared import room_view


class Reader(NamedTuple):
    """Who somebody is in a match, and the `sync` frame that tells them of it."""

    audience: Reading
    organise: bool
    over: bool
    sync: dict[str, Any]
    lasting: Lasting = Lasting()

    def lacking(self, known: Known | None) -> dict[str, Any]:
        """The `sync` frame without what the reader has of the log."""
        if known is None:
            return self.sync
        kept = kept_of(
            known,
            you=self.sync["you"],
            version=self.sync["version"],
            over=self.over,
            length=len(self.sync["log"]),
            lasting=self.lasting,
        )
        return {**self.sync, "log": self.sync["log"][kept:], "after": kept} if kept else self.sync


def reader_of(match_id: int, user: Any, *, standing: tuple[Reading, bool] | None = None) -> Reader:
    """Who ``user`` (or nobody) is in a match, and what they may know. ``standing`` is what
    `standing_of` says, where it has been asked. Raises Refusal ``match.none``."""
    audience, organise = standing or standing_of(match_id, user)
    if audience in (ROOM, LATE):
        return _in_the_room(match_id, audience, organise)
    return _in_a_seat(match_for(match_id, user), audience)


def reader_in(match: Match, user: Any) -> Reader:
    """The same of a match that is at hand as `match_for` gives it."""
    audience = audience_of(match, user)
    if audience in (ROOM, LATE):
        return _in_the_room(match.pk, audience, may_organise(match, user))
    return _in_a_seat(match, audience)


def _in_the_room(match_id: int, audience: Reading, organise: bool) -> Reader:
    view = room_view(match_id, late=audience == LATE)
    sync = view.plain(at=now_ms(), organise=organise)
    return Reader(audience, organise, view.over, sync, view.lasting)


def _in_a_seat(match: Match, seat: Audience) -> Reader:
    held = store.held_of(match)
    log = frames.log_now(held, match, seat)
    sync = frames.sync_frame(held, match, seat, organise=False, at=now_ms(), log=log)
    return Reader(seat, False, held.is_over, sync, log.lasting)
