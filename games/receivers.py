"""What matches must hear of when accounts change: sockets keep the rights they connected with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.http import HttpRequest

from accounts.models import Announcement, User
from core.refusals import Refusal
from games.audience import user_group_of
from games.models import MatchPlayer
from games.publishing import frames
from games.publishing.publish import Frame, publish
from games.services.challenges import challenges_part, challenges_withdraw
from games.services.hosting import hosted_withdraw
from games.services.merging import guest_rows_move
from games.services.seeks import seeks_withdraw


def on_signed_out(*, request: HttpRequest, user: User | None, **_more: Any) -> None:
    """Somebody has signed out: their sockets must ask again who they are."""
    if user is None:
        return
    # The signal comes while the session still stands; a socket that came straight back would find
    # itself signed in. Ending it here does what the caller does next anyway.
    request.session.flush()
    _close_sockets(user.pk)


def on_account_closed(*, user_id: int, **_more: Any) -> None:
    """An account was closed: its sockets have lost every right, and nobody can play it."""
    _close_sockets(user_id)
    challenges_withdraw(user_id=user_id)
    hosted_withdraw(user_id=user_id)
    seeks_withdraw(user_id=user_id)


def on_account_suspended(*, user_id: int, **_more: Any) -> None:
    """An account was suspended: as if closed, for the time being. Its running matches go on."""
    _close_sockets(user_id)
    challenges_withdraw(user_id=user_id)
    hosted_withdraw(user_id=user_id)
    seeks_withdraw(user_id=user_id)


def on_guest_joined(*, guest_id: int, user_id: int, **_more: Any) -> None:
    """Whoever practised without an account has signed in to one: it is their practice now."""
    guest_rows_move(guest_id=guest_id, user_id=user_id)
    _close_sockets(guest_id)


def on_person_blocked(*, blocker_id: int, blocked_id: int, **_more: Any) -> None:
    """Somebody does not want to play another: what is open between the two is answered so."""
    challenges_part(blocker_id=blocker_id, blocked_id=blocked_id)


def on_rights_changed(*, user_id: int, **_more: Any) -> None:
    """Roles or tokens have changed: sockets must ask again what they may do."""
    _close_sockets(user_id)


def on_writing_changed(*, user_id: int, **_more: Any) -> None:
    """A mute was laid or lifted: the pages that its account has open are to show it."""
    text = frames.encoded(frames.silenced_frame(User.objects.get(pk=user_id)))
    publish([Frame(user_group_of(user_id), text)], kind="user.silenced")


def on_announced(*, announcement_ids: Sequence[int], heard: bool, **_more: Any) -> None:
    """People were told something: the pages that they have open say so, or, where they have
    ``heard`` it, mark that there is something new."""
    rows = Announcement.objects.unread().filter(pk__in=announcement_ids).order_by("pk")
    told = [
        Frame(
            user_group_of(row.user_id),
            frames.encoded(
                {
                    "type": "announced",
                    "announcement": row.pk,
                    "subject": row.subject,
                    "url": row.path,
                    "heard": heard,
                }
            ),
        )
        for row in rows
    ]
    if told:
        publish(told)


def must_never_have_played(user: User) -> None:
    """What becomes a bot's account has been nobody's at a board. Raises Refusal
    ``bot.has-played``."""
    if MatchPlayer.objects.filter(user=user).exists():
        raise Refusal("bot.has-played", "Only an account that has never played can become a bot.")


def _close_sockets(user_id: int) -> None:
    frame = Frame(user_group_of(user_id), "")
    transaction.on_commit(partial(publish, [frame], kind="user.changed"))
