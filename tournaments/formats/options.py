"""What a format lets its organiser choose.

Options are msgspec structs that refuse unknown keys, wrong types and values out of range, so what
is stored with a season always reads back. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

import msgspec

from games.engine.options import options_read


class FormatCaution(msgspec.Struct, frozen=True):
    """A warning before a season starts; ``code`` is stable, ``sentence`` is for people."""

    code: str
    sentence: str


class FormatOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every format's options are: a frozen struct with a default for each field. Those that
    ``odd`` names are odd numbers, so that somebody wins most of the matches."""

    odd: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        for name in self.odd:
            if getattr(self, name) % 2 == 0:
                raise ValueError(f"`{name}` is an odd number")

    def cautions(self, players: int) -> Iterable[FormatCaution]:
        """What an organiser should know before a season of so many starts."""
        del players
        return ()


Options = TypeVar("Options", bound=FormatOptions)


def options_of(kind: type[Options], given: Mapping[str, Any]) -> Options:
    """Options of this kind with ``given`` in place of the defaults.

    Raises OptionsRefused ``format.options`` for every unknown key, wrong type and value out of
    range.
    """
    return options_read(kind, given, "format.options", kind.odd)
