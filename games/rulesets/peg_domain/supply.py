"""Pallets that an organiser prepares instead of having them drawn.

They are written as records have them (``pallet red A1 C3 …``), or drawn in letters: the colour on a
line of its own, then sixteen lines of twelve squares, ``o`` a peg and ``.`` none. Spaces, the
numbers of the rows and the letters of the columns may be there or not; lines that begin with ``#``
are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from games.engine.capabilities import Supply, SupplyPart, SupplyReport
from games.rulesets.peg_domain import picture as pictures
from games.rulesets.peg_domain.boards import (
    COLOURS,
    COLUMNS,
    PALLET_NAME,
    PALLET_SQUARE,
    PALLET_SQUARES,
    PEGS,
    ROWS,
    STRIDE,
    pallet_column,
    pallet_names,
    pallet_row,
    set_of,
)
from games.rulesets.peg_domain.drawing import BOTH, LEAST_REMOVABLE
from games.rulesets.peg_domain.figures import EXAMPLE
from games.rulesets.peg_domain.picture import Grid
from games.rulesets.peg_domain.state import removable_at_first

PALLETS: Final = Supply(
    "pallets",
    "Pallets",
    "The red and the blue pallet, 36 pegs on each. The players see them only once the right of "
    "order or colour is taken.",
    variants=("gauntlet", "final"),
    kinds=("pallet",),
)
PALLET: Final = Supply(
    "pallet",
    "Pallet",
    "The pallet of both colours, with 36 pegs. The players see it only once the right of order or "
    "colour is taken.",
    variants=("tempo-up",),
    kinds=("pallet",),
)
_WANTED: Final[Mapping[str, tuple[str, ...]]] = {PALLETS.key: COLOURS, PALLET.key: (BOTH,)}

_HEADING = re.compile(r"(?:pallet\s+)?(red|blue|both)\s*:?")
_LISTED = re.compile(r"pallet\s+(red|blue|both)\s*:?\s+(.+)")
_DRAWN = re.compile(r"[0-9]*(.*)")
_LETTERS = "".join(chr(ord("a") + column) for column in range(COLUMNS))
_PEG, _NONE = "oO", ".-_"
_WRONG = "#b3261e"
_MOST_FAULTS = 40
_LONGEST_WORD = 12


class _Pallet(msgspec.Struct):
    """A pallet as it is being read: its squares with pegs in the order in which they came, what is
    wrong, and the squares to mark for it."""

    colour: str
    pegs: list[int] = []
    faults: list[str] = []
    marked: list[int] = []
    rows: int = 0
    drawn: bool = False


def validate_supply(key: str, text: str) -> SupplyReport:
    """Check pallets; see `games.engine.ruleset.Ruleset.validate_supply`."""
    wanted = _WANTED[key]
    faults: list[str] = []
    found = _read(text, wanted, faults)
    faults += [f"There is no {_name_of(colour)}." for colour in wanted if colour not in found]
    for pallet in found.values():
        _validate(pallet)
        faults += pallet.faults
    sets = [set_of(found[colour].pegs) for colour in wanted if colour in found]
    if key == PALLETS.key and not faults and sets[0] == sets[1]:
        faults.append("Both pallets are the same; this variant is played with two different ones.")
    drawing = _picture(wanted, found)
    parts = tuple(_part(colour, found.get(colour, _Pallet(colour))) for colour in wanted)
    if faults:
        first = faults[:_MOST_FAULTS]
        if len(faults) > len(first):
            first.append(f"And {len(faults) - len(first)} more.")
        return SupplyReport("", tuple(first), picture=drawing, parts=parts)
    value = "\n".join(
        f"pallet {colour} {' '.join(pallet_names(squares))}"
        for colour, squares in zip(wanted, sets, strict=True)
    )
    return SupplyReport(value, (), tuple(_remarks(key, wanted, sets)), drawing, parts)


def files(key: str) -> dict[str, str]:
    """A sound example and an empty drawing to begin from."""
    example = [PALLET_SQUARE[name] for name in EXAMPLE.split()]
    # Half a turn makes another pallet of the same one.
    last = (ROWS + 1) * STRIDE + COLUMNS - 1
    turned = [last - square for square in example]
    return {
        name: "".join(
            [
                "# Each square is o (a peg) or . (no peg). A pallet has 36 pegs.\n",
                *(_drawing(colour, set_of(pegs)) for colour, pegs in drawn),
            ]
        )
        for name, drawn in (
            ("example", list(zip(_WANTED[key], (example, turned), strict=False))),
            ("blank", [(colour, []) for colour in _WANTED[key]]),
        )
    }


def _drawing(colour: str, pegs: int) -> str:
    lines = [f"\n{colour}\n", "   " + " ".join(_LETTERS.upper()) + "\n"]
    for row in range(ROWS):
        squares = PALLET_SQUARES[row * COLUMNS : (row + 1) * COLUMNS]
        marks = " ".join("o" if pegs >> square & 1 else "." for square in squares)
        lines.append(f"{row + 1:>2} {marks}\n")
    return "".join(lines)


# -- reading -------------------------------------------------------------------------------------


def _read(text: str, wanted: tuple[str, ...], faults: list[str]) -> dict[str, _Pallet]:
    found: dict[str, _Pallet] = {}
    now: _Pallet | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip().lower()
        if not line or line.startswith("#"):
            continue
        if heading := _HEADING.fullmatch(line):
            now = _begin(heading[1], wanted, found, faults, number)
        elif listed := _LISTED.fullmatch(line):
            now = None
            pallet = _begin(listed[1], wanted, found, faults, number)
            if pallet is not None:
                _list(pallet, listed[2])
        elif now is None:
            faults.append(f"Line {number} belongs to no pallet: “{_short(raw)}”.")
        else:
            _draw(now, line)
    return found


def _begin(
    colour: str, wanted: tuple[str, ...], found: dict[str, _Pallet], faults: list[str], line: int
) -> _Pallet | None:
    if colour in found:
        faults.append(f"Line {line}: the {_name_of(colour)} is there already.")
        return _Pallet(colour)
    if colour not in wanted:
        faults.append(f"Line {line}: no {_name_of(colour)} is wanted here.")
        return _Pallet(colour)
    found[colour] = _Pallet(colour)
    return found[colour]


def _list(pallet: _Pallet, squares: str) -> None:
    for name in squares.upper().replace(",", " ").split():
        square = PALLET_SQUARE.get(name)
        if square is None:
            pallet.faults.append(
                f"There is no square {_short(name)} on the {_name_of(pallet.colour)}."
            )
        elif square in pallet.pegs:
            pallet.marked.append(square)
            pallet.faults.append(f"{name} is there twice on the {_name_of(pallet.colour)}.")
        else:
            pallet.pegs.append(square)


def _draw(pallet: _Pallet, line: str) -> None:
    marks = "".join(line.split())
    if marks == _LETTERS:
        return
    pallet.drawn = True
    pallet.rows += 1
    row = pallet.rows
    if row > ROWS:
        return  # said once, of all of them
    drawn = _DRAWN.fullmatch(marks)
    marks = marks if drawn is None else drawn[1]
    if len(marks) != COLUMNS:
        pallet.faults.append(
            f"Row {row} of the {_name_of(pallet.colour)} has {len(marks)} squares, not {COLUMNS}."
        )
    for column, mark in enumerate(marks[:COLUMNS]):
        square = PALLET_SQUARES[(row - 1) * COLUMNS + column]
        if mark in _PEG:
            pallet.pegs.append(square)
        elif mark not in _NONE:
            pallet.marked.append(square)
            pallet.faults.append(
                f"“{mark}” on {PALLET_NAME[square]} of the {_name_of(pallet.colour)} "
                "is neither o nor a full stop."
            )


def _validate(pallet: _Pallet) -> None:
    called = _name_of(pallet.colour)
    if pallet.drawn and pallet.rows != ROWS:
        pallet.faults.append(f"The {called} has {pallet.rows} rows, not {ROWS}.")
    if len(pallet.pegs) != PEGS:
        pallet.faults.append(f"The {called} has {_pegs(pallet)}, not {PEGS}.")


def _remarks(key: str, colours: tuple[str, ...], sets: list[int]) -> Iterator[str]:
    if key != PALLETS.key:
        return
    for colour, pegs in zip(colours, sets, strict=True):
        count = removable_at_first(pegs).bit_count()
        if count < LEAST_REMOVABLE:
            yield (
                f"In the variant Final only {count} squares of the {_name_of(colour)} could be "
                f"removed at first; where pallets are drawn it is at least {LEAST_REMOVABLE}."
            )


def _part(colour: str, pallet: _Pallet) -> SupplyPart:
    note = f"{_pegs(pallet)} of {PEGS}"
    return SupplyPart(colour, note, tuple(PALLET_NAME[square] for square in pallet.pegs))


def _name_of(colour: str) -> str:
    return "pallet of both colours" if colour == BOTH else f"{colour} pallet"


def _pegs(pallet: _Pallet) -> str:
    return "1 peg" if len(pallet.pegs) == 1 else f"{len(pallet.pegs)} pegs"


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"


# -- drawing -------------------------------------------------------------------------------------


def _picture(colours: tuple[str, ...], found: Mapping[str, _Pallet]) -> str:
    parts, lines = [], []
    grid = Grid(34, 64, 24, COLUMNS, ROWS)
    for colour in colours:
        pallet = found.get(colour, _Pallet(colour))
        middle = grid.x + grid.width / 2
        called = _name_of(colour)
        heading = called[0].upper() + called[1:]
        count = _pegs(pallet)
        names = [PALLET_NAME[square] for square in pallet.marked]
        parts += [
            pictures.words(middle, 20, heading, size=16, colour=pictures.INK),
            pictures.words(middle, 40, count),
            pictures.pallet(grid, _rows(pallet)),
        ]
        if names:
            parts += [pictures.rings(grid, names, _WRONG), _crosses(grid, names)]
        wrong = f" Marked as wrong: {', '.join(names)}." if names else ""
        lines.append(f"{heading}: {count}.{wrong}")
        grid = msgspec.structs.replace(grid, x=grid.x + grid.width + 50)
    return pictures.document(
        grid.x - 34, grid.y + grid.height + 20, "Pallets", " ".join(lines), parts
    )


def _rows(pallet: _Pallet) -> list[str]:
    rows = [["."] * COLUMNS for _ in range(ROWS)]
    for square in pallet.pegs:
        rows[pallet_row(square)][pallet_column(square)] = "o"
    return ["".join(row) for row in rows]


def _crosses(grid: Grid, names: list[str]) -> str:
    low, size = grid.cell * 0.25, grid.cell * 0.5
    strokes = "".join(
        f"M{x + low:g} {y + low:g}l{size:g} {size:g}m0 {-size:g}l{-size:g} {size:g}"
        for x, y in (grid.corner(name) for name in names)
    )
    return f'<path d="{strokes}" stroke="{_WRONG}" stroke-width="3" fill="none"/>'
