"""What goes out beside a match, after commit: that it has ended, waits for a ruling, or is shown in
the best place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog

from accounts.announcing.kinds import Way
from accounts.announcing.services import wanting
from games.announcements import RULING, STRANGERS
from games.audience import LOBBY_GROUP, concerned_with, organisers_of, user_group_of
from games.models import Match
from games.publishing import frames
from games.publishing.cards import card_of
from games.publishing.publish import Frame, publish
from games.words import game_name

log = structlog.get_logger("gauntlet.notices")


def announce_end(match: Match) -> None:
    """Tell the lobby and the players that a match has a result."""
    frame = {
        "type": "match.ended",
        **_about(match),
        "winner": match.winner,
        "reason": match.reason,
    }
    players = [player.user_id for player in match.players.all() if player.user_id is not None]
    tell_lists(match, frame, players)


def tell_lists(match: Match, frame: dict[str, Any], user_ids: Iterable[int]) -> None:
    """Tell the lobby of a match, with its card for the lists that pages have open, and these
    users; nobody of practice, which is on no list."""
    if match.is_practice:
        return
    text = frames.encoded(frame)
    listed = frames.encoded({**frame, "card": card_of(match)})
    out = [Frame(LOBBY_GROUP, listed)]
    publish([*out, *(Frame(user_group_of(user_id), text) for user_id in user_ids)])


def announce_featured(match_id: int, *, featured: bool) -> None:
    """Tell the lobby that organisers show a match in the best place, or no longer."""
    frame = {"type": "match.featured", **_about(_match(match_id)), "featured": featured}
    publish([Frame(LOBBY_GROUP, frames.encoded(frame))])


def announce_ruling(match_id: int, *, waits: bool) -> None:
    """Tell those who may rule that a match waits for them, or no longer does; quietly those who do
    not want to be called to it."""
    match = _match(match_id)
    organisers = set(organisers_of(match).values_list("pk", flat=True))
    concerned = set(concerned_with(match).values_list("pk", flat=True))
    called = wanting(RULING, Way.SITE, concerned)
    called |= wanting(STRANGERS, Way.SITE, organisers - concerned)
    about = {"type": "ruling", **_about(match), "waits": waits}
    publish(
        [
            Frame(
                user_group_of(user_id),
                frames.encoded({**about, "quiet": user_id not in called}),
            )
            for user_id in sorted(organisers)
        ]
    )


def _match(match_id: int) -> Match:
    rows = Match.objects.defer("snapshot").prefetch_related("players__user")
    return rows.get(pk=match_id)


def _about(match: Match) -> dict[str, Any]:
    return {
        "match": match.pk,
        "url": match.get_absolute_url(),
        "game": game_name(match.ruleset, match.variant),
        "seats": [
            {"name": player.name, "username": player.user.username if player.user else None}
            for player in match.players.all()
        ],
    }
