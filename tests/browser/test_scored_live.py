"""While a match is on: what scores rises to a legend, and pieces are dragged out of the hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import players
from tests.browser.stage import Position, Stage, course
from tests.browser.test_layout_shift import MATCHES

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# What stands in the air is gone in two seconds: noted as it comes.
RISERS = """
window.risen = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const each of addedNodes) if (each.className === "riser") risen.push(each.textContent);
  }
}).observe(document, { childList: true, subtree: true });
"""
TOUCH: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


def scores(position: Position) -> bool:
    """Whether something has just scored."""
    return any(
        event["data"].get("met")
        or event["data"].get("won")
        or any(event["data"].get("gained", []))
        or event["kind"] == "bout"
        for item in position.items
        for event in item["events"]
    )


@pytest.mark.parametrize("motion", ["on", "reduced", "off", "less"])
@pytest.mark.parametrize("ruleset", MATCHES)
def test_what_scores_rises_to_a_legend(
    new_page: Pages, site: Site, ruleset: str, motion: str
) -> None:
    name, variant, _kind = MATCHES[ruleset]
    game = players.start(site, ruleset, variant=variant)
    played = course(name)
    here = next(number for number, each in enumerate(played) if number and scores(each))
    options: dict[str, Any] = {"reduced_motion": "reduce"} if motion == "less" else {}
    stage = Stage(new_page, game, "Ada", played[:here], clock=False, **options)
    page = stage.page
    if motion != "less":
        page.evaluate("motion => { document.documentElement.dataset.motion = motion; }", motion)
    page.evaluate(RISERS)
    stage.play(played[here])
    stage.settle()
    page.locator("[data-part=scored] .scored__sign").first.wait_for()
    signs = page.locator("[data-part=scored] .scored__sign").all_inner_texts()
    risen = page.evaluate("risen")
    if motion in {"off", "less"}:
        assert risen == []
    else:
        assert risen
        assert set(risen) <= set(signs)
    # Whoever comes later reads it, too.
    stage.sync()
    stage.settle()
    assert page.locator("[data-part=scored] .scored__sign").all_inner_texts() == signs
    assert new_page.errors == []


HANDS = {
    "domino-black-white": ".hand__domino:has(input:not(:disabled))",
    "domino-wars": ".wars-hand__domino:has(input:not(:disabled))",
    "tetronogo": ".in-hand",
}


def at_a_turn(new_page: Pages, site: Site, ruleset: str, **options: Any) -> tuple[Stage, Locator]:
    """Ada's page when she is to place, and what she can drag."""
    name, variant, kind = MATCHES[ruleset]
    game = players.start(site, ruleset, variant=variant)
    played = course(name)
    here = next(number for number, each in enumerate(played) if each.asks(0, kind))
    stage = Stage(new_page, game, "Ada", played[: here + 1], clock=False, **options)
    return stage, stage.page.locator(HANDS[ruleset]).first


def middle(page: Page, what: Locator) -> tuple[float, float]:
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("ruleset", HANDS)
def test_a_piece_is_dragged_from_the_hand_by_mouse(
    new_page: Pages, site: Site, ruleset: str
) -> None:
    stage, card = at_a_turn(new_page, site, ruleset, viewport={"width": 1440, "height": 1400})
    page = stage.page
    card.scroll_into_view_if_needed()
    page.mouse.move(*middle(page, card))
    page.mouse.down()
    page.mouse.move(*(place + 15 for place in middle(page, card)), steps=3)
    page.locator(".carried").wait_for()
    x, y = middle(page, page.locator(".match__board svg.board").first)
    page.mouse.move(x, y, steps=6)
    assert page.locator(".match__board .ghost").count() == 1
    assert page.locator(".carried").is_hidden()
    page.mouse.up()
    assert page.locator(".carried").count() == 0
    page.locator(".match__board :is(.ghost--pinned, .ghost--wrong)").wait_for()
    assert [each for each in stage.sent if each["type"] == "submit"] == []
    # Out of the board it is taken back into the hand.
    page.keyboard.press("Escape")
    page.mouse.move(*middle(page, card))
    page.mouse.down()
    page.mouse.move(x, y, steps=6)
    page.mouse.move(2, 2, steps=3)
    page.mouse.up()
    assert page.locator(".match__board .ghost").count() == 0
    assert new_page.errors == []


@pytest.mark.parametrize("ruleset", HANDS)
def test_what_is_dragged_when_the_match_is_paused_goes_back(
    new_page: Pages, site: Site, ruleset: str
) -> None:
    stage, card = at_a_turn(new_page, site, ruleset, viewport={"width": 1440, "height": 1400})
    page = stage.page
    card.scroll_into_view_if_needed()
    page.mouse.move(*middle(page, card))
    page.mouse.down()
    page.mouse.move(*(place + 15 for place in middle(page, card)), steps=3)
    page.locator(".carried").wait_for()
    x, y = middle(page, page.locator(".match__board svg.board").first)
    page.mouse.move(x, y, steps=6)
    assert page.locator(".match__board .ghost").count() == 1
    stage.step("The organiser paused the match", seat=None, paused=True)
    stage.settle()
    page.mouse.up()
    assert page.locator(".match__board .ghost, .carried").count() == 0
    stage.step("The organiser resumed the match", seat=None, paused=False)
    stage.settle()
    assert page.locator(".match__board .ghost, .carried").count() == 0
    assert new_page.errors == []


@pytest.mark.parametrize("ruleset", HANDS)
def test_a_finger_pulls_a_piece_from_the_hand(new_page: Pages, site: Site, ruleset: str) -> None:
    stage, card = at_a_turn(new_page, site, ruleset, **TOUCH)
    page = stage.page
    card.evaluate("card => card.scrollIntoView({ block: 'end' })")
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    x, y = middle(page, card)
    to_x, to_y = middle(page, page.locator(".match__board svg.board").first)
    before = page.evaluate("scrollY")
    touch("touchStart", (x, y))
    for part in range(1, 9):
        touch("touchMove", (x + (to_x - x) * part / 8, y + (to_y + 44 - y) * part / 8))
    page.locator(".match__board .ghost").wait_for()
    touch("touchEnd")
    page.locator(".match__board :is(.ghost--pinned, .ghost--wrong)").wait_for()
    assert page.evaluate("scrollY") == before
    assert new_page.errors == []
