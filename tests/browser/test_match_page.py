"""What the match page tells its reader: every kind of news, on one page with a server that says
what the test says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from games.engine.reasons import CONCESSION, POINTS, RULING, TIMEOUT
from tests.browser import players
from tests.browser.stage import Stage, course

if TYPE_CHECKING:
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# A note of each sound that no other one has; see sounds.js.
MOVE, YOURS, LOW, RESERVE, REFUSED, WON, OVER, CHAT = 110, 784, 880, 330, 165, 1047, 262, 1175

Check = Callable[[Stage, pytest.Subtests], None]
CHECKS: list[Check] = []


def check(function: Check) -> Check:
    """Have a function called with the page that all of them share."""
    CHECKS.append(function)
    return function


def test_every_change_is_told(new_page: Pages, site: Site, subtests: pytest.Subtests) -> None:
    """One page, one change after the other: read aloud once, heard, and to be seen."""
    game = players.start(site, "tetronogo")
    played = course("tetronogo.standard.random")
    here = next(index for index, each in enumerate(played) if each.asks(0, "place"))
    stage = Stage(new_page, game, "Ada", played[: here + 1])
    # What comes into sight below a match that is over is read aloud as well, whenever that is.
    stage.page.route("**/predictions/", lambda _: None)
    for each in CHECKS:
        with subtests.test(each.__name__):
            each(stage, subtests)
    # Without a network, what is asked for fails, and the browser says so.
    assert [each for each in new_page.errors if "Failed to load resource" not in each] == []


def result(winner: int | None, reason: str = "points") -> dict[str, Any]:
    """The keys of a view that is over."""
    found = {"winner": winner, "reason": reason, "scores": [12, 9]}
    words = next(each for each in (POINTS, TIMEOUT, CONCESSION, RULING) if each.id == reason)
    told = {"room": words.room, "winner": words.winner, "loser": words.loser}
    return {"phase": "over", "decisions": [], "result": found, "told": told}


def told(
    stage: Stage, said: Sequence[str], sound: int | None = None, *, urgent: bool = False
) -> None:
    """Check what was read aloud and heard, and forget it."""
    stage.settle()
    assert stage.said == list(said)
    assert stage.urgent == (list(said) if urgent else [])
    sounds = set(stage.sounds)
    assert (sound in sounds) if sound is not None else sounds == set()
    stage.forget()


def covers(stage: Stage) -> bool:
    """Whether the result stands over the page."""
    card = stage.page.locator("[data-part=result]")
    return bool(card.evaluate("each => getComputedStyle(each).position") == "fixed")


MINE, THEIRS = Stage.decision(0), Stage.decision(1)


# -- moves and turns -----------------------------------------------------------------------------


@check
def turns(stage: Stage, subtests: pytest.Subtests) -> None:
    stage.back_to(decisions=[THEIRS])
    stage.step("placed O at A1 0", decisions=[MINE])
    told(stage, ["Ben placed O at A1 0. Your decision: Do something."], YOURS)
    assert stage.page.locator("[data-part=turn]").get_attribute("data-state") == "yours"
    assert stage.page.title().startswith("▶ Your decision")
    stage.back_to(decisions=[THEIRS])
    stage.step("placed O at A1 0", decisions=[THEIRS])
    told(stage, ["Ben placed O at A1 0."], MOVE)
    # What the page knows already is not told again when it asks for everything.
    stage.sync()
    told(stage, [])
    # One decision may ask several things, one after the other.
    stage.back_to(decisions=[MINE])
    stage.step(decisions=[{**MINE, "kind": "test-more"}])
    told(stage, ["Your decision: Do something."], YOURS)


@check
def pauses(stage: Stage, subtests: pytest.Subtests) -> None:
    stage.back_to(decisions=[MINE])
    stage.step("The organiser paused the match", seat=None, paused=True)
    told(stage, ["The organiser paused the match."], MOVE)
    assert stage.page.locator("[data-part=turn]").get_attribute("data-state") == "paused"
    stage.step("The organiser resumed the match", seat=None, paused=False)
    told(stage, ["The organiser resumed the match. Your decision: Do something."], YOURS)


# -- the end -------------------------------------------------------------------------------------


@check
def ends(stage: Stage, subtests: pytest.Subtests) -> None:
    card = stage.page.locator("[data-part=result]")
    ways: list[tuple[int | None, str, str, int]] = [
        (0, "concession", "Ben conceded", WON),
        (1, "points", "12 to 9", OVER),
        (1, "timeout", "ran out of time", OVER),
        (0, "ruling", "ruling", WON),
        (None, "ruling", "voided", OVER),
    ]
    for winner, reason, sentence, sound in ways:
        stage.back_to(decisions=[MINE])
        with subtests.test("end", winner=winner, reason=reason):
            assert card.is_hidden()
            stage.step("did the last thing", resync=True, **result(winner, reason))
            # Secrets are revealed at the end, and the page asks for all of them: that is no news.
            stage.sync()
            stage.settle()
            [said] = stage.said
            assert said.startswith("Ben did the last thing. ")
            assert sentence in said
            assert sound in stage.sounds
            turn = stage.page.locator("[data-part=turn]")
            assert turn.get_attribute("data-state") == "over"
            # Over everything, wherever the page stands, with what may come next.
            assert sentence in card.inner_text()
            assert covers(stage)
            again = card.locator("form", has=stage.page.get_by_role("button", name="Rematch"))
            assert (again.get_attribute("action") or "").endswith("/rematch/")
            assert card.get_by_role("link", name="Watch the replay").is_visible()
            assert card.get_by_role("button", name="Share").is_visible()
            card.get_by_role("button", name="Look at the board").click()
            assert card.is_visible()
            assert not covers(stage)


@check
def ends_that_were_missed_or_corrected(stage: Stage, subtests: pytest.Subtests) -> None:
    stage.back_to(decisions=[MINE])
    stage.sync(**result(1))
    stage.settle()
    assert len(stage.said) == 1
    assert OVER in stage.sounds
    assert covers(stage)
    stage.forget()
    stage.sync(**result(0, "ruling"))
    stage.settle()
    assert len(stage.said) == 1
    assert "ruling" in stage.said[0]
    assert WON in stage.sounds
    scores = stage.page.locator("[data-part=result] .versus__score")
    assert scores.all_inner_texts() == ["12", "9"]
    stage.sync(**result(1, "concession"), scored=False)
    stage.settle()
    assert scores.count() == 0


# -- time and presence ---------------------------------------------------------------------------


def remind(stage: Stage, seat: int | None, kind: str = "turn") -> None:
    """Tell the page that time is running out."""
    stage.say({"type": "reminder", "at": 0, "seat": seat, "kind": kind, "left": 15_000})


@check
def reminders(stage: Stage, subtests: pytest.Subtests) -> None:
    for kind, seat, sentence, sound in (
        ("turn", 0, "You have 15 seconds left.", LOW),
        ("reserve-entered", 0, "You are using the reserve now: 15 seconds.", RESERVE),
        ("reserve", 0, "You have 15 seconds of reserve left.", RESERVE),
        ("turn", 1, "Ben has 15 seconds left.", None),
        ("turn", None, "Both players have 15 seconds left.", LOW),
    ):
        stage.back_to(decisions=[MINE, THEIRS])
        with subtests.test("reminder", kind=kind, seat=seat):
            remind(stage, seat, kind)
            told(stage, [sentence], sound, urgent=seat != 1)


@check
def a_reminder_ends_with_its_decision(stage: Stage, subtests: pytest.Subtests) -> None:
    """And it stands with the player whose time it is about, whoever's turn the line tells of. What
    was read of it goes with it: who comes by there later is not to read how things stood."""
    cards = [stage.page.locator(f".player[data-seat='{seat}']") for seat in (0, 1)]
    everywhere = stage.page.locator("#match").get_by_text("15 seconds ")
    aloud = stage.page.locator("#announcer, #announcer-now").get_by_text("15 seconds")
    for seat, kind, other in (
        (0, "turn", THEIRS),
        (1, "turn", MINE),
        (0, "reserve-entered", THEIRS),
        (1, "reserve", MINE),
    ):
        asked = Stage.decision(seat)
        for then in (
            {"decisions": [other]},
            {"decisions": [{**asked, "id": "test.next"}]},
            {"paused": True},
            result(1),
        ):
            stage.back_to(decisions=[asked])
            with subtests.test("reminder", seat=seat, kind=kind, then=str(then)[:40]):
                remind(stage, seat, kind)
                stage.settle()
                assert everywhere.count() == 1
                assert "15 seconds " in cards[seat].inner_text()
                assert aloud.count() == 1
                stage.step("did something", **then)
                stage.settle()
                assert everywhere.count() == 0
                assert aloud.count() == 0
    # One that comes too late, for a decision that is made already, is none.
    stage.back_to(decisions=[MINE])
    remind(stage, 1)
    told(stage, [])
    assert everywhere.count() == 0
    # It goes by itself, too.
    remind(stage, 0)
    stage.settle()
    stage.pass_time(10_000)
    assert everywhere.count() == 0
    assert aloud.count() == 0


@check
def a_reminder_ends_with_a_choice_that_is_in(stage: Stage, subtests: pytest.Subtests) -> None:
    """On the page of whoever made it: to everybody else time runs on, theirs as the others'."""
    cards = [stage.page.locator(f".player[data-seat='{seat}']") for seat in (0, 1)]
    aloud = stage.page.locator("#announcer, #announcer-now").get_by_text("15 seconds")
    for more in ({}, {"changeable": True}):
        sealed = {**MINE, "sealed": "pick T", **more}
        for seat in (0, None):
            stage.back_to(decisions=[MINE, THEIRS])
            with subtests.test("before it", seat=seat, **more):
                remind(stage, seat)
                stage.settle()
                assert "15 seconds left" in cards[0].inner_text()
                stage.step(decisions=[sealed, THEIRS])
                stage.settle()
                assert "15 seconds left" not in cards[0].inner_text()
                assert ("15 seconds left" in cards[1].inner_text()) is (seat is None)
                assert aloud.count() == 0
        stage.back_to(decisions=[sealed, THEIRS])
        with subtests.test("after it", **more):
            remind(stage, 0)
            told(stage, [])
            remind(stage, None)
            told(stage, ["Ben has 15 seconds left."])
            assert "15 seconds left" not in cards[0].inner_text()
            assert "15 seconds left" in cards[1].inner_text()
            stage.pass_time(10_000)


