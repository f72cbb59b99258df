"""Replays: what scored and why, both hands, controls always in view, and a result that waits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.accessibility import axe

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"
RECORDS = {
    "domain": "domain.standard.strict",
    "domino-black-white": "domino-black-white.standard.points",
    "domino-wars": "domino-wars.standard.random",
    "peg-domain": "peg-domain.gauntlet.points",
    "tetronogo": "tetronogo.standard.random",
}
# What is drawn on the board for a move that scored, and where hands are shown.
DRAWN = {
    "domain": (".domain__taken", ".still-shape:not(.still-shape--gone)"),
    "domino-black-white": (".scored-line", ".still-hand .hand__domino:not(.hand__domino--gone)"),
    "domino-wars": (".won", ".wars-side .tile"),
    "peg-domain": (".won", ".trio__pallet .stud"),
    "tetronogo": (".group", ".still-piece--left"),
}
SIZES = {390: {"width": 390, "height": 844}, 1440: {"width": 1440, "height": 900}}
_IMPORT = """
from pathlib import Path
from uuid import uuid4
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from games.services.matches import record_import
head = User.objects.create_superuser(f"head{{uuid4().hex[:12]}}", password="not asked for")
role_grant(acting_user=head, user=head, role=Role.ORGANISER)
print(record_import(acting_user=head, data=Path({path!r}).read_bytes()).pk)
"""
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""
# The letters of the lines that are drawn for each placement, beside those that were met.
LETTERS = """async () => {
  const { steps } = JSON.parse(document.getElementById("replay-data").textContent);
  const board = await import(document.getElementById("replay").dataset.board);
  return steps.flatMap(({ view, events }) =>
    events
      .filter(({ kind }) => kind === "place")
      .map((event) => {
        const found = new Set(board.linesMet(view.game, event).flatMap((line) => line.letters));
        return [event.data.met, [..."HVDB"].filter((letter) => found.has(letter)).join("")];
      }),
  );
}"""


@pytest.fixture
def replay(site: Site) -> Callable[[str], str]:
    """The address of the replay of a ruleset's recorded match, by its name."""

    def imported(ruleset: str) -> str:
        path = PLAYTHROUGHS / f"{RECORDS[ruleset]}.dmr.json"
        match = site.python(_IMPORT.format(path=str(path))).strip().splitlines()[-1]
        return f"/matches/{match}/replay/"

    return imported


def opened(page: Page, address: str) -> Page:
    """The page once its script has drawn it."""
    page.goto(address)
    page.locator(".replay__buttons button").first.wait_for()
    page.locator("[data-part=moves] [aria-current]").wait_for(state="attached")
    return page


