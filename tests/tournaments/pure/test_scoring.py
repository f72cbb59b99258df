"""Tables of scores: numbers, totals, the order with its ties, and what is won."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal

import pytest

from core.refusals import Refusal
from tournaments.scoring import (
    COLUMNS_MAX,
    Column,
    Order,
    Scored,
    by_amount,
    columns_validate,
    first_of,
    number_of,
    number_text,
    order_of,
    total_of,
    winnings_of,
)

ANN, BEN, CAT, DAN = 1, 2, 3, 4
POINTS = Column(name="Points")
SHOWN = Column(name="Shown", counts=False)


def breaks(turn: int = 1, *, low: bool = False, counts: bool = False) -> Column:
    return Column(name=f"Break {turn}", counts=counts, decides=turn, low=low)


def table(*rows: Sequence[int | None], among: Sequence[int | None] = ()) -> list[Scored]:
    """Ann, Ben and so on with what they have in each column."""
    turns = [*among, *[None] * len(rows)]
    return [
        Scored(player, tuple(None if each is None else Decimal(each) for each in row), turn)
        for (player, row), turn in zip(enumerate(rows, start=1), turns, strict=False)
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("12", "12"), (" 12.50 ", "12.5"), ("1,5", "1.5"), ("-3", "-3"), ("0", "0"), ("-0", "0"),
        ("\N{MINUS SIGN}3", "-3"), ("007", "7"), ("1e3", "1000"), ("", ""), ("-", ""),
        ("0,125", "0.125"), ("1234,567", "1234.567"), ("1,2345", "1.2345"), ("1.234", "1.234"),
        ("\N{EM DASH}", ""), ("0.0001", "0.0001"), ("100", "100"), ("1000000000", "1000000000"),
    ],
)  # fmt: skip
def test_a_number_is_kept_as_it_is_meant(text: str, kept: str) -> None:
    assert number_text(number_of(text)) == kept
    assert number_text(number_of(kept)) == kept


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "x",
        "1.2.3",
        "1,000.5",
        "nan",
        "Infinity",
        "1e99999",
        "0.00001",
        "1000000001",
        "12 3",
    ],
)
def test_what_is_no_score_is_said(text: str) -> None:
    with pytest.raises(Refusal, match=r"scores\.number"):
        number_of(text)


@pytest.mark.parametrize("text", ["x", "NaN", "-nan", "sNaN", "Infinity", "-inf", "1.2.3"])
def test_what_is_no_number_is_said_to_be_none(text: str) -> None:
    with pytest.raises(Refusal, match=r"scores\.number") as refused:
        number_of(text)
    assert refused.value.sentence == f"“{text}” is not a number."


@pytest.mark.parametrize("text", ["1,234", "12,345", "-123,000", "\N{MINUS SIGN}1,500", " 9,999 "])
def test_what_may_be_two_numbers_is_asked_after(text: str) -> None:
    whole, places = text.strip().split(",")
    with pytest.raises(Refusal, match=r"scores\.number") as refused:
        number_of(text)
    assert f"write {whole}{places}, or {whole}.{places} with a point" in refused.value.sentence
    assert number_of(f"{whole}{places}") == 1000 * (number_of(f"{whole}.{places}") or 0)


@pytest.mark.parametrize(
    "columns",
    [
        [],
        [Column(name=f"R{each}") for each in range(COLUMNS_MAX + 1)],
        [Column(name="Points"), Column(name="points")],
        [Column(name="  ")],
        [Column(name="x" * 31)],
        [SHOWN],
        [breaks(1), Column(name="More", decides=1)],
        [Column(name="A", wins=True), Column(name="B", wins=True)],
    ],
)
def test_columns_that_make_no_table_are_refused(columns: list[Column]) -> None:
    with pytest.raises(Refusal, match=r"scores\.columns"):
        columns_validate(columns)


def test_columns_are_tidied_and_turns_numbered_from_one() -> None:
    kept = columns_validate([Column(name=" A b ", decides=5), Column(name="C", decides=2), POINTS])
    assert [(each.name, each.decides) for each in kept] == [("A b", 2), ("C", 1), ("Points", 0)]


def test_a_total_is_the_sum_of_what_counts_and_nothing_without_any() -> None:
    columns = [POINTS, SHOWN, Column(name="Bonus")]
    one = (Decimal("1.5"), Decimal(100), None)
    assert total_of(columns, one) == Decimal("1.5")
    assert total_of(columns, (None, Decimal(100), None)) is None
    assert total_of([breaks()], (Decimal(3),)) is None


@pytest.mark.parametrize(
    ("columns", "rows", "options", "order"),
    [
        # The highest total is the best, or the lowest.
        ([POINTS], table([3], [5], [4]), {}, Order([[BEN], [CAT], [ANN]], [], [], [])),
        ([POINTS], table([3], [5], [4]), {"low": True}, Order([[ANN], [CAT], [BEN]], [], [], [])),
        # Who has no score has no place; what is only shown gives none.
        ([POINTS, SHOWN], table([3, 1], [None, 9], [4, 1]), {},
         Order([[CAT], [ANN]], [], [], [BEN])),
        # Equal scores are a tie that nobody has settled.
        ([POINTS], table([3], [5], [3]), {},
         Order([[BEN], [ANN, CAT]], [[ANN, CAT]], [[ANN, CAT]], [])),
        # Unless they are to share, a column breaks it, or somebody has said so.
        ([POINTS], table([3], [5], [3]), {"share": True},
         Order([[BEN], [ANN, CAT]], [], [[ANN, CAT]], [])),
        ([POINTS, breaks()], table([3, 1], [5, 0], [3, 2]), {},
         Order([[BEN], [CAT], [ANN]], [], [], [])),
        ([POINTS, breaks(low=True)], table([3, 1], [5, 0], [3, 2]), {},
         Order([[BEN], [ANN], [CAT]], [], [], [])),
        ([POINTS], table([3], [5], [3], among=[2, None, 1]), {},
         Order([[BEN], [CAT], [ANN]], [], [[ANN, CAT]], [])),
        ([POINTS], table([3], [5], [3], among=[1, None, 1]), {},
         Order([[BEN], [ANN, CAT]], [], [[ANN, CAT]], [])),
        # Said of one alone it is not settled.
        ([POINTS], table([3], [5], [3], among=[1, None, None]), {},
         Order([[BEN], [ANN, CAT]], [[ANN, CAT]], [[ANN, CAT]], [])),
        # A cell that lacks breaks no tie of those who are equal, though it does of others.
        ([POINTS, breaks()], table([3, None], [3, 9], [5, 1], [5, 2]), {},
         Order([[DAN], [CAT], [ANN, BEN]], [[ANN, BEN]], [[ANN, BEN]], [])),
        # In turn, and without a total the first of them decides.
        ([POINTS, breaks(2), breaks(1)], table([3, 9, 1], [3, 1, 2], [3, 2, 2]), {},
         Order([[CAT], [BEN], [ANN]], [], [], [])),
        ([SHOWN, breaks(1)], table([9, 1], [1, 2], [5, None]), {},
         Order([[BEN], [ANN]], [], [], [CAT])),
    ],
)  # fmt: skip
def test_the_order_follows_from_the_scores(
    columns: list[Column], rows: list[Scored], options: dict[str, bool], order: Order
) -> None:
    assert order_of(columns, rows, **options) == order
    assert order.is_settled == (not order.ties and not order.lacking)


def test_whoever_comes_first_may_be_several_or_nobody() -> None:
    assert first_of(order_of([POINTS], table([3], [3], [1]), share=True)) == {ANN, BEN}
    assert first_of(order_of([POINTS], table([None], [None]))) == frozenset()


def test_nobody_is_lost_and_better_totals_never_come_behind() -> None:
    rng = random.Random(7)
    columns = [POINTS, Column(name="Bonus"), breaks()]
    for _ in range(200):
        rows = table(
            *[[rng.choice([None, 0, 1, 2]) for _ in columns] for _ in range(rng.randint(1, 7))]
        )
        low = rng.random() < 0.5
        order = order_of(columns, rows, low=low)
        placed = [player for group in order.groups for player in group]
        assert sorted([*placed, *order.lacking]) == [each.player for each in rows]
        totals = [total_of(columns, rows[player - 1].cells) or Decimal(0) for player in placed]
        assert totals == sorted(totals, reverse=not low)


def names(player: int) -> str:
    return f"Player {player}"


WON = Column(name="Garnets", counts=False, wins=True)


def test_what_is_won_is_whole_and_nothing_is_left_out() -> None:
    rows = table([9, 2], [5, 0], [3, None], [1, 2])
    won = winnings_of([POINTS, WON], rows, most=10, names=names)
    assert won == {ANN: 2, DAN: 2}
    assert by_amount({**won, CAT: 7}) == [(7, [CAT]), (2, [ANN, DAN])]
    assert winnings_of([POINTS], table([9]), most=10, names=names) == {}


@pytest.mark.parametrize("much", ["-1", "1.5", "11"])
def test_what_cannot_be_won_is_said_of_whom(much: str) -> None:
    rows = [Scored(BEN, (Decimal(1), Decimal(much)))]
    with pytest.raises(Refusal, match="Player 2"):
        winnings_of([POINTS, WON], rows, most=10, names=names)
