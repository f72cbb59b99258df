"""What can be submitted in a match of Domain."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Colour: TypeAlias = Literal["red", "blue"]
COLOURS: tuple[Colour, Colour] = ("red", "blue")


class Ready(msgspec.Struct, frozen=True, gc=False):
    """Done with looking the pool over."""


class First(msgspec.Struct, frozen=True, gc=False):
    """Whether the chooser picks first or second."""

    order: Literal["first", "second"]


class TakeShape(msgspec.Struct, frozen=True, gc=False):
    """Take a shape out of the pool."""

    shape: str


class PlaceShape(msgspec.Struct, frozen=True, gc=False):
    """Lay a shape on a domain, its reference point at pixel (x, y), turned clockwise."""

    shape: str
    domain: Colour
    x: int
    y: int
    angle: int


class DiscardShape(msgspec.Struct, frozen=True, gc=False):
    """Give up a shape instead of placing one."""

    shape: str


class ChallengePlacement(msgspec.Struct, frozen=True, gc=False):
    """Claim that the placement just made is not valid."""


class Accept(msgspec.Struct, frozen=True, gc=False):
    """Let the last placement of the match stand."""


class DecisionTimeout(msgspec.Struct, frozen=True, gc=False):
    """A decision ran out. No player can type this."""


Move: TypeAlias = (
    Ready
    | First
    | TakeShape
    | PlaceShape
    | DiscardShape
    | ChallengePlacement
    | Accept
    | DecisionTimeout
)

READY, CHALLENGE, ACCEPT, OUT_OF_TIME = Ready(), ChallengePlacement(), Accept(), DecisionTimeout()
