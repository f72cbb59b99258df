"""Placements painted on a picture of the position: the template, and reading it back.

The pallet and the domain lie at fixed places of the template. A painted square is one most of whose
inside differs plainly from the template's; which colour it was painted with does not matter. What
anti-aliasing, JPEG and a change of size do to a picture stays well below that.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from core.refusals import Refusal
from games.engine.capabilities import Painted
from games.engine.decisions import ROOM, Decision
from games.rulesets.peg_domain import picture as pictures
from games.rulesets.peg_domain.boards import (
    COLUMNS,
    DOMAIN_NAME,
    DOMAIN_SQUARE,
    PALLET_NAME,
    PALLET_SQUARE,
    PALLET_STEP,
    ROWS,
    SIDE,
    STRIDE,
    connected,
    landing,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import PlaceCutOut
from games.rulesets.peg_domain.picture import Grid
from games.rulesets.peg_domain.state import PegDomainState
from games.rulesets.peg_domain.validation import validate
from games.rulesets.peg_domain.view import view

PALLET: Final = Grid(44, 76, 36, COLUMNS, ROWS)
DOMAIN: Final = Grid(536, 76, 48, SIDE, SIDE)
WIDTH, HEIGHT = 996, 676
STUD: Final = "#8f8779"

MOST_PIXELS: Final = 24_000_000
LEAST_WIDTH: Final = 480  # below that a square of the pallet has fewer than 18 pixels each way
SHAPE_TOLERANCE: Final = 0.02
PLAIN: Final = 70  # of 255: how much a channel differs where a pixel was painted
PAINTED: Final = 0.6  # the part of a square that is painted from here on
UNTOUCHED: Final = 0.2
LONGEST_PATH: Final = 5_000  # steps of the search for a path through painted squares
_NO_PATH: Final = "The squares painted on the pallet are no path from one peg to another."
_PATH_OPEN: Final = (
    "It would take too long to find a path through the squares painted on the pallet: write it "
    'out, like "A1 RRD > E5 0".'
)

Pixels = NDArray[np.int16]


def template(state: PegDomainState, decision: Decision) -> str:
    """The mover's pallet and the domain, large enough to be painted on."""
    if decision.kind != "turn":
        raise Refusal("picture.not-taken", "Only placements are painted.")
    shown = view(state, ROOM)
    red = pictures.red_of(shown)
    pallet = _pallet_of(shown, decision.seat)
    svg = pictures.document(
        WIDTH,
        HEIGHT,
        "Peg Domain, to be painted on",
        "Paint the squares of your cut-out on the pallet, and those it covers on the domain.",
        [
            pictures.words(
                PALLET.x + PALLET.width / 2,
                24,
                f"Your pallet ({pallet['colour']}): paint the cut-out",
                size=17,
                colour=pictures.INK,
            ),
            pictures.words(
                DOMAIN.x + DOMAIN.width / 2,
                24,
                "Domain: paint what it covers",
                size=17,
                colour=pictures.INK,
            ),
            pictures.pallet(PALLET, pallet["rows"]),
            pictures.domain(DOMAIN, shown["domain"], red),
            pictures.words(
                DOMAIN.x + DOMAIN.width / 2,
                560,
                "Fill whole squares with one strong colour. Do not crop the picture.",
                size=14,
            ),
        ],
        red,
    )
    # Studs in a middle grey: black paint differs plainly from them, and so does a light colour.
    return svg.replace(f'fill="{pictures.INK}"', f'fill="{STUD}"')


def _pallet_of(shown: dict[str, Any], seat: int) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in shown["pallets"] if each["seat"] == seat)
    return found


# -- pixels --------------------------------------------------------------------------------------


