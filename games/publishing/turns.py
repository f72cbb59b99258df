"""Telling players that a match waits for them, or no longer does: on every page they have open, and
nobody else. What is told of a seat depends on that seat's own decisions alone, so it says nothing
of whether the other has made a secret choice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from games.audience import turns_group_of
from games.engine.decisions import Seat
from games.publishing.publish import Frame
from games.store import Held, waits_for


def turn_frames(before: Held | None, after: Held) -> Iterator[Frame]:
    """For each player for whom something has changed between ``before`` (None: there was no match)
    and ``after``: whether it waits for them; also where it waits for another decision of theirs, by
    another deadline."""
    for _seat, user_id, waits in _changed(before, after):
        yield turn_frame(user_id, match_id=after.match_id, waits=waits)


def waiting_anew(before: Held | None, after: Held) -> list[Seat]:
    """The seats whose players the match waits for now and did not ``before``, or for another
    decision."""
    return [seat for seat, _user_id, waits in _changed(before, after) if waits]


def _changed(before: Held | None, after: Held) -> Iterator[tuple[Seat, int, bool]]:
    if after.bot_seats:
        return  # practice waits without haste: no other page speaks of it
    since = after.readers.since
    seats: tuple[Seat, Seat] = (0, 1)
    for seat in seats:
        user_id, waits = after.user_ids[seat], waits_for(after.live, seat)
        waited = before is not None and waits_for(before.live, seat)
        anew = waits and before is not None and before.readers.since[seat] != since[seat]
        if user_id is not None and (waits != waited or anew):
            yield seat, user_id, waits


def turn_frame(user_id: int, *, match_id: int, waits: bool) -> Frame:
    """That a match waits for somebody, or no longer does."""
    return Frame(turns_group_of(user_id), {"type": "turn", "match": match_id, "waits": waits})


def turns_frame(matches: Iterable[int]) -> dict[str, Any]:
    """Which ``matches`` wait for somebody: for a page that comes, or comes back."""
    return {"type": "turns", "matches": sorted(matches)}
