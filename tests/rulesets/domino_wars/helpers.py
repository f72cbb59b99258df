"""Playing Domino Wars in tests: moves as players type them, and positions made to measure."""

from __future__ import annotations

from random import Random
from typing import Any

from core.refusals import Refusal
from games.engine import notation
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Event, Seat, seen_by
from games.engine.ruleset import HeldItem, Setup
from games.rulesets.domino_wars.board import INDEX_OF, board_of
from games.rulesets.domino_wars.lanes import SQUARES
from games.rulesets.domino_wars.moves import Move
from games.rulesets.domino_wars.rules import DominoWars, DominoWarsOptions
from games.rulesets.domino_wars.state import (
    NOTHING,
    PLAY,
    Dominoes,
    Known,
    Opening,
    Position,
    Side,
    State,
    Terms,
)

RULES = DominoWars()
DECKS = ("01 12 23 34 45 56 06 16", "02 13 24 35 46 05 15 26")


def source(seed: int) -> RandomSource:
    """The same numbers in every run."""
    return Random(seed).random


def begin(*items: tuple[Seat, str], advantage: Seat = 1, **options: Any) -> Opening:
    """A match before anything is chosen."""
    held = tuple([HeldItem(seat, item) for seat, item in items])
    state = RULES.initial(Setup("standard", DominoWarsOptions(**options), advantage, held))
    assert isinstance(state, Opening)
    return state


def read(text: str) -> Move:
    """A move as the server reads it."""
    return RULES.parse(notation.tidy(text))


def decision_of(state: State, seat: Seat) -> Decision:
    """The open decision of a seat."""
    (decision,) = [each for each in RULES.decisions(state) if each.seat == seat]
    return decision


def say(state: State, *texts: str) -> State:
    """The moves of whoever is to decide, one after the other, each judged first."""
    for text in texts:
        (decision,) = RULES.decisions(state)
        move = read(text)
        RULES.validate(state, decision, move)
        state = RULES.apply(state, ((decision.seat, move),))
    return state


def both(state: State, one: str, two: str) -> State:
    """The sealed moves of both seats."""
    chosen = []
    for seat, text in enumerate((one, two)):
        move = read(text)
        RULES.validate(state, decision_of(state, seat), move)
        chosen.append((seat, move))
    return RULES.apply(state, tuple(chosen))


def draw(state: State, *texts: str) -> State:
    """Outcomes of chance."""
    for text in texts:
        chance = RULES.parse_chance(text)
        assert chance.draw in RULES.chance_due(state)
        state = RULES.apply_chance(state, chance)
    return state


def dealt(*items: tuple[Seat, str], first: str = "first") -> State:
    """A match with `DECKS` drawn in the order in which they are written; seat 1 has the
    advantage."""
    state = both(say(begin(*items), first), f"deck {DECKS[0]}", f"deck {DECKS[1]}")
    return draw(state, f"pile 0 {DECKS[0]}", f"pile 1 {DECKS[1]}")


def refusal(state: State, text: str, seat: Seat | None = None) -> Refusal:
    """The refusal of a move, by the seat that is asked."""
    decisions = RULES.decisions(state)
    decision = decisions[0] if seat is None else decision_of(state, seat)
    try:
        RULES.validate(state, decision, read(text))
    except Refusal as refused:
        return refused
    raise AssertionError(f"{text} was not refused")


def ids(names: str) -> Dominoes:
    """Dominoes by their names."""
    return tuple([INDEX_OF[name] for name in names.split()])


def side(
    hand: str = "",
    pile: str = "",
    discards: str = "",
    *,
    skip: bool = False,
    known: Known = NOTHING,
) -> Side:
    """A seat's dominoes, the pile from the top."""
    return Side(ids(hand), ids(pile), ids(discards), known, skip)


BLANK = ".. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .."


def position(
    one: Side, two: Side, board: str = BLANK, *, seat: Seat = 0, first: Seat = 0, **terms: Any
) -> State:
    """A position before a play of ``seat``. The board is written row by row, a square as its
    number and a or b for its owner, ``..`` for an empty one."""
    squares = board.split()
    assert len(squares) == SQUARES
    numbers = tuple([None if square == ".." else int(square[0]) for square in squares])
    owned = [sum(1 << at for at in range(SQUARES) if squares[at][1] == who) for who in "ab"]
    return Position(
        Terms(**{"advantage": 1, **terms}),
        first,
        7,
        seat,
        PLAY,
        0,
        board_of(numbers),
        (owned[0], owned[1]),
        (one, two),
    )


def shown(state: State) -> dict[str, Any]:
    """Everything there is to see."""
    return RULES.view(state, "all")


def asked(state: State) -> str | None:
    """What is being asked in a turn; None after the end."""
    kind: str | None = shown(state)["ask"]
    return kind


def sizes(state: State, seat: Seat) -> tuple[int, int, int]:
    """How many dominoes a seat has in hand, in its draw pile and discarded."""
    has = shown(state)["sides"][seat]
    return has["hand_size"], has["pile_size"], len(has["discards"])


def board(state: State) -> str:
    """The board as `position` takes it."""
    cells = {cell["square"]: cell for cell in shown(state)["cells"]}
    names = [f"{column}{row}" for row in "1234" for column in "ABCD"]
    return " ".join(
        f"{cells[name]['number']}{'ab'[cells[name]['owner']]}" if name in cells else ".."
        for name in names
    )


def told(state: State, text: str, audience: Any = "all") -> list[str]:
    """What the log says to somebody of a move of whoever is asked."""
    decision = RULES.decisions(state)[0]
    chosen = ((decision.seat, read(text)),)
    after = RULES.apply(state, chosen)
    events: list[Event] = list(RULES.events(state, chosen, after))
    return [event.text for event in seen_by(events, audience)]
