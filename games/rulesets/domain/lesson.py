"""The lesson and the cards of Domain."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

from games.engine.lessons import LEARNER, Card, LessonStep, position
from games.engine.ruleset import Ruleset, Setup
from games.rulesets.domain.board import first_fault
from games.rulesets.domain.course import scores
from games.rulesets.domain.moves import ChallengePlacement
from games.rulesets.domain.state import DomainState

AnyRuleset: TypeAlias = Ruleset[Any, Any]

_POOL = ("?: pool classic@1", "0: ready", "1: ready")
# What each seat takes, in order. Whoever has 01, which is Start, is the first to place.
_MINE = ("01", "02", "05", "06", "08", "11", "13", "15", "17", "19", "21", "23")
_THEIRS = ("03", "04", "07", "09", "10", "12", "14", "16", "18", "20", "22", "24")
# A match up to the learner's last shape, 05, after which the other seat has none left.
_LATE = (
    "1: 24 > red 70,81 94", "0: 19 > blue 71,71 2", "1: 20 > red 198,100 103",
    "0: 11 > blue 244,90 49", "1: 09 > red 355,72 182", "0: 08 > blue 407,73 1",
    "1: 04 > red 407,171 268", "0: 21 > blue 68,212 1", "1: 16 > red 281,211 96",
    "0: 23 > blue 333,215 8", "1: 07 > red 70,247 352", "0: 06 > blue 202,287 90",
    "1: 22 > red 388,286 126", "0: 15 > blue 339,320 2", "1: 12 > red 170,257 135",
    "0: 03 > red 157,282 357", "1: 01 > red 102,183 126", "0: 02 > blue 172,169 336",
    "1: 18 > blue 169,168 85", "0: 17 > red 252,184 95", "1: 10 > red 326,106 307",
    "0: discard 13", "1: 14 > red 314,124 96",
)  # fmt: skip
_MUCH = 5000  # pixels to win back
# What is wrong with a placement, by the code of its fault.
_FAULTS = {
    "place.outside": "It sticks out of the domain",
    "place.frame": "It touches the purple frame around the domain",
    "place.void": "It covers the yellow void zone of a shape",
    "place.border": "It touches the purple border of a shape",
}


@cache
def lesson(ruleset: AnyRuleset) -> tuple[LessonStep, ...]:
    """From the draft to the last shape."""
    return (
        LessonStep(
            title="Take a shape",
            words="Before anything is placed, you and your opponent take shapes from one pool, in "
            "turn, until none is left. Whoever has Start, shape 01, is the first to place one. "
            "Take Start.",
            state=_at(ruleset, *_POOL, "0: first"),
            goal=_has_start,
            solution="take 01",
            miss="take 02",
            hint="Start is the arrow with the number 01, the first shape of the pool.",
            reached="Start is yours, so you will place first. Apart from that it is a shape like "
            "any other.",
        ),
        LessonStep(
            title="Cover your opponent's pixels",
            words="The red domain is yours, the blue one your opponent's. Every pixel counts for "
            "the owner of what lies on top there, so where nothing lies, for the owner of the "
            "domain. Lay any of your shapes on the blue domain.",
            state=_placing(ruleset),
            goal=_gained,
            solution="02 > blue 240,180 0",
            miss="02 > red 240,180 0",
            hint="Choose a shape, put it well inside the blue domain, and confirm.",
            reached="All that you covered was your opponent's and is now yours. On bare red pixels "
            "a shape would bring you nothing: those are yours already.",
        ),
        LessonStep(
            title="Lay shapes on top",
            words="Your opponent's triangle 04 lies on your domain. A later shape lies on top of "
            "earlier ones and may cover them. Turn a shape as you like, but it is never flipped. "
            f"Win back at least {_MUCH:,} pixels.",
            state=_placing(ruleset, "0: 02 > blue 240,180 0", "1: 04 > red 240,180 0"),
            goal=_won_back,
            solution="15 > red 240,210 0",
            miss="05 > red 100,100 0",
            hint="Lay a large shape of yours over the triangle on the red domain.",
            reached="What you cover of the triangle is yours again. Nothing keeps your opponent "
            "from covering it once more.",
        ),
        LessonStep(
            title="Keep off zones and borders",
            words="No later shape may cover a yellow void zone, or touch a purple border or the "
            "purple frame around a domain. Your opponent's 20 has a void zone in its middle. Win "
            f"back at least {_MUCH:,} pixels on red, but do not cover the yellow.",
            state=_placing(
                ruleset,
                "0: 02 > blue 240,180 0",
                "1: 04 > red 150,120 0",
                "0: 08 > blue 100,100 0",
                "1: 20 > red 300,200 0",
            ),
            goal=_won_back,
            solution="15 > red 160,150 0",
            miss="05 > red 300,200 0",
            hint="There is a second shape on red, 04, which has no void zone.",
            reached="That is valid. The yellow pixels themselves count for nobody as long as "
            "nothing lies on them.",
        ),
        LessonStep(
            title="Challenge what is not valid",
            words="Invalid placements can be made, and they stand unless you challenge them before "
            "your own next move. If you are right, the shape is discarded. The 04 just placed on "
            "red sticks out of the domain. Have it thrown out.",
            state=_placing(ruleset, "0: 02 > blue 240,180 0", "1: 04 > red 30,180 0"),
            goal=_struck,
            solution="challenge",
            miss="05 > red 100,180 0",
            hint="Do not place anything: there is a button that challenges the last placement.",
            reached="The shape is gone, and it is still your turn. A wrong challenge costs nothing "
            "the first time, and a minute of your reserve each time after that.",
        ),
        LessonStep(
            title="Win with the last shape",
            words="Once all shapes have been placed or discarded, more pixels over both domains "
            "win. You are 12,762 behind with one shape left, the disc 05. Each of your opponent's "
            "pixels that you cover counts twice: one less there, one more here.",
            state=_late(ruleset),
            goal=_ahead,
            solution="05 > red 331,80 97",
            miss="05 > blue 407,73 0",
            hint="On the red domain, cover as much as you can of the star 09 and of 14 beside it. "
            "Mind the frame.",
            reached="You are ahead, and your opponent has no shape left. A challenge fails, as "
            "your placement is valid: you win.",
        ),
    )


def _at(ruleset: AnyRuleset, *course: str) -> DomainState:
    options = ruleset.options_type()  # type: ignore[call-arg]
    setup = Setup(variant="standard", options=options, advantage=LEARNER)
    state: DomainState = position(ruleset, setup, course)
    return state


def _placing(ruleset: AnyRuleset, *turns: str) -> DomainState:
    """After a draft in which the learner has taken Start."""
    taken = [
        line
        for mine, theirs in zip(_MINE, _THEIRS, strict=True)
        for line in (f"0: take {mine}", f"1: take {theirs}")
    ]
    return _at(ruleset, *_POOL, "0: first", *taken, *turns)


def _late(ruleset: AnyRuleset) -> DomainState:
    """The other seat picked first and took Start, and the learner 03 instead of it."""
    taken = [
        line
        for mine, theirs in zip(("03", *_MINE[1:]), ("01", *_THEIRS[1:]), strict=True)
        for line in (f"1: take {theirs}", f"0: take {mine}")
    ]
    return _at(ruleset, *_POOL, "0: second", *taken, *_LATE)


# -- what is asked for ---------------------------------------------------------------------------


def _has_start(before: DomainState, move: Any, after: DomainState) -> str | None:
    if after.hands[LEARNER] >> after.ready_pool.start & 1:
        return None
    return "That shape is yours now, but Start is still in the pool."


def _placed(after: DomainState) -> str | None:
    """What is amiss with the last turn as a placement of the learner's, or None."""
    turn = after.turns[-1]
    if turn.seat != LEARNER or turn.laid is None:
        return "Place one of your shapes."
    fault = first_fault(after.ready_pool, after.laid[:-1], turn.laid)
    if fault is not None:
        return f"{_FAULTS[fault.code]}. That is not valid: challenged, the shape would be gone."
    return None


