"""A match on a telephone: all that one plays with in one screen, by touch; and by keys alone.

What is played are recorded matches: at each kind of question the reader answers by hand, which is
what is looked at, and then the match goes on as it was recorded.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.browser import players
from tests.browser.stage import Position, Stage, waiting, whole
from tests.browser.test_layout_shift import ALLOWED, DRAWN, shifted_anew
from tests.browser.test_peg_domain import path_of
from tests.support.depth import at_most

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# By ruleset and variant: a recorded match with every kind of question.
MATCHES = {
    "tetronogo": ("tetronogo", "standard", "tetronogo.standard.random"),
    "domino-black-white": (
        "domino-black-white", "standard", "domino-black-white.standard.points",
    ),
    "domino-wars": ("domino-wars", "standard", "domino-wars.standard.random"),
    "domain": ("domain", "standard", "domain.standard.challenges"),
    "peg-domain.tempo-up": ("peg-domain", "tempo-up", "peg-domain.tempo-up.timeouts"),
    "peg-domain.gauntlet": ("peg-domain", "gauntlet", "peg-domain.gauntlet.points"),
    "peg-domain.final": ("peg-domain", "final", "peg-domain.final.items"),
}  # fmt: skip
TALL: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}
TOUCH: dict[str, Any] = {"is_mobile": True, "has_touch": True}
THUMB = 44  # CSS pixels
OFTEN = at_most(2)  # how often each kind of question is answered by hand

BOARD = ".match__board :is(svg.board, svg[data-board])"
HAND = ".match__board :is(.hand, .wars-hand, .shape-tray)"
CARDS = ":is(.match__board, .board-dock) .board-cards:not([hidden])"
SHEET = ".wars-sheet:not([hidden])"
READY = ".confirm:not([hidden]) .button--primary:not(:disabled)"
# What has to be in one screen, and is not.
MISSING = """(wanted) => wanted.flatMap((name) =>
  [...document.querySelectorAll(name)]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map((each) => [name, each.getBoundingClientRect()])
    .filter(([, { left, top, right, bottom }]) =>
      left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5)
    .map(([name, { left, top, right, bottom }]) => [name, left, top, right, bottom].join(" ")))
  .concat(scrollY > 0 ? [`scrolled by ${scrollY}`] : [])"""
# What in the screen's height can be pressed, and is smaller than a thumb. A card is pressed as a
# whole; squares have the magnifier.
SMALL = """(thumb) => [...document.querySelectorAll(
    ".match__bar button, .match__main :is(button, a, input, summary)"
  )]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled)
  .map((each) => each.closest("label.choice") ?? each)
  .map((each) => [each, each.getBoundingClientRect()])
  .filter(([, { top, bottom }]) => top >= 0 && bottom <= innerHeight)
  .filter(([, { width, height }]) => width < thumb - 0.6 || height < thumb - 0.6)
  .map(([each, { width, height }]) => `${each.outerHTML.slice(0, 120)} ${width}x${height}`)"""
# Whether the bar that confirms lies over what it is about.
COVERED = """([bar, ...others]) => {
  const box = document.querySelector(bar)?.getBoundingClientRect();
  if (!box?.height) return ["there is no bar"];
  return others.flatMap((name) => [...document.querySelectorAll(name)]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map((each) => [name, each.getBoundingClientRect()])
    .filter(([, each]) => each.top < box.bottom - 0.5 && each.bottom > box.top + 0.5)
    .map(([name]) => `over ${name}`));
}"""
# The magnifier while a finger is on the board: is it shown where it can be seen, and not below the
# finger?
LOUPE = """([x, y]) => {
  const glass = document.querySelector(".loupe:not([hidden])");
  if (glass === null) return ["none"];
  const { left, top, right, bottom } = glass.getBoundingClientRect();
  const found = [];
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) found.push("outside");
  if (x > left && x < right && y > top && y < bottom) found.push("below the finger");
  const { length } = glass.querySelectorAll("use");
  if (length === 0) found.push("empty");
  return found;
}"""
# Once nothing fades in any more: until then everything is paler than it is meant to be.
AXE = """async () => {
  const passing = document
    .getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime));
  await Promise.all(passing.map(({ finished }) => finished.catch(() => {})));
  const options = { preload: false, resultTypes: ["violations"] };
  const { violations } = await axe.run(document, options);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
}"""


class Finger:
    """One finger on the glass, as the browser gets it from a device."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.device = page.context.new_cdp_session(page)

    def down(self, x: float, y: float) -> None:
        """Put it down."""
        self._send("touchStart", [{"x": x, "y": y}])

    def move(self, x: float, y: float) -> None:
        """Move it."""
        self._send("touchMove", [{"x": x, "y": y}])

    def up(self) -> None:
        """Take it off."""
        self._send("touchEnd", [])

    def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        self.device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def middle(place: Locator) -> tuple[float, float]:
    """The middle of something on the screen, which may be drawn anew just now."""
    box = None
    while box is None:
        place.wait_for()
        box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def magnified(page: Page, at: tuple[float, float]) -> None:
    """Check that what a finger is on is to be seen."""
    page.evaluate(DRAWN)
    assert page.evaluate(LOUPE, list(at)) == []


