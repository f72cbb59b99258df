import random
from typing import Any, TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.refusals import Refusal
from games.engine.errors import EngineFault
from tests.tournaments.pure.helpers import by_lot, bye, field, played, void, walkover, won
from tournaments.formats.field import Result, ResultBasis
from tournaments.formats.swiss.rules import pair_round
from tournaments.standings.metrics import METRICS, order_of
from tournaments.standings.table import StandingsTable, standings

ANN, BEN, CAT, DAN, EVE = 1, 2, 3, 4, 5
# How many play, what has been played, the order of metrics, and the lot.
Tournament: TypeAlias = tuple[int, list[Result], list[str], random.Random]

NAMES = {ANN: "Ann", BEN: "Ben", CAT: "Cat", DAN: "Dan", EVE: "Eve"}


def ranks(table: StandingsTable) -> list[tuple[int, int]]:
    return [(row.rank, row.player) for row in table.rows]


def column(table: StandingsTable, key: str) -> dict[int, Any]:
    index = [metric.key for metric in table.metrics].index(key)
    return {row.player: row.values[index] for row in table.rows}


# -- golden tables, worked by hand -----------------------------------------------------------------

# Five players, three Swiss rounds.
#
#        round 1        round 2        round 3        points
#   Ann  beat Ben       beat Cat       beat Eve       3
#   Ben  lost to Ann    beat Eve       beat Dan       2
#   Cat  beat Dan       lost to Ann    bye            2
#   Dan  lost to Cat    bye            lost to Ben    1
#   Eve  bye            lost to Ben    lost to Ann    1
SWISS = [
    won(1, ANN, BEN), won(1, CAT, DAN), bye(1, EVE),
    won(2, ANN, CAT), won(2, BEN, EVE), bye(2, DAN),
    won(3, ANN, EVE), won(3, BEN, DAN), bye(3, CAT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("points", {ANN: 3, BEN: 2, CAT: 2, DAN: 1, EVE: 1}),
        # Ann: Ben 2 + Cat 2 + Eve 1. Ben: Ann 3 + Eve 1 + Dan 1. Cat: Dan 1 + Ann 3 + own 2 for the
        # bye. Dan: Cat 2 + own 1 + Ben 2. Eve: own 1 + Ben 2 + Ann 3.
        ("buchholz", {ANN: 5, BEN: 5, CAT: 6, DAN: 5, EVE: 6}),
        # Each without the smallest number of the line above, which is 1 for everybody.
        ("buchholz-cut", {ANN: 4, BEN: 4, CAT: 5, DAN: 4, EVE: 5}),
        # The middle one: Ann 1 2 2, Ben 1 1 3, Cat 1 2 3, Dan 1 2 2, Eve 1 2 3.
        ("median-buchholz", {ANN: 2, BEN: 1, CAT: 2, DAN: 2, EVE: 2}),
        # Ann beat 2 + 2 + 1. Ben beat 1 + 1. Cat beat Dan 1, and own 2. Dan own 1. Eve own 1.
        ("sonneborn-berger", {ANN: 5, BEN: 2, CAT: 3, DAN: 1, EVE: 1}),
        ("wins", {ANN: 3, BEN: 2, CAT: 1, DAN: 0, EVE: 0}),
        ("byes", {ANN: 0, BEN: 0, CAT: 1, DAN: 1, EVE: 1}),
    ],
)
def test_each_metric_of_the_swiss_table(key: str, expected: dict[int, int]) -> None:
    assert column(standings(NAMES, SWISS, [key]), key) == expected


def test_the_swiss_table() -> None:
    table = standings(NAMES, SWISS, ["points", "direct", "buchholz", "wins"], NAMES)
    assert ranks(table) == [(1, ANN), (2, CAT), (3, BEN), (4, EVE), (5, DAN)]
    # Cat and Ben have not met, nor have Dan and Eve.
    assert set(column(table, "direct").values()) == {None}
    assert [row.why for row in table.rows] == [
        "Ahead of Cat on points, 3 to 2.",
        "Behind Ann on points, 2 to 3. Ahead of Ben on Buchholz, 6 to 5.",
        "Behind Cat on Buchholz, 5 to 6. Ahead of Eve on points, 2 to 1.",
        "Behind Ben on points, 1 to 2. Ahead of Dan on Buchholz, 6 to 5.",
        "Behind Eve on Buchholz, 5 to 6.",
    ]


def test_the_order_of_metrics_is_data() -> None:
    assert ranks(standings(NAMES, SWISS, ["wins", "buchholz"])) == [
        (1, ANN), (2, BEN), (3, CAT), (4, EVE), (5, DAN),
    ]  # fmt: skip
    # Fewest byes first: Ann and Ben have none, and nothing else counts.
    assert ranks(standings(NAMES, SWISS, ["byes"])) == [
        (1, ANN), (1, BEN), (3, CAT), (3, DAN), (3, EVE),
    ]  # fmt: skip


