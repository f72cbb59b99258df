"""Matches of Peg Domain in short, on a pallet that is easy to see through.

Its pegs stand in the columns A, D, G and J of the rows 1 to 9. So ``A1 D`` is a cut-out of two
squares, ``A1 RRR`` one of four, and exactly the rows 11 to 16 can be removed.
"""

from __future__ import annotations

from typing import Any

from games.engine.course import MatchCourse
from games.engine.ruleset import HeldItem
from games.engine.table import Header
from games.rulesets.peg_domain import PegDomain
from games.rulesets.peg_domain.rules import PegOptions
from games.rulesets.peg_domain.state import PegDomainState
from tests.engine.helpers import entries, entry

RULES = PegDomain()
NAMES = [f"{column}{row}" for row in range(1, 10) for column in "ADGJ"]
PEGS = " ".join(NAMES)
OTHER_PEGS = " ".join(f"{column}{row}" for row in range(1, 10) for column in "BEHK")
CHANCE = (f"chance pallet red {PEGS}", f"chance pallet blue {PEGS}")


def header(
    variant: str = "gauntlet",
    items: tuple[tuple[int, str], ...] = (),
    advantage: int | None = 0,
    **options: Any,
) -> Header:
    return Header(
        ruleset="peg-domain",
        variant=variant,
        options=PegOptions(**options),
        advantage=advantage,
        items=tuple(HeldItem(seat, item) for seat, item in items),
    )


def course(head: Header, *texts: str) -> MatchCourse:
    return MatchCourse(RULES, head, entries(*texts))


def begun(
    variant: str = "gauntlet",
    *texts: str,
    items: tuple[tuple[int, str], ...] = (),
    extra: tuple[str, ...] = (),
    **options: Any,
) -> MatchCourse:
    """A match in which seat 0 plays red and goes first, after these entries."""
    chance = CHANCE if variant != "tempo-up" else (f"chance pallet both {PEGS}",)
    set_up = ("0 take order", *chance, *extra, "0 ready", "1 ready", "0 first", "1 blue")
    return course(header(variant, items, **options), *set_up, *texts)


def state(now: MatchCourse) -> PegDomainState:
    found = now.table.state
    assert isinstance(found, PegDomainState)
    return found


def add(now: MatchCourse, *texts: str) -> MatchCourse:
    for text in texts:
        now.add(entry(text))
    return now


def view(now: MatchCourse, audience: Any = "room") -> dict[str, Any]:
    return RULES.view(state(now), audience)


def marks(now: MatchCourse, seat: int) -> dict[str, str]:
    """The marks of a seat's pallet by square."""
    shown = next(each for each in view(now)["pallets"] if each["seat"] == seat)
    return {
        f"{'ABCDEFGHIJKL'[column]}{row + 1}": mark
        for row, line in enumerate(shown["rows"])
        for column, mark in enumerate(line)
    }


def owners(now: MatchCourse) -> dict[str, str]:
    """Who owns each square of the domain."""
    return {
        f"{'ABCDEFGHI'[column]}{row + 1}": mark
        for row, line in enumerate(view(now)["domain"]["rows"])
        for column, mark in enumerate(line)
    }
