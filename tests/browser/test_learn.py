"""A newcomer without an account takes a lesson: every one on a phone, one with a mouse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.accessibility import axe
from tests.browser.test_phone import TALL, TOUCH
from tests.games.support import GAMES

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
SMALL: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}
# What is said of somebody by name, where the name would be a "you".
SAID_OF_YOU = re.compile(r"\bYou(['\u2019]s| has| is| was| does| takes| wins)\b|\bof You\b")
# All of the board that was placed on can be seen above what is said of it.
LIES_ABOVE = """() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    return box(".trio__domain .board").bottom <= box("[data-part=told]").top;
}"""
CONFIRM = ".confirm .button--primary:enabled:visible"


def begin(page: Page, site: Site, game: tuple[str, str]) -> None:
    """From the home page, in two clicks."""
    page.goto(f"{site.base_url}/")
    page.get_by_role("link", name="Learn a game").first.click()
    page.locator("a[href='/learn/{}/{}/lesson/']".format(*game)).click()
    page.locator("#lesson[data-phase]").wait_for()


def take_step(page: Page) -> None:
    """Have the answer shown, confirm it, and read what is said of it."""
    page.get_by_role("button", name="Show me").click()
    assert page.locator("[data-part=told]").is_hidden()  # nothing is played by itself
    # It lies on the board. By key: what confirms goes to the other edge as the page scrolls to it.
    page.locator(CONFIRM).first.press("Enter")
    page.get_by_text("Well done.").wait_for()
    assert page.locator("[data-part=sentence]").text_content()


def all_words(page: Page) -> str:
    """All that the page says, to whoever sees it and to whoever has it read."""
    words: str = page.evaluate(
        """[document.body.textContent, ...Array.from(
            document.querySelectorAll("[aria-label]"), (each) => each.getAttribute("aria-label"),
        )].join("\\n")"""
    )
    return words


@pytest.mark.parametrize("game", GAMES, ids="/".join)
def test_a_newcomer_takes_every_lesson(new_page: Pages, site: Site, game: tuple[str, str]) -> None:
    page = new_page(**TOUCH, **TALL)
    begin(page, site, game)
    steps = page.locator(".lesson__step").count()
    assert steps >= 5
    for number in range(1, steps + 1):
        take_step(page)
        assert SAID_OF_YOU.search(all_words(page)) is None
        if game[0] == "peg-domain" and number <= 3:
            page.wait_for_function(LIES_ABOVE)
        on = page.locator("[data-part=on]")
        box = on.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= TALL["viewport"]["height"]
        on.click()
        if number < steps:
            page.locator(f".lesson__step[aria-current]:text-is('{number + 1}')").wait_for()
    page.locator("[data-part=end]").wait_for()
    page.wait_for_function(
        """() => document.querySelector("[data-part=end]").getBoundingClientRect().top
            >= document.querySelector(".lesson__bar").getBoundingClientRect().bottom"""
    )
    page.get_by_role("button", name="Play a bot").wait_for()
    assert new_page.errors == []


def test_what_is_refused_is_said_until_something_else_is_tried(new_page: Pages, site: Site) -> None:
    page = new_page(**WIDE)
    begin(page, site, ("tetronogo", "standard"))
    page.locator("#notation-text").fill("no such move")
    page.locator(".notation button").click()
    note = page.locator("[data-part=note]")
    note.wait_for()
    page.get_by_role("button", name="Hint").click()
    page.locator("[data-part=hinted]").wait_for()
    take_step(page)
    assert note.is_hidden()
    assert page.locator(".lesson__told").bounding_box()["y"] < 800  # type: ignore[index]
    new_page.errors.clear()  # the answer that refused it


@pytest.mark.parametrize("size", [WIDE, {**TOUCH, **TALL}, SMALL], ids=["wide", "phone", "small"])
def test_nothing_is_wrong_with_the_pages(new_page: Pages, site: Site, size: dict[str, Any]) -> None:
    page = new_page(**size)
    examiner = axe.Examiner()
    for path in ("", "tetronogo/standard/", "tetronogo/standard/lesson/"):
        page.goto(f"{site.base_url}/learn/{path}")
        assert examiner.faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", [{**TOUCH, **TALL}, SMALL], ids=["phone", "small"])
def test_a_phone_shows_a_card_in_one_screen(
    new_page: Pages, site: Site, size: dict[str, Any]
) -> None:
    page = new_page(**size)
    for game in GAMES:
        page.goto("{}/learn/{}/{}/".format(site.base_url, *game))
        heights = page.evaluate(
            """async () => {
                for (const image of document.querySelectorAll(".rules-card img")) {
                    image.loading = "eager";
                    await image.decode();
                }
                return [...document.querySelectorAll(".rules-card")].map(
                    (each) => each.offsetHeight,
                );
            }"""
        )
        assert heights
        assert max(heights) <= size["viewport"]["height"], game


def test_what_was_taken_is_kept_by_step(new_page: Pages, site: Site) -> None:
    page = new_page(**WIDE)
    begin(page, site, ("tetronogo", "standard"))
    page.get_by_role("button", name="Step 2 of").click()
    take_step(page)
    page.reload()
    taken = page.locator(".lesson__step[data-done=true]")
    taken.wait_for()
    assert taken.all_text_contents() == ["2"]
    page.goto(f"{site.base_url}/learn/")
    page.get_by_text("1 of 6 steps taken").wait_for()
    assert page.locator("[data-taken]:visible").count() == 1
    page.evaluate("localStorage.setItem('gauntlet.lesson:tetronogo/standard', '{')")
    page.reload()
    assert page.locator("[data-taken]:visible").count() == 0
    assert new_page.errors == []


@pytest.mark.parametrize("height", [0.1, 0.5, 0.9])
def test_a_domino_lies_across_the_square_pressed_as_it_fits(
    new_page: Pages, site: Site, height: float
) -> None:
    page = new_page(**WIDE)
    begin(page, site, ("domino-wars", "standard"))
    page.get_by_role("button", name="Step 6 of").click()
    page.locator(".wars-hand__domino").first.click()
    square = page.locator("[data-square=B2]")
    box = square.bounding_box()
    assert box is not None
    # On B1 and B2 it fits neither way round.
    square.click(position={"x": box["width"] / 2, "y": box["height"] * height}, force=True)
    page.locator(CONFIRM).first.wait_for()
    page.locator(".confirm").get_by_text("2 on B3, 5 on B2").or_(
        page.locator(".confirm").get_by_text("5 on B2, 2 on B3")
    ).first.wait_for()


def test_what_the_board_will_not_do_is_said_once_and_covers_nothing(
    new_page: Pages, site: Site
) -> None:
    page = new_page(**WIDE)
    begin(page, site, ("peg-domain", "gauntlet"))
    page.get_by_role("button", name="Step 3 of").click()
    page.get_by_role("button", name="Show me").click()
    place = page.locator(".confirm .button--primary:visible").first
    place.wait_for()
    # Where its first peg would come to lie there is one.
    page.locator(".trio__domain [data-square=C2]").first.click(force=True)
    page.locator(".confirm").get_by_text("there is a peg on C2").wait_for()
    assert page.locator(".toast").count() == 0
    page.locator("#notation-text").fill("finished")
    page.locator(".notation button").click()
    page.locator("[data-part=note]").wait_for()
    assert page.locator(".toast").count() == 0
    new_page.errors.clear()  # the answer that refused it
