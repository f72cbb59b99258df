"""What each format does at the turning points of a season.

`deathmatches` and `contestants` know how a death match is decided and how somebody leaves; what
follows from it (the loser is out, the bracket fills up, the round is complete) is the format's. Its
module says so in a value ``STEPS``, looked up here by the season's format.
"""

from __future__ import annotations

from datetime import datetime
from importlib import import_module
from typing import Final, Protocol

from accounts.models import User
from tournaments.models import Contestant, DeathMatch, Format, Round, Season


class Steps(Protocol):
    """What a format adds. Everything is called under the season's lock, inside the transaction of
    the deed, and may raise Refusal: then the deed does not happen."""

    def started(self, *, season: Season, acting_user: User | None, at: datetime) -> None:
        """The season has just begun; contestants are active and seeded: open the first round."""

    def decided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """A death match has a winner: whatever follows for its two sides."""

    def undone(self, *, death_match: DeathMatch, at: datetime) -> None:
        """The winner that a death match still names will not stand: take back what `decided` did.
        Refuses where others have built on it."""

    def voided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """A death match that is not decided was called off as a whole."""

    def complete(self, *, round: Round, at: datetime) -> None:  # noqa: A002
        """Nothing of this open or reopened round is left to be played."""

    def must_admit(self, *, season: Season) -> None:
        """Refuses where nobody can enter a season that is running, or enter it any more."""

    def entered(self, *, season: Season) -> None:
        """Somebody, or several, entered a season that is running."""

    def left(self, *, contestant: Contestant, at: datetime) -> None:
        """Somebody left a running season; their open death matches are walkovers already."""

    def replaced(self, *, old: Contestant, new: Contestant, at: datetime) -> None:
        """``new`` sits in the open death matches of ``old`` already."""


MODULES: Final[dict[str, str]] = {
    Format.ELIMINATION: "tournaments.services.episodes",
    Format.SINGLE_ELIMINATION: "tournaments.services.colosseum",
    Format.ROUND_ROBIN: "tournaments.services.colosseum",
    Format.SWISS: "tournaments.services.colosseum",
    Format.LADDER: "tournaments.services.colosseum",
}


def steps_of(season: Season) -> Steps:
    """The steps of the season's format. The module is imported when it is first asked for: the
    formats build on the services that call them."""
    steps: Steps = import_module(MODULES[season.format]).STEPS
    return steps
