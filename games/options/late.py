"""By how much spectators may see a match late: then nobody who watches can help a player."""

from __future__ import annotations

from typing import Final

from core.refusals import Refusal

#: What can be chosen, in seconds, and in words; the first is what goes without saying.
DELAYS: Final = {
    0: "At once",
    30: "30 seconds late",
    60: "1 minute late",
    180: "3 minutes late",
    300: "5 minutes late",
    900: "15 minutes late",
}


def must_be_a_delay(late_s: int) -> None:
    """Raises Refusal ``setup.late``."""
    if late_s not in DELAYS:
        known = ", ".join(str(each) for each in DELAYS)
        raise Refusal("setup.late", f"Spectators see a match so many seconds late: {known}.")


def late_text(late_s: int) -> str:
    """What everybody is told beside a match, in a sentence; empty: they see it at once."""
    return f"Spectators see it {late_words(late_s)} late." if late_s else ""


def late_words(late_s: int) -> str:
    """How late that is: "30 seconds", "1 minute"."""
    return DELAYS[late_s].removesuffix(" late") if late_s in DELAYS else f"{late_s} seconds"
