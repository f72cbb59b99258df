"""The lesson and the cards of Domino Black & White."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from games.engine.lessons import LEARNER, Card, LessonStep, position
from games.engine.ruleset import Ruleset, Setup
from games.rulesets.domino_black_white.board import CELL_OF
from games.rulesets.domino_black_white.figures import FINISHED, OVERHANG
from games.rulesets.domino_black_white.lines import MET_TEXT
from games.rulesets.domino_black_white.state import BlackWhiteState, winner

ROW: Final = ("(1,2) CZ:DZ hide CZ", "(3,4) FZ:GZ hide GZ")
FIVES: Final = ("(5,5) CY:CZ hide CY", "(1,4) FZ:GZ hide GZ")
RIDDLE: Final = ("(1,2) CZ:DZ hide CZ", "(2,5) EZ:FZ hide EZ")


@cache
def lesson(ruleset: Ruleset[Any, Any]) -> tuple[LessonStep, ...]:
    """The steps of the lesson."""
    return (
        LessonStep(
            title="Place and hide",
            words="In your turn you place one of your dominoes, flat or upright, and hide "
            "exactly one of its halves. At least one half must stand on the floor, under row Z "
            "and in columns B and H under row Y, or on another domino. Place any domino.",
            state=_reached(ruleset),
            goal=_placed,
            solution="(3,4) DY:DZ hide DY",
            reached="Of the half you hid, your opponent sees only the colour: even numbers are "
            "black, odd ones white.",
            hint="Choose a domino, two squares at the bottom, and the half to hide.",
        ),
        LessonStep(
            title="Slide under",
            words="A domino comes from above and moves left, right and down through empty "
            "squares, just as it will lie: it is never turned on the way. So DZ, though covered "
            "from above, can be reached from the right. Place half a domino on DZ.",
            state=_reached(ruleset, *OVERHANG),
            goal=_reached_dz,
            solution="(3,4) DY:DZ hide DY",
            miss="(3,4) FY:FZ hide FY",
            reached="Your domino came down beside the overhang and slid in under it.",
            hint="An upright domino fits on DY and DZ.",
        ),
        LessonStep(
            title="Score a line",
            words="Three neighbouring numbers in a straight line score if they add up to 0, 5, "
            "10 or 15 and one of them is new. Hidden numbers count. Whether a line is horizontal "
            "(H), vertical (V) or diagonal (D): each brings one point at most in a turn. Score; "
            "EZ is a good square for it.",
            state=_reached(ruleset, *ROW),
            goal=_scored,
            solution="(2,4) EZ:EY hide EY",
            miss="(1,4) EZ:EY hide EY",
            reached="That scored. Everybody is told which letters you met, but never which line "
            "it was.",
            hint="You have a 1 on CZ and a 2 on DZ. What is missing to make 5? Turn the domino "
            "upright (R) to stand it on EZ.",
        ),
        LessonStep(
            title="The bonus",
            words="If a line that scores adds up to 0 or to 15, there is one point more, the "
            "bonus B. You have two fives, on CY and CZ. Make the most of them: score a bonus.",
            state=_reached(ruleset, *FIVES),
            goal=_met_bonus,
            solution="(2,5) CW:CX hide CW",
            miss="(0,1) CX:CW hide CW",
            reached="Three fives make 15: V for the vertical line, and B for the bonus. Two "
            "points at once.",
            hint="You have other dominoes with a 5. Put the 5 of one on CX.",
        ),
        LessonStep(
            title="Read what is hidden",
            words="Your opponent has placed a domino on EZ and FZ, the 5 on FZ open, and met H. "
            "What is hidden on EZ is black, so it is 0, 2 or 4; you have a 1 on CZ and a 2 on "
            "DZ. Find out what it is, and score a horizontal line with a number on GZ.",
            state=_reached(ruleset, *RIDDLE),
            goal=_met_horizontal,
            solution="(3,4) GZ:GY hide GY",
            miss="(1,4) GZ:GY hide GY",
            reached="On EZ there is a 2, since only 1, 2 and 2 make 5. With the 5 and your 3 it "
            "makes 10.",
            hint="Neither 0 nor 4 makes 5 or 10 with the 1 and the 2, or with the 2 and the 5.",
        ),
        LessonStep(
            title="The last word",
            words="The match ends when no place is left. There is one, on ER and ES, so your "
            "domino is the last. You have 1 point and your opponent has 3. More points win, and "
            "a tie goes to whoever placed last: to you. Score two points.",
            state=_reached(ruleset, *FINISHED[:-1]),
            goal=_won,
            solution=FINISHED[-1],
            miss="(0,3) ES:ER hide ES",
            reached="That was enough: you placed the last domino, and the match is yours.",
            hint="You have zeros on FR and GR, to the right of ER.",
        ),
    )


def _reached(ruleset: Ruleset[Any, Any], *placed: str) -> Any:
    """The position after those placements, the learner's first."""
    options = msgspec.convert({}, ruleset.options_type)
    course = [f"{at & 1}: {text}" for at, text in enumerate(placed)]
    return position(ruleset, Setup("standard", options, LEARNER), ("0: first", *course))


