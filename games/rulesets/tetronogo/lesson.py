"""The lesson and the cards of Tetronogo."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from games.engine.lessons import LEARNER, Card, LessonStep, position
from games.engine.ruleset import Ruleset, Setup
from games.rulesets.tetronogo.scoring import Group, groups
from games.rulesets.tetronogo.state import TetronogoState

SMALL: Final = 20  # squares: a group of no more is closed off, not the rest of the board

# A bout of L, who begins, against T. The last placement ends it, 22 to 14.
FIRST_BOUT: Final = (
    "G8 90", "H2 0", "E2 270", "H4 270", "A11 180", "I11 0", "H7 90", "B6 270", "D5 270",
    "K1 270", "D7 0", "D10 90", "A1 180", "J9 270", "A5 180", "B3 180", "E11 0", "I7 0", "J5 0",
    "J3 270", "A7 90", "D9 180", "F5 270", "G1 180", "G2 90",
)  # fmt: skip
# A bout of J, who begins, against S, up to where S can end it.
SECOND_BOUT: Final = (
    "G3 180", "B3 90", "G8 270", "F7 90", "D2 180", "A10 90", "K8 90", "D4 0", "G5 0", "I9 90",
    "E1 180", "D11 0", "A5 270", "B8 0", "J5 90", "J1 0", "K9 270", "G11 0", "A1 90", "D6 0",
    "J4 180", "B1 0", "G7 180",
)  # fmt: skip


@cache
def lesson(ruleset: Ruleset[Any, Any]) -> tuple[LessonStep, ...]:
    """The steps of the lesson."""
    first = ("0: pick L", "1: pick T", "0: first", *_in_turn(0, FIRST_BOUT))
    second = ("0: pick S", "1: pick J", "1: first", *_in_turn(1, SECOND_BOUT))
    return (
        LessonStep(
            title="Pick your tetromino",
            words="A bout begins with a secret: you and your opponent each pick one of the seven "
            "tetrominoes at the same time, and both picks are shown once they are in. All "
            "through the bout you place copies of yours alone. Pick any.",
            state=_reached(ruleset, 0),
            goal=_picked,
            solution="pick L",
            reply="pick O",
            reached="Your opponent had picked the O. You may both have the same one. Next, "
            "somebody chooses who goes first: in the first bout the player with the advantage.",
            hint="Choose one of the seven pieces and confirm it.",
        ),
        LessonStep(
            title="Close something off",
            words="You take turns to put one copy on empty squares. You may rotate it, but not "
            "flip it. Empty squares that are closed in, by pieces and by the border of the "
            "board, are what the points are for. Use your L to close off a few of them.",
            state=_reached(ruleset, 1, "0: pick L", "1: pick O", "1: first", "1: D1 0"),
            goal=_closed_off,
            solution="A2 0",
            miss="F6 0",
            reached="A group of empty squares is closed in, and more of its edges are yours. As "
            "it stands, each of its squares is a point for you.",
            hint="With its box at A2 and not rotated, your L fills the gap between the left "
            "border and the O.",
        ),
        LessonStep(
            title="Count the edges",
            words="Each side that an empty square shares with a piece is an edge for the piece's "
            "owner. Whoever has more edges around a group scores all of it; if they are level, "
            "nobody does. Close off a group that touches your opponent's O, with more edges of "
            "yours.",
            state=_reached(ruleset, 1, "0: pick L", "1: pick O", "1: first", "1: C1 0"),
            goal=_outnumbered,
            solution="A3 0",
            miss="A3 180",
            reached="You have more edges around that group than your opponent, so it counts for "
            "you. The border of the board counts for nobody.",
            hint="With its box at A3, your L fences off the top left corner: as it is, or "
            "rotated by 180 degrees? Count both.",
        ),
        LessonStep(
            title="End the bout ahead",
            words="A bout ends as soon as a player whose turn begins has no room left. Your "
            "opponent has none for another T, so whatever you place now is the last piece. Some "
            "places leave both of you with the same number of points. Win the bout.",
            state=_reached(ruleset, 0, *first[:-1]),
            goal=_won_bout,
            solution="G2 90",
            miss="B1 0",
            reached="The bout is yours. With equal points it would have been drawn, and nobody "
            "would have won it.",
            hint="Your piece also covers squares that would be points. Try G2, rotated by 90 "
            "degrees.",
        ),
        LessonStep(
            title="Not the same one again",
            words="A second bout begins, on an empty board. You had the L in the first, so you "
            "may not pick it again in this match; what your opponent has had does not matter to "
            "you. Pick another one.",
            state=_reached(ruleset, 0, *first),
            goal=_picked,
            solution="pick S",
            reply="pick J",
            reached="The picks are shown. Now the loser of the bout before, your opponent, "
            "chooses who goes first.",
            hint="The L is used up. Each of the other six is open to you, the T too.",
        ),
        LessonStep(
            title="Two in a row",
            words="Whoever wins two bouts in a row wins the match. Failing that, all points of "
            "four bouts are added up. You won the first bout and have the S in the second. Leave "
            "your opponent no room for another J, and be ahead when the bout ends.",
            state=_reached(ruleset, 0, *first, *second),
            goal=_won_match,
            solution="C9 0",
            miss="H1 0",
            reached="No room for a J: the bout is over, you won it, and so the match.",
            hint="All the room that your opponent has left is in columns B to F, rows 9 to 11.",
        ),
    )


def _reached(ruleset: Ruleset[Any, Any], advantage: int, *course: str) -> Any:
    """The position after that course; all options are those that matches have by default."""
    options = msgspec.convert({}, ruleset.options_type)
    return position(ruleset, Setup("standard", options, advantage), course)


def _in_turn(starter: int, placed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([f"{starter ^ (ply & 1)}: {text}" for ply, text in enumerate(placed)])


# -- goals ---------------------------------------------------------------------------------------


def _picked(before: TetronogoState, move: Any, after: TetronogoState) -> str | None:
    return None if after.frame.phase == "starter" else "Nothing has been picked."


def _closed(state: TetronogoState) -> list[Group]:
    return [group for group in groups(*state.boards) if len(group.squares) <= SMALL]


def _closed_off(before: TetronogoState, move: Any, after: TetronogoState) -> str | None:
    if any(group.taker == LEARNER for group in _closed(after)):
        return None
    return "No group of empty squares is closed in on all sides and yours. Stay near a corner."


def _outnumbered(before: TetronogoState, move: Any, after: TetronogoState) -> str | None:
    shared = [group for group in _closed(after) if group.edges[1 - LEARNER]]
    if any(group.taker == LEARNER for group in shared):
        return None
    if any(group.taker is None for group in shared):
        return "You both have the same number of edges around that group: nobody scores it."
    return "No group that touches the O is closed in and yours."


def _won_bout(before: TetronogoState, move: Any, after: TetronogoState) -> str | None:
    bouts = after.frame.bouts
    if len(bouts) == len(before.frame.bouts):
        return "The bout is not over."
    if bouts[-1].winner == LEARNER:
        return None
    mine, theirs = bouts[-1].points
    return f"That ends the bout at {mine} to {theirs} points, and you have not won it."


def _won_match(before: TetronogoState, move: Any, after: TetronogoState) -> str | None:
    outcome = after.frame.outcome
    if outcome is not None and outcome.winner == LEARNER:
        return None
    if len(after.frame.bouts) == len(before.frame.bouts):
        return "Your opponent still has room for a J, and the bout goes on."
    return _won_bout(before, move, after)


# -- cards ---------------------------------------------------------------------------------------

CARDS: Final = (
    Card(
        "The goal",
        (
            (
                "You and your opponent fill a board of 12 by 12 squares, each with copies of one "
                "tetromino."
            ),
            (
                "What stays empty is worth points: a group of empty squares goes to whoever has "
                "more edges around it."
            ),
            "More points win a bout; two bouts in a row win the match.",
        ),
        "bout",
    ),
    Card(
        "The picks",
        (
            (
                "Before each bout you both pick one of seven tetrominoes, in secret and at the "
                "same time."
            ),
            "One that you have had in this match is used up for you, but not for your opponent.",
            (
                "The loser of the bout before chooses who goes first; in the first bout, and "
                "after a draw, the player with the advantage."
            ),
            "The advantage is drawn by lot, or set by the challenge or the season.",
        ),
        "pieces",
    ),
    Card(
        "A turn",
        (
            (
                "Put one copy of your tetromino on the board, on empty squares only. If you can, "
                "you must."
            ),
            "You may rotate it, but never flip it.",
            "The bout ends as soon as a player whose turn begins has no room for another copy.",
        ),
        "rotations",
    ),
    Card(
        "Scoring",
        (
            "Empty squares that touch side by side are a group; corners do not connect them.",
            (
                "Each side that a square of the group shares with a piece is an edge for the "
                "piece's owner. The border is nobody's."
            ),
            "Whoever has more edges scores a point for each square of the group.",
        ),
        "edges",
    ),
    Card(
        "Level",
        (
            "If you both have the same number of edges around a group, nobody scores it.",
            (
                "If you both have the same number of points, the bout is drawn: nobody has won "
                "it, and a run of wins is broken."
            ),
        ),
        "level",
    ),
    Card(
        "Match and time",
        (
            (
                "Two bouts won in a row end the match. Failing that, the points of four bouts "
                "are added up."
            ),
            (
                "If those are equal, the winner of the latest bout that was won wins; if none "
                "was, the player with the advantage."
            ),
            "As a rule you have 60 seconds a turn and 120 in reserve for each bout.",
            "Whoever runs out of reserve loses the bout and scores nothing in it.",
        ),
        "match",
    ),
)
