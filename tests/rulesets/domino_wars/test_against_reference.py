"""Random matches, move by move against a second, plain program; and the end that always comes."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from games.engine.playouts import playout, step
from games.rulesets.domino_wars.board import board_of
from games.rulesets.domino_wars.lanes import DOMINOES, SQUARES
from games.rulesets.domino_wars.notation import print_move
from games.rulesets.domino_wars.opening import some_deck
from games.rulesets.domino_wars.state import MOST_PLAYS, NOTHING, PLAY, Position, Side, Terms
from tests.rulesets.domino_wars.helpers import RULES, begin, shown
from tests.rulesets.domino_wars.reference import Reference

ITEMS = ("domino-repeat", "hand-mulligan", "tie-advantage")


def started(seed: int) -> Position:
    """A match at its first turn, set up at random."""
    random = Random(seed)
    items = [
        (seat, item)
        for seat in (0, 1)
        for item in ITEMS
        for _ in range(random.choice((0, 0, 1, 2)))
    ]
    state: Any = begin(*items, advantage=random.randrange(2), draw_when_stuck=random.random() < 0.4)
    while not isinstance(state, Position):
        state = step(RULES, state, random.random)
    return state


def reference_of(state: Position) -> Reference:
    sides = shown(state)["sides"]
    return Reference(
        state.first,
        [list(side["hand"]) for side in sides],
        [list(side["order"]) for side in sides],
        state.terms.favoured,
        state.terms.draw_when_stuck,
    )


def seen(state: Position) -> dict[str, Any]:
    view = shown(state)
    return {
        "over": view["phase"] == "over",
        "turn": view["turn"],
        "ask": view["ask"],
        "scores": view["scores"],
        "board": {cell["square"]: [cell["number"], cell["owner"]] for cell in view["cells"]},
        "sides": [
            (side["hand"], side["order"], side["discards"], side["skip"]) for side in view["sides"]
        ],
    }


@pytest.mark.parametrize("seed", range(120))
def test_both_programs_play_the_same_match(seed: int) -> None:
    random = Random(seed)
    state = started(seed)
    plain = reference_of(state)
    while True:
        assert seen(state) == plain.seen()
        outcome = RULES.outcome(state)
        if outcome is not None:
            break
        (decision,) = RULES.decisions(state)
        legal = set(map(print_move, RULES.legal(state, decision)))
        if decision.kind == "play":
            me = plain.turn
            assert legal == {
                f"{domino} {low_at}:{high_at}"
                for domino in set(plain.hands[me])
                for high_at in plain.squares()
                for low_at in plain.places(me, int(domino[0]), high_at, int(domino[1]))
            }
        else:
            kind, choices = plain.asks()
            assert legal == {f"{kind} {domino}" for domino in choices}
        move = RULES.sample(state, decision, random.random)
        assert print_move(move) in legal
        after = RULES.apply(state, ((decision.seat, move),))
        plain.say(print_move(move))
        assert isinstance(after, Position)
        state = after
    assert outcome.winner == plain.winner()
    assert list(outcome.scores) == plain.scores()
    assert outcome.reason == ("tie-break" if len(set(outcome.scores)) == 1 else "points")
    assert plain.plays <= MOST_PLAYS


def anywhere(seed: int) -> Position:
    """Any position, whether it can come about or not, with somebody to play."""
    random = Random(seed)
    numbers = tuple(random.choice((None, None, 0, 1, 2, 3, 4, 5, 6)) for _ in range(SQUARES))
    owned = [0, 0]
    for at, number in enumerate(numbers):
        if number is not None:
            owned[random.randrange(2)] |= 1 << at
    sides = []
    for _ in range(2):
        deck = list(some_deck(random.randrange(3), random.random).dominoes)
        random.shuffle(deck)
        one, two = sorted((random.randrange(9), random.randrange(9)))
        sides.append(
            Side(
                tuple(deck[:one]),
                tuple(deck[one:two]),
                tuple(deck[two:]),
                NOTHING,
                random.random() < 0.3,
            )
        )
    return Position(
        Terms(random.randrange(2), random.random() < 0.5, (2, 2)),
        random.randrange(2),
        0,
        0,
        PLAY,
        0,
        board_of(numbers),
        (owned[0], owned[1]),
        (sides[0], sides[1]),
    )


def test_a_match_ends_from_wherever_it_is_played_on() -> None:
    """Every play raises two squares, so there are at most 56; and nothing else goes on for ever:
    every step of a match is a play or one of at most two choices."""
    begun = 0
    for seed in range(3000):
        state = anywhere(seed)
        for seat in (0, 1):
            mover = msgspec.structs.replace(state, seat=seat)
            if not next(iter(RULES.legal(mover, RULES.decisions(mover)[0])), None):
                continue
            begun += 1
            height = sum(7 if n is None else 6 - n for n in _numbers(mover))
            end, steps = playout(RULES, mover, Random(seed).random, most=1000)
            assert isinstance(end, Position)
            assert end.over
            assert end.turn <= height / 2
            assert steps <= 3 * end.turn
            assert RULES.decode(RULES.encode(end)) == end
    assert begun > 3000


def _numbers(state: Position) -> list[int | None]:
    cells = {cell["square"]: cell["number"] for cell in shown(state)["cells"]}
    return [cells.get(name) for name in Reference.squares()]


def test_samples_are_drawn_evenly() -> None:
    """Also where few of the ways to lay the hand down are possible, and two dominoes are alike."""
    for seed in (3, 8, 21):
        state = anywhere(seed)
        (decision,) = RULES.decisions(state)
        legal = list(map(print_move, RULES.legal(state, decision)))
        if not legal:
            continue
        random = Random(seed)
        drawn = [print_move(RULES.sample(state, decision, random.random)) for _ in range(4000)]
        mean = 4000 / len(legal)
        for text in legal:
            assert abs(drawn.count(text) - mean) < 6 * mean**0.5 + 6, text


def test_decks_are_drawn_evenly() -> None:
    random = Random(4)
    drawn = [some_deck(1, random.random).dominoes for _ in range(6000)]
    assert all(len(deck) == 8 and deck == tuple(sorted(deck)) for deck in drawn)
    doubled = [deck for deck in drawn if len(set(deck)) == 7]
    # 21 times 38,760 decks with a double, 203,490 without.
    assert abs(len(doubled) / 6000 - 813_960 / 1_017_450) < 0.03
    for domino in range(len(DOMINOES)):
        share = sum(deck.count(domino) for deck in drawn) / (8 * 6000)
        assert abs(share - 1 / 21) < 0.006