def answered_on_cards(page: Page) -> bool:
    """Choose the first of the cards, if the question has any."""
    cards = page.locator(f":is({CARDS}, {SHEET}) label.choice:not([data-disabled])")
    if page.locator(".deck__card").count():
        for card in page.locator(".deck__card").all()[:8]:
            card.tap()
        return True
    if not cards.count():
        return False
    cards.first.tap()
    return True


def place_by_touch(page: Page, finger: Finger) -> None:
    """Bring the piece that is at hand to where it fits, by taps."""
    hand = page.locator(f"{HAND} label:has(input:not(:disabled))")
    if hand.count():
        hand.first.tap()
    small = page.locator(".match__board svg.board [role=gridcell]").first.bounding_box()
    assert small is not None
    for square in page.locator(".match__board svg.board .square--legal").all():
        at = middle(square)
        finger.down(*at)
        if small["width"] < THUMB:
            magnified(page, at)
        finger.up()
        if page.locator(".ghost--pinned").count():
            return
    page.get_by_role("button", name="Put it here").tap()
    page.locator(".ghost--pinned").wait_for()


def cut_by_touch(page: Page, finger: Finger, view: dict[str, Any]) -> None:
    """Draw a cut-out on the own pallet, seen under the magnifier, and lay it on the domain."""
    own = str(page.locator(".trio").get_attribute("data-own"))
    rows = view["game"]["pallets"][["red", "blue"].index(own)]["rows"]
    pallet = page.locator(f"[data-colour={own}]")
    points = [
        middle(pallet.locator(f"[data-square={'ABCDEFGHIJKL'[column]}{row + 1}]"))
        for column, row in path_of(rows)
    ]
    finger.down(*points[0])
    magnified(page, points[0])
    for before, after in pairwise(points):
        finger.move((before[0] + after[0]) / 2, (before[1] + after[1]) / 2)
        finger.move(*after)
    magnified(page, points[-1])
    finger.up()
    assert not page.locator(".loupe:not([hidden])").count()
    page.locator(".trio__domain .ghost").wait_for()
    for square in page.locator(".trio__domain [data-square]").all():
        finger.down(*middle(square))
        finger.up()
        if page.locator(".confirm:not([hidden])").count():
            return
    raise AssertionError("nothing can be laid anywhere")


def lay_by_touch(page: Page, finger: Finger) -> None:
    """Take a shape and push it a little further, seen under the magnifier."""
    page.locator(".shape-tray button:not(:disabled)").first.tap()
    x, y = middle(page.locator(".domain-ghost, .ghost").first)
    finger.down(x, y)
    magnified(page, (x, y))
    finger.move(x + 9, y + 5)
    magnified(page, (x + 9, y + 5))
    finger.up()


