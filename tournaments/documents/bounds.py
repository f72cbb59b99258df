"""What no document may hold, whatever it says: what the database would not take or give back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from tournaments.formats.numbering import wrong

# Every date of a season lies in these years, also after it was brought to another time zone.
YEARS: Final = range(2000, 2200)
# How deep parts of a document are nested; free data included.
DEPTH_MAX: Final = 32
INTEGER_MAX: Final = 2**63 - 1


def must_be_storable(value: Any, where: str = "", depth: int = 0) -> None:
    """Raises Refusal ``document.wrong`` for dates far away, whole numbers without end, halves of
    characters, and data nested too deeply."""
    if depth > DEPTH_MAX:
        raise wrong(where, "this is nested too deeply")
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            here = f"{where}.{name}" if where else name
            must_be_storable(getattr(value, name), here, depth + 1)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            must_be_storable(name, where, depth + 1)
            must_be_storable(each, f"{where}.{name}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            must_be_storable(each, f"{where}[{index}]", depth + 1)
    elif (fault := _fault_of(value)) is not None:
        raise wrong(where, fault)


def _fault_of(value: Any) -> str | None:
    if isinstance(value, datetime) and not _near(value):
        return f"a season's dates are of the years {YEARS[0]} to {YEARS[-1]}"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "this is half a character"
    if isinstance(value, int) and abs(value) > INTEGER_MAX:
        return "this number is too large"
    return None


def _near(moment: datetime) -> bool:
    try:
        return moment.astimezone(UTC).year in YEARS
    except OverflowError:
        return False
