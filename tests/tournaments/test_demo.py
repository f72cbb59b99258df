"""The demo's seasons, and the command that plays seasons."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from core.clock import now_utc
from games.demo import demo_create
from tests.tournaments.support import leg_of
from tests.tournaments.test_documents import elsewhere
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, Season
from tournaments.services.scheduling.readiness import leg_confirm, must_be_confirmable
from tournaments.waiting import waiting_anywhere


def called(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_the_demo_has_a_season_that_is_on_and_one_that_is_over() -> None:
    demo_create(password="only for this test")
    seasons = {season.name: season for season in Season.objects.all()}
    assert {name: season.status for name, season in seasons.items()} == {
        "Spring Cup": "finished",
        "Autumn Gauntlet": "running",
        "Open Duel": "running",
    }
    for season in seasons.values():
        assert faults_of(season) == []
        assert season.contestants.filter(user__username__in=["ada", "ben"]).count() == 2
    on = seasons["Autumn Gauntlet"]
    assert on.rounds.filter(status="closed").count() == 3
    leg = on.rounds.get(number=4).death_matches.get().legs.get()
    assert leg.scheduled_at is not None
    events = on.events.count()
    demo_create(password="only for this test")
    assert (Season.objects.count(), on.events.count()) == (3, events)


@pytest.mark.django_db
def test_ada_and_ben_have_a_death_match_that_they_can_begin_at_once() -> None:
    """By what `/ready` and the pages do; though another of theirs is tomorrow."""
    demo_create(password="only for this test")
    row = DeathMatch.objects.get(round__season__name="Open Duel")
    two = [User.objects.get(username=name) for name in ("ada", "ben")]
    for user in two:
        assert row.get_absolute_url() in [each.url for each in waiting_anywhere(user)]
    for at in (now_utc(), now_utc() + timedelta(days=30)):
        for user in two:
            must_be_confirmable(leg_of(row), user, at=at)
    for user in two:
        leg_confirm(acting_user=user, leg=leg_of(row))
    assert leg_of(row).status == "running"


def test_a_season_is_simulated_at_the_command_line(orla: User) -> None:
    said = called(
        "simulate_season", "--format=swiss", "--contestants=4", "--quick", "--seed=3",
        '--format-options={"rounds": 2}', "--organiser=orla",
    )  # fmt: skip
    assert "Finished, won by" in said
    assert said.endswith("Everything holds.\n")


def test_without_an_organiser_nothing_is_simulated(db: None) -> None:
    with pytest.raises(CommandError, match="no such organiser"):
        called("simulate_season", "--quick")


def test_too_few_contestants(orla: User) -> None:
    with pytest.raises(CommandError, match="at least 3"):
        called("simulate_season", "--quick", "--contestants=2")
    assert not Season.objects.exists()


def test_a_season_moves_at_the_command_line(orla: User, tmp_path: Path) -> None:
    called("simulate_season", "--format=ladder", "--contestants=3", "--quick", "--rounds=2")
    slug, file = Season.objects.get().slug, str(tmp_path / "season.zip")
    called("season", "export", slug, file)
    elsewhere()
    said = called("season", "import", file, "--organiser=orla", "--match-accounts")
    assert said == "Simulation is restored as simulation.\n"
    for arguments, words in (
        (("import", file, "--organiser=orla"), "on this site already"),
        (("import", file, "--organiser=nobody"), "Nobody here"),
        (("import", file + "x", "--organiser=orla"), "No such file"),
        (("export", "nothing", file), "no season"),
    ):
        with pytest.raises(CommandError, match=words):
            called("season", *arguments)
