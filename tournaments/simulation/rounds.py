"""Rounds in a simulation, as they are paired one after another, and the end that an organiser
calls."""

from __future__ import annotations

from django.db import transaction

from core.refusals import Refusal
from games.engine.chance import choose
from games.engine.errors import EngineFault
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
        rounds_end(run)
    else:
        run.say(opened.name)


def rounds_end(run: Run) -> None:
    """End the season by its order, and say who has won where several share the first place."""
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
