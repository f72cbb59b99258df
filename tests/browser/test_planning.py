"""The private layer over the boards: drawn by pointer, touch and keys, kept, and nobody else's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from games.engine import records
from tests.accessibility import axe
from tests.browser import players
from tests.browser.stage import PLAYTHROUGHS, Position, Stage, whole

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser


class Play(NamedTuple):
    """A ruleset, a recorded match of it, and the kind of decision that is planned for."""

    ruleset: str
    variant: str
    name: str
    kind: str
    form: str = ".+"


PLAYS = [
    Play("peg-domain", "gauntlet", "peg-domain.gauntlet.points", "turn", r"\w+ [URDL]+ > .+"),
    Play("domain", "standard", "domain.standard.challenges", "place"),
    Play("domino-wars", "standard", "domino-wars.standard.random", "play"),
    Play("domino-black-white", "standard", "domino-black-white.standard.points", "place"),
    Play("tetronogo", "standard", "tetronogo.standard.random", "place"),
]
# The same in the five games: keys that put the recorded move on the board, and the first of them.
PATH = {"U": "ArrowUp", "R": "ArrowRight", "D": "ArrowDown", "L": "ArrowLeft"}


def moment(play: Play) -> tuple[list[Position], str]:
    """Positions up to one in which seat 0 waits and is asked next, and what it played then."""
    record = records.read((PLAYTHROUGHS / f"{play.name}.dmr.json").read_bytes())
    texts = [records.entry_of(each).text for each in record.moves]
    seen = whole(play.name)
    for at in range(1, len(texts)):
        here, then = seen[at], seen[at + 1]
        plain = re.match(r"take|discard|challenge|return|top", texts[at + 1]) is None
        same = here.view["game"]["phase"] == then.view["game"]["phase"]
        plain = plain and re.fullmatch(play.form, texts[at + 1]) is not None
        if plain and same and here.asks(1) and not here.asks(0) and then.asks(0, play.kind):
            return seen[: at + 2], texts[at + 1]
    raise AssertionError(play)


def items(page: Page) -> Locator:
    """What the plan's list has."""
    return page.locator(".plan__list > li")


def tool(page: Page, name: str) -> None:
    """Take a tool from the bar."""
    page.locator(".plan__bar").get_by_role("button", name=name, exact=True).click()


def drawing(page: Page, index: int = 0) -> Locator:
    """One of the boards that is to be seen."""
    return page.locator(".match__board svg:is(.board, [data-board]):visible").nth(index)


def spot(page: Page, x: float, y: float) -> tuple[float, float]:
    """A point of the first drawing on the screen, by fractions of its size."""
    svg = drawing(page)
    svg.evaluate("each => each.scrollIntoView({block: 'start', behavior: 'instant'})")
    box = svg.bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def drag(page: Page, *fractions: tuple[float, float]) -> None:
    """Draw over the first board with the mouse."""
    points = [spot(page, *each) for each in fractions]
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=4)
    page.mouse.up()


def kept(stage: Stage) -> None:
    """Wait until the server has what is planned."""
    with stage.page.expect_response("**/plan/") as answer:
        stage.pass_time(1_100)
    assert answer.value.ok, answer.value.text()