def answer(page: Page, finger: Finger, kind: str, position: Position) -> None:
    """Answer what is asked, up to the bar that confirms."""
    if answered_on_cards(page):
        pass
    elif kind == "turn":
        cut_by_touch(page, finger, position.view)
    elif kind == "removal":
        square = page.locator(".board--playing .square--legal").last
        at = middle(square)
        finger.down(*at)
        magnified(page, at)
        finger.up()
    elif kind == "inspection":
        page.locator("button[data-act=ready]:visible, .trio .square--legal").first.tap()
    elif page.locator(".shape-tray:not([hidden])").count():
        lay_by_touch(page, finger)
    else:
        place_by_touch(page, finger)
    page.locator(".confirm:not([hidden])").wait_for()


def in_one_screen(page: Page, kind: str) -> None:
    """Check that all that is played with is to be seen at once, and can be hit."""
    # The shapes to be taken are the board then, and decks are longer than any screen.
    wanted = [".match__bar", ".match__turn", ".player .clock__time", ".player .player__score"]
    wanted += [".match__menu", ".plan__toggle", BOARD]
    if not page.locator(f"{CARDS}, {SHEET}").count():
        wanted.append(HAND)
    elif kind != "deck":
        wanted += [CARDS, SHEET]
    assert page.evaluate(MISSING, wanted) == []
    assert page.evaluate(SMALL, THUMB) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not page.locator(".site-header, .site-footer").first.is_visible()


def asked(position: Position, seat: int) -> str | None:
    """The kind of what a seat is asked, if it is asked anything."""
    for each in position.view["decisions"]:
        if each["seat"] == seat and each.get("sealed") is None:
            return str(each["kind"])
    return None


def acknowledged(stage: Stage, *, number: int) -> None:
    """Have the server say that it has what was confirmed last, which is so many moves in all."""
    # What a page says again, whose connection a slow machine has cost it, is said once.
    frames = {each["id"]: each for each in stage.sent if each["type"] == "submit"}
    assert len(frames) == number
    *_, frame = frames.values()
    keys = ("version", "at")
    stage.say({"type": "ack", "id": frame["id"], **{key: stage.state[key] for key in keys}})


@pytest.mark.parametrize("match", MATCHES)
def test_a_match_by_touch_in_one_screen(new_page: Pages, site: Site, match: str) -> None:
    ruleset, variant, name = MATCHES[match]
    game = players.start(site, ruleset, variant=variant)
    options = {"clock": False, "idle": True, **TOUCH, **TALL}
    stage = Stage(new_page, game, "Ada", [waiting(name)], **options)
    page = stage.page
    finger = Finger(page)
    page.evaluate(AXE_SCRIPT)
    seen: Counter[str] = Counter()
    moved: list[Any] = []
    missed: list[Position] = []
    confirmed = 0
    for position in whole(name, 0):
        kind = asked(position, 0)
        if kind is None or seen[kind] >= OFTEN:
            missed.append(position)
            continue
        if missed:
            stage.catch_up(missed)
            shifted_anew(stage)
            missed = []
        stage.play(position)
        total, worst = shifted_anew(stage)
        if total >= ALLOWED:
            moved.append((kind, total, worst))
        seen[kind] += 1
        in_one_screen(page, kind)
        if seen[kind] == 1:
            assert page.evaluate(AXE) == [], kind
        answer(page, finger, kind, position)
        assert page.evaluate(MISSING, [".confirm"]) == [], kind
        in_one_screen(page, kind)
        if kind != "deck":
            about = [BOARD, HAND] if not page.locator(SHEET).count() else [SHEET]
            if page.locator(CARDS).count():
                about = [CARDS]
            about.append(".plan__toggle")
            assert page.evaluate(COVERED, [".confirm", *about]) == [], kind
        if page.locator(READY).count():
            page.locator(READY).tap()
            stage.settle()
            confirmed += 1
            acknowledged(stage, number=confirmed)
        else:
            page.locator(".confirm").get_by_role("button", name="Cancel").tap()
    assert seen
    assert moved == []
    assert new_page.errors == []


def tab_to(page: Page, selector: str, *, back: bool = False) -> None:
    """Go to one of these by the tab key."""
    for _ in range(200):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate("name => document.activeElement?.matches(name) ?? false", selector):
            return
    raise AssertionError(f"{selector} cannot be reached")


