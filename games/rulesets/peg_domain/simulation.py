"""Random play in one go: what `games.rulesets.peg_domain.state` says of one turn, for many.

A state is made only where the play ends; and from turn to turn it is remembered from which pegs no
other one can be reached any more, which a single state cannot tell. The tests hold it to the plain
rules, step by step.
"""

from __future__ import annotations

from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.rulesets.peg_domain.boards import PALLET_SQUARES, around, has_cut_out, members, set_of
from games.rulesets.peg_domain.moves import Keep, Move, PlaceCutOut, Rapid, Remove
from games.rulesets.peg_domain.search import some_turn
from games.rulesets.peg_domain.state import (
    LAST_ROUND_OF_ITEMS,
    Ended,
    PegDomainState,
    PegTurn,
    Preliminaries,
)
from games.rulesets.peg_domain.turns import covered_by, pegs_put

_KEEP = Keep()


class _Player:
    """What changes of a seat: see `PegDomainState` for the first five. ``hopeless`` are pegs from
    which no other one can be reached in a placement, as long as no peg leaves the domain."""

    __slots__ = ("ended", "hopeless", "left", "owned", "removed", "spent")

    def __init__(self, state: PegDomainState, seat: Seat) -> None:
        self.left: int = state.left[seat]
        self.removed: int = state.removed[seat]
        self.owned: int = state.owned[seat]
        self.ended: Ended | None = state.ended[seat]
        self.spent: tuple[int, int] = state.spent[seat]
        self.hopeless: set[int] = set()


def simulate(state: PegDomainState, random: RandomSource, most: int) -> tuple[PegDomainState, int]:
    """At most so many random turns on from a state in play: the state then, and how many there
    were."""
    frame, standing, last = state.frame, state.standing, state.last
    turn, seat, over, steps = state.turn, state.mover, False, 0
    both = (_Player(state, 0), _Player(state, 1))
    while steps < most and not over:
        steps += 1
        mine, theirs = both[seat], both[1 - seat]
        pegs = frame.pegs[seat]
        subtracts = turn <= LAST_ROUND_OF_ITEMS and frame.items[seat][2] > mine.spent[1]
        move = some_turn(
            mine.left,
            pegs & mine.left,
            frame.listed[seat],
            standing,
            random,
            subtracts=subtracts,
            by_squares=frame.by_squares,
            hopeless=mine.hopeless,
        )
        removal, taken = None, 0
        if frame.removals:
            rapid = turn <= LAST_ROUND_OF_ITEMS and frame.items[1 - seat][1] > theirs.spent[0]
            removal, taken = _some_removal(mine, pegs, random, rapid=rapid)
            if type(removal) is Rapid:
                theirs.spent = (theirs.spent[0] + 1, theirs.spent[1])
        if type(move) is PlaceCutOut:
            cut, covered = set_of(move.squares), covered_by(move)
            if move.minus is not None:
                standing &= ~(1 << move.minus)
                mine.spent = (mine.spent[0], mine.spent[1] + 1)
                mine.hopeless.clear()
                theirs.hopeless.clear()
            standing |= pegs_put(move, cut, pegs)
            left = mine.left & ~cut
            gone = taken & left
            mine.left = left ^ gone
            mine.removed |= gone
            mine.owned |= covered
            theirs.owned &= ~covered
            last = PegTurn(seat, move, covered, removal, gone)
        else:
            mine.ended = "finish"
            last = PegTurn(seat, move, 0, removal, 0)
        follower = _next(both, frame, seat)
        if follower is None:
            over = True
        else:
            turn += 1
            seat = follower
    one, two = both
    return PegDomainState(
        frame,
        "over" if over else "play",
        turn,
        seat,
        (one.left, two.left),
        (one.removed, two.removed),
        (one.owned, two.owned),
        standing,
        (one.ended, two.ended),
        (one.spent, two.spent),
        last,
    ), steps


def _next(both: tuple[_Player, _Player], frame: Preliminaries, seat: Seat) -> Seat | None:
    """Whose turn is next, or None where nobody has one any more."""
    for each in (1 - seat, seat):
        player = both[each]
        if player.ended is None:
            if has_cut_out(player.left, frame.pegs[each] & player.left):
                return each
            player.ended = "stuck"
    return None


def _some_removal(
    mine: _Player, pegs: int, random: RandomSource, *, rapid: bool
) -> tuple[Move | None, int]:
    """What is named as a removal from that pallet, if anything can be, and what it may take."""
    left = mine.left
    safe = around(pegs & left)
    removable = left & ~pegs & ~safe & ~around(mine.removed)
    if not removable and not rapid:
        return None, 0
    count = removable.bit_count()
    at = int(random() * (1 + count + (len(PALLET_SQUARES) if rapid else 0)))
    if at == 0:
        return _KEEP, 0
    if at <= count:
        square = members(removable)[at - 1]
        return Remove(square), 1 << square
    centre = PALLET_SQUARES[at - 1 - count]
    return Rapid(centre), around(1 << centre) & left & ~safe
