"""What readers ask for: the match as they may see it. Nothing here changes anything."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Prefetch

from core.clock import now_ms
from core.refusals import NotFound
from games import store
from games.audience import audience_of, may_organise, standing_in
from games.engine.decisions import Audience
from games.models import Match, MatchPlayer
from games.publishing import frames
from games.publishing.frames import Lasting
from games.reading.known import Known, kept_of


class Reader(NamedTuple):
    """A reader of a match and everything they may know of it now."""

    match: Match
    audience: Audience
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


def match_for(match_id: int, user: Any) -> Match:
    """The match with its players. Raises Refusal ``match.none``."""
    players = Prefetch("players", MatchPlayer.objects.select_related("user"))
    matches = Match.objects.visible_to(user).prefetch_related(players)
    match = matches.filter(pk=match_id).first()
    if match is None:
        raise NotFound("match.none", "There is no such match.")
    return match


def standing_of(match_id: int, user: Any) -> tuple[Audience, bool]:
    """Which audience ``user`` (or nobody) belongs to, and whether they may organise.
    Raises Refusal ``match.none``."""
    standing = standing_in(Match.objects.visible_to(user).filter(pk=match_id), user)
    if standing is None:
        raise NotFound("match.none", "There is no such match.")
    return standing


def reader_of(match_id: int, user: Any) -> Reader:
    """Who ``user`` (or nobody) is in a match, with the `sync` frame. Raises Refusal
    ``match.none``."""
    match = match_for(match_id, user)
    audience = audience_of(match, user)
    organise = may_organise(match, user)
    held = store.held_of(match)
    log = frames.log_now(held, match, audience)
    sync = frames.sync_frame(held, match, audience, organise=organise, at=now_ms(), log=log)
    return Reader(match, audience, organise, held.is_over, sync, log.lasting)


def versions_of(match_id: int) -> tuple[int, ...]:
    """The versions of seat 0, seat 1 and the room, as last committed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT snapshot::jsonb -> 'readers' ->> 'versions' FROM games_match WHERE id = %s",
            (match_id,),
        )
        row = cursor.fetchone()
    return (0, 0, 0) if row is None else tuple(int(n) for n in row[0].strip("[]").split(","))
