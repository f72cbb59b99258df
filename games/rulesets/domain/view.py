"""What everyone may see of a match of Domain.

Nothing in a state is secret from anyone: the pool is drawn when the match starts. What a view does
not have, under refereeing by challenge, is any word on whether a placement is valid: that is the
game. The keys are described in ``view.md``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from games.rulesets.domain.pool import Form, Pool, PoolDocument, built_in
from games.rulesets.domain.state import DomainState, ShapeTurn


def view(state: DomainState, scores: tuple[int, int]) -> dict[str, Any]:
    """The view of a state, whose pixels are ``scores``."""
    terms, pool = state.terms, state.pool
    outcome = state.outcome
    return {
        "phase": state.phase,
        "to_move": state.mover if state.phase in ("draft", "place", "final") else None,
        "advantage": terms.advantage,
        "red": terms.red,
        "refereeing": "strict" if terms.strict else "challenge",
        "review": "organiser" if terms.by_organiser else "engine",
        "early_ready": terms.early_ready,
        "challenge_cost_ms": terms.challenge_cost_ms,
        "pool": None if pool is None else _pool(pool),
        # Whoever may read the options has it, too; afterwards it is the pool itself.
        "offered": None if terms.offered is None else _plain(terms.offered.document),
        "ready": list(state.ready),
        "taken": [[seat, _id(pool, shape)] for seat, shape in state.taken],
        "misses": list(state.misses),
        "hands": [_ids(pool, bits) for bits in state.hands],
        "free": _ids(pool, state.free),
        "turns": [_turn(pool, turn) for turn in state.turns],
        "challenged": state.challenged,
        "can_challenge": state.can_challenge and not state.review,
        "under_review": state.review,
        "wrong": list(state.wrong),
        "scores": list(scores),
        "outcome": None
        if outcome is None
        else {
            "winner": outcome.winner,
            "reason": outcome.reason,
            "scores": list(outcome.scores),
        },
    }


def _plain(document: PoolDocument) -> Any:
    return msgspec.json.decode(msgspec.json.encode(document))


def _pool(pool: Pool) -> dict[str, Any]:
    return {
        "name": pool.document.name,
        "version": pool.document.version,
        "size": [pool.width, pool.height],
        "built_in": built_in().get(pool.reference) == pool,
        "shapes": [_shape(form) for form in pool.forms],
    }


def _shape(form: Form) -> dict[str, Any]:
    shape = form.shape
    return {
        "id": form.id,
        "outline": _ring(shape.outline),
        "holes": [_ring(ring) for ring in shape.holes],
        "voids": [_ring(ring) for ring in shape.voids],
        "inner": _ring(shape.inner) if shape.inner else None,
        "start": shape.start,
        "area": form.raster(0).covered.area,
    }


def _ring(ring: Any) -> list[list[int]]:
    return [[x, y] for x, y in ring]


def _id(pool: Pool | None, shape: int | None) -> str | None:
    return None if shape is None or pool is None else pool.forms[shape].id


def _ids(pool: Pool | None, bits: int) -> list[str]:
    if pool is None:
        return []
    return [form.id for number, form in enumerate(pool.forms) if bits >> number & 1]


def _turn(pool: Pool | None, turn: ShapeTurn) -> dict[str, Any]:
    laid = turn.laid
    shown: dict[str, Any] = {
        "seat": turn.seat,
        "shape": _id(pool, turn.shape),
        "kind": "discard" if laid is None else "place",
        "struck": turn.struck,
    }
    if laid is not None:
        shown |= {"domain": laid.colour, "x": laid.x, "y": laid.y, "angle": laid.angle}
    return shown
