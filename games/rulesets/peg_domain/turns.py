"""The turns of a match: what is open, what a turn does, and who is next.

In all of this nothing is made but the state after it, so that it can be compiled.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec

from games.engine.decisions import Decision, Seat, other
from games.rulesets.peg_domain.boards import (
    HOME,
    OFFSET,
    PALLET,
    around,
    has_cut_out,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import Finish, Move, PlaceCutOut, Rapid, Remove
from games.rulesets.peg_domain.state import LAST_ROUND_OF_ITEMS, PegDomainState, PegTurn

_replace = msgspec.structs.replace


# -- decisions -----------------------------------------------------------------------------------


def decisions(state: PegDomainState) -> tuple[Decision, ...]:
    """The open decisions."""
    frame = state.frame
    match state.phase:
        case "play":
            remover = frame.removals and may_remove(state)
            return _turn(state.turn, state.mover, remover)
        case "right":
            return _choice("right", frame.advantage, "Choose which right you take.")
        case "inspection":
            return tuple([_INSPECTION[seat] for seat in (0, 1) if not frame.ready[seat]])
        case "order":
            return _choice("order", frame.holder("order"), "Choose who goes first.")
        case "colour":
            return _choice("colour", frame.holder("colour"), "Choose your colour.")
        case _:
            return ()


_INSPECTION: Final = tuple(
    [
        Decision(
            id="inspection",
            seat=seat,
            kind="inspection",
            clock="inspection",
            prompt="Look at both pallets.",
        )
        for seat in (0, 1)
    ]
)


@cache
def _choice(kind: str, seat: Seat, prompt: str) -> tuple[Decision, ...]:
    return (Decision(id=kind, seat=seat, kind=kind, clock="choice", prompt=prompt),)


@cache
def _turn(number: int, mover: Seat, remover: bool) -> tuple[Decision, ...]:
    barrier = f"turn-{number}" if remover else None
    turn = Decision(
        id=f"turn-{number}",
        seat=mover,
        kind="turn",
        clock="turn",
        prompt="Place a cut-out, or finish.",
        barrier=barrier,
    )
    if not remover:
        return (turn,)
    removal = Decision(
        id=f"removal-{number}",
        seat=other(mover),
        kind="removal",
        clock="removal",
        prompt="Name a square of your opponent's pallet to be removed.",
        barrier=barrier,
        changeable=True,
    )
    return turn, removal


def begun(state: PegDomainState, red: Seat) -> PegDomainState:
    """Colours are settled, and with them pallets and sides: the first turn."""
    frame = state.frame
    pegs = []
    for seat in (0, 1):
        colour = 0 if seat == red else 1
        pegs.append(frame.drawn[colour] | set_of(frame.extra[seat][colour]))
    frame = _replace(
        frame,
        red=red,
        pegs=(pegs[0], pegs[1]),
        listed=(tuple(members(pegs[0])), tuple(members(pegs[1]))),
    )
    opening = PegDomainState(
        frame,
        "play",
        left=(PALLET, PALLET),
        owned=(HOME[frame.colour_of(0)], HOME[frame.colour_of(1)]),
        mover=other(frame.first or 0),
    )
    return _next_turn(opening)


# -- turns ---------------------------------------------------------------------------------------


def covered_by(move: PlaceCutOut) -> int:
    """The squares of the domain that a placement covers, which must all be on it."""
    offset = OFFSET[move.turns]
    base = move.target - offset[move.squares[0]]
    covered = 0
    for square in move.squares:
        covered |= 1 << base + offset[square]
    return covered


def pegs_put(move: PlaceCutOut, cut: int, pegs: int) -> int:
    """The squares of the domain on which a placement puts its two pegs, ``cut`` being its squares
    as a set and ``pegs`` those of the pallet. The anchor carries one."""
    anchor = move.squares[0]
    second = cut & pegs ^ 1 << anchor
    offset = OFFSET[move.turns]
    return 1 << move.target | 1 << move.target + offset[second.bit_length() - 1] - offset[anchor]


def played(
    state: PegDomainState, move: PlaceCutOut | Finish, removal: Move | None
) -> PegDomainState:
    """The state after a turn: the mover's move, and what the other seat named as a removal."""
    seat = state.mover
    removed, ended, spent = state.removed, state.ended, state.spent
    if type(move) is not PlaceCutOut:
        # Nothing is removed from a finished player; a Rapid Removal is spent on it all the same.
        ended = ("finish", ended[1]) if seat == 0 else (ended[0], "finish")
        if type(removal) is Rapid:
            spent = _spend(spent, other(seat), 0)
        turn = PegTurn(seat, move, 0, removal, 0)
        return _next_turn(_replace(state, ended=ended, spent=spent, last=turn))
    covered = covered_by(move)
    standing = state.standing
    if move.minus is not None:
        standing &= ~(1 << move.minus)
        spent = _spend(spent, seat, 1)
    cut = set_of(move.squares)
    standing |= pegs_put(move, cut, state.frame.pegs[seat])
    own = state.left[seat] & ~cut
    gone = 0
    if removal is not None:
        gone = taken_by(state, removal) & own
        own &= ~gone
        if type(removal) is Rapid:
            spent = _spend(spent, other(seat), 0)
    first, second = state.owned
    if seat == 0:
        left = (own, state.left[1])
        owned = (first | covered, second & ~covered)
        removed = (removed[0] | gone, removed[1])
    else:
        left = (state.left[0], own)
        owned = (first & ~covered, second | covered)
        removed = (removed[0], removed[1] | gone)
    return _next_turn(
        PegDomainState(
            state.frame,
            "play",
            state.turn,
            seat,
            left,
            removed,
            owned,
            standing,
            ended,
            spent,
            PegTurn(seat, move, covered, removal, gone),
        )
    )


