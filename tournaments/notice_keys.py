"""Under which key people are told of an event of a season."""

from __future__ import annotations


def event_key(event_id: int) -> str:
    """The key of an event's announcements: nobody is told the same event twice, whether they play
    in the season or follow it."""
    return f"season:{event_id}"
