"""What seasons must hear of."""

from __future__ import annotations

from typing import Any

from tournaments.services.deathmatches import leg_settle


def on_match_ended(*, match_id: int, **_more: Any) -> None:
    """A match has ended: its season, if it has one, takes the result over."""
    leg_settle(match_id=match_id)
