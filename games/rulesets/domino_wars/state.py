"""The states of a match: an `Opening` until both hands stand, then a `Position`."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from games.engine.decisions import Decision, Seat, other
from games.rulesets.domino_wars.lanes import SQUARES, Direction, DominoIndex

HAND: Final = 3  # dominoes drawn at the start
MULLIGANS_PER_ITEM: Final = 2
MOST_PLAYS: Final = SQUARES * 7 // 2
"""Every play raises two squares, and a square can be raised seven times: to 0, to 1, … to 6."""

Dominoes: TypeAlias = tuple[DominoIndex, ...]
Why: TypeAlias = Literal["six", "hand", "board"]
"""Why a turn was skipped: a 6 played before, an empty hand, or a hand that fits nowhere."""


class Terms(msgspec.Struct, frozen=True, gc=False):
    """What is agreed before the match. The last three are by seat: how often Domino Repeat, Hand
    Mulligan and Tie Advantage are held."""

    advantage: Seat
    draw_when_stuck: bool = False
    repeats: tuple[int, int] = (0, 0)
    mulligans: tuple[int, int] = (0, 0)
    ties: tuple[int, int] = (0, 0)

    @property
    def favoured(self) -> Seat:
        """Who chooses the first player and wins a tie: the holder of Tie Advantage.

        House ruling: without the item, or with one on each side, the seat with the advantage.
        """
        one, two = self.ties
        if bool(one) == bool(two):
            return self.advantage
        return 0 if one else 1


class Known(msgspec.Struct, frozen=True, gc=False):
    """What can be known of a draw pile and a hand beyond their sizes.

    To the owner, who knows the contents anyway: the order of the ``top`` first and the ``bottom``
    last dominoes of the pile. To everybody, from effects 0 that all have seen: the last ``sunk``
    dominoes of the pile and their order; that ``held`` are in the hand; and that ``loose`` are in
    the one or the other.
    """

    top: int = 0
    bottom: int = 0
    sunk: int = 0
    held: Dominoes = ()
    loose: Dominoes = ()


NOTHING: Final = Known()


class Side(msgspec.Struct, frozen=True, gc=False):
    """A seat's dominoes: the hand, the draw pile from the top, the discard pile in the order in
    which it grew, what is known of them, and whether a 6 takes the next turn."""

    hand: Dominoes
    pile: Dominoes
    discards: Dominoes = ()
    known: Known = NOTHING
    skip: bool = False

    @property
    def deck(self) -> Dominoes:
        """All eight, in ascending order."""
        return tuple(sorted(self.hand + self.pile + self.discards))


class Opening(msgspec.Struct, frozen=True, gc=False):
    """A match that is being set up.

    ``first`` is None until the order is chosen and ``decks`` until both are in. A side is None
    while its dominoes have yet to be shuffled. ``left`` counts the mulligans a seat may still take,
    ``again`` the seats for which one is being drawn, ``round`` the times both were asked.
    """

    terms: Terms
    first: Seat | None = None
    decks: tuple[Dominoes, Dominoes] | None = None
    sides: tuple[Side | None, Side | None] = (None, None)
    left: tuple[int, int] = (0, 0)
    again: tuple[bool, bool] = (False, False)
    round: int = 0


class Last(msgspec.Struct, frozen=True, gc=False):
    """The latest play: whose, its code, and the squares it took from the opponent as bits."""

    seat: Seat
    code: int
    taken: int


# What the player to move is asked. The first three have the number of their effect as well.
Ask: TypeAlias = Literal[0, 1, 2, 3]
PLAY: Final[Ask] = 0
RETURN: Final[Ask] = 1
TOP: Final[Ask] = 2
DISCARD: Final[Ask] = 3


class Position(msgspec.Struct, frozen=True, gc=False):
    """A match in play, or over.

    ``turn`` counts plays and ``seat`` has the turn. ``ask`` is what is open: a play, or a choice
    of its first effect (``effect`` 0) or its second. ``board`` is described in the module of that
    name; ``owned`` has the squares of each seat as bits. ``passed`` are the turns that were skipped
    since the latest play. ``late`` is the seat that ran out of time.
    """

    terms: Terms
    first: Seat
    turn: int
    seat: Seat
    ask: Ask
    effect: int
    board: int
    owned: tuple[int, int]
    sides: tuple[Side, Side]
    last: Last | None = None
    passed: tuple[tuple[Seat, Why], ...] = ()
    over: bool = False
    late: Seat | None = None

    def direction(self, seat: Seat) -> Direction:
        """How a seat plays: the first player vertically, the other one horizontally."""
        return 0 if seat == self.first else 1

    def scores(self) -> tuple[int, int]:
        """The squares of each seat."""
        return self.owned[0].bit_count(), self.owned[1].bit_count()

    def winner(self) -> Seat:
        """Who won, once it is over. House ruling: without Tie Advantage the advantage wins a
        tie."""
        if self.late is not None:
            return other(self.late)
        one, two = self.scores()
        if one != two:
            return 0 if one > two else 1
        return self.terms.favoured


State: TypeAlias = Opening | Position


# -- decisions -----------------------------------------------------------------------------------

FIRST_DECISIONS: Final = tuple(
    [
        (
            Decision(
                id="first",
                seat=seat,
                kind="first",
                clock="choice",
                prompt="Choose whether you play first or second",
            ),
        )
        for seat in (0, 1)
    ]
)
DECK_DECISIONS: Final = tuple(
    [
        Decision(
            id="deck",
            seat=seat,
            kind="deck",
            clock="deck",
            prompt="Choose your eight dominoes in secret",
            barrier="deck",
        )
        for seat in (0, 1)
    ]
)


def mulligan_decision(seat: Seat, number: int) -> Decision:
    """The question to a holder of Hand Mulligan, asked for the ``number``-th time."""
    return Decision(
        id=f"mulligan-{number}",
        seat=seat,
        kind="mulligan",
        clock="choice",
        prompt="Keep your opening hand, or take another one",
        barrier=f"mulligan-{number}",
    )


KINDS: Final = ("play", "return", "top", "discard")
_PROMPTS: Final = (
    "Play a domino",
    "Choose a domino of your discard pile for the bottom of your draw pile",
    "Choose a domino of your draw pile to go on top",
    "Choose a domino of your hand to discard",
)


def _turn_decisions() -> tuple[tuple[Decision, ...], ...]:
    return tuple(
        [
            (
                Decision(
                    id=f"turn-{turn + 1}",
                    seat=seat,
                    kind=kind,
                    clock="turn",
                    prompt=prompt,
                ),
            )
            for turn in range(MOST_PLAYS + 1)
            for kind, prompt in zip(KINDS, _PROMPTS, strict=True)
            for seat in (0, 1)
        ]
    )


TURN_DECISIONS: Final = _turn_decisions()
"""By turn, what is asked, and seat. A turn keeps the id of its decision, and so its clock, from
the play through the choices of its effects."""
