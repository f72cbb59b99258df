"""The state of a match, and everything that can happen to it."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec

from games.engine.decisions import Decision, Outcome, Seat, other
from games.engine.reasons import POINTS, TIE_BREAK
from games.rulesets.peg_domain.boards import (
    HOME,
    OFFSET,
    PALLET,
    around,
    has_cut_out,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import (
    Colour,
    Finish,
    Move,
    PlaceCutOut,
    Rapid,
    Remove,
    Right,
)

Phase: TypeAlias = Literal["right", "pallets", "inspection", "order", "colour", "play", "over"]
Ended: TypeAlias = Literal["finish", "stuck"]
Pair: TypeAlias = tuple[int, int]

ADDITIONAL, RAPID, SUBTRACTION = ITEM_IDS = ("additional-peg", "rapid-removal", "peg-subtraction")
LAST_ROUND_OF_ITEMS: Final = 10
"""Rapid Removal and Peg Subtraction can be used up to here; a round is one player's turn."""


class Preliminaries(msgspec.Struct, frozen=True, gc=False):
    """What is settled before the first turn.

    ``items`` has how often each seat may use each of `ITEM_IDS`. ``right`` was taken by the seat
    with the advantage. ``drawn`` are the pegs of the red and of the blue pallet, 0 until they are
    drawn. ``extra`` has the squares named for Additional Peg, by seat and colour. ``red`` is the
    seat that plays red. ``pegs`` are the pegs of each seat's pallet as play began, once as a set
    and once listed; nothing before.
    """

    variant: str
    advantage: Seat
    early_ready: bool
    items: tuple[tuple[int, int, int], tuple[int, int, int]]
    right: Right | None = None
    drawn: Pair = (0, 0)
    ready: tuple[bool, bool] = (False, False)
    extra: tuple[
        tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]
    ] = (
        ((), ()),
        ((), ()),
    )
    first: Seat | None = None
    red: Seat | None = None
    pegs: Pair = (0, 0)
    listed: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def removals(self) -> bool:
        """Whether squares are removed during the opponent's turns."""
        return self.variant == "final"

    @property
    def by_squares(self) -> bool:
        """Whether a cut-out may be given by its squares, and so have any connected shape."""
        return self.variant == "gauntlet"

    def holder(self, right: Right) -> Seat:
        """Who has this right, once one was taken."""
        return self.advantage if self.right == right else other(self.advantage)

    def colour_of(self, seat: Seat) -> int:
        """0 for red, 1 for blue, once colours are settled."""
        return 0 if seat == self.red else 1


class PegTurn(msgspec.Struct, frozen=True, gc=False):
    """A turn that was taken: by whom, the move, the squares of the domain that it covered; what the
    other seat submitted as a removal, if anything, and the squares that went."""

    seat: Seat
    move: Move
    covered: int = 0
    removal: Move | None = None
    gone: int = 0


class PegDomainState(msgspec.Struct, frozen=True, gc=False):
    """A match of Peg Domain.

    From ``left`` on, everything is by seat and counts from the first turn: the squares still on the
    pallet, those taken from it by removals, the squares of the domain owned; ``standing`` are the
    squares of the domain with a peg, ``ended`` how a seat became Finished, ``spent`` how often it
    has used Rapid Removal and Peg Subtraction. ``turn`` is the number of the turn in play (and of
    the round), ``mover`` whose it is, ``last`` the turn before it.
    """

    frame: Preliminaries
    phase: Phase
    turn: int = 0
    mover: Seat = 0
    left: Pair = (0, 0)
    removed: Pair = (0, 0)
    owned: Pair = (0, 0)
    standing: int = 0
    ended: tuple[Ended | None, Ended | None] = (None, None)
    spent: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    last: PegTurn | None = None

    def pegs_left(self, seat: Seat) -> int:
        """The pegs still on a seat's pallet."""
        return self.frame.pegs[seat] & self.left[seat]

    def used(self, seat: Seat) -> int:
        """The squares that a seat has cut out of its pallet."""
        return PALLET & ~self.left[seat] & ~self.removed[seat]

    def in_hand(self, seat: Seat, item: Literal[1, 2]) -> int:
        """How often a seat may still use Rapid Removal (1) or Peg Subtraction (2), the rounds in
        which that is possible aside."""
        return self.frame.items[seat][item] - self.spent[seat][item - 1]

    @property
    def scores(self) -> Pair:
        """The squares of the domain that each seat owns."""
        return self.owned[0].bit_count(), self.owned[1].bit_count()


_replace = msgspec.structs.replace


def _with(pair: tuple[object, object], seat: Seat, value: object) -> tuple[object, object]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


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


# -- set-up --------------------------------------------------------------------------------------


def took(state: PegDomainState, right: Right) -> PegDomainState:
    """The rights are settled; the pallets are drawn next."""
    return PegDomainState(_replace(state.frame, right=right), "pallets")


def drawn(state: PegDomainState, colours: tuple[int, ...], pegs: int) -> PegDomainState:
    """These colours' pallets are drawn; the inspection begins with the last of them."""
    pair = [pegs if colour in colours else of for colour, of in enumerate(state.frame.drawn)]
    frame = _replace(state.frame, drawn=(pair[0], pair[1]))
    return PegDomainState(frame, "inspection" if all(pair) else "pallets")


def inspected(state: PegDomainState, seat: Seat) -> PegDomainState:
    """The inspection of one seat is over."""
    first, second = state.frame.ready
    ready = (True, second) if seat == 0 else (first, True)
    return PegDomainState(
        _replace(state.frame, ready=ready), "order" if all(ready) else "inspection"
    )


def named_extra(state: PegDomainState, seat: Seat, colour: Colour, square: int) -> PegDomainState:
    """Additional Peg named a square. For each colour as many are kept as there are pegs to add,
    the latest ones."""
    frame = state.frame
    at = 0 if colour == "red" else 1
    named = list(frame.extra[seat])
    kept = [*[each for each in named[at] if each != square], square]
    named[at] = tuple(kept[-frame.items[seat][0] :])
    extra = _with(frame.extra, seat, (named[0], named[1]))
    return PegDomainState(_replace(frame, extra=extra), "inspection")


def ordered(state: PegDomainState, first: Seat) -> PegDomainState:
    """It is settled who goes first."""
    return PegDomainState(_replace(state.frame, first=first), "colour")


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


# -- the end ------------------------------------------------------------------------------------


def outcome_of(state: PegDomainState) -> Outcome | None:
    """More squares of the domain; then more squares of one's pallet used; then the
    advantage."""
    if state.phase != "over":
        return None
    one, two = scores = state.scores
    if one != two:
        return Outcome(0 if one > two else 1, POINTS.id, scores)
    one, two = (state.used(seat).bit_count() for seat in (0, 1))
    if one != two:
        return Outcome(0 if one > two else 1, TIE_BREAK.id, scores)
    return Outcome(state.frame.advantage, TIE_BREAK.id, scores)


# -- removals ------------------------------------------------------------------------------------


def removable(state: PegDomainState) -> int:
    """The squares of the mover's pallet that can be removed this turn."""
    seat = state.mover
    left = state.left[seat]
    pegs = state.frame.pegs[seat]
    return left & ~pegs & ~around(pegs & left) & ~around(state.removed[seat])


def removable_at_first(pegs: int) -> int:
    """The squares of a fresh pallet that can be removed."""
    return PALLET & ~around(pegs)


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
