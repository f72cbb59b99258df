"""Organisers in a real browser: they draw what they prepare, and host a match with it."""

from __future__ import annotations

import json
import re
import secrets
from typing import TYPE_CHECKING, Any

import pytest

from games.forms import times_of_all
from games.options.pace import default_times
from games.rulesets import REGISTRY
from tests.browser.players import is_live
from tests.pages.test_browser import sign_in  # noqa: F401  (a fixture)
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages

pytestmark = pytest.mark.browser

_ORGANISER = """
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant

head = User.objects.create_superuser("head-{mark}", password="{mark}")
role_grant(acting_user=head, user=User.objects.get(username="{name}"), role=Role.ORGANISER)
"""
SVG = """<svg xmlns="http://www.w3.org/2000/svg">
<path d="M0 0h120v90h-120z M30 30h40v30h-40z"/><circle cx="300" cy="80" r="60"/></svg>"""


@pytest.fixture
def three(site: Site, sign_in: Any) -> tuple[str, list[Page]]:  # noqa: F811
    """An organiser (o…) and two players (a…, b…): what their names end in, and their pages."""
    # What they are shown as is made of the first letters: it must not pass for another test's.
    mark = secrets.token_hex(4)
    pages = sign_in(*(f"{name}{mark}" for name in "oab"))
    site.python(_ORGANISER.format(mark=mark, name=f"o{mark}"))
    return mark, pages


def text_of(page: Page) -> str:
    """What is written of what is drawn."""
    return page.locator("[name=text]").input_value()


def keep(page: Page, name: str) -> None:
    """Give what is drawn a name, and keep it."""
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_role("button", name="Check and keep").click()
    page.wait_for_url(re.compile(r"/organise/prepared/\d+/$"))


def test_pallets_are_clicked_and_played_in_a_hosted_match(three: tuple[str, list[Page]]) -> None:
    mark, (host, anna, bert) = three
    host.goto("/organise/prepared/new/peg-domain/pallets/")
    host.get_by_role("button", name="Begin with the example").click()
    host.get_by_text("This is sound").wait_for()
    red = host.get_by_role("grid", name="Red pallet")
    (gone, *_) = [
        cell.get_attribute("data-square") for cell in red.locator("[aria-selected=true]").all()
    ]
    assert gone is not None
    red.locator(f"[data-square={gone}]").click()
    host.get_by_text("The red pallet has 35 pegs, not 36.").wait_for()
    host.keyboard.press("Enter")  # the square has the focus
    host.get_by_text("This is sound").wait_for()
    written = text_of(host)
    assert re.search(rf"^pallet red (.* )?{gone}( |$)", written, re.MULTILINE)
    host.get_by_role("button", name="Undo").click()
    host.get_by_text("The red pallet has 35 pegs, not 36.").wait_for()
    host.get_by_role("button", name="Redo").click()
    host.get_by_text("This is sound").wait_for()
    assert text_of(host) == written
    keep(host, "Clicked")

    host.get_by_role("link", name="Host a match with it").click()
    host.locator("[name=first]").fill(f"a{mark}")
    host.locator("[name=second]").fill(f"b{mark}")
    host.get_by_role("radio", name="First player").check()  # has the advantage
    host.get_by_role("button", name="Invite both").click()
    host.wait_for_url(re.compile(r"/hosted/\d+/$"))
    for page in (anna, bert):
        page.goto("/lobby/")
        page.get_by_role("link", name="Answer the invitation").click()
        assert page.get_by_text("Pallets, by the host").is_visible()
        assert page.get_by_text("Clicked").count() == 0
        page.get_by_role("button", name="Accept").click()
    # Whoever waits is taken to the match.
    for page in (anna, bert, host):
        page.wait_for_url(re.compile(r"/matches/\d+/$"))
        is_live(page)
    host.get_by_text("Hosted by").first.wait_for()
    anna.get_by_label("Or type your move").fill("take order")
    anna.get_by_role("button", name="Submit").click()
    # What is supplied comes into play with the first choice, and the log says by whom.
    for page in (anna, bert, host):
        page.locator(".log__item", has_text=f"O{mark[:3]}").first.wait_for()
    assert host.get_by_role("button", name="Pause").count() == 1
    assert anna.get_by_role("button", name="Pause").count() == 0


