"""Games as choices of a form: `ruleset/variant`, there and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from games.words import ruleset_named


def value_of(game: Mapping[str, Any]) -> str:
    """A game as `games.forms.games_offered` calls it."""
    return f"{game['ruleset']}/{game['variant']}"


def value_with_options(game: Mapping[str, Any]) -> str:
    """The same with the options that differ from the game's own, as in a season's repertoire."""
    options = game.get("options") or {}
    return f"{value_of(game)} {json.dumps(options, sort_keys=True)}" if options else value_of(game)


def game_of(value: str) -> dict[str, Any]:
    """The game that was chosen, with the options that it has by itself."""
    ruleset, _, variant = value.partition("/")
    return {"ruleset": ruleset, "variant": variant, "options": {}}


def ruleset_name(ruleset_id: str) -> str:
    """The ruleset's name; the id of one that the site no longer offers."""
    found = ruleset_named(ruleset_id)
    return ruleset_id if found is None else found.name
