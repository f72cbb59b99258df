"""Accounts of Discord, and whose they are here."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from core.clock import now_utc

NAME_MAX = 32
ID_FORM = r"^[1-9][0-9]{0,19}$"


class DiscordLink(models.Model):
    """Whose a Discord account is here. Whoever has it can sign in by it, so it is linked only once
    its owner has shown at Discord that it is theirs."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="discord_link"
    )
    discord_id = models.CharField("Discord's number", max_length=20, unique=True)
    name = models.CharField(
        "name at Discord", max_length=NAME_MAX, help_text="When it was last signed in by."
    )
    linked_at = models.DateTimeField(default=now_utc)
    channel = models.CharField(
        max_length=20, blank=True, default="", help_text="Where the bot writes to them directly."
    )
    shut_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when Discord takes no message of the bot's for them.",
    )
    tested_at = models.DateTimeField(
        null=True, blank=True, help_text="When its owner last had the bot write a test to them."
    )
    mentions = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether its owner wants to be mentioned by the bot's reminders.",
    )

    found_by_name = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether organisers of seasons find its owner by the name at Discord.",
    )

    class Meta:
        verbose_name = "Discord link"
        ordering = ["-linked_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(discord_id__regex=ID_FORM), name="discord_link_id_form"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="discord_link_named"),
            models.CheckConstraint(
                condition=Q(channel="") | Q(channel__regex=ID_FORM),
                name="discord_link_channel_form",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}/{self.discord_id}"


class DiscordLinkRequest(models.Model):
    """Somebody has asked in Discord to be linked, and was given an address for it.

    There is one for each Discord account, the latest. Of the key in the address only a digest is
    kept. Rows that have run out go when the next is made.
    """

    discord_id = models.CharField("Discord's number", max_length=20, unique=True)
    name = models.CharField("name at Discord", max_length=NAME_MAX)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256, in hex.")
    made_at = models.DateTimeField(default=now_utc)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(discord_id__regex=ID_FORM), name="discord_request_id_form"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="discord_request_named"),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="discord_request_digest_form"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("made_at")), name="discord_request_expires_later"
            ),
        ]

    def __str__(self) -> str:
        return f"request {self.pk}"
