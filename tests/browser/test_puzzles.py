"""A newcomer without an account solves a puzzle of each game, on a phone and on a wide screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from games.rulesets import REGISTRY
from tests.accessibility import axe
from tests.browser.test_phone import TALL, TOUCH

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
SMALL: dict[str, Any] = {"viewport": {"width": 320, "height": 640}, **TOUCH}
SIZES = pytest.mark.parametrize("size", [WIDE, {**TOUCH, **TALL}], ids=["wide", "phone"])
GAMES = pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
FITS = "document.documentElement.scrollWidth <= innerWidth"
SEEN = """(name) => {
  const box = document.querySelector(name).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight + 1;
}"""
VERDICT = ".puzzle__verdict:not([hidden])"


def loaded(site: Site) -> None:
    site.hand.call("games.puzzles.services:puzzles_load")


def opened(page: Page, site: Site, ruleset: str, nth: int = 0) -> tuple[str, str]:
    """A puzzle of the game, on its page; its solution, and a wrong answer."""
    loaded(site)
    puzzle, *answers = site.hand.call("tests.browser.test_puzzles:known", ruleset=ruleset, nth=nth)
    page.goto(f"{site.base_url}/puzzles/{puzzle}/")
    page.locator("#puzzle[data-ready]").wait_for()
    right, wrong = answers
    return right, wrong


def known(ruleset: str, nth: int) -> list[Any]:
    """Called within the site: a puzzle's number, its solution, and an answer that is not right."""
    from games.models import Puzzle
    from tests.games.test_puzzles import wrong_answer

    row = Puzzle.objects.filter(ruleset=ruleset).order_by("pk")[nth]
    return [row.pk, row.solution, wrong_answer(row)]


def answered(page: Page, text: str) -> None:
    """Bring an answer to the board, and confirm it there."""
    page.get_by_label("Or type your answer").fill(text)
    page.get_by_role("button", name="Show it on the board").click()
    page.locator(".confirm:not([hidden]) .button--primary:enabled").first.click()
    page.locator(VERDICT).wait_for()


@SIZES
@GAMES
def test_a_guest_solves_a_puzzle(
    new_page: Pages, site: Site, ruleset: str, size: dict[str, Any]
) -> None:
    page = new_page(**size)
    solution, _ = opened(page, site, ruleset)
    examiner = axe.Examiner()
    assert examiner.faults(page) == []
    assert page.evaluate(FITS)
    answered(page, solution)
    assert page.locator(".puzzle__title").text_content() == "Right!"
    assert page.locator(".puzzle__verdict[data-right]").count() == 1
    assert "Your puzzle rating: " in (page.locator(VERDICT).text_content() or "")
    # What is said of the answer does not repeat it: a long one fills a phone's screen.
    assert solution not in (page.locator(f"{VERDICT} > p").first.text_content() or "")
    assert page.evaluate(SEEN, VERDICT)
    assert examiner.faults(page) == []
    assert page.evaluate(FITS)
    # Back to the question, and on to the answer.
    page.get_by_role("button", name="Back", exact=True).click()
    assert page.locator(".puzzle__step").text_content() == "The question."
    page.get_by_role("button", name="Forward", exact=True).click()
    assert (page.locator(".puzzle__step").text_content() or "").startswith("1 of ")
    page.get_by_role("link", name="Next puzzle").click()
    page.locator("#puzzle[data-ready]").wait_for()
    assert new_page.errors == []


@GAMES
def test_what_is_typed_in_another_way_is_shown_and_never_sent_at_once(
    new_page: Pages, site: Site, ruleset: str
) -> None:
    page = new_page(**WIDE)
    solution, _ = opened(page, site, ruleset)
    field = page.get_by_label("Or type your answer")
    show = page.get_by_role("button", name="Show it on the board")
    note = page.locator("[data-part=note]")
    field.fill("nonsense")
    show.click()
    note.filter(has_text="once more").wait_for()
    assert page.locator(VERDICT).count() == 0
    field.fill(solution.lower().replace(" ", "  "))
    show.click()
    page.locator(".confirm:not([hidden]) .button--primary:enabled").first.wait_for()
    assert page.locator(VERDICT).count() == 0
    assert not note.is_visible()
    field.fill("more nonsense")
    show.click()
    show.click()  # now it is sent, and refused
    note.filter(has_not_text="once more").wait_for()
    assert page.locator(VERDICT).count() == 0
    assert [each for each in new_page.errors if "409 (Conflict)" not in each] == []


def test_from_the_front_door_to_the_daily_one_and_its_solution(new_page: Pages, site: Site) -> None:
    loaded(site)
    page = new_page(**TOUCH, **TALL)
    page.goto(f"{site.base_url}/")
    page.get_by_role("link", name="Solve it").tap()
    page.locator("#puzzle[data-ready]").wait_for()
    page.get_by_role("button", name="Show the solution").tap()
    dialog = page.get_by_role("dialog")
    assert "counts as a wrong answer" in (dialog.text_content() or "")
    dialog.get_by_role("button", name="Go on looking").tap()
    assert page.locator(VERDICT).count() == 0
    page.get_by_role("button", name="Show the solution").tap()
    dialog.get_by_role("button", name="Show it").tap()
    page.locator(VERDICT).wait_for()
    assert page.locator(".puzzle__title").text_content() == "The solution."
    assert page.evaluate(SEEN, VERDICT)
    assert new_page.errors == []


def test_a_wrong_answer_is_told_why_and_may_be_mended(new_page: Pages, site: Site) -> None:
    page = new_page(**WIDE)
    right, wrong = opened(page, site, "tetronogo")
    answered(page, wrong)
    assert page.locator(".puzzle__title").text_content() == "Not right."
    assert "(\u2212" in (page.locator(VERDICT).text_content() or "")
    page.get_by_role("button", name="Try again").click()
    answered(page, right)
    assert page.locator(".puzzle__title").text_content() == "Right!"
    assert "Only a first answer counts." in (page.locator(VERDICT).text_content() or "")
    assert new_page.errors == []


@GAMES
def test_nothing_scrolls_sideways_on_a_small_screen(
    new_page: Pages, site: Site, ruleset: str
) -> None:
    page = new_page(**SMALL)
    opened(page, site, ruleset)
    assert page.evaluate(FITS)
    page.goto(f"{site.base_url}/puzzles/")
    assert page.evaluate(FITS)
