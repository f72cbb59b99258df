"""The pages on which people say when they are free, and agree on times."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tests.pages.support import words
from tests.tournaments.support import account, chosen, leg_of, organiser_named, running
from tournaments.models import (
    Contestant,
    DeathMatch,
    FreeDate,
    FreeHours,
    Season,
    TimeProposal,
)
from tournaments.reading.times import BothFree
from tournaments.services.free_hours import free_date_add, free_hours_set
from tournaments.services.scheduling.agreeing import proposal_withdraw, times_propose
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import season_update

Visitor = Callable[..., Client]
Browser = Callable[[str], Client]
HOURS = "/seasons/+free-hours/"


@pytest.fixture
def browser(visitor: Visitor) -> Callable[[str], Client]:
    """`browser(name)`: a browser in which whoever has that name is signed in."""
    return lambda name: visitor(User.objects.get_or_create(username=name)[0])


@pytest.fixture
def season(orla: User) -> Season:
    return running(orla, 4)


@pytest.fixture
def meeting(orla: User, season: Season) -> DeathMatch:
    """A death match between Player 1 (the EC) and Player 2, without a time."""
    return chosen(orla, season, ec=1, dmo=2, at=timezone.now())


def on(meeting: DeathMatch, last: str = "") -> str:
    leg = leg_of(meeting)
    return f"{meeting.get_absolute_url()}legs/{leg.pk}/times/{last}"


def free(user: User, *hours: int, zone: str = "UTC") -> None:
    """Free at these hours of every day."""
    marked = [24 * day + hour for day in range(7) for hour in hours]
    free_hours_set(acting_user=user, zone=zone, hours=marked)


def in_days(days: int, hour: int = 20) -> datetime:
    day = timezone.now() + timedelta(days=days)
    return day.replace(hour=hour, minute=0, second=0, microsecond=0)


# -- free hours ----------------------------------------------------------------------------------


def test_a_week_and_single_dates_are_kept_without_a_script(browser: Browser) -> None:
    assert Client().get(HOURS).status_code == 302
    ada = browser("ada")
    page = ada.get(HOURS)
    assert "no-store" in page["Cache-Control"]
    assert page.content.decode().count('name="hours"') == 7 * 24
    assert "Nobody else sees them." in words(page)
    sent = {"zone": "Asia/Kolkata", "hours": ["0", "167"]}
    assert ada.post(HOURS, sent).status_code == 302
    row = FreeHours.objects.get()
    assert (row.user.username, row.zone, row.week.count("1")) == ("ada", "Asia/Kolkata", 2)
    text = ada.get(HOURS).content.decode()
    assert 'value="Asia/Kolkata" selected' in text
    assert len(re.findall(r'name="hours" value="(?:0|167)"[^>]* checked', text)) == 2
    assert text.count(" checked") == 3  # and how the form for a date begins
    wrong = ada.post(HOURS, {"zone": "Nowhere", "hours": ["168"]})
    assert wrong.status_code == 422
    assert FreeHours.objects.get().zone == "Asia/Kolkata"

    day = f"{in_days(9):%Y-%m-%d}"
    late = {"date": day, "kind": "also", "first": "22", "until": "20"}
    refused = ada.post(HOURS, late)
    assert refused.status_code == 422
    assert "The last hour comes after the first." in words(refused)
    assert refused.content.decode().count('name="hours"') == 7 * 24  # the week beside it
    assert ada.post(HOURS, {**late, "until": "24"}).status_code == 302
    found = FreeDate.objects.get()
    assert (found.first, found.until) == (22, 24)
    assert "also free from 22:00 until 24:00" in words(ada.get(HOURS))
    for number in ("x", "9" * 30, "0"):
        ada.post(HOURS, {"drop": number})
    assert FreeDate.objects.exists()
    browser("ben").post(HOURS, {"drop": str(found.pk)})
    assert FreeDate.objects.exists()
    assert ada.post(HOURS, {"drop": str(found.pk)}).status_code == 302
    assert not FreeDate.objects.exists()


def test_the_zone_of_a_single_date_is_shown_and_sent(browser: Browser) -> None:
    """The device's is taken, by the page's script, until one was chosen: in either form."""
    eve = browser("eve")
    text = eve.get(HOURS).content.decode()
    assert len(re.findall(r'<select name="zone"[^>]* data-device', text)) == 2
    assert len(set(re.findall(r' id="([^"]+)"', text))) == len(re.findall(r' id="([^"]+)"', text))
    sent = {"date": f"{in_days(9):%Y-%m-%d}", "kind": "not", "first": "18", "until": "22"}
    assert eve.post(HOURS, sent).status_code == 422
    # What was chosen stays so where something else was wrong.
    again = eve.post(HOURS, {**sent, "date": "soon", "zone": "Asia/Kolkata"})
    text = again.content.decode()
    assert len(re.findall(r'<select name="zone"[^>]* data-device', text)) == 1
    assert 'value="Asia/Kolkata" selected' in text
    kept = eve.post(HOURS, {**sent, "zone": "Asia/Kolkata"}, follow=True)
    assert "The date is kept, in the zone of your week, Asia/Kolkata." in words(kept)
    assert FreeHours.objects.get().zone == "Asia/Kolkata"
    text = eve.get(HOURS).content.decode()
    assert not re.search("<select[^>]* data-device", text)
    assert 'value="Asia/Kolkata" selected' in text
    assert "In the zone of your week, Asia/Kolkata." in text
    assert "another zone moves them" in text
    # Whoever changes the week's zone is told that the dates go with it.
    week = {"zone": "Asia/Kolkata", "hours": ["1"]}
    assert "have moved" not in words(eve.post(HOURS, week, follow=True))
    moved = words(eve.post(HOURS, {**week, "zone": "Europe/Berlin"}, follow=True))
    assert "Your single dates have moved with them: they are in Europe/Berlin now." in moved


# -- the two who play ----------------------------------------------------------------------------


def test_times_are_proposed_and_accepted_on_the_death_matchs_page(
    browser: Browser, season: Season, meeting: DeathMatch
) -> None:
    one, two = account(season, 1), account(season, 2)
    User.objects.filter(pk=one.pk).update(time_zone="Europe/Berlin")
    free(one, 20, 21, zone="Europe/Berlin")
    free(two, 13, 14, 15, 16, zone="America/New_York")
    home, guest = browser("player1"), browser("player2")
    page = home.get(meeting.get_absolute_url())
    assert "There are hours when both of you are free." in words(page)
    page = home.get(on(meeting))
    suggested = re.findall(r'name="suggested" value="([^"]+)"', page.content.decode())
    assert suggested
    assert re.search(r"20:00 CES?T \w{3} 1[45]:00 for Player 2", words(page))
    sent = {"suggested": suggested[:1], "other_1": f"{in_days(3):%Y-%m-%d}T10:00"}
    answer = home.post(on(meeting), sent, follow=True)
    said = words(answer)
    assert "One of these times is outside the hours that Player 2 has marked as free." in said
    assert "You propose, and Player 2 has not answered yet" in said
    assert re.search("outside Player 2.s free hours", said)
    proposal = TimeProposal.objects.get()
    assert datetime.fromisoformat(suggested[0]) in proposal.times

    page = guest.get(meeting.get_absolute_url())
    said = words(page)
    assert "Player 1 proposes:" in said
    assert "outside your free hours" in said
    assert "your opponent proposes when to play" in words(guest.get("/"))
    assert "your opponent proposes when to play" not in words(home.get("/"))
    time = {"proposal": proposal.pk, "accept": suggested[0]}
    assert 'name="accept"' not in home.get(meeting.get_absolute_url()).content.decode()
    refused = home.post(on(meeting, "answer/"), time, follow=True)
    assert "The other player answers what you have proposed." in words(refused)
    assert "It is agreed" in words(guest.post(on(meeting, "answer/"), time, follow=True))
    assert leg_of(meeting).scheduled_at == datetime.fromisoformat(suggested[0])
    # Who comes too late is told so where they are.
    late = guest.post(on(meeting, "answer/"), {**time, "decline": "yes"}, follow=True)
    assert "no longer open: accepted" in words(late)
    assert "Propose times" not in words(late)
    assert "It has a time already" in words(home.get(on(meeting)))


def test_whether_both_are_free_is_looked_up_once_for_all_legs(
    browser: Browser, orla: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = running(orla, 2, "single-elimination", format_options={"best_of": 3})
    row = DeathMatch.objects.get(round__season=season)
    assert row.legs.count() == 3
    free(account(season, 1), 20)
    free(account(season, 2), 20)
    looked: list[object] = []
    real = BothFree.has_starts

    def counted(self: BothFree, *given: Any) -> bool:
        looked.append(given)
        return real(self, *given)

    monkeypatch.setattr(BothFree, "has_starts", counted)
    said = words(browser("player1").get(row.get_absolute_url()))
    assert said.count("There are hours when both of you are free.") == 3
    assert len(looked) == 1


def test_what_is_sent_is_looked_at(browser: Browser, season: Season, meeting: DeathMatch) -> None:
    home = browser("player1")
    said = words(home.get(on(meeting)))
    assert "You have not marked when you are free." in said
    assert "Player 2 has not marked when they are free." in said
    for given, sentence in (
        ({}, "Choose at least one time."),
        ({"other_1": f"{in_days(-2):%Y-%m-%d}T10:00"}, "One of these times is over."),
        ({"other_1": "soon"}, "Write a date and a time"),
        ({"other_1": f"{in_days(70):%Y-%m-%d}T10:00"}, "within the next 60 days"),
    ):
        answer = home.post(on(meeting), given)
        assert answer.status_code in (409, 422)
        assert sentence in words(answer)
    for number in ("x", "0", "9" * 30):
        assert home.post(on(meeting, "answer/"), {"proposal": number}).status_code == 404
    assert not TimeProposal.objects.exists()


# -- who learns of it ----------------------------------------------------------------------------


def shown(client: Client, address: str) -> str:
    """A page without what differs between any two answers."""
    response = client.get(address)
    body = b"".join(response) if response.streaming else response.content
    text = body.decode("utf-8", "replace")
    text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", text)
    return re.sub(r'(nonce|data-shows|value)="[^"]*"', r"\1", text)


def surfaces(season: Season, meeting: DeathMatch) -> list[str]:
    home = season.get_absolute_url()
    row = DeathMatch.objects.get(pk=meeting.pk)
    return [
        *(f"{home}{each}" for each in (
            "", "contestants/", "schedule/", "history/", "calendar.ics", "desk/", "desk/times/",
            "desk/contestants.csv", "desk/contestants/", "desk/season.json",
            f"desk/matches/{row.pk}/",
        )),
        meeting.get_absolute_url(), on(meeting), "/players/player1/", "/", "/lobby/",
        f"/api/v1/seasons/{season.slug}/", f"/api/v1/death-matches/{row.pk}/",
        f"/api/v1/seasons/{season.slug}/contestants/", f"/api/v1/seasons/{season.slug}/events/",
        f"/admin/accounts/user/{account(season, 1).pk}/change/",
        f"/admin/tournaments/deathmatch/{row.pk}/change/",
    ]  # fmt: skip


def read_by(people: dict[str, Client], addresses: list[str]) -> dict[tuple[str, str], str]:
    return {
        (name, address): shown(client, address)
        for name, client in people.items()
        for address in addresses
    }


def test_free_hours_are_nobody_elses(
    browser: Browser, orla: User, mona: User, season: Season, meeting: DeathMatch
) -> None:
    one, two = account(season, 1), account(season, 2)
    organiser_named("rival")
    people = {
        name: browser(name) for name in ("player2", "player3", "orla", "mona", "rival", "root")
    }
    people["nobody"] = Client()
    addresses = surfaces(season, meeting)
    # One who is free never when the other is: hours, a zone and dates show nothing by themselves.
    free(two, 3)
    free(one, 20)
    before = read_by(people, addresses)
    assert "Player 1" in before["nobody", meeting.get_absolute_url()]
    free(one, 5, 6, 7, 22)
    day = in_days(4).date()
    free_date_add(acting_user=one, date=day, kind="not")
    free_date_add(acting_user=one, date=day, kind="also", first=11, until=12)
    assert read_by(people, addresses) == before
    # What both have in common, the opponent and those who decide are shown; nobody else.
    free(one, 3, 20)
    after = read_by(people, addresses)
    differs = {who for who, text in after.items() if text != before[who]}
    assert {name for name, _address in differs} == {"player2"}
    schedule = (
        f"{season.get_absolute_url()}desk/matches/{meeting.pk}/legs/{leg_of(meeting).pk}/schedule/"
    )
    assert "Both players are free" in words(people["orla"].get(schedule))
    for name in ("player2", "player3", "rival", "nobody"):
        assert people[name].get(schedule).status_code in (302, 403)


def test_proposals_are_for_the_two_and_their_organisers(
    browser: Browser, orla: User, mona: User, season: Season, meeting: DeathMatch
) -> None:
    one = account(season, 1)
    organiser_named("rival")
    people = {name: browser(name) for name in ("player3", "mona", "rival")}
    people["nobody"] = Client()
    addresses = surfaces(season, meeting)
    before = read_by(people, addresses)
    proposal = times_propose(acting_user=one, leg=leg_of(meeting), times=[in_days(3)])
    assert read_by(people, addresses) == before
    answer = on(meeting, "answer/")
    for name in ("player3", "mona", "rival"):
        for number in (proposal.pk, 0):
            assert people[name].post(answer, {"proposal": number}).status_code == 403


# -- organisers ----------------------------------------------------------------------------------


def test_organisers_see_what_is_open_and_set_a_time(
    browser: Browser, orla: User, season: Season, meeting: DeathMatch
) -> None:
    desk, home = browser("orla"), season.get_absolute_url()
    one, two = account(season, 1), account(season, 2)
    assert "1 match without a time." in words(desk.get(f"{home}desk/"))
    said = words(desk.get(f"{home}desk/times/"))
    assert "Nobody has proposed a time." in said
    assert "Player 1 or Player 2 may propose some" in said
    proposal = times_propose(acting_user=one, leg=leg_of(meeting), times=[in_days(3)])
    assert "1 with a proposal that waits for its answer" in words(desk.get(f"{home}desk/"))
    said = words(desk.get(f"{home}desk/times/"))
    assert "Player 1 has proposed" in said
    assert "Player 2 is to answer, since" in said
    leg = leg_of(meeting)
    sent = {"remind": str(leg.pk)}
    assert "Player 2: reminded." in words(desk.post(f"{home}desk/times/", sent, follow=True))
    page = desk.get(f"{home}desk/times/")
    assert 'name="remind"' not in page.content.decode()
    again = desk.post(f"{home}desk/times/", sent, follow=True)
    assert "They were reminded today" in words(again)
    assert desk.post(f"{home}desk/times/", {"remind": "x"}).status_code == 404
    proposal_withdraw(acting_user=one, proposal=proposal)

    free(one, 18)
    free(two, 18)
    schedule = f"{home}desk/matches/{meeting.pk}/legs/{leg.pk}/schedule/"
    text = desk.get(schedule).content.decode()
    (first,) = re.findall(r'name="both_free" value="([^"]+)"[^>]* checked', text)
    assert datetime.fromisoformat(first).hour == 18
    # What is written counts before what was chosen from the beginning.
    written = in_days(5, 9)
    desk.post(schedule, {"both_free": first, "when": f"{written:%Y-%m-%dT%H:%M}"})
    assert leg_of(meeting).scheduled_at == written
    assert "checked" in desk.get(schedule).content.decode()
    desk.post(schedule, {"both_free": first, "when": f"{written:%Y-%m-%dT%H:%M}"})
    assert leg_of(meeting).scheduled_at == datetime.fromisoformat(first)
    assert desk.post(schedule, {"both_free": "soon", "when": ""}).status_code == 422
    assert "Every match that could have a time has one" in words(desk.get(f"{home}desk/times/"))
    leg_schedule(acting_user=orla, leg=leg_of(meeting), scheduled_at=None)
    season_update(acting_user=orla, season=season, changes={"times_by": "organisers"})
    assert "without a time" not in words(desk.get(f"{home}desk/"))
    assert "you set the times" in words(desk.get(f"{home}desk/times/"))
    assert "Propose" not in words(browser("player1").get(meeting.get_absolute_url()))


def test_the_desk_names_a_match_without_a_time_once(
    browser: Browser, orla: User, season: Season
) -> None:
    chosen(orla, season, ec=1, dmo=2, at=timezone.now() - timedelta(days=3))
    address = f"{season.get_absolute_url()}desk/"
    own, together = r"Player 1 vs Player 2[^.]* has no time yet\.", "1 match without a time."

    def lines() -> list[bool]:
        said = words(browser("orla").get(address))
        return [re.search(own, said) is not None, together in said]

    assert lines() == [False, True]
    # Once its players cannot agree any more it is an organiser's to see to.
    season_update(acting_user=orla, season=season, changes={"play_within_days": 4})
    assert lines() == [False, True]
    season_update(acting_user=orla, season=season, changes={"play_within_days": 3})
    assert lines() == [True, True]
    assert "you set it" in words(browser("orla").get(f"{address}times/"))
    changes = {"play_within_days": None, "times_by": "organisers"}
    season_update(acting_user=orla, season=season, changes=changes)
    assert lines() == [True, False]
    # So it is where one of the two could not even be asked.
    season_update(acting_user=orla, season=season, changes={"times_by": "open"})
    Contestant.objects.filter(season=season, name="Player 2").update(user=None)
    assert lines() == [True, False]


def test_the_settings_say_who_sets_times(browser: Browser, season: Season) -> None:
    desk, address = browser("orla"), f"{season.get_absolute_url()}desk/settings/"
    page = desk.get(address)
    form: Any = page.context["form"]
    sent = {
        each.html_name: each.value()
        for each in form
        if not isinstance(each.value(), list) and each.value() not in (None, False)
    }
    assert sent["times_by"] == "open"
    desk.post(address, {**sent, "times_by": "move", "play_within_days": "7"})
    season.refresh_from_db()
    assert (season.times_by, season.play_within_days) == ("move", 7)
    assert desk.post(address, {**sent, "play_within_days": "0"}).status_code == 422
    desk.post(address, {**sent, "play_within_days": ""})
    season.refresh_from_db()
    assert (season.times_by, season.play_within_days) == ("open", None)
