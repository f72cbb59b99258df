"""Challenges: what may be challenged, what they cost, and who decides them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from core.refusals import Refusal
from games.engine import live as lives
from games.engine import saving
from games.engine import table as tables
from games.engine.acts import Act
from games.engine.course import MatchCourse
from games.engine.views import match_view
from tests.rulesets.domain.helpers import BARE, RULES, Game

INVALID, VALID = "01 > red 5,10 0", "01 > red 10,10 0"


def refused(game: Game, seat: int, text: str) -> str:
    before = game.table
    with pytest.raises(Refusal) as caught:
        game.say(seat, text)
    assert game.table is before
    return caught.value.code


# -- what can be challenged ----------------------------------------------------------------------


def test_nothing_is_said_of_whether_a_placement_is_valid() -> None:
    """Two matches that differ only in that look alike but for the pixel's column."""
    valid = Game().placing().say(0, "01 > red 6,10 0")
    invalid = Game().placing().say(0, "01 > red 5,10 0")
    views = [RULES.view(game.state, 1) for game in (valid, invalid)]
    views[1]["turns"][0]["x"] = 6
    assert views[0] == views[1]
    texts = [game.events[0].text.replace("5,10", "6,10") for game in (valid, invalid)]
    assert texts[0] == texts[1]
    assert set(valid.events[0].data) == set(invalid.events[0].data)


def test_an_invalid_placement_is_discarded_and_the_turn_stays() -> None:
    game = Game().placing().say(0, INVALID)
    assert RULES.scores(game.state) == (BARE + 100, BARE - 100)
    question = game.decision(1)
    game.say(1, "challenge")
    assert RULES.scores(game.state) == (BARE, BARE)
    assert game.decision(1) == question
    assert RULES.view(game.state, 0)["turns"][0]["struck"] is True
    assert RULES.view(game.state, 0)["hands"][0] == ["03", "05"]
    assert game.state.wrong == (0, 0)
    game.say(1, "02 > blue 10,10 0")
    assert game.to_move == [0]


def test_a_valid_placement_stands_and_the_turn_stays() -> None:
    game = Game().placing().say(0, VALID)
    question = game.decision(1)
    game.say(1, "challenge")
    assert game.decision(1) == question
    assert RULES.scores(game.state) == (BARE + 100, BARE - 100)
    assert game.state.wrong == (0, 1)


def test_what_was_on_top_of_is_seen_again_after_a_successful_challenge() -> None:
    game = Game().placing().say(0, VALID).say(1, "02 > red 10,10 0")
    before = RULES.scores(game.state)
    game.say(0, "03 > red 5,10 0")
    assert RULES.scores(game.state) != before
    game.say(1, "challenge")
    assert RULES.scores(game.state) == before


def test_a_challenge_is_an_error_with_nothing_placed() -> None:
    assert refused(Game().placing(), 0, "challenge") == "challenge.nothing"


def test_a_challenge_is_an_error_after_a_discard() -> None:
    assert refused(Game().placing().say(0, "discard 01"), 1, "challenge") == "challenge.discard"


@pytest.mark.parametrize("text", [VALID, INVALID])
def test_the_same_placement_is_challenged_once(text: str) -> None:
    game = Game().placing().say(0, text).say(1, "challenge")
    assert refused(game, 1, "challenge") == "challenge.repeated"


def test_a_challenge_is_an_error_where_refereeing_is_strict() -> None:
    game = Game(refereeing="strict").placing().say(0, VALID)
    assert refused(game, 1, "challenge") == "challenge.strict"


def test_it_is_too_late_after_the_own_next_move() -> None:
    game = Game().placing().say(0, INVALID).say(1, "02 > blue 10,10 0")
    assert refused(game, 1, "challenge") == "decision.none"
    game.say(0, "03 > blue 20,20 0")
    game.say(1, "challenge")
    assert game.events[0].data["shape"] == "03"
    assert RULES.view(game.state, 0)["turns"][0]["struck"] is False


def test_what_was_never_challenged_counts_inside_the_domain_only() -> None:
    """Columns -1 to 8 of rows 5 to 14: nine columns count."""
    game = Game().placing().say(0, "01 > red 4,10 0")
    assert RULES.scores(game.state) == (BARE + 90, BARE - 90)


# -- what it costs -------------------------------------------------------------------------------


def wrong_challenges(count: int, **options: Any) -> Game:
    """Seat 1 challenges its opponent's valid placements that many times."""
    places = ["01 > red 10,10 0", "03 > blue 10,10 0", "05 > blue 30,20 0"]
    replies = ["discard 02", "discard 04"]
    game = Game(**options).placing()
    for number in range(count):
        if number:
            game.say(1, replies[number - 1])
        game.say(0, places[number]).say(1, "challenge")
    return game


def test_the_first_wrong_challenge_is_free_and_later_ones_cost_a_minute() -> None:
    assert wrong_challenges(1).reserve == (600, 600)
    assert wrong_challenges(2).reserve == (600, 540)
    assert wrong_challenges(3).reserve == (600, 480)
    assert "costs 60 s of reserve, or what is left of it" in wrong_challenges(2).events[0].text
    assert "costs" not in wrong_challenges(1).events[0].text


