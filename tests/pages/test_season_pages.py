"""The pages of seasons: who may see what, what stands there, at what price.

Everybody asks for every page only in a whole run, and so does every format at the desk; else the
pages go round.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from icalendar import Calendar

from accounts.models import User
from games.rulesets import REGISTRY
from tests.games.support import user_named
from tests.pages.support import links, words
from tests.support import depth
from tests.tournaments.support import (
    GAME,
    START,
    after,
    begun,
    chosen,
    conceded,
    enrolled,
    episode_now,
    fresh,
    leg_of,
    organiser_named,
    placings,
    played,
    running,
    who,
)
from tournaments.formats.elimination.episodes import episode_open
from tournaments.formats.elimination.final import final_open
from tournaments.formats.elimination.main_match import placements_record
from tournaments.models import Contestant, DeathMatch, Gift, Season
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.items.declarations import item_declare
from tournaments.services.items.gifts import item_give
from tournaments.services.results.corrections import leg_void
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import season_cancel, season_create, season_list
from tournaments.services.starts import season_start

Visitor = Callable[..., Client]

# Every page that anybody may read; those of rounds and death matches are added where there are any.
PAGES = [
    "", "standings/", "contestants/", "schedule/", "results/", "items/", "purse/",
    "predictions/", "history/", "rulings/",
    "calendar.ics", "feed.atom", "share.png", "state.json",
]  # fmt: skip
CONTESTANTS = ["join/", "messages/", "withdraw/", "items/give/", "challenge/", "purse/give/",
               "purse/immunity/"]  # fmt: skip
DESK = [
    "desk/", "desk/settings/", "desk/organisers/", "desk/contestants/", "desk/contestants.csv",
    "desk/invitations/", "desk/applications/",
    "desk/check-in/", "desk/messages/", "desk/seeds/", "desk/times/",
    "desk/steps/list/", "desk/steps/start/", "desk/steps/cancel/", "desk/steps/archive/",
    "desk/steps/unlist/", "desk/steps/clone/", "desk/episode/", "desk/episode/open/",
    "desk/final/", "desk/pair/", "desk/pair/by-hand/",
    "desk/conclude/",
    "desk/items/", "desk/purses/", "desk/purses.csv", "desk/purses/immunity/",
]  # fmt: skip


@pytest.fixture
def olga(db: None) -> User:
    """An organiser of other seasons."""
    return organiser_named("olga")


@pytest.fixture
def season(orla: User) -> Season:
    """An elimination season of five, in its second episode: one is out, one death match is on."""
    made = running(orla, 5)
    played(orla, chosen(orla, made, 5, 4), 1)
    begun(orla, chosen(orla, made, 4, 3))
    return made


def death_match_of(season: Season) -> DeathMatch:
    """The latest death match."""
    return fresh(DeathMatch.objects.filter(round__season=season).order_by("-round__number")[0])


def sides(row: DeathMatch) -> tuple[Contestant, Contestant]:
    """Both sides of a death match that has them."""
    assert row.home is not None
    assert row.away is not None
    return row.home, row.away


WITH_ITEMS: dict[str, Any] = {
    "repertoire": [{"ruleset": "domino-wars", "variant": "standard", "options": {}}]
}


def with_items(season: Season) -> tuple[DeathMatch, Gift, Gift, Gift, Gift]:
    """The latest death match, and what is granted for it: two items for the one side, a Block and
    a Copy for the other."""
    row = death_match_of(season)
    organiser = season.organisers.get().user
    one, other = sides(row)
    own: dict[str, Any] = {"item": "domino-repeat", "ruleset": "domino-wars", "receiver": one}
    block, copy = (dict[str, Any](item=item, receiver=other) for item in ("block", "copy"))
    gifts = [
        item_give(
            acting_user=organiser, season=season, death_match=row, at=after(minutes=1), **each
        )
        for each in (own, own, block, copy)
    ]  # fmt: skip
    return row, gifts[0], gifts[1], gifts[2], gifts[3]


def user_of(contestant: Contestant) -> User:
    """The account of a contestant who has one."""
    assert contestant.user is not None
    return contestant.user


def deep(season: Season) -> list[str]:
    """The pages of the latest round and death match."""
    row = death_match_of(season)
    return [
        f"rounds/{row.round.number}/", f"matches/{row.pk}/", f"matches/{row.pk}/share.png",
        f"contestants/{row.home_id}/calendar.ics",
    ]  # fmt: skip


def desk_deep(season: Season) -> list[str]:
    """The organisers' pages of the latest round and death match."""
    row = death_match_of(season)
    number, leg = row.round.number, leg_of(row)
    return [
        f"desk/rounds/{number}/", f"desk/rounds/{number}/placements/",
        f"desk/rounds/{number}/scores/", f"desk/rounds/{number}/pictures/",
        f"desk/rounds/{number}/close/", f"desk/rounds/{number}/reopen/",
        f"desk/rounds/{number}/skip/", f"desk/matches/{row.pk}/",
        *(f"desk/matches/{row.pk}/{name}/" for name in
          ("rules", "walkover", "declare", "correct", "reopen", "void")),
        *(f"desk/matches/{row.pk}/legs/{leg.pk}/{name}/" for name in
          ("schedule", "start", "void")),
        f"desk/contestants/{row.home_id}/remove/", f"desk/contestants/{row.home_id}/withdraw/",
        f"desk/contestants/{row.home_id}/replace/",
    ]  # fmt: skip


