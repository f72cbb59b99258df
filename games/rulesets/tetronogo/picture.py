"""Boards as self-contained SVG documents: for pages, previews and the drawn examples of the rules.

Seat 0 is red and striped, seat 1 blue and dotted, so that neither needs its colour to be told
apart. Empty groups that were scored carry their taker's pattern faintly, and their points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import msgspec

from games.engine.decisions import Seat
from games.engine.naming import Names, named, names_in
from games.engine.palette import FILL, GROUND, LINE, patterns
from games.rulesets.tetronogo.moves import SIZE, Letter
from games.rulesets.tetronogo.view import squares_covered, squares_named

CELL = 36
EDGE = 28  # the margin with the names of columns and rows
PAPER, GRID, INK, FAINT = "#f7f3ea", "#d8d0bf", "#3d382f", "#7c7465"
NOBODY = "#e4dfd4"

DEFINITIONS = f"<defs>{patterns('tetronogo', 9)}</defs>"


class Piece(msgspec.Struct, frozen=True):
    """A tetromino on the board."""

    seat: Seat
    squares: tuple[int, ...]
    latest: bool = False


class Patch(msgspec.Struct, frozen=True):
    """A group of empty squares, who scores it, and what is written in it."""

    squares: tuple[int, ...]
    taker: Seat | None
    label: str = ""


class Window(msgspec.Struct, frozen=True):
    """The part of the board that is drawn, in squares."""

    columns: int = SIZE
    rows: int = SIZE


class BoardDrawing(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on one picture. ``edges`` are unit edges to be marked: a seat, the empty square
    and the covered square on either side."""

    title: str
    text: str
    pieces: tuple[Piece, ...] = ()
    patches: tuple[Patch, ...] = ()
    edges: tuple[tuple[Seat, int, int], ...] = ()
    corner: int | None = None
    window: Window = Window()

    def svg(self) -> str:
        """The picture as an SVG document."""
        width, height = self.window.columns * CELL, self.window.rows * CELL
        return document(
            width + EDGE + CELL // 3,
            height + EDGE + CELL // 3,
            self.title,
            self.text,
            [
                f'<g transform="translate({EDGE} {EDGE})">',
                *[_patch(patch) for patch in self.patches],
                _grid(self.window),
                *[_piece(piece.seat, piece.squares, piece.latest) for piece in self.pieces],
                *[_edge(*edge) for edge in self.edges],
                *[_label(patch) for patch in self.patches],
                "" if self.corner is None else corner_mark(*_at(self.corner)),
                "</g>",
            ],
        )


def picture(view: Mapping[str, Any]) -> str:
    """The board of a view: of the bout in play, or once the match is over of the last bout."""
    if view["phase"] == "over" and view["bouts"]:
        return bout_picture(named(view["bouts"][-1], names_in(view)))
    pieces: list[Letter] | None = view["pieces"]
    number = view["bout"]
    if pieces is None:
        return BoardDrawing(
            title=f"Tetronogo, bout {number}",
            text="The board is empty; both players are picking their tetrominoes.",
        ).svg()
    return BoardDrawing(
        title=f"Tetronogo, bout {number}",
        text=_description(pieces, view["placed"], names_in(view)),
        pieces=_pieces(pieces, view["placed"], mark_latest=True),
    ).svg()


def bout_picture(bout: Mapping[str, Any]) -> str:
    """The final board of one of a view's finished bouts, with who scored which group."""
    first, second = bout["points"]
    one, two = names_in(bout)
    return BoardDrawing(
        title=f"Tetronogo, bout {bout['bout']}: {first} to {second}",
        text=f"{_description(bout['pieces'], bout['placed'], (one, two))} "
        f"{one} scores {first} and {two} scores {second}.",
        pieces=_pieces(bout["pieces"], bout["placed"], mark_latest=False),
        patches=tuple(
            Patch(
                squares_named(group["squares"]),
                group["taker"],
                "=" if group["taker"] is None else str(len(group["squares"])),
            )
            for group in bout["groups"]
        ),
    ).svg()


def _pieces(
    letters: Sequence[Letter], placed: Sequence[Sequence[Any]], *, mark_latest: bool
) -> tuple[Piece, ...]:
    return tuple(
        Piece(seat, squares_covered(letters[seat], text), mark_latest and number == len(placed) - 1)
        for number, (seat, text) in enumerate(placed)
    )


def _description(letters: Sequence[Letter], placed: Sequence[Sequence[Any]], names: Names) -> str:
    """The board in words, for readers who do not see it."""
    sentences = []
    for seat, letter in enumerate(letters):
        at = [text for whose, text in placed if whose == seat]
        where = f": {', '.join(at)}" if at else ""
        sentences.append(f"{names[seat]} has placed {len(at)} times {letter}{where}.")
    return " ".join(sentences)


# -- parts -------------------------------------------------------------------------------------


def document(width: float, height: float, title: str, text: str, parts: Iterable[str]) -> str:
    """An SVG document on its own paper, so that it reads on light and dark pages alike."""
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" font-family="system-ui, sans-serif">'
        f"<title>{escape(title)}</title><desc>{escape(text)}</desc>"
        f'{DEFINITIONS}<rect width="{width:g}" height="{height:g}" rx="10" fill="{PAPER}"/>'
    )
    return "".join((start, *parts, "</svg>"))


