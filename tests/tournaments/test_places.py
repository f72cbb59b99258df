"""Places in a season, and the list of those who wait for one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import Announcement, AuditEntry, User
from accounts.moderation.sanctions import user_suspend
from tests.games.support import user_named
from tests.games.test_races import Threads
from tests.pages.support import words
from tests.tournaments.support import START, enrolled, refused
from tournaments.models import Contestant, Season, SeasonApplication
from tournaments.reading.seasons import seasons_run_by
from tournaments.services.contestants.applications import (
    application_allow,
    application_decline,
    application_make,
    application_withdraw,
    applications_approve,
)
from tournaments.services.contestants.departures import contestant_remove, contestant_withdraw
from tournaments.services.contestants.enrolment import (
    Enrolment,
    contestant_enrol,
    contestant_join,
    contestants_enrol,
    contestants_take,
)
from tournaments.services.contestants.invitations import (
    invitation_accept,
    invitation_make,
    invitation_revoke,
)
from tournaments.services.contestants.rosters import contestants_import
from tournaments.services.preflight import preflight
from tournaments.services.seasons import season_unlist, season_update
from tournaments.services.starts import season_start

_ticks = itertools.count(1)


def tick() -> datetime:
    """Another moment each time: what happens at once is one act."""
    return START + timedelta(seconds=next(_ticks))


@pytest.fixture
def season(orla: User) -> Season:
    """Two are in, and there is one place more."""
    return enrolled(orla, 2, "swiss", open_enrolment=True, places=3)


def join(name: str, season: Season) -> User:
    user = user_named(name, display_name=name.capitalize())
    contestant_join(acting_user=user, season=season, at=tick())
    return user


def inside(season: Season) -> list[str]:
    rows = season.contestants.filter(status="enrolled").order_by("enrolled_at", "pk")
    return [each.name for each in rows]


def waits(season: Season) -> list[str]:
    rows = season.applications.filter(status="waiting").order_by("turn")
    return [each.user.username for each in rows.select_related("user")]


def told(user: User) -> list[str]:
    return list(
        Announcement.objects.filter(user=user).order_by("pk").values_list("words", flat=True)
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


# -- getting onto the list -----------------------------------------------------------------------


def test_whoever_comes_when_all_places_are_taken_waits_in_order(season: Season) -> None:
    names = ["ada", "ben", "cleo", "dora"]
    users = [join(name, season) for name in names]
    assert inside(season) == ["Player 1", "Player 2", "Ada"]
    assert waits(season) == ["ben", "cleo", "dora"]
    refused("application.waiting", contestant_join, acting_user=users[1], season=season)
    refused("contestant.twice", contestant_join, acting_user=users[0], season=season)
    application_withdraw(acting_user=users[1], application=row_of(users[1]), at=tick())
    join_again = contestant_join(acting_user=users[1], season=season, at=tick())
    assert join_again.contestants == []
    assert waits(season) == ["cleo", "dora", "ben"]


def test_who_left_before_it_began_is_not_counted(orla: User, season: Season) -> None:
    ada = join("ada", season)
    for contestant in season.contestants.exclude(user=ada):
        contestant_withdraw(acting_user=orla, contestant=contestant, why="ill", at=tick())
    join("ben", season)
    shown = words(Client().get(season.get_absolute_url()))
    assert "Enrolling: 2 contestants so far" in shown
    assert "Contestants 2 " in shown
    assert "2 of 3 taken" in shown
    (listed,) = seasons_run_by(orla)
    assert listed.entered == 2
    season_start(acting_user=orla, season=season, at=tick())
    contestant_withdraw(
        acting_user=ada, contestant=season.contestants.get(user=ada), why="ill", at=tick()
    )
    assert "Contestants 2 " in words(Client().get(season.get_absolute_url()))
    (listed,) = seasons_run_by(orla)
    assert listed.entered == 2


def test_who_leaves_is_told_how_they_may_come_back(orla: User, season: Season) -> None:
    """As they came: what is said is what the services do."""

    def told(user: User) -> str:
        return words(signed_in(user).get(f"/seasons/{season.slug}/withdraw/"))

    by_hand, ada = season.contestants.earliest("pk").user, join("ada", season)
    assert by_hand is not None
    for user in (by_hand, ada):
        assert "Until it begins you can enrol again." in told(user)
    season_update(acting_user=orla, season=season, changes={"open_enrolment": False}, at=tick())
    only = "Only its organisers can bring you back."
    assert only in told(ada)
    season_update(acting_user=orla, season=season, changes={"places": 5}, at=tick())
    link = invitation_make(acting_user=orla, season=season)
    ben = user_named("ben")
    (place,) = invitation_accept(acting_user=ben, invitation=link).contestants
    assert "come back by the link that you came by" in told(ben)
    contestant_withdraw(acting_user=ben, contestant=place)
    assert invitation_accept(acting_user=ben, invitation=link).contestants == [place]
    invitation_revoke(acting_user=orla, invitation=link)
    assert only in told(ben)
    # A place that was held is given back for good.
    (held,) = contestants_import(acting_user=orla, season=season, text=",Cleopatra").contestants
    assert held.invitation is not None
    cleo = user_named("cleo")
    invitation_accept(acting_user=cleo, invitation=held.invitation)
    assert only in told(cleo)
    season_start(acting_user=orla, season=season)
    assert only in told(ada)


def test_whoever_waits_is_taken_off_the_list_and_not_declined(orla: User, season: Season) -> None:
    ada, ben = join("ada", season), join("ben", season)
    assert (inside(season)[-1], waits(season)) == (ada.shown_name, ["ben"])
    desk, list_of = signed_in(orla), f"/seasons/{season.slug}/desk/applications/"
    shown = desk.get(list_of)
    assert words(shown).count("Take off the list Ben") == 2  # what opens the form, and its button
    assert "Decline " not in words(shown)
    act = f"{list_of}{row_of(ben).pk}/decline/"
    assert act in shown.content.decode()
    done = desk.post(act, {"why": ""}, follow=True)
    assert "Ben is off the waiting list, and told so." in words(done)
    assert waits(season) == []


def row_of(user: User) -> SeasonApplication:
    return SeasonApplication.objects.get(user=user)


def test_organisers_put_people_on_the_list_too_but_not_programs(orla: User, season: Season) -> None:
    entries = [Enrolment(user_named(name)) for name in ("ada", "ben")]
    arguments: dict[str, Any] = {"acting_user": orla, "season": season, "entries": entries}
    refused("season.full", contestants_enrol, **arguments)
    entered = contestants_take(**arguments, at=tick())
    assert [each.user for each in entered.contestants] == [entries[0].user]
    assert [each.user for each in entered.waiting] == [entries[1].user]
    text = "cleo,Cleopatra\ndora"
    for name in ("cleo", "dora"):
        user_named(name)
    made = contestants_import(acting_user=orla, season=season, text=text, at=tick())
    assert (made.contestants, len(made.waiting)) == ([], 2)
    assert waits(season) == ["ben", "cleo", "dora"]
    refused(
        "season.full", contestant_enrol, acting_user=orla, season=season, user=user_named("eve")
    )
    season_update(acting_user=orla, season=season, changes={"places": 5}, at=tick())
    assert inside(season)[-2:] == [entries[1].user.shown_name, "Cleopatra"]


def test_who_is_approved_when_it_is_full_waits_and_is_told_which_they_are(
    orla: User, season: Season
) -> None:
    season_update(acting_user=orla, season=season, changes={"by_application": True})
    rows = [
        application_make(acting_user=user_named(name), season=season, at=tick())
        for name in ("ada", "ben", "cleo")
    ]
    applications_approve(acting_user=orla, season=season, applications=rows, at=tick())
    assert inside(season)[2:] == [rows[0].user.shown_name]
    assert waits(season) == ["ben", "cleo"]
    assert "You are number 2 of those who wait" in told(rows[2].user)[0].replace("you", "You")
    arguments: dict[str, Any] = {"acting_user": orla, "season": season, "applications": [rows[2]]}
    refused("application.decided", applications_approve, **arguments)
    application_decline(acting_user=orla, application=row_of(rows[1].user), at=tick())
    assert waits(season) == ["cleo"]


def test_a_link_leads_to_the_list_and_counts_who_waits(orla: User, season: Season) -> None:
    link = invitation_make(acting_user=orla, season=season, limit=2, at=START)
    ada, ben, cleo = (user_named(name) for name in ("ada", "ben", "cleo"))
    assert invitation_accept(acting_user=ada, invitation=link, at=tick()).contestants
    (row,) = invitation_accept(acting_user=ben, invitation=link, at=tick()).waiting
    assert (row.invitation, row.turn) == (link, 1)
    refused("invitation.full", invitation_accept, acting_user=cleo, invitation=link)
    # Ben had come by the link, which his place is counted to.
    contestant_withdraw(acting_user=ada, contestant=place_of(ada), at=tick())
    assert place_of(ben).invitation == link
    # Ada's has become free again.
    invitation_accept(acting_user=cleo, invitation=link, at=tick())
    assert waits(season) == ["cleo"]


def place_of(user: User) -> Contestant:
    return Contestant.objects.get(user=user)


def test_who_was_taken_off_the_list_does_not_enrol_again_by_themselves(
    orla: User, season: Season
) -> None:
    ada, ben = join("ada", season), join("ben", season)
    application_decline(acting_user=orla, application=row_of(ben), at=tick())
    refused("application.declined", contestant_join, acting_user=ben, season=season)
    contestant_remove(acting_user=orla, contestant=place_of(ada), at=tick())
    refused("application.declined", contestant_join, acting_user=ben, season=season)
    page = signed_in(ben).get(season.get_absolute_url()).content.decode()
    assert f"{season.get_absolute_url()}join/" not in page
    application_allow(acting_user=orla, application=row_of(ben), at=tick())
    contestant_join(acting_user=ben, season=season, at=tick())
    assert inside(season)[-1] == "Ben"


@pytest.mark.parametrize("by_link", [True, False])
def test_whom_the_organisers_want_after_all_comes_by_link_or_by_hand(
    orla: User, season: Season, by_link: bool
) -> None:
    join("ada", season)
    ben = join("ben", season)
    application_decline(acting_user=orla, application=row_of(ben), at=tick())
    if by_link:
        link = invitation_make(acting_user=orla, season=season, at=START)
        invitation_accept(acting_user=ben, invitation=link, at=tick())
    else:
        entries = [Enrolment(ben)]
        contestants_take(acting_user=orla, season=season, entries=entries, at=tick())
    assert waits(season) == ["ben"]


# -- moving up -----------------------------------------------------------------------------------


def test_the_first_moves_up_when_somebody_leaves(orla: User, season: Season) -> None:
    ada, ben, cleo, dora = (join(name, season) for name in ("ada", "ben", "cleo", "dora"))
    revision = Season.objects.get(pk=season.pk).revision
    contestant_withdraw(acting_user=ada, contestant=place_of(ada), at=tick())
    assert (inside(season)[-1], waits(season)) == ("Ben", ["cleo", "dora"])
    assert Season.objects.get(pk=season.pk).revision > revision
    assert told(ben) == [f"{season.name}: A place has become free, and it is yours."]
    assert told(cleo) == []
    contestant_remove(acting_user=orla, contestant=place_of(ben), at=tick())
    assert (inside(season)[-1], waits(season)) == ("Cleo", ["dora"])
    season_update(acting_user=orla, season=season, changes={"places": 4}, at=tick())
    assert (inside(season)[-1], waits(season)) == ("Dora", [])
    assert len(told(dora)) == 1


def test_all_move_up_where_places_are_not_counted_any_more(orla: User, season: Season) -> None:
    for name in ("ada", "ben", "cleo"):
        join(name, season)
    season_update(acting_user=orla, season=season, changes={"places": None}, at=tick())
    assert (len(inside(season)), waits(season)) == (5, [])


def test_who_may_not_enter_keeps_their_turn(orla: User, season: Season) -> None:
    ada, ben, _cleo = (join(name, season) for name in ("ada", "ben", "cleo"))
    root = User.objects.get(username="root")
    user_suspend(acting_user=root, user=ben, reason="Rude", until=None)
    contestant_withdraw(acting_user=ada, contestant=place_of(ada), at=tick())
    assert (inside(season)[-1], waits(season)) == ("Cleo", ["ben"])


def test_nobody_moves_up_into_a_season_that_has_begun(orla: User, season: Season) -> None:
    ada, ben = join("ada", season), join("ben", season)
    season_start(acting_user=orla, season=season, at=tick())
    contestant_withdraw(acting_user=ada, contestant=place_of(ada), at=tick())
    season_update(acting_user=orla, season=season, changes={"places": 9}, at=tick())
    assert not season.contestants.filter(user=ben).exists()


def test_the_beginning_ends_what_was_not_decided_and_says_so(orla: User, season: Season) -> None:
    _ada, ben = join("ada", season), join("ben", season)
    season_update(acting_user=orla, season=season, changes={"by_application": True}, at=tick())
    cleo, dora = (user_named(name) for name in ("cleo", "dora"))
    for user in (cleo, dora):
        application_make(acting_user=user, season=season, at=tick())
    application_withdraw(acting_user=dora, application=row_of(dora), at=tick())
    warned = {each.code: each.sentence for each in preflight(season, "start", orla)}
    assert warned["preflight.undecided"].startswith("1 application is not decided")
    assert warned["preflight.waiting"].startswith("1 person waits for a place")
    season_start(acting_user=orla, season=season, at=tick())
    for user in (ben, cleo):
        row = row_of(user)
        assert (row.status, row.turn, row.decided_by) == ("declined", None, orla)
        assert told(user)[-1].startswith(f"{season.name}: The season has begun without you")
    assert (row_of(dora).status, told(dora)) == ("withdrawn", [])
    declined = AuditEntry.objects.filter(action="application.decline")
    assert declined.count() == 2


def test_of_a_draft_nobody_is_told(orla: User, season: Season) -> None:
    ada, ben = join("ada", season), join("ben", season)
    season_unlist(acting_user=orla, season=season, at=tick())
    contestant_remove(acting_user=orla, contestant=place_of(ada), at=tick())
    assert (inside(season)[-1], told(ben)) == ("Ben", [])


def test_there_are_never_fewer_places_than_people(orla: User, season: Season) -> None:
    for places in (1, 0, -3, 40_000, "x"):
        refused(
            "season.places",
            season_update,
            acting_user=orla,
            season=season,
            changes={"places": places},
        )
    join("ada", season)
    change = {"places": 2}
    refused("season.places", season_update, acting_user=orla, season=season, changes=change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Season.objects.filter(pk=season.pk).update(places=1)


# -- two at once ---------------------------------------------------------------------------------


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


@pytest.mark.django_db(transaction=True)
def test_of_four_who_want_the_last_place_one_gets_it(
    orla: User, season: Season, threads: Threads
) -> None:
    link = invitation_make(acting_user=orla, season=season)
    ada, ben, cleo, dora = (user_named(name) for name in ("ada", "ben", "cleo", "dora"))
    calls: list[Callable[[], Any]] = [
        partial(contestant_join, acting_user=ada, season=season),
        partial(contestant_join, acting_user=ben, season=season),
        partial(invitation_accept, acting_user=cleo, invitation=link),
        partial(contestants_take, acting_user=orla, season=season, entries=[Enrolment(dora)]),
    ]
    answers = threads.at_once(calls)
    assert sum(len(each.contestants) for each in answers) == 1
    assert sorted(row.turn for each in answers for row in each.waiting) == [1, 2, 3]
    assert len(inside(season)) == 3


@pytest.mark.django_db(transaction=True)
def test_a_place_that_becomes_free_is_given_once(
    orla: User, season: Season, threads: Threads
) -> None:
    ada = join("ada", season)
    join("ben", season)
    zoe = user_named("zoe")
    threads.at_once(
        [
            partial(contestant_withdraw, acting_user=ada, contestant=place_of(ada)),
            partial(contestant_join, acting_user=zoe, season=season),
        ]
    )
    assert sorted(inside(season)) == ["Ben", "Player 1", "Player 2"]
    assert waits(season) == ["zoe"]


# -- pages ---------------------------------------------------------------------------------------


def test_everybody_on_the_list_sees_which_they_are(orla: User, season: Season) -> None:
    home, address = season.get_absolute_url(), f"/seasons/{season.slug}/join/"
    join("ada", season)
    assert "3 of 3 taken" in words(Client().get(home))
    ben, cleo = (signed_in(user_named(name)) for name in ("ben", "cleo"))
    assert "All places are taken: you go on the waiting list." in words(ben.get(address))
    sent = ben.post(address, follow=True)
    assert "you are number 1 on the waiting list" in words(sent)
    cleo.post(address)
    assert "You are number 2 of 2 on the waiting list" in words(cleo.get(home))
    assert "on the waiting list" not in words(Client().get(home))
    assert ben.post(address, {"take-back": "yes"}).status_code == 302
    assert "You are number 1 of 1 on the waiting list" in words(cleo.get(home))


def test_organisers_who_enrol_somebody_read_where_they_went(orla: User, season: Season) -> None:
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/contestants/"
    join("ada", season)
    ben = user_named("ben")
    for name in ("cleo", "dora"):
        user_named(name)
    page = words(desk.post(address, {"user": ben.pk}, follow=True))
    assert "is on the waiting list" in page
    assert "on the waiting list already" in words(desk.get(address, {"q": "ben"}))
    page = words(desk.post(address, {"text": "cleo\ndora"}, follow=True))
    assert "0 enrolled. All places are taken: 2 more on the waiting list." in page
    listed = words(desk.get(f"/seasons/{season.slug}/desk/applications/"))
    assert "Waiting list" in listed
