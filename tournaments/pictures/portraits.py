"""What stands for somebody where a picture is drawn of them: a letter and a colour."""

from __future__ import annotations

from accounts.templatetags.site import AVATAR_COLOURS
from tournaments.models import Contestant


def initial_of(name: str) -> str:
    """What stands on somebody's portrait."""
    return name.strip()[:1].upper() or "?"


def colour_of(contestant: Contestant) -> int:
    """The colour of somebody's portrait: that of their account, where they have one."""
    return (contestant.user_id or contestant.pk) % AVATAR_COLOURS
