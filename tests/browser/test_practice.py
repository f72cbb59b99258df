"""A newcomer without an account plays bots: each game to its end, on a phone, with hints."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.accessibility import axe
from tests.browser.test_phone import TALL, TOUCH

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

GAMES = ["Tetronogo", "Domino Wars", "Domino Black & White", "Peg Domain: Final", "Domain"]
WIDE: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
# Far more than any match asks of one player.
MOST = 150

ASKED = """() => document.querySelector("#match").dataset.phase === "over"
  || document.querySelector(".practice__act")?.disabled === false"""  # the first is the hint
# What a hint has brought: the bar that confirms, or a question where no board can show the move.
BROUGHT = ".confirm .button--primary:enabled:visible, dialog[open] .button--danger"


def begin(page: Page, site: Site, game: str) -> None:
    """From the home page, in two clicks."""
    page.goto(f"{site.base_url}/")
    page.get_by_role("link", name="Play a bot now").click()
    page.get_by_role("button", name=f"Play {game}", exact=True).click()
    page.locator("#match[data-connection=live]").wait_for()


def is_over(page: Page) -> bool:
    page.wait_for_function(ASKED)
    return page.locator("#match").get_attribute("data-phase") == "over"


def follow_hint(page: Page) -> str:
    """Ask for a hint and play it; returns it."""
    page.get_by_role("button", name="Hint").tap()
    page.locator(BROUGHT).first.wait_for()
    text = page.locator(".practice__words").text_content() or ""
    page.locator(BROUGHT).first.tap()
    page.locator(".practice__words").wait_for(state="hidden")
    return text


@pytest.mark.parametrize("game", GAMES)
def test_a_newcomer_plays_a_match_to_its_end(new_page: Pages, site: Site, game: str) -> None:
    page = new_page(**TOUCH, **TALL)
    begin(page, site, game)
    for _ in range(MOST):
        if is_over(page):
            break
        assert follow_hint(page).startswith("A strong bot would play: ")
    assert page.locator(".result__title").text_content()
    assert page.get_by_role("button", name="Hint").is_hidden()
    page.get_by_role("button", name="Play again").wait_for()
    page.get_by_role("link", name="Watch the replay").click()
    page.locator("h1").wait_for()
    assert "/replay/" in page.url
    assert new_page.errors == []


def test_a_move_is_taken_back(new_page: Pages, site: Site) -> None:
    page = new_page(**TOUCH, **TALL)
    begin(page, site, "Domino Black & White")
    back = page.get_by_role("button", name="Take back")
    assert back.is_disabled()
    follow_hint(page)
    page.wait_for_function(ASKED)
    page.locator("button:enabled", has_text="Take back").wait_for()
    back.tap()
    page.locator("[data-part=log]", has_text="Guest took a move back.").wait_for()
    page.wait_for_function(ASKED)
    follow_hint(page)
    # Whoever comes back finds it: the session is the browser's.
    page.reload()
    page.locator("#match[data-connection=live]").wait_for()
    page.goto(f"{site.base_url}/practice/")
    page.get_by_role("link", name="Domino Black & White: ").click()
    page.locator("#match[data-connection=live]").wait_for()
    assert new_page.errors == []


NARROW: dict[str, Any] = {**TOUCH, "viewport": {"width": 320, "height": 640}}


def thinking(page: Page) -> list[float]:
    """Have the bot think for ever; returns when it was asked, in seconds, as it is."""
    asked: list[float] = []

    def answer(route: Route) -> None:
        asked.append(time.monotonic())
        route.fulfill(json={"decision": "1.pick.0", "version": 1, "text": None})

    page.route("**/advice/", answer)
    return asked


def test_a_bot_that_thinks_is_asked_less_and_less_often(new_page: Pages, site: Site) -> None:
    page = new_page(**WIDE)
    begin(page, site, "Tetronogo")
    asked = thinking(page)
    hint, back = (page.get_by_role("button", name=name) for name in ("Hint", "Take back"))
    hint.click()
    page.wait_for_timeout(7_000)
    assert hint.is_disabled()
    assert 4 <= len(asked) <= 6
    pauses = [later - earlier for earlier, later in itertools.pairwise(asked)]
    assert pauses == sorted(pauses)
    # Whoever moves meanwhile is told nothing more of it, and finds the buttons as things are.
    page.unroute("**/advice/")
    page.get_by_role("radio", name="T").or_(page.get_by_role("button", name="T")).first.click()
    page.locator(".confirm .button--primary:enabled:visible").click()
    page.locator("button:enabled", has_text="Take back").wait_for()
    page.wait_for_timeout(4_000)
    assert page.locator("#toasts").text_content() == ""
    assert page.locator("dialog[open]").count() == 0
    assert page.locator(".practice__words").is_hidden()
    assert back.is_enabled()
    assert new_page.errors == []


def test_a_hint_that_cannot_be_had_enables_nothing_that_is_not_so(
    new_page: Pages, site: Site
) -> None:
    page = new_page(**WIDE)
    begin(page, site, "Tetronogo")
    problem = {"code": "practice.away", "sentence": "The bot is away just now."}
    page.route("**/advice/", lambda route: route.fulfill(status=409, json=problem))
    page.get_by_role("button", name="Hint").click()
    page.locator("#toasts", has_text="away").wait_for()
    assert page.get_by_role("button", name="Hint").is_enabled()
    assert page.get_by_role("button", name="Take back").is_disabled()


def test_a_hinted_deck_is_laid_on_the_board(new_page: Pages, site: Site) -> None:
    page = new_page(**TOUCH, **TALL)
    begin(page, site, "Domino Wars")
    for _ in range(3):
        page.wait_for_function(ASKED)
        if page.locator(".deck__tray").is_visible():
            break
        follow_hint(page)
    page.get_by_role("button", name="Hint").tap()
    page.locator(".practice__words", has_text="deck").wait_for()
    text = page.locator(".practice__words").text_content() or ""
    laid = page.locator(".deck__tray button").evaluate_all(
        "found => found.map((each) => each.getAttribute('aria-label') || each.title)"
    )
    wanted = text.split("deck ")[1].split()
    assert len(laid) == len(wanted) == 8
    assert all(name in each for name, each in zip(wanted, laid, strict=True))
    assert page.locator("dialog[open]").count() == 0
    assert page.locator(".confirm .button--primary:enabled:visible").count() == 1


@pytest.mark.parametrize("game", GAMES)
def test_the_row_says_in_words_what_it_does_on_the_narrowest_phone(
    new_page: Pages, site: Site, game: str
) -> None:
    page = new_page(**NARROW)
    begin(page, site, game)
    page.wait_for_function(ASKED)
    for name in ("Hint", "Take back"):
        word = page.locator(".practice__act", has_text=name).locator(".practice__word")
        box = word.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 8
        assert box["x"] + box["width"] <= 320
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    shown = page.locator(".player .clock__name", has_text="Bot")
    if game != "Domain":  # whose scores of six figures leave no name room enough
        assert shown.evaluate("found => found.scrollWidth <= found.clientWidth")
    assert page.get_by_role("button", name="Share").count() == 0
    assert page.locator("[data-part=watching]").text_content() == ""


def test_a_bots_name_is_whole_beside_a_clock_of_days(new_page: Pages, site: Site) -> None:
    page = new_page(**WIDE)
    begin(page, site, "Tetronogo")
    page.wait_for_function(ASKED)
    shown = page.locator(".player .clock__name", has_text="Bot")
    assert shown.evaluate("found => found.scrollWidth <= found.clientWidth")
    assert page.get_by_role("button", name="Share").count() == 0
    assert page.locator("[data-part=watching]").text_content() == ""


@pytest.mark.parametrize("size", [WIDE, {**TOUCH, **TALL}], ids=["wide", "phone"])
def test_nothing_is_wrong_with_the_pages(new_page: Pages, site: Site, size: dict[str, Any]) -> None:
    page = new_page(**size)
    examiner = axe.Examiner()
    page.goto(f"{site.base_url}/practice/")
    assert examiner.faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("radio", name="Club").check(force=True)
    page.get_by_role("button", name="Play Tetronogo").click()
    page.locator("#match[data-connection=live]").wait_for()
    assert page.locator(".player", has_text="Club Bot").count() == 1
    page.wait_for_function(ASKED)
    assert examiner.faults(page) == []
    row = page.locator(".plan__row")
    box, wide = row.bounding_box(), page.viewport_size
    assert box is not None
    assert wide is not None
    assert box["x"] + box["width"] <= wide["width"]
    for name in ("Hint", "Take back"):
        found = page.get_by_role("button", name=name).bounding_box()
        assert found is not None
        assert min(found["width"], found["height"]) >= 44
        assert found["y"] + found["height"] <= wide["height"]


def test_a_player_with_an_account_practises_unseen(new_page: Pages, site: Site) -> None:
    page = new_page(**WIDE)
    begin(page, site, "Tetronogo")
    address = page.url
    other = new_page(**WIDE)
    assert (other.goto(address) or page).status == 404  # type: ignore[union-attr]
    other.goto(f"{site.base_url}/watch/")
    assert other.locator(f"a[href='{address.removeprefix(site.base_url)}']").count() == 0