def words(x: float, y: float, text: str, *, size: int = 13, colour: str = FAINT) -> str:
    """A line of text centred on a point."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" '
        f'text-anchor="middle" dominant-baseline="central">{escape(text)}</text>'
    )


def tetromino(seat: Seat, cells: Iterable[tuple[float, float]], latest: bool = False) -> str:
    """A piece with its outline; cells by column and row."""
    path = _outline(set(cells), inset=0.055)
    line = f'stroke="{LINE[seat]}" stroke-width="{4 if latest else 2}" stroke-linejoin="round"'
    shine = (
        f'<path d="{path}" fill="none" stroke="#fff" stroke-width="1.4" stroke-linejoin="round"/>'
        if latest
        else ""
    )
    return (
        f'<path d="{path}" fill="{FILL[seat]}"/>'
        f'<path d="{path}" fill="url(#tetronogo-{seat})" {line}/>{shine}'
    )


def corner_mark(column: float, row: float) -> str:
    """A ring around the top left corner square of a piece's box."""
    x, y = (column + 0.5) * CELL, (row + 0.5) * CELL
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.3:g}" fill="none" stroke="{PAPER}" '
        f'stroke-width="6"/><circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.3:g}" fill="none" '
        f'stroke="{INK}" stroke-width="2.5"/>'
    )


def _at(square: int) -> tuple[int, int]:
    return square % SIZE, square // SIZE


def _grid(window: Window) -> str:
    width, height = window.columns * CELL, window.rows * CELL
    down = "".join(f"M{column * CELL} 0V{height}" for column in range(window.columns + 1))
    across = "".join(f"M0 {row * CELL}H{width}" for row in range(window.rows + 1))
    names = [
        words((column + 0.5) * CELL, -EDGE / 2, chr(ord("A") + column))
        for column in range(window.columns)
    ]
    names += [words(-EDGE / 2, (row + 0.5) * CELL, str(row + 1)) for row in range(window.rows)]
    # Only true borders of the board are drawn strong.
    right = f"V{height}" if window.columns == SIZE else ""
    border = f"M{width} 0H0V{height}" + (f"H{width}" if window.rows == SIZE else "")
    border += f"M{width} 0{right}" if right else ""
    return (
        f'<path d="{down}{across}" stroke="{GRID}" fill="none"/>'
        f'<path d="{border}" stroke="{INK}" stroke-width="2" fill="none" stroke-linecap="square"/>'
        + "".join(names)
    )


def _patch(patch: Patch) -> str:
    colour = NOBODY if patch.taker is None else GROUND[patch.taker]
    squares = "".join(
        f"M{column * CELL} {row * CELL}h{CELL}v{CELL}h-{CELL}z"
        for column, row in map(_at, patch.squares)
    )
    ground = f'<path d="{squares}" fill="{colour}"/>'
    if patch.taker is None:
        return ground
    return (
        f'{ground}<path d="{squares}" fill="url(#tetronogo-ground-{patch.taker})" opacity="0.28"/>'
    )


def _label(patch: Patch) -> str:
    if not patch.label:
        return ""
    column, row = _at(_middle(patch.squares))
    x, y = (column + 0.5) * CELL, (row + 0.5) * CELL
    ink = FAINT if patch.taker is None else LINE[patch.taker]
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="{PAPER}" fill-opacity="0.92"/>'
        f'<text x="{x:g}" y="{y:g}" font-size="14" font-weight="700" fill="{ink}" '
        f'text-anchor="middle" dominant-baseline="central">{escape(patch.label)}</text>'
    )


def _middle(squares: Sequence[int]) -> int:
    """The square of a group nearest to its middle."""
    x = sum(square % SIZE for square in squares) / len(squares)
    y = sum(square // SIZE for square in squares) / len(squares)

    def away(square: int) -> float:
        column, row = _at(square)
        return abs(column - x) + abs(row - y)

    return min(squares, key=away)


def _piece(seat: Seat, squares: Iterable[int], latest: bool) -> str:
    return tetromino(seat, map(_at, squares), latest)


def _edge(seat: Seat, empty: int, covered: int) -> str:
    """A bar on the empty square's side of the edge it shares with a covered square."""
    (column, row), (other_column, other_row) = _at(empty), _at(covered)
    step_x, step_y = other_column - column, other_row - row
    x, y = (column + 0.5 + step_x * 0.42) * CELL, (row + 0.5 + step_y * 0.42) * CELL
    half_x, half_y = abs(step_y) * CELL * 0.36, abs(step_x) * CELL * 0.36
    ends = f'x1="{x - half_x:g}" y1="{y - half_y:g}" x2="{x + half_x:g}" y2="{y + half_y:g}"'
    return f'<line {ends} stroke="{LINE[seat]}" stroke-width="5" stroke-linecap="round"/>'


def _outline(cells: set[tuple[float, float]], inset: float) -> str:
    """The path around cells that hang together, drawn a little inside of their edge.

    The border is walked clockwise, so the inside is always on the right hand.
    """
    onward: dict[tuple[float, float], tuple[float, float]] = {}
    for x, y in cells:
        if (x, y - 1) not in cells:
            onward[x, y] = x + 1, y
        if (x + 1, y) not in cells:
            onward[x + 1, y] = x + 1, y + 1
        if (x, y + 1) not in cells:
            onward[x + 1, y + 1] = x, y + 1
        if (x - 1, y) not in cells:
            onward[x, y + 1] = x, y
    before = start = min(onward)
    here = onward[start]
    points = []
    while True:
        after = onward[here]
        into = here[0] - before[0], here[1] - before[1]
        out = after[0] - here[0], after[1] - here[1]
        if into != out:
            x = here[0] - inset * (into[1] + out[1])
            y = here[1] + inset * (into[0] + out[0])
            points.append(f"{x * CELL:.1f} {y * CELL:.1f}")
        if here == start:
            return f"M{'L'.join(points)}Z"
        before, here = here, after
