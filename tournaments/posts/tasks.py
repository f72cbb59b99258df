"""What workers do about the bot's messages: say them, find what was missed, clear up."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from core.clock import now_utc
from core.jobs import guard
from core.jobs.pruning import rows_prune
from core.queueing import enqueue
from tournaments.jobs import (
    DISCORD_CLOCK,
    DISCORD_GIVEN_UP,
    DISCORD_ROLES,
    DISCORD_SAY,
    DISCORD_TURN,
)
from tournaments.posts import notices, outbox, roles, sending
from tournaments.posts.models import DiscordPost

_PRUNED_AT_ONCE = 5000
# The names under which a place or a channel that cannot be dealt with is set aside.
SAY = "posts.say"
ROLES = "posts.roles"


@shared_task(name=DISCORD_SAY)
def say(place_id: int) -> None:
    """Say what is due in one place. One that cannot be dealt with is set aside, and the sweep
    leaves it alone for a while."""
    guard.attempt(
        SAY,
        place_id,
        lambda: sending.place_drain(place_id=place_id),
        target="tournaments.discordplace",
        limited=False,  # Discord is waited for
    )


@shared_task(name=DISCORD_ROLES)
def give_roles(channel_id: int) -> None:
    """Give and take what roles are due in one channel's server."""
    guard.attempt(
        ROLES,
        channel_id,
        lambda: roles.roles_give(channel_id=channel_id),
        target="tournaments.discordchannel",
        limited=False,
    )


@shared_task(name="tournaments.posts.tasks.sweep")
@guard.completed("tournaments.posts.tasks.sweep")
def sweep() -> None:
    """Hand out every place in which something is due: what waits for another attempt, and what no
    worker was told of."""
    for place_id in sending.places_due(guard.may_try(SAY), at=now_utc()):
        enqueue(DISCORD_SAY, place_id, expires=30)
    for channel_id in roles.channels_due(guard.may_try(ROLES), at=now_utc()):
        enqueue(DISCORD_ROLES, channel_id, expires=30)


@shared_task(name="tournaments.posts.tasks.repair")
@guard.completed("tournaments.posts.tasks.repair")
def repair() -> None:
    """Say what matches have come to of which nobody was told. (Which are followed, the webhooks'
    repair sets right.)"""
    outbox.matches_catch_up()


@shared_task(name=DISCORD_TURN)
def tell_turn(match_id: int) -> None:
    """Have a match's message said anew, and what reminded of the turn taken away."""
    outbox.turn_write(match_id=match_id)
    outbox.reminders_end(match_id=match_id)


@shared_task(name=DISCORD_CLOCK)
def tell_clock(match_id: int, seat: int | None, kind: str, left_ms: int, at: int) -> None:
    """Write the message of a clock's reminder, given at the moment ``at`` (ms since 1970)."""
    outbox.clock_write(match_id=match_id, seat=seat, kind=kind, left_ms=left_ms, at=at)


@shared_task(name=DISCORD_GIVEN_UP)
def tell_given_up(channel_id: int) -> None:
    """Tell the organisers of a season that its channel was given up."""
    notices.channel_announce_given_up(channel_id)


@shared_task(name="tournaments.posts.tasks.prune")
@guard.completed("tournaments.posts.tasks.prune")
def prune() -> None:
    """Forget what was said long ago, but for what may still be edited."""
    old = now_utc() - settings.GAUNTLET_WEBHOOK_LOG_KEPT
    done = DiscordPost.objects.filter(created_at__lt=old).exclude(status=DiscordPost.Status.WAITING)
    rows_prune(done.exclude(kind__in=DiscordPost.LIVING), at_once=_PRUNED_AT_ONCE)
