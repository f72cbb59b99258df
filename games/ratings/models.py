"""What is kept of ratings. All of it can be computed again from the results, the rulings apart."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc
from games.ratings.rating import Strength

# The ladder of all games together: no ruleset is called so.
OVERALL = "overall"


class RatingLadder(models.Model):
    """One ladder: of a ruleset, or of all games together. Its row is what a change of its ratings
    locks, so that one at a time changes them; results wait as `RatingRequest`s meanwhile."""

    id = models.CharField(
        max_length=40, primary_key=True, help_text="A ruleset, or “overall”: all games together."
    )
    method = models.CharField(max_length=40, help_text="What the ratings were computed by.")
    changed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=~Q(id=""), name="rating_ladder_named")]

    def __str__(self) -> str:
        return self.id


class _Strong(models.Model):
    """A strength, and what follows from it."""

    mu = models.FloatField()
    sigma = models.FloatField()
    shown = models.IntegerField(help_text="The rating that is shown, which follows from the two.")

    class Meta:
        abstract = True

    @property
    def strength(self) -> Strength:
        """What is believed of the player."""
        return Strength(self.mu, self.sigma)


class Rating(_Strong):
    """Where somebody stands on one ladder: as after the latest of their points."""

    ladder = models.ForeignKey(
        # The indexes below begin with it.
        RatingLadder,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings"
    )
    games = models.PositiveIntegerField()
    wins = models.PositiveIntegerField()
    opponents = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Against how many different players."
    )
    peak = models.IntegerField(help_text="The highest rating shown so far.")
    last_played = models.DateTimeField()

    class Meta:
        ordering = ["ladder", "-shown", "user"]
        indexes = [
            # The order of the leaderboard, and where its pages begin.
            models.Index(fields=["ladder", "-shown", "user"], name="rating_board"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "ladder"], name="rating_one_each"),
            models.CheckConstraint(
                condition=Q(games__gte=1, wins__lte=F("games"), sigma__gt=0),
                name="rating_of_games",
            ),
            models.CheckConstraint(condition=Q(peak__gte=F("shown")), name="rating_peak"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.ladder_id} {self.shown}"


class RatingPoint(_Strong):
    """What one match did to one player on one ladder. `games`, `wins` and `peak` are as after it,
    so that a ladder can be taken up again from any point."""

    # Indexes and constraints below begin with the ladder and with the match.
    ladder = models.ForeignKey(
        RatingLadder, on_delete=models.PROTECT, related_name="points", db_index=False
    )
    match = models.ForeignKey(
        "games.Match", on_delete=models.PROTECT, related_name="rating_points", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rating_points"
    )
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    at = models.DateTimeField(help_text="When the match ended.")
    won = models.BooleanField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    shown_before = models.IntegerField()
    games = models.PositiveIntegerField()
    wins = models.PositiveIntegerField()
    peak = models.IntegerField()
    weight = models.FloatField(
        default=1.0,
        db_default=1.0,
        help_text="How much it counts: less the more often the two met of late.",
    )

    class Meta:
        ordering = ["ladder", "at", "match", "user"]
        indexes = [
            # Where a ladder is taken up again.
            models.Index(fields=["ladder", "at", "match"], name="rating_point_order"),
            # Where somebody stood at a date.
            models.Index(fields=["ladder", "user", "at"], name="rating_point_at"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "ladder", "user"], name="rating_point_once"),
            # Also how a player's latest points are found.
            models.UniqueConstraint(
                fields=["ladder", "user", "games"], name="rating_point_numbered"
            ),
            models.CheckConstraint(condition=~Q(user=F("opponent")), name="rating_point_two"),
            models.CheckConstraint(
                condition=Q(games__gte=1, wins__lte=F("games"), sigma__gt=0, sigma_before__gt=0),
                name="rating_point_of_games",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.ladder_id}/{self.user_id}"

    @property
    def change(self) -> int:
        """By how much the rating shown went up."""
        return self.shown - self.shown_before

    @property
    def times(self) -> int:
        """Of how many results of the two within thirty days it was the latest, on its ladder."""
        return round(1 / self.weight)

    @property
    def weight_words(self) -> str:
        """Why it counts less than others."""
        times = self.times - 1
        often = "once" if times == 1 else f"{times} times"
        return f"The two had met {often} within the thirty days before."


class RatingRequest(models.Model):
    """A result that a ladder is yet to be compared with: the match has ended, or somebody ruled on
    it. Only ever inserted, and deleted by whoever compares, so nobody waits for anybody."""

    ladder = models.CharField(max_length=40)
    match = models.ForeignKey(
        "games.Match", on_delete=models.PROTECT, related_name="+", db_index=False
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.ladder}"


class RatingRuling(models.Model):
    """A result that counts otherwise than its match says: for nobody, or for another winner. The
    match itself stays as it was played."""

    match = models.OneToOneField(
        "games.Match", on_delete=models.PROTECT, related_name="rating_ruling"
    )
    winner = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The seat that counts as the winner. Empty: neither."
    )
    why = models.CharField(max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rating_rulings",
        help_text="Nobody: the site itself.",
    )
    at = models.DateTimeField(default=now_utc)
    # Rulings are found by their matches.
    pair = models.ForeignKey(
        "games.PairRuling",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rulings",
        db_index=False,
        help_text="Where it was one of several of the same two players.",
    )

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(winner__isnull=True) | Q(winner__in=[0, 1]), name="rating_ruling_seat"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="rating_ruling_why"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {'counts for nobody' if self.winner is None else self.winner}"


class WaitingRuling(models.Model):
    """What organisers have ruled on a match on which moderators have ruled with its pair, before
    or since: it holds once these take theirs back. Until then the match counts for nobody."""

    match = models.OneToOneField(
        "games.Match", on_delete=models.PROTECT, related_name="waiting_ruling"
    )
    winner = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The seat that will count as the winner. Empty: neither."
    )
    why = models.CharField(max_length=500)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="waiting_rulings",
        help_text="Nobody: the site itself.",
    )
    at = models.DateTimeField(default=now_utc)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(winner__isnull=True) | Q(winner__in=[0, 1]), name="waiting_ruling_seat"
            ),
            models.CheckConstraint(condition=~Q(why=""), name="waiting_ruling_why"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}: {'counts for nobody' if self.winner is None else self.winner}"


class PairRuling(models.Model):
    """Matches of two players that count for nobody, ruled on in one go. Each match has its
    `RatingRuling`, which leads here; what was chosen then stands in `matches`."""

    first = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="pair_rulings_first"
    )
    second = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="pair_rulings_second"
    )
    matches = models.JSONField(default=list, help_text="The numbers of the matches.")
    why = models.CharField("reason", max_length=500, help_text="Everybody can read it.")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="pair_rulings_made"
    )
    at = models.DateTimeField(default=now_utc)
    report = models.ForeignKey(
        "accounts.Report",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="pair_rulings",
        help_text="The report that led to it.",
    )
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="pair_rulings_lifted",
    )
    lifted_why = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(first=F("second")), name="pair_ruling_two"),
            models.CheckConstraint(
                condition=~Q(by=F("first")) & ~Q(by=F("second")), name="pair_ruling_not_oneself"
            ),
            models.CheckConstraint(condition=~Q(why="") & ~Q(matches=[]), name="pair_ruling_whole"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by__isnull=True, lifted_why="")
                | (Q(lifted_at__isnull=False, lifted_by__isnull=False) & ~Q(lifted_why="")),
                name="pair_ruling_lifted_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {len(self.matches)} matches"
