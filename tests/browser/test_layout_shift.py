"""Nothing moves by itself on the page of a match: its layout shift, as browsers measure it.

Counted is every shift that the reader has not caused in the half second before, and every one of
the board itself, whoever has caused it: there may be a finger on it.

A usual run has every ruleset, question, seat, width and place on the page, but not each beside all
others, and every change from one question to another only so often.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import players
from tests.browser.stage import Position, Stage, conceded, course, waiting, whole
from tests.support.depth import at_most, covering, some

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from games.engine.decisions import Seat
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

ALLOWED = 0.05
# A shift is told of once the frame after it has been drawn.
DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50)))"
# What moves right after a window got its size counts as if the reader had caused it. Milliseconds.
OPENED = 700
# How far down the page is, by width: at its begin, in the middle, and at its end.
END = 1_000_000
SCROLLED = {1440: (0, 300), 390: (0, 400, END)}
SCROLL = "down => scrollTo(0, down)"
# What can be pressed is to be seen whole.
OUTSIDE = """() => [...document.querySelectorAll("#match :is(a, button)")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    return left < 0 || right > document.documentElement.clientWidth;
  })
  .map((each) => each.outerHTML)"""
# While the board can be seen, so can the bar with which a choice is confirmed, beside the piece.
BAR_IN_SIGHT = """() => {
  const box = (each) => document.querySelector(each)?.getBoundingClientRect();
  const board = box("svg.board, svg.domain__svg");
  const bar = box(".confirm");
  const piece = box(".match__board .ghost");
  if (!bar.height) return [];
  if (board.bottom < 0 || board.top > innerHeight - bar.height) return [];
  const found = [];
  if (bar.top < 0 || bar.bottom > innerHeight) found.push("outside");
  if (bar.left < 0 || bar.right > document.documentElement.clientWidth) found.push("too wide");
  const above = piece && piece.top >= bar.height && piece.bottom <= innerHeight;
  const below = piece && piece.top >= 0 && piece.bottom <= innerHeight - bar.height;
  const covers = piece && piece.bottom > bar.top && piece.top < bar.bottom;
  if ((above || below) && covers) found.push("covers the piece");
  return found;
}"""
# By ruleset: a recorded match, its variant, and the kind of decision in which a piece is put down.
MATCHES = {
    "tetronogo": ("tetronogo.standard.random", "standard", "place"),
    "domino-black-white": ("domino-black-white.standard.points", "standard", "place"),
    "domino-wars": ("domino-wars.standard.random", "standard", "play"),
    "peg-domain": ("peg-domain.gauntlet.points", "gauntlet", "turn"),
    "domain": ("domain.standard.challenges", "standard", "place"),
}
# The same, with all that may be asked.
WHOLE = {**MATCHES, "peg-domain": ("peg-domain.final.items", "final", "turn")}
WIDTHS: dict[int, dict[str, Any]] = {
    1440: {"viewport": {"width": 1440, "height": 900}},
    390: {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
# Screens between the two.
ALSO: dict[int, dict[str, Any]] = {
    820: {"viewport": {"width": 820, "height": 1180}, "is_mobile": True, "has_touch": True},
    1366: {"viewport": {"width": 1366, "height": 768}},
}
# What a page may grow by, in pixels, over all questions of a kind: a row of a hand, another line.
ROWS = 160
# How often it is looked at how one question takes the place of another.
OFTEN = at_most(2)
# Who reads a match to its end: the width, the seat, and how far down the page is.
READERS = ((390, 1, 400), (1440, 1, 300), (390, 0, 0), (390, 1, END), (1440, 0, 0))
# And between the board and the chat.
BETWEEN = [(390, seat, down, ruleset) for seat, down in ((1, 1_100), (0, 900)) for ruleset in WHOLE]
BETWEEN += [
    (width, seat, down, ruleset)
    for width, seat, down in ((820, 1, 0), (1366, 0, 300), (820, 0, 1_000), (1366, 1, 0))
    for ruleset in WHOLE
]


def put_down(page: Page, ruleset: str) -> None:
    """Put a piece down by keys, so that it waits to be confirmed."""
    if ruleset == "domain":
        page.locator(".shape-tray button:not(:disabled)").first.focus()
        page.keyboard.press("Enter")
        page.locator(".ghost").wait_for()
        return
    if ruleset == "peg-domain":
        own = page.locator(".trio").get_attribute("data-own")
        page.locator(f"[data-colour={own}] [data-square][aria-label*=', a peg']").first.focus()
        page.keyboard.press("Enter")
        page.locator(".cutting").wait_for(state="attached")
        return
    hand = page.locator(".hand input:not(:disabled), .wars-hand input:not(:disabled)")
    if hand.count():
        hand.first.focus()
        page.keyboard.press("Space")
    else:
        page.locator(".board [tabindex='0']").focus()
    while not page.locator(".ghost--legal").count():
        page.keyboard.press("n")
        if not page.locator(".ghost--legal").count():
            page.keyboard.press("r")
    page.keyboard.press("Enter")
    page.locator(".ghost--pinned").wait_for()


def board(page: Page) -> str:
    """Where the board is and how large."""
    return str(
        page.evaluate(
            """() => {
                const board = document.querySelector("svg.board, svg.domain__svg");
                const {x, y, width, height} = board.getBoundingClientRect();
                return [x + scrollX, y + scrollY, width, height].map(Math.round).join();
            }"""
        )
    )


def shifted(page: Page) -> tuple[float, Any]:
    """How much has moved, and what has most of all."""
    shifts = [
        shift
        for shift in page.evaluate("seen.shifts")
        if not shift["input"] or any(each["board"] for each in shift["moved"])
    ]
    worst = max(shifts, key=lambda shift: float(shift["value"]), default=None)
    return sum(shift["value"] for shift in shifts), worst


def shifted_anew(stage: Stage) -> tuple[float, Any]:
    """The same, since it was asked last."""
    stage.settle()
    stage.page.evaluate(DRAWN)
    found = shifted(stage.page)
    stage.page.evaluate("seen.shifts = []")
    return found


@pytest.mark.parametrize(("width", "ruleset"), covering(WIDTHS, MATCHES))
def test_nothing_moves_by_itself(new_page: Pages, site: Site, width: int, ruleset: str) -> None:
    name, variant, kind = MATCHES[ruleset]
    game = players.start(site, ruleset, variant=variant)
    played = course(name)
    here = next(
        number
        for number, each in enumerate(played)
        if number > len(played) // 3 and each.asks(0, kind) and not each.asks(1)
    )
    options = WIDTHS[width]
    stage = Stage(new_page, game, "Ada", played[: here + 1], clock=False, **options)
    play(stage, ruleset, played[here + 1 :])
    assert new_page.errors == []


def in_sight(page: Page) -> None:
    """Check that a choice can be confirmed wherever a low window stands on the board."""
    noted, size = page.evaluate("[seen.shifts, scrollY]"), page.viewport_size
    assert size is not None
    page.set_viewport_size({**size, "height": 500})
    for down in range(0, 1_000, 100):
        page.evaluate(SCROLL, down)
        page.evaluate(DRAWN)
        assert page.evaluate(BAR_IN_SIGHT) == [], down
    page.set_viewport_size(size)
    page.evaluate(SCROLL, noted[1])
    page.evaluate(DRAWN)
    page.evaluate("shifts => { seen.shifts = shifts; }", noted[0])


def play(stage: Stage, ruleset: str, rest: Any) -> None:
    """A piece of play with everything that can come in between; check that nothing moves."""
    page = stage.page
    place = board(page)

    def still(what: str) -> None:
        stage.settle()
        assert board(page) == place, what

    stage.say({"type": "reminder", "at": 0, "seat": 0, "kind": "turn", "left": 15_000})
    still("a reminder")
    stage.say({"type": "presence", "seats": [True, False], "spectators": 12})
    still("the opponent has gone")
    stage.say({"type": "error", "code": "rate.frames", "sentence": "Slower, please."})
    still("a note in the corner")
    message = {"id": 5, "at": 1, "name": "Ben", "username": "ben", "seat": 1, "text": "Hello"}
    stage.say({"type": "chat", "room": "players", "message": message})
    still("a message")
    before = page.evaluate("scrollY")
    put_down(page, ruleset)
    still("a piece that was put down")
    if ruleset == "tetronogo":  # elsewhere the hand is reached first
        assert page.evaluate("scrollY") == before
    in_sight(page)
    field = page.locator("#notation-text")
    field.fill("Z9 0")
    field.press("Enter")
    still("a move on its way")
    sent = next(frame for frame in reversed(stage.sent) if frame["type"] == "submit")
    sentence = "There is no such square as Z9, and the sentence that says so is a long one."
    refusal = {"code": "notation.square", "sentence": sentence, "squares": []}
    page.wait_for_timeout(600)  # from here on nobody has pressed anything
    stage.say({"type": "refused", "id": sent["id"], **refusal})
    still("a refusal")
    stage.sockets[-1].close(code=1011)
    page.locator("#match[data-connection=live]").wait_for()
    still("a lost connection")
    for position in rest[:4]:
        stage.play(position)
        stage.settle()
    stage.play(rest[-1])
    still("the end")
    page.evaluate(DRAWN)
    total, worst = shifted(page)
    assert total < ALLOWED, worst


def asks(position: Position) -> Any:
    """What is wanted of whom."""
    decisions = position.view["decisions"]
    return position.view["phase"], tuple((each["seat"], each["kind"]) for each in decisions)


@pytest.mark.parametrize(
    ("width", "seat", "down", "ruleset"),
    [(*reader, ruleset) for reader, ruleset in covering(READERS, WHOLE)] + some(BETWEEN, 3),
)
def test_nothing_moves_from_the_wait_to_the_end(
    new_page: Pages, site: Site, width: int, seat: Seat, down: int, ruleset: str
) -> None:
    """Over a whole match, from one question to the next, before the board and reading the chat."""
    name, variant, _kind = WHOLE[ruleset]
    game = players.start(site, ruleset, variant=variant)
    options = {"clock": False, "idle": True, **{**WIDTHS, **ALSO}[width]}
    stage = Stage(new_page, game, ("Ada", "Ben")[seat], [waiting(name, seat)], **options)
    stage.settle()
    stage.page.evaluate(SCROLL, down)
    stage.page.wait_for_timeout(OPENED)
    moved: list[Any] = []
    missed: list[Position] = []
    heights: dict[Any, int] = {}
    asked: Any = None
    seen: Counter[Any] = Counter()
    for number, position in enumerate(whole(name, seat)):
        change, asked = (asked, asks(position)), asks(position)
        new = change[0] != asked
        if seen[change] >= OFTEN if new else missed:
            missed.append(position)
            continue
        if missed:
            stage.catch_up(missed)
            shifted_anew(stage)
            missed = []
        stage.play(position)
        # What has moved since it was looked at last counts together.
        if new:
            seen[change] += 1
            total, worst = shifted_anew(stage)
            height = stage.page.evaluate("document.documentElement.scrollHeight")
            if height > heights.setdefault(change, height) + ROWS:
                moved.append((number, "longer", heights[change], height))
            if total >= ALLOWED:
                moved.append((number, total, worst))
    assert moved == []
    assert stage.page.evaluate(OUTSIDE) == []
    assert new_page.errors == []


# In this order either seat has its turn at either width.
SEATS = [(seat, ruleset) for seat in (0, 1) for ruleset in WHOLE]


@pytest.mark.parametrize(
    ("width", "seat", "ruleset"),
    [(width, *sitting) for width, sitting in covering(WIDTHS, SEATS)],
)
def test_nothing_moves_when_a_question_goes_away(
    new_page: Pages, site: Site, width: int, seat: Seat, ruleset: str
) -> None:
    """Whatever somebody is asked: the opponent concedes, or it is answered elsewhere."""
    name, variant, _kind = WHOLE[ruleset]
    game = players.start(site, ruleset, variant=variant)
    played = whole(name, seat)
    first: dict[str, int] = {}
    for number, position in enumerate(played):
        for each in position.view["decisions"]:
            if each["seat"] == seat and each.get("sealed") is None:
                first.setdefault(each["kind"], number)
    options = {"clock": False, "idle": True, **WIDTHS[width]}
    stage = Stage(new_page, game, ("Ada", "Ben")[seat], [played[0]], **options)
    moved = []
    for kind, number in first.items():
        ends = (conceded(name, number, 1 - seat, seat), played[number + 1])
        for down, after in covering(SCROLLED[width], ends):
            stage.sync(**played[number].view)
            stage.settle()
            stage.page.evaluate(SCROLL, down)
            shifted_anew(stage)
            stage.play(after)
            total, worst = shifted_anew(stage)
            if total >= ALLOWED:
                moved.append((kind, down, after.view["phase"], total, worst))
    assert moved == []
    assert new_page.errors == []
