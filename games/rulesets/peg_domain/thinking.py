"""What a bot looks at: the moves that are worth a try, of the millions that there are.

For a turn many placements are drawn and weighed by the squares that they would win, less a little
for what they take off the pallet; the best of them are stretched over more squares, and then
weighed again by what the opponent could best do after them. Novices stretch paths only to longer
paths, and fear no reply. A finish is looked at only where there is no placement: whatever is
placed, no square is lost by it.

Who goes second wins more: 60 in 100 of 600 matches of the weakest bot, in its first form, against
itself, 200 of each variant. Which pallet one has made no difference in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from games.engine.capabilities import Level
from games.engine.chance import RandomSource, choose, shuffled
from games.engine.decisions import Decision, Seat, other
from games.engine.search import Search
from games.rulesets.peg_domain.boards import (
    COLOURS,
    DOMAIN,
    OFFSET,
    PALLET_SQUARES,
    PALLET_STEP,
    STRIDE,
    around,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import (
    EndInspection,
    Extra,
    Finish,
    Keep,
    Move,
    Order,
    PlaceCutOut,
    Rapid,
    Remove,
    Take,
)
from games.rulesets.peg_domain.search import quick, thorough
from games.rulesets.peg_domain.state import LAST_ROUND_OF_ITEMS, PegDomainState
from games.rulesets.peg_domain.turning import laid_over, narrow
from games.rulesets.peg_domain.turns import covered_by, pegs_put, rapid_in_hand, removable
from games.rulesets.peg_domain.validation import extra_squares

SEARCHES: Final[Mapping[Level, Search]] = {
    "novice": Search(width=1, tries=1, depth=1),
    "club": Search(width=6, tries=150, depth=8),
    "strong": Search(width=16, tries=2000, depth=12),
}
DRAWN: Final = 90  # placements, for each one that is wanted and one more
STRETCHED: Final = 4  # of the best ones, for each that is wanted
REPLIES: Final = 20  # of the opponent, for each that is wanted
PRICE: Final = 0.75  # of a square that leaves the pallet, in squares of the domain
FEARED: Final = 0.5  # how much of what the best reply wins is held against a placement
SHARE: Final = 3.0  # of the squares that are left for each turn to come, what one may take
SUBTRACTION: Final = 4.0  # what Peg Subtraction is held to be worth until its last round
_LEAST_OF_RAPID: Final = 3  # squares; fewer are not worth it


class Weighed(NamedTuple):
    """A placement, how good it looks, the squares that it covers, and those that get its pegs."""

    worth: float
    covered: int
    put: int
    move: PlaceCutOut


class _Ground:
    """A position as it is for one seat that is to place a cut-out."""

    __slots__ = ("by_squares", "free", "left", "listed", "mine", "most", "pegs", "theirs")

    def __init__(self, state: PegDomainState, seat: Seat) -> None:
        self.left: int = state.left[seat]
        self.pegs: int = state.pegs_left(seat)
        self.listed: tuple[int, ...] = tuple(members(self.pegs))
        self.free: int = DOMAIN & ~state.standing
        self.mine: int = state.owned[seat]
        self.theirs: int = state.owned[other(seat)]
        self.by_squares: bool = state.frame.by_squares
        turns = 1 + min(len(self.listed) // 2, self.free.bit_count() // 4)
        self.most: float = 2 + SHARE * (self.left & ~self.pegs).bit_count() / turns

    def weighed(self, move: PlaceCutOut) -> Weighed:
        """What a placement wins, and its price."""
        covered = covered_by(move)
        worth = (
            (covered & ~self.mine).bit_count()
            + (covered & self.theirs).bit_count()
            - PRICE * len(move.squares)
        )
        if move.minus is not None:
            worth -= SUBTRACTION
        return Weighed(worth, covered, pegs_put(move, set_of(move.squares), self.pegs), move)


def suggest(
    state: PegDomainState, decision: Decision, random: RandomSource, most: int
) -> Sequence[Move] | None:
    """Legal answers that are worth looking at, the more promising first; None for all."""
    match decision.kind:
        case "turn":
            return placements(state, decision.seat, random, most) or [Finish()]
        case "removal":
            return [_removal(state, random, most)]
        case "inspection":
            return _in_inspection(state, decision.seat, random)
        case "right":
            return [Take("order")]
        case "order":
            return [Order(first=False)]
        case _:
            return None


# -- placements ----------------------------------------------------------------------------------


def placements(
    state: PegDomainState, seat: Seat, random: RandomSource, most: int
) -> list[PlaceCutOut]:
    """At most so many placements, the best looking first; none only where there is none."""
    ground = _Ground(state, seat)
    drawn = DRAWN * (most + 1)
    found = _drawn(ground, ground.free, random, drawn)
    if state.turn <= LAST_ROUND_OF_ITEMS and state.in_hand(seat, 2) > 0:
        takeable = members(state.standing & ground.theirs)
        for square in takeable:
            count = drawn // (2 * len(takeable))
            found |= _drawn(ground, ground.free | 1 << square, random, count, minus=square)
    if not found:
        place = thorough(ground.left, ground.pegs, ground.free, random)
        return [] if place is None else [place]
    best = _best(list(found.values()), STRETCHED * most)
    for each in best:
        longer = ground.weighed(_extended(ground, each.move, random, any_shape=most > 1))
        if longer.worth > each.worth:
            found[_key(longer)] = longer
    best = _best(list(found.values()), STRETCHED * most)
    if most > 1 and state.ended[other(seat)] is None:
        best = _feared(state, seat, best, random, REPLIES * most)
    return [each.move for each in best[:most]]


def _key(found: Weighed) -> tuple[int, int, int]:
    """Of cut-outs that do the same on the domain one is enough."""
    return found.covered, found.put, found.move.minus or 0


def _best(found: list[Weighed], most: int) -> list[Weighed]:
    return sorted(found, key=_worth, reverse=True)[:most]


def _worth(found: Weighed) -> float:
    return found.worth


def _drawn(
    ground: _Ground, free: int, random: RandomSource, count: int, minus: int | None = None
) -> dict[tuple[int, int, int], Weighed]:
    """Placements on ``free`` squares, of those that do the same the cheapest one."""
    found: dict[tuple[int, int, int], Weighed] = {}
    if not ground.listed:
        return found
    for _ in range(count):
        place = quick(ground.left, ground.pegs, ground.listed, free, random)
        if place is None:
            continue
        if minus is not None:
            place = PlaceCutOut(place.squares, True, place.target, place.turns, minus)
        weighed = ground.weighed(place)
        key = _key(weighed)
        known = found.get(key)
        if known is None or weighed.worth > known.worth:
            found[key] = weighed
    return found


def _extended(
    ground: _Ground, move: PlaceCutOut, random: RandomSource, *, any_shape: bool
) -> PlaceCutOut:
    """The same cut-out with more squares, as far as these win more than their price and enough are
    left for the turns to come: of any shape, if the rules allow it as well, or a path."""
    squares = list(move.squares)
    start = squares[0]
    free = ground.free if move.minus is None else ground.free | 1 << move.minus
    region = ground.left & ~ground.pegs & laid_over(narrow(free), start, move.target, move.turns)
    region &= ~set_of(squares)
    offset = OFFSET[move.turns]
    base = move.target - offset[start]
    by_squares = ground.by_squares and any_shape
    if by_squares:
        _grow(ground, squares, region, base, offset)
    else:
        _stretch(ground, squares, region, base, offset, random)
    return PlaceCutOut(tuple(squares), not by_squares, move.target, move.turns, move.minus)


def _stretch(
    ground: _Ground,
    squares: list[int],
    region: int,
    base: int,
    offset: tuple[int, ...],
    random: RandomSource,
) -> None:
    """Make detours of two squares on the way, through the ``region``."""
    at = 0
    while at < len(squares) - 1 and len(squares) < ground.most:
        here, there = squares[at], squares[at + 1]
        aside = STRIDE if abs(there - here) == 1 else 1
        if random() < 0.5:
            aside = -aside
        for side in (aside, -aside):
            one, two = here + side, there + side
            if not (region >> one & 1 and region >> two & 1):
                continue
            wins = _wins(ground, base + offset[one]) + _wins(ground, base + offset[two])
            if wins > 2 * PRICE:
                squares[at + 1 : at + 1] = [one, two]
                region ^= 1 << one | 1 << two
                break
        else:
            at += 1


def _grow(
    ground: _Ground, squares: list[int], region: int, base: int, offset: tuple[int, ...]
) -> None:
    """Add squares of the ``region``, first those that win most."""
    for least in (2, 1):
        if least <= PRICE:
            return
        for square in squares:  # which grows on the way
            for step in PALLET_STEP:
                if len(squares) >= ground.most:
                    return
                beside = square + step
                if region >> beside & 1 and _wins(ground, base + offset[beside]) >= least:
                    squares.append(beside)
                    region ^= 1 << beside


def _wins(ground: _Ground, square: int) -> int:
    """What covering a square of the domain wins."""
    return (0 if ground.mine >> square & 1 else 1) + (ground.theirs >> square & 1)


def _feared(
    state: PegDomainState,
    seat: Seat,
    found: list[Weighed],
    random: RandomSource,
    count: int,
) -> list[Weighed]:
    """These in the order of what they are worth if the opponent replies as well as it can."""
    mine, theirs = state.owned[seat], state.owned[other(seat)]
    theirs_to_place = _Ground(state, other(seat))
    replies = _drawn(theirs_to_place, theirs_to_place.free, random, count)
    covers = sorted([reply.covered for reply in replies.values()], key=int.bit_count, reverse=True)
    weighed = []
    for each in found:
        mine_then = mine | each.covered
        not_theirs = ~theirs | each.covered
        worst = 0
        for covered in covers:
            if 2 * covered.bit_count() <= worst:
                break
            if not covered & each.put:
                lost = (covered & not_theirs).bit_count() + (covered & mine_then).bit_count()
                worst = max(worst, lost)
        weighed.append(each._replace(worth=each.worth - FEARED * worst))
    return _best(weighed, len(weighed))


# -- removals and the inspection -----------------------------------------------------------------


def _removal(state: PegDomainState, random: RandomSource, most: int) -> Move:
    """Rapid Removal as soon as it takes a few squares; else a square that the mover's best
    cut-outs need."""
    ground = _Ground(state, state.mover)
    if rapid_in_hand(state):
        open_ = ground.left & ~around(ground.pegs)
        taken = [
            ((around(1 << square) & open_).bit_count(), random(), square)
            for square in PALLET_SQUARES
        ]
        count, _, centre = max(taken)
        if count >= _LEAST_OF_RAPID:
            return Rapid(centre)
    squares = members(removable(state))
    if not squares:
        return Keep()
    if most == 1:
        return Remove(choose(random, squares))
    found = _best(list(_drawn(ground, ground.free, random, DRAWN * most // 2).values()), 4 * most)
    needed = dict.fromkeys(squares, 0.0)
    for each in found:
        for square in each.move.squares:
            if square in needed:
                needed[square] += each.worth
    return Remove(max(shuffled(random, squares), key=needed.__getitem__))


def _in_inspection(state: PegDomainState, seat: Seat, random: RandomSource) -> list[Move] | None:
    """Additional Peg for each colour once, near pegs that it can be connected with; then ready."""
    frame = state.frame
    for colour, name in enumerate(COLOURS):
        fit = members(extra_squares(state, seat, colour))
        if fit and len(frame.extra[seat][colour]) < frame.items[seat][0]:
            pegs = frame.drawn[colour]
            near = [(around(around(1 << square)) & pegs).bit_count() + random() for square in fit]
            return [Extra("red" if name == "red" else "blue", fit[near.index(max(near))])]
    return [EndInspection()] if frame.early_ready else None
