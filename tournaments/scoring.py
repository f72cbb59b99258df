"""Main matches as tables of scores: totals, who finished in which order, and what each has won.

Pure but for the rows of a table. Numbers are decimals with at most four places; an empty cell is
None. Nothing is guessed: who has no score that decides, and who is equal with somebody, is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import groupby
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from core.refusals import Refusal
from core.text import one_line
from tournaments.models.scores import ScoreRow, ScoreTable

COLUMNS_MAX: Final = 8
COLUMN_NAME_MAX: Final = 30
PLACES_MAX: Final = 4
VALUE_MAX: Final = Decimal(1_000_000_000)
#: Thousands as English spreadsheets have them, or a decimal with three places.
_EITHER: Final = re.compile("[-+\N{MINUS SIGN}]?[1-9][0-9]{0,2},[0-9]{3}")
#: A number as it is kept, or nothing.
NUMBER_PATTERN: Final = r"^(-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,4})?)?$"
Cells = tuple[Decimal | None, ...]


class Column(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of a table.

    ``counts``: it is part of the total. ``decides``: it breaks ties, 1 before 2 and so on; 0: it
    does not. ``low``: there the lowest is the best. ``wins``: it is what somebody wins of the
    season's currency.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=COLUMN_NAME_MAX)]
    counts: bool = True
    decides: Annotated[int, msgspec.Meta(ge=0, le=COLUMNS_MAX)] = 0
    low: bool = False
    wins: bool = False


class Scored(NamedTuple):
    """A player with what they have in each column; ``among``: where they come among those who are
    equal with them, as far as that is settled (who has the same number shares the place)."""

    player: int
    cells: Cells
    among: int | None = None


class Order(NamedTuple):
    """Who finished in which order: ``groups``, the best first, who share a place together;
    ``ties``: of these groups, those of which nobody has said so; ``equal``: all groups whose scores
    are equal, settled or not; ``lacking``: who has no score that would place them."""

    groups: list[list[int]]
    ties: list[list[int]]
    equal: list[list[int]]
    lacking: list[int]

    @property
    def is_settled(self) -> bool:
        """Whether everybody has a place, and nobody's is a guess."""
        return not self.ties and not self.lacking


# -- numbers and columns -----------------------------------------------------------------------


def number_of(text: str) -> Decimal | None:
    """A number as people write it, with a point or a comma; None for an empty cell. "1,234" may be
    either of two numbers, and is refused. Raises Refusal ``scores.number``."""
    if _EITHER.fullmatch(text.strip()):
        whole, places = text.strip().split(",")
        raise Refusal(
            "scores.number",
            f"“{whole},{places}” may be two numbers: write {whole}{places}, or {whole}.{places} "
            "with a point.",
        )
    tidy = text.strip().replace("\N{MINUS SIGN}", "-").replace(",", ".")
    if tidy in ("", "-", "\N{EN DASH}", "\N{EM DASH}"):
        return None
    try:
        value = Decimal(tidy)
    except InvalidOperation:
        value = Decimal("NaN")
    # "NaN" and "Infinity" can be read, and are no scores.
    if not value.is_finite():
        raise Refusal("scores.number", f"“{text.strip()[:20]}” is not a number.")
    return number_checked(value)


def number_checked(value: Decimal) -> Decimal:
    """The same number, as it is kept. Raises Refusal ``scores.number``."""
    if not value.is_finite():
        raise Refusal("scores.number", "A score is a number.")
    if abs(value) > VALUE_MAX:
        raise Refusal("scores.number", "A score is a number of at most a thousand million.")
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and -exponent > PLACES_MAX:
        raise Refusal("scores.number", f"A score has at most {PLACES_MAX} decimal places.")
    return Decimal(number_text(value))


def number_text(value: Decimal | None) -> str:
    """A number as it is shown and kept: "12", "1.5"; nothing for None."""
    if value is None:
        return ""
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def columns_validate(given: Sequence[Column]) -> tuple[Column, ...]:
    """Columns as they are kept: names on one line, and those that break ties numbered from 1.
    Raises Refusal ``scores.columns``."""
    if not 1 <= len(given) <= COLUMNS_MAX:
        raise Refusal("scores.columns", f"A table has from 1 to {COLUMNS_MAX} columns.")
    names = [one_line(each.name) for each in given]
    for name in names:
        if not 1 <= len(name) <= COLUMN_NAME_MAX:
            raise Refusal(
                "scores.columns", f"A column's name has from 1 to {COLUMN_NAME_MAX} characters."
            )
    if len({name.casefold() for name in names}) < len(names):
        raise Refusal("scores.columns", "Two columns have the same name.")
    if sum(each.wins for each in given) > 1:
        raise Refusal("scores.columns", "What is won stands in one column.")
    turns = sorted(each.decides for each in given if each.decides)
    if len(set(turns)) < len(turns):
        raise Refusal("scores.columns", "Two columns break ties in the same turn.")
    if not turns and not any(each.counts for each in given):
        raise Refusal("scores.columns", "No column counts: by which of them is the order?")
    return tuple(
        msgspec.structs.replace(
            each, name=name, decides=turns.index(each.decides) + 1 if each.decides else 0
        )
        for each, name in zip(given, names, strict=True)
    )