# -- who may see what ----------------------------------------------------------------------------


def test_public_pages_are_for_everybody(
    visitor: Visitor, season: Season, orla: User, olga: User, mona: User, root: User
) -> None:
    player = who(season, 1).user
    pages = [*PAGES, *deep(season)]
    clients = {user: visitor(user) for user in (None, player, orla, olga, mona, root)}
    for page in pages:
        assert clients[None].get(f"/seasons/autumn/{page}").status_code == 200, page
    shown = [each for each in pages if not each.endswith(".png")]
    for page, user in depth.covering(shown, (player, orla, olga, mona, root)):
        assert clients[user].get(f"/seasons/autumn/{page}").status_code == 200, (user, page)
    for page in pages:
        assert visitor().head(f"/seasons/autumn/{page}").status_code == 200, page
        assert visitor().post(f"/seasons/autumn/{page}").status_code == 405, page


def test_a_draft_does_not_exist_for_anybody_else(
    visitor: Visitor, orla: User, olga: User, mona: User, root: User, cleo: User
) -> None:
    season_create(acting_user=orla, name="Hush-hush", format="elimination")
    clients = {user: visitor(user) for user in (None, cleo, olga, mona, orla, root)}
    others = (None, cleo, olga, mona)
    for page, user in depth.covering([*PAGES, *CONTESTANTS, *DESK], others):
        answer = clients[user].get(f"/seasons/hush-hush/{page}")
        assert answer.status_code == 404, (user, page)
        missing = clients[user].get(f"/seasons/no-such/{page}")
        assert words(answer).replace("hush-hush", "") == words(missing).replace("no-such", "")
    for user in others:
        assert "Hush-hush" not in words(clients[user].get("/seasons/"))
        assert "Hush-hush" not in words(clients[user].get("/"))
    for page, user in depth.covering(PAGES, (orla, root)):
        # What asks for feeds is others' programs: there is none for anybody.
        wanted = 404 if page == "feed.atom" else 200
        assert clients[user].get(f"/seasons/hush-hush/{page}").status_code == wanted, (user, page)
    assert "Hush-hush" in words(visitor(orla).get("/seasons/"))


def test_the_desk_is_for_those_who_run_the_season(
    visitor: Visitor, season: Season, orla: User, olga: User, mona: User, root: User
) -> None:
    player = who(season, 1).user
    pages = [*DESK, *desk_deep(season)]
    clients = {user: visitor(user) for user in (None, player, orla, olga, mona, root)}
    for page in pages:
        answer = clients[None].get(f"/seasons/autumn/{page}")
        assert answer.status_code == 302, page
        assert answer["Location"].startswith("/accounts/login/"), page
    # Moderators may archive a season, and nothing else of it.
    archive = "desk/steps/archive/"
    for page, user in [
        *depth.covering([each for each in pages if each != archive], (player, olga, mona)),
        *depth.covering([archive], (player, olga)),
    ]:
        address = f"/seasons/autumn/{page}"
        assert clients[user].get(address).status_code == 403, (user, page)
        assert clients[user].post(address).status_code in (403, 405), (user, page)
    assert clients[mona].get(f"/seasons/autumn/{archive}").status_code == 200
    for page, user in depth.covering(pages, (orla, root)):
        answer = clients[user].get(f"/seasons/autumn/{page}")
        # What is not to be done in this season says so.
        assert answer.status_code in (200, 409), (user, page)


