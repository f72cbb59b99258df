"""A death match in a simulation, from its time to its result, and what goes wrong on the way:
somebody is not there, a match is played again, a result is corrected."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from core.refusals import Refusal
from games.engine.chance import choose
from games.engine.errors import EngineFault
from tournaments.lifecycle import PLAYABLE, DeathMatchStatus, LegStatus
from tournaments.models import DeathMatch, Leg
from tournaments.services import legs
from tournaments.services.deathmatches import sides_of
from tournaments.services.guards import death_match_fresh
from tournaments.services.results.corrections import death_match_correct, leg_void
from tournaments.services.scheduling import appointments, readiness, sweep
from tournaments.simulation.players import items_declare, match_play
from tournaments.simulation.run import Run


def death_match_play(run: Run, death_match: DeathMatch) -> None:
    """Play one leg after the other until it is decided."""
    while True:
        death_match = death_match_fresh(death_match.pk)
        if death_match.status not in PLAYABLE:
            break
        leg = (
            death_match.legs.filter(status=LegStatus.PLANNED)
            .select_related("death_match__round__season")
            .order_by("number")
            .first()
        )
        if leg is None:
            raise EngineFault("an undecided death match has nothing to be played")
        _hold_leg(run, leg)
    if death_match.status == DeathMatchStatus.DECIDED and run.happens("correction"):
        _correct(run, death_match)


def _hold_leg(run: Run, leg: Leg) -> None:
    """Fix a time, confirm, play, and perhaps have it played again."""
    if run.plan.quick and not run.format.gifts and not run.due["no-show"]:
        # Hundreds of matches: the organiser begins them.
        leg = legs.leg_start(
            acting_user=run.organiser,
            leg=leg,
            at=run.later(minutes=10),
            random=run.random.random,
            # Those who are simulated are always there.
            waits=False,
        )
        _play(run, leg)
        return
    home, away = sides_of(leg.death_match)
    starts = run.at + timedelta(hours=20)
    appointments.leg_schedule(acting_user=run.organiser, leg=leg, scheduled_at=starts, at=run.at)
    items_declare(run, leg)
    absent = None
    if run.happens("no-show"):
        absent = choose(run.random.random, (home, away))
    run.at = starts
    for side in (home, away):
        if side is not absent and side.user is not None:
            leg = readiness.leg_confirm(
                acting_user=side.user, leg=leg, at=run.at, random=run.random.random
            )
    if absent is not None:
        run.say(f"{absent.name} does not turn up")
        run.later(minutes=run.season.no_show_minutes + 1)
        sweep.legs_sweep(at=run.at, random=run.random.random)
        return
    _play(run, leg)


def _play(run: Run, leg: Leg) -> None:
    match_play(run, leg)
    if run.happens("void"):
        _void(run, leg)


def _void(run: Run, leg: Leg) -> None:
    """Have a match played again, where nothing rests on its result yet."""
    try:
        with transaction.atomic():
            leg_void(
                acting_user=run.organiser,
                leg=Leg.objects.select_related("death_match__round__season").get(pk=leg.pk),
                why="The connection was lost.",
                at=run.later(minutes=5),
            )
    except Refusal as refusal:
        run.say(f"not played again: {refusal.sentence}")
    else:
        run.say(f"{leg} is void, and played again")


def _correct(run: Run, death_match: DeathMatch) -> None:
    """Give it to the other side, where nothing rests on the result yet."""
    home, away = sides_of(death_match)
    winner = away if death_match.winner_id == home.pk else home
    try:
        with transaction.atomic():
            death_match_correct(
                acting_user=run.organiser,
                death_match=death_match,
                winner=winner,
                why="The score had been misread.",
                at=run.later(minutes=20),
            )
    except Refusal as refusal:
        run.say(f"not corrected: {refusal.sentence}")
    else:
        run.say(f"corrected: {winner.name} has won")
