"""Check-in before a season begins: who says that they are there, and who is struck off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

import pytest
import time_machine
from django.test import Client

from accounts.models import Announcement, AuditEntry, User
from core.refusals import Refusal
from tests.games.support import user_named
from tests.games.test_races import Threads
from tests.pages.support import words
from tests.tournaments.support import START, account, enrolled, organiser_named, refused, who
from tournaments.models import Season
from tournaments.notices import event_announce
from tournaments.services.contestants.applications import application_make, applications_approve
from tournaments.services.contestants.check_in import (
    LASTS_MAX,
    absent_strike_off,
    check_in_close,
    check_in_open,
    contestant_check_in,
)
from tournaments.services.contestants.departures import contestant_remove, contestant_withdraw
from tournaments.services.contestants.enrolment import (
    Enrolment,
    contestant_enrol,
    contestant_join,
    contestants_take,
)
from tournaments.services.contestants.invitations import invitation_accept, invitation_make
from tournaments.services.contestants.presence import LATE
from tournaments.services.contestants.rosters import contestants_import
from tournaments.services.preflight import preflight
from tournaments.services.seasons import season_unlist, season_update
from tournaments.services.starts import season_start

UNTIL = START + timedelta(hours=2)


@pytest.fixture
def season(orla: User) -> Season:
    """Four are in, and Zoe waits for a place."""
    season = enrolled(orla, 4, "swiss", open_enrolment=True, places=4)
    contestant_join(acting_user=user_named("zoe", display_name="Zoe"), season=season, at=START)
    return season


def opened(orla: User, season: Season, until: datetime = UNTIL) -> Season:
    return check_in_open(acting_user=orla, season=season, until=until, at=START)


def check_in(season: Season, number: int, at: datetime = START) -> None:
    found = who(season, number)
    assert found.user is not None
    contestant_check_in(acting_user=found.user, contestant=found, at=at)


def zoe() -> User:
    return User.objects.get(username="zoe")


def told(user: User) -> list[str]:
    return list(
        Announcement.objects.filter(user=user).order_by("pk").values_list("words", flat=True)
    )


def inside(season: Season) -> list[str]:
    return sorted(each.name for each in season.contestants.filter(status="enrolled"))


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


# -- services ------------------------------------------------------------------------------------


def test_who_is_in_is_told_and_checks_in_until_the_hour(orla: User, season: Season) -> None:
    opened(orla, season)
    (letter,) = told(account(season, 1))
    assert letter.startswith(f"{season.name}: Please check in on the season's page by ")
    assert told(zoe()) == []  # who waits has no place to lose
    check_in(season, 1)
    assert who(season, 1).checked_in_at == START
    first = who(season, 1)
    refused("check-in.twice", contestant_check_in, acting_user=first.user, contestant=first)
    second = who(season, 2)
    arguments = {"contestant": second, "at": UNTIL}
    refused("check-in.over", contestant_check_in, acting_user=second.user, **arguments)
    refused("season.not-organiser", contestant_check_in, acting_user=first.user, **arguments)
    contestant_check_in(acting_user=orla, contestant=second, at=UNTIL)
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {
        "check-in.open", "contestant.check-in",
    }  # fmt: skip


def test_another_hour_keeps_who_is_there_and_asks_the_others_again(
    orla: User, season: Season
) -> None:
    opened(orla, season)
    check_in(season, 1)
    later = START + timedelta(minutes=1)
    check_in_open(acting_user=orla, season=season, until=UNTIL + timedelta(hours=1), at=later)
    assert who(season, 1).checked_in_at == START
    assert [len(told(account(season, number))) for number in (1, 2)] == [1, 2]


def test_calling_it_off_forgets_who_has_checked_in(orla: User, season: Season) -> None:
    opened(orla, season)
    check_in(season, 1)
    check_in_close(acting_user=orla, season=season)
    assert who(season, 1).checked_in_at is None
    for service in (check_in_close, absent_strike_off):
        refused("check-in.closed", service, acting_user=orla, season=season)
    first = who(season, 1)
    refused("check-in.closed", contestant_check_in, acting_user=first.user, contestant=first)


def test_after_the_hour_the_absent_are_struck_off_and_those_who_wait_move_up(
    orla: User, season: Season
) -> None:
    opened(orla, season)
    for number in (1, 2, 3):
        check_in(season, number)
    just_before = UNTIL - timedelta(milliseconds=1)
    refused("check-in.early", absent_strike_off, acting_user=orla, season=season, at=just_before)
    gone = absent_strike_off(acting_user=orla, season=season, at=UNTIL)
    assert [each.name for each in gone] == ["Player 4"]
    assert inside(season) == ["Player 1", "Player 2", "Player 3", "Zoe"]
    event = season.events.get(kind="contestant.withdrawn")
    assert event.words == "Player 4 withdraws: Not checked in by the hour."
    event_announce(event.pk)
    assert "Not checked in by the hour." in told(account(season, 4))[-1]
    # It has ended by that: who has moved up was never asked.
    assert Season.objects.get(pk=season.pk).check_in_until is None
    refused("check-in.closed", absent_strike_off, acting_user=orla, season=season)


def test_who_moves_up_meanwhile_is_asked_to_check_in_with_that(orla: User, season: Season) -> None:
    opened(orla, season)
    contestant_withdraw(
        acting_user=account(season, 4), contestant=who(season, 4), at=START + timedelta(minutes=1)
    )
    (letter,) = told(zoe())
    assert "Please check in on the season's page by" in letter


SOON = START + timedelta(minutes=1)
#: Too late to be asked, and after the hour.
UNASKED = [UNTIL - LATE, UNTIL + timedelta(minutes=5)]


def joined(_orla: User, season: Season, user: User, at: datetime) -> None:
    contestant_join(acting_user=user, season=season, at=at)


def invited(orla: User, season: Season, user: User, at: datetime) -> None:
    link = invitation_make(acting_user=orla, season=season, at=at)
    invitation_accept(acting_user=user, invitation=link, at=at)


def held(orla: User, season: Season, user: User, at: datetime) -> None:
    """Held long before, and taken now."""
    (place,) = contestants_import(
        acting_user=orla, season=season, text=",Benji", at=START - timedelta(days=1)
    ).contestants
    assert place.invitation is not None
    invitation_accept(acting_user=user, invitation=place.invitation, at=at)


def enrolled_by_hand(orla: User, season: Season, user: User, at: datetime) -> None:
    contestant_enrol(acting_user=orla, season=season, user=user, at=at)


def taken_in(orla: User, season: Season, user: User, at: datetime) -> None:
    entries = [Enrolment(user)]
    contestants_take(acting_user=orla, season=season, entries=entries, at=at)


def listed(orla: User, season: Season, user: User, at: datetime) -> None:
    contestants_import(acting_user=orla, season=season, text=user.username, at=at)


def approved(orla: User, season: Season, user: User, at: datetime) -> None:
    season_update(acting_user=orla, season=season, changes={"by_application": True})
    row = application_make(acting_user=user, season=season, at=at)
    applications_approve(acting_user=orla, season=season, applications=[row], at=at)


def moved_up(orla: User, season: Season, user: User, at: datetime) -> None:
    Season.objects.filter(pk=season.pk).update(places=4)
    contestant_join(acting_user=user, season=season, at=START)
    contestant_remove(acting_user=orla, contestant=who(season, 4), at=at)


Way = Callable[[User, Season, User, datetime], None]


@pytest.fixture
def roomy(orla: User) -> Season:
    return opened(orla, enrolled(orla, 4, "swiss", open_enrolment=True))


@pytest.mark.parametrize("way", [joined, invited, held])
def test_who_comes_by_themselves_meanwhile_is_there(orla: User, roomy: Season, way: Way) -> None:
    ada = user_named("ada", display_name="Ada")
    way(orla, roomy, ada, SOON)
    assert roomy.contestants.get(user=ada).checked_in_at == SOON
    absent_strike_off(acting_user=orla, season=roomy, at=UNTIL)
    assert [each.user for each in roomy.contestants.filter(status="enrolled")] == [ada]


@pytest.mark.parametrize("way", [enrolled_by_hand, taken_in, listed, approved, moved_up])
def test_whom_others_enter_meanwhile_is_asked_once(orla: User, roomy: Season, way: Way) -> None:
    ada = user_named("ada", display_name="Ada")
    way(orla, roomy, ada, SOON)
    asking = [each for each in told(ada) if "Please check in on the season's page by" in each]
    assert len(asking) == 1
    assert roomy.contestants.get(user=ada).checked_in_at is None


@pytest.mark.parametrize("at", UNASKED)
@pytest.mark.parametrize("way", [enrolled_by_hand, taken_in, listed, approved, moved_up])
def test_who_enters_too_late_to_be_asked_counts_as_there(
    orla: User, roomy: Season, way: Way, at: datetime
) -> None:
    ada = user_named("ada", display_name="Ada")
    way(orla, roomy, ada, at)
    assert not any("check in" in each for each in told(ada))
    later = UNTIL + timedelta(hours=1)
    absent_strike_off(acting_user=orla, season=roomy, at=later)
    assert [each.user for each in roomy.contestants.filter(status="enrolled")] == [ada]


def test_who_comes_back_has_to_check_in_again(orla: User, season: Season) -> None:
    opened(orla, season, UNTIL)
    check_in(season, 1)
    user = account(season, 1)
    contestant_remove(acting_user=orla, contestant=who(season, 1), at=START)
    Season.objects.filter(pk=season.pk).update(places=None)
    again = contestant_enrol(acting_user=orla, season=season, user=user, at=START)
    again.refresh_from_db()
    assert again.checked_in_at is None


def test_it_is_for_seasons_that_have_not_begun(orla: User, season: Season) -> None:
    for until in (START, START - timedelta(hours=1), START + LASTS_MAX + timedelta(seconds=1)):
        refused(
            "check-in.until", check_in_open, acting_user=orla, season=season, until=until, at=START
        )
    refused(
        "season.not-organiser",
        check_in_open,
        acting_user=organiser_named("rival"),
        season=season,
        until=UNTIL,
    )
    opened(orla, season)
    check_in(season, 1)
    warned = {each.code: each.sentence for each in preflight(season_of(season), "start", orla)}
    assert warned["preflight.check-in"] == "3 of 4 have not checked in."
    season_start(acting_user=orla, season=season, at=START)
    assert Season.objects.get(pk=season.pk).check_in_until is None
    refused("check-in.begun", check_in_open, acting_user=orla, season=season, until=UNTIL)


def season_of(season: Season) -> Season:
    return Season.objects.get(pk=season.pk)


def test_of_a_draft_nobody_is_asked(orla: User, season: Season) -> None:
    season_unlist(acting_user=orla, season=season, at=START)
    refused("season.draft", check_in_open, acting_user=orla, season=season, until=UNTIL)


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


@pytest.mark.django_db(transaction=True)
def test_who_checks_in_as_they_are_struck_off_is_either(
    orla: User, season: Season, threads: Threads
) -> None:
    opened(orla, season)
    fourth = who(season, 4)
    for number in (1, 2, 3):
        check_in(season, number)
    answers = threads.at_once(
        [
            partial(contestant_check_in, acting_user=orla, contestant=fourth, at=UNTIL),
            partial(absent_strike_off, acting_user=orla, season=season, at=UNTIL),
        ]
    )
    stays = not isinstance(answers[0], Refusal)
    assert ("Player 4" in inside(season)) is stays
    assert ("Zoe" in inside(season)) is not stays
    assert len(inside(season)) == 4


# -- pages ---------------------------------------------------------------------------------------


def test_one_tap_checks_in_and_the_desk_sees_it(orla: User, season: Season) -> None:
    home, desk = season.get_absolute_url(), f"/seasons/{season.slug}/desk/check-in/"
    olga, first = signed_in(orla), signed_in(account(season, 1))
    address = f"/seasons/{season.slug}/check-in/"
    with time_machine.travel(START, tick=False):
        assert olga.post(desk, {"until": "2001-01-01T10:00"}).status_code == 422
        assert olga.post(desk, {"until": ""}).status_code == 422
        sent = olga.post(desk, {"until": UNTIL.isoformat()}, follow=True)
        assert "0 of 4 have checked in" in words(sent)
        assert address not in Client().get(home).content.decode()
        assert address not in signed_in(zoe()).get(home).content.decode()
        page = first.get(home)
        assert "Please check in by" in words(page)
        assert address in page.content.decode()
        assert "You have checked in" in words(first.post(address, follow=True))
        assert address not in first.get(home).content.decode()
        assert "1 of 4 have checked in" in words(olga.get(desk))
        assert first.get(desk).status_code == 403
        assert signed_in(zoe()).post(address).status_code == 403
        assert f"{desk}strike-off/" not in olga.get(desk).content.decode()
        assert "They may still check in" in words(olga.post(f"{desk}strike-off/"))
    with time_machine.travel(UNTIL, tick=False):
        second = signed_in(account(season, 2))
        assert "Ask an organiser" in words(second.get(home))
        assert "The hour is over" in words(second.post(address, follow=True))
        pk = who(season, 2).pk
        assert "is checked in" in words(olga.post(desk, {"contestant": pk}, follow=True))
        assert olga.post(desk, {"contestant": "x"}).status_code == 404
        assert f"{desk}strike-off/" in olga.get(desk).content.decode()
        # It says first whom it strikes.
        asked = words(olga.get(f"{desk}strike-off/"))
        assert "Struck off, since not checked in by the hour: Player 3 and Player 4." in asked
        olga.post(desk, {"strike-absent": "yes"})
        assert len(inside(season)) == 4
        assert "2 struck off" in words(olga.post(f"{desk}strike-off/", follow=True))
    assert inside(season) == ["Player 1", "Player 2", "Zoe"]


def test_the_desk_calls_it_off(orla: User, season: Season) -> None:
    opened(orla, season)
    desk = f"/seasons/{season.slug}/desk/check-in/"
    with time_machine.travel(START, tick=False):
        page = words(signed_in(orla).post(desk, {"close": "yes"}, follow=True))
    assert "There is no check-in any more." in page
