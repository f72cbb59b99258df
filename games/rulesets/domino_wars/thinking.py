"""What a bot should look at, and how long: random matches to the end tell it the rest.

A match is a dozen plays, so that random play to its end costs little and tells more than any look
at the position. It says little about decks, which show only in many matches: those are drawn, and
taken for the worth of their dominoes. The wider a bot looks, the more of them it draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from games.engine.capabilities import Level
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat, other
from games.engine.search import Search
from games.rulesets.domino_wars import turns
from games.rulesets.domino_wars.board import PLAYS, Play
from games.rulesets.domino_wars.lanes import DOMINOES, SQUARES, codes_on
from games.rulesets.domino_wars.moves import Deck, Move
from games.rulesets.domino_wars.opening import some_deck
from games.rulesets.domino_wars.state import PLAY, Opening, Position, State

TO_THE_END: Final = 400
"""Steps, more than any match takes: 56 plays with two choices each, and the set-up."""

SEARCHES: Final[Mapping[Level, Search]] = {
    "novice": Search(width=4, tries=32, depth=TO_THE_END),
    "club": Search(width=12, tries=120, depth=TO_THE_END),
    "strong": Search(width=32, tries=6000, depth=TO_THE_END),
}


def suggestions(
    state: State, decision: Decision, random: RandomSource, most: int
) -> Sequence[Move] | None:
    """One deck; the plays that promise most; and all that there is of anything else."""
    if isinstance(state, Opening):
        if decision.kind != "deck":
            return None
        return [_deck(state.terms.repeats[decision.seat], random, most)]
    return None if state.ask is not PLAY else _plays(state, random, most)


# -- decks ---------------------------------------------------------------------------------------

# How many more matches in a hundred are won with a domino in the deck than with an average one: by
# linear regression on 3,700 matches, half of them between random decks, half between good ones.
_WORTH: Final = (
    0, 0, 1, -3, -5, 17,
    0, -1, -7, 0, 4,
    -2, -4, -9, 4,
    -5, -2, 8,
    -8, 5,
    9,
)  # fmt: skip


def _deck(repeats: int, random: RandomSource, most: int) -> Deck:
    """The best of some decks: one for a bot that looks at four moves, and 512 at 32."""
    drawn = [some_deck(repeats, random) for _ in range(max(1, most**3 // 64))]
    return max(drawn, key=_worth)


def _worth(deck: Deck) -> int:
    return sum([_WORTH[domino] for domino in deck.dominoes])


# -- plays ---------------------------------------------------------------------------------------

# What each adds to the logarithm of the odds: by logistic regression on positions of 500 matches
# between players who look one play ahead.
_SQUARE: Final = 0.2
_FIVE: Final = 0.35  # a square with 5 or 6
_SIX: Final = 0.4  # a square with 6, which is for ever
_IN_HAND: Final = 0.3
_SIX_TO_COME: Final = 0.45
_SKIP: Final = -0.25
_NONE_IN_HAND: Final = -0.75


def _plays(state: Position, random: RandomSource, most: int) -> list[Play]:
    seat = state.seat
    plays = PLAYS[state.direction(seat)]
    found = [
        plays[code]
        for domino in sorted(set(state.sides[seat].hand))
        for code in codes_on(state.board, domino, state.direction(seat))
    ]
    if len(found) > most:
        order = {play.code: (_promise(turns.played(state, play), seat), random()) for play in found}
        found.sort(key=lambda play: order[play.code], reverse=True)
        del found[most:]
    return found


def _promise(state: Position, seat: Seat) -> float:
    """How good the position after a play looks for the seat, so as to compare it with others."""
    return _prospects(state, seat) - _prospects(state, other(seat))


def _prospects(state: Position, seat: Seat) -> float:
    side, owned, board = state.sides[seat], state.owned[seat], state.board
    return (
        _SQUARE * owned.bit_count()
        + _FIVE * (owned & ~(board >> 5 * SQUARES)).bit_count()
        + _SIX * (owned & ~(board >> 6 * SQUARES)).bit_count()
        + _IN_HAND * len(side.hand)
        + _SIX_TO_COME * sum([DOMINOES[each][1] == 6 for each in (*side.hand, *side.pile)])
        + _SKIP * side.skip
        + (_NONE_IN_HAND if not side.hand else 0.0)
    )
