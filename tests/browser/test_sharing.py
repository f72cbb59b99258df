"""Clips of replays, what there is to share, the featured match, and lists without results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.accessibility import axe
from tests.browser import players
from tests.browser.test_replays import SHIFTS, SIZES, opened, replay, stand_still
from tests.support.clipboard import copied

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

__all__ = ["replay"]

# What the device is handed, instead of being asked.
DEVICE = """
window.handed = [];
navigator.share = async (what) => {
  window.handed.push({ url: what.url ?? "", files: (what.files ?? []).map(({ type }) => type) });
};
navigator.canShare = () => true;
"""
_FEATURE = """
from uuid import uuid4
from accounts.models import User
from games.models import Match
from games.services.featuring import match_feature, match_unfeature
head = User.objects.create_superuser(f"head{{uuid4().hex[:12]}}", password="not asked for")
match_{act}(acting_user=head, match=Match.objects.get(pk={match}))
"""


def marked(page: Page, first: int, last: int) -> None:
    """Choose a clip with the two buttons."""
    for name, move in (("Clip starts here", first), ("Clip ends here", last)):
        page.locator(f"[data-part=moves] li:nth-child({move + 1}) a").click()
        page.get_by_role("button", name=name).click()


def examined(page: Page, width: int) -> None:
    """Nothing is wider than the page, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe.Examiner().faults(page) == []


# -- clips ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", SIZES)
def test_a_clip_is_chosen_watched_and_left(
    new_page: Pages, replay: Callable[[str], str], width: int
) -> None:
    address = replay("domino-black-white")
    page = new_page(viewport=SIZES[width], has_touch=width == 390)
    page.add_init_script(SHIFTS)
    opened(page, f"{address}?move=0")
    marked(page, 4, 7)
    assert page.get_by_text("The clip goes from move 4 to move 7.").is_visible()
    for button in page.locator(".replay__marks :is(button, a)").all():
        box = button.bounding_box()
        assert box is not None
        assert width == 1440 or box["height"] >= 44
    examined(page, width)
    page.get_by_role("link", name="Watch the clip").click()
    page.wait_for_url("**?from=4&to=7")
    page.locator("[data-part=moves] [aria-current]").wait_for(state="attached")
    assert "This is a clip" in page.locator("[data-part=clip]").inner_text()
    page.locator("[data-part=moves] li:visible").nth(3).wait_for()
    assert page.locator("[data-part=moves] li:visible").count() == 4
    assert page.evaluate("window.shifted") < 0.05
    examined(page, width)
    page.get_by_role("link", name="Whole replay").click()
    page.wait_for_url("**?move=4")
    assert new_page.errors == []


def test_a_clip_plays_again_and_again(new_page: Pages, replay: Callable[[str], str]) -> None:
    page = new_page()
    stand_still(page)
    opened(page, f"{replay('domino-black-white')}?from=4&to=6")
    count = page.locator(".replay__count")
    assert count.inner_text().startswith("4 ")
    assert page.get_by_role("button", name="Pause").is_visible()
    seen = []
    for _ in range(5):
        page.clock.run_for(1250)
        seen.append(count.inner_text().split()[0])
    # The last of them stays twice as long.
    assert seen == ["5", "6", "6", "4", "5"]
    assert page.url.endswith("?from=4&to=6")
    page.keyboard.press(" ")
    page.keyboard.press("End")
    assert count.inner_text().startswith("6 ")
    page.keyboard.press("ArrowRight")
    assert count.inner_text().startswith("6 ")
    page.keyboard.press("Home")
    assert count.inner_text().startswith("4 ")
    assert page.get_by_role("slider", name="Move").get_attribute("min") == "4"
    assert new_page.errors == []