@check
def a_reminder_ends_with_more_time(stage: Stage, subtests: pytest.Subtests) -> None:
    """Given by the organiser, say: nothing is to stand beside a clock that shows more than it."""
    everywhere = stage.page.locator("#match").get_by_text("15 seconds ")
    aloud = stage.page.locator("#announcer, #announcer-now").get_by_text("15 seconds")

    def at(seat: int, left: int, *, over: bool = False) -> dict[str, Any]:
        decision = Stage.decision(seat)
        reading = 165_000 if over else 45_000
        clock = {**decision["clock"], "reading_ms": reading, "turn_ms": reading + left}
        return {**decision, "clock": clock}

    for seat in (0, 1):
        for kind in ("turn", "reserve-entered", "reserve"):
            # In the reserve of 120 s there are as many seconds left as after them none of the turn.
            over = kind != "turn"
            start = at(seat, -105_000 if over else 15_000, over=over)
            for more, stays in ((0, True), (1_000, False), (15_000, False), (200_000, False)):
                stage.back_to(decisions=[start], reserve_ms=[120_000, 120_000])
                with subtests.test("more time", seat=seat, kind=kind, more=more):
                    remind(stage, seat, kind)
                    stage.pass_time(100)
                    stage.settle()
                    given = {**start["clock"], "turn_ms": start["clock"]["turn_ms"] + more}
                    stage.step("gave time", seat=None, decisions=[{**start, "clock": given}])
                    stage.settle()
                    assert everywhere.count() == aloud.count() == (1 if stays else 0)


