"""Words for everybody, on every page: the services, and what a page shows now.

A page asks the database for none of it: each process reads what there is every few seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from time import monotonic
from typing import Final, NamedTuple

import structlog
from django.db import DatabaseError, transaction

from accounts.models import SiteAnnouncement, User
from accounts.roles import is_moderator
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Forbidden, Refusal

log = structlog.get_logger("gauntlet.accounts")

WORDS_MAX: Final = 300
END_PAST: Final = "The end must lie in the future, and after the begin."
#: How old what a process knows may be, in seconds: so long after it was published the last of them
#: shows it.
REFRESHED_S: Final = 5.0


class _Known(NamedTuple):
    read_at: float
    rows: Sequence[SiteAnnouncement]


_known = _Known(float("-inf"), ())


@transaction.atomic
def site_announcement_publish(
    *,
    acting_user: User,
    words: str,
    is_urgent: bool = False,
    begins_at: datetime | None = None,
    ends_at: datetime | None = None,
) -> SiteAnnouncement:
    """Have every page show these words, from ``begins_at`` (now) until ``ends_at`` (until they are
    ended). Raises Refusal ``account.not-moderator``, ``site.words-missing``,
    ``site.words-too-long`` and ``site.end-past``."""
    must_speak_for_the_site(acting_user)
    text = " ".join(words.split())
    if not text:
        raise Refusal("site.words-missing", "Please say something.", field="words")
    if len(text) > WORDS_MAX:
        raise Refusal(
            "site.words-too-long", f"At most {WORDS_MAX} characters, please.", field="words"
        )
    now = now_utc()
    begins_at = now if begins_at is None else begins_at
    if not may_end(begins_at, ends_at):
        raise Refusal("site.end-past", END_PAST, field="ends_at")
    row = SiteAnnouncement.objects.create(
        words=text, is_urgent=is_urgent, begins_at=begins_at, ends_at=ends_at, by=acting_user,
        at=now,
    )  # fmt: skip
    audit_record(acting_user=acting_user, action="site.announce", target=row, data={"words": text})
    transaction.on_commit(forget, robust=True)
    return row


@transaction.atomic
def site_announcement_end(*, acting_user: User, announcement: SiteAnnouncement) -> SiteAnnouncement:
    """Take words off every page, or have them never appear. Raises Refusal
    ``account.not-moderator`` and ``site.over``."""
    must_speak_for_the_site(acting_user)
    locked = SiteAnnouncement.objects.select_for_update(no_key=True).get(pk=announcement.pk)
    must_not_be_over(locked)
    now = now_utc()
    locked.begins_at = min(locked.begins_at, now)
    locked.ends_at = now
    locked.save(update_fields=["begins_at", "ends_at"])
    audit_record(acting_user=acting_user, action="site.announcement_end", target=locked)
    transaction.on_commit(forget, robust=True)
    return locked


def may_end(begins_at: datetime | None, ends_at: datetime | None) -> bool:
    """Whether words that are shown from a moment (None: now) may be taken away at another."""
    now = now_utc()
    return ends_at is None or ends_at > max(now, begins_at or now)


def must_speak_for_the_site(user: User) -> None:
    """Raises Refusal ``account.not-moderator``."""
    if not is_moderator(user):
        raise Forbidden("account.not-moderator", "Only moderators may do this.")


def must_not_be_over(announcement: SiteAnnouncement) -> None:
    """Raises Refusal ``site.over``."""
    if announcement.standing == "over":
        raise Refusal("site.over", "It is over: no page shows it any more.")


# -- what pages show -----------------------------------------------------------------------------


def shown_now(*, closed: Collection[int] = ()) -> list[SiteAnnouncement]:
    """What a page shows now, the newest first; without those that its reader has ``closed``, as far
    as they are not urgent."""
    now = now_utc()
    return [
        each
        for each in _read()
        if each.begins_at <= now
        and (each.ends_at is None or each.ends_at > now)
        and (each.is_urgent or each.pk not in closed)
    ]


def forget() -> None:
    """Read anew what there is, with the next page of this process."""
    global _known  # noqa: PLW0603  (what a process knows)
    _known = _known._replace(read_at=float("-inf"))


def know(rows: Sequence[SiteAnnouncement], *, read_at: float) -> None:
    """Take this for what there is, as read at that instant of `time.monotonic`."""
    global _known  # noqa: PLW0603  (what a process knows)
    _known = _Known(read_at, tuple(rows))


def _read() -> Sequence[SiteAnnouncement]:
    now = monotonic()
    if now - _known.read_at > REFRESHED_S:
        try:
            rows = SiteAnnouncement.objects.not_over(now_utc()).order_by("-begins_at", "-pk")
            know(list(rows), read_at=now)
        except DatabaseError as error:
            # A page that can do without a database is not to fail for want of this.
            log.warning("site.announcements-unread", error=type(error).__name__)
            know(_known.rows, read_at=now)
    return _known.rows
