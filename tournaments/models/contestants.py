"""Contestants: who takes part in a season."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc
from tournaments.lifecycle import ContestantStatus
from tournaments.models.invitations import SeasonInvitation
from tournaments.models.seasons import Season

# Stands behind the name of somebody who has none, wherever people read it (`tournaments.naming`).
NO_ACCOUNT: Final = "(no account here)"


class ContestantQuerySet(models.QuerySet["Contestant"]):
    """Contestants, and where they play."""

    def in_round(self, number: int) -> ContestantQuerySet:
        """Who plays in a round, or in the main match of an episode: everybody still in who has not
        entered since."""
        return self.filter(status=ContestantStatus.ACTIVE, since_round__lte=number)


class Contestant(models.Model):
    """Somebody in a season. `name` is the name at the time, for documents and programs; people are
    told `shown_name`, since a contestant of an imported season may have no account here, nor has
    whoever a place is held for."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="contestants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="contestancies",
    )
    name = models.CharField(max_length=200)
    seed = models.PositiveIntegerField(null=True, blank=True, help_text="1 is the strongest.")
    status = models.CharField(
        max_length=12, choices=ContestantStatus.choices, default=ContestantStatus.ENROLLED
    )
    since_round = models.PositiveSmallIntegerField(
        default=1, help_text="The round from which they play: later than 1 for a late entry."
    )
    place = models.PositiveIntegerField(
        null=True, blank=True, help_text="Where they ended; equal places are possible."
    )
    replaces = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="replaced_by",
        help_text="Whose place, seed and pairings they took over.",
    )
    enrolled_at = models.DateTimeField(default=now_utc)
    invitation = models.ForeignKey(
        SeasonInvitation,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="contestants",
        db_index=False,
        help_text="The link by which they came, if by one.",
    )
    picture = models.ForeignKey(
        "Picture", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    checked_in_at = models.DateTimeField(
        null=True, blank=True, help_text="When they said that they are there, before it begins."
    )
    left_at = models.DateTimeField(null=True, blank=True)

    objects = ContestantQuerySet.as_manager()

    class Meta:
        ordering = ["season", "seed", "id"]
        # Of their own, for indexes that are made while people enter: most came by no link, and
        # have no picture.
        indexes = [
            models.Index(
                fields=["invitation"],
                condition=Q(invitation__isnull=False),
                name="contestant_invitation",
            ),
            models.Index(
                fields=["picture"], condition=Q(picture__isnull=False), name="contestant_picture"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["season", "user"], name="contestant_once"),
            # A replacement takes the seed over from somebody who has left.
            models.UniqueConstraint(
                fields=["season", "seed"],
                condition=~Q(status="replaced"),
                name="contestant_seed_once",
            ),
            models.CheckConstraint(
                condition=Q(status__in=ContestantStatus.values), name="contestant_status_known"
            ),
            models.CheckConstraint(
                condition=Q(seed__isnull=True) | Q(seed__gte=1), name="contestant_seed_from_1"
            ),
            models.CheckConstraint(condition=Q(since_round__gte=1), name="contestant_since_round"),
            models.CheckConstraint(condition=~Q(name=""), name="contestant_named"),
            models.CheckConstraint(
                condition=Q(replaces__isnull=True) | ~Q(replaces=F("id")),
                name="contestant_not_own_replacement",
            ),
        ]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def left_before_start(self) -> bool:
        """Whether they left before the season began, by which alone somebody loses their seed."""
        return self.status == ContestantStatus.WITHDRAWN and self.seed is None

    @property
    def came_by_link(self) -> bool:
        """Whether they came by a link; without an account: whether their place is, or was, held."""
        return self.invitation_id is not None

    @property
    def shown_name(self) -> str:
        """The name for people. Without an account it says so: the organisers gave it, for a place
        that is held, or another installation, and somebody here may be called that."""
        return self.name if self.user_id is not None else f"{self.name} {NO_ACCOUNT}"
