"""What those have who watch a match: predictions, and the commentary beside the match and its
replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.accessibility import axe
from tests.browser import players
from tests.browser.stage import Stage, course

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

NARROW: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}


def sees(page: Page) -> Page:
    """Bring into sight what is loaded only there."""
    page.locator(".stands").evaluate("each => each.scrollIntoView({ block: 'center' })")
    predictions(page).wait_for()
    return page


@pytest.mark.parametrize("size", [NARROW, {"viewport": {"width": 1440, "height": 900}}])
def test_the_way_to_what_spectators_have_is_in_sight(
    new_page: Pages, site: Site, size: dict[str, Any]
) -> None:
    game = players.start(site, "domain", others=("Cleo",))
    cleo = game.open(new_page, "Cleo", **size)
    assert predictions(cleo).count() == 0
    way = cleo.get_by_role("link", name="Who will win?")
    box = way.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= size["viewport"]["height"]
    assert box["height"] >= 44
    (way.tap if "has_touch" in size else way.click)()
    says(predictions(cleo), "Choose one.")
    cleo.wait_for_function(
        "() => { const shown = document.querySelector('.predictions').getBoundingClientRect();"
        " return shown.top >= 0 && shown.bottom <= innerHeight; }"
    )
    assert new_page.errors == []


def test_predictions_close_while_nothing_happens(new_page: Pages, site: Site) -> None:
    game = players.start(site, "tetronogo")
    begun = course("tetronogo.standard.random", None)[:1]
    stage = Stage(new_page, game, None, begun)
    for number in range(8):
        stage.step(f"did thing {number}")
    stage.settle()
    title = predictions(sees(stage.page)).get_by_role("heading")
    assert title.text_content() == "Who will win?"
    stage.pass_time(60_000)
    stage.settle()
    stage.pass_time(65_000)
    assert title.text_content() == "Predictions"
    assert new_page.errors == []


def predictions(page: Page) -> Locator:
    return page.locator(".predictions")


def commentary(page: Page) -> Locator:
    return page.locator(".commentary")


def says(place: Locator, words: str) -> None:
    """Wait until these words are there."""
    place.filter(has_text=words).wait_for()


def username_of(game: players.Game, page: Page) -> str:
    name: str = page.locator("#match").get_attribute("data-username") or ""
    assert name
    return name


def concede(page: Page) -> None:
    page.get_by_role("button", name="Concede").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Concede").click()
    page.locator("#match[data-phase=over]").wait_for()


def test_a_named_commentator_is_read_by_all_who_watch_and_later_in_the_replay(
    new_page: Pages, site: Site
) -> None:
    game = players.start(site, "tetronogo", others=("Cleo", "Orla"), organiser="Orla")
    cleo = sees(game.open(new_page, "Cleo", **NARROW))
    orla, passer_by = game.open(new_page, "Orla"), sees(game.open(new_page))
    ada = game.open(new_page, "Ada")
    assert commentary(passer_by).is_hidden()
    assert commentary(cleo).is_hidden()

    # By keys alone, and what cannot be is said.
    username = username_of(game, cleo)
    orla.get_by_role("link", name="Name commentators").focus()
    orla.keyboard.press("Enter")
    field = orla.get_by_label("Username")
    field.fill(username_of(game, ada))
    field.press("Enter")
    says(orla.locator("#commentator-why"), "Ada plays in this match.")
    field.fill(username)
    field.press("Enter")
    for page in (orla, passer_by, cleo):
        says(commentary(page), "Commentary by Cleo")
        assert page.get_by_role("link", name="Commentary by Cleo").is_visible()

    ben = game.open(new_page, "Ben")
    for page, move in ((ada, "pick T"), (ben, "pick L")):
        page.locator("#notation-text").fill(move)
        page.locator("#notation-text").press("Enter")
    says(passer_by.locator("[data-part=log]"), "Ben picked L.")
    line = cleo.get_by_label("Comment on the match")
    line.fill("Ada takes her time.")
    line.press("Enter")
    for page in (passer_by, cleo, orla):
        says(commentary(page).locator(".chat__line"), "Ada takes her time.")
    assert passer_by.get_by_label("Comment on the match").is_hidden()
    assert ada.locator(".commentary, .predictions").count() == 0
    assert "Ada takes her time." not in ada.content()

    # Whoever comes later reads it, too; and what is dismissed says nothing more.
    late = sees(game.open(new_page, **NARROW))
    says(commentary(late), "Ada takes her time.")
    orla.get_by_role("button", name="Dismiss Cleo").click()
    line.wait_for(state="hidden")
    examiner = axe.Examiner()
    assert examiner.faults(orla) == []

    concede(ada)
    sees(ada)
    says(commentary(ada), "Ada takes her time.")
    ada.goto(f"{game.address}replay/")
    shown = commentary(ada).locator(".commentary__now")
    says(shown, "Nothing has been said yet.")
    ada.keyboard.press("End")
    says(shown, "Ada takes her time.")
    ada.keyboard.press("Home")
    says(shown, "Nothing has been said yet.")
    ada.get_by_text("All comments").click()
    ada.locator(".commentary__comment").click()
    says(shown, "Ada takes her time.")
    assert ada.url.endswith("?move=2")
    assert examiner.faults(ada) == []
    # The browser says so, too, that the player could not be named.
    assert [each for each in new_page.errors if "409 (Conflict)" not in each] == []


def test_predictions_are_counted_for_all_and_judged_at_the_end(new_page: Pages, site: Site) -> None:
    game = players.start(site, "tetronogo", others=("Cleo", "Mona", "Orla"), organiser="Orla")
    passer_by = sees(game.open(new_page))
    cleo = sees(game.open(new_page, "Cleo", **NARROW))
    mona, orla = sees(game.open(new_page, "Mona")), sees(game.open(new_page, "Orla"))
    ada = game.open(new_page, "Ada")
    says(predictions(passer_by), "Sign in to predict.")
    says(predictions(orla), "Whoever may rule on a match does not predict it.")
    assert predictions(passer_by).locator("button:enabled").count() == 0
    assert ada.locator(".predictions").count() == 0

    predictions(cleo).get_by_role("button", name="Ben").tap()
    says(predictions(cleo), "You say Ben.")
    predictions(mona).get_by_role("button", name="Ada").focus()
    mona.keyboard.press("Enter")
    says(predictions(mona), "You say Ada.")
    for page in (passer_by, cleo, mona):
        says(predictions(page), "50 % · 1")
    predictions(mona).get_by_role("button", name="Ben").click()
    says(predictions(passer_by), "100 % · 2")
    predictions(mona).get_by_role("button", name="Ada").click()
    says(predictions(passer_by), "50 % · 1")
    sizes = (
        predictions(cleo)
        .locator("button")
        .evaluate_all("all => all.map((each) => each.getBoundingClientRect().height)")
    )
    assert min(sizes) >= 44

    concede(ada)
    sees(ada)
    says(predictions(cleo), "1 of 2 were right. You were right.")
    says(predictions(mona), "You were wrong.")
    for page in (passer_by, ada):
        says(predictions(page), "1 of 2")
    cleo.reload()
    sees(cleo)
    says(predictions(cleo), "You were right.")
    cleo.goto(f"/u/{username_of(game, mona)}/")
    assert cleo.get_by_text("Predicted 0 of 1 right.").is_visible()
    assert new_page.errors == []
