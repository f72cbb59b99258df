"""Text that Discord shows as it is, within its limits."""

from __future__ import annotations

import re
from typing import Final

#: Discord's limits, in characters.
CONTENT_MOST: Final = 2000
TITLE_MOST: Final = 256
DESCRIPTION_MOST: Final = 4096
AUTHOR_MOST: Final = 256

# What means something wherever it stands, and what does where it is the first.
_MARKED = re.compile(r"([\\*_`\[<]|~(?=~)|\|(?=\|)|@(?=everyone|here)|:(?=\w+:)|(?<=:)/(?=/))")
_FIRST = re.compile(r"^([-+>#]|\d+(?=[.)]))")


def escaped(text: str) -> str:
    """Text that Discord shows as it is: no formatting, no mention, no link, on one line. Other
    marks are left alone: notifications show every backslash."""
    line = _MARKED.sub(r"\\\1", " ".join(text.split()))
    return _FIRST.sub(lambda first: _kept(first[0]), line)


def _kept(first: str) -> str:
    """The beginning of a line that begins no list."""
    return f"{first}\\" if first.isdigit() else f"\\{first}"


def moment(at_ms: float, form: str = "R") -> str:
    """An instant, as each reader's Discord shows it: "in 5 minutes"."""
    return f"<t:{round(at_ms / 1000)}:{form}>"


def cut(text: str, most: int) -> str:
    """Escaped text with at most ``most`` characters, an ellipsis where something is missing."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    # No half of an escaped pair: an odd backslash at the end would escape the ellipsis.
    loose = len(kept) - len(kept.rstrip("\\"))
    return kept[: len(kept) - loose % 2] + "…"
