"""Boards as self-contained SVG documents: for pages, previews, figures and templates to paint on.

What the player of red owns is red, what the player of blue owns blue; seat 0's is striped and seat
1's dotted, so that neither needs its colour to be told apart. A peg is a dark stud. On a pallet,
squares that were cut out are holes, and squares that were removed are holes with a cross.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

import msgspec

from games.engine.decisions import Seat
from games.engine.naming import Names, names_in, short
from games.engine.palette import FILL, GROUND, LINE, patterns, side
from games.rulesets.peg_domain.boards import COLUMNS, ROWS, SIDE

PAPER, PLATE, GRID, INK, FAINT = "#f7f3ea", "#fffdf7", "#cfc6b3", "#2f2b24", "#6d6557"
HOLE, CROSS = "#d9d2c3", "#8d2f2f"


def red_of(view: Mapping[str, Any]) -> Seat:
    """The seat that plays red; before colours are settled, seat 0."""
    colours = view["colours"]
    return 1 if colours is not None and colours[1] == "red" else 0


class Grid(msgspec.Struct, frozen=True):
    """Where a board lies on a picture: its upper left corner, the size of a square, and how many
    squares it has each way. All in pixels of the drawing."""

    x: int
    y: int
    cell: int
    columns: int
    rows: int

    @property
    def width(self) -> int:
        return self.cell * self.columns

    @property
    def height(self) -> int:
        return self.cell * self.rows

    def corner(self, name: str) -> tuple[int, int]:
        """The upper left corner of a square by its name."""
        return (
            self.x + (ord(name[0]) - ord("A")) * self.cell,
            self.y + (int(name[1:]) - 1) * self.cell,
        )


LEFT_PALLET: Final = Grid(34, 64, 20, COLUMNS, ROWS)
DOMAIN: Final = Grid(334, 78, 32, SIDE, SIDE)
RIGHT_PALLET: Final = Grid(682, 64, 20, COLUMNS, ROWS)
WIDTH, HEIGHT = 956, 408


def picture(view: Mapping[str, Any]) -> str:
    """The red pallet, the domain and the blue pallet of a view."""
    pallets = view["pallets"]
    if pallets is None:
        return document(
            WIDTH,
            HEIGHT,
            "Peg Domain",
            "The pallets are hidden until the right of order or colour is taken.",
            [
                lattice(LEFT_PALLET),
                domain(DOMAIN, None),
                lattice(RIGHT_PALLET),
                words(WIDTH / 2, 30, "The pallets are hidden", size=18, colour=INK),
            ],
        )
    parts = []
    red = red_of(view)
    for colour, (grid, shown) in enumerate(zip((LEFT_PALLET, RIGHT_PALLET), pallets, strict=True)):
        parts += [_heading(grid, shown, colour, names_in(view)), pallet(grid, shown["rows"])]
        parts.append(_latest_cut(grid, shown, view["last"], colour))
    parts += [
        words(DOMAIN.x + DOMAIN.width / 2, 30, "Domain", size=17, colour=INK),
        words(DOMAIN.x + DOMAIN.width / 2, 52, _standing(view), size=14),
        domain(DOMAIN, view["domain"], red),
        _latest_cover(view["last"]),
    ]
    return document(WIDTH, HEIGHT, "Peg Domain", description_of(view), parts, red)


def description_of(view: Mapping[str, Any]) -> str:
    """The position in words, for readers who do not see it."""
    sentences = []
    if view["domain"] is not None:
        first, second = view["scores"]
        one, two = names_in(view)
        sentences.append(f"{one} owns {first} squares of the domain and {two} owns {second}.")
        pegs = view["domain"]["pegs"]
        sentences.append(f"Pegs stand on {', '.join(pegs)}." if pegs else "No peg stands on it.")
    for shown in view["pallets"]:
        whose = "" if shown["seat"] is None else f", {names_in(view)[shown['seat']]}'s,"
        sentences.append(
            f"The {shown['colour']} pallet{whose} has {shown['left']} squares and "
            f"{shown['pegs']} pegs left."
        )
    return " ".join(sentences)


def _standing(view: Mapping[str, Any]) -> str:
    if view["domain"] is None:
        return "colours are not settled yet"
    first, second = view["scores"]
    one, two = (short(name, 14) for name in names_in(view))
    return f"{one}: {first}   ·   {two}: {second}"


def _heading(grid: Grid, shown: Mapping[str, Any], colour: int, names: Names) -> str:
    seat = shown["seat"]
    middle = grid.x + grid.width / 2
    name = f"{shown['colour'].capitalize()} pallet"
    if seat is not None:
        name += f", {short(names[seat], 14)}"
    # "36 pegs, 192 squares left" fits the width of a pallet.
    count = f"{shown['pegs']} pegs, {shown['left']} squares left"
    sign = "" if seat is None else seat_sign(seat, grid.x + 6, 20, colour)
    return sign + words(middle, 20, name, size=16, colour=INK) + words(middle, 39, count)


def _latest_cut(
    grid: Grid, shown: Mapping[str, Any], last: Mapping[str, Any] | None, colour: int
) -> str:
    if last is None or shown["seat"] != last["seat"]:
        return ""
    return rings(grid, last["cut"], LINE[colour])


def _latest_cover(last: Mapping[str, Any] | None) -> str:
    if last is None:
        return ""
    return rings(DOMAIN, last["covered"], INK)


# -- boards --------------------------------------------------------------------------------------


def pallet(grid: Grid, rows: Sequence[str]) -> str:
    """A pallet from the rows of a view."""
    parts = [_plate(grid)]
    holes, crosses, pegs, gone = [], [], [], []
    for row, line in enumerate(rows):
        for column, mark in enumerate(line):
            x, y = grid.x + column * grid.cell, grid.y + row * grid.cell
            if mark in "-x#":
                holes.append(f"M{x} {y}h{grid.cell}v{grid.cell}h-{grid.cell}z")
            if mark == "#":
                low, high = grid.cell * 0.2, grid.cell * 0.8
                crosses.append(
                    f"M{x + low:g} {y + low:g}L{x + high:g} {y + high:g}"
                    f"M{x + high:g} {y + low:g}L{x + low:g} {y + high:g}"
                )
            if mark == "o":
                pegs.append(stud(x, y, grid.cell))
            if mark == "x":
                gone.append(_ghost(x, y, grid.cell))
    parts.append(f'<path d="{"".join(holes)}" fill="{HOLE}"/>')
    parts.append(lattice(grid))
    parts.append(f'<path d="{"".join(crosses)}" stroke="{CROSS}" stroke-width="2" fill="none"/>')
    return "".join((*parts, *gone, *pegs))


def domain(grid: Grid, shown: Mapping[str, Any] | None, red: Seat = 0) -> str:
    """The domain from a view; before colours are settled, without owners."""
    parts = [_plate(grid)]
    if shown is not None:
        for seat in (0, 1):
            squares = "".join(
                f"M{grid.x + column * grid.cell} {grid.y + row * grid.cell}"
                f"h{grid.cell}v{grid.cell}h-{grid.cell}z"
                for row, line in enumerate(shown["rows"])
                for column, mark in enumerate(line)
                if mark == str(seat)
            )
            parts.append(
                f'<path d="{squares}" fill="{GROUND[side(seat, red)]}"/>'
                f'<path d="{squares}" fill="url(#peg-ground-{seat})" opacity="0.5"/>'
            )
    parts.append(lattice(grid))
    if shown is not None:
        parts += [stud(*grid.corner(name), grid.cell) for name in shown["pegs"]]
    return "".join(parts)


def _plate(grid: Grid) -> str:
    return (
        f'<rect x="{grid.x}" y="{grid.y}" width="{grid.width}" height="{grid.height}" '
        f'fill="{PLATE}"/>'
    )


def lattice(grid: Grid) -> str:
    """The lines of a board, and the names of its columns and rows."""
    down = "".join(
        f"M{grid.x + column * grid.cell} {grid.y}v{grid.height}"
        for column in range(grid.columns + 1)
    )
    across = "".join(
        f"M{grid.x} {grid.y + row * grid.cell}h{grid.width}" for row in range(grid.rows + 1)
    )
    size = max(10, min(13, grid.cell // 2))
    names = [
        words(grid.x + (column + 0.5) * grid.cell, grid.y - 8, chr(ord("A") + column), size=size)
        for column in range(grid.columns)
    ]
    names += [
        words(grid.x - 11, grid.y + (row + 0.5) * grid.cell, str(row + 1), size=size)
        for row in range(grid.rows)
    ]
    return (
        f'<path d="{down}{across}" stroke="{GRID}" fill="none"/>'
        f'<rect x="{grid.x}" y="{grid.y}" width="{grid.width}" height="{grid.height}" '
        f'stroke="{INK}" stroke-width="1.5" fill="none"/>' + "".join(names)
    )


def stud(x: float, y: float, cell: float) -> str:
    """A peg on the square with that corner: a dark stud with a light cross."""
    middle_x, middle_y, arm = x + cell / 2, y + cell / 2, cell * 0.15
    return (
        f'<circle cx="{middle_x:g}" cy="{middle_y:g}" r="{cell * 0.34:g}" fill="{INK}" '
        f'stroke="{PAPER}" stroke-width="1"/>'
        f'<path d="M{middle_x - arm:g} {middle_y - arm:g}l{2 * arm:g} {2 * arm:g}'
        f'm0 {-2 * arm:g}l{-2 * arm:g} {2 * arm:g}" stroke="{PAPER}" stroke-width="1.6"/>'
    )


def _ghost(x: float, y: float, cell: float) -> str:
    """Where a peg was that has been used."""
    return (
        f'<circle cx="{x + cell / 2:g}" cy="{y + cell / 2:g}" r="{cell * 0.24:g}" fill="none" '
        f'stroke="{FAINT}" stroke-width="1" stroke-dasharray="2 2"/>'
    )


def rings(grid: Grid, names: Iterable[str], colour: str) -> str:
    """Squares made out with a frame of their own."""
    inset = 2
    size = grid.cell - 2 * inset
    frames = "".join(
        f"M{x + inset} {y + inset}h{size}v{size}h-{size}z"
        for x, y in (grid.corner(name) for name in names)
    )
    return f'<path d="{frames}" fill="none" stroke="{colour}" stroke-width="2"/>'


def fill(grid: Grid, names: Iterable[str], seat: Seat, red: Seat = 0) -> str:
    """Squares in the colour and pattern of a seat."""
    squares = "".join(
        f"M{x} {y}h{grid.cell}v{grid.cell}h-{grid.cell}z"
        for x, y in (grid.corner(name) for name in names)
    )
    return (
        f'<path d="{squares}" fill="{FILL[side(seat, red)]}"/>'
        f'<path d="{squares}" fill="url(#peg-{seat})" stroke="{LINE[side(seat, red)]}" '
        'stroke-width="1.5"/>'
    )


def seat_sign(seat: Seat, x: float, y: float, colour: int) -> str:
    """A seat's sign: a diamond or a ring."""
    look = f'fill="{FILL[colour]}" stroke="{LINE[colour]}"'
    if seat == 0:
        return f'<path d="M{x} {y - 6}l6 6l-6 6l-6 -6z" {look}/>'
    return f'<circle cx="{x}" cy="{y}" r="5" {look} stroke-width="2"/>'


def words(x: float, y: float, text: str, *, size: int = 12, colour: str = FAINT) -> str:
    """A line of text centred on a point."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" '
        f'text-anchor="middle" dominant-baseline="central">{escape(text)}</text>'
    )


def document(
    width: float, height: float, title: str, text: str, parts: Iterable[str], red: Seat = 0
) -> str:
    """An SVG document on its own paper, so that it reads on light and dark pages alike; ``red`` is
    the seat that has that colour."""
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
        f"<defs>{patterns('peg', 9, red)}</defs>"
        f'<rect width="{width:g}" height="{height:g}" rx="10" fill="{PAPER}"/>'
    )
    return "".join((start, *parts, "</svg>"))
