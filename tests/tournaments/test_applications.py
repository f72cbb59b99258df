"""Applications to a season: who may, what the organisers decide, and what people are told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import Announcement, AuditEntry, User
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import user_suspend
from accounts.services import user_close
from core.refusals import Refusal
from tests.games.support import committing, user_named
from tests.pages.support import words
from tests.tournaments.support import START, enrolled, organiser_joins, organiser_named, refused
from tournaments.models import Contestant, Season, SeasonApplication
from tournaments.notices import event_announce
from tournaments.services.contestants.applications import (
    application_allow,
    application_decline,
    application_make,
    application_withdraw,
    applications_approve,
)
from tournaments.services.contestants.enrolment import contestant_enrol, contestant_join
from tournaments.services.seasons import (
    season_archive,
    season_cancel,
    season_unlist,
    season_update,
)
from tournaments.services.starts import season_start

HOUR = timedelta(hours=1)


@pytest.fixture
def season(orla: User) -> Season:
    return enrolled(orla, 2, "swiss", open_enrolment=True, by_application=True)


@pytest.fixture
def ada(db: None) -> User:
    return user_named("ada", display_name="Ada")


def applied(user: User, season: Season, words: str = "") -> SeasonApplication:
    return application_make(acting_user=user, season=season, words=words, at=START)


def state(row: SeasonApplication) -> str:
    return str(SeasonApplication.objects.get(pk=row.pk).status)


def told(user: User) -> list[str]:
    return list(
        Announcement.objects.filter(user=user).order_by("pk").values_list("words", flat=True)
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


# -- what waits for organisers -------------------------------------------------------------------


def test_organisers_see_on_the_desk_and_the_front_door_that_somebody_has_applied(
    orla: User, season: Season, ada: User
) -> None:
    front, desk = "/", f"/seasons/{season.slug}/desk/"
    for page in (front, desk):
        assert "applied" not in words(signed_in(orla).get(page))
    row = applied(ada, season)
    home = words(signed_in(orla).get(front))
    assert "Your seasons: 1 thing waits" in home
    assert f"{season.name}: One person has applied." in home
    applied(user_named("ben"), season)
    assert "2 people have applied." in words(signed_in(orla).get(desk))
    for other in (ada, user_named("rival")):
        assert "applied." not in words(signed_in(other).get(front))
    application_decline(acting_user=orla, application=row, at=START)
    assert "One person has applied." in words(signed_in(orla).get(desk))


# -- services ------------------------------------------------------------------------------------


def test_who_applies_is_in_once_an_organiser_approves(
    orla: User, season: Season, ada: User
) -> None:
    revision = Season.objects.get(pk=season.pk).revision
    row = applied(ada, season, "  I play every week. ")
    assert (row.status, row.words) == ("asked", "I play every week.")
    assert not Contestant.objects.filter(user=ada).exists()
    # Nobody but the organisers can tell that anything has happened.
    assert Season.objects.get(pk=season.pk).revision == revision
    entered = applications_approve(acting_user=orla, season=season, applications=[row], at=START)
    assert [each.user for each in entered.contestants] == [ada]
    assert state(row) == "admitted"
    assert told(ada) == [f"{season.name}: You are approved, and take part."]
    assert Season.objects.get(pk=season.pk).revision > revision
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {
        "application.make", "application.approve", "contestant.enrol",
    }  # fmt: skip


def test_several_are_approved_together_or_nobody(orla: User, season: Season) -> None:
    rows = [applied(user_named(f"guest{n}"), season) for n in range(3)]
    application_withdraw(acting_user=rows[1].user, application=rows[1], at=START)
    arguments: dict[str, Any] = {"acting_user": orla, "season": season, "at": START}
    refused("application.decided", applications_approve, applications=rows, **arguments)
    refused("application.nobody", applications_approve, applications=[], **arguments)
    entered = applications_approve(applications=[rows[2], rows[0]], **arguments)
    assert [each.user for each in entered.contestants] == [rows[0].user, rows[2].user]


def test_who_is_declined_applies_again_only_when_let(orla: User, season: Season, ada: User) -> None:
    row = applied(ada, season)
    application_decline(acting_user=orla, application=row, why=" Not this time. ", at=START)
    assert state(row) == "declined"
    assert told(ada) == [f"{season.name}: The organisers have not taken you in: Not this time."]
    refused("application.declined", application_make, acting_user=ada, season=season)
    refused("application.decided", application_decline, acting_user=orla, application=row)
    later = START + timedelta(hours=1)
    application_allow(acting_user=orla, application=row, at=later)
    assert told(ada)[-1] == f"{season.name}: The organisers let you apply again."
    refused("application.allowed", application_allow, acting_user=orla, application=row)
    again = application_make(acting_user=ada, season=season, words="Please.", at=later)
    assert (again.pk, again.status, again.why, again.may_ask_again) == (row.pk, "asked", "", False)


def test_nothing_is_said_of_a_reason_that_was_not_given(
    orla: User, season: Season, ada: User
) -> None:
    application_decline(acting_user=orla, application=applied(ada, season), at=START)
    assert told(ada) == [f"{season.name}: The organisers have not taken you in."]


def test_it_is_taken_back_by_whoever_made_it_and_its_words_are_forgotten(
    season: Season, ada: User
) -> None:
    row = applied(ada, season, "Take me.")
    other = user_named("eve")
    refused("applicant.none", application_withdraw, acting_user=other, application=row)
    gone = application_withdraw(acting_user=ada, application=row, at=START)
    assert (gone.status, gone.words) == ("withdrawn", "")
    refused("application.decided", application_withdraw, acting_user=ada, application=row)
    assert applied(ada, season).pk == row.pk
    assert told(ada) == []


def test_who_cannot_take_part_cannot_apply(orla: User, season: Season, ada: User) -> None:
    root = User.objects.get(username="root")
    applied(ada, season)
    refused("application.twice", application_make, acting_user=ada, season=season)
    inside = Contestant.objects.get(season=season, seed=1).user
    assert inside is not None
    refused("contestant.twice", application_make, acting_user=inside, season=season)
    banned, closed = user_named("banned"), user_named("closed")
    user_suspend(acting_user=root, user=banned, reason="Rude", until=None)
    refused("contestant.suspended", application_make, acting_user=banned, season=season)
    user_close(acting_user=root, user=closed, reason="Spam")
    refused("contestant.account-closed", application_make, acting_user=closed, season=season)
    long = "x" * 501
    refused(
        "application.words.too-long",
        application_make,
        acting_user=user_named("eve"),
        season=season,
        words=long,
    )


def test_nobody_is_taken_in_who_was_banned_meanwhile(orla: User, season: Season, ada: User) -> None:
    row = applied(ada, season)
    root = User.objects.get(username="root")
    user_suspend(acting_user=root, user=ada, reason="Rude", until=None)
    refused(
        "contestant.suspended",
        applications_approve,
        acting_user=orla,
        season=season,
        applications=[row],
    )


def merged(keep: User, duplicate: User) -> None:
    root = User.objects.get(username="root")
    user_merge(acting_user=root, keep=keep, duplicate=duplicate, reason="One person")


@pytest.mark.parametrize("kept_is_in", [True, False])
def test_who_is_in_by_one_of_two_accounts_made_one_asks_no_more(
    orla: User, season: Season, ada: User, kept_is_in: bool
) -> None:
    twin = user_named("ada2")
    inside, outside = (ada, twin) if kept_is_in else (twin, ada)
    season_update(acting_user=orla, season=season, changes={"places": 3})
    contestant_enrol(acting_user=orla, season=season, user=inside, at=START)
    row = applied(outside, season)
    applications_approve(acting_user=orla, season=season, applications=[row], at=START)
    assert state(row) == "waiting"
    merged(ada, twin)
    (row,) = season.applications.filter(user__in=[ada, twin])
    assert (row.user, row.status, row.turn) == (ada, "admitted", None)


def test_of_two_applications_of_one_person_the_kept_accounts_stays(
    season: Season, ada: User
) -> None:
    twin = user_named("ada2")
    row = applied(ada, season, "I am Ada.")
    applied(twin, season, "I am she too.")
    merged(ada, twin)
    assert [(each.pk, each.words) for each in season.applications.all()] == [(row.pk, "I am Ada.")]


def test_who_applied_by_the_account_that_is_given_up_has_applied(season: Season, ada: User) -> None:
    row = applied(user_named("ada2"), season)
    merged(ada, row.user)
    (found,) = season.applications.all()
    assert (found.pk, found.user, found.status) == (row.pk, ada, "asked")


def test_applications_are_taken_only_where_that_is_the_way_in(
    orla: User, season: Season, ada: User
) -> None:
    refused("enrolment.closed", contestant_join, acting_user=ada, season=season)
    for settings in ({"by_application": False}, {"open_enrolment": False, "by_application": True}):
        season_update(acting_user=orla, season=season, changes=settings)
        refused("application.closed", application_make, acting_user=ada, season=season)
    season_update(acting_user=orla, season=season, changes={"open_enrolment": True})
    row = applied(ada, season)
    # By hand it is the same as ever, and the application is decided by that.
    contestant_enrol(acting_user=orla, season=season, user=ada, at=START)
    assert state(row) == "admitted"
    left = applied(user_named("eve"), season)
    season_unlist(acting_user=orla, season=season, at=START)
    refused("season.draft", application_decline, acting_user=orla, application=left)
    refused("application.closed", application_make, acting_user=user_named("zoe"), season=season)
    Season.objects.filter(pk=season.pk).update(visibility="listed")
    contestant_enrol(acting_user=orla, season=season, user=user_named("ben"), at=START)
    season_start(acting_user=orla, season=season, at=START)
    refused("enrolment.begun", application_decline, acting_user=orla, application=left)
    season_archive(acting_user=orla, season=season, at=START)
    refused("season.archived", application_withdraw, acting_user=left.user, application=left)


def test_only_its_organisers_decide(season: Season, ada: User) -> None:
    row, rival = applied(ada, season), organiser_named("rival")
    for user in (rival, ada):
        for service in (application_decline, application_allow):
            refused("season.not-organiser", service, acting_user=user, application=row)
        refused(
            "season.not-organiser",
            applications_approve,
            acting_user=user,
            season=season,
            applications=[row],
        )


def test_an_application_to_another_season_is_not_found(
    orla: User, season: Season, ada: User
) -> None:
    row = applied(ada, season)
    other = enrolled(orla, 0, "swiss")
    with pytest.raises(Refusal) as refusal:
        applications_approve(acting_user=orla, season=other, applications=[row])
    assert refusal.value.code == "applicant.none"


# -- pages ---------------------------------------------------------------------------------------


def test_the_season_leads_to_an_application_and_says_how_it_stands(
    orla: User, season: Season, ada: User
) -> None:
    visitor, home, address = Client(), season.get_absolute_url(), f"/seasons/{season.slug}/join/"
    assert address in visitor.get(home).content.decode()
    assert visitor.get(address)["Location"].startswith("/accounts/login/")
    client = signed_in(ada)
    assert "Apply" in words(client.get(home))
    assert client.post(address, {"words": "x" * 501}).status_code == 422
    with time_machine.travel(START, tick=False):
        sent = client.post(address, {"words": "Only you read this."}, follow=True)
    assert "You have applied" in words(sent)
    assert "Take the application back" in words(client.get(home))
    for page in (visitor.get(home), signed_in(user_named("eve")).get(home)):
        assert "Only you read this." not in page.content.decode()
    assert client.post(address, {"words": "Again"}).status_code == 422
    assert client.post(address, {"take-back": "yes"}).status_code == 302
    assert "Apply" in words(client.get(home))
    assert SeasonApplication.objects.get().status == "withdrawn"


def test_the_desk_shows_what_they_say_and_decides(orla: User, season: Season, ada: User) -> None:
    one, two, three = (user_named(f"guest{n}") for n in range(3))
    rows = [applied(user, season, f"I am {user.username}.") for user in (ada, one, two, three)]
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/applications/"
    page = words(desk.get(address))
    assert "I am ada." in page
    assert "I am guest2." in page
    assert signed_in(ada).get(address).status_code == 403
    assert Client().get(address).status_code == 302
    assert "Tick somebody first." in words(desk.post(address, {}))
    sent = desk.post(address, {"tick": [rows[0].pk, rows[1].pk]}, follow=True)
    assert "2 taken in." in words(sent)
    assert desk.post(address, {"tick": [rows[0].pk]}).status_code == 422
    decline = f"{address}{rows[2].pk}/decline/"
    assert desk.post(decline, {"why": "x" * 501}).status_code == 422
    assert "is declined" in words(desk.post(decline, {"why": "Full up."}, follow=True))
    assert "Full up." in words(desk.get(address))
    assert "Full up." in words(signed_in(two).get(season.get_absolute_url()))
    assert "Full up." not in words(Client().get(season.get_absolute_url()))
    assert desk.post(f"{address}{rows[2].pk}/allow/").status_code == 302
    assert desk.post(f"{address}{rows[3].pk}/approve/").status_code == 302
    assert [state(row) for row in rows] == ["admitted", "admitted", "declined", "admitted"]
    assert desk.post(f"{address}0/approve/").status_code == 404
    assert desk.post(f"{address}{rows[3].pk}/nothing/").status_code == 404


def test_settings_say_who_comes_in_by_one_choice(orla: User, season: Season) -> None:
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/settings/"
    form = desk.get(address).context["form"]
    assert form["way_in"].value() == "application"
    sent = {field.html_name: field.value() for field in form if field.value() is not None}
    for way, switches in (
        ("closed", (False, False)), ("open", (True, False)), ("application", (True, True)),
    ):  # fmt: skip
        assert desk.post(address, sent | {"way_in": way, "places": "8"}).status_code == 302
        found = Season.objects.get(pk=season.pk)
        assert (found.open_enrolment, found.by_application, found.places) == (*switches, 8)
    assert desk.post(address, sent | {"way_in": "any"}).status_code == 422
    assert desk.post(address, sent | {"places": "1"}).status_code == 422


# -- what the organisers are told, and everybody where nothing comes of it -------------------------


def test_organisers_are_told_of_each_application(
    season: Season, orla: User, oscar: User, ada: User
) -> None:
    applied(ada, season, "I always win.")
    news = Announcement.objects.get(kind="organiser.application")
    assert (news.user, news.words) == (orla, "Autumn: Ada has applied to take part. You decide.")
    assert news.path == f"/seasons/{season.slug}/desk/applications/"
    row = season.applications.get()
    application_withdraw(acting_user=ada, application=row, at=START)
    # What has not gone out never does: nobody is flooded by somebody who cannot decide.
    assert not Announcement.objects.filter(kind="organiser.application").exists()
    for hours in (1, 3, 5):
        at = START + timedelta(hours=hours)
        application_make(acting_user=ada, season=season, at=at)
        if hours < 5:
            application_withdraw(acting_user=ada, application=row, at=at)
    assert Announcement.objects.filter(kind="organiser.application").count() == 1
    # Whoever may ask again after all is heard of again.
    application_decline(acting_user=orla, application=row, at=START + timedelta(hours=6))
    application_allow(acting_user=orla, application=row, at=START + timedelta(hours=7))
    before = Announcement.objects.get(kind="organiser.application").pk
    application_make(acting_user=ada, season=season, at=START + timedelta(hours=8))
    assert Announcement.objects.get(kind="organiser.application").pk != before
    # Whoever runs it and applies themselves need not be told.
    organiser_joins(acting_user=orla, season=season, user=oscar)
    application_make(acting_user=oscar, season=season, at=START)
    told_of = Announcement.objects.filter(
        kind="organiser.application", words__contains=oscar.shown_name
    )
    assert [each.user for each in told_of] == [orla]


def test_whoever_applied_or_waits_is_told_that_a_season_is_called_off(orla: User) -> None:
    season = enrolled(orla, 2, "swiss", open_enrolment=True, by_application=True, places=2)
    people = {name: user_named(name) for name in ("asks", "waits", "declined", "left")}
    rows = {name: applied(user, season) for name, user in people.items()}
    applications_approve(acting_user=orla, season=season, applications=[rows["waits"]], at=START)
    application_decline(acting_user=orla, application=rows["declined"], at=START)
    application_withdraw(acting_user=people["left"], application=rows["left"], at=START)
    assert state(rows["waits"]) == "waiting"
    with committing():
        season_cancel(acting_user=orla, season=season, why="No time.", at=START + HOUR)
    events_announce_now(season)
    said = {name: [each for each in told(user) if "called off" in each]
            for name, user in people.items()}  # fmt: skip
    off = "Autumn: Autumn is called off: No time."
    assert said == {
        "asks": [f"{off} Nothing more comes of your application."],
        "waits": [f"{off} No place will become free."],
        "declined": [],
        "left": [],
    }
    player = season.contestants.order_by("pk")[0].user
    assert player is not None
    assert [each for each in told(player) if "called off" in each] == [off]


def events_announce_now(season: Season) -> None:
    """As a worker does with what was told of a season's end; again changes nothing."""
    for event in season.events.filter(kind="season.cancelled"):
        event_announce(event.pk)
        event_announce(event.pk)
