"""What seasons are made of. Changes go through `tournaments.services`.

From the outside in: a `Season` has `Contestant`s and `Round`s; a round has `DeathMatch`es, each
between two contestants; a death match has `Leg`s (one, or several in a final that is best of many),
and a leg is played as one `games.Match`. In an elimination season a round is an `Episode`, or the
final. Items travel as `Gift`s; what happened to them is an append-only history, and so is the
season's own (`SeasonEvent`), which pages, webhooks and feeds are read from.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from accounts.roles import is_organiser
from games.models import Match
from tournaments.formats import names
from tournaments.lifecycle import (
    ContestantStatus,
    DeathMatchStatus,
    EpisodeStatus,
    GiftStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
    Visibility,
)

USER = settings.AUTH_USER_MODEL


class RulesetChoice(models.TextChoices):
    """Who or what decides which ruleset a round is played in."""

    FIXED = "fixed", "The first of the list, always"
    ROTATING = "rotating", "The list in turn, one each round"
    LOWER_SEED = "lower-seed", "The lower seed chooses from the list"


class NoShowRule(models.TextChoices):
    """What happens to a player who is not there at the start and the minutes of grace are over."""

    FORFEIT = "forfeit", "The player who is there wins"
    ORGANISER = "organiser", "An organiser decides"


class SeasonQuerySet(models.QuerySet["Season"]):
    """Seasons, and who may see them."""

    def visible_to(self, user: Any) -> SeasonQuerySet:
        """Drafts are for their organisers (who still are organisers of this site) and
        administrators, everything else is public."""
        if not is_organiser(user):
            return self.exclude(visibility=Visibility.DRAFT)
        if user.is_superuser:
            return self.all()
        own = SeasonOrganiser.objects.filter(user=user).values("season")
        return self.filter(~Q(visibility=Visibility.DRAFT) | Q(pk__in=own))


class Season(models.Model):
    """A competition, from enrolment to its winner."""

    uid = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False, help_text="The same on every installation."
    )
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=80)
    summary = models.TextField(max_length=2000, blank=True)
    format = models.CharField(max_length=20, choices=names.choices)
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
    repertoire = models.JSONField(
        default=list,
        blank=True,
        help_text="What is played, in order: ruleset, variant and options of each.",
    )
    ruleset_choice = models.CharField(
        max_length=10, choices=RulesetChoice.choices, default=RulesetChoice.FIXED
    )
    pace = models.CharField(max_length=20, default="normal", help_text="See `games.pace.PACES`.")
    tie_breaks = models.JSONField(
        default=list, blank=True, help_text="Keys of metrics, the first decides first."
    )
    no_show_minutes = models.PositiveSmallIntegerField(default=15)
    no_show_rule = models.CharField(
        max_length=10, choices=NoShowRule.choices, default=NoShowRule.ORGANISER
    )
    winner = models.ForeignKey(
        "Contestant", on_delete=models.PROTECT, null=True, blank=True, related_name="seasons_won"
    )
    created_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="seasons_created")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(default=timezone.now, help_text="The last event.")
    revision = models.PositiveBigIntegerField(
        default=0,
        help_text="Another one after each deed that may change what everybody sees of it: what was "
        "made of the season before is made anew.",
    )

    objects = SeasonQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["visibility", "status", "-created_at"], name="season_listed"),
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
            models.CheckConstraint(condition=~Q(name=""), name="season_named"),
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


class SeasonOrganiser(models.Model):
    """Somebody who runs a season."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="organisers")
    user = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="seasons_organised")

    class Meta:
        ordering = ["season", "id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "user"], name="season_organiser_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.season}"


class ContestantQuerySet(models.QuerySet["Contestant"]):
    """Contestants, and where they play."""

    def in_round(self, number: int) -> ContestantQuerySet:
        """Who plays in a round, or in the main match of an episode: everybody still in who has not
        entered since."""
        return self.filter(status=ContestantStatus.ACTIVE, since_round__lte=number)


