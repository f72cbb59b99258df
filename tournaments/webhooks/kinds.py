"""What a webhook may ask to be told of: the events of a season, and what happens within a match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tournaments.events.kinds import KINDS

TURN: Final = "death-match.turn"
CLOCK: Final = "death-match.clock"
TEST: Final = "test"

# These are no events of the season: they are too many, and stale within the minute.
OF_MATCHES: Final = (TURN, CLOCK)
CHOICES: Final[Mapping[str, str]] = {
    **{key: kind.words for key, kind in KINDS.items() if key not in OF_MATCHES},
    TURN: "A turn was played",
    CLOCK: "A player's time is running out",
}
# Every step, for those who want it all; a new webhook begins without.
BY_DEFAULT: Final = tuple(kind for kind in CHOICES if kind not in OF_MATCHES)
# What an audience in a chat room wants to read: the rest is for programs.
FOR_PEOPLE: Final = (
    "season.started",
    "season.finished",
    "season.cancelled",
    "contestant.withdrawn",
    "contestant.replaced",
    "contestant.eliminated",
    "contestant.restored",
    "round.opened",
    "round.closed",
    "episode.placed",
    "episode.choosing",
    "episode.chosen",
    "episode.skipped",
    "episode.corrected",
    "death-match.paired",
    "death-match.scheduled",
    "death-match.reminder",
    "death-match.no-show",
    "death-match.started",
    "death-match.leg",
    "death-match.decided",
    "death-match.corrected",
    "death-match.void",
    "item.given",
    "item.taken-back",
    "item.brought",
    "ledger.won",
    "ledger.given",
    "ledger.token",
    "ledger.stakes",
    "ledger.corrected",
    "ruling",
    TURN,
)
# With the board's picture, where there is one.
WITH_BOARD: Final = frozenset(
    {TURN, "death-match.started", "death-match.leg", "death-match.decided"}
)
