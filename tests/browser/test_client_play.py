"""Whole matches in real browsers against the real site: by mouse, touch, keyboard and notation."""

from __future__ import annotations

import itertools
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import players
from tests.browser.players import choose, is_asked, is_live, place_by_keyboard, turn, waits
from tests.support.clipboard import copied
from tests.support.screens import assert_fits

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TETRONOGO = "tetronogo"
DOMINO = "domino-black-white"
TELEPHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


def begin_tetronogo(ada: Page, ben: Page, pieces: tuple[str, str] = ("O", "I")) -> None:
    """Pick both tetrominoes and let Ada go first."""
    choose(ada, pieces[0], f"Pick {pieces[0]}")
    choose(ben, pieces[1], f"Pick {pieces[1]}")
    choose(ada, "Go first", "Go first")
    is_asked(ada)


def mover(one: Page, other: Page) -> tuple[Page, Page]:
    """The page that is asked, and the one that waits."""
    asked = "[data-part=turn][data-state=yours]"
    while True:
        if one.locator(asked).count():
            return one, other
        if other.locator(asked).count():
            return other, one
        one.wait_for_timeout(20)


def log_of(page: Page) -> list[str]:
    """What the log says, line by line."""
    return [text.strip() for text in page.locator("[data-part=log] .log__text").all_inner_texts()]


def drawn(page: Page) -> list[str]:
    """The pieces on the board by their outlines, whoever looks at it."""
    bodies = page.locator(".piece__body, .domino__tray").all()
    return sorted(str(body.get_attribute("d")) for body in bodies)


# -- whole stretches of play ---------------------------------------------------------------------


