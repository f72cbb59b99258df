"""`manage.py simulate_season`: a whole season, played by bots through the real services."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.roles import Role as SiteRole
from accounts.roles import holds_role
from core.clock import now_utc
from core.refusals import Refusal
from tournaments.formats.registry import FORMATS
from tournaments.invariants import faults_of
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate


class Command(BaseCommand):
    help = (
        "Play a whole season with bots, through the services that people use, and check that "
        "everything holds that must. The same seed plays the same season."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--format", choices=list(FORMATS), default=next(iter(FORMATS)))
        parser.add_argument("--contestants", type=int, default=16)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--organiser", default="", help="username; by default any organiser")
        parser.add_argument("--name", default="Simulation")
        parser.add_argument(
            "--quick", action="store_true", help="end matches by concession, not by playing them"
        )
        parser.add_argument("--best-of", type=int, default=5, help="of a final")
        parser.add_argument("--rounds", type=int, default=None, help="stop after so many")
        parser.add_argument(
            "--format-options", type=_options, default={}, help="of the format, as a JSON object"
        )
        for name in ("drop-outs", "no-shows", "voids", "corrections"):
            parser.add_argument(f"--{name}", type=int, default=0, help="how many, at most")

    def handle(self, *_args: Any, **given: Any) -> None:
        """Play, then say who has won; exit status 1 where something does not hold."""
        plan = Plan(
            format=given["format"],
            contestants=given["contestants"],
            seed=given["seed"],
            start=now_utc() - timedelta(days=365),
            name=given["name"],
            quick=given["quick"],
            drop_outs=given["drop_outs"],
            no_shows=given["no_shows"],
            voids=given["voids"],
            corrections=given["corrections"],
            best_of=given["best_of"],
            rounds=given["rounds"],
            options=given["format_options"],
        )
        say = self.stdout.write if given["verbosity"] > 1 else lambda _line: None
        try:
            season = season_simulate(plan=plan, organiser=_organiser(given["organiser"]), say=say)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        faults = faults_of(season)
        for fault in faults:
            self.stderr.write(fault)
        if faults:
            raise CommandError(f"{len(faults)} things do not hold.")
        self.stdout.write(
            f"{season.name} ({season.slug}): {season.get_status_display()}"
            + (f", won by {season.winner}" if season.winner else "")
            + f", {season.events.count()} events. Everything holds."
        )


def _options(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ArgumentTypeError("a JSON object is needed")
    return found


def _organiser(username: str) -> User:
    people = User.objects.members().filter(is_active=True)
    if username:
        people = people.filter(username=username)
    holders = (user for user in people.order_by("pk") if holds_role(user, SiteRole.ORGANISER))
    found = next(holders, None)
    if found is None:
        raise CommandError("There is no such organiser; `manage.py demo_data` makes one.")
    return found
