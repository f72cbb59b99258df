"""The organisers' and the contestants' pages: what they do, and how they say no."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.reading.readers import reader_of
from tests.games.support import SECOND, Play, committing, user_named
from tests.games.test_preparations import kept, kept_pool
from tests.pages.support import links, words
from tests.pages.test_season_pages import sides, user_of
from tests.tournaments.support import (
    START,
    account,
    after,
    begun,
    chosen,
    enrolled,
    episode_now,
    fresh,
    leg_of,
    nothing_changes,
    organiser_joins,
    organiser_named,
    placings,
    played,
    running,
    who,
)
from tournaments.documents.export import season_export
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import placements_record
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.formats.registry import FORMATS
from tournaments.forms.times import ScheduleForm
from tournaments.invariants import faults_of
from tournaments.items.catalogue import items_for
from tournaments.models import Contestant, DeathMatch, Gift, Leg, Season
from tournaments.rights import OF_HELPERS
from tournaments.services.items.gifts import item_give
from tournaments.services.seasons import season_cancel

Visitor = Callable[..., Client]


def form_of(answer: Any) -> dict[str, Any]:
    """What a browser would send back of a page's form, as it stands."""
    form = answer.context["form"]
    found = {}
    for field in form:
        value = field.value()
        if isinstance(value, list) or value is None or value is False:
            continue
        found[field.html_name] = value
    return found


# -- seasons -------------------------------------------------------------------------------------


def test_a_season_is_made_changed_and_listed(visitor: Visitor, orla: User) -> None:
    client = visitor(orla)
    data = form_of(client.get("/seasons/+new/")) | {
        "name": "Spring", "format": "swiss", "swiss_rounds": "4", "game_1": "tetronogo/standard",
        "tie_1": "points", "tie_2": "buchholz",
    }  # fmt: skip
    assert client.post("/seasons/+new/", data)["Location"] == "/seasons/spring/desk/"
    season = Season.objects.get(slug="spring")
    assert season.format_options == {"rounds": 4}
    assert season.tie_breaks == ["points", "buchholz"]
    assert [each["ruleset"] for each in season.repertoire] == ["tetronogo"]
    data = form_of(client.get("/seasons/spring/desk/settings/")) | {"name": "Summer"}
    assert client.post("/seasons/spring/desk/settings/", data).status_code == 302
    season.refresh_from_db()
    assert (season.name, season.format_options["rounds"]) == ("Summer", 4)
    client.post("/seasons/spring/desk/steps/list/")
    season.refresh_from_db()
    assert season.visibility == "listed"
    # Once it has begun, the form has no fields any more for what is fixed.
    Season.objects.update(status="running", started_at=START)
    data = form_of(client.get("/seasons/spring/desk/settings/")) | {"name": "Autumn"}
    assert not {"tie_1", "swiss_rounds"} & set(data)
    assert client.post("/seasons/spring/desk/settings/", data).status_code == 302
    season.refresh_from_db()
    assert (season.name, season.tie_breaks) == ("Autumn", ["points", "buchholz"])


def test_what_is_refused_stands_at_its_field_and_nothing_is_lost(
    visitor: Visitor, orla: User
) -> None:
    client = visitor(orla)
    data = form_of(client.get("/seasons/+new/")) | {
        "name": "Spring", "summary": "A long story", "format": "elimination",
        "elimination_final_best_of": "2", "tie_1": "points",
    }  # fmt: skip
    with nothing_changes():
        answer = client.post("/seasons/+new/", data)
    assert answer.status_code == 422
    assert "odd number" in words(answer)
    assert "A long story" in words(answer)


def test_the_page_before_a_start_says_what_speaks_against_it(visitor: Visitor, orla: User) -> None:
    season = enrolled(orla, 2)
    client = visitor(orla)
    page = client.get("/seasons/autumn/desk/steps/start/")
    assert "needs at least 3 players" in words(page)
    assert "Start it" not in words(page)
    with nothing_changes():
        assert client.post("/seasons/autumn/desk/steps/start/").status_code == 422
    for number in (3, 4):
        user = user_named(f"late{number}")
        client.post("/seasons/autumn/desk/contestants/", {"user": user.pk})
    assert "have no confirmed email address" in words(page)
    assert client.post("/seasons/autumn/desk/steps/start/").status_code == 302
    season.refresh_from_db()
    assert season.status == "running"


def test_calling_off_needs_a_reason(visitor: Visitor, orla: User) -> None:
    season = running(orla, 3)
    client = visitor(orla)
    with nothing_changes():
        answer = client.post("/seasons/autumn/desk/steps/cancel/", {"why": " "})
    assert answer.status_code == 422
    client.post("/seasons/autumn/desk/steps/cancel/", {"why": "Nobody came."})
    season.refresh_from_db()
    assert season.status == "cancelled"
    assert "Nobody came." in words(visitor().get("/seasons/autumn/rulings/"))


def test_what_is_being_played_is_declared_void_before_a_season_is_called_off(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    leg = begun(orla, row, at=timezone.now())
    client = visitor(orla)
    address = "/seasons/autumn/desk/steps/cancel/"
    desk = f"/seasons/autumn/desk/matches/{row.pk}/"
    page = client.get(address)
    assert "Being played just now: Player 4 vs Player 3." in words(page)
    assert desk in links(page)
    with nothing_changes():
        answer = client.post(address, {"why": "Nobody came."})
    assert "declare it void at its desk" in words(answer)
    with committing():
        client.post(f"{desk}legs/{leg.pk}/void/", {"why": "The season ends."})
    assert client.post(address, {"why": "Nobody came."}).status_code == 302
    season.refresh_from_db()
    assert season.status == "cancelled"


def test_nothing_is_to_be_decided_in_a_season_that_was_called_off(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    row = played(orla, chosen(orla, season, 4, 3), 0)
    client, address = visitor(orla), f"/seasons/autumn/desk/matches/{row.pk}/"

    def actions() -> list[str]:
        found = links(client.get(address))
        return [link for link in found if link.startswith(address) and link != address]

    assert f"{address}legs/{leg_of(row).pk}/void/" in actions()
    season_cancel(acting_user=orla, season=season, why="rain")
    assert actions() == []


def test_a_season_goes_out_as_a_file_and_comes_in_again(
    visitor: Visitor, orla: User, settings: Any
) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, 3, 2), 0)
    client = visitor(orla)
    document = client.get("/seasons/autumn/desk/season.json")
    assert document["Content-Disposition"] == 'attachment; filename="autumn.season.json"'
    zipped = client.get("/seasons/autumn/desk/season.zip").content
    upload = SimpleUploadedFile("autumn.season.zip", zipped)
    with nothing_changes():
        answer = client.post("/seasons/+import/", {"document": upload})
    assert answer.status_code == 422
    Season.objects.filter(pk=season.pk).update(uid="00000000-0000-4000-8000-000000000000")
    upload = SimpleUploadedFile("autumn.season.zip", zipped)
    answer = client.post("/seasons/+import/", {"document": upload})
    assert answer.status_code == 302, words(answer)
    restored = Season.objects.exclude(pk=season.pk).get()
    assert restored.contestants.count() == 3
    assert visitor(orla).get(f"/seasons/{restored.slug}/").status_code == 200
    assert client.get("/seasons/+import/").status_code == 200
    assert visitor(user_named("nosy")).get("/seasons/+import/").status_code == 403
    assert visitor(user_named("nosier")).get("/seasons/autumn/desk/season.zip").status_code == 403