def test_the_cost_is_an_option_and_takes_no_more_than_there_is() -> None:
    assert wrong_challenges(3, challenge_cost=7).reserve == (600, 586)
    assert wrong_challenges(2, challenge_cost=700).reserve == (600, 0)
    assert wrong_challenges(2, reserve=30).reserve == (30, 0)


def test_right_challenges_cost_nothing() -> None:
    game = Game().placing()
    for place, reply in (("01 > red 1,1 0", "discard 02"), ("03 > red 1,1 0", "discard 04")):
        game.say(0, place).say(1, "challenge").say(1, reply)
    assert game.reserve == (600, 600)


def test_each_player_has_a_free_one() -> None:
    game = wrong_challenges(2)
    game.say(1, "discard 04")
    game.say(0, "05 > blue 30,20 0").say(1, "06 > red 30,10 0").say(0, "challenge")
    assert game.state.wrong == (1, 2)
    assert game.reserve == (600, 540)


# -- the clock -----------------------------------------------------------------------------------


def test_the_challengers_clock_is_not_started_again() -> None:
    game = Game().placing().say(0, VALID).say(1, "challenge", at=100)
    assert game.table.open[1].reading_ms == 100_000  # type: ignore[union-attr]
    with pytest.raises(Refusal) as caught:
        game.say(1, "02 > blue 10,10 0", at=99.999)
    assert caught.value.code == "clock.backwards"
    game.say(1, "02 > blue 10,10 0", at=190)
    assert game.reserve == (600, 590)


def test_the_cost_may_be_more_than_what_is_left_of_the_running_turn() -> None:
    game = wrong_challenges(1).say(1, "discard 02", at=200).say(0, "03 > blue 10,10 0")
    assert game.reserve == (600, 580)
    game.say(1, "challenge", at=750)
    # 520 s of reserve allow for 700 s in all.
    assert game.reserve == (600, 520)
    assert refused_at(game, 1, "discard 04", 700.001) == "clock.over"


def refused_at(game: Game, seat: int, text: str, at: float) -> str:
    with pytest.raises(Refusal) as caught:
        game.say(seat, text, at=at)
    return caught.value.code


# -- the last placement --------------------------------------------------------------------------


def last_placement(text: str, **options: Any) -> Game:
    """Everything but seat 1's last shape is discarded; it is placed like this."""
    game = Game(**options).placing()
    for number, shape in enumerate(("01", "02", "03", "04", "05")):
        game.say(number % 2, f"discard {shape}")
    return game.say(1, text)


def test_the_last_placement_can_be_challenged_too() -> None:
    game = last_placement("06 > blue 3,3 0")
    assert (game.to_move, game.kind, game.decision(0).clock) == ([0], "final", "choice")
    assert not game.over
    game.say(0, "challenge")
    assert game.table.result is not None
    assert game.table.result.scores == (BARE, BARE)
    assert game.table.result.reason == "tie-break"


def test_a_wrong_challenge_of_the_last_placement_ends_the_match_as_well() -> None:
    game = last_placement("06 > blue 10,10 0").say(0, "challenge")
    assert game.table.result is not None
    assert game.table.result.scores == (BARE - 128, BARE + 128)
    assert game.state.wrong == (1, 0)


@pytest.mark.parametrize("how", ["accept", "late"])
def test_accepting_or_waiting_lets_it_stand(how: str) -> None:
    game = last_placement("06 > blue 3,3 0")
    if how == "late":
        game.late(0)
    else:
        game.say(0, "accept")
    assert game.table.result is not None
    # Nine by nine pixels of it are inside, but for the sixteen of its hole.
    assert game.table.result.scores == (BARE - 65, BARE + 65)


def test_after_a_discard_or_in_strict_there_is_no_such_question() -> None:
    game = last_placement("discard 06")
    assert game.table.result is not None
    game = last_placement("06 > blue 10,10 0", refereeing="strict")
    assert game.table.result is not None


def test_the_last_question_allows_nothing_else() -> None:
    game = last_placement("06 > blue 10,10 0")
    assert refused(game, 0, "discard 01") == "move.wrong-kind"
    assert [RULES.print(move) for move in RULES.legal(game.state, game.decision(0))] == [
        "challenge",
        "accept",
    ]
    assert refused(Game().placing().say(0, VALID), 1, "accept") == "move.wrong-kind"


# -- the organiser's review ----------------------------------------------------------------------


def test_while_the_organiser_reviews_no_seat_has_a_decision() -> None:
    game = Game(review="organiser").placing().say(0, VALID).say(1, "challenge", at=20)
    assert game.to_move == []
    assert not game.over
    assert RULES.view(game.state, "room")["under_review"] is True
    assert RULES.view(game.state, "room")["can_challenge"] is False
    for seat in (0, 1):
        assert refused(game, seat, "discard 02") == "decision.none"
        with pytest.raises(Refusal):
            game.late(seat)


