"""A whole season, simulated from enrolment to its winner.

Everything that is left to somebody's choice (who comes last, whom the EC picks, who wins, who drops
out) is drawn from the seed, and so is chance inside the matches: the same plan on the same site
plays the same season. Instants are handed in, from ``start`` on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.db import transaction

from accounts.models import User
from tournaments.formats.elimination.format import FORMAT as ELIMINATION
from tournaments.models import NoShowRule, Season
from tournaments.services import seasons, starts
from tournaments.services.contestants import enrolment, seeds
from tournaments.simulation.episodes import episodes_play
from tournaments.simulation.plan import Plan, repertoire_of_all
from tournaments.simulation.players import with_bots
from tournaments.simulation.rounds import challenges_play, rounds_play
from tournaments.simulation.run import Run


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
    run = Run(plan, organiser, say)
    _begin(run, players)
    if run.format is ELIMINATION:
        episodes_play(run)
    elif run.format.challenges:
        challenges_play(run)
    else:
        rounds_play(run)
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
