"""The legal answers to what is asked of a seat, where they can be listed.

They are those of a position that looks to the seat like the real one: its view, with what is hidden
guessed (`determinize`). So the list can tell nothing that its reader does not know; and since what
a player may do never hangs on what they cannot know, it is the list of the real position, too.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from core import chance
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.store import Held
from games.thinking import open_decision

# How many answers are looked through for those that are wanted.
LOOKED_THROUGH: Final = 4000


def legal_like(
    held: Held,
    seat: Seat,
    typed: str,
    *,
    at_most: int,
    random: RandomSource = chance.system,
) -> list[str]:
    """Up to ``at_most`` legal answers to what is asked of ``seat``, in canonical notation: those
    that begin as what was ``typed``, then others that hold it. Empty where they cannot be listed.

    Raises Refusal as `open_decision` does.
    """
    decision = open_decision(held.live, seat)
    if held.live.table.state is None or not held.ruleset.enumerable(decision):
        return []
    view = held.ruleset.view(held.live.table.state, 1 if seat else 0)
    guess = held.ruleset.determinize(view, seat, random)
    wanted = typed.strip().casefold()
    begin: list[str] = []
    hold: list[str] = []
    for move in islice(held.ruleset.legal(guess, decision), LOOKED_THROUGH):
        text = held.ruleset.print(move)
        if text.casefold().startswith(wanted):
            begin.append(text)
            if len(begin) == at_most:
                break
        elif wanted in text.casefold() and len(hold) < at_most:
            hold.append(text)
    return [*begin, *hold][:at_most]
