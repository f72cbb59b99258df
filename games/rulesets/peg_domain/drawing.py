"""Pallets out of chance."""

from __future__ import annotations

import re
from typing import Final

from core.refusals import Refusal
from games.engine import notation
from games.engine.chance import Below, shuffled_by
from games.engine.decisions import Chance, Draw
from games.rulesets.peg_domain.boards import (
    COLOURS,
    PALLET_NAME,
    PALLET_SQUARE,
    PALLET_SQUARES,
    PEGS,
    set_of,
)
from games.rulesets.peg_domain.state import Preliminaries, removable_at_first

BOTH: Final = "both"
LEAST_REMOVABLE: Final = 12
"""House ruling: where squares are removed, a pallet on which fewer could be is drawn again."""

_CHANCE = re.compile(r"pallet (?P<whose>red|blue|both)(?P<squares>(?: [a-z]+[0-9]+)+)")


def due(frame: Preliminaries) -> tuple[Draw, ...]:
    """The pallets that are still to be drawn."""
    if frame.variant == "tempo-up":
        return (Draw("pallet", BOTH),)
    return tuple(
        [
            Draw("pallet", colour)
            for colour, pegs in zip(COLOURS, frame.drawn, strict=True)
            if not pegs
        ]
    )


def draw(frame: Preliminaries, wanted: Draw, below: Below) -> Chance:
    """A pallet with its pegs drawn uniformly, without replacement: the first of all squares once
    these are shuffled."""
    while True:
        chosen = sorted(shuffled_by(below, PALLET_SQUARES)[:PEGS])
        if not frame.removals or removable_at_first(set_of(chosen)).bit_count() >= LEAST_REMOVABLE:
            return Chance("pallet", wanted.whose, tuple([PALLET_NAME[square] for square in chosen]))


def parse(text: str) -> Chance:
    """A pallet from its text. Raises Refusal ``notation.chance``, and ``chance.square`` for a
    square that no pallet has."""
    match = _CHANCE.fullmatch(notation.tidy(text))
    if match is None:
        raise Refusal("notation.chance", 'A pallet is written like "pallet red A1 C3 D9".')
    names = match["squares"].upper().split()
    for name in names:
        if name not in PALLET_SQUARE:
            raise Refusal("chance.square", f"There is no square {name} on a pallet.")
    return Chance("pallet", match["whose"], tuple(names))


def pegs_of(chance: Chance) -> int:
    """The pegs of a pallet that was drawn or supplied.

    Raises Refusal ``chance.pallet`` unless they are 36 different squares.
    """
    pegs = set_of([PALLET_SQUARE[name] for name in chance.value])
    if len(chance.value) != PEGS or pegs.bit_count() != PEGS:
        raise Refusal("chance.pallet", f"A pallet has pegs on {PEGS} different squares.")
    return pegs
