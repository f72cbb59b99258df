"""Legal moves for programs that do not know the rules.

A hint is drawn from what the seat itself sees: its view is filled up by guesses (`determinize`),
and a move is sampled in the position that results. So a hint can tell nothing that its reader does
not know already; and since what a player may do never hangs on what they cannot know, it is legal
in the real position too (a test holds that for every ruleset).
"""

from __future__ import annotations

from core import chance
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.live import Live
from games.engine.table import AnyRuleset
from games.thinking import open_decision

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

    Raises Refusal as `open_decision` does.
    """
    decision = open_decision(live, seat)
    view = ruleset.view(live.table.state, 1 if seat else 0)
    drawn: dict[str, None] = {}
    for _ in range(count):
        guess = ruleset.determinize(view, seat, random)
        drawn[ruleset.print(ruleset.sample(guess, decision, random))] = None
    return decision.id, tuple(drawn)
