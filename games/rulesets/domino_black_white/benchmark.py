"""How a load generator plays: out of the views that it is sent, as quickly as it can."""

from __future__ import annotations

from typing import Final

import msgspec

from games.engine.chance import RandomSource, choose
from games.engine.decisions import Seat


class _Game(msgspec.Struct):
    """What it reads of a view; the rest is skipped while decoding."""

    legal: list[tuple[str, str]]
    hands: list[list[tuple[int, int]] | None]


_DECODER: Final = msgspec.json.Decoder(_Game)


def answer(kind: str, seat: Seat, game: bytes, random: RandomSource) -> str:
    """A move for a decision of that kind that is open for ``seat``, whose view ``game`` is."""
    if kind != "place":
        return "first"
    view = _DECODER.decode(game)
    low, high = choose(random, view.hands[seat] or [])
    first, second = choose(random, view.legal)
    return f"({low},{high}) {first}:{second} hide {first}"