class Contestant(models.Model):
    """Somebody in a season. `name` is the name at the time; a contestant of an imported season
    may have no account here."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="contestants")
    user = models.ForeignKey(
        USER, on_delete=models.PROTECT, null=True, blank=True, related_name="contestancies"
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
    enrolled_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = ContestantQuerySet.as_manager()

    class Meta:
        ordering = ["season", "seed", "id"]
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
        return self.name


class Round(models.Model):
    """A stage of a season: an episode, a round of pairings, the final.

    Once the next round has begun, a round is frozen: its results change only after an organiser has
    reopened it.
    """

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=80)
    is_final = models.BooleanField(default=False)
    status = models.CharField(max_length=12, choices=RoundStatus.choices, default=RoundStatus.OPEN)
    ruleset = models.CharField(
        max_length=40, blank=True, help_text="Empty: decided match by match, or not yet."
    )
    variant = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=dict, blank=True)
    opened_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["season", "number"]
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="round_number_once"),
            models.UniqueConstraint(
                fields=["season"], condition=Q(is_final=True), name="round_one_final"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="round_number_from_1"),
            models.CheckConstraint(
                condition=Q(status__in=RoundStatus.values), name="round_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status="closed", closed_at__isnull=False)
                | (~Q(status="closed") & Q(closed_at__isnull=True)),
                name="round_closed_at",
            ),
            models.CheckConstraint(
                condition=Q(ruleset="", variant="") | (~Q(ruleset="") & ~Q(variant="")),
                name="round_ruleset_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season}: {self.name}"


class Episode(models.Model):
    """What an elimination season's round is about: a main match that was played elsewhere, the
    elimination candidate (EC) it leaves, and the death-match opponent (DMO) the EC picks."""

    round = models.OneToOneField(Round, on_delete=models.PROTECT, related_name="episode")
    status = models.CharField(
        max_length=12, choices=EpisodeStatus.choices, default=EpisodeStatus.MAIN_MATCH
    )
    main_match = models.CharField(max_length=120, blank=True, help_text="What was played.")
    notes = models.TextField(max_length=4000, blank=True)
    ec = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="episodes_as_ec"
    )
    dmo = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="episodes_as_dmo"
    )
    choose_by = models.DateTimeField(
        null=True, blank=True, help_text="After this an organiser names the DMO."
    )
    expiry_told_for = models.DateTimeField(
        null=True, blank=True, help_text="Which of these the organisers have been told of."
    )
    chosen_at = models.DateTimeField(null=True, blank=True)
    chosen_by = models.ForeignKey(
        USER, on_delete=models.PROTECT, null=True, blank=True, related_name="dmo_choices"
    )

    class Meta:
        ordering = ["round"]
        indexes = [
            models.Index(
                fields=["choose_by"], name="episode_choose_by", condition=Q(status="choosing")
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=EpisodeStatus.values), name="episode_status_known"
            ),
            models.CheckConstraint(
                condition=Q(dmo__isnull=True) | Q(ec__isnull=False), name="episode_dmo_needs_ec"
            ),
            models.CheckConstraint(
                condition=Q(dmo__isnull=True) | ~Q(dmo=F("ec")), name="episode_two_people"
            ),
            models.CheckConstraint(
                condition=Q(status="main-match", ec__isnull=True)
                | Q(status="choosing", ec__isnull=False, dmo__isnull=True)
                | Q(status__in=["death-match", "done"], dmo__isnull=False)
                | Q(status="skipped"),
                name="episode_people_fit_status",
            ),
        ]

    def __str__(self) -> str:
        return str(self.round)


class Placement(models.Model):
    """How a contestant came off in an episode's main match."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="placements")
    contestant = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="placements")
    place = models.PositiveSmallIntegerField(help_text="1 is the best; equal places are possible.")
    immune = models.BooleanField(default=False, help_text="May not be picked as DMO.")

    class Meta:
        ordering = ["episode", "place", "id"]
        constraints = [
            models.UniqueConstraint(fields=["episode", "contestant"], name="placement_once"),
            models.CheckConstraint(condition=Q(place__gte=1), name="placement_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.contestant}: {self.place}"


class DeathMatchQuerySet(models.QuerySet["DeathMatch"]):
    """Death matches, and who may see them."""

    def visible_to(self, user: Any) -> DeathMatchQuerySet:
        """Those of the seasons that ``user`` may see."""
        return self.filter(round__season__in=Season.objects.visible_to(user))


class DeathMatch(models.Model):
    """Two contestants meet. `home` sits on seat 0 (in an episode the EC), `away` on seat 1 (the
    DMO). In a bracket the sides may not be known yet; a bye has a home side only."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="death_matches")
    number = models.PositiveSmallIntegerField(help_text="Its place in the round, from 1.")
    key = models.CharField(
        max_length=20, blank=True, help_text="What the bracket calls it; empty outside a bracket."
    )
    home = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="home_matches"
    )
    away = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="away_matches"
    )
    best_of = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(
        max_length=12, choices=DeathMatchStatus.choices, default=DeathMatchStatus.WAITING
    )
    winner = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="matches_won"
    )
    how = models.CharField(max_length=10, choices=How.choices, blank=True)
    # Legs won where there are several, else what the ruleset counts; whole numbers, for standings.
    home_score = models.IntegerField(default=0)
    away_score = models.IntegerField(default=0)
    why = models.CharField(max_length=500, blank=True, help_text="Of a ruling or walkover; public.")
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = DeathMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "death matches"
        ordering = ["round", "number"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number"], name="death_match_number_once"),
            models.CheckConstraint(
                condition=Q(status__in=DeathMatchStatus.values), name="death_match_status_known"
            ),
            models.CheckConstraint(
                condition=Q(how__in=["", *How.values]), name="death_match_how_known"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="death_match_number_from_1"),
            # So that somebody wins most of them.
            models.CheckConstraint(
                condition=Q(best_of__in=[1, 3, 5, 7, 9, 11, 13, 15]),
                name="death_match_best_of_odd",
            ),
            models.CheckConstraint(
                condition=Q(home__isnull=True) | Q(away__isnull=True) | ~Q(home=F("away")),
                name="death_match_two_people",
            ),
            models.CheckConstraint(
                condition=Q(winner__isnull=True) | Q(winner=F("home")) | Q(winner=F("away")),
                name="death_match_winner_played",
            ),
            # There are no draws: decided means that somebody won.
            models.CheckConstraint(
                condition=Q(status="decided", winner__isnull=False, decided_at__isnull=False)
                & ~Q(how="")
                | (~Q(status="decided") & Q(winner__isnull=True, decided_at__isnull=True, how="")),
                name="death_match_decided",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "void"])
                | Q(home__isnull=False, away__isnull=False)
                | Q(status="decided", how__in=["bye", "walkover"]),
                name="death_match_sides_known",
            ),
            models.CheckConstraint(
                condition=~Q(how="bye") | Q(away__isnull=True), name="death_match_bye_alone"
            ),
            # No contestant is paired twice in one round as the same side. That nobody is paired on
            # one side and the other, the services see to, under the season's lock.
            models.UniqueConstraint(
                fields=["round", "home"],
                condition=~Q(status="void") & Q(key="") & Q(home__isnull=False),
                name="death_match_home_once",
            ),
            models.UniqueConstraint(
                fields=["round", "away"],
                condition=~Q(status="void") & Q(key="") & Q(away__isnull=False),
                name="death_match_away_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.home or '?'} vs {self.away or '?'}"

    def get_absolute_url(self) -> str:
        return reverse("tournaments:death_match", args=[self.round.season.slug, self.pk])


class Leg(models.Model):
    """One match of a death match: when it is played and what in, who is ready, which items are
    brought, and the running match once it has begun. A void leg stays, and is played again as the
    next attempt."""

    death_match = models.ForeignKey(DeathMatch, on_delete=models.PROTECT, related_name="legs")
    number = models.PositiveSmallIntegerField(default=1)
    attempt = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=12, choices=LegStatus.choices, default=LegStatus.PLANNED)
    ruleset = models.CharField(max_length=40, blank=True, help_text="Empty: not decided yet.")
    variant = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=dict, blank=True)
    prepared = models.JSONField(
        default=dict, blank=True, help_text="Pallets, pools and the like that organisers supply."
    )
    prepared_by = models.ForeignKey(
        USER,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who supplied it; records name them.",
    )
    advantage = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The seat. Empty: by the number of items, or by lot."
    )
    scheduled_at = models.DateTimeField(null=True, blank=True)
    home_ready_at = models.DateTimeField(null=True, blank=True)
    away_ready_at = models.DateTimeField(null=True, blank=True)
    ready_cleared_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When others last made players say anew that they are ready: the grace of who is "
        "not there counts from it at the earliest.",
    )
    no_show_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When organisers were told that somebody was not there in time.",
    )
    items = models.JSONField(
        null=True, blank=True, help_text="What each seat brings; fixed when the leg starts."
    )
    match = models.OneToOneField(
        Match, on_delete=models.PROTECT, null=True, blank=True, related_name="leg"
    )
    winner_seat = models.PositiveSmallIntegerField(null=True, blank=True)
    how = models.CharField(max_length=10, choices=How.choices, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["death_match", "number", "attempt"]
        indexes = [
            # The sweep asks for what is due every few seconds.
            models.Index(
                fields=["scheduled_at"], name="leg_scheduled", condition=Q(status="planned")
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["death_match", "number", "attempt"], name="leg_attempt_once"
            ),
            models.UniqueConstraint(
                fields=["death_match", "number"],
                condition=~Q(status="void"),
                name="leg_one_that_counts",
            ),
            models.CheckConstraint(
                condition=Q(status__in=LegStatus.values), name="leg_status_known"
            ),
            models.CheckConstraint(condition=Q(how__in=["", *How.values]), name="leg_how_known"),
            models.CheckConstraint(
                condition=Q(number__gte=1, attempt__gte=1), name="leg_numbers_from_1"
            ),
            models.CheckConstraint(
                condition=Q(advantage__isnull=True) | Q(advantage__in=[0, 1]),
                name="leg_advantage_seat",
            ),
            models.CheckConstraint(
                condition=Q(winner_seat__isnull=True) | Q(winner_seat__in=[0, 1]),
                name="leg_winner_seat_number",
            ),
            models.CheckConstraint(
                condition=Q(status="finished", winner_seat__isnull=False, finished_at__isnull=False)
                & ~Q(how="")
                | (~Q(status="finished") & Q(winner_seat__isnull=True, how="")),
                name="leg_finished",
            ),
            models.CheckConstraint(
                condition=~Q(status="running")
                | (Q(match__isnull=False, started_at__isnull=False) & ~Q(ruleset="")),
                name="leg_running_has_match",
            ),
            models.CheckConstraint(
                condition=Q(ruleset="", variant="") | (~Q(ruleset="") & ~Q(variant="")),
                name="leg_ruleset_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.death_match}, match {self.number}"


class Gift(models.Model):
    """An item that a contestant holds: given by an eliminated one, or granted by an organiser."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="gifts")
    item = models.CharField(max_length=40, help_text="An id of the catalogue.")
    ruleset = models.CharField(
        max_length=40, blank=True, help_text="The ruleset it works in. Empty for Copy and Block."
    )
    giver = models.ForeignKey(
        Contestant,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="gifts_given",
        help_text="Nobody: granted by an organiser.",
    )
    receiver = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, related_name="gifts_received"
    )
    death_match = models.ForeignKey(
        DeathMatch,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="gifts",
        help_text="What it is for. Empty: any match of the season in its ruleset.",
    )
    leg_number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Which leg of that death match. Empty: any."
    )
    note = models.CharField(max_length=300, blank=True, help_text="Public.")
    status = models.CharField(max_length=12, choices=GiftStatus.choices, default=GiftStatus.HELD)
    given_at = models.DateTimeField(default=timezone.now)
    given_by = models.ForeignKey(USER, on_delete=models.PROTECT, related_name="gifts_entered")

    class Meta:
        ordering = ["season", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=GiftStatus.values), name="gift_status_known"
            ),
            models.CheckConstraint(
                condition=Q(giver__isnull=True) | ~Q(giver=F("receiver")), name="gift_not_oneself"
            ),
            models.CheckConstraint(
                condition=Q(leg_number__isnull=True) | Q(death_match__isnull=False),
                name="gift_leg_needs_match",
            ),
            models.CheckConstraint(condition=~Q(item=""), name="gift_item_named"),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.receiver}"