def test_shapes_are_drawn_and_imported(three: tuple[str, list[Page]]) -> None:
    _, (host, *_) = three
    host.goto("/organise/prepared/new/domain/pool/")
    sheet = host.get_by_role("application", name="Sheet")
    sheet.wait_for()
    box = sheet.bounding_box()
    assert box is not None
    unit = box["width"] / 480

    def at(x: int, y: int) -> dict[str, Any]:
        return {"x": box["width"] / 2 + x * unit, "y": box["height"] / 2 + y * unit}

    for corner in ((-50, -40), (50, -40), (50, 40)):
        sheet.click(position=at(*corner))  # type: ignore[arg-type]
    drawn = json.loads(text_of(host))["shapes"]
    assert len(drawn) == 1
    assert drawn[0]["start"] is True
    for (x, y), (u, v) in zip(drawn[0]["outline"], [(-50, -40), (50, -40), (50, 40)], strict=True):
        assert abs(x - u) <= 1
        assert abs(y - v) <= 1
    # The server says at once what is wrong, and what it counts.
    host.get_by_text("There are 1 shapes; there may be 2 to 100.").wait_for()
    host.get_by_role("list", name="Shapes of the pool").get_by_text(re.compile(r"px")).wait_for()

    sheet.focus()
    host.keyboard.press("ArrowLeft")
    host.keyboard.press("Enter")
    assert len(json.loads(text_of(host))["shapes"][0]["outline"]) == 4
    host.get_by_role("button", name="Undo").click()
    assert len(json.loads(text_of(host))["shapes"][0]["outline"]) == 3

    host.get_by_label("Add shapes from an SVG file").set_input_files(
        {"name": "two.svg", "mimeType": "image/svg+xml", "buffer": SVG.encode()}
    )
    host.wait_for_function(
        "() => JSON.parse(document.querySelector('[name=text]').value).shapes.length === 3"
    )
    shapes = json.loads(text_of(host))["shapes"]
    assert [len(each.get("holes", [])) for each in shapes] == [0, 1, 0]
    assert shapes[1]["outline"] == [[-60, -45], [60, -45], [60, 45], [-60, 45]]
    host.get_by_role("button", name="Duplicate").click()
    host.get_by_role("button", name="Turn by 90°").click()
    assert len(json.loads(text_of(host))["shapes"]) == 4

    host.get_by_label("Add shapes from an SVG file").set_input_files(
        {"name": "no.svg", "mimeType": "image/svg+xml",
         "buffer": b'<svg xmlns="http://www.w3.org/2000/svg"><text id="t">A</text></svg>'}
    )  # fmt: skip
    host.get_by_text("<text> “t” is no shape.").wait_for()
    assert len(json.loads(text_of(host))["shapes"]) == 4


def test_why_a_file_is_refused_stays_when_a_check_comes_late(
    three: tuple[str, list[Page]],
) -> None:
    _, (host, *_) = three
    held: list[Any] = []
    host.route("**/pool/check/", lambda route: held.append(route))  # noqa: PLW0108  (a wrapper is wanted)
    host.goto("/organise/prepared/new/domain/pool/")
    sheet = host.get_by_role("application", name="Sheet")
    sheet.wait_for()
    for x in (200, 260):
        sheet.click(position={"x": x, "y": 150})
    while not held:
        host.wait_for_timeout(50)
    host.get_by_label("Add shapes from an SVG file").set_input_files(
        {"name": "no.svg", "mimeType": "image/svg+xml",
         "buffer": b'<svg xmlns="http://www.w3.org/2000/svg"><text id="t">A</text></svg>'}
    )  # fmt: skip
    refused = host.get_by_text("<text> “t” is no shape.")
    refused.wait_for()
    with host.expect_response("**/pool/check/") as told:
        for each in held:
            each.continue_()
    told.value.finished()
    host.wait_for_timeout(200)
    assert refused.is_visible()


