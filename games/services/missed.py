"""Ends that somebody was not there for."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from core.queueing import enqueue
from games import presence
from games.jobs import MAIL_MISSED
from games.models import Match, MatchPlayer


def ends_mark_missed(*, match_id: int) -> None:
    """Mark those players for whom a match ended while they were away, and who did not choose that
    end: by their time, or void since not both were there. The front page tells them, and a mail,
    for which a worker is asked. After commit."""
    match = Match.objects.defer("snapshot").prefetch_related("players__user").get(pk=match_id)
    unattended = match.was_unattended
    # Whatever the reason is called: running out may lose a bout, and the bout the match.
    acts = match.entries.filter(actor__in=["0", "1"]).order_by("-seq")
    if not unattended and not acts.values_list("timeout", flat=True).first():
        return
    here = presence.seats_there(match.pk)
    missed = [
        player.pk
        for player in match.players.all()
        if player.user is not None
        and not player.user.is_bot
        and not here[player.seat]
        and (unattended or player.seat != match.winner)
    ]
    MatchPlayer.objects.filter(pk__in=missed).update(missed_end=True)
    if missed:
        enqueue(MAIL_MISSED, match_id)


def end_mark_seen(*, match: Match, user: User | AnonymousUser) -> None:
    """A player has looked at how a match ended."""
    for player in match.players.all():
        if player.missed_end and player.user_id == user.pk:
            MatchPlayer.objects.filter(pk=player.pk).update(missed_end=False)
