"""The players' names on pictures. The rules know seats only; people know names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

Names: TypeAlias = tuple[str, str]

UNNAMED: Final[Names] = ("First player", "Second player")
"""Where nobody plays, as in the drawn examples of the rules."""


def named(view: Mapping[str, Any], names: Names) -> Mapping[str, Any]:
    """A ruleset's view with the players' names beside it, by seat, for its picture."""
    return {**view, "names": names}


def names_in(view: Mapping[str, Any]) -> Names:
    """The names that `named` has put there."""
    names: Names = view.get("names", UNNAMED)
    return names


def short(name: str, most: int) -> str:
    """A name that takes at most so many letters."""
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


PLAYERS: Final = ("first", "second")
"""Which player a seat's is, in sentences that know no names."""
