"""A season while it is simulated: its clock, its chance, and what is still to go wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta

from accounts.models import User
from tournaments.formats.registry import format_of
from tournaments.lifecycle import ContestantStatus, SeasonStatus
from tournaments.models import Contestant, Season
from tournaments.simulation.plan import Plan


class Run:
    """``at`` is the instant that it is in there, ``random`` whatever is left to somebody's choice
    and to chance. ``season`` is there once it was made."""

    def __init__(self, plan: Plan, organiser: User, say: Callable[[str], None]) -> None:
        self.plan = plan
        self.format = format_of(plan.format)
        self.organiser = organiser
        self.random = random.Random(plan.seed)  # noqa: S311  (reproducible on purpose)
        self.at = plan.start
        self.say = say
        # What is to go wrong, and how often still.
        self.due = {
            "drop-out": plan.drop_outs,
            "no-show": plan.no_shows,
            "void": plan.voids,
            "correction": plan.corrections,
        }
        self.season: Season

    @property
    def rounds(self) -> int | None:
        """How many rounds are to be played; None: all."""
        return self.plan.rounds

    @property
    def best_of(self) -> int:
        """How many matches a final has."""
        return self.plan.best_of

    def chance(self) -> float:
        """The next number drawn, from 0 on and below 1."""
        return self.random.random()

    def later(self, **span: float) -> datetime:
        """Let time pass."""
        self.at += timedelta(**span)
        return self.at

    def happens(self, what: str) -> bool:
        """Whether one of what is to go wrong goes wrong now."""
        if self.due[what] > 0 and self.random.random() < 0.35:
            self.due[what] -= 1
            return True
        return False

    def goes_on(self) -> bool:
        """Whether the season runs, and is not further than was planned."""
        return Season.objects.filter(
            pk=self.season.pk, status=SeasonStatus.RUNNING
        ).exists() and self.season.rounds.count() <= (self.plan.rounds or 10_000)

    def active(self) -> list[Contestant]:
        """Who is still in."""
        return list(
            self.season.contestants.filter(status=ContestantStatus.ACTIVE)
            .select_related("user")
            .order_by("pk")
        )