def test_only_organisers_open_seasons(visitor: Visitor, orla: User, mona: User, cleo: User) -> None:
    assert visitor().get("/seasons/+new/").status_code == 302
    for user in (cleo, mona):
        assert visitor(user).get("/seasons/+new/").status_code == 403
        assert "/seasons/+new/" not in links(visitor(user).get("/seasons/"))
    assert "/seasons/+new/" in links(visitor(orla).get("/seasons/"))
    assert visitor(orla).get("/seasons/+new/").status_code == 200


def test_pages_that_do_not_exist_say_so(visitor: Visitor, season: Season, orla: User) -> None:
    client = visitor(orla)
    for page in (
        "rounds/99/", "matches/999999/", "matches/999999/share.png",
        "contestants/999999/calendar.ics", "desk/steps/fly/", "desk/rounds/1/fly/",
        "desk/matches/999999/", "desk/contestants/999999/remove/", "desk/items/999999/back/",
    ):  # fmt: skip
        assert client.get(f"/seasons/autumn/{page}").status_code == 404, page


# -- what waits for the reader -------------------------------------------------------------------


def waits(client: Client, address: str) -> list[tuple[str, str]]:
    """What a page says to wait for the reader, each with where it leads to."""
    found = re.search(
        r'<section class="waiting".*?</section>', client.get(address).content.decode(), re.DOTALL
    )
    said = re.findall(r'alert__body">(.*?) <a href="(.*?)">', found[0]) if found else []
    return [(unescape(sentence), href) for sentence, href in said]


def test_the_front_door_and_the_lobby_say_what_seasons_wait_for(
    visitor: Visitor, orla: User, cleo: User
) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    begun(orla, row)
    match = leg_of(row).match
    assert match is not None
    board = [(f"Autumn: {row} is on.", match.get_absolute_url())]
    for number in (3, 4):
        player = visitor(user_of(who(season, number)))
        assert waits(player, "/") == waits(player, "/lobby/") == board
    for nobody in (None, orla, cleo, user_of(who(season, 1))):
        assert waits(visitor(nobody), "/") == waits(visitor(nobody), "/lobby/") == []
    conceded(leg_of(row), 0)
    for number in (3, 4):
        assert waits(visitor(user_of(who(season, number))), "/") == []

    now = timezone.now()
    episode_open(acting_user=orla, season=season, at=now)
    episode = episode_now(season)
    placements_record(acting_user=orla, episode=episode, placements=placings(season, 1), at=now)
    choice = ("Autumn: You came last. Who will face you?", "/seasons/autumn/rounds/2/choose/")
    assert waits(visitor(user_of(who(season, 1))), "/") == [choice]
    assert waits(visitor(user_of(who(season, 2))), "/") == []
    assert waits(visitor(user_of(who(season, 1))), "/seasons/autumn/") == [
        ("You came last. Who will face you?", choice[1])
    ]
    # An archived season is read, and waits for nobody.
    Season.objects.filter(pk=season.pk).update(visibility="archived")
    for page in ("/", "/seasons/autumn/"):
        assert waits(visitor(user_of(who(season, 1))), page) == []


# -- what stands there ---------------------------------------------------------------------------


def test_a_bracket_is_as_far_as_its_first_round_that_is_not_complete(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4, "single-elimination")
    assert "Semi-finals, 4 still in" in words(visitor().get("/seasons/autumn/"))
    results = words(visitor().get("/seasons/autumn/results/"))
    assert "Semi-finals being played" in results
    assert "Final to come" in results
    for row in DeathMatch.objects.filter(round__season=season, round__number=1):
        played(orla, fresh(row), 0)
    assert "Final, 2 still in" in words(visitor().get("/seasons/autumn/"))
    results = words(visitor().get("/seasons/autumn/results/"))
    assert "Semi-finals complete" in results
    assert "Final being played" in results


