"""Seasons by commands: how one stands, and the candidate's choice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from accounts.announcing.kinds import Way, When
from accounts.announcing.services import choices_set
from accounts.models import User
from core.clock import now_utc
from tests.discord.support import Guild, description, plain, said
from tests.games.support import user_named
from tests.tournaments.support import (
    account,
    episode_now,
    nothing_changes,
    organiser_named,
    placings,
    running,
    who,
)
from tournaments.announcements import FOLLOW_LIVE, FOLLOW_WINNER, FOLLOWED_KINDS
from tournaments.discord.fake.people import Person
from tournaments.discord.fake.schemas import UPDATE
from tournaments.formats.elimination.choice import choosable
from tournaments.formats.elimination.main_match import placements_record
from tournaments.lifecycle import EpisodeStatus, Visibility
from tournaments.models import DeathMatch, Leg, Season, SeasonFollow
from tournaments.services.seasons import season_create

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(db: None) -> User:
    return organiser_named("orga")


@pytest.fixture
def season(organiser: User) -> Season:
    return choosing(organiser)


def choosing(organiser: User, **more: Any) -> Season:
    """An elimination season of four in which the fourth is to choose."""
    season = running(organiser, 4, **more)
    now = now_utc()
    placements_record(
        acting_user=organiser,
        episode=episode_now(season),
        placements=placings(season, 4, immune=[1]),
        at=now,
    )
    return season


def joined(guild: Guild, season: Season, number: int) -> Person:
    return guild.joined(f"Player {number}", account(season, number))


# -- looking -------------------------------------------------------------------------------------


def test_a_season_is_shown_to_all(guild: Guild, season: Season) -> None:
    answer = guild.eve.command("season")
    assert not answer.is_private
    embed = answer.data["embeds"][0]
    assert plain(embed["title"]) == season.name
    assert embed["url"].endswith(season.get_absolute_url())
    assert "4 of 4 can still win it." in description(answer.original)
    Season.objects.filter(pk=season.pk).update(
        status="finished", winner=who(season, 1), finished_at=now_utc()
    )
    over = description(guild.eve.command("season", season=season.slug).original)
    assert "Won by" in over
    assert "can still win" not in over


def test_the_standings_are_shown_to_all(guild: Guild, season: Season) -> None:
    answer = guild.eve.command("standings", season=season.slug)
    assert not answer.is_private
    words = description(answer.original)
    for number in range(1, 5):
        assert f"Player {number}" in words


def test_a_table(guild: Guild, organiser: User) -> None:
    season = running(organiser, 4, "round-robin")
    words = description(guild.eve.command("standings", season=season.slug).original)
    assert words.count("\n") == 3
    assert words.startswith("1. **Player")


def test_a_draft_is_its_organisers(guild: Guild, organiser: User) -> None:
    season = season_create(acting_user=organiser, name="Secret", format="elimination")
    for command in ("season", "standings"):
        answer = guild.eve.command(command, season=season.slug)
        assert said(answer) == "There is no such season."
        own = guild.joined("Orga", organiser).command(command, season=season.slug)
        assert own.is_private
        assert plain(own.data["embeds"][0]["title"]) == "Secret"
    assert guild.eve.typing("season", "season", season="sec").choices == []
    (mine,) = guild.joined("Orga", organiser).typing("season", "season", season="sec").choices
    assert mine == {"name": "Secret", "value": season.slug}


def test_which_of_several(guild: Guild, organiser: User, season: Season) -> None:
    assert said(guild.eve.command("season", season="none")) == "There is no such season."
    running(organiser, 4, "round-robin")
    assert "Say which one" in said(guild.eve.command("season"))
    assert len(guild.eve.typing("season", "season", season="").choices) == 2


def test_none_is_on(guild: Guild) -> None:
    assert said(guild.eve.command("season")) == "No season is on at the moment."


# -- the choice ----------------------------------------------------------------------------------


def test_the_candidate_chooses_from_a_menu(guild: Guild, season: Season) -> None:
    candidate = joined(guild, season, 4)
    answer = candidate.command("choose")
    assert answer.is_private
    (menu,) = answer.original.body["components"][0]["components"]
    may = choosable(episode_now(season))
    assert [(each["label"], each["value"]) for each in menu["options"]] == [
        (each.shown_name, str(each.pk)) for each in may
    ]
    sure = candidate.choose(menu["custom_id"], str(who(season, 2).pk), message=answer.original)
    assert sure.body["type"] == UPDATE
    assert "**Player 2**?" in said(sure)
    assert "cannot be changed" in said(sure)
    assert episode_now(season).status == EpisodeStatus.CHOOSING
    (button,) = sure.data["components"][0]["components"]
    assert button["label"] == "This is my choice"
    done = candidate.press(button["custom_id"])
    assert said(done) == "The choice is made."
    death_match = DeathMatch.objects.get()
    assert (death_match.home, death_match.away) == (who(season, 4), who(season, 2))
    with nothing_changes():
        again = candidate.press(button["custom_id"])
    assert "nobody chooses now" in said(again)


def test_only_the_candidate(guild: Guild, season: Season) -> None:
    other = joined(guild, season, 2)
    slug, number = season.slug, episode_now(season).round.number
    pressed = f"chosen:{slug}:{number}:{who(season, 3).pk}"
    for answer in (
        other.command("choose", season=slug),
        other.choose(f"choose:{slug}:{number}", str(who(season, 3).pk)),
        other.press(pressed),
    ):
        assert said(answer) == "The EC chooses, or an organiser."
        assert answer.is_private
    assert said(other.command("choose")) == "You have nobody to choose at the moment."
    assert not DeathMatch.objects.exists()


def test_not_whoever_is_immune(guild: Guild, season: Season) -> None:
    candidate = joined(guild, season, 4)
    slug, number = season.slug, episode_now(season).round.number
    immune = who(season, 1).pk
    with nothing_changes():
        chosen = candidate.choose(f"choose:{slug}:{number}", str(immune))
        pressed = candidate.press(f"chosen:{slug}:{number}:{immune}")
    assert said(chosen) == "They cannot be chosen."
    assert said(pressed)
    assert pressed.is_private


def test_in_a_season_without_episodes_nobody_is_chosen(guild: Guild, organiser: User) -> None:
    season = running(organiser, 4, "round-robin")
    answer = joined(guild, season, 1).command("choose", season=season.slug)
    assert said(answer) == "You have nobody to choose at the moment."


def test_a_season_in_the_archive_is_left_alone(guild: Guild, season: Season) -> None:
    season.visibility = Visibility.ARCHIVED
    season.save(update_fields=["visibility"])
    candidate = joined(guild, season, 4)
    with nothing_changes():
        answer = candidate.command("choose")
    assert "archive" in said(answer)


# -- being ready ---------------------------------------------------------------------------------


def test_both_are_ready_and_it_begins(guild: Guild, season: Season) -> None:
    candidate, other = joined(guild, season, 4), joined(guild, season, 2)
    slug, number = season.slug, episode_now(season).round.number
    candidate.press(f"chosen:{slug}:{number}:{who(season, 2).pk}")
    first = candidate.command("ready")
    assert said(first) == "You are ready. The match begins when both of you are."
    second = other.command("ready")
    leg = Leg.objects.get()
    assert leg.match_id is not None
    assert said(second) == "The match has begun."
    (button,) = second.data["components"][0]["components"]
    assert button["url"].endswith(f"/matches/{leg.match_id}/")


def test_both_are_ready_at_a_slow_pace_and_have_yet_to_look_in(
    guild: Guild, organiser: User
) -> None:
    season = choosing(organiser, pace="daily")
    candidate, other = joined(guild, season, 4), joined(guild, season, 2)
    number = episode_now(season).round.number
    candidate.press(f"chosen:{season.slug}:{number}:{who(season, 2).pk}")
    open_numbers = "both looked in and your numbers are open."
    assert said(candidate.command("ready")).endswith(open_numbers)
    told = said(other.command("ready"))
    assert told == "The match begins once both players have looked in and their numbers are open."


def test_a_button_says_so_before_it_begins_and_while_it_waits(guild: Guild, season: Season) -> None:
    candidate, other = joined(guild, season, 4), joined(guild, season, 2)
    outsider = joined(guild, season, 3)
    slug, number = season.slug, episode_now(season).round.number
    candidate.press(f"chosen:{slug}:{number}:{who(season, 2).pk}")
    leg = Leg.objects.get()
    here = f"here:{leg.pk}"
    with nothing_changes():
        assert "Use /link first." in said(guild.eve.press(here))
        assert said(outsider.press(here)) == "No match waits for you to be ready."
        assert said(candidate.press("here:999999")) == "No match waits for you to be ready."
    first = candidate.press(here)
    assert first.is_private
    assert said(first) == "You are ready. The match begins when both of you are."
    assert first.data["components"][0]["components"][0]["label"] == "Open the death match"
    assert said(other.press(here)) == "The match has begun."
    # Whoever presses it later is told of the match that it has become.
    assert said(outsider.press(here)) == "Only the two players can say that."


def test_too_early(guild: Guild, season: Season) -> None:
    candidate = joined(guild, season, 4)
    slug, number = season.slug, episode_now(season).round.number
    candidate.press(f"chosen:{slug}:{number}:{who(season, 2).pk}")
    Leg.objects.update(scheduled_at=now_utc() + timedelta(days=1))
    with nothing_changes():
        answer = candidate.command("ready")
    assert said(answer).startswith("You can say that you are ready from")


# -- following -----------------------------------------------------------------------------------


def test_whoever_has_linked_an_account_follows_and_does_so_no_more(
    guild: Guild, season: Season
) -> None:
    fan = guild.joined("Fan", user_named("fan"))
    answer = fan.command("follow", season=season.slug)
    assert answer.is_private
    assert plain(said(answer)).startswith(f"You follow **{season.name}**: you are told")
    assert "Here you are told when a death match is live." in said(answer)
    assert SeasonFollow.objects.get().user.username == "fan"
    assert said(fan.command("follow", season=season.slug)) == "You follow this season already."
    assert fan.typing("unfollow", "season", season="").choices == [
        {"name": season.name, "value": season.slug}
    ]
    # It is the only one: nobody need say which.
    answer = fan.command("unfollow")
    assert answer.is_private
    assert plain(said(answer)) == f"You do not follow **{season.name}** any more."
    assert said(fan.command("unfollow")) == "You follow no season."
    assert fan.typing("unfollow", "season", season="").choices == []


def test_whoever_follows_is_told_of_what_they_hear_there(guild: Guild, season: Season) -> None:
    fan = user_named("fan")
    person = guild.joined("Fan", fan)

    def here(*wanted: str) -> str:
        choices_set(
            acting_user=fan,
            chosen={
                (key, Way.DISCORD): When.NOW if key in wanted else When.OFF
                for key in FOLLOWED_KINDS
            },
        )
        answer = plain(said(person.command("follow", season=season.slug)))
        person.command("unfollow")
        return answer.partition("you are told what happens in it.")[2].strip()

    assert here() == ""
    assert here(FOLLOW_LIVE) == "Here you are told when a death match is live."
    some = here(FOLLOW_LIVE, FOLLOW_WINNER)
    assert some == "Here you are told of “A death match is live”, “A season has a winner”."
    assert here(*FOLLOWED_KINDS) == "Here you are told all of it."


def test_the_button_below_a_season_follows_it_however_often_it_is_pressed(
    guild: Guild, season: Season
) -> None:
    fan = guild.joined("Fan", user_named("fan"))
    answer = fan.command("season", season=season.slug)
    row = answer.data["components"][0]["components"]
    assert [each["label"] for each in row] == ["Open the season", "Follow"]
    button = row[1]["custom_id"]
    first, second = fan.press(button), fan.press(button)
    assert first.is_private
    assert second.is_private
    assert said(first).startswith("You follow")
    assert plain(said(second)) == f"You follow **{season.name}** already."
    assert SeasonFollow.objects.filter(season=season).count() == 1
    for answer in (first, second):
        parts = answer.data["components"][0]["components"]
        assert [each["label"] for each in parts][-1] == "Unfollow"
    undo = second.data["components"][0]["components"][-1]["custom_id"]
    undone = fan.press(undo)
    assert undone.is_private
    assert said(undone).startswith("You do not follow")
    assert said(fan.press(undo)) == "You do not follow this season."
    # Of a season that is over there is nothing to follow.
    Season.objects.filter(pk=season.pk).update(
        status="finished", winner=who(season, 1), finished_at=now_utc()
    )
    row = fan.command("season", season=season.slug).data["components"][0]["components"]
    assert [each["label"] for each in row] == ["Open the season"]


def test_following_takes_an_account_and_a_season_that_is_there_to_be_seen(
    guild: Guild, season: Season, organiser: User
) -> None:
    assert "Use /link first." in said(guild.eve.command("follow", season=season.slug))
    assert "Use /link first." in said(guild.eve.press(f"follow:{season.pk}"))
    assert "You play in this season" in said(
        joined(guild, season, 1).command("follow", season=season.slug)
    )
    draft = season_create(acting_user=organiser, name="Hidden", format="swiss", settings={})
    fan = guild.joined("Fan", user_named("fan"))
    assert said(fan.command("follow", season=draft.slug)) == "There is no such season."
    assert said(fan.press(f"follow:{draft.pk}")) == "There is no such season."
    assert not SeasonFollow.objects.exists()
