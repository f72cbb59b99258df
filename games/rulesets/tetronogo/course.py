"""The course of a match: what each move leads to, and how bouts and the match end."""

from __future__ import annotations

from games.engine.decisions import Outcome, Seat
from games.engine.reasons import TIE_BREAK, Reason
from games.engine.ruleset import Chosen
from games.rulesets.tetronogo.moves import Move, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.scoring import points
from games.rulesets.tetronogo.state import (
    MOST_BOUTS,
    Bout,
    BoutFrame,
    TetronogoState,
    over_frame,
    pick_frame,
    place_frame,
    starter_frame,
)

TWO_IN_A_ROW = Reason(
    id="two-in-a-row",
    how="with two bouts in a row",
    how_lost="to two bouts in a row",
    room="{winner} won two bouts in a row.",
    winner="You won two bouts in a row, and the match.",
    loser="You lost: {winner} won two bouts in a row.",
)


TOTAL = Reason(
    id="total",
    how="on the total of all bouts",
    room="{winner} won by total points, {own} to {other}.",
    winner="You won by total points, {own} to {other}.",
    loser="You lost by total points, {own} to {other}.",
)


def applied(state: TetronogoState, chosen: Chosen[Move]) -> TetronogoState:
    """The state after validated moves."""
    seat, move = chosen[0]
    if type(move) is PlaceTetromino:
        frame = state.frame
        _, placement, own, others = frame.duel.sides[seat]
        number = placement[move.turns][move.square]
        theirs = state.theirs & others[number]
        placed = state.placed + (number,)  # noqa: RUF005 (unpacking takes half as long again)
        if theirs:
            return TetronogoState(frame, placed, theirs, state.mine & own[number])
        return _end_bout(frame, placed, None)
    if isinstance(move, Pick):
        first, second = [pick.letter for _, pick in chosen if isinstance(pick, Pick)]
        return TetronogoState(starter_frame(state.frame, (first, second)))
    if isinstance(move, Start):
        return _begin_placing(state.frame, seat if move.order == "first" else 1 - seat)
    return _end_bout(state.frame, state.placed, seat)


def _begin_placing(frame: BoutFrame, starter: Seat) -> TetronogoState:
    placing = place_frame(frame, starter)
    pieces = placing.duel.pieces
    return TetronogoState(placing, (), pieces[starter].everywhere, pieces[1 - starter].everywhere)


def _end_bout(
    frame: BoutFrame, placed: tuple[int, ...], out_of_time: Seat | None
) -> TetronogoState:
    """The state after the bout in play, ended by time or by a turn with no placement.

    House ruling: whoever runs out of time scores nothing in the bout; the other player scores
    what the board gives at that moment.
    """
    starter = frame.starter or 0
    scored = points(*frame.duel.boards(starter, placed))
    if out_of_time is not None:
        scored = (0, scored[1]) if out_of_time == 0 else (scored[0], 0)
    first, second = frame.duel.pieces
    bout = Bout((first.letter, second.letter), starter, placed, out_of_time, scored)
    bouts = (*frame.bouts, bout)
    outcome = _outcome(frame.advantage, bouts)
    if outcome is not None:
        return TetronogoState(over_frame(frame, bouts, outcome))
    return TetronogoState(pick_frame(frame.advantage, bouts))


def _outcome(advantage: Seat, bouts: tuple[Bout, ...]) -> Outcome | None:
    """Two bouts won in a row; else, after the last bout, more points over all bouts, then the
    latest bout that was won, then (house ruling) the advantage."""
    totals = sum(bout.points[0] for bout in bouts), sum(bout.points[1] for bout in bouts)
    latest = bouts[-1].winner
    if latest is not None and len(bouts) > 1 and bouts[-2].winner == latest:
        return Outcome(latest, TWO_IN_A_ROW.id, totals)
    if len(bouts) < MOST_BOUTS:
        return None
    if totals[0] != totals[1]:
        return Outcome(0 if totals[0] > totals[1] else 1, TOTAL.id, totals)
    won = [bout.winner for bout in bouts if bout.winner is not None]
    return Outcome(won[-1] if won else advantage, TIE_BREAK.id, totals)
