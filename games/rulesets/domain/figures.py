"""The drawn examples of the public rules page, by name."""

from __future__ import annotations

from functools import cache
from typing import Any

from games.engine.palette import FILL, GROUND, LINE
from games.rulesets.domain import picture as pictures
from games.rulesets.domain.board import Laid, count, faults
from games.rulesets.domain.pool import Pool, built_in
from games.rulesets.domain.state import DomainState, DomainTerms, ShapeTurn
from games.rulesets.domain.view import view


@cache
def figures() -> dict[str, tuple[str, str]]:
    """Each example as an SVG document and its caption."""
    return {
        "pool": _pool_figure(),
        "special": _special(),
        "notation": _notation(),
        "overlap": _overlap(),
        "touching": _touching(),
        "challenged": _challenged(),
    }


def _classic() -> Pool:
    return built_in()["classic@1"]


def _view_of(*laid: Laid) -> dict[str, Any]:
    """The view of a match whose turns were these, in which seat 0 has the advantage, and so red."""
    pool = _classic()
    state = DomainState(
        DomainTerms(advantage=0),
        phase="place",
        pool=pool,
        turns=tuple(ShapeTurn(each.seat, each.shape, each) for each in laid),
    )
    return view(state, count(pool, 0, laid))


def _parse_laid(seat: int, text: str) -> Laid:
    """``07 red 120,85 45`` laid by a seat."""
    shape, colour, at, angle = text.split()
    x, y = at.split(",")
    number = _classic().index[shape]
    return Laid(seat, number, int(colour == "blue"), int(x), int(y), int(angle))


def _pool_figure() -> tuple[str, str]:
    drawing, height = pictures.pool_drawing(_view_of(), columns=8)
    svg = pictures.document(
        2 * pictures.SIDE + pictures.GAP + 28,
        height + 28,
        "The built-in pool",
        "Twenty-four shapes with their numbers.",
        [f'<g transform="translate(14 14)">{drawing}</g>'],
    )
    return svg, (
        "The built-in pool, classic@1: 01 is Start, 20 to 22 have a yellow void zone, "
        "23 and 24 a purple border."
    )


def _special() -> tuple[str, str]:
    shapes = {shape["id"]: shape for shape in _view_of()["pool"]["shapes"]}
    parts = []
    for index, (shape, name) in enumerate(
        (("01", "Start"), ("21", "void zone"), ("24", "purple border"))
    ):
        x = 110 + 200 * index
        parts.append(pictures.shape_drawing(shapes[shape], 0, (x, 95), 0))
        parts.append(pictures.words(x, 190, name, size=16, colour=pictures.INK, anchor="middle"))
    svg = pictures.document(
        620, 215, "Shapes with a special property", "Start, a void zone, a purple border.", parts
    )
    return svg, "Start, a shape with a void zone, and a shape with a purple border."


def _notation() -> tuple[str, str]:
    shapes = {shape["id"]: shape for shape in _view_of()["pool"]["shapes"]}
    parts = []
    for index, angle in enumerate((0, 45, 90, 180)):
        x = 90 + 165 * index
        parts.append(pictures.shape_drawing(shapes["07"], 1, (x, 95), angle, label=False))
        parts.append(
            f'<path d="M{x - 7} 95h14M{x} 88v14" stroke="{pictures.INK}" stroke-width="2.5"/>'
        )
        parts.append(
            pictures.words(x, 195, f"{angle}°", size=16, colour=pictures.INK, anchor="middle")
        )
    svg = pictures.document(
        675,
        220,
        "Shape 07 turned",
        "Shape 07 turned clockwise by 0, 45, 90 and 180 degrees.",
        parts,
    )
    return svg, "Shape 07 turned clockwise. The cross is its reference point, which stays in place."


def _overlap() -> tuple[str, str]:
    shown = _view_of(
        _parse_laid(0, "19 red 150,150 20"),
        _parse_laid(1, "05 red 210,190 0"),
        _parse_laid(0, "21 red 340,200 0"),
        _parse_laid(1, "08 blue 150,180 30"),
        _parse_laid(0, "16 blue 230,150 60"),
    )
    first, second = shown["scores"]
    return pictures.picture(shown), (
        f"Later shapes lie on top. The first player shows {first:,} pixels over both domains, "
        f"the second {second:,}; the yellow void zone counts for nobody."
    )


def _touching() -> tuple[str, str]:
    """Pixels, magnified: beside a purple pixel is touching, beside a void one is not."""
    cell = 26
    parts: list[str] = []

    def square(column: int, row: int, fill: str, line: str) -> str:
        return (
            f'<rect x="{20 + column * cell}" y="{20 + row * cell}" width="{cell}" height="{cell}" '
            f'fill="{fill}" stroke="{line}"/>'
        )

    for block, zone in enumerate(
        ("url(#domain-border)", "url(#domain-void)", "url(#domain-border)")
    ):
        left = block * 8
        parts.extend(
            square(left + column, row, GROUND[1], "#cbbf9f")
            for column in range(7)
            for row in range(4)
        )
        parts.extend(square(left + 4, row, zone, pictures.INK) for row in range(4))
        for column, row in ((2, 1), (2, 2), (3, 1), (3, 2)):
            shifted = column - 1 if block == 2 else column
            parts.append(square(left + shifted, row, FILL[0], LINE[0]))
            parts.append(square(left + shifted, row, "url(#domain-0)", LINE[0]))
        verdict = ("touches: not valid", "beside a void: valid", "a pixel between: valid")[block]
        parts.append(
            pictures.words(
                20 + (left + 3.5) * cell,
                20 + 4 * cell + 20,
                verdict,
                size=15,
                colour=pictures.INK,
                anchor="middle",
            )
        )
    svg = pictures.document(
        40 + 23 * cell,
        20 + 4 * cell + 44,
        "Touching, pixel by pixel",
        "A shape whose pixel is next to a purple one touches it. A void zone may be next to it.",
        parts,
    )
    return svg, (
        "Pixel by pixel: next to purple is touching; next to a void zone is not covering it; with "
        "a pixel between, purple is not touched."
    )


def _challenged() -> tuple[str, str]:
    """Red lies under a shape that sticks out of it, marked as where an organiser rules."""
    below, sticking = (
        _parse_laid(0, "13 red 330,180 0"),
        _parse_laid(1, "04 red 30,180 0"),
    )
    pixels = [pixel for fault in faults(_classic(), (below,), sticking) for pixel in fault.pixels]
    return pictures.picture(_view_of(below, sticking), (sticking.domain, pixels)), (
        "The last shape sticks out of the red domain, on the left: it is not valid, but it stands "
        "unless it is challenged."
    )
