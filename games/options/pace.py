"""How fast a match is played: its time options in words, and ready-made paces.

Nothing here knows a ruleset: every number among a ruleset's options is a time in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from django.conf import settings

from games.engine.ruleset import Ruleset

MINUTE, HOUR, DAY = 60, 3600, 86_400


class Pace(NamedTuple):
    """A ready-made pace. ``turn`` is the turn time in seconds; None: the ruleset's own."""

    id: str
    name: str
    turn: int | None


NORMAL = "normal"
PACES = (
    Pace("blitz", "Blitz", 20),
    Pace(NORMAL, "By the book", None),
    Pace("easy", "Unhurried", 5 * MINUTE),
    Pace("daily", "Daily", DAY),
    Pace("slow", "Correspondence", 3 * DAY),
)


def default_times(ruleset: Ruleset[Any, Any]) -> dict[str, float]:
    """The ruleset's times in seconds by option key, in the order in which it declares them."""
    defaults = msgspec.structs.asdict(ruleset.options_type())  # type: ignore[call-arg]
    return {
        key: value
        for key, value in defaults.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def options_at(ruleset: Ruleset[Any, Any], pace: Pace) -> dict[str, float]:
    """The options that play ``ruleset`` at ``pace``: all its times lengthened or shortened as much
    as the turn, to whole seconds and never from something to nothing. Empty for its own pace."""
    if pace.turn is None:
        return {}
    defaults = default_times(ruleset)
    factor = pace.turn / defaults["turn_time"]
    return {key: max(1, round(value * factor)) if value else 0 for key, value in defaults.items()}


def is_live(ruleset: Ruleset[Any, Any], options: Mapping[str, Any]) -> bool:
    """Whether a match with these options is one to sit through: less than an hour a turn."""
    turn: float = {**default_times(ruleset), **options}["turn_time"]
    return turn < HOUR


def gathering_s(ruleset: Ruleset[Any, Any], options: Mapping[str, Any]) -> int:
    """For how many seconds at most a match with these options, that is none to sit through, waits
    for what its players add to its draws: no longer than a turn. 0: it does not wait."""
    turn: float = {**default_times(ruleset), **options}["turn_time"]
    return min(round(turn), settings.GAUNTLET_GATHER_SLOW_MS // 1000)


def label(key: str) -> str:
    """What people call a time option: ``pick_time`` is the "Pick"."""
    if key == "choice_time":
        return "Set-up choice"
    return key.removesuffix("_time").replace("_", " ").capitalize()


def spoken(seconds: float) -> str:
    """A span of time in at most two units: ``1 min 30 s``, ``3 days``, ``0.2 s``."""
    left = round(seconds, 3)
    parts = []
    for size, unit in ((DAY, "day"), (HOUR, "h"), (MINUTE, "min")):
        count = int(left // size)
        if count:
            parts.append(f"{count} {unit}{'s' if unit == 'day' and count > 1 else ''}")
            left -= count * size
    left = round(left, 3)
    if left or not parts:
        parts.append(f"{left:g} s")
    return " ".join(parts[:2])


def pace_text(ruleset: Ruleset[Any, Any], options: Mapping[str, Any]) -> str:
    """The pace of a match with these options (what differs from the defaults) in a few words."""
    times = {**default_times(ruleset), **options}
    words = f"{spoken(times['turn_time'])} a turn"
    return f"{words}, {spoken(times['reserve'])} reserve" if times["reserve"] else words
