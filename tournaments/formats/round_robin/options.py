"""What organisers of a round robin choose. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from tournaments.formats.options import FormatCaution, FormatOptions


class RoundRobinOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everybody meets everybody, in one leg or two."""

    legs: Annotated[
        int,
        msgspec.Meta(
            ge=1,
            le=2,
            title="How often everybody meets everybody",
            description="Once, or twice with sides changed.",
        ),
    ] = 1

    def cautions(self, players: int) -> Iterator[FormatCaution]:
        """What a round robin of so many should warn of."""
        rounds = self.legs * (players - 1 + players % 2)
        if players % 2:
            yield FormatCaution(
                "format.byes", "With an odd number of players one rests in each round."
            )
        if rounds > 20:
            yield FormatCaution(
                "format.long", f"Everybody meeting everybody takes {rounds} rounds."
            )
