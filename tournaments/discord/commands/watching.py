"""Watching a season: a role that whoever wants it takes by a button."""

from __future__ import annotations

from typing import Final

from tournaments.discord.commands.base import Pressed
from tournaments.discord.interactions import Asked, Reply
from tournaments.posts.roles import spectator_switch


def _watch(asked: Asked, season: str) -> Reply:
    watches = spectator_switch(season_id=int(season), member_id=asked.person.id)
    words = "You watch this season, and get the role for it."
    return Reply(words if watches else "You no longer watch this season; the role is taken back.")


PRESSED: Final[dict[str, Pressed]] = {"watch": _watch}
