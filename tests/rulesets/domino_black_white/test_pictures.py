"""Pictures and the drawn examples of the rules page."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from games.engine.decisions import ROOM
from games.rulesets.domino_black_white import figures as drawn
from games.rulesets.domino_black_white.figures import figures
from games.rulesets.domino_black_white.picture import description_of
from tests.rulesets.domino_black_white.helpers import (
    RULES,
    at_random,
    begun,
    legal_squares,
    met,
    play,
)

SVG = "{http://www.w3.org/2000/svg}"
PAGE = Path(__file__).parents[3] / "games/rulesets/domino_black_white/rules.html"


def checked(svg: str) -> ElementTree.Element:
    """The document, once it is clear that it stands alone and has a text alternative."""
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own document)
    assert root.tag == f"{SVG}svg"
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    assert (width, height) == (float(root.attrib["width"]), float(root.attrib["height"]))
    for tag in ("title", "desc"):
        assert root.findtext(f"{SVG}{tag}")
    own = {f"#{element.attrib['id']}" for element in root.iter() if "id" in element.attrib}
    for element in root.iter():
        assert element.tag.removeprefix(SVG) not in {"script", "style", "image", "use"}
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name != "style"
            assert "href" not in name
            assert set(re.findall(r"url\(([^)]*)\)", value)) <= own
    return root


def test_every_view_has_a_picture() -> None:
    for state in (begun(), play(), at_random(2, 9), at_random(2)):
        for audience in (0, 1, ROOM, "all"):
            checked(RULES.picture(RULES.view(state, audience)))


def test_a_picture_says_in_words_what_it_shows() -> None:
    assert description_of(RULES.view(play(), ROOM)) == "The board is empty."
    state = play("(3,4) DY:DZ hide DY", "(0,0) EY:EZ hide EZ")
    assert description_of(RULES.view(state, 0)) == (
        "First player has 0, Second player has 0. Dominoes in the order of placement: "
        "First player DY white 3, hidden, DZ black 4; "
        "Second player EY black 0, EZ black hidden."
    )
    assert "DY white hidden, DZ black 4" in description_of(RULES.view(state, ROOM))
    root = checked(RULES.picture(RULES.view(state, 0)))
    assert root.findtext(f"{SVG}desc") == description_of(RULES.view(state, 0))


def test_a_picture_shows_the_numbers_that_the_view_has_and_no_others() -> None:
    state = play("(3,4) DY:DZ hide DY", "(0,1) EY:EZ hide EZ")
    own = [text.text for text in checked(RULES.picture(RULES.view(state, 0))).iter(f"{SVG}text")]
    room = [
        text.text for text in checked(RULES.picture(RULES.view(state, ROOM))).iter(f"{SVG}text")
    ]
    # The last two are the scores.
    assert [text for text in own if text in set("012345?")] == [*"3?40?", *"00"]
    assert [text for text in room if text in set("012345?")] == [*"?40?", *"00"]


def test_each_seat_has_its_own_pattern_and_the_latest_domino_stands_out() -> None:
    state = play("(3,4) DY:DZ hide DY", "(0,1) EY:EZ hide EZ", "(0,1) GY:GZ hide GY")
    svg = RULES.picture(RULES.view(state, ROOM))
    # One more of each in the scores.
    assert svg.count('fill="url(#domino-seat-0)"') == 3
    assert svg.count('fill="url(#domino-seat-1)"') == 2
    assert svg.count('stroke-width="4.5"') == 1


# -- the rules page ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(figures()))
def test_every_example_is_a_picture_with_a_caption(name: str) -> None:
    svg, caption = figures()[name]
    checked(svg)
    assert caption.endswith(".")


def test_the_page_shows_every_example_once() -> None:
    shown = re.findall(r'{% rules_figure "domino-black-white" "([a-z]+)" %}', PAGE.read_text())
    assert sorted(shown) == sorted(figures())


def _marked(name: str) -> list[str]:
    """What is written on the marked squares of an example."""
    svg, _ = figures()[name]
    return [
        text.text or "" for text in checked(svg).iter(f"{SVG}text") if text.text in ("yes", "no")
    ]


def test_the_examples_tell_the_truth() -> None:
    support = legal_squares(play("(2,1) CY:CZ hide 1"))
    assert {("CX", "DX"), ("EY", "EZ")} <= support
    assert ("FW", "GW") not in support
    assert ("DY", "DZ") in legal_squares(play(*drawn.OVERHANG))
    assert ("DY", "DZ") not in legal_squares(play(*drawn.OVERHANG, "(0,5) EY:EZ hide 0"))
    assert ("DZ", "EZ") not in legal_squares(play(*drawn.SHAFT))
    assert ("DY", "DZ") in legal_squares(play(*drawn.SHAFT))
    wings = legal_squares(play(*drawn.WINGS))
    assert ("AR", "BR") in wings
    assert ("HR", "IR") not in wings
    assert met(play(*drawn.SCORED)) == "VDB"
    assert "VDB" in figures()["scored"][1]
    told_of_wings = checked(figures()["wings"][0]).findtext(f"{SVG}desc") or ""
    assert told_of_wings.endswith("Marked yes: AR, BR. Marked no: HR, IR.")
    told_of_lines = checked(figures()["scored"][0]).findtext(f"{SVG}desc") or ""
    assert told_of_lines.endswith("Ringed as V: GW to GY. Ringed as D: GX to EZ.")
    assert _marked("support") == ["yes"] * 4 + ["no"] * 2
    assert _marked("slide") == ["yes"] * 2
    assert _marked("closed") == _marked("turn") == ["no"] * 2
    assert _marked("wings") == ["yes"] * 2 + ["no"] * 2
