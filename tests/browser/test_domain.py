"""Domain in a real browser: its pixels against the referee's, and a whole small match."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from games.rulesets.domain import board
from games.rulesets.domain.board import Laid
from games.rulesets.domain.geometry import turned
from games.rulesets.domain.moves import COLOURS
from games.rulesets.domain.pool import built_in
from games.rulesets.domain.state import DomainState, DomainTerms
from games.rulesets.domain.view import view
from tests.browser.players import is_asked, start, waits

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

POOL = built_in()["classic@1"]
SQUARE = [[-60, -60], [60, -60], [60, 60], [-60, 60]]
TINY = {
    "name": "tiny",
    "version": "1",
    "size": [480, 360],
    "shapes": [
        {"id": "01", "outline": SQUARE, "start": True},
        {"id": "02", "outline": [[-40, -70], [80, 50], [-40, 50]]},
        {"id": "03", "outline": SQUARE, "voids": [[[-20, -20], [20, -20], [20, 20], [-20, 20]]]},
        {"id": "04", "outline": SQUARE, "inner": [[-40, -40], [40, -40], [40, 40], [-40, 40]]},
    ],
}


# -- pixels --------------------------------------------------------------------------------------


@pytest.fixture
def pixels(new_page: Pages) -> Page:
    page = new_page()
    page.goto("/accounts/login/")
    return page


def run(page: Page, code: str, given: Any) -> Any:
    return page.evaluate(
        "async (given) => {"
        "const pixels = await import('/static/rulesets/domain/static/pixels.js');"
        f"{code} }}",
        given,
    )


def shapes() -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = view(
        DomainState(DomainTerms(1), phase="place", pool=POOL), (0, 0)
    )["pool"]["shapes"]
    return shown


def test_the_browser_turns_every_corner_of_the_pool_as_the_referee_does(pixels: Page) -> None:
    corners = sorted(
        {vertex for form in POOL.forms for ring in form.shape.rings for vertex in ring}
    )
    found = run(
        pixels,
        "return given.map((v) => Array.from({length: 360}, (_, d) => pixels.turned(v, d)));",
        corners,
    )
    for vertex, row in zip(corners, found, strict=True):
        assert [tuple(each) for each in row] == [turned(vertex, degrees) for degrees in range(360)]


def test_the_browser_covers_counts_and_judges_as_the_referee_does(pixels: Page) -> None:
    random = Random(4)
    cases = [
        [
            Laid(
                turn % 2,
                random.randrange(len(POOL.forms)),
                random.randrange(2),
                random.randrange(480),
                random.randrange(360),
                random.randrange(360),
            )
            for turn in range(random.randrange(1, 14))
        ]
        for _ in range(30)
    ]
    shown = [
        [
            {
                "seat": each.seat,
                "shape": POOL.forms[each.shape].id,
                "domain": COLOURS[each.domain],
                "x": each.x,
                "y": each.y,
                "angle": each.angle,
            }
            for each in laid
        ]
        for laid in cases
    ]
    found = run(
        pixels,
        """
        const {pool, cases} = given;
        return cases.map((laid) => {
          const paint = new pixels.Paint(pool, 1);
          const last = laid.at(-1);
          for (const each of laid.slice(0, -1)) paint.lay(each);
          const preview = paint.preview(last);
          paint.lay(last);
          const fault = pixels.faultOf(pool, laid.slice(0, -1), last);
          return [preview, paint.counts.slice(0, 2), fault === null];
        });
        """,
        {"pool": {"size": [480, 360], "shapes": shapes()}, "cases": shown},
    )
    for laid, (preview, counts, valid) in zip(cases, found, strict=True):
        expected = list(board.count(POOL, 1, tuple(laid)))
        assert counts == expected
        assert preview == expected
        assert valid == board.is_valid(POOL, laid[:-1], laid[-1])


# -- matches -------------------------------------------------------------------------------------


def field(page: Page, colour: str) -> Any:
    return page.locator(".domain__svg").nth(COLOURS.index(colour))


def take(page: Page, shape: str) -> None:
    is_asked(page)
    page.locator(".choices--shapes .choice").filter(has_text=shape).first.click()
    page.get_by_role("button", name=f"Take {shape}").click()
    waits(page)


def drafted(site: Site, new_page: Pages, options: dict[str, Any], **look: Any) -> tuple[Page, Page]:
    """Ada (red, with the advantage) holds 01 and 03, Ben 02 and 04; Ada is to place."""
    game = start(site, "domain", options={"pool": TINY, **options})
    ada, ben = game.open(new_page, "Ada", **look), game.open(new_page, "Ben", **look)
    for page in (ada, ben):
        page.locator(".choice--card").filter(has_text="I am ready").click()
        page.get_by_role("button", name="Ready", exact=True).click()
    is_asked(ada)
    page = ada
    page.locator(".choice--card").filter(has_text="Pick first").click()
    page.get_by_role("button", name="Pick first").last.click()
    for page, shape in ((ada, "01"), (ben, "02"), (ada, "03"), (ben, "04")):
        take(page, shape)
    is_asked(ada)
    return ada, ben


@pytest.fixture(autouse=True)
def no_errors(new_page: Pages) -> Iterator[None]:
    yield
    assert new_page.errors == []


def shot(page: Page, name: str) -> None:
    """A picture for people, where a folder for them is named."""
    folder = os.environ.get("GAUNTLET_SCREENSHOTS")
    if folder:
        page.screenshot(path=f"{folder}/domain-{name}.png", full_page=True)


def place_by_mouse(ada: Page) -> None:
    """Ada drags 01 out of the tray onto blue, turns it, and places it in a corner."""
    pick = ada.locator('.shape-pick[data-shape="01"]')
    pick.scroll_into_view_if_needed()
    box, target = pick.bounding_box(), field(ada, "blue").bounding_box()
    assert box is not None
    assert target is not None
    assert target["width"] > 480, "a point of the screen for every pixel, at least"
    ada.mouse.move(box["x"] + 20, box["y"] + 20)
    ada.mouse.down()
    ada.mouse.move(box["x"] + 40, box["y"] - 20, steps=4)
    ada.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=6)
    ada.mouse.up()
    ada.locator(".ghost--legal").wait_for()
    draft = ada.locator("[data-part=notation] input")
    # The middle of the picture, give or take a pixel of the screen.
    shape, colour, at, angle = draft.input_value().replace(" > ", " ").split()
    x, y = map(int, at.split(","))
    assert (shape, colour, angle) == ("01", "blue", "0")
    assert abs(x - 240) < 4
    assert abs(y - 180) < 4
    # The wheel turns by a degree, the field takes a number.
    field(ada, "blue").hover()
    ada.mouse.wheel(0, 100)
    ada.wait_for_function(
        "document.querySelector('[data-part=notation] input').value.endsWith(' 1')"
    )
    ada.get_by_label("Degrees").fill("90")
    ada.get_by_label("Degrees").press("Enter")
    ada.get_by_label("Pixels from the left").fill("61")
    ada.get_by_label("Pixels from the top").fill("61")
    ada.get_by_label("Pixels from the top").press("Tab")
    assert draft.input_value() == "01 > blue 61,61 90"
    # 120 by 120 pixels of Ben's would be Ada's.
    assert "187,200" in ada.locator(".domain-counts").inner_text()
    assert "+14,400" in ada.locator(".domain-counts").inner_text()
    shot(ada, "place-1440")
    ada.get_by_role("button", name="Place", exact=True).click()
    waits(ada)


TWO_FINGERS = """svg => {
  svg.setPointerCapture = () => {};
  const send = (type, id, x) => svg.dispatchEvent(new PointerEvent(type, {
    pointerId: id, pointerType: "touch", bubbles: true, button: 0, clientX: x, clientY: 400 }));
  send("pointerdown", 11, 300);
  send("pointerdown", 12, 400);
  send("pointermove", 11, 301);
  send("pointerup", 11, 301);
  send("pointerup", 12, 400);
  delete svg.setPointerCapture;
}"""


def look_from_near(ben: Page) -> None:
    """With no shape in hand what was placed last is magnified; a drag and the arrows pan."""

    def window() -> list[float]:
        return [float(each) for each in field(ben, "blue").get_attribute("viewBox").split()]

    for times in (2, 4):
        ben.get_by_role("button", name="Larger").click()
        assert window()[2] == (480 + 16) / times
    assert window()[:2] == [-1, 61 - 376 / 8], "centred on 61,61"
    assert ben.locator(".domain__svg--zoomed .ghost__pixels").count() == 1
    box = field(ben, "blue").bounding_box()
    assert box is not None
    ben.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    ben.mouse.down()
    ben.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2, steps=3)
    ben.mouse.up()
    left = window()[0]
    assert abs(left - (496 / 4 / 4 - 1)) < 2
    # Of two fingers the later one pulls; the other does not pull against it.
    field(ben, "blue").evaluate(TWO_FINGERS)
    assert window()[0] == left
    ben.get_by_role("button", name="Larger").press("ArrowRight")
    assert window()[0] > left
    shot(ben, "near-1440")
    for _ in range(2):
        ben.get_by_role("button", name="Smaller").click()
    assert window() == [-8, -8, 496, 376]


def type_move(page: Page, text: str) -> None:
    is_asked(page)
    page.locator("[data-part=notation] input").fill(text)
    page.locator("[data-part=notation] input").press("Enter")


def test_a_match_by_mouse_keyboard_and_typing_with_a_challenge(site: Site, new_page: Pages) -> None:
    look = {"viewport": {"width": 1440, "height": 1000}}
    ada, ben = drafted(site, new_page, {"choice_time": 300}, **look)
    place_by_mouse(ada)

    # Ben looks at it from near, has it checked, wrongly, and goes on.
    is_asked(ben)
    look_from_near(ben)
    ben.get_by_role("button", name="Challenge 01").click()
    ben.get_by_role("button", name="Challenge", exact=True).click()
    ben.locator(".log").get_by_text("it was valid").wait_for()
    is_asked(ben)
    assert ben.get_by_role("button", name="Challenge 01").count() == 0

    # By keys alone: next shape, other domain, ten to the right, a turn, place. It sticks out.
    ben.locator(".match__board").press("n")
    ben.locator(".ghost--legal").wait_for()
    ben.keyboard.press("d")
    ben.keyboard.press("Shift+ArrowRight")
    ben.keyboard.press("ArrowDown")
    ben.keyboard.press("r")
    value = ben.locator("[data-part=notation] input").input_value()
    assert value == "02 > red 250,181 15"
    for _ in range(20):
        ben.keyboard.press("Shift+ArrowRight")
    ben.keyboard.press("Enter")
    waits(ben)

    # Ada challenges that, rightly, by typing.
    type_move(ada, "challenge")
    ada.locator(".log").get_by_text("was not valid").wait_for()
    type_move(ada, "discard 03")

    type_move(ben, "04 > blue 70,70 20")
    # It lies on 01, whose outline is drawn over it.
    ada.locator(".shape__below").first.wait_for()
    assert ada.locator(".shape__below").count() == 1
    # The last placement waits for Ada to accept it.
    ada.locator(".choice--card").filter(has_text="Accept it").click()
    shot(ada, "final-1440")
    ada.get_by_role("button", name="Accept", exact=True).click()
    ada.locator("[data-part=result]:not([hidden])").wait_for()
    assert "You won" in ada.locator(".result__title").inner_text()
    look_at_the_replay(ada)


def look_at_the_replay(page: Page) -> None:
    """On a telephone: the shapes while they are drafted, then the domains, all within the page."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{page.url}replay/?move=5")
    page.locator("#replay .shape-gallery--still .shape-card").first.wait_for()
    assert page.locator(".shape-card[data-seat='0']").count() == 1
    assert page.locator(".shape-card").count() == 4
    page.keyboard.press("End")
    page.locator("#replay .domains--still .shape").first.wait_for()
    widths = page.locator(".domains--still .domain__svg").evaluate_all(
        "each => each.map((svg) => svg.getBoundingClientRect().width)"
    )
    assert min(widths) > 300
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    strip = page.locator(".replay__players .versus__side")
    assert strip.evaluate_all("each => each.every((one) => one.scrollWidth <= one.clientWidth)")
    shot(page, "replay-360")


