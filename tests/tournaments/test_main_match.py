"""Main matches recorded with what is settled of the death match before there is one."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Announcement, User
from core.refusals import Refusal
from tests.tournaments.support import (
    GAME,
    WARS,
    after,
    chosen,
    episode_now,
    fresh,
    kinds,
    leg_of,
    organiser_named,
    placings,
    played,
    refused,
    running,
    who,
)
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.episodes import episode_skip
from tournaments.formats.elimination.main_match import (
    Ahead,
    Placing,
    main_match_record_next,
    placements_record,
)
from tournaments.models import Episode, Season, SeasonOrganiser
from tournaments.services.results.corrections import death_match_void

SOON = after(hours=5)


def recorded(orla: User, season: Season, ahead: Ahead, **more: Any) -> Episode:
    return placements_record(
        acting_user=orla,
        episode=episode_now(season),
        placements=placings(season, 4),
        ahead=ahead,
        at=after(minutes=1),
        **more,
    )


def choose(orla: User, season: Season, **span: float) -> Any:
    return dmo_choose(
        acting_user=orla, episode=episode_now(season), contestant=who(season, 2), at=after(**span)
    )


def test_game_and_time_are_kept_until_there_is_a_death_match(orla: User) -> None:
    season = running(orla, 4, repertoire=[GAME, WARS])
    episode = recorded(orla, season, Ahead(WARS, SOON, 30))
    assert episode.death_match_at == SOON
    assert episode.choose_by == after(minutes=31)
    row = choose(orla, season, minutes=10)
    leg = leg_of(row)
    assert (leg.ruleset, leg.variant, leg.scheduled_at) == (WARS["ruleset"], WARS["variant"], SOON)
    assert episode_now(season).death_match_at is None
    told = {each.kind: each.data for each in season.events.all()}
    assert told["episode.chosen"]["times"] == [SOON.isoformat()]
    assert told["death-match.paired"]["times"] == [SOON.isoformat()]


def test_nothing_settled_leaves_all_to_the_season(orla: User) -> None:
    season = running(orla, 4)
    episode = recorded(orla, season, Ahead())
    assert episode.choose_by == after(minutes=1) + timedelta(hours=24)
    leg = leg_of(choose(orla, season, minutes=2))
    assert (leg.ruleset, leg.scheduled_at) == (GAME["ruleset"], None)


@pytest.mark.parametrize("span", [{"hours": 5}, {"hours": 4.99}, {"hours": 4, "minutes": 31}])
def test_a_time_over_or_too_near_by_the_choice_is_not_set_and_organisers_are_told(
    orla: User, span: dict[str, float]
) -> None:
    season = running(orla, 4)
    recorded(orla, season, Ahead(scheduled_at=SOON))
    row = choose(orla, season, **span)
    assert leg_of(row).scheduled_at is None
    assert episode_now(season).death_match_at is None
    told = Announcement.objects.filter(key__startswith="time-over:")
    assert [(each.user, each.kind) for each in told] == [(orla, "organiser.needed")]


def test_a_time_is_kept_while_both_can_still_say_that_they_are_ready(orla: User) -> None:
    season = running(orla, 4)
    recorded(orla, season, Ahead(scheduled_at=SOON))
    row = choose(orla, season, hours=4, minutes=30)
    assert leg_of(row).scheduled_at == SOON
    assert not Announcement.objects.filter(key__startswith="time-over:").exists()


def test_recording_again_and_skipping_forget_what_was_settled(orla: User) -> None:
    season = running(orla, 4, repertoire=[GAME, WARS])
    recorded(orla, season, Ahead(WARS, SOON))
    episode = recorded(orla, season, Ahead())
    assert (episode.death_match_at, episode.round.ruleset) == (None, "")
    recorded(orla, season, Ahead(scheduled_at=SOON))
    episode_skip(acting_user=orla, episode=episode_now(season), why="So", at=after(minutes=2))
    assert episode_now(season).death_match_at is None


def test_who_chooses_again_after_a_void_death_match_has_no_time_left_over(orla: User) -> None:
    season = running(orla, 4)
    recorded(orla, season, Ahead(scheduled_at=SOON))
    row = choose(orla, season, minutes=2)
    death_match_void(acting_user=orla, death_match=fresh(row), why="So", at=after(minutes=3))
    assert leg_of(choose(orla, season, minutes=4)).scheduled_at is None


@pytest.mark.parametrize(
    ("ahead", "code"),
    [
        (Ahead(minutes=0), "choice.minutes"),
        (Ahead(minutes=86_401), "choice.minutes"),
        (Ahead(scheduled_at=after(minutes=-1)), "schedule.past"),
        (Ahead(scheduled_at=after(days=4000)), "schedule.far"),
        (Ahead(game={"ruleset": "tetronogo"}), "season.repertoire"),
        (Ahead(game={**GAME, "variant": "none"}), "setup.variant"),
    ],
)
def test_what_is_settled_has_to_make_sense(orla: User, ahead: Ahead, code: str) -> None:
    season = running(orla, 4)
    refused(code, recorded, orla=orla, season=season, ahead=ahead)


@pytest.mark.parametrize("ahead", [Ahead(game=GAME), Ahead(scheduled_at=SOON), Ahead(minutes=5)])
def test_an_organiser_who_comes_last_settles_nothing(orla: User, ahead: Ahead) -> None:
    season = running(orla, 4)
    last = who(season, 4)
    last.user = orla
    last.save(update_fields=["user"])
    refused("death-match.own", recorded, orla=orla, season=season, ahead=ahead)
    assert recorded(orla, season, Ahead()).ec == last


@pytest.mark.parametrize("ahead", [Ahead(game=WARS), Ahead(scheduled_at=SOON), Ahead(minutes=5)])
def test_an_organiser_who_could_be_chosen_settles_nothing(orla: User, ahead: Ahead) -> None:
    season = running(orla, 4, repertoire=[GAME, WARS])
    own = who(season, 2)
    own.user = orla
    own.save(update_fields=["user"])
    refused("death-match.own", recorded, orla=orla, season=season, ahead=ahead)
    immune = placings(season, 4, immune=[2])
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=immune, ahead=ahead,
        at=after(minutes=1),
    )  # fmt: skip
    assert episode.ec == who(season, 4)


def test_what_others_settled_stays_where_somebody_records_again_who_could_be_chosen(
    orla: User,
) -> None:
    season = running(orla, 4, repertoire=[GAME, WARS])
    olin = organiser_named("olin")
    SeasonOrganiser.objects.create(season=season, user=olin)
    own = who(season, 2)
    own.user = olin
    own.save(update_fields=["user"])
    recorded(orla, season, Ahead(WARS, SOON))
    for ahead in (Ahead(), Ahead(WARS, SOON)):
        episode = recorded(olin, season, ahead)
        assert (episode.death_match_at, episode.round.ruleset) == (SOON, WARS["ruleset"])
    refused("death-match.own", recorded, orla=olin, season=season, ahead=Ahead(GAME, SOON))


def test_a_time_is_kept_only_while_the_ec_chooses(orla: User) -> None:
    season = running(orla, 4)
    with pytest.raises(IntegrityError), transaction.atomic():
        Episode.objects.filter(round__season=season).update(death_match_at=SOON)


def test_the_next_episode_is_opened_and_recorded_in_one_act_or_not_at_all(orla: User) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, ec=4, dmo=2), winner=0)
    people = [who(season, number) for number in (1, 3, 4)]
    placed = [Placing(each, place) for place, each in enumerate(people, start=1)]
    with pytest.raises(Refusal, match=r"placements\.missing"), transaction.atomic():
        main_match_record_next(
            acting_user=orla, season=season, placements=placed[1:], at=after(days=1)
        )
    assert season.rounds.count() == 1
    episode = main_match_record_next(
        acting_user=orla, season=season, placements=placed, main_match="Tag", at=after(days=1)
    )
    assert (episode.round.number, episode.status, episode.ec) == (2, "choosing", people[2])
    assert episode.main_match == "Tag"
    assert kinds(season)[-2:] == ["round.opened", "episode.placed"]
    refused(
        "round.not-closed", main_match_record_next,
        acting_user=orla, season=season, placements=placed, at=after(days=2),
    )  # fmt: skip
