"""What a format is handed to have a season of its own played by bots (`tournaments.simulation`)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from accounts.models import User
from tournaments.models import Contestant, DeathMatch, Season


class SimulatedSeason(Protocol):
    """A season while it is simulated: its clock, its chance, what is still to go wrong, and what
    people do in seasons of any format."""

    organiser: User
    season: Season

    @property
    def rounds(self) -> int | None:
        """How many rounds are to be played, where the season is not to end; None: it is."""

    @property
    def best_of(self) -> int:
        """How many matches a final has."""

    def chance(self) -> float:
        """The next number drawn, from 0 on and below 1."""

    def say(self, line: str) -> None:
        """Tell whoever looks on what happens."""

    def later(self, **span: float) -> datetime:
        """Let time pass, so many ``hours`` or ``minutes``, and the instant that it is then."""

    def happens(self, what: str) -> bool:
        """Whether one of what is to go wrong goes wrong now."""

    def goes_on(self) -> bool:
        """Whether the season runs, and is not further than was planned."""

    def active(self) -> list[Contestant]:
        """Who is still in."""

    def games(self, count: int) -> Sequence[dict[str, Any]]:
        """So many games, such as know items where there are any."""

    def drop_out(self, contestant: Contestant, *, at: datetime) -> None:
        """Have somebody leave of their own accord."""

    def give_items(self, death_match: DeathMatch) -> None:
        """Have each of the eliminated give an item for a death match."""

    def play(self, death_match: DeathMatch) -> None:
        """Play a death match to its end."""

    def play_rounds(self) -> None:
        """Play whatever is paired and have the next round paired, to the end of the season."""

    def conclude(self) -> None:
        """Have an organiser end the season by its order."""
