"""What can be submitted in a match of Peg Domain."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Colour: TypeAlias = Literal["red", "blue"]
Right: TypeAlias = Literal["order", "colour"]


class Take(msgspec.Struct, frozen=True, gc=False, tag="take"):
    """Which right the seat with the advantage takes; the other seat has the other one."""

    right: Right


class EndInspection(msgspec.Struct, frozen=True, gc=False, tag="ready"):
    """One's own inspection is over."""


class Extra(msgspec.Struct, frozen=True, gc=False, tag="extra"):
    """Additional Peg: a square of the pallet of that colour."""

    colour: Colour
    square: int


class Order(msgspec.Struct, frozen=True, gc=False, tag="order"):
    """To go first or second."""

    first: bool


class Choose(msgspec.Struct, frozen=True, gc=False, tag="choose"):
    """One's own colour, and with it pallet and side."""

    colour: Colour


class PlaceCutOut(msgspec.Struct, frozen=True, gc=False, tag="place"):
    """A cut-out laid on the domain.

    ``squares`` are the cut-out's on the pallet, the anchor first; ``by_path`` says that they were
    given as a path, and are in its order. The anchor comes to lie on ``target``, and all is turned
    about it by ``turns`` quarters, clockwise. ``minus`` is the square of the domain from which Peg
    Subtraction takes a peg first, or None.
    """

    squares: tuple[int, ...]
    by_path: bool
    target: int
    turns: int
    minus: int | None = None


class Finish(msgspec.Struct, frozen=True, gc=False, tag="finish"):
    """No more placements, for good; also what becomes of a turn that runs out."""


class Remove(msgspec.Struct, frozen=True, gc=False, tag="remove"):
    """A square of the mover's pallet that goes at the end of the turn."""

    square: int


class Rapid(msgspec.Struct, frozen=True, gc=False, tag="rapid"):
    """Rapid Removal: the three by three squares around a square of the mover's pallet."""

    centre: int


class Keep(msgspec.Struct, frozen=True, gc=False, tag="keep"):
    """No removal this turn."""


class InspectionTimeout(msgspec.Struct, frozen=True, gc=False, tag="out-of-time"):
    """The inspection is over because its time is. No player can submit it."""


Move: TypeAlias = (
    Take
    | EndInspection
    | Extra
    | Order
    | Choose
    | PlaceCutOut
    | Finish
    | Remove
    | Rapid
    | Keep
    | InspectionTimeout
)
