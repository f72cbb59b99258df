"""The picture of a position, and the drawn examples of the rules."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from games.engine.decisions import ROOM
from games.rulesets.domino_wars.estimate import estimate
from games.rulesets.domino_wars.figures import figures
from tests.rulesets.domino_wars.helpers import RULES, begin, dealt, position, say, shown, side

TEXT = "{http://www.w3.org/2000/svg}text"


def words(svg: str) -> list[str]:
    root = ET.fromstring(svg)  # noqa: S314 - our own, and without a document type
    return [element.text or "" for element in root.iter(TEXT)]


def test_a_picture_shows_numbers_owners_and_sizes() -> None:
    state = say(position(side("36 34", "12 35"), side("03 13", "45")), "36 A1:A2")
    svg = RULES.picture(RULES.view(state, ROOM))
    found = words(svg)
    assert {"A", "D", "1", "4"} <= set(found)
    assert "hand 2 · pile 1 · skips" in found
    assert "hand 2 · pile 1" in found
    assert "First player: A1 3, A2 6. Second player: none." in svg
    assert svg.count("url(#wars-seat-0)") == 3  # two squares and the chip
    assert svg.count("url(#wars-seat-1)") == 1


def test_a_picture_of_nothing_yet() -> None:
    assert "The board is empty." in RULES.picture(shown(begin()))
    assert "The board is empty." in RULES.picture(RULES.view(dealt(), 0))


@pytest.mark.parametrize("name", sorted(figures()))
def test_examples_are_drawn_and_told(name: str) -> None:
    svg, caption = figures()[name]
    assert caption.endswith(".")
    assert re.search(r"<desc>[^<]+</desc>", svg)
    assert words(svg)


def test_examples_are_right() -> None:
    """What the marks say of a domino is what the rules say of it."""
    allowed = figures()["allowed"]
    assert "3 on D3 and 4 on D4: allowed." in allowed[0]
    assert "4 on B1 and 3 on B2: not allowed." in allowed[0]
    middle = "2a .. .. .. 4a 3b 5b .. .. .. 2a .. .. .. 6a 0b"
    state = position(side("34", "12"), side("56", "12"), middle)
    legal = RULES.view(state, 0)["legal"]["34"]
    assert "D3:D4" in legal
    assert "B2:B1" not in legal
    assert "B1:B2" in legal
    turned = position(side("34", "12"), side("56", "12"), middle, seat=1)
    assert "A2:B2" in RULES.view(turned, 1)["legal"]["56"]


def test_estimates_know_what_is_good() -> None:
    ahead = position(side("34", "12"), side("03", "12"), "2a 3a 4a .." + " .." * 12)
    assert estimate(ahead, 0) > 0.3 > -0.3 > estimate(ahead, 1)
    strong = position(side("56 46", "45"), side("01 02", "03"))
    assert estimate(strong, 0) > estimate(strong, 1)
    skipped = position(side("34", "12", skip=True), side("34", "12"))
    assert estimate(skipped, 0) < estimate(position(side("34", "12"), side("34", "12")), 0)
    assert estimate(begin(), 0) == 0
