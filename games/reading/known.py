"""What a reader who comes back says that they have of a match, and what of the log they lack.

A log only grows, but for two things: a take-back marks items that have been told, and the end
reveals what was kept from an audience, which numbers its log anew. Whatever a reader has of a log
is therefore theirs to keep as far as it was told after the last take-back and reads the same after
the end; otherwise they get all of it.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

import msgspec

from games.publishing.frames import Lasting

Count = Annotated[int, msgspec.Meta(ge=0)]


_SEATS = {"0": 0, "1": 1, "": None}


class Known(msgspec.Struct, frozen=True):
    """What somebody has: as which reader (a seat, or None), up to which version, and so many items
    of the log, none of which they have yet to be told anew."""

    you: int | None
    version: Count
    log: Count


def kept_of(
    known: Known | None, *, you: int | None, version: int, over: bool, length: int, lasting: Lasting
) -> int:
    """How many items from the log's beginning a reader has; 0: they need all of it. ``version``
    and ``length`` are what they are at now, ``over`` whether the match is."""
    if known is None or known.you != you or known.version > version or known.log > length:
        return 0
    if known.version == version:
        return known.log if known.log == length else 0
    if known.log < lasting.retold or (over and known.log > lasting.alike):
        return 0
    return known.log


def known_from(query: bytes) -> Known | None:
    """The same, as the address that a socket is opened with has it (`you`, `version`, `log`); None
    where it does not."""
    asked = parse_qs(query.decode("latin-1"), keep_blank_values=True)
    try:
        you, version, log = (asked[key][-1] for key in ("you", "version", "log"))
        return msgspec.convert(
            {"you": _SEATS[you], "version": version, "log": log}, Known, strict=False
        )
    except (KeyError, msgspec.ValidationError):
        return None


def commitment_from(query: bytes) -> str:
    """What a player who comes adds to the match's draws (`games.engine.draws`), as the address that
    a socket is opened with has it (`commitment`); empty where it does not."""
    asked = parse_qs(query.decode("latin-1"))
    return asked.get("commitment", [""])[-1]
