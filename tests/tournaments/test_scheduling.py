"""Times, readiness, no-shows and reminders."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from accounts.models import User
from games.engine.errors import Refusal
from games.models import Match
from tests.games.support import committing
from tests.tournaments.support import (
    START,
    after,
    begun,
    chosen,
    conceded,
    fresh,
    kinds,
    leg_of,
    played,
    refused,
    running,
    who,
)
from tournaments import receivers
from tournaments.models import DeathMatch, Leg, ReminderSent, Season
from tournaments.services import scheduling
from tournaments.services.deathmatches import leg_settle
from tournaments.services.episodes import final_open
from tournaments.services.scheduling import (
    Swept,
    leg_confirm,
    leg_schedule,
    leg_unconfirm,
    legs_sweep,
)
from tournaments.services.seasons import season_archive

NOON = after(hours=48)


@pytest.fixture
def season(orla: User) -> Season:
    return running(orla, 4)


@pytest.fixture
def meeting(orla: User, season: Season) -> DeathMatch:
    """A death match between Player 1 (the EC) and Player 2, at `NOON`."""
    death_match = chosen(orla, season, ec=1, dmo=2)
    leg_schedule(acting_user=orla, leg=leg_of(death_match), scheduled_at=NOON, at=START)
    return death_match


def user(season: Season, number: int) -> User:
    found = who(season, number).user
    assert found is not None
    return found


def ready(season: Season, meeting: DeathMatch, number: int, at: datetime) -> Leg:
    return leg_confirm(acting_user=user(season, number), leg=leg_of(meeting), at=at)


# -- times ---------------------------------------------------------------------------------------


def test_a_time_is_fixed_and_moved(
    orla: User, oscar: User, season: Season, meeting: DeathMatch
) -> None:
    leg = leg_of(meeting)
    assert leg.scheduled_at == NOON
    ready(season, meeting, 1, after(hours=47, minutes=45))
    moved = leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(hours=72), at=START)
    assert (moved.scheduled_at, moved.home_ready_at) == (after(hours=72), None)
    before = kinds(season)
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(hours=72), at=START)
    assert kinds(season) == before
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=None, at=START)
    assert kinds(season)[-1] == "death-match.scheduled"

    def refuse(code: str, **given: Any) -> None:
        arguments = {"acting_user": orla, "leg": leg, "scheduled_at": NOON, "at": START, **given}
        refused(code, leg_schedule, **arguments)

    refuse("season.not-organiser", acting_user=oscar)
    refuse("season.not-organiser", acting_user=user(season, 1))
    refuse("schedule.past", scheduled_at=after(minutes=-2))
    refuse("schedule.far", scheduled_at=after(days=4000))
    begun(orla, meeting)
    refuse("leg.not-planned")


# -- readiness -----------------------------------------------------------------------------------


def test_it_begins_when_both_are_ready_and_the_time_has_come(
    season: Season, meeting: DeathMatch
) -> None:
    ready(season, meeting, 1, after(hours=47, minutes=30))
    leg = ready(season, meeting, 2, after(hours=47, minutes=40))
    assert leg.status == "planned"
    assert legs_sweep(at=after(hours=47, minutes=59)).started == 0
    assert legs_sweep(at=NOON).started == 1
    leg = leg_of(meeting)
    assert (leg.status, leg.started_at) == ("running", NOON)
    assert legs_sweep(at=NOON) == Swept()


def test_the_second_to_be_ready_begins_it_when_the_time_has_come(
    season: Season, meeting: DeathMatch
) -> None:
    ready(season, meeting, 2, NOON)
    assert ready(season, meeting, 1, after(hours=48, minutes=3)).status == "running"


def test_without_a_time_it_begins_as_soon_as_both_are_ready(orla: User, season: Season) -> None:
    meeting = chosen(orla, season, ec=1, dmo=2)
    assert ready(season, meeting, 1, START).status == "planned"
    assert ready(season, meeting, 1, START).status == "planned"
    assert ready(season, meeting, 2, after(days=9)).status == "running"


def test_who_may_say_so_and_when(orla: User, season: Season, meeting: DeathMatch) -> None:
    leg = leg_of(meeting)

    def refuse(
        code: str, number: int, at: datetime, call: Callable[..., Any] = leg_confirm
    ) -> None:
        given = {} if call is leg_unconfirm else {"at": at}
        refused(code, call, acting_user=user(season, number), leg=leg, **given)

    refuse("ready.too-early", 1, after(hours=47, minutes=29))
    refuse("ready.not-yours", 3, NOON)
    refuse("ready.not-yours", 3, NOON, leg_unconfirm)
    refused("ready.not-yours", leg_confirm, acting_user=orla, leg=leg, at=NOON)
    ready(season, meeting, 1, NOON)
    assert leg_unconfirm(acting_user=user(season, 1), leg=leg).home_ready_at is None
    Leg.objects.update(ruleset="", variant="")
    refuse("leg.rules-missing", 1, NOON)
    Leg.objects.update(ruleset="tetronogo", variant="standard")
    begun(orla, meeting)
    refuse("leg.not-planned", 1, NOON)
    refuse("leg.not-planned", 1, NOON, leg_unconfirm)


def test_legs_are_confirmed_in_order(orla: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final = final_open(acting_user=orla, season=season, best_of=3, at=START)
    refused("leg.order", leg_confirm, acting_user=user(season, 1), leg=leg_of(final, 2), at=START)


def test_what_cannot_begin_is_told_once(orla: User, season: Season, meeting: DeathMatch) -> None:
    ready(season, meeting, 1, after(hours=47, minutes=40))
    ready(season, meeting, 2, after(hours=47, minutes=40))
    User.objects.filter(pk=user(season, 2).pk).update(is_active=False)
    assert legs_sweep(at=NOON).started == 0
    assert kinds(season)[-1] == "ruling"
    leg = leg_of(meeting)
    assert (leg.status, leg.home_ready_at, leg.away_ready_at) == ("planned", None, None)
    count = len(kinds(season))
    legs_sweep(at=after(hours=48, seconds=3))
    assert len(kinds(season)) == count


# -- not there -----------------------------------------------------------------------------------


def test_who_is_not_there_forfeits_where_the_season_says_so(orla: User) -> None:
    season = running(orla, 4, no_show_rule="forfeit", no_show_minutes=10)
    meeting = chosen(orla, season, ec=1, dmo=2)
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=NOON, at=START)
    ready(season, meeting, 1, NOON)
    assert legs_sweep(at=after(hours=48, minutes=10)) == Swept()
    assert legs_sweep(at=after(hours=48, minutes=10, seconds=1)).no_shows == 1
    meeting = fresh(meeting)
    assert (meeting.winner, meeting.how) == (who(season, 1), "walkover")
    assert meeting.why == "Player 2 was not there in time."
    assert legs_sweep(at=after(hours=49)) == Swept()


def test_if_neither_is_there_an_organiser_decides(orla: User) -> None:
    season = running(orla, 4, no_show_rule="forfeit")
    meeting = chosen(orla, season, ec=1, dmo=2)
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=NOON, at=START)
    assert legs_sweep(at=after(hours=49)).no_shows == 1
    assert fresh(meeting).status == "planned"
    assert legs_sweep(at=after(hours=50)) == Swept()


def test_otherwise_the_organisers_are_told_and_it_can_still_be_played(
    orla: User, season: Season, meeting: DeathMatch
) -> None:
    _confirmed(orla)
    ready(season, meeting, 1, NOON)
    with committing():
        assert legs_sweep(at=after(hours=49)).no_shows == 1
    assert [message.to for message in mail.outbox] == [["orla@example.com"]]
    assert kinds(season)[-1] == "death-match.no-show"
    assert ready(season, meeting, 2, after(hours=49, minutes=1)).status == "running"


# -- reminders -----------------------------------------------------------------------------------


def _confirmed(person: User, **more: Any) -> None:
    for key, value in {"email": f"{person.username}@example.com", **more}.items():
        setattr(person, key, value)
    person.save()
    EmailAddress.objects.create(user=person, email=person.email, primary=True, verified=True)


def test_reminders_go_out_once_each_in_everybodys_own_time(
    season: Season, meeting: DeathMatch
) -> None:
    _confirmed(user(season, 1), time_zone="Asia/Tokyo")
    _confirmed(user(season, 2), time_zone="America/New_York")
    EmailAddress.objects.filter(email__startswith="player2").update(verified=False)
    assert legs_sweep(at=after(hours=23)).reminded == 0
    sent = []
    for moment in (after(hours=24), after(hours=24), after(hours=47), after(hours=47, minutes=50)):
        with committing():
            sent.append(legs_sweep(at=moment).reminded)
    assert sent == [1, 0, 1, 1]
    assert {row.kind for row in ReminderSent.objects.all()} == {"24h", "1h", "10min"}
    assert [message.to for message in mail.outbox] == [["player1@example.com"]] * 3
    # 2033-05-18 03:33 in UTC is `START`; two days later, in Tokyo nine hours ahead.
    assert "Friday 20 May 2033 at 12:33 (JST)" in mail.outbox[0].subject
    assert meeting.get_absolute_url() in mail.outbox[0].body
    assert kinds(season).count("death-match.reminder") == 3


def test_of_several_that_are_due_only_the_nearest_goes_out(
    season: Season, meeting: DeathMatch
) -> None:
    assert legs_sweep(at=after(hours=47, minutes=55)).reminded == 1
    assert {row.kind for row in ReminderSent.objects.all()} == {"10min"}
    assert legs_sweep(at=after(hours=47, minutes=56)).reminded == 0


def test_a_leg_that_is_moved_is_reminded_of_anew(
    orla: User, season: Season, meeting: DeathMatch
) -> None:
    assert legs_sweep(at=after(hours=30)).reminded == 1
    leg_schedule(
        acting_user=orla, leg=leg_of(meeting), scheduled_at=after(hours=50), at=after(hours=30)
    )
    assert legs_sweep(at=after(hours=31)).reminded == 1


# -- what was missed -----------------------------------------------------------------------------


def test_the_sweep_takes_over_results_that_were_missed(
    orla: User, season: Season, meeting: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receivers, "leg_settle", lambda **_given: False)
    conceded(begun(orla, meeting), winner=0)
    assert fresh(meeting).status == "running"
    assert legs_sweep(at=after(hours=1)).settled == 1
    assert fresh(meeting).winner == who(season, 1)
    assert not leg_settle(match_id=Match.objects.get().pk)


def test_a_sweep_asks_little(
    season: Season, meeting: DeathMatch, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(6):
        assert legs_sweep(at=START) == Swept()


def test_one_that_fails_does_not_disturb_the_others(
    orla: User, season: Season, meeting: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(**_given: Any) -> bool:
        raise Refusal("some.reason", "Something is wrong.")

    leg = begun(orla, meeting)
    monkeypatch.setattr(receivers, "leg_settle", lambda **_given: False)
    conceded(leg, winner=0)
    monkeypatch.setattr(scheduling, "leg_settle", fails)
    assert legs_sweep(at=after(hours=1)) == Swept()


def test_what_was_being_played_counts_in_an_archived_season_too(
    orla: User, season: Season, meeting: DeathMatch
) -> None:
    leg = begun(orla, meeting)
    season_archive(acting_user=orla, season=season, at=START)
    conceded(leg, winner=0)
    assert fresh(meeting).winner == who(season, 1)
    assert who(season, 2).status == "eliminated"


def test_nothing_begins_in_an_archived_season(
    orla: User, season: Season, meeting: DeathMatch
) -> None:
    ready(season, meeting, 1, after(hours=47, minutes=40))
    ready(season, meeting, 2, after(hours=47, minutes=40))
    season_archive(acting_user=orla, season=season, at=START)
    assert legs_sweep(at=after(hours=49)) == Swept()
    refused(
        "season.archived", leg_confirm, acting_user=user(season, 1), leg=leg_of(meeting), at=NOON
    )


def test_the_second_match_is_not_missed_before_the_first_is_played(orla: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final = final_open(acting_user=orla, season=season, best_of=3, at=START)
    leg_schedule(acting_user=orla, leg=leg_of(final, 2), scheduled_at=NOON, at=START)
    assert legs_sweep(at=after(hours=60)).no_shows == 0
