"""What is said beside a match."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.engine.variations import LONGEST
from games.models.matches import Match


class ChatMessage(models.Model):
    """Something said beside a match. A removed message keeps its row, for the moderators."""

    class Room(models.TextChoices):
        PLAYERS = "players"
        SPECTATORS = "spectators"
        # What commentators tell all who watch.
        COMMENTARY = "commentary"
        # What is said of one position, once the match is over.
        STUDY = "study"

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="chat")
    room = models.CharField(max_length=10, choices=Room.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="chat_messages"
    )
    client_id = models.CharField(max_length=64)
    text = models.CharField(max_length=500)
    at = models.BigIntegerField(help_text="In ms since 1970.")
    removed_at = models.DateTimeField(null=True, blank=True)
    step = models.PositiveIntegerField(
        null=True, blank=True, help_text="In a study: of which step of the replay it is said."
    )
    line = models.CharField(
        max_length=LONGEST,
        blank=True,
        default="",
        db_default="",
        help_text="In a study: of which variation from that step on, where it is of one.",
    )

    class Meta:
        ordering = ["match", "id"]
        indexes = [models.Index(fields=["match", "room", "id"], name="chat_room")]
        constraints = [
            models.CheckConstraint(
                condition=Q(room__in=["players", "spectators", "commentary", "study"]),
                name="chat_room_known",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="chat_not_empty"),
            models.CheckConstraint(
                condition=Q(room="study", step__isnull=False)
                | (~Q(room="study") & Q(step__isnull=True)),
                name="chat_step_in_study",
            ),
            models.CheckConstraint(
                condition=Q(room="study") | Q(line=""), name="chat_line_in_study"
            ),
            models.UniqueConstraint(
                fields=["match", "author", "client_id"], name="chat_client_id_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}/{self.room}/{self.pk}"


#: The rooms that are live: they have sockets. Of a study one asks when one looks at it.
LIVE_ROOMS: Final = (
    ChatMessage.Room.PLAYERS,
    ChatMessage.Room.SPECTATORS,
    ChatMessage.Room.COMMENTARY,
)
LIVE_ROOM_NAMES: Final = [room.value for room in LIVE_ROOMS]
