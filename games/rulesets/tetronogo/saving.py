"""States as compact JSON: what happened; the rest follows from it."""

from __future__ import annotations

import msgspec

from core.refusals import Refusal
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.rulesets.tetronogo.course import applied
from games.rulesets.tetronogo.moves import SQUARES, Move, OutOfTime, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.pieces import duel
from games.rulesets.tetronogo.state import BoutHistory, History, TetronogoState, pick_frame
from games.rulesets.tetronogo.validation import validate

_HISTORY = msgspec.json.Decoder(History)


def encode(state: TetronogoState) -> bytes:
    """The state as compact JSON."""
    return msgspec.json.encode(_history(state))


def decode(data: bytes) -> TetronogoState:
    """The state of an encoding. Raises EngineFault."""
    try:
        history = _HISTORY.decode(data)
    except msgspec.DecodeError as error:
        raise EngineFault(f"not a state of Tetronogo: {error}") from error
    return replayed(history)


def _history(state: TetronogoState) -> History:
    frame = state.frame
    bouts = [
        _bout_history(bout.pieces, bout.starter, bout.placed, bout.out_of_time)
        for bout in frame.bouts
    ]
    if frame.pieces is not None:
        bouts.append(_bout_history(frame.pieces, frame.starter, state.placed, None))
    return History(frame.advantage, tuple(bouts))


def _bout_history(
    pieces: tuple[str, str], starter: Seat | None, placed: tuple[int, ...], late: Seat | None
) -> BoutHistory:
    tetrominoes = duel(*pieces).pieces
    codes = []
    for ply, number in enumerate(placed):
        move = tetrominoes[(starter or 0) ^ (ply & 1)].moves[number]
        codes.append(move.turns * SQUARES + move.square)
    return BoutHistory(pieces, starter, tuple(codes), late)


def replayed(history: History) -> TetronogoState:
    """The state that a history leads to. Raises EngineFault where it cannot be one."""
    state = TetronogoState(pick_frame(history.advantage, ()))
    try:
        for bout in history.bouts:
            state = _replay_bout(state, bout)
    except (Refusal, ValueError) as error:  # ValueError: no such decision is open
        raise EngineFault(f"not a history of Tetronogo: {error}") from error
    return state


def _replay_bout(state: TetronogoState, bout: BoutHistory) -> TetronogoState:
    picks = tuple(enumerate(map(Pick, bout.pieces)))
    for decision, (_, pick) in zip(state.decisions, picks, strict=True):
        validate(state, decision, pick)
    state = applied(state, picks)

    moves: list[Move] = []
    if bout.starter is not None:
        moves.append(Start("first" if bout.starter == state.frame.chooser else "second"))
    moves.extend(PlaceTetromino(code % SQUARES, code // SQUARES) for code in bout.placed)
    for move in moves:
        (decision,) = state.decisions
        validate(state, decision, move)
        state = applied(state, ((decision.seat, move),))
    if bout.out_of_time is not None:
        if bout.out_of_time != state.mover:
            raise ValueError("only the mover can run out of time")
        state = applied(state, ((bout.out_of_time, OutOfTime()),))
    return state
