"""Random play in one go: what `games.rulesets.domino_wars.turns` says of one step, for many.

The two sides are lists that change, and a position is made only where the play ends. The tests hold
it to the plain rules, step by step.
"""

from __future__ import annotations

from typing import Final

from games.engine.chance import RandomSource, shuffled
from games.rulesets.domino_wars.lanes import (
    CLEAR,
    COVER,
    DOMINOES,
    WAYS,
    Direction,
    DominoIndex,
    fits,
    some_code,
)
from games.rulesets.domino_wars.moves import ORDERS
from games.rulesets.domino_wars.opening import some_deck
from games.rulesets.domino_wars.state import (
    HAND,
    PLAY,
    RETURN,
    TOP,
    Ask,
    Dominoes,
    Known,
    Last,
    Opening,
    Position,
    Side,
    State,
    Why,
)
from games.rulesets.domino_wars.turns import (
    ASKS,
    DRAWING,
    NO_DRAW,
    SKIPPING,
    begun,
    known_after_draw,
    known_after_return,
    known_after_top,
    known_without,
)

_EFFECTS: Final = tuple([(*numbers, NO_DRAW in numbers) for numbers in DOMINOES])


class _Hands:
    """A seat's dominoes as they go to and fro: a `Side` that changes."""

    __slots__ = ("discards", "hand", "known", "pile", "skip")

    def __init__(self, side: Side) -> None:
        self.hand: list[DominoIndex] = list(side.hand)
        self.pile: Dominoes = side.pile
        self.discards: list[DominoIndex] = list(side.discards)
        self.known: Known = side.known
        self.skip: bool = side.skip

    def side(self) -> Side:
        return Side(tuple(self.hand), self.pile, tuple(self.discards), self.known, self.skip)

    def draw(self) -> None:
        pile = self.pile
        if pile:
            known = self.known
            if known.top or known.bottom or known.sunk:
                self.known = known_after_draw(known, pile)
            self.hand.append(pile[0])
            self.pile = pile[1:]

    def put_away(self, domino: DominoIndex) -> None:
        known = self.known
        if known.held or known.loose:
            self.known = known_without(known, domino)
        self.hand.remove(domino)
        self.discards.append(domino)

    def carry_out(self, ask: Ask, domino: DominoIndex) -> None:
        if ask == RETURN:
            self.known = known_after_return(self.known)
            self.discards.remove(domino)
            self.pile = (*self.pile, domino)
        elif ask == TOP:
            pile = self.pile
            self.known = known_after_top(self.known, pile, domino)
            at = pile.index(domino)
            self.pile = (domino, *pile[:at], *pile[at + 1 :])
        else:
            self.put_away(domino)
            self.draw()

    def choosable(self, ask: Ask) -> list[DominoIndex] | Dominoes:
        if ask == RETURN:
            return self.discards
        return self.pile if ask == TOP else self.hand


def set_up(state: Opening, random: RandomSource, most: int) -> tuple[State, int]:
    """The first turn of a match whose order or decks are still to be chosen, and in how many steps
    it came about; the same state and none where that is more than ``most``, and where mulligans
    are to be offered."""
    terms, first, steps = state.terms, state.first, 2
    if state.decks is not None or most < 3 or any(terms.mulligans):
        return state, 0
    if first is None:
        chooser = terms.favoured
        first = chooser if ORDERS[int(random() * 2)].first else 1 - chooser
        steps = 3
    one, two = [some_deck(repeats, random).dominoes for repeats in terms.repeats]
    up, down = shuffled(random, one), shuffled(random, two)
    return begun(
        terms,
        first,
        (
            Side(tuple(up[:HAND]), tuple(up[HAND:])),
            Side(tuple(down[:HAND]), tuple(down[HAND:])),
        ),
    ), steps


def simulate(  # noqa: C901, PLR0912, PLR0915  (one loop: calls and copies are what it saves)
    state: Position, random: RandomSource, most: int
) -> tuple[Position, int]:
    """At most so many random steps on from a position that is not over: the position then, and
    how many there were."""
    terms, first = state.terms, state.first
    repeats = terms.repeats
    turn, seat, ask, effect = state.turn, state.seat, state.ask, state.effect
    board, owned = state.board, list(state.owned)
    both = (_Hands(state.sides[0]), _Hands(state.sides[1]))
    last, passed, over = state.last, state.passed, False
    code, taken, laid = (0, 0, seat) if last is None else (last.code, last.taken, last.seat)
    steps = 0
    while steps < most and not over:
        steps += 1
        mine = both[seat]
        if ask is PLAY:
            direction: Direction = 0 if seat == first else 1
            hand = mine.hand
            code = some_code(board, sorted(set(hand)) if repeats[seat] else hand, direction, random)
            laid = seat
            cover = COVER[direction][code]
            board &= CLEAR[direction][code]
            taken = owned[1 - seat] & cover
            owned[1 - seat] ^= taken
            owned[seat] |= cover
            domino = code // WAYS
            known = mine.known
            if known.held or known.loose:
                mine.known = known_without(known, domino)
            mine.hand.remove(domino)
            mine.discards.append(domino)
            passed = ()
            effect = 0
        else:
            dominoes = mine.choosable(ask)
            if repeats[seat]:
                dominoes = tuple(set(dominoes))
            mine.carry_out(ask, dominoes[int(random() * len(dominoes))])
            effect += 1
        low, high, no_draw = _EFFECTS[code // WAYS]
        ask = PLAY
        while effect < 2:
            number = high if effect else low
            asks = ASKS[number]
            if asks is not PLAY:
                dominoes = mine.choosable(asks)
                if dominoes:
                    only = dominoes[0]
                    if dominoes.count(only) < len(dominoes):
                        ask = asks
                        break
                    mine.carry_out(asks, only)
            elif number == DRAWING:
                mine.draw()
            elif number == SKIPPING:
                mine.skip = True
            effect += 1
        else:
            if mine.pile and not no_draw:
                mine.draw()
            effect = 0
            turn += 1
            seat = 1 - seat
            theirs = both[seat]
            if theirs.skip or not fits(board, theirs.hand, 0 if seat == first else 1):
                seat, passed, over = _next_turn(
                    both, seat, board, first, draw_when_stuck=terms.draw_when_stuck
                )
    if steps:
        last = Last(laid, code, taken)
    sides = (both[0].side(), both[1].side())
    return Position(
        terms,
        first,
        turn,
        seat,
        ask,
        effect,
        board,
        (owned[0], owned[1]),
        sides,
        last,
        passed,
        over,
    ), steps


def _next_turn(
    both: tuple[_Hands, _Hands], seat: int, board: int, first: int, *, draw_when_stuck: bool
) -> tuple[int, tuple[tuple[int, Why], ...], bool]:
    """Who plays next after what turns were passed, and whether nobody does."""
    passed: list[tuple[int, Why]] = []
    can = [fits(board, both[first].hand, 0), fits(board, both[1 - first].hand, 1)]
    while True:
        if not can[0] and not can[1]:
            return seat, tuple(passed), True
        mine = both[seat]
        if mine.skip:
            passed.append((seat, "six"))
            mine.skip = False
        elif can[seat ^ first]:
            return seat, tuple(passed), False
        else:
            passed.append((seat, "board" if mine.hand else "hand"))
            if draw_when_stuck:
                mine.draw()
                can[seat ^ first] = fits(board, mine.hand, 0 if seat == first else 1)
        seat = 1 - seat
