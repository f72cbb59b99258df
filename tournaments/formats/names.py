"""What the formats of seasons are called, for what knows nothing else of them: models and forms."""

from __future__ import annotations

from typing import Final

#: By their keys, in the order in which they are offered; `registry.register` puts them here.
NAMES: Final[dict[str, str]] = {}


def choices() -> list[tuple[str, str]]:
    """Keys and names."""
    return list(NAMES.items())
