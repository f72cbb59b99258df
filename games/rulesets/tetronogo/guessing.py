"""The state that a view shows, so that a bot can think on from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.rulesets.tetronogo.moves import SQUARES, PlaceTetromino
from games.rulesets.tetronogo.notation import parse_move
from games.rulesets.tetronogo.saving import replayed
from games.rulesets.tetronogo.state import History, TetronogoState


def determinize(view: Mapping[str, Any]) -> TetronogoState:
    """Exactly the state that was viewed: nothing in a state is secret from anyone, since the
    opponent's sealed pick is not part of it."""
    return replayed(_history_of(view))


def _history_of(view: Mapping[str, Any]) -> History:
    """The history behind a view. Raises EngineFault for what never was a view."""
    try:
        bouts = [_history_of_bout(bout, bout["out_of_time"]) for bout in view["bouts"]]
        if view["pieces"] is not None:
            bouts.append(_history_of_bout(view, None))
        return msgspec.convert({"advantage": view["advantage"], "bouts": bouts}, History)
    except (KeyError, ValueError, TypeError, Refusal, msgspec.ValidationError) as error:
        raise EngineFault(f"not a view of Tetronogo: {error!r}") from error


def _history_of_bout(shown: Mapping[str, Any], out_of_time: Seat | None) -> dict[str, Any]:
    moves = [_placement(text) for _, text in shown["placed"]]
    return {
        "pieces": shown["pieces"],
        "starter": shown["starter"],
        "placed": [move.turns * SQUARES + move.square for move in moves],
        "out_of_time": out_of_time,
    }


def _placement(text: str) -> PlaceTetromino:
    move = parse_move(notation.tidy(text))
    if not isinstance(move, PlaceTetromino):
        raise EngineFault(f"{text!r} in a view is not a placement")
    return move
