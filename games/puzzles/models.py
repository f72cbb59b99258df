"""What is kept of puzzles: each with its rating, who has answered it first how, and how strong its
solvers are. Changes go through `games.puzzles.services`."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from core.clock import now_utc
from games.models.matches import Match
from games.ratings.rating import MU, SIGMA, Strength


class _Graded(models.Model):
    """A strength by the formulas of the ratings of players."""

    mu = models.FloatField(default=MU)
    sigma = models.FloatField(default=SIGMA)

    class Meta:
        abstract = True

    @property
    def strength(self) -> Strength:
        """What is believed of it."""
        return Strength(self.mu, self.sigma)


class PuzzleQuerySet(models.QuerySet["Puzzle"]):
    """Puzzles, and which of them."""

    def visible_to(self, _user: Any) -> PuzzleQuerySet:
        """Those that ``_user``, or nobody in particular, may see: all that have not been
        withdrawn."""
        return self.filter(withdrawn_at__isnull=True)


class Puzzle(_Graded):
    """A position with a question. Its rating tells how hard it is: it wins whenever somebody's
    first answer is wrong."""

    class Source(models.TextChoices):
        BOTS = "bots", "A game between bots"
        MATCHES = "matches", "A finished match"

    key = models.CharField(max_length=32, unique=True, editable=False)
    ruleset = models.CharField(max_length=40)
    variant = models.CharField(max_length=40)
    seat = models.PositiveSmallIntegerField()
    state = models.TextField(
        help_text="The position as its seat can know it, as the ruleset writes it."
    )
    target = models.IntegerField(help_text="What an answer must bring to be right.")
    solution = models.CharField(max_length=2000)
    source = models.CharField(max_length=10, choices=Source.choices)
    created_at = models.DateTimeField(default=now_utc)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    solved = models.PositiveIntegerField(default=0)

    objects = PuzzleQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["ruleset", "id"], name="puzzle_by_game")]
        constraints = [
            models.CheckConstraint(condition=Q(seat__in=[0, 1]), name="puzzle_seat"),
            models.CheckConstraint(condition=~Q(solution=""), name="puzzle_solved_by"),
            models.CheckConstraint(condition=~Q(key=""), name="puzzle_keyed"),
            models.CheckConstraint(
                condition=Q(source__in=["bots", "matches"]), name="puzzle_source"
            ),
            models.CheckConstraint(
                condition=Q(solved__lte=F("attempts"), sigma__gt=0), name="puzzle_counted"
            ),
        ]

    def __str__(self) -> str:
        return f"puzzle {self.pk}"

    def get_absolute_url(self) -> str:
        """Its page."""
        return reverse("games:puzzle", args=[self.pk])


class PuzzleSearch(models.Model):
    """A match that has been looked through for puzzles, as none is twice. What was found in it does
    not say so."""

    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, primary_key=True, related_name="puzzle_search"
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["match"]
        indexes = [models.Index(fields=["at"], name="puzzle_search_by_day")]

    def __str__(self) -> str:
        return f"search of {self.match_id}"


class PuzzleAnswer(models.Model):
    """Somebody's first answer to a puzzle, the only one that counts; or that they had the solution
    shown instead."""

    puzzle = models.ForeignKey(Puzzle, on_delete=models.PROTECT, related_name="answers")
    user = models.ForeignKey(
        # The constraint below begins with it.
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="puzzle_answers",
        db_index=False,
    )
    text = models.CharField(max_length=2000, blank=True, help_text="Empty: the solution was shown.")
    right = models.BooleanField()
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "puzzle"], name="puzzle_answer_first"),
            models.CheckConstraint(
                condition=~Q(text="", right=True), name="puzzle_answer_not_shown"
            ),
        ]

    def __str__(self) -> str:
        return f"answer to puzzle {self.puzzle_id}"


class PuzzleSolver(_Graded):
    """How somebody solves puzzles: their rating, which is apart from those of matches, and for how
    many days one after the other they have solved the daily one."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="puzzle_solver",
    )
    answered = models.PositiveIntegerField(default=0)
    solved = models.PositiveIntegerField(default=0)
    streak = models.PositiveIntegerField(default=0)
    best_streak = models.PositiveIntegerField(default=0)
    last_daily = models.DateField(null=True, blank=True)

    class Meta:
        ordering = ["user"]
        constraints = [
            models.CheckConstraint(
                condition=Q(solved__lte=F("answered"), sigma__gt=0), name="puzzle_solver_counted"
            ),
            models.CheckConstraint(
                condition=Q(streak__lte=F("best_streak")), name="puzzle_solver_streak"
            ),
        ]

    def __str__(self) -> str:
        return f"solver {self.pk}"

    def streak_on(self, day: date) -> int:
        """The streak as it stands on a day: it ends where a day has gone by without the daily
        puzzle."""
        if self.last_daily is None or self.last_daily < day - timedelta(days=1):
            return 0
        return self.streak