def stand_still(page: Page) -> None:
    """Have time pass on the page only where it is told to, however slow the machine is."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


def a_scoring_move(page: Page) -> int:
    """The number of a late move that took something from the opponent, or scored a letter."""
    steps = json.loads(page.locator("#replay-data").inner_text())["steps"]
    scoring = [
        step["n"]
        for step in steps
        for event in step["events"]
        if event["kind"] in {"place", "play"}
        and (
            event["data"].get("met")
            or event["data"].get("taken")
            or max(event["data"].get("gained", [0])) > 0
            or "rotation" in event["data"]
        )
    ]
    return int(scoring[len(scoring) * 2 // 3])


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("ruleset", RECORDS)
def test_a_replay_says_what_scored(
    new_page: Pages, replay: Callable[[str], str], ruleset: str, width: int
) -> None:
    address = replay(ruleset)
    page = new_page(viewport=SIZES[width])
    page.add_init_script(SHIFTS)
    opened(page, f"{address}?move=0")
    number = a_scoring_move(page)
    opened(page, f"{address}?move={number}")
    lines, hands = DRAWN[ruleset]
    assert page.locator(f".replay__board {lines}").count() > 0
    assert page.locator("[data-part=scored] .scored__sign").count() > 0
    assert page.locator(hands).count() > 0
    page.get_by_role("button", name="Show what scored").click()
    assert page.locator(f".replay__board {lines}").count() == 0
    assert page.locator("[data-part=scored] .scored__sign").count() > 0
    # Wherever the page stands, what plays it is in sight, and a thumb can hit it.
    for down in (0, 10_000):
        page.evaluate("down => scrollTo(0, down)", down)
        for button in page.locator(".replay__controls :is(button, select, input)").all():
            box = button.bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
            assert 0 <= box["y"] <= box["y"] + box["height"] <= SIZES[width]["height"]
            assert box["height"] >= 44
    assert page.evaluate("window.shifted") < 0.05
    faults = axe.Examiner().faults(page)
    assert faults == []
    assert new_page.errors == []


def test_the_lines_of_a_replay_are_those_that_scored(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    page = opened(new_page(), replay("domino-black-white"))
    found = page.evaluate(LETTERS)
    assert len(found) > 10
    assert [met for met, _ in found] == [letters for _, letters in found]


def test_a_replay_plays_as_fast_as_one_wants(new_page: Pages, replay: Callable[[str], str]) -> None:
    address = replay("domino-black-white")
    page = new_page()
    stand_still(page)
    opened(page, f"{address}?move=0")
    count = page.locator(".replay__count")
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(650)
    assert count.inner_text().startswith("2 ")
    page.keyboard.press("-")
    page.clock.run_for(650)
    assert count.inner_text().startswith("3 ")
    page.get_by_role("button", name="Pause").click()
    again = opened(page, f"{address}?move=0")
    assert again.get_by_label("Speed").input_value() == "2"


@pytest.mark.parametrize("ruleset", RECORDS)
def test_a_result_waits_for_the_last_move(
    new_page: Pages, replay: Callable[[str], str], ruleset: str
) -> None:
    address = replay(ruleset)
    page = new_page()
    told = opened(page, address).locator("[data-part=result]").inner_text()
    assert " won " in told
    moves = page.locator("[data-part=moves] li").count()
    source = page.request.get(f"{address}?result=hidden").text()
    assert told not in source
    assert '"winner"' not in source
    opened(page, f"{address}?result=hidden")
    result = page.locator("[data-part=result]")
    assert result.inner_text() == "The result is hidden until the last move."
    assert page.locator("[data-part=moves] li:visible").count() == 1
    assert page.locator(".replay__count").inner_text() == "0"
    page.keyboard.press("ArrowRight")
    assert page.locator("[data-part=moves] li:visible").count() == 2
    assert page.get_by_role("slider", name="Move").get_attribute("max") == "1"
    page.keyboard.press("End")
    assert result.inner_text() == told
    assert page.locator("[data-part=moves] li:visible").count() == moves
    assert new_page.errors == []


def test_a_hidden_result_is_shown_when_it_is_asked_for(
    new_page: Pages, replay: Callable[[str], str]
) -> None:
    address = replay("domino-black-white")
    page = opened(new_page(), address)
    page.get_by_role("link", name="Hide the result").click()
    page.wait_for_url("**?result=hidden")
    # This device remembers it.
    opened(page, address)
    result = page.locator("[data-part=result]")
    assert "hidden" in result.inner_text()
    page.get_by_role("link", name="Show the result").click()
    assert " won " in result.inner_text()
    assert page.locator(".replay__count").inner_text().startswith("0 /")
    assert " won " in opened(page, address).locator("[data-part=result]").inner_text()
    plain = new_page(java_script_enabled=False)
    plain.goto(f"{address}?result=hidden")
    assert "hidden" in plain.locator("[data-part=result]").inner_text()
    plain.get_by_role("link", name="Forward").click()
    assert "hidden" in plain.locator("[data-part=result]").inner_text()
    assert " won " not in plain.content()
    plain.get_by_role("link", name="Result", exact=True).click()
    assert " won " in plain.locator("[data-part=result]").inner_text()
