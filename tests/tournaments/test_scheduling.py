"""Times, readiness, no-shows and reminders."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import mail

from accounts.models import Announcement, User
from core.clock import instant_of
from core.refusals import Refusal
from games.models import Match
from games.services.waking import match_wake
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
from tournaments.formats.elimination.final import final_open
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, Leg, ReminderSent, Season, SeasonEvent
from tournaments.services.contestants.departures import contestant_replace
from tournaments.services.legs import ms, rules_set
from tournaments.services.results.corrections import leg_void
from tournaments.services.results.settlement import leg_settle
from tournaments.services.scheduling import sweep
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.readiness import leg_confirm, leg_unconfirm
from tournaments.services.scheduling.reminders import REMINDERS
from tournaments.services.scheduling.sweep import Swept, legs_sweep
from tournaments.services.seasons import season_archive

pytestmark = pytest.mark.usefixtures("letters_go_out")

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
    # Nor is it refused when it is over: it stands among others that are given theirs.
    for moment in (START, after(hours=73)):
        leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(hours=72), at=moment)
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
    # What its players add to the draws is waited for, for some seconds.
    assert (leg.status, leg.started_at) == ("running", None)
    assert legs_sweep(at=NOON) == Swept()
    assert leg.match is not None
    begins = ms(NOON) + settings.GAUNTLET_GATHER_MS
    assert leg.match.waits_until == begins
    event = SeasonEvent.objects.get(season=season, kind="death-match.started")
    told = [event.data[key] for key in ("waits_until", "certain")]
    assert told == [instant_of(begins).isoformat(), True]
    match_wake(match_id=leg.match.pk, at=begins + 1)
    legs_sweep(at=instant_of(begins + 1))
    assert leg_of(meeting).started_at == instant_of(begins + 1)
    assert faults_of(season) == []


def test_the_second_to_be_ready_begins_it_when_the_time_has_come(
    season: Season, meeting: DeathMatch
) -> None:
    ready(season, meeting, 2, NOON)
    assert ready(season, meeting, 1, after(hours=48, minutes=3)).status == "running"


def test_without_a_time_it_begins_as_soon_as_both_are_ready(orla: User, season: Season) -> None:
    meeting = chosen(orla, season, ec=1, dmo=2)
    assert ready(season, meeting, 1, START).status == "planned"
    assert ready(season, meeting, 1, START).status == "planned"
    assert ready(season, meeting, 2, after(minutes=30)).status == "running"


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


def test_a_word_that_is_taken_back_while_the_sweep_looks(
    season: Season, meeting: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        ready(season, meeting, number, after(hours=47, minutes=40))
    search = sweep._both_ready

    def and_then(at: datetime) -> list[Leg]:
        found = search(at)
        leg_unconfirm(acting_user=user(season, 2), leg=leg_of(meeting))
        return found

    monkeypatch.setattr(sweep, "_both_ready", and_then)
    before = kinds(season)
    assert legs_sweep(at=NOON).started == 0
    leg = leg_of(meeting)
    assert (leg.status, leg.home_ready_at is None, leg.away_ready_at) == ("planned", False, None)
    assert kinds(season) == before


# -- not there -----------------------------------------------------------------------------------


def test_who_is_not_there_forfeits_where_the_season_says_so(orla: User) -> None:
    season = running(orla, 4, no_show_rule="forfeit", no_show_minutes=10)
    meeting = chosen(orla, season, ec=1, dmo=2)
    _confirmed(orla)
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=NOON, at=START)
    ready(season, meeting, 1, NOON)
    assert legs_sweep(at=after(hours=48, minutes=10)) == Swept()
    with committing():
        assert legs_sweep(at=after(hours=48, minutes=10, seconds=1)).no_shows == 1
    assert [message.to for message in mail.outbox] == [["orla@example.com"]]
    assert "It is decided by that." in mail.outbox[0].body
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
        acting_user=orla, leg=leg_of(meeting), scheduled_at=after(hours=60), at=after(hours=30)
    )
    assert legs_sweep(at=after(hours=35)).reminded == 0
    assert legs_sweep(at=after(hours=36)).reminded == 1


MINUTE = timedelta(minutes=1)
LEADS = {each.kind: each.before for each in REMINDERS}


@pytest.mark.parametrize("lead", list(LEADS))
@pytest.mark.parametrize("ahead", [-MINUTE, timedelta(0), MINUTE])
def test_a_time_that_is_set_late_is_reminded_of_by_what_is_still_ahead(
    orla: User, season: Season, lead: str, ahead: timedelta
) -> None:
    """Around the moment of each reminder. They have just been told of the time."""
    leg = leg_of(chosen(orla, season, ec=1, dmo=2))
    begins = after(hours=48)
    told = begins - LEADS[lead] - ahead
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=begins, at=told)
    assert legs_sweep(at=told).reminded == 0
    for before in sorted(LEADS.values(), reverse=True):
        for moment in (before + MINUTE, before, before, before - MINUTE):
            if begins - moment > told:
                legs_sweep(at=begins - moment)
    expected = {kind for kind, before in LEADS.items() if before < begins - told}
    assert {row.kind for row in ReminderSent.objects.all()} == expected
    assert (lead in expected) == (ahead > timedelta(0))
    assert Announcement.objects.filter(kind="death-match.reminder").count() == 2 * len(expected)
    assert kinds(season).count("death-match.reminder") == len(expected)


def test_a_time_that_is_minutes_away_is_told_once(orla: User, season: Season) -> None:
    leg = leg_of(chosen(orla, season, ec=1, dmo=2))
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(minutes=2), at=START)
    for seconds in (0, 1, 60, 119):
        assert legs_sweep(at=after(seconds=seconds)).reminded == 0
    assert not ReminderSent.objects.exists()


def test_who_meets_late_at_a_time_that_stood_is_told_it_with_that(
    orla: User, season: Season
) -> None:
    """A bracket's next round has its time before it is known who plays it."""
    cup = running(orla, 4, "single-elimination")
    first, second, final = cup_rows(cup)
    leg_schedule(acting_user=orla, leg=leg_of(final), scheduled_at=after(hours=3), at=START)
    for row in (first, second):
        conceded(begun(orla, row), winner=0, at=after(hours=2, minutes=30))
    assert legs_sweep(at=after(hours=2, minutes=31)).reminded == 0
    assert legs_sweep(at=after(hours=2, minutes=50)).reminded == 1
    assert {row.kind for row in ReminderSent.objects.all()} == {"10min"}