# -- goals ---------------------------------------------------------------------------------------


def _met(state: BlackWhiteState) -> str:
    """The letters that the latest placement met."""
    return "" if state.last is None else MET_TEXT[state.last.met]


def _placed(before: BlackWhiteState, move: Any, after: BlackWhiteState) -> str | None:
    return None if after.last is not before.last else "Nothing has been placed."


def _reached_dz(before: BlackWhiteState, move: Any, after: BlackWhiteState) -> str | None:
    if CELL_OF["DZ"] in move.spot.cells:
        return None
    return "DZ is still empty."


def _scored(before: BlackWhiteState, move: Any, after: BlackWhiteState) -> str | None:
    return (
        None if _met(after) else "No line of three through your domino adds up to 0, 5, 10 or 15."
    )


def _met_bonus(before: BlackWhiteState, move: Any, after: BlackWhiteState) -> str | None:
    met = _met(after)
    if "B" in met:
        return None
    return f"You met {met}, but no bonus." if met else "That placement has met no letter."


def _met_horizontal(before: BlackWhiteState, move: Any, after: BlackWhiteState) -> str | None:
    return None if "H" in _met(after) else "You have not met H."


def _won(before: BlackWhiteState, move: Any, after: BlackWhiteState) -> str | None:
    if after.legal:
        return "The match is not over."
    if winner(after) == LEARNER:
        return None
    mine, theirs = after.scores()
    return f"The match is over at {mine} to {theirs} points, and you have not won it."


# -- cards ---------------------------------------------------------------------------------------

CARDS: Final = (
    Card(
        "The goal",
        (
            (
                "Drop dominoes into the well and score with three numbers in a row that add up "
                "to 0, 5, 10 or 15."
            ),
            "Of each domino one half is hidden, but it counts all the same.",
            "More points win.",
        ),
        "scored",
    ),
    Card(
        "Board and dominoes",
        (
            (
                "The board has seven columns and nine rows; two corners are missing at the "
                "bottom, and the top row has two wings."
            ),
            (
                "You and your opponent each have the same 21 dominoes: every pair of numbers "
                "from 0 to 5, doubles included."
            ),
            (
                "The player with the advantage chooses who goes first. It is drawn by lot, or set "
                "by the challenge or the season."
            ),
        ),
        "board",
    ),
    Card(
        "A turn",
        (
            (
                "Place one of your dominoes, flat or upright. At least one half stands on the "
                "floor or on another domino."
            ),
            (
                "It comes from above, moving left, right and down through empty squares, and is "
                "never turned on the way."
            ),
            "The wing AR is open only once BS or CR is filled, and IR only once HS or GR is.",
            "You may not pass.",
        ),
        "slide",
    ),
    Card(
        "What is hidden",
        (
            "In each turn you hide exactly one half of the domino that you place.",
            (
                "Of a hidden half your opponent sees only the colour: black for even numbers, "
                "white for odd ones."
            ),
            "You always see your own. When the match is over, everything is shown.",
        ),
        "owner",
    ),
    Card(
        "Scoring",
        (
            (
                "Each line of three filled squares with a half of the new domino in it scores if "
                "it adds up to 0, 5, 10 or 15."
            ),
            (
                "You get a point each for horizontal (H), vertical (V) and diagonal (D), however "
                "many lines of a kind there are."
            ),
            "If one of the lines that scored adds up to 0 or 15, there is a bonus point (B).",
            "Everybody is told the letters, never the lines.",
        ),
        "lines",
    ),
    Card(
        "End and time",
        (
            (
                "The match is over when there is no place left for a domino, whatever dominoes "
                "you still hold."
            ),
            "More points win; a tie goes to whoever placed the last domino.",
            "As a rule you have 120 seconds a turn, and 600 in reserve for the match.",
            "Whoever runs out of reserve loses at once.",
        ),
        "end",
    ),
)
