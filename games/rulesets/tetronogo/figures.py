"""The drawn examples of the public rules page, by name."""

from __future__ import annotations

from functools import cache

from games.engine import notation
from games.rulesets.tetronogo import picture as pictures
from games.rulesets.tetronogo.moves import LETTERS, SIZE, Letter, PlaceTetromino
from games.rulesets.tetronogo.notation import parse_move
from games.rulesets.tetronogo.picture import CELL, BoardDrawing, Patch, Piece, Window
from games.rulesets.tetronogo.pieces import TETROMINOES, board_bit, box
from games.rulesets.tetronogo.scoring import Group, groups

# A whole bout of L (seat 0, who began) against T, which is left without a placement.
EXAMPLE = (
    "A1 180", "E4 270", "I10 90", "A3 90", "G9 180", "J3 90", "C2 180", "D7 270", "E11 180",
    "B4 270", "G7 0", "K8 270", "G1 0", "I6 180", "G3 270", "A9 270", "F6 0", "K2 270",
    "A7 0", "C10 270", "F1 180", "J10 0", "D3 180", "J1 180", "K5 270", "D5 90", "F11 0",
)  # fmt: skip


@cache
def figures() -> dict[str, tuple[str, str]]:
    """Each example as an SVG document and its caption."""
    return {
        "pieces": _pieces(),
        "rotations": _rotations(),
        "notation": _notation(),
        "edges": _edges(),
        "level": _level(),
        "bout": _bout(),
        "match": _match(),
    }


def _pieces() -> tuple[str, str]:
    parts = []
    column = 0.5
    for letter in LETTERS:
        shape = TETROMINOES[letter].shapes[0]
        width, height = box(shape)
        top = 0.5 + (2 - height) / 2
        parts.append(pictures.tetromino(0, ((column + x, top + y) for x, y in shape)))
        parts.append(
            pictures.words(
                (column + width / 2) * CELL, 3 * CELL, letter, size=18, colour=pictures.INK
            )
        )
        column += width + 0.75
    svg = pictures.document(
        (column - 0.25) * CELL,
        3.5 * CELL,
        "The seven tetrominoes",
        "O, I, S, Z, L, J and T as they lie when not rotated.",
        parts,
    )
    return svg, "The seven tetrominoes, not rotated."


def _rotations() -> tuple[str, str]:
    parts = []
    column = 0.5
    for turns, shape in enumerate(TETROMINOES["L"].shapes):
        width, _ = box(shape)
        parts.append(pictures.tetromino(0, ((column + x, 0.5 + y) for x, y in shape)))
        parts.append(pictures.corner_mark(column, 0.5))
        parts.append(
            pictures.words(
                (column + width / 2) * CELL,
                4.1 * CELL,
                f"{turns * 90}°",
                size=16,
                colour=pictures.INK,
            )
        )
        column += width + 1
    svg = pictures.document(
        (column - 0.5) * CELL,
        4.75 * CELL,
        "Rotations of L",
        "L turned clockwise by 0, 90, 180 and 270 degrees. A ring marks the top left corner of "
        "the box around each; the piece itself need not cover it.",
        parts,
    )
    return svg, (
        "L at each rotation. The ring is the square a placement is named after: the top left "
        "corner of the box around the piece, covered or not."
    )


def _notation() -> tuple[str, str]:
    move = _move("D4 90")
    svg = BoardDrawing(
        title="The placement D4 90",
        text="T, turned by 90 degrees, with the top left corner of its box on D4: "
        "it covers D4, D5, D6 and E5.",
        pieces=(_piece(0, "T", "D4 90"),),
        corner=move.square,
        window=Window(columns=7, rows=7),
    ).svg()
    return svg, "T placed with D4 90: it covers D4, D5, E5 and D6."


