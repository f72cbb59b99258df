"""What becomes of a match's rating when its season rules on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from accounts.models import User
from core.refusals import Refusal
from games.engine.decisions import Seat
from games.ratings.services import rating_correct, rating_exclude

NOTHING_TO_RULE = {
    "rating.excluded", "rating.never-begun", "rating.no-accounts", "rating.same-winner",
}  # fmt: skip


def rating_set_right(match_id: int, winner: Seat, acting_user: User | None, why: str) -> None:
    """Have the seat ``winner`` have won a match for the ratings, too."""
    _rule_if_rated(
        partial(
            rating_correct,
            match_id=match_id,
            acting_user=acting_user,
            winner=winner,
            why=why,
            authorised=True,
        )
    )


def rating_leave_out(match_id: int, acting_user: User | None, why: str) -> None:
    """Have a match count for nobody's rating."""
    _rule_if_rated(
        partial(
            rating_exclude, match_id=match_id, acting_user=acting_user, why=why, authorised=True
        )
    )


def _rule_if_rated(rule: Callable[[], object]) -> None:
    """Rule on a rating, unless there is nothing to rule: the match counts for nobody, never began,
    or counts so already."""
    try:
        rule()
    except Refusal as refusal:
        if refusal.code not in NOTHING_TO_RULE:
            raise
