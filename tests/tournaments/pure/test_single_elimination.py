import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine.errors import EngineFault
from tests.tournaments.pure.helpers import field, void, walkover, won
from tournaments.formats.brackets import Bracket, BracketState
from tournaments.formats.field import Result, ResultBasis
from tournaments.formats.single_elimination.rules import (
    FinalPlace,
    affected,
    bracket_of,
    downstream,
    places,
    progress,
    seeding,
)


def first_round(bracket: Bracket) -> list[tuple[int, int | None]]:
    return [
        (match.home.of, match.away.of if match.away else None)
        for match in bracket.matches
        if match.round == 1
    ]


def test_seeds_of_sixteen() -> None:
    # 1 and 2 in different halves, 1-4 in different quarters, 1-8 in different eighths.
    pairs = [seeding(16)[i : i + 2] for i in range(0, 16, 2)]
    assert pairs == [(1, 16), (8, 9), (4, 13), (5, 12), (2, 15), (7, 10), (3, 14), (6, 11)]
    with pytest.raises(EngineFault):
        seeding(12)


@given(st.integers(1, 7))
def test_the_best_meet_as_late_as_they_can(power: int) -> None:
    order = seeding(2**power)
    while len(order) > 1:
        # If the better seed always wins, the best half is left after each round.
        pairs = [sorted(order[i : i + 2]) for i in range(0, len(order), 2)]
        assert all(sum(pair) == len(order) + 1 for pair in pairs)
        order = tuple(pair[0] for pair in pairs)


def test_byes_go_to_the_best_seeds() -> None:
    # 11 players in a bracket of 16: 5 byes, for seeds 1 to 5.
    assert first_round(bracket_of(field(11))) == [
        (1, None), (8, 9), (4, None), (5, None), (2, None), (7, 10), (3, None), (6, 11),
    ]  # fmt: skip


def test_a_bracket_needs_two_and_an_odd_series() -> None:
    with pytest.raises(Refusal) as refused:
        bracket_of(field(1))
    assert refused.value.code == "pairing.too-few"
    with pytest.raises(EngineFault):
        bracket_of(field(4), best_of=2)


def test_four_players_with_a_match_for_third_place() -> None:
    # Match 1: 1 v 4, match 2: 2 v 3, match 3: the final, match 4: third place.
    bracket = bracket_of(field(4), third_place=True)
    assert [(m.id, m.round, m.slot, m.third_place) for m in bracket.matches] == [
        (1, 1, 0, False), (2, 1, 1, False), (3, 2, 0, False), (4, 2, 1, True),
    ]  # fmt: skip
    start = progress(bracket, [])
    assert [s.state for s in start.matches] == [
        BracketState.READY, BracketState.READY, BracketState.WAITING, BracketState.WAITING,
    ]  # fmt: skip
    semis = [won(1, 4, 1, match=1), won(1, 2, 3, match=2)]
    middle = progress(bracket, semis)
    assert [(s.home, s.away) for s in middle.matches[2:]] == [(4, 2), (1, 3)]
    assert [s.match.id for s in middle.ready()] == [3, 4]
    assert places(middle) == ()
    end = progress(bracket, [*semis, won(2, 2, 4, match=3), won(2, 3, 1, match=4)])
    assert (end.champion, end.second, end.third, end.complete) == (2, 4, 3, True)
    assert places(end) == (
        FinalPlace(2, 1, shared=False),
        FinalPlace(4, 2, shared=False),
        FinalPlace(3, 3, shared=False),
        FinalPlace(1, 4, shared=False),
    )


def test_places_without_a_third_place_match_are_shared_by_round() -> None:
    bracket = bracket_of(field(8))
    # Quarter-finals 1-4: 1v8 4v5 2v7 3v6; semi-finals 5, 6; final 7. The better seed always wins.
    results = [
        won(1, 1, 8, match=1), won(1, 4, 5, match=2), won(1, 2, 7, match=3), won(1, 3, 6, match=4),
        won(2, 1, 4, match=5), won(2, 2, 3, match=6), won(3, 1, 2, match=7),
    ]  # fmt: skip
    assert [(p.player, p.rank, p.shared) for p in places(progress(bracket, results))] == [
        (1, 1, False), (2, 2, False), (4, 3, True), (3, 3, True),
        (8, 5, True), (5, 5, True), (7, 5, True), (6, 5, True),
    ]  # fmt: skip
    # Before the final only those who are out have their places.
    assert [(p.player, p.rank) for p in places(progress(bracket, results[:5]))] == [
        (4, 3), (8, 5), (5, 5), (7, 5), (6, 5),
    ]  # fmt: skip


def test_three_players_one_bye() -> None:
    bracket = bracket_of(field(3), third_place=True)
    assert len(bracket.matches) == 3, "no third-place match below four"
    start = progress(bracket, [])
    assert (start.match(1).winner, start.match(1).how) == (1, ResultBasis.BYE)
    assert (start.match(3).home, start.match(3).away) == (1, None)
    assert start.match(3).state is BracketState.WAITING