def test_a_whole_bout_of_tetronogo_with_somebody_watching(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    watcher = game.open(new_page)

    choose(ada, "O", "Pick O")
    turn(ada).get_by_text("Your choice is in: pick O. Waiting for Ben.").wait_for()
    # Nobody else can tell: not in words, not in the log, and the clock runs on as before.
    for page in (ben, watcher):
        page.wait_for_timeout(300)
        assert log_of(page) == ["Nothing has happened yet."] or log_of(page) == []
        states = [card.get_attribute("data-state") for card in page.locator(".player").all()]
        assert states == ["running", "running"]
    assert "Both players are picking" in turn(watcher).inner_text()
    choose(ben, "I", "Pick I")
    choose(ada, "Go second", "Go second")

    placed = 0
    while not ada.locator(".bout[data-winner], .bouts .bout__score").count():
        page, other = mover(ada, ben)
        said = [(each, len(log_of(each))) for each in (page, other)]
        place_by_keyboard(page)
        placed += 1
        assert placed <= 36
        for each, lines in said:
            each.locator("[data-part=log] .log__text").nth(lines).wait_for()
    assert placed >= 12  # at most 36 fit; fewer than 12 cannot fill the board

    for page in (ada, ben, watcher):
        page.locator(".bouts .bout__score").first.wait_for()
    # The groups on the board add up to the score of the bout, for everybody.
    score = ada.locator(".bouts .bout__score").first.inner_text()
    for page in (ada, ben, watcher):
        assert page.locator(".bouts .bout__score").first.inner_text() == score
        sums = [
            sum(int(text) for text in page.locator(f".group--seat-{seat} text").all_inner_texts())
            for seat in (0, 1)
        ]
        assert sums == [int(number) for number in re.findall(r"\d+", score)]
    is_asked(ada)
    is_asked(ben)
    # What was used once cannot be picked again.
    assert ada.locator(".choice[data-disabled]").inner_text().startswith("O")
    assert ben.locator(".choice[data-disabled]").inner_text().startswith("I")
    assert new_page.errors == []


def test_ten_turns_of_domino_black_and_white(new_page: Pages, site: Site) -> None:
    game = players.start(site, DOMINO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    watcher = game.open(new_page)
    choose(ada, "Go second", "Go second")
    is_asked(ben)
    for number in range(10):
        page, _ = mover(ada, ben)
        if number % 2:
            lay_by_mouse(page)
        else:
            lay_by_keyboard(page)
        waits(page)
    is_asked(ben)
    for page in (ada, ben, watcher):
        page.locator(".domino").nth(9).wait_for()
        assert page.locator(".domino").count() == 10
        assert drawn(page) == drawn(ada)
    # Each knows the numbers that they hid themselves, and no others.
    assert ada.locator(".half__badge").count() == 5
    assert ada.locator(".half__number").get_by_text("?").count() == 5
    assert watcher.locator(".half__badge").count() == 0
    assert watcher.locator(".half__number").get_by_text("?").count() == 10
    assert watcher.locator(".hand:visible").count() == 0
    assert ada.locator(".hand__domino--gone").count() == 5
    # The letters beside the log are the points of both together.
    letters = watcher.locator("[data-part=log] .tag--letter").count()
    scores = watcher.locator(".player__score strong").all_inner_texts()
    assert letters == sum(int(score) for score in scores)
    assert new_page.errors == []


def lay_by_keyboard(page: Page) -> None:
    """Take a domino, lay it and hide its higher half, by keys alone."""
    is_asked(page)
    page.locator(".hand input:not(:disabled)").first.focus()
    page.keyboard.press("Space")
    while True:
        page.keyboard.press("n")
        if page.locator(".ghost--legal").count():
            break
        page.keyboard.press("r")
    page.keyboard.press("Enter")
    page.locator(".ghost--pinned").wait_for()
    assert page.get_by_role("button", name="Place", exact=True).is_disabled()
    page.keyboard.press("h")
    page.keyboard.press("Enter")


def lay_by_mouse(page: Page) -> None:
    """Take a domino, lay it where the board says that it fits, and hide the half clicked on."""
    is_asked(page)
    page.locator(".hand__domino:not(.hand__domino--gone)").last.click()
    if not page.locator(".square--legal").count():
        page.get_by_role("button", name="Turn right").click()
    middle(page, page.locator(".square--legal").first)
    page.locator(".ghost--pinned").wait_for()
    page.locator(".ghost .half").first.click()
    page.get_by_role("button", name="Place", exact=True).click()


def middle(page: Page, square: Any) -> None:
    """Click in the middle of a square, whatever lies on it."""
    square.scroll_into_view_if_needed()
    box = square.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


# -- drops, kills and restarts -------------------------------------------------------------------


def test_a_killed_tab_comes_back_in_the_middle_of_its_turn(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin_tetronogo(ada, ben)
    place_by_keyboard(ada)
    is_asked(ben)
    before = drawn(ben)
    assert len(before) == 1
    ben.context.close()
    ada.locator(".player[data-seat='1'] .presence[data-state=away]").wait_for()
    ben = game.open(new_page, "Ben")
    is_asked(ben)  # nothing was lost, and being away has cost nothing but time
    assert drawn(ben) == before
    place_by_keyboard(ben)
    is_asked(ada)
    assert len(drawn(ada)) == 2
    assert new_page.errors == []


def test_a_move_made_while_the_server_was_down_counts_once(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin_tetronogo(ada, ben)
    site.web.kill()
    ada.locator("#match:not([data-connection=live])").wait_for()
    place_by_keyboard(ada)
    turn(ada).get_by_text("Sending your choice").wait_for()
    ada.locator("[data-part=connection]").get_by_text("Your move is kept").wait_for()
    # The tab goes away with the move unsent, and comes back when the server has.
    ada.goto("about:blank")
    site.web.start()
    ada.goto(game.base_url + game.address)
    ben.locator("#match[data-connection=live]").wait_for(timeout=60_000)
    is_asked(ben)
    waits(ada)
    assert len(drawn(ben)) == 1
    rows = site.sql(
        "select count(*) from games_matchentry where match_id = %s and actor = '0'"
        " and client_id <> ''",
        game.match,
    )
    assert rows == [(3,)]  # a pick, the order and this one
    assert ada.evaluate("sessionStorage.length") == 0


def test_after_a_restart_everybody_comes_back_by_themselves(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    watcher = game.open(new_page)
    begin_tetronogo(ada, ben)
    site.web.terminate()
    for page in (ada, ben, watcher):
        page.locator("[data-part=connection]:not([hidden])").wait_for()
    site.web.start()
    for page in (ada, ben, watcher):
        page.locator("#match[data-connection=live]").wait_for(timeout=60_000)
        assert page.locator("[data-part=connection]").is_hidden()
    place_by_keyboard(ada)
    is_asked(ben)
    watcher.locator(".piece").wait_for()


def test_a_match_can_be_played_where_sockets_are_blocked(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = new_page(), game.open(new_page, "Ben")
    ada.route_web_socket("**/ws/**", lambda socket: socket.close(code=1011))
    session = {"name": game.cookie, "value": game.sessions["Ada"], "url": game.base_url}
    ada.context.add_cookies([session])  # type: ignore[list-item]
    ada.goto(game.address)
    ada.locator("#match[data-connection=polling]").wait_for()
    ada.locator("[data-part=connection]").get_by_text("blocked").wait_for()
    # She is there, for herself and for him.
    for page in (ada, ben):
        page.locator(".presence[data-state=here]").nth(1).wait_for(timeout=30_000)
    begin_tetronogo(ada, ben)
    for _ in range(2):
        place_by_keyboard(ada)
        place_by_keyboard(ben)
    is_asked(ada)
    assert drawn(ada) == drawn(ben)
    ada.locator("#notation-text").fill("A1 0")
    ada.locator("#notation-text").fill("Z9 0")
    ada.keyboard.press("Enter")
    ada.locator("[data-part=note]").get_by_text("There is no square Z9").wait_for()


# -- typing, refusals, announcements -------------------------------------------------------------


def test_typed_moves_and_refusals(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    for page, text, done in (
        (ada, "pick t", "Your choice is in: pick T."),
        (ben, "PICK  O", "Ada is choosing who starts."),
        (ada, "first", "Your decision: Place your tetromino."),
        (ada, "d4.90", "Ben is placing a tetromino."),
    ):
        is_asked(page)
        page.locator("#notation-text").fill(text)
        page.keyboard.press("Enter")
        turn(page).get_by_text(done).wait_for()
    is_asked(ben)
    # What overlaps is refused with the reason; the squares are marked, the words can be mended.
    field = ben.locator("#notation-text")
    field.fill("D5 0")
    ben.keyboard.press("Enter")
    note = ben.locator("[data-part=note]")
    note.get_by_text("would overlap").wait_for()
    assert note.get_attribute("role") == "alert"
    assert ben.locator(".square--wrong").count() >= 1
    assert field.input_value() == "D5 0"
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("F5 0")
    ben.keyboard.press("Enter")
    is_asked(ada)
    assert note.is_hidden()
    assert new_page.errors == []


def test_the_sound_switch_is_remembered_and_conceding_asks_first(
    new_page: Pages, site: Site
) -> None:
    game = players.start(site, DOMINO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    is_asked(ada)
    switch = ada.get_by_role("button", name="Sound")
    assert switch.get_attribute("aria-pressed") == "true"
    with ada.expect_response(lambda each: "sound=" in (each.request.post_data or "")):
        switch.click()
    ada.reload()
    is_live(ada)
    assert switch.get_attribute("aria-pressed") == "false"
    ada.locator("#notation-text").fill("concede")
    ada.keyboard.press("Enter")
    ada.get_by_role("button", name="Play on").click()
    is_asked(ada)
    assert ben.locator("[data-part=result]").is_hidden()
    ben.get_by_role("button", name="Concede").click()
    ben.locator("dialog[open]").get_by_role("button", name="Concede").click()
    for page, told in ((ada, "You won: Ben conceded."), (ben, "You lost: you conceded.")):
        page.locator("[data-part=result]").get_by_text(told).wait_for()
    passer = new_page()
    for page, told in (
        (ada, "You won: Ben conceded."),
        (ben, "You lost: you conceded."),
        (passer, "Ada won: Ben conceded."),
    ):
        page.goto(f"{game.address}replay/")
        page.locator(".replay__result").get_by_text(told, exact=True).wait_for()
    assert new_page.errors == []


def test_what_happens_is_announced(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO, options={"turn_time": 38, "reserve": 60})
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin_tetronogo(ada, ben)
    # At once: she has eight seconds until she would be told of the time herself.
    ada.locator("#notation-text").fill("A1 0")
    ada.keyboard.press("Enter")
    polite = ben.locator("#announcer")
    polite.get_by_text("Your decision: Place your tetromino.").wait_for(state="attached")
    assert "Ada placed O at A1 0." in polite.inner_text()
    assert ben.title().startswith("▶ Your decision")
    assert not ada.title().startswith("▶")
    # Low time interrupts whoever it is about, and is a remark for everybody else.
    urgent = ben.locator("#announcer-now")
    urgent.get_by_text("You have 30 seconds left.").wait_for(state="attached")
    ada.locator("#announcer").get_by_text("Ben has 30 seconds left.").wait_for(state="attached")
    assert ada.locator("#announcer-now").inner_text() == ""
    # Moving by keys reads out where the piece is and whether it fits.
    ben.locator(".board [tabindex='0']").focus()
    ben.keyboard.press("ArrowDown")
    ben.keyboard.press("ArrowDown")
    named = ben.evaluate("document.activeElement.getAttribute('aria-label')")
    assert re.fullmatch(r"[A-L]\d+, I turned by 0 degrees, at [A-L]\d+: .*", named)
    ben.keyboard.press("r")
    assert "I turned by 90 degrees" in polite.inner_text()


# -- widths, touch, pages without scripts --------------------------------------------------------


@pytest.mark.parametrize("ruleset", [TETRONOGO, DOMINO])
def test_a_telephone_shows_it_all(new_page: Pages, site: Site, ruleset: str) -> None:
    game = players.start(site, ruleset)
    ada = game.open(new_page, "Ada", color_scheme="dark", **TELEPHONE)
    ben = game.open(new_page, "Ben", **TELEPHONE)
    if ruleset == TETRONOGO:
        fits_and_can_be_hit(ada)
        begin_tetronogo(ada, ben)
    else:
        choose(ada, "Go first", "Go first")
        is_asked(ada)
        ada.locator(".hand__domino").nth(8).tap()
    fits_and_can_be_hit(ada)
    board = ada.locator("svg.board").bounding_box()
    assert board is not None
    assert board["x"] >= 0
    assert board["x"] + board["width"] <= 360
    # With the whole hand below it, and the plan.
    assert board["width"] >= (320 if ruleset == TETRONOGO else 240)
    assert new_page.errors == []


def fits_and_can_be_hit(page: Page) -> None:
    """Assert that the page does not scroll sideways and that a thumb can hit every control."""
    assert_fits(page)
    small = page.evaluate(
        """[...document.querySelectorAll("main :is(button, input, summary, label.choice)")]
        .filter((each) => each.checkVisibility())
        .map((each) => [each.outerHTML.slice(0, 90), each.getBoundingClientRect()])
        .filter(([, box]) => box.width < 40 || box.height < 40)
        .map(([html, box]) => [html, box.width, box.height])"""
    )
    assert small == []


def test_tapping_dragging_and_twisting(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada", **TELEPHONE), game.open(new_page, "Ben")
    begin_tetronogo(ada, ben, ("T", "I"))
    words = ada.locator(".confirm__words")
    touch = fingers(ada)
    box = box_of(ada, "svg.board")
    ada.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    ada.locator(".ghost--pinned").wait_for()
    comes_to_rest(ada)  # the page makes room for the bar
    before = words.inner_text()

    # A finger on the piece moves the piece and not the page.
    scrolled = ada.evaluate("scrollY")
    ghost = box_of(ada, ".ghost")
    x, y = ghost["x"] + ghost["width"] / 2, ghost["y"] + ghost["height"] - 6
    touch("touchStart", (x, y))
    for step in range(1, 9):
        touch("touchMove", (x - 8 * step, y - 8 * step))
    touch("touchEnd")
    assert ada.evaluate("scrollY") == scrolled
    assert words.inner_text() != before

    # Two fingers on the board turn it.
    assert "turned by 0°" in words.inner_text()
    box = box_of(ada, "svg.board")
    x, y = box["x"] + 60, box["y"] + box["height"] / 2
    touch("touchStart", (x, y))
    touch("touchStart", (x, y), (x + 90, y))
    touch("touchEnd")
    assert "turned by 90°" in words.inner_text()
    touch("touchStart", (x, y), (x + 90, y))
    touch("touchMove", (x, y), (x + 50, y + 70))
    touch("touchEnd")
    assert "turned by 180°" in words.inner_text()

    ada.get_by_role("button", name="Move left").tap()
    ada.get_by_role("button", name="Place", exact=True).tap()
    is_asked(ben)
    assert new_page.errors == []


def comes_to_rest(page: Page) -> None:
    """Wait until the page has neither grown nor scrolled for half a second's pictures."""
    page.evaluate(
        """() => new Promise((done) => {
            let [before, still] = ["", 0];
            const look = () => {
                const now = [scrollX, scrollY, document.documentElement.scrollHeight].join();
                still = now === before ? still + 1 : 0;
                before = now;
                if (still >= 30) done();
                else requestAnimationFrame(look);
            };
            look();
        })"""
    )


def fingers(page: Page) -> Callable[..., None]:
    """A function that puts fingers on the screen as a driver would, every 30 ms."""
    session = page.context.new_cdp_session(page)
    # What the page reads off its events is how long a touch took: not how long the machine did.
    moments = itertools.count(time.time(), 0.03)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        event = {"type": kind, "touchPoints": at, "timestamp": next(moments)}
        session.send("Input.dispatchTouchEvent", event)
        page.wait_for_timeout(30)

    return touch


def box_of(page: Page, selector: str) -> dict[str, float]:
    """Where an element is on the screen."""
    page.locator(selector).scroll_into_view_if_needed()
    box = page.locator(selector).bounding_box()
    assert box is not None
    return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}


def test_a_page_without_scripts_shows_board_and_log(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    begin_tetronogo(ada, ben)
    place_by_keyboard(ada)
    is_asked(ben)
    plain = new_page(java_script_enabled=False)
    plain.goto(game.address)
    assert "Ada placed O at A1 0" in plain.locator(".log").inner_text()
    assert plain.locator("[data-part=board] img").get_attribute("alt")
    assert plain.locator("[data-part=turn]").is_hidden()
    assert "Without JavaScript" in plain.locator(".match__main > noscript").inner_text()


# -- beside the board ----------------------------------------------------------------------------


def test_the_organisers_desk(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO, others=("Olga",), organiser="Olga")
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    olga = game.open(new_page, "Olga")
    assert ada.locator(".match__desk").count() == 0
    begin_tetronogo(ada, ben)

    def act(name: str, why: str, *, may_wait: bool = False, sure: bool = False,
            **fields: str) -> None:  # fmt: skip
        olga.locator(".match__desk").get_by_role("button", name=name).click()
        dialog = olga.locator("dialog[open]")
        button = dialog.locator(".dialog__foot button").last
        if may_wait:  # while a clock runs
            dialog.get_by_text("While a clock runs you may leave it for later.").wait_for()
        else:
            button.click()  # no reason, no act
            assert dialog.is_visible()
        for label, value in fields.items():
            field = dialog.get_by_label(label.replace("_", " "))
            if field.evaluate("each => each.tagName") == "SELECT":
                field.select_option(label=value)
            else:
                field.fill(value)
        dialog.get_by_role("textbox", name="Reason").fill(why)
        if sure:
            button.click()
            assert dialog.is_visible()
            dialog.get_by_label("I am sure").check()
        button.click()
        dialog.wait_for(state="hidden")

    act("Pause", "Fire alarm", may_wait=True)
    turn(ada).get_by_text("The organiser has paused the match.").wait_for()
    assert ada.locator("#notation-text").is_disabled()
    assert ada.locator(".player[data-seat='0']").get_attribute("data-state") == "paused"
    ada.locator("[data-part=log]").get_by_text("Reason: Fire alarm").wait_for()
    act("Resume", "It was a drill")
    is_asked(ada)
    act("Change reserve", "A slip of the server", may_wait=True, Player="Ben", Seconds_to_add="60")
    ada.locator(".player[data-seat='1'] .clock__reserve").get_by_text("3:00").wait_for()
    act("Extend decision", "Telephone", may_wait=True, Player="Ada", Seconds_to_add="600")
    ada.locator(".player[data-seat='0'] .clock__time").get_by_text(re.compile("^1[01]:")).wait_for()
    place_by_keyboard(ada)
    is_asked(ben)
    act("Take back", "Played by a cat", sure=True)
    is_asked(ada)
    assert drawn(ada) == []
    ada.locator(".log__item--undone").get_by_text("Ada placed").wait_for()
    act("Void match", "The cat again", sure=True)
    result = ben.locator("[data-part=result]")
    result.get_by_text("The match was voided by the organiser: nobody has won.").wait_for()
    assert "The cat again" in result.inner_text()
    assert new_page.errors == []


def test_chat_rooms(new_page: Pages, site: Site) -> None:
    game = players.start(site, TETRONOGO, others=("Sally",))
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    sally, passer = game.open(new_page, "Sally"), game.open(new_page)

    def say(page: Page, room: str, text: str) -> None:
        page.get_by_label(f"Message to the {room}").fill(text)
        page.keyboard.press("Enter")

    assert ada.get_by_role("tab", name="Spectators").count() == 0
    say(ada, "players", "Good luck, <b>Ben</b>")
    for page in (ben, sally, passer):
        line = page.locator("#chat-players").get_by_text("Good luck, <b>Ben</b>")
        line.wait_for(state="attached")
    assert sally.get_by_role("tab", name="Players").locator(".badge").inner_text() == "1"
    say(sally, "spectators", "Ada will win")
    passer.locator("#chat-spectators").get_by_text("Ada will win").wait_for()
    assert passer.get_by_label("Message to the spectators").count() == 0 or not (
        passer.get_by_label("Message to the spectators").is_visible()
    )
    ben.wait_for_timeout(300)
    assert "Ada will win" not in ben.content()
    ben.get_by_role("button", name="Concede").click()
    ben.locator("dialog[open]").get_by_role("button", name="Concede").click()
    # After the end players read what was said about them.
    ben.get_by_role("tab", name="Spectators").click()
    ben.locator("#chat-spectators").get_by_text("Ada will win").wait_for()
    assert ada.evaluate("sessionStorage.length") == 0
    assert new_page.errors == []


_MUTE = """
from accounts.models import Sanction, User
from accounts.moderation.sanctions import sanction_lift, user_mute
from datetime import timedelta
from django.utils import timezone
user = User.objects.get(username={name!r})
head = User.objects.filter(username="hush").first() or User.objects.create_superuser("hush")
"""
_LAY = (
    _MUTE
    + """
until = timezone.now() + timedelta(seconds={lasts}) if {lasts} else None
user_mute(acting_user=head, user=user, reason="Rude words", until=until)
"""
)
_LIFT = (
    _MUTE
    + """
mute = Sanction.objects.in_force().get(user=user)
sanction_lift(acting_user=head, sanction=mute, why="Enough")
"""
)


def test_who_is_muted_meanwhile_sees_it_on_every_page(new_page: Pages, site: Site) -> None:
    """And that it is over, whether it is lifted or ends by itself, and after the connection was
    away."""
    game = players.start(site, TETRONOGO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    form = ada.context.new_page()
    form.goto(f"{site.base_url}/challenges/new/")
    form.get_by_text("More options").click()
    name = ada.locator("#match").get_attribute("data-username") or ""
    chat, message = ada.get_by_label("Message to the players"), form.get_by_label("Message")
    note, help_text = ada.locator("#chat-note-players"), form.locator("#id_message_helptext")

    def shows(why: str) -> None:
        state = ":disabled" if why else ":enabled"
        ada.locator(f"#chat-players input{state}").wait_for()
        form.locator(f"[name=message]{state}").wait_for()
        assert note.is_visible() is (why != "")
        assert why in note.inner_text()
        assert (why or "Shown with your challenge.") in help_text.inner_text()

    def away(change: str) -> None:
        """Change something while no socket is there."""
        site.web.kill()
        for page in (ada, form):
            page.wait_for_function("() => document[Symbol.for('gauntlet.notices')].open === false")
        site.python(change)
        site.web.start()

    shows("")
    message.fill("Come on")
    rude = "You are muted until a moderator lifts it. The reason: Rude words."
    lay, lift = (each.format(name=name, lasts=0) for each in (_LAY, _LIFT))
    for tell in (site.python, away):
        tell(lay)
        shows(rude)
        tell(lift)
        shows("")
    assert message.input_value() == "Come on"
    site.python(lay)
    shows(rude)
    assert ben.get_by_label("Message to the players").is_enabled()
    # The pages that are loaded now know it, and hear of its end as well.
    for page in (ada, form):
        page.reload()
    form.get_by_text("More options").click()
    shows(rude)
    site.python(lift)
    shows("")
    # One that ends by itself.
    site.python(_LAY.format(name=name, lasts=6))
    shows("The reason: Rude words.")
    for page in (ada, form):
        page.reload()
    form.get_by_text("More options").click()
    shows("The reason: Rude words.")
    shows("")
    chat.fill("Sorry")
    chat.press("Enter")
    ben.locator("#chat-players").get_by_text("Sorry").wait_for(state="attached")


def test_a_replay_move_by_move(new_page: Pages, site: Site) -> None:
    game = players.start(site, DOMINO)
    ada, ben = game.open(new_page, "Ada"), game.open(new_page, "Ben")
    choose(ada, "Go first", "Go first")
    for page in (ada, ben, ada):
        lay_by_keyboard(page)
        waits(page)
    ben.get_by_role("button", name="Concede").click()
    ben.locator("dialog[open]").get_by_role("button", name="Concede").click()
    ben.get_by_role("link", name="Watch the replay").click()
    replay = new_page()
    replay.goto(f"{game.address}replay/?move=3")
    dominoes = replay.locator(".board .domino")
    dominoes.first.wait_for()
    assert dominoes.count() == 2  # the order is the first move
    assert replay.locator(".half__number").get_by_text("?").count() == 0  # all is revealed

    def shown(count: int, address: str) -> None:
        replay.wait_for_url(re.compile(re.escape(address) + "$"))
        assert dominoes.count() == count

    replay.get_by_role("button", name="Forward").click()
    shown(3, "?move=4")
    replay.keyboard.press("Home")
    shown(0, "?move=0")
    replay.keyboard.press("ArrowRight")
    replay.keyboard.press("ArrowRight")
    shown(1, "?move=2")
    replay.get_by_role("slider", name="Move").fill("3")
    shown(2, "?move=3")
    replay.keyboard.press("End")
    replay.get_by_role("button", name="Back").click()
    shown(3, "?move=4")
    replay.locator("[data-part=moves] a").nth(1).click()
    shown(0, "?move=1")
    assert replay.locator("[data-part=moves] [aria-current=step]").count() == 1
    replay.get_by_role("button", name="Play").click()
    shown(1, "?move=2")
    replay.get_by_role("button", name="Pause").click()
    replay.context.grant_permissions(["clipboard-read", "clipboard-write"])
    replay.get_by_role("button", name="Copy link").click()
    replay.get_by_text("The link to move").wait_for()
    other = new_page(**TELEPHONE)
    other.goto(copied(replay))
    other.locator(".board .domino").first.wait_for()
    assert (
        other.locator(".replay__count").inner_text()
        == replay.locator(".replay__count").inner_text()
    )
    fits_and_can_be_hit(other)
    plain = new_page(java_script_enabled=False)
    plain.goto(f"{game.address}replay/?move=3")
    plain.get_by_role("link", name="Forward").click()
    assert plain.url.endswith("?move=4")
    assert new_page.errors == []
