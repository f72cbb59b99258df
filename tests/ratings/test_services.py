"""Ladders in step with the results: one by one, out of order, void, ruled upon, repaired."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounts.models import AuditEntry, User
from core.jobs.models import SetAside
from games.jobs import FOLLOW_UP, RATE
from games.models import Match, MatchPlayer
from games.ratings import services, tasks
from games.ratings.models import (
    OVERALL,
    Rating,
    RatingLadder,
    RatingPoint,
    RatingRequest,
    RatingRuling,
)
from games.ratings.services import (
    counts,
    match_rate,
    rating_correct,
    rating_exclude,
    rating_include,
    ratings_rebuild,
    ratings_repair,
    ratings_take_in,
)
from games.ratings.tasks import rate, repair
from games.tasks import follow_up
from tests.games.support import SECOND, committing, refused, started, user_named
from tests.ratings.support import answered, held, is_true, result_row
from tests.support import depth
from tests.support.workers import Workers

pytestmark = pytest.mark.django_db
LADDERS = ("domain", OVERALL, "tetronogo")


def all_true() -> None:
    for ladder in LADDERS:
        is_true(ladder)


def told_of(*matches: Match) -> None:
    for match in matches:
        match_rate(match_id=match.pk)


def asked_for(match: Match) -> None:
    """The result waits for its ladders, as after an end that found them taken."""
    for ladder in (match.ruleset, OVERALL):
        RatingRequest.objects.create(ladder=ladder, match=match)


# -- one result ----------------------------------------------------------------------------------


def test_a_result_moves_both_players_on_both_ladders(ada: User, ben: User) -> None:
    match = result_row((ada, ben), winner=1)
    assert match_rate(match_id=match.pk) == ["overall", "tetronogo"]
    for ladder in (OVERALL, "tetronogo"):
        won, lost = Rating.objects.filter(ladder=ladder)
        assert (won.user, won.games, won.wins) == (ben, 1, 1)
        assert (lost.user, lost.games, lost.wins) == (ada, 1, 0)
        assert won.mu == pytest.approx(27.635390, abs=1e-6)
        assert won.last_played == match.finished_at
        point = RatingPoint.objects.get(ladder=ladder, user=ben)
        assert (point.opponent, point.shown_before, point.shown) == (ada, 750, won.shown)
        assert point.change == won.shown - 750 > 0
        assert lost.peak == 750
    all_true()


def test_a_second_telling_changes_nothing(ada: User, ben: User) -> None:
    match = result_row((ada, ben))
    match_rate(match_id=match.pk)
    before = list(RatingPoint.objects.order_by("pk").values())
    assert match_rate(match_id=match.pk) == []
    assert list(RatingPoint.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"winner": None},
        {"source": Match.Source.IMPORTED},
        {"status": Match.Status.RUNNING, "winner": None, "reason": "", "finished_at": None},
    ],
    ids=["void", "imported", "running"],
)
def test_what_does_not_count(ada: User, ben: User, changes: dict[str, Any]) -> None:
    match = result_row((ada, ben), **changes)
    assert match_rate(match_id=match.pk) == []
    assert not counts(match)
    assert not Rating.objects.exists()
    assert ratings_repair() == {}


def test_a_seat_without_an_account_does_not_count(ada: User) -> None:
    match = result_row((ada, None))
    told_of(match)
    assert not Rating.objects.exists()
    assert ratings_repair() == {}
    refused(
        "rating.no-accounts", rating_exclude, match_id=match.pk, acting_user=None, why="because"
    )


def test_a_match_that_is_not_there(db: None) -> None:
    assert match_rate(match_id=1) == []


def test_the_end_of_a_match_tells_a_worker(ada: User, ben: User, left_to_workers: Workers) -> None:
    play = answered(started((ada, ben)), 6)
    play.move(0, "concede", 8 * SECOND)
    assert not Rating.objects.exists()
    follow_up(*left_to_workers.of(FOLLOW_UP)[0])
    assert [r.user for r in Rating.objects.filter(ladder=OVERALL)] == [ben, ada]
    all_true()


def test_a_broker_that_is_away_costs_nothing_but_time(
    ada: User, ben: User, workers: Workers
) -> None:
    workers.fault = ConnectionError()
    play = started((ada, ben))
    play.move(0, "concede", 1000)
    match = play.match
    told_of(match)
    rating_exclude(match_id=match.pk, acting_user=None, why="because")
    rating_include(match_id=match.pk, acting_user=None, why="it was right")
    rating_correct(match_id=match.pk, acting_user=None, winner=0, why="or was it")
    rate()
    assert RatingPoint.objects.get(ladder=OVERALL, user=ada).won
    assert Rating.objects.count() == 4
    all_true()


# -- many results --------------------------------------------------------------------------------


def test_matches_that_ended_at_the_same_instant_go_by_their_number(
    ada: User, ben: User, cleo: User
) -> None:
    first, second = result_row((ada, ben)), result_row((cleo, ada))
    told_of(second, first)
    order = RatingPoint.objects.filter(ladder=OVERALL, user=ada).order_by("games")
    assert [point.match_id for point in order] == [first.pk, second.pk]
    all_true()


def test_a_result_that_comes_late_is_put_where_it_belongs(ada: User, ben: User, cleo: User) -> None:
    early = result_row((ada, ben), minutes=1)
    late = result_row((ben, cleo), minutes=2)
    other = result_row((ada, cleo), minutes=3, ruleset="domain")
    told_of(other, late)
    all_but_early = held("domain")
    told_of(early)
    all_true()
    # The other game's ladder has nothing to do with it.
    assert held("domain") == all_but_early


def test_what_is_rated_already_before_a_change_is_not_touched(ada: User, ben: User) -> None:
    first, second, third = (result_row((ada, ben), minutes=m) for m in (1, 2, 3))
    told_of(first, second, third)
    kept = set(RatingPoint.objects.filter(match=first).values_list("pk", flat=True))
    rating_exclude(match_id=second.pk, acting_user=None, why="a mistake")
    told_of(second)
    assert set(RatingPoint.objects.filter(match=first).values_list("pk", flat=True)) == kept
    assert not RatingPoint.objects.filter(match=second).exists()
    assert RatingPoint.objects.get(match=third, ladder=OVERALL, user=ada).games == 2
    all_true()


def test_a_player_whose_only_result_is_taken_out_is_gone(ada: User, ben: User, cleo: User) -> None:
    match, other = result_row((ada, ben)), result_row((ada, cleo), minutes=1)
    told_of(match, other)
    rating_exclude(match_id=match.pk, acting_user=None, why="a mistake")
    told_of(match)
    assert not Rating.objects.filter(user=ben).exists()
    all_true()
    rating_include(match_id=match.pk, acting_user=None, why="it was right")
    told_of(match)
    assert Rating.objects.filter(user=ben).count() == 2
    all_true()


class AnyHistory(TestCase):
    """Whatever happens to results in whatever order: what is kept is what a computation from
    nothing gives, to the bit."""

    steps = st.lists(
        st.one_of(
            st.tuples(
                st.just("play"),
                st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda p: p[0] != p[1]),
                # Within the minutes of a day, and beyond the days within which pairs weigh less.
                st.integers(0, 20) | st.integers(0, 80).map(lambda day: 1440 * day),
                st.sampled_from(["tetronogo", "domain"]),
            ),
            st.tuples(st.sampled_from(["exclude", "swap", "include"]), st.integers(0, 30)),
            st.tuples(st.just("repair")),
        ),
        max_size=16,
    )

    @settings(
        max_examples=depth.examples(25), deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(steps=steps, tell=st.randoms(use_true_random=False))
    def test_incremental_is_what_a_full_computation_gives(
        self, steps: list[Any], tell: random.Random
    ) -> None:
        users = [user_named(f"user{number}") for number in range(4)]
        matches: list[Match] = []
        untold: list[Match] = []
        for step in steps:
            if step[0] == "play":
                _, pair, minutes, ruleset = step
                seats = (users[pair[0]], users[pair[1]])
                match = result_row(seats, winner=pair[0] % 2, minutes=minutes, ruleset=ruleset)
                matches.append(match)
                untold.append(match)
            elif step[0] == "repair":
                ratings_repair()
                untold.clear()
            elif matches:
                untold.append(self.ruled(step[0], matches[step[1] % len(matches)]))
            tell.shuffle(untold)
            while untold and tell.random() < 0.6:
                told_of(untold.pop())
        told_of(*untold)
        all_true()
        assert ratings_repair() == {}

    @staticmethod
    def ruled(what: str, match: Match) -> Match:
        ruling = RatingRuling.objects.filter(match=match).first()
        said: dict[str, Any] = {"match_id": match.pk, "acting_user": None, "why": "a test"}
        if what == "include":
            if ruling is not None:
                rating_include(**said)
        elif what == "exclude":
            if ruling is None or ruling.winner is not None:
                rating_exclude(**said)
        else:
            now = match.winner if ruling is None else ruling.winner
            rating_correct(**said, winner=0 if now is None else 1 - now)
        return match


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once(serialized_users: list[User]) -> None:
    ada, ben, cleo = serialized_users
    matches = [
        result_row(seats, minutes=minutes % 3, ruleset=("domain", "tetronogo")[minutes % 2])
        for minutes, seats in enumerate([(ada, ben), (ben, cleo), (cleo, ada)] * 4)
    ]
    failed: list[Exception] = []

    def work(own: list[Match]) -> None:
        try:
            told_of(*own)
        except Exception as error:  # noqa: BLE001  (shown by the test)
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(matches[n::3],)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failed == []
    all_true()


@pytest.mark.django_db(transaction=True)
def test_ends_at_the_same_moment_are_rated_in_their_order(serialized_users: list[User]) -> None:
    """As many workers as ends, all at once, each with one; players and instants are shared."""
    pairs = [(0, 1), (1, 2), (2, 0)] * 4
    matches = [
        result_row(
            (serialized_users[one], serialized_users[two]),
            minutes=number * 7 % 5,
            winner=number % 2,
            ruleset=("domain", "tetronogo")[number % 2],
        )
        for number, (one, two) in enumerate(pairs)
    ]
    barrier = threading.Barrier(len(matches))

    def rated(match: Match) -> Callable[[], None]:
        def work() -> None:
            connection.ensure_connection()
            barrier.wait(60)
            match_rate(match_id=match.pk)

        return work

    assert at_once(*(rated(match) for match in matches)) == []
    # Whoever came last to a ladder has left none of the others behind.
    assert not RatingRequest.objects.exists()
    all_true()


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_a_ladder_and_no_result_is_left_behind(
    serialized_users: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result that comes while somebody is at its ladders, after they have read what waited."""
    ada, ben, cleo = serialized_users
    first, second = result_row((ada, ben)), result_row((cleo, ada), minutes=1)
    answers: list[list[str]] = []
    calls = [lambda: answers.append(match_rate(match_id=second.pk))]
    take_up = services._take_up

    def meanwhile(ladder: RatingLadder, **more: Any) -> int:
        taken_up = take_up(ladder, **more)
        if calls:
            before = time.monotonic()
            assert at_once(calls.pop()) == []
            assert time.monotonic() - before < 8  # a lock is waited for ten seconds
        return taken_up

    monkeypatch.setattr(services, "_take_up", meanwhile)
    assert match_rate(match_id=first.pk) == [OVERALL]
    # The other did not wait for the ladder that was taken, and did all there was at the free one.
    assert answers == [["tetronogo"]]
    assert RatingPoint.objects.count() == 8
    assert not RatingRequest.objects.exists()
    all_true()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_dies_with_results_in_hand_leaves_them_waiting(
    serialized_users: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben, _cleo = serialized_users
    match = result_row((ada, ben))

    def dies(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(services, "_append", dies)
        with pytest.raises(KeyboardInterrupt):
            match_rate(match_id=match.pk)
    assert RatingRequest.objects.count() == 2
    assert not RatingPoint.objects.exists()
    assert ratings_take_in() == ["overall", "tetronogo"]
    assert not RatingRequest.objects.exists()
    all_true()


@pytest.mark.django_db(transaction=True)
def test_a_ladder_that_cannot_be_computed_keeps_no_other(serialized_users: list[User]) -> None:
    ada, ben, _cleo = serialized_users
    first = result_row((ada, ben))
    told_of(first)
    second = result_row((ben, ada), minutes=1)
    points = RatingPoint.objects.filter(ladder=OVERALL, match=first)
    was = {point.pk: point.mu for point in points}
    points.update(mu=float("nan"))
    assert match_rate(match_id=second.pk) == ["tetronogo"]
    assert list(RatingRequest.objects.values_list("ladder", "match")) == [(OVERALL, second.pk)]
    (aside,) = SetAside.objects.all()
    assert (aside.job, aside.key) == ("ratings.take-in", OVERALL)
    for pk, mu in was.items():
        RatingPoint.objects.filter(pk=pk).update(mu=mu)
    assert ratings_take_in() == []  # it is left alone for a while
    SetAside.objects.update(next_at=timezone.now())
    assert ratings_take_in() == [OVERALL]
    assert not SetAside.objects.exists()
    all_true()


def at_once(*calls: Callable[[], Any]) -> list[BaseException]:
    """Make all of these calls, each in a thread of its own; returns what they failed with."""
    failed: list[BaseException] = []

    def made(call: Callable[[], Any]) -> None:
        try:
            call()
        except Exception as error:  # noqa: BLE001  (shown by the test)
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=made, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    return failed


@pytest.fixture
def serialized_users(transactional_db: None) -> list[User]:
    return [user_named(name) for name in ("ada", "ben", "cleo")]


# -- repair --------------------------------------------------------------------------------------


def test_a_repair_takes_in_what_nobody_told_of(ada: User, ben: User, cleo: User) -> None:
    told_of(result_row((ada, ben), minutes=1))
    missed = result_row((ben, cleo), minutes=2)
    told_of(result_row((ada, cleo), minutes=3))
    wrong = ratings_repair()
    assert {ladder: place.match_id for ladder, place in wrong.items()} == {
        OVERALL: missed.pk,
        "tetronogo": missed.pk,
    }
    all_true()
    assert ratings_repair() == {}


def test_a_repair_looks_no_further_back_than_it_is_asked(ada: User, ben: User) -> None:
    match = result_row((ada, ben))
    assert match.finished_at is not None
    assert ratings_repair(since=match.finished_at + timedelta(seconds=1)) == {}
    assert set(ratings_repair(since=match.finished_at)) == {OVERALL, "tetronogo"}


def test_the_frequent_repair_finds_what_is_recent(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = result_row((ada, ben))
    assert match.finished_at is not None
    recent = match.finished_at + timedelta(hours=1)
    monkeypatch.setattr(tasks, "now_utc", lambda: recent)
    repair()
    assert Rating.objects.count() == 4


@pytest.mark.parametrize("damage", ["seats", "points", "time"])
def test_a_repair_notices_what_was_changed_behind_its_back(
    ada: User, ben: User, cleo: User, damage: str
) -> None:
    match = result_row((ada, ben), minutes=1)
    told_of(match, result_row((ben, ada), minutes=2))
    if damage == "seats":  # two accounts of one person become one
        MatchPlayer.objects.filter(match=match, user=ben).update(user=cleo)
    elif damage == "points":
        RatingPoint.objects.filter(match=match, user=ada).delete()
    else:
        Match.objects.filter(pk=match.pk).update(finished_at=match.created_at)
    assert ratings_repair()
    all_true()


def test_another_arithmetic_makes_all_ladders_anew(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_of(result_row((ada, ben)))
    RatingLadder.objects.filter(pk="tetronogo").update(method="elo 1")
    RatingPoint.objects.filter(ladder="tetronogo").update(mu=99)
    assert set(ratings_repair()) == {"tetronogo"}
    all_true()


def test_a_rebuild_starts_from_nothing(ada: User, ben: User) -> None:
    told_of(result_row((ada, ben), minutes=1), result_row((ben, ada), minutes=2))
    RatingPoint.objects.filter(ladder=OVERALL).update(mu=1)
    result_row((ada, ben), ruleset="domain")
    assert ratings_rebuild() == 3 + 2 + 1
    all_true()
    RatingPoint.objects.filter(ladder=OVERALL).update(mu=1)
    assert ratings_rebuild(ladders=[OVERALL]) == 3
    all_true()


# -- rulings -------------------------------------------------------------------------------------


def test_a_corrected_result_counts_for_the_other(ada: User, ben: User, orla: User) -> None:
    match = result_row((ada, ben), winner=0)
    told_of(match)
    ruling = rating_correct(match_id=match.pk, acting_user=orla, winner=1, why=" wrong\nboard ")
    assert (ruling.winner, ruling.why, ruling.by) == (1, "wrong board", orla)
    told_of(match)
    assert [r.user for r in Rating.objects.filter(ladder=OVERALL)] == [ben, ada]
    assert Match.objects.get(pk=match.pk).winner == 0
    all_true()


def test_a_void_match_can_be_given_a_winner(ada: User, ben: User) -> None:
    match = result_row((ada, ben), winner=None)
    rating_correct(match_id=match.pk, acting_user=None, winner=1, why="settled off the board")
    told_of(match)
    assert Rating.objects.get(ladder=OVERALL, user=ben).wins == 1
    all_true()


def test_a_ruling_is_on_record(ada: User, ben: User, orla: User) -> None:
    match = result_row((ada, ben))
    rating_exclude(match_id=match.pk, acting_user=orla, why="the wrong pallet")
    rating_include(match_id=match.pk, acting_user=orla, why="it was the right one")
    entries = AuditEntry.objects.filter(target_type="games.match", target_id=str(match.pk))
    assert [(d.action, d.who, d.data["why"]) for d in entries.order_by("id")] == [
        ("rating.exclude", orla, "the wrong pallet"),
        ("rating.include", orla, "it was the right one"),
    ]


def test_a_ruling_tells_a_worker_once_it_is_committed(
    ada: User, ben: User, workers: Workers
) -> None:
    match = result_row((ada, ben))
    with committing():
        rating_exclude(match_id=match.pk, acting_user=None, why="because")
        assert workers.of(RATE) == []
    assert workers.of(RATE) == [()]
    told_of(match)
    assert not RatingRequest.objects.exists()


RULINGS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (rating_exclude, {}),
    (rating_correct, {"winner": 1}),
    (rating_include, {}),
]


@pytest.mark.parametrize(("service", "more"), RULINGS)
def test_who_may_rule(
    ada: User, ben: User, mona: User, orla: User, service: Callable[..., Any], more: dict[str, Any]
) -> None:
    match = result_row((ada, ben))
    own = result_row((orla, ben))
    if service is rating_include:
        rating_exclude(match_id=match.pk, acting_user=None, why="because")
    for user, where in ((ada, match), (mona, match), (orla, own)):
        refused(
            "organiser.not-allowed", service, match_id=where.pk, acting_user=user, why="so", **more
        )
    # A season's organiser, whom the caller vouches for.
    service(match_id=match.pk, acting_user=mona, why="so", authorised=True, **more)


@pytest.mark.parametrize(("service", "more"), RULINGS)
def test_what_no_ruling_can_do(
    ada: User, ben: User, orla: User, service: Callable[..., Any], more: dict[str, Any]
) -> None:
    match = result_row((ada, ben))
    running = started((ada, ben))
    said = {"acting_user": orla, "why": "so", **more}
    refused("match.none", service, match_id=0, **said)
    refused("match.not-over", service, match_id=running.pk, **said)
    refused("rating.why-missing", service, match_id=match.pk, **{**said, "why": " \n "})
    refused("rating.why-too-long", service, match_id=match.pk, **{**said, "why": "x" * 501})


def test_rulings_that_change_nothing_are_refused(ada: User, ben: User) -> None:
    match, void = result_row((ada, ben)), result_row((ada, ben), winner=None)
    said: dict[str, Any] = {"match_id": match.pk, "acting_user": None, "why": "so"}
    refused("rating.no-ruling", rating_include, **said)
    refused("rating.same-winner", rating_correct, **said, winner=0)
    refused("rating.seat", rating_correct, **said, winner=2)
    refused("rating.excluded", rating_exclude, **{**said, "match_id": void.pk})
    rating_exclude(**said)
    refused("rating.excluded", rating_exclude, **said)


# -- constraints ---------------------------------------------------------------------------------


def test_the_database_refuses_what_cannot_be(ada: User, ben: User) -> None:
    match = result_row((ada, ben))
    told_of(match)
    point = RatingPoint.objects.filter(ladder=OVERALL, user=ada).get()
    wrong: list[Callable[[], Any]] = [
        lambda: RatingPoint.objects.create(**{**fields(point), "games": 2}),
        lambda: RatingPoint.objects.filter(pk=point.pk).update(opponent=ada),
        lambda: Rating.objects.filter(user=ada).update(wins=2),
        lambda: Rating.objects.filter(user=ada).update(sigma=0),
        lambda: RatingRuling.objects.create(match=match, winner=2, why="x"),
        lambda: RatingRuling.objects.create(match=match, winner=0, why=""),
        lambda: RatingLadder.objects.create(pk="", method="x"),
    ]
    for action in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            action()


def fields(point: RatingPoint) -> dict[str, Any]:
    return {
        field.attname: getattr(point, field.attname)
        for field in RatingPoint._meta.concrete_fields
        if not field.primary_key
    }


def test_a_result_takes_a_bounded_number_of_queries(
    ada: User, ben: User, django_assert_max_num_queries: Any
) -> None:
    told_of(*(result_row((ada, ben), minutes=minutes) for minutes in range(20)))
    match = result_row((ada, ben), minutes=30)
    with django_assert_max_num_queries(31):
        match_rate(match_id=match.pk)
    with django_assert_max_num_queries(15):
        match_rate(match_id=match.pk)
    # However many wait for it.
    several = [result_row((ada, ben), minutes=40 + minutes) for minutes in range(9)]
    for one in several[1:]:
        asked_for(one)
    with django_assert_max_num_queries(31):
        match_rate(match_id=several[0].pk)
    all_true()
    assert not RatingRequest.objects.exists()
    assert connection.in_atomic_block
