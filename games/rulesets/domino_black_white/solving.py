"""Puzzles: which placement is sure to score most, whatever is hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final

from games.engine.capabilities import Brought
from games.engine.decisions import Decision
from games.rulesets.domino_black_white.board import CELLS
from games.rulesets.domino_black_white.lines import LINES, Line
from games.rulesets.domino_black_white.moves import HIGHEST, Move, PlaceDomino, colour
from games.rulesets.domino_black_white.state import BlackWhiteState

LEAST: Final = 3  # points: less is found at a glance
FILLED: Final = 10  # placements before there is much to look for
_OF_COLOUR: Final = {
    shade: tuple([number for number in range(HIGHEST + 1) if colour(number) == shade])
    for shade in ("black", "white")
}
_WORDS: Final = {
    "H": "across",
    "V": "upright",
    "D": "aslant",
    "B": "with a sum of 0 or 15",
}
_THROUGH: Final = {cell: tuple([line for line in LINES if cell in line.cells]) for cell in CELLS}


def posed(view: Mapping[str, Any], decision: Decision) -> Mapping[str, Any] | None:
    """The view, once enough lies on the board."""
    return view if decision.kind == "place" and len(view["met"]) >= FILLED else None


def brought(state: BlackWhiteState, decision: Decision, move: Move) -> Brought:
    """The fewest points that a placement can score, by what its seat knows."""
    if not isinstance(move, PlaceDomino):
        return Brought(0, "")
    met = sure_letters(_known(state, decision.seat), move)
    if not met:
        return Brought(0, "It is not sure to score anything.")
    *some, last = [_WORDS[letter] for letter in met]
    lines = f"{', '.join(some)} and {last}" if some else last
    many = "1 point" if len(met) == 1 else f"{len(met)} points"
    return Brought(len(met), f"It is sure to score {many}: {lines}.")


def _known(state: BlackWhiteState, seat: int) -> dict[int, tuple[int, ...]]:
    """By cell, the numbers that may lie there as far as the seat can tell: of the other player's
    hidden halves the colour alone is looked at."""
    known: dict[int, tuple[int, ...]] = {}
    for index, placed in enumerate(state.history):
        place = placed.place
        for half, cell in enumerate(place.spot.cells):
            number = place.numbers[half]
            hidden = half == place.hides and state.placer(index) != seat
            known[cell] = _OF_COLOUR[colour(number)] if hidden else (number,)
    return known


def sure_letters(known: Mapping[int, tuple[int, ...]], move: PlaceDomino) -> str:
    """The letters of the worst case: the fewest, over all that may be hidden."""
    board = dict(known)
    for cell, number in zip(move.spot.cells, move.numbers, strict=True):
        board[cell] = (number,)
    one, two = move.spot.cells
    through = dict.fromkeys((*_THROUGH[one], *_THROUGH[two]))
    full = [line for line in through if all(cell in board for cell in line.cells)]
    unknown = sorted({cell for line in full for cell in line.cells if len(board[cell]) > 1})
    fewest: str | None = None
    for numbers in product(*(board[cell] for cell in unknown)):
        assumed = dict(zip(unknown, numbers, strict=True))
        met = _letters(full, board, assumed)
        if fewest is None or len(met) < len(fewest):
            fewest = met
        if not fewest:
            break
    return fewest or ""


def _letters(
    full: Sequence[Line], board: Mapping[int, tuple[int, ...]], assumed: Mapping[int, int]
) -> str:
    found: set[str] = set()
    for line in full:
        total = sum(assumed.get(cell, board[cell][0]) for cell in line.cells)
        if total % HIGHEST == 0:
            found.add(line.letter)
            if total in (0, 3 * HIGHEST):
                found.add("B")
    return "".join(letter for letter in "HVDB" if letter in found)


def target(best: int) -> int | None:
    """The most that is sure, where that is something to look for."""
    return best if best >= LEAST else None


def question(target: int) -> str:
    """What is asked."""
    return f"Which placement is sure to score {target} points, whatever is hidden?"