class Declaration(models.Model):
    """That a contestant brings an item into a leg. Secret until the leg starts, then resolved
    with the opponent's (see `tournaments.items.rules`)."""

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="declarations")
    gift = models.ForeignKey(Gift, on_delete=models.PROTECT, related_name="declarations")
    target = models.ForeignKey(
        Gift,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="targeted_by",
        help_text="What a Copy copies or a Block blocks.",
    )
    declared_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["leg", "id"]
        constraints = [
            models.UniqueConstraint(fields=["leg", "gift"], name="declaration_once"),
            models.CheckConstraint(
                condition=Q(target__isnull=True) | ~Q(target=F("gift")),
                name="declaration_not_itself",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gift} in {self.leg}"


class ItemEvent(models.Model):
    """One line of an item's history, append-only and public."""

    gift = models.ForeignKey(Gift, on_delete=models.PROTECT, related_name="history")
    kind = models.CharField(
        max_length=20,
        help_text="given, taken-back, brought, copied, blocked, acted, no-effect, spent, returned "
        "or expired",
    )
    leg = models.ForeignKey(
        Leg, on_delete=models.PROTECT, null=True, blank=True, related_name="item_events"
    )
    other = models.ForeignKey(
        Gift,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="history_as_other",
        help_text="The Copy or Block that did it; for one of these, what it was aimed at.",
    )
    words = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "given", "taken-back", "brought", "copied", "blocked", "acted",
                        "no-effect", "spent", "returned", "expired",
                    ]
                ),
                name="item_event_kind_known",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.gift} {self.kind}"


