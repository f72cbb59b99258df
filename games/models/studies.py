"""What is found out about finished matches."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.clock import now_utc
from games.models.matches import Match


class Study(models.Model):
    """A finished match that bots look at again, piece by piece. It is everybody's who may see the
    match: whoever asks first begins it."""

    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, primary_key=True, related_name="study"
    )
    asked_at = models.DateTimeField(default=now_utc)
    worked_at = models.DateTimeField(default=now_utc, help_text="When a worker last took it up.")
    done_at = models.DateTimeField(null=True, blank=True)
    positions = models.PositiveIntegerField(help_text="How many there are to be weighed.")
    answers = models.PositiveIntegerField(help_text="How many there are to be judged.")
    method = models.SmallIntegerField(
        db_default=1, help_text="By which way of weighing: the number of `METHOD` of the engine's."
    )

    class Meta:
        ordering = ["match"]
        verbose_name_plural = "studies"
        indexes = [
            models.Index(fields=["worked_at"], condition=Q(done_at=None), name="study_to_do")
        ]

    def __str__(self) -> str:
        return f"study of {self.match_id}"


class StudyPart(models.Model):
    """One piece of a study that is done. Never changed."""

    class Kind(models.TextChoices):
        POSITION = "position"
        ANSWER = "answer"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="parts", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    number = models.PositiveIntegerField(help_text="Of the entry of the match that it is about.")
    found = models.JSONField(help_text="A `Worth` or a `Judgement` of the engine's.")

    class Meta:
        ordering = ["study", "kind", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "kind", "number"], name="study_part_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["position", "answer"]), name="study_part_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study_id}/{self.kind}/{self.number}"