def test_a_series_is_won_by_most_of_its_games() -> None:
    bracket = bracket_of(field(2), best_of=5)
    games = [won(1, 1, 2, match=1), void(1, 1, 2), won(1, 2, 1, match=1), won(1, 1, 2, match=1)]
    games[1] = Result(1, 1, 2, how=ResultBasis.VOID, match=1)
    running = progress(bracket, games)
    assert (running.match(1).home_wins, running.match(1).away_wins) == (2, 1)
    assert not running.complete
    over = progress(bracket, [*games, won(1, 1, 2, match=1), won(1, 2, 1, match=1)])
    assert over.champion == 1
    assert over.match(1).away_wins == 1, "a game after the decision is not counted"
    assert progress(bracket, [*games, walkover(1, 2, 1, match=1)]).champion == 2


def test_who_withdraws_loses_by_walkover_from_then_on() -> None:
    bracket = bracket_of(field(4))
    done = [won(1, 1, 4, match=1)]
    gone = progress(bracket, done, withdrawn=[1])
    assert gone.match(1).winner == 1, "what was played stands"
    assert gone.match(3).state is BracketState.WAITING
    later = progress(bracket, [*done, won(1, 2, 3, match=2)], withdrawn=[1])
    assert (later.champion, later.match(3).how) == (2, ResultBasis.WALKOVER)


def test_of_two_who_leave_the_first_to_go_loses() -> None:
    bracket = bracket_of(field(4), third_place=True)
    semi = [won(1, 2, 3, match=2)]
    # 4 leaves and 1 goes on by walkover; then 1 leaves too, and loses the final.
    left = progress(bracket, semi, withdrawn=[4, 1])
    assert (left.match(1).winner, left.match(1).how) == (1, ResultBasis.WALKOVER)
    assert (left.champion, left.match(3).how) == (2, ResultBasis.WALKOVER)
    assert (left.third, left.match(4).how) == (3, ResultBasis.WALKOVER)
    assert left.complete
    assert [(p.player, p.rank) for p in places(left)] == [(2, 1), (1, 2), (3, 3), (4, 4)]
    # The other way round it is 4 who goes on first.
    assert progress(bracket, semi, withdrawn=[1, 4]).match(3).home == 4


def test_a_later_withdrawal_changes_nothing_that_is_settled() -> None:
    bracket = bracket_of(field(4))
    results = [won(1, 2, 3, match=2), won(2, 1, 2, match=3)]
    assert progress(bracket, results, withdrawn=[4]).champion == 1
    both = progress(bracket, results, withdrawn=[4, 1])
    assert (both.champion, both.stale) == (1, ())


def test_a_correction_goes_through_and_back() -> None:
    bracket = bracket_of(field(4))
    results = [won(1, 1, 4, match=1), won(1, 2, 3, match=2), won(2, 1, 2, match=3)]
    corrected = progress(bracket, [won(1, 4, 1, match=1), *results[1:]])
    assert (corrected.match(3).home, corrected.match(3).state) == (4, BracketState.READY)
    assert corrected.stale == (results[2],), "the final between others counts for nothing"
    assert corrected.champion is None
    assert progress(bracket, results).champion == 1, "and again once the correction is undone"


def test_what_a_correction_would_touch() -> None:
    bracket = bracket_of(field(8), third_place=True)
    # 1-4 quarter-finals, 5 (1, 2) and 6 (3, 4) semi-finals, 7 final, 8 third place.
    assert downstream(bracket, 1) == (5, 7, 8)
    assert downstream(bracket, 6) == (7, 8)
    assert downstream(bracket, 7) == ()
    results = [won(1, 1, 8, match=1), won(1, 4, 5, match=2), won(2, 1, 4, match=5)]
    assert affected(bracket, results, 1) == (5,)
    assert affected(bracket, results, 5) == ()
    assert affected(bracket, results, 3) == ()
    with pytest.raises(EngineFault):
        affected(bracket, results, 9)
    with pytest.raises(EngineFault):
        progress(bracket, [won(1, 1, 2, match=9)])


@given(
    st.integers(2, 40), st.booleans(), st.sampled_from([1, 3]), st.integers(0, 10**6),
    st.floats(0, 0.3),
)  # fmt: skip
def test_whole_brackets_end_with_everybody_placed(
    size: int, third_place: bool, best_of: int, seed: int, leaving: float
) -> None:
    source = random.Random(seed)
    bracket = bracket_of(field(size), third_place=third_place, best_of=best_of)
    results: list[Result] = []
    withdrawn: list[int] = []
    lost: set[int] = set()
    now = progress(bracket, results)
    while now.ready():
        for standing in now.ready():
            assert standing.home is not None
            assert standing.away is not None
            sides = (standing.home, standing.away)
            assert not lost & {*sides} or standing.match.third_place, "who has lost stays out"
            assert not {*withdrawn} & {*sides}
            winner = source.choice(sides)
            loser = sides[0] if winner == sides[1] else sides[1]
            results.append(won(standing.match.round, winner, loser, match=standing.match.id))
        lost = {s.loser for s in progress(bracket, results).matches if s.loser}
        if source.random() < leaving:
            leaver = source.randint(1, size)
            if leaver not in withdrawn:
                withdrawn.append(leaver)
        now = progress(bracket, results, withdrawn)
    assert now.complete
    assert now.stale == ()
    placed = places(now)
    assert sorted(p.player for p in placed) == list(range(1, size + 1))
    assert [p.rank for p in placed[:2]] == [1, 2]
    if not withdrawn:
        games = sum(s.how is ResultBasis.PLAYED for s in now.matches)
        assert games == size - 1 + (third_place and size >= 4), "one is out a match"
