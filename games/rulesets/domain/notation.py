"""Moves as text.

``ready`` · ``first`` / ``second`` · ``take 07`` · ``07 > red 120,85 45`` · ``discard 07`` ·
``challenge`` · ``accept``. A shape is named by the two digits of its id; a placement says on which
domain, at which pixel its reference point lies, and by how many degrees it is turned, clockwise.
"""

from __future__ import annotations

import re

from core.refusals import Refusal
from games.rulesets.domain.moves import (
    ACCEPT,
    CHALLENGE,
    COLOURS,
    READY,
    Accept,
    ChallengePlacement,
    Colour,
    DiscardShape,
    First,
    Move,
    PlaceShape,
    Ready,
    TakeShape,
)

_WORDS: dict[str, Move] = {
    "ready": READY,
    "first": First("first"),
    "second": First("second"),
    "challenge": CHALLENGE,
    "accept": ACCEPT,
}


_SHAPE = re.compile(r"(take|discard) ([0-9]+)")


_PLACE = re.compile(r"([0-9]+)>([a-z]+) (-?[0-9]+),(-?[0-9]+) (-?[0-9]+)")


_ID = re.compile(r"[0-9]{2}")


FARTHEST = 99_999  # far outside of any domain


def parse_move(text: str) -> Move:
    """The move that a tidied text stands for.

    Raises Refusal ``notation.shape``, ``notation.domain``, ``notation.point``,
    ``notation.rotation`` or, for anything else, ``notation.unreadable``.
    """
    if text in _WORDS:
        return _WORDS[text]
    if match := _SHAPE.fullmatch(text):
        shape = _shape(match[2])
        return TakeShape(shape) if match[1] == "take" else DiscardShape(shape)
    if match := _PLACE.fullmatch(text):
        shape = _shape(match[1])
        if match[2] not in COLOURS:
            raise Refusal("notation.domain", "A shape is placed on red or on blue.")
        colour: Colour = "red" if match[2] == "red" else "blue"
        angle = _number(match[5], 359)
        if angle is None:
            raise Refusal("notation.rotation", "A shape is turned by 0 to 359 whole degrees.")
        x, y = _number(match[3], FARTHEST), _number(match[4], FARTHEST)
        if x is None or y is None:
            raise Refusal(
                "notation.point",
                f"The reference point is two whole numbers of pixels from 0 to {FARTHEST}.",
            )
        return PlaceShape(shape, colour, x, y, angle)
    raise Refusal(
        "notation.unreadable",
        'A move is written like "ready", "first", "second", "take 07", "07 > red 120,85 45", '
        '"discard 07", "challenge" or "accept".',
    )


def _shape(text: str) -> str:
    if not _ID.fullmatch(text):
        raise Refusal("notation.shape", "A shape is named by its two digits, like 07.")
    return text


def _number(text: str, most: int) -> int | None:
    """The number, or None where it is negative or more than ``most``."""
    digits = text.lstrip("0") or "0"
    if digits.startswith("-") or len(digits) > len(str(most)):
        return None
    number = int(digits)
    return number if number <= most else None


def print_move(move: Move) -> str:
    """The text of a move."""
    match move:
        case Ready():
            return "ready"
        case First():
            return move.order
        case TakeShape():
            return f"take {move.shape}"
        case PlaceShape():
            return f"{move.shape} > {move.domain} {move.x},{move.y} {move.angle}"
        case DiscardShape():
            return f"discard {move.shape}"
        case ChallengePlacement():
            return "challenge"
        case Accept():
            return "accept"
    return "out of time"
