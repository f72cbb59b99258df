"""Answers to a step of a lesson, with the toy ruleset: allowed or not, reached or missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from core.refusals import NotFound, Refusal
from games.engine.capabilities import Teaches, teaches_of
from games.engine.errors import EngineFault
from games.engine.lessons import LEARNER, Card, LessonStep, position
from games.engine.ruleset import Setup
from games.engine.teaching import judged, step_of, steps_of, table_of, view_of
from tests.toy.rules import TOY, State, Toy, ToyOptions

BEGUN = ("0: ready", "1: ready")
HEAP = (*BEGUN, "0: pick 3", "1: pick 2", "0: first", "?: die 5")


def at(*course: str) -> State:
    """The state that a course leads to."""
    setup = Setup(variant="standard", options=ToyOptions(), advantage=LEARNER)
    state: State = position(TOY, setup, course)
    return state


def took_two(before: State, _move: Any, after: State) -> str | None:
    taken = before.heap - after.heap
    return None if taken == 2 else f"That took {taken}."


def picked(_before: State, _move: Any, after: State) -> str | None:
    return None if after.phase == "order" else "Nothing is picked."


PICK = LessonStep(
    title="Pick", words="Pick any card.", state=at(*BEGUN), goal=picked, solution="pick 5",
    reply="pick 4", reached="Both are in.", hint="Any card will do.",
)  # fmt: skip
TAKE = LessonStep(
    title="Take", words="Take two.", state=at(*HEAP), goal=took_two, solution="take 2",
    miss="take 3", reached="Two are yours.", hint="It is not three.",
)  # fmt: skip


class Taught(Toy, Teaches):
    """The toy, which can be learned."""

    def lesson(self, variant_id: str) -> Sequence[LessonStep]:
        return (PICK, TAKE)

    def cards(self, variant_id: str) -> Sequence[Card]:
        return (Card("The heap", ("Take from it.",), "heap"),)


TAUGHT = Taught()


def test_what_is_asked_for_is_reached() -> None:
    answer = judged(TAUGHT, "standard", TAKE, " TAKE  2 ")
    assert (answer.reached, answer.sentence, answer.text) == (True, "Two are yours.", "take 2")
    assert answer.view["game"]["heap"] == 7
    assert [event.seat for event in answer.events] == [LEARNER]


def test_what_is_allowed_but_misses_is_told_as_such() -> None:
    answer = judged(TAUGHT, "standard", TAKE, "take 3")
    assert (answer.reached, answer.sentence) == (False, "That took 3.")
    # Nothing is kept: the step begins anew.
    assert judged(TAUGHT, "standard", TAKE, "take 2").reached


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("take 9", "take.too-many"), ("pick 1", "move.wrong-kind"),
        ("hello", "notation.unreadable"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused(text: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        judged(TAUGHT, "standard", TAKE, text)
    assert refused.value.code == code


def test_the_other_seat_answers_behind_the_same_barrier() -> None:
    answer = judged(TAUGHT, "standard", PICK, "pick 1")
    assert answer.reached
    assert answer.view["game"]["phase"] == "order"


def test_a_step_is_a_match_that_stands_still() -> None:
    view = view_of(TAUGHT, table_of(TAUGHT, "standard", TAKE.state))
    (decision,) = view["decisions"]
    assert (view["phase"], decision["seat"], decision["kind"]) == ("on", LEARNER, "take")
    assert not decision["clock"]["running"]


def test_what_there_is_to_learn() -> None:
    assert teaches_of(TOY) is None
    assert steps_of(TAUGHT, "standard") == (PICK, TAKE)
    assert step_of(TAUGHT, "standard", 2) is TAKE
    for number in (0, 3):
        with pytest.raises(NotFound, match=r"lesson\.step"):
            step_of(TAUGHT, "standard", number)
    for ruleset, variant in ((TOY, "standard"), (TAUGHT, "no-such")):
        with pytest.raises(NotFound, match=r"lesson\.none"):
            steps_of(ruleset, variant)


def test_positions_come_from_the_rules_alone() -> None:
    with pytest.raises(Refusal, match=r"take\.too-many"):
        at(*HEAP, "0: take 9")
    with pytest.raises(EngineFault, match="waits for another"):
        at(*BEGUN, "0: pick 3")
    with pytest.raises(EngineFault, match="nothing is asked"):
        at(*HEAP, "1: take 2")
