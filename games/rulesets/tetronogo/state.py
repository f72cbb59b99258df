"""The state of a match of Tetronogo, and the history it is rebuilt from.

Everything follows from the history: who had the advantage, and for each bout the tetrominoes, the
starter, the placements and whose time ran out. The history is what is stored; the bit sets that
make play fast are kept in the state but never written out.

Secret picks are not part of a state: they wait outside until both are in.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Annotated, Literal, TypeAlias

import msgspec

from games.engine.decisions import Decision, Outcome, Seat
from games.rulesets.tetronogo.moves import LETTERS, SQUARES, Letter
from games.rulesets.tetronogo.pieces import UNKNOWN, Duel, duel
from games.rulesets.tetronogo.scoring import Group, groups

MOST_BOUTS = 4
MOST_PLACEMENTS = 36  # tetrominoes that fit on 144 squares

Phase: TypeAlias = Literal["pick", "starter", "place", "over"]
Ply: TypeAlias = tuple[Decision, ...]  # the decisions open at one moment


class Bout(msgspec.Struct, frozen=True, gc=False):
    """A bout that has ended. ``placed`` are placement numbers, the starter's first."""

    pieces: tuple[Letter, Letter]
    starter: Seat
    placed: tuple[int, ...]
    out_of_time: Seat | None
    points: tuple[int, int]

    @property
    def winner(self) -> Seat | None:
        """Who won it. A bout lost on time is won by the other player whatever the points."""
        if self.out_of_time is not None:
            return 1 - self.out_of_time
        first, second = self.points
        if first == second:
            return None
        return 0 if first > second else 1

    @property
    def stuck(self) -> Seat | None:
        """Who began a turn with no placement, unless the bout ended on time."""
        if self.out_of_time is not None:
            return None
        return self.starter ^ (len(self.placed) & 1)

    @property
    def boards(self) -> tuple[int, int]:
        """The squares covered by each seat's pieces at the end."""
        return duel(*self.pieces).boards(self.starter, self.placed)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups on the board at the end."""
        return _groups(self.pieces, self.starter, self.placed)

    def taker(self, group: Group) -> Seat | None:
        """Who scored a group: whoever has more edges, but never whoever ran out of time."""
        return None if group.taker == self.out_of_time else group.taker


@lru_cache(maxsize=512)
def _groups(
    pieces: tuple[Letter, Letter], starter: Seat, placed: tuple[int, ...]
) -> tuple[Group, ...]:
    """Kept because every view of a match shows all of its finished bouts."""
    return groups(*duel(*pieces).boards(starter, placed))


class BoutFrame(msgspec.Struct, frozen=True, gc=False):
    """What stays the same from one placement to the next.

    ``duel`` is `UNKNOWN` until both picks are in, ``starter`` None until the choice is made.
    ``plies`` are the open decisions after 0, 1, 2… placements.
    """

    advantage: Seat
    bouts: tuple[Bout, ...]
    phase: Phase
    duel: Duel
    starter: Seat | None
    plies: tuple[Ply, ...]
    outcome: Outcome | None

    @property
    def pieces(self) -> tuple[Letter, Letter] | None:
        """The tetrominoes of the bout in play, once they are revealed."""
        if self.duel is UNKNOWN:
            return None
        first, second = self.duel.pieces
        return first.letter, second.letter

    @property
    def number(self) -> int:
        """The bout in play, from 1; after the end, the last one played."""
        return len(self.bouts) + (self.phase != "over")

    @property
    def chooser(self) -> Seat:
        """Who chooses the starter: whoever lost the bout before, else the advantage seat.

        House ruling: after a drawn bout it is the advantage seat.
        """
        winner = self.bouts[-1].winner if self.bouts else None
        return self.advantage if winner is None else 1 - winner

    @property
    def totals(self) -> tuple[int, int]:
        """Points over all finished bouts."""
        return sum(b.points[0] for b in self.bouts), sum(b.points[1] for b in self.bouts)

    def used(self, seat: Seat) -> tuple[Letter, ...]:
        """The tetrominoes a seat has had, bout by bout; today's once it is revealed."""
        letters = tuple([bout.pieces[seat] for bout in self.bouts])
        return letters if self.duel is UNKNOWN else (*letters, self.duel.pieces[seat].letter)

    def unused(self, seat: Seat) -> tuple[Letter, ...]:
        """The tetrominoes a seat has not had."""
        return _without(self.used(seat))