@pytest.mark.parametrize("path", ["domain/pool", "peg-domain/pallets"])
def test_a_finger_meets_every_button_of_an_editor(
    three: tuple[str, list[Page]], new_page: Pages, path: str
) -> None:
    _, (host, *_) = three
    phone = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.context.add_cookies(host.context.cookies())  # type: ignore[arg-type]
    phone.goto(f"/organise/prepared/new/{path}/")
    phone.get_by_role("button", name="Begin with the example").click()
    phone.get_by_text("This is sound").wait_for()
    phone.get_by_text("Edit as text, or upload a file").click()
    small = {}
    controls = phone.locator("main :is(button, select, summary, .input, input[type=file])")
    for control in controls.locator("visible=true").all():
        box = control.bounding_box()
        assert box is not None
        if box["height"] < 44:
            small[str(control.evaluate("each => each.outerHTML"))[:120]] = box["height"]
    assert small == {}


IN_SIGHT = """form => {
    const seen = (each) => each.checkVisibility();
    for (const part of form.querySelectorAll("details:not([hidden])")) part.open = true;
    const words = (all) => [...all].filter(seen).map((each) => each.textContent.trim());
    return {
        empty: words(form.querySelectorAll("details")).length
            - [...form.querySelectorAll("details")].filter(
                (each) => seen(each) && each.querySelector("input:enabled, select:enabled")).length,
        legends: words(form.querySelectorAll("details legend")),
        times: [...form.querySelectorAll("[name^=time_]")].filter(seen).map((each) => each.name),
        usual: words(form.querySelectorAll("span[data-of]")),
        supplied: [...form.querySelectorAll("[name=preparation] option:enabled")]
            .filter(() => seen(form.elements.preparation)).map((each) => each.textContent),
        sent: [...new FormData(form).keys()],
    };
}"""


@pytest.mark.parametrize("address", ["/organise/hosted/new/", "/challenges/new/"])
def test_a_form_shows_and_sends_what_the_chosen_game_has(
    three: tuple[str, list[Page]], address: str
) -> None:
    _, (host, *_) = three
    host.goto("/organise/prepared/new/peg-domain/pallets/")
    host.get_by_role("button", name="Begin with the example").click()
    host.get_by_text("This is sound").wait_for()
    keep(host, "Pegs")
    host.goto(address)
    form = host.locator("main form")
    names = {game.id: game.name for game in REGISTRY}
    for game in REGISTRY:
        for variant in game.variants:
            host.locator(f"[name=game][value='{game.id}/{variant.id}']").check(force=True)
            found = form.evaluate(IN_SIGHT)
            assert found["empty"] == 0, (game.id, variant.id, found)
            assert found["times"] == [
                f"time_{key}" for key in times_of_all() if key in default_times(game)
            ]
            assert len(found["usual"]) == len(found["times"])
            assert {each.partition(" in ")[2] for each in found["usual"]} == {f"{game.name}."}
            others = {name for ruleset, name in names.items() if ruleset != game.id}
            assert not others & {*found["legends"]}, found
            assert {*found["times"]} >= {key for key in found["sent"] if key.startswith("time_")}
            supplied = [each for each in found["supplied"] if not each.startswith("Nothing")]
            assert [each.partition(",")[0] for each in supplied] == (
                ["Peg Domain"] if game.id == "peg-domain" else []
            )
            items = [item.name for item in game.items if variant.id in item.variants]
            if "hosted" in address:
                assert [name for name in items if name not in found["legends"]] == []
                assert ("Items" in host.locator("main form").inner_text()) is bool(items)
