"""A whole season, simulated from enrolment to its winner.

Everything that is left to somebody's choice (who comes last, whom the EC picks, who wins, who drops
out) is drawn from the seed, and so is chance inside the matches: the same plan on the same site
plays the same season. Instants are handed in, from ``start`` on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from tournaments.models import Contestant, DeathMatch, NoShowRule, Season
from tournaments.services import seasons, starts
from tournaments.services.contestants import enrolment, seeds
from tournaments.simulation.death_matches import death_match_play
from tournaments.simulation.plan import Plan, games_of_final, repertoire_of_all
from tournaments.simulation.players import drop_out, items_give, with_bots
from tournaments.simulation.rounds import rounds_end, rounds_play
from tournaments.simulation.run import Run


class SeasonRun(Run):
    """A run as formats know it (`formats.simulation.SimulatedSeason`)."""

    def games(self, count: int) -> list[dict[str, Any]]:
        """So many games, such as know items where there are any."""
        return games_of_final(count)

    def drop_out(self, contestant: Contestant, *, at: datetime) -> None:
        """Have somebody leave of their own accord."""
        drop_out(self, contestant, at=at)

    def give_items(self, death_match: DeathMatch) -> None:
        """Have each of the eliminated give an item for a death match."""
        items_give(self, death_match)

    def play(self, death_match: DeathMatch) -> None:
        """Play a death match to its end."""
        death_match_play(self, death_match)

    def play_rounds(self) -> None:
        """Play whatever is paired and have the next round paired, to the end of the season."""
        rounds_play(self)

    def conclude(self) -> None:
        """Have an organiser end the season by its order."""
        rounds_end(self)


@transaction.atomic
def season_simulate(
    *,
    plan: Plan,
    organiser: User,
    players: Sequence[User] = (),
    say: Callable[[str], None] = lambda _line: None,
) -> Season:
    """Play the season of ``plan`` with ``players`` (bots are made for those who are missing).

    All of it is one transaction: a site that runs meanwhile would take what lies in the past for
    overdue. ``say`` is told what happens, a line each.
    """
    run = SeasonRun(plan, organiser, say)
    _begin(run, players)
    run.format.simulate(run)
    return Season.objects.get(pk=run.season.pk)


def _begin(run: Run, players: Sequence[User]) -> None:
    plan = run.plan
    run.season = seasons.season_create(
        acting_user=run.organiser,
        name=plan.name,
        format=plan.format,
        settings={
            "repertoire": list(plan.repertoire) or repertoire_of_all(),
            "ruleset_choice": "rotating",
            "format_options": plan.options,
            "no_show_rule": NoShowRule.FORFEIT,
            "pace": plan.pace,
            "summary": plan.summary,
        },
        at=run.at,
    )
    seasons.season_list(acting_user=run.organiser, season=run.season, at=run.at)
    users = with_bots(players, plan.contestants)
    for user in users:
        enrolment.contestant_enrol(
            acting_user=run.organiser, season=run.season, user=user, at=run.later(minutes=1)
        )
    seeds.seeds_draw(acting_user=run.organiser, season=run.season, random=run.random.random)
    starts.season_start(acting_user=run.organiser, season=run.season, at=run.later(hours=1))
    run.say(f"{run.season.name}: {len(users)} contestants")