@pytest.mark.parametrize("text", [VALID, INVALID])
@pytest.mark.parametrize("ruling", ["valid", "invalid"])
def test_the_ruling_decides_whatever_the_engine_thinks(text: str, ruling: str) -> None:
    game = (
        Game(review="organiser").placing().say(0, text).say(1, "challenge").rule(f"rule {ruling}")
    )
    assert game.to_move == [1]
    assert RULES.view(game.state, 0)["turns"][0]["struck"] is (ruling == "invalid")
    assert game.state.wrong == (0, int(ruling == "valid"))
    assert refused(game, 1, "challenge") == "challenge.repeated"


def test_a_ruling_needs_a_challenge() -> None:
    for game in (
        Game(review="organiser").placing(),
        Game(review="organiser").placing().say(0, VALID),
        Game().placing().say(0, VALID).say(1, "challenge"),
    ):
        for text in ("rule valid", "rule invalid"):
            with pytest.raises(Refusal) as caught:
                game.rule(text)
            assert caught.value.code == "organiser.nothing-to-rule"


def test_a_review_costs_the_challenger_no_time_and_gives_none() -> None:
    game = Game(review="organiser").placing().say(0, VALID).say(1, "challenge", at=200)
    assert game.reserve == (600, 600)
    game.rule("rule valid")
    assert game.table.open[1].reading_ms == 200_000  # type: ignore[union-attr]
    assert refused_at(game, 1, "discard 02", 199) == "clock.backwards"
    game.say(1, "discard 02", at=230)
    assert game.reserve == (600, 550)


def test_a_ruling_may_cost_reserve_and_end_the_match() -> None:
    match = Game(review="organiser").placing()
    match.say(0, VALID).say(1, "challenge").rule("rule valid").say(1, "discard 02")
    match.say(0, "03 > blue 10,10 0").say(1, "challenge").rule("rule valid")
    assert match.reserve == (600, 540)
    match = last_placement("06 > blue 10,10 0", review="organiser").say(0, "challenge", at=30)
    assert match.to_move == []
    match.rule("rule invalid")
    assert match.table.result is not None
    assert match.table.result.scores == (BARE, BARE)


def test_a_player_may_concede_during_a_review_and_pays_for_the_time_used() -> None:
    game = Game(review="organiser").placing().say(0, VALID).say(1, "challenge", at=200)
    game.say(0, "concede")
    assert game.table.result is not None
    assert (game.table.result.winner, game.table.result.reason) == (1, "concession")
    assert game.reserve == (600, 580)
    assert game.table.suspended == (None, None)


def test_a_table_under_review_is_stored_and_restored() -> None:
    game = Game(review="organiser").placing().say(0, VALID).say(1, "challenge", at=200)
    stored = saving.encode_table(RULES, game.table)
    assert saving.decode_table(RULES, game.header, stored) == game.table


def test_a_challenge_under_review_can_be_taken_back() -> None:
    game = Game(review="organiser").placing().say(0, VALID).say(1, "challenge", at=20)
    course = MatchCourse(RULES, game.header, game.entries)
    step = course.add(tables.Entry(actor="organiser", text="take back"))
    assert step.table.open[1] is not None
    assert step.table.suspended == (None, None)
    assert not step.table.state.review


def live_until_review() -> tuple[lives.Live, Any]:
    """A live match, under review since 60 s after seat 1's turn began."""
    game = Game(review="organiser")
    source = random.Random(1).random
    live = lives.begin(RULES, game.header, at=0, random=source).live
    said = [(0, "ready"), (1, "ready"), (1, "second")]
    said += [(number % 2, f"take 0{number + 1}") for number in range(6)]
    said += [(0, VALID)]
    for seat, text in said:
        turn = lives.submit(RULES, live, seat=seat, text=text, at=1000, random=source)
        assert turn.refusal is None
        live = turn.live
    turn = lives.submit(RULES, live, seat=1, text="challenge", at=61_000, random=source)
    assert turn.refusal is None
    return turn.live, source


def test_live_the_clock_stands_still_during_the_review_and_then_runs_on() -> None:
    live, source = live_until_review()
    assert lives.next_deadline(RULES, live) is None
    assert match_view(RULES, live, "room", at=100_000)["decisions"] == []
    a_day = 86_400_000
    live = lives.expire(RULES, live, at=a_day, random=source).live
    ruled = lives.organise(
        RULES, live, act=Act("rule valid"), by="", why="", at=a_day, random=source
    ).live
    clock = match_view(RULES, ruled, "room", at=a_day + 5000)["decisions"][0]["clock"]
    assert (clock["reading_ms"], clock["running"]) == (65_000, True)
    assert lives.next_deadline(RULES, ruled) == a_day + 720_000


def test_live_a_ruling_in_a_pause_leaves_the_clock_standing() -> None:
    live, source = live_until_review()
    for at, kind in ((70_000, "pause"), (80_000, "rule valid")):
        act = Act(kind)  # type: ignore[arg-type]
        live = lives.organise(RULES, live, act=act, by="", why="", at=at, random=source).live
    assert lives.next_deadline(RULES, live) is None
    live = lives.organise(
        RULES, live, act=Act("resume"), by="", why="", at=90_000, random=source
    ).live
    assert lives.next_deadline(RULES, live) == 90_000 + 720_000