def columns_read(kept: Any) -> tuple[Column, ...]:
    """The columns of a table, of what is kept of them. Raises msgspec.ValidationError."""
    return msgspec.convert(kept, tuple[Column, ...])


def cells_read(kept: Iterable[str]) -> Cells:
    """What somebody has in each column, of what is kept of it."""
    return tuple(Decimal(each) if each else None for each in kept)


# -- the order -----------------------------------------------------------------------------------


def total_of(columns: Sequence[Column], cells: Cells) -> Decimal | None:
    """The sum of what counts; None where nothing of it is there, or nothing counts."""
    there = [
        cell
        for column, cell in zip(columns, cells, strict=True)
        if column.counts and cell is not None
    ]
    return sum(there, Decimal(0)) if there else None


def order_of(
    columns: Sequence[Column],
    rows: Sequence[Scored],
    *,
    low: bool = False,
    share: bool = False,
) -> Order:
    """Who finished in which order: by the total (``low``: the lowest is the best), then by the
    columns that break ties, then as it is settled among those who are equal. ``share``: all who are
    equal share their place.

    A column in which one of those who are equal has nothing breaks no tie between them.
    """
    first, *further = _keys(columns, low=low)
    lacking = [each.player for each in rows if first(each) is None]
    groups: list[list[Scored]] = [[each for each in rows if each.player not in lacking]]
    for key in (first, *further):
        groups = [part for group in groups for part in _parted(group, key)]
    placed: list[list[int]] = []
    ties, equal = [], []
    for group in groups:
        players = [each.player for each in group]
        if len(group) > 1:
            equal.append(players)
        if len(group) == 1 or share:
            placed.append(players)
        elif any(each.among is None for each in group):
            placed.append(players)
            ties.append(players)
        else:
            by_turn = sorted(group, key=lambda each: each.among or 0)
            placed += [
                [each.player for each in part]
                for _, part in groupby(by_turn, key=lambda each: each.among)
            ]
    return Order([each for each in placed if each], ties, equal, lacking)


Key = Callable[[Scored], Decimal | None]


def _keys(columns: Sequence[Column], *, low: bool) -> list[Key]:
    """What the order goes by, one after another, each as the lowest being the best."""

    def total(row: Scored) -> Decimal | None:
        found = total_of(columns, row.cells)
        return found if found is None or low else -found

    def cell(index: int) -> Key:
        def found(row: Scored) -> Decimal | None:
            value = row.cells[index]
            return value if value is None or columns[index].low else -value

        return found

    breaking = sorted((each.decides, index) for index, each in enumerate(columns) if each.decides)
    keys = [total] if any(each.counts for each in columns) else []
    return [*keys, *(cell(index) for _, index in breaking)]


def _parted(group: Sequence[Scored], key: Key) -> Iterator[list[Scored]]:
    keyed = [(found, each) for each in group if (found := key(each)) is not None]
    if len(keyed) < len(group):
        yield list(group)
        return
    keyed.sort(key=lambda pair: pair[0])
    for _, part in groupby(keyed, key=lambda pair: pair[0]):
        yield [each for _, each in part]


def places_of(order: Order) -> dict[int, int]:
    """Which place everybody has by an order: who shares one is as good as the first of them."""
    found: dict[int, int] = {}
    for group in order.groups:
        found |= dict.fromkeys(group, len(found) + 1)
    return found


def table_order(
    table: ScoreTable, rows: Iterable[ScoreRow], playing: Collection[int] | None = None
) -> Order:
    """The order by a table, of those ``playing`` (None: of all who have a row); who has no row
    lacks a score."""
    there = [each for each in rows if playing is None or each.contestant_id in playing]
    scored = [Scored(each.contestant_id, cells_read(each.cells), each.among) for each in there]
    order = order_of(columns_read(table.columns), scored, low=table.low, share=table.share)
    known = {each.player for each in scored}
    lacking = [pk for pk in playing or () if pk not in known]
    return order._replace(lacking=[*order.lacking, *lacking])


def first_of(order: Order) -> frozenset[int]:
    """Who came first, or shares it."""
    return frozenset(order.groups[0]) if order.groups else frozenset()


# -- what is won -----------------------------------------------------------------------------------


def winnings_of(
    columns: Sequence[Column], rows: Iterable[Scored], *, most: int, names: Callable[[int], str]
) -> dict[int, int]:
    """What each wins by the column that says so, without those who win nothing. Raises Refusal
    ``scores.winnings`` for what is no whole number from 0 to ``most``; ``names`` is what sentences
    call them."""
    index = next((at for at, each in enumerate(columns) if each.wins), None)
    if index is None:
        return {}
    found = {}
    for row in rows:
        won = row.cells[index]
        if won is None or won == 0:
            continue
        if won < 0 or won > most or won != won.to_integral_value():
            raise Refusal(
                "scores.winnings",
                f"What is won is a whole number from 0 to {most}: {names(row.player)} has "
                f"{number_text(won)}.",
            )
        found[row.player] = int(won)
    return found


def by_amount(won: dict[int, int]) -> list[tuple[int, list[int]]]:
    """The same by amount, the most first: who wins it, as it can be entered in one."""
    amounts = sorted(set(won.values()), reverse=True)
    return [(each, [player for player, amount in won.items() if amount == each])
            for each in amounts]  # fmt: skip
