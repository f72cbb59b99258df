"""Boards as self-contained SVG documents: for pages, previews and the drawn examples of the rules.

The two seats are told apart by the ground of their squares: seat 0 red and striped, seat 1 blue
and dotted. The number of a square stands on a plate, so that neither pattern makes it hard to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

import msgspec

from games.engine.decisions import Seat
from games.engine.naming import names_in
from games.engine.palette import FILL, LINE, patterns
from games.rulesets.domino_wars.board import SQUARE_NAMES, SQUARE_OF
from games.rulesets.domino_wars.lanes import SIZE

CELL: Final = 72
EDGE: Final = 28  # the margin with the names of columns and rows
STRIP: Final = 84  # below the board, for squares and sizes

PAPER, SLOT, GRID, INK, FAINT = "#f7f3ea", "#e9e2d3", "#cfc5b1", "#3d382f", "#6f6757"
WHITE = "#fffdf7"
GOOD, BAD = "#1f7a45", "#b3301f"

DEFINITIONS: Final = f"<defs>{patterns('wars-seat', 8)}</defs>"


class TentativeDomino(msgspec.Struct, frozen=True):
    """A domino laid tentatively on two squares of a drawn example, and whether it may lie there."""

    squares: tuple[str, str]
    numbers: tuple[int, int]
    good: bool


def picture(view: Mapping[str, Any]) -> str:
    """The board of a view, with the squares and the sizes of hand and pile under it."""
    one, two = view["scores"]
    return drawing(view, title=f"Domino Wars, {one} to {two}")


def drawing(
    view: Mapping[str, Any],
    *,
    title: str,
    marks: Sequence[TentativeDomino] = (),
    strip: bool = True,
) -> str:
    """The board of a view with the marks of an example on it."""
    width = SIZE * CELL + EDGE + CELL // 4
    height = SIZE * CELL + EDGE + (STRIP if strip else CELL // 4)
    last = [] if view["last"] is None or marks else view["last"]["squares"]
    parts = [
        f'<g transform="translate({EDGE} {EDGE})">',
        _grid(),
        *[_cell(cell) for cell in view["cells"]],
        *([_frame(last, INK, 4)] if last else []),
        *[_mark(mark) for mark in marks],
        *([_seat_line(view, seat) for seat in (0, 1)] if strip else []),
        "</g>",
    ]
    text = " ".join([description_of(view), *_marks_text(marks)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><desc>{escape(text)}</desc>{DEFINITIONS}"
        f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )


def description_of(view: Mapping[str, Any]) -> str:
    """The board in words, for readers who do not see it."""
    one, two = view["scores"]
    first, second = names_in(view)
    owned = [
        ", ".join(
            [
                f"{cell['square']} {cell['number']}"
                for cell in view["cells"]
                if cell["owner"] == seat
            ]
        )
        for seat in (0, 1)
    ]
    if not view["cells"]:
        return "The board is empty."
    return (
        f"{first} owns {one} squares, {second} owns {two}. "
        f"{first}: {owned[0] or 'none'}. {second}: {owned[1] or 'none'}."
    )


def _marks_text(marks: Sequence[TentativeDomino]) -> Iterable[str]:
    for mark in marks:
        laid = " and ".join(
            [f"{n} on {square}" for n, square in zip(mark.numbers, mark.squares, strict=True)]
        )
        yield f"{laid}: {'allowed' if mark.good else 'not allowed'}."


# -- parts ---------------------------------------------------------------------------------------


def _corner(square: str) -> tuple[int, int]:
    at = SQUARE_OF[square]
    return at % SIZE * CELL, at // SIZE * CELL


def words(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 13,
    ink: str = FAINT,
    bold: bool = False,
    anchor: str = "middle",
) -> str:
    """A line of text at a point."""
    weight = 700 if bold else 400
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{ink}" '
        f'text-anchor="{anchor}" dominant-baseline="central">{escape(text)}</text>'
    )


def _grid() -> str:
    slots = "".join(f"M{x} {y}h{CELL}v{CELL}h-{CELL}z" for x, y in map(_corner, SQUARE_NAMES))
    names = [words((column + 0.5) * CELL, -EDGE / 2, "ABCD"[column]) for column in range(SIZE)]
    names += [words(-EDGE / 2, (row + 0.5) * CELL, str(row + 1)) for row in range(SIZE)]
    return f'<path d="{slots}" fill="{SLOT}" stroke="{GRID}"/>{"".join(names)}'


def _cell(cell: Mapping[str, Any]) -> str:
    x, y = _corner(cell["square"])
    seat: Seat = cell["owner"]
    frame = f'x="{x + 3}" y="{y + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="9"'
    return (
        f'<rect {frame} fill="{FILL[seat]}"/>'
        f'<rect {frame} fill="url(#wars-seat-{seat})" stroke="{LINE[seat]}" stroke-width="1.5"/>'
        + _plate(x + CELL / 2, y + CELL / 2, seat, cell["number"])
    )


def _plate(x: float, y: float, seat: Seat, number: int) -> str:
    """The number on a diamond's or a ring's ground: the sign of the seat."""
    if seat == 0:
        shape = f'<path d="M{x:g} {y - 25:g}L{x + 25:g} {y:g}L{x:g} {y + 25:g}L{x - 25:g} {y:g}Z" '
    else:
        shape = f'<circle cx="{x:g}" cy="{y:g}" r="20" '
    return f'{shape}fill="{WHITE}" stroke="{LINE[seat]}" stroke-width="2"/>' + words(
        x, y + 1, str(number), size=26, ink=INK, bold=True
    )


def _frame(squares: Sequence[str], ink: str, width: float, *, dashed: bool = False) -> str:
    corners = [_corner(square) for square in squares]
    x, y = min(x for x, _ in corners), min(y for _, y in corners)
    wide = max(x for x, _ in corners) - x + CELL
    high = max(y for _, y in corners) - y + CELL
    dashes = ' stroke-dasharray="7 5"' if dashed else ""
    return (
        f'<rect x="{x + 2}" y="{y + 2}" width="{wide - 4}" height="{high - 4}" rx="10" '
        f'fill="none" stroke="{ink}" stroke-width="{width:g}"{dashes}/>'
    )


def _mark(mark: TentativeDomino) -> str:
    ink = GOOD if mark.good else BAD
    halves = ""
    for square, number in zip(mark.squares, mark.numbers, strict=True):
        x, y = _corner(square)
        halves += f'<circle cx="{x + CELL - 17}" cy="{y + 17}" r="13" fill="{ink}"/>' + words(
            x + CELL - 17, y + 17.5, str(number), size=16, ink=WHITE, bold=True
        )
    return _frame(mark.squares, ink, 4, dashed=not mark.good) + halves


def _seat_line(view: Mapping[str, Any], seat: Seat) -> str:
    """A chip in the pattern of a seat, its squares, and the sizes of its hand and pile."""
    y = SIZE * CELL + 10 + seat * 36
    side = view["sides"][seat]
    frame = f'x="0" y="{y}" width="26" height="26" rx="6"'
    return (
        f'<rect {frame} fill="{FILL[seat]}"/>'
        f'<rect {frame} fill="url(#wars-seat-{seat})" stroke="{LINE[seat]}" stroke-width="1.5"/>'
        + words(38, y + 14, str(view["scores"][seat]), size=20, ink=INK, bold=True, anchor="start")
        + words(
            SIZE * CELL,
            y + 14,
            f"hand {side['hand_size']} · pile {side['pile_size']}"
            + (" · skips" if side["skip"] else ""),
            size=14,
            anchor="end",
        )
    )
