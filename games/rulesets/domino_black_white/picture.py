"""Boards as self-contained SVG documents: for pages, previews and the drawn examples of the rules.

The two seats are told apart by the frame of their dominoes: seat 0 red and striped, seat 1 blue
and dotted. A hidden half bears a question mark, beside the number where the reader knows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import atan2, degrees, hypot
from typing import Any, Final

import msgspec

from games.engine.decisions import Seat
from games.engine.naming import names_in
from games.engine.palette import FILL, LINE, patterns
from games.rulesets.domino_black_white.board import (
    CELL_OF,
    CELLS,
    COLUMNS,
    HEIGHT,
    ROWS,
    WIDTH,
    step,
)

CELL: Final = 44
EDGE: Final = 28  # the margin with the names of columns and rows
STRIP: Final = 44  # below the board, for the scores

PAPER, SLOT, GRID, INK, FAINT = "#f7f3ea", "#e9e2d3", "#cfc5b1", "#3d382f", "#6f6757"
BLACK, WHITE = "#1d232b", "#fffdf7"
GOOD, BAD = "#1f7a45", "#b3301f"

DEFINITIONS: Final = f"<defs>{patterns('domino-seat', 6)}</defs>"


class SquareMark(msgspec.Struct, frozen=True):
    """Something written on an empty square of a drawn example. ``good`` None is neutral."""

    square: str
    text: str
    good: bool | None = None


class Ring(msgspec.Struct, frozen=True):
    """A ring around the three squares of a line in an example, and the letter that it met."""

    start: str
    end: str
    letter: str


def picture(view: Mapping[str, Any]) -> str:
    """The board of a view, with the scores under it."""
    one, two = view["scores"]
    return drawing(view, title=f"Domino Black & White, {one} to {two}")


def drawing(
    view: Mapping[str, Any],
    *,
    title: str,
    marks: Sequence[SquareMark] = (),
    rings: Sequence[Ring] = (),
    scores: bool = True,
) -> str:
    """The board of a view with the marks and rings of an example on it."""
    cells = view["cells"]
    text = " ".join([description_of(view), *_marks_text(marks), *_rings_text(rings)])
    width = WIDTH * CELL + EDGE + CELL // 3
    height = HEIGHT * CELL + EDGE + (STRIP if scores else CELL // 3)
    parts = [
        f'<g transform="translate({EDGE} {EDGE})">',
        _grid(),
        *[
            _domino(one, two, latest=index == len(view["met"]) - 1 and not rings)
            for index, (one, two) in enumerate(zip(cells[::2], cells[1::2], strict=True))
        ],
        *[_mark(mark) for mark in marks],
        *[_ring(ring) for ring in rings],
        *([_score(seat, points) for seat, points in enumerate(view["scores"])] if scores else []),
        "</g>",
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><desc>{escape(text)}</desc>{DEFINITIONS}"
        f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )


def description_of(view: Mapping[str, Any]) -> str:
    """The board in words, for readers who do not see it."""
    cells = view["cells"]
    if not cells:
        return "The board is empty."
    names = names_in(view)
    dominoes = [
        f"{names[one['seat']]} {_half_text(one)}, {_half_text(two)}"
        for one, two in zip(cells[::2], cells[1::2], strict=True)
    ]
    one, two = view["scores"]
    return (
        f"{names[0]} has {one}, {names[1]} has {two}. Dominoes in the order of placement: "
        f"{'; '.join(dominoes)}."
    )


def _marks_text(marks: Sequence[SquareMark]) -> Iterable[str]:
    for text in dict.fromkeys([mark.text for mark in marks]):
        squares = [mark.square for mark in marks if mark.text == text]
        yield f"Marked {text}: {', '.join(squares)}."


def _rings_text(rings: Sequence[Ring]) -> Iterable[str]:
    for ring in rings:
        yield f"Ringed as {ring.letter}: {ring.start} to {ring.end}."


def _half_text(half: Mapping[str, Any]) -> str:
    number = "hidden" if half["number"] is None else half["number"]
    secret = ", hidden" if half["hidden"] and half["number"] is not None else ""
    return f"{half['square']} {half['colour']} {number}{secret}"


# -- parts ---------------------------------------------------------------------------------------


def _corner(cell: int) -> tuple[int, int]:
    """The top left corner of a cell."""
    row, column = divmod(cell, WIDTH)
    return column * CELL, row * CELL


def _words(
    x: float, y: float, text: str, *, size: int = 13, ink: str = FAINT, bold: bool = False
) -> str:
    weight = 700 if bold else 400
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{ink}" '
        f'text-anchor="middle" dominant-baseline="central">{escape(text)}</text>'
    )


def _grid() -> str:
    slots = "".join(f"M{x} {y}h{CELL}v{CELL}h-{CELL}z" for x, y in map(_corner, CELLS))
    sides = [
        path
        for cell in CELLS
        for right, down, path in _sides(*_corner(cell))
        if step(cell, right, down) is None
    ]
    names = [
        _words((column + 0.5) * CELL, -EDGE / 2, letter) for column, letter in enumerate(COLUMNS)
    ]
    names += [_words(-EDGE / 2, (row + 0.5) * CELL, letter) for row, letter in enumerate(ROWS)]
    return (
        f'<path d="{slots}" fill="{SLOT}" stroke="{GRID}"/>'
        f'<path d="{"".join(sides)}" stroke="{INK}" stroke-width="3" stroke-linecap="round" '
        f'fill="none"/>{"".join(names)}'
    )


def _sides(x: int, y: int) -> Iterable[tuple[int, int, str]]:
    """The walls and the floor around a cell; it is open to the top."""
    yield -1, 0, f"M{x} {y}v{CELL}"
    yield 1, 0, f"M{x + CELL} {y}v{CELL}"
    yield 0, 1, f"M{x} {y + CELL}h{CELL}"


def _domino(one: Mapping[str, Any], two: Mapping[str, Any], *, latest: bool) -> str:
    seat: Seat = one["seat"]
    x, y = _corner(CELL_OF[one["square"]])
    far_x, far_y = _corner(CELL_OF[two["square"]])
    frame = (
        f'x="{x + 2}" y="{y + 2}" width="{far_x - x + CELL - 4}" '
        f'height="{far_y - y + CELL - 4}" rx="7"'
    )
    outline = (
        f'stroke="{LINE[seat]}" stroke-width="1.5"'
        if not latest
        else f'stroke="{INK}" stroke-width="4.5"'
    )
    shine = f'<rect {frame} fill="none" stroke="{WHITE}" stroke-width="1.4"/>' if latest else ""
    return (
        f'<rect {frame} fill="{FILL[seat]}"/>'
        f'<rect {frame} fill="url(#domino-seat-{seat})" {outline}/>{shine}'
        f"{_half(one, x, y)}{_half(two, far_x, far_y)}"
    )


def _half(half: Mapping[str, Any], x: int, y: int) -> str:
    ground, ink = (BLACK, WHITE) if half["colour"] == "black" else (WHITE, BLACK)
    inset = 7
    side = CELL - 2 * inset
    face = (
        f'<rect x="{x + inset}" y="{y + inset}" width="{side}" height="{side}" rx="4" '
        f'fill="{ground}" stroke="{ink}" stroke-width="1"/>'
    )
    middle_x, middle_y = x + CELL / 2, y + CELL / 2
    number = half["number"]
    if number is None:
        return face + _words(middle_x, middle_y + 1, "?", size=22, ink=ink, bold=True)
    if not half["hidden"]:
        return face + _words(middle_x, middle_y + 1, str(number), size=22, ink=ink, bold=True)
    return (
        face
        + _words(middle_x - 4, middle_y + 2, str(number), size=20, ink=ink, bold=True)
        + _words(middle_x + 9, middle_y - 7, "?", size=12, ink=ink, bold=True)
    )


def _mark(mark: SquareMark) -> str:
    x, y = _corner(CELL_OF[mark.square])
    ink = FAINT if mark.good is None else GOOD if mark.good else BAD
    dashes = ' stroke-dasharray="4 3"' if mark.good is False else ""
    box = (
        f'<rect x="{x + 5}" y="{y + 5}" width="{CELL - 10}" height="{CELL - 10}" rx="5" '
        f'fill="{PAPER}" stroke="{ink}" stroke-width="2.5"{dashes}/>'
    )
    return box + _words(x + CELL / 2, y + CELL / 2 + 1, mark.text, size=17, ink=ink, bold=True)


def _ring(ring: Ring) -> str:
    (x, y), (far_x, far_y) = _corner(CELL_OF[ring.start]), _corner(CELL_OF[ring.end])
    across, down = far_x - x, far_y - y
    length = hypot(across, down) + CELL - 8
    half = CELL / 2 - 4
    middle = f"{(x + far_x + CELL) / 2:g} {(y + far_y + CELL) / 2:g}"
    frame = (
        f'<rect x="{-length / 2:.4g}" y="{-half:g}" width="{length:.4g}" height="{2 * half:g}" '
        f'rx="{half:g}" transform="translate({middle}) rotate({degrees(atan2(down, across)):.4g})" '
        'fill="none"'
    )
    # The letter sits on the far end of the ring, outside the numbers.
    reach = (hypot(across, down) + CELL) / 2
    at_x = (x + far_x + CELL) / 2 - across / hypot(across, down) * reach
    at_y = (y + far_y + CELL) / 2 - down / hypot(across, down) * reach
    return (
        f'{frame} stroke="{PAPER}" stroke-width="6"/>{frame} stroke="{BAD}" stroke-width="3"/>'
        f'<circle cx="{at_x:.4g}" cy="{at_y:.4g}" r="9" fill="{BAD}"/>'
        + _words(round(at_x, 1), round(at_y + 0.5, 1), ring.letter, size=12, ink=WHITE, bold=True)
    )


def _score(seat: Seat, points: int) -> str:
    """A chip in the pattern of a seat, and its points."""
    x = seat * (WIDTH * CELL - 76)
    y = HEIGHT * CELL + 11
    frame = f'x="{x}" y="{y}" width="24" height="24" rx="6"'
    return (
        f'<rect {frame} fill="{FILL[seat]}"/>'
        f'<rect {frame} fill="url(#domino-seat-{seat})" stroke="{LINE[seat]}" stroke-width="1.5"/>'
        + _words(x + 48, y + 13, str(points), size=20, ink=INK, bold=True)
    )
