"""How the site's own bots find their moves: from the view of a seat, within a time.

Nothing of the position reaches them (`games.engine.capabilities.Thinks`): what a bot plays, and
what a hint says, is what the seat can find out by itself.
"""

from __future__ import annotations

import time

from core import chance
from core.refusals import Refusal
from games.engine.capabilities import Level, thinks_of
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat
from games.engine.errors import EngineFault
from games.engine.live import Live
from games.store import Held


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


def think(
    held: Held,
    seat: Seat,
    level: Level,
    *,
    seconds: float,
    random: RandomSource = chance.system,
) -> str:
    """What a bot of that level answers to what is asked of a seat now, in canonical notation, after
    ``seconds`` of this thread's processor time at most, or little more. Raises Refusal as
    `open_decision` does."""
    decision = open_decision(held.live, seat)
    thinks = thinks_of(held.ruleset)
    if thinks is None:
        raise EngineFault(f"no bots play {held.ruleset.id}")
    view = held.ruleset.view(held.live.table.state, 1 if seat else 0)
    until = time.thread_time() + seconds
    move = thinks.decide(view, decision, level, random, lambda: time.thread_time() < until)
    return held.ruleset.print(move)
