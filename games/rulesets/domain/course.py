"""The course of a match: what each move leads to, and how it ends."""

from __future__ import annotations

import msgspec

from games.engine.decisions import Outcome, Seat, other
from games.engine.errors import EngineFault
from games.engine.reasons import POINTS, TIE_BREAK, TIMEOUT, Reason
from games.engine.ruleset import Chosen
from games.rulesets.domain import board
from games.rulesets.domain.board import Laid
from games.rulesets.domain.moves import (
    COLOURS,
    Accept,
    ChallengePlacement,
    DiscardShape,
    First,
    Move,
    PlaceShape,
    Ready,
    TakeShape,
)
from games.rulesets.domain.state import MISSES_TO_LOSE, DomainState, Phase, ShapeTurn

_replace = msgspec.structs.replace

MISSED_PICKS = Reason(
    id="missed-picks",
    how="through missed picks",
    room="{winner} won: {loser} missed too many picks.",
    winner="You won: {loser} missed too many picks.",
    loser="You lost: you missed too many picks.",
)


def applied(state: DomainState, chosen: Chosen[Move]) -> DomainState:
    """The state after validated moves."""
    seat, move = chosen[0]
    match move:
        case PlaceShape():
            number = state.ready_pool.index[move.shape]
            domain = COLOURS.index(move.domain)
            laid = Laid(seat, number, domain, move.x, move.y, move.angle)
            return _apply_place(state, ShapeTurn(seat, number, laid))
        case TakeShape():
            return _apply_take(state, seat, state.ready_pool.index[move.shape])
        case DiscardShape():
            return _apply_place(state, ShapeTurn(seat, state.ready_pool.index[move.shape]))
        case ChallengePlacement():
            return _apply_challenge(state)
        case Accept():
            return _end(state)
        case Ready():
            return _apply_ready(state, seat)
        case First():
            picker = seat if move.order == "first" else other(seat)
            return _replace(state, phase="draft", mover=picker)
    return _out_of_time(state, seat)


def scores(state: DomainState) -> tuple[int, int]:
    """Pixels as they stand; before the first placement those of the bare domains."""
    if state.outcome is not None:
        return state.outcome.scores
    if not state.turns or state.pool is None:
        bare = board.bare(state.pool)
        return bare, bare
    return board.count(state.pool, state.terms.red, state.laid)


def _apply_ready(state: DomainState, seat: Seat) -> DomainState:
    ready = (state.ready[0] or seat == 0, state.ready[1] or seat == 1)
    phase: Phase = "first" if all(ready) else "inspect"
    return _replace(state, ready=ready, phase=phase)


def _apply_take(state: DomainState, seat: Seat, number: int) -> DomainState:
    bit = 1 << number
    first, second = state.hands
    hands = (first | bit, second) if seat == 0 else (first, second | bit)
    free = state.free ^ bit
    taken = (*state.taken, (seat, number))
    if free:
        return _replace(state, mover=1 - seat, free=free, hands=hands, taken=taken)
    starter = 0 if hands[0] >> state.ready_pool.start & 1 else 1
    return _replace(state, phase="place", mover=starter, free=0, hands=hands, taken=taken)


def _apply_place(state: DomainState, turn: ShapeTurn) -> DomainState:
    seat, bit = turn.seat, 1 << turn.shape
    first, second = state.hands
    hands = (first ^ bit, second) if seat == 0 else (first, second ^ bit)
    after = DomainState(
        state.terms,
        "place",
        state.pool,
        state.ready,
        1 - seat,
        0,
        hands,
        state.taken,
        (*state.turns, turn),
        False,
        False,
        state.wrong,
    )
    return after if hands[1 - seat] else _without_shapes(after)


def _without_shapes(state: DomainState) -> DomainState:
    """The mover has no shape left: the match ends, once a last placement can no longer be
    challenged."""
    if state.can_challenge:
        return _replace(state, phase="final")
    return _end(state)


def _apply_challenge(state: DomainState) -> DomainState:
    challenged = _replace(state, challenged=True)
    if state.terms.by_organiser:
        return _replace(challenged, review=True)
    return ruled(challenged, last_is_valid(state))


def last_is_valid(state: DomainState) -> bool:
    """Whether the latest placement was valid when it was made."""
    turn = state.turns[-1]
    if turn.laid is None:
        raise EngineFault("the last turn was no placement")
    return board.is_valid(state.ready_pool, state.laid[:-1], turn.laid)


def ruled(state: DomainState, valid: bool) -> DomainState:
    """The challenge of the last placement is decided. The turn stays with the challenger."""
    if valid:
        first, second = state.wrong
        wrong = (first + 1, second) if state.mover == 0 else (first, second + 1)
        state = _replace(state, wrong=wrong)
    else:
        struck = _replace(state.turns[-1], struck=True)
        state = _replace(state, turns=(*state.turns[:-1], struck))
    return _end(state) if state.phase == "final" else state


def _end(state: DomainState) -> DomainState:
    scores = board.count(state.ready_pool, state.terms.red, state.laid)
    first, second = scores
    if first == second:
        outcome = Outcome(state.terms.advantage, TIE_BREAK.id, scores)
    else:
        outcome = Outcome(0 if first > second else 1, POINTS.id, scores)
    return _replace(state, phase="over", outcome=outcome)


def _out_of_time(state: DomainState, seat: Seat) -> DomainState:
    if state.phase == "inspect":
        return _apply_ready(state, seat)
    if state.phase == "draft":
        missed = _replace(state, mover=1 - seat, taken=(*state.taken, (seat, None)))
        if missed.misses[seat] < MISSES_TO_LOSE:
            return missed
        bare = board.bare(state.pool)
        return _replace(
            missed, phase="over", outcome=Outcome(1 - seat, MISSED_PICKS.id, (bare, bare))
        )
    scores = board.count(state.ready_pool, state.terms.red, state.laid)
    return _replace(state, phase="over", outcome=Outcome(1 - seat, TIMEOUT.id, scores))
