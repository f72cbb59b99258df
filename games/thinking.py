"""How the site's own bots find their moves: from the view of a seat, within a time.

Nothing of the position reaches them (`games.engine.capabilities.Thinks`): what a bot plays, and
what a hint says, is what the seat can find out by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from core import chance
from core.refusals import Refusal
from games.engine.capabilities import Level, thinks_of
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat
from games.engine.errors import EngineFault
from games.engine.live import Live
from games.store import Held

# How many times as long as its processor time a search may take by the clock.
STARVED: Final = 4


def open_decision(live: Live, seat: Seat) -> Decision:
    """What is asked of a seat now. Raises Refusal ``match.over``, ``match.paused``,
    ``decision.none`` and ``decision.sealed`` (the answer is in)."""
    table = live.table
    if table.result is not None:
        raise Refusal("match.over", "The match is over.")
    if table.paused:
        raise Refusal("match.paused", "The match is paused.")
    slot = table.open[seat]
    if slot is None:
        if table.holds_back(seat):
            raise Refusal("decision.sealed", "Your answer is in; it waits for the other one.")
        raise Refusal("decision.none", "Nothing is asked of you at the moment.")
    return slot.decision


def processor_time(seconds: float) -> Callable[[], bool]:
    """Whether there is time left: so much of this thread's processor time from now on, and where
    others take the processor away, `STARVED` times as much by the clock. A search that only counted
    what it got would keep whoever waits for it on a busy machine for as long as that is busy."""
    spent, by_the_clock = time.thread_time() + seconds, time.monotonic() + STARVED * seconds
    return lambda: time.thread_time() < spent and time.monotonic() < by_the_clock


def think(
    held: Held,
    seat: Seat,
    level: Level,
    *,
    seconds: float,
    random: RandomSource = chance.system,
) -> str:
    """What a bot of that level answers to what is asked of a seat now, in canonical notation, after
    ``seconds`` of this thread's processor time at most (`processor_time`), or little more. Raises
    Refusal as `open_decision` does."""
    decision = open_decision(held.live, seat)
    thinks = thinks_of(held.ruleset)
    if thinks is None:
        raise EngineFault(f"no bots play {held.ruleset.id}")
    view = held.ruleset.view(held.live.table.state, 1 if seat else 0)
    move = thinks.decide(view, decision, level, random, processor_time(seconds))
    return held.ruleset.print(move)
