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
from games.rulesets.domain.pool import Pool, PoolDocument, built_in, prepared

Phase: TypeAlias = Literal["pool", "inspect", "first", "draft", "place", "final", "over"]

MISSES_TO_LOSE = 2


class Terms(msgspec.Struct, frozen=True, gc=False):
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


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One turn of the placement: a shape laid, or discarded where ``laid`` is None. ``struck`` says
    that it was challenged, found invalid and so discarded after all."""

    seat: Seat
    shape: int
    laid: Laid | None = None
    struck: bool = False


class State(msgspec.Struct, frozen=True, gc=False):
    """A match between two moves."""

    terms: Terms
    phase: Phase = "pool"
    pool: Pool | None = None
    ready: tuple[bool, bool] = (False, False)
    mover: Seat = 0  # who picks or places now
    free: int = 0  # shapes nobody has taken
    hands: tuple[int, int] = (0, 0)
    taken: tuple[tuple[Seat, int | None], ...] = ()  # the draft: a shape, or None for a miss
    turns: tuple[Turn, ...] = ()
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


class Saved(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A state as it is stored. A pool is its name where it is built in, else its document. A turn
    is seat, shape, struck and, for a placement, domain, x, y and angle."""

    advantage: Literal[0, 1]
    early_ready: bool
    strict: bool
    by_organiser: bool
    challenge_cost_ms: int
    phase: Phase
    offered: PoolDocument | None = None
    pool: str | PoolDocument | None = None
    ready: tuple[bool, bool] = (False, False)
    mover: Literal[0, 1] = 0
    free: int = 0
    hands: tuple[int, int] = (0, 0)
    taken: tuple[tuple[Literal[0, 1], int | None], ...] = ()
    turns: tuple[SavedTurn, ...] = ()
    challenged: bool = False
    review: bool = False
    wrong: tuple[int, int] = (0, 0)
    outcome: Outcome | None = None


def saved(state: State) -> Saved:
    """The stored form of a state."""
    terms, pool = state.terms, state.pool
    return Saved(
        advantage=1 if terms.advantage else 0,
        early_ready=terms.early_ready,
        strict=terms.strict,
        by_organiser=terms.by_organiser,
        challenge_cost_ms=terms.challenge_cost_ms,
        phase=state.phase,
        offered=None if terms.offered is None else terms.offered.document,
        pool=_saved_pool(pool),
        ready=state.ready,
        mover=1 if state.mover else 0,
        free=state.free,
        hands=state.hands,
        taken=tuple([(1 if seat else 0, shape) for seat, shape in state.taken]),
        turns=tuple([_saved_turn(turn) for turn in state.turns]),
        challenged=state.challenged,
        review=state.review,
        wrong=state.wrong,
        outcome=state.outcome,
    )


def _saved_pool(pool: Pool | None) -> str | PoolDocument | None:
    if pool is None:
        return None
    return pool.reference if built_in().get(pool.reference) == pool else pool.document


def _saved_turn(turn: Turn) -> list[int]:
    head = [turn.seat, turn.shape, int(turn.struck)]
    laid = turn.laid
    return head if laid is None else [*head, laid.domain, laid.x, laid.y, laid.angle]


def restored(stored: Saved) -> State:
    """The state of a stored form. Raises ValueError for what never was one."""
    pool = _restored_pool(stored.pool)
    if (pool is None) != (stored.phase == "pool"):
        raise ValueError("there is a pool in every phase but the first")
    return State(
        terms=Terms(
            stored.advantage,
            stored.early_ready,
            stored.strict,
            stored.by_organiser,
            stored.challenge_cost_ms,
            None if stored.offered is None else prepared(stored.offered),
        ),
        phase=stored.phase,
        pool=pool,
        ready=stored.ready,
        mover=stored.mover,
        free=stored.free,
        hands=stored.hands,
        taken=stored.taken,
        turns=tuple([_restored_turn(turn, pool) for turn in stored.turns]),
        challenged=stored.challenged,
        review=stored.review,
        wrong=stored.wrong,
        outcome=stored.outcome,
    )


def _restored_pool(stored: str | PoolDocument | None) -> Pool | None:
    if isinstance(stored, PoolDocument):
        return prepared(stored)
    if stored is None:
        return None
    if stored not in built_in():
        raise ValueError(f"there is no built-in pool {stored!r}")
    return built_in()[stored]


def _restored_turn(stored: list[int], pool: Pool | None) -> Turn:
    seat, shape, struck, *rest = stored
    if seat not in (0, 1) or pool is None or not 0 <= shape < len(pool.forms):
        raise ValueError("a turn without a seat or a shape")
    if not rest:
        return Turn(seat, shape)
    domain, x, y, angle = rest
    if domain not in (0, 1) or not 0 <= angle < 360 or x < 0 or y < 0:
        raise ValueError("a shape that lies nowhere")
    return Turn(seat, shape, Laid(seat, shape, domain, x, y, angle), bool(struck))
