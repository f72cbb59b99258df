"""Pictures: self-contained documents that say in words what they show."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from games.engine.palette import FILL
from games.rulesets.tetronogo.figures import figures
from tests.rulesets.tetronogo.helpers import RULES, begin, picks, placing, run_out, say, walk

SVG = "{http://www.w3.org/2000/svg}"


def _checked(svg: str) -> ElementTree.Element:
    """The document, once it is clear that it stands alone and has a text alternative."""
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own document)
    assert root.tag == f"{SVG}svg"
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    assert (width, height) == (float(root.attrib["width"]), float(root.attrib["height"]))
    for tag in ("title", "desc"):
        found = root.find(f"{SVG}{tag}")
        assert found is not None
        assert found.text
    own = {f"#{element.attrib['id']}" for element in root.iter() if "id" in element.attrib}
    for element in root.iter():
        assert element.tag.removeprefix(SVG) not in {"script", "image", "foreignObject", "use"}
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert "href" not in name
            assert set(re.findall(r"url\(([^)]*)\)", value)) <= own
    return root


def _described(root: ElementTree.Element) -> str:
    found = root.find(f"{SVG}desc")
    assert found is not None
    return found.text or ""


def test_every_view_has_a_picture() -> None:
    for state in walk(5):
        _checked(RULES.picture(RULES.view(state, "room")))


def test_a_picture_says_what_is_on_the_board() -> None:
    state = say(placing("T", "L"), "D4 90", "A1 180", "G7 0")
    assert _described(_checked(RULES.picture(RULES.view(state, 0)))) == (
        "First player has placed 2 times T: D4 90, G7 0. "
        "Second player has placed 1 times L: A1 180."
    )
    assert "empty" in _described(_checked(RULES.picture(RULES.view(begin(), 0))))
    assert "0 times T." in _described(
        _checked(RULES.picture(RULES.view(picks(begin(), "T", "L"), 0)))
    )


def test_the_picture_of_a_finished_match_is_its_last_bout() -> None:
    view = RULES.view(walk(2)[-1], "all")
    first, second = view["bouts"][-1]["points"]
    root = _checked(RULES.picture(view))
    assert _described(root).endswith(
        f"First player scores {first} and Second player scores {second}."
    )


def test_each_seat_has_its_own_pattern() -> None:
    svg = RULES.picture(RULES.view(say(placing("T", "L"), "D4 90", "A1 180"), 0))
    assert svg.count('fill="url(#tetronogo-0)"') == 1
    assert svg.count('fill="url(#tetronogo-1)"') == 1


def test_the_latest_piece_stands_out() -> None:
    state = say(placing("T", "L"), "D4 90")
    svg = RULES.picture(RULES.view(state, 0))
    assert svg.count('stroke-width="4"') == 1
    over = run_out(state)
    assert RULES.picture(RULES.view(over, 0)).count('stroke-width="4"') == 0


def test_outlines_go_around_a_piece_on_its_own_squares() -> None:
    """An O has four corners, an L six, a T eight; all within the squares it covers."""
    for letter, corners in (("O", 4), ("I", 4), ("L", 6), ("J", 6), ("S", 8), ("Z", 8), ("T", 8)):
        for rotation in (0, 90, 180, 270):
            state = say(placing(letter, "O"), f"D4 {rotation}")
            svg = RULES.picture(RULES.view(state, 0))
            (path,) = set(re.findall(rf'<path d="(M[^"]*Z)" fill="{FILL[0]}"', svg))
            points = [tuple(map(float, p.split())) for p in path[1:-1].split("L")]
            assert len(points) == corners
            assert all(3 * 36 < x < 7 * 36 and 3 * 36 < y < 7 * 36 for x, y in points)


@pytest.mark.parametrize(
    "name", ["pieces", "rotations", "notation", "edges", "level", "bout", "match"]
)
def test_the_examples_of_the_rules_page(name: str) -> None:
    svg, caption = figures()[name]
    _checked(svg)
    assert caption.endswith(".")


def test_the_examples_are_scored_by_the_rules_themselves() -> None:
    assert "4 of red's edges touch it and 1 of blue's" in figures()["edges"][1]
    assert "all 5 squares" in figures()["edges"][1]
    assert figures()["edges"][0].count("<line") == 5
    assert figures()["level"][1].startswith("2 edges of red's, 2 of blue's")
    assert "Red scores 12, blue 16" in figures()["bout"][1]


def test_the_example_of_a_bout_is_a_bout() -> None:
    from games.rulesets.tetronogo.figures import EXAMPLE

    state = say(placing("L", "T"), *EXAMPLE)
    (bout,) = state.frame.bouts
    assert (bout.points, bout.stuck) == ((12, 16), 1)
