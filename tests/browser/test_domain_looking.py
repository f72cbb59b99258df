"""Domain, looked at closely: shapes tried on a domain, the pick list, the ruler, and the distance
to what may not be covered. None of it is played, and nobody else is told."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.accessibility import axe
from tests.browser.players import is_asked, is_live, start, waits
from tests.browser.test_domain import TINY, drafted, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

    from tests.browser.players import Game
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# Nothing scrolls smoothly: what is pointed at is where it was measured.
DESK: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True,
    "color_scheme": "dark", "reduced_motion": "reduce",
}  # fmt: skip

SMALL = """root => [...root.querySelectorAll("button, select, input")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.textContent || each.ariaLabel, each.getBoundingClientRect()])
    .filter(([, {width, height}]) => Math.min(width, height) < 43.9)
    .map(([words, {width, height}]) => `${words}: ${width} x ${height}`)"""


@pytest.fixture(autouse=True)
def no_errors(new_page: Pages) -> Iterator[None]:
    yield
    assert new_page.errors == []


def shot(page: Page, name: str) -> None:
    """A picture for people, where a folder for them is named."""
    folder = os.environ.get("GAUNTLET_SCREENSHOTS")
    if folder:
        page.evaluate("Promise.allSettled(document.getAnimations().map((each) => each.finished))")
        page.screenshot(path=f"{folder}/looking-{name}.png")


def submitted(page: Page) -> list[str]:
    """What the page sends that is a move, from now on."""
    found: list[str] = []

    def note(socket: Any) -> None:
        socket.on(
            "framesent", lambda data: found.append(str(data)) if '"submit"' in str(data) else None
        )

    page.on("websocket", note)
    page.reload()
    is_live(page)
    return found


def looking(page: Page) -> Locator:
    """The shape that is looked at, once it is there."""
    dialog = page.get_by_role("dialog", name="Look closely")
    dialog.wait_for()
    return dialog


def put(dialog: Locator, **entries: int) -> None:
    """Type where the shape is to lie."""
    labels = {"x": "Pixels from the left", "y": "Pixels from the top", "angle": "Degrees"}
    for name, value in entries.items():
        dialog.get_by_label(labels[name]).fill(str(value))
        dialog.get_by_label(labels[name]).press("Tab")


def verdict(dialog: Locator) -> str:
    """What it says of the shape as it lies."""
    return dialog.locator(".looking__verdict").inner_text()


def readied(site: Site, new_page: Pages, **look: Any) -> tuple[Game, Page, Page]:
    """Ada picks first, and is asked which shape."""
    game = start(site, "domain", options={"pool": TINY, "refereeing": "strict"}, others=("Cleo",))
    ada, ben = game.open(new_page, "Ada", **look), game.open(new_page, "Ben", **DESK)
    for page in (ada, ben):
        page.locator(".choice--card").filter(has_text="I am ready").click()
        page.get_by_role("button", name="Ready", exact=True).click()
    is_asked(ada)
    ada.locator(".choice--card").filter(has_text="Pick first").click()
    ada.get_by_role("button", name="Pick first").last.click()
    ada.locator(".choices--shapes").wait_for()
    return game, ada, ben


def test_a_shape_is_turned_and_tried_while_the_pool_is_looked_over(
    site: Site, new_page: Pages
) -> None:
    """By mouse and by keys, in a strict match: it says what would stand, and sends nothing."""
    game = start(site, "domain", options={"pool": TINY, "refereeing": "strict"})
    ada = game.open(new_page, "Ada", **DESK)
    sent = submitted(ada)
    ada.locator(".shape-card__look").filter(has_text="02").click()
    dialog = looking(ada)
    assert dialog.get_by_label("Shape", exact=True).input_value() == "02"
    assert "119 px wide and 119 px high, turned by 0°" in verdict(dialog)
    ada.keyboard.press("r")
    ada.keyboard.press("r")
    ada.keyboard.press("r")
    assert "turned by 45°" in verdict(dialog)
    dialog.get_by_role("button", name="Turn left by 1°").click()
    assert "turned by 44°" in verdict(dialog)
    shot(ada, "itself-1440")
    # On a domain: another shape, by keys.
    dialog.locator(".looking__svg").focus()
    ada.keyboard.press("p")
    ada.keyboard.press("d")
    put(dialog, angle=0, x=240, y=180)
    assert "It would stand. 119 px to the frame." in verdict(dialog)
    assert dialog.locator(".domain-gap").count() == 1
    dialog.locator(".looking__svg").focus()
    ada.keyboard.press("ArrowUp")
    ada.keyboard.press("Shift+ArrowUp")
    assert "108 px to the frame" in verdict(dialog)
    put(dialog, x=61)
    assert "It would stand. 0 px to the frame." in verdict(dialog)
    shot(ada, "stands-1440")
    dialog.get_by_role("button", name="Left (").click()
    assert "It would not stand: it touches the purple frame." in verdict(dialog)
    assert dialog.locator(".ghost--wrong, .domain-fault").count() == 2
    shot(ada, "fault-1440")
    # Dragged by the mouse, and brought elsewhere by a click.
    box = dialog.locator(".looking__svg").bounding_box()
    assert box is not None
    unit = box["width"] / 496
    at = (box["x"] + (60 + 8) * unit, box["y"] + (169 + 8) * unit)
    ada.mouse.move(*at)
    ada.mouse.down()
    ada.mouse.move(at[0] + 100 * unit, at[1], steps=5)
    ada.mouse.up()
    assert abs(int(dialog.get_by_label("Pixels from the left").input_value()) - 160) <= 1
    ada.mouse.click(box["x"] + (300 + 8) * unit, box["y"] + (200 + 8) * unit)
    assert abs(int(dialog.get_by_label("Pixels from the left").input_value()) - 300) <= 1
    assert axe.Examiner().faults(ada) == []
    ada.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    # Also by key, and it is where it was.
    ada.locator(".shape-card__look").first.focus()
    ada.keyboard.press("l")
    assert looking(ada).get_by_role("button", name="On red").get_attribute("aria-pressed") == "true"
    assert sent == []


def test_the_pick_list_is_kept_and_offers_its_first_free_shape(site: Site, new_page: Pages) -> None:
    """It outlives the page, is on the other device, loses what is taken, and is nobody else's."""
    game, ada, ben = readied(site, new_page, **DESK)
    told: list[str] = []
    others = [game.open(new_page, name) for name in ("Cleo", None)]
    for page in (ben, *others):
        page.on("request", lambda request: told.append(request.url))
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda data: told.append(str(data))),
        )
        page.reload()
        is_live(page)
    ada.get_by_role("button", name="Pick list").click()
    dialog = ada.get_by_role("dialog", name="Your pick list")
    for shape in ("02", "04", "01"):
        dialog.get_by_role("button", name=f"Add {shape}").click()
    # By keys: 01 goes up by one, and the focus with it.
    dialog.get_by_role("button", name="Move 01 up").focus()
    with ada.expect_response("**/plan/") as saved:
        ada.keyboard.press("Enter")
    assert saved.value.ok
    assert ada.evaluate("document.activeElement.ariaLabel") == "Move 01 up"

    def listed(dialog: Locator) -> list[str]:
        return dialog.locator(".wanted__name").all_inner_texts()

    assert listed(dialog) == ["02", "01", "04"]
    assert "It is your turn" in dialog.inner_text()
    assert axe.Examiner().faults(ada) == []
    shot(ada, "list-1440")
    dialog.get_by_role("button", name="Close", exact=True).click()
    ada.reload()
    is_live(ada)
    # It is offered, and taken by the ordinary bar.
    offer = ada.get_by_role("button", name="Take 02, first of your list")
    offer.click()
    ada.locator(".confirm__words").get_by_text("Take shape 02.").wait_for()
    shot(ada, "offer-1440")
    ada.get_by_role("button", name="Take 02", exact=True).click()
    waits(ada)
    # Ben takes the next one: it is struck out, here and on another device.
    is_asked(ben)
    ben.locator(".choices--shapes .choice").filter(has_text="01").first.click()
    ben.get_by_role("button", name="Take 01", exact=True).click()
    is_asked(ada)
    ada.get_by_role("button", name="Take 04, first of your list").wait_for()
    hand = game.open(new_page, "Ada", **PHONE)
    hand.get_by_role("button", name="Pick list (3)").tap()
    dialog = hand.get_by_role("dialog", name="Your pick list")
    dialog.wait_for()
    assert dialog.locator("s.wanted__name").all_inner_texts() == ["02", "01"]
    assert "Ben has taken it." in dialog.inner_text()
    assert hand.evaluate(f"({SMALL})(document.querySelector('dialog[open]'))") == []
    shot(hand, "list-390")
    dialog.get_by_role("button", name="Take 04 off the list").tap()
    ada.get_by_role("button", name="Take 04, first of your list").wait_for(state="hidden")
    # Nobody else has such a list, or hears of one.
    assert ben.get_by_role("button", name=re.compile("Pick list$")).count() == 1
    for page in others:
        assert page.get_by_role("button", name="Pick list").count() == 0
    assert [each for each in told if '"plan"' in each or "wanted" in each] == []


