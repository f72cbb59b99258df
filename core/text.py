"""Words that people type, made fit to be kept and shown; and instants in words."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

# Line breaks, other control characters and changes of direction would let one message look like
# several, or like something else. Half a surrogate pair is no character, and a database takes
# neither that nor NUL.
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


#: No key and no count of ours has more digits; Python reads no number of some thousands of them.
_DIGITS_MAX: Final = 18


def whole_number(text: str) -> int | None:
    """A whole number as a form sends it; None for everything else, and for what is far too long."""
    tidy = text.strip()
    return int(tidy) if len(tidy) <= _DIGITS_MAX and tidy.isdecimal() else None


def one_line(text: str) -> str:
    """``text`` as one line: each run of characters that a line cannot hold becomes a space, and
    spaces around it are taken off."""
    return _UNFIT.sub(" ", text).strip()


def name_key(name: str) -> str:
    """A name as it is compared with others that people type: whatever its capitals and spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def spoken(moment: datetime, zone: ZoneInfo) -> str:
    """An instant in somebody's own zone, for people."""
    local = moment.astimezone(zone)
    return f"{local:%A} {local.day} {local:%B %Y} at {local:%H:%M} ({local.tzname()})"
