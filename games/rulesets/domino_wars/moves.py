"""What can be submitted in a match of Domino Wars."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from games.rulesets.domino_wars.board import NAMES, Play
from games.rulesets.domino_wars.lanes import DominoIndex

DECK: Final = 8  # dominoes


class ChooseStarter(msgspec.Struct, frozen=True, gc=False, tag="order"):
    """Whether the chooser plays first."""

    first: bool


class Deck(msgspec.Struct, frozen=True, gc=False, tag="deck"):
    """A player's dominoes for the match, in ascending order; alike ones stand side by side."""

    dominoes: tuple[DominoIndex, ...]


class Mulligan(msgspec.Struct, frozen=True, gc=False, tag="mulligan"):
    """Whether the opening hand is put back for another one."""

    again: bool


class Return(msgspec.Struct, frozen=True, gc=False, tag="return"):
    """Effect 0: a domino from the own discard pile goes to the bottom of the draw pile."""

    domino: DominoIndex


class Top(msgspec.Struct, frozen=True, gc=False, tag="top"):
    """Effect 2: a domino of the own draw pile goes on top of it."""

    domino: DominoIndex


class Discard(msgspec.Struct, frozen=True, gc=False, tag="discard"):
    """Effect 4: a domino of the hand is discarded."""

    domino: DominoIndex


class ReserveTimeout(msgspec.Struct, frozen=True, gc=False, tag="out-of-time"):
    """The reserve of the player whose turn it was is used up. No player can type this."""


Move: TypeAlias = ChooseStarter | Deck | Mulligan | Play | Return | Top | Discard | ReserveTimeout

ORDERS: Final = (ChooseStarter(True), ChooseStarter(False))
MULLIGANS: Final = (Mulligan(True), Mulligan(False))
RETURNS: Final = tuple(map(Return, range(len(NAMES))))
TOPS: Final = tuple(map(Top, range(len(NAMES))))
DISCARDS: Final = tuple(map(Discard, range(len(NAMES))))
