"""What else than its solution reaches a step of Peg Domain's lessons, and what does not."""

from __future__ import annotations

import pytest

from core.refusals import Refusal
from games.engine.lessons import LEARNER, decision_of
from games.engine.notation import tidy
from games.rulesets.peg_domain.state import PegDomainState
from tests.rulesets.peg_domain.helpers import RULES

VARIANTS = [variant.id for variant in RULES.variants]


def answered(variant: str, step: int, text: str) -> tuple[str | None, PegDomainState]:
    """What an answer of the learner's to a step, counted from 1, leaves to be asked for; and the
    state after it."""
    asked = RULES.lesson(variant)[step - 1]
    decision = decision_of(RULES, asked.state)
    move = RULES.parse(tidy(text))
    RULES.validate(asked.state, decision, move)
    chosen = [(LEARNER, move)]
    if decision.barrier is not None and not RULES.settles(asked.state, decision, move):
        assert asked.reply is not None
        reply = RULES.parse(tidy(asked.reply))
        RULES.validate(asked.state, decision_of(RULES, asked.state, 1 - LEARNER), reply)
        chosen.append((1 - LEARNER, reply))
    after = RULES.apply(asked.state, tuple(chosen))
    return asked.goal(asked.state, move, after), after


@pytest.mark.parametrize(
    ("variant", "step", "text"),
    [
        ("gauntlet", 1, "A1 D > A1 0"),
        ("gauntlet", 2, "D8 DDDDDR > H3 0"),
        ("gauntlet", 4, "H8 H9 H10 H11 H12 G12 G11 G10 F12 F11 E12 E13 > I2 0"),
        ("final", 2, "H8 DDDDDR > F1 0"),
        ("final", 4, "remove C9"),
        ("final", 5, "A1 D > C2 0 minus C2"),
        ("tempo-up", 4, "D8 DDDDDR > I8 90"),
    ],
)
def test_any_answer_that_does_what_is_asked_for_will_do(variant: str, step: int, text: str) -> None:
    assert answered(variant, step, text)[0] is None


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_obvious_answer_to_a_cover_is_refused(variant: str) -> None:
    with pytest.raises(Refusal) as refused:
        answered(variant, 3, "A10 RR > C2 90" if variant != "tempo-up" else "A10 RR > C5 90")
    assert refused.value.code == "place.on-peg"


def test_enough_squares_without_both_pegs_on_them_do_not_hold() -> None:
    # Six squares of column F, but the second peg comes to stand on E1, which was nobody's.
    missing, after = answered("tempo-up", 5, "D8 DDDDDR > F6 180")
    assert after.scores[1 - LEARNER] == 31
    assert "not both of your pegs" in (missing or "")


def test_a_peg_taken_off_whose_square_is_not_covered_is_not_enough() -> None:
    assert "cover it" in (answered("final", 5, "A10 RR > C3 90 minus C2")[0] or "")


def test_a_peg_other_than_the_one_asked_for_is_not_enough() -> None:
    assert "still stands on C2" in (answered("final", 5, "A10 RR > C3 90 minus B7")[0] or "")


@pytest.mark.parametrize("variant", VARIANTS)
def test_finishing_ends_and_wins_the_match(variant: str) -> None:
    missing, after = answered(variant, 6, "finish")
    assert missing is None
    outcome = RULES.outcome(after)
    assert outcome is not None
    assert outcome.winner == LEARNER
