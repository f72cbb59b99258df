"""What goes out beside a match, after commit: that it has ended, waits for a ruling, or is shown in
the best place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog
from django.conf import settings
from django.template.loader import render_to_string

from accounts.mail import confirmed_addresses, send_once
from games.audience import LOBBY_GROUP, concerned_with, organisers_of, user_group_of
from games.models import Match
from games.publishing import frames
from games.publishing.cards import card_of
from games.publishing.publish import Frame, publish
from games.words import game_name, result_text

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


def mail_missed_end(match_id: int) -> int:
    """Write to the players for whom the match ended while they were away; returns to how many.
    Confirmed addresses only, and once."""
    match = _match(match_id)
    missed = {p.user_id: p for p in match.players.all() if p.missed_end and p.user is not None}
    names = [player.name for player in match.players.all()]
    addresses = confirmed_addresses([p.user for p in missed.values() if p.user is not None])
    sent = 0
    for user_id, address in addresses.items():
        body = render_to_string(
            "games/mail/missed.txt",
            {
                "game": game_name(match.ruleset, match.variant),
                "match": match,
                "told": result_text(names, match, missed[user_id].seat),
                "names": names,
                "site": settings.GAUNTLET_ORIGIN,
            },
        )
        sent += send_once(
            key=f"missed:{match_id}:{user_id}",
            address=address,
            subject="A match of yours ended without you",
            body=body,
        )
    return sent


def announce_ruling(match_id: int, *, waits: bool) -> None:
    """Tell those who may rule that a match waits for them, or no longer does."""
    match = _match(match_id)
    text = frames.encoded({"type": "ruling", **_about(match), "waits": waits})
    organisers = organisers_of(match).values_list("pk", flat=True)
    publish([Frame(user_group_of(user_id), text) for user_id in organisers])


def mail_ruling(match_id: int, seq: int) -> int:
    """Write to those whom a match concerns that it waits for their ruling since its entry ``seq``;
    returns to how many. Confirmed addresses only, and once: called again for the same entry it does
    nothing.

    Raises OSError or SMTPException where mail cannot be sent; it may then be called again.
    """
    match = _match(match_id)
    if not match.awaits_ruling:
        return 0
    body = render_to_string(
        "games/mail/ruling.txt",
        {
            "game": game_name(match.ruleset, match.variant),
            "match": match,
            "site": settings.GAUNTLET_ORIGIN,
        },
    )
    names = " and ".join(player.name for player in match.players.all())
    return sum(
        send_once(
            key=f"ruling:{match_id}:{seq}:{user_id}",
            address=address,
            subject=f"{names} wait for your ruling",
            body=body,
        )
        for user_id, address in confirmed_addresses(concerned_with(match)).items()
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
