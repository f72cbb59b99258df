"""Signs of life: of the web service, and when there were none; and of each process apart."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q


class ServiceBeat(models.Model):
    """The last sign of life of the web service: one row, so that an outage can be measured."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    at = models.BigIntegerField(help_text="In ms since 1970.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="service_beat_one_row")]

    def __str__(self) -> str:
        return str(self.at)


class ServiceOutage(models.Model):
    """A time in which the web service gave no sign of life. Each match is given back what its
    clocks ran meanwhile (`Match.made_good_until`)."""

    down_since = models.BigIntegerField(help_text="The last sign of life, in ms since 1970.")
    back_at = models.BigIntegerField(unique=True, help_text="The first one after it.")

    class Meta:
        ordering = ["back_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(back_at__gt=F("down_since")), name="service_outage_lasts"
            )
        ]

    def __str__(self) -> str:
        return f"{self.down_since} to {self.back_at}"


class ServiceProcess(models.Model):
    """A process of the site that runs, or did until lately. It writes its own row, and takes it
    away when it ends; those of processes that were killed are taken away after a while.

    A web process writes it as long as its event loop and its turn threads do what they are asked,
    the others as long as they run.
    """

    class Kind(models.TextChoices):
        WEB = "web"
        DEADLINES = "deadlines"
        WORKER = "worker"
        BOTS = "bots"
        BEAT = "beat"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    host = models.CharField(max_length=255)
    pid = models.PositiveIntegerField()
    started_at = models.BigIntegerField(help_text="In ms since 1970.")
    at = models.BigIntegerField(help_text="Its last sign of life, in ms since 1970.")
    skew_ms = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="By how much its host's clock is ahead of the database's. Empty: never compared.",
    )
    skew_out_by_ms = models.PositiveBigIntegerField(
        default=0, help_text="By how much that may be out."
    )
    ahead_ms = models.BigIntegerField(
        default=0,
        help_text="By how much what it shows is ahead of the database's clock, which it makes up "
        "for: not 0 only after that was set.",
    )
    derives_draws = models.BooleanField(
        db_default=False,
        help_text="Whether it keeps, and goes by, what the draws of a match are derived from: "
        "releases before there was such a thing do not.",
    )

    class Meta:
        verbose_name = "process"
        verbose_name_plural = "processes"
        ordering = ["kind", "host", "pid", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["web", "deadlines", "worker", "bots", "beat"]),
                name="service_process_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.host} {self.pid}"
