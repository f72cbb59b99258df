"""Bots: what they play is legal, follows from what can be seen, and is best where that is known."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from games.engine.capabilities import LEVELS, Level
from games.engine.decisions import Decision
from games.rulesets.tetronogo import growing, thinking
from games.rulesets.tetronogo.counting import counted_out
from games.rulesets.tetronogo.estimate import ended
from games.rulesets.tetronogo.growing import grown
from games.rulesets.tetronogo.moves import LETTERS, Move, Pick, Start
from games.rulesets.tetronogo.scoring import groups, tallies
from games.rulesets.tetronogo.state import TetronogoState
from tests.rulesets.tetronogo.helpers import (
    RULES,
    begin,
    decision_of,
    picks,
    placing,
    source,
    start,
    walk,
    won_on_time,
)


def at_once() -> bool:
    """There is no time for more."""
    return False


def answer(state: TetronogoState, decision: Decision, level: Level, random: Random) -> Move:
    """What a bot says to a question at once."""
    view = RULES.view(state, 1 if decision.seat else 0)
    return RULES.decide(view, decision, level, random.random, at_once)


def _best_by_trying(state: TetronogoState, seat: int) -> tuple[float, set[Move]]:
    """Every continuation of the bout tried: what the best one is worth to the seat to move, and the
    placements that lead there."""
    (decision,) = RULES.decisions(state)
    worth: dict[Move, float] = {}
    for move in RULES.legal(state, decision):
        after = RULES.apply(state, ((seat, move),))
        if after.frame.phase == "place":
            worth[move] = -_best_by_trying(after, 1 - seat)[0]
        else:
            first, second = after.frame.bouts[-1].points
            value = ended(state.frame, first - second) + (first - second) / 1024
            worth[move] = value if seat == 0 else -value
    best = max(worth.values())
    return best, {move for move, value in worth.items() if value == best}


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays_whole_matches(level: Level) -> None:
    random = Random(LEVELS.index(level))
    state = begin()
    kinds = set()
    while RULES.outcome(state) is None:
        chosen = []
        for decision in RULES.decisions(state):
            kinds.add(decision.kind)
            move = answer(state, decision, level, random)
            RULES.validate(state, decision, move)
            assert RULES.canonical(state, decision, move) == move
            chosen.append((decision.seat, move))
        state = RULES.apply(state, tuple(chosen))
    assert kinds == {"pick", "starter", "place"}


def test_levels_look_at_more_and_more() -> None:
    efforts = [thinking.EFFORTS[level] for level in LEVELS]
    for looked_at in zip(*efforts, strict=True):
        assert list(looked_at) == sorted(set(looked_at))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("at", [0, 1, 2, 9, 24])
def test_whoever_sees_the_same_says_the_same(at: int, level: Level) -> None:
    state = walk(7)[at]
    for decision in RULES.decisions(state):
        view = RULES.view(state, 1 if decision.seat else 0)
        twin = RULES.determinize(view, decision.seat, source(1))
        answers = [answer(each, decision, level, Random(at)) for each in (state, twin)]
        assert answers[0] == answers[1]


@pytest.mark.parametrize("level", LEVELS)
def test_chance_varies_what_is_played(level: Level) -> None:
    state = placing("T", "L")
    (decision,) = RULES.decisions(state)
    assert len({answer(state, decision, level, Random(seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize("seed", range(12))
def test_counting_finds_what_trying_everything_finds(seed: int) -> None:
    states = [state for state in walk(seed) if 0 < sum(state.left) <= 9]
    assert states
    for state in states:
        seat = state.mover
        assert seat is not None
        number = counted_out(state, seat, 10_000)
        assert number is not None
        move = state.frame.duel.pieces[seat].moves[number]
        assert move in _best_by_trying(state, seat)[1]


def test_what_is_too_much_is_not_counted() -> None:
    assert counted_out(placing("T", "L"), 0, 20) is None


def test_a_tree_without_an_end_still_names_a_placement() -> None:
    assert grown(placing("T", "L"), 0, source(1), width=3, ends=0) >= 0


def test_a_tree_finds_what_counting_finds() -> None:
    """Most of the time, close to the end of a bout, and from many random ends."""
    right = total = 0
    for seed in range(12):
        state = [state for state in walk(seed) if sum(state.left) >= 8][-1]
        seat = state.mover
        if seat is None or state.frame.phase != "place":
            continue
        number = grown(state, seat, source(seed), width=12, ends=6 * growing.RIPE)
        move = state.frame.duel.pieces[seat].moves[number]
        right += move in _best_by_trying(state, seat)[1]
        total += 1
    assert total >= 10
    assert right / total > 0.7


def test_groups_are_tallied_as_they_are_listed() -> None:
    for state in walk(3):
        boards = state.boards if state.placed else (0, 0)
        listed = [(len(group.squares), *group.edges) for group in groups(*boards)]
        assert tallies(*boards) == listed


def test_picks_are_drawn_from_what_is_left_and_vary() -> None:
    state = won_on_time(won_on_time(begin(), 0), 1)
    for seat in (0, 1):
        decision = decision_of(state, seat)
        drawn = Counter(
            move.letter
            for seed in range(40)
            if isinstance(move := answer(state, decision, "club", Random(seed)), Pick)
        )
        assert drawn.total() == 40
        assert len(drawn) > 1
        assert set(drawn) <= set(state.frame.unused(seat))


def test_whoever_chooses_begins_where_beginning_is_better() -> None:
    table = thinking.BEGINNING
    for first, own in enumerate(LETTERS):
        for second, others in enumerate(LETTERS):
            state = picks(begin(advantage=0), own, others)
            (decision,) = RULES.decisions(state)
            begins = table[first][second] >= -table[second][first]
            assert answer(state, decision, "novice", Random(1)) == Start(
                "first" if begins else "second"
            )


def test_the_estimate_knows_what_decides_a_match() -> None:
    """A bout that ends the match, the last bout by points, and the tie-breaks."""
    first = begin()
    assert 0 < ended(first.frame, 1) < ended(first.frame, 30) < 1
    assert ended(first.frame, 0) == 0
    second = won_on_time(first, 0)
    assert ended(second.frame, 1) == 1.0
    assert -1 < ended(second.frame, -1) < 0
    last = start(picks(won_on_time(won_on_time(second, 1, points=140), 0), "T", "T"), 0)
    assert last.frame.number == 4
    assert ended(last.frame, 1) == 1.0, "a second bout in a row"
    assert ended(last.frame, 0) == -1.0, "140 points behind"
    assert ended(last.frame, -1) == -1.0
    level = won_on_time(won_on_time(second, 1), 0)
    assert ended(level.frame, 0) == 1.0, "the latest bout that was won"
    assert ended(level.frame, -1) == -1.0