def test_unbroken_ties_share_a_rank_and_say_so() -> None:
    table = standings(NAMES, SWISS, ["points"], NAMES)
    assert ranks(table) == [(1, ANN), (2, BEN), (2, CAT), (4, DAN), (4, EVE)]
    ben = table.row(BEN)
    assert (ben.shared, ben.shared_with) == (True, (CAT,))
    assert ben.why == (
        "Level with Cat on everything that counts. "
        "Behind Ann on points, 2 to 3. Ahead of Dan on points, 2 to 1."
    )
    assert not table.row(ANN).shared
    everybody = standings(NAMES, [], ["points"], NAMES)
    assert everybody.row(ANN).why == "Level with 4 others on everything that counts."
    three = standings([ANN, BEN, CAT], [], ["points"], NAMES)
    assert three.row(BEN).why == "Level with Ann and Cat on everything that counts."


# A round robin of four with a circle at the top.
#
#   Ann beat Ben 3:1, Ben beat Cat 2:1, Cat beat Ann 5:4; all beat Dan, 1:0, 2:0 and 3:0.
#
#   points: Ann, Ben, Cat 2, Dan 0. Direct encounter: one each. Sonneborn-Berger: each beat one with
#   2 and one with 0, so 2 each. Difference: Ann +2 -1 +1 = 2, Ben -2 +1 +2 = 1, Cat -1 +1 +3 = 3.
CIRCLE = [
    won(1, ANN, BEN, "3:1"), won(2, BEN, CAT, "2:1"), won(3, CAT, ANN, "5:4"),
    won(3, ANN, DAN, "1:0"), won(2, BEN, DAN, "2:0"), won(1, CAT, DAN, "3:0"),
]  # fmt: skip


def test_the_circle_is_broken_by_game_points() -> None:
    order = ["points", "direct", "sonneborn-berger", "game-difference"]
    table = standings([ANN, BEN, CAT, DAN], CIRCLE, order, NAMES)
    assert ranks(table) == [(1, CAT), (2, ANN), (3, BEN), (4, DAN)]
    assert column(table, "direct") == {ANN: (1,), BEN: (1,), CAT: (1,), DAN: None}
    assert column(table, "sonneborn-berger") == {ANN: 2, BEN: 2, CAT: 2, DAN: 0}
    assert column(table, "game-difference") == {ANN: 2, BEN: 1, CAT: 3, DAN: -6}
    assert column(standings(NAMES, CIRCLE, ["game-points"]), "game-points") == {
        ANN: 8, BEN: 5, CAT: 9, DAN: 0, EVE: 0,
    }  # fmt: skip
    assert table.row(CAT).why == "Ahead of Ann on game point difference, 3 to 2."


# Four level on two points who have all met, with Eve's two losses making them level.
#
#   among the four: Ann beat Ben and Cat, Ben beat Cat and Dan, Cat beat Dan, Dan beat Ann:
#   Ann 2, Ben 2, Cat 1, Dan 1. Then Ann beat Ben: 1 and 0; Cat beat Dan: 1 and 0.
FOUR = [
    won(1, ANN, BEN), won(2, ANN, CAT), won(3, DAN, ANN), won(1, CAT, DAN),
    won(2, BEN, DAN), won(3, BEN, CAT), won(4, CAT, EVE), won(5, DAN, EVE),
]  # fmt: skip


def test_direct_encounter_goes_on_among_those_still_level() -> None:
    table = standings(NAMES, FOUR, ["points", "direct"], NAMES)
    assert column(table, "direct") == {
        ANN: (2, 1), BEN: (2, 0), CAT: (1, 1), DAN: (1, 0), EVE: None,
    }  # fmt: skip
    assert ranks(table) == [(1, ANN), (2, BEN), (3, CAT), (4, DAN), (5, EVE)]
    assert table.row(ANN).why == "Ahead of Ben on direct encounter, 1 to 0."
    assert table.row(CAT).why.startswith("Behind Ben on direct encounter, 1 to 2.")


def test_direct_encounter_needs_all_of_the_tied_to_have_met() -> None:
    # Ann beat Ben; Cat met neither. All three have one point.
    results = [won(1, ANN, BEN), won(2, BEN, DAN), won(1, CAT, DAN)]
    table = standings([ANN, BEN, CAT, DAN], results, ["points", "direct"])
    assert ranks(table) == [(1, ANN), (1, BEN), (1, CAT), (4, DAN)]
    assert column(table, "direct") == {ANN: None, BEN: None, CAT: None, DAN: None}


