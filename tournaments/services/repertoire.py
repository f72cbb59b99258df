"""What a season plays: its games, and which of them a round is in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.refusals import Refusal, Together
from games.services.matches import game_of
from tournaments.models import RulesetChoice, Season

REPERTOIRE_MAX = 64


def repertoire_validate(value: Any) -> list[dict[str, Any]]:
    """What is played, each with a ruleset, a variant and options that exist.
    Raises Refusal ``season.repertoire`` and ``setup.*``."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise Refusal("season.repertoire", "What is played is a list of rulesets and variants.")
    if len(value) > REPERTOIRE_MAX:
        raise Refusal("season.repertoire", f"A season has at most {REPERTOIRE_MAX} games.")
    games, faults = [], Together()
    for number, each in enumerate(value):
        with faults.of(number):
            games.append(game_validate_public(each))
    faults.settle()
    return games


def game_validate_public(value: Any) -> dict[str, Any]:
    """One game that is yet to be played, as `game_validate`: its options are public, and nothing
    that an organiser prepares stands among them. Raises the same."""
    return game_validate(value, prepared=False)


def game_of_round(season: Season, number: int) -> dict[str, Any]:
    """What round ``number`` is played in: ``ruleset``, ``variant`` and ``options``; empty where
    there is nothing to play, or it is chosen match by match."""
    if not season.repertoire:
        return {}
    if season.ruleset_choice == RulesetChoice.LOWER_SEED and len(season.repertoire) > 1:
        return {}
    turn = number - 1 if season.ruleset_choice == RulesetChoice.ROTATING else 0
    return game_fields(season.repertoire[turn % len(season.repertoire)])


def game_fields(game: Mapping[str, Any]) -> dict[str, Any]:
    """One game as the fields of a round or a leg: ``ruleset``, ``variant`` and ``options``."""
    return {
        "ruleset": game["ruleset"],
        "variant": game["variant"],
        "options": dict(game.get("options") or {}),
    }


def game_validate(value: Any, *, prepared: bool = True) -> dict[str, Any]:
    """One game: ``ruleset``, ``variant`` and ``options`` (in seconds, what differs from the pace),
    of which some may be ``prepared``. Raises Refusal ``season.repertoire`` and ``setup.*``."""
    known = {"ruleset", "variant", "options"}
    if not isinstance(value, Mapping) or not {"ruleset", "variant"} <= set(value) <= known:
        raise Refusal("season.repertoire", "A game has a ruleset, a variant and perhaps options.")
    options = value.get("options") or {}
    if not isinstance(options, Mapping):
        raise Refusal("setup.options", "Options are an object of names and values.")
    ruleset, variant = str(value["ruleset"]), str(value["variant"])
    game_of(ruleset, variant, options, prepared=prepared)
    return {"ruleset": ruleset, "variant": variant, "options": dict(options)}