@check
def presence(stage: Stage, subtests: pytest.Subtests) -> None:
    def seats(ben: bool, spectators: int = 0) -> None:
        stage.say({"type": "presence", "seats": [True, ben], "spectators": spectators})
        stage.settle()

    stage.back_to(decisions=[THEIRS])
    shown = stage.page.locator(".player[data-seat='1'] .presence")
    for here, sentence in ((False, "Ben has left the match's page."), (True, "Ben is here.")):
        seats(here)
        assert shown.get_attribute("data-state") == ("here" if here else "away")
        stage.pass_time(6_000)
        told(stage, [sentence])
    # A page that is loaded anew is away for a moment, and spectators come and go.
    seats(False)
    stage.pass_time(1_000)
    seats(True, spectators=4)
    stage.pass_time(6_000)
    told(stage, [])
    assert "4 spectators" in stage.page.locator("[data-part=watching]").inner_text()


# -- typed moves ---------------------------------------------------------------------------------


@check
def what_is_typed_stays_and_is_what_is_sent(stage: Stage, subtests: pytest.Subtests) -> None:
    """Whatever lies on the board: Submit sends what the field shows, a refused move stays there."""
    page = stage.page
    field = page.locator("#notation-text")
    note = page.locator("[data-part=note]")

    def submissions() -> list[dict[str, Any]]:
        stage.settle()
        return [frame for frame in stage.sent if frame["type"] == "submit"]

    def refuse(text: str) -> None:
        sent = submissions()[-1]
        assert sent["text"] == text
        refusal = {"code": "place.overlap", "sentence": f"No {text}.", "squares": ["A1"]}
        stage.say({"type": "refused", "id": sent["id"], **refusal})
        stage.settle()
        assert field.input_value() == text
        assert note.inner_text().strip() == f"{text}: No {text}."
        assert field.get_attribute("aria-invalid") == "true"

    for way in ("button", "enter"):
        stage.back_to()
        with subtests.test("typed", way=way):
            page.locator(".board [tabindex='0']").focus()
            page.keyboard.press("n")
            page.keyboard.press("Enter")
            page.locator(".ghost--pinned").wait_for()
            drafted = field.input_value()
            assert drafted not in ("", "L12 0")
            # Once and again, the piece on the board notwithstanding, and after it has been moved.
            for attempt in range(3):
                before = len(submissions())
                if attempt == 0:
                    field.fill("L12 0")
                shown = field.input_value()
                if way == "button":
                    page.get_by_role("button", name="Submit").click()
                else:
                    field.press("Enter")
                assert len(submissions()) == before + 1
                refuse(shown)
                assert shown == "L12 0"
                page.locator(".board [tabindex='0']").focus()
                page.keyboard.press("n")
                assert field.input_value() == "L12 0"
            # The next question begins with an empty field.
            stage.step("did something", decisions=[THEIRS])
            stage.settle()
            assert field.input_value() == ""
            assert note.is_hidden()