def place(page: Page, text: str, ruleset: str) -> None:
    """Put a recorded move on the board, as in one's turn, and confirm it."""
    if ruleset == "peg-domain":
        cut, way, target, degrees = re.fullmatch(  # type: ignore[union-attr]
            r"(\w+) ([URDL]+) > (\w+) (\d+)", text
        ).groups()
        name = page.locator("[data-own]").get_attribute("data-own")
        assert name is not None
        pallet = page.get_by_role("grid", name=re.compile(f"{name} pallet", re.I))
        pallet.locator(f'[data-square="{cut}"]').focus()
        page.keyboard.press("Enter")
        for step in way:
            page.keyboard.press(PATH[step])
        for _ in range(int(degrees) // 90):
            page.keyboard.press("r")
        reach(page, "Domain", target)
    elif ruleset == "domain":
        shape, colour, x, y, angle = re.fullmatch(  # type: ignore[union-attr]
            r"(\S+) > (\w+) (\d+),(\d+) (\d+)", text
        ).groups()
        page.locator(f'.shape-tray [data-shape="{shape}"]').click()
        if page.locator(f".domain:has(.ghost) >> text=/^{colour}/i").count() == 0:
            page.keyboard.press("d")
        for label, value in (("the left", x), ("the top", y), ("Degrees", angle)):
            page.get_by_label(label).fill(value)
            page.get_by_label(label).press("Tab")
    elif ruleset == "tetronogo":
        target, degrees = text.split(" ")
        drawing(page).locator('[data-square][tabindex="0"]').focus()
        page.keyboard.press("n")
        for _ in range(int(degrees) // 90):
            page.keyboard.press("r")
        reach(page, "Board", target)
    else:
        hand = ".wars-hand input" if ruleset == "domino-wars" else ".hand input"
        value = "".join(re.findall(r"\d", text.split(" ", maxsplit=1)[0]))
        page.locator(f'{hand}[value="{value}"]').first.check(force=True)
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        page.locator(".ghost--pinned").wait_for()
        if ruleset == "domino-black-white":
            page.keyboard.press("h")
    page.locator(".confirm").get_by_role("button", name="Add to the plan").click()


def reach(page: Page, grid: str, target: str) -> None:
    """Bring what is placed to a square of a grid by arrow keys, and put it down."""
    board = page.get_by_role("grid", name=re.compile(grid))
    for _ in range(30):
        here = board.locator('[data-square][tabindex="0"]').get_attribute("data-square")
        assert here is not None
        if here == target:
            break
        across, down = ord(target[0]) - ord(here[0]), int(target[1:]) - int(here[1:])
        sideways = "ArrowRight" if across > 0 else "ArrowLeft"
        page.keyboard.press(sideways if across else "ArrowDown" if down > 0 else "ArrowUp")
    page.keyboard.press("Enter")


def draw_by_pointer(page: Page) -> None:
    """Put an arrow, a mark, an area and a note on the first board."""
    tool(page, "Arrow")
    drag(page, (0.2, 0.2), (0.6, 0.4))
    tool(page, "Mark")
    page.get_by_role("button", name="Cross").click()
    page.locator(".plan__bar").get_by_role("button", name="Violet, dashed").click()
    page.mouse.click(*spot(page, 0.4, 0.6))
    tool(page, "Cut-out")
    drag(page, (0.3, 0.3), (0.7, 0.3), (0.7, 0.6), (0.3, 0.6), (0.3, 0.35))
    tool(page, "Note")
    page.get_by_label("Note on the board").fill("mind this")
    page.mouse.click(*spot(page, 0.5, 0.5))


def draw_by_keys(page: Page) -> None:
    """Put a ring where the focus is, take it back, and make it again."""
    tool(page, "Mark")
    page.get_by_role("button", name="Ring", exact=True).click()
    page.evaluate(
        """() => {
            const svg = document.querySelector(".plan-drawn");
            (svg.querySelector('[data-square][tabindex="0"]') ?? svg).focus();
        }"""
    )
    before = items(page).count()
    page.keyboard.press("ArrowRight")
    for key, more in (("Enter", 1), ("z", 0), ("y", 1)):
        page.keyboard.press(key)
        assert items(page).count() == before + more, key


def compare(page: Page) -> None:
    """Begin another candidate, look at both, and go back to the first one."""
    page.get_by_role("button", name="Another candidate").click()
    assert items(page).count() == 0
    page.get_by_role("button", name="Compare").click()
    assert page.locator(".plan-item--second").count() >= 6
    page.get_by_role("button", name="Candidate A").click()


def planned(page: Page, game: players.Game) -> str:
    """The first move of the first candidate, as the server keeps it."""
    return str(
        page.evaluate(
            "async (url) => (await (await fetch(url)).json()).content.candidates[0].items[0].text",
            f"/api/v1/matches/{game.match}/plan/",
        )
    )


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.ruleset)
def test_planned_while_the_other_thinks(play: Play, site: Site, new_page: Pages) -> None:
    """Everything is drawn, outlives the page, and is played from the plan in one's turn."""
    game = players.start(site, play.ruleset, variant=play.variant)
    positions, text = moment(play)
    stage = Stage(new_page, game, "Ada", positions[:-1])
    page = stage.page

    def sent() -> list[str]:
        return [each["text"] for each in stage.sent if each["type"] == "submit"]

    page.get_by_role("button", name="Plan", exact=True).click()
    place(page, text, play.ruleset)
    assert (items(page).count(), sent()) == (1, [])
    draw_by_pointer(page)
    assert items(page).count() == 5
    draw_by_keys(page)
    for kind in ("move", "arrow", "mark", "cut", "note"):
        assert page.locator(f".plan-item--{kind}").count() >= 1, kind
    compare(page)
    page.get_by_label("Notes").fill("first this, then that")
    kept(stage)
    page.reload()
    page.locator("#match[data-connection=live][data-phase]").wait_for()
    page.locator(".plan-item--move").first.wait_for()
    page.get_by_role("button", name="Plan", exact=True).click()
    assert items(page).count() == 6
    assert page.get_by_label("Notes").input_value() == "first this, then that"
    # It is one's turn: said, and one press goes back to playing.
    stage.forget()
    stage.play(positions[-1])
    stage.settle()
    stage.pass_time(1_000)
    assert any("Back to playing" in each for each in stage.said)
    page.get_by_role("button", name="Back to playing").click()
    assert page.locator("[data-planning]").count() == 0
    # The move is shown, and sent once it is confirmed.
    page.locator(".plan__use").click()
    assert sent() == []
    page.locator(".confirm .button--primary:visible").click()
    assert sent() == [planned(page, game)]
    assert new_page.errors == []


def test_on_two_devices_and_for_nobody_else(site: Site, new_page: Pages) -> None:
    """What is planned on one device is on the other one, and on no page of anybody else."""
    game = players.start(site, "domino-black-white", others=("Cleo",))
    phone: dict[str, Any] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
    }
    desk = game.open(new_page, "Ada")
    players.choose(desk, "Go second", "Go second")
    players.waits(desk)
    hand = game.open(new_page, "Ada", **phone)
    others = [game.open(new_page, name) for name in ("Ben", "Cleo", None)]
    frames: list[str] = []
    for page in others:
        page.on("request", lambda request: frames.append(request.url))
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda data: frames.append(str(data))),
        )
        page.reload()
        players.is_live(page)
    hand.get_by_role("button", name="Plan", exact=True).tap()
    tool(hand, "Mark")
    # By touch: a drawing is the layer's own while a tool is taken.
    assert drawing(hand).evaluate("each => getComputedStyle(each).touchAction") == "none"
    hand.touchscreen.tap(*spot(hand, 0.5, 0.3))
    items(hand).first.wait_for()
    # The other device is told, goes on with it, and the first one follows.
    desk.locator(".plan-item--mark").wait_for()
    desk.get_by_role("button", name="Plan", exact=True).click()
    tool(desk, "Arrow")
    drag(desk, (0.3, 0.3), (0.6, 0.6))
    hand.locator(".plan-item--arrow").wait_for()
    assert items(hand).count() == 2
    items(hand).first.get_by_role("button", name="Delete").tap()
    desk.locator(".plan-layer:not(:has(.plan-item--mark))").wait_for(state="attached")
    assert items(desk).count() == 1
    assert hand.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe.Examiner().faults(desk) == []
    # Nobody else has a place for a plan, asks for one, or is told of one.
    ben, cleo, visitor = others
    assert ben.locator(".plan__toggle").count() == 1
    assert ben.locator(".plan-item").count() == 0
    for page in (cleo, visitor):
        assert page.locator("[data-part=plan], .plan-layer").count() == 0
    told = [each for each in frames if '"plan"' in each or "arrow" in each]
    assert told == []
    assert new_page.errors == []
