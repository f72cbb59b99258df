"""What organisers copy for Discord: what it says, to whom it is offered, and that it tells nobody
anything that the page beside it does not."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from accounts.models import User
from core.discord.text import CONTENT_MOST
from tests.pages.support import words
from tests.tournaments.support import (
    GAME,
    START,
    after,
    begun,
    chosen,
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
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.main_match import placements_record
from tournaments.models import Contestant, DeathMatch, Season
from tournaments.posts import copying
from tournaments.reading.sheet import Sheet
from tournaments.services.rounds import round_pair
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import season_create, season_unlist

pytestmark = pytest.mark.django_db

BAD = "*Ada* @everyone <@1> [x](http://evil.example)"
TEXT = re.compile(r'<textarea[^>]*id="for-discord"[^>]*>\n(.*?)</textarea>', re.DOTALL)


def copied(client: Client, address: str) -> str:
    """What stands in the box of a page; empty where there is none."""
    found = TEXT.search(client.get(address).text)
    return "" if found is None else unescape(found[1])


@pytest.fixture
def orla(db: None) -> User:
    """An organiser."""
    return organiser_named("orla")


@pytest.fixture
def oscar(db: None) -> User:
    """Another one."""
    return organiser_named("oscar")


@pytest.fixture
def season(orla: User) -> Season:
    """Of five: one is out, the next death match has a time."""
    made = running(orla, 5)
    played(orla, chosen(orla, made, 5, 4), 1)
    row = chosen(orla, made, 4, 3)
    leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=after(hours=48), at=START)
    return made


def pages(season: Season) -> dict[str, str]:
    """Each page with the box, with what everybody reads there."""
    row = DeathMatch.objects.filter(round__season=season).order_by("-pk")[0]
    return {
        "": season.name,
        f"rounds/{row.round.number}/": row.round.name,
        f"matches/{row.pk}/": "Player 4 vs Player 3",
    }


def test_each_page_offers_what_it_says_to_organisers_alone(
    season: Season,
    orla: User,
    oscar: User,
    client: Client,
) -> None:
    for path, told in pages(season).items():
        address = f"/seasons/{season.slug}/{path}"
        client.logout()
        assert copied(client, address) == ""
        for user in (oscar, who(season, 1).user):
            assert user is not None
            client.force_login(user)
            assert copied(client, address) == ""
        client.force_login(orla)
        text = copied(client, address)
        assert told in text
        assert text.startswith("**Autumn")
        assert text.splitlines()[-1] == f"<http://localhost:8000{address}>"


def test_a_draft_is_offered_to_nobody(orla: User, client: Client) -> None:
    client.force_login(orla)
    draft = season_create(acting_user=orla, name="Draft", format="swiss")
    assert copied(client, f"/seasons/{draft.slug}/") == ""
    season = enrolled(orla, 3, "swiss")
    assert copied(client, f"/seasons/{season.slug}/") != ""
    season_unlist(acting_user=orla, season=season)
    assert copied(client, f"/seasons/{season.slug}/") == ""


def test_an_episode_says_who_came_where_and_when_it_is_played(season: Season) -> None:
    latest = season.rounds.latest("number")
    text = copying.round_copied(Sheet(season), latest)
    at = round(after(hours=48).timestamp())
    assert text.splitlines()[1:-1] == [
        "**Main match**",
        *[f"{place}\\. {each.contestant.shown_name}"
          for place, each in enumerate(latest.episode.placements.order_by("place"), start=1)],
        "EC: **Player 4**",
        "DMO: **Player 3**",
        f"Player 4 vs Player 3, <t:{at}:f>",
    ]  # fmt: skip
    row = fresh(DeathMatch.objects.get(round=latest))
    assert f"<t:{at}:F>, <t:{at}:R>" in copying.death_match_copied(row)


def test_a_table_is_copied_from_its_page(orla: User, client: Client) -> None:
    # Who meet has not met yet, so that the second does not apply.
    ties = ["points", "direct", "buchholz"]
    season = running(orla, 4, "swiss", repertoire=[GAME], tie_breaks=ties)
    if not season.rounds.exists():
        round_pair(acting_user=orla, season=season, at=START)
    client.force_login(orla)
    text = copied(client, f"/seasons/{season.slug}/standings/")
    assert "1\\. **Player" in text
    head, played, signs, *rows = text.splitlines()
    assert head == "**Autumn: standings**"
    assert played == "Round 1 is being played."
    # The letters of a table's head are explained, and what does not apply is not told.
    assert signs == "(BH: Buchholz)"
    assert all(re.search(r" · 0 pts · BH \d$", row) for row in rows[:-1])
    assert "\N{EN DASH}" not in text
    assert text.splitlines()[-1] == f"<http://localhost:8000/seasons/{season.slug}/standings/>"


def test_of_a_table_that_is_cut_it_says_how_many_are_missing(orla: User) -> None:
    season = running(orla, 45, "swiss", repertoire=[GAME])
    Contestant.objects.filter(season=season).update(name="n" * 80)
    lines = copying.standings_copied(Sheet(season)).splitlines()
    kept = sum(": n" in line or "**n" in line for line in lines)
    assert 0 < kept < 45
    assert f"… and {45 - kept} more" in lines


def test_names_are_shown_as_they_are_and_mention_nobody(
    season: Season,
    client: Client,
    orla: User,
) -> None:
    Contestant.objects.filter(pk__in=[who(season, 3).pk, who(season, 4).pk]).update(name=BAD)
    Season.objects.filter(pk=season.pk).update(name="# Autumn `cup`")
    client.force_login(orla)
    for path in pages(season):
        text = copied(client, f"/seasons/{season.slug}/{path}")
        assert "Autumn \\`cup\\`" in text
        assert re.search(r"(?<!\\)@everyone", text) is None
        assert re.search(r"(?<!\\)<@", text) is None
        assert re.search(r"(?<!\\)\*Ada", text) is None
        assert "](http://evil" not in text.replace("\\[x](http", "")
        if path:
            assert "\\*Ada\\* \\@everyone" in text


def test_it_says_nothing_that_the_page_does_not(
    season: Season,
    client: Client,
    orla: User,
) -> None:
    """Whoever reads the page without an account finds there each name, game and result of it."""
    begun(orla, DeathMatch.objects.filter(round__season=season).order_by("-pk")[0])
    for path in pages(season):
        address = f"/seasons/{season.slug}/{path}"
        client.force_login(orla)
        text = copied(client, address)
        client.logout()
        page = words(client.get(address))
        for name in re.findall(r"Player \d|Tetro\w+", text):
            assert name in page, (path, name)


def test_it_is_one_message_however_many_there_are(orla: User) -> None:
    season = running(orla, 4)
    Contestant.objects.filter(season=season).update(name="n" * 190)
    sheet = Sheet(season)
    row = chosen_quietly(orla, season)
    for text in (
        copying.season_copied(sheet), copying.standings_copied(sheet),
        copying.round_copied(Sheet(season), row.round), copying.death_match_copied(row),
    ):  # fmt: skip
        assert len(text) <= CONTENT_MOST
        assert text.endswith("/>")


def chosen_quietly(organiser: User, season: Season) -> DeathMatch:
    """A death match of the last two, whatever they are called."""
    episode = placements_record(
        acting_user=organiser, episode=episode_now(season), placements=placings(season, 1), at=START
    )
    assert episode.ec is not None
    other = season.contestants.exclude(pk=episode.ec.pk).first()
    assert other is not None
    return dmo_choose(acting_user=organiser, episode=episode, contestant=other, at=START)
