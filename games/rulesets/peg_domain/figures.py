"""The drawn examples of the public rules page, by name."""

from __future__ import annotations

from functools import cache

from games.engine import notation as engine_notation
from games.engine.errors import EngineFault
from games.engine.palette import LINE
from games.rulesets.peg_domain import picture as pictures
from games.rulesets.peg_domain.boards import (
    COLUMNS,
    DOMAIN_NAME,
    PALLET,
    PALLET_NAME,
    PALLET_SQUARE,
    ROWS,
    SIDE,
    around,
    domain_names,
    landing,
    pallet_names,
    set_of,
)
from games.rulesets.peg_domain.moves import Finish, PlaceCutOut
from games.rulesets.peg_domain.notation import parse_move
from games.rulesets.peg_domain.picture import Grid
from games.rulesets.peg_domain.state import PegDomainState, Preliminaries
from games.rulesets.peg_domain.turns import begun, played
from games.rulesets.peg_domain.view import view

# A pallet that was drawn once; C7 and E8 carry pegs.
EXAMPLE = (
    "A1 F1 G1 A2 D2 E3 F3 H5 I5 A6 B6 G6 H6 C7 L7 A8 D8 E8 H8 A9 B9 A10 C10 E13 I13 B14 D14 F14 "
    "I14 A15 H15 B16 D16 H16 J16 K16"
)
MOVE = "C7 RRD > E5 90"
REMOVED = "J9"
RAPID = "J10"
TURNS = ("H8 DDDDDR > G2 0", "C7 RRD > C5 0", "D8 DDDDDR > F3 0", "H8 DDDDDR > C7 180")


@cache
def figures() -> dict[str, tuple[str, str]]:
    """Each example as an SVG document and its caption."""
    return {
        "start": _start(),
        "cut": _cut_out(),
        "placed": _placement(),
        "removals": _removals(),
        "held": _held(),
        "rapid": _rapid(),
        "ended": _ended(),
    }


def _pegs() -> int:
    return set_of([PALLET_SQUARE[name] for name in EXAMPLE.split()])


def _opening() -> PegDomainState:
    frame = Preliminaries("tempo-up", 0, True, ((0, 0, 0), (0, 0, 0)), right="order", first=0)
    frame = Preliminaries(
        frame.variant,
        frame.advantage,
        frame.early_ready,
        frame.items,
        right="order",
        drawn=(_pegs(), _pegs()),
        ready=(True, True),
        first=0,
    )
    return begun(PegDomainState(frame, "colour"), 0)


def _rows() -> list[str]:
    rows: list[str] = view(_opening(), "room")["pallets"][0]["rows"]
    return rows


def _move() -> PlaceCutOut:
    return _read(MOVE)


def _read(text: str) -> PlaceCutOut:
    move = parse_move(engine_notation.tidy(text))
    if not isinstance(move, PlaceCutOut):
        raise EngineFault("the example is no placement")
    return move


def _start() -> tuple[str, str]:
    shown = view(_opening(), "room")
    return (
        pictures.picture(shown),
        "The start of a match: red's pallet and side on the left, blue's on the right.",
    )


def _cut_out() -> tuple[str, str]:
    grid = Grid(34, 34, 22, COLUMNS, ROWS)
    names = [PALLET_NAME[square] for square in _move().squares]
    svg = pictures.document(
        grid.width + 48,
        grid.height + 48,
        "A cut-out",
        f"The path C7 RRD on a pallet: {', '.join(names)}, with pegs on C7 and E8.",
        [pictures.pallet(grid, _rows()), pictures.fill(grid, names, 0)]
        + [pictures.stud(*grid.corner(name), grid.cell) for name in (names[0], names[-1])],
    )
    return svg, "The cut-out C7 RRD: from the peg on C7 right, right and down to the peg on E8."


def _placement() -> tuple[str, str]:
    grid = Grid(34, 34, 34, SIDE, SIDE)
    move = _move()
    lands = [landing(move.squares[0], square, move.target, move.turns) for square in move.squares]
    names = [DOMAIN_NAME[square] for square in lands if square is not None]
    svg = pictures.document(
        grid.width + 48,
        grid.height + 48,
        "A placement",
        f"{MOVE} covers {', '.join(names)}; pegs now stand on {names[0]} and {names[-1]}.",
        [pictures.domain(grid, view(_opening(), "room")["domain"]), pictures.fill(grid, names, 0)]
        + [pictures.stud(*grid.corner(name), grid.cell) for name in (names[0], names[-1])],
    )
    return svg, f"{MOVE}: the first peg lies on E5, and what went right goes down now."


def _removals() -> tuple[str, str]:
    grid = Grid(34, 34, 22, COLUMNS, ROWS)
    rows = _rows()
    column, row = ord(REMOVED[0]) - ord("A"), int(REMOVED[1:]) - 1
    rows[row] = rows[row][:column] + "#" + rows[row][column + 1 :]
    gone = set_of([PALLET_SQUARE[REMOVED]])
    fit = pallet_names(PALLET & ~around(_pegs()) & ~around(gone))
    svg = pictures.document(
        grid.width + 48,
        grid.height + 48,
        "Squares that can be removed",
        f"{REMOVED} was removed before. {', '.join(fit)} can be removed now.",
        [pictures.pallet(grid, rows), pictures.rings(grid, fit, LINE[1])],
    )
    return svg, (
        f"{REMOVED} has been removed. Only the framed squares can be removed now: they touch "
        "neither a peg nor the removed square."
    )


def _after_turns() -> PegDomainState:
    state = _opening()
    for text in TURNS:
        state = played(state, _read(text), None)
    return state


def _held() -> tuple[str, str]:
    grid = Grid(34, 34, 34, SIDE, SIDE)
    state = _after_turns()
    names = domain_names(state.standing)
    svg = pictures.document(
        grid.width + 48,
        grid.height + 48,
        "Pegs on the domain",
        f"After two turns each, pegs stand on {', '.join(names)}.",
        [
            pictures.domain(grid, view(state, "room")["domain"]),
            pictures.rings(grid, names, LINE[1]),
        ],
    )
    return svg, "After two turns each: nothing may be laid on the framed squares, which have pegs."


def _rapid() -> tuple[str, str]:
    grid = Grid(34, 34, 22, COLUMNS, ROWS)
    area = around(set_of([PALLET_SQUARE[RAPID]])) & PALLET
    gone = pallet_names(area & ~around(_pegs()))
    svg = pictures.document(
        grid.width + 48,
        grid.height + 48,
        "Rapid Removal",
        f"Around {RAPID}, {', '.join(gone)} would go: they neither carry nor touch a peg.",
        [pictures.pallet(grid, _rows()), pictures.rings(grid, gone, LINE[1])],
    )
    return svg, f"Rapid Removal around {RAPID} takes the framed squares of its three by three."


def _ended() -> tuple[str, str]:
    state = _after_turns()
    for _ in (0, 1):
        state = played(state, Finish(), None)
    first, second = state.scores
    return pictures.picture(view(state, "room")), (
        f"Both players have finished: {first} squares of the domain to {second}."
    )
