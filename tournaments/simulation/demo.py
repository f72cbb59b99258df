"""Seasons to look at on a fresh site: one that is running, with a history, a bracket that is over,
and a death match that can be begun at any time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from accounts.models import User
from core.clock import now_utc
from tournaments.formats.elimination.choice import choosable, dmo_choose
from tournaments.formats.elimination.episodes import episode_open
from tournaments.formats.elimination.main_match import Placing, placements_record
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Season
from tournaments.services.contestants.enrolment import Enrolment, contestants_enrol
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start
from tournaments.simulation.plan import Plan, repertoire_of_all
from tournaments.simulation.season import season_simulate

RUNNING: Final = "Autumn Gauntlet"
FINISHED: Final = "Spring Cup"
DUEL: Final = "Open Duel"
SEED: Final = 7


def demo_seasons(users: Mapping[str, User]) -> None:
    """Make what is missing of the demo's seasons, run by Olga, with Ada and Ben among the bots."""
    olga, players = users["olga"], (users["ada"], users["ben"])
    if not Season.objects.filter(name=FINISHED).exists():
        _cup(olga, players)
    if not Season.objects.filter(name=RUNNING).exists():
        _gauntlet(olga, players)
    if not Season.objects.filter(name=DUEL).exists():
        _duel(olga, players)


def _cup(olga: User, players: tuple[User, ...]) -> None:
    plan = Plan(
        format="single-elimination",
        contestants=8,
        seed=SEED,
        start=now_utc() - timedelta(days=90),
        name=FINISHED,
        summary="Eight players, one evening, who loses is out.",
        quick=True,
        options={"third_place": True},
    )
    season_simulate(plan=plan, organiser=olga, players=players)


def _gauntlet(olga: User, players: tuple[User, ...]) -> None:
    """Three episodes behind it, and a death match tomorrow."""
    now = now_utc()
    plan = Plan(
        format="elimination",
        contestants=8,
        seed=SEED,
        start=now - timedelta(days=30),
        name=RUNNING,
        summary="Eight contestants, one of them out each week, and a final of the last two.",
        quick=True,
        voids=1,
        rounds=3,
    )
    season = season_simulate(plan=plan, organiser=olga, players=players)
    episode = episode_open(acting_user=olga, season=season, at=now - timedelta(days=2))
    # Whoever tries the site out as Ada or Ben finds something to do.
    active = sorted(
        season.contestants.filter(status=ContestantStatus.ACTIVE).select_related("user"),
        key=lambda each: (each.user in players, each.pk),
    )
    episode = placements_record(
        acting_user=olga,
        episode=episode,
        placements=[
            Placing(each, place, immune=place == 1) for place, each in enumerate(active, start=1)
        ],
        main_match="Tower of Numbers",
        at=now - timedelta(days=1),
    )
    death_match = dmo_choose(
        acting_user=active[-1].user or olga,
        episode=episode,
        contestant=choosable(episode)[-1],
        at=now - timedelta(hours=20),
    )
    tomorrow = (now + timedelta(days=1)).replace(minute=0, second=0, microsecond=0)
    leg_schedule(
        acting_user=olga,
        leg=death_match.legs.select_related("death_match__round__season").get(),
        scheduled_at=tomorrow,
        at=now,
    )


def _duel(olga: User, players: tuple[User, ...]) -> None:
    """Ada against Ben, at no fixed time: it begins as soon as both say that they are ready."""
    now = now_utc() - timedelta(hours=1)
    season = season_create(
        acting_user=olga,
        name=DUEL,
        format="single-elimination",
        settings={
            "summary": "Two players, one death match, whenever both are there.",
            "repertoire": repertoire_of_all()[:1],  # one is enough
        },
        at=now,
    )
    season = season_list(acting_user=olga, season=season, at=now)
    entries = [Enrolment(user, seed=seed) for seed, user in enumerate(players, start=1)]
    contestants_enrol(acting_user=olga, season=season, entries=entries, at=now)
    season_start(acting_user=olga, season=season, at=now)