def test_strict_refereeing_shows_why_a_placement_is_refused(site: Site, new_page: Pages) -> None:
    ada, _ = drafted(site, new_page, {"refereeing": "strict"})
    ada.locator('.shape-pick[data-shape="01"]').click()
    ada.get_by_label("Pixels from the left").fill("60")
    ada.get_by_label("Pixels from the left").press("Tab")
    ada.locator(".ghost--wrong").wait_for()
    assert "touches the purple frame" in ada.locator(".confirm__words").inner_text()
    assert ada.get_by_role("button", name="Place", exact=True).is_disabled()
    assert ada.locator(".domain-fault").count() == 1
    assert ada.locator(".shape__below").count() == 0
    shot(ada, "strict-1440")
    # The server says so as well.
    ada.locator("[data-part=notation] input").fill("01 > red 60,180 0")
    ada.locator("[data-part=notation] input").press("Enter")
    ada.locator("[data-part=note]").get_by_text("purple frame").wait_for()
    ada.get_by_label("Pixels from the left").fill("61")
    ada.get_by_label("Pixels from the left").press("Tab")
    ada.locator(".ghost--legal").wait_for()
    ada.get_by_role("button", name="Place", exact=True).click()
    waits(ada)


def test_by_touch_on_a_telephone(site: Site, new_page: Pages) -> None:
    look = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "color_scheme": "dark"}
    ada, _ = drafted(site, new_page, {}, **look)
    ada.locator('.shape-pick[data-shape="03"]').tap()
    ada.locator(".ghost--legal").wait_for()
    # It is shown where it lies now, though the tray is a screen below.
    ada.wait_for_function(
        "() => { const {top, bottom} = document.querySelector('.domain__svg')"
        ".getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }"
    )
    shot(ada, "place-360")
    # Domains lie one above the other, and nothing is wider than the screen.
    red, blue = field(ada, "red").bounding_box(), field(ada, "blue").bounding_box()
    assert red is not None
    assert blue is not None
    assert blue["y"] > red["y"] + red["height"]
    assert ada.evaluate("document.documentElement.scrollWidth") <= 360
    # Two fingers turn it.
    turned = ada.evaluate(
        """
        () => {
          const svg = document.querySelector(".domain__svg");
          const ghost = svg.querySelector(".ghost");
          const box = svg.getBoundingClientRect();
          const [cx, cy] = [box.left + box.width / 2, box.top + box.height / 2];
          svg.setPointerCapture = () => {};
          const send = (type, id, dx, dy) => ghost.dispatchEvent(new PointerEvent(type, {
            pointerId: id, pointerType: "touch", bubbles: true, button: 0, isPrimary: id === 1,
            clientX: cx + dx, clientY: cy + dy, cancelable: true,
          }));
          send("pointerdown", 1, -40, 0);
          send("pointerdown", 2, 40, 0);
          svg.dispatchEvent(new PointerEvent("pointermove", {pointerId: 2, pointerType: "touch",
            clientX: cx - 40, clientY: cy + 80}));
          svg.dispatchEvent(new PointerEvent("pointerup", {pointerId: 2, pointerType: "touch"}));
          svg.dispatchEvent(new PointerEvent("pointerup", {pointerId: 1, pointerType: "touch"}));
          return document.querySelector("[data-part=notation] input").value;
        }
        """
    )
    # From lying flat to standing upright, clockwise.
    assert turned.endswith(" 90"), turned
    ada.get_by_role("button", name="Place", exact=True).tap()
    waits(ada)


