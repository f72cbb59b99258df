"""What bots play.

In a bout nothing is hidden, so a placement is counted out where little is left of the bout, and
else it is the best one of a tree of random ends. A pick is drawn so that it cannot be foreseen, by
which tetromino does well against which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from games.engine.capabilities import Level
from games.engine.chance import RandomSource, choose
from games.engine.decisions import Decision
from games.rulesets.tetronogo import guessing
from games.rulesets.tetronogo.counting import counted_out
from games.rulesets.tetronogo.growing import grown
from games.rulesets.tetronogo.moves import LETTERS, Letter, Move, Pick, Start


class Effort(NamedTuple):
    """How much a bot thinks over: how many placements in every position of its tree, how many
    random ends of the bout, how many positions to count out, and how many rounds of picks."""

    width: int
    ends: int
    positions: int
    rounds: int


EFFORTS: Final[Mapping[Level, Effort]] = {
    "novice": Effort(width=2, ends=10, positions=48, rounds=1),
    "club": Effort(width=12, ends=860, positions=1700, rounds=16),
    "strong": Effort(width=40, ends=9600, positions=19200, rounds=180),
}
COUNTABLE: Final = 50  # placements left to both players in all, for counting to be worth a try

# Of 100 bouts, how many more whoever begins wins than loses: by their tetromino (a line each) and
# the other player's (both in the order of `LETTERS`). From 1132 bouts between bots that went by 120
# random ends a placement and counted the last ones out; mirror images taken together.
BEGINNING: Final = (
    (60, -80, 0, 0, -100, -100, -100),
    (90, 20, 70, 70, -40, -40, -50),
    (20, -60, 0, 30, -90, -90, -50),
    (20, -60, 30, 0, -90, -90, -50),
    (100, 60, 100, 100, 40, 10, 50),
    (100, 60, 100, 100, 10, 40, 50),
    (100, 30, 80, 80, -30, -30, 30),
)


def decide(
    view: Mapping[str, Any],
    decision: Decision,
    level: Level,
    random: RandomSource,
    may_go_on: Callable[[], bool],
) -> Move:
    """The answer of a bot of that level to whoever sees this."""
    state = guessing.determinize(view)
    seat, frame, effort = decision.seat, state.frame, EFFORTS[level]
    if decision.kind == "pick":
        own, others = frame.unused(seat), frame.unused(1 - seat)
        return Pick(picked(own, others, random, effort.rounds, chooses=frame.chooser == seat))
    if decision.kind == "starter":
        own_piece, others_piece = frame.duel.pieces[seat], frame.duel.pieces[1 - seat]
        return _start(own_piece.letter, others_piece.letter)[1]
    number = None
    if state.mine.bit_count() + state.theirs.bit_count() <= COUNTABLE:
        number = counted_out(state, seat, effort.positions, may_go_on)
    if number is None:
        number = grown(state, seat, random, effort.width, effort.ends, may_go_on)
    return frame.duel.pieces[seat].moves[number]


def _start(own: Letter, others: Letter) -> tuple[int, Start]:
    """The better choice for whoever chooses the starter, and what they can expect of it."""
    begins, follows = _beginning(own, others), -_beginning(others, own)
    return (begins, Start("first")) if begins >= follows else (follows, Start("second"))


def _beginning(own: Letter, others: Letter) -> int:
    return BEGINNING[LETTERS.index(own)][LETTERS.index(others)]


def picked(
    own: Sequence[Letter],
    others: Sequence[Letter],
    random: RandomSource,
    rounds: int,
    *,
    chooses: bool,
) -> Letter:
    """One of a player's tetrominoes, drawn as often as in so many rounds of fictitious play (G.
    Brown, *Iterative solution of games by fictitious play*, 1951): both begin with anything, and
    then pick what would have done best against all that the other has picked so far."""
    worth = {
        (mine, theirs): _start(mine, theirs)[0] if chooses else -_start(theirs, mine)[0]
        for mine in own
        for theirs in others
    }
    gains = {each: random() for each in own}
    losses = {each: random() for each in others}
    picks = []
    for _ in range(rounds):
        mine = max(own, key=gains.__getitem__)
        theirs = min(others, key=losses.__getitem__)
        picks.append(mine)
        for each in own:
            gains[each] += worth[each, theirs]
        for each in others:
            losses[each] += worth[mine, each]
    return choose(random, picks)
