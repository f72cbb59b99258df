"""Finished matches are studied: by a newcomer without an account, by link, with anybody's eyes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from tests.accessibility import axe
from tests.browser.test_phone import TALL, TOUCH
from tests.browser.test_practice import begin, follow_hint, is_over
from tests.browser.test_replays import RECORDS, replay
from tests.pages.test_browser import sign_in, two

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

__all__ = ["replay", "sign_in", "two"]

pytestmark = pytest.mark.browser

WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
NARROW: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}
CONFIRM = ".confirm .button--primary:enabled:visible"


def study(page: Page, address: str, query: str = "") -> None:
    page.goto(f"{address.replace('replay', 'study')}{query}")
    page.locator("#study[data-ready]").wait_for()


def is_as_wide_as_its_window(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_a_newcomer_plays_a_bot_and_studies_the_match(new_page: Pages, site: Site) -> None:
    page = new_page(**TOUCH, **TALL)
    begin(page, site, "Tetronogo")
    for _ in range(3):
        if not is_over(page):
            follow_hint(page)
    page.evaluate(
        """async () => {
          const root = document.getElementById("match");
          const { version } = await (await fetch(root.dataset.state)).json();
          const token = root.querySelector("[name=csrfmiddlewaretoken]").value;
          await fetch(root.dataset.submissions, {
            method: "POST",
            headers: { "Content-Type": "application/json", "X-CSRFToken": token },
            body: JSON.stringify({ id: "end", text: "concede", version }),
          });
        }"""
    )
    page.get_by_role("link", name="Study the match").tap()
    page.get_by_role("button", name="Have it studied").tap()
    page.locator("#study[data-study=done]").wait_for(timeout=120_000)
    # The graph is there, as a picture and as a table, and can be gone through by the keyboard.
    graph = page.get_by_role("slider", name=re.compile("could expect, by move"))
    graph.focus()
    graph.press("End")
    page.wait_for_url("**/study/?at=*")
    assert "100 %" in (graph.get_attribute("aria-valuetext") or "")
    page.locator(".graph__table summary").tap()
    assert page.locator(".graph__table tbody tr").count() > 3
    assert is_as_wide_as_its_window(page)
    # What the bot would have played is drawn on the board, and can be confirmed as a variation.
    told = page.evaluate(
        "fetch(document.getElementById('study').dataset.api).then((r) => r.json())"
    )
    at = told["answers"][-1]["at"]
    page.goto(f"{page.url.split('?')[0]}?at={at}")
    page.locator(".judged").first.wait_for()
    assert page.locator(".judged", has_text="Strong bot").count() >= 1
    assert page.locator(CONFIRM).count() == 0  # nothing lies on the board unasked
    page.get_by_role("button", name="Show the bot's move").first.tap()
    assert page.locator(".judged [aria-pressed=true]", has_text="the bot's move").count() == 1
    confirm = page.locator(CONFIRM).first
    assert confirm.inner_text().strip() == "Try it"
    assert page.locator("[data-part=board]").bounding_box()["y"] < 844  # type: ignore[index]
    confirm.tap()
    page.locator("[data-part=line]:visible").wait_for()
    assert "line=" in page.url
    assert new_page.errors == []


@pytest.mark.parametrize("name", sorted(RECORDS))
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_is_wrong_with_the_page_of_any_game(
    new_page: Pages, replay: Callable[[str], str], name: str, size: dict[str, Any]
) -> None:
    match = replay(name)
    page = new_page(**size)
    study(page, match, "?at=12")
    for eyes in ("0", "1", "all"):
        page.locator(f"input[name=eyes][value='{eyes}']").check(force=True)
        assert page.locator("[data-part=board] svg").count() > 0
        assert is_as_wide_as_its_window(page)
    assert axe.Examiner().faults(page) == []
    # What confirms has the width of the board, wherever it goes.
    widths = page.evaluate(
        """[...document.querySelectorAll(".confirm-place")].map(
          (each) => each.offsetWidth / each.parentElement.clientWidth
        )"""
    )
    assert [width for width in widths if width < 0.9] == []
    # The bar at the lower edge covers nothing: below the last part of the page there is room.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    covered = page.evaluate(
        """document.querySelector("footer").getBoundingClientRect().bottom
           > document.querySelector(".replay__bar").getBoundingClientRect().top + 1"""
    )
    assert not covered
    assert new_page.errors == []


def test_the_eyes_of_a_player_see_no_more_than_they_did(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    """In Domino Black & White hands are hidden, and so are some numbers on the board."""
    match = replay("domino-black-white")
    page = new_page(**WIDE)
    study(page, match, "?at=9")
    moves = page.locator("[data-part=moves] li")
    told = moves.all_inner_texts()
    hands = page.locator("[data-part=hands] .still-hand")
    assert hands.count() == 2
    assert page.locator("[data-part=hands]", has_text="Hidden.").count() == 0
    for seat in (0, 1):
        page.locator(f"input[name=eyes][value='{seat}']").check(force=True)
        page.locator("[data-part=hands]", has_text="Hidden.").wait_for()
        assert "Hidden." in (hands.nth(1 - seat).text_content() or "")
        assert hands.nth(1 - seat).locator(".hand__domino").count() == 0
        assert hands.nth(seat).locator(".hand__domino").count() > 0
        assert f"eyes={seat}" in page.url
        # The list of moves tells no more either, and nothing is tried for the other.
        assert moves.all_inner_texts() != told
        assert page.locator("[data-part=typed]:visible, .study__theirs:visible").count() == 1
    page.locator("input[name=eyes][value=all]").check(force=True)
    assert page.locator("[data-part=hands]", has_text="Hidden.").count() == 0
    assert moves.all_inner_texts() == told
    study(page, match, "?at=9&eyes=1")
    assert page.locator("input[name=eyes][value='1']").is_checked()
    assert moves.all_inner_texts() != told
    page.locator("[data-part=hands]", has_text="Hidden.").wait_for()
    assert new_page.errors == []


def test_a_variation_is_the_same_for_whoever_follows_its_link(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    match = replay("domino-black-white")
    page = new_page(**WIDE)
    study(page, match, "?at=4")
    field = page.locator("#study-text")
    # What cannot be played is said, and stays in the field to be put right.
    field.fill("(9,9) A1:A2")
    page.get_by_role("button", name="Try").click()
    page.locator("#study-note:visible").wait_for()
    assert field.input_value() == "(9,9) A1:A2"
    legal = page.evaluate(
        """async () => {
          const { steps } = JSON.parse(document.getElementById("replay-data").textContent);
          return steps[5].text;
        }"""
    )
    field.fill(legal)
    field.press("Enter")
    page.locator("[data-part=line]:visible").wait_for()
    address = page.url
    words = page.locator("[data-part=caption]").text_content()
    assert "line=" in address
    assert re.search(r"[^,.]+ \d+, [^,.]+ \d+\.", words or "")  # the score, too
    # In another browser, and in a tab that is on this study already.
    other = new_page(**WIDE)
    other.goto(address)
    other.locator("[data-part=line]:visible").wait_for()
    assert other.locator("[data-part=caption]").text_content() == words
    study(other, match, "?at=9")
    assert other.locator("[data-part=line]").is_hidden()
    other.goto(address)
    other.locator("[data-part=line]:visible").wait_for()
    # Back and forward in the browser, too.
    page.go_back()
    page.locator("[data-part=line]").wait_for(state="hidden")
    page.go_forward()
    page.locator("[data-part=line]:visible").wait_for()
    page.get_by_role("button", name="Leave the variation").click()
    page.locator("[data-part=line]").wait_for(state="hidden")
    assert [each for each in new_page.errors if "409" not in each] == []  # the first one tried


def test_a_link_that_leads_nowhere_shows_its_position(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    match = replay("tetronogo")
    page = new_page(**WIDE)
    study(page, match, "?at=8&line=0%20nonsense")
    page.locator("[data-part=board] svg").first.wait_for()
    assert page.locator("[data-part=line]").is_hidden()
    assert "Move 8 of" in (page.locator("[data-part=caption]").text_content() or "")


def test_one_speaks_of_a_move_and_of_a_variation(
    new_page: Pages, sign_in: Any, two: tuple[str, str], replay: Callable[[str], str]
) -> None:
    match = replay("domino-black-white")
    stranger = new_page(**WIDE)
    study(stranger, match, "?at=4")
    comments = "[data-part=comments]"
    ways = stranger.locator(comments).get_by_role("link", name="Sign in")
    assert unquote(ways.get_attribute("href") or "").endswith("/study/?at=4")
    anna, bert = sign_in(*two, **WIDE)
    study(anna, match, "?at=4")
    anna.get_by_label("What to say of this position").fill("Here it was still even.")
    anna.get_by_role("button", name="Say it of move 4").click()
    anna.locator(comments, has_text="Here it was still even.").wait_for()
    anna.locator("#study-text").fill(
        anna.evaluate("JSON.parse(document.getElementById('replay-data').text).steps[5].text")
    )
    anna.get_by_role("button", name="Try").click()
    anna.locator("[data-part=line]:visible").wait_for()
    anna.get_by_label("What to say of this position").fill("This was better.")
    anna.get_by_role("button", name="Say it of this variation").click()
    anna.locator(comments, has_text="This was better.").wait_for()
    # Whoever reads them is led to what each is said of.
    study(bert, match)
    bert.get_by_role("button", name="Variation from move 4").click()
    bert.locator("[data-part=line]:visible").wait_for()
    assert bert.url == anna.url
    assert bert.locator(f"{comments} [aria-current]", has_text="This was better.").count() == 1
    bert.get_by_role("button", name="Move 4", exact=True).click()
    bert.locator("[data-part=line]").wait_for(state="hidden")
    assert new_page.errors == []
