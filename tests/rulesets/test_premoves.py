"""What a ruleset calls safe to answer before it opens is so: whatever the other seat does before
that, the same answers can stand, and the same cannot."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from core.refusals import Refusal
from games.engine.capabilities import premoves_of
from games.engine.chance import evenly
from games.engine.decisions import Decision
from games.engine.ruleset import Setup
from games.engine.table import AnyRuleset
from games.rulesets import REGISTRY

GAMES = 40
STEPS = 300
DECLARED = [
    (ruleset.id, variant.id, kind)
    for ruleset in REGISTRY
    for variant in ruleset.variants
    for kind in sorted(premoves_of(ruleset))
]

# Of a seat: what it has answered to decisions of that kind so far.
Before = tuple[int, tuple[str, ...]]


def openings(
    rules: AnyRuleset, variant: str, kind: str, seed: int
) -> Iterator[tuple[Before, Any, Decision, str]]:
    """Every decision of that kind in a random match, its state, and its answer."""
    random = Random(seed).random
    options = msgspec.convert({}, rules.options_type)
    state = rules.initial(Setup(variant=variant, options=options, advantage=seed % 2))
    own: list[tuple[str, ...]] = [(), ()]
    for _ in range(STEPS):
        if rules.outcome(state) is not None:
            return
        due = rules.chance_due(state)
        for draw in due:
            state = rules.apply_chance(state, rules.draw(state, draw, evenly(random)))
        if due:
            continue
        first, *rest = rules.decisions(state)
        asked = [first, *(d for d in rest if first.barrier and d.barrier == first.barrier)]
        answers = [(each, rules.sample(state, each, random)) for each in asked]
        for decision, move in answers:
            if decision.kind == kind:
                text = rules.print(move)
                yield (decision.seat, own[decision.seat]), state, decision, text
                own[decision.seat] = (*own[decision.seat], text)
        state = rules.apply(state, tuple((each.seat, move) for each, move in answers))


def verdict(rules: AnyRuleset, state: Any, decision: Decision, text: str) -> str:
    """Why an answer cannot stand; empty where it can."""
    try:
        rules.validate(state, decision, rules.parse(text))
    except Refusal as refusal:
        return refusal.code
    return ""


def compared(rules: AnyRuleset, variant: str, kind: str) -> tuple[int, int]:
    """How many answers were tried again where the same seat had answered alike, and how many of
    them fared otherwise."""
    found = [each for seed in range(GAMES) for each in openings(rules, variant, kind, seed)]
    texts = sorted({text for _, _, _, text in found})[:40]
    told: dict[Before, list[str]] = {}
    tried = otherwise = 0
    for before, state, decision, _ in found:
        verdicts = [verdict(rules, state, decision, text) for text in texts]
        if before in told:
            tried += len(texts)
            otherwise += sum(a != b for a, b in zip(told[before], verdicts, strict=True))
        told.setdefault(before, verdicts)
    return tried, otherwise


@pytest.mark.parametrize(("ruleset", "variant", "kind"), DECLARED)
def test_the_other_seat_has_no_say(ruleset: str, variant: str, kind: str) -> None:
    tried, otherwise = compared(REGISTRY.get(ruleset), variant, kind)
    assert tried > 100
    assert otherwise == 0


def test_some_can_be_answered_before() -> None:
    assert DECLARED
    assert len(DECLARED) < sum(len(ruleset.variants) for ruleset in REGISTRY)


def test_the_comparison_has_teeth() -> None:
    """Of whatever is placed on a board that both use, some would fare otherwise."""
    faring = [
        compared(ruleset, ruleset.variants[0].id, kind)[1]
        for ruleset in REGISTRY
        for kind in ("turn", "place", "play", "draft")
    ]
    assert sum(otherwise > 0 for otherwise in faring) >= 1
