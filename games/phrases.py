"""What players can say beside a match with one tap, and when it is offered. It is said as anything
else is; whoever wants to read nothing else has all other words of an opponent's folded away."""

from __future__ import annotations

from typing import Final, NamedTuple


class Phrase(NamedTuple):
    """Ready-made words, and whether they are offered before a match begins, while it is on and
    after its end."""

    text: str
    before: bool
    during: bool
    after: bool


# Where there is one to be had.
REMATCH: Final = Phrase("Rematch?", before=False, during=False, after=True)

PHRASES: Final = (
    Phrase("Hello!", before=True, during=False, after=False),
    Phrase("Good luck!", before=True, during=True, after=False),
    Phrase("One moment, please", before=True, during=True, after=False),
    Phrase("Well played", before=False, during=True, after=True),
    Phrase("Thank you", before=True, during=True, after=True),
    Phrase("Good match!", before=False, during=False, after=True),
    REMATCH,
)
