"""What organisers of a bracket choose. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

import msgspec

from tournaments.formats.options import FormatCaution, FormatOptions


class SingleEliminationOptions(
    FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """Who loses is out. ``best_of`` games decide each match of the bracket."""

    odd: ClassVar[frozenset[str]] = frozenset({"best_of"})

    third_place: Annotated[bool, msgspec.Meta(title="A match for third place")] = False
    best_of: Annotated[
        int,
        msgspec.Meta(
            ge=1, le=15, title="Games in each match, at most", description="An odd number."
        ),
    ] = 1

    def cautions(self, players: int) -> Iterator[FormatCaution]:
        """What a bracket of so many should warn of."""
        byes = (1 << (players - 1).bit_length()) - players if players > 1 else 0
        if byes:
            who = "seed has" if byes == 1 else f"{byes} seeds have"
            yield FormatCaution("format.byes", f"The best {who} a bye in the first round.")
        if self.third_place and players < 4:
            yield FormatCaution(
                "format.third-place", "There is no match for third place below four players."
            )
