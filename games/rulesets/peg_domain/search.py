"""Finding placements: whether there is any, and one at random, without listing cut-outs.

A cut-out that can be placed contains a path between its two pegs that can be placed as well, with
no other peg on the way. So there is a placement exactly where, for some peg, some square of the
domain it may come to lie on and some rotation, another peg can be reached through squares that are
on the pallet and land on squares without a peg. A search in that region visits no square twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from games.engine.chance import RandomSource, below, choose, shuffled
from games.engine.errors import EngineFault
from games.rulesets.peg_domain.boards import (
    DOMAIN,
    DOMAIN_SQUARES,
    DOMAIN_STEP,
    DOMAIN_STRIDE,
    PALLET_STEP,
    STRIDE,
    landing,
    members,
)
from games.rulesets.peg_domain.moves import PlaceCutOut

_ORDERS: Final = tuple(permutations((0, 1, 2, 3)))
_STEPS: Final = tuple(
    [
        tuple([(PALLET_STEP[way], DOMAIN_STEP[way + turns & 3]) for way in range(4)])
        for turns in range(4)
    ]
)
# Where a square of the pallet lies, so that differences tell every way from every other one: four
# to the left in the row below must not be mistaken for nine to the right in the same.
_PLACE: Final = tuple([square // STRIDE * 64 + square % STRIDE for square in range(STRIDE * 20)])
_LANE: Final = 128
"""The squares of the domain in one rotation take so many bits."""
_TRIES: Final = 10
_GROWN: Final = 4  # one cut-out in so many is widened, where any shape is allowed


def path_from(
    left: int,
    pegs: int,
    free: int,
    random: RandomSource,
    *,
    start: int,
    target: int,
    turns: int,
) -> list[int] | None:
    """A path from the peg ``start``, which lands on ``target``, to another one, or None.

    A search in depth with random turns, so that every path comes out now and then: it is the one
    found whenever each step of it happens to be tried first.
    """
    steps = _STEPS[turns]
    fresh = left & ~(1 << start)
    path, at = [start], [target]
    orders: list[Iterator[int]] = [iter(_ORDERS[int(random() * 24)])]
    while path:
        for way in orders[-1]:
            step, domain_step = steps[way]
            square = path[-1] + step
            lands = at[-1] + domain_step
            if fresh >> square & 1 and free >> lands & 1:
                path.append(square)
                if pegs >> square & 1:
                    return path
                fresh ^= 1 << square
                at.append(lands)
                orders.append(iter(_ORDERS[int(random() * 24)]))
                break
        else:
            path.pop()
            at.pop()
            orders.pop()
    return None


def quick(
    left: int, pegs: int, listed: tuple[int, ...], free: int, random: RandomSource
) -> PlaceCutOut | None:
    """A placement found in a few tries, or None, which means nothing."""
    count = len(listed)
    for _ in range(_TRIES):
        start = listed[int(random() * count)]
        if not left >> start & 1:
            continue
        target = DOMAIN_SQUARES[int(random() * 81)]
        if not free >> target & 1:
            continue
        turns = int(random() * 4)
        path = path_from(left, pegs, free, random, start=start, target=target, turns=turns)
        if path is not None:
            return PlaceCutOut(tuple(path), True, target, turns)
    return None


def thorough(left: int, pegs: int, free: int, random: RandomSource) -> PlaceCutOut | None:
    """A placement, or None where there is none at all; exact.

    For one peg after the other, a search over the squares of the pallet carries along on which
    squares of the domain the peg may lie, in all four rotations at once, if the search is to get
    here; each square that is passed takes away those for which it would land on a peg or outside.
    """
    landings: dict[int, int] = {}
    starts = free | free << _LANE | free << 2 * _LANE | free << 3 * _LANE
    for start in shuffled(random, members(pegs)):
        found = _targets(left, pegs, free, start, starts, landings)
        if found:
            bit = choose(random, members(found))
            target, turns = bit % _LANE, bit // _LANE
            path = path_from(left, pegs, free, random, start=start, target=target, turns=turns)
            if path is None:
                raise EngineFault("a peg that can be reached was not reached")
            return PlaceCutOut(tuple(path), True, target, turns)
    return None


def _targets(
    left: int, pegs: int, free: int, start: int, starts: int, landings: dict[int, int]
) -> int:
    """Squares of the domain, in lanes by rotation, from which another peg can be reached: those
    of the first one that is met, so none only where there is none. ``landings`` remembers, by the
    way from the start, from where a square lands on a free one."""
    reached = {start: starts}
    work = [start]
    for square in work:
        here = reached[square]
        for step in PALLET_STEP:
            beside = square + step
            if not left >> beside & 1:
                continue
            away = _PLACE[beside] - _PLACE[start]
            lands = landings.get(away)
            if lands is None:
                lands = landings[away] = _landing_lanes(start, beside, free)
            fit = here & lands
            if not fit:
                continue
            if pegs >> beside & 1:
                if beside != start:
                    return fit
                continue
            known = reached.get(beside, 0)
            if fit & ~known:
                reached[beside] = fit | known
                work.append(beside)
    return 0


def _landing_lanes(start: int, square: int, free: int) -> int:
    across = square % STRIDE - start % STRIDE
    down = square // STRIDE - start // STRIDE
    lanes = 0
    for turns in range(4):
        away = down * DOMAIN_STRIDE + across
        # No shift reaches into another lane: a way this long has left the domain before.
        lanes |= ((free >> away if away >= 0 else free << -away) & DOMAIN) << turns * _LANE
        across, down = -down, across
    return lanes


def any_placement(left: int, pegs: int, standing: int) -> bool:
    """Whether a cut-out of the squares ``left`` with two of ``pegs`` can be placed at all."""
    return thorough(left, pegs & left, DOMAIN & ~standing, _steady) is not None


def _steady() -> float:
    return 0.0


def widened(
    place: PlaceCutOut, left: int, pegs: int, free: int, random: RandomSource
) -> PlaceCutOut:
    """At times the same cut-out with more squares around it, without a third peg, given by its
    squares. Any connected shape grows from a path within it."""
    if int(random() * _GROWN):
        return place
    squares = list(place.squares)
    inside = set(squares)
    while int(random() * 4):
        base = squares[below(random, len(squares))]
        square = base + PALLET_STEP[below(random, 4)]
        if square in inside or not left >> square & 1 or pegs >> square & 1:
            continue
        at = landing(squares[0], square, place.target, place.turns)
        if at is None or not free >> at & 1:
            continue
        squares.append(square)
        inside.add(square)
    return PlaceCutOut(tuple(squares), False, place.target, place.turns, place.minus)
