"""The states of a match, how it is set up, and how it ended."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from games.engine.decisions import Outcome, Seat, other
from games.engine.reasons import POINTS, TIE_BREAK
from games.rulesets.peg_domain.boards import PALLET, around
from games.rulesets.peg_domain.moves import Colour, Move, Right

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


def removable_at_first(pegs: int) -> int:
    """The squares of a fresh pallet that can be removed."""
    return PALLET & ~around(pegs)


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
