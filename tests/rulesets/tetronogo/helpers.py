"""Playing Tetronogo in tests: moves as players type them, and bouts with a known end."""

from __future__ import annotations

from random import Random

from games.engine import notation
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Outcome, Seat
from games.engine.playouts import step
from games.engine.ruleset import Setup
from games.rulesets.tetronogo.moves import Move, OutOfTime, name
from games.rulesets.tetronogo.rules import Tetronogo, TetronogoOptions
from games.rulesets.tetronogo.state import TetronogoState

RULES = Tetronogo()


def begin(advantage: Seat = 1) -> TetronogoState:
    """A match before its first picks."""
    return RULES.initial(Setup("standard", TetronogoOptions(), advantage))


def read(text: str) -> Move:
    """A move as the server reads it."""
    return RULES.parse(notation.tidy(text))


def decision_of(state: TetronogoState, seat: Seat) -> Decision:
    """The open decision of a seat."""
    (decision,) = [each for each in RULES.decisions(state) if each.seat == seat]
    return decision


def picks(state: TetronogoState, first: str, second: str) -> TetronogoState:
    """Both picks, judged and revealed."""
    chosen = []
    for seat, letter in enumerate((first, second)):
        move = read(f"pick {letter}")
        RULES.validate(state, decision_of(state, seat), move)
        chosen.append((seat, move))
    return RULES.apply(state, tuple(chosen))


def say(state: TetronogoState, *texts: str) -> TetronogoState:
    """The moves of whoever is to decide, one after the other."""
    for text in texts:
        (decision,) = RULES.decisions(state)
        move = read(text)
        RULES.validate(state, decision, move)
        state = RULES.apply(state, ((decision.seat, move),))
    return state


def start(state: TetronogoState, starter: Seat) -> TetronogoState:
    """The starter choice, so that ``starter`` begins."""
    (decision,) = RULES.decisions(state)
    return say(state, "first" if decision.seat == starter else "second")


def placing(first: str, second: str, starter: Seat = 0) -> TetronogoState:
    """Bout 1 with these tetrominoes, at the first placement."""
    return start(picks(begin(), first, second), starter)


def run_out(state: TetronogoState) -> TetronogoState:
    """The mover runs out of time."""
    (decision,) = RULES.decisions(state)
    move = RULES.on_timeout(state, decision)
    assert isinstance(move, OutOfTime)
    return RULES.apply(state, ((decision.seat, move),))


def alternately(*by_seat: list[str], starter: Seat) -> list[str]:
    """The placements of both seats in the order of play."""
    mine, theirs = by_seat[starter], by_seat[1 - starter]
    order = [text for pair in zip(mine, theirs, strict=False) for text in pair]
    return order + mine[len(theirs) :]


# -- bouts whose end is known ------------------------------------------------------------------


def strips(starter: Seat, winner: Seat = 0) -> list[str]:
    """O against O, 24 to 12 for ``winner``, after 24 placements.

    The pieces fill the columns BC, EF, HI and KL from top to bottom, so columns A, D, G and J
    stay empty, 12 squares each, too narrow for another O. The winner owns BC and EF:
    A is touched by 12 edges of BC: 12 points for the winner. D is touched by 12 edges of BC and 12
    of EF: 12 more. G by 12 of EF and 12 of HI, which is level: nobody. J by 12 of HI and 12 of KL:
    12 for the loser.
    """

    def columns(*letters: str) -> list[str]:
        return [f"{letter}{row} 0" for letter in letters for row in range(1, 12, 2)]

    halves = [columns("H", "K"), columns("H", "K")]
    halves[winner] = columns("B", "E")
    return alternately(*halves, starter=starter)


def bricks(starter: Seat) -> list[str]:
    """I against I, 27 to 9 for the starter, after 27 placements.

    Rows 4, 8 and 12 are full: A-D, E-H, I-L. The other rows hold B-E and F-I, so that A and J-L
    stay empty. No run of empty squares is longer than three, so no I fits any more. The starter
    owns every F-I, every I-L and the E-H of rows 4 and 8 (14 pieces), the other player every B-E,
    every A-D and the E-H of row 12 (13 pieces). The three groups in column A (3 squares each)
    touch only B-E and A-D pieces: 9 points for the other player. The three groups in J-L (9
    squares each) touch only F-I and I-L pieces: 27 points for the starter.
    """
    gaps = (1, 2, 3, 5, 6, 7, 9, 10, 11)
    starts = [f"F{row} 0" for row in gaps] + ["I4 0", "I8 0", "I12 0", "E4 0", "E8 0"]
    follows = [f"B{row} 0" for row in gaps] + ["A4 0", "A8 0", "A12 0", "E12 0"]
    return alternately(starts, follows, starter=0)


def full(letter: str) -> list[str]:
    """Both players have O, I, L or J and fill the board: 36 placements, no group, 0 to 0.

    Two L make a rectangle of 4 by 2: one at 180 degrees (###/#..) in its corner, the other as it
    is (..#/###) one column to the right; J likewise the other way round.
    """
    squares = [[name(row * 12 + column) for column in range(12)] for row in range(12)]
    if letter == "O":
        return [
            f"{squares[row][column]} 0" for row in range(0, 12, 2) for column in range(0, 12, 2)
        ]
    if letter == "I":
        return [f"{squares[row][column]} 0" for row in range(12) for column in range(0, 12, 4)]
    left, right = {"L": (180, 0), "J": (0, 180)}[letter]
    return [
        f"{squares[row][column + shift]} {rotation}"
        for row in range(0, 12, 2)
        for column in range(0, 12, 4)
        for shift, rotation in ((0, left), (1, right))
    ]


def drawn_bout(state: TetronogoState, letter: str) -> TetronogoState:
    """A bout in which both fill the board with the same tetromino: drawn, 0 to 0."""
    return say(start(picks(state, letter, letter), 0), *full(letter))


def won_on_time(state: TetronogoState, winner: Seat, points: int = 0) -> TetronogoState:
    """A bout that the other player loses on time: before any placement (0 points), or after a
    single one of the winner's, which then has all edges around the other 140 squares."""
    state = picks(state, state.frame.unused(0)[0], state.frame.unused(1)[0])
    if points == 0:
        return run_out(start(state, 1 - winner))
    assert points == 140
    return run_out(say(start(state, winner), "E5 0"))


# -- random positions --------------------------------------------------------------------------


def source(seed: int) -> RandomSource:
    """Numbers that are the same in every run."""
    return Random(seed).random


def walk(seed: int) -> list[TetronogoState]:
    """All states of a random match, the first and the last included."""
    random = source(seed)
    states = [begin(seed & 1)]
    while RULES.outcome(states[-1]) is None:
        states.append(step(RULES, states[-1], random))
    return states


def outcome(state: TetronogoState) -> Outcome:
    """How a finished match ended."""
    found = RULES.outcome(state)
    assert found is not None
    return found