# -- keys ----------------------------------------------------------------------------------------


@check
def keys_are_the_boards_wherever_the_reader_has_clicked(
    stage: Stage, subtests: pytest.Subtests
) -> None:
    page = stage.page
    for where in ("h1", ".match__turn", "[data-part=log]", ".chat [role=log]"):
        stage.back_to()
        with subtests.test(where):
            page.locator(where).first.click(position={"x": 2, "y": 2})
            page.keyboard.press("n")
            page.locator(".ghost--legal").wait_for()
            page.keyboard.press("Escape")
            page.locator(".ghost--legal").wait_for(state="detached")
    # What is typed is typed.
    page.locator(".chat textarea, .chat input").first.click()
    page.keyboard.press("n")
    stage.settle()
    assert page.locator(".ghost--legal").count() == 0


# -- what is said --------------------------------------------------------------------------------


@check
def chat_and_trouble(stage: Stage, subtests: pytest.Subtests) -> None:
    stage.back_to(decisions=[THEIRS])
    stage.pass_time(2_000)
    message = {"id": 5, "at": 1, "name": "Ben", "username": "ben", "seat": 1, "text": "Hello"}
    stage.say({"type": "chat", "room": "players", "message": message})
    stage.settle()
    [said] = stage.said
    assert "Hello" in said
    assert CHAT in stage.sounds
    stage.forget()
    stage.say({"type": "error", "code": "rate.frames", "sentence": "Slower, please."})
    stage.settle()
    [said] = stage.said
    assert said.startswith("Slower, please.")


@check
def a_lost_connection(stage: Stage, subtests: pytest.Subtests) -> None:
    """However long it takes and whatever is tried: one sentence when it goes, one when it is back,
    and nothing of what was known before is told anew."""
    page = stage.page
    box = page.locator("[data-part=connection]")
    stage.back_to(decisions=[THEIRS])
    stage.messages = MESSAGES[:2]
    stage.say({"type": "chat.history", "room": "players", "messages": stage.messages})
    stage.settle()
    stage.forget()
    for sentence in ("You are offline.", "The connection was lost."):
        with subtests.test("lost", sentence=sentence):
            stage.reachable = False
            if sentence == "You are offline.":
                page.context.set_offline(True)
                page.evaluate("dispatchEvent(new Event('offline'))")
            else:
                stage.sockets[-1].close(code=1011)
            box.get_by_text(sentence).wait_for()
            shown = set()
            for _ in range(30):
                stage.pass_time(2_000)
                shown.add(box.inner_text())
            assert len(shown) == 1
            assert stage.said == [sentence]
            stage.forget()
            stage.reachable = True
            stage.messages = MESSAGES
            page.context.set_offline(False)
            page.evaluate("dispatchEvent(new Event('online'))")
            page.locator("#match[data-connection=live]").wait_for()
            stage.settle()
            assert box.is_hidden()
            again = [said for said in stage.said if said != "Connected again."]
            assert stage.said.count("Connected again.") == 1
            # The one message that was missed, and none that was there already.
            assert [said for said in again if "before" in said] == []
            assert len(again) == (1 if sentence == "You are offline." else 0)
            stage.forget()


MESSAGES = [
    {"id": number, "at": number, "name": "Ben", "username": "ben", "seat": 1, "text": text}
    for number, text in enumerate(["before one", "before two", "missed"], start=21)
]
