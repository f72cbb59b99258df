"""The formats that a season can have, by their keys; those of this project are `installed`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from core.refusals import Refusal
from games.engine.options import Limits, limits_of
from tournaments.course import Course
from tournaments.formats import options
from tournaments.formats.base import Format
from tournaments.formats.options import FormatCaution, FormatOptions
from tournaments.models import Season
from tournaments.models.formats import KNOWN

#: What rows know by key and name (`models.formats`), known here as all that it is.
FORMATS: Final = cast("dict[str, Format]", KNOWN)


def register(*formats: Format) -> None:
    """Let seasons have these formats."""
    for each in formats:
        FORMATS[each.key] = each


def format_of(key: str) -> Format:
    """The format of that key. Raises Refusal ``format.unknown``."""
    try:
        return FORMATS[key]
    except KeyError:
        raise Refusal("format.unknown", f"There is no format {key!r}.") from None


def course_of(season: Season) -> Course[Any]:
    """A season's rows as its format reads them, from two queries."""
    return format_of(season.format).course_type.of(season)


def options_of(key: str, given: Mapping[str, Any]) -> FormatOptions:
    """The format's options with ``given`` in place of the defaults. Raises Refusal
    ``format.unknown``, and as `options.options_of` does."""
    return options.options_of(format_of(key).options_type, given)


def option_limits(key: str) -> dict[str, Limits]:
    """What each option of a format may be. Raises Refusal ``format.unknown``."""
    kind = format_of(key).options_type
    return limits_of(kind, kind.odd)


def cautions_of(key: str, given: Mapping[str, Any], players: int) -> tuple[FormatCaution, ...]:
    """What an organiser should know before a season of so many players starts.

    Raises Refusal ``format.*`` as `options_of` does, and ``pairing.too-few``.
    """
    found = format_of(key)
    chosen = options_of(key, given)
    if players < found.least:
        raise Refusal("pairing.too-few", f"{found.name} needs at least {found.least} players.")
    return tuple(chosen.cautions(players))
