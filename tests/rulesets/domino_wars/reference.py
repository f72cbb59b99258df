"""Domino Wars once more, as plainly as possible: lists and dictionaries, one rule at a time.

What the fast program does is compared with this; nothing is shared between them but the notation.
"""

from __future__ import annotations

from typing import Any


class Reference:
    """A match from the first turn on."""

    def __init__(
        self,
        first: int,
        hands: list[list[str]],
        piles: list[list[str]],
        favoured: int,
        draw_when_stuck: bool,
    ) -> None:
        self.first, self.favoured, self.draw_when_stuck = first, favoured, draw_when_stuck
        self.hands, self.piles = hands, piles
        self.discards: list[list[str]] = [[], []]
        self.skip = [False, False]
        self.board: dict[str, tuple[int, int]] = {}
        self.turn = first
        self.effects: list[int] = []
        self.played = ""
        self.over = False
        self.plays = 0

    # -- what a player says ----------------------------------------------------------------------

    def say(self, text: str) -> None:
        """A play or a choice by whoever has the turn."""
        words = text.split()
        me = self.turn
        if words[0] in ("return", "top", "discard"):
            self.effects.pop(0)
            getattr(self, f"do_{words[0]}")(words[1])
        else:
            domino, (low_at, high_at) = words[0], words[1].split(":")
            assert low_at in self.places(me, int(domino[0]), high_at, int(domino[1]))
            self.hands[me].remove(domino)
            self.discards[me].append(domino)
            self.board[low_at] = (int(domino[0]), me)
            self.board[high_at] = (int(domino[1]), me)
            self.played = domino
            self.plays += 1
            self.effects = sorted(int(digit) for digit in domino)
        self.go_on()

    def go_on(self) -> None:
        """Effects until there is a choice between different dominoes, then the end of the turn."""
        me = self.turn
        while self.effects:
            number = self.effects[0]
            kind, choices = self.asks()
            if len(set(choices)) > 1:
                return
            self.effects.pop(0)
            if number == 1:
                self.draw()
            elif number == 6:
                self.skip[me] = True
            elif choices:
                getattr(self, f"do_{kind}")(choices[0])
        if "5" not in self.played:
            self.draw()
        self.end_turn()

    def asks(self) -> tuple[str, list[str]]:
        """The choice of the effect that comes next: what it is called and from what."""
        me = self.turn
        number = self.effects[0] if self.effects else None
        if number == 0:
            return "return", self.discards[me]
        if number == 2:
            return "top", self.piles[me]
        if number == 4:
            return "discard", self.hands[me]
        return "play", []

    def do_return(self, domino: str) -> None:
        self.discards[self.turn].remove(domino)
        self.piles[self.turn].append(domino)

    def do_top(self, domino: str) -> None:
        self.piles[self.turn].remove(domino)  # the first one is the upper one
        self.piles[self.turn].insert(0, domino)

    def do_discard(self, domino: str) -> None:
        self.hands[self.turn].remove(domino)
        self.discards[self.turn].append(domino)
        self.draw()

    def draw(self) -> None:
        if self.piles[self.turn]:
            self.hands[self.turn].append(self.piles[self.turn].pop(0))

    # -- turns -----------------------------------------------------------------------------------

    def end_turn(self) -> None:
        """On to the next player who can play; the end is tested after each turn."""
        while True:
            if not self.can_play(0) and not self.can_play(1):
                self.over = True
                return
            self.turn = 1 - self.turn
            if self.skip[self.turn]:
                self.skip[self.turn] = False
            elif self.can_play(self.turn):
                return
            elif self.draw_when_stuck:
                self.draw()

    def can_play(self, seat: int) -> bool:
        return any(
            self.places(seat, int(domino[0]), high_at, int(domino[1]))
            for domino in self.hands[seat]
            for high_at in self.squares()
        )

    def places(self, seat: int, low: int, high_at: str, high: int) -> list[str]:
        """Where the lower number can lie when the higher one lies there."""
        column, row = high_at[0], high_at[1]
        if seat == self.first:
            beside = [f"{column}{int(row) + 1}", f"{column}{int(row) - 1}"]
        else:
            beside = [f"{chr(ord(column) + 1)}{row}", f"{chr(ord(column) - 1)}{row}"]
        if not self.lower(high_at, high):
            return []
        return [name for name in beside if name in self.squares() and self.lower(name, low)]

    def lower(self, name: str, number: int) -> bool:
        return name not in self.board or self.board[name][0] < number

    @staticmethod
    def squares() -> list[str]:
        return [f"{column}{row}" for row in "1234" for column in "ABCD"]

    # -- what there is to see ----------------------------------------------------------------------

    def scores(self) -> list[int]:
        owners = [owner for _, owner in self.board.values()]
        return [owners.count(0), owners.count(1)]

    def winner(self) -> int:
        one, two = self.scores()
        return self.favoured if one == two else int(two > one)

    def seen(self) -> dict[str, Any]:
        """The same as the part of a view for everybody that the rules are about."""
        return {
            "over": self.over,
            "turn": None if self.over else self.turn,
            "ask": None if self.over else self.asks()[0],
            "scores": self.scores(),
            "board": {
                name: list(self.board[name]) for name in self.squares() if name in self.board
            },
            "sides": [
                (sorted(self.hands[s]), self.piles[s], self.discards[s], self.skip[s])
                for s in (0, 1)
            ],
        }
