"""Seasons of all other formats in a simulation: rounds as they are paired, challenges on a ladder,
and the end that an organiser calls."""

from __future__ import annotations

from django.db import transaction

from core.refusals import Refusal
from games.engine.chance import choose
from games.engine.errors import EngineFault
from tournaments.formats.ladder.format import ladder_challenge
from tournaments.formats.ladder.options import LadderOptions
from tournaments.formats.registry import course_of
from tournaments.lifecycle import PLAYABLE
from tournaments.models import DeathMatch
from tournaments.services import rounds
from tournaments.services.results import conclusion
from tournaments.simulation.death_matches import death_match_play
from tournaments.simulation.players import drop_out
from tournaments.simulation.run import Run


def rounds_play(run: Run) -> None:
    """Play whatever is paired, and have the next round paired, to the end."""
    while run.goes_on():
        if run.format.rounds_ahead and not _open_death_matches(run):
            raise EngineFault("a bracket has come to a standstill")
        for death_match in _open_death_matches(run):
            if not run.goes_on():
                return
            if len(run.active()) > 4 and run.happens("drop-out"):
                leaves = choose(run.random.random, run.active())
                drop_out(run, leaves, at=run.later(minutes=5))
            death_match_play(run, death_match)
        if not run.goes_on():
            return
        if not run.format.rounds_ahead and not _open_death_matches(run):
            _pair_or_conclude(run)


def challenges_play(run: Run) -> None:
    """Play challenges on a ladder: as many as were planned, or two for each contestant."""
    reach = LadderOptions(**run.plan.options).challenge_reach
    for _ in range(run.plan.rounds or 2 * run.plan.contestants):
        course = course_of(run.season)
        ladder = [course.holder(rung.player) for rung in course.rungs]
        low = 1 + int(run.random.random() * (len(ladder) - 1))
        high = max(0, low - 1 - int(run.random.random() * reach))
        death_match = ladder_challenge(
            acting_user=run.organiser,
            season=run.season,
            challenger=ladder[low],
            defender=ladder[high],
            at=run.later(hours=12),
        )
        death_match_play(run, death_match)
    if run.plan.rounds is None:
        _conclude(run)


def _open_death_matches(run: Run) -> list[DeathMatch]:
    return list(
        DeathMatch.objects.filter(round__season=run.season, status__in=PLAYABLE).order_by(
            "round__number", "number"
        )
    )


def _pair_or_conclude(run: Run) -> None:
    at = run.later(days=1)
    try:
        opened = rounds.round_pair(
            acting_user=run.organiser, season=run.season, lenient=True, at=at
        )
    except Refusal:
        _conclude(run)
    else:
        run.say(opened.name)


def _conclude(run: Run) -> None:
    try:
        conclusion.season_conclude(
            acting_user=run.organiser, season=run.season, at=run.later(hours=1)
        )
    except Refusal as refusal:
        if refusal.code != "season.tied":
            raise
        _break_tie(run)


def _break_tie(run: Run) -> None:
    """No metric has broken the tie: an organiser says which of the tied has won."""
    for contestant in run.active():
        try:
            with transaction.atomic():
                conclusion.season_conclude(
                    acting_user=run.organiser, season=run.season, winner=contestant, at=run.at
                )
        except Refusal as refusal:
            if refusal.code != "season.not-first":
                raise
        else:
            return
