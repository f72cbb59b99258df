"""Leaderboards: order, ranks, pages, filters, trends, sets of matches, and what is cached."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from redis.exceptions import ConnectionError as RedisAway

from accounts.models import User
from core.refusals import Refusal
from games.models import Match
from games.ratings import boards, keys
from games.ratings.boards import (
    Cursor,
    Wanted,
    board_page,
    ladder_named,
    leaderboard_of,
    player_ladders,
)
from games.ratings.models import OVERALL, Rating, RatingLadder
from games.ratings.rating import METHOD
from games.ratings.services import match_rate, rating_exclude, ratings_repair
from tests.games.support import committing, user_named
from tests.ratings.support import DAY_0, by_hand, result_row

pytestmark = pytest.mark.django_db
NEW = (25.0, 25 / 3)


def named(board: boards.Board) -> list[str]:
    return [row.player.username for row in board.rows]


def rated(name: str, shown: int, **more: Any) -> Rating:
    """A rating as a bare row."""
    ladder, _ = RatingLadder.objects.get_or_create(pk=OVERALL, defaults={"method": METHOD})
    fields = {
        "mu": 25.0,
        "sigma": 3.0,
        "games": 20,
        "wins": 10,
        "peak": max(shown, 750),
        "last_played": timezone.now(),
    }
    user = User.objects.filter(username=name).first() or user_named(name)
    return Rating.objects.create(ladder=ladder, user=user, shown=shown, **{**fields, **more})


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """`at(moment)`: it is that moment now, for leaderboards."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr(boards, "now_utc", lambda: moment)

    return set_to


# -- order and ranks -----------------------------------------------------------------------------


def test_the_best_stand_first_and_equals_share_a_rank() -> None:
    for name, shown in [("one", 900), ("two", 1200), ("six", 900), ("ten", 800), ("top", 1300)]:
        rated(name, shown)
    board = board_page(OVERALL, Wanted())
    assert [(row.player.username, row.rank, row.shared) for row in board.rows] == [
        ("top", 1, False),
        ("two", 2, False),
        ("one", 3, True),
        ("six", 3, True),
        ("ten", 5, False),
    ]
    assert board.total == 5
    assert board.after is board.before is None