def test_the_home_of_an_elimination_season_tells_its_story(
    visitor: Visitor, season: Season
) -> None:
    page = visitor().get("/seasons/autumn/")
    told = words(page)
    assert "Episode 1: Player 4 beats Player 5." in told
    assert "Episode 2: Player 4 meets Player 3." in told
    assert "4 still in" in told
    assert "On stage now" in told
    row = death_match_of(season)
    leg = leg_of(row)
    assert leg.match is not None
    assert f"/matches/{leg.match.pk}/" in links(page)


def test_a_season_ends_with_its_winner_on_top(visitor: Visitor, orla: User) -> None:
    season = running(orla, 3, format_options={"final_best_of": 1})
    played(orla, chosen(orla, season, 3, 2), 1)
    row = final_open(acting_user=orla, season=season, at=after(hours=1))
    played(orla, row, 0, after(hours=2))
    told = words(visitor().get("/seasons/autumn/"))
    winner = Season.objects.select_related("winner").get(pk=season.pk).winner
    assert winner is not None
    assert f"Won by {winner.name}" in told
    assert "Winner of the season" in told
    profile = visitor().get(f"/u/{user_of(winner).username}/")
    assert "Autumn" in words(profile)
    assert "winner" in words(profile)


KINDS = ["single-elimination", "round-robin", "swiss", "ladder"]
# Where the desk is another in each format.
OF_THE_FORMAT = ["desk/", "desk/seeds/", "desk/pair/", "desk/pair/by-hand/", "desk/conclude/"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_has_its_pages(visitor: Visitor, orla: User, kind: str) -> None:
    season = running(orla, 5, kind)
    client, desk = visitor(), visitor(orla)
    for page in PAGES:
        assert client.get(f"/seasons/autumn/{page}").status_code == 200, page
    alike = depth.covering([each for each in DESK if each not in OF_THE_FORMAT], KINDS)
    for page in [*OF_THE_FORMAT, *(each for each, of in alike if of == kind)]:
        assert desk.get(f"/seasons/autumn/{page}").status_code in (200, 409), page
    told = words(client.get("/seasons/autumn/"))
    assert "Player 1" in told
    if kind in ("round-robin", "swiss"):
        row = season.rounds.get().death_matches.filter(away__isnull=False).first()
        assert row is not None
        played(orla, row, 0)
        told = words(client.get("/seasons/autumn/standings/"))
        assert "on points" in told
        assert "One for each match won" in told


def test_a_bracket_shows_byes_scores_and_the_way_of_the_winner(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 5, "single-elimination", format_options={"third_place": True})
    while True:
        row = DeathMatch.objects.filter(
            round__season=season, status="planned", away__isnull=False
        ).first()
        if row is None:
            break
        played(orla, fresh(row), 0)
    page = visitor().get("/seasons/autumn/").content.decode()
    assert page.count("wire--champion") >= 2
    assert 'data-state="bye"' in page
    assert "Third place" in page
    assert "Won by Player 1" in page
    # Everybody has given up: nought to nought is no score.
    assert ">0</text>" not in page
    results = words(visitor().get("/seasons/autumn/results/"))
    assert "Player 1 won vs Bye" in results
    assert "To be decided" not in results


def test_unbroken_ties_are_shown_as_such(visitor: Visitor, orla: User) -> None:
    running(orla, 4, "swiss")
    page = visitor().get("/seasons/autumn/standings/").content.decode()
    assert page.count("standings__shared") == 4
    assert "Level with" in page


# -- death matches -------------------------------------------------------------------------------


def test_what_is_brought_is_for_its_player_alone(visitor: Visitor, orla: User) -> None:
    season = running(
        orla,
        4,
        repertoire=[{"ruleset": "domino-wars", "variant": "standard", "options": {}}],
    )
    row = chosen(orla, season, 4, 3)
    item = REGISTRY.get("domino-wars").items[0]
    gift = item_give(
        acting_user=orla, season=season, item=item.id, ruleset="domino-wars",
        receiver=sides(row)[0], death_match=row, at=after(minutes=1),
    )  # fmt: skip
    address = row.get_absolute_url()
    before = {
        user: words(visitor(user).get(address)) for user in (None, orla, user_of(sides(row)[1]))
    }
    states = visitor().get("/seasons/autumn/state.json").json()
    item_declare(
        acting_user=user_of(sides(row)[0]), leg=leg_of(row), gift=gift, at=after(minutes=2)
    )
    assert visitor().get("/seasons/autumn/state.json").json() == states
    for user, told in before.items():
        assert words(visitor(user).get(address)) == told, user
    assert "Sealed until the match begins" in before[None]
    mine = visitor(user_of(sides(row)[0])).get(address)
    assert mine.content.decode().count("Sealed until") == 1
    begun(orla, row, at=after(minutes=3))
    assert "Sealed until" not in words(visitor().get(address))
    assert item.name in words(visitor().get(address))


def test_items_granted_in_any_format_are_shown_and_can_be_brought(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 2, "round-robin", **WITH_ITEMS)
    row = death_match_of(season)
    player, address = user_of(sides(row)[0]), row.get_absolute_url()
    ways: list[tuple[User | None, str, str]] = [
        (None, "/seasons/autumn/", "/seasons/autumn/items/"),
        (orla, "/seasons/autumn/desk/", "/seasons/autumn/desk/items/"),
        (player, address, f"{address}legs/{leg_of(row).pk}/items/"),
    ]
    for user, page, way in ways:
        assert way not in links(visitor(user).get(page)), way
    assert "brings" not in words(visitor().get(address))
    with_items(season)
    for user, page, way in ways:
        assert way in links(visitor(user).get(page)), way
    assert "Player 1 brings Sealed until the match begins." in words(visitor().get(address))
    assert "who is out" not in words(visitor().get("/seasons/autumn/items/")).lower()


def test_what_copy_and_block_did_stands_in_its_order(visitor: Visitor, orla: User) -> None:
    row, blocked, copied, block, copy = with_items(running(orla, 2, "round-robin", **WITH_ITEMS))
    at: dict[str, Any] = {"leg": leg_of(row), "at": after(minutes=2)}
    ada, ben = (user_of(each) for each in sides(row))
    for gift in (blocked, copied):
        item_declare(acting_user=ada, gift=gift, **at)
    item_declare(acting_user=ben, gift=copy, target=copied, **at)
    item_declare(acting_user=ben, gift=block, target=blocked, **at)
    address = row.get_absolute_url()
    assert "What Copy and Block did" not in words(visitor(ben).get(address))
    begun(orla, row, at=after(minutes=3))
    told = words(visitor().get(address))
    assert (
        "What Copy and Block did, in this order "
        "Player 2's Block blocks Player 1's Domino Repeat. "
        "Player 2's Copy copies Player 1's Domino Repeat. "
    ) in told


def test_rulings_stand_with_their_reasons(visitor: Visitor, season: Season, orla: User) -> None:
    row = death_match_of(season)
    leg_void(acting_user=orla, leg=leg_of(row), why="The board fell over.", at=after(hours=1))
    death_match_declare(
        acting_user=orla,
        death_match=fresh(row),
        winner=sides(row)[0],
        why="Enough.",
        at=after(hours=2),
    )
    told = words(visitor().get("/seasons/autumn/rulings/"))
    assert "The board fell over." in told
    assert "Enough." in told
    assert "Enough." in words(visitor().get(row.get_absolute_url()))


def test_a_match_names_its_season(visitor: Visitor, season: Season, orla: User) -> None:
    leg = leg_of(death_match_of(season))
    assert leg.match is not None
    page = visitor().get(f"/matches/{leg.match.pk}/")
    assert death_match_of(season).get_absolute_url() in links(page)
    assert "Autumn, Episode 2" in words(page)
    conceded(leg, 0)
    replay = visitor().get(f"/matches/{leg.match.pk}/replay/")
    assert "Autumn, Episode 2" in words(replay)


def test_the_front_door_shows_seasons_and_what_is_next(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    leg_schedule(
        acting_user=orla, leg=leg_of(row), scheduled_at=timezone.now() + timedelta(days=2),
        at=timezone.now(),
    )  # fmt: skip
    page = visitor().get("/")
    assert "/seasons/autumn/" in links(page)
    assert row.get_absolute_url() in links(page)
    assert "Next on stage" in words(page)


def test_news_of_an_appointment_stand_in_the_readers_zone(visitor: Visitor, orla: User) -> None:
    row = chosen(orla, running(orla, 4), 4, 3)
    when = datetime(START.year + 1, 1, 31, 23, 30, tzinfo=UTC)
    leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=when, at=START)
    reader = user_named("reader")
    reader.time_zone = "Asia/Tokyo"
    reader.save()
    assert f"is on 1 February {when.year}, 08:30 JST ." in words(
        visitor(reader).get("/seasons/autumn/")
    )
    assert f"is on 31 January {when.year}, 23:30 UTC ." in words(visitor().get("/seasons/autumn/"))


# -- calendars -----------------------------------------------------------------------------------


def events_of(client: Client, address: str = "/seasons/autumn/calendar.ics") -> list[Any]:
    answer = client.get(address)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    return list(Calendar.from_ical(answer.content).walk("VEVENT"))


def test_a_calendar_moves_and_strikes_out_what_it_holds(visitor: Visitor, orla: User) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, 4, 3)
    client = visitor()
    assert events_of(client) == []
    when = after(days=1)
    leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=when, at=after(minutes=1))
    first = events_of(client)[0]
    assert first["DTSTART"].dt == when
    assert first["STATUS"] == "CONFIRMED"
    leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=after(days=2), at=after(minutes=2))
    moved = events_of(client)[0]
    assert moved["UID"] == first["UID"]
    assert moved["SEQUENCE"] > first["SEQUENCE"]
    assert moved["DTSTART"].dt == after(days=2)
    leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=None, at=after(minutes=3))
    off = events_of(client)[0]
    assert off["UID"] == first["UID"]
    assert off["STATUS"] == "CANCELLED"
    assert off["SEQUENCE"] > moved["SEQUENCE"]
    assert off["DTSTART"].dt == after(days=2)