def cut_by_keys(page: Page, view: dict[str, Any]) -> None:
    """Cut from the own pallet and lay it on the domain."""
    own = str(page.locator(".trio").get_attribute("data-own"))
    rows = view["game"]["pallets"][["red", "blue"].index(own)]["rows"]
    path = path_of(rows)
    tab_to(page, f"[data-colour={own}] [role=gridcell]")
    here = page.evaluate("document.activeElement.dataset.square")
    column, row = "ABCDEFGHIJKL".index(here[0]), int(here[1:]) - 1
    across, down = path[0][0] - column, path[0][1] - row
    for key, steps in (("Left", -across), ("Right", across), ("Up", -down), ("Down", down)):
        for _ in range(max(0, steps)):
            page.keyboard.press(f"Arrow{key}")
    page.keyboard.press("Enter")
    keys = {(0, -1): "ArrowUp", (1, 0): "ArrowRight", (0, 1): "ArrowDown", (-1, 0): "ArrowLeft"}
    for before, after in pairwise(path):
        page.keyboard.press(keys[after[0] - before[0], after[1] - before[1]])
    page.locator(".trio__domain .ghost").wait_for()
    for _ in range(4):
        page.keyboard.press("n")
        if page.locator(".ghost--legal, .ghost--pinned").count():
            break
        page.keyboard.press("r")
    if not page.locator(READY).count():
        page.keyboard.press("Enter")


def name_by_keys(page: Page, kind: str) -> None:
    """Say that nothing is to be removed, or that one is ready, once a peg to be added is named."""
    button = f"button[data-act={'keep' if kind == 'removal' else 'ready'}]"
    if page.locator(f"{button}:visible").count():
        tab_to(page, button)
    else:
        tab_to(page, ".trio__pallet [role=gridcell]")
        while not page.locator(".square--legal:focus").count():
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    tab_to(page, READY)


def answer_by_keys(page: Page, kind: str, position: Position) -> None:
    """Answer what is asked, and confirm it."""
    if page.locator(".deck__card").count():
        for _ in range(8):
            tab_to(page, ".deck__card:not(:disabled, [aria-pressed=true])")
            page.keyboard.press("Enter")
        tab_to(page, READY)
    elif page.locator(f":is({CARDS}, {SHEET}) label.choice").count():
        tab_to(page, f":is({CARDS}, {SHEET}) input")
        page.keyboard.press("Space")
    elif kind == "turn":
        cut_by_keys(page, position.view)
    elif kind in ("removal", "inspection"):
        name_by_keys(page, kind)
    elif page.locator(".shape-tray:not([hidden])").count():
        tab_to(page, ".shape-tray button")
        page.keyboard.press("Enter")
        page.locator(".ghost").wait_for()
        page.keyboard.press("ArrowRight")
    else:
        if page.locator(f"{HAND} input:not(:disabled)").count():
            tab_to(page, f"{HAND} input")
            page.keyboard.press("Space")
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        page.locator(".ghost--pinned").wait_for()
        if page.locator(".confirm__extra:not([hidden]) button").count():
            page.keyboard.press("h")
    page.locator(READY).wait_for()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("match", MATCHES)
def test_a_match_by_keys_alone(new_page: Pages, site: Site, match: str) -> None:
    ruleset, variant, name = MATCHES[match]
    game = players.start(site, ruleset, variant=variant)
    wide: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
    stage = Stage(new_page, game, "Ada", [waiting(name)], clock=False, idle=True, **wide)
    seen: Counter[str] = Counter()
    answered: set[str] = set()  # in the final a turn goes on while the other one is asked, too
    missed: list[Position] = []
    for position in whole(name, 0):
        kind = asked(position, 0)
        question = [each["id"] for each in position.view["decisions"] if each["seat"] == 0], kind
        if kind is None or seen[kind] >= OFTEN or str(question) in answered:
            missed.append(position)
            continue
        if missed:
            stage.catch_up(missed)
            missed = []
        stage.play(position)
        stage.settle()
        seen[kind] += 1
        answered.add(str(question))
        answer_by_keys(stage.page, kind, position)
        stage.settle()
        acknowledged(stage, number=seen.total())
    assert seen
    assert new_page.errors == []