def test_a_ruler_and_the_distance_to_the_nearest_edge(site: Site, new_page: Pages) -> None:
    """While a shape is placed, by mouse and keys."""
    ada, ben = drafted(site, new_page, {}, **DESK)
    ada.locator('.shape-pick[data-shape="03"]').click()
    near = ada.locator(".domain-count--gap")
    near.get_by_text("119 px to the frame").wait_for()
    assert ada.locator(".domain-gap").count() == 1
    ada.keyboard.press("Shift+ArrowDown")
    assert near.inner_text() == "109 px to the frame"
    ada.get_by_role("button", name="Ruler").click()
    ada.locator(".ruler").wait_for(state="attached")
    words = ada.locator(".ruler__words")
    # By keys: from the middle, 30 to the right and 2 down.
    ada.keyboard.press("Enter")
    for key in ("Shift+ArrowRight",) * 3 + ("ArrowDown",) * 2:
        ada.keyboard.press(key)
    assert words.text_content() == "30 px across · 2 px down · 30 px straight"
    ada.keyboard.press("Enter")
    assert near.inner_text() == "109 px to the frame", "the shape stays where it is"
    # By mouse: the third point begins anew.
    box = field(ada, "red").bounding_box()
    assert box is not None
    unit = box["width"] / 496
    for x, y in ((100, 100), (103, 104)):
        ada.mouse.click(box["x"] + (x + 8) * unit, box["y"] + (y + 8) * unit)
    assert words.text_content() == "3 px across · 4 px down · 5 px straight"
    shot(ada, "ruler-1440")
    assert axe.Examiner().faults(ada) == []
    ada.keyboard.press("Escape")
    ada.locator(".ruler").wait_for(state="detached")
    assert ada.locator(".ghost--legal").count() == 1, "it ended the ruler alone"
    ada.get_by_role("button", name="Place", exact=True).click()
    # A void zone is nearer than the frame: Ben's shape comes from the right.
    is_asked(ben)
    ben.locator('.shape-pick[data-shape="04"]').click()
    if ben.locator(".domain:has(.ghost) >> text=/^Red/").count() == 0:
        ben.keyboard.press("d")
    for label, value in (("the left", "330"), ("the top", "190")):
        ben.get_by_label(label).fill(value)
        ben.get_by_label(label).press("Tab")
    ben.locator(".domain-count--gap").get_by_text("10 px to the void zone of 03").wait_for()
    shot(ben, "gap-1440")
    # In the other's turn all of it can still be looked at.
    ada.get_by_role("button", name="Look closely").click()
    dialog = looking(ada)
    dialog.get_by_label("Shape", exact=True).select_option("04")
    dialog.get_by_role("button", name="On red").click()
    put(dialog, x=330, y=190)
    assert verdict(dialog).startswith(
        "Nobody checks placements in this match: judge by eye. 10 px to the void zone of 03."
    )


