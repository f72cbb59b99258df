"""Looking at pages."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

from django.utils import timezone

from accounts.models import User
from games.models import Challenge, Match, MatchPlayer
from games.services.challenges import challenge_create
from tests.games.support import Play, committing


def words(response: Any) -> str:
    """What stands on a page, without its tags."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def links(response: Any) -> list[str]:
    """Where the links of a page lead, in order."""
    return [unescape(href) for href in re.findall(r'<a\b[^>]*\shref="([^"]*)"', _html(response))]


def forms(response: Any) -> list[str]:
    """Where the forms of a page are sent to."""
    return re.findall(r'<form\b[^>]*\saction="([^"]*)"', _html(response))


def _html(response: Any) -> str:
    content: bytes = response.content
    return content.decode()


def challenge(challenger: User, opponent: User | None = None, **more: Any) -> Challenge:
    """An open challenge to Tetronogo."""
    arguments = {"ruleset_id": "tetronogo", "variant": "standard", **more}
    with committing():
        return challenge_create(acting_user=challenger, opponent=opponent, **arguments)


def conceded(play: Play, at: int = 5000) -> Match:
    """The match after seat 0 has conceded it."""
    play.move(0, "concede", at)
    return play.match


def finished_row(players: tuple[User, User], *, winner: int = 0, minutes_ago: int = 0) -> Match:
    """A match that is over, as a bare row: enough for lists, where many are needed."""
    match = Match.objects.create(
        ruleset="tetronogo",
        variant="standard",
        snapshot="{}",
        status=Match.Status.FINISHED,
        winner=winner,
        reason="total",
        scores=[10, 20],
        finished_at=timezone.now() - timedelta(minutes=minutes_ago),
    )
    for seat, user in enumerate(players):
        MatchPlayer.objects.create(match=match, seat=seat, user=user, name=user.shown_name)
    return match
