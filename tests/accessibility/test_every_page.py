"""axe finds nothing on any page of the site: wide and narrow, light and dark; and every page fits
every screen, has one heading above all others, and shows what it names.

A usual run looks at the colours of every route where it is wide and light and where it is narrow
and dark, at everything else in one of the two, and at some in all four ways. It opens every page,
but passes over one without any kind of element that its route, or the administration, has not shown
before.
"""

from __future__ import annotations

from collections import defaultdict
from threading import Lock
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings as site_settings
from django.urls import reverse
from playwright.sync_api import Error as PlaywrightError

from games.rulesets import REGISTRY
from tests.accessibility import axe
from tests.accessibility.places import (
    NO_PAGES,
    RULESETS,
    authorisation,
    furnished,
    of_administration,
    places,
)
from tests.browser import players
from tests.permissions.test_completeness import all_addresses
from tests.permissions.world import Who, World
from tests.support.depth import whole
from tests.support.fixtures import Pages
from tests.support.screens import Screen, assert_fits, show
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page


class Readers:
    """Everybody of the world, each with one page in the browser."""

    def __init__(self, browser: Browser, address: str, world: World) -> None:
        self.browser, self.address, self.world = browser, address, world
        self.pages: dict[Who, Page] = {}
        self.examiner = axe.Examiner()
        self.kinds: defaultdict[str, set[str]] = defaultdict(set)
        self.examined = 0
        self.errors: list[str] = []  # of the page that was opened last

    def faults(self, who: Who, path: str, group: str) -> list[str]:
        """What is wrong with a page as somebody sees it; nothing where there is none, or, in a
        usual run, where its group has shown all its kinds of elements before."""
        page = self.pages.get(who) or self.pages.setdefault(who, self._opened(who))
        self.errors.clear()
        try:
            answer = page.goto(path)
        except PlaywrightError:
            # Chromium with a window shows words of its own for an answer without any.
            assert page.request.get(path).status == 405, path
            self.pages.pop(who).context.close()  # it is on its way to them
            return []
        assert answer is not None
        if answer.status == 405:
            return []  # it takes POST only, and its button stands on another page
        assert answer.status == 200, (path, answer.status)
        new = axe.kinds(page) - self.kinds[group]
        self.kinds[group] |= new
        if not new and not whole:
            return []
        self.examined += 1
        all_four = whole or self.examined % IN_ALL_FOUR == 1
        found = self.examiner.faults(page, axe.FOUR if all_four else axe.TWO[self.examined % 2])
        return [*found, *self._misshapen(page)]

    def _misshapen(self, page: Page) -> list[str]:
        """What else is wrong with it, now that everything on it is unfolded."""
        assert_fits(page)  # where it was looked at last
        for screen in SCREENS:
            show(page, screen)
            assert_fits(page)
        assert page.locator("h1").count() == 1
        page.evaluate("[...document.images].forEach((image) => { image.loading = 'eager'; })")
        page.wait_for_function("() => [...document.images].every((image) => image.complete)")
        empty: list[str] = page.evaluate(
            "[...document.images].filter((image) => !image.naturalWidth).map((image) => image.src)"
        )
        return empty + self.errors

    def _opened(self, who: Who) -> Page:
        context = self.browser.new_context(base_url=self.address, locale="en-GB", **axe.look())
        axe.at_hand(context)
        context.route_web_socket("**/*", lambda _socket: None)  # nobody is at the other end
        signed_in = self.world.clients[who].cookies.get(site_settings.SESSION_COOKIE_NAME)
        if signed_in is not None:
            context.add_cookies(
                [{"name": signed_in.key, "value": signed_in.value, "url": self.address}]
            )
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._noted)
        return page

    def _noted(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)


# The narrowest is where things stick out first.
SCREENS: tuple[Screen, ...] = (
    ((320, "light"), (360, "dark"), (768, "light"), (1440, "dark")) if whole else ((320, "light"),)
)
# In a usual run one page of so many is looked at in every way.
IN_ALL_FOUR = 12
# Pages that are other pages for every ruleset.
OF_RULESETS = {"games:replay", "games:rules"}
LIVE = ("tetronogo", "domino-black-white", "domino-wars", "peg-domain", "domain")

pytestmark = pytest.mark.browser


@pytest.fixture
def readers(browser: Browser, address: str, world: World) -> Readers:
    return Readers(browser, address, world)


@pytest.mark.timeout(2400)  # seconds: four looks at every page there is, and CI may be slow
@pytest.mark.django_db
def test_every_page_for_whoever_sees_most_of_it(
    readers: Readers,
    one_at_a_time: Lock,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    settings.GAUNTLET_DISCORD_CLIENT_ID = settings.GAUNTLET_DISCORD_CLIENT_SECRET = "1"
    monkeypatch.setattr("games.demo.MOVES_AT_MOST", 12)
    world, seen = readers.world, set()
    furnished(world)
    for place in places():
        with one_at_a_time:
            scene = world.scene(place.scene)
            path = reverse(place.name, args=place.args(scene))
            if place.query:
                path += f"?{authorisation(scene)}"
        if (place.who, path) not in seen:
            seen.add((place.who, path))
            with subtests.test(f"{place.name} as {place.who}, {place.scene}"):
                group = path if place.name in OF_RULESETS else place.name
                assert readers.faults(place.who, path, group) == []
    with one_at_a_time:
        administration = list(of_administration(world))
    for path in administration:
        with subtests.test(path):
            assert readers.faults(Who.ADMIN, path, "admin") == []


def test_live_matches(site: Site, new_page: Pages, subtests: pytest.Subtests) -> None:
    assert set(LIVE) == set(RULESETS)
    examiner = axe.Examiner()
    for number, ruleset in enumerate(LIVE):
        game = players.start(site, ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
        page = game.open(new_page, "Ada", **axe.look())
        with subtests.test(ruleset):
            assert examiner.faults(page, axe.FOUR if whole else axe.TWO[number % 2]) == []


def test_every_route_is_named() -> None:
    """A route whose page is not looked at, and that is not said to have none, fails."""
    names = {name for name, _ in all_addresses() if not name.startswith("admin:")}
    shown = {place.name for place in places()}
    assert sorted(each for each in names - shown if not each.startswith(tuple(NO_PAGES))) == []