def test_who_wants_less_to_move_starts_a_clip_by_hand(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    page = new_page(reduced_motion="reduce")
    opened(page, f"{replay('domino-black-white')}?from=4&to=6")
    assert page.get_by_role("button", name="Play").is_visible()
    assert page.locator(".replay__count").inner_text().startswith("4 ")


def test_a_clip_is_chosen_with_keys(new_page: Pages, replay: Callable[[str], str]) -> None:
    page = opened(new_page(), f"{replay('domino-black-white')}?move=5")
    page.keyboard.press("[")
    assert page.get_by_text("The clip starts with move 5.").is_visible()
    page.keyboard.press("]")
    assert page.get_by_text("A clip ends after the move").is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("]")
    assert page.get_by_text("The clip goes from move 5 to move 6.").is_visible()
    # One that starts after its end has none yet.
    page.keyboard.press("End")
    page.keyboard.press("[")
    assert page.get_by_role("link", name="Watch the clip").count() == 0
    assert new_page.errors == []


def test_a_clip_without_scripts(new_page: Pages, replay: Callable[[str], str]) -> None:
    plain = new_page(java_script_enabled=False)
    plain.goto(f"{replay('domino-black-white')}?from=4&to=6&result=hidden")
    assert "This is a clip" in plain.locator("[data-part=clip]").inner_text()
    plain.get_by_role("link", name="Forward").click()
    assert "This is a clip" in plain.locator("[data-part=clip]").inner_text()
    assert "hidden" in plain.locator("[data-part=result]").inner_text()


# -- what there is to share ----------------------------------------------------------------------


@pytest.mark.parametrize("width", SIZES)
def test_a_moment_of_a_replay_is_shared(
    new_page: Pages, replay: Callable[[str], str], width: int
) -> None:
    address = replay("domino-black-white")
    page = new_page(viewport=SIZES[width])
    page.add_init_script(DEVICE)
    opened(page, f"{address}?move=0")
    marked(page, 4, 7)
    page.get_by_role("button", name="Share the clip…").click()
    dialog = page.get_by_role("dialog", name="Share")
    assert dialog.get_by_label("Link to move 7", exact=True).input_value().endswith("?move=7")
    clip = dialog.get_by_label("Clip of moves 4 to 7", exact=True)
    assert clip.input_value().endswith(f"{address}?from=4&to=7")
    examined(page, width)
    dialog.get_by_role("button", name="Share… Clip of moves 4 to 7").click()
    dialog.get_by_role("button", name="Share… moving picture").click()
    page.wait_for_function("() => window.handed.length === 2", timeout=30_000)
    link, picture = page.evaluate("window.handed")
    assert link["url"].endswith("?from=4&to=7")
    assert picture["files"] == ["image/gif"]
    for link in dialog.get_by_role("link").all():
        answer = page.request.get(str(link.get_attribute("href")))
        assert answer.ok
        assert answer.headers["content-type"].startswith("image/")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert new_page.errors == []


def test_a_link_is_copied_where_the_device_shares_nothing(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    opened(page, f"{replay('domino-black-white')}?move=3&result=hidden")
    page.get_by_role("button", name="Share…").click()
    dialog = page.get_by_role("dialog", name="Share")
    assert dialog.get_by_role("button", name="Share… Link to move 3").count() == 0
    # The card would tell how it ended.
    assert dialog.get_by_text("Card with names and score").count() == 0
    dialog.get_by_role("button", name="Copy Link to move 3").click()
    dialog.get_by_text("The link is copied.").wait_for()
    link = copied(page)
    assert "?move=3" not in link.split("/replay/")[0]
    assert "move=3" in link


def test_a_running_match_is_shared(new_page: Pages, site: Site) -> None:
    game = players.start(site, "tetronogo", variant="standard")
    page = new_page()
    page.goto(game.address)
    players.is_live(page)
    page.get_by_role("button", name="Share…").first.click()
    dialog = page.get_by_role("dialog", name="Share")
    link = dialog.get_by_label("Link to this match", exact=True)
    assert link.input_value().endswith(game.address.removeprefix(game.base_url))
    assert dialog.get_by_text("Clip").count() == 0
    assert axe.Examiner().faults(page) == []
    assert new_page.errors == []


# -- the featured match --------------------------------------------------------------------------


@pytest.mark.parametrize("width", SIZES)
def test_pages_follow_the_featured_match(
    new_page: Pages, site: Site, width: int, wait_until: Callable[..., object]
) -> None:
    game = players.start(site, "tetronogo", variant="standard")
    page = new_page(viewport=SIZES[width])
    page.goto("/")
    page.wait_for_load_state("networkidle")
    site.python(_FEATURE.format(act="feature", match=game.match))
    card = page.locator(f'[data-featured-match="{game.match}"]')
    card.get_by_text("chosen by the organisers").wait_for()
    image = card.locator("img")
    wait_until(lambda: image.evaluate("image => image.naturalWidth") > 0)
    examined(page, width)
    card.get_by_role("link").click()
    page.wait_for_url(f"**/matches/{game.match}/")
    page.goto("/watch/")
    page.locator(f'[data-featured-match="{game.match}"]').wait_for()
    site.python(_FEATURE.format(act="unfeature", match=game.match))
    page.get_by_text("chosen by the organisers").wait_for(state="detached")
    assert new_page.errors == []


# -- lists without results -----------------------------------------------------------------------


@pytest.mark.parametrize("width", SIZES)
def test_results_are_hidden_in_the_list_and_shown_again(
    new_page: Pages, replay: Callable[[str], str], width: int
) -> None:
    address = replay("domino-black-white")
    page = new_page(viewport=SIZES[width])
    page.goto("/watch/")
    over = page.locator("[data-list=over]")
    assert over.locator(".versus__score").count() > 0
    page.get_by_role("link", name="Hide the results").click()
    page.get_by_role("link", name="Show the results").wait_for()
    assert page.url.endswith("/watch/")
    assert over.locator(".versus__score").count() == 0
    assert over.get_by_text("won").count() == 0
    examined(page, width)
    page.locator(f'[href="{address}?result=hidden"]').first.click()
    page.locator("[data-part=moves] [aria-current]").wait_for(state="attached")
    assert "hidden" in page.locator("[data-part=result]").inner_text()
    # This device remembers it.
    page.goto("/watch/")
    page.get_by_role("link", name="Show the results").click()
    over.locator(".versus__score").first.wait_for()
    assert json.loads(page.evaluate("JSON.stringify(document.cookie.includes('results=shown'))"))
    assert new_page.errors == []