def test_the_site_comes_with_one_button(new_page: Pages, site: Site) -> None:
    """Navigation and tools lie over the page, which stays where it is."""
    game = players.start(site, "tetronogo")
    page = game.open(new_page, "Ada", **TOUCH, **TALL)
    button = page.get_by_role("button", name="Menu")
    header, tools = page.locator(".site-header"), page.locator(".match__tools")
    board = page.locator("svg.board")
    place = middle(board)
    assert not header.is_visible()
    assert not tools.is_visible()
    assert "Ada" in str(page.locator("h1").text_content())  # for screen readers
    button.tap()
    assert button.get_attribute("aria-expanded") == "true"
    header.get_by_role("link", name="Lobby").wait_for()
    page.get_by_role("button", name="Concede").wait_for()
    assert middle(board) == place
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(AXE) == []
    page.keyboard.press("Escape")
    assert not header.is_visible()
    assert page.evaluate("document.activeElement.dataset.part") == "menu"
    button.tap()
    page.touchscreen.tap(*place)
    assert not tools.is_visible()
    # Whoever only watches has come by the site's navigation, and keeps it.
    assert game.open(new_page, **TOUCH, **TALL).locator(".site-header").is_visible()
    assert new_page.errors == []


PULSES = """
  window.pulses = [];
  Object.defineProperty(Navigator.prototype, "vibrate", {
    configurable: true, value: (pulse) => { window.pulses.push(pulse.length); return true; },
  });
"""


def test_pulses_in_the_hand(new_page: Pages, site: Site) -> None:
    """That it is one's turn, that a piece lies, a refusal and a reminder can be felt."""
    game = players.start(site, "tetronogo")
    played = whole("tetronogo.standard.random", 0)
    number, position = next(
        (number, each) for number, each in enumerate(played) if asked(each, 0) == "place"
    )
    options = {"clock": False, "idle": True, **TOUCH, **TALL}
    stage = Stage(new_page, game, "Ada", played[:number], **options)
    page = stage.page
    page.evaluate(PULSES)
    stage.play(position)
    stage.settle()
    assert page.evaluate("pulses.splice(0)") == [3]
    place_by_touch(page, Finger(page))
    assert page.evaluate("pulses.splice(0)") == [1]
    stage.say({"type": "reminder", "at": 0, "seat": 0, "kind": "turn", "left": 15_000})
    stage.settle()
    assert page.evaluate("pulses.splice(0)") == [5]
    page.locator(READY).tap()
    stage.settle()
    frame = next(each for each in reversed(stage.sent) if each["type"] == "submit")
    refusal = {"code": "placement.taken", "sentence": "Taken.", "squares": []}
    stage.say({"type": "refused", "id": frame["id"], **refusal})
    stage.settle()
    assert page.evaluate("pulses.splice(0)")[0] == 1
    note = page.locator("[data-part=note]")
    assert page.evaluate(MISSING, ["[data-part=note]"]) == []
    note.get_by_role("button", name="Put away").tap()
    assert not note.is_visible()
    later = next(each for each in played[number + 1 :] if asked(each, 0) is None)
    stage.play(later)
    stage.settle()
    page.evaluate("pulses.splice(0)")
    stage.play(position)
    stage.settle()
    assert page.evaluate("pulses.splice(0)") == [3]
    # It is switched off beside the sound, on this device, and less motion is less of this, too.
    page.get_by_role("button", name="Menu").tap()
    switch = page.get_by_role("button", name="Vibration")
    assert switch.get_attribute("aria-pressed") == "true"
    switch.tap()
    assert switch.get_attribute("aria-pressed") == "false"
    assert page.evaluate("pulses.splice(0)") == []
    assert page.evaluate("localStorage.getItem('gauntlet.haptics')") == "off"
    switch.tap()
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("pulses.splice(0)")
    stage.say({"type": "reminder", "at": 0, "seat": 0, "kind": "turn", "left": 15_000})
    stage.settle()
    assert page.evaluate("pulses") == []
    assert new_page.errors == []