def test_the_organiser_is_told_and_rules_at_the_desk(site: Site, new_page: Pages) -> None:
    game = start(
        site, "domain", options={"pool": TINY, "review": "organiser"},
        others=("Olga",), organiser="Olga",
    )  # fmt: skip
    olga = game.open(new_page, "Olga", viewport={"width": 1440, "height": 1000})
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    olga.goto("/rules/")
    badge = olga.locator("[data-rulings-badge]")
    assert not badge.is_visible()
    said = [(ada, "ready"), (ben, "ready"), (ada, "first"), (ada, "take 01"), (ben, "take 02"),
            (ada, "take 03"), (ben, "take 04"), (ada, "01 > red 50,180 0")]  # fmt: skip
    for page, text in said:
        lines = page.locator(".log__item").count()
        type_move(page, text)
        page.wait_for_function(
            "lines => document.querySelectorAll('.log__item').length > lines", arg=lines
        )
    type_move(ben, "challenge")
    # She is told wherever she is, and the header counts what waits.
    toast = olga.locator(".toast").filter(has_text="Ada and Ben wait for your ruling in Domain.")
    toast.wait_for()
    assert badge.is_visible()
    assert badge.locator("[data-rulings-count]").inner_text() == "1"
    shot(olga, "ruling-told")
    olga.locator(".site-nav__link", has_text="Organise").click()
    # Other matches that she may rule on stand there too; this one waits for her.
    card = olga.locator(f'main .match-card a[href^="{game.address}"]').first
    card.wait_for()
    shot(olga, "ruling-queue")
    card.click()
    dispute = olga.locator(".desk__dispute")
    dispute.get_by_text("01 > red 50,180 0 is not valid").wait_for()
    picture = dispute.locator("img").element_handle()
    olga.wait_for_function("image => image.complete && image.naturalWidth > 400", arg=picture)
    assert ben.locator(".desk__dispute").count() == 0
    shot(olga, "desk-1440")
    olga.get_by_role("button", name="Enlarge the picture").click()
    olga.locator("dialog[open] img").wait_for()
    olga.wait_for_function(
        "() => document.querySelector('dialog[open] img').getBoundingClientRect().width > 800"
    )
    shot(olga, "desk-large")
    olga.locator("dialog[open]").get_by_role("button", name="Close").click()
    olga.locator(".match__desk").get_by_role("button", name="Rule invalid").click()
    dialog = olga.locator("dialog[open]")
    dialog.get_by_role("textbox", name="Reason").fill("It sticks out on the left.")
    dialog.get_by_role("button", name="Rule invalid").click()
    is_asked(ben)
    ben.locator(".log").get_by_text("ruled the placement invalid").wait_for()
    badge.wait_for(state="hidden")