# -- people --------------------------------------------------------------------------------------


def test_a_list_is_taken_whole_or_not_at_all_line_by_line(visitor: Visitor, orla: User) -> None:
    season = enrolled(orla, 0)
    for name in ("anna", "bert"):
        user_named(name)
    client = visitor(orla)
    address = "/seasons/autumn/desk/contestants/"
    with nothing_changes():
        answer = client.post(address, {"text": "anna\nnobody-here\nbert\nanna"})
    assert answer.status_code == 422
    assert [fault.line for fault in answer.context["form"].faults] == [2, 4]
    assert "nobody-here" in words(answer)
    file = io.BytesIO(b"username,name,seed\nanna,Anna the Great,2\nbert,,1\n")
    file.name = "people.csv"
    assert client.post(address, {"file": file}).status_code == 302
    found = season.contestants.order_by("seed").values_list("name", "seed")
    assert list(found) == [("bert", 1), ("Anna the Great", 2)]
    for wrong in (b"\xff\xfe\x00", b"x" * 200_001):
        file = io.BytesIO(wrong)
        file.name = "people.csv"
        assert client.post(address, {"file": file}).status_code == 422


def test_a_player_is_found_and_enrolled(visitor: Visitor, orla: User) -> None:
    season = enrolled(orla, 1)
    anna = user_named("anna-lena", display_name="Lena")
    client = visitor(orla)
    address = "/seasons/autumn/desk/contestants/"
    assert "@anna-lena" in words(client.get(f"{address}?q=NA-LE"))
    assert "Nobody is called that." in words(client.get(f"{address}?q=zzz"))
    client.post(address, {"user": anna.pk})
    assert season.contestants.filter(user=anna).exists()
    assert "in the season" in words(client.get(f"{address}?q=lena"))
    with nothing_changes():
        assert client.post(address, {"user": anna.pk}).status_code == 409
        assert client.post(address, {"user": "x"}).status_code == 404


def test_seeds_are_set_by_hand_or_drawn(visitor: Visitor, orla: User) -> None:
    season = enrolled(orla, 3)
    one, two, three = (who(season, number) for number in (1, 2, 3))
    client = visitor(orla)
    address = "/seasons/autumn/desk/seeds/"
    wanted = {f"seed_{one.pk}": "3", f"seed_{two.pk}": "1", f"seed_{three.pk}": "2"}
    assert client.post(address, wanted).status_code == 302
    assert [who(season, number).seed for number in (1, 2, 3)] == [3, 1, 2]
    with nothing_changes():
        answer = client.post(address, {**wanted, f"seed_{two.pk}": "3"})
    assert answer.status_code == 422
    assert answer.context["form"][f"seed_{two.pk}"].value() == "3"
    client.post(address, {"draw": "1"})
    assert sorted(who(season, number).seed or 0 for number in (1, 2, 3)) == [1, 2, 3]


def test_people_enter_and_leave_by_themselves(visitor: Visitor, orla: User, cleo: User) -> None:
    season = enrolled(orla, 2, open_enrolment=True)
    client = visitor(cleo)
    assert "/seasons/autumn/join/" in links(client.get("/seasons/autumn/"))
    assert "public pages" in words(client.get("/seasons/autumn/join/"))
    client.post("/seasons/autumn/join/")
    assert season.contestants.filter(user=cleo, status="enrolled").exists()
    client.post("/seasons/autumn/withdraw/", {"why": ""})
    assert season.contestants.get(user=cleo).status == "withdrawn"
    with nothing_changes():
        assert visitor(orla).post("/seasons/autumn/withdraw/").status_code == 403
        assert visitor().post("/seasons/autumn/join/").status_code == 302
    Season.objects.filter(pk=season.pk).update(open_enrolment=False)
    dora = user_named("dora")
    with nothing_changes():
        assert visitor(dora).post("/seasons/autumn/join/").status_code == 422


def test_somebody_takes_over(visitor: Visitor, orla: User, cleo: User) -> None:
    season = running(orla, 4)
    old = who(season, 2)
    client = visitor(orla)
    address = f"/seasons/autumn/desk/contestants/{old.pk}/replace/"
    with nothing_changes():
        answer = client.post(address, {"user": "no-such", "why": "Ill."})
    assert "There is no player called" in words(answer)
    client.post(address, {"user": "@Cleo", "why": "Ill."})
    assert Contestant.objects.get(season=season, user=cleo).replaces_id == old.pk
    assert "Ill." in words(visitor().get("/seasons/autumn/rulings/"))


