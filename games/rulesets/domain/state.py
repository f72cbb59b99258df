"""The state of a match of Domain.

Everything is in the state's own fields, and small: placements are kept as they were typed, and
what they cover is worked out when somebody asks. Sets of shapes are bit sets of their numbers in
the pool.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from games.engine.chance import RandomSource
from games.engine.decisions import Outcome, Seat
from games.rulesets.domain.board import Laid
from games.rulesets.domain.pool import Pool

Phase: TypeAlias = Literal["pool", "inspect", "first", "draft", "place", "final", "over"]

MISSES_TO_LOSE = 2


class DomainTerms(msgspec.Struct, frozen=True, gc=False):
    """What was agreed for the match and never changes. ``offered`` is the pool that an organiser
    handed in; without one, a built-in pool is drawn."""

    advantage: Seat
    early_ready: bool = True
    strict: bool = False
    by_organiser: bool = False
    challenge_cost_ms: int = 60_000
    offered: Pool | None = None

    @property
    def red(self) -> Seat:
        """The seat that owns the red domain."""
        return self.advantage


class ShapeTurn(msgspec.Struct, frozen=True, gc=False):
    """One turn of the placement: a shape laid, or discarded where ``laid`` is None. ``struck`` says
    that it was challenged, found invalid and so discarded after all."""

    seat: Seat
    shape: int
    laid: Laid | None = None
    struck: bool = False


class DomainState(msgspec.Struct, frozen=True, gc=False):
    """A match between two moves."""

    terms: DomainTerms
    phase: Phase = "pool"
    pool: Pool | None = None
    ready: tuple[bool, bool] = (False, False)
    mover: Seat = 0  # who picks or places now
    free: int = 0  # shapes nobody has taken
    hands: tuple[int, int] = (0, 0)
    taken: tuple[tuple[Seat, int | None], ...] = ()  # the draft: a shape, or None for a miss
    turns: tuple[ShapeTurn, ...] = ()
    challenged: bool = False  # the last turn has been
    review: bool = False  # and waits for the organiser's ruling
    wrong: tuple[int, int] = (0, 0)  # challenges of valid placements
    outcome: Outcome | None = None

    @property
    def strict(self) -> bool:
        """Whether invalid placements are refused."""
        return self.terms.strict

    @property
    def laid(self) -> tuple[Laid, ...]:
        """The shapes that lie on the domains, from below to above."""
        return tuple([turn.laid for turn in self.turns if turn.laid and not turn.struck])

    @property
    def misses(self) -> tuple[int, int]:
        """How many picks each seat has missed."""
        missed = [seat for seat, shape in self.taken if shape is None]
        return missed.count(0), missed.count(1)

    @property
    def ready_pool(self) -> Pool:
        """The pool, which there is in every phase but the first."""
        if self.pool is None:
            raise ValueError("the pool has not been drawn")
        return self.pool

    @property
    def can_challenge(self) -> bool:
        """Whether the last turn is a placement that may be challenged now."""
        if self.strict or self.challenged or not self.turns:
            return False
        return self.turns[-1].laid is not None and self.phase in ("place", "final")


def members(bits: int) -> list[int]:
    """The numbers in a bit set, rising."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def draw_member(bits: int, random: RandomSource) -> int:
    """A number in a bit set that is not empty, each equally likely."""
    for _ in range(int(random() * bits.bit_count())):
        bits &= bits - 1
    return (bits & -bits).bit_length() - 1


# -- storage -------------------------------------------------------------------------------------

SavedTurn: TypeAlias = Annotated[list[int], msgspec.Meta(min_length=3, max_length=7)]