def _spend(
    spent: tuple[tuple[int, int], tuple[int, int]], seat: Seat, item: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    rapid, subtraction = spent[seat]
    now = (rapid + 1, subtraction) if item == 0 else (rapid, subtraction + 1)
    return (now, spent[1]) if seat == 0 else (spent[0], now)


def _next_turn(state: PegDomainState) -> PegDomainState:
    """The state with the next turn open.

    House ruling: a player with no two pegs connected is finished at the start of the turn, which is
    then none, and does not count as a round.
    """
    ended, left, pegs = state.ended, state.left, state.frame.pegs
    seat = other(state.mover)
    for _ in range(2):
        if ended[seat] is None:
            if has_cut_out(left[seat], pegs[seat] & left[seat]):
                return PegDomainState(
                    state.frame,
                    "play",
                    state.turn + 1,
                    seat,
                    left,
                    state.removed,
                    state.owned,
                    state.standing,
                    ended,
                    state.spent,
                    state.last,
                )
            ended = ("stuck", ended[1]) if seat == 0 else (ended[0], "stuck")
        seat = other(seat)
    return _replace(state, phase="over", ended=ended)


# -- removals ------------------------------------------------------------------------------------


def removable(state: PegDomainState) -> int:
    """The squares of the mover's pallet that can be removed this turn."""
    seat = state.mover
    left = state.left[seat]
    pegs = state.frame.pegs[seat]
    return left & ~pegs & ~around(pegs & left) & ~around(state.removed[seat])


def rapid_in_hand(state: PegDomainState) -> bool:
    """Whether the seat that does not move can use Rapid Removal this turn."""
    return state.turn <= LAST_ROUND_OF_ITEMS and state.in_hand(other(state.mover), 1) > 0


def may_remove(state: PegDomainState) -> bool:
    """Whether there is anything for the other seat to decide during this turn."""
    return rapid_in_hand(state) or removable(state) != 0


def taken_by(state: PegDomainState, removal: Move) -> int:
    """The squares that a removal takes, judged on the pallet as the turn began. Rapid Removal
    leaves what carries or touches a peg; squares removed before do not limit it (house ruling)."""
    if type(removal) is Remove:
        return 1 << removal.square
    if type(removal) is Rapid:
        seat = state.mover
        left = state.left[seat]
        safe = around(state.frame.pegs[seat] & left)
        return around(1 << removal.centre) & left & ~safe
    return 0