def _pixels(data: bytes, size: tuple[int, int] | None) -> Pixels:
    """A picture in red, green and blue, brought to ``size``.

    Raises Refusal ``picture.unreadable``, ``picture.too-many-pixels``, ``picture.too-small`` and
    ``picture.shape``.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
            # The size is known before anything is unpacked, so that a bomb never is.
            _must_be_modest(*image.size)
            if size is not None:
                _must_fit(*image.size, size)
            flat = Image.new("RGBA", image.size, pictures.PAPER)
            flat.alpha_composite(image.convert("RGBA"))
            solid = flat.convert("RGB")
            if size is not None and solid.size != size:
                solid = solid.resize(size, Image.Resampling.BICUBIC)
            return np.asarray(solid, dtype=np.int16)
    except Refusal:
        raise
    except Exception as error:
        # Pillow raises anything at all for a broken file.
        raise Refusal(
            "picture.unreadable", "This is no PNG or JPEG picture that can be read."
        ) from error


def _must_be_modest(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise Refusal("picture.too-many-pixels", "This picture has too many pixels.")


def _must_fit(width: int, height: int, size: tuple[int, int]) -> None:
    if width < LEAST_WIDTH:
        raise Refusal(
            "picture.too-small", f"The picture must be at least {LEAST_WIDTH} pixels wide."
        )
    if abs(width * size[1] / (height * size[0]) - 1) > SHAPE_TOLERANCE:
        raise Refusal(
            "picture.shape",
            "This picture does not have the template's proportions; it must not be cropped.",
        )


def painted_squares(template_png: bytes, upload: bytes) -> tuple[list[str], list[str]]:
    """The names of the painted squares of the pallet and of the domain.

    Raises Refusal ``picture.unclear`` where a square is painted in part, and as `_pixels`.
    """
    before = _pixels(template_png, None)
    after = _pixels(upload, (before.shape[1], before.shape[0]))
    differs = np.abs(after - before).max(axis=2) > PLAIN
    scale = before.shape[1] / WIDTH
    unclear: list[str] = []
    pallet = _painted_names(differs, PALLET, scale, unclear, "on the pallet")
    domain = _painted_names(differs, DOMAIN, scale, unclear, "on the domain")
    if unclear:
        raise Refusal(
            "picture.unclear",
            f"It is not clear whether {', '.join(unclear[:8])} "
            f"{'is' if len(unclear) == 1 else 'are'} painted: fill whole squares.",
        )
    return pallet, domain


def _painted_names(
    differs: NDArray[np.bool_], grid: Grid, scale: float, unclear: list[str], where: str
) -> list[str]:
    """The names of the painted squares of a board; those painted in part go to ``unclear``."""
    names = []
    inset = grid.cell * 0.2
    for row in range(grid.rows):
        for column in range(grid.columns):
            x, y = grid.x + column * grid.cell, grid.y + row * grid.cell
            left, right = round((x + inset) * scale), round((x + grid.cell - inset) * scale)
            top, bottom = round((y + inset) * scale), round((y + grid.cell - inset) * scale)
            share = float(differs[top:bottom, left:right].mean())
            name = f"{chr(ord('A') + column)}{row + 1}"
            if share >= PAINTED:
                names.append(name)
            elif share > UNTOUCHED:
                unclear.append(f"{name} {where}")
    return names


# -- what was meant ------------------------------------------------------------------------------


def read(
    state: PegDomainState, decision: Decision, template_png: bytes, upload: bytes
) -> list[Painted]:
    """Every placement that the painted squares may stand for.

    Where the same squares can be covered in several ways, these differ in where the pegs come to
    lie. One that covers a single peg is read with Peg Subtraction, if the player may use it. Raises
    Refusal ``picture.nothing``, ``picture.counts``, ``picture.no-path``, ``picture.path-open``,
    ``picture.no-fit``, and whatever is wrong with the placements themselves.
    """
    if decision.kind != "turn":
        raise Refusal("picture.not-taken", "Only placements are painted.")
    pallet, domain = painted_squares(template_png, upload)
    if not pallet or not domain:
        where = "the pallet" if not pallet else "the domain"
        raise Refusal("picture.nothing", f"Nothing is painted on {where}.")
    if len(pallet) != len(domain):
        raise Refusal(
            "picture.counts",
            f"{len(pallet)} squares are painted on the pallet and {len(domain)} on the domain.",
        )
    squares = [PALLET_SQUARE[name] for name in pallet]
    cover = {DOMAIN_SQUARE[name] for name in domain}
    ordered, by_path = _in_order(state, decision, squares)
    found: list[Painted] = []
    seen: set[frozenset[int | None]] = set()
    refusal: Refusal | None = None
    for plain in _placements(ordered, cover, by_path=by_path):
        try:
            move = _legal_placement(state, decision, plain)
        except Refusal as error:
            refusal = refusal or error
            continue
        # The same squares covered with the pegs on the same two are the same placement.
        pegs = state.frame.pegs[decision.seat]
        studs = frozenset(
            [
                landing(move.squares[0], square, move.target, move.turns)
                for square in move.squares
                if pegs >> square & 1
            ]
        )
        if studs not in seen:
            seen.add(studs)
            found.append(Painted(move, understood(state, decision, move)))
    if found:
        return found
    raise refusal or Refusal(
        "picture.no-fit",
        "The cut-out cannot cover the squares painted on the domain, however it is turned.",
    )


def _legal_placement(state: PegDomainState, decision: Decision, move: PlaceCutOut) -> PlaceCutOut:
    """The placement as it can be made. Raises Refusal."""
    try:
        validate(state, decision, move)
    except Refusal as refusal:
        if refusal.code != "place.on-peg" or len(refusal.squares) != 1:
            raise
        peg = DOMAIN_SQUARE[refusal.squares[0]]
        without = PlaceCutOut(move.squares, move.by_path, move.target, move.turns, peg)
        try:
            validate(state, decision, without)
        except Refusal:
            # What was painted is refused for what it covers, not for an item nobody spoke of.
            raise refusal from None
        return without
    return move


def _in_order(
    state: PegDomainState, decision: Decision, squares: list[int]
) -> tuple[list[int], bool]:
    """The squares from one peg on, as a path if they are one."""
    pegs = state.frame.pegs[decision.seat]
    ends = [square for square in squares if pegs >> square & 1]
    if len(ends) == 2:
        path, code, sentence = None, "picture.no-path", _NO_PATH
        try:
            path = _path(ends[0], ends[1], set(squares))
        except _CutShort:
            code, sentence = "picture.path-open", _PATH_OPEN
        if path is not None:
            return path, True
        if not state.frame.by_squares:
            names = tuple([PALLET_NAME[square] for square in squares])
            raise Refusal(code, sentence, names)
    # Without two pegs it is refused in the words of the rules, whatever the order.
    ordered = [*ends, *[square for square in squares if square not in ends]]
    return ordered, not state.frame.by_squares


class _CutShort(Exception):
    """The search for a path has taken as many steps as it may, and has settled nothing."""


def _path(start: int, end: int, squares: set[int]) -> list[int] | None:
    """A path from one square to another that passes all of them once, or None if there is none.

    Those with the fewest ways on come first, and what strands a square is not followed up: without
    either, blocks of thirty squares take longer than anybody would wait. Raises _CutShort after
    ``LONGEST_PATH`` steps; the largest cut-outs can take that many.
    """
    # A path alternates between the two kinds of squares of a chess board.
    if sum([_sign(square) for square in squares]) * 2 != _sign(start) + _sign(end):
        return None
    path, free = [start], set_of(squares) & ~(1 << start)
    ways = [_ways_on(start, end, free)]
    for _ in range(LONGEST_PATH):
        square = next(ways[-1], None)
        if square is None:
            free |= 1 << path.pop()
            ways.pop()
            if not path:
                return None
            continue
        path.append(square)
        free &= ~(1 << square)
        if not free:
            return path
        ways.append(_ways_on(square, end, free))
    raise _CutShort


def _sign(square: int) -> int:
    """1 or -1, and another one on every square beside it."""
    row, column = divmod(square, STRIDE)
    return 1 if (row + column) % 2 == 0 else -1


def _ways_on(square: int, end: int, free: int) -> Iterator[int]:
    """The free squares beside ``square`` in the order in which to try them; none at all where some
    free square could not be passed any more on the way to ``end``."""
    here = 1 << square
    if not connected(free | here):
        return iter(())
    beside = {each: _beside(each) & (free | here) for each in members(free)}
    if any(near.bit_count() < 2 for each, near in beside.items() if each != end):
        return iter(())
    fitting = [each for each in members(_beside(square) & free) if each != end or free == 1 << end]
    return iter(sorted(fitting, key=lambda each: beside[each].bit_count()))


def _beside(square: int) -> int:
    return set_of([square + step for step in PALLET_STEP])


def _placements(squares: list[int], cover: set[int], *, by_path: bool) -> Iterator[PlaceCutOut]:
    """Every way in which the squares cover exactly those, anchored on the first of them."""
    for turns in range(4):
        for target in sorted(cover):
            lands = {landing(squares[0], square, target, turns) for square in squares}
            if lands == cover:
                yield PlaceCutOut(tuple(squares), by_path, target, turns)


def understood(state: PegDomainState, decision: Decision, move: PlaceCutOut) -> str:
    """A picture of a placement before it is made."""
    seat = decision.seat
    shown = view(state, ROOM)
    red = pictures.red_of(shown)
    cut = [PALLET_NAME[square] for square in move.squares]
    pegs = state.frame.pegs[seat]
    lands = [landing(move.squares[0], square, move.target, move.turns) for square in move.squares]
    cover = [DOMAIN_NAME[square] for square in lands if square is not None]
    studs = [
        (PALLET_NAME[square], DOMAIN_NAME[at])
        for square, at in zip(move.squares, lands, strict=True)
        if at is not None and pegs >> square & 1
    ]
    minus = ""
    if move.minus is not None:
        minus = f" Peg Subtraction takes the peg on {DOMAIN_NAME[move.minus]}."
    return pictures.document(
        WIDTH,
        HEIGHT,
        "What was read",
        f"The cut-out {', '.join(cut)} covers {', '.join(cover)}.{minus}",
        [
            pictures.pallet(PALLET, _pallet_of(shown, seat)["rows"]),
            pictures.fill(PALLET, cut, seat, red),
            pictures.domain(DOMAIN, shown["domain"], red),
            pictures.fill(DOMAIN, cover, seat, red),
            *[pictures.stud(*PALLET.corner(name), PALLET.cell) for name, _ in studs],
            *[pictures.stud(*DOMAIN.corner(name), DOMAIN.cell) for _, name in studs],
        ],
        red,
    )
