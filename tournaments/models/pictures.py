"""Pictures that people have put up of a season, of its contestants, and of its main matches.

Whatever may have one names it in a field `picture`, and stands in `tournaments.services.pictures`.
"""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from accounts.models import User
from accounts.roles import is_administrator, is_moderator
from core.clock import now_utc
from tournaments.models.rounds import Episode, Placement
from tournaments.models.scores import ScoreTable, scores_seen_by_all
from tournaments.models.seasons import Season, SeasonOrganiser
from tournaments.rights import Right

ALT_MAX: Final = 200
#: How many pictures a main match may have.
OF_MAIN_MATCH_MAX: Final = 6


class PictureQuerySet(models.QuerySet["Picture"]):
    """Pictures, and who may see them."""

    def visible_to(self, user: Any) -> PictureQuerySet:
        """Those that stand in a season that ``user`` may see; of a main match that not everybody
        sees yet, for those who run its episodes only. One that was taken off and is kept for a
        report is for moderators only."""
        rows = self.filter(season__in=Season.objects.visible_to(user))
        hidden = MainMatchPicture.objects.hidden_from(user).filter(picture=OuterRef("pk"))
        rows = rows.filter(~Exists(hidden))
        return rows if is_moderator(user) else rows.filter(off_at=None)


class Picture(models.Model):
    """A picture, as what was uploaded has become: its bytes are in `PictureSize`."""

    season = models.ForeignKey(
        Season,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Whoever may see this season may see it.",
    )
    digest = models.CharField(
        max_length=64, help_text="Of its largest size: SHA-256, in hexadecimal digits."
    )
    alt = models.CharField(
        max_length=ALT_MAX,
        blank=True,
        db_default="",
        help_text="What it shows, in words. Empty: the name of whose it is.",
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="season_pictures"
    )
    at = models.DateTimeField(default=now_utc)
    off_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it was taken off: it is kept as long as a report about it is open.",
    )

    objects = PictureQuerySet.as_manager()

    class Meta:
        ordering = ["season", "-at", "-id"]
        indexes = [models.Index(fields=["season", "digest"], name="picture_found")]
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="picture_digest_hex"
            ),
        ]

    def __str__(self) -> str:
        return f"picture {self.pk}"

    def address(self, width: int) -> str:
        """Where its size of that width is: another picture has another address."""
        return reverse("tournaments:picture", args=[self.season.slug, self.digest, width])


class PictureSize(models.Model):
    """A picture in one size, as WebP."""

    picture = models.ForeignKey(Picture, on_delete=models.CASCADE, related_name="sizes")
    width = models.PositiveSmallIntegerField(
        help_text="Of the size, by which it is asked for; what was small stays small."
    )
    data = models.BinaryField()

    class Meta:
        ordering = ["picture", "width"]
        constraints = [
            models.UniqueConstraint(fields=["picture", "width"], name="picture_size_once"),
            models.CheckConstraint(condition=Q(width__gte=1), name="picture_size_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.picture}, {self.width}"


def main_match_seen_by_all(episode: str) -> Q:
    """Whether everybody who sees the season sees an episode's main match: once it is recorded, or
    its scores are shown. ``episode``: the field by which a row names its episode."""
    named = OuterRef(episode)
    recorded = Exists(Placement.objects.filter(episode=named))
    return Q(recorded) | Q(Exists(ScoreTable.objects.filter(scores_seen_by_all(), episode=named)))


class MainMatchPictureQuerySet(models.QuerySet["MainMatchPicture"]):
    """Pictures of main matches, and who may see them."""

    def seen_by_all(self) -> MainMatchPictureQuerySet:
        """Those that everybody sees who sees the season."""
        return self.filter(main_match_seen_by_all("episode"))

    def hidden_from(self, user: Any) -> MainMatchPictureQuerySet:
        """Those that ``user`` may not see yet: not everybody does, and they do not run its
        episodes."""
        hidden = self.filter(~main_match_seen_by_all("episode"))
        if not isinstance(user, User) or not user.is_active:
            return hidden
        if is_administrator(user):
            return hidden.none()
        own = SeasonOrganiser.objects.held_by(user).with_right(Right.EPISODES)
        return hidden.exclude(episode__round__season__in=own.values("season"))


class MainMatchPicture(models.Model):
    """A picture of an episode's main match, and which of them it is; what it shows is said with
    the picture."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="pictures")
    number = models.PositiveSmallIntegerField(help_text="Which of the main match's, from 1.")
    picture = models.OneToOneField(Picture, on_delete=models.PROTECT, related_name="+")

    objects = MainMatchPictureQuerySet.as_manager()

    class Meta:
        ordering = ["episode", "number"]
        constraints = [
            models.UniqueConstraint(fields=["episode", "number"], name="main_match_picture_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=OF_MAIN_MATCH_MAX),
                name="main_match_pictures_few",
            ),
        ]

    def __str__(self) -> str:
        return f"the main match of {self.episode.round.name}"

    @property
    def is_new(self) -> bool:
        """Whether it is a place for one more picture, and not kept yet."""
        return self._state.adding
