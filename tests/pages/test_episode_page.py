"""The page of an episode: everything of it in one form, and what organisers see elsewhere of what
waits."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.words import game_name
from tests.pages.support import forms, links, words
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
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.episodes import episode_open
from tournaments.formats.elimination.final import final_open
from tournaments.forms.games import value_of, value_with_options
from tournaments.lifecycle import SeasonStatus
from tournaments.models import Contestant, DeathMatch, Episode, Season, SeasonOrganiser
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.ledger.acts import ledger_grant
from tournaments.services.ledger.immunity import token_spend

Visitor = Callable[..., Client]
PAGE = "/seasons/autumn/desk/episode/"
CHOICE = "/seasons/autumn/rounds/1/choose/"


def placed(season: Season) -> dict[str, int]:
    rows = episode_now(season).placements.select_related("contestant")
    return {each.contestant.name: each.place for each in rows}


def order(season: Season, *numbers: int) -> str:
    return ",".join(str(who(season, number).pk) for number in numbers)


def seen(client: Client, address: str = PAGE) -> str:
    """How things stand, as a page shows them."""
    found = re.search(r'name="seen" value="([^"]*)"', client.get(address).content.decode())
    return "" if found is None else found[1]


def sent(client: Client, **data: Any) -> Any:
    """What comes of recording from the page as it is now."""
    return client.post(PAGE, {"seen": seen(client), **data})


def test_one_name_is_who_came_last_and_everybody_else_is_safe(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    answer = sent(visitor(orla), order=order(season, 4), others_safe="on")
    assert answer["Location"] == PAGE
    assert placed(season) == {"Player 1": 1, "Player 2": 1, "Player 3": 1, "Player 4": 4}
    assert episode_now(season).ec == who(season, 4)


def test_a_list_is_recorded_with_immunity_game_time_and_minutes(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, repertoire=[GAME, WARS])
    client = visitor(orla)
    assert "Tetronogo" in words(client.get(PAGE))
    answer = sent(
        client, pasted="1. player 2\n= PLAYER1\n\N{BULLET} Player 3\nPlayer 4",
        immune=[who(season, 2).pk], game=value_of(WARS), when="2030-05-17T20:00", minutes="15",
        main_match="Tag", notes="Close",
    )  # fmt: skip
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
    sent(client, **form, order=found[1])
    assert placed(season) == {"Player 2": 1, "Player 1": 2, "Player 4": 2, "Player 3": 4}


def test_several_last_ask_for_the_ec(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    order_of = f"{who(season, 3).pk}={who(season, 4).pk}"
    with nothing_changes():
        answer = sent(client, order=order_of, others_safe="on")
    assert answer.status_code == 422
    assert "please say who is the EC" in words(answer)
    data = {"order": order_of, "others_safe": "on", "ec": who(season, 3).pk}
    assert sent(client, **data).status_code == 302
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
        answer = sent(visitor(orla), **data)
    assert answer.status_code == 422
    assert sentence in words(answer)


@pytest.mark.parametrize(
    ("data", "sentence", "at"),
    [
        (
            {"pasted": "Player 3 = Player 4", "others_safe": "on"},
            "please say who is",
            "finish-names",
        ),
        ({"pasted": "Player 1\nEve"}, "nobody here is called “Eve”", "id_pasted"),
        ({"pasted": "Player 1\n2."}, "Line 2 names nobody: “2.”", "id_pasted"),
        ({"pasted": "Player 4"}, "How did Player 1 come off?", "id_others_safe"),
        ({"pasted": "Player 4", "others_safe": "on", "when": "2001-05-17T20:00"}, "", "id_when"),
        ({"seen": "", "pasted": "Player 4", "others_safe": "on"}, "This has moved on", ""),
    ],
)
def test_why_nothing_is_recorded_is_said_first_with_where_it_is_put_right(
    visitor: Visitor, orla: User, data: dict[str, str], sentence: str, at: str
) -> None:
    running(orla, 4)
    with nothing_changes():
        answer = sent(visitor(orla), **data)
    page = answer.content.decode()
    assert page.count("data-refused") == 1
    assert page.index("data-refused") < page.index("data-finish")
    summary = page.split("data-refused")[1].split("</ul>")[0]
    assert sentence in unescape(summary)
    assert set(re.findall(r'href="#([^"]*)"', summary)) == ({at} if at else set())
    assert not at or f'id="{at}"' in page


def test_what_will_be_recorded_is_never_an_order_of_before(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    shown = {"order": order(season, 1, 2, 3, 4), "others_safe": "on"}
    for button in ({}, {"look": "1"}):
        page = client.post(PAGE, {"seen": seen(client), **shown, "pasted": "Eve", **button})
        assert "What will be recorded" in page.content.decode()
        assert "(EC)" not in words(page)
        assert "is the EC" not in words(page).split("The list is not clear yet.")[1]
        assert 'name="order"' in page.content.decode()
        assert order(season, 1, 2, 3, 4) not in page.content.decode()
    page = client.post(PAGE, {**shown, "look": "clear"})
    assert "Nobody is named yet." in words(page)
    assert order(season, 1, 2, 3, 4) not in page.content.decode()


def test_nobody_is_the_ec_as_long_as_somebody_is_missing(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    page = client.post(PAGE, {"order": order(season, 1, 2), "look": "1"})
    assert "(EC)" not in words(page)
    assert "Not named yet: 2." in words(page)
    page = client.post(PAGE, {"order": order(season, 1, 2), "others_safe": "on", "look": "1"})
    assert "Record it : Player 2 is the EC" in words(page)


def test_whom_the_ec_has_chosen_is_recorded_with_the_main_match(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    data = {"order": order(season, 4), "others_safe": "on"}
    with nothing_changes():
        for wrong in (who(season, 4), who(season, 1)):
            answer = sent(client, **data, immune=[who(season, 1).pk], dmo=wrong.pk)
            assert answer.status_code == 422
            assert f"{wrong.name} cannot be chosen." in words(answer)
    assert sent(client, **data, dmo=who(season, 2).pk)["Location"] == PAGE
    row = DeathMatch.objects.get(round__season=season)
    assert (row.home, row.away) == (who(season, 4), who(season, 2))
    page = client.get(PAGE)
    assert "Player 4 is the EC, and meets Player 2." in words(page)
    ruling = f"/seasons/autumn/desk/matches/{row.pk}/declare/"
    assert ruling in forms(page)
    ruled = {"why": "Both players agreed to it.", "winner": who(season, 2).pk}
    assert client.post(ruling, ruled)["Location"] == PAGE
    row.refresh_from_db()
    assert row.winner == who(season, 2)
    assert ruling not in forms(client.get(PAGE))


def test_an_organiser_who_may_be_in_it_names_no_opponent(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    Contestant.objects.filter(pk=who(season, 3).pk).update(user=orla)
    with nothing_changes():
        answer = sent(
            visitor(orla), order=order(season, 4), others_safe="on", dmo=who(season, 2).pk
        )
    assert "Nobody decides about their own death match." in words(answer)


def test_between_two_matches_of_a_final_the_page_is_about_the_next(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 3)
    played(orla, chosen(orla, season, 3, 2), winner=0)
    row = final_open(acting_user=orla, season=season, name="Final", best_of=3, games=[GAME, WARS])
    second = row.legs.get(number=2)
    client = visitor(orla)
    assert "Match 1, best of 3; 0 to 0 so far" in words(client.get(PAGE))
    played(orla, row, winner=0)
    page = words(client.get(PAGE))
    assert "Match 2, best of 3; 1 to 0 so far" in page
    assert f"Game {game_name(second.ruleset, second.variant)}" in page
    assert "no time yet" in page


def test_the_dmo_is_named_there_and_the_next_episode_follows(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    sent(client, order=order(season, 4), others_safe="on")
    page = client.get(PAGE)
    assert "Player 4 is choosing an opponent" in words(page)
    answer = client.post(CHOICE, {"seen": seen(client), "contestant": who(season, 2).pk})
    assert answer["Location"] == PAGE
    row = DeathMatch.objects.get(round__season=season)
    assert f"/seasons/autumn/desk/matches/{row.pk}/declare/" in links(client.get(PAGE))
    with nothing_changes():
        refused = sent(client, order=order(season, 3), others_safe="on")
    assert refused.status_code == 422
    played(orla, row, winner=0)
    assert "Record and open the next" in words(client.get(PAGE))
    sent(client, order=order(season, 3), others_safe="on")
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
    assert sent(client, order=str(last.pk), others_safe="on").status_code == 302
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


# -- pages that are older than what has happened -------------------------------------------------


def test_a_page_of_an_episode_that_is_over_records_nothing_in_the_next(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5)
    client = visitor(orla)
    old = {"seen": seen(client), "order": order(season, 4), "others_safe": "on"}
    played(orla, chosen(orla, season, 5, 2), winner=0)
    with nothing_changes():
        answer = client.post(PAGE, old)
    assert answer.status_code == 422
    assert "This has moved on since you opened the page" in words(answer)
    assert PAGE in links(answer)
    assert season.rounds.count() == 1


def test_a_second_phone_does_not_record_over_the_first(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    first = {"seen": seen(client), "others_safe": "on"}
    assert client.post(PAGE, first | {"order": order(season, 4)}).status_code == 302
    with nothing_changes():
        assert client.post(PAGE, first | {"order": order(season, 3)}).status_code == 422
        assert (
            client.post(PAGE, {"order": order(season, 3), "others_safe": "on"}).status_code == 422
        )
    again = {"seen": seen(client), "others_safe": "on"}
    assert client.post(PAGE, again | {"order": order(season, 3)}).status_code == 302
    with nothing_changes():
        assert client.post(PAGE, again | {"order": order(season, 2)}).status_code == 422
    played(orla, _named(orla, season), winner=0)
    following = {"seen": seen(client), "others_safe": "on"}
    assert client.post(PAGE, following | {"order": order(season, 3)}).status_code == 302
    with nothing_changes():
        assert client.post(PAGE, following | {"order": order(season, 2)}).status_code == 422
    assert episode_now(season).ec == who(season, 3)


@pytest.mark.parametrize("again", ["another EC", "somebody immune"])
def test_a_page_of_another_ec_or_of_others_immune_names_nobody(
    visitor: Visitor, orla: User, again: str
) -> None:
    season = running(orla, 5)
    client = visitor(orla)
    sent(client, order=order(season, 5), others_safe="on")
    mine = visitor(account(season, 5))
    old = {client: seen(client), mine: seen(mine, CHOICE)}
    last = 4 if again == "another EC" else 5
    immune = [who(season, 1).pk]
    sent(client, order=order(season, last), others_safe="on", immune=immune)
    for phone in (client, mine):
        for stale in (old[phone], ""):
            with nothing_changes():
                answer = phone.post(CHOICE, {"seen": stale, "contestant": who(season, 2).pk})
            if phone is mine and last == 4:
                assert answer.status_code == 403
            else:
                assert answer.status_code == 422
                assert "This has moved on since you opened the page" in words(answer)
                assert "Look again" in words(answer)
    # Who has looked again can.
    answer = client.post(CHOICE, {"seen": seen(client), "contestant": who(season, 2).pk})
    assert answer["Location"] == PAGE
    assert episode_now(season).dmo == who(season, 2)


def test_every_form_of_the_page_says_what_it_has_seen(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    client = visitor(orla)
    for addresses in ({PAGE}, {PAGE, CHOICE}):
        page = client.get(PAGE).content.decode()
        acting = re.findall(r'<form[^>]*action="(/seasons/[^"]*)"(.*?)</form>', page, re.S)
        assert {address for address, _ in acting} == addresses
        assert all(re.search(r'name="seen" value="[^"]+"', inside) for _, inside in acting)
        sent(client, order=order(season, 4), others_safe="on")


def _named(orla: User, season: Season) -> DeathMatch:
    return dmo_choose(acting_user=orla, episode=episode_now(season), contestant=who(season, 1))


def test_whoever_has_left_is_named_and_nobody_else_becomes_the_ec(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5)
    client = visitor(orla)
    named = order(season, 4, 5)
    contestant_withdraw(acting_user=orla, contestant=who(season, 5), why="So")
    with nothing_changes():
        answer = sent(client, order=named, others_safe="on")
    assert answer.status_code == 422
    assert "Player 5 is no longer in this episode: look at the order again." in words(answer)
    # What the page shows from then on is what would be recorded.
    assert f'name="order" value="{order(season, 4)}"' in answer.content.decode()
    assert "4 Player 4 (EC)" in words(answer)


def test_a_game_is_settled_by_what_it_is_and_not_by_where_it_stands_in_the_list(
    visitor: Visitor, orla: User
) -> None:
    fast = {**GAME, "options": {"pace": "blitz"}}
    season = running(orla, 4, repertoire=[GAME, WARS])
    client = visitor(orla)
    Season.objects.update(repertoire=[WARS, GAME])
    data = {"order": order(season, 4), "others_safe": "on"}
    assert sent(client, **data, game=value_of(GAME)).status_code == 302
    assert episode_now(season).round.ruleset == GAME["ruleset"]
    Season.objects.update(repertoire=[WARS])
    page = client.get(PAGE).content.decode()
    assert f'value="{value_of(GAME)}" selected' in page
    assert sent(client, **data, game=value_of(GAME)).status_code == 302
    assert episode_now(season).round.ruleset == GAME["ruleset"]
    assert sent(client, **data, game=value_of(WARS)).status_code == 302
    with nothing_changes():
        answer = sent(client, **data, game=value_of(GAME))
    assert "This game has left the season's list." in words(answer)
    assert value_with_options(fast) not in (value_of(GAME), value_of(fast))


# -- who is immune, and who will be the EC -------------------------------------------------------


def test_the_page_says_who_will_be_the_ec_and_asks_where_several_may(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5)
    client = visitor(orla)

    def looked(named: str, *immune: int) -> Any:
        pks = [who(season, number).pk for number in immune]
        return client.post(PAGE, {"pasted": named, "immune": pks, "look": "1"})

    page = looked("Player 1\nPlayer 2\nPlayer 3\nPlayer 4\nPlayer 5", 5)
    assert "4 Player 4 (EC) 5 Player 5 (immune)" in words(page)
    page = looked("Player 1\nPlayer 2\nPlayer 3 = Player 4\nPlayer 5", 5)
    assert "(EC)" not in words(page)
    asked = re.findall(r'data-ec( hidden)?><input type="radio" name="ec" value="(\d+)"',
                       page.content.decode())  # fmt: skip
    shown = {int(pk) for hidden, pk in asked if not hidden}
    assert shown == {who(season, 3).pk, who(season, 4).pk}
    named = {
        "order": f"{order(season, 1, 2)},{who(season, 3).pk}={who(season, 4).pk},"
        f"{order(season, 5)}",
        "immune": [who(season, 5).pk],
    }
    assert sent(client, **named).status_code == 422
    assert sent(client, **named, ec=who(season, 3).pk).status_code == 302
    assert episode_now(season).ec == who(season, 3)


TOKENS: dict[str, Any] = {"tokens": True, "tokens_given": True}


def granted(orla: User, season: Season, number: int) -> None:
    ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, number)], amount=1, why="won",
        unit="token",
    )  # fmt: skip


def test_immunity_by_a_token_is_filled_in_and_said(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4, trade=TOKENS)
    granted(orla, season, 4)
    token_spend(acting_user=account(season, 4), contestant=who(season, 4))
    client = visitor(orla)
    page = client.get(PAGE)
    box = f'<input type="checkbox" name="immune" value="{who(season, 4).pk}" checked>'
    assert f"{box}<span>immune by token" in page.content.decode()
    assert words(page).count("immune by token") == 1
    page = client.post(PAGE, {
        "pasted": "Player 3\nPlayer 4", "others_safe": "on", "immune": [who(season, 4).pk],
        "look": "1",
    })  # fmt: skip
    assert "4 Player 4 (immune by token)" in words(page)
    data = {"order": order(season, 1, 2, 3, 4), "immune": [who(season, 4).pk]}
    assert sent(client, **data).status_code == 302
    assert episode_now(season).ec == who(season, 3)
    assert "immune by token" in words(client.get(PAGE))


def test_where_somebody_holds_a_token_the_next_episode_is_opened_first(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5, trade=TOKENS)
    played(orla, chosen(orla, season, 5, 2), winner=0)
    client = visitor(orla)
    opening = "/seasons/autumn/desk/episode/open/"

    def first() -> bool:
        page = client.get(PAGE).content.decode()
        found = re.search(rf'<a class="button ([\w-]+)" href="{opening}">([^<]+)</a>', page)
        assert found is not None
        return found.groups() == ("button--primary", "Open the next")

    assert not first()
    granted(orla, season, 1)
    assert first()
    page = client.get(PAGE)
    assert "An immunity token is used while an episode is open" in words(page)
    # Its scores can be entered while a token can still be used.
    assert f"{opening}?then=scores" in links(page)
    assert "Open the next without a result" not in words(page)
    assert sent(client, order=order(season, 4), others_safe="on").status_code == 302
    assert episode_now(season).ec == who(season, 4)


def test_what_is_hidden_from_an_organiser_who_plays_is_not_told_by_a_button(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5, trade={**TOKENS, "hidden": True})
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    Contestant.objects.filter(pk=who(season, 3).pk).update(user=olin)
    played(orla, chosen(orla, season, 5, 2), winner=0)
    before = words(visitor(olin).get(PAGE))
    granted(orla, season, 1)
    assert words(visitor(olin).get(PAGE)) == before


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
    # Before all else: what is announced to newcomers, and the puzzle of the day.
    assert "Two enter." not in words(home)
    found = re.findall(r"<h[12][^>]*>", home.content.decode())
    assert next(each for each in found if each != "<h1>") == '<h2 id="organising">'
    part = visitor(orla).get("/", headers={"X-Fragment": "live"})
    assert "Your seasons" not in words(part), "its place does not change by itself"
    for other in (account(season, 1), organiser_named("olga"), None):
        assert "Your seasons" not in words(visitor(other).get("/"))
    sent(visitor(orla), order=order(season, 4), others_safe="on")
    assert "Your seasons" not in words(visitor(orla).get("/"))
    Episode.objects.update(choose_by=datetime(2020, 1, 1, tzinfo=UTC))
    assert "Player 4 has not chosen in time." in words(visitor(orla).get("/"))
    Season.objects.update(visibility="archived")
    assert "Your seasons" not in words(visitor(orla).get("/"))


def test_whoever_is_the_ec_is_not_sent_to_name_their_own_opponent(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    sent(visitor(orla), order=order(season, 4), others_safe="on")
    Contestant.objects.filter(pk=who(season, 4).pk).update(user=olin)
    Episode.objects.update(choose_by=datetime(2020, 1, 1, tzinfo=UTC))
    assert "has not chosen in time" in words(visitor(orla).get("/"))
    assert "has not chosen in time" not in words(visitor(olin).get("/"))
    desk = visitor(olin).get("/seasons/autumn/desk/").content.decode()
    assert "Name the DMO yourself" not in desk


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
    assert season.status == SeasonStatus.RUNNING
    assert "Your seasons" in words(visitor(orla).get("/"))
    orla.groups.clear()
    assert "Your seasons" not in words(visitor(User.objects.get(pk=orla.pk)).get("/"))


def test_an_open_episode_is_recorded_where_the_next_one_would_be(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, 4, 2), winner=0)
    episode_open(acting_user=orla, season=season)
    page = visitor(orla).get(PAGE)
    assert "Record it" in words(page)
    assert "Record and open the next" not in words(page)
