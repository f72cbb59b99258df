"""Short ways to say things in tests of the engine.

An entry is written as ``0 pick 3 @1.5`` (seat 0 submits "pick 3" at a reading of 1.5 s),
``0 timeout``, ``0 timeout @60.001``, ``chance die 4`` or ``organiser reserve 0 +60``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import pytest

from core.refusals import Refusal
from games.engine.clocks import to_ms
from games.engine.course import MatchCourse
from games.engine.ruleset import HeldItem
from games.engine.table import Actor, Entry, Header, Table
from tests.toy.rules import TOY, ToyOptions

_ENTRY = re.compile(r"(0|1|chance|organiser) (.*?)(?: @([0-9.]+))?")

# Set up until seat 1, which has the advantage and goes first, faces a heap of 9.
UP_TO_TURNS = (
    "0 ready",
    "1 ready",
    "0 pick 3",
    "1 pick 5",
    "1 first",
    "chance die 5",
)


def entry(text: str) -> Entry:
    """An entry from its short form."""
    match = _ENTRY.fullmatch(text)
    assert match, text
    who, what, t = match.groups()
    return Entry(
        actor=cast(Actor, int(who) if who in "01" else who),
        text="" if what == "timeout" else what,
        timeout=what == "timeout",
        reading_ms=None if t is None else to_ms(float(t)),
    )


def entries(*texts: str) -> list[Entry]:
    """Entries from their short forms."""
    return [entry(text) for text in texts]


def header(
    variant: str = "standard",
    advantage: int | None = 1,
    items: tuple[HeldItem, ...] = (),
    **options: Any,
) -> Header:
    """A header of the toy ruleset."""
    return Header(
        ruleset="toy",
        variant=variant,
        options=ToyOptions(**options),
        advantage=advantage,
        items=items,
    )


def course(toy: Header, *texts: str) -> MatchCourse:
    """The course of a match of the toy after these entries."""
    return MatchCourse(TOY, toy, entries(*texts))


def table(toy: Header, *texts: str) -> Table:
    """The table of the toy after these entries."""
    return course(toy, *texts).table


def refused(code: str, act: Callable[..., Any], *args: Any, **kwargs: Any) -> Refusal:
    """The refusal that a call raises, which must have this code."""
    with pytest.raises(Refusal) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code, caught.value
    assert re.fullmatch(r"[a-z-]+\.[a-z-]+", caught.value.code)
    assert caught.value.sentence.endswith(".")
    return caught.value


def cannot_add(code: str, so_far: MatchCourse, text: str) -> Refusal:
    """The refusal of one more entry, which must change nothing."""
    before, standing = so_far.table, so_far.standing
    refusal = refused(code, so_far.add, entry(text))
    assert so_far.table == before
    assert so_far.standing == standing
    return refusal


def to_move(now: Table) -> list[int]:
    """The seats with an open decision."""
    return [seat for seat in (0, 1) if now.open[seat] is not None]