def test_somebody_comes_back(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    address = f"/seasons/autumn/desk/contestants/{who(season, 2).pk}"
    client.post(f"{address}/withdraw/", {"why": "Ill."})
    assert f"{address}/return/" in links(client.get("/seasons/autumn/desk/contestants/"))
    with nothing_changes():
        assert client.post(f"{address}/return/", {"why": ""}).status_code == 422
    assert client.post(f"{address}/return/", {"why": "Well again."}).status_code == 302
    assert who(season, 2).status == "active"
    assert "Well again." in words(visitor().get("/seasons/autumn/rulings/"))


def test_a_season_never_runs_out_of_organisers(visitor: Visitor, orla: User) -> None:
    oscar = organiser_named("oscar")
    season = enrolled(orla, 0)
    client = visitor(orla)
    address = "/seasons/autumn/desk/organisers/"
    own = season.organisers.get()
    with nothing_changes():
        assert client.post(f"{address}{own.pk}/leave/").status_code == 422
    client.post(address, {"user": "oscar", "role": "organiser"})
    assert visitor(oscar).get("/seasons/autumn/desk/").status_code == 403
    asked = season.organiser_invitations.get()
    page = visitor(oscar).get(asked.get_absolute_url())
    assert "You are asked to run Autumn" in words(page)
    there = visitor(oscar).post(asked.get_absolute_url(), {"accept": "yes"})
    assert there["Location"] == "/seasons/autumn/desk/"
    assert visitor(oscar).get("/seasons/autumn/desk/").status_code == 200
    theirs = season.organisers.get(user=oscar)
    assert client.post(f"{address}{theirs.pk}/hand-over/")["Location"] == address
    assert client.post(f"{address}{own.pk}/leave/")["Location"] == "/seasons/autumn/"
    assert visitor(orla).get("/seasons/autumn/desk/").status_code == 403


@pytest.mark.parametrize("right", sorted(OF_HELPERS))
def test_a_helper_comes_from_the_desk_to_every_match_that_they_may_rule(
    visitor: Visitor, orla: User, right: str
) -> None:
    """By the desk of its round, or at once; and to none that they may not."""
    season = running(orla, 5)
    over = chosen(orla, season, 5, 4)
    played(orla, over, 0)
    row = chosen(orla, season, 3, 5, at=after(hours=1))
    hal = user_named("hal", display_name="Hal")
    organiser_joins(acting_user=orla, season=season, user=hal, role="helper", rights=[right])
    client = visitor(hal)
    desk = client.get("/seasons/autumn/desk/")
    for address in links(desk):
        if address.startswith("/seasons/autumn/"):
            assert client.get(address).status_code == 200, address
    by_round = {"/seasons/autumn/desk/rounds/1/", "/seasons/autumn/desk/rounds/2/"}
    assert by_round.intersection(links(desk)) == (by_round if right == "episodes" else set())
    own = {f"/seasons/autumn/desk/matches/{each.pk}/": each for each in (over, row)}
    found = {each.partition("?")[0] for each in links(desk)}.intersection(own)
    at_once = {address for address, each in own.items() if each == row}
    assert found == (at_once if right in ("matches", "ledger") else set())
    for address in own:
        opens = right in ("episodes", "matches", "ledger")
        assert client.get(address).status_code == (200 if opens else 403)


def test_whoever_only_rules_comes_back_to_a_page_that_is_theirs(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5)
    row = chosen(orla, season, 5, 4)
    hal = user_named("hal")
    organiser_joins(acting_user=orla, season=season, user=hal, role="helper", rights=["matches"])
    client = visitor(hal)
    address = f"/seasons/autumn/desk/matches/{row.pk}/declare/"
    ruled = client.post(address, {"winner": who(season, 5).pk, "why": "They were alone."})
    assert ruled.status_code == 302
    assert client.get(ruled["Location"]).status_code == 200


def test_a_helper_finds_what_is_theirs_and_nothing_else(visitor: Visitor, orla: User) -> None:
    """By a link, from a draft that they see then, to their leaving."""
    season = running(orla, 4)
    hal = user_named("hal", display_name="Hal")
    client, helper = visitor(orla), visitor(hal)
    address = "/seasons/autumn/desk/organisers/"
    refused = client.post(address, {"user": "", "role": "helper"})
    assert (refused.status_code, "what they are to help with" in words(refused)) == (422, True)
    client.post(address, {"user": "", "role": "helper", "rights": ["matches"]})
    link = season.organiser_invitations.get().get_absolute_url()
    assert link in client.get(address).content.decode()
    nobody = visitor().get(link)
    assert (nobody.status_code, "Sign in" in words(nobody)) == (200, True)
    assert nobody["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert "/login/" in visitor().post(link)["Location"]
    helper.post(link, {"accept": "yes"})
    desk = helper.get("/seasons/autumn/desk/")
    found = {each for each in links(desk) if each.startswith("/seasons/autumn/desk/")}
    assert found == {"/seasons/autumn/desk/", address}
    for page in found:
        assert helper.get(page).status_code == 200
    for page in ("settings", "contestants", "invitations", "episode", "purses", "season.json"):
        answer = helper.get(f"/seasons/autumn/desk/{page}{'' if '.' in page else '/'}")
        assert (answer.status_code, "You help with this season" in words(answer)) == (403, True)
    told = words(helper.get(address))
    assert "rules matches" in told.lower()
    assert ("Ask somebody" in told, "Ask somebody" in words(client.get(address))) == (False, True)
    place = season.organisers.get(user=hal)
    changed = {"role": "helper", "rights": ["people", "episodes"]}
    client.post(f"{address}{place.pk}/change/", changed)
    assert helper.get("/seasons/autumn/desk/contestants/").status_code == 200
    assert helper.get("/seasons/autumn/desk/episode/").status_code == 200
    assert helper.post(f"{address}{place.pk}/leave/")["Location"] == "/seasons/autumn/"
    assert helper.get("/seasons/autumn/desk/").status_code == 403
    assert "Hal does not help with the season any more." in words(
        visitor().get("/seasons/autumn/history/")
    )


# -- an episode ----------------------------------------------------------------------------------


def test_an_episode_is_run_from_the_desk(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    assert "how did the main match end?" in words(client.get("/seasons/autumn/desk/"))
    address = "/seasons/autumn/desk/rounds/1/placements/"
    people = [who(season, number) for number in (1, 2, 3, 4)]
    data = {f"place_{each.pk}": str(place) for place, each in enumerate(people, start=1)}
    data |= {f"immune_{people[0].pk}": "on", "main_match": "Zombie Game"}
    data["seen"] = seen_at(client, address)
    with nothing_changes():
        answer = client.post(address, {**data, f"place_{people[3].pk}": ""})
    assert answer.status_code == 422
    assert "Zombie Game" in answer.content.decode()
    assert client.post(address, data).status_code == 302
    ec = people[3].user
    choice = "/seasons/autumn/rounds/1/choose/"
    assert choice in links(visitor(ec).get("/seasons/autumn/"))
    page = visitor(ec).get(choice)
    assert "immune (place 1)" in words(page)
    for user in (people[1].user, None):
        answer = visitor(user).get(choice)
        assert answer.status_code in (302, 403)
    chosen = {"seen": seen_at(visitor(ec), choice), "contestant": people[1].pk}
    with nothing_changes():
        immune = chosen | {"contestant": people[0].pk}
        assert visitor(ec).post(choice, immune).status_code == 422
    answer = visitor(ec).post(choice, chosen)
    row = DeathMatch.objects.get(round__season=season)
    assert answer["Location"] == row.get_absolute_url()
    assert (row.home, row.away) == (people[3], people[1])


def seen_at(client: Client, address: str) -> str:
    """How things stand, as a page shows them."""
    found = re.search(r'name="seen" value="([^"]*)"', client.get(address).content.decode())
    assert found is not None
    return found[1]


def test_a_second_phone_overwrites_nothing_that_the_first_has_recorded(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    address = "/seasons/autumn/desk/rounds/1/placements/"
    client = visitor(orla)
    client.post("/seasons/autumn/desk/episode/open/", {})
    people = [who(season, number) for number in (1, 2, 3, 4)]
    mine = {f"place_{each.pk}": str(place) for place, each in enumerate(people, start=1)}
    others = {f"place_{each.pk}": str(place) for place, each in enumerate(people[::-1], start=1)}
    seen = seen_at(client, address)
    assert client.post(address, {**mine, "seen": seen}).status_code == 302
    for stale in (seen, ""):
        with nothing_changes():
            answer = client.post(address, {**others, "seen": stale})
        assert answer.status_code == 422
        assert "This has moved on since you opened the page" in words(answer)
        assert "Look again" in words(answer)
    # Who has looked again can.
    assert client.post(address, {**others, "seen": seen_at(client, address)}).status_code == 302


def test_both_say_that_they_are_ready_and_it_begins(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    leg = leg_of(row)
    address = f"{row.get_absolute_url()}legs/{leg.pk}/ready/"
    assert visitor(orla).post(address, {"ready": "yes"}).status_code == 403
    assert visitor(user_of(sides(row)[0])).get(address).status_code == 405
    visitor(user_of(sides(row)[0])).post(address, {"ready": "yes"})
    assert leg_of(row).home_ready_at is not None
    visitor(user_of(sides(row)[0])).post(address, {"ready": "no"})
    assert leg_of(row).home_ready_at is None
    visitor(user_of(sides(row)[0])).post(address, {"ready": "yes"})
    answer = visitor(user_of(sides(row)[1])).post(address, {"ready": "yes"})
    match = leg_of(row).match
    assert match is not None
    assert answer["Location"] == f"/matches/{match.pk}/"


def test_a_death_match_says_from_and_until_when_players_can_be_ready(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, no_show_minutes=20)
    row = chosen(orla, season, 4, 3)
    address = row.get_absolute_url()
    player = visitor(user_of(sides(row)[0]))

    def told(**span: float) -> tuple[str, str, str]:
        """The page, and what it should say of when the players can be ready."""
        moment = timezone.now().replace(second=0, microsecond=0) + timedelta(**span)
        Leg.objects.filter(pk=leg_of(row).pk).update(scheduled_at=moment)
        opens, closes = moment - timedelta(minutes=30), moment + timedelta(minutes=20)
        return words(player.get(address)), f"{opens:%H:%M} UTC", f"{closes:%H:%M} UTC"

    page, opens, closes = told(hours=5)
    assert "You can say that you are ready from" in page
    assert opens in page
    assert closes in page
    assert "I am ready" not in page
    page, opens, closes = told(minutes=10)
    assert "You can say that you are ready from" not in page
    assert closes in page
    assert "I am ready" in page
    Leg.objects.filter(pk=leg_of(row).pk).update(scheduled_at=None)
    assert "Lapses" not in words(player.get(address))
    Leg.objects.filter(pk=leg_of(row).pk).update(home_ready_at=timezone.now())
    assert "Lapses" in words(player.get(address))
    season_cancel(acting_user=orla, season=season, why="rain")
    page = words(player.get(address))
    assert "I am ready" not in page
    assert "Lapses" not in page


def test_times_are_in_the_organisers_own_zone(visitor: Visitor, orla: User) -> None:
    User.objects.filter(pk=orla.pk).update(time_zone="America/New_York")
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    address = f"/seasons/autumn/desk/matches/{row.pk}/legs/{leg_of(row).pk}/schedule/"
    client = visitor(orla)
    assert "America/New York" in words(client.get(address))
    with nothing_changes():
        assert "This time is over." in words(client.post(address, {"when": "2001-01-01T20:00"}))
        assert "Write a date" in words(client.post(address, {"when": "soon"}))
    day = (timezone.now() + timedelta(days=30)).date()
    client.post(address, {"when": f"{day}T20:00"})
    when = leg_of(row).scheduled_at
    assert when is not None
    assert (when.hour, when.minute) in ((0, 0), (1, 0))  # in UTC: four or five hours later
    client.post(address, {"when": ""})
    assert leg_of(row).scheduled_at is None
    # An account without a zone: the device's, which the page's script sends along.
    assert "data-utc" not in client.get(address).content.decode()
    User.objects.filter(pk=orla.pk).update(time_zone="")
    assert "data-utc" in client.get(address).content.decode()
    client.post(address, {"when": f"{day}T20:00:00.000Z"})
    assert leg_of(row).scheduled_at == datetime.combine(day, time(20), UTC)


def test_hours_that_the_clocks_skip_or_repeat(orla: User) -> None:
    season = running(orla, 4)
    leg = leg_of(chosen(orla, season, 4, 3))

    orla.time_zone = "Europe/Berlin"

    def read(text: str) -> ScheduleForm:
        return ScheduleForm({"when": text}, user=orla, leg=leg)

    skipped = read("2031-03-30T02:30")
    assert "put forward" in skipped.errors["when"][0]
    assert read("2031-03-30T03:30").is_valid()
    repeated = read("2031-10-26T02:30")
    assert repeated.is_valid()
    assert repeated.cleaned_data["when"] == datetime(2031, 10, 26, 0, 30, tzinfo=UTC)
    # The second of the two, as a program may have set it, stays what it is.
    leg.scheduled_at = datetime(2031, 10, 26, 1, 30, 5, tzinfo=UTC)
    repeated = read("2031-10-26T02:30")
    assert repeated.is_valid()
    assert repeated.cleaned_data["when"] == leg.scheduled_at
    assert "Write a date" in read("0001-01-01T00:00").errors["when"][0]


@pytest.mark.parametrize("action", ["walkover", "declare"])
def test_a_death_match_is_decided_at_the_desk_and_corrected(
    visitor: Visitor, orla: User, action: str
) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    client = visitor(orla)
    desk = f"/seasons/autumn/desk/matches/{row.pk}/"
    with nothing_changes():
        assert client.post(f"{desk}{action}/", {"winner": row.home_id}).status_code == 422
        assert client.post(f"{desk}{action}/", {"winner": "0", "why": "So."}).status_code == 422
    client.post(f"{desk}{action}/", {"winner": row.home_id, "why": "So."})
    assert fresh(row).winner_id == row.home_id
    assert who(season, 3).status == "eliminated"
    assert "Give it to the other side" in words(client.get(desk))
    client.post(f"{desk}correct/", {"winner": row.away_id, "why": "The other way round."})
    assert fresh(row).winner_id == row.away_id
    assert (who(season, 3).status, who(season, 4).status) == ("active", "eliminated")


def test_nobody_decides_about_their_own_death_match(visitor: Visitor, orla: User) -> None:
    season = running(orla, 3)
    Contestant.objects.filter(pk=who(season, 3).pk).update(user=orla)
    placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 2), at=after()
    )
    row = dmo_choose(
        acting_user=user_of(who(season, 2)), episode=episode_now(season), contestant=who(season, 3),
        at=after(),
    )  # fmt: skip
    desk = f"/seasons/autumn/desk/matches/{row.pk}/"
    page = visitor(orla).get(desk)
    assert "somebody else must decide" in words(page)
    assert not [link for link in links(page) if link.startswith(desk)]
    with nothing_changes():
        answer = visitor(orla).post(f"{desk}declare/", {"winner": row.home_id, "why": "Me."})
    assert "Nobody decides about their own death match." in words(answer)


@pytest.mark.parametrize("name", list(FORMATS))
def test_what_a_ruling_leads_to_is_said_in_the_words_of_its_format(
    visitor: Visitor, orla: User, name: str
) -> None:
    season = running(orla, 4, name)
    if name == "elimination":
        chosen(orla, season, 4, 3)
    elif name == "ladder":
        ladder_challenge(
            acting_user=account(season, 2), season=season, defender=who(season, 1), at=START
        )
    row = DeathMatch.objects.filter(round__season=season, status="planned").order_by("pk")[0]
    for action, led in (
        ("declare", "The loser is out."), ("walkover", "The other is out."),
        ("void", "The EC chooses again."),
    ):  # fmt: skip
        page = words(visitor(orla).get(f"/seasons/autumn/desk/matches/{row.pk}/{action}/"))
        assert (led in page) == (name == "elimination")
        assert "episode" not in page.split("Back")[0].lower() or name == "elimination"


@pytest.mark.parametrize(
    ("name", "verb"),
    [("Round 1", "is"), ("Final", "is"), ("Semi-finals", "are"), ("Quarter-finals", "are")],
)
def test_a_round_is_and_semi_finals_are(visitor: Visitor, orla: User, name: str, verb: str) -> None:
    season = running(orla, 4, "swiss", format_options={"rounds": 1})
    season.rounds.update(name=name)
    desk = "/seasons/autumn/desk/"
    asked = words(visitor(orla).get(f"{desk}pair/"))
    assert f"{name} {verb} not complete" in asked
    for row in DeathMatch.objects.filter(round__season=season):
        played(orla, fresh(row), 0)
    events = season.events.filter(kind="round.closed")
    assert [each.words for each in events] == [f"{name} {verb} complete."]
    answer = visitor(orla).post(f"{desk}rounds/1/reopen/", {"why": "Wrong."}, follow=True)
    assert f"{name} {verb} open again." in words(answer)


# -- items ---------------------------------------------------------------------------------------


def test_items_are_given_and_taken_back(visitor: Visitor, orla: User) -> None:
    games = [{"ruleset": "domino-wars", "variant": "standard", "options": {}}]
    season = running(orla, 4, repertoire=games)
    played(orla, chosen(orla, season, 4, 3), 1)
    out = who(season, 4)
    client = visitor(out.user)
    assert "/seasons/autumn/items/give/" not in links(client.get("/seasons/autumn/"))
    early = words(client.get("/seasons/autumn/items/give/"))
    assert "No death match is to be played at the moment." in early
    assert "Give it" not in early
    row = chosen(orla, season, 3, 2, at=after(hours=1))
    assert "/seasons/autumn/items/give/" in links(client.get("/seasons/autumn/"))
    page = client.get("/seasons/autumn/items/give/")
    item = page.context["form"].fields["item"].choices
    first = next(value for group, options in item for value, _ in options if "domino-wars" in value)
    data = {"item": first, "receiver": row.home_id, "death_match": row.pk, "note": "Good luck."}
    with nothing_changes():
        answer = visitor(who(season, 1).user).post("/seasons/autumn/items/give/", data)
        assert answer.status_code == 422
    assert client.post("/seasons/autumn/items/give/", data).status_code == 302
    gift = Gift.objects.get()
    assert (gift.giver, gift.receiver_id) == (out, row.home_id)
    assert "Good luck." in words(visitor().get("/seasons/autumn/items/"))
    declare = f"{row.get_absolute_url()}legs/{leg_of(row).pk}/items/"
    mine = visitor(who(season, 3).user)
    assert "Bring it" in words(mine.get(declare))
    assert mine.post(declare, {"gift": gift.pk, "bring": "yes"}).status_code == 302
    assert "you bring it" in words(mine.get(declare))
    assert visitor(orla).get(declare).status_code == 403
    mine.post(declare, {"gift": gift.pk, "bring": "no"})
    assert "you bring it" not in words(mine.get(declare))
    back = f"/seasons/autumn/desk/items/{gift.pk}/back/"
    visitor(orla).post(back, {"why": "It was meant for another."})
    gift.refresh_from_db()
    assert gift.status == "taken-back"
    assert visitor(orla).get(back).status_code == 404


def test_the_final_says_who_holds_more_items(visitor: Visitor, orla: User) -> None:
    games = [{"ruleset": "domino-wars", "variant": "standard", "options": {}}]
    season = running(orla, 3, repertoire=games)
    played(orla, chosen(orla, season, 3, 2), 1)
    final = final_open(acting_user=orla, season=season, best_of=3, at=START)
    address = final.get_absolute_url()
    assert words(visitor().get(address)).count("by lot: both hold equally many") == 3
    item_give(
        acting_user=orla, season=season, item="domino-repeat", ruleset="domino-wars",
        receiver=who(season, 2), death_match=final, leg_number=2,
    )  # fmt: skip
    page = words(visitor().get(address))
    assert page.count("by lot: both hold equally many") == 2
    assert page.count("Player 2, who holds more items for this match so far") == 1


def items_of(page: Any) -> set[str]:
    """What can be chosen in the form of an item."""
    groups = page.context["form"].fields["item"].choices
    return {value for _, options in groups for value, _ in options}


def test_only_items_that_fit_are_offered(visitor: Visitor, orla: User) -> None:
    games = [
        {"ruleset": "domino-wars", "variant": "standard", "options": {}},
        {"ruleset": "tetronogo", "variant": "standard", "options": {}},
    ]
    season = running(orla, 3, repertoire=games)
    played(orla, chosen(orla, season, 3, 2), 1)
    final = final_open(acting_user=orla, season=season, best_of=3, games=games[:1], at=START)
    giving, desk = "/seasons/autumn/items/give/", "/seasons/autumn/desk/items/"
    page = visitor(who(season, 3).user).get(giving)
    given = {f"{each.id}@{each.ruleset}" for each in items_for("domino-wars", "standard")}
    assert items_of(page) == given
    # Organisers may grant for any match of the season, too.
    both = given | {f"{each.id}@{each.ruleset}" for each in items_for("tetronogo", "standard")}
    assert items_of(visitor(orla).get(desk)) == both
    # What does not fit the match of the final that it is for is not offered beside that.
    Leg.objects.filter(death_match=final, number=2).update(ruleset="peg-domain", variant="final")
    page = visitor(who(season, 3).user).get(giving)
    fits = json.loads(page.context["form"].fields["item"].widget.attrs["data-fits"])
    legs = fits[str(final.pk)]
    assert set(legs["1"]) == set(legs["3"]) == given
    pegs = {f"{each.id}@{each.ruleset}" for each in items_for("peg-domain", "final")}
    assert set(legs["2"]) == pegs
    assert items_of(page) == given | pegs
    with nothing_changes():
        data = {
            "item": "rapid-removal@peg-domain", "receiver": final.home_id,
            "death_match": final.pk, "leg_number": "1", "note": "",
        }  # fmt: skip
        answer = visitor(who(season, 3).user).post(giving, data)
    assert answer.status_code == 422
    assert answer.context["form"].errors["item"]


def test_where_no_item_fits_none_is_asked_for(visitor: Visitor, orla: User) -> None:
    """A match of the final that no item fits is left out, and why is said."""
    wars = {"ruleset": "domino-wars", "variant": "standard", "options": {}}
    nogo = {"ruleset": "tetronogo", "variant": "standard", "options": {}}
    assert not items_for("tetronogo", "standard")
    season = running(orla, 4, repertoire=[wars, nogo])
    for ec, dmo in ((4, 3), (3, 2)):
        played(orla, chosen(orla, season, ec, dmo), 1)
    games = [wars, nogo, wars]
    final = final_open(acting_user=orla, season=season, best_of=3, games=games, at=START)
    said = "No item fits Tetronogo in Player 1 vs Player 2, match 2: who begins there"
    for user, page, which in (
        (who(season, 4).user, "items/give/", ["1", "3"]),
        (orla, "desk/items/", ["", "1", "3"]),
    ):
        shown = visitor(user).get(f"/seasons/autumn/{page}")
        form = shown.context["form"]
        assert [number for number, _ in form.fields["leg_number"].choices] == which
        assert f"{said} at an advantage is drawn by lot." in words(shown)
        plays = json.loads(form.fields["receiver"].widget.attrs["data-plays"])
        assert plays == {str(final.pk): [final.home_id, final.away_id]}
    # Explained is what can be of use here, and not the items of all games.
    shown = visitor(who(season, 4).user).get("/seasons/autumn/items/give/")
    assert [each.id for each in shown.context["catalogue"]] == [
        each.id for each in items_for("domino-wars", "standard")
    ]


def test_an_item_is_for_somebody_who_plays_in_that_death_match(
    visitor: Visitor, orla: User
) -> None:
    wars = {"ruleset": "domino-wars", "variant": "standard", "options": {}}
    season = running(orla, 5, repertoire=[wars])
    played(orla, chosen(orla, season, 5, 4), 1)
    row = chosen(orla, season, 4, 3, at=after(hours=1))
    form = visitor(who(season, 5).user).get("/seasons/autumn/items/give/").context["form"]
    offered = {pk for pk, _ in form.fields["receiver"].choices}
    assert offered == {row.home_id, row.away_id}


def test_in_a_season_without_items_no_form_asks_for_one(visitor: Visitor, orla: User) -> None:
    nogo = {"ruleset": "tetronogo", "variant": "standard", "options": {}}
    season = running(orla, 4, repertoire=[nogo])
    played(orla, chosen(orla, season, 4, 3), 1)
    chosen(orla, season, 3, 2, at=after(hours=1))
    giver = visitor(who(season, 4).user)
    assert "/seasons/autumn/items/give/" not in links(giver.get("/seasons/autumn/items/"))
    for client, page, button in (
        (giver, "items/give/", "Give it"), (visitor(orla), "desk/items/", "Enter the item"),
    ):  # fmt: skip
        shown = client.get(f"/seasons/autumn/{page}")
        assert "No item fits what is played" in words(shown)
        assert button not in words(shown)
        assert b'name="item"' not in shown.content
        assert "What the items do" not in words(shown)


@pytest.mark.parametrize(
    ("choices", "played_in"),
    [
        ({}, ["domino-wars", "tetronogo", "domino-wars"]),
        ({"game_2": "domain/standard"}, ["domino-wars", "domain", "domino-wars"]),
        ({"game_1": "domain/standard"}, ["domain", "tetronogo", "domino-wars"]),
        ({"game_3": "domain/standard"}, ["domino-wars", "tetronogo", "domain"]),
    ],
)
def test_each_match_of_the_final_is_played_in_what_was_chosen_for_it(
    visitor: Visitor, orla: User, choices: dict[str, str], played_in: list[str]
) -> None:
    games = [
        {"ruleset": "domino-wars", "variant": "standard", "options": {}},
        {"ruleset": "tetronogo", "variant": "standard", "options": {}},
    ]
    season = running(orla, 3, repertoire=games)
    played(orla, chosen(orla, season, 3, 2), 1)
    opening = "/seasons/autumn/desk/final/"
    data = form_of(visitor(orla).get(opening)) | {"best_of": "3"}
    with nothing_changes():
        answer = visitor(orla).post(opening, {**data, "game_4": "domain/standard"})
    assert answer.status_code == 422
    assert "There are 4 games for 3 matches." in words(answer)
    assert visitor(orla).post(opening, {**data, **choices}).status_code == 302
    legs = Leg.objects.filter(death_match__round__is_final=True).order_by("number")
    assert [each.ruleset for each in legs] == played_in


def test_without_a_list_a_game_is_chosen_for_each_match_or_none(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, 3, 2), 1)
    Season.objects.update(repertoire=[])
    opening = "/seasons/autumn/desk/final/"
    data = form_of(visitor(orla).get(opening)) | {"best_of": "3", "game_2": "domain/standard"}
    with nothing_changes():
        answer = visitor(orla).post(opening, data)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {"game_1", "game_3"}


# -- rounds --------------------------------------------------------------------------------------


def test_rounds_are_paired_reopened_and_a_tied_season_is_decided(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, "swiss", format_options={"rounds": 2})
    client = visitor(orla)
    early = client.get("/seasons/autumn/desk/conclude/")
    assert (early.status_code, "to be played first" in words(early)) == (409, True)
    asked = client.get("/seasons/autumn/desk/pair/")
    assert "Round 1 is not complete: 2 of its" in words(asked)
    assert b"Pair it" not in asked.content
    with nothing_changes():
        assert "2 of its death matches" in words(client.post("/seasons/autumn/desk/pair/"))
    for row in DeathMatch.objects.filter(round__season=season):
        played(orla, fresh(row), 0)
    assert "Round 2 can be paired." in words(client.get("/seasons/autumn/desk/"))
    assert b"Pair it" in client.get("/seasons/autumn/desk/pair/").content
    assert client.post("/seasons/autumn/desk/pair/").status_code == 302
    assert season.rounds.count() == 2
    with nothing_changes():
        answer = client.post("/seasons/autumn/desk/rounds/1/reopen/", {"why": ""})
    assert answer.status_code == 422
    client.post("/seasons/autumn/desk/rounds/1/reopen/", {"why": "A result was wrong."})
    assert season.rounds.get(number=1).status == "reopened"


def test_a_swiss_round_is_paired_by_hand(visitor: Visitor, orla: User) -> None:
    season = running(orla, 5, "swiss", format_options={"rounds": 2})
    client = visitor(orla)
    address = "/seasons/autumn/desk/pair/by-hand/"
    assert address in links(client.get("/seasons/autumn/desk/pair/"))
    with nothing_changes():
        assert "Round 1 is not complete: 2 of its" in words(client.get(address))
        assert client.post(address).status_code == 422
    for row in DeathMatch.objects.filter(round__season=season, status="planned"):
        played(orla, fresh(row), 0)
    # Who would meet is filled in, and can be sent as it is but for one match.
    proposed = form_of(client.get(address))
    assert sorted(proposed) == ["away_1", "away_2", "home_1", "home_2"]
    one, two = ((proposed[f"home_{n}"], proposed[f"away_{n}"]) for n in (1, 2))
    wrong = {
        " is paired twice in this round.": {"home_2": one[0]},
        "Whom does": {"away_2": ""},
        "have no opponent": {"home_2": "", "away_2": ""},
    }
    for sentence, change in wrong.items():
        with nothing_changes():
            assert sentence in words(client.post(address, proposed | change))
    swapped = proposed | {"home_1": one[1], "away_1": one[0]}
    assert client.post(address, swapped)["Location"] == "/seasons/autumn/desk/rounds/2/"
    rows = DeathMatch.objects.filter(round__season=season, round__number=2).order_by("number")
    assert list(rows.values_list("home", "away"))[:2] == [one[::-1], two]
    assert (rows[2].how, rows[2].away) == ("bye", None)
    assert faults_of(season) == []


def test_so_many_are_not_paired_by_hand_on_a_page(
    visitor: Visitor, orla: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    running(orla, 4, "swiss")
    monkeypatch.setattr("tournaments.actions.rounds.BY_HAND_MOST", 3)
    answer = visitor(orla).get("/seasons/autumn/desk/pair/by-hand/")
    assert (answer.status_code, "up to 3 can be paired" in words(answer)) == (409, True)


def test_who_plays_in_a_round_is_not_asked_to_pair_it(visitor: Visitor, orla: User) -> None:
    oscar = organiser_named("oscar")
    season = running(orla, 4, "swiss")
    for row in DeathMatch.objects.filter(round__season=season):
        played(orla, fresh(row), 0)
    organiser_joins(acting_user=orla, season=season, user=oscar)
    season.contestants.filter(name="Player 1").update(user=oscar)
    address = "/seasons/autumn/desk/pair/by-hand/"
    offered = visitor(orla).get(address)
    filled_in = form_of(offered)
    sentence = "Nobody decides about their own death match."
    client = visitor(oscar)
    page = client.get(address)
    assert [sentence in words(each) for each in (offered, page)] == [False, True]
    assert [b'name="home_1"' in each.content for each in (offered, page)] == [True, False]
    with nothing_changes():
        assert sentence in words(client.post(address, filled_in))


def test_only_swiss_rounds_are_paired_by_hand(visitor: Visitor, orla: User) -> None:
    running(orla, 4, "round-robin")
    answer = visitor(orla).get("/seasons/autumn/desk/pair/by-hand/")
    assert (answer.status_code, "pairs by itself" in words(answer)) == (409, True)


def test_a_round_gets_its_times_at_once(visitor: Visitor, orla: User) -> None:
    User.objects.filter(pk=orla.pk).update(time_zone="Asia/Tokyo")
    season = running(orla, 4, "swiss")
    rows = list(DeathMatch.objects.filter(round__season=season).order_by("number"))
    client = visitor(orla)
    address = "/seasons/autumn/desk/rounds/1/times/"
    assert "Asia/Tokyo" in words(client.get(address))
    day = (timezone.now() + timedelta(days=30)).date()
    times = {f"when_{row.pk}": f"{day}T20:00" for row in rows}
    with nothing_changes():
        late = client.post(address, times | {f"when_{rows[0].pk}": "2001-01-01T20:00"})
        assert "This time is over." in words(late)
        assert client.post(address, times | {f"when_{rows[0].pk}": "soon"}).status_code == 422
    assert client.post(address, times).status_code == 302
    for row in rows:
        when = leg_of(row).scheduled_at
        assert when is not None
        assert (when.date(), when.hour) == (day, 11)  # in UTC


def test_what_an_organiser_supplies_is_told_before_the_start_and_stays_secret(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, repertoire=[])
    row = chosen(orla, season, ec=1, dmo=2)
    pallets, pool = kept(orla), kept_pool(orla)
    secret = pallets.value.splitlines()[0].split(" ", 2)[2]
    assert secret.count(" ") == 35
    client = visitor(orla)
    address = f"/seasons/autumn/desk/matches/{row.pk}/rules/"
    form = form_of(client.get(address)) | {"game": "peg-domain/gauntlet"}
    with nothing_changes():
        answer = client.post(address, form | {"prepared": [pool.pk]})
    assert answer.status_code == 422
    assert "Peg Domain (gauntlet) is supplied with no 'pool'." in words(answer)
    assert client.post(address, form | {"prepared": [pallets.pk]}).status_code == 302

    event = season.events.get(kind="death-match.rules")
    assert event.words.endswith("Supplied by Orla instead of being drawn: Pallets.")
    assert event.data == {
        "ruleset": "peg-domain", "variant": "gauntlet", "options": {}, "legs": [1],
        "supplied": ["pallets"],
    }  # fmt: skip
    page = f"/seasons/autumn/matches/{row.pk}/"
    for reader in (None, who(season, 1).user, who(season, 2).user):
        shown = words(visitor(reader).get(page))
        assert "Pallets, by Orla, instead of being drawn" in shown
        assert "Supplied by Orla instead of being drawn: Pallets." in shown
    anybody = visitor()
    told = [
        anybody.get(each).content.decode()
        for each in (
            page, "/seasons/autumn/", "/api/v1/seasons/autumn/", "/api/v1/seasons/autumn/events/",
            f"/api/v1/death-matches/{row.pk}/",
        )
    ]  # fmt: skip
    assert "Supplied by Orla" in told[3]
    told.append(season_export(season=season).decode())
    assert [secret in each for each in told] == [False] * 6

    leg = begun(orla, row)
    assert leg.match is not None
    play = Play(leg.match, (account(season, 1), account(season, 2)))
    play.move(play.held.live.table.advantage or 0, "take order", SECOND)
    drawn = leg.match.entries.filter(actor="chance", by_name="Orla")
    assert secret in " ".join(drawn.values_list("text", flat=True))
    heard = str(reader_of(play.pk, None).sync)
    assert "What would have been drawn now was supplied by an organiser, Orla." in heard


def test_a_pool_is_supplied_for_one_match_of_several(visitor: Visitor, orla: User) -> None:
    season = running(orla, 2, "single-elimination", repertoire=[], format_options={"best_of": 3})
    row = fresh(DeathMatch.objects.get(round__season=season))
    client = visitor(orla)
    address = f"/seasons/autumn/desk/matches/{row.pk}/rules/"
    given = {"game": "domain/standard", "leg_number": "1", "prepared": [kept_pool(orla).pk]}
    assert client.post(address, form_of(client.get(address)) | given).status_code == 302
    event = season.events.get(kind="death-match.rules")
    assert event.words == (
        "Match 1 of Player 1 vs Player 2 is played in Domain. "
        "Supplied by Orla instead of being drawn: Pool of shapes."
    )
    assert event.data["supplied"] == ["pool"]
    assert list(row.legs.exclude(prepared={}).values_list("number", flat=True)) == [1]
    leg = begun(orla, row)
    assert leg.match is not None
    supplied = leg.match.entries.exclude(by_name="").get()
    assert (supplied.text, supplied.by_name) == ("pool my-pool@1", "Orla")


def test_a_ladder_is_climbed_by_challenge(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4, "ladder")
    three, one = who(season, 3), who(season, 1)
    client = visitor(three.user)
    assert "Player 1" in words(client.get("/seasons/autumn/challenge/"))
    answer = client.post("/seasons/autumn/challenge/", {"opponent": one.pk})
    row = DeathMatch.objects.get(round__season=season)
    assert answer["Location"] == row.get_absolute_url()
    played(orla, fresh(row), 0)
    page = visitor().get("/seasons/autumn/")
    assert words(page).index("Player 3") < words(page).index("Player 1")
    assert Leg.objects.filter(death_match=row, status="finished").exists()


def test_settings_keep_what_the_form_has_no_fields_for(visitor: Visitor, orla: User) -> None:
    game = {"ruleset": "tetronogo", "variant": "standard"}
    games = [{**game, "options": {"turn_time": 30 + number}} for number in range(15)]
    season = enrolled(orla, 0, "swiss", repertoire=games)
    client = visitor(orla)
    page = f"/seasons/{season.slug}/desk/settings/"
    data = form_of(client.get(page)) | {"summary": "Another one."}
    assert client.post(page, data).status_code == 302
    season.refresh_from_db()
    assert season.summary == "Another one."
    assert season.repertoire == games
    # One is taken out: the others keep their own options.
    data = form_of(client.get(page)) | {"game_1": ""}
    assert client.post(page, data).status_code == 302
    season.refresh_from_db()
    assert season.repertoire == games[1:]
