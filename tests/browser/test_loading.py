"""What a match page weighs for a browser that has never been here, and how often it has to wait."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from games.rulesets import REGISTRY
from tests.browser import players
from tests.support.loading import Loading

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# Bytes over the line, for whoever watches; whoever plays has the layer of plans besides.
# Of it, some 1,300 are how a page follows the draws (what a player adds to them comes only while a
# match waits), 1,000 the one module that makes markup of text, and 1,700 that each of forty files
# says who may take it.
AT_MOST = {None: 172_500, "Ada": 196_000}
WIDE = {"viewport": {"width": 1440, "height": 900}}
NARROW = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


def opened(page: Page, address: str, loading: Loading) -> None:
    """Open a match's page and wait until nothing more of it is on its way."""
    page.goto(address)
    players.is_live(page)
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    page.wait_for_load_state("networkidle")
    loading.settle()


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
@pytest.mark.parametrize("who", [None, "Ada"])
def test_the_page_of_a_match_is_light_and_waits_twice(
    new_page: Pages, site: Site, ruleset: str, who: str | None
) -> None:
    """For the page, and for all that it names: no module asks for another one that the page has
    not asked for already, nor does a style sheet."""
    game = players.start(site, ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
    page = new_page(**(WIDE if who else NARROW))
    if who:
        cookie: Any = {"name": game.cookie, "value": game.sessions[who], "url": game.base_url}
        page.context.add_cookies([cookie])
    loading = Loading(page)
    opened(page, game.address, loading)
    parts = loading.parts
    assert len([each for each in parts if each.kind == "Script"]) > 15
    assert [each for each in parts if each.depth > 2] == []
    assert [
        each for each in loading.fetched if each.path.startswith("/static/") and not each.bytes
    ] == []
    assert sum(each.bytes for each in loading.fetched) < AT_MOST[who]
    assert [each for each in parts if each.coding == "" and each.kind != "Font"] == []
    assert new_page.errors == []


# Counts what is put into, or taken out of, the board and the log from when the page is drawn first.
# What the connection has brought by then is read in the same breath, so how it stood when the page
# was drawn is told by the order of the changes.
COUNT_CHANGES = """() => {
  window.changes = 0;
  const look = (records) => {
    const match = document.querySelector("#match[data-phase]");
    if (match === null) return;
    first.disconnect();
    const names = records.map((each) => each.attributeName);
    const next = records[names.indexOf("data-connection", names.indexOf("data-phase"))];
    window.drawnFirst = (next ? next.oldValue : match.dataset.connection) !== "live";
    const count = new MutationObserver((records) => { window.changes += records.length; });
    for (const part of ["board", "log"]) {
      const target = match.querySelector(`[data-part=${part}]`);
      count.observe(target, {childList: true, subtree: true});
    }
  };
  const first = new MutationObserver(look);
  first.observe(document, {
    subtree: true,
    attributes: true,
    attributeFilter: ["data-phase", "data-connection"],
    attributeOldValue: true,
  });
}"""


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_what_the_connection_tells_that_the_page_shows_is_not_drawn_again(
    new_page: Pages, site: Site, ruleset: str
) -> None:
    """The page comes with the match, and draws it before it is connected; the connection's first
    word is the same match once more."""
    game = players.start(site, ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
    page = new_page(**NARROW)
    cookie: Any = {"name": game.cookie, "value": game.sessions["Ada"], "url": game.base_url}
    page.context.add_cookies([cookie])
    page.add_init_script(f"({COUNT_CHANGES})()")
    opened(page, game.address, Loading(page))
    assert page.evaluate("[window.drawnFirst, window.changes]") == [True, 0]
    assert new_page.errors == []


def test_letters_of_other_languages_are_fetched_where_they_stand(
    new_page: Pages, site: Site
) -> None:
    """A page in English has the small copy of the type, and a name in Portuguese the rest of it."""
    page = new_page(**WIDE)
    loading = Loading(page)
    page.goto("/rules/")
    page.wait_for_load_state("networkidle")

    def fonts() -> set[str]:
        return {
            each.path.rsplit("/", 1)[1].split(".")[0]
            for each in loading.parts
            if each.kind == "Font"
        }

    assert fonts() == {"figtree-basic", "marcellus-latin-400-normal"}
    page.locator("main p").first.evaluate("each => { each.textContent = 'João Łukasz'; }")
    loading.settle(lambda: len(fonts()) == 4)
    assert fonts() >= {"figtree-latin-wght-normal", "figtree-latin-ext-wght-normal"}


# Whether all style sheets have come, those that others import with them.
STYLED = """() => {
  const whole = (sheet) => sheet !== null && [...sheet.cssRules].every(
    (rule) => !(rule instanceof CSSImportRule) || whole(rule.styleSheet)
  );
  const links = [...document.querySelectorAll("link[rel=stylesheet]")];
  return document.readyState !== "loading" && links.every((each) => whole(each.sheet));
}"""

# What the page shows, and how high, while its scripts are still on their way.
BEFORE_SCRIPTS = """() => {
  const board = document.querySelector("[data-part=board]");
  return {
    pictures: board.querySelectorAll("img").length,
    height: board.firstElementChild.getBoundingClientRect().height,
  };
}"""


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_the_room_of_the_board_is_there_before_it_and_no_picture(
    new_page: Pages, site: Site, ruleset: str
) -> None:
    game = players.start(site, ruleset, variant=REGISTRY.get(ruleset).variants[0].id)
    shown = new_page(**WIDE, java_script_enabled=False)
    shown.goto(game.address)
    picture = shown.locator("img.board-picture")
    assert shown.locator("canvas").is_hidden()
    if picture.count() == 0:
        assert ruleset == "peg-domain", "every other game begins with a board"
        return
    shown.wait_for_function("() => document.querySelector('img.board-picture').complete")
    box = picture.bounding_box()
    assert box is not None
    page = new_page(**WIDE)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/static/js/match/app.*\.js"), hold)
    page.goto(game.address, wait_until="commit")
    # Whoever has a style sheet still on its way is shown nothing at all yet.
    page.wait_for_function(STYLED)
    early = page.evaluate(BEFORE_SCRIPTS)
    assert early == {"pictures": 0, "height": pytest.approx(box["height"], abs=1)}
    for route in held:
        route.continue_()
    players.is_live(page)
    assert new_page.errors == []


def test_a_board_that_does_not_come_is_a_picture_and_moves_can_be_typed(
    new_page: Pages, site: Site
) -> None:
    game = players.start(site, "tetronogo")
    page = new_page(**WIDE)
    cookie: Any = {"name": game.cookie, "value": game.sessions["Ada"], "url": game.base_url}
    page.context.add_cookies([cookie])
    page.route(re.compile(r"/tetronogo/.*board.*\.js"), lambda route: route.abort())
    page.goto(game.address)
    page.get_by_text("The board could not be loaded. You can still type your moves.").wait_for()
    picture = page.get_by_role("img", name="The board as everybody sees it")
    assert (
        picture.evaluate("async (each) => { await each.decode(); return each.naturalWidth; }") > 100
    )
    players.is_live(page)
    new_page.errors.clear()  # the browser's own, of what was not fetched
