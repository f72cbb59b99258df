"""The lobby in real browsers: two are paired while a third watches, a block, phrases by touch."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

import pytest

from tests.pages.test_browser import hear_lobby, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.site import Site

__all__ = ["sign_in"]

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
MATCH = re.compile(r"/matches/\d+/$")


@pytest.fixture(autouse=True)
def nobody_waits(site: Site) -> None:
    """Whoever waited when an earlier test ended would do so for a minute more."""
    site.python("from games.models import Seek; Seek.objects.all().delete()")


def people(count: int) -> list[str]:
    """Names that nobody has yet."""
    mark = secrets.token_hex(4)
    return [f"{name}-{mark}" for name in ("anna", "bert", "carl", "dora")[:count]]


def seek(page: Page, game: str, *, touch: bool = False) -> None:
    """Ask to be paired."""
    form = page.locator(".seek-form")
    choice = form.locator(".choice", has_text=game)
    button = form.get_by_role("button", name="Find an opponent")
    (choice.tap if touch else choice.click)()
    form.get_by_label("Casual").check(force=True)
    (button.tap if touch else button.click)()


def person_in(page: Page, username: str) -> Any:
    """Somebody's line among those who are there."""
    return page.locator(f'[data-here-list] [data-username="{username}"]')


def test_two_are_paired_while_a_third_watches(sign_in: Any, new_page: Any) -> None:
    names = people(3)
    anna, carl = sign_in(names[0], names[2])
    (bert,) = sign_in(names[1], **PHONE)
    passing = new_page()
    for page in (carl, bert, anna, passing):
        hear_lobby(page)
    for name in names:  # everybody sees everybody, without a reload
        person_in(carl, name).wait_for()
    assert passing.locator("[data-here-list]").count() == 0
    assert person_in(carl, names[2]).get_by_role("link", name="Challenge").count() == 0
    link = person_in(carl, names[0]).get_by_role("link", name="Challenge Anna")
    assert link.get_attribute("href") == f"/challenges/new/?opponent={names[0]}"
    assert person_in(carl, names[0]).get_by_text("playing").is_hidden()
    seek(anna, "Tetronogo")
    anna.get_by_text("Waiting for an opponent…").wait_for()
    anna.wait_for_function("() => document.querySelector('[data-seek-clock]').textContent > '0:00'")
    anna.reload()  # whoever loads it again goes on waiting
    anna.get_by_text("Waiting for an opponent…").wait_for()
    bert.bring_to_front()
    seek(bert, "Tetronogo", touch=True)
    for page in (anna, bert):
        page.wait_for_url(MATCH, timeout=60_000)
    assert anna.url == bert.url
    assert "Casual: it counts for no rating." in anna.locator(".match__title").inner_text()
    person_in(carl, names[2]).wait_for()
    person_in(carl, names[0]).wait_for(state="detached")  # she is at her match, not here
    assert new_page.errors == []


def test_the_bell_is_marked_by_whatever_is_told(sign_in: Any) -> None:
    """Also by what another frame says already, and what stays to be read once only."""
    (page,) = sign_in(*people(1))
    hear_lobby(page)
    bell, notes = page.locator("[data-news]"), page.locator(".toast")

    def tells(number: int, *, heard: bool) -> None:
        frame = {
            "type": "announced", "announcement": number, "subject": f"News {number}",
            "url": "/rules/", "heard": heard,
        }  # fmt: skip
        page.evaluate(
            "frame => document[Symbol.for('gauntlet.notices')].take(JSON.stringify(frame))", frame
        )

    assert bell.get_attribute("data-new") is None
    tells(1, heard=True)
    assert bell.get_attribute("data-new") == ""
    assert bell.inner_text().endswith(", new ones")
    assert notes.count() == 0
    tells(2, heard=False)
    notes.get_by_text("News 2").wait_for()


def test_without_a_socket_the_page_asks(sign_in: Any, new_page: Any) -> None:
    names = people(2)
    anna, bert = sign_in(*names)
    anna.add_init_script("window.WebSocket = class extends EventTarget {send() {} close() {}};")
    for page in (anna, bert):
        page.goto("/lobby/")
    seek(anna, "Domino Wars")
    anna.get_by_text("Waiting for an opponent…").wait_for()
    seek(bert, "Domino Wars")
    for page in (anna, bert):
        page.wait_for_url(MATCH, timeout=60_000)
    assert anna.url == bert.url


def test_without_scripts_one_can_wait_and_leave(sign_in: Any) -> None:
    (anna,) = sign_in(*people(1), java_script_enabled=False)
    anna.goto("/lobby/")
    seek(anna, "Domino Wars")
    anna.get_by_text("Waiting for an opponent…").wait_for()
    anna.get_by_role("link", name="Look again").click()
    anna.get_by_role("button", name="Cancel").click()
    anna.get_by_role("button", name="Find an opponent").wait_for()


def test_phrases_by_touch_and_a_block(sign_in: Any, new_page: Any) -> None:
    names = people(2)
    anna, bert = sign_in(*names, **PHONE)
    for page in (anna, bert):
        page.goto("/lobby/")
        seek(page, "Tetronogo", touch=True)
    for page in (anna, bert):
        page.wait_for_url(MATCH, timeout=60_000)
        page.locator(".chat__phrase", has_text="Good luck!").wait_for()
    phrases = bert.locator(".chat__phrase:visible")
    for box in [phrases.nth(number).bounding_box() for number in range(phrases.count())]:
        assert box is not None
        assert box["height"] >= 44
    wide = bert.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wide, "the row scrolls, the page does not"
    bert.locator(".chat__phrase", has_text="Good luck!").tap()
    line = anna.locator(".chat__line", has_text="Good luck!")
    line.wait_for()
    assert bert.locator(".chat__phrase", has_text="Rematch?").is_hidden(), "that is for the end"
    # By keyboard as well.
    bert.locator(".chat__phrase", has_text="Thank you").focus()
    bert.keyboard.press("Enter")
    anna.locator(".chat__text", has_text="Thank you").wait_for()
    anna.get_by_role("button", name="Mute chat").tap()
    anna.get_by_text("hidden: chat muted").first.wait_for()
    anna.get_by_role("button", name="Unmute chat").tap()
    anna.locator(".chat__text", has_text="Thank you").wait_for()
    line.locator("summary").tap()
    line.get_by_role("button", name="Block Bert").tap()
    anna.get_by_text("hidden: blocked").first.wait_for()
    assert anna.locator(".chat__text", has_text="Good luck!").is_hidden()
    assert bert.locator(".chat__line[data-folded]").count() == 0, "he is not told"
    anna.reload()
    anna.get_by_text("hidden: blocked").first.wait_for()
    anna.goto("/accounts/settings/blocked/")
    anna.get_by_role("button", name="Unblock Bert").tap()
    anna.get_by_text("You have blocked nobody").wait_for()
    assert new_page.errors == []
