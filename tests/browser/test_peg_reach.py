"""How far players of Peg Domain still reach: what the page draws against what the rules allow; and
a cut-out that is dragged off its pallet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from core.refusals import Refusal
from games.engine.decisions import Decision
from games.rulesets.peg_domain import boards, validation
from games.rulesets.peg_domain import view as views
from games.rulesets.peg_domain.moves import PlaceCutOut
from games.rulesets.peg_domain.state import PegDomainState
from tests.accessibility import axe
from tests.browser import players
from tests.browser.stage import Position, Stage, course
from tests.browser.test_planning import PLAYS, moment
from tests.rulesets.peg_domain import helpers as pegs

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

RECORDED = "peg-domain.gauntlet.points"
TOUCH: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}

# -- what is counted -----------------------------------------------------------------------------


class Case(NamedTuple):
    """A position with little left on a pallet."""

    state: PegDomainState
    by_path: bool
    minus: bool

    @property
    def given(self) -> dict[str, Any]:
        """What the page has of it in its view."""
        game = views.view(self.state, 0)
        rules = {"byPath": self.by_path, "minus": self.minus}
        pegs_there = game["domain"]["pegs"]
        return {"rows": game["pallets"][0]["rows"], "pegs": pegs_there, "rules": rules}


def cases() -> Iterator[Case]:
    """Positions of either kind of cut-out, some with Peg Subtraction; pegs crowd the domain."""
    for number in range(24):
        random = Random(number)
        by_path, minus = number % 2 == 0, number % 4 == 2
        items = ((0, "peg-subtraction"),) if minus else ()
        variant = "final" if by_path else "gauntlet"
        begun = pegs.state(pegs.begun(variant, items=items))
        squares = [
            square for square in boards.PALLET_SQUARES
            if boards.pallet_column(square) < 5 and boards.pallet_row(square) < 4
        ]  # fmt: skip
        left = random.sample(squares, 12 if by_path else 9)
        far = random.choice([s for s in boards.PALLET_SQUARES if boards.pallet_row(s) > 8])
        held = boards.set_of([*random.sample(left, 4), far])
        standing = boards.set_of(random.sample(boards.DOMAIN_SQUARES, random.choice((8, 56, 66))))
        frame = msgspec.structs.replace(begun.frame, pegs=(held, begun.frame.pegs[1]))
        state = msgspec.structs.replace(
            begun, frame=frame, left=(boards.set_of([*left, far]), begun.left[1]), standing=standing
        )
        yield Case(state, by_path, minus)


def paths(left: int, pegs_left: int, way: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All paths that go on like this and end on a second peg."""
    for step in boards.PALLET_STEP:
        square = way[-1] + step
        if not left >> square & 1 or square in way:
            continue
        if pegs_left >> square & 1:
            yield (*way, square)
        else:
            yield from paths(left, pegs_left, (*way, square))


def cut_outs(case: Case) -> Iterator[tuple[int, ...]]:
    """All cut-outs there are, the anchor first."""
    left, on = case.state.left[0], case.state.pegs_left(0)
    if case.by_path:
        for peg in boards.members(on):
            yield from paths(left, on, (peg,))
        return
    plain = boards.members(left & ~on)
    for two in combinations(boards.members(on), 2):
        for count in range(len(plain) + 1):
            for more in combinations(plain, count):
                if boards.connected(boards.set_of([*two, *more])):
                    yield (*two, *more)


def allowed(case: Case) -> dict[str, set[str]]:
    """The same as the page finds, by trying everything on the rules."""
    decision = Decision("", 0, "turn", "turn", "")
    covered: set[str] = set()
    joined: set[str] = set()
    connected: set[str] = set()
    on = case.state.pegs_left(0)
    minuses = [None, *(boards.members(case.state.standing) if case.minus else [])]
    for squares in cut_outs(case):
        both = set(boards.pallet_names(boards.set_of(squares) & on))
        connected |= both
        for target in boards.DOMAIN_SQUARES:
            for turns in range(4):
                lands = [boards.landing(squares[0], each, target, turns) for each in squares]
                if None in lands:
                    continue
                names = {boards.DOMAIN_NAME[each] for each in lands if each is not None}
                if names <= covered and both <= joined:
                    continue
                for minus in minuses:
                    move = PlaceCutOut(squares, case.by_path, target, turns, minus)
                    try:
                        validation.validate(case.state, decision, move)
                    except Refusal:
                        continue
                    covered |= names
                    joined |= both
    every = set(boards.pallet_names(on))
    return {
        "covered": covered, "joined": joined, "apart": every - connected,
        "roomless": connected - joined,
    }  # fmt: skip


REACH = """
async ({rows, pegs, rules}) => {
  const {reachOf} = await import(window.reachAddress);
  const found = reachOf(rows, pegs, rules);
  return Object.fromEntries(Object.entries(found).map(([name, names]) => [name, [...names]]));
}
"""


