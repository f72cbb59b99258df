"""Players agree on a time: proposals, answers, what ends them, and what organisers do about it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Announcement, AuditEntry, User
from core.refusals import Refusal
from tests.games.support import committing
from tests.tournaments.support import (
    START,
    account,
    after,
    begun,
    chosen,
    fresh,
    kinds,
    leg_of,
    played,
    refused,
    running,
    who,
)
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, Leg, Season, SeasonEvent, TimeProposal
from tournaments.notices import event_announce
from tournaments.reading.sheet import Sheet
from tournaments.services.contestants.departures import contestant_replace
from tournaments.services.deathmatches import ready_window
from tournaments.services.scheduling.agreeing import (
    PROPOSALS_A_DAY,
    REMIND_AGAIN,
    open_proposals,
    play_by,
    proposal_accept,
    proposal_decline,
    proposal_withdraw,
    times_propose,
    times_remind,
)
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.readiness import leg_confirm
from tournaments.services.seasons import season_archive, season_cancel, season_update

pytestmark = pytest.mark.usefixtures("letters_go_out")

NOON, EVENING = after(hours=48), after(hours=54)


@pytest.fixture
def season(orla: User) -> Season:
    return running(orla, 4)


@pytest.fixture
def meeting(orla: User, season: Season) -> DeathMatch:
    """A death match between Player 1 (the EC) and Player 2, without a time."""
    return chosen(orla, season, ec=1, dmo=2)


@pytest.fixture
def one(season: Season, meeting: DeathMatch) -> User:
    return account(season, 1)


@pytest.fixture
def two(season: Season, meeting: DeathMatch) -> User:
    return account(season, 2)


def proposed(by: User, meeting: DeathMatch, *times: datetime, at: datetime = START) -> TimeProposal:
    with committing():
        return times_propose(
            acting_user=by, leg=leg_of(meeting), times=times or (NOON, EVENING), at=at
        )


def told(user: User) -> list[str]:
    rows = Announcement.objects.filter(user=user, kind="death-match.times").order_by("pk")
    return [row.words for row in rows]


def statuses(meeting: DeathMatch) -> list[str]:
    rows = TimeProposal.objects.filter(leg__death_match=meeting).order_by("pk")
    return [row.status for row in rows]


def allow(orla: User, season: Season, **changes: Any) -> None:
    season_update(acting_user=orla, season=season, changes=changes)


# -- from a proposal to a time -------------------------------------------------------------------


def test_who_is_proposed_times_accepts_one(
    season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    User.objects.filter(pk=two.pk).update(time_zone="Asia/Tokyo")
    proposal = proposed(one, meeting, EVENING, NOON, NOON)
    assert proposal.times == [NOON, EVENING]
    assert told(one) == []
    (words,) = told(two)
    assert "Player 1 proposes" in words
    assert "(JST) or " in words
    seen = Season.objects.get(pk=season.pk).revision
    # The other only; a time of these; one that is not over.
    refused("times.own", proposal_accept, acting_user=one, proposal=proposal, time=NOON, at=START)
    refused(
        "times.not-offered",
        proposal_accept, acting_user=two, proposal=proposal, time=after(hours=49), at=START,
    )  # fmt: skip
    refused(
        "times.past",
        proposal_accept, acting_user=two, proposal=proposal, time=NOON, at=after(hours=50),
    )  # fmt: skip
    with committing():
        proposal_accept(acting_user=two, proposal=proposal, time=EVENING, at=after(hours=50))
    leg = leg_of(meeting)
    assert leg.scheduled_at == EVENING
    proposal.refresh_from_db()
    assert (proposal.status, proposal.chosen) == ("accepted", EVENING)
    assert proposal.ended_at == after(hours=50)
    assert kinds(season)[-1] == "death-match.scheduled"
    assert Season.objects.get(pk=season.pk).revision > seen
    # Both are told of the time as of any, and the log says who has set it.
    event_announce(SeasonEvent.objects.latest("pk").pk)
    rows = Announcement.objects.filter(kind="death-match.terms")
    assert {row.user for row in rows} == {one, two}
    entry = AuditEntry.objects.get(action="leg.agree")
    assert (entry.who, entry.data["at"]) == (two, EVENING.isoformat())
    assert not AuditEntry.objects.filter(action="leg.schedule").exists()
    refused("times.gone", proposal_accept, acting_user=two, proposal=proposal, time=EVENING,
            at=after(hours=50))  # fmt: skip
    refused("times.set", times_propose, acting_user=one, leg=leg, times=[after(hours=60)],
            at=after(hours=50))  # fmt: skip
    assert faults_of(season) == []


def test_a_time_is_accepted_while_its_proposer_can_still_say_that_they_are_ready(
    season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    proposal = proposed(one, meeting)
    last = NOON - ready_window()
    for at in (last + timedelta(seconds=1), NOON - timedelta(seconds=10)):
        refused("times.soon", proposal_accept, acting_user=two, proposal=proposal, time=NOON,
                at=at)  # fmt: skip
    proposal_accept(acting_user=two, proposal=proposal, time=NOON, at=last)
    leg_confirm(acting_user=one, leg=leg_of(meeting), at=last)


def test_what_is_proposed_shows_everybody_else_nothing(
    season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    before = Season.objects.values("revision", "changed_at").get(pk=season.pk)
    happened = kinds(season)
    proposal_decline(acting_user=two, proposal=proposed(one, meeting), at=START)
    proposal_withdraw(acting_user=one, proposal=proposed(one, meeting), at=START)
    assert Season.objects.values("revision", "changed_at").get(pk=season.pk) == before
    assert kinds(season) == happened


def test_they_decline_withdraw_and_propose_others(
    meeting: DeathMatch, one: User, two: User
) -> None:
    first = proposed(one, meeting)
    refused("times.own", proposal_decline, acting_user=one, proposal=first, at=START)
    refused("times.not-proposer", proposal_withdraw, acting_user=two, proposal=first, at=START)
    with committing():
        proposal_decline(acting_user=two, proposal=first, at=START)
    assert "can make none of the times" in told(one)[-1]
    for act in (proposal_decline, proposal_withdraw):
        gone = refused("times.gone", act, acting_user=two, proposal=first, at=START)
        assert "declined" in gone.sentence
    second = proposed(two, meeting, NOON)
    third = proposed(one, meeting, EVENING)
    assert "proposes instead of yours" in told(two)[-1]
    fourth = proposed(one, meeting, EVENING)
    proposal_withdraw(acting_user=one, proposal=fourth, at=START)
    assert [each.pk for each in (first, second, third, fourth)] == list(
        TimeProposal.objects.order_by("pk").values_list("pk", flat=True)
    )
    assert statuses(meeting) == ["declined", "countered", "withdrawn", "withdrawn"]
    gone = refused(
        "times.gone", proposal_accept, acting_user=two, proposal=fourth, time=EVENING, at=START
    )
    assert "withdrawn" in gone.sentence


# -- limits --------------------------------------------------------------------------------------


def test_what_can_be_proposed(orla: User, season: Season, meeting: DeathMatch, one: User) -> None:
    leg = leg_of(meeting)

    def refuse(code: str, *times: datetime, by: User = one, at: datetime = START) -> Refusal:
        return refused(code, times_propose, acting_user=by, leg=leg, times=times, at=at)

    refuse("times.none")
    refuse("times.too-many", *(after(hours=hours) for hours in (1, 2, 3, 4)))
    refuse("times.past", NOON, START)
    soon = refuse("times.soon", NOON, START + ready_window() - timedelta(seconds=1))
    assert soon.sentence == "One of these times is too soon: it takes 30 min to get ready."
    refuse("times.far", after(days=60, minutes=1))
    refuse("times.not-yours", NOON, by=account(season, 3))
    refuse("times.not-yours", NOON, by=orla)
    allow(orla, season, play_within_days=10)
    refuse("times.late", after(days=10, minutes=1))
    refuse("times.over", after(days=12), at=after(days=11))
    # Nothing is left of them that leaves time to get ready.
    refuse("times.over", after(days=10), at=after(days=10) - timedelta(minutes=29))
    proposed(one, meeting, START + ready_window())
    proposed(one, meeting, after(days=10))
    for _each in range(PROPOSALS_A_DAY - 2):
        proposed(one, meeting)
    refuse("times.too-often", NOON)
    proposed(one, meeting, NOON, at=after(hours=25))


def test_days_to_play_are_counted_from_when_it_is_known_who_meets(orla: User) -> None:
    """Not from when a round was opened: of a bracket all are from the start, and the only one of a
    ladder."""
    bracket = running(orla, 4, "single-elimination", play_within_days=3)
    first, second = DeathMatch.objects.filter(round__season=bracket, round__number=1)
    final = DeathMatch.objects.get(round__season=bracket, round__number=2)
    played(orla, first, winner=0, at=after(days=2))
    assert play_by(leg_of(final)) is None
    played(orla, second, winner=0, at=after(days=9))
    assert play_by(leg_of(first)) == after(days=3)
    until = play_by(leg_of(final))
    assert until == after(days=12, minutes=1)
    player = fresh(final).home
    assert player is not None
    assert player.user is not None
    proposed(player.user, final, until, at=after(days=10))
    # Whoever takes a side over has as many days.
    heir = User.objects.create_user("heir")
    contestant_replace(
        acting_user=orla, contestant=player, user=heir, why="Ill.", at=after(days=11)
    )
    assert play_by(leg_of(final)) == after(days=14)


def test_a_ladder_counts_them_from_each_challenge(orla: User) -> None:
    season = running(orla, 3, "ladder", play_within_days=3)
    row = ladder_challenge(
        acting_user=account(season, 3), season=season, defender=who(season, 2), at=after(days=30)
    )
    assert play_by(leg_of(row)) == after(days=33)
    proposed(account(season, 3), row, after(days=32), at=after(days=31))


@pytest.mark.parametrize("count", [2, 6])
def test_when_it_is_known_is_read_at_once_for_many(
    orla: User, count: int, django_assert_num_queries: Any
) -> None:
    season = running(orla, count, "round-robin", play_within_days=9)
    for number in range(1, count + 1):
        row = DeathMatch.objects.filter(home=who(season, number)).first()
        if row is not None:
            proposed(account(season, number), row)
    sheet = Sheet(season)
    assert len(sheet.planned) == count // 2
    with django_assert_num_queries(2):
        assert len(sheet.proposals) == count // 2


def test_organisers_alone_where_the_season_says_so(
    orla: User, season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    proposal = proposed(one, meeting)
    allow(orla, season, times_by="organisers")
    refused("times.off", times_propose, acting_user=two, leg=leg_of(meeting), times=[NOON],
            at=START)  # fmt: skip
    refused("times.off", proposal_accept, acting_user=two, proposal=proposal, time=NOON, at=START)
    refused("times.off", times_remind, acting_user=orla, leg=leg_of(meeting), at=START)


def test_a_time_is_moved_where_the_season_lets_them(
    orla: User, season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=NOON, at=START)
    refused("times.set", times_propose, acting_user=one, leg=leg_of(meeting), times=[EVENING],
            at=START)  # fmt: skip
    allow(orla, season, times_by="move")
    proposal = proposed(one, meeting, EVENING)
    leg_confirm(acting_user=one, leg=leg_of(meeting), at=NOON - timedelta(minutes=20))
    refused("times.soon", proposal_accept, acting_user=two, proposal=proposal, time=EVENING,
            at=NOON - timedelta(minutes=20))  # fmt: skip
    proposal_accept(
        acting_user=two, proposal=proposal, time=EVENING, at=NOON - timedelta(minutes=40)
    )
    leg = leg_of(meeting)
    assert (leg.scheduled_at, leg.home_ready_at) == (EVENING, None)


def test_only_where_there_is_something_to_agree_on(
    orla: User, season: Season, meeting: DeathMatch, one: User
) -> None:
    leg = leg_of(meeting)
    with transaction.atomic():
        begun(orla, meeting)
        refused("leg.not-planned", times_propose, acting_user=one, leg=leg, times=[NOON], at=START)
        transaction.set_rollback(True)
    season_cancel(acting_user=orla, season=season, why="Nobody has time.")
    refused("season.not-running", times_propose, acting_user=one, leg=leg, times=[NOON], at=START)
    season_archive(acting_user=orla, season=season)
    refused("season.archived", times_propose, acting_user=one, leg=leg, times=[NOON], at=START)


# -- what ends a proposal ------------------------------------------------------------------------


def is_open(meeting: DeathMatch, at: datetime = START) -> bool:
    leg = leg_of(meeting)
    leg.death_match = fresh(meeting)
    return bool(open_proposals([leg], at))


def test_it_lapses_when_an_organiser_sets_a_time_for_good(
    orla: User, meeting: DeathMatch, one: User, two: User
) -> None:
    proposal = proposed(one, meeting)
    assert is_open(meeting)
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=EVENING, at=START)
    assert (statuses(meeting), is_open(meeting)) == (["lapsed"], False)
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=None, at=START)
    assert not is_open(meeting)
    refused("times.gone", proposal_accept, acting_user=two, proposal=proposal, time=NOON, at=START)


def test_it_lapses_when_its_times_are_over(meeting: DeathMatch, one: User, two: User) -> None:
    proposal = proposed(one, meeting, NOON, EVENING)
    assert is_open(meeting, at=NOON)
    assert is_open(meeting, at=EVENING - ready_window())
    late = EVENING - ready_window() + timedelta(seconds=1)
    for at in (late, EVENING):
        assert not is_open(meeting, at=at)
        for act, user in ((proposal_decline, two), (proposal_withdraw, one)):
            gone = refused("times.gone", act, acting_user=user, proposal=proposal, at=at)
            assert "none of its times" in gone.sentence
    proposed(two, meeting, after(hours=80), at=EVENING)
    assert statuses(meeting) == ["lapsed", "open"]


def test_a_limit_that_was_set_since_counts_for_what_is_proposed(
    orla: User, season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    proposal = proposed(one, meeting, after(days=5), after(days=8))
    allow(orla, season, play_within_days=6)
    assert is_open(meeting)
    refused("times.late", proposal_accept, acting_user=two, proposal=proposal,
            time=after(days=8), at=START)  # fmt: skip
    with committing():
        times_remind(acting_user=orla, leg=leg_of(meeting), at=START)
    assert " or " not in told(two)[-1].partition("proposes")[2].partition(". ")[0]
    allow(orla, season, play_within_days=4)
    assert not is_open(meeting)
    refused("times.gone", proposal_accept, acting_user=two, proposal=proposal,
            time=after(days=5), at=START)  # fmt: skip
    allow(orla, season, play_within_days=6)
    proposal_accept(acting_user=two, proposal=proposal, time=after(days=5), at=START)


def test_it_lapses_when_the_match_begins(
    orla: User, meeting: DeathMatch, one: User, two: User
) -> None:
    proposal = proposed(one, meeting)
    begun(orla, meeting)
    assert not is_open(meeting)
    refused("times.gone", proposal_accept, acting_user=two, proposal=proposal, time=NOON, at=START)


def test_it_lapses_when_somebody_else_takes_the_place_over(
    orla: User, season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    proposed(one, meeting)
    heir = User.objects.create_user("heir")
    contestant_replace(acting_user=orla, contestant=who(season, 1), user=heir, why="Ill.", at=START)
    assert not is_open(meeting)
    proposed(heir, meeting, NOON)
    assert statuses(meeting) == ["lapsed", "open"]


def test_the_database_knows_one_open_proposal_and_its_times(
    season: Season, meeting: DeathMatch, one: User
) -> None:
    proposal = proposed(one, meeting)
    row = {"leg": proposal.leg, "proposer": proposal.proposer}
    rows = TimeProposal.objects.filter(pk=proposal.pk)
    for write in (
        lambda: TimeProposal.objects.create(**row, times=[NOON]),
        lambda: TimeProposal.objects.create(**row, times=[], status="declined", ended_at=START),
        lambda: rows.update(status="accepted", ended_at=START),
        lambda: rows.update(status="accepted", ended_at=START, chosen=after(hours=1)),
        lambda: rows.update(status="declined"),
        lambda: rows.update(status="forgotten", ended_at=START),
        lambda: rows.update(times=[NOON, NOON, NOON, EVENING]),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            write()


# -- organisers ----------------------------------------------------------------------------------


def test_an_organiser_reminds_whose_turn_it_is_once_a_day(
    orla: User, oscar: User, season: Season, meeting: DeathMatch, one: User, two: User
) -> None:
    leg = leg_of(meeting)

    def remind(at: datetime) -> list[str]:
        with committing():
            found = times_remind(acting_user=orla, leg=leg, at=at)
        return [each.name for each in found]

    assert remind(START) == ["Player 1", "Player 2"]
    assert "nobody has proposed one" in told(one)[-1]
    assert told(two) == told(one)
    refused("times.reminded", times_remind, acting_user=orla, leg=leg,
            at=after(hours=19))  # fmt: skip
    proposed(one, meeting, at=after(hours=1))
    assert remind(START + REMIND_AGAIN) == ["Player 2"]
    assert "An organiser reminds you" in told(two)[-1]
    assert len(told(one)) == 1
    refused("season.not-organiser", times_remind, acting_user=oscar, leg=leg, at=NOON)
    refused("season.not-organiser", times_remind, acting_user=one, leg=leg, at=NOON)
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=EVENING, at=NOON)
    refused("times.set", times_remind, acting_user=orla, leg=leg, at=NOON)


def test_nobody_is_reminded_where_somebody_is_missing(orla: User) -> None:
    season = running(orla, 4, "single-elimination")
    final = DeathMatch.objects.filter(round__season=season, home=None).first()
    assert final is not None
    leg = Leg.objects.filter(death_match=final).first()
    if leg is None:
        leg = Leg.objects.create(death_match=final)
    refused("leg.sides", times_remind, acting_user=orla, leg=leg, at=START)