def cup_rows(cup: Season) -> list[DeathMatch]:
    """Both semifinals, and the final."""
    return list(DeathMatch.objects.filter(round__season=cup).order_by("round__number", "number"))


# -- what was missed -----------------------------------------------------------------------------


def test_the_sweep_takes_over_results_that_were_missed(
    orla: User, season: Season, meeting: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receivers, "enqueue", lambda *_given: None)
    conceded(begun(orla, meeting), winner=0)
    assert fresh(meeting).status == "running"
    assert legs_sweep(at=after(hours=1)).settled == 1
    assert fresh(meeting).winner == who(season, 1)
    assert not leg_settle(match_id=Match.objects.get().pk)


def test_a_sweep_asks_little(
    season: Season, meeting: DeathMatch, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(7):
        assert legs_sweep(at=START) == Swept()


def test_one_that_fails_does_not_disturb_the_others(
    orla: User, season: Season, meeting: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(**_given: Any) -> bool:
        raise Refusal("some.reason", "Something is wrong.")

    leg = begun(orla, meeting)
    monkeypatch.setattr(receivers, "enqueue", lambda *_given: None)
    conceded(leg, winner=0)
    monkeypatch.setattr(sweep, "leg_settle", fails)
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


# -- grace that counts from when one could be ready ----------------------------------------------


def final_of(orla: User, **settings: Any) -> DeathMatch:
    """A best-of-three final between Player 1 and Player 3, its second match at `NOON`."""
    season = running(orla, 3, no_show_rule="forfeit", no_show_minutes=15, **settings)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    final = final_open(acting_user=orla, season=season, best_of=3, at=START)
    leg_schedule(acting_user=orla, leg=leg_of(final, 2), scheduled_at=NOON, at=START)
    return final


def test_the_grace_counts_from_the_end_of_the_match_before(orla: User) -> None:
    """The first match lasts beyond the time of the second, and nobody could be ready sooner."""
    final = final_of(orla)
    season = final.round.season
    conceded(begun(orla, final, at=after(hours=47)), winner=0, at=after(hours=48, minutes=20))
    leg_confirm(
        acting_user=user(season, 1), leg=leg_of(final, 2), at=after(hours=48, minutes=20, seconds=1)
    )
    assert legs_sweep(at=after(hours=48, minutes=35)).no_shows == 0
    assert fresh(final).status == "running"
    # Then this match is forfeited, and no more than this match.
    assert legs_sweep(at=after(hours=48, minutes=35, seconds=2)).no_shows == 1
    final = fresh(final)
    assert (final.status, final.how, final.winner) == ("decided", "played", who(season, 1))
    assert (final.home_score, final.away_score) == (2, 0)
    assert faults_of(season) == []


def test_a_no_show_gives_one_match_of_several(orla: User) -> None:
    final = final_of(orla)
    season = final.round.season
    played(orla, final, winner=0, at=after(hours=47))
    leg_confirm(acting_user=user(season, 3), leg=leg_of(final, 2), at=NOON)
    assert legs_sweep(at=after(hours=49)).no_shows == 1
    final = fresh(final)
    assert (final.status, final.home_score, final.away_score) == ("running", 1, 1)
    missed = leg_of(final, 2)
    assert (missed.status, missed.how, missed.winner_seat, missed.match) == (
        "finished", "walkover", 1, None,
    )  # fmt: skip
    assert faults_of(season) == []
    # It can be played after all, and the third match is still to come.
    leg_void(acting_user=orla, leg=missed, why="a power cut", at=after(hours=49))
    played(orla, final, winner=1, at=after(hours=50))
    final = played(orla, final, winner=1, at=after(hours=51))
    assert (final.winner, final.home_score, final.away_score) == (who(season, 3), 1, 2)
    assert faults_of(season) == []


def test_a_final_that_one_side_never_turns_up_for(orla: User) -> None:
    final = final_of(orla)
    season = final.round.season
    leg_schedule(acting_user=orla, leg=leg_of(final), scheduled_at=after(hours=47), at=START)
    leg_confirm(acting_user=user(season, 1), leg=leg_of(final), at=after(hours=47))
    assert legs_sweep(at=after(hours=47, minutes=16)).no_shows == 1
    leg_confirm(acting_user=user(season, 1), leg=leg_of(final, 2), at=NOON)
    assert legs_sweep(at=after(hours=48, minutes=16)).no_shows == 1
    final = fresh(final)
    assert (final.winner, final.how) == (who(season, 1), "walkover")
    assert final.why == "Player 3 was not there in time."
    assert faults_of(season) == []


@pytest.fixture
def strict(orla: User) -> DeathMatch:
    """A death match at `NOON` for which Player 1 is ready, in a season that has no mercy."""
    season = running(orla, 4, no_show_rule="forfeit", no_show_minutes=10)
    death_match = chosen(orla, season, ec=1, dmo=2)
    leg_schedule(acting_user=orla, leg=leg_of(death_match), scheduled_at=NOON, at=START)
    ready(season, death_match, 1, NOON)
    return death_match


def test_who_must_say_so_anew_has_the_whole_grace(orla: User, strict: DeathMatch) -> None:
    season = strict.round.season
    ready(season, strict, 1, NOON)
    late = after(hours=48, minutes=9)
    rules_set(
        acting_user=orla, death_match=strict, ruleset="tetronogo", variant="standard", at=late
    )
    ready(season, strict, 2, after(hours=48, minutes=10))
    assert legs_sweep(at=after(hours=48, minutes=19)).no_shows == 0
    assert ready(season, strict, 1, after(hours=48, minutes=19)).status == "running"


def test_so_has_a_replacement(orla: User, cleo: User, strict: DeathMatch) -> None:
    season = strict.round.season
    contestant_replace(
        acting_user=orla, contestant=who(season, 2), user=cleo, why="ill",
        at=after(hours=48, minutes=9),
    )  # fmt: skip
    assert legs_sweep(at=after(hours=48, minutes=19)).no_shows == 0
    assert legs_sweep(at=after(hours=48, minutes=19, seconds=1)).no_shows == 1
    assert fresh(strict).winner == who(season, 1)


def test_so_have_both_after_it_could_not_begin(orla: User, strict: DeathMatch) -> None:
    season = strict.round.season
    leg = leg_of(strict)
    Leg.objects.filter(pk=leg.pk).update(
        home_ready_at=NOON, away_ready_at=NOON, options={"no-such-option": 1}
    )
    assert legs_sweep(at=after(hours=48, minutes=9)) == Swept()
    assert leg_of(strict).home_ready_at is None
    ready(season, strict, 1, after(hours=48, minutes=9))
    assert legs_sweep(at=after(hours=48, minutes=19)).no_shows == 0
    assert fresh(strict).status == "planned"


# -- readiness that lapses -----------------------------------------------------------------------


def test_without_a_time_being_ready_lapses(orla: User, season: Season) -> None:
    meeting = chosen(orla, season, ec=1, dmo=2)
    ready(season, meeting, 1, after(days=1))
    assert ready(season, meeting, 2, after(days=7)).status == "planned"
    # Saying so again counts from now on.
    assert ready(season, meeting, 1, after(days=7, minutes=30)).status == "running"


def test_whoever_waited_in_vain_is_not_shown_as_ready(orla: User, season: Season) -> None:
    meeting = chosen(orla, season, ec=1, dmo=2)
    ready(season, meeting, 2, after(days=1))
    legs_sweep(at=after(days=1, minutes=30))
    assert leg_of(meeting).away_ready_at == after(days=1)
    legs_sweep(at=after(days=1, minutes=31))
    assert leg_of(meeting).away_ready_at is None


# -- reminders of a replacement ------------------------------------------------------------------


def test_a_replacement_is_reminded(
    orla: User, cleo: User, season: Season, meeting: DeathMatch
) -> None:
    """Of what is still ahead: that they take over has told them the time."""
    _confirmed(user(season, 1))
    _confirmed(user(season, 2))
    _confirmed(cleo)
    assert legs_sweep(at=after(hours=25)).reminded == 1
    contestant_replace(
        acting_user=orla, contestant=who(season, 2), user=cleo, why="ill", at=after(hours=26)
    )
    assert legs_sweep(at=after(hours=27)).reminded == 0
    mail.outbox.clear()
    with committing():
        assert legs_sweep(at=after(hours=47)).reminded == 1
    assert {message.to[0] for message in mail.outbox} == {
        "player1@example.com", "cleo@example.com",
    }  # fmt: skip
    assert legs_sweep(at=after(hours=47, minutes=1)).reminded == 0
