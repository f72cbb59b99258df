"""Ends that somebody was not there for."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from core.clock import now_ms
from games import presence
from games.models import Match, MatchPlayer


def end_mark_missed(*, match: Match) -> None:
    """Mark those players for whom a match ended while they were away, and who did not choose that
    end: by their time, or void since not both were there. The front page tells them, and an
    announcement.
    Whoever has looked at the match since it ended is not marked, however late this is called."""
    if match.is_practice:
        return  # nobody waits for them
    unattended = match.was_unattended
    # Whatever the reason is called: running out may lose a bout, and the bout the match.
    acts = match.entries.filter(actor__in=["0", "1"]).order_by("-seq")
    if not unattended and not acts.values_list("timeout", flat=True).first():
        return
    here = presence.seats_seen(match.pk, since=_ended_at(match))
    missed = [
        player
        for player in match.players.all()
        if player.user is not None
        and not player.user.is_bot
        and not here[player.seat]
        and (unattended or player.seat != match.winner)
    ]
    for player in missed:
        player.missed_end = True
    if missed:
        MatchPlayer.objects.bulk_update(missed, ["missed_end"])


def _ended_at(match: Match) -> int:
    """When a match ended, in ms since 1970; now, where it has not (or not yet, by this clock)."""
    ended = match.finished_at
    return now_ms() if ended is None else min(round(ended.timestamp() * 1000), now_ms())


def end_mark_seen(*, match: Match, user: User | AnonymousUser) -> None:
    """A player has looked at how a match ended."""
    for player in match.players.all():
        if player.missed_end and player.user_id == user.pk:
            MatchPlayer.objects.filter(pk=player.pk).update(missed_end=False)
