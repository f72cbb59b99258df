"""What stays at the screen's edges lies over nothing that is read or pressed.

The bar with the clocks, the line below it and the notices that stand for it, the bar that confirms,
the cards to choose from and what opens the plan: what is brought into sight is below none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import players
from tests.browser.stage import Position, Stage, whole
from tests.browser.test_layout_shift import DRAWN
from tests.browser.test_phone import HAND, MATCHES, TALL, TOUCH, Finger, answer, asked

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# What is pressed and, focused from above and from below, lies in its middle below something that
# stays where it is; and what is read, in the middle of the screen or as near it as the page goes.
UNDER = """() => {
  const stays = (each) => ["sticky", "fixed"].includes(getComputedStyle(each).position);
  const bars = [...document.querySelectorAll("body *:not(svg *)")].filter(stays);
  const reads = (each) =>
    [...each.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim());
  const what = (each) => `${each.tagName}.${each.className} ${each.textContent.slice(0, 40)}`;
  const wanted = [...document.querySelectorAll("#match *:not(svg *, option, .log *, [role=log] *)")]
    .filter((each) =>
      each.matches("a, button, input, summary, textarea, label, svg") || reads(each))
    .filter((each) => each.closest(".visually-hidden, .match__head") === null)
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const found = new Set();
  const to = (top) => scrollTo({ top, behavior: "instant" });
  const { scrollHeight } = document.documentElement;
  for (const each of wanted) {
    for (const from of [0, scrollHeight]) {
      document.activeElement?.blur();
      to(from);
      each.focus?.();
      if (document.activeElement !== each) {
        each.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      }
      const { left, top, width, height } = each.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      const bar = bars.find((one) => one.contains(hit) && !one.contains(each));
      if (width > 1 && height > 1 && bar) found.add(`${what(each)} is below ${what(bar)}`);
    }
  }
  document.activeElement?.blur();
  to(0);
  return [...found];
}"""
# Of these, what is not seen whole, or has something else in its middle.
HIDDEN = """(wanted) => wanted.flatMap((name) => [...document.querySelectorAll(name)]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top < -0.5 || bottom > innerHeight + 0.5 || !(each.contains(hit) || hit?.contains(each));
  })
  .map((each) => `${name}: ${each.textContent.trim().slice(0, 40)}`))"""
# Of a row, what goes beyond it or the screen, or has more in it than it shows.
OVERFLOWS = """(row) => [...row.querySelectorAll("*:not(svg *)")]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const { right, bottom } = each.getBoundingClientRect();
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = each;
    const hidden = scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
    return right > innerWidth || bottom > innerHeight
      || (getComputedStyle(each).clipPath === "none" && each.clientWidth > 0 && hidden);
  })
  .map((each) => `${each.className}: ${each.textContent.trim()}`)"""
ALWAYS = [".clock__time", ".player__score", ".match__menu", ".plan__toggle"]
# The least that lies in one screen with the tools of the plan as well.
PLANNING = {"domino-black-white": [f"{HAND} label"], "domino-wars": [f"{HAND} label"]}
WIDE: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}


def moments(name: str) -> dict[Any, Position]:
    """A recorded match by its part and what is asked in it: the first position of each."""
    found: dict[Any, Position] = {}
    for position in whole(name, 0):
        if position.view["phase"] != "over":
            key = (position.view["game"]["phase"], asked(position, 0))
            found.setdefault(key, position)
    return found


def clear(page: Page, *also: str) -> None:
    """Check that nothing is covered wherever the page stands, and at its begin none of these."""
    page.evaluate(DRAWN)
    assert page.evaluate(UNDER) == []
    page.evaluate(DRAWN)
    assert page.evaluate(HIDDEN, [*ALWAYS, *also]) == []


@pytest.mark.parametrize("match", MATCHES)
def test_nothing_is_below_what_stays(
    new_page: Pages, site: Site, match: str, subtests: pytest.Subtests
) -> None:
    ruleset, variant, name = MATCHES[match]
    game = players.start(site, ruleset, variant=variant)
    places = moments(name)
    first = next(iter(places.values()))
    stage = Stage(new_page, game, "Ada", [first], clock=False, **TOUCH, **TALL)
    page, toggle = stage.page, stage.page.locator(".plan__toggle")
    for (part, kind), position in places.items():
        stage.sync(**position.view)
        stage.settle()
        with subtests.test("in play", part=part, kind=kind):
            clear(page, ".match__turn")
        with subtests.test("while the connection is lost", part=part, kind=kind):
            stage.reachable = False
            stage.sockets[-1].close(code=1011)
            page.locator("#match[data-connection=lost]").wait_for()
            clear(page, ".match__connection", ".match__connection button")
            stage.reachable = True
            page.locator("#match[data-connection=live]").wait_for()
            stage.settle()
        ahead = page.locator(".plan__ahead")
        if ahead.is_visible():
            with subtests.test("while one answers in advance", part=part, kind=kind):
                ahead.tap()
                clear(page, ".board-dock .choices__legend", ".board-dock .choice")
                ahead.tap()
        with subtests.test("while one plans", part=part, kind=kind):
            toggle.tap()
            clear(page, *PLANNING.get(match, []))
            toggle.tap()
        if kind is None:
            continue
        with subtests.test("a choice", part=part, kind=kind):
            answer(page, Finger(page), kind, position)
            clear(page, ".confirm button")
            page.locator(".confirm").get_by_role("button", name="Cancel").tap()
    assert [each for each in new_page.errors if "net::" not in each] == []


def test_the_row_of_the_plan_fits_beside_the_way_to_the_next_match(
    new_page: Pages, site: Site
) -> None:
    game = players.start(site, "tetronogo")
    here = next(
        each
        for (part, kind), each in moments("tetronogo.standard.random").items()
        if part == "starter" and kind is None
    )
    stage = Stage(new_page, game, "Ada", [here], clock=False, **TOUCH, **TALL)
    page = stage.page
    row = page.locator(".plan__row")
    row.locator("[data-next-match]").evaluate("(link) => { link.hidden = false; }")

    def fits() -> None:
        page.evaluate(DRAWN)
        assert row.evaluate(OVERFLOWS) == []

    fits()
    page.locator(".plan__ahead").tap()
    fits()
    page.locator(".board-dock label.choice:not([data-disabled])").first.tap()
    page.locator(".confirm").get_by_role("button", name="Send it when asked").tap()
    page.locator(".plan__held").wait_for()
    fits()
    assert "asked: pick " in page.locator(".plan__held p").inner_text()


def test_a_refusal_stands_for_the_line_below_the_clocks(new_page: Pages, site: Site) -> None:
    game = players.start(site, "domino-wars")
    here = moments("domino-wars.standard.random")["play", "play"]
    stage = Stage(new_page, game, "Ada", [here], clock=False, **TOUCH, **TALL)
    page = stage.page
    before = page.locator("svg.board").bounding_box()
    field = page.locator("#notation-text")
    field.fill("Z9 0")
    field.press("Enter")
    stage.settle()
    sent = next(frame for frame in reversed(stage.sent) if frame["type"] == "submit")
    sentence = "There is no such square. " * 9
    refusal = {"code": "notation.square", "sentence": sentence, "squares": []}
    stage.say({"type": "refused", "id": sent["id"], **refusal})
    page.locator(".match__note").wait_for()
    stage.settle()
    clear(page, ".match__note", ".match__note button", HAND)
    assert page.locator("svg.board").bounding_box() == before


@pytest.mark.parametrize("match", MATCHES)
def test_the_plan_opens_without_scrolling(new_page: Pages, site: Site, match: str) -> None:
    ruleset, variant, name = MATCHES[match]
    game = players.start(site, ruleset, variant=variant)
    places = moments(name)
    stage = Stage(new_page, game, "Ada", [next(iter(places.values()))], clock=False, **WIDE)
    found = {}
    for key, position in places.items():
        stage.sync(**position.view)
        stage.settle()
        stage.page.evaluate(DRAWN)
        found[key] = stage.page.evaluate(HIDDEN, [".plan__toggle"])
    assert {key: hidden for key, hidden in found.items() if hidden} == {}


# A page is told of a scroll only with the next frame: what comes before it finds it scrolled, too.
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("top", [0, 400, 900])
def test_nothing_is_kept_free_for_what_was_chosen_from(
    new_page: Pages, site: Site, top: int, told: bool
) -> None:
    """Whoever looks at the shapes while the last of them is taken has the domains before them then,
    and right below them what is laid on them."""
    game = players.start(site, "domain")
    places = moments(MATCHES["domain"][2])
    drafting = next(each for (part, _), each in places.items() if part == "draft")
    placing = next(each for (part, kind), each in places.items() if part == "place")
    stage = Stage(new_page, game, "Ada", [drafting], clock=False, **TOUCH, **TALL)
    page = stage.page
    stage.settle()
    if not told:
        page.evaluate("addEventListener('scroll', (e) => e.stopImmediatePropagation(), true)")
    page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", top)
    stage.sync(**placing.view)
    stage.settle()
    assert page.evaluate(HIDDEN, [".domain:first-child svg"]) == []
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.wait_for_function(
        """() => {
          const bottom = (name) => document.querySelector(name).getBoundingClientRect().bottom;
          return bottom(".match__board") - bottom(".domains") < innerHeight / 2;
        }"""
    )