class SeasonEvent(models.Model):
    """Something the world may know of a season, append-only: what the timeline, the feeds and the
    webhooks tell. Written by `tournaments.services.events.season_event`, in the transaction of the
    action; `data` holds ids and public facts only."""

    season = models.ForeignKey(Season, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(max_length=40, help_text="For example death-match.decided.")
    words = models.CharField(max_length=500, help_text="A sentence for people.")
    data = models.JSONField(default=dict, blank=True)
    round = models.ForeignKey(
        Round, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    death_match = models.ForeignKey(
        DeathMatch, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    leg = models.ForeignKey(
        Leg, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    contestant = models.ForeignKey(
        Contestant, on_delete=models.PROTECT, null=True, blank=True, related_name="events"
    )
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "id"]
        indexes = [models.Index(fields=["season", "id"], name="season_event_order")]
        constraints = [
            models.CheckConstraint(condition=~Q(kind="") & ~Q(words=""), name="season_event_whole"),
        ]

    def __str__(self) -> str:
        return self.words


class ReminderSent(models.Model):
    """That somebody was reminded of a leg, so that nobody is reminded twice."""

    leg = models.ForeignKey(Leg, on_delete=models.CASCADE, related_name="reminders")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, help_text="How long before: a key of the schedule.")
    scheduled_at = models.DateTimeField(help_text="A leg that is moved is reminded of anew.")
    sent_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["leg", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["leg", "user", "kind", "scheduled_at"], name="reminder_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user}"


# Kept in a module of their own, and found by Django through this one.
from tournaments.webhooks.models import Delivery, Webhook  # noqa: E402, F401
