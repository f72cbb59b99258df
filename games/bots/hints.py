"""Legal moves for programs that do not know the rules.

A hint is drawn from what the seat itself sees: its view is filled up by guesses (`determinize`),
and a move is sampled in the position that results. So a hint can tell nothing that its reader does
not know already; and since what a player may do never hangs on what they cannot know, it is legal
in the real position too (a test holds that for every ruleset).
"""

from __future__ import annotations

from core import chance
from core.refusals import Refusal
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.live import Live
from games.engine.table import AnyRuleset

AT_MOST = 20


def hints(
    ruleset: AnyRuleset,
    live: Live,
    seat: Seat,
    *,
    count: int,
    random: RandomSource = chance.system,
) -> tuple[str, tuple[str, ...]]:
    """The id of the decision that ``seat`` has open, and up to ``count`` different legal answers in
    canonical notation, as they were drawn from ``random``: at least one.

    Raises Refusal ``match.over``, ``match.paused``, ``decision.none`` (nothing is asked of this
    seat) and ``decision.sealed`` (the answer is in and cannot be changed).
    """
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
    view = ruleset.view(table.state, 1 if seat else 0)
    drawn: dict[str, None] = {}
    for _ in range(count):
        guess = ruleset.determinize(view, seat, random)
        drawn[ruleset.print(ruleset.sample(guess, slot.decision, random))] = None
    return slot.decision.id, tuple(drawn)
