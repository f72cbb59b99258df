"""Two browsers add their numbers to what is drawn in a match."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from games.engine import records
from games.options import pace
from games.rulesets import REGISTRY
from tests.browser import players
from tests.browser.test_times_browser import MEETING

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
# A browser that says of its storage that it is full.
FULL = """
  Storage.prototype.setItem = function () {
    throw new DOMException("full", "QuotaExceededError");
  };
"""
# As on a site without HTTPS.
PLAIN = "Object.defineProperty(Crypto.prototype, 'subtle', {value: undefined})"
# The time of a death match has come.
DUE = """
from datetime import timedelta
from core.clock import now_utc
from tournaments.models import Leg
Leg.objects.filter(death_match={meeting!r}.strip("/").split("/")[-1]).update(
    scheduled_at=now_utc() + timedelta(seconds=8))
"""
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
    assert none == "no nonce"
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


@pytest.mark.parametrize("second", ["presses", "waits"])
def test_a_leg_begins_with_the_numbers_of_both_who_are_ready(
    new_page: Pages, site: Site, second: str
) -> None:
    """Both press "I am ready" in their browsers: it begins at once, or, where it has a time, for
    both of them by itself."""
    made = json.loads(
        site.python(MEETING.format(mark=secrets.token_hex(4))).strip().splitlines()[-1]
    )
    pages = {}
    for name, options in (("Ada", WIDE), ("Ben", NARROW)):
        page = new_page(**options)
        cookie: Any = {"name": "sessionid", "value": made["sessions"][name], "url": site.base_url}
        page.context.add_cookies([cookie])
        page.goto(made["meeting"])
        pages[name] = page
    if second == "waits":
        site.python(DUE.format(meeting=made["meeting"]))
    for page in pages.values():
        page.get_by_role("button", name="I am ready").click()
    for page in pages.values():
        page.wait_for_url("**/matches/*/")
        begins(page)
    ada = pages["Ada"]
    number = int(ada.url.rstrip("/").rsplit("/", 1)[1])
    game = players.Game(number, "sessionid", made["sessions"], site.base_url)
    assert all(len(each) == 64 for each in hashes(ada))
    ada.locator(".log").get_by_text("added a number to what is drawn").first.wait_for()
    found = ended(site, game, ada)
    assert all(each["nonce"] for each in found["nonces"])
    assert new_page.errors == []


def test_the_page_says_where_no_player_added_a_number(new_page: Pages, site: Site) -> None:
    """Of a match that began at once: in a line by the board, in the log and in the replay."""
    daily = next(each for each in pace.PACES if each.id == "daily")
    options = pace.options_at(REGISTRY.get("domain"), daily)
    game = players.start(site, "domain", advantage=None, options=options)
    ada = came(new_page, game, "Ada", **NARROW)
    words = "Draws follow from the server's seed; no player added a number"
    ada.get_by_role("link", name=words).click()
    ada.locator("#draws").get_by_text("Commitment to the seed").wait_for()
    ada.locator("#draws > summary", has_text=words).wait_for()
    assert hashes(ada)[1:] == ["no nonce", "no nonce"]
    ada.locator(".log").get_by_text("the server's seed alone").wait_for(state="attached")
    ben = came(new_page, game, "Ben", **WIDE)  # where giving up is no sheet below
    assert ended(site, game, ben)["nonces"] == [{}, {}]
    ada.goto(f"{game.base_url}{game.address}replay/#draws")
    title = "from the server's seed; no player added a number"
    ada.locator("#draws .alert__title", has_text=title).wait_for()
    assert ada.locator("#draws .alert--success").count() == 0
    assert new_page.errors == []


def test_at_a_slow_pace_they_need_not_be_there_together(new_page: Pages, site: Site) -> None:
    """One comes and leaves, the other opens what they have, and the first one does when they look
    in again, by the same browser."""
    daily = next(each for each in pace.PACES if each.id == "daily")
    options = pace.options_at(REGISTRY.get("domain"), daily)
    game = players.start(site, "domain", advantage=None, waits=True, options=options)
    ada = came(new_page, game, "Ada", **NARROW)
    turn = ada.locator("[data-part=turn]")
    turn.get_by_text("Waiting for Ben to look in. It begins at").wait_for()
    seed, first, none = hashes(ada)
    assert none == "no nonce"
    ada.goto(f"{game.base_url}/lobby/")
    card = ada.locator(".card", has=ada.locator(f"a[href='{game.address}']")).first
    card.get_by_text("begins when both have looked in").wait_for()
    ada.goto("about:blank")  # any page of the site would open her number
    ben = came(new_page, game, "Ben", **WIDE)
    told = "Waiting for Ada to look in again, with the same browser."
    ben.locator("[data-part=turn]").get_by_text(told).wait_for()
    assert hashes(ben)[:2] == [seed, first]
    # What she has kept is not there in another browser of hers.
    other = came(new_page, game, "Ada")
    own = "Your number is opened by the browser that added it"
    other.locator("[data-part=turn]").get_by_text(own).wait_for()
    other.context.close()
    ada.goto(f"{game.base_url}{game.address}")
    for page in (ada, ben):
        begins(page)
    found = ended(site, game, ben)
    assert all(each["nonce"] for each in found["nonces"])
    assert [found["commitment"], found["nonces"][0]["commitment"]] == [seed, first]
    for page in (ada, ben):
        page.goto(f"{game.base_url}{game.address}replay/#draws")
        noted = page.locator("#draws [data-noted]")
        noted.get_by_text("noted the same").first.wait_for()
        assert "WRONG" not in noted.inner_text()
    assert new_page.errors == []


def test_who_has_lost_a_number_begins_without_it(new_page: Pages, site: Site) -> None:
    """By a button, once they have said that they mean it; who has theirs has no such button."""
    daily = next(each for each in pace.PACES if each.id == "daily")
    options = pace.options_at(REGISTRY.get("domain"), daily)
    game = players.start(site, "domain", advantage=None, waits=True, options=options)
    first = came(new_page, game, "Ada", **NARROW)
    first.locator("[data-part=turn]").get_by_text("Waiting for Ben to look in. It").wait_for()
    first.context.close()
    ben = came(new_page, game, "Ben", **WIDE)
    ben.locator("[data-part=turn]").get_by_text("Waiting for Ada to look in again").wait_for()
    ada = came(new_page, game, "Ada", **NARROW)
    button = ada.get_by_role("button", name="Begin without my number")
    button.wait_for()
    ada.locator("[data-part=turn]").get_by_text("or begin without it").wait_for()
    for part in ("[data-part=turn]", ".turn-line__words"):  # all of it can be read
        assert ada.locator(part).evaluate("box => box.scrollHeight <= box.clientHeight"), part
    assert ada.evaluate("document.documentElement.scrollWidth") == NARROW["viewport"]["width"]
    button.click()
    asked = ada.get_by_role("dialog", name="Begin without your number?")
    asked.get_by_text("cannot be taken back").wait_for()
    assert ben.locator("[data-part=without]").is_hidden()
    asked.get_by_role("button", name="Not yet").click()
    button.click()
    asked.get_by_role("button", name="Begin without my number").click()
    for page in (ada, ben):
        begins(page)
        assert page.locator("[data-part=without]").is_hidden()
    ben.locator(".log").get_by_text("Ada began without their number: a constant").wait_for()
    found = ended(site, game, ben)
    assert [sorted(each) for each in found["nonces"]] == [["commitment"], ["commitment", "nonce"]]
    assert new_page.errors == []


def test_a_browser_that_keeps_nothing_adds_nothing(new_page: Pages, site: Site) -> None:
    game = players.start(site, "domain", advantage=None, waits=True)
    ada = came(new_page, game, "Ada", FULL)
    ben = came(new_page, game, "Ben")
    for page in (ada, ben):
        begins(page)
    assert hashes(ben)[1] == "no nonce"
    assert all(each != "no nonce" for each in hashes(ben)[2:])
    assert new_page.errors == []


def test_two_browsers_of_a_player_do_not_displace_each_other_for_ever(
    new_page: Pages, site: Site
) -> None:
    game = players.start(site, "domain", advantage=None, waits=True)
    first = came(new_page, game, "Ada", **NARROW)
    second = came(new_page, game, "Ada", **WIDE)
    stands = hashes(second)[1]
    for _ in range(2):
        first.reload()
        players.is_live(first)
        loud = "Another browser has added a number for you"
        first.locator("[data-part=turn]").get_by_text(loud).wait_for()
        assert hashes(first)[1] == stands
    assert new_page.errors == []


def test_whoever_goes_on_with_another_browser_opens_that_ones_number(
    new_page: Pages, site: Site
) -> None:
    game = players.start(site, "domain", advantage=None, waits=True)
    before = came(new_page, game, "Ada", **NARROW)
    first = hashes(before)[1]
    before.context.close()
    ada = came(new_page, game, "Ada", **WIDE)
    ben = came(new_page, game, "Ben")
    for page in (ada, ben):
        begins(page)
    anew = hashes(ben)[1]
    assert anew not in (first, "no nonce")
    found = ended(site, game, ada)
    assert found["nonces"][0]["commitment"] == anew
    assert all(each["nonce"] for each in found["nonces"])
    for page in (ada, ben):
        page.goto(f"{game.base_url}{game.address}replay/#draws")
        noted = page.locator("#draws [data-noted]")
        noted.get_by_text("noted the same").first.wait_for()
        assert "WRONG" not in noted.inner_text()
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
    assert hashes(ben)[1] == "no nonce"
    assert new_page.errors == []
