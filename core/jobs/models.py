"""What is known of the jobs that run by themselves: what they could not do, and when each was
last done. Changes go through `core.jobs.guard`."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.clock import now_utc


class SetAside(models.Model):
    """A row that a periodic job failed at. The others go on without it; it is tried again after a
    while, later each time, and gone from here once that went well."""

    job = models.CharField(max_length=60, help_text="What was to be done.")
    key = models.CharField(max_length=100, help_text="The primary key of the row.")
    target_type = models.CharField(max_length=60, help_text='Its model, as "games.match".')
    # The kind of the error and the place in the code. Its text is left out: it may quote what the
    # players of a match keep from each other.
    reason = models.CharField(max_length=300)
    attempts = models.PositiveIntegerField(default=1)
    since = models.DateTimeField(default=now_utc, help_text="When it failed first.")
    last_at = models.DateTimeField(default=now_utc, help_text="When it failed last.")
    next_at = models.DateTimeField(help_text="When it is tried again.")

    class Meta:
        verbose_name = "row set aside"
        verbose_name_plural = "rows set aside"
        ordering = ["-last_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["job", "key"], name="set_aside_once"),
            models.CheckConstraint(
                condition=~Q(job="") & ~Q(key="") & Q(attempts__gte=1), name="set_aside_whole"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job}: {self.target_type} {self.key}"


class JobDone(models.Model):
    """When a periodic task was last done from its beginning to its end."""

    task = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField(help_text="By the database's clock.")

    class Meta:
        verbose_name = "job done"
        verbose_name_plural = "jobs done"
        ordering = ["task"]

    def __str__(self) -> str:
        return self.task
