"""What people say beside a match."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction

from accounts.models import Report, User
from accounts.moderation.standing import why_silent
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Forbidden, Refusal
from core.text import one_line
from games.audience import (
    chat_group_of,
    chat_visible_to,
    may_comment,
    may_moderate_chat,
    may_read_room,
    may_write_room,
    seat_of,
)
from games.models import LIVE_ROOMS, ChatMessage, Match
from games.publishing import frames
from games.publishing.publish import Frame, publish
from games.services.turns import client_id_validate

TEXT_MAX = 500
HISTORY = 200


@transaction.atomic
def chat_post(
    *, acting_user: User, match: Match, room: str, client_id: str, text: str, at: int
) -> dict[str, Any]:
    """Say ``text`` in a room of a match; returns the message as its readers get it.

    Sent again with the same client id it is said once. Raises Refusal ``chat.not-your-room``,
    ``chat.practice``, ``chat.empty``, ``chat.too-long``, ``chat.muted``, ``frame.malformed``.
    """
    client_id_validate(client_id)
    if match.is_practice:
        raise Refusal("chat.practice", "A bot reads no chat.")
    seat = seat_of(match, acting_user)
    comments = room == ChatMessage.Room.COMMENTARY and may_comment(match, acting_user)
    if room not in LIVE_ROOMS or not may_write_room(
        room, seat=seat, over=match.is_over, comments=comments
    ):
        raise Forbidden("chat.not-your-room", "You cannot write in this room.")
    said = fit_to_say(acting_user, text)
    message, created = ChatMessage.objects.get_or_create(
        match=match,
        author=acting_user,
        client_id=client_id,
        defaults={"room": room, "text": said, "at": at},
    )
    shown = message_json(message, match)
    if created:
        _announce(
            match.pk, room, {"type": "chat", "match": match.pk, "room": room, "message": shown}
        )
    return shown


def fit_to_say(acting_user: User, text: str) -> str:
    """A text as it is said. Raises Refusal ``chat.muted``, ``chat.empty`` and ``chat.too-long``."""
    silenced = why_silent(acting_user)
    if silenced:
        raise Refusal("chat.muted", silenced)
    return message_text(text)


def message_text(text: str) -> str:
    """A text as a message has it. Raises Refusal ``chat.empty`` and ``chat.too-long``."""
    said = one_line(text)
    if not said:
        raise Refusal("chat.empty", "There is nothing in this message.")
    if len(said) > TEXT_MAX:
        raise Refusal("chat.too-long", f"A message has at most {TEXT_MAX} characters.")
    return said


@transaction.atomic
def chat_remove(
    *, acting_user: User, message: ChatMessage, why: str = "", report: Report | None = None
) -> None:
    """Take a message away from everybody's sight; the row stays for the moderators. `why`, and the
    report that led to it, are kept in the audit log.

    Raises Refusal ``chat.not-moderator``, ``chat.not-your-room`` (what the spectators say of a
    match that the moderator is playing), ``chat.why-too-long``, ``chat.removed``.
    """
    locked = ChatMessage.objects.select_for_update(no_key=True).get(pk=message.pk)
    must_be_removable(acting_user, locked)
    why = _fit_to_keep(why)
    locked.removed_at = now_utc()
    locked.save(update_fields=["removed_at"])
    audit_record(
        acting_user=acting_user,
        action="chat.remove",
        target=locked,
        data={
            "text": locked.text,
            "author": locked.author_id,
            "why": why,
            "report": None if report is None else report.pk,
        },
    )
    gone = {
        "type": "chat.removed",
        "match": locked.match_id,
        "room": locked.room,
        "message": {"id": locked.pk},
    }
    if locked.room in LIVE_ROOMS:
        _announce(locked.match_id, locked.room, gone)


@transaction.atomic
def chat_restore(*, acting_user: User, message: ChatMessage, why: str = "") -> None:
    """Put back a message that was taken away by mistake: it stands again in its place for whoever
    opens the match. `why` is kept in the audit log.

    Raises Refusal as `chat_remove` does, but ``chat.not-removed`` instead of ``chat.removed``, and
    ``chat.own`` (one's own message).
    """
    locked = ChatMessage.objects.select_for_update(no_key=True).get(pk=message.pk)
    must_be_restorable(acting_user, locked)
    why = _fit_to_keep(why)
    locked.removed_at = None
    locked.save(update_fields=["removed_at"])
    audit_record(
        acting_user=acting_user,
        action="chat.restore",
        target=locked,
        data={"text": locked.text, "author": locked.author_id, "why": why},
    )


def must_be_removable(acting_user: User, message: ChatMessage) -> None:
    """Whether somebody can take a message away. Raises Refusal ``chat.not-moderator``,
    ``chat.not-your-room`` and ``chat.removed``."""
    _must_be_able_to_judge(acting_user, message)
    if message.removed_at is not None:
        raise Refusal("chat.removed", "This message was removed before.")


def must_be_restorable(acting_user: User, message: ChatMessage) -> None:
    """Whether somebody can put a message back. Raises Refusal ``chat.not-moderator``,
    ``chat.not-your-room``, ``chat.own`` and ``chat.not-removed``."""
    _must_be_able_to_judge(acting_user, message)
    if message.author_id == acting_user.pk:
        raise Forbidden("chat.own", "Another moderator decides about your own message.")
    if message.removed_at is None:
        raise Refusal("chat.not-removed", "This message was not taken away.")


def must_moderate(acting_user: User) -> None:
    """Whether somebody may take messages away at all, whichever. Raises Refusal
    ``chat.not-moderator``."""
    if not may_moderate_chat(acting_user):
        raise Forbidden(
            "chat.not-moderator", "Only moderators may take messages away or put them back."
        )


def _must_be_able_to_judge(acting_user: User, message: ChatMessage) -> None:
    must_moderate(acting_user)
    if not chat_visible_to(acting_user).filter(pk=message.pk).exists():
        raise Forbidden(
            "chat.not-your-room", "You play in this match and cannot read this room now."
        )


def _fit_to_keep(why: str) -> str:
    why = one_line(why)
    if len(why) > TEXT_MAX:
        raise Refusal("chat.why-too-long", f"At most {TEXT_MAX} characters, please.")
    return why


def chat_history(*, match: Match, room: str, user: Any) -> list[dict[str, Any]]:
    """The latest messages of a room, oldest first. Raises Refusal ``chat.not-your-room``."""
    seat = seat_of(match, user)
    if room not in LIVE_ROOMS or not may_read_room(room, seat=seat, over=match.is_over):
        raise Forbidden("chat.not-your-room", "You cannot read this room now.")
    latest = (
        ChatMessage.objects.filter(match=match, room=room, removed_at__isnull=True)
        .select_related("author")
        .order_by("-id")[:HISTORY]
    )
    return [message_json(message, match) for message in reversed(latest)]


def message_json(message: ChatMessage, match: Match) -> dict[str, Any]:
    """A message as the protocol has it."""
    return {
        "id": message.pk,
        "at": message.at,
        "name": message.author.shown_name,
        "username": message.author.username,
        "seat": seat_of(match, message.author),
        "text": message.text,
    }


def _announce(match_id: int, room: str, frame: dict[str, Any]) -> None:
    out = [Frame(chat_group_of(match_id, room), frames.encoded(frame))]
    transaction.on_commit(partial(publish, out))
