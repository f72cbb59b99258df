"""Saying what there is to be said: in order for each place, and again after a failure.

A worker takes a place for itself (`busy_until`), says what is due there, and gives it back; so of a
message no two edits are under way at a time. Nothing is locked in the database while Discord is
waited for. A worker that dies leaves a time after which another one goes on: what was posted by
then is found by its nonce, and, once Discord has forgotten that, by a mark in the address of its
button.

What is new comes before what is only edited, so that no reminder waits for a board. Of a message
that lives, the latest state is said, and one edit is at least `EDIT_EVERY` after the other: the
changes of the meantime are in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.db.models.expressions import Combinable

from core import metrics
from core.clock import now_utc
from core.discord import client
from core.discord.client import DiscordError, File
from core.discord.marks import NONCE_GOOD_FOR, mark_of, message_find
from core.queueing import enqueue
from games.pictures.keeping import picture_at_hand
from games.pictures.positions import Kind as PictureKind
from games.pictures.positions import Picture
from tournaments.jobs import DISCORD_SAY
from tournaments.lifecycle import SETTLED, Visibility
from tournaments.posts import words
from tournaments.posts.kinds import SOON_STALE
from tournaments.posts.models import DiscordChannel, DiscordPlace, DiscordPost
from tournaments.posts.threads import (
    thread_begin,
    thread_lost,
    thread_put_away,
    thread_refused,
    thread_take_out,
)
from tournaments.posts.trouble import (
    GONE,
    MAY_NOT,
    SENDERS,
    channel_gone,
    lack_note,
    place_rest,
    post_lost,
)
from tournaments.posts.words import Said
from tournaments.webhooks.discord import PICTURE

log = structlog.get_logger("gauntlet.discord")

#: Discord takes five edits in five seconds in a channel.
EDIT_EVERY: Final = timedelta(seconds=1.2)
#: For what is to wait no longer than that a worker comes back; else the sweep does.
SOON: Final = timedelta(seconds=5)
# One worker says this much, or for this long, before others have their turn.
AT_ONCE: Final = 20
RUN_SECONDS: Final = 20.0
#: How many calls one message may take in all, each as long as any may: that it is looked for, said
#: with a picture and without one, and whatever is asked of its thread.
CALLS_MOST: Final = 8

#: Codes of Discord's that say of a thread that it is locked, or may be.
_SHUT: Final = MAY_NOT | {client.THREAD_LOCKED}
#: How far back it is looked for, in hundreds of messages, and for how many calls' time.
_PAGES_MOST: Final = 20
_PAGES_CALLS: Final = 2

_SAID: Final = metrics.counter(
    "discord_posts", "Messages of the bot's, by what came of them.", ("outcome",)
)
_LAG: Final = metrics.histogram(
    "discord_post_lag_seconds",
    "From what happened to when it stood in Discord, of what is said once.",
    buckets=metrics.SLOW,
)


# -- a place's turn ------------------------------------------------------------------------------


def places_due(*conditions: Combinable, at: datetime, at_most: int = 200) -> list[int]:
    """The places in which there is something to be said now, or a thread to be begun or put away,
    and that nobody is at; of those, the ones of which the conditions hold."""
    due = DiscordPost.objects.waiting().filter(place=OuterRef("pk"), next_at__lte=at)
    over = _THREAD & Q(death_match__status__in=SETTLED, archived=False) & ~Q(thread_id="")
    free = Q(busy_until__isnull=True) | Q(busy_until__lte=at)
    found = DiscordPlace.objects.filter(Exists(due) | over | _is_to_begin())
    found = found.filter(free, _has_rested(at), *conditions)
    return list(found.order_by("pk").values_list("pk", flat=True)[:at_most])


_THREAD: Final = Q(death_match__isnull=False, in_channel=False, channel__active=True)


def _is_to_begin() -> Q:
    """Of which places there is no thread yet, and what it is begun from."""
    headed = DiscordPost.objects.filter(
        kind=DiscordPost.Kind.THREAD,
        place__channel=OuterRef("channel"),
        death_match=OuterRef("death_match"),
    ).exclude(message_id="")
    return _THREAD & Q(thread_id="") & Q(Exists(headed))


def _has_rested(at: datetime) -> Q:
    return Q(not_before__isnull=True) | Q(not_before__lte=at)


def place_drain(*, place_id: int, now: Callable[[], datetime] = now_utc) -> int:
    """Say what is due in a place; returns how many calls were made for it. Does nothing while
    another worker is at it, or while this process waits for Discord in too many places: the sweep
    comes back."""
    with SENDERS.one() as free:
        if not free:
            return 0
        with _claim(place_id, now) as claim:
            if claim is None:
                return 0
            made = _drain(place_id, now, claim)
    # Whoever was sent here meanwhile has found the place taken, and gone.
    _come_back(place_id, now())
    return made


class _Claim:
    """That this worker alone is at a place: for one message at a time, so that nobody else says
    something newer while an older edit is still on its way."""

    def __init__(self, place_id: int, now: Callable[[], datetime]) -> None:
        self.place_id, self.now = place_id, now
        self.until: datetime | None = None

    def take(self) -> bool:
        """Take the place, or keep it for as long again; False where another worker has it."""
        at = self.now()
        mine = Q(busy_until__isnull=True) | Q(busy_until__lte=at)
        if self.until is not None:
            mine = Q(busy_until=self.until)
        until = at + CALLS_MOST * _longest_call()
        taken = DiscordPlace.objects.filter(mine, pk=self.place_id).update(busy_until=until)
        self.until = until if taken else None
        return bool(taken)

    def give_up(self) -> None:
        """Others may have it."""
        if self.until is not None:
            mine = DiscordPlace.objects.filter(pk=self.place_id, busy_until=self.until)
            mine.update(busy_until=None)


@contextmanager
def _claim(place_id: int, now: Callable[[], datetime]) -> Iterator[_Claim | None]:
    claim = _Claim(place_id, now)
    if not claim.take():
        yield None
        return
    try:
        yield claim
    finally:
        claim.give_up()


def _longest_call() -> timedelta:
    return timedelta(seconds=settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS)


def _drain(place_id: int, now: Callable[[], datetime], claim: _Claim) -> int:
    began = now_utc()
    made = thread_begin(place_id, now())
    while made < AT_ONCE and (now_utc() - began).total_seconds() < RUN_SECONDS:
        if not claim.take():
            break
        post = next_due(place_id=place_id, at=now())
        if post is None:
            made += thread_put_away(place_id, now())
            break
        made += 1
        if not _attempt(post, now):
            break
    return made


def _come_back(place_id: int, at: datetime) -> None:
    """Have a worker come back for what there is by now, and for an edit that is only to wait a
    moment."""
    begun = DiscordPlace.objects.filter(_is_to_begin(), _has_rested(at), pk=place_id)
    if next_due(place_id=place_id, at=at) is not None or begun.exists():
        enqueue(DISCORD_SAY, place_id)
        return
    soon = DiscordPost.objects.waiting().filter(place=place_id, next_at__gt=at)
    soonest = soon.order_by("next_at").values_list("next_at", flat=True).first()
    if soonest is not None and soonest - at <= SOON:
        enqueue(DISCORD_SAY, place_id, countdown=(soonest - at).total_seconds())


def next_due(*, place_id: int, at: datetime) -> DiscordPost | None:
    """The message that is to be said next in a place, or None while there is nothing to do: what
    does not stand there yet, in order, before what is to read differently."""
    rested = Q(place__not_before__isnull=True) | Q(place__not_before__lte=at)
    due = DiscordPost.objects.waiting().filter(rested, place=place_id, next_at__lte=at)
    edited = Case(When(message_id="", then=Value(0)), default=Value(1))
    whole = due.select_related(
        "place__channel__season", "place__death_match", "event__season", "event__round__season",
        "event__death_match__round__season", "event__contestant", "event__leg", "match",
    )  # fmt: skip
    post = whole.order_by(edited, "pk").first()
    # Where its thread is still to be begun, it waits for that.
    return post if post is not None and post.place.target else None


# -- one attempt ---------------------------------------------------------------------------------


def _attempt(post: DiscordPost, now: Callable[[], datetime]) -> bool:
    """Say one message; returns whether the next may follow at once."""
    at = now()
    if post.kind == DiscordPost.Kind.CLOCK and post.wanted > 1:
        return _take_away(post, at)
    moot = _moot(post, at)
    if moot:
        _settle(post, status=DiscordPost.Status.ABANDONED, fault=moot)
        return True
    try:
        said = _said(post)
    except Exception:
        # A mistake of ours must not hold the later ones up for ever.
        log.exception("post.not-prepared", post=post.pk)
        fault = "This could not be put together, by a mistake of the site."
        _settle(post, status=DiscordPost.Status.FAILED, fault=fault)
        return True
    body = words.encoded(said.message)
    if post.lives and post.message_id and (body, said.still) == (post.body, post.still):
        _settle(post, said=said, body=body)  # nothing has changed
        return True
    claimed = DiscordPost.objects.waiting().filter(pk=post.pk)
    if not claimed.update(attempts=F("attempts") + 1, sent_at=at):
        return True
    try:
        message_id = _say(post, said, before=post.sent_at, at=at)
    except DiscordError as error:
        return _not_said(post, error, at=now())
    except Exception:
        log.exception("post.not-said", post=post.pk)
        fault = "This could not be said, by a mistake of the site."
        _settle(post, status=DiscordPost.Status.FAILED, fault=fault)
        return True
    _done(post, said, body=body, message_id=message_id, at=now())
    return True


def _moot(post: DiscordPost, at: datetime) -> str:
    """Why a message is not to be said any more, or nothing."""
    channel = post.place.channel
    if post.kind != DiscordPost.Kind.TEST:
        if channel.season.visibility == Visibility.DRAFT:
            # It was written while the season was public, which now only its organisers may see.
            return "The season has gone back to a draft."
        if not channel.active:
            return "The channel is switched off."
    stale = post.kind == DiscordPost.Kind.CLOCK or (
        post.event is not None and post.event.kind in SOON_STALE
    )
    # Everything else is worth one attempt.
    if at >= post.give_up_at and (post.attempts or stale):
        return "It could not be said in time."
    return ""


def _take_away(post: DiscordPost, at: datetime) -> bool:
    """Take a reminder away whose turn is over; returns whether the next may follow at once."""
    if not post.message_id or not post.place.channel.active or at >= post.give_up_at:
        _settle(post, status=DiscordPost.Status.ABANDONED, fault="The turn is over.")
        return True
    try:
        client.message_delete(post.posted_in, post.message_id)
    except DiscordError as error:
        if error.code == client.THREAD_ARCHIVED:
            return thread_take_out(post.place, at)
        if not error.permanent:
            place_rest(post.place, error, at)
            return False
        # Somebody has deleted it, or what it stood in: there is nothing left to take away.
    _settle(post, message_id="", posted_in="", fault="Taken away: the turn is over.")
    return True


def _said(post: DiscordPost) -> Said:
    """What a message says: of one that lives, as things are now."""
    if post.lives:
        return words.living_said(post)
    if not post.body:
        words.event_compose(post)
        DiscordPost.objects.filter(pk=post.pk).update(
            body=post.body, match=post.match, still=post.still
        )
    return Said(words.decoded(post.body), post.match, post.still)


def _say(post: DiscordPost, said: Said, *, before: datetime | None, at: datetime) -> str:
    """Post or edit a message; returns its number. Raises DiscordError."""
    files = [] if "files" in post.place.channel.lacks else _files(said)
    if not post.message_id and before is not None and at - before >= NONCE_GOOD_FOR:
        known = _found(post)
        if known:
            return known
    try:
        return _say_with(post, said, files)
    except DiscordError as error:
        if not files or error.code not in MAY_NOT:
            raise
    # It may have been allowed to attach files until now.
    number = _say_with(post, said, [])
    lack_note(post.place.channel, "files")
    return number


def _say_with(post: DiscordPost, said: Said, files: list[File]) -> str:
    message = said.message if files else _without_picture(said.message)
    marked = _marked(message, post)
    if post.message_id:
        client.message_edit(post.posted_in, post.message_id, marked, files=files)
        return post.message_id
    return client.message_post(post.place.target, marked, nonce=post.nonce, files=files)


def _files(said: Said) -> list[File]:
    if said.match is None or said.still is None:
        return []
    png = picture_at_hand(Picture(said.match, PictureKind.AFTER_PNG, said.still))
    return [File(PICTURE, png, "image/png")] if png else []


def _without_picture(message: Mapping[str, Any]) -> dict[str, Any]:
    embeds = [{k: v for k, v in embed.items() if k != "image"} for embed in message["embeds"]]
    return {**message, "embeds": embeds}


def _marked(message: Mapping[str, Any], post: DiscordPost) -> dict[str, Any]:
    """The message with a mark behind the addresses of its buttons, by which it is known again."""
    mark = mark_of(post.nonce)
    rows = [
        {
            **row,
            "components": [
                {**each, "url": each["url"] + mark} if "url" in each else each
                for each in row["components"]
            ],
        }
        for row in message["components"]
    ]
    return {**message, "components": rows}


def _found(post: DiscordPost) -> str:
    """The number of a message that stands there although nobody has written that down: whoever
    posted it was killed, or never had Discord's answer. Empty where there is none, and where the
    bot may not look. Raises DiscordError."""
    try:
        return message_find(
            post.place.target,
            post.nonce,
            since=post.created_at,
            pages_most=_PAGES_MOST,
            calls_most=_PAGES_CALLS,
        )
    except DiscordError as error:
        if error.code not in MAY_NOT:
            raise
        return ""


# -- what comes of it ----------------------------------------------------------------------------


def _settle(
    post: DiscordPost,
    *,
    status: str = DiscordPost.Status.DONE,
    fault: str = "",
    said: Said | None = None,
    body: str | None = None,
    **more: Any,
) -> None:
    """Write down how a message stands. One that was to be said anew meanwhile waits on."""
    later = Q(wanted__gt=post.wanted)
    changes: dict[str, Any] = {
        "status": Case(
            When(later, then=Value(str(DiscordPost.Status.WAITING))), default=Value(str(status))
        ),
        "fault": fault,
        **more,
    }
    if status == DiscordPost.Status.DONE:
        changes["said"] = post.wanted
    if said is not None:
        changes |= {"version": said.version, "is_final": said.is_over, "still": said.still}
        changes |= {} if said.match is None else {"match": said.match}
    if body is not None:
        changes["body"] = body
    DiscordPost.objects.filter(pk=post.pk).update(**changes)


def _done(post: DiscordPost, said: Said, *, body: str, message_id: str, at: datetime) -> None:
    place = post.place
    _SAID.labels("edited" if post.message_id else "posted").inc()
    if not post.lives:
        _LAG.observe(max(0.0, (at - post.created_at).total_seconds()))
    # One after the other, in no transaction: others lock the channel first.
    _settle(
        post,
        said=said,
        body=body,
        message_id=message_id,
        posted_in=post.posted_in or place.target,
        next_at=at + EDIT_EVERY,
    )
    # Whoever writes into a thread takes it out of the archive.
    DiscordPlace.objects.filter(pk=place.pk).update(attempts=0, not_before=None, archived=False)
    if place.attempts or place.channel.failing_since is not None:
        DiscordChannel.objects.filter(pk=place.channel_id).update(failing_since=None, fault="")
    log.info("post.said", post=post.pk, kind=post.kind, edited=bool(post.message_id))
    if post.kind == DiscordPost.Kind.THREAD:
        threads = DiscordPlace.objects.filter(channel=place.channel_id, thread_id="")
        for each in threads.filter(death_match=post.death_match_id, in_channel=False):
            enqueue(DISCORD_SAY, each.pk)


def _not_said(post: DiscordPost, error: DiscordError, *, at: datetime) -> bool:
    """What follows from Discord's refusal; returns whether the next may follow at once."""
    log.warning("post.refused", post=post.pk, status=error.status, code=error.code)
    _SAID.labels("failed").inc()
    place = post.place
    if error.code == client.UNKNOWN_MESSAGE and post.message_id:
        post_lost(post)
        return True
    if error.code == client.THREAD_ARCHIVED:
        return thread_take_out(place, at)
    if error.code == client.UNKNOWN_CHANNEL and post.posted_in not in ("", place.target):
        post_lost(post)  # what it stood in was deleted before
        return True
    if error.code == client.UNKNOWN_CHANNEL and place.death_match_id and not place.in_channel:
        thread_lost(place)
        return False
    if error.code in _SHUT and place.death_match_id and not place.in_channel:
        thread_refused(place, error, at)
        return False
    if error.code in GONE:
        channel_gone(place.channel, at)
        return False
    if error.permanent and error.code not in MAY_NOT and error.status != 401:
        fault = f"Discord did not take it: {error.status} {error.code}"
        _settle(post, status=DiscordPost.Status.FAILED, fault=fault)
        return True
    place_rest(place, error, at)
    return False