def test_walkovers_count_their_point_and_nobody_else_s() -> None:
    # Ann beat Ben, and has a walkover against Cat, who beat Dan and Eve.
    results = [won(1, ANN, BEN), walkover(2, ANN, CAT), won(1, CAT, DAN), won(3, CAT, EVE)]
    table = standings(NAMES, results, ["points", "buchholz", "sonneborn-berger", "wins"])
    assert table.row(ANN).values == (2, 0 + 2, 0 + 2, 1)
    # For Cat too the walkover counts as against an equal: own 2, and Dan 0, Eve 0.
    assert table.row(CAT).values == (2, 2, 0, 2)


def test_what_is_open_void_or_a_rest_counts_for_nothing() -> None:
    nothing = [Result(1, ANN, BEN), void(1, CAT, DAN), Result(1, EVE, None, how=ResultBasis.BYE)]
    assert standings(NAMES, nothing, list(METRICS)).rows == standings(NAMES, [], list(METRICS)).rows


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ([], "standings.empty"),
        (["points", "luck"], "standings.unknown"),
        (["points", "points"], "standings.twice"),
    ],
)
def test_orders_that_cannot_be_used(keys: list[str], code: str) -> None:
    with pytest.raises(Refusal) as refused:
        order_of(keys)
    assert refused.value.code == code


def test_strangers_are_a_bug() -> None:
    with pytest.raises(EngineFault):
        standings([ANN], [won(1, ANN, BEN)], ["points"])
    with pytest.raises(EngineFault):
        standings([ANN, ANN], [], ["points"])
    with pytest.raises(EngineFault):
        standings([ANN], [], ["points"]).row(BEN)
    assert standings([], [], ["points"]).rows == ()


# -- whatever the tournament -----------------------------------------------------------------------


@st.composite
def tournaments(draw: st.DrawFn) -> Tournament:
    size = draw(st.integers(2, 10))
    source = random.Random(draw(st.integers(0, 10**6)))
    results: list[Result] = []
    for number in range(1, draw(st.integers(0, 5)) + 1):
        paired = pair_round(field(size), results, number=number, lenient=True)
        for result in played(paired.pairings, by_lot(source)):
            kind = source.random()
            if result.away is None or kind < 0.8:
                results.append(result)
            elif kind < 0.9:
                results.append(msgspec.structs.replace(result, how=ResultBasis.WALKOVER))
            else:
                results.append(void(number, *result.sides))
    order = draw(st.lists(st.sampled_from(sorted(METRICS)), min_size=1, max_size=5, unique=True))
    return size, results, order, source


@settings(deadline=None)
@given(tournaments())
def test_ranks_are_a_total_preorder_that_follows_the_metrics(tournament: Tournament) -> None:
    size, results, order, _ = tournament
    table = standings(range(1, size + 1), results, order)
    assert sorted(row.player for row in table.rows) == list(range(1, size + 1))
    for index, row in enumerate(table.rows):
        assert row.rank == 1 + sum(other.rank < row.rank for other in table.rows)
        assert {*row.shared_with} == {
            other.player for other in table.rows if other.rank == row.rank
        } - {row.player}
        assert row.why.endswith(".")
        for below in table.rows[index + 1 :]:
            assert row.rank <= below.rank
            differing: list[Any] = [
                (metric, mine, theirs)
                for metric, mine, theirs in zip(
                    table.metrics, row.values, below.values, strict=True
                )
                if mine != theirs
            ]
            assert bool(differing) == (row.rank < below.rank)
            for metric, *both in differing[:1]:
                assert sorted(both, reverse=metric.direction == "most") == both


@settings(deadline=None)
@given(tournaments())
def test_the_order_of_the_input_and_the_names_of_players_make_no_difference(
    tournament: Tournament,
) -> None:
    size, results, order, source = tournament
    table = standings(range(1, size + 1), results, order)
    players, jumbled = list(range(1, size + 1)), list(results)
    source.shuffle(players)
    source.shuffle(jumbled)
    assert standings(players, jumbled, order) == table
    # Other ids for the same players: the same rank and values for each.
    new = dict(zip(range(1, size + 1), players, strict=True))
    renamed = [
        Result(
            r.round, new[r.home], r.away and new[r.away], r.winner and new[r.winner],
            r.home_score, r.away_score, r.how,
        )
        for r in results
    ]  # fmt: skip
    other = standings(players, renamed, order)
    for row in table.rows:
        assert other.row(new[row.player]).rank == row.rank
        assert other.row(new[row.player]).values == row.values


@given(tournaments())
@settings(deadline=None)
def test_every_decided_match_is_one_point(tournament: Tournament) -> None:
    size, results, _, _ = tournament
    table = standings(range(1, size + 1), results, ["points"])
    decided = sum(result.winner is not None for result in results)
    points: list[Any] = [row.values[0] for row in table.rows]
    assert all(isinstance(value, int) for value in points)
    assert sum(points) == decided
