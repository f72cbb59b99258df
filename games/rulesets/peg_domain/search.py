"""Finding placements: whether there is any, and one at random, without listing cut-outs.

A cut-out that can be placed contains a path between its two pegs that can be placed as well, with
no other peg on the way. So there is a placement exactly where, for some peg, some square of the
domain it may come to lie on and some rotation, another peg can be reached through squares that are
on the pallet and land on squares without a peg. A search in that region visits no square twice.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Final

from games.engine.chance import RandomSource, below, choose, shuffled
from games.engine.errors import EngineFault
from games.rulesets.peg_domain.boards import (
    DOMAIN,
    DOMAIN_SQUARES,
    PALLET_STEP,
    STRIDE,
    landing,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import Finish, PlaceCutOut
from games.rulesets.peg_domain.turning import NEAR, PLACE, laid_over, narrow, some_target, wide

_ORDERS: Final = tuple(permutations(PALLET_STEP))
_BESIDE: Final = set_of([STRIDE + step for step in PALLET_STEP])
"""The squares beside a square, as bits counted from the one above it."""
_OPEN: Final = {
    open_: tuple(
        [
            tuple([step for step in order if open_ >> STRIDE + step & 1])
            for order in (*_ORDERS, PALLET_STEP)
        ]
    )
    for open_ in [
        set_of([STRIDE + step for step in steps])
        for count in range(5)
        for steps in combinations(PALLET_STEP, count)
    ]
}
"""By which of the squares beside a square can be entered: the steps there, by `_ORDERS`, and at
last in the order of `PALLET_STEP`."""
_PLAIN: Final = len(_ORDERS)
FINISH: Final = Finish()
_FINISHED_ONE_IN: Final = 64
"""A random turn is a finish once in so many although there may be placements."""
_SUBTRACTED_ONE_IN: Final = 4
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
    return _path_within(left & laid_over(narrow(free), start, target, turns), pegs, random, start)


def _path_within(region: int, pegs: int, random: RandomSource, start: int) -> list[int] | None:
    """A path from the peg ``start`` to another one through the squares of a ``region``."""
    reached = 1 << start
    region |= reached
    others = region & pegs ^ reached
    while True:
        wider = region & (
            reached | reached << 1 | reached >> 1 | reached << STRIDE | reached >> STRIDE
        )
        if wider & others:
            break
        if wider == reached:
            # A search would draw once on each square that it visits, and it would visit all.
            for _ in range(reached.bit_count()):
                random()
            return None
        reached = wider
    fresh = region ^ 1 << start
    square = start
    path = [start]
    ways = iter(_OPEN[fresh >> square - STRIDE & _BESIDE][int(random() * 24)])
    untried = []
    while True:
        for step in ways:
            beside = square + step
            if fresh >> beside & 1:
                path.append(beside)
                if others >> beside & 1:
                    return path
                fresh ^= 1 << beside
                untried.append(ways)
                square = beside
                ways = iter(_OPEN[fresh >> square - STRIDE & _BESIDE][int(random() * 24)])
                break
        else:
            path.pop()
            square = path[-1]
            ways = untried.pop()


def some_turn(
    left: int,
    pegs: int,
    listed: tuple[int, ...],
    standing: int,
    random: RandomSource,
    *,
    subtracts: bool,
    by_squares: bool,
    hopeless: set[int] | None = None,
) -> PlaceCutOut | Finish:
    """A finish now and then, and where there is nothing else; else a placement.

    ``left`` and ``pegs`` are what is on the pallet, ``listed`` the pegs it had as play began,
    ``standing`` the squares of the domain with a peg; ``subtracts``: Peg Subtraction can be used,
    ``by_squares``: a cut-out may have any shape. ``hopeless`` pegs need not be tried; those
    that are found so are added.
    """
    if int(random() * _FINISHED_ONE_IN) == 0:
        return FINISH
    free = DOMAIN & ~standing
    minus = None
    if subtracts and standing and int(random() * _SUBTRACTED_ONE_IN) == 0:
        minus = choose(random, members(standing))
        free |= 1 << minus
        hopeless = None
    place = quick(left, pegs, listed, free, random)
    if place is None:
        place = thorough(left, pegs, free, random, hopeless)
        if place is None:
            return FINISH
    if minus is not None:
        place = PlaceCutOut(place.squares, True, place.target, place.turns, minus)
    if by_squares:
        return widened(place, left, pegs, free, random)
    return place


def quick(
    left: int, pegs: int, listed: tuple[int, ...], free: int, random: RandomSource
) -> PlaceCutOut | None:
    """A placement found in a few tries, or None, which means nothing."""
    count = len(listed)
    lanes = narrow(free)
    for _ in range(_TRIES):
        start = listed[int(random() * count)]
        if not left >> start & 1:
            continue
        target = DOMAIN_SQUARES[int(random() * 81)]
        if not free >> target & 1:
            continue
        turns = int(random() * 4)
        region = left & laid_over(lanes, start, target, turns)
        path = _path_within(region, pegs, random, start)
        if path is not None:
            return PlaceCutOut(tuple(path), True, target, turns)
    return None


def thorough(
    left: int, pegs: int, free: int, random: RandomSource, hopeless: set[int] | None = None
) -> PlaceCutOut | None:
    """A placement, or None where there is none at all; exact. From the ``hopeless`` pegs no other
    one can be reached; those that are found so are added.

    For one peg after the other, a search over the squares of the pallet carries along on which
    squares of the domain the peg may lie, in all four rotations at once, if the search is to get
    here; each square that is passed takes away those for which it would land on a peg or outside.
    """
    lanes = wide(free)
    skipped = set() if hopeless is None else hopeless
    for start in shuffled(random, members(pegs)):
        # A peg from which none was reached is reached from none.
        left &= ~(1 << start)
        if start in skipped:
            continue
        found = _targets(left, pegs, lanes, start)
        if not found:
            skipped.add(start)
        else:
            target, turns = some_target(found, random)
            left |= pegs
            path = path_from(left, pegs, free, random, start=start, target=target, turns=turns)
            if path is None:
                raise EngineFault("a peg that can be reached was not reached")
            return PlaceCutOut(tuple(path), True, target, turns)
    return None


def _targets(left: int, pegs: int, lanes: int, start: int) -> int:
    """Squares of the domain, in wide ``lanes`` like those that are free, from which another peg can
    be reached: those of the first one that is met, so none only where there is none."""
    left &= NEAR[start]
    base = PLACE[start]
    reached = {start: lanes}
    work = [start]
    for square in work:
        here = reached[square]
        for step in _OPEN[left >> square - STRIDE & _BESIDE][_PLAIN]:
            beside = square + step
            away = PLACE[beside] - base
            fit = here & (lanes >> away if away >= 0 else lanes << -away)
            if not fit:
                continue
            if pegs >> beside & 1:
                return fit
            known = reached.get(beside)
            if known is None:
                reached[beside] = fit
                work.append(beside)
            elif fit & ~known:
                reached[beside] = fit | known
                work.append(beside)
    return 0


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
