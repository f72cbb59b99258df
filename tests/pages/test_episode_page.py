"""The page of an episode: everything of it in one form, and what organisers see elsewhere of what
waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from tests.games.support import user_named
from tests.pages.support import links, words
from tests.tournaments.support import (
    GAME,
    WARS,
    account,
    chosen,
    episode_now,
    nothing_changes,
    organiser_named,
    played,
    running,
    who,
)
from tournaments.formats.elimination.episodes import episode_open
from tournaments.lifecycle import SeasonStatus
from tournaments.models import DeathMatch, Episode, Season, SeasonOrganiser

Visitor = Callable[..., Client]
PAGE = "/seasons/autumn/desk/episode/"


def placed(season: Season) -> dict[str, int]:
    rows = episode_now(season).placements.select_related("contestant")
    return {each.contestant.name: each.place for each in rows}


def order(season: Season, *numbers: int) -> str:
    return ",".join(str(who(season, number).pk) for number in numbers)


def test_one_name_is_who_came_last_and_everybody_else_is_safe(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    answer = visitor(orla).post(PAGE, {"order": order(season, 4), "others_safe": "on"})
    assert answer["Location"] == PAGE
    assert placed(season) == {"Player 1": 1, "Player 2": 1, "Player 3": 1, "Player 4": 4}
    assert episode_now(season).ec == who(season, 4)


def test_a_list_is_recorded_with_immunity_game_time_and_minutes(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, repertoire=[GAME, WARS])
    client = visitor(orla)
    assert "Tetronogo" in words(client.get(PAGE))
    answer = client.post(PAGE, {
        "pasted": "1. player 2\n= PLAYER1\n\N{BULLET} Player 3\nPlayer 4",
        "immune": [who(season, 2).pk], "game": "1", "when": "2030-05-17T20:00", "minutes": "15",
        "main_match": "Tag", "notes": "Close",
    })  # fmt: skip
    assert answer.status_code == 302
    assert placed(season) == {"Player 2": 1, "Player 1": 1, "Player 3": 3, "Player 4": 4}
    episode = episode_now(season)
    assert episode.placements.get(immune=True).contestant == who(season, 2)
    assert (episode.main_match, episode.notes) == ("Tag", "Close")
    assert episode.round.ruleset == "domino-wars"
    assert episode.death_match_at is not None
    assert episode.choose_by is not None
    again = words(client.get(PAGE))
    assert "The death match will be played in" in again


def test_a_list_with_faults_names_each_and_records_nothing(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    with nothing_changes():
        for more in ({}, {"look": "1"}):
            answer = visitor(orla).post(PAGE, {"pasted": "Player 1\nEve\nZoe", **more})
            page = words(answer)
            assert "Line 2: nobody here is called “Eve”." in page
            assert "Line 3: nobody here is called “Zoe”." in page
            assert "Player 1\nEve\nZoe" in answer.content.decode()
    assert placed(season) == {}


def test_without_scripts_what_is_tapped_or_listed_is_shown_first(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    with nothing_changes():
        form: dict[str, Any] = {"others_safe": "on", "immune": [who(season, 1).pk]}
        page = client.post(PAGE, form | {"tap": who(season, 4).pk})
        assert page.status_code == 200
        found = re.search(r'name="order" value="([^"]*)"', page.content.decode())
        assert found is not None
        assert found[1] == order(season, 4)
        assert "1 Player 1 (immune), Player 2, Player 3" in words(page)
        page = client.post(PAGE, form | {"pasted": "Player 2\nPlayer 3", "look": "1"})
        found = re.search(r'name="order" value="([^"]*)"', page.content.decode())
        assert found is not None
        assert found[1] == order(season, 2, 3)
        assert "2 Player 1 (immune), Player 4" in words(page)
    client.post(PAGE, form | {"order": found[1]})
    assert placed(season) == {"Player 2": 1, "Player 1": 2, "Player 4": 2, "Player 3": 4}


def test_several_last_ask_for_the_ec(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    order_of = f"{who(season, 3).pk}={who(season, 4).pk}"
    with nothing_changes():
        answer = client.post(PAGE, {"order": order_of, "others_safe": "on"})
    assert answer.status_code == 422
    assert "please say who is the EC" in words(answer)
    data = {"order": order_of, "others_safe": "on", "ec": who(season, 3).pk}
    assert client.post(PAGE, data).status_code == 302
    assert episode_now(season).ec == who(season, 3)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "Who came last? Tap a name."),
        ({"others_safe": "on"}, "Who came last? Tap a name."),
        ({"order": "x,,0"}, "Who came last? Tap a name."),
        ({"pasted": "Player 4"}, "How did Player 1 come off?"),
    ],
)
def test_nothing_is_recorded_of_too_little(
    visitor: Visitor, orla: User, data: dict[str, str], sentence: str
) -> None:
    running(orla, 4)
    with nothing_changes():
        answer = visitor(orla).post(PAGE, data)
    assert answer.status_code == 422
    assert sentence in words(answer)


def test_the_dmo_is_named_there_and_the_next_episode_follows(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    client.post(PAGE, {"order": order(season, 4), "others_safe": "on"})
    page = client.get(PAGE)
    assert "Player 4 is choosing an opponent" in words(page)
    answer = client.post("/seasons/autumn/rounds/1/choose/", {"contestant": who(season, 2).pk})
    assert answer["Location"] == PAGE
    row = DeathMatch.objects.get(round__season=season)
    assert f"/seasons/autumn/desk/matches/{row.pk}/declare/" in links(client.get(PAGE))
    with nothing_changes():
        refused = client.post(PAGE, {"order": order(season, 3), "others_safe": "on"})
    assert refused.status_code == 422
    played(orla, row, winner=0)
    assert "Record and open the next" in words(client.get(PAGE))
    client.post(PAGE, {"order": order(season, 3), "others_safe": "on"})
    assert Episode.objects.filter(round__season=season).count() == 2
    assert episode_now(season).ec == who(season, 3)


def test_the_final_is_opened_from_there(visitor: Visitor, orla: User) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, 3, 2), winner=0)
    page = visitor(orla).get(PAGE)
    assert "/seasons/autumn/desk/final/" in links(page)
    assert "data-finish" not in page.content.decode()


def test_an_organiser_who_is_the_ec_reads_why_they_cannot_record_again(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    last = who(season, 4)
    last.user = orla
    last.save(update_fields=["user"])
    client = visitor(orla)
    assert client.post(PAGE, {"order": str(last.pk), "others_safe": "on"}).status_code == 302
    page = client.get(PAGE)
    assert page.status_code == 200
    assert "Nobody decides about their own death match." in words(page)
    assert "data-finish" not in page.content.decode()


@pytest.mark.parametrize("kind", ["swiss", "ladder"])
def test_other_formats_have_no_such_page_to_fill_in(
    visitor: Visitor, orla: User, kind: str
) -> None:
    running(orla, 4, kind)
    page = visitor(orla).get(PAGE)
    assert "Only an elimination season has episodes." in words(page)
    assert "data-finish" not in page.content.decode()


# -- what waits for whoever runs seasons ---------------------------------------------------------


def test_the_desk_comes_first_for_those_who_run_the_season(visitor: Visitor, orla: User) -> None:
    running(orla, 4)
    season = "/seasons/autumn/"

    def tabs(user: User | None) -> list[str]:
        nav = visitor(user).get(season).content.decode().split('aria-label="This season"')[1]
        return re.findall(r'href="([^"]+)"', nav.split("</nav>")[0])

    assert tabs(orla)[0] == "/seasons/autumn/desk/"
    assert tabs(None)[0] == season
    assert "/seasons/autumn/desk/" not in tabs(None)


def test_the_front_door_says_what_waits(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    home = visitor(orla).get("/")
    assert "Your seasons: 1 thing waits" in words(home)
    assert PAGE in links(home)
    for other in (account(season, 1), organiser_named("olga"), None):
        assert "Your seasons" not in words(visitor(other).get("/"))
    visitor(orla).post(PAGE, {"order": order(season, 4), "others_safe": "on"})
    assert "Your seasons" not in words(visitor(orla).get("/"))
    Episode.objects.update(choose_by=datetime(2020, 1, 1, tzinfo=UTC))
    assert "Player 4 has not chosen in time." in words(visitor(orla).get("/"))
    Season.objects.update(visibility="archived")
    assert "Your seasons" not in words(visitor(orla).get("/"))


def test_what_the_front_door_asks_does_not_grow_with_the_seasons(
    visitor: Visitor, orla: User
) -> None:
    client = visitor(orla)

    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/")
        return len(captured)

    asked()
    none = asked()
    for _ in range(5):
        running(orla, 4)
    five = asked()
    assert five - none <= 5 * 12
    for _ in range(2):
        running(orla, 4)
    assert asked() <= five


def test_whoever_lost_the_role_is_told_of_nothing(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    player = user_named("polly")
    SeasonOrganiser.objects.create(season=season, user=player)
    assert season.status == SeasonStatus.RUNNING
    assert "Your seasons" not in words(visitor(player).get("/"))


def test_an_open_episode_is_recorded_where_the_next_one_would_be(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, 4, 2), winner=0)
    episode_open(acting_user=orla, season=season)
    page = visitor(orla).get(PAGE)
    assert "Record it" in words(page)
    assert "Record and open the next" not in words(page)