def begun(new_page: Pages, site: Site, **options: Any) -> tuple[Stage, players.Game]:
    """Ada's page in the middle of a recorded match, while Ben has his turn."""
    game = players.start(site, "peg-domain", variant="gauntlet")
    positions, _ = moment(PLAYS[0])
    return Stage(new_page, game, "Ada", positions[:-1], clock=False, **options), game


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_reach_is_what_the_rules_allow(new_page: Pages, site: Site) -> None:
    stage, _ = begun(new_page, site)
    page = stage.page
    with page.expect_response(re.compile(r"/reach[.\w]*\.js")) as answer:
        press(page, "Ben's reach")
    page.evaluate("address => { window.reachAddress = address; }", answer.value.url)
    seen: dict[str, int] = {}
    for number, case in enumerate(cases()):
        found = {name: set(names) for name, names in page.evaluate(REACH, case.given).items()}
        wanted = allowed(case)
        assert found == wanted, number
        for name, names in wanted.items():
            seen[name] = seen.get(name, 0) + (0 < len(names) < 81)
    assert min(seen.values()) > 2, "the positions tell something of each"
    assert new_page.errors == []


# -- what is shown -------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"viewport": {"width": 1440, "height": 900}}, TOUCH])
def test_looks_are_drawn_told_and_kept(
    new_page: Pages, site: Site, options: dict[str, Any]
) -> None:
    stage, _ = begun(new_page, site, **options)
    page = stage.page
    assert page.locator(".look").count() == 0
    place = "each => [each.getBoundingClientRect().top + scrollY, each.offsetHeight]"
    before = page.locator(".trio").evaluate(place)
    theirs = page.get_by_role("button", name="Ben's reach", exact=True)
    assert theirs.get_attribute("aria-pressed") == "false"
    theirs.focus()
    page.keyboard.press("Enter")
    marked = page.locator(".trio__domain .look--theirs")
    marked.first.wait_for(state="attached")
    legend = page.locator(".looks p").first
    words = re.search(r"Ben can still cover (\d+) .* join (\d+) of (\d+) pegs", legend.inner_text())
    assert words is not None
    assert marked.count() == int(words[1])
    ringed = page.locator("[data-colour=blue] .look--joined")
    assert ringed.count() == int(words[2])
    assert page.locator("[data-colour=red] .look").count() == 0
    assert any("Ben can still cover" in each for each in stage.said)
    named = page.locator('.trio__domain [aria-label$="Ben can cover it"]')
    assert named.count() == int(words[1])
    press(page, "Your reach")
    page.locator("[data-colour=red] .look--joined").first.wait_for(state="attached")
    press(page, "Pegs out of play")
    legend = page.locator(".looks")
    assert "can still be joined" in legend.inner_text() or "cannot be joined" in legend.inner_text()
    assert page.locator(".trio").evaluate(place) == before, "the boards stay where they are"
    for button in page.locator("[aria-label='Shown on the boards'] button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe.Examiner().faults(page) == []
    page.reload()
    players.is_live(page)
    page.locator(".trio__domain .look--own").first.wait_for(state="attached")
    for name in ("Ben's reach", "Your reach", "Pegs out of play"):
        press(page, name)
    assert page.locator(".look, .looks p").count() == 0
    assert new_page.errors == []


def test_pegs_that_nobody_can_join_are_marked(new_page: Pages, site: Site) -> None:
    """One peg is alone on what is left of its pallet, and another one has no room on the domain."""
    game = players.start(site, "peg-domain", variant="gauntlet")
    positions, _ = moment(PLAYS[0])
    last = positions[-2]
    game_view = {**last.view["game"], "domain": {**last.view["game"]["domain"]}}
    rows = ["o.o" + "-" * 9, "-" * 12, "o" + "-" * 11, *["-" * 12] * 13]
    game_view["pallets"] = [
        {**pallet, "rows": rows, "pegs": 3, "left": 4} for pallet in game_view["pallets"]
    ]
    # Every second square has a peg: nothing of three squares in a row lies between.
    every = [f"{column}{row}" for row in range(1, 10) for column in "ABCDEFGHI"]
    game_view["domain"]["pegs"] = every[::2]
    shown = Position({**last.view, "game": game_view}, last.items)
    stage = Stage(new_page, game, "Ada", [*positions[:-2], shown], clock=False)
    page = stage.page
    press(page, "Pegs out of play")
    legend = page.locator(".looks")
    legend.get_by_text("Ada has 3 pegs that cannot be joined any more").wait_for()
    text = legend.inner_text()
    assert "A3 (crossed: no other peg can be reached)" in text
    assert "A1, C1 (framed: no cut-out with it fits on the domain)" in text
    for colour in ("red", "blue"):
        assert page.locator(f"[data-colour={colour}] .look--apart").count() == 1
        assert page.locator(f"[data-colour={colour}] .look--roomless").count() == 2
    label = page.locator("[data-colour=red] [data-square=A3]").get_attribute("aria-label")
    assert label is not None
    assert label.endswith("cannot be joined any more, no other peg can be reached")
    assert new_page.errors == []


# -- a cut-out off its pallet ----------------------------------------------------------------------


def at_a_turn(new_page: Pages, site: Site, **options: Any) -> Stage:
    """Ada's page when she is to place."""
    game = players.start(site, "peg-domain", variant="gauntlet")
    played = course(RECORDED)
    here = next(number for number, each in enumerate(played) if each.asks(0, "turn"))
    return Stage(new_page, game, "Ada", played[: here + 1], clock=False, **options)


def cut(page: Page) -> tuple[str, str]:
    """Draw a cut-out by keys. Its first square and the last one."""
    own = page.locator(".trio").get_attribute("data-own")
    rows: list[str] = page.evaluate(
        "() => JSON.parse(document.getElementById('match-sync').textContent).view.game.pallets"
        f"[{0 if own == 'red' else 1}].rows"
    )
    row, column, length = next(
        (row, found.start(), len(found[0]))
        for row, line in enumerate(rows)
        for found in [re.search(r"o\.{0,3}o", line)]
        if found is not None
    )
    pallet = page.locator(f".trio__pallet[data-colour={own}]")
    pallet.locator(f'[data-square="{"ABCDEFGHIJKL"[column]}{row + 1}"]').focus()
    page.keyboard.press("Enter")
    for _ in range(length - 1):
        page.keyboard.press("ArrowRight")
    page.locator(".cutting--whole").wait_for(state="attached")
    names = [f"{'ABCDEFGHIJKL'[column + each]}{row + 1}" for each in (0, length - 1)]
    return (
        f'.trio__pallet[data-colour={own}] [data-square="{names[0]}"]',
        f'.trio__pallet[data-colour={own}] [data-square="{names[1]}"]',
    )


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_cut_out_is_dragged_off_its_pallet_by_mouse(new_page: Pages, site: Site) -> None:
    stage = at_a_turn(new_page, site, viewport={"width": 1440, "height": 1400})
    page = stage.page
    first, last = cut(page)
    page.mouse.move(*middle(page, last))
    page.mouse.down()
    page.mouse.move(*middle(page, ".trio__domain .trio__title"), steps=6)
    page.locator(".carried .cutting__body").wait_for()
    assert page.locator(".cutting--whole").count() >= 1, "as it was before the pointer drew on"
    x, y = middle(page, '.trio__domain [data-square="E5"]')
    page.mouse.move(x, y, steps=6)
    assert page.locator(".carried").is_hidden()
    page.mouse.up()
    assert page.locator(".carried").count() == 0
    page.locator(".trio__domain .ghost--pinned").wait_for()
    assert "First peg on E5" in page.locator(".confirm__words").inner_text()
    assert [each for each in stage.sent if each["type"] == "submit"] == []
    # Let go elsewhere, it is still cut and waits for its place.
    page.mouse.move(*middle(page, last))
    page.mouse.down()
    page.mouse.move(x, y, steps=6)
    page.mouse.move(2, 2, steps=3)
    page.mouse.up()
    assert page.locator(".trio__domain .ghost").count() == 0
    assert page.locator(".cutting--whole").count() == 1
    # A tap on a peg of it begins anew, as ever.
    page.mouse.click(*middle(page, first))
    page.locator(".cutting--whole").wait_for(state="detached")
    assert page.locator(".cutting--whole").count() == 0
    assert page.locator(".cutting").count() == 1
    assert new_page.errors == []


def test_a_finger_pulls_a_cut_out_off_its_pallet(new_page: Pages, site: Site) -> None:
    stage = at_a_turn(new_page, site, **TOUCH)
    page = stage.page
    _, last = cut(page)
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    x, y = middle(page, last)
    to_x, to_y = middle(page, '.trio__domain [data-square="E5"]')
    before = page.evaluate("scrollY")
    touch("touchStart", (x, y))
    for part in range(1, 9):
        touch("touchMove", (x + (to_x - x) * part / 8, y + (to_y + 44 - y) * part / 8))
    page.locator(".trio__domain .ghost").wait_for()
    touch("touchEnd")
    page.locator(".trio__domain .ghost--pinned").wait_for()
    assert page.evaluate("scrollY") == before
    assert "First peg on E5" in page.locator(".confirm__words").inner_text()
    # A finger on another square of the pallet scrolls the page.
    x, y = middle(page, ".trio__pallet .square:not([aria-label*='a peg']) >> nth=100")
    touch("touchStart", (x, y))
    for part in range(1, 9):
        touch("touchMove", (x, y - 30 * part))
    touch("touchEnd")
    page.wait_for_function("before => scrollY > before", arg=before)
    assert page.locator(".carried").count() == 0
    assert new_page.errors == []