def test_a_calendar_strikes_out_what_a_season_that_is_called_off_had_planned(
    visitor: Visitor, orla: User
) -> None:
    season = running(orla, 4)
    leg = leg_of(chosen(orla, season, 4, 3))
    leg_schedule(acting_user=orla, leg=leg, scheduled_at=after(days=1), at=after(minutes=1))
    planned = events_of(visitor())[0]
    season_cancel(acting_user=orla, season=season, why="rain", at=after(minutes=2))
    off = events_of(visitor())[0]
    assert (off["UID"], off["STATUS"]) == (planned["UID"], "CANCELLED")
    assert off["SEQUENCE"] > planned["SEQUENCE"]


def test_a_contestant_has_a_calendar_of_their_own(visitor: Visitor, season: Season) -> None:
    row = death_match_of(season)
    client = visitor()
    mine = events_of(client, f"/seasons/autumn/contestants/{row.away_id}/calendar.ics")
    assert [event["SUMMARY"] for event in mine] == ["Player 4 vs Player 3 (Autumn)"]
    nothing = events_of(client, f"/seasons/autumn/contestants/{who(season, 1).pk}/calendar.ics")
    assert nothing == []
    assert len(events_of(client)) == 2


# -- what it costs -------------------------------------------------------------------------------


def test_who_has_a_page_already_is_not_given_it_again(
    visitor: Visitor, season: Season, orla: User
) -> None:
    client = visitor()
    for page in [*PAGES[:-1], *deep(season)]:
        address = f"/seasons/autumn/{page}"
        etag = client.get(address)["ETag"]
        again = client.get(address, headers={"If-None-Match": etag})
        assert again.status_code == 304, page
        assert again.content == b""
    etag = client.get("/seasons/autumn/")["ETag"]
    conceded(leg_of(death_match_of(season)), 0)
    after_it = client.get("/seasons/autumn/", headers={"If-None-Match": etag})
    assert after_it.status_code == 200
    assert "Player 4 beats Player 3" in words(after_it)
    # What an organiser is shown is theirs, whatever everybody else has.
    own = visitor(orla).get("/seasons/autumn/", headers={"If-None-Match": after_it["ETag"]})
    assert own.status_code == 200
    assert own["ETag"] != after_it["ETag"]
    assert own["Cache-Control"] == "private, no-cache"


