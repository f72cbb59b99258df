"""Where the bot tells of a season in Discord, and each message and role there. Changes go through
`tournaments.posts.services`; what is told, through `tournaments.posts.outbox`."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from core.clock import now_utc
from games.models import Match

#: Discord's numbers, as text.
ID_FORM: Final = r"^[0-9]{1,20}$"
_ID_MOST: Final = 20
#: The settings that are roles.
ROLES: Final = ("contestant_role", "eliminated_role", "spectator_role")
_ID_OR_NOTHING: Final = r"^[0-9]{0,20}$"


class DiscordChannel(models.Model):
    """The channel in which the bot tells of a season."""

    season = models.OneToOneField(
        "tournaments.Season", on_delete=models.PROTECT, related_name="discord_channel"
    )
    channel_id = models.CharField(max_length=_ID_MOST)
    guild_id = models.CharField(max_length=_ID_MOST)
    name = models.CharField(max_length=100, help_text="As Discord calls it.")
    guild_name = models.CharField(max_length=100, help_text="As Discord calls the server.")
    kinds = ArrayField(
        models.CharField(max_length=20), help_text="See `tournaments.posts.kinds.KINDS`."
    )
    mentions = models.BooleanField(
        default=False, help_text="Whether reminders mention who is to move."
    )
    contestant_role = models.CharField(max_length=_ID_MOST, blank=True)
    eliminated_role = models.CharField(max_length=_ID_MOST, blank=True)
    spectator_role = models.CharField(max_length=_ID_MOST, blank=True)
    role_names = models.JSONField(
        default=dict,
        blank=True,
        help_text="What Discord called these roles when it was last asked, by their numbers.",
    )
    lacks = ArrayField(
        models.CharField(max_length=20),
        default=list,
        blank=True,
        help_text="What the bot may not do there, of what it would; see `permissions.WANTED`.",
    )
    checked_at = models.DateTimeField(default=now_utc)
    active = models.BooleanField(default=True)
    roles_due = models.BooleanField(
        default=False, help_text="Who has which role is to be worked out anew, by all means."
    )
    roles_at = models.DateTimeField(
        null=True, blank=True, help_text="When that was last done; anew once the season changes."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="discord_channels"
    )
    created_at = models.DateTimeField(default=now_utc)
    failing_since = models.DateTimeField(null=True, blank=True)
    fault = models.CharField(max_length=200, blank=True, help_text="Why the latest call failed.")
    disabled_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was given up, and not by an organiser."
    )
    disabled_why = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = "Discord channel"
        ordering = ["season"]
        constraints = [
            models.CheckConstraint(
                condition=Q(channel_id__regex=ID_FORM) & Q(guild_id__regex=ID_FORM),
                name="discord_channel_ids",
            ),
            models.CheckConstraint(
                condition=Q(contestant_role__regex=_ID_OR_NOTHING)
                & Q(eliminated_role__regex=_ID_OR_NOTHING)
                & Q(spectator_role__regex=_ID_OR_NOTHING),
                name="discord_channel_roles",
            ),
            models.CheckConstraint(condition=~Q(kinds=[]), name="discord_channel_kinds"),
            models.CheckConstraint(
                condition=Q(disabled_at__isnull=True, disabled_why="")
                | (Q(disabled_at__isnull=False, active=False) & ~Q(disabled_why="")),
                name="discord_channel_disabled_off",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.name} in {self.guild_name}"

    def get_absolute_url(self) -> str:
        return reverse("posts:channel", args=[self.season.slug])

    @property
    def roles(self) -> dict[str, str]:
        """The roles that it gives, by `ROLES`: of those who play, are out, and watch, as far as
        set."""
        every = {name: str(getattr(self, name)) for name in ROLES}
        return {name: role for name, role in every.items() if role}

    def role_called(self, role_id: str) -> str:
        """A role as Discord calls it; its number in brackets where that is not known."""
        return f"@{self.role_names[role_id]}" if role_id in self.role_names else f"({role_id})"


class DiscordPlace(models.Model):
    """Where messages stand, in order: the channel itself, or the thread of a death match in it. One
    worker at a time says what there is to be said in a place."""

    channel = models.ForeignKey(DiscordChannel, on_delete=models.CASCADE, related_name="places")
    death_match = models.ForeignKey(
        "tournaments.DeathMatch",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Whose thread it is; empty: the channel itself.",
    )
    thread_id = models.CharField(
        max_length=_ID_MOST, blank=True, help_text="Empty: there is none, or not yet."
    )
    in_channel = models.BooleanField(
        default=False, help_text="There can be no thread: all of it stands in the channel."
    )
    lost = models.PositiveSmallIntegerField(
        default=0, help_text="How often somebody deleted the thread."
    )
    archived = models.BooleanField(default=False)
    attempts = models.PositiveIntegerField(default=0, help_text="Failed in a row.")
    not_before = models.DateTimeField(null=True, blank=True, help_text="It rests until then.")
    busy_until = models.DateTimeField(
        null=True, blank=True, help_text="A worker is at it; past this it counts as dead."
    )

    class Meta:
        verbose_name = "Discord place"
        ordering = ["channel", "id"]
        constraints = [
            models.UniqueConstraint(fields=["channel", "death_match"], name="discord_thread_once"),
            models.UniqueConstraint(
                fields=["channel"],
                condition=Q(death_match__isnull=True),
                name="discord_place_one_channel",
            ),
            models.CheckConstraint(
                condition=Q(thread_id__regex=_ID_OR_NOTHING), name="discord_place_id"
            ),
            models.CheckConstraint(
                condition=Q(death_match__isnull=False)
                | Q(thread_id="", in_channel=False, archived=False),
                name="discord_place_channel_is_no_thread",
            ),
            models.CheckConstraint(
                condition=Q(thread_id="") | Q(in_channel=False), name="discord_place_one_or_other"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}/{self.death_match_id or 'channel'}"

    @property
    def target(self) -> str:
        """Discord's number of where its messages go; empty while there is no thread yet."""
        if self.death_match_id is None or self.in_channel:
            return self.channel.channel_id
        return self.thread_id


