"""Puzzles out of the site's own matches: which are looked through, how many, and once only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from random import Random
from typing import Any

import msgspec
import pytest
import time_machine
from django.core.management import call_command

from accounts.models import User
from games import tasks
from games.engine import puzzling
from games.engine.capabilities import thinks_of
from games.engine.decisions import Audience
from games.engine.search import always
from games.jobs import PUZZLES, puzzles_begun
from games.models import Match, Puzzle, PuzzleSearch
from games.puzzles import finding, reading
from games.puzzles.finding import match_search, search_due, search_next, searches_hand_out
from tests.games.support import SECOND, T0, nothing_changes, started
from tests.games.test_practice import Practising
from tests.support.workers import Workers

pytestmark = pytest.mark.django_db
NOW = datetime.fromtimestamp(T0 / 1000, UTC) + timedelta(hours=1)
# By game, lots by which a match of it has puzzles.
LOTS = {"peg-domain": 5, "domino-black-white": 2}


@pytest.fixture(autouse=True)
def _night() -> Iterator[None]:
    """The night after the matches of these tests."""
    with time_machine.travel(NOW.replace(hour=3, minute=20) + timedelta(days=1), tick=False):
        puzzles_begun()
        yield


def played(players: tuple[User, User], ruleset: str = "peg-domain") -> Match:
    """A match between two people who play as bots do, to its end."""
    random = Random(LOTS[ruleset]).random
    play = started(players, ruleset, random=random)
    at = 0
    thinks = thinks_of(play.held.ruleset)
    assert thinks is not None
    while not play.match.is_over:
        at += SECOND
        held = play.held
        table = held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        slot = table.open[seat]
        assert slot is not None
        view = held.ruleset.view(table.state, 1 if seat else 0)
        move = thinks.decide(view, slot.decision, "novice", random, always)
        play.move(seat, held.ruleset.print(move), at)
    return play.match


def conceded(players: tuple[User, User], ruleset: str = "tetronogo", *, minutes: int = 0) -> Match:
    """A match that was over before anything could be asked in it."""
    play = started(players, ruleset, at=T0 + minutes * 60 * SECOND)
    play.move(0, "concede", minutes * 60 * SECOND + SECOND)
    return play.match


def drawn() -> Any:
    """Lots of which some puzzle comes of each match that is played here."""
    return Random(2).random


@pytest.mark.parametrize("ruleset", sorted(LOTS))
def test_a_finished_rated_match_becomes_a_puzzle_once(ada: User, ben: User, ruleset: str) -> None:
    match = played((ada, ben), ruleset)
    assert search_next() == match.pk
    assert match_search(match_id=match.pk, random=drawn()) == 1
    row = Puzzle.objects.get()
    assert (row.source, row.ruleset, row.variant) == ("matches", ruleset, match.variant)
    known = reading.known(row)
    assert puzzling.faults(known.ruleset, known.puzzle, Random(1).random) == []
    assert search_next() is None
    with nothing_changes():
        assert match_search(match_id=match.pk, random=drawn()) == 0


def test_a_match_with_nothing_in_it_is_looked_through_once_too(ada: User, ben: User) -> None:
    match = conceded((ada, ben))
    assert match_search(match_id=match.pk) == 0
    assert PuzzleSearch.objects.get().match == match
    assert search_next() is None


def test_what_the_other_player_hid_is_drawn_anew_and_nobody_is_named(ada: User, ben: User) -> None:
    match = played((ada, ben), "domino-black-white")
    match_search(match_id=match.pk, random=drawn())
    row = Puzzle.objects.get()
    known = reading.known(row)
    state = puzzling.state_of(known.ruleset, known.puzzle)
    audience: Audience = 1 if row.seat else 0
    view = known.ruleset.view(state, audience)
    assert view["hands"][1 - row.seat] is None
    told = msgspec.json.encode(reading.shown(row)).decode() + row.state
    assert "ada" not in told.lower()
    assert "ben" not in told.lower()
    # The hand that is kept was never looked up: other lots give another one at the same view.
    others = {
        known.ruleset.encode(known.ruleset.determinize(view, row.seat, Random(seed).random))
        for seed in range(8)
    }
    assert len(others) > 1


@pytest.mark.parametrize(
    "change",
    [
        {"unrated": "For fun."},
        {"winner": None, "reason": "ruling"},
        {"source": Match.Source.IMPORTED},
        {"options": {"dark": True}},
        {"items": [{"kind": "x"}]},
        {"bot_seats": 2, "unrated": "Practice."},
        {"ruleset": "nosuch"},
    ],
    ids=lambda each: next(iter(each)) + str(len(each)),
)
def test_what_no_puzzle_may_be_made_of(ada: User, ben: User, change: dict[str, Any]) -> None:
    match = conceded((ada, ben))
    assert search_next() == match.pk
    Match.objects.filter(pk=match.pk).update(**change)
    assert search_next() is None
    assert search_due() is None


def test_a_match_that_is_on_is_left_alone(ada: User, ben: User) -> None:
    play = started((ada, ben))
    assert search_next() is None
    with nothing_changes():
        assert match_search(match_id=play.pk) == 0


def test_practice_is_left_alone(ada: User, settings: Any) -> None:
    settings.GAUNTLET_BOT_SECONDS = 0.0
    match = Practising(ada).to_the_end()
    assert match.is_over
    assert search_next() is None


def test_the_latest_comes_first_and_games_in_turn(ada: User, ben: User) -> None:
    early, late, later = (conceded((ada, ben), minutes=n) for n in (1, 2, 3))
    other = conceded((ada, ben), "domino-wars")
    found = []
    while (match_id := search_next()) is not None:
        found.append(match_id)
        match_search(match_id=match_id)
    assert set(found[:2]) == {later.pk, other.pk}
    assert found[2:] == [late.pk, early.pk]


def test_a_day_has_its_bounds(ada: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [conceded((ada, ben), minutes=n) for n in range(3)]
    monkeypatch.setattr(finding, "MATCHES", 2)
    for match in matches[:0:-1]:
        assert search_due() == match.pk
        match_search(match_id=match.pk)
    assert search_due() is None
    # The next night has as many again; in the first hours there is none.
    tomorrow = NOW + timedelta(days=2)
    with time_machine.travel(tomorrow.replace(hour=1), tick=False):
        assert search_due() is None
    with time_machine.travel(tomorrow.replace(hour=2), tick=False):
        assert search_due() == matches[0].pk
    # Nor does it take more puzzles than so many.
    with time_machine.travel(tomorrow.replace(hour=4), tick=False):
        monkeypatch.setattr(finding, "PUZZLES", 0)
        assert search_due() is None
    monkeypatch.undo()
    # What ended long ago is for `manage.py puzzles make --from-matches`.
    with time_machine.travel(NOW + timedelta(days=30), tick=False):
        assert search_due() is None
        assert search_next() == matches[0].pk


def test_no_match_is_looked_through_for_longer_than_a_slice(
    ada: User, ben: User, settings: Any
) -> None:
    settings.GAUNTLET_STUDY_SLICE_SECONDS = -1.0
    match = played((ada, ben))
    assert match_search(match_id=match.pk, random=drawn()) == 0
    assert PuzzleSearch.objects.filter(match=match).exists()


def test_a_worker_goes_on_until_the_day_is_done(ada: User, ben: User, workers: Workers) -> None:
    for minutes in range(3):
        conceded((ada, ben), minutes=minutes)
    workers.at_once[PUZZLES] = tasks.puzzles
    searches_hand_out()
    assert PuzzleSearch.objects.count() == 3
    assert len(workers.of(PUZZLES)) == 3
    with nothing_changes():
        searches_hand_out()


def test_the_command_does_the_same(ada: User, ben: User) -> None:
    match = played((ada, ben))
    conceded((ada, ben))
    out = StringIO()
    call_command("puzzles", "make", "--from-matches", "--seed", "2", stdout=out)
    assert "2 matches looked through" in out.getvalue()
    assert PuzzleSearch.objects.filter(match=match).exists()
    again = StringIO()
    call_command("puzzles", "make", "--from-matches", stdout=again)
    assert again.getvalue() == "0 matches looked through; 0 puzzles added.\n"
