"""Domino Wars in real browsers: decks, turns with their effects, favourites, and the replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import players
from tests.browser.players import choose, is_asked, turn, waits
from tests.support.screens import assert_fits

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.players import Game
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WARS = "domino-wars"
TELEPHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
    "color_scheme": "dark",
}
# Every hand out of this deck can be played, and every domino of it asks for something.
DECK = ["02", "04", "24", "14", "12", "23", "34", "46"]


def log_of(page: Page) -> list[str]:
    return [text.strip() for text in page.locator("[data-part=log] .log__text").all_inner_texts()]


def choose_deck(page: Page, deck: list[str], *, tap: bool = False) -> None:
    """Put a deck together by pointer and confirm it."""
    page.locator(".deck__card").first.wait_for()
    for domino in deck:
        card = page.locator(f'.deck__card[data-domino="{domino}"]')
        card.tap() if tap else card.click()
    page.get_by_text("The deck is complete.").wait_for()
    page.get_by_role("button", name="Choose this deck").click()


def begun(new_page: Pages, site: Site) -> tuple[Game, Page, Page]:
    """A match at its first turn: Ada plays first, on a large screen; Ben has a telephone."""
    game = players.start(site, WARS)
    ada = game.open(new_page, "Ada", viewport={"width": 1440, "height": 900})
    ben = game.open(new_page, "Ben", **TELEPHONE)
    choose(ada, "Play first", "Play first")
    choose_deck(ada, DECK)
    choose_deck(ben, DECK, tap=True)
    is_asked(ada)
    return game, ada, ben


def play_by_keyboard(page: Page) -> None:
    """Take a domino that fits and lay it where it does, by keys alone."""
    card = page.locator(".wars-hand__domino input:not(:disabled)").first
    card.focus()
    page.keyboard.press("Space")
    page.keyboard.press("n")
    page.locator(".ghost--legal").wait_for()
    page.keyboard.press("Enter")
    page.locator(".ghost--pinned").wait_for()
    page.keyboard.press("Enter")


def answer_effects(page: Page, *, keyboard: bool) -> list[str]:
    """Make every choice that the effects of a play ask for; what was asked."""
    asked: list[str] = []
    while True:
        page.wait_for_function(
            "() => !document.querySelector('.confirm[data-state=sending]:not([hidden])')"
        )
        page.wait_for_timeout(150)
        sheet = page.locator(".wars-sheet:not([hidden])")
        if not sheet.count():
            return asked
        label = str(sheet.get_attribute("aria-label"))
        if label in asked:
            continue  # on its way
        asked.append(label)
        first = sheet.locator("input:not(:disabled)").first
        if keyboard:
            first.focus()
            page.keyboard.press("Space")
            page.keyboard.press("Enter")
        else:
            sheet.locator(".choice").first.tap()
            page.locator(".confirm .button--primary").tap()


def test_decks_are_chosen_in_secret_and_kept_as_favourites(new_page: Pages, site: Site) -> None:
    game = players.start(site, WARS)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    choose(ada, "Play second", "Play second")
    ada.locator(".deck__card").first.wait_for()
    assert ada.locator(".deck__card").count() == 21
    assert "no draw" in ada.locator('.deck__card[data-domino="05"]').inner_text()
    ada.get_by_text("8 more to choose.").wait_for()
    for domino in DECK[:7]:
        ada.locator(f'.deck__card[data-domino="{domino}"]').click()
    ada.get_by_text("1 more to choose.").wait_for()
    assert not ada.get_by_role("button", name="Choose this deck").is_visible()
    # What was chosen so far outlives a reload.
    ada.reload()
    ada.get_by_text("1 more to choose.").wait_for()
    ada.locator('.deck__card[data-domino="46"]').focus()
    ada.keyboard.press("Enter")
    assert ada.locator('.deck__card[data-domino="56"]').is_disabled()

    ada.get_by_label("Name for this deck").fill("Old faithful")
    ada.get_by_role("button", name="Save", exact=True).click()
    ada.get_by_text("“Old faithful” is saved.").wait_for()
    ada.get_by_role("button", name="Start again").click()
    ada.get_by_text("8 more to choose.").wait_for()
    ada.reload()
    ada.get_by_role("button", name="Old faithful", exact=True).click()
    ada.get_by_text("The deck is complete.").wait_for()
    ada.get_by_role("button", name="Choose this deck").click()
    ada.get_by_text("Your deck is in").wait_for()
    # Ben learns nothing of all that, neither of the deck nor that it is in.
    ben.wait_for_timeout(300)
    assert log_of(ben) == ["Ada plays second, horizontally."]
    assert "Old faithful" not in ben.content()
    assert "Both players" not in turn(ben).inner_text()  # it is his decision too
    states = [card.get_attribute("data-state") for card in ben.locator(".player").all()]
    assert states == ["running", "running"]

    ben.get_by_role("button", name="Fill up at random").click()
    ben.get_by_role("button", name="Choose this deck").click()
    is_asked(ben)
    hand = ada.locator(".wars-hand__domino input")
    assert hand.count() == 3
    assert {str(each.get_attribute("value")) for each in hand.all()} <= set(DECK)
    assert ben.locator(".wars__side--others .tile--back").count() == 8
    assert new_page.errors == []


def test_turns_with_effects_by_keyboard_and_by_touch(new_page: Pages, site: Site) -> None:
    game, ada, ben = begun(new_page, site)
    watcher = game.open(new_page)
    asked: set[str] = set()
    for number in range(6):
        page, other, keyboard = (ada, ben, True) if number % 2 == 0 else (ben, ada, False)
        page.wait_for_function(
            "() => document.querySelector('[data-part=turn]').dataset.state === 'yours'"
            " || document.querySelector('.wars-notice:not([hidden])')"
        )
        if turn(page).get_attribute("data-state") != "yours":
            break  # skipped because of a 6: told below
        if keyboard:
            play_by_keyboard(page)
        else:
            page.locator(".wars-hand__domino:has(input:not(:disabled))").first.tap()
            page.get_by_role("button", name="Put it here").tap()
            page.locator(".ghost--pinned").wait_for()
            assert "You " in page.locator(".confirm__words").inner_text()
            page.locator(".confirm .button--primary").tap()
        asked |= set(answer_effects(page, keyboard=keyboard))
        # Whoever waits sees neither the sheet nor what was drawn.
        assert not other.locator(".wars-sheet:not([hidden])").count()
        assert_fits(page)
    assert asked, "no effect asked for anything"
    assert not any("drew 0" in line or "drew 1" in line for line in log_of(watcher))
    assert watcher.locator(".wars .tile--back").count() > 0
    assert watcher.locator(".wars-hand:not([hidden])").count() == 0
    assert new_page.errors == []


def test_typed_plays_a_refusal_a_skipped_turn_and_the_replay(new_page: Pages, site: Site) -> None:
    game = players.start(site, WARS)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")

    def type_in(page: Page, text: str) -> None:
        is_asked(page)
        page.get_by_label("Or type your move").fill(text)
        page.get_by_role("button", name="Submit").click()

    type_in(ada, "first")
    sixes = "06 16 26 36 46 56 35 05"
    for page in (ada, ben):
        type_in(page, f"deck {sixes}")
    is_asked(ada)
    hand = [str(e.get_attribute("value")) for e in ada.locator(".wars-hand__domino input").all()]
    with_six = next(name for name in hand if name.endswith("6"))
    type_in(ada, f"{with_six} A1:B1")
    ada.locator("[data-part=note]").get_by_text("You play vertically only").wait_for()
    assert ada.locator(".square--wrong").count() == 2
    type_in(ada, f"{with_six} A1:A2")
    answer_effects(ada, keyboard=True)
    waits(ada)
    is_asked(ben)
    ben.get_by_text("Next turn skipped").first.wait_for()
    # Ben plays, and then plays again: Ada's turn was skipped, and the page says why.
    play_by_keyboard(ben)
    answer_effects(ben, keyboard=True)
    ben.locator(".wars-notice").get_by_text("because of the 6 played before").first.wait_for()

    ada.get_by_role("button", name="Concede").click()
    ada.locator("dialog[open]").get_by_role("button", name="Concede").click()
    ada.locator("#match[data-phase=over]").wait_for()
    ada.get_by_role("link", name="Watch the replay").click()
    ada.locator(".replay .wars--still").wait_for()
    # Both hands are shown to everybody now.
    assert ada.locator(".replay .wars-side").count() == 2
    assert ada.locator(".replay .tile--back").count() == 0
    assert new_page.errors == []


def test_a_domino_twice_and_another_opening_hand(new_page: Pages, site: Site) -> None:
    items = ((0, "domino-repeat"), (0, "hand-mulligan"))
    game = players.start(site, WARS, items=items)
    ada = game.open(new_page, "Ada", viewport={"width": 1000, "height": 900}, color_scheme="dark")
    ben = game.open(new_page, "Ben")
    choose(ada, "Play first", "Play first")
    ada.locator(".deck__card").first.wait_for()
    for domino in DECK[:7]:
        ada.locator(f'.deck__card[data-domino="{domino}"]').click()
    ada.get_by_role("button", name="24 twice").click()
    ada.get_by_text("The deck is complete.").wait_for()
    ada.get_by_role("button", name="Choose this deck").click()
    ben.locator(".deck__card").first.wait_for()
    assert ben.locator(".deck__twice").count() == 0
    ben.get_by_role("button", name="Fill up at random").click()
    ben.get_by_role("button", name="Choose this deck").click()

    ada.get_by_text("You may take another hand 2 more times.").wait_for()
    turn(ben).get_by_text("deciding about the opening hand").wait_for()
    shown = ada.locator(".board-cards .tiles .visually-hidden").all_inner_texts()
    choose(ada, "Take another hand", "Take another")
    ada.get_by_text("You may take another hand once more.").wait_for()
    assert len(shown) == len(ada.locator(".board-cards .tiles .tile").all()) == 3
    choose(ada, "Keep this hand", "Keep it")
    is_asked(ada)
    ada.locator(".wars-hand__domino").first.wait_for()
    assert "Ada puts the hand back for another one." in log_of(ben)
    assert new_page.errors == []
