"""Filling in what a seat cannot see, so that a bot can think on from a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from games.engine.chance import RandomSource, shuffled
from games.engine.errors import EngineFault
from games.rulesets.domino_black_white.board import CELL_OF, SPOT_OF, Spot
from games.rulesets.domino_black_white.lines import EMPTY, MET_CODE, letters
from games.rulesets.domino_black_white.moves import (
    EFFECTS,
    HIGHEST,
    Half,
    Place,
    colour,
    place,
)
from games.rulesets.domino_black_white.state import State, begun, ordered, out_of_time, played

MOST_TRIES: Final = 4000
"""Placements tried before the search for numbers that explain every letter is given up."""


class _Seen(msgspec.Struct, frozen=True):
    """One placement as a seat sees it: every place it may have been, and the letters it met."""

    seat: int
    may_be: tuple[Place, ...]
    met: int


def determinize(view: Mapping[str, Any], random: RandomSource) -> State:
    """A state that looks exactly like ``view`` to the audience it was made for.

    Hidden halves are drawn among the numbers of their colour so that nobody has a domino twice and,
    as far as a bounded search finds such numbers, every placement met just the letters that were
    announced. Where it does not, the letters stand as announced all the same.
    """
    state = begun(view["advantage"])
    if view["first"] is None:
        return state
    state = ordered(state, view["first"])
    seen = _seen(view)
    places = _explaining(seen, random) or _fitting(seen, random)
    for each, placed in zip(seen, places, strict=True):
        state = played(state, placed, each.met)
    return state if view["late"] is None else out_of_time(state, view["late"])


def _seen(view: Mapping[str, Any]) -> list[_Seen]:
    cells = view["cells"]
    found = []
    for one, two, met in zip(cells[::2], cells[1::2], view["met"], strict=True):
        spot = SPOT_OF[CELL_OF[one["square"]], CELL_OF[two["square"]]]
        hides: Half = 0 if one["hidden"] else 1
        found.append(_Seen(one["seat"], _may_be(spot, one, two, hides), MET_CODE[met]))
    return found


def _may_be(
    spot: Spot, one: Mapping[str, Any], two: Mapping[str, Any], hides: Half
) -> tuple[Place, ...]:
    return tuple(
        [place(spot, (first, second), hides) for first in _numbers(one) for second in _numbers(two)]
    )


def _numbers(half: Mapping[str, Any]) -> list[int]:
    if half["number"] is not None:
        return [half["number"]]
    return [number for number in range(HIGHEST + 1) if colour(number) == half["colour"]]


def _explaining(seen: Sequence[_Seen], random: RandomSource) -> list[Place] | None:
    """Places that meet the letters announced, found by going through the match from its beginning
    and back wherever no number fits; None if there are none, or not within the tries allowed."""
    tries = MOST_TRIES
    lines = [EMPTY]
    chosen: list[Place] = []
    left: list[list[Place]] = []
    while len(chosen) < len(seen):
        if len(left) == len(chosen):
            left.append(shuffled(random, seen[len(chosen)].may_be))
        now = seen[len(chosen)]
        used = {each.domino for each, at in zip(chosen, seen, strict=False) if at.seat == now.seat}
        while left[-1]:
            tries -= 1
            if tries < 0:
                return None
            candidate = left[-1].pop()
            after = _scored(lines[-1], candidate, now.met)
            if after is not None and candidate.domino not in used:
                chosen.append(candidate)
                lines.append(after)
                break
        else:
            left.pop()
            if not chosen:
                return None
            chosen.pop()
            lines.pop()
    return chosen


def _scored(lines: int, candidate: Place, met: int) -> int | None:
    """The lines with ``candidate`` laid, or None where it does not meet just these letters."""
    _, laid, extreme, probe, marks, _, _ = EFFECTS[candidate.code]
    lines += laid
    scored = marks - (lines & probe) & marks
    found = letters(lines, scored, extreme) if scored else 0
    return lines if found == met else None


def _fitting(seen: Sequence[_Seen], random: RandomSource) -> list[Place]:
    """Places that use no domino of a seat twice, whatever they score: a random matching.

    A placement takes the domino it likes best; one that is taken already makes its holder move on
    to another of its own, as long as a chain of such moves ends at a free domino.
    """
    holder: dict[tuple[int, tuple[int, int]], int] = {}
    chosen: dict[int, Place] = {}

    def settle(index: int, asked: set[tuple[int, tuple[int, int]]]) -> bool:
        each = seen[index]
        for candidate in shuffled(random, each.may_be):
            domino = each.seat, candidate.domino
            if domino in asked:
                continue
            asked.add(domino)
            if domino not in holder or settle(holder[domino], asked):
                holder[domino] = index
                chosen[index] = candidate
                return True
        return False

    for index in shuffled(random, range(len(seen))):
        if not settle(index, set()):
            raise EngineFault("no dominoes can lie as this view says")
    return [chosen[index] for index in range(len(seen))]
