"""Puzzles: which placement wins the bout, counted out to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from games.engine.capabilities import Brought
from games.engine.decisions import Decision, Seat
from games.engine.search import always
from games.rulesets.tetronogo.bits import members
from games.rulesets.tetronogo.counting import Count, TooMany
from games.rulesets.tetronogo.course import applied
from games.rulesets.tetronogo.moves import Letter, Move
from games.rulesets.tetronogo.pieces import duel
from games.rulesets.tetronogo.scoring import points
from games.rulesets.tetronogo.state import TetronogoState

POSITIONS: Final = 12_000  # that may be looked at for all answers together
FEWEST: Final = 8  # placements of the mover
MOST: Final = 60  # placements of both
_BEYOND: Final = 1000.0


class _Margin(Count):
    """The count of a bout by its points alone, whatever they mean for the match."""

    def __init__(self, pieces: tuple[Letter, Letter]) -> None:
        self.count_with(duel(*pieces), POSITIONS, always)

    def _end(self, boards: tuple[int, int]) -> float:
        margin = self.ends.get(boards[0] << 256 | boards[1])
        if margin is None:
            first, second = points(*boards)
            margin = self.ends[boards[0] << 256 | boards[1]] = float(first - second)
        return margin


def posed(view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
    """The view, where a piece is to be placed and the end of the bout is near."""
    if decision.kind != "place" or not view["left"]:
        return None
    return view if view["left"][decision.seat] >= FEWEST and sum(view["left"]) <= MOST else None


def promising(state: TetronogoState, decision: Decision) -> Sequence[Move]:
    """Every placement; none where the bout cannot be counted out."""
    seat = decision.seat
    count = _count(state, POSITIONS)
    moves = state.frame.duel.pieces[seat].moves
    try:
        for number in members(state.mine):
            _margin_after(count, applied(state, ((seat, moves[number]),)), state, seat)
    except TooMany:
        return []
    return [moves[number] for number in members(state.mine)]


def brought(state: TetronogoState, decision: Decision, move: Move) -> Brought:
    """By how many points the bout is won after a placement, if both play on as well as can be."""
    seat = decision.seat
    count = _count(state, 50 * POSITIONS)
    after = applied(state, ((seat, move),))
    margin = _margin_after(count, after, state, seat)
    line = _line(count, after, state)
    how = f"by {abs(margin)} {'point' if abs(margin) == 1 else 'points'}"
    if margin > 0:
        words = f"It wins the bout {how}, whatever the other player does."
    elif margin < 0:
        words = f"It loses the bout {how} against the best play."
    else:
        words = "It ends in a drawn bout against the best play."
    return Brought(margin, words, line)


def _count(state: TetronogoState, most: int) -> _Margin:
    """A count that goes on from what is known of this position already."""
    count = _kept(state.frame.pieces, state.frame.starter, state.boards)
    count.left = most
    return count


@lru_cache(maxsize=4)
def _kept(
    pieces: tuple[Letter, Letter], _starter: Seat | None, _boards: tuple[int, int]
) -> _Margin:
    return _Margin(pieces)


def _is_over(after: TetronogoState, before: TetronogoState) -> bool:
    return len(after.frame.bouts) > len(before.frame.bouts)


def _margin_after(count: _Margin, after: TetronogoState, before: TetronogoState, seat: Seat) -> int:
    if _is_over(after, before):
        first, second = after.frame.bouts[-1].points
        margin = first - second
        return margin if seat == 0 else -margin
    mover = 1 - seat
    value = count.value(after.mine, after.theirs, after.boards, mover, -_BEYOND, _BEYOND)
    return -round(value)


def _line(count: _Margin, state: TetronogoState, before: TetronogoState) -> tuple[Move, ...]:
    """The best placements of both from here to the end of the bout."""
    line: list[Move] = []
    while not _is_over(state, before):
        seat = state.mover or 0
        moves = state.frame.duel.pieces[seat].moves
        after = [applied(state, ((seat, moves[number]),)) for number in members(state.mine)]
        margins = [_margin_after(count, each, before, seat) for each in after]
        best = margins.index(max(margins))
        line.append(moves[list(members(state.mine))[best]])
        state = after[best]
    return tuple(line)


def target(best: int) -> int | None:
    """A bout that can be won."""
    return 1 if best > 0 else None


def question(target: int) -> str:
    """What is asked."""
    return "Which placement wins the bout, whatever the other player does?"
