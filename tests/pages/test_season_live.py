"""A season's page that keeps itself up to date, in a browser."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

import pytest

from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Route

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
