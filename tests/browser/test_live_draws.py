"""Two browsers add their numbers to what is drawn in a match."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from games.engine import records
from games.rulesets import REGISTRY
from tests.browser import players

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.players import Game
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# A page that does everything but tell its number.
MUTE = """
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    if (!String(text).includes('"nonce"')) send.call(this, text);
  };
"""
# As on a site without HTTPS.
PLAIN = "Object.defineProperty(Crypto.prototype, 'subtle', {value: undefined})"
WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
NARROW: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}


def came(
    new_page: Pages, game: Game, name: str, script: str = "", hangs: str = "", **options: Any
) -> Page:
    """A player's page, with a script of the test's before all others; of addresses like ``hangs``
    nothing ever comes."""
    page = new_page(**options)
    cookie: Any = {"name": game.cookie, "value": game.sessions[name], "url": game.base_url}
    page.context.add_cookies([cookie])
    if script:
        page.add_init_script(script)
    if hangs:
        page.route(hangs, lambda _route: None)
    page.goto(game.address, wait_until="commit" if hangs else "load")
    players.is_live(page)
    return page


def hashes(page: Page) -> list[str]:
    """What the page says is committed to: the seed, then each seat's number."""
    page.locator("[data-part=draws]").evaluate("box => { box.open = true; }")
    return page.locator("[data-part=draws] dd").all_inner_texts()


def begins(page: Page) -> None:
    page.locator('#match[data-phase="on"]').wait_for()


def ended(site: Site, game: Game, page: Page) -> dict[str, Any]:
    """The draws of the record once this player has given up, all of them verified."""
    page.get_by_role("button", name="Concede").click()
    page.get_by_role("dialog").get_by_role("button", name="Concede").click()
    page.locator('#match[data-phase="over"]').wait_for()
    data = httpx.get(f"{site.base_url}/api/v1/matches/{game.match}/record/").content
    verdict = records.check(REGISTRY, data)
    assert verdict["ok"], verdict
    assert verdict["draws"]["verified"] > 0
    assert (verdict["draws"]["unverifiable"], verdict["draws"]["supplied"]) == (0, 0)
    found: dict[str, Any] = json.loads(data)["draws"]
    return found


def test_both_browsers_add_a_number(new_page: Pages, site: Site) -> None:
    """One of them after a reload, the other by a browser that hashes nothing itself."""
    game = players.start(site, "domain", advantage=None, waits=True)
    ada = came(new_page, game, "Ada", **WIDE)
    seed, first, none = hashes(ada)
    assert none == "no number"
    ada.reload()
    players.is_live(ada)
    assert hashes(ada) == [seed, first, none]
    ben = came(new_page, game, "Ben", PLAIN, **NARROW)
    for page in (ada, ben):
        begins(page)
    known = hashes(ada)
    assert known[:2] == [seed, first]
    assert hashes(ben) == known
    # A page that comes later, and one without a script, say the same.
    text = httpx.get(game.base_url + game.address).text
    assert all(each in text for each in known)
    for page in (ada, ben):  # for the replay, should the record have none
        assert page.evaluate("JSON.parse(localStorage['gauntlet:draws'])[0].opened") == [True, True]
    found = ended(site, game, ada)
    ada.goto(f"{game.base_url}{game.address}replay/#draws")
    ada.locator("#draws [data-noted]").get_by_text("noted the same commitment").wait_for()
    assert found["commitment"] == seed
    assert [each["commitment"] for each in found["nonces"]] == known[1:]
    assert all(each["nonce"] for each in found["nonces"])
    assert new_page.errors == []


def test_one_never_opens_it(new_page: Pages, site: Site) -> None:
    game = players.start(site, "domain", advantage=None, waits=True)
    ada = came(new_page, game, "Ada", MUTE)
    ben = came(new_page, game, "Ben")
    for page in (ada, ben):
        begins(page)
    ben.locator(".log").get_by_text("did not open their number in time").wait_for()
    assert "a constant stands for it" in hashes(ben)[1]
    found = ended(site, game, ben)
    assert [sorted(each) for each in found["nonces"]] == [["commitment"], ["commitment", "nonce"]]
    assert new_page.errors == []


def test_one_whose_script_for_it_does_not_come_arrives_without(new_page: Pages, site: Site) -> None:
    game = players.start(site, "domain", advantage=None, waits=True)
    ada = came(new_page, game, "Ada", hangs="**/match/nonce*.js")
    ben = came(new_page, game, "Ben")
    for page in (ada, ben):
        begins(page)
    assert hashes(ben)[1] == "no number"
    assert new_page.errors == []