def test_a_page_that_was_made_is_not_made_again(visitor: Visitor, season: Season) -> None:
    client = visitor()
    client.get("/seasons/autumn/")
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/seasons/autumn/").status_code == 200
    assert len(queries) <= 2
    etag = client.get("/seasons/autumn/calendar.ics")["ETag"]
    with CaptureQueriesContext(connection) as queries:
        client.get("/seasons/autumn/calendar.ics", headers={"If-None-Match": etag})
    assert len(queries) <= 2


def test_another_release_has_its_pages_made_anew(
    visitor: Visitor, orla: User, settings: Any
) -> None:
    season = running(orla, 4)
    for address in (f"/seasons/{season.slug}/", f"/api/v1/seasons/{season.slug}/standings/"):
        first = visitor().get(address)
        again = {"if-none-match": first["ETag"]}
        assert visitor().get(address, headers=again).status_code == 304
        settings.RELEASE = f"{settings.RELEASE}, mended"
        assert visitor().get(address, headers=again).status_code == 200


def test_what_pages_cost_does_not_grow_with_the_season(visitor: Visitor, orla: User) -> None:
    client = visitor(orla)
    costs: dict[str, list[int]] = {}
    for size, name in ((4, "Small"), (16 if depth.whole else 8, "Large")):
        season = enrolled_as(orla, size, name)
        for page in [*PAGES, "desk/", "desk/contestants/", "desk/rounds/1/"]:
            client.get(f"/seasons/{season.slug}/{page}")
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/seasons/{season.slug}/{page}").status_code == 200
            costs.setdefault(page, []).append(len(queries))
    for page, (small, large) in costs.items():
        assert small == large, page
        assert large <= 24, page


