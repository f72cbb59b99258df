"""What moderators take on, so that no two of them work on the same: one mechanism for all that
waits in their queues.

A row has `claimed_by` and `claimed_at`, both or neither. Whoever has taken it on gives it back or
settles it, and nobody else does but administrators. Whether a row may be worked on at all, and the
words and codes in which that is refused, its own module says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import transaction

from accounts.models import Appeal, Report, User
from accounts.roles import is_administrator
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Refusal

Row = TypeVar("Row", Report, Appeal)


@dataclass(frozen=True)
class Claims(Generic[Row]):
    """How rows of one kind are taken on.

    of       what the audit log calls them
    lock     the row as it is now, and nobody else's until the transaction ends
    open     raises Refusal where a moderator may not work on it, or nobody any more
    taken    what is said where somebody has taken it on already
    others   what is said where that is somebody else
    free     what is said where nobody has
    """

    of: str
    lock: Callable[[Row], Row]
    open: Callable[[User, Row], None]
    taken: Callable[[], Refusal]
    others: Callable[[], Refusal]
    free: Callable[[], Refusal]

    @transaction.atomic
    def take(self, moderator: User, row: Row) -> Row:
        """Take a row on. Raises Refusal as `must_be_claimable` does."""
        locked = self.lock(row)
        self.must_be_claimable(moderator, locked)
        locked.claimed_by, locked.claimed_at = moderator, now_utc()
        return self._noted(moderator, locked, "claim")

    @transaction.atomic
    def give_back(self, moderator: User, row: Row) -> Row:
        """Give a row back to the queue: one's own, or as an administrator anybody's. Raises Refusal
        as `must_be_releasable` does."""
        locked = self.lock(row)
        self.must_be_releasable(moderator, locked)
        locked.claimed_by = locked.claimed_at = None
        return self._noted(moderator, locked, "release")

    def must_be_claimable(self, moderator: User, row: Row) -> None:
        """Whether somebody can take a row on. Raises Refusal as `open` does, and `taken`."""
        self.open(moderator, row)
        if row.claimed_by_id is not None:
            raise self.taken()

    def must_be_releasable(self, moderator: User, row: Row) -> None:
        """Whether somebody can leave a row to others. Raises Refusal as `must_be_theirs` does, and
        `free`."""
        self.open(moderator, row)
        if row.claimed_by_id is None:
            raise self.free()
        self.must_be_theirs(moderator, row)

    def must_be_theirs(self, moderator: User, row: Row) -> None:
        """Whether somebody can settle a row. Raises Refusal as `open` does, and `others`."""
        self.open(moderator, row)
        others = row.claimed_by_id not in (None, moderator.pk)
        if others and not is_administrator(moderator):
            raise self.others()

    def _noted(self, moderator: User, locked: Row, act: str) -> Row:
        locked.save(update_fields=["claimed_by", "claimed_at"])
        audit_record(acting_user=moderator, action=f"{self.of}.{act}", target=locked)
        return locked
