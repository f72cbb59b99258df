"""Answers given before their decision opens: kept in the plan, sent once, never by mistake."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.accessibility import axe
from tests.browser import players
from tests.browser.stage import Position, Stage, whole

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

DECK = "deck 01 02 03 04 05 06 12 13"
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
# Keep a plan with an answer in advance, in place of whatever is kept.
KEEP = """
async ([url, premove]) => {
  const {revision, content} = await (await fetch(url)).json();
  const csrf = document.querySelector("[name=csrfmiddlewaretoken]")?.value
    ?? document.cookie.match(/csrftoken=(\\w+)/)?.[1];
  const answer = await fetch(url, {
    method: "PUT",
    headers: {"Content-Type": "application/json", "X-CSRFToken": csrf},
    body: JSON.stringify({revision, content: {...content, premove}}),
  });
  return answer.status;
}
"""


class Said:
    """What a page submits over its socket."""

    def __init__(self, page: Page) -> None:
        self.frames: list[dict[str, Any]] = []
        page.on("websocket", lambda socket: socket.on("framesent", self._sent))

    def _sent(self, data: str | bytes) -> None:
        frame = json.loads(data)
        if frame["type"] == "submit":
            self.frames.append(frame)


def address(game: players.Game) -> str:
    return f"/api/v1/matches/{game.match}/plan/"


def premove(page: Page, game: players.Game) -> dict[str, str] | None:
    """What the server keeps."""
    found: dict[str, str] | None = page.evaluate(
        "async (url) => (await (await fetch(url)).json()).content.premove", address(game)
    )
    return found


def held(page: Page, words: str) -> None:
    """Wait until the page shows what it will send."""
    page.locator(".plan__held p").get_by_text(words).wait_for()


def no_longer_held(page: Page, game: players.Game) -> None:
    """Wait until neither the page nor the server has anything to send."""
    page.locator(".plan__held").wait_for(state="hidden")
    page.wait_for_function(
        "async (url) => (await (await fetch(url)).json()).content.premove === null",
        arg=address(game),
    )


def answer_ahead(page: Page) -> None:
    """Choose the first eight dominoes that there are, before being asked."""
    page.get_by_role("button", name="Answer in advance").click()
    for domino in DECK.split(" ")[1:]:
        page.locator(f'.deck__card[data-domino="{domino}"]').click()
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.locator(".confirm").get_by_role("button", name="Send it when asked").click()


def decks(site: Site, game: players.Game) -> list[tuple[Any, ...]]:
    """Every deck that was submitted in the match."""
    return site.sql(
        "SELECT actor, text, client_id FROM games_matchentry "
        "WHERE match_id = %s AND text LIKE 'deck %%'",
        game.match,
    )


def test_kept_by_two_devices_and_sent_once(site: Site, new_page: Pages) -> None:
    """Ben chooses his deck while Ada has yet to choose who begins; both of his pages send it."""
    game = players.start(site, "domino-wars")
    ada = game.open(new_page, "Ada")
    desk = game.open(new_page, "Ben", viewport={"width": 1440, "height": 900})
    phone = game.open(new_page, "Ben", **PHONE)
    players.waits(desk)
    answer_ahead(desk)
    held(desk, f"Sent when asked: {DECK}.")
    held(phone, f"Sent when asked: {DECK}.")
    assert premove(desk, game) == {"text": DECK, "decision": "deck"}
    # Nothing is left of the question, and nothing was played.
    assert desk.locator("[data-planning], .deck").count() == 0
    assert decks(site, game) == []
    assert axe.Examiner().faults(desk) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # It outlives the page.
    phone.reload()
    players.is_live(phone)
    held(phone, DECK)
    said = Said(phone)
    phone.reload()
    players.is_live(phone)
    held(phone, DECK)
    # Ada learns nothing of it.
    assert DECK not in ada.content()
    players.choose(ada, "Play first", "Play first")
    for page in (desk, phone):
        page.locator("[data-part=turn]:not([data-state=yours], [data-state=sending])").wait_for()
        no_longer_held(page, game)
    sent = decks(site, game)
    assert sent == [("1", DECK, "premove-deck")], "once, whoever sent it first"
    assert {each["id"] for each in said.frames} <= {"premove-deck"}
    assert DECK not in ada.content()
    assert new_page.errors == []


def test_cancelled_it_is_not_sent(site: Site, new_page: Pages) -> None:
    game = players.start(site, "domino-wars")
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    answer_ahead(ben)
    held(ben, DECK)
    ben.locator(".plan__held").get_by_role("button", name="Do not send it").click()
    no_longer_held(ben, game)
    ben.get_by_role("button", name="Answer in advance").wait_for()
    players.choose(ada, "Play first", "Play first")
    players.is_asked(ben)
    ben.wait_for_timeout(1_000)
    assert decks(site, game) == []
    assert new_page.errors == []


def test_what_is_refused_is_answered_by_hand(site: Site, new_page: Pages) -> None:
    """It cannot stand, however it came into the plan: the page says so, and asks as ever."""
    game = players.start(site, "domino-wars")
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    wrong = "deck 01 01 02 03 04 05 06 12"
    assert ben.evaluate(KEEP, [address(game), {"text": wrong, "decision": "deck"}]) == 200
    held(ben, wrong)
    players.choose(ada, "Play first", "Play first")
    note = ben.locator("[data-part=note]")
    note.get_by_text("What you answered in advance is refused.").wait_for()
    assert wrong in note.inner_text()
    assert "Answer by hand." in note.inner_text()
    no_longer_held(ben, game)
    players.is_asked(ben)
    for domino in DECK.split(" ")[1:]:
        ben.locator(f'.deck__card[data-domino="{domino}"]').click()
    ben.locator(".confirm").get_by_role("button", name="Choose this deck").click()
    players.waits(ben)
    assert [each[:2] for each in decks(site, game)] == [("1", DECK)]
    assert new_page.errors == []


def test_nothing_else_is_ever_sent(site: Site, new_page: Pages) -> None:
    """Neither to a decision of a kind that is not declared, nor to another one than it is for."""
    game = players.start(site, "domino-wars")
    ada = game.open(new_page, "Ada")
    players.is_asked(ada)
    said = Said(ada)
    for each in ({"text": "first"}, {"text": "first", "decision": "first"}):
        assert ada.evaluate(KEEP, [address(game), each]) == 200
        ada.reload()
        players.is_asked(ada)
        held(ada, "first")
        ada.wait_for_timeout(500)
    assert ada.evaluate(KEEP, [address(game), {"text": DECK, "decision": "2.deck"}]) == 200
    held(ada, f"Not sent, since it was about another question: {DECK}.")
    players.choose(ada, "Play first", "Play first")
    ada.locator(".deck").wait_for()
    ada.wait_for_timeout(500)
    assert [each["text"] for each in said.frames] == ["first"], "by hand"
    assert not said.frames[0]["id"].startswith("premove-")
    assert new_page.errors == []


def test_the_pick_of_the_next_bout(site: Site, new_page: Pages) -> None:
    """While this bout is on, by keys: it is sent when the next one begins."""
    game = players.start(site, "tetronogo")
    seen = whole("tetronogo.standard.random")
    begins = next(n for n, each in enumerate(seen) if n > 3 and each.asks(0, "pick"))
    waits = max(n for n in range(begins) if not seen[n].asks(0) and seen[n].asks(1, "place"))
    stage = Stage(new_page, game, "Ada", seen[: waits + 1])
    page = stage.page

    def sent() -> list[tuple[str, str]]:
        return [(each["id"], each["text"]) for each in stage.sent if each["type"] == "submit"]

    page.get_by_role("button", name="Answer in advance").press("Enter")
    letter = page.locator(".choices input:enabled").first
    letter.focus()
    page.keyboard.press("Space")
    value = letter.get_attribute("value")
    page.locator(".confirm").get_by_text(f"{value} for bout 2.").wait_for()
    # It may be kept before the page's time passes, or after.
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.locator(".confirm").get_by_role("button", name="Send it when asked").press("Enter")
        held(page, f"Sent when asked: pick {value}.")
        assert page.evaluate("document.activeElement.ariaLabel") == "Do not send it"
        stage.pass_time(50)
    assert sent() == []
    for position in seen[waits + 1 : begins + 1]:
        stage.play(position)
        stage.settle()
    assert sent() == [("premove-2-pick-0", f"pick {value}")]
    assert any(
        f"While this match is open, sent as soon as you are asked: pick {value}" in each
        for each in stage.said
    )
    # It was played, an organiser takes it back, and what is answered once more is sent once more:
    # under the same id the server would take it for the first one.
    keys = ("version", "at")
    stage.say({"type": "ack", "id": sent()[0][0], **{key: stage.state[key] for key in keys}})
    act = {"kind": "organiser", "seat": None, "text": "Taken back.", "data": {"act": "take back"}}
    undo = {"at": 1, "actor": "organiser", "taken_back": False, "events": [act]}
    stage.catch_up([Position(seen[waits].view, [undo])])
    stage.settle()
    page.get_by_role("button", name="Answer in advance").press("Enter")
    page.locator(".choices input:enabled").first.focus()
    page.keyboard.press("Space")
    page.locator(".confirm").get_by_role("button", name="Send it when asked").press("Enter")
    held(page, f"Sent when asked: pick {value}.")
    stage.catch_up(seen[waits + 1 : begins + 1])
    stage.settle()
    assert sent()[1:] == [("premove-2-pick-0-1", f"pick {value}")]
    assert new_page.errors == []
