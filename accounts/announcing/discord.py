"""A direct message of the bot's in Discord: to whoever has linked an account there, where the site
has a bot.

Nobody waits for Discord with a transaction open. A message has a nonce, by which Discord posts it
once however often it is sent; what it may have forgotten is looked for, by a mark in the address of
a button, before it is sent again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils.crypto import get_random_string, salted_hmac

from accounts.announcing import kinds, push
from accounts.announcing.kinds import Way
from accounts.announcing.taking import Outcome, PutOff, delivery_attempt, delivery_take
from accounts.jobs import DISCORD
from accounts.models import Announcement, AnnouncementDelivery, DiscordLink, User
from core import metrics
from core.clock import now_utc
from core.discord import client
from core.discord.client import DiscordError
from core.discord.marks import NONCE_GOOD_FOR, mark_of, message_find
from core.discord.text import CONTENT_MOST, cut, escaped
from core.refusals import Refusal
from core.senders import Senders

log = structlog.get_logger("gauntlet.discord")

WRITTEN: Final = "announcements.discord"
SENDERS: Final = Senders("GAUNTLET_DISCORD_DIRECT_SENDERS")
_NONCE_BYTES: Final = 18  # 24 characters, of the 25 that there may be
# How far a message may be looked for, in hundreds, each of which is one call.
_PAGES_MOST: Final = 3
#: A person has a test sent at most so often.
TEST_EVERY: Final = timedelta(seconds=30)
#: Codes that say that somebody takes no message of the bot's, as long as they do nothing about it.
SHUT: Final = frozenset({client.TAKES_NO_MESSAGES, client.SHARES_NO_SERVER})
# What may be otherwise the next time, although Discord said no: an operator may mend a token.
_PASSING_STATUS: Final = 401
_SENT: Final = metrics.counter(
    "discord_direct", "Direct messages of the bot's, by what came of them.", ("outcome",)
)


def is_offered() -> bool:
    """Whether this site writes to anybody in Discord: it has a bot."""
    return bool(settings.GAUNTLET_DISCORD_BOT_TOKEN)


def those_linked(user_ids: Iterable[int]) -> set[int]:
    """Who of these the bot can write to: they have linked an account."""
    ids = set(user_ids)
    if not ids or not is_offered():
        return set()
    return set(DiscordLink.objects.filter(user__in=ids).values_list("user", flat=True))


def those_let_through(user_ids: Iterable[int]) -> set[int]:
    """Who of these the bot can write to, and takes its messages as far as is known."""
    ids = those_linked(user_ids)
    rows = DiscordLink.objects.filter(user__in=ids, shut_since=None)
    return set(rows.values_list("user", flat=True)) if ids else set()


def link_of(user: User) -> DiscordLink | None:
    """Where the bot writes to somebody; None where it does not."""
    return DiscordLink.objects.filter(user=user).first() if is_offered() else None


# -- what ----------------------------------------------------------------------------------------


def message_of(announcement: Announcement) -> dict[str, Any]:
    """What somebody is told in Discord: the words as they are, shortened where they must be, and
    where they lead."""
    return _message(
        announcement.subject, announcement.words, announcement.path, mark_of(_nonce(announcement))
    )


def _message(subject: str, words: str, path: str, mark: str = "") -> dict[str, Any]:
    head = f"**{escaped(subject)}**\n"
    text = "\n".join(escaped(line) for line in words.splitlines())
    choose = f"{reverse('accounts:announcement_choices')}{mark}"
    buttons = [_button("Open", path), _button("Choose what you are told", choose)]
    return {
        "content": head + cut(text, CONTENT_MOST - len(head)),
        "components": [{"type": 1, "components": buttons}],
        "allowed_mentions": {"parse": []},
    }


def _button(label: str, path: str) -> dict[str, Any]:
    return {"type": 2, "style": 5, "label": label, "url": f"{settings.GAUNTLET_ORIGIN}{path}"}


def _nonce(announcement: Announcement) -> str:
    named = f"{announcement.user_id} {announcement.key}"
    return push.to_text(salted_hmac("accounts.discord", named).digest()[:_NONCE_BYTES])


# -- sending -------------------------------------------------------------------------------------


def direct_attempt(*, delivery_id: int) -> None:
    """Do `direct_send`, and set aside what Discord does not take just now."""
    delivery_attempt(
        lambda pk: direct_send(delivery_id=pk),
        delivery_id=delivery_id, senders=SENDERS, job=WRITTEN, task=DISCORD,
    )  # fmt: skip


def direct_send(*, delivery_id: int) -> bool:
    """Write one announcement to its reader, unless that is done or somebody is at it; whether it
    is done now, which it also is where they cannot be reached.

    Raises PutOff where it is to be tried again.
    """
    row = delivery_take(delivery_id=delivery_id, way=Way.DISCORD)
    if row is None:
        return False
    link = link_of(row.announcement.user)
    if link is None or not row.announcement.user.is_active:
        return _settle(row, Outcome.UNREACHED, "There is nobody in Discord to write to.")
    kind = kinds.known().get(row.announcement.kind)
    worth_until = row.at + timedelta(seconds=push.worth_s(kind))
    if now_utc() >= worth_until:
        return _settle(row, Outcome.UNREACHED, "It could not be written in time.")
    try:
        _write(row, link)
    except DiscordError as error:
        log.info("direct.not-taken", delivery=row.pk, status=error.status, code=error.code)
        if _may_be_taken_later(link, error):
            _SENT.labels("put off").inc()
            AnnouncementDelivery.objects.filter(pk=row.pk).update(taken_at=None)
            raise PutOff from error
        _note_if_shut(link, error)
        fault = f"Discord did not take it: {error.status} {error.code}."
        return _settle(row, Outcome.UNREACHED, fault)
    _note_open(link)
    return _settle(row, Outcome.SENT)


def _write(row: AnnouncementDelivery, link: DiscordLink) -> None:
    announcement, channel = row.announcement, link.channel
    if not channel:
        channel = _open(link)
    elif now_utc() - row.at >= NONCE_GOOD_FOR and _stands_there(row, channel):
        return
    client.message_post(channel, message_of(announcement), nonce=_nonce(announcement))


def _open(link: DiscordLink) -> str:
    channel = client.direct_open(link.discord_id)
    _same(link).update(channel=channel)
    return channel


def _note_if_shut(link: DiscordLink, error: DiscordError) -> bool:
    if error.code not in SHUT:
        return False
    _same(link).filter(shut_since=None).update(shut_since=now_utc())
    return True


def _note_open(link: DiscordLink) -> None:
    if link.shut_since is not None:
        _same(link).update(shut_since=None)


def _stands_there(row: AnnouncementDelivery, channel: str) -> bool:
    """Whether an earlier attempt has come to something, of which nobody has had the answer."""
    found = message_find(
        channel,
        _nonce(row.announcement),
        since=row.at,
        pages_most=_PAGES_MOST,
        calls_most=_PAGES_MOST,
    )
    return found != ""


def _may_be_taken_later(link: DiscordLink, error: DiscordError) -> bool:
    if error.code == client.UNKNOWN_CHANNEL and link.channel:
        _same(link).update(channel="")  # it is opened anew
        return True
    return _is_passing(error)


def _is_passing(error: DiscordError) -> bool:
    passing = error.status == _PASSING_STATUS or error.code == client.OPENING_TOO_FAST
    return passing or not error.permanent


def _same(link: DiscordLink) -> Any:
    """The link, unless it was taken off meanwhile."""
    return DiscordLink.objects.filter(pk=link.pk, discord_id=link.discord_id)


def _settle(row: AnnouncementDelivery, outcome: Outcome, fault: str = "") -> bool:
    own = AnnouncementDelivery.objects.filter(pk=row.pk, outcome=Outcome.WAITING)
    own.update(outcome=outcome, fault=fault, settled_at=now_utc())
    _SENT.labels(outcome.value).inc()
    return True


# -- a test --------------------------------------------------------------------------------------


def direct_test(*, acting_user: User) -> None:
    """Write a test to somebody in Discord, who waits for what Discord says to it. Call it under no
    lock.

    Raises Refusal as `must_be_testable` does, ``direct.too-often``, ``direct.shut`` (Discord lets
    none of the bot's messages through to them), ``direct.not-taken`` and ``direct.not-now``.
    """
    link = must_be_testable(acting_user)
    with SENDERS.one() as free:
        if not free:
            raise _not_now()
        _take_test(link)
        try:
            _write_test(link)
        except DiscordError as error:
            log.info("direct.test-not-taken", status=error.status, code=error.code)
            _SENT.labels(Outcome.UNREACHED.value).inc()
            raise _refused_by(link, error) from error
    _SENT.labels(Outcome.SENT.value).inc()
    _note_open(link)


def must_be_testable(user: User) -> DiscordLink:
    """Where a test is written to. Raises Refusal ``direct.off`` (the site has no bot) and
    ``direct.not-linked``."""
    if not is_offered():
        raise Refusal("direct.off", "This site writes to nobody in Discord.")
    link = link_of(user)
    if link is None:
        sentence = "No Discord account is linked to your account. Link one first."
        raise Refusal("direct.not-linked", sentence)
    return link


def _take_test(link: DiscordLink) -> None:
    now = now_utc()
    rested = Q(tested_at=None) | Q(tested_at__lte=now - TEST_EVERY)
    if not _same(link).filter(rested).update(tested_at=now):
        seconds = int(TEST_EVERY.total_seconds())
        sentence = f"A test was just sent. Please wait {seconds} seconds before the next."
        raise Refusal("direct.too-often", sentence)


def _write_test(link: DiscordLink) -> None:
    message = _message(
        "A test from Gauntlet", "Announcements reach you here.", reverse("accounts:announcements")
    )
    nonce = get_random_string(24)
    kept = link.channel
    try:
        client.message_post(kept or _open(link), message, nonce=nonce)
    except DiscordError as error:
        if not kept or error.code != client.UNKNOWN_CHANNEL:
            raise
        client.message_post(_open(link), message, nonce=nonce)


def _refused_by(link: DiscordLink, error: DiscordError) -> Refusal:
    if _note_if_shut(link, error):
        return Refusal(
            "direct.shut",
            "Discord did not let the test through to you. What you can do about it stands under "
            "“In Discord”.",
        )
    if _is_passing(error):
        return _not_now()
    sentence = f"Discord did not take the test: it answered {error.status}, code {error.code}."
    return Refusal("direct.not-taken", sentence)


def _not_now() -> Refusal:
    sentence = "Discord does not take messages just now. Please try again in a minute."
    return Refusal("direct.not-now", sentence)
