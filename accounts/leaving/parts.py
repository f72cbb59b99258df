"""What other apps do when an account is deleted.

Each registers in its `AppConfig.ready`:

    parts.register("games", games_erase)
    parts.register_obstacle(refuse_players)

A part runs inside the transaction of the deletion, with the account locked, before the account's
own row is made blank. It deletes what is the person's own, and takes their name out of what stays
(`Leaver.names`). An obstacle raises Refusal where the account cannot go yet. Effects outside of the
database belong into `transaction.on_commit`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from accounts.leaving.names import Names
from accounts.models import User


class Leaver(NamedTuple):
    """Who goes, and by what they were known here."""

    user: User
    names: Names


Part = Callable[[Leaver], None]
Obstacle = Callable[[User], None]
Known = Callable[[User], set[str]]

_parts: dict[str, Part] = {}
_obstacles: dict[str, Obstacle] = {}
_known: dict[str, Known] = {}


def register(app: str, part: Part, *, known: Known, obstacle: Obstacle) -> None:
    """Have an app asked: what stands in the way (``obstacle``), by which names it has written
    somebody down (``known``), and to erase them (``part``). Again under the same label replaces
    it."""
    _parts[app], _known[app], _obstacles[app] = part, known, obstacle


def must_be_free(user: User) -> None:
    """Raises whatever an obstacle raises."""
    for obstacle in _obstacles.values():
        obstacle(user)


def names_of(user: User) -> set[str]:
    """Everything that apps have written somebody down as."""
    return {name for known in _known.values() for name in known(user)}


def erase(leaver: Leaver) -> None:
    """Run every part, in the order of registration."""
    for part in _parts.values():
        part(leaver)
