"""Random play in one go: what `games.rulesets.domino_wars.turns` says of one step, for many.

The two sides are lists that change, and a position is made only where the play ends. The tests hold
it to the plain rules, step by step.
"""

from __future__ import annotations

from typing import Final

from games.engine.chance import RandomSource
from games.rulesets.domino_wars.board import (
    CLEAR,
    COVER,
    DOMINOES,
    WAYS,
    DominoIndex,
    fits,
    some_code,
)
from games.rulesets.domino_wars.state import (
    NOTHING,
    PLAY,
    RETURN,
    TOP,
    Ask,
    Dominoes,
    Known,
    Last,
    Position,
    Side,
    Why,
)
from games.rulesets.domino_wars.turns import (
    ASKS,
    DRAWING,
    NO_DRAW,
    SKIPPING,
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
            if self.known is not NOTHING:
                self.known = known_after_draw(self.known, pile)
            self.hand.append(pile[0])
            self.pile = pile[1:]

    def put_away(self, domino: DominoIndex) -> None:
        if self.known is not NOTHING:
            self.known = known_without(self.known, domino)
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

    def choice(self, ask: Ask) -> bool:
        """Whether there are two possibilities; a single one is taken."""
        dominoes = self.choosable(ask)
        if dominoes:
            only = dominoes[0]
            if dominoes.count(only) < len(dominoes):
                return True
            self.carry_out(ask, only)
        return False


def simulate(state: Position, random: RandomSource, most: int) -> tuple[Position, int]:
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
            direction = 0 if seat == first else 1
            hand = mine.hand
            code = some_code(board, sorted(set(hand)) if repeats[seat] else hand, direction, random)
            laid = seat
            cover = COVER[direction][code]
            board &= CLEAR[direction][code]
            taken = owned[1 - seat] & cover
            owned[1 - seat] ^= taken
            owned[seat] |= cover
            mine.put_away(code // WAYS)
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
                if mine.choice(asks):
                    ask = asks
                    break
            elif number == DRAWING:
                mine.draw()
            elif number == SKIPPING:
                mine.skip = True
            effect += 1
        else:
            if not no_draw:
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
    while True:
        can = [
            fits(board, both[0].hand, 0 if first == 0 else 1),
            fits(board, both[1].hand, 0 if first == 1 else 1),
        ]
        if not any(can):
            return seat, tuple(passed), True
        mine = both[seat]
        if mine.skip:
            passed.append((seat, "six"))
            mine.skip = False
        elif can[seat]:
            return seat, tuple(passed), False
        else:
            passed.append((seat, "board" if mine.hand else "hand"))
            if draw_when_stuck:
                mine.draw()
        seat = 1 - seat
