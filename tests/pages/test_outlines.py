"""Outlines out of SVG files: what they come to, and what is refused."""

from __future__ import annotations

import pytest

from core.refusals import Refusal
from games.pictures.outlines import MAX_BYTES, Outline, outlines_of


def svg(inside: str, head: str = "") -> bytes:
    """A drawing."""
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>'.encode()


def one(inside: str) -> Outline:
    """The only shape of a drawing."""
    (found,) = outlines_of(svg(inside))
    return found


def test_a_rectangle_and_a_polygon() -> None:
    assert one('<rect id="box" x="1" y="2" width="10px" height="5"/>') == Outline(
        "box", ((1, 2), (11, 2), (11, 7), (1, 7))
    )
    assert one('<polygon points="0,0 5,0 10,0 10,10"/>').outline == ((0, 0), (10, 0), (10, 10))


def test_a_circle_is_a_polygon_close_to_it() -> None:
    ring = one('<circle cx="100" cy="50" r="60"/>').outline
    assert 12 <= len(ring) <= 60
    assert all(abs(((x - 100) ** 2 + (y - 50) ** 2) ** 0.5 - 60) <= 1 for x, y in ring)


def test_transforms_of_groups_and_shapes_add_up() -> None:
    found = one(
        '<g transform="translate(100 0)"><g transform="scale(2)">'
        '<rect x="1" y="1" width="4" height="4" transform="translate(10 10)"/></g></g>'
    )
    assert found.outline == ((122, 22), (130, 22), (130, 30), (122, 30))


def test_what_lies_within_is_cut_out() -> None:
    found = one('<path d="M0 0h40v40h-40z M10 10h10v10h-10z"/>')
    assert found.outline == ((0, 0), (40, 0), (40, 40), (0, 40))
    assert found.holes == (((10, 10), (20, 10), (20, 20), (10, 20)),)


def test_parts_beside_each_other_are_shapes_of_their_own() -> None:
    found = outlines_of(svg('<path d="M0 0h40v40h-40z M100 0h10v10h-10z"/>'))
    assert [len(each.holes) for each in found] == [0, 0]


def test_what_is_not_drawn_is_left_out() -> None:
    found = one(
        "<title>T</title><metadata/><style>rect{}</style><!-- words --><defs/>"
        '<g display="none"><text>Hidden</text></g><rect width="4" height="4"/>'
    )
    assert found.name == "rect 1"


BOMB = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("data", "code", "named"),
    [
        (b"x" * (MAX_BYTES + 1), "svg.too-large", "256"),
        (svg("<text>&b;</text>", BOMB), "svg.unsafe", "plain SVG"),
        (svg("<text>&a;</text>", OUTSIDE), "svg.unsafe", "plain SVG"),
        (b"not xml", "svg.malformed", "SVG"),
        (b"\xff\xfe\x00", "svg.malformed", "SVG"),
        (b"<html/>", "svg.malformed", "SVG"),
        (svg(""), "svg.empty", "no shape"),
        (svg('<text id="words">A</text>'), "svg.element", "<text> “words”"),
        (svg("<script>alert(1)</script>"), "svg.element", "<script>"),
        (svg('<image href="https://example.org/x.png"/>'), "svg.element", "<image>"),
        (svg('<use href="#x"/>'), "svg.element", "<use>"),
        (svg('<rect width="50%" height="4"/>'), "svg.element", "width"),
        (svg('<rect height="4"/>'), "svg.element", "width"),
        (svg('<path d="M0 0L10 0"/>'), "svg.element", "encloses nothing"),
        (svg('<path d="M0 0 Lx y Z"/>'), "svg.element", "<path>"),
        (svg('<rect width="99999" height="4"/>'), "svg.element", "away"),
        (svg('<rect width="4" height="4" transform="scale(1e300)"/>'), "svg.element", "<rect>"),
        (svg('<rect width="4" height="4"/>' * 101), "svg.too-much", "100"),
        (svg("<g>" * 60 + "</g>" * 60), "svg.too-much", "nested"),
    ],
)
def test_what_is_refused(data: bytes, code: str, named: str) -> None:
    with pytest.raises(Refusal) as caught:
        outlines_of(data)
    assert caught.value.code == code
    assert named in caught.value.sentence
