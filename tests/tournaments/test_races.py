"""Two at once, with real transactions in real threads: exactly one action, whoever is first."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from datetime import timedelta
from decimal import Decimal
from functools import partial
from time import monotonic, sleep
from typing import Any

import pytest
from django.db import connection

from accounts.announcing.services import announce
from accounts.models import Announcement, AuditEntry, User
from core.clock import now_utc
from core.refusals import Refusal
from games.models import Match, Prediction
from games.services.turns import Ack
from tests.games.support import user_named
from tests.games.test_races import Threads
from tests.tournaments.support import (
    START,
    account,
    begun,
    chosen,
    conceded,
    enrolled,
    episode_now,
    kinds,
    leg_of,
    organiser_joins,
    placings,
    running,
    who,
)
from tournaments import notices, receivers
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.episodes import episode_open, episode_skip
from tournaments.formats.elimination.main_match import Placing, placements_record
from tournaments.formats.elimination.scores import Line, Table, scores_record, scores_save
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, Leg, Season, SeasonPrediction, TimeProposal
from tournaments.notices import event_announce
from tournaments.scoring import Column
from tournaments.services.follows import season_follow
from tournaments.services.ledger.acts import ledger_correct, ledger_give, ledger_grant
from tournaments.services.ledger.book import balance_of
from tournaments.services.predictions import death_match_predict, winner_predict
from tournaments.services.results.corrections import leg_void
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.results.settlement import leg_settle
from tournaments.services.scheduling.agreeing import (
    proposal_accept,
    proposal_withdraw,
    times_propose,
)
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.readiness import leg_confirm
from tournaments.services.scheduling.sweep import legs_sweep
from tournaments.services.seasons import season_cancel, season_create, season_unlist
from tournaments.services.starts import season_start

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


def one_of(answers: list[Any]) -> list[str]:
    """Of several that did the same thing exactly one succeeded; the codes of the others."""
    refusals = [answer.code for answer in answers if isinstance(answer, Refusal)]
    assert len(refusals) == len(answers) - 1
    return refusals


def test_two_organisers_start_a_season(orla: User, oscar: User, threads: Threads) -> None:
    season = enrolled(orla, 4)
    organiser_joins(acting_user=orla, season=season, user=oscar)
    start = [partial(season_start, acting_user=user, season=season) for user in (orla, oscar) * 2]
    assert set(one_of(threads.at_once(start))) == {"season.begun"}
    assert kinds(season).count("season.started") == 1
    assert season.rounds.count() == 1


def test_seasons_of_one_name_are_made(orla: User, threads: Threads) -> None:
    create = partial(season_create, acting_user=orla, name="Spring", format="swiss")
    made = threads.at_once([create] * 4)
    assert {season.slug for season in made} == {"spring", "spring-2", "spring-3", "spring-4"}


def test_the_ec_and_an_organiser_choose(orla: User, threads: Threads) -> None:
    season = running(orla, 5)
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 1)
    )
    choose = partial(dmo_choose, episode=episode)
    ec = account(season, 1)
    answers = threads.at_once(
        [
            partial(choose, acting_user=user, contestant=who(season, number))
            for user, number in ((ec, 2), (orla, 3), (ec, 4), (orla, 5))
        ]
    )
    assert set(one_of(answers)) == {"choice.closed"}
    assert DeathMatch.objects.count() == 1
    assert faults_of(season) == []


def test_two_open_the_next_episode(orla: User, threads: Threads) -> None:
    season = running(orla, 4)
    episode_skip(acting_user=orla, episode=episode_now(season), why="a draw")
    answers = threads.at_once([partial(episode_open, acting_user=orla, season=season)] * 4)
    assert set(one_of(answers)) == {"round.not-closed"}
    assert season.rounds.count() == 2


def test_a_result_is_taken_over_by_several(
    orla: User, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    monkeypatch.setattr(receivers, "enqueue", lambda *_given: None)
    conceded(leg, winner=0)
    settle = [partial(leg_settle, match_id=leg.match_id or 0)] * 2 + [legs_sweep] * 2
    answers = threads.at_once(settle)
    assert answers[:2].count(True) + sum(answer.settled for answer in answers[2:]) == 1
    assert kinds(season).count("death-match.decided") == 1
    assert kinds(season).count("contestant.eliminated") == 1
    assert faults_of(season) == []


def test_both_are_ready_at_the_same_moment(orla: User, threads: Threads) -> None:
    season = running(orla, 4)
    leg = leg_of(chosen(orla, season, ec=1, dmo=2))
    users = [account(season, number) for number in (1, 2)]
    answers = threads.at_once([partial(leg_confirm, acting_user=user, leg=leg) for user in users])
    assert sorted(answer.status for answer in answers) == ["planned", "running"]
    assert Match.objects.count() == 1


def test_a_result_and_a_ruling(orla: User, threads: Threads) -> None:
    """The player gives up while the organiser gives them the match: one of the two counts."""
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    leg = begun(orla, death_match)
    conceding, _ruling = threads.at_once(
        [
            partial(conceded, leg, 0, START),
            partial(
                death_match_declare, acting_user=orla, death_match=death_match,
                winner=who(season, 2), why="an appeal",
            ),
        ]
    )  # fmt: skip
    assert isinstance(conceding, Ack) or conceding.code == "match.over"
    legs_sweep()
    assert kinds(season).count("death-match.decided") == 1
    assert faults_of(season) == []


def test_a_match_is_declared_void_twice(orla: User, threads: Threads) -> None:
    season = running(orla, 4)
    leg = begun(orla, chosen(orla, season, ec=1, dmo=2))
    conceded(leg, winner=0)
    answers = threads.at_once([partial(leg_void, acting_user=orla, leg=leg, why="an appeal")] * 3)
    assert set(one_of(answers)) == {"leg.nothing-played"}
    assert Leg.objects.count() == 2
    assert AuditEntry.objects.filter(action="leg.void").count() == 1
    assert faults_of(season) == []


def test_a_time_is_accepted_as_its_proposal_is_taken_back(orla: User, threads: Threads) -> None:
    """One of the two, and who comes second is told what the first has done."""
    season = running(orla, 4)
    row = chosen(orla, season, ec=1, dmo=2, at=now_utc())
    one, two = account(season, 1), account(season, 2)
    for _round in range(6):
        leg, time = leg_of(row), now_utc() + timedelta(days=2)
        proposal = times_propose(acting_user=one, leg=leg, times=[time])
        accept = partial(proposal_accept, acting_user=two, proposal=proposal, time=time)
        withdraw = partial(proposal_withdraw, acting_user=one, proposal=proposal)
        answers = threads.at_once([accept, withdraw, accept, withdraw])
        assert set(one_of(answers)) == {"times.gone"}
        proposal.refresh_from_db()
        leg = leg_of(row)
        if proposal.status == "accepted":
            assert (leg.scheduled_at, proposal.chosen) == (time, time)
            leg_schedule(acting_user=orla, leg=leg, scheduled_at=None)
        else:
            assert (proposal.status, leg.scheduled_at) == ("withdrawn", None)
    assert faults_of(season) == []


def test_both_propose_at_once(orla: User, threads: Threads) -> None:
    season = running(orla, 4)
    leg = leg_of(chosen(orla, season, ec=1, dmo=2, at=now_utc()))
    times = [now_utc() + timedelta(days=2)]
    propose = [
        partial(times_propose, acting_user=account(season, number), leg=leg, times=times)
        for number in (1, 2)
    ]
    threads.at_once(propose * 2)
    found = list(TimeProposal.objects.order_by("pk"))
    assert len(found) == 4
    assert [each.status == "open" for each in found] == [False, False, False, True]


def test_a_time_is_accepted_as_an_organiser_sets_one(orla: User, threads: Threads) -> None:
    season = running(orla, 4)
    leg = leg_of(chosen(orla, season, ec=1, dmo=2, at=now_utc()))
    theirs, given = (now_utc() + timedelta(days=days) for days in (2, 3))
    proposal = times_propose(acting_user=account(season, 1), leg=leg, times=[theirs])
    accept = partial(
        proposal_accept, acting_user=account(season, 2), proposal=proposal, time=theirs
    )
    schedule = partial(leg_schedule, acting_user=orla, leg=leg, scheduled_at=given)
    answers = threads.at_once([accept, schedule])
    proposal.refresh_from_db()
    # What the organiser has set stands, whether or not the two had agreed just before.
    assert Leg.objects.get(pk=leg.pk).scheduled_at == given
    if isinstance(answers[0], Refusal):
        assert (answers[0].code, proposal.status) == ("times.gone", "lapsed")
    else:
        assert proposal.status == "accepted"


def test_somebody_spends_the_same_twice(orla: User, threads: Threads) -> None:
    """What they have is enough for one of four payments."""
    season = running(orla, 4, trade={"currency": True, "start": 3, "payments": "open"})
    give = partial(ledger_give, acting_user=account(season, 1), season=season, amount=2)
    answers = threads.at_once([partial(give, payee=who(season, 2 + each % 3)) for each in range(4)])
    assert set(one_of(answers)) == {"ledger.short"}
    assert balance_of(who(season, 1)) == 1
    assert faults_of(season) == []


def test_an_entry_is_taken_back_twice(orla: User, threads: Threads) -> None:
    season = running(orla, 4, trade={"currency": True})
    (entry,) = ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, 1)], amount=2, why="won"
    )
    correct = partial(ledger_correct, acting_user=orla, entry=entry, why="a slip")
    assert set(one_of(threads.at_once([correct] * 4))) == {"ledger.corrected"}
    assert balance_of(who(season, 1)) == 0


def test_spectators_predict_while_a_death_match_begins(orla: User, threads: Threads) -> None:
    """Whatever was said before it begins stands at its match; what comes after it is said there,
    too: each once, in one place."""
    season = running(orla, 4, "swiss")
    row = DeathMatch.objects.select_related("home", "away").get(
        pk=DeathMatch.objects.filter(round__season=season).order_by("number")[0].pk
    )
    home = row.home
    assert home is not None
    watching = [user_named(f"seer{number}") for number in range(3)]
    asked: list[Any] = [
        partial(death_match_predict, acting_user=each, death_match=row, contestant=home)
        for each in watching
    ]
    answers = threads.at_once([*asked, partial(begun, orla, row)])
    assert answers[:3] == [None] * 3
    match = Prediction.objects.values_list("match", flat=True).distinct().get()
    assert Leg.objects.get(death_match=row).match_id == match
    assert set(Prediction.objects.values_list("user", "seat")) == {(u.pk, 0) for u in watching}
    assert not SeasonPrediction.objects.exists()


@pytest.mark.parametrize("best_of", [1, 3])
def test_nothing_is_said_of_the_winner_after_it_closes(
    orla: User, threads: Threads, best_of: int
) -> None:
    season = running(orla, 2, "single-elimination", format_options={"best_of": best_of})
    row = DeathMatch.objects.select_related("home", "away").get(round__season=season)
    home = row.home
    assert home is not None
    watching = [user_named(f"seer{number}") for number in range(3)]
    asked: list[Any] = [
        partial(winner_predict, acting_user=each, season=season, contestant=home)
        for each in watching
    ]
    answers = threads.at_once([*asked, partial(begun, orla, row)])
    late = [answer for answer in answers[:3] if isinstance(answer, Refusal)]
    assert {refusal.code for refusal in late} <= {"prediction.closed"}
    assert SeasonPrediction.objects.count() == 3 - len(late)
    again = threads.at_once(asked)
    assert {getattr(answer, "code", None) for answer in again} == {"prediction.closed"}
    assert SeasonPrediction.objects.count() == 3 - len(late)


def test_one_says_several_things_at_once(orla: User, threads: Threads) -> None:
    season = enrolled(orla, 4)
    seer = user_named("seer")
    say = partial(winner_predict, acting_user=seer, season=season)
    answers = threads.at_once([partial(say, contestant=who(season, n)) for n in (1, 2, 3, 4)])
    assert answers == [None] * 4
    assert SeasonPrediction.objects.filter(user=seer).count() == 1


def test_two_phones_save_and_record_the_same_scores(orla: User, threads: Threads) -> None:
    season = running(orla, 4, trade={"currency": True})
    episode = episode_now(season)
    columns = [Column(name="Points"), Column(name="Won", counts=False, wins=True)]
    table = Table(columns, [
        Line(who(season, number), [Decimal(9 - number), Decimal(2)]) for number in (1, 2, 3, 4)
    ])  # fmt: skip
    save = partial(scores_save, acting_user=orla, episode=episode, table=table, seen=0)
    assert set(one_of(threads.at_once([save] * 4))) == {"scores.moved-on"}
    record = partial(
        scores_record,
        acting_user=orla, episode=episode, seen=1,
        placements=[Placing(who(season, number), number) for number in (1, 2, 3, 4)],
    )  # fmt: skip
    # Whoever is late finds that it is recorded, or that the page they saw is of before.
    assert set(one_of(threads.at_once([record] * 4))) <= {"scores.recorded", "scores.moved-on"}
    assert [balance_of(who(season, number)) for number in (1, 2, 3, 4)] == [2, 2, 2, 2]
    assert faults_of(season) == []


_WAITS = "SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"


def test_a_season_is_hidden_while_a_worker_tells_of_it(
    orla: User, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever hides it waits for the worker, and takes back what it has told."""
    season = enrolled(orla, 4)
    season_follow(acting_user=user_named("cleo"), season=season)
    season_cancel(acting_user=orla, season=season, why="A secret.")
    event = season.events.get(kind="season.cancelled")
    hiding: list[Future[Season]] = []

    def waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
            )
            return cursor.fetchone() is not None

    def tell(rows: Any) -> Any:
        hiding.append(threads.pool.submit(season_unlist, acting_user=orla, season=season))
        until = monotonic() + 60
        while not hiding[0].done() and not waits() and monotonic() < until:
            sleep(0.01)
        return announce(rows)

    monkeypatch.setattr(notices, "announce", tell)
    threads.pool.submit(event_announce, event.pk).result(120)
    assert hiding[0].result(60).visibility == "draft"
    assert not Announcement.objects.filter(user__username="cleo").exists()
