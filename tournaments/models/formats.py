"""The formats that a season can have, as far as its row knows them: by their keys and names."""

from __future__ import annotations

from typing import Final, Protocol


class NamedFormat(Protocol):
    """A format, for what knows nothing else of it (`formats.base.Format` is all of it)."""

    @property
    def name(self) -> str:
        """What people call it."""


#: By their keys, in the order in which they are offered; `formats.registry.register` puts them
#: here.
KNOWN: Final[dict[str, NamedFormat]] = {}


def choices() -> list[tuple[str, str]]:
    """Keys and names."""
    return [(key, each.name) for key, each in KNOWN.items()]
