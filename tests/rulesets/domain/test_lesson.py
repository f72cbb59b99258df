"""What else than its solution reaches a step of Domain's lesson, and what does not."""

from __future__ import annotations

import pytest

from games.engine.lessons import LEARNER, decision_of
from games.engine.notation import tidy
from tests.rulesets.domain.helpers import RULES

TAKE, COVER, TOP, ZONES, CHALLENGE, LAST = range(6)


def missing(step: int, text: str) -> str | None:
    """What an answer of the learner's leaves to be asked for."""
    asked = RULES.lesson("standard")[step]
    move = RULES.parse(tidy(text))
    RULES.validate(asked.state, decision_of(RULES, asked.state), move)
    return asked.goal(asked.state, move, RULES.apply(asked.state, ((LEARNER, move),)))


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (COVER, "19 > blue 100,100 30"),
        (TOP, "05 > red 220,210 45"),
        (ZONES, "05 > red 150,140 0"),
        (LAST, "05 > blue 71,71 0"),  # in the frame of the learner's own 19
    ],
)
def test_any_answer_that_does_what_is_asked_for_will_do(step: int, text: str) -> None:
    assert missing(step, text) is None


@pytest.mark.parametrize("step", [COVER, TOP, ZONES])
def test_a_placement_that_is_not_valid_never_will_do(step: int) -> None:
    for text, why in (("10,180", "sticks out"), ("62,180", "purple frame")):
        said = missing(step, f"05 > blue {text} 0") or ""
        assert why in said
        assert "not valid" in said


def test_a_placement_on_yellow_is_said_to_cover_it() -> None:
    assert "yellow void zone" in (missing(ZONES, "05 > red 300,200 0") or "")


@pytest.mark.parametrize("step", [COVER, TOP, ZONES, LAST])
def test_to_discard_a_shape_will_not_do(step: int) -> None:
    assert missing(step, "discard 05") == "Place one of your shapes."


def test_what_is_won_back_is_counted_on_the_learners_own_domain() -> None:
    assert "red domain" in (missing(TOP, "05 > blue 100,250 0") or "")


def test_the_last_shape_leaves_the_other_seat_nothing_but_to_accept() -> None:
    asked = RULES.lesson("standard")[LAST]
    after = RULES.apply(asked.state, ((LEARNER, RULES.parse(tidy(asked.solution))),))
    (decision,) = RULES.decisions(after)
    assert (decision.seat, decision.kind) == (1 - LEARNER, "final")
    challenged = RULES.apply(after, ((1 - LEARNER, RULES.parse("challenge")),))
    outcome = RULES.outcome(challenged)
    assert outcome is not None
    assert outcome.winner == LEARNER


def test_the_words_say_how_far_the_learner_is_behind() -> None:
    asked = RULES.lesson("standard")[LAST]
    own, others = RULES.scores(asked.state)
    assert f"{others - own:,} behind" in asked.words
