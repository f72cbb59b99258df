"""Games as choices of a form: `ruleset/variant`, there and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.words import ruleset_named


def value_of(game: Mapping[str, Any]) -> str:
    """A game as `games.forms.games_offered` calls it."""
    return f"{game['ruleset']}/{game['variant']}"


def game_of(value: str) -> dict[str, Any]:
    """The game that was chosen, with the options that it has by itself."""
    ruleset, _, variant = value.partition("/")
    return {"ruleset": ruleset, "variant": variant, "options": {}}


def ruleset_name(ruleset_id: str) -> str:
    """The ruleset's name; the id of one that the site no longer offers."""
    found = ruleset_named(ruleset_id)
    return ruleset_id if found is None else found.name
