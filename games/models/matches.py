"""Matches: who plays and referees them, and their entries."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse

from core.clock import instant_of, now_utc


class MatchQuerySet(models.QuerySet["Match"]):
    """Matches, and who may see them."""

    def visible_to(self, user: Any) -> MatchQuerySet:
        """The matches whose existence and public view ``user`` (or nobody) may see: all that people
        play with each other, and their own practice.

        What a viewer may see *of* a match is decided by `games.audience`.
        """
        if getattr(user, "pk", None) is None:
            return self.between_people()
        own = MatchPlayer.objects.filter(match=OuterRef("pk"), user=user)
        return self.filter(Q(bot_seats=0) | Exists(own))

    def between_people(self) -> MatchQuerySet:
        """Matches in which none of the site's own bots sits: all but practice."""
        return self.filter(bot_seats=0)

    def practice(self) -> MatchQuerySet:
        """Matches against one of the site's own bots."""
        return self.filter(bot_seats__gt=0)

    def running(self) -> MatchQuerySet:
        """Matches that are on, paused ones included."""
        return self.filter(status=Match.Status.RUNNING)

    def finished(self) -> MatchQuerySet:
        """Matches that are over, void ones included."""
        return self.filter(status=Match.Status.FINISHED)

    def of_user(self, user: Any) -> MatchQuerySet:
        """The matches in which ``user`` sits."""
        return self.filter(players__user=user)


class Match(models.Model):
    """One death match. `snapshot` is the engine's encoding of the match after entry `seq`, with
    the readers' versions; everything in it can be derived again from the entries."""

    class Status(models.TextChoices):
        RUNNING = "running"
        FINISHED = "finished"

    class Source(models.TextChoices):
        PLAYED = "played"
        IMPORTED = "imported"

    ruleset = models.CharField(max_length=40)
    variant = models.CharField(max_length=40)
    options = models.JSONField(
        default=dict, blank=True, help_text="Only what differs from the ruleset's defaults."
    )
    items = models.JSONField(default=list, blank=True)
    advantage = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="As agreed beforehand. Empty: drawn by lot at the start."
    )
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.PLAYED)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    paused = models.BooleanField(default=False)
    awaits_ruling = models.BooleanField(
        default=False, help_text="The match stands still until an organiser has ruled."
    )
    followed = models.BooleanField(
        default=False, help_text="Somebody listens to each turn (see `games.hooks`)."
    )
    aftermath_due = models.BooleanField(
        default=False,
        help_text="What follows the end is yet to be done, once there is one. True from the start "
        "of what is played here, so that the turn that ends it has nothing to write.",
    )
    snapshot = models.TextField()
    seq = models.PositiveIntegerField(default=0, help_text="The number of the latest entry.")
    deadline_at = models.BigIntegerField(
        null=True, blank=True, help_text="The earliest deadline, in ms since 1970."
    )
    wake_at = models.BigIntegerField(
        null=True, blank=True, help_text="When a worker must look next: a deadline or a reminder."
    )
    sweep_at = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="When the sweep comes upon it: never later than it must be looked at. It has an "
        "index, so a turn changes it only to come earlier; the sweep moves it to the instant.",
    )
    made_good_until = models.BigIntegerField(
        default=0, help_text="Outages that ended by then have been given back, in ms since 1970."
    )
    waits_until = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="Until when the match waits for both players, in ms since 1970. Empty once it "
        "has begun; it stays where they did not come.",
    )
    to_move = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="Whom it waits for: 1 for seat 0, 2 for seat 1, together where it waits for both."
        " On no index, so that a turn may change it.",
    )
    late_s = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="By how many seconds spectators see it late while it is on; 0: at once.",
    )
    unrated = models.CharField(
        max_length=400,
        blank=True,
        help_text="Why it counts for no rating; public. Empty: it does.",
    )
    bot_seats = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="Where the site's own bots sit: 1 for seat 0, 2 for seat 1. Not 0: it is practice"
        ", for its player alone to see.",
    )
    winner = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=20, blank=True)
    scores = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=now_utc)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = MatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["-created_at", "-id"]
        indexes = [
            # The sweep asks for this every second; finished matches are not in it. What an index
            # is on, its condition included, a turn must not change as a rule: then the row's new
            # version needs no new entry in any of them (a heap-only tuple).
            models.Index(
                fields=["sweep_at"], name="match_sweep", condition=Q(sweep_at__isnull=False)
            ),
            models.Index(fields=["status", "-created_at"], name="match_status"),
            models.Index(fields=["-finished_at"], name="match_finished"),
            # Organisers are told on every page how many wait for them; there are never many.
            models.Index(
                fields=["id"], name="match_awaits_ruling", condition=Q(awaits_ruling=True)
            ),
            # A sweep asks now and then for the practice that is on.
            models.Index(
                fields=["id"],
                name="match_practice_on",
                condition=Q(status="running", bot_seats__gt=0),
            ),
            # What a sweep asks for; a match is in it for the moment between its end and a worker.
            models.Index(
                fields=["finished_at"],
                name="match_aftermath_due",
                condition=Q(status="finished", aftermath_due=True),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["running", "finished"]), name="match_status_known"
            ),
            models.CheckConstraint(
                condition=Q(source__in=["played", "imported"]), name="match_source_known"
            ),
            models.CheckConstraint(
                condition=Q(winner__isnull=True) | Q(winner__in=[0, 1]), name="match_winner_seat"
            ),
            models.CheckConstraint(
                condition=Q(advantage__isnull=True) | Q(advantage__in=[0, 1]),
                name="match_advantage_seat",
            ),
            models.CheckConstraint(condition=Q(to_move__lte=3), name="match_to_move_seats"),
            models.CheckConstraint(
                condition=Q(bot_seats=0) | (Q(bot_seats__in=[1, 2]) & ~Q(unrated="")),
                name="match_practice_unrated",
            ),
            # A result is there exactly when the match is over; nothing ticks after that.
            models.CheckConstraint(
                condition=Q(
                    status="running", reason="", winner__isnull=True, finished_at__isnull=True
                )
                | (
                    Q(status="finished", finished_at__isnull=False, wake_at__isnull=True)
                    & Q(deadline_at__isnull=True, paused=False)
                    & ~Q(reason="")
                ),
                name="match_result_when_over",
            ),
            models.CheckConstraint(
                condition=Q(winner__isnull=False) | Q(status="running") | Q(reason="ruling"),
                name="match_no_draws",
            ),
            models.CheckConstraint(
                condition=Q(deadline_at__isnull=True) | Q(wake_at__isnull=False),
                name="match_wakes_for_deadline",
            ),
            # Whoever must be looked at is found by the sweep, and in time.
            models.CheckConstraint(
                condition=Q(wake_at__isnull=True, sweep_at__isnull=True)
                | Q(wake_at__isnull=False, sweep_at__isnull=False, sweep_at__lte=F("wake_at")),
                name="match_wakes_in_sweep",
            ),
            models.CheckConstraint(
                condition=Q(awaits_ruling=False) | Q(status="running"),
                name="match_ruling_while_on",
            ),
            # Nothing ticks and nothing is drawn while it waits for its players.
            models.CheckConstraint(
                condition=Q(waits_until__isnull=True)
                | Q(status="running", deadline_at__isnull=True, wake_at__isnull=False)
                | Q(status="finished", winner__isnull=True),
                name="match_waits_before_clocks",
            ),
        ]

    def __str__(self) -> str:
        return f"match {self.pk} ({self.ruleset})"

    def get_absolute_url(self) -> str:
        return reverse("games:match", args=[self.pk])

    @property
    def was_unattended(self) -> bool:
        """Whether it is void since its players were not there in time; not where one of them had
        left before that."""
        if self.winner is not None or self.waits_until is None or self.finished_at is None:
            return False
        return self.finished_at >= instant_of(self.waits_until)

    @property
    def is_practice(self) -> bool:
        """Whether one of the site's own bots sits in it."""
        return self.bot_seats > 0

    @property
    def is_over(self) -> bool:
        """Whether there is a result (a void match has one too)."""
        return self.status == self.Status.FINISHED