@given(
    shown=st.lists(st.integers(0, 4), min_size=1, max_size=12),
    size=st.integers(1, 5),
)
@pytest.mark.django_db(transaction=False)
def test_ranks_do_not_depend_on_where_pages_end(shown: list[int], size: int) -> None:
    """The pure part: cut a list anywhere, and every row keeps its rank and whether it shares it."""
    order = sorted(shown, reverse=True)
    whole = boards._ranks(order, 0, 0, False)
    assert [rank for rank, _ in whole] == [1 + sum(o > s for o in order) for s in order]
    assert [shared for _, shared in whole] == [order.count(s) > 1 for s in order]
    cut: list[tuple[int, bool]] = []
    for start in range(0, len(order), size):
        part = order[start : start + size]
        above = sum(value > part[0] for value in order)
        tied_below = part[-1] in order[start + size :]
        cut += boards._ranks(part, above, start, tied_below)
    assert cut == whole


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pages_forwards_and_backwards_show_everybody_once(size: int) -> None:
    for number in range(7):
        rated(f"user{number}", 1000 + number // 3 * 10)
    whole = board_page(OVERALL, Wanted(), size=100)
    seen: list[boards.BoardRow] = []
    pages: list[boards.Board] = []
    cursor = None
    while True:
        page = board_page(OVERALL, Wanted(), cursor=cursor, size=size)
        pages.append(page)
        seen += page.rows
        if page.after is None:
            break
        cursor = Cursor.read(str(page.after))
    assert seen == list(whole.rows)
    assert pages[0].before is None
    for earlier, later in itertools.pairwise(pages):
        back = board_page(OVERALL, Wanted(), cursor=later.before, size=size)
        assert back.rows == earlier.rows


def test_a_page_behind_everybody_is_empty_and_says_how_many_there_are() -> None:
    rated("one", 900)
    board = board_page(OVERALL, Wanted(), cursor=Cursor(1, 1))
    assert (board.rows, board.total) == ((), 1)


@pytest.mark.parametrize(
    "text",
    ["", "a", "x1.2", "a1", "a1.", "a.2", "a1.-2", "a1.2x", "a٣.2", "a1.2" + "0" * 40,
     "a99999999999.1", "a1.99999999999999999999"],
)  # fmt: skip
def test_a_wrong_cursor_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        Cursor.read(text)
    assert refusal.value.code == "cursor.invalid"


@given(st.integers(-(2**31) + 1, 2**31 - 1), st.integers(0, 2**62), st.booleans())
@pytest.mark.django_db(transaction=False)
def test_a_cursor_is_read_as_it_was_written(shown: int, user: int, backwards: bool) -> None:
    cursor = Cursor(shown, user, backwards)
    if len(str(cursor)) <= 30:
        assert Cursor.read(str(cursor)) == cursor


def test_there_are_only_the_ladders_that_there_are() -> None:
    assert next(ladder_named(each) for each, _ in boards.ladders()) == OVERALL
    for name in ("chess", "", "Overall"):
        with pytest.raises(Refusal) as refusal:
            ladder_named(name)
        assert refusal.value.code == "leaderboard.none"


# -- filters -------------------------------------------------------------------------------------


def test_filters() -> None:
    now = timezone.now()
    rated("plain", 1500)
    rated("fresh", 1400, games=3, wins=1, sigma=7)
    rated("away", 1300, last_played=now - timedelta(days=100))
    closed = rated("closed", 1200)
    User.objects.filter(pk=closed.user_id).update(is_active=False)
    assert named(board_page(OVERALL, Wanted())) == ["plain", "fresh", "away"]
    assert named(board_page(OVERALL, Wanted(games=3))) == ["plain", "fresh", "away"]
    assert named(board_page(OVERALL, Wanted(games=4))) == ["plain", "away"]
    assert named(board_page(OVERALL, Wanted(days=99))) == ["plain", "fresh"]
    assert named(board_page(OVERALL, Wanted(days=101))) == ["plain", "fresh", "away"]
    assert named(board_page(OVERALL, Wanted(provisional=False))) == ["plain", "away"]
    board = board_page(OVERALL, Wanted(days=99, provisional=False))
    assert (named(board), board.total) == (["plain"], 1)


# -- a row ---------------------------------------------------------------------------------------


def test_a_row_tells_form_course_and_trend(
    ada: User, ben: User, at: Callable[[datetime], None]
) -> None:
    day = 24 * 60
    for number, winner in enumerate([0, 0, 1, 0]):
        match_rate(match_id=result_row((ada, ben), winner=winner, minutes=number * day).pk)
    at(DAY_0 + timedelta(days=31, hours=1))
    row = next(r for r in board_page("tetronogo", Wanted()).rows if r.player.username == "ada")
    assert (row.games, row.wins, row.losses, row.win_rate) == (4, 3, 1, 75)
    assert row.form == (True, True, False, True)
    assert len(row.spark) == 5
    assert (row.spark[0], row.spark[-1]) == (750, row.strength.shown)
    # A month ago two matches had been played.
    assert row.trend == row.spark[4] - row.spark[2]
    at(DAY_0 + timedelta(days=60))
    assert board_page("tetronogo", Wanted()).rows[0].trend == 0
    at(DAY_0 + timedelta(days=5))
    assert board_page("tetronogo", Wanted()).rows[0].trend is None


def test_only_the_latest_matches_are_drawn(ada: User, ben: User) -> None:
    for number in range(boards.SPARK + 5):
        result_row((ada, ben), winner=number % 2, minutes=number)
    ratings_repair()
    row = board_page(OVERALL, Wanted()).rows[0]
    assert len(row.spark) == boards.SPARK + 1
    assert len(row.form) == boards.FORM


def test_a_page_takes_a_bounded_number_of_queries(django_assert_num_queries: Any) -> None:
    users = [user_named(f"user{number}") for number in range(30)]
    for number in range(30):
        result_row((users[number], users[(number + 1) % 30]), minutes=number)
    ratings_repair()
    with django_assert_num_queries(5):
        board_page(OVERALL, Wanted(games=2, days=10_000, provisional=True))


# -- any set of matches --------------------------------------------------------------------------


def test_a_season_begins_anew(ada: User, ben: User, cleo: User) -> None:
    outside = [result_row((ada, ben), minutes=number) for number in range(3)]
    inside = [
        result_row((ben, ada), minutes=10),
        result_row((ben, cleo), minutes=11, ruleset="domain"),
        result_row((ada, cleo), minutes=12, winner=None),
    ]
    ratings_repair()
    season = Match.objects.filter(pk__in=[match.pk for match in inside])
    board = leaderboard_of(season, name="season 1")
    assert [(row.player.username, row.rank, row.wins, row.games) for row in board.rows] == [
        ("ben", 1, 2, 2),
        ("cleo", 2, 0, 1),
        ("ada", 3, 0, 1),
    ]
    assert board.rows[0].spark[0] == 750
    ben_then, _ = by_hand(NEW, NEW)
    ben_now, cleo_now = by_hand(ben_then, NEW)
    assert board.rows[0].strength == pytest.approx(ben_now)
    assert board.rows[1].strength == pytest.approx(cleo_now)
    assert board.rows[0].form == (True, True)
    whole = leaderboard_of(
        Match.objects.filter(pk__in=[match.pk for match in [*outside, *inside]]), name="all"
    )
    for row in whole.rows:
        overall = Rating.objects.get(ladder=OVERALL, user=row.player.pk)
        assert row.strength == overall.strength
    narrow = leaderboard_of(season, name="season 1", wanted=Wanted(games=2))
    assert named(narrow) == ["ben"]


def test_a_season_of_which_nothing_has_been_played(db: None) -> None:
    board = leaderboard_of(Match.objects.none(), name="season 2")
    assert (board.rows, board.total, board.changed_at) == ((), 0, None)


def test_a_season_is_kept_until_a_result_changes(
    ada: User, ben: User, django_assert_num_queries: Any
) -> None:
    match = result_row((ada, ben))
    season = Match.objects.filter(pk=match.pk)
    with committing():
        match_rate(match_id=match.pk)
    first = leaderboard_of(season, name="season 3")
    with django_assert_num_queries(0):
        assert leaderboard_of(season, name="season 3") == first
    rating_exclude(match_id=match.pk, acting_user=None, why="a mistake")
    with committing():
        match_rate(match_id=match.pk)
    assert leaderboard_of(season, name="season 3").rows == ()


# -- one player ----------------------------------------------------------------------------------


def test_where_somebody_stands(ada: User, ben: User, cleo: User) -> None:
    result_row((ben, ada), minutes=1)
    result_row((cleo, ben), minutes=2, ruleset="domain")
    ratings_repair()
    seen = player_ladders(ben)
    assert [(each.ladder, each.rank, each.total, len(each.points)) for each in seen] == [
        (OVERALL, 2, 3, 2),
        *sorted([("tetronogo", 1, 2, 1), ("domain", 2, 2, 1)], key=lambda e: order(e[0])),
    ]
    assert seen[0].form == (True, False)
    assert player_ladders(user_named("nobody")) == []


def order(ladder: str) -> int:
    return [each for each, _ in boards.ladders()].index(ladder)


# -- the cache -----------------------------------------------------------------------------------


def test_a_version_lasts_until_a_change_is_committed(ada: User, ben: User) -> None:
    before = {ladder: keys.version_of(ladder) for ladder in (OVERALL, "tetronogo", "domain")}
    match = result_row((ada, ben))
    with committing():
        match_rate(match_id=match.pk)
        assert keys.version_of(OVERALL) == before[OVERALL]
    assert keys.version_of(OVERALL) != before[OVERALL]
    assert keys.version_of("tetronogo") != before["tetronogo"]
    assert keys.version_of("domain") == before["domain"]
    # Told twice: nothing has changed.
    after = keys.version_of(OVERALL)
    with committing():
        match_rate(match_id=match.pk)
    assert keys.version_of(OVERALL) == after


def test_what_is_kept_belongs_to_its_version() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(made)

    assert [keys.kept("x", "v1", "page", make) for _ in range(3)] == [1, 1, 1]
    assert keys.kept("x", "v1", "other page", make) == 2
    assert keys.kept("y", "v1", "page", make) == 3
    keys.ladder_changed("x")
    assert keys.kept("x", keys.version_of("x"), "page", make) == 4


def test_everything_is_made_anew_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys.version_of("x")
    later = timezone.now() + timedelta(seconds=keys.KEPT_SECONDS)
    monkeypatch.setattr(keys, "now_utc", lambda: later)
    assert keys.version_of("x") != before


def test_a_cache_that_is_away_costs_nothing_but_time(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def get(self, *_arguments: object) -> None:
            raise RedisAway

        set = add = get

    monkeypatch.setattr(keys, "cache", Away())
    match = result_row((ada, ben))
    with committing():
        match_rate(match_id=match.pk)
    assert keys.kept(OVERALL, keys.version_of(OVERALL), "page", lambda: 7) == 7
    assert keys.version_of(OVERALL) != keys.version_of(OVERALL)
    assert leaderboard_of(Match.objects.all(), name="all").total == 2
