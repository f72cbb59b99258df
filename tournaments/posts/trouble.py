"""What becomes of a place, a message or a channel with which Discord would have nothing done."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet

from accounts.services import audit_record
from core.discord import client
from core.discord.client import DiscordError
from core.queueing import enqueue
from core.senders import Senders
from tournaments.jobs import DISCORD_GIVEN_UP
from tournaments.posts.models import DiscordChannel, DiscordPlace, DiscordPost
from tournaments.webhooks.following import following_refresh

#: Of a worker's threads no more than these wait for Discord to take a message or a role.
SENDERS: Final = Senders("GAUNTLET_DISCORD_SENDERS")

FIRST_WAIT: Final = timedelta(seconds=5)
WAIT_FACTOR: Final = 3
#: Somebody may be looking at a match: it is tried again before long.
LONGEST_WAIT: Final = timedelta(minutes=5)
#: A channel in which nothing could be said for so long is given up: just before what was to be said
#: first is.
GIVEN_UP_AFTER: Final = timedelta(days=2, hours=23)
#: Codes of Discord's that say that the bot may not do it, or does not see it: somebody may mend
#: that.
MAY_NOT: Final = frozenset({50001, 50013})
#: Codes of Discord's that say that there is no such channel or server any more.
GONE: Final = frozenset({client.UNKNOWN_CHANNEL, 10004})


def place_rest(place: DiscordPlace, error: DiscordError, at: datetime) -> None:
    """Leave a place alone for a while; a channel that has long been of no use is given up."""
    what = {
        401: "Discord does not know the bot's token.",
        403: "The bot may not write there.",
        429: "Discord asks for patience.",
        None: "Discord does not answer.",
    }
    fault = what.get(error.status, f"Discord answered {error.status}.")
    wait = min(FIRST_WAIT * WAIT_FACTOR ** min(place.attempts, 8), LONGEST_WAIT)
    DiscordPlace.objects.filter(pk=place.pk).update(
        attempts=F("attempts") + 1, not_before=at + wait
    )
    if error.status == 429:
        return
    channel = place.channel
    since = channel.failing_since or at
    DiscordChannel.objects.filter(pk=channel.pk).update(failing_since=since, fault=fault)
    if at - since >= GIVEN_UP_AFTER:
        channel_give_up(channel, f"Nothing could be said there for three days. {fault}", at)


def lack_note(channel: DiscordChannel, what: str) -> None:
    """Write down that the bot may not do something there after all, as `permissions.WANTED` calls
    it: the channel's page says so, and it is not tried again until Discord is asked anew."""
    lacks = sorted({*channel.lacks, what})
    DiscordChannel.objects.filter(pk=channel.pk).update(lacks=lacks)


def post_lost(post: DiscordPost) -> None:
    """Somebody has deleted a message, or what it stood in: it is posted anew."""
    posts_lost(DiscordPost.objects.filter(pk=post.pk))


def posts_lost(posts: QuerySet[DiscordPost]) -> None:
    """The same of several."""
    posts.update(
        message_id="",
        posted_in="",
        lost=F("lost") + 1,
        attempts=0,
        sent_at=None,
        status=DiscordPost.Status.WAITING,
        wanted=F("wanted") + 1,
    )


def channel_gone(channel: DiscordChannel, at: datetime) -> None:
    """Somebody has deleted the channel, or thrown the bot out."""
    channel_give_up(channel, "The channel is there no longer.", at)


def channel_give_up(channel: DiscordChannel, why: str, at: datetime) -> None:
    """Switch a channel off in which nothing can be said, and tell the organisers."""
    with transaction.atomic():
        row = DiscordChannel.objects.select_for_update(no_key=True).filter(pk=channel.pk).first()
        if row is None or not row.active:
            return
        row.active, row.disabled_at, row.disabled_why = False, at, why[:300]
        row.save(update_fields=["active", "disabled_at", "disabled_why"])
        audit_record(
            acting_user=None, action="discord_channel.disable", target=row, data={"why": why[:300]}
        )
        # It takes locks on matches, whose holders may be waiting for the channel.
        transaction.on_commit(partial(following_refresh, season_id=row.season_id), robust=True)
        transaction.on_commit(partial(enqueue, DISCORD_GIVEN_UP, row.pk), robust=True)
    DiscordPost.objects.waiting().filter(place__channel=row).update(
        status=DiscordPost.Status.ABANDONED, fault="The channel was switched off."
    )
