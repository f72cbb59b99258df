"""Moderators' rulings on pairs beside organisers' rulings on single results: neither is lost."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from core.refusals import Refusal
from games.models import Match, PairRuling, RatingRuling, WaitingRuling
from games.ratings.models import OVERALL, Rating, RatingPoint
from games.ratings.pairs import of_pair_to_rule_on, pair_rate_again, pair_unrate
from games.ratings.rating import RatedResult, rate
from games.ratings.services import (
    match_rate,
    rating_correct,
    rating_exclude,
    rating_include,
    ratings_take_in,
)
from tests.games.conftest import ada, ben, mona, orla, root
from tests.games.support import refused, user_named
from tests.ratings.support import friendly, held, is_true
from tests.support import depth
from tests.support.locks import own_pid, somebody_waits_for
from tests.support.site import wait_for
from tournaments.services.results.ratings import rating_leave_out, rating_set_right

__all__ = ["ada", "ben", "mona", "orla", "root"]

pytestmark = pytest.mark.django_db


def test_what_a_season_rules_while_moderators_have_holds_once_they_take_theirs_back(
    ada: User, ben: User, mona: User, orla: User
) -> None:
    corrected, voided, left = (friendly(ada, ben, ago=timedelta(days=days)) for days in (3, 2, 1))
    ruling = pair_unrate(acting_user=mona, first=ada, second=ben, why="Both are one.")
    rating_set_right(corrected.pk, 1, orla, "a correction")
    rating_leave_out(voided.pk, orla, "a void leg")
    rating_set_right(left.pk, 1, orla, "a mistake")
    rating_set_right(left.pk, 0, orla, "mended")
    assert {each.why for each in RatingRuling.objects.all()} == {"Both are one."}
    ratings_take_in()
    assert not Rating.objects.exists()
    refused("rating.of-pair", rating_include, match_id=left.pk, acting_user=orla, why="mine")
    pair_rate_again(acting_user=mona, ruling=ruling, why="Siblings.")
    ratings_take_in()
    is_true(OVERALL)
    won = RatingPoint.objects.filter(ladder=OVERALL, won=True).order_by("at")
    assert [(point.match_id, point.user) for point in won] == [(corrected.pk, ben), (left.pk, ada)]
    now = {each.match_id: (each.winner, each.why, each.by) for each in RatingRuling.objects.all()}
    assert now == {
        corrected.pk: (1, "a correction", orla),
        voided.pk: (None, "a void leg", orla),
        left.pk: (0, "mended", orla),
    }
    assert not WaitingRuling.objects.exists()
    entries = AuditEntry.objects.filter(action="rating.correct", data__waits=True)
    assert entries.count() == 3


def test_a_result_that_was_corrected_can_be_ruled_upon_with_its_pair(
    ada: User, ben: User, mona: User, orla: User
) -> None:
    """As any that counts; and it counts as corrected again afterwards."""
    match = friendly(ada, ben, ago=timedelta(days=1))
    other = friendly(ada, ben, ago=timedelta(hours=1))
    rating_correct(match_id=match.pk, acting_user=orla, winner=1, why="the wrong board")
    ratings_take_in()
    before = list(RatingPoint.objects.order_by("ladder", "at", "user").values("mu", "won"))
    ruling = pair_unrate(acting_user=mona, first=ada, second=ben, why="Both are one.")
    assert ruling.matches == [match.pk, other.pk]
    ratings_take_in()
    assert not Rating.objects.exists()
    pair_rate_again(acting_user=mona, ruling=ruling, why="Siblings.")
    ratings_take_in()
    own = RatingRuling.objects.get()
    assert (own.match, own.winner, own.why, own.by) == (match, 1, "the wrong board", orla)
    assert not WaitingRuling.objects.exists()
    after = list(RatingPoint.objects.order_by("ladder", "at", "user").values("mu", "won"))
    assert after == before
    is_true(OVERALL)


@pytest.mark.django_db(transaction=True)
def test_what_a_season_decides_while_a_ruling_is_taken_back_is_not_lost(
    ada: User, ben: User, mona: User
) -> None:
    match = friendly(ada, ben, ago=timedelta(days=1))
    ruling = pair_unrate(acting_user=mona, first=ada, second=ben, why="Both are one.")

    def lift() -> PairRuling:
        try:
            return pair_rate_again(acting_user=mona, ruling=ruling, why="Siblings.")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            rating_set_right(match.pk, 1, None, "a correction")
            held_by = own_pid()
            lifting = pool.submit(lift)
            wait_for(lambda: lifting.done() or somebody_waits_for(held_by))
            assert not lifting.done(), lifting.result()
        assert lifting.result(60).lifted_at is not None
    assert RatingRuling.objects.get().why == "a correction"
    assert not WaitingRuling.objects.exists()


def all_true() -> None:
    for ladder in (OVERALL, "tetronogo", "domain"):
        is_true(ladder)


class AnyRulings(TestCase):
    """Whatever moderators rule on pairs, and organisers on results, before, meanwhile or after:
    once the moderators have taken theirs back, the ratings are those of the results as the
    organisers have them, computed from nothing by a book that knows of no moderators."""

    steps = st.lists(
        st.one_of(
            st.tuples(
                st.just("play"),
                st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]),
                st.integers(0, 28 * 24),
                st.sampled_from(["tetronogo", "domain"]),
            ),
            st.tuples(st.sampled_from(["swap", "out", "in"]), st.integers(0, 30)),
            st.tuples(st.just("unrate"), st.sampled_from([(0, 1), (0, 2), (1, 2)]), st.booleans()),
            st.tuples(st.just("lift"), st.integers(0, 5)),
        ),
        max_size=20,
    )

    @settings(
        max_examples=depth.examples(30), deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(steps=steps, tell=st.randoms(use_true_random=False))
    def test_what_is_left_once_they_are_taken_back(
        self, steps: list[Any], tell: random.Random
    ) -> None:
        users = [user_named(f"user{number}") for number in range(3)]
        judge = user_named("judge")
        root = User.objects.create_superuser("root")
        role_grant(acting_user=root, user=judge, role=Role.MODERATOR)
        self.book: dict[int, tuple[Match, int | None]] = {}
        rulings: list[PairRuling] = []
        for step in steps:
            if step[0] == "play":
                _, pair, hours, ruleset = step
                match = friendly(
                    users[pair[0]], users[pair[1]], ago=timedelta(hours=1 + hours), ruleset=ruleset
                )
                self.book[match.pk] = (match, 0)
                match_rate(match_id=match.pk)
            elif step[0] == "unrate":
                one, other = (users[number] for number in step[1])
                theirs = sorted(of_pair_to_rule_on(one.pk, other.pk).values_list("pk", flat=True))
                chosen = theirs[::2] if step[2] else None
                if theirs:
                    rulings.append(
                        pair_unrate(
                            acting_user=judge, first=one, second=other, why="x", matches=chosen
                        )
                    )
            elif step[0] == "lift":
                if rulings:
                    self.lift(judge, rulings.pop(step[1] % len(rulings)))
            elif self.book:
                self.rule(step[0], sorted(self.book)[step[1] % len(self.book)])
            if tell.random() < 0.5:
                ratings_take_in()
                all_true()
        tell.shuffle(rulings)
        for ruling in rulings:
            self.lift(judge, ruling)
        ratings_take_in()
        all_true()
        assert not WaitingRuling.objects.exists()
        for ladder in (OVERALL, "tetronogo", "domain"):
            assert held(ladder) == self.by_the_book(ladder)

    def lift(self, judge: User, ruling: PairRuling) -> None:
        pair_rate_again(acting_user=judge, ruling=ruling, why="y")

    def rule(self, what: str, match_id: int) -> None:
        match, winner = self.book[match_id]
        said: dict[str, Any] = {
            "match_id": match_id, "acting_user": None, "why": "a test", "authorised": True,
        }  # fmt: skip
        if what == "out":
            if winner is not None:
                rating_exclude(**said)
            becomes = None
        elif what == "swap":
            becomes = 0 if winner is None else 1 - winner
            rating_correct(**said, winner=becomes)
        else:
            becomes = 0
            try:
                rating_include(**said)
            except Refusal as refusal:
                assert refusal.code == "rating.no-ruling"  # noqa: PT017  (any other is a fault)
                becomes = winner
        self.book[match_id] = (match, becomes)

    def by_the_book(self, ladder: str) -> dict[int, Any]:
        counting = []
        for match, winner in self.book.values():
            if winner is None or ladder not in (OVERALL, match.ruleset):
                continue
            seats = [player.user_id or 0 for player in match.players.order_by("seat")]
            assert match.finished_at is not None
            result = RatedResult(match.pk, match.finished_at, seats[winner], seats[1 - winner])
            counting.append(result)
        standings, _ = rate(sorted(counting, key=lambda each: (each.at, each.match_id)))
        return {user: (*s.strength, s.games, s.wins, s.peak, s.at) for user, s in standings.items()}
