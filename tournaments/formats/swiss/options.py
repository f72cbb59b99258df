"""What organisers of a Swiss season choose. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from tournaments.formats.options import FormatCaution, FormatOptions

Rounds = Annotated[
    int,
    msgspec.Meta(
        ge=1,
        le=64,
        title="Rounds",
        description="Five are enough for about 32 contestants, six for 64.",
    ),
]


class SwissOptions(FormatOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fixed number of rounds between players with equal points."""

    rounds: Rounds = 5

    def cautions(self, players: int) -> Iterator[FormatCaution]:
        """What a Swiss season of so many should warn of."""
        meetings = players - 1 + players % 2
        if self.rounds > meetings:
            yield FormatCaution(
                "format.rematches",
                f"{players} players can have {meetings} rounds at most before some meet again.",
            )
        elif 2 * self.rounds > players:
            # While everybody has more than half of the field still to meet, a pairing always exists
            # (Dirac's theorem on perfect matchings); beyond that it depends on the results.
            yield FormatCaution(
                "format.rematches-possible",
                f"With {self.rounds} rounds among {players} players, the last rounds may not be "
                "pairable without two meeting again.",
            )
        enough = rounds_enough(players)
        if self.rounds < enough:
            yield FormatCaution(
                "format.few-rounds",
                f"With fewer than {enough} rounds several players may win every match.",
            )


def rounds_enough(players: int) -> int:
    """How many rounds leave one player at most with nothing but wins: halvings of the field."""
    return max(players - 1, 1).bit_length()
