"""The last placements of a bout, counted out: alpha-beta with what is known of each position
(D. Knuth and R. Moore, *An analysis of alpha-beta pruning*, Artificial Intelligence 6, 1975).

Which pieces lie where is all that matters, not in which order they came, so most positions are met
again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.engine.decisions import Seat
from games.engine.search import always
from games.rulesets.tetronogo import estimate
from games.rulesets.tetronogo.bits import members
from games.rulesets.tetronogo.pieces import Duel
from games.rulesets.tetronogo.scoring import points
from games.rulesets.tetronogo.state import TetronogoState

BEYOND: Final = 9.0  # better than anything that can be had
A_POINT: Final = 1 / 1024  # what a point is worth where it decides nothing
ASKED_EVERY: Final = 64  # positions: whether there is time for more


class TooMany(Exception):
    """There are more positions than may be looked at, or there is no time."""


def counted_out(
    state: TetronogoState, seat: Seat, most: int, may_go_on: Callable[[], bool] = always
) -> int | None:
    """The best placement of the mover in that seat, if that can be told from so many positions, and
    while there is time."""
    count = Count(state, most, may_go_on)
    try:
        count.value(state.mine, state.theirs, state.boards, seat, -BEYOND, BEYOND)
    except TooMany:
        return None
    return count.best[state.boards]


class Count:
    """One count. Positions go by both players' boards, which also tell who is to move."""

    def __init__(self, state: TetronogoState, most: int, may_go_on: Callable[[], bool]) -> None:
        self.frame = state.frame
        self.count_with(state.frame.duel, most, may_go_on)

    def count_with(self, duel: Duel, most: int, may_go_on: Callable[[], bool]) -> None:
        """Begin with nothing known of the bout between these pieces."""
        self.left = most
        self.may_go_on = may_go_on
        self.tables = [
            (piece.boards, own, others)
            for piece, (_, _, own, others) in zip(duel.pieces, duel.sides, strict=True)
        ]
        self.ends: dict[int, float] = {}
        self.bounds: dict[tuple[int, int], tuple[float, float]] = {}
        self.best: dict[tuple[int, int], int] = {}

    def value(
        self, mine: int, theirs: int, boards: tuple[int, int], seat: Seat, low: float, high: float
    ) -> float:
        """What the position is worth to the mover: exactly so if that is between ``low`` and
        ``high``, else at most or at least so."""
        if not mine:
            end = self._end(boards)
            return end if seat == 0 else -end
        least, greatest = self.bounds.get(boards, (-BEYOND, BEYOND))
        if least >= high or least == greatest:
            return least
        if greatest <= low:
            return greatest
        self.left -= 1
        if self.left < 0 or (self.left % ASKED_EVERY == 0 and not self.may_go_on()):
            raise TooMany
        covers, own, others = self.tables[seat]
        # Those that leave the opponent the fewest placements are tried first.
        moves = sorted(members(mine), key=lambda number: (theirs & others[number]).bit_count())
        first, second = boards
        best, floor = -BEYOND, low
        for number in moves:
            cover = covers[number]
            after = (first | cover, second) if seat == 0 else (first, second | cover)
            left, kept = theirs & others[number], mine & own[number]
            value = -self.value(left, kept, after, 1 - seat, -high, -floor)
            if value > best:
                best = value
                self.best[boards] = number
                floor = max(floor, value)
                if value >= high:
                    break
        if best <= low:
            self.bounds[boards] = (least, best)
        elif best >= high:
            self.bounds[boards] = (best, greatest)
        else:
            self.bounds[boards] = (best, best)
        return best

    def _end(self, boards: tuple[int, int]) -> float:
        first, second = points(*boards)
        margin = first - second
        end = self.ends.get(margin)
        if end is None:
            end = self.ends[margin] = estimate.ended(self.frame, margin) + margin * A_POINT
        return end
