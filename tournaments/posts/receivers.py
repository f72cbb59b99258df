"""What the bot must hear of, besides the events of seasons (`outbox`)."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet

from core.queueing import enqueue_soon
from tournaments.jobs import DISCORD_CLOCK, DISCORD_TURN
from tournaments.posts.kinds import CLOCKS, MATCHES
from tournaments.posts.models import DiscordChannel
from tournaments.posts.roles import person_refresh


def channels_listening() -> QuerySet[DiscordChannel]:
    """The channels that hear of the match in question turn by turn (`webhooks.following`)."""
    return DiscordChannel.objects.filter(
        season__rounds__death_matches__legs__match=OuterRef("pk"),
        active=True,
        kinds__overlap=[MATCHES, CLOCKS],
    )


def on_turn(*, match_id: int, **_more: object) -> None:
    """A turn of a followed match is on disk: have a worker say so. One that is not told of is
    caught up with later."""
    enqueue_soon(DISCORD_TURN, match_id)


def on_reminder(
    *, match_id: int, seat: int | None, kind: str, left_ms: int, at: int, **_more: object
) -> None:
    """The clock of a followed match was announced. Later its reminder would be wrong."""
    enqueue_soon(DISCORD_CLOCK, match_id, seat, kind, left_ms, at)


def on_person_changed(*, user_id: int, discord_id: str = "", **_more: Any) -> None:
    """Somebody has linked a Discord account, or unlinked theirs; or their account was closed,
    opened again, or given what another one had: it has roles from now on, or no more."""
    person_refresh(user_id=user_id, discord_id=discord_id)
