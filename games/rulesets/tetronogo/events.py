"""What the log says of Tetronogo."""

from __future__ import annotations

from games.engine.decisions import EVERYONE, Event, Seat
from games.engine.ruleset import Chosen
from games.rulesets.tetronogo.moves import Move, Pick, PlaceTetromino, Start
from games.rulesets.tetronogo.notation import print_move
from games.rulesets.tetronogo.pieces import names
from games.rulesets.tetronogo.state import TetronogoState


def events(before: TetronogoState, chosen: Chosen[Move], after: TetronogoState) -> list[Event]:
    """The events of a step, in order."""
    seat, move = chosen[0]
    if isinstance(move, Pick):
        return [
            _pick_event(before, whose, pick) for whose, pick in chosen if isinstance(pick, Pick)
        ]
    if isinstance(move, Start):
        return [
            Event(
                kind="starter",
                seat=seat,
                text=f"chose to go {move.order}",
                data={"bout": before.frame.number, "starter": after.frame.starter},
                seen_by=EVERYONE,
            )
        ]
    said = [_place_event(before, seat, move)] if isinstance(move, PlaceTetromino) else []
    if len(after.frame.bouts) > len(before.frame.bouts):
        said.append(_bout_event(after))
    return said


def _pick_event(before: TetronogoState, seat: Seat, move: Pick) -> Event:
    return Event(
        kind="pick",
        seat=seat,
        text=f"picked {move.letter}",
        data={"bout": before.frame.number, "piece": move.letter},
        seen_by=EVERYONE,
    )


def _place_event(before: TetronogoState, seat: Seat, move: PlaceTetromino) -> Event:
    piece = before.frame.duel.pieces[seat]
    placed = piece.canonical(move)
    return Event(
        kind="place",
        seat=seat,
        text=f"placed {piece.letter} at {print_move(placed)}",
        data={
            "bout": before.frame.number,
            "piece": piece.letter,
            "corner": placed.corner,
            "rotation": placed.turns * 90,
            "squares": list(names(piece.reach(placed)[0])),
        },
        seen_by=EVERYONE,
    )


def _bout_event(after: TetronogoState) -> Event:
    bout = after.frame.bouts[-1]
    takers = [bout.taker(group) for group in bout.groups]
    number = len(after.frame.bouts)
    low, high = sorted(bout.points)
    if bout.winner is None:
        text = f"Bout {number} is drawn, {high} to {low}."
    elif bout.out_of_time is None:
        text = f"won bout {number}, {high} to {low}"
    else:
        text = f"won bout {number} on time, {high} to {low}"
    return Event(
        kind="bout",
        seat=bout.winner,
        text=text,
        data={
            "bout": number,
            "winner": bout.winner,
            "points": list(bout.points),
            "totals": list(after.frame.totals),
            "groups": [takers.count(0), takers.count(1), takers.count(None)],
            "out_of_time": bout.out_of_time,
        },
        seen_by=EVERYONE,
    )