class DiscordPostQuerySet(models.QuerySet["DiscordPost"]):
    """Messages of the bot's."""

    def waiting(self) -> DiscordPostQuerySet:
        """Those that do not stand in Discord yet as they should."""
        return self.filter(status=DiscordPost.Status.WAITING)


class DiscordPost(models.Model):
    """A message: of an event, or of a clock, which is said once; or of a thread, a round or a
    match, which lives. ``wanted`` counts how often it was to be said anew, and ``said`` up to which
    of these it was: whatever happens meanwhile, the latest of it is said in the end."""

    class Kind(models.TextChoices):
        EVENT = "event", "What has happened"
        CLOCK = "clock", "Time is running out"
        THREAD = "thread", "The head of a thread"
        ROUND = "round", "A round"
        MATCH = "match", "A match"
        TEST = "test", "A test"

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting"
        DONE = "done", "Said"
        FAILED = "failed", "Refused for good"
        ABANDONED = "abandoned", "Given up"

    #: Of these there is one each, which is edited as things change.
    LIVING: Final = (Kind.THREAD, Kind.ROUND, Kind.MATCH)

    place = models.ForeignKey(DiscordPlace, on_delete=models.CASCADE, related_name="posts")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    event = models.ForeignKey(
        "tournaments.SeasonEvent",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    round = models.ForeignKey(
        "tournaments.Round", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    death_match = models.ForeignKey(
        "tournaments.DeathMatch", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    match = models.ForeignKey(
        Match, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    body = models.TextField(
        blank=True, help_text="What it says; of one that lives, what it said last."
    )
    still = models.PositiveIntegerField(
        null=True, blank=True, help_text="The picture in it; see `games.pictures.diagrams`."
    )
    version = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of a match: the room's version that was said last."
    )
    is_final = models.BooleanField(default=False, help_text="Its match is over, and it says so.")
    wanted = models.PositiveIntegerField(default=1)
    said = models.PositiveIntegerField(default=0)
    message_id = models.CharField(max_length=_ID_MOST, blank=True)
    posted_in = models.CharField(
        max_length=_ID_MOST, blank=True, help_text="The channel or thread in which it stands."
    )
    lost = models.PositiveSmallIntegerField(
        default=0, help_text="How often somebody deleted it, or what it stood in."
    )
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=now_utc)
    next_at = models.DateTimeField(default=now_utc)
    give_up_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True, help_text="The latest attempt.")
    fault = models.CharField(max_length=200, blank=True)

    objects = DiscordPostQuerySet.as_manager()

    class Meta:
        verbose_name = "Discord post"
        ordering = ["place", "-id"]
        indexes = [
            models.Index(
                fields=["next_at"], name="discord_post_due", condition=Q(status="waiting")
            ),
            models.Index(fields=["created_at"], name="discord_post_age"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["event", "clock", "thread", "round", "match", "test"]),
                name="discord_post_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "done", "failed", "abandoned"]),
                name="discord_post_status_known",
            ),
            models.CheckConstraint(
                condition=Q(kind="event", event__isnull=False)
                | (~Q(kind="event") & Q(event__isnull=True)),
                name="discord_post_of_event",
            ),
            models.CheckConstraint(
                condition=Q(kind="round", round__isnull=False)
                | (~Q(kind="round") & Q(round__isnull=True)),
                name="discord_post_of_round",
            ),
            models.CheckConstraint(
                condition=Q(kind="thread", death_match__isnull=False)
                | (~Q(kind="thread") & Q(death_match__isnull=True)),
                name="discord_post_of_thread",
            ),
            models.CheckConstraint(
                condition=Q(match__isnull=False) | ~Q(kind__in=["match", "clock"]),
                name="discord_post_of_match",
            ),
            # However often a worker is told of the same thing.
            models.UniqueConstraint(fields=["place", "event"], name="discord_event_once"),
            models.UniqueConstraint(fields=["place", "round"], name="discord_round_once"),
            models.UniqueConstraint(fields=["place", "death_match"], name="discord_head_once"),
            models.UniqueConstraint(
                fields=["place", "match"], condition=Q(kind="match"), name="discord_match_once"
            ),
            models.CheckConstraint(
                condition=Q(wanted__gte=F("said")), name="discord_post_said_what_was_wanted"
            ),
            models.CheckConstraint(
                condition=Q(message_id="", posted_in="")
                | (Q(message_id__regex=ID_FORM) & Q(posted_in__regex=ID_FORM)),
                name="discord_post_ids",
            ),
            models.CheckConstraint(
                condition=Q(attempts=0, sent_at__isnull=True)
                | Q(attempts__gt=0, sent_at__isnull=False),
                name="discord_post_sent_at",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def lives(self) -> bool:
        """Whether it is said anew as things change."""
        return self.kind in self.LIVING

    @property
    def nonce(self) -> str:
        """By which Discord knows that it is posted again, and not twice."""
        return f"{self.pk}-{self.lost}"


class DiscordRole(models.Model):
    """That somebody in Discord should have a role, or no more, and whether that has been done."""

    class Why(models.TextChoices):
        CONTESTANT = "contestant", "Plays in the season"
        ELIMINATED = "eliminated", "Is out of it"
        SPECTATOR = "spectator", "Watches it, and has asked for that"

    channel = models.ForeignKey(DiscordChannel, on_delete=models.CASCADE, related_name="grants")
    member_id = models.CharField(max_length=_ID_MOST)
    role_id = models.CharField(max_length=_ID_MOST)
    why = models.CharField(max_length=10, choices=Why.choices)
    wanted = models.BooleanField()
    done = models.BooleanField(default=False)
    next_at = models.DateTimeField(default=now_utc)
    attempts = models.PositiveIntegerField(default=0)
    fault = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = "Discord role"
        ordering = ["channel", "id"]
        indexes = [
            models.Index(fields=["next_at"], name="discord_role_due", condition=Q(done=False)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "member_id", "role_id"], name="discord_role_once"
            ),
            models.CheckConstraint(
                condition=Q(member_id__regex=ID_FORM) & Q(role_id__regex=ID_FORM),
                name="discord_role_ids",
            ),
            models.CheckConstraint(
                condition=Q(why__in=["contestant", "eliminated", "spectator"]),
                name="discord_role_why_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role_id} of {self.member_id}"
