"""The lessons and the cards of every ruleset that has them: all that they say can be done."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec
import pytest

from games.engine import notation
from games.engine.capabilities import Teaches, teaches_of
from games.engine.decisions import ALL, EVERYONE
from games.engine.lessons import LEARNER, Card, LessonStep, decision_of
from games.engine.ruleset import Ruleset
from games.rulesets import REGISTRY

AnyRuleset = Ruleset[Any, Any]

TAUGHT = [ruleset for ruleset in REGISTRY if teaches_of(ruleset) is not None]
every_lesson = pytest.mark.parametrize(
    ("ruleset", "variant"),
    [
        pytest.param(ruleset, variant.id, id=f"{ruleset.id}-{variant.id}")
        for ruleset in TAUGHT
        for variant in ruleset.variants
    ],
)
SEAT = re.compile(r"\b(seat|player)s? (0|1|one|two)\b", re.IGNORECASE)


def teaching(ruleset: AnyRuleset) -> Teaches:
    found = teaches_of(ruleset)
    assert found is not None
    return found


def answered(ruleset: AnyRuleset, step: LessonStep, text: str) -> tuple[Any, Any]:
    """The answer as the rules have it, and the state after it and the reply."""
    chosen = []
    for seat, said in ((LEARNER, text), (1 - LEARNER, step.reply)):
        if said is None:
            continue
        decision = decision_of(ruleset, step.state, seat)
        move = ruleset.parse(notation.tidy(said))
        ruleset.validate(step.state, decision, move)
        move = ruleset.canonical(step.state, decision, move)
        assert ruleset.print(move) == said
        chosen.append((seat, move))
    return chosen[0][1], ruleset.apply(step.state, tuple(chosen))


def judged(ruleset: AnyRuleset, step: LessonStep, text: str) -> str | None:
    move, after = answered(ruleset, step, text)
    return step.goal(step.state, move, after)


@every_lesson
def test_there_are_five_or_six_steps_and_four_to_six_cards(
    ruleset: AnyRuleset, variant: str
) -> None:
    assert len(teaching(ruleset).lesson(variant)) in (5, 6)
    assert 4 <= len(teaching(ruleset).cards(variant)) <= 6


@every_lesson
def test_something_is_asked_of_the_learner(ruleset: AnyRuleset, variant: str) -> None:
    for step in teaching(ruleset).lesson(variant):
        decision = decision_of(ruleset, step.state)
        assert not ruleset.chance_due(step.state), step.title
        waits = any(
            each.barrier is not None and each.barrier == decision.barrier
            for each in ruleset.decisions(step.state)
            if each.seat != LEARNER
        )
        assert waits == (step.reply is not None), step.title


@every_lesson
def test_every_solution_is_what_was_asked_for(ruleset: AnyRuleset, variant: str) -> None:
    for step in teaching(ruleset).lesson(variant):
        assert judged(ruleset, step, step.solution) is None, step.title


@every_lesson
def test_every_miss_is_allowed_and_told(ruleset: AnyRuleset, variant: str) -> None:
    missed = [step for step in teaching(ruleset).lesson(variant) if step.miss is not None]
    assert len(missed) >= 2
    for step in missed:
        assert step.miss is not None
        said = judged(ruleset, step, step.miss)
        assert said is not None, step.title
        assert said.endswith(".")
        assert len(said) <= 200


@every_lesson
def test_the_words_are_short_and_speak_to_the_learner(ruleset: AnyRuleset, variant: str) -> None:
    steps = teaching(ruleset).lesson(variant)
    cards = teaching(ruleset).cards(variant)
    for step in steps:
        for said, most in ((step.words, 320), (step.hint, 160), (step.reached, 200)):
            assert len(said) <= most, said
            assert said.endswith((".", "?")), said
            assert SEAT.search(said) is None, said
        assert len(step.title) <= 40
    for card in cards:
        assert 1 <= len(card.sentences) <= 4
        for sentence in card.sentences:
            assert len(sentence) <= 160, sentence
            assert sentence.endswith("."), sentence
            assert SEAT.search(sentence) is None, sentence
    _differ([step.title for step in steps])
    _differ([card.title for card in cards])


def _differ(titles: list[str]) -> None:
    assert len(set(titles)) == len(titles)


@every_lesson
def test_every_card_has_a_figure_of_its_own(ruleset: AnyRuleset, variant: str) -> None:
    package = type(ruleset).__module__.rpartition(".")[0]
    figures: Callable[[], dict[str, tuple[str, str]]] = import_module(f"{package}.figures").figures
    shown = [card.figure for card in teaching(ruleset).cards(variant)]
    assert [figure for figure in shown if figure not in figures()] == []
    _differ(shown)


@every_lesson
def test_every_position_can_be_kept_and_seen(ruleset: AnyRuleset, variant: str) -> None:
    for step in teaching(ruleset).lesson(variant):
        assert ruleset.decode(ruleset.encode(step.state)) == step.state, step.title
        _, after = answered(ruleset, step, step.solution)
        for state in (step.state, after):
            for audience in (*EVERYONE, ALL):
                assert msgspec.json.encode(ruleset.view(state, audience))
        assert ruleset.picture(ruleset.view(step.state, 0)).startswith("<svg")


@every_lesson
def test_a_lesson_is_the_same_every_time(ruleset: AnyRuleset, variant: str) -> None:
    again = type(ruleset)()
    for one, other in zip(
        teaching(ruleset).lesson(variant), teaching(again).lesson(variant), strict=True
    ):
        assert ruleset.encode(one.state) == ruleset.encode(other.state)
        assert _said(one) == _said(other)
    assert _told(teaching(ruleset).cards(variant)) == _told(teaching(again).cards(variant))


def _said(step: LessonStep) -> tuple[Any, ...]:
    return step.title, step.words, step.solution, step.miss, step.reply, step.hint, step.reached


def _told(cards: Any) -> list[Card]:
    return list(cards)


def test_every_ruleset_can_be_learned() -> None:
    assert [ruleset.id for ruleset in REGISTRY] == [ruleset.id for ruleset in TAUGHT]
