"""What every ruleset's text form has in common: forgiving reading, and square names."""

from __future__ import annotations

import re

from core.refusals import Refusal

LONGEST = 2000  # characters; a full list of squares of the largest board is well under this

_SPACES = re.compile(r"[ .]+")
_FREE = re.compile(r" ?([>:,()]) ?")


def tidy(text: str) -> str:
    """Lower case, full stops as spaces, single spaces, none around ``> : , ( )``.

    Raises Refusal ``notation.unreadable`` for an empty or overlong text, or one with characters
    other than the printable ones of ASCII (others may have a lower case that they do not look
    like).
    """
    if len(text) > LONGEST:
        raise Refusal("notation.unreadable", f"A move has at most {LONGEST} characters.")
    if not (text.isascii() and text.isprintable()):
        raise Refusal("notation.unreadable", "A move is written in plain letters and digits.")
    tidied = _FREE.sub(r"\1", _SPACES.sub(" ", text.lower())).strip(" ")
    if not tidied:
        raise Refusal("notation.unreadable", "There is no move in this text.")
    return tidied


def square_name(column: int, row: int) -> str:
    """``A1`` for column 0, row 0: a column letter and a row number counted from the top."""
    return f"{chr(65 + column)}{row + 1}"
