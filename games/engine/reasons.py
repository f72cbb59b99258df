"""How matches end: each way by its id in records, and the words for it.

A ruleset declares the ways in which its matches end, its own among them or those below, which many
games share. What ends a match of any game (`COMMON`) it need not declare.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """A way in which a match ends.

    ``how`` is read after "won", and after "lost" unless ``how_lost`` says it another way. ``room``,
    ``winner`` and ``loser`` are whole sentences for those who read them: everybody else, and the
    two players in the second person. In these ``{winner}`` and ``{loser}`` stand for names,
    ``{own}`` and ``{other}`` for the scores of whom the sentence is about and of the other one.
    """

    id: str
    how: str
    room: str
    winner: str
    loser: str
    how_lost: str = ""

    @property
    def by_score(self) -> bool:
        """Whether the score decides a match that ends so: then its sentences say it."""
        return "{own}" in self.room


POINTS: Final = Reason(
    id="points",
    how="on points",
    room="{winner} won by {own} to {other} points.",
    winner="You won by {own} to {other} points.",
    loser="You lost by {own} to {other} points.",
)
TIE_BREAK: Final = Reason(
    id="tie-break",
    how="on the tie-break",
    room="{winner} won the tie at {own} to {other}.",
    winner="You won the tie at {own} to {other}.",
    loser="You lost the tie at {own} to {other}.",
)
TIMEOUT: Final = Reason(
    id="timeout",
    how="on time",
    room="{winner} won: {loser} ran out of time.",
    winner="You won: {loser} ran out of time.",
    loser="You lost: you ran out of time.",
)
CONCESSION: Final = Reason(
    id="concession",
    how="by concession",
    room="{winner} won: {loser} conceded.",
    winner="You won: {loser} conceded.",
    loser="You lost: you conceded.",
)
RULING: Final = Reason(
    id="ruling",
    how="by an organiser's ruling",
    room="{winner} won by the organiser's ruling.",
    winner="You won by the organiser's ruling.",
    loser="You lost by the organiser's ruling.",
)

COMMON: Final = (CONCESSION, RULING)