class MatchPlayer(models.Model):
    """Who sits where. `name` is the name at the time; a seat of an imported match has no user."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="players")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="match_seats",
    )
    name = models.CharField(max_length=200)
    missed_end = models.BooleanField(
        default=False, help_text="It ended for them while they were away; the front page says so."
    )

    class Meta:
        ordering = ["match", "seat"]
        indexes = [
            models.Index(fields=["user"], name="player_missed_end", condition=Q(missed_end=True)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="player_one_per_seat"),
            models.UniqueConstraint(fields=["match", "user"], name="player_one_seat_each"),
            models.CheckConstraint(condition=Q(seat__in=[0, 1]), name="player_seat_number"),
        ]

    def __str__(self) -> str:
        return self.name


class MatchReferee(models.Model):
    """Who runs a match where that was said: then no other organiser does."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="referees")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="matches_refereed"
    )

    class Meta:
        ordering = ["match", "id"]
        constraints = [
            models.UniqueConstraint(fields=["match", "user"], name="referee_once"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.user_id}"


class MatchEntry(models.Model):
    """One entry of a match, append-only (the database refuses changes): what the record holds,
    and with `events` what the log tells each audience."""

    class Actor(models.TextChoices):
        SEAT_0 = "0"
        SEAT_1 = "1"
        CHANCE = "chance"
        ORGANISER = "organiser"
        # Notices of the service itself, for example grace after an outage; not in the record.
        SERVICE = "service"

    # An index of its own would say nothing that "entry_seq_unique" does not, and every turn would
    # write to it.
    match = models.ForeignKey(
        Match, on_delete=models.PROTECT, related_name="entries", db_index=False
    )
    seq = models.PositiveIntegerField()
    actor = models.CharField(max_length=10, choices=Actor.choices)
    text = models.TextField(blank=True)
    timeout = models.BooleanField(default=False)
    reading_ms = models.BigIntegerField(null=True, blank=True)
    client_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (unique)
    submitted = models.TextField(blank=True, help_text="The text exactly as it was sent.")
    ack_version = models.PositiveIntegerField(
        null=True, blank=True, help_text="The version in the ack, so that a resend gets the same."
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="match_entries",
    )
    by_name = models.CharField(max_length=200, blank=True)
    why = models.TextField(blank=True)
    at = models.BigIntegerField(help_text="When the server received it, in ms since 1970.")
    events = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "match entries"
        ordering = ["match", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["match", "seq"], name="entry_seq_unique"),
            # What makes a resend count once, whatever else goes wrong. Per actor: an id that is
            # taken must not tell one player that the other has made a secret choice.
            models.UniqueConstraint(
                fields=["match", "actor", "client_id"],
                condition=Q(client_id__isnull=False),
                name="entry_client_id_unique",
            ),
            models.CheckConstraint(
                condition=Q(actor__in=["0", "1", "chance", "organiser", "service"]),
                name="entry_actor_known",
            ),
            models.CheckConstraint(
                condition=Q(timeout=False) | Q(actor__in=["0", "1"], text=""),
                name="entry_timeout_of_seat",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.seq}"
