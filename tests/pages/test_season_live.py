"""A season's page that keeps itself up to date, in a browser."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.support.fixtures import Pages

pytestmark = pytest.mark.browser

_SEASON = """
from accounts.models import User
from tournaments.services.seasons import season_create, season_list

root = User.objects.create_superuser("live-{mark}")
season = season_create(acting_user=root, name="Live {mark}", format="round-robin")
season_list(acting_user=root, season=season)
print(season.slug)
"""


def test_a_page_that_is_older_than_what_is_asked_is_brought_up_to_date(
    site: Site, new_page: Pages
) -> None:
    """It may come from a replica that is behind, or have been on its way when something changed."""
    slug = site.python(_SEASON.format(mark=secrets.token_hex(4))).strip()
    page = new_page()
    served: list[str] = []

    def serve(route: Route) -> None:
        answer = route.fetch()
        body, count = re.subn(r'data-shows="[^"]+"', 'data-shows="an earlier one"', answer.text())
        assert count == 1
        served.append("earlier" if not served else "now")
        route.fulfill(response=answer, body=body if len(served) == 1 else answer.text())

    page.route(f"**/seasons/{slug}/", serve)
    page.goto(f"/seasons/{slug}/")
    page.get_by_text("The page has been brought up to date.").wait_for(state="attached")
    assert served == ["earlier", "now"]
    assert new_page.errors == []


def held_back(page: Page, slug: str) -> tuple[list[str], list[Route]]:
    """Have the first page be an earlier one, and the questions whether it is wait: what has been
    served, and the questions."""
    served: list[str] = []
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    def serve(route: Route) -> None:
        answer = route.fetch()
        earlier = re.sub(r'data-shows="[^"]+"', 'data-shows="an earlier one"', answer.text())
        served.append("now" if served else "earlier")
        route.fulfill(response=answer, body=earlier if len(served) == 1 else answer.text())

    page.route(f"**/seasons/{slug}/", serve)
    page.route(f"**/seasons/{slug}/state.json", hold)
    page.goto(f"/seasons/{slug}/")
    return served, asked


def test_a_link_that_has_the_focus_keeps_it_and_nothing_from_being_brought_up_to_date(
    site: Site, new_page: Pages, wait_until: Any
) -> None:
    slug = site.python(_SEASON.format(mark=secrets.token_hex(4))).strip()
    page = new_page()
    served, asked = held_back(page, slug)
    link = page.locator("[data-season-live] a").first
    link.focus()
    address = link.get_attribute("href")
    wait_until(lambda: page.title() and asked)
    asked.pop().continue_()
    page.get_by_text("The page has been brought up to date.").wait_for(state="attached")
    assert served == ["earlier", "now"]
    assert page.evaluate("document.activeElement.getAttribute('href')") == address
    assert new_page.errors == []


def test_what_was_being_filled_in_is_brought_up_to_date_once_it_is_not(
    site: Site, new_page: Pages, wait_until: Any
) -> None:
    slug = site.python(_SEASON.format(mark=secrets.token_hex(4))).strip()
    page = new_page()
    page.clock.install()
    served, asked = held_back(page, slug)
    page.evaluate(
        """() => {
          const form = Object.assign(document.createElement("form"), { id: "mine" });
          form.dataset.filled = "";
          document.querySelector("[data-season-live]").append(form);
        }"""
    )

    def look() -> bool:
        page.clock.fast_forward(21_000)
        return bool(asked)

    wait_until(look)
    asked.pop().continue_()
    wait_until(look)  # the first look is over by then
    assert served == ["earlier"]
    page.evaluate("document.getElementById('mine').remove()")
    asked.pop().continue_()
    page.get_by_text("The page has been brought up to date.").wait_for(state="attached")
    assert served == ["earlier", "now"]
    assert new_page.errors == []