def _edges() -> tuple[str, str]:
    return _example(
        (_piece(0, "L", "A2 0"), _piece(1, "O", "D1 0")),
        window=Window(columns=7, rows=5),
        title="Counting edges",
        caption=(
            "The corner group is closed in by pieces and by the border of the board. {0} of "
            "red's edges touch it and {1} of blue's, so red scores all {size} squares."
        ),
    )


def _level() -> tuple[str, str]:
    return _example(
        (_piece(0, "I", "A3 0"), _piece(1, "O", "C1 0")),
        window=Window(columns=7, rows=5),
        title="As many edges on both sides",
        caption="{0} edges of red's, {1} of blue's: nobody scores these {size} squares.",
    )


def _bout() -> tuple[str, str]:
    letters: tuple[Letter, Letter] = ("L", "T")
    pieces = tuple(_piece(ply & 1, letters[ply & 1], text) for ply, text in enumerate(EXAMPLE))
    found = groups(*_boards(pieces))
    scored = [sum(len(g.squares) for g in found if g.taker == seat) for seat in (0, 1)]
    caption = (
        f"A finished bout, L (red) against T (blue). Blue is to move and has no room for "
        f"another T. Red scores {scored[0]}, blue {scored[1]}; groups marked = go to nobody."
    )
    svg = BoardDrawing(
        title="A finished bout",
        text=caption,
        pieces=pieces,
        patches=tuple(Patch(g.squares, g.taker, _label(g)) for g in found),
    ).svg()
    return svg, caption


def _match() -> tuple[str, str]:
    caption = (
        "Blue has won the first bout, red the second and the third: two in a row. "
        "The match is over, and there is no fourth bout."
    )
    parts = []
    column = 0.5
    for number, (winner, letter) in enumerate(((1, "T"), (0, "L"), (0, "S")), start=1):
        cells = TETROMINOES[letter].shapes[0]
        parts.append(pictures.tetromino(winner, ((column + x, 0.5 + y) for x, y in cells)))
        parts.append(
            pictures.words(
                (column + 1.5) * CELL, 3 * CELL, f"Bout {number}", size=16, colour=pictures.INK
            )
        )
        column += 3.75
    svg = pictures.document(
        (column - 0.25) * CELL, 3.5 * CELL, "Two bouts in a row", caption, parts
    )
    return svg, caption


def _example(
    pieces: tuple[Piece, ...], *, window: Window, title: str, caption: str
) -> tuple[str, str]:
    """The group around A1 on a board with these pieces, its edges marked."""
    group = next(group for group in groups(*_boards(pieces)) if 0 in group.squares)
    text = caption.format(*group.edges, size=len(group.squares))
    svg = BoardDrawing(
        title=title,
        text=text,
        pieces=pieces,
        patches=(Patch(group.squares, group.taker, _label(group)),),
        edges=_edges_of(group, pieces),
        window=window,
    ).svg()
    return svg, text


def _boards(pieces: tuple[Piece, ...]) -> tuple[int, int]:
    boards = [0, 0]
    for piece in pieces:
        boards[piece.seat] |= sum(map(board_bit, piece.squares))
    return boards[0], boards[1]


def _label(group: Group) -> str:
    return "=" if group.taker is None else str(len(group.squares))


def _edges_of(group: Group, pieces: tuple[Piece, ...]) -> tuple[tuple[int, int, int], ...]:
    owner = {square: piece.seat for piece in pieces for square in piece.squares}
    found = []
    for square in group.squares:
        for step in (-SIZE, -1, 1, SIZE):
            beside = square + step
            wraps = abs(step) == 1 and beside // SIZE != square // SIZE
            if beside in owner and not wraps:
                found.append((owner[beside], square, beside))
    return tuple(found)


def _piece(seat: int, letter: Letter, text: str) -> Piece:
    return Piece(seat, TETROMINOES[letter].reach(_move(text))[0])


def _move(text: str) -> PlaceTetromino:
    move = parse_move(notation.tidy(text))
    if not isinstance(move, PlaceTetromino):
        raise TypeError(f"{text!r} is not a placement")
    return move
