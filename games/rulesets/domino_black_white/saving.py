"""States as compact JSON: what happened, by its text; the rest follows from it."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from games.engine.errors import EngineFault
from games.rulesets.domino_black_white.lines import MET_CODE, MET_TEXT
from games.rulesets.domino_black_white.moves import DOMINO_OF
from games.rulesets.domino_black_white.notation import PLACE_OF, TEXT_OF
from games.rulesets.domino_black_white.state import (
    BlackWhiteState,
    begun,
    ordered,
    out_of_time,
    played,
)


class _SavedMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``placed`` pairs the canonical text of each placement with the letters it met."""

    advantage: Literal[0, 1]
    first: Literal[0, 1] | None
    late: Literal[0, 1] | None
    placed: tuple[tuple[str, str], ...]


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(_SavedMatch)


def encode(state: BlackWhiteState) -> bytes:
    """The state as JSON."""
    return _ENCODER.encode(
        {
            "advantage": state.advantage,
            "first": state.first,
            "late": state.late,
            "placed": [
                (TEXT_OF[placed.place.code], MET_TEXT[placed.met]) for placed in state.history
            ],
        }
    )


def decode(data: bytes) -> BlackWhiteState:
    """The state of an encoding. Raises EngineFault for what never was one."""
    try:
        saved = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise EngineFault(f"not a state of Domino Black & White: {error}") from error
    state = begun(saved.advantage)
    if saved.first is not None:
        state = ordered(state, saved.first)
    elif saved.placed or saved.late is not None:
        raise EngineFault("a state of Domino Black & White without an order of play")
    for text, met in saved.placed:
        place = PLACE_OF.get(text)
        if (
            place is None
            or met not in MET_CODE
            or not state.legal >> place.spot.at & 1
            or not state.hand >> DOMINO_OF[place.domino] & 1
        ):
            raise EngineFault(f"no state of Domino Black & White has {text!r}, {met!r} next")
        state = played(state, place, MET_CODE[met])
    if saved.late is None:
        return state
    if saved.late != state.to_move:
        raise EngineFault(f"seat {saved.late} had no turn to run out of")
    return out_of_time(state, saved.late)
