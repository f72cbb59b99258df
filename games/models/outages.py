"""Signs of life of the web service, and when there were none."""

from __future__ import annotations

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
