"""The threads of death matches: begun from a head that stands in the channel, put away when all is
said, and what becomes of one that somebody deletes."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, QuerySet

from core.discord import client
from core.discord.client import DiscordError
from core.queueing import enqueue
from tournaments.jobs import DISCORD_SAY
from tournaments.lifecycle import SETTLED
from tournaments.posts import words
from tournaments.posts.models import DiscordPlace, DiscordPost
from tournaments.posts.trouble import (
    GONE,
    MAY_NOT,
    channel_gone,
    lack_note,
    place_rest,
    post_lost,
    posts_lost,
)

log = structlog.get_logger("gauntlet.discord")

#: Once more, a thread that was deleted is made anew; then somebody means it.
MADE_ANEW: Final = 1


def thread_begin(place_id: int, at: datetime) -> int:
    """Begin the thread of a death match whose head stands in the channel, where there is none;
    returns how many calls were made for it."""
    rows = DiscordPlace.objects.select_related(
        "channel", "death_match__round", "death_match__home", "death_match__away"
    )
    place = rows.filter(pk=place_id).first()
    if place is None or place.death_match is None or place.target or not place.channel.active:
        return 0
    if place.not_before is not None and place.not_before > at:
        return 0
    head = _heads(place).first()
    if head is None or (not head.message_id and head.status == DiscordPost.Status.FAILED):
        _thread_set(place, "")
        return 0
    if not head.message_id:
        return 0
    if "threads" in place.channel.lacks:
        _thread_set(place, "")
        return 0
    name = words.thread_name(place.death_match)
    try:
        thread = client.thread_begin(head.posted_in, head.message_id, name)
    except DiscordError as error:
        log.warning("thread.refused", place=place.pk, status=error.status, code=error.code)
        if error.code == client.UNKNOWN_MESSAGE:
            post_lost(head)
            enqueue(DISCORD_SAY, head.place_id)
        elif error.permanent and error.status != 401:
            if error.code in MAY_NOT:
                lack_note(place.channel, "threads")
            _thread_set(place, "")
        else:
            place_rest(place, error, at)
        return 1
    _thread_set(place, thread)
    return 1


@transaction.atomic
def _thread_set(place: DiscordPlace, thread: str) -> None:
    """Write down which thread a place is; none: it is the channel, from now on."""
    rows = DiscordPlace.objects.filter(pk=place.pk, thread_id="")
    rows.update(thread_id=thread, in_channel=not thread, archived=False)
    if thread and place.death_match is not None:
        # The post of the round leads there.
        shown = DiscordPost.objects.filter(
            place__channel=place.channel_id,
            kind=DiscordPost.Kind.ROUND,
            round=place.death_match.round_id,
        )
        shown.update(wanted=F("wanted") + 1, status=DiscordPost.Status.WAITING)
        for place_id in shown.values_list("place", flat=True):
            transaction.on_commit(partial(enqueue, DISCORD_SAY, place_id), robust=True)


def _heads(place: DiscordPlace) -> QuerySet[DiscordPost]:
    """The head of a thread, which stands in the channel."""
    return DiscordPost.objects.filter(
        place__channel=place.channel_id,
        kind=DiscordPost.Kind.THREAD,
        death_match=place.death_match_id,
    )


def _heads_delete(place: DiscordPlace) -> None:
    """Take the head of a thread away that was deleted: there will be another one."""
    for head in _heads(place).exclude(message_id=""):
        try:
            client.message_delete(head.posted_in, head.message_id)
        except DiscordError as error:
            # It is gone, or stays and leads nowhere.
            log.warning("thread.head-stays", post=head.pk, status=error.status, code=error.code)


def thread_lost(place: DiscordPlace) -> None:
    """Somebody has deleted a thread: it is made anew once, from a new head; after that its messages
    stand in the channel."""
    if place.lost < MADE_ANEW:
        _heads_delete(place)
    _thread_unset(place)


@transaction.atomic
def _thread_unset(place: DiscordPlace) -> None:
    rows = DiscordPlace.objects.select_for_update(no_key=True)
    fresh = rows.filter(pk=place.pk, thread_id=place.thread_id).first()
    if fresh is None:
        return
    fresh.thread_id = ""
    fresh.in_channel = fresh.lost >= MADE_ANEW
    fresh.lost += 1
    fresh.archived = False
    fresh.save(update_fields=["thread_id", "in_channel", "lost", "archived"])
    living = DiscordPost.objects.filter(place=fresh).exclude(message_id="")
    posts_lost(living.filter(kind__in=DiscordPost.LIVING))
    if not fresh.in_channel:
        posts_lost(_heads(fresh))
    for place_id in (fresh.pk, *_heads(fresh).values_list("place", flat=True)):
        transaction.on_commit(partial(enqueue, DISCORD_SAY, place_id), robust=True)


def thread_take_out(place: DiscordPlace, at: datetime) -> bool:
    """Take a thread out of the archive, so that what stands there can be edited; returns whether
    that was done."""
    try:
        client.thread_open(place.target)
    except DiscordError as error:
        if error.permanent and error.status != 401:
            thread_refused(place, error, at)
        else:
            place_rest(place, error, at)
        return False
    DiscordPlace.objects.filter(pk=place.pk).update(archived=False)
    return True


def thread_refused(place: DiscordPlace, error: DiscordError, at: datetime) -> None:
    """The bot may not write in a thread: where it sees the channel, somebody has locked the thread,
    and what is wrong there is nothing to the others."""
    try:
        client.channel_get(place.channel.channel_id)
    except DiscordError as of_channel:
        if of_channel.code in GONE:
            channel_gone(place.channel, at)
        else:
            place_rest(place, of_channel, at)
        return
    log.warning("thread.locked", place=place.pk, status=error.status, code=error.code)
    _thread_shut(place)


def _thread_shut(place: DiscordPlace) -> None:
    """A thread that is locked counts as deleted, as long as there is anything to be said there; for
    what is only to be edited when all is over there need be no new one."""
    waiting = DiscordPost.objects.waiting().filter(place=place)
    over = place.death_match is not None and place.death_match.status in SETTLED
    if over and not waiting.filter(message_id="").exists():
        waiting.update(status=DiscordPost.Status.ABANDONED, fault="The thread is locked.")
        DiscordPlace.objects.filter(pk=place.pk).update(archived=True)
    else:
        thread_lost(place)


def thread_put_away(place_id: int, at: datetime) -> int:
    """Put a thread whose death match is over into the archive, once nothing is to be said there;
    returns how many calls were made for it."""
    place = (
        DiscordPlace.objects.select_related("channel", "death_match").filter(pk=place_id).first()
    )
    if place is None or not place.thread_id or place.archived or place.death_match is None:
        return 0
    if place.death_match.status not in SETTLED or not place.channel.active:
        return 0
    if place.not_before is not None and place.not_before > at:
        return 0
    if DiscordPost.objects.waiting().filter(place=place).exists():
        return 0
    try:
        client.thread_close(place.thread_id)
    except DiscordError as error:
        if not error.permanent:
            place_rest(place, error, at)
            return 1
        log.warning("thread.not-closed", place=place.pk, status=error.status, code=error.code)
    DiscordPlace.objects.filter(pk=place.pk).update(archived=True)
    return 1
