"""What the drawn domains show: whose is what, and what lies below what."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import Any

import pytest
from PIL import Image

from games.pictures.boards import png_of
from games.rulesets.domain import picture as pictures
from games.rulesets.domain.board import Laid, count, faults
from games.rulesets.domain.pool import Pool
from games.rulesets.domain.state import DomainState, DomainTerms, ShapeTurn
from games.rulesets.domain.view import view
from tests.rulesets.domain.helpers import SMALL, box, pool_of

POOL = pool_of(SMALL)
RINGED = pool_of(
    {
        "name": "ringed",
        "version": "1",
        "size": [400, 300],
        "shapes": [
            {"id": "01", "outline": box(120), "inner": box(100), "holes": [box(50)], "start": True},
            {"id": "02", "outline": box(30)},
        ],
    }
)


def shown(red: int, *laid: Laid, pool: Pool = POOL) -> dict[str, Any]:
    """The view of a match in which these lie."""
    turns = tuple(ShapeTurn(each.seat, each.shape, each) for each in laid)
    state = DomainState(DomainTerms(advantage=red), phase="place", pool=pool, turns=turns)
    return view(state, count(pool, red, laid))


Colour = tuple[int, int, int]


@cache
def _drawn(svg: str) -> Image.Image:
    return Image.open(io.BytesIO(png_of(svg, scale=1))).convert("RGB")


def colour_at(svg: str, domain: int, x: float, y: float, pool: Pool = POOL) -> Colour:
    """The colour of a point of a domain, in its pixels."""
    scale = pictures.SIDE / pool.width
    left = pictures.EDGE + domain * (pictures.SIDE + pictures.GAP)
    found = _drawn(svg).getpixel((round(left + x * scale), round(pictures.HEAD + y * scale)))
    assert isinstance(found, tuple)
    return found[0], found[1], found[2]


def colours_around(svg: str, domain: int, x: int, y: int) -> list[Colour]:
    """The colours of a shape of at least eight pixels a side, its number among them."""
    return [
        colour_at(svg, domain, x + across / 4, y + down / 4)
        for across in range(-16, 17)
        for down in range(-16, 17)
    ]


def is_red(colour: Colour) -> bool:
    return colour[0] > colour[2] + 20


def is_blue(colour: Colour) -> bool:
    return colour[2] > colour[0] + 20


@pytest.mark.parametrize("red", [0, 1])
def test_the_red_domain_is_red_and_the_blue_one_blue_whoever_owns_them(red: int) -> None:
    """And so are the shapes of their owners, wherever they lie."""
    svg = pictures.picture(shown(red, Laid(red, 0, 1, 20, 15, 0), Laid(1 - red, 4, 0, 20, 15, 0)))
    assert is_red(colour_at(svg, 0, 4, 28))
    assert is_blue(colour_at(svg, 1, 2.5, 2.5))
    on_blue, on_red = (colours_around(svg, domain, 20, 15) for domain in (1, 0))
    assert any(map(is_red, on_blue))
    assert not any(map(is_blue, on_blue))
    assert any(map(is_blue, on_red))
    assert not any(map(is_red, on_red))


def test_the_count_of_each_seat_stands_below_its_own_domain() -> None:
    svg = pictures.picture(shown(1))
    assert svg.index("Second player: 1,200") < svg.index("First player: 1,200")


def test_what_lies_below_is_dashed_on_top_with_its_zones() -> None:
    """Shape 03, which has a void zone, lies below 05; on blue there is nothing to be dashed."""
    svg = pictures.picture(
        shown(1, Laid(0, 2, 0, 20, 15, 0), Laid(1, 4, 0, 20, 15, 0), Laid(1, 0, 1, 9, 9, 0))
    )
    (dashed,) = re.findall(r'<path[^>]*d="([^"]*)"[^>]*stroke-dasharray="4 4"', svg)
    assert dashed.count("M") == 2, "its outline and its zone"
    assert svg.index(dashed) > svg.index(">05</text>")


def test_every_pixel_that_is_to_blame_is_marked_row_by_row() -> None:
    """A square of 60 pixels a side sticks out by ten columns."""
    laid = Laid(1, 1, 1, 20, 150, 0)
    outside = faults(RINGED, (), laid)[0]
    assert set(outside.pixels) == {(x, y) for x in range(-10, 0) for y in range(120, 180)}
    svg = pictures.picture(shown(1, laid, pool=RINGED), (1, outside.pixels))
    (marks,) = re.findall(r'<path d="([^"]*)" fill="#111"', svg)
    assert marks.count("M") == 60
    assert marks.startswith("M-10 120h10v1h-10z")


def test_the_hole_of_a_bordered_shape_shows_what_is_below() -> None:
    svg = pictures.picture(shown(1, Laid(1, 0, 1, 200, 150, 0), pool=RINGED))
    assert not is_red(colour_at(svg, 1, 230, 185, RINGED)), "the hole"
    assert is_red(colour_at(svg, 1, 275, 150, RINGED)), "between the hole and the border"
