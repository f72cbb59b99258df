"""Clips: a stretch of a replay that somebody has chosen to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from core.refusals import NotUnderstood


class Clip(NamedTuple):
    """From which step of a replay to which; both are shown. ``stills`` are the first and the last
    picture of the boards between them, as the room saw those then (see `games.pictures.diagrams`);
    None where there are not two of them, which a moving picture needs."""

    first: int
    last: int
    stills: tuple[int, int] | None
    poster: int | None


def clip_asked(query: Mapping[str, str], steps: Sequence[Mapping[str, Any]]) -> Clip | None:
    """The clip that an address asks for, with ``?from=12&to=20``; None where it asks for none.

    Raises Refusal ``clip.half``, ``clip.not-a-number``, ``clip.backwards``, ``clip.beyond``. What
    it says does not tell how many steps there are: the reader may not want to know it.
    """
    given = query.get("from", ""), query.get("to", "")
    if not any(given):
        return None
    if not all(given):
        raise NotUnderstood(
            "clip.half", "A clip has a beginning and an end: its address ends with ?from=12&to=20."
        )
    if not all(each.isascii() and each.isdigit() for each in given):
        raise NotUnderstood(
            "clip.not-a-number", "A clip begins and ends with the numbers of two moves."
        )
    first, last = (int(each[:9]) for each in given)
    if last <= first:
        raise NotUnderstood("clip.backwards", "A clip ends after the move with which it begins.")
    if last >= len(steps):
        raise NotUnderstood("clip.beyond", "The replay has no such moves.")
    seen = [step["still"] for step in steps[first : last + 1] if step["still"] is not None]
    moves = len(set(seen)) > 1
    return Clip(first, last, (min(seen), max(seen)) if moves else None, seen[-1] if seen else None)
