"""Names in files that people open in a spreadsheet."""

from __future__ import annotations

from typing import Final

# What a spreadsheet takes for a formula begins like this.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """``text`` as a cell that no spreadsheet runs as a formula: one that would be has an apostrophe
    before it. `unarmed` takes it off again, whatever the text."""
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def unarmed(cell: str) -> str:
    """The text of a cell that `harmless` made."""
    is_marked = cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA)
    return cell[1:] if is_marked else cell
