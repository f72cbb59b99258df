"""Seasons, who may see them, and who runs them."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from accounts.models import User
from accounts.roles import Role as SiteRole
from accounts.roles import is_administrator, is_organiser, organisers, rests
from core.clock import now_utc
from tournaments.lifecycle import SeasonStatus, Visibility
from tournaments.models import formats
from tournaments.rights import ALL, NONE, OF_HELPERS, OF_ORGANISERS, Right, Role

PLACES_MIN = 2


class RulesetChoice(models.TextChoices):
    """Who or what decides which ruleset a round is played in."""

    FIXED = "fixed", "The first of the list, always"
    ROTATING = "rotating", "The list in turn, one each round"
    LOWER_SEED = "lower-seed", "The lower seed chooses from the list"


class WayIn(models.TextChoices):
    """How people enter a season by themselves: what its two switches say together."""

    CLOSED = "closed", "Nobody by themselves: its organisers enrol them"
    OPEN = "open", "Everybody, by themselves"
    APPLICATION = "application", "Everybody may apply, and the organisers decide"


class NoShowRule(models.TextChoices):
    """What happens to a player who is not there at the start and the minutes of grace are over."""

    FORFEIT = "forfeit", "The player who is there wins"
    ORGANISER = "organiser", "An organiser decides"


class TimesRule(models.TextChoices):
    """Who says when a death match is played."""

    ORGANISERS = "organisers", "Organisers alone"
    OPEN = "open", "Players agree on a time while there is none"
    MOVE = "move", "Players agree on a time, and may move it"


class SecretGifts(models.TextChoices):
    """Whether what a contestant gives another is secret until it is used."""

    NEVER = "never", "Everybody sees what is given"
    CHOICE = "choice", "Who gives it chooses"
    ALWAYS = "always", "What is given is secret until it is used"


class SeasonQuerySet(models.QuerySet["Season"]):
    """Seasons, and who may see them."""

    def visible_to(self, user: Any) -> SeasonQuerySet:
        """Drafts are for those who run them, or help to, and administrators; everything else is
        public."""
        if not isinstance(user, User) or not user.is_active:
            return self.exclude(visibility=Visibility.DRAFT)
        if is_administrator(user):
            return self.all()
        own = SeasonOrganiser.objects.held_by(user).values("season")
        return self.filter(~Q(visibility=Visibility.DRAFT) | Q(pk__in=own))


class Season(models.Model):
    """A competition, from enrolment to its winner."""

    uid = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False, help_text="The same on every installation."
    )
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    summary = models.TextField(max_length=2000, blank=True)
    format = models.CharField(max_length=20, choices=formats.choices)
    format_options = models.JSONField(default=dict, blank=True)
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.DRAFT
    )
    status = models.CharField(
        max_length=12, choices=SeasonStatus.choices, default=SeasonStatus.ENROLLING
    )
    open_enrolment = models.BooleanField(
        default=False, help_text="Whether players may enrol themselves."
    )
    by_application = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether who enrols themselves only applies, and organisers decide.",
    )
    places = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(PLACES_MIN)],
        help_text="How many may be in when it begins; empty: as many as like.",
    )
    check_in_until = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Until when contestants say that they are there, before it begins.",
    )
    repertoire = models.JSONField(
        default=list,
        blank=True,
        help_text="What is played, in order: ruleset, variant and options of each.",
    )
    ruleset_choice = models.CharField(
        max_length=10, choices=RulesetChoice.choices, default=RulesetChoice.FIXED
    )
    pace = models.CharField(max_length=20, default="normal", help_text="Key of a ready-made pace.")
    tie_breaks = models.JSONField(
        default=list, blank=True, help_text="Keys of metrics, the first decides first."
    )
    no_show_minutes = models.PositiveSmallIntegerField(default=15)
    no_show_rule = models.CharField(
        max_length=10, choices=NoShowRule.choices, default=NoShowRule.ORGANISER
    )
    late_s = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="By how many seconds spectators see its matches late; 0: at once.",
    )
    times_by = models.CharField(
        max_length=10,
        choices=TimesRule.choices,
        default=TimesRule.OPEN,
        db_default=TimesRule.OPEN,
        help_text="Who says when a death match is played; organisers always may.",
    )
    play_within_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="So many days after it is known who meets, a death match is to have begun: the "
        "last that players may agree on. Empty: no such end.",
    )
    predictions = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Whether those who only watch say who will win; a table tells who knew best.",
    )
    trade = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="What is traded in it: a currency, tokens of immunity. Empty: nothing is.",
    )
    secret_gifts = models.CharField(
        max_length=10,
        choices=SecretGifts.choices,
        default=SecretGifts.NEVER,
        db_default=SecretGifts.NEVER,
        help_text="Whether items that contestants give are secret until they are used.",
    )
    picture = models.ForeignKey(
        "Picture", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    winner = models.ForeignKey(
        "Contestant", on_delete=models.PROTECT, null=True, blank=True, related_name="seasons_won"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seasons_created"
    )
    created_at = models.DateTimeField(default=now_utc)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(default=now_utc, help_text="The last event.")
    revision = models.PositiveBigIntegerField(
        default=0,
        help_text="Another one after each action that may change what everybody sees of it: what "
        "was made of the season before is made anew.",
    )

    objects = SeasonQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["visibility", "status", "-created_at"], name="season_listed"),
            models.Index(
                fields=["picture"], condition=Q(picture__isnull=False), name="season_picture"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                # Which formats there are is known to their registry, not to the database.
                condition=Q(format__regex=r"^[a-z]+(-[a-z]+)*$"),
                name="season_format_named",
            ),
            models.CheckConstraint(
                condition=Q(visibility__in=Visibility.values), name="season_visibility_known"
            ),
            models.CheckConstraint(
                condition=Q(ruleset_choice__in=RulesetChoice.values),
                name="season_ruleset_choice_known",
            ),
            models.CheckConstraint(
                condition=Q(no_show_rule__in=NoShowRule.values), name="season_no_show_known"
            ),
            models.CheckConstraint(
                condition=Q(times_by__in=TimesRule.values), name="season_times_by_known"
            ),
            models.CheckConstraint(
                condition=Q(play_within_days__isnull=True) | Q(play_within_days__gte=1),
                name="season_play_within_days_from_1",
            ),
            models.CheckConstraint(
                condition=Q(secret_gifts__in=SecretGifts.values), name="season_secret_gifts_known"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="season_named"),
            models.CheckConstraint(
                condition=Q(places__isnull=True) | Q(places__gte=PLACES_MIN),
                name="season_places_from_2",
            ),
            # What is played is public: nothing of a draft has begun.
            models.CheckConstraint(
                condition=~Q(visibility="draft")
                | Q(status__in=["enrolling", "cancelled"], started_at__isnull=True),
                name="season_draft_not_begun",
            ),
            models.CheckConstraint(
                condition=Q(status="enrolling", started_at__isnull=True, finished_at__isnull=True)
                | Q(status="running", started_at__isnull=False, finished_at__isnull=True)
                | Q(status="finished", started_at__isnull=False, finished_at__isnull=False)
                | Q(status="cancelled", finished_at__isnull=False),
                name="season_times_fit_status",
            ),
            models.CheckConstraint(
                condition=Q(winner__isnull=True) | Q(status="finished"),
                name="season_winner_when_finished",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("tournaments:season", args=[self.slug])

    @property
    def way_in(self) -> WayIn:
        """How people enter by themselves."""
        if not self.open_enrolment:
            return WayIn.CLOSED
        return WayIn.APPLICATION if self.by_application else WayIn.OPEN


class SeasonOrganiserQuerySet(models.QuerySet["SeasonOrganiser"]):
    """Who runs seasons, or helps to, and whose word counts."""

    def held_by(self, user: User) -> SeasonOrganiserQuerySet:
        """The places of somebody with an open account that give them any right: an owner's only as
        long as they are an organiser of this site, and none while what organisers do rests for
        them."""
        rows = self.filter(user=user)
        if rests(user, SiteRole.ORGANISER, given=rows.exists):
            return self.none()
        return rows if is_organiser(user) else rows.exclude(role=Role.OWNER)

    def organising(self) -> SeasonOrganiserQuerySet:
        """Those of organisers, their owner's first; without helpers'."""
        return self.exclude(role=Role.HELPER)

    def with_right(self, right: Right) -> SeasonOrganiserQuerySet:
        """Those that give a right, as far as the row says; see `holding`."""
        if right is Right.OWN:
            return self.filter(role=Role.OWNER)
        if right is Right.RUN:
            return self.organising()
        return self.filter(~Q(role=Role.HELPER) | Q(rights__contains=[right]))

    def holding(self, right: Right) -> SeasonOrganiserQuerySet:
        """Those that give a right now, as `SeasonOrganiser.held` says of each: their account is
        open, and an owner is an organiser of this site. Whoever must set up a second factor first
        is among them: their word counts, once they have."""
        may_own = Q(user__is_superuser=True) | Q(user__in=organisers())
        return self.with_right(right).filter(~Q(role=Role.OWNER) | may_own, user__is_active=True)


class SeasonOrganiser(models.Model):
    """Somebody who runs a season, or helps to: its owner, a co-organiser, or a helper with some
    rights."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="organisers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seasons_organised"
    )
    role = models.CharField(
        max_length=10, choices=Role.choices, default=Role.ORGANISER, db_default=Role.ORGANISER
    )
    rights = ArrayField(
        models.CharField(max_length=10, choices=[(each.value, each.label) for each in OF_HELPERS]),
        default=list,
        db_default=models.Value([], ArrayField(models.CharField(max_length=10))),
        blank=True,
        help_text="Of a helper: what they may do. Organisers may do everything.",
    )
    since = models.DateTimeField(
        default=now_utc,
        null=True,
        blank=True,
        help_text="Since when; empty: since before it was written down.",
    )
    admitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_index=False,
        related_name="+",
        help_text="Whose word let them in; empty: their own, or it was not written down.",
    )

    objects = SeasonOrganiserQuerySet.as_manager()

    class Meta:
        ordering = ["season", "id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "user"], name="season_organiser_once"),
            models.UniqueConstraint(
                fields=["season"], condition=Q(role="owner"), name="season_owner_once"
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="organiser_role_known"),
            models.CheckConstraint(
                condition=Q(rights__contained_by=[each.value for each in OF_HELPERS]),
                name="organiser_rights_known",
            ),
            models.CheckConstraint(
                condition=Q(role="helper", rights__len__gte=1)
                | (~Q(role="helper") & Q(rights__len=0)),
                name="organiser_rights_of_helpers",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.season}"

    def held(self, user: User) -> frozenset[Right]:
        """What this place lets its ``user`` do: nothing while what organisers do rests for
        them."""
        if not user.is_active or rests(user, SiteRole.ORGANISER):
            return NONE
        if self.role == Role.OWNER:
            return ALL if is_organiser(user) else NONE
        if self.role == Role.ORGANISER:
            return OF_ORGANISERS
        return frozenset(Right(each) for each in self.rights)

    @property
    def is_owner(self) -> bool:
        """Whether the season is theirs."""
        return self.role == Role.OWNER

    @property
    def is_helper(self) -> bool:
        """Whether they only help."""
        return self.role == Role.HELPER

    @property
    def rights_named(self) -> str:
        """What a helper may do, in words."""
        named = [right.label.lower() for right in OF_HELPERS if right.value in self.rights]
        return ", ".join(named)


class OrganiserInvitation(models.Model):
    """What asks one person to run a season too, or to help: somebody by name, or whoever has its
    link first. Nobody is made a member without saying yes to it."""

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="organiser_invitations"
    )
    token = models.CharField(max_length=22, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="organiser_invitations",
        help_text="Who is asked; empty: whoever opens the link first.",
    )
    role = models.CharField(max_length=10, choices=Role.choices)
    rights = ArrayField(
        models.CharField(max_length=10, choices=[(each.value, each.label) for each in OF_HELPERS]),
        default=list,
        blank=True,
        help_text="Of a helper: what they are to do.",
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(default=now_utc)
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was accepted, declined or withdrawn."
    )
    answer = models.CharField(
        max_length=10,
        blank=True,
        choices=[
            ("accepted", "Accepted"), ("declined", "Declined"), ("withdrawn", "Withdrawn"),
        ],
        help_text="What became of it; empty: nothing yet.",
    )  # fmt: skip

    class Meta:
        ordering = ["season", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(("token__regex", r"^[A-Za-z0-9_-]{22}$")), name="asked_token_form"
            ),
            models.CheckConstraint(
                condition=Q(role="organiser", rights__len=0) | Q(role="helper", rights__len__gte=1),
                name="asked_rights_of_helpers",
            ),
            models.CheckConstraint(
                condition=Q(rights__contained_by=[each.value for each in OF_HELPERS]),
                name="asked_rights_known",
            ),
            models.CheckConstraint(
                condition=Q(answer="", answered_at__isnull=True)
                | Q(answer__in=["accepted", "declined", "withdrawn"], answered_at__isnull=False),
                name="asked_answer_known",
            ),
            models.UniqueConstraint(
                fields=["season", "user"], condition=Q(answer=""), name="asked_once_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user or 'somebody'} for {self.season}"

    def get_absolute_url(self) -> str:
        return reverse("tournaments:helping", args=[self.season.slug, self.token])

    @property
    def rights_named(self) -> str:
        """What a helper is to do, in words."""
        named = [right.label.lower() for right in OF_HELPERS if right.value in self.rights]
        return ", ".join(named)