@cache
def _without(used: tuple[Letter, ...]) -> tuple[Letter, ...]:
    return tuple(letter for letter in LETTERS if letter not in used)


class TetronogoState(msgspec.Struct, frozen=True, gc=False):
    """A position. ``mine`` and ``theirs`` are the placements left to the mover and the other."""

    frame: BoutFrame
    placed: tuple[int, ...] = ()
    mine: int = 0
    theirs: int = 0

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """What is open."""
        return self.frame.plies[len(self.placed)]

    @property
    def mover(self) -> Seat | None:
        """Whose turn it is to place."""
        starter = self.frame.starter
        if self.frame.phase != "place" or starter is None:
            return None
        return starter ^ (len(self.placed) & 1)

    @property
    def boards(self) -> tuple[int, int]:
        """The squares covered by each seat's pieces in the bout in play."""
        return self.frame.duel.boards(self.frame.starter or 0, self.placed)

    @property
    def left(self) -> tuple[int, int]:
        """How many placements each seat has left; (0, 0) outside of placing."""
        mine, theirs = self.mine.bit_count(), self.theirs.bit_count()
        return (mine, theirs) if self.mover == 0 else (theirs, mine)


# -- frames, one for each phase ----------------------------------------------------------------


def pick_frame(advantage: Seat, bouts: tuple[Bout, ...]) -> BoutFrame:
    """A new bout: both seats pick."""
    return BoutFrame(advantage, bouts, "pick", UNKNOWN, None, _pick_plies(len(bouts) + 1), None)


def starter_frame(frame: BoutFrame, pieces: tuple[Letter, Letter]) -> BoutFrame:
    """The picks are revealed: one seat chooses the starter."""
    plies = _starter_plies(frame.number, frame.chooser)
    return BoutFrame(frame.advantage, frame.bouts, "starter", duel(*pieces), None, plies, None)


def place_frame(frame: BoutFrame, starter: Seat) -> BoutFrame:
    """The starter is known: pieces are placed."""
    plies = _place_plies(frame.number, starter)
    return BoutFrame(frame.advantage, frame.bouts, "place", frame.duel, starter, plies, None)


def over_frame(frame: BoutFrame, bouts: tuple[Bout, ...], outcome: Outcome) -> BoutFrame:
    """The match has ended."""
    return BoutFrame(frame.advantage, bouts, "over", UNKNOWN, None, ((),), outcome)


@cache
def _pick_plies(number: int) -> tuple[Ply, ...]:
    return (
        tuple(
            Decision(
                id=f"{number}.pick.{seat}",
                seat=seat,
                kind="pick",
                clock="pick",
                prompt=f"Pick your tetromino for bout {number} in secret.",
                barrier=f"{number}.pick",
            )
            for seat in (0, 1)
        ),
    )


@cache
def _starter_plies(number: int, chooser: Seat) -> tuple[Ply, ...]:
    return (
        (
            Decision(
                id=f"{number}.starter",
                seat=chooser,
                kind="starter",
                clock="choice",
                prompt=f"Choose whether you go first or second in bout {number}.",
            ),
        ),
    )


@cache
def _place_plies(number: int, starter: Seat) -> tuple[Ply, ...]:
    return tuple(
        (
            Decision(
                id=f"{number}.place.{placed + 1}",
                seat=starter ^ (placed & 1),
                kind="place",
                clock="turn",
                prompt="Place your tetromino.",
            ),
        )
        for placed in range(MOST_PLACEMENTS)
    )


# -- the history -------------------------------------------------------------------------------


_StoredSeat: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1)]
_StoredLetter: TypeAlias = Annotated[str, msgspec.Meta(pattern=f"^[{LETTERS}]$")]
_StoredPlace: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=4 * SQUARES)]


class BoutHistory(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was decided in a bout. ``placed`` holds 144 times the turns plus the corner."""

    pieces: tuple[_StoredLetter, _StoredLetter]
    starter: _StoredSeat | None = None
    placed: tuple[_StoredPlace, ...] = ()
    out_of_time: _StoredSeat | None = None


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was decided in a match. The last bout may be unfinished; it is not listed before its
    tetrominoes are revealed."""

    advantage: _StoredSeat
    bouts: tuple[BoutHistory, ...]
