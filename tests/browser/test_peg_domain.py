"""Peg Domain in real browsers: every variant, by pointer, keyboard and picture."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw

from games.rulesets.peg_domain import painting
from tests.browser import players
from tests.browser.players import choose, is_asked

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TELEPHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}
Square = tuple[int, int]


def name(square: Square) -> str:
    return f"{'ABCDEFGHIJKL'[square[0]]}{square[1] + 1}"


def game_of(page: Page) -> dict[str, Any]:
    state: dict[str, Any] = page.evaluate(
        "async () => (await fetch(document.querySelector('#match').dataset.state)).json()"
    )
    found: dict[str, Any] = state["view"]["game"]
    return found


def path_of(rows: list[str], size: tuple[int, ...] = (3, 4, 5)) -> list[Square]:
    """A path of a pallet from one peg to another with so many squares."""
    return next(paths_of(rows, size))


def paths_of(rows: list[str], size: tuple[int, ...]) -> Iterator[list[Square]]:
    """All that a search from each peg meets. Pallets are drawn: not every path suits every test."""
    for row in range(16):
        for column in range(12):
            if rows[row][column] != "o":
                continue
            queue = deque([[(column, row)]])
            seen = {(column, row)}
            while queue:
                path = queue.popleft()
                x, y = path[-1]
                for step in ((0, -1), (1, 0), (0, 1), (-1, 0)):
                    square = (x + step[0], y + step[1])
                    if square in seen or not (0 <= square[0] < 12 and 0 <= square[1] < 16):
                        continue
                    seen.add(square)
                    mark = rows[square[1]][square[0]]
                    if mark == "o" and len(path) + 1 in size:
                        yield [*path, square]
                    if mark == "." and len(path) < max(size):
                        queue.append([*path, square])


def text_of(path: list[Square]) -> str:
    ways = {(0, -1): "U", (1, 0): "R", (0, 1): "D", (-1, 0): "L"}
    steps = pairwise(path)
    return f"{name(path[0])} {''.join(ways[b[0] - a[0], b[1] - a[1]] for a, b in steps)}"


def submit(page: Page, text: str) -> None:
    page.locator("#notation-text:enabled").fill(text)
    page.locator("#notation-text").press("Enter")


def begin(ada: Page, ben: Page) -> None:
    """Ada goes first and plays red."""
    is_asked(ada)
    choose(ada, "Order", "Take order")
    for page in (ada, ben):
        page.get_by_role("button", name="Ready").click()
        page.locator(".confirm").get_by_role("button", name="Ready").click()
        page.locator("[data-part=log]").get_by_text(
            f"{'Ada' if page is ada else 'Ben'} is ready"
        ).wait_for()
    is_asked(ada)
    choose(ada, "Go first", "Go first")
    is_asked(ben)
    choose(ben, "Blue", "Play blue")
    is_asked(ada)


def middle(page: Page, board: str, square: Square) -> tuple[float, float]:
    found = page.locator(f"{board} [data-square={name(square)}]").first
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def draw(page: Page, path: list[Square], colour: str = "red") -> None:
    """Draw a path with the mouse."""
    board = f".trio__pallet[data-colour={colour}]"
    page.mouse.move(*middle(page, board, path[0]))
    page.mouse.down()
    for square in path[1:]:
        page.mouse.move(*middle(page, board, square), steps=3)
    page.mouse.up()


def end(ada: Page, ben: Page) -> None:
    """Both finish, whoever is asked first."""
    for page in (ben, ada):
        page.locator("button[data-act=finish]").click()
        page.get_by_role("button", name="Finish", exact=True).click()
    for page in (ada, ben):
        page.locator("[data-part=turn][data-state=over]").wait_for()


def test_tempo_up_by_pointer(site: Site, new_page: Pages) -> None:
    game = players.start(site, "peg-domain", variant="tempo-up")
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin(ada, ben)
    red, blue = game_of(ada)["pallets"]
    assert red["rows"] == blue["rows"]
    path = path_of(red["rows"])
    draw(ada, path)
    ada.mouse.move(*middle(ada, ".trio__domain", (4, 4)))
    hint = ada.locator(".trio__domain .trio__count")
    hint.get_by_text("takes").wait_for()
    ada.mouse.wheel(0, 100)
    hint.get_by_text("turned by 90°").wait_for()
    ada.mouse.click(*middle(ada, ".trio__domain", (4, 4)))
    ada.get_by_role("button", name="Place", exact=True).click()
    is_asked(ben)
    assert game_of(ben)["last"]["move"] == f"{text_of(path)} > E5 90"
    # What lies there cannot be covered, and the page says so.
    submit(ben, f"{text_of(path)} > E5 0")
    ben.locator("[data-part=note]").get_by_text("There is a peg on E5").wait_for()
    ben.locator(".trio__domain .square--wrong").wait_for()
    end(ada, ben)
    result = ada.locator("[data-part=result]")
    result.wait_for()
    assert new_page.errors == []
    ada.goto(f"{game.address}replay/")
    ada.locator("#replay .trio--still").wait_for()
    tops = [each.bounding_box() for each in ada.locator(".trio--still .trio__title").all()]
    assert len({box["y"] for box in tops if box is not None}) == 1, "side by side"
    # On a telephone the domain takes the whole width, above both pallets.
    ada.set_viewport_size({"width": 360, "height": 740})
    boxes = [each.bounding_box() for each in ada.locator(".trio--still .board").all()]
    red_box, domain_box, blue_box = [box for box in boxes if box is not None]
    assert domain_box["width"] > 280
    assert domain_box["y"] + domain_box["height"] <= red_box["y"] == blue_box["y"]
    assert new_page.errors == []


def test_gauntlet_by_keyboard_on_a_telephone(site: Site, new_page: Pages) -> None:
    game = players.start(site, "peg-domain", variant="gauntlet")
    ada, ben = game.open(new_page, "Ada", **TELEPHONE), game.open(new_page, "Ben")
    begin(ada, ben)
    path = path_of(game_of(ada)["pallets"][0]["rows"])
    board = ada.locator(".trio__pallet[data-colour=red]")
    board.locator(f"[data-square={name(path[0])}]").focus()
    ada.keyboard.press("Enter")
    keys = {(0, -1): "ArrowUp", (1, 0): "ArrowRight", (0, 1): "ArrowDown", (-1, 0): "ArrowLeft"}
    for before, after in pairwise(path):
        ada.keyboard.press(keys[after[0] - before[0], after[1] - before[1]])
    ada.locator(".trio__domain .ghost").wait_for()
    # What turns it and what ends the cut are in one screen with all three boards.
    needed = [
        ada.get_by_role("button", name=label) for label in ("Start anew", "Turn right", "Put it")
    ]
    for each in (*needed, *ada.locator(".trio .board").all()):
        box = each.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= TELEPHONE["viewport"]["height"]
    ada.keyboard.press("n")
    ada.keyboard.press("Enter")
    ada.keyboard.press("Enter")
    is_asked(ben)
    first = game_of(ben)["last"]
    assert first["move"].startswith(f"{text_of(path)} > ")
    # The same shape by its squares, which only this variant takes.
    other = path_of(game_of(ben)["pallets"][1]["rows"])
    free = next(
        f"{c}{r}" for c in "FGHI" for r in range(1, 10)
        if not set(game_of(ben)["domain"]["pegs"]) & {f"{c}{r}"}
    )  # fmt: skip
    submit(ben, f"{' '.join(name(each) for each in other)} > {free} 45")
    ben.locator("[data-part=note]").get_by_text("0, 90, 180 or 270").wait_for()
    width = ada.evaluate("document.documentElement.scrollWidth")
    assert width <= TELEPHONE["viewport"]["width"], "nothing sticks out of a small screen"
    end(ada, ben)
    assert new_page.errors == []


def brushed(template: Image.Image, cut: list[Square], cover: list[Square]) -> Image.Image:
    """The template with these squares painted."""
    image = template.copy()
    pen = ImageDraw.Draw(image)
    for grid, squares in ((painting.PALLET, cut), (painting.DOMAIN, cover)):
        for square in squares:
            x, y = grid.corner(name(square))
            pen.rectangle((x + 1, y + 1, x + grid.cell - 1, y + grid.cell - 1), fill="#d02070")
    return image


def _file(content: bytes) -> FilePayload:
    return {"name": "mine.jpg", "mimeType": "image/jpeg", "buffer": content}


def kept_near(rows: list[str]) -> int:
    """How many squares of A1 to C3 of a fresh pallet carry or touch a peg."""
    return sum(
        any(
            rows[y][x] == "o"
            for y in range(max(0, row - 1), row + 2)
            for x in range(max(0, column - 1), column + 2)
        )
        for row in range(3)
        for column in range(3)
    )


def remove_three_by_three(page: Page, rows: list[str]) -> None:
    """Rapid Removal around B2 of the blue pallet, which is fresh: what goes is hatched, what stays
    is framed."""
    page.get_by_role("button", name="Rapid Removal").click()
    page.locator(".trio__pallet[data-colour=blue] [data-square=B2]").click()
    # Pallets are drawn: there may be nothing to take, and then the button has other words.
    page.locator(".confirm .button--primary").click()
    page.locator("[data-part=turn]").get_by_text("remove 3x3 B2").wait_for()
    aimed = page.locator(".trio__pallet[data-colour=blue] .aimed")
    assert aimed.count() == 9
    assert aimed.and_(page.locator("[fill=none]")).count() == kept_near(rows)


def width_of(page: Page, colour: str) -> float:
    """How wide a pallet is drawn."""
    box = page.locator(f".trio__pallet[data-colour={colour}] .board").bounding_box()
    assert box is not None
    return box["width"]


def test_the_final_with_a_removal_in_secret_and_items(site: Site, new_page: Pages) -> None:
    items = ((0, "rapid-removal"), (1, "additional-peg"))
    options = {"removal_window": 25}
    game = players.start(site, "peg-domain", variant="final", items=items, options=options)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben", **TELEPHONE)
    is_asked(ada)
    choose(ada, "Order", "Take order")
    is_asked(ben)
    # Additional Peg by a tap; before that there is no way to be ready.
    assert ben.get_by_role("button", name="Ready").count() == 0
    square = ben.locator(".trio__pallet[data-colour=blue] .square--legal").first
    extra = square.get_attribute("data-square")
    square.tap()
    ben.get_by_role("button", name="Name it").tap()
    ben.locator(".stud--extra").wait_for()
    assert str(extra) not in str(game_of(ada)), "it is a secret"
    ben.get_by_role("button", name="Ready").tap()
    ben.locator(".confirm").get_by_role("button", name="Ready").tap()
    submit(ada, "ready")
    is_asked(ada)
    choose(ada, "Go first", "Go first")
    is_asked(ben)
    choose(ben, "Blue", "Play blue")
    is_asked(ada)
    is_asked(ben)
    # On Ben's telephone the pallet to remove from is the large one.
    assert width_of(ben, "red") > 1.2 * width_of(ben, "blue")
    # Ben names a square, and then another one; Ada learns nothing of either.
    ben.locator(".board-facts").get_by_text("Open for at least 25 seconds of the turn").wait_for()
    removable = game_of(ben)["removable"]
    submit(ben, f"remove {removable[0]}")
    ben.locator("[data-part=turn]").get_by_text("You can still change it").wait_for()
    last = ben.locator(f".trio__pallet[data-colour=red] [data-square={removable[-1]}]").first
    last.scroll_into_view_if_needed()
    last.tap()
    ben.locator(".confirm").get_by_role("button", name="Remove", exact=True).tap()
    ben.locator("[data-part=turn]").get_by_text(f"remove {removable[-1]}").wait_for()
    assert "remov" not in ada.locator("[data-part=log]").inner_text()
    path = path_of(game_of(ada)["pallets"][0]["rows"])
    submit(ada, f"{text_of(path)} > E5 0")
    if ada.locator("[data-part=note]").is_visible():
        submit(ada, f"{text_of(path)} > E5 180")
    is_asked(ben)
    gone = game_of(ada)["last"]
    assert gone["removal"] == f"remove {removable[-1]}"
    blue = game_of(ben)["pallets"][1]
    assert blue["pegs"] == 37
    # Now Ada removes, three by three, while Ben places.
    remove_three_by_three(ada, blue["rows"])
    submit(ben, "finish")
    ada.locator("button[data-act=finish]").click()
    ada.get_by_role("button", name="Finish", exact=True).click()
    ada.locator("[data-part=turn][data-state=over]").wait_for()
    assert new_page.errors == []


def test_a_painted_placement(site: Site, new_page: Pages) -> None:
    game = players.start(site, "peg-domain", variant="tempo-up")
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin(ada, ben)
    path = path_of(game_of(ada)["pallets"][0]["rows"], (4,))
    ada.get_by_text("Answer with a picture").click()
    with ada.expect_download() as download:
        ada.get_by_role("link", name="Download the position").click()
    image = Image.open(download.value.path()).convert("RGB")
    # Painted with another program, and saved as JPEG at another size.
    column = min(each[0] for each in path)
    row = min(each[1] for each in path)
    shift = [(x - column, y - row) for x, y in path]
    whole, short = brushed(image, path, shift), brushed(image, path[:-1], shift[:-1])
    painted = io.BytesIO()
    whole.resize((1400, round(1400 * image.height / image.width))).save(painted, "JPEG", quality=70)
    cut_short = io.BytesIO()
    short.save(cut_short, "PNG")
    ada.locator("#paint-file").set_input_files(
        {"name": "mine.jpg", "mimeType": "image/jpeg", "buffer": b"nonsense"}
    )
    ada.locator(".readings").get_by_text("no PNG or JPEG").wait_for()
    # What is wrong with a picture is marked on the boards like what is wrong with a typed move.
    ada.locator("#paint-file").set_input_files(_file(cut_short.getvalue()))
    ada.locator(".trio__pallet[data-colour=red] .square--wrong").wait_for()
    ada.locator("#paint-file").set_input_files(_file(painted.getvalue()))
    ada.locator(".reading").first.wait_for()
    assert game_of(ada)["last"] is None, "nothing is submitted before it is confirmed"
    ada.get_by_role("button", name="Take this one").first.click()
    ada.get_by_role("button", name="Place", exact=True).click()
    is_asked(ben)
    last = game_of(ben)["last"]
    assert sorted(last["covered"]) == sorted(name(each) for each in shift)
    assert sorted(last["cut"]) == sorted(name(each) for each in path)
    # The room has the board as a picture.
    for address in ("board.png", "board/7.png"):
        answer = ben.request.get(f"{game.address}{address}")
        assert answer.status == 200
        assert Image.open(io.BytesIO(answer.body())).format == "PNG"
    # The browser itself tells of the refused upload.
    assert [error for error in new_page.errors if "409 (Conflict)" not in error] == []


def bulge_of(rows: list[str], path: list[Square]) -> Square | None:
    """A plain square beside the inside of a path: with it the cut-out is no path any more. None
    where there is no room."""
    for x, y in path[1:-1]:
        for step in ((0, -1), (1, 0), (0, 1), (-1, 0)):
            column, row = x + step[0], y + step[1]
            inside = 0 <= column < 12 and 0 <= row < 16
            if inside and (column, row) not in path and rows[row][column] == ".":
                return column, row
    return None


def test_gauntlet_by_any_shape(site: Site, new_page: Pages) -> None:
    """Squares chosen one by one, in any order, and placed by the pointer. The peg that began it is
    taken out and put back, so that the other one is the first."""
    game = players.start(site, "peg-domain", variant="gauntlet")
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin(ada, ben)
    rows = game_of(ada)["pallets"][0]["rows"]
    path, bulge = next(
        (path, bulge)
        for path in paths_of(rows, (4, 5))
        if (bulge := bulge_of(rows, path)) is not None
    )
    shape = [*path, bulge]
    ada.get_by_role("button", name="Any shape").click()
    for square in (*shape, path[0], path[0]):
        ada.mouse.click(*middle(ada, ".trio__pallet[data-colour=red]", square))
    # Into the corner: the domain is empty, so it fits.
    x, y = path[-1]
    spot = x - min(each[0] for each in shape), y - min(each[1] for each in shape)
    ada.mouse.move(*middle(ada, ".trio__domain", spot))
    ada.locator(".trio__domain .trio__count").get_by_text("takes").wait_for()
    ada.mouse.click(*middle(ada, ".trio__domain", spot))
    ada.get_by_role("button", name="Place", exact=True).click()
    is_asked(ben)
    last = game_of(ben)["last"]
    assert last["cut"][0] == name(path[-1])
    assert sorted(last["cut"]) == sorted(name(each) for each in shape)
    landed = {(spot[0] + each[0] - x, spot[1] + each[1] - y) for each in shape}
    assert sorted(last["covered"]) == sorted(name(each) for each in landed)
    end(ada, ben)
    assert new_page.errors == []
