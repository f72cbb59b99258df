"""What a sealed answer must not change for anybody but its own seat."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import live as lives
from games.engine import play
from games.engine.acts import Act
from games.engine.decisions import ALL, EVERYONE, ROOM, Audience, Event, seen_by
from games.engine.live import Live
from games.engine.views import match_view
from tests.engine.helpers import header
from tests.toy.rules import CARDS, TOY

START = 1_000_000


def middle() -> float:
    return 0.5


def picking(variant: str = "standard", **options: Any) -> Live:
    """A live match in which both seats have been picking since ``START``."""
    live = lives.begin(TOY, header(variant, **options), at=START, random=middle).live
    for seat in (0, 1):
        live = lives.submit(TOY, live, seat=seat, text="ready", at=START, random=middle).live
    return live


def picked(live: Live, *, card: int = 3, after: int = 7_000) -> Live:
    """The match after seat 0 has picked."""
    turn = lives.submit(TOY, live, seat=0, text=f"pick {card}", at=START + after, random=middle)
    assert turn.refusal is None
    assert all(not seen_by(h.events, who) for h in turn.happened for who in (1, ROOM))
    return turn.live


def seen(live: Live, audience: Audience, at: int) -> bytes:
    """The bytes that leave the server for one audience, reminders due included."""
    view = match_view(TOY, live, audience, at=at)
    reminders = [r for r in lives.reminders(TOY, live, after=START) if r.at <= at]
    return msgspec.json.encode([view, reminders])


OTHERS: tuple[Audience, ...] = (1, ROOM)


@pytest.mark.parametrize("variant", ["standard", "costly"])
@given(after=st.integers(0, 60_000), later=st.integers(0, 120_000), card=st.sampled_from(CARDS))
def test_nobody_else_sees_that_an_answer_is_in(
    variant: str, after: int, later: int, card: int
) -> None:
    before = picking(variant)
    live = picked(before, card=card, after=after)
    at = START + after + later
    for audience in OTHERS:
        assert seen(live, audience, at) == seen(before, audience, at)


@pytest.mark.parametrize("after", [130_000, 180_000])
def test_nobody_else_sees_reserve_go_before_the_barrier_opens(after: int) -> None:
    before = picking("costly")
    live = picked(before, after=after)
    for audience in OTHERS:
        assert seen(live, audience, START + after) == seen(before, audience, START + after)
        assert match_view(TOY, live, audience, at=START)["reserve_ms"] == [60_000, 60_000]


@given(cards=st.tuples(st.sampled_from(CARDS), st.sampled_from(CARDS)), at=st.integers(0, 10**6))
def test_which_answer_it_is_changes_nothing(cards: tuple[int, int], at: int) -> None:
    first, second = (picked(picking(), card=card) for card in cards)
    for audience in OTHERS:
        assert seen(first, audience, START + at) == seen(second, audience, START + at)


@pytest.mark.parametrize("variant", ["standard", "costly"])
def test_nobody_else_sees_that_a_choice_ran_out(variant: str) -> None:
    before = picking(variant, pick_time=20, turn_time=20, reserve=0)
    # Seat 1 has more time, so that only seat 0 runs out.
    extend = Act("extend", 1, 100_000)
    before = lives.organise(TOY, before, act=extend, by="", why="", at=START, random=middle).live
    at = START + 20_001
    turn = lives.expire(TOY, before, at=at, random=middle)
    assert turn.happened[0].entry.timeout
    for audience in OTHERS:
        assert seen(turn.live, audience, at) == seen(before, audience, at)
        assert seen(turn.live, audience, at + 50_000) == seen(before, audience, at + 50_000)
        assert not [e for h in turn.happened for e in seen_by(h.events, audience)]
    assert [e.text for h in turn.happened for e in seen_by(h.events, 0)] == ["ran out of time"]


def test_an_answer_and_a_timeout_look_alike_to_the_others() -> None:
    before = picking()
    extend = Act("extend", 1, 100_000)
    before = lives.organise(TOY, before, act=extend, by="", why="", at=START, random=middle).live
    at = START + 61_000
    out = lives.expire(TOY, before, at=at, random=middle).live
    for audience in OTHERS:
        assert seen(picked(before), audience, at) == seen(out, audience, at)


@pytest.mark.parametrize("extended", [0, 1])
def test_reminders_do_not_give_an_answer_away(extended: int) -> None:
    before = picking("costly")
    extend = Act("extend", extended, 20_000)
    before = lives.organise(TOY, before, act=extend, by="", why="", at=START, random=middle).live
    live = picked(before)
    assert lives.reminders(TOY, live, after=0) == lives.reminders(TOY, before, after=0)
    # Their times differ: each is reminded of their own, whoever has answered like who has not.
    assert {reminder.seat for reminder in lives.reminders(TOY, live, after=0)} == {0, 1}


def test_an_outage_does_not_give_an_answer_away() -> None:
    before = picking()
    live = picked(before)
    down, at = START + 50_000, START + 90_000
    graced = [
        lives.given_back(TOY, each, outages=[(down, at)], at=at, least_ms=15_000)
        for each in (before, live)
    ]
    for audience in OTHERS:
        assert seen(graced[0], audience, at) == seen(graced[1], audience, at)
    assert graced[0].watches[1] != before.watches[1]


def test_a_pause_does_not_give_an_answer_away() -> None:
    before = picking()
    live = picked(before)
    for act, at in ((Act("pause"), START + 9_000), (Act("resume"), START + 99_000)):
        before, live = (
            lives.organise(TOY, each, act=act, by="", why="", at=at, random=middle).live
            for each in (before, live)
        )
        for audience in OTHERS:
            assert seen(live, audience, at + 500) == seen(before, audience, at + 500)


def test_a_seat_sees_its_own_answer() -> None:
    live = picked(picking())
    own = match_view(TOY, live, 0, at=START + 8_000)["decisions"][0]
    assert own["sealed"] == "pick 3"
    theirs = match_view(TOY, live, 1, at=START + 8_000)["decisions"]
    assert "sealed" not in theirs[0]
    assert theirs[1]["sealed"] is None


def test_an_answer_shows_once_the_barrier_opens() -> None:
    live = picked(picking("costly"), after=130_000)
    turn = lives.submit(TOY, live, seat=1, text="pick 5", at=START + 131_000, random=middle)
    view = match_view(TOY, turn.live, ROOM, at=START + 131_000)
    assert view["reserve_ms"] == [50_000, 49_000]
    assert [d["kind"] for d in view["decisions"]] == ["order"]
    assert view["game"]["cards"] == ["?", "?"]


def test_everything_is_revealed_after_the_end() -> None:
    live = picked(picking())
    live = lives.submit(TOY, live, seat=1, text="pick 5", at=START + 9_000, random=middle).live
    live = lives.submit(TOY, live, seat=0, text="concede", at=START + 9_001, random=middle).live
    views = [match_view(TOY, live, audience, at=START + 10_000) for audience in (0, 1, ROOM, ALL)]
    assert all(view == views[0] for view in views)
    assert views[0]["phase"] == "over"
    assert views[0]["decisions"] == []
    assert views[0]["game"]["cards"] == [3, 5]
    assert views[0]["result"] == {"winner": 1, "reason": "concession", "scores": [0, 0]}


def test_before_the_lot_there_is_nothing_to_see() -> None:
    live = Live(play.opened(TOY, header(advantage=None)))
    assert match_view(TOY, live, ROOM, at=0) == {
        "phase": "lot",
        "paused": False,
        "advantage": None,
        "decisions": [],
        "reserve_ms": [0, 0],
        "game": None,
        "result": None,
    }


def test_a_view_says_how_each_clock_stands() -> None:
    live = picking(pick_time=45)
    extend = Act("extend", 0, 5_000)
    live = lives.organise(TOY, live, act=extend, by="", why="", at=START, random=middle).live
    shown = match_view(TOY, live, 0, at=START + 1_234)["decisions"][0]
    assert shown == {
        "id": "1.pick",
        "seat": 0,
        "kind": "pick",
        "prompt": "Pick.",
        "clock": {
            "turn_ms": 50_000,
            "reserve": False,
            "interval_ms": 0,
            "reading_ms": 1_234,
            "running": True,
        },
        "sealed": None,
    }
    live = lives.organise(TOY, live, act=Act("pause"), by="", why="", at=START, random=middle).live
    paused = match_view(TOY, live, ROOM, at=START + 99)
    assert paused["paused"] is True
    assert paused["decisions"][1]["clock"]["running"] is False


# -- events --------------------------------------------------------------------------------------

SECRET = Event(
    kind="pick",
    seat=0,
    text="picked 3",
    data={"card": 3},
    seen_by=(0,),
    public_text="picked a card",
    public_data={"card": None},
)


@pytest.mark.parametrize(
    ("audience", "text", "card"),
    [(0, "picked 3", 3), (1, "picked a card", None), (ROOM, "picked a card", None),
     (ALL, "picked 3", 3)],
)  # fmt: skip
def test_an_event_has_a_full_and_a_public_form(
    audience: Audience, text: str, card: int | None
) -> None:
    form = SECRET.seen_as(audience)
    assert form is not None
    assert (form.kind, form.seat, form.text, form.data) == ("pick", 0, text, {"card": card})


def test_an_event_without_a_public_form_is_not_there_for_others() -> None:
    secret = msgspec.structs.replace(SECRET, public_text=None)
    assert seen_by([secret, SECRET], 1) == [SECRET.seen_as(1)]
    assert seen_by([secret], ROOM) == []
    assert len(seen_by([secret], ALL)) == 1


def test_what_is_public_is_said_and_never_assumed() -> None:
    with pytest.raises(TypeError, match="seen_by"):
        Event(kind="x", seat=None, text="x")  # type: ignore[call-arg]
    open_event = msgspec.structs.replace(SECRET, seen_by=EVERYONE)
    assert {open_event.seen_as(a).text for a in (0, 1, ROOM, ALL)} == {"picked 3"}  # type: ignore[union-attr]
