"""Whole seasons, played by bots through the services, and everything that must hold of them. They
are as large as ours get only in a whole run."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from games.models import Match
from tests.support import depth
from tests.tournaments.support import GAME, START
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, Gift, Leg, Season, SeasonEvent
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate


def simulated(orla: User, kind: str, contestants: int, **more: Any) -> Season:
    plan = Plan(
        format=kind,
        contestants=contestants,
        start=START,
        **{"seed": 1, "quick": True, "repertoire": (GAME,), **more},
    )
    season = season_simulate(plan=plan, organiser=orla)
    assert faults_of(season) == []
    return season


def course_of(season: Season) -> list[str]:
    """What happened, in words."""
    return list(
        SeasonEvent.objects.filter(season=season).order_by("pk").values_list("words", flat=True)
    )


def test_sixteen_contestants_to_a_best_of_five_final(orla: User) -> None:
    """Or eight, who are as unlucky."""
    size, seed = (16, 1) if depth.whole else (8, 9)
    season = simulated(
        orla, "elimination", size, seed=seed, drop_outs=2, no_shows=2, voids=2, corrections=2,
        repertoire=(),
    )  # fmt: skip
    assert season.status == "finished"
    final = DeathMatch.objects.get(round__season=season, round__is_final=True)
    assert final.best_of == 5
    assert max(final.home_score, final.away_score) == 3
    assert season.contestants.filter(place=1).get() == season.winner
    assert season.contestants.filter(status="withdrawn").count() >= 2
    assert Gift.objects.filter(season=season, status="spent").exists()
    assert Leg.objects.filter(death_match__round__season=season, how="walkover").count() == 0
    assert DeathMatch.objects.filter(round__season=season, how="walkover").exists()
    kinds = set(season.events.values_list("kind", flat=True))
    assert {"death-match.void", "death-match.corrected", "death-match.no-show"} <= kinds


def test_the_same_seed_plays_the_same_season(orla: User) -> None:
    size = 6 if depth.whole else 4
    first = course_of(simulated(orla, "elimination", size, seed=7, best_of=3))
    assert course_of(simulated(orla, "elimination", size, seed=7, best_of=3)) == first
    assert course_of(simulated(orla, "elimination", size, seed=8, best_of=3)) != first


def test_matches_can_be_played_out(orla: User) -> None:
    season = simulated(orla, "elimination", 3, quick=False, best_of=1, repertoire=())
    reasons = set(Match.objects.filter(leg__isnull=False).values_list("reason", flat=True))
    assert season.status == "finished"
    assert reasons - {"concession"}


def test_a_season_can_be_left_running(orla: User) -> None:
    season = simulated(orla, "elimination", 6, rounds=2)
    assert season.status == "running"
    assert season.rounds.count() == 2


@pytest.mark.parametrize("kind", ["round-robin", "ladder"])
def test_smaller_formats(orla: User, kind: str) -> None:
    season = simulated(orla, kind, 6 if depth.whole else 4, voids=1)
    assert season.status == "finished"


def test_a_swiss_season_of_24(orla: User) -> None:
    """Or 10, with everything that can go wrong. Larger fields are paired in `pure`, without a
    database."""
    size, rounds = (24, 5) if depth.whole else (10, 4)
    season = simulated(
        orla, "swiss", size, options={"rounds": rounds}, drop_outs=3, no_shows=3, voids=2,
        corrections=2,
    )  # fmt: skip
    assert season.status == "finished"
    assert season.rounds.count() == rounds


def test_a_bracket_of_20_with_drop_outs(orla: User) -> None:
    """Or 10: byes in the first round too."""
    season = simulated(
        orla,
        "single-elimination",
        20 if depth.whole else 10,
        options={"third_place": True},
        drop_outs=4,
        no_shows=2,
        voids=2,
        corrections=2,
    )
    assert season.status == "finished"
    assert season.rounds.count() == (5 if depth.whole else 4)
