"""Lessons and rules' cards, as pages and the API show them. They hang on nothing but the rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from games.engine.capabilities import teaches_of
from games.engine.lessons import LEARNER, Card
from games.engine.table import AnyRuleset
from games.engine.teaching import Judged, judged, step_of, steps_of, table_of, teacher, view_of
from games.rulesets import REGISTRY
from games.words import game_name

NAMES = ("Learner", "Opponent")
"""Of the seats, as boards have them: they stand in sentences where "you" would be wrong."""


class Game(NamedTuple):
    """A game that can be learned: its ruleset, the variant, its name and what it is about."""

    ruleset: str
    variant: str
    name: str
    summary: str

    @property
    def key(self) -> str:
        """What the forms of practice call it."""
        return f"{self.ruleset}/{self.variant}"


def games() -> list[Game]:
    """All that can be learned, each variant by itself."""
    return [
        _game(ruleset, variant.id)
        for ruleset in REGISTRY
        if teaches_of(ruleset) is not None
        for variant in ruleset.variants
    ]


def games_of(ruleset: AnyRuleset) -> list[Game]:
    """Those of one ruleset; perhaps none."""
    return [game for game in games() if game.ruleset == ruleset.id]


def game_of(ruleset_id: str, variant_id: str) -> Game:
    """One of them. Raises NotFound ``setup.ruleset``, ``lesson.none``."""
    ruleset = REGISTRY.get(ruleset_id)
    teacher(ruleset, variant_id)
    return _game(ruleset, variant_id)


def _game(ruleset: AnyRuleset, variant_id: str) -> Game:
    several = len(ruleset.variants) > 1
    summary = ruleset.variant(variant_id).summary if several else ruleset.summary
    return Game(ruleset.id, variant_id, game_name(ruleset.id, variant_id), summary)


def cards_of(game: Game) -> list[Card]:
    """The rules of a game on cards."""
    return list(teacher(REGISTRY.get(game.ruleset), game.variant).cards(game.variant))


def lesson_of(ruleset_id: str, variant_id: str) -> dict[str, Any]:
    """A whole lesson: each step with its words, and its position as the learner sees it. Raises
    NotFound ``setup.ruleset``, ``lesson.none``."""
    ruleset = REGISTRY.get(ruleset_id)
    steps = steps_of(ruleset, variant_id)
    return {
        "ruleset": ruleset.id,
        "variant": variant_id,
        "name": game_name(ruleset.id, variant_id),
        "header": _header(ruleset, variant_id),
        "you": LEARNER,
        "steps": [
            {
                "number": number,
                "title": step.title,
                "words": step.words,
                "hint": step.hint,
                "solution": step.solution,
                "view": view_of(ruleset, table_of(ruleset, variant_id, step.state)),
            }
            for number, step in enumerate(steps, start=1)
        ],
    }


def _header(ruleset: AnyRuleset, variant_id: str) -> dict[str, Any]:
    """A lesson's as that of a match, for the boards: nobody sits there but the learner."""
    return {
        "ruleset": ruleset.id,
        "ruleset_name": ruleset.name,
        "variant": variant_id,
        "options": msgspec.to_builtins(ruleset.options_type()),  # type: ignore[call-arg]
        "items": [],
        "seats": [{"name": name, "username": None} for name in NAMES],
        "organise": False,
        "terms": "",
        "late_s": 0,
        "premoves": [],
        "practice": False,
    }


def answer_judged(ruleset_id: str, variant_id: str, number: int, text: str) -> Judged:
    """What an answer to a step comes to. Raises NotFound as `lesson_of` and ``lesson.step``, and
    Refusal for what the rules do not allow."""
    ruleset = REGISTRY.get(ruleset_id)
    return judged(ruleset, variant_id, step_of(ruleset, variant_id, number), text)
