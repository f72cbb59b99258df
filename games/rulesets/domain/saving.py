"""States as compact JSON: what happened, shapes by their numbers; the rest follows from it."""

from __future__ import annotations

from typing import Literal

import msgspec

from games.engine.decisions import Outcome
from games.engine.errors import EngineFault
from games.rulesets.domain.board import Laid
from games.rulesets.domain.pool import Pool, PoolDocument, built_in, prepared
from games.rulesets.domain.state import DomainState, DomainTerms, Phase, SavedTurn, ShapeTurn


def encode(state: DomainState) -> bytes:
    """The state as compact JSON."""
    return msgspec.json.encode(saved(state))


def decode(data: bytes) -> DomainState:
    """The state of an encoding. Raises EngineFault."""
    try:
        return restored(_SAVED.decode(data))
    except (msgspec.DecodeError, ValueError) as error:
        raise EngineFault(f"not a state of Domain: {error}") from error


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


_SAVED = msgspec.json.Decoder(Saved)


def saved(state: DomainState) -> Saved:
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
        pool=_encode_pool(pool),
        ready=state.ready,
        mover=1 if state.mover else 0,
        free=state.free,
        hands=state.hands,
        taken=tuple([(1 if seat else 0, shape) for seat, shape in state.taken]),
        turns=tuple([_encode_turn(turn) for turn in state.turns]),
        challenged=state.challenged,
        review=state.review,
        wrong=state.wrong,
        outcome=state.outcome,
    )


def _encode_pool(pool: Pool | None) -> str | PoolDocument | None:
    if pool is None:
        return None
    return pool.reference if built_in().get(pool.reference) == pool else pool.document


def _encode_turn(turn: ShapeTurn) -> list[int]:
    head = [turn.seat, turn.shape, int(turn.struck)]
    laid = turn.laid
    return head if laid is None else [*head, laid.domain, laid.x, laid.y, laid.angle]


def restored(stored: Saved) -> DomainState:
    """The state of a stored form. Raises ValueError for what never was one."""
    pool = _decode_pool(stored.pool)
    if (pool is None) != (stored.phase == "pool"):
        raise ValueError("there is a pool in every phase but the first")
    return DomainState(
        terms=DomainTerms(
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
        turns=tuple([_decode_turn(turn, pool) for turn in stored.turns]),
        challenged=stored.challenged,
        review=stored.review,
        wrong=stored.wrong,
        outcome=stored.outcome,
    )


def _decode_pool(stored: str | PoolDocument | None) -> Pool | None:
    if isinstance(stored, PoolDocument):
        return prepared(stored)
    if stored is None:
        return None
    if stored not in built_in():
        raise ValueError(f"there is no built-in pool {stored!r}")
    return built_in()[stored]


def _decode_turn(stored: list[int], pool: Pool | None) -> ShapeTurn:
    seat, shape, struck, *rest = stored
    if seat not in (0, 1) or pool is None or not 0 <= shape < len(pool.forms):
        raise ValueError("a turn without a seat or a shape")
    if not rest:
        return ShapeTurn(seat, shape)
    domain, x, y, angle = rest
    if domain not in (0, 1) or not 0 <= angle < 360 or x < 0 or y < 0:
        raise ValueError("a shape that lies nowhere")
    return ShapeTurn(seat, shape, Laid(seat, shape, domain, x, y, angle), bool(struck))