def enrolled_as(orla: User, size: int, name: str) -> Season:
    """A round robin of so many, begun."""
    season = season_create(
        acting_user=orla, name=name, format="round-robin", settings={"repertoire": [GAME]}, at=START
    )
    season_list(acting_user=orla, season=season, at=START)
    for number in range(size):
        user = user_named(f"{name.lower()}{number}")
        contestant_enrol(acting_user=orla, season=season, user=user, at=START)
    return season_start(acting_user=orla, season=season, at=START)


def test_pictures_for_links_are_pictures(visitor: Visitor, season: Season) -> None:
    row = death_match_of(season)
    leg = leg_of(row)
    assert leg.match is not None
    for address in (
        "/seasons/autumn/share.png",
        f"/seasons/autumn/matches/{row.pk}/share.png",
        f"/matches/{leg.match.pk}/share.png",
    ):
        answer = visitor().get(address)
        assert answer["Content-Type"] == "image/png"
        assert answer.content[:8] == b"\x89PNG\r\n\x1a\n"
        assert answer.content[16:24] == (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")
        page = visitor().get(address.removesuffix("share.png")).content.decode()
        assert f'property="og:image" content="http://testserver{address}"' in page


def test_pages_have_no_style_or_script_of_their_own(
    visitor: Visitor, season: Season, orla: User
) -> None:
    client = visitor(orla)
    for page in [*PAGES[:8], *deep(season)[:2], *DESK, *desk_deep(season)]:
        html = client.get(f"/seasons/autumn/{page}").content.decode()
        assert ' style="' not in html, page
        assert "<style" not in html, page
        assert "onclick" not in html, page


def test_a_season_that_nobody_has_entered_has_pages(visitor: Visitor, orla: User) -> None:
    enrolled(orla, 0, "swiss")
    client = visitor(orla)
    for page in [*PAGES, *DESK]:
        assert client.get(f"/seasons/autumn/{page}").status_code in (200, 409), page