def _gain(before: DomainState, after: DomainState) -> int:
    """By how many pixels the other seat has become poorer."""
    return scores(before)[1 - LEARNER] - scores(after)[1 - LEARNER]


def _gained(before: DomainState, move: Any, after: DomainState) -> str | None:
    amiss = _placed(after)
    if amiss is None and _gain(before, after) <= 0:
        return "You have covered nothing of your opponent's, so the count is as it was."
    return amiss


def _won_back(before: DomainState, move: Any, after: DomainState) -> str | None:
    amiss = _placed(after)
    if amiss is not None:
        return amiss
    laid = after.turns[-1].laid
    if laid is None or laid.colour != "red":
        return "Lay it on the red domain, where your opponent's shapes lie."
    gain = _gain(before, after)
    if gain < _MUCH:
        return f"That wins back {gain:,} pixels; {_MUCH:,} are wanted."
    return None


def _struck(before: DomainState, move: Any, after: DomainState) -> str | None:
    if isinstance(move, ChallengePlacement) and after.turns[-1].struck:
        return None
    return "You have moved on, so the invalid shape stays where it is for good."


def _ahead(before: DomainState, move: Any, after: DomainState) -> str | None:
    amiss = _placed(after)
    if amiss is not None:
        return amiss
    own, others = scores(after)
    if own > others:
        return None
    return f"That leaves you behind, by {own:,} pixels to {others:,}."


# -- the rules on cards --------------------------------------------------------------------------

CARDS = (
    Card(
        "Two domains",
        (
            (
                "Whoever has the advantage owns the red domain, the other the blue one. It is "
                "drawn by lot, or set by the challenge or the season."
            ),
            "Shapes are laid over both. A later one lies on top of earlier ones.",
            "Each pixel counts for the owner of what lies on top; a bare one for the domain's.",
            "Whoever has more pixels in the end, over both domains, wins.",
        ),
        "overlap",
    ),
    Card(
        "The draft",
        (
            "All shapes are shown at first. You have ten minutes to look them over.",
            "Whoever has the advantage says who picks first.",
            "Then each of you takes a shape in turn, until none is left.",
            "Two minutes a pick: late, you get none. Late a second time, you lose the match.",
        ),
        "pool",
    ),
    Card(
        "Placing",
        (
            "Whoever took Start begins. Then you place in turn, one shape each, on either domain.",
            "It may lie anywhere and at any angle, but it is never flipped or scaled.",
            "Instead of placing a shape you may discard one.",
            "A move may take three minutes. Once your reserve of ten more is gone, you lose.",
        ),
        "notation",
    ),
    Card(
        "Zones and borders",
        (
            "Some shapes have a yellow void zone, some a purple border.",
            "No later shape may cover such a zone or touch such a border, whatever lies over them.",
            "What shows of them counts for nobody.",
        ),
        "special",
    ),
    Card(
        "What is valid",
        (
            "A shape lies wholly on one domain and does not touch the purple frame around it.",
            "It covers no void zone and touches no purple border.",
            "A pixel beside, above or below a purple one touches it.",
        ),
        "touching",
    ),
    Card(
        "Challenges, and the end",
        (
            "What is not valid stands unless you challenge it before your own next move.",
            "If you are right, it is discarded. If not: free once, then a minute of reserve each.",
            "It ends once whoever is to move has no shape left. A tie goes to the advantage.",
            "Before that, the very last placement can be challenged or accepted.",
        ),
        "challenged",
    ),
)