def test_who_has_the_red_domain_is_red_all_over_the_page(site: Site, new_page: Pages) -> None:
    for red in (0, 1):
        page = start(site, "domain", advantage=red).open(new_page)
        assert page.evaluate(
            """
            (red) => {
              const style = getComputedStyle(document.querySelector(".match__players"));
              const same = (one, two) =>
                style.getPropertyValue(one) === style.getPropertyValue(two);
              return ["", "-soft"].every((kind) =>
                same(`--seat-${red}${kind}`, `--red${kind}`)
                && same(`--seat-${1 - red}${kind}`, `--blue${kind}`));
            }
            """,
            red,
        )


def test_lists_hear_that_a_match_has_ended(site: Site, new_page: Pages) -> None:
    game = start(site, "domain")
    ada = game.open(new_page, "Ada")
    watch = new_page()
    watch.goto("/watch/")
    card = watch.locator(f'.match-card a[href="{game.address}"]')
    card.wait_for()
    ada.get_by_role("button", name="Concede").click()
    ada.locator("dialog[open]").get_by_role("button", name="Concede").click()
    card.wait_for(state="detached")


def test_the_board_in_the_dark_and_the_draft_on_a_wide_screen(site: Site, new_page: Pages) -> None:
    game = start(site, "domain", options={"refereeing": "strict"})
    # The keys are those of this game.
    keys_of = game.open(new_page).locator(".match__keys")
    keys_of.locator("summary").click()
    assert "takes it to the other domain" in keys_of.inner_text()
    assert "half" not in keys_of.inner_text()
    look: dict[str, Any] = {"viewport": {"width": 1440, "height": 1000}, "color_scheme": "dark"}
    ada, ben = game.open(new_page, "Ada", **look), game.open(new_page, "Ben")
    shot(ada, "inspect-dark")
    assert ada.locator(".shape-gallery .shape-card").count() == 24
    for page in (ada, ben):
        page.locator(".choice--card").filter(has_text="I am ready").click()
        page.get_by_role("button", name="Ready", exact=True).click()
    ada.locator(".choice--card").filter(has_text="Pick first").click()
    ada.get_by_role("button", name="Pick first").last.click()
    is_asked(ada)
    ada.locator(".choices--shapes").wait_for()
    assert ada.locator(".choices--shapes .choice").count() == 24
    take(ada, "07")
    shot(ada, "draft-dark")
    is_asked(ben)
    assert ben.locator(".choices--shapes .choice").count() == 24  # 07 is where it was
    assert ben.locator(".choices--shapes .choice[data-disabled]").all_inner_texts() == ["07\nAda"]