def test_all_of_it_by_touch_on_a_telephone(site: Site, new_page: Pages) -> None:
    ada, _ = drafted(site, new_page, {"refereeing": "strict"}, **PHONE)
    shot(ada, "before-390")
    ada.locator('.shape-pick[data-shape="01"]').tap()
    ada.locator(".domain-count--gap").get_by_text("119 px to the frame").wait_for()
    shot(ada, "place-390")
    ada.get_by_role("button", name="Ruler").tap()
    ada.locator(".ruler").wait_for(state="attached")
    box = field(ada, "red").bounding_box()
    assert box is not None
    for part in (0.25, 0.75):
        ada.touchscreen.tap(box["x"] + part * box["width"], box["y"] + 0.5 * box["height"])
    words = ada.locator(".ruler__words")
    assert re.match(r"24\d px across", words.text_content() or "")
    before = words.text_content()
    ada.get_by_role("button", name="Right (Shift").tap()
    assert words.text_content() != before
    shot(ada, "ruler-390")
    ada.get_by_role("button", name="Ruler").tap()
    ada.locator(".ruler").wait_for(state="detached")
    ada.get_by_role("button", name="Look closely").tap()
    dialog = looking(ada)
    assert "It would stand." in verdict(dialog)
    svg = dialog.locator(".looking__svg").bounding_box()
    assert svg is not None
    ada.touchscreen.tap(svg["x"] + 0.1 * svg["width"], svg["y"] + 0.5 * svg["height"])
    assert "It would not stand" in verdict(dialog)
    shot(ada, "look-390")
    assert ada.evaluate(f"({SMALL})(document.querySelector('dialog[open]'))") == []
    assert dialog.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert axe.Examiner().faults(ada) == []
    dialog.get_by_role("button", name="By itself").tap()
    shot(ada, "itself-390")
    dialog.get_by_role("button", name="Close", exact=True).tap()
    assert ada.evaluate("document.documentElement.scrollWidth") <= 390
