"""The lesson and the cards of Domino Wars."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from games.engine.lessons import LEARNER, Card, LessonStep, position
from games.engine.ruleset import Ruleset, Setup
from games.rulesets.domino_wars.board import INDEX_OF, SQUARE_OF
from games.rulesets.domino_wars.state import Position

OPPONENT: Final = 1 - LEARNER
# Both draw piles from the top; the first three are the opening hand.
PILES: Final = ("35 13 36 15 04 26 45 06", "13 45 35 34 36 46 56 16")
SEARCHED: Final = ("35 23 13 34 06 45 16 12", "35 45 13 34 36 46 56 16")
COSTLY: Final = ("35 36 15 13 01 12 02 34", "35 45 13 34 36 46 56 16")
LAST: Final = ("45 04 46 13 34 56 36 25", "56 04 46 25 13 14 23 24")
# A match with those, up to its last play.
COURSE: Final = (
    "0: 45 A4:A3", "0: discard 04", "1: 56 D4:C4", "0: 13 B2:B1", "0: 56 D2:D3", "1: 46 B2:C2",
    "0: 46 A2:A3", "1: 13 D1:C1", "1: 25 A1:B1", "0: 36 D1:D2", "1: 14 B3:C3", "1: discard 23",
)  # fmt: skip


@cache
def lesson(ruleset: Ruleset[Any, Any]) -> tuple[LessonStep, ...]:
    """The steps of the lesson."""
    return (
        LessonStep(
            title="Play a domino",
            words="You have three dominoes in hand, out of a deck of eight that you chose. You "
            "go first, and whoever does plays vertically only, for the whole match; your "
            "opponent plays horizontally only. Play one of your dominoes on two squares.",
            state=_reached(ruleset, PILES),
            goal=_played,
            solution="35 B2:B3",
            reached="Both squares show your numbers and belong to you. The domino itself is on "
            "your discard pile now, for all to see.",
            hint="Choose a domino, then two empty squares, one above the other. Either end may "
            "be first.",
        ),
        LessonStep(
            title="Cover what is lower",
            words="A half may lie on an empty square or on a lower number, whoever owns it; an "
            "equal number is not lower. Your opponent has a 3 on C3, so no 3 of yours fits "
            "there. Take C3 with something higher.",
            state=_reached(ruleset, PILES, "0: 35 A1:A2", "1: 13 B3:C3"),
            goal=_took_c3,
            solution="36 C4:C3",
            miss="13 D1:D2",
            reached="C3 shows your number and is yours now. Your opponent owns one square less.",
            hint="Your 36 fits with the 6 on C3 and the 3 on C2 or C4.",
        ),
        LessonStep(
            title="Both numbers take effect",
            words="After a play both numbers take effect, the lower one first, and then you "
            "draw. A 1 draws one more at once, a 3 does nothing, and a 5 takes the draw at the "
            "end: you played one, so only two are in your hand. Play so that you have more of "
            "them after this turn.",
            state=_reached(ruleset, PILES, "0: 35 A1:A2", "1: 13 B3:C3"),
            goal=_more_in_hand,
            solution="13 D1:D2",
            miss="36 D1:D2",
            reached="The 1 drew one, and at the end of the turn you drew another. With more in "
            "hand, you have more to choose from.",
            hint="Only one of your two dominoes has a 1.",
        ),
        LessonStep(
            title="Choose what you draw",
            words="You have just played the 23. Its 2 lets you choose a domino of your draw pile "
            "to go on top, and at the end of this turn you draw it. Your opponent has a 5 on C3, "
            "and nothing in your hand is higher. Fetch a domino that is.",
            state=_reached(ruleset, SEARCHED, "0: 35 A1:A2", "1: 35 B3:C3", "0: 23 D1:D2"),
            goal=_fetched_six,
            solution="top 16",
            miss="top 34",
            reached="You have a 6 in hand. All your opponent has learnt is that you put "
            "something on top.",
            hint="Only a 6 is higher than a 5. Two dominoes in your pile have one.",
        ),
        LessonStep(
            title="What a 6 costs",
            words="High numbers win squares, and cost something. A 5 takes the draw at the end "
            "of the turn; after a 6 your next turn is skipped. Take a square from your opponent "
            "in such a way that your next turn is not skipped.",
            state=_reached(ruleset, COSTLY, "0: 35 A1:A2", "1: 35 B3:C3"),
            goal=_took_for_less,
            solution="15 B2:B3",
            miss="36 C2:C3",
            reached="The square is yours, and you will have your next turn. Because of the 5 you "
            "did not draw at the end of this one, but the 1 had drawn one already.",
            hint="On B3 there is a 3, and a 5 is enough for that.",
        ),
        LessonStep(
            title="The last play",
            words="The match ends when neither of you has a domino in hand that fits. Whoever "
            "owns more squares wins; a tie goes to the holder of Tie Advantage, else to the "
            "player with the advantage: here, to your opponent. You own 6 squares and your "
            "opponent 9. Win with your last domino.",
            state=_reached(ruleset, LAST, *COURSE, advantage=OPPONENT),
            goal=_won,
            solution="25 B3:B2",
            miss="25 B4:B3",
            reached="You took two squares from your opponent: 8 to 7, and the match is yours.",
            hint="An empty square adds one to yours. A square of your opponent's also takes one "
            "from theirs.",
        ),
    )


def _reached(
    ruleset: Ruleset[Any, Any], piles: tuple[str, str], *course: str, advantage: int = LEARNER
) -> Any:
    """The position after that course of a match in which the learner goes first."""
    opening = (
        f"{advantage}: {'first' if advantage == LEARNER else 'second'}",
        *[f"{seat}: deck {pile}" for seat, pile in enumerate(piles)],
        *[f"?: pile {seat} {pile}" for seat, pile in enumerate(piles)],
    )
    options = msgspec.convert({}, ruleset.options_type)
    return position(ruleset, Setup("standard", options, advantage), (*opening, *course))


# -- goals ---------------------------------------------------------------------------------------


def _played(before: Position, move: Any, after: Position) -> str | None:
    return None if after.owned[LEARNER] != before.owned[LEARNER] else "Nothing has been played."


def _took_c3(before: Position, move: Any, after: Position) -> str | None:
    if after.owned[LEARNER] >> SQUARE_OF["C3"] & 1:
        return None
    return "C3 still belongs to your opponent."


def _more_in_hand(before: Position, move: Any, after: Position) -> str | None:
    had, has = len(before.sides[LEARNER].hand), len(after.sides[LEARNER].hand)
    return None if has > had else f"You had {had} dominoes in hand, and now you have {has}."


def _fetched_six(before: Position, move: Any, after: Position) -> str | None:
    sixes = {domino for name, domino in INDEX_OF.items() if "6" in name}
    if sixes.isdisjoint(after.sides[LEARNER].hand):
        return "That is what you have drawn, and it has no number higher than 5."
    return None


def _took_for_less(before: Position, move: Any, after: Position) -> str | None:
    if not after.owned[LEARNER] & before.owned[OPPONENT]:
        return "Your opponent still owns both squares."
    if "6" in move.text.partition(" ")[0]:
        return "You took a square, but your next turn is skipped because of the 6."
    return None


def _won(before: Position, move: Any, after: Position) -> str | None:
    mine, theirs = after.scores()
    if not after.over:
        return f"The match goes on at {mine} to {theirs} squares."
    if after.winner() == LEARNER:
        return None
    return f"The match is over at {mine} to {theirs} squares, and you have not won it."


# -- cards ---------------------------------------------------------------------------------------

CARDS: Final = (
    Card(
        "The goal",
        (
            "Own more of the sixteen squares than your opponent when neither of you can play.",
            "Squares change hands: a higher number may cover a lower one, whoever owns that.",
        ),
        "taken",
    ),
    Card(
        "Decks and hands",
        (
            (
                "There are 21 dominoes: every pair of two different numbers from 0 to 6. Both of "
                "you choose eight of them in secret."
            ),
            "Each deck is shuffled into a draw pile, and you draw three as your opening hand.",
            "The first player plays vertically only, the second player horizontally only.",
            "You know what is in your pile, not in which order; your opponent sees only how many.",
        ),
        "dominoes",
    ),
    Card(
        "A turn",
        (
            (
                "Play a domino of your hand in your direction, on squares that are empty or show "
                "less than the half laid on them."
            ),
            "Both squares are yours then, and the domino goes to your discard pile.",
            "Both numbers take effect, the lower one first. Then you draw one and the turn passes.",
            "If nothing in your hand fits, your turn is skipped; as a rule nothing is drawn.",
        ),
        "allowed",
    ),
    Card(
        "Effects",
        (
            "Each number from 0 to 6, except 3, has an effect on your own dominoes or turns.",
            "With an empty draw pile, 1 and 2 do nothing; with an empty hand, 4 does nothing.",
            "A choice with one possibility only is made for you.",
        ),
        "effects",
    ),
    Card(
        "Items",
        (
            "Domino Repeat: you may have one domino twice in your deck of eight.",
            (
                "Hand Mulligan: up to twice, you may put your opening hand back for three at "
                "random of the other five."
            ),
            "Tie Advantage: you choose who plays first, and you win a tie.",
            (
                "If neither or both of you have it, the player with the advantage does both. That "
                "is drawn by lot, or set by the challenge or the season."
            ),
        ),
        "repeat",
    ),
    Card(
        "End and time",
        (
            (
                "The match is over when neither of you has a domino in hand that fits. More "
                "squares win."
            ),
            (
                "A tie goes to the only holder of Tie Advantage, else to the player with the "
                "advantage."
            ),
            (
                "As a rule you have 120 seconds for your deck, 60 for a turn and 180 in reserve "
                "for the match."
            ),
            "Whoever runs out of reserve loses at once.",
        ),
        "end",
    ),
)
