"""The lessons and the cards of Peg Domain, by variant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, TypeAlias

from games.engine.lessons import LEARNER, Card, Goal, LessonStep, position
from games.engine.notation import square_name
from games.engine.ruleset import HeldItem, Ruleset, Setup
from games.rulesets.peg_domain.boards import (
    COLUMNS,
    DOMAIN_SQUARE,
    PALLET_SQUARE,
    pallet_column,
    pallet_row,
    set_of,
)
from games.rulesets.peg_domain.moves import PlaceCutOut
from games.rulesets.peg_domain.state import SUBTRACTION, PegDomainState

AnyRuleset: TypeAlias = Ruleset[Any, Any]

# The learner's pallet, red. The other seat's is its mirror image; in Tempo Up, where
# pallets are identical, it is the same.
_PEGS = (
    "A1 F1 G1 A2 D2 E3 F3 H5 I5 A6 B6 G6 H6 C7 L7 A8 D8 E8 H8 A9 B9 A10 C10 E13 I13 B14 D14 F14 "
    "I14 A15 H15 B16 D16 H16 J16 K16"
)
_KEEP = "1: no removal"
_MANY = 5  # squares to take over in one turn
_BACK = 3  # squares to win back


@cache
def lesson(ruleset: AnyRuleset, variant_id: str) -> tuple[LessonStep, ...]:
    """From the first cut-out to the end."""
    match variant_id:
        case "gauntlet":
            own = (_any_shape(ruleset), _hold(ruleset, "gauntlet"))
        case "final":
            own = (_removal(ruleset), _subtraction(ruleset))
        case _:
            own = (_turned(ruleset), _hold(ruleset, "tempo-up"))
    return (
        _first_cut(ruleset, variant_id),
        _take_over(ruleset, variant_id),
        _keep_off(ruleset, variant_id),
        *own,
        _end(ruleset, variant_id),
    )


# -- the steps -----------------------------------------------------------------------------------


def _first_cut(ruleset: AnyRuleset, variant_id: str) -> LessonStep:
    return LessonStep(
        title="Cut out and place",
        words="In a turn you cut a plate with exactly two pegs out of your pallet, the red one, "
        "and lay it on the domain that you share. Trace it from one peg, side by side from square "
        "to square, to another peg. Then say where it goes.",
        state=_at(ruleset, variant_id),
        goal=_placed,
        solution="C7 RRD > E5 90",
        miss="finish",
        reply=_reply(variant_id),
        hint="Begin on the peg C7, go right to D7 and E7, down to the peg E8, and lay it anywhere.",
        reached="All that your plate covers is yours. Its squares are gone from your pallet, and "
        "its two pegs now stand on the domain.",
    )


def _take_over(ruleset: AnyRuleset, variant_id: str) -> LessonStep:
    return LessonStep(
        title="Take squares over",
        words="Whoever owns more of the domain in the end wins. You begin with the columns A to D, "
        "your opponent with F to I. What you cover is yours, whoever it belonged to. Take at least "
        f"{_MANY} squares from your opponent with one cut-out.",
        state=_at(ruleset, variant_id),
        goal=_took(_MANY),
        solution="H8 DDDDDR > G2 0",
        miss="C7 RRD > E5 90",
        reply=_reply(variant_id),
        hint="Go from H8 straight down to H13 and right to I13. Lay H8 on G2.",
        reached="Those squares are yours now, and your opponent has lost them. A long cut-out "
        "covers much, as long as it fits on the domain.",
    )


def _keep_off(ruleset: AnyRuleset, variant_id: str) -> LessonStep:
    # It lies on C2 to C7, and on B7 or B2.
    theirs = "H8 DDDDDR > C7 180" if variant_id == "tempo-up" else "E8 DDDDDL > C2 0"
    pegs = "C7 and B2" if variant_id == "tempo-up" else "C2 and B7"
    return LessonStep(
        title="Keep off the pegs",
        words="Nothing may lie on a peg of the domain, yours or not: such a placement is refused. "
        f"Your opponent has taken six squares of column C, and pegs stand on {pegs}. Win back at "
        f"least {_BACK} squares of that column.",
        state=_at(ruleset, variant_id, *_turns(variant_id, "C7 RRD > E5 90", theirs)),
        goal=_won_back,
        solution="A10 RR > C3 90",
        miss="A10 RR > A9 0",
        reply=_reply(variant_id),
        hint="Cut out A10 to C10, turn it upright, and lay it between the pegs.",
        reached="Those squares are yours again. Two of them carry pegs now, on which nothing "
        "can be laid.",
    )


def _any_shape(ruleset: AnyRuleset) -> LessonStep:
    return LessonStep(
        title="Any shape",
        words="In the Gauntlet a cut-out need not be a path: any squares will do that hang "
        "together by their sides and carry exactly two pegs. Press Any shape, then name them one "
        "by one, a peg first. "
        "Take at least nine squares from your opponent.",
        state=_at(ruleset, "gauntlet"),
        goal=_took(9),
        solution="H8 H9 G9 H10 G10 F9 F10 E10 E11 E12 E13 > I2 0",
        miss="H8 DDDDDR > G2 0",
        hint="Press Any shape and begin on H8. There are no other pegs in the rows 9 to 12 from D "
        "to L: be generous there, and end on E13.",
        reached="A wide plate takes more than a thin one with the same two pegs. But its squares "
        "are gone, and pegs beyond them may be cut off from each other.",
    )


def _turned(ruleset: AnyRuleset) -> LessonStep:
    return LessonStep(
        title="Turn it",
        words="A cut-out may be turned by quarters, clockwise about its first peg, but it is never "
        "flipped. Cover all four of your opponent's squares of one row, from F to I, with one "
        "cut-out.",
        state=_at(ruleset, "tempo-up"),
        goal=_row_taken,
        solution="H8 DDDDDR > I5 90",
        miss="H8 DDDDDR > G2 0",
        hint="Go from H8 down to H13 and right to I13, turn it once, and lay H8 on I5.",
        reached="The long side that went down now goes left, right across your opponent's columns.",
    )


def _hold(ruleset: AnyRuleset, variant_id: str) -> LessonStep:
    # It lies on F4 to F9, and on E9 or E4.
    theirs = "H8 DDDDDR > F9 180" if variant_id == "tempo-up" else "E8 DDDDDL > F4 0"
    return LessonStep(
        title="Hold what you take",
        words="A square with a peg is its owner's for good, as nobody can cover it. So mind where "
        f"your pegs come to stand: take at least {_MANY} squares from your opponent, and let both "
        "pegs stand on such squares.",
        state=_at(ruleset, variant_id, *_turns(variant_id, "H8 DDDDDR > C2 0", theirs)),
        goal=_held,
        solution="D8 DDDDDR > H2 0",
        miss="D8 DDDDDR > D1 0",
        hint="Go from D8 down to D13 and right to E13. The columns G to I are still your "
        "opponent's.",
        reached="Your opponent may cover what lies between your pegs, but never the two squares "
        "with a peg.",
    )


def _removal(ruleset: AnyRuleset) -> LessonStep:
    return LessonStep(
        title="Remove a square",
        words="In the Final, during your opponent's turn, you may name a square of their pallet in "
        "secret. It must not carry or touch a peg, nor touch a square removed before, not even by "
        "a corner. It goes when the turn ends. Name one.",
        state=_at(ruleset, "final", "0: C7 RRD > E5 90", _KEEP),
        goal=_removed,
        solution="remove C10",
        miss="no removal",
        reply="J7 LLD > E3 0",
        hint="C10 on your opponent's pallet has no peg around it.",
        reached="Your opponent has placed, and the square is gone: one way less from peg to peg. "
        "Had their cut-out used it this turn, nothing would have happened.",
    )


def _subtraction(ruleset: AnyRuleset) -> LessonStep:
    return LessonStep(
        title="Use an item",
        words="In the Final some players hold items. You have Peg Subtraction: once, up to round "
        "10, you take a peg off the domain before you place. Its square keeps its owner until it "
        "is covered. Take the peg off C2 and cover C2 with the same move.",
        state=_at(
            ruleset,
            "final",
            *_turns("final", "C7 RRD > E5 90", "E8 DDDDDL > C2 0"),
            items=(HeldItem(LEARNER, SUBTRACTION),),
        ),
        goal=_subtracted,
        solution="A10 RR > C2 90 minus C2",
        miss="A10 RR > C3 90",
        reply=_KEEP.removeprefix("1: "),
        hint="Choose the peg on C2 to be taken off, and lay A10 to C10 upright from C2 down.",
        reached="The peg is off, and C2 is yours. Other items are a peg more for your pallet, and "
        "a removal of three by three squares.",
    )


def _end(ruleset: AnyRuleset, variant_id: str) -> LessonStep:
    theirs = "C7 RRD > C5 0" if variant_id == "tempo-up" else "J7 LLD > C5 270"
    turns = _turns(variant_id, "H8 DDDDDR > G2 0", theirs, "D8 DDDDDR > F3 0")
    return LessonStep(
        title="Finish when you lead",
        words="Instead of placing you may finish: then you place nothing more, and your opponent "
        "takes one turn after the other. Once both have finished, more squares of the domain win. "
        "Your opponent has finished, and you lead. End the match.",
        state=_at(ruleset, variant_id, *turns, "1: finish"),
        goal=_won,
        solution="finish",
        miss="A10 RR > C1 0",
        reply=_reply(variant_id),
        hint="You need not cover any more: finishing ends the match at once.",
        reached="You win. Level on squares, whoever had used more squares of their pallet would "
        "have won, then whoever has the advantage.",
    )


# -- positions -----------------------------------------------------------------------------------


def _at(
    ruleset: AnyRuleset, variant_id: str, *course: str, items: tuple[HeldItem, ...] = ()
) -> PegDomainState:
    """The learner plays red and goes first."""
    options = ruleset.options_type()  # type: ignore[call-arg]
    setup = Setup(variant=variant_id, options=options, advantage=LEARNER, items=items)
    pallets = (
        (f"?: pallet both {_PEGS}",)
        if variant_id == "tempo-up"
        else (f"?: pallet red {_PEGS}", f"?: pallet blue {_mirrored()}")
    )
    before = ("0: take order", *pallets, "0: ready", "1: ready", "0: first", "1: blue")
    state: PegDomainState = position(ruleset, setup, (*before, *course))
    return state


def _mirrored() -> str:
    squares = [PALLET_SQUARE[name] for name in _PEGS.split()]
    return " ".join(
        square_name(COLUMNS - 1 - pallet_column(square), pallet_row(square)) for square in squares
    )


def _turns(variant_id: str, *moves: str) -> tuple[str, ...]:
    """Turns of the learner and of the other seat by turns; in a final nothing is removed."""
    lines: list[str] = []
    for number, move in enumerate(moves):
        seat = number % 2
        lines.append(f"{seat}: {move}")
        if variant_id == "final":
            lines.append(f"{1 - seat}: no removal")
    return tuple(lines)


def _reply(variant_id: str) -> str | None:
    return "no removal" if variant_id == "final" else None


# -- what is asked for ---------------------------------------------------------------------------


def _placed(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    if isinstance(move, PlaceCutOut):
        return None
    return "That ends your placing for the whole match. Place a cut-out first."


def _gain(before: PegDomainState, after: PegDomainState) -> int:
    """The other seat's squares that are the learner's now."""
    return before.owned[1 - LEARNER] & after.owned[LEARNER]


def _took(least: int) -> Goal:
    def goal(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
        found = _gain(before, after).bit_count()
        if found >= least:
            return None
        return f"That takes {_count(found)} from your opponent; at least {least} are wanted."

    return goal


def _count(squares: int) -> str:
    return {0: "no square", 1: "one square"}.get(squares, f"{squares} squares")


_COLUMN_C = set_of([DOMAIN_SQUARE[f"C{row}"] for row in range(1, 10)])


def _won_back(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    found = (_gain(before, after) & _COLUMN_C).bit_count()
    if found >= _BACK:
        return None
    return f"That wins back {_count(found)} of column C; at least {_BACK} are wanted."


def _row_taken(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    taken = _gain(before, after)
    for row in range(1, 10):
        wanted = set_of([DOMAIN_SQUARE[f"{column}{row}"] for column in "FGHI"])
        if taken & wanted == wanted:
            return None
    return "There is no row yet in which you have taken all of F, G, H and I."


def _held(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    missing = _took(_MANY)(before, move, after)
    if missing is not None:
        return missing
    if after.standing & ~before.standing & ~before.owned[1 - LEARNER]:
        return "Enough squares, but not both of your pegs stand on squares of your opponent's."
    return None


def _removed(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    if after.removed[1 - LEARNER]:
        return None
    return "Nothing is gone from your opponent's pallet. Name a square that this turn leaves there."


_C2 = set_of([DOMAIN_SQUARE["C2"]])


def _subtracted(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    if not isinstance(move, PlaceCutOut) or move.minus != DOMAIN_SQUARE["C2"]:
        return "Your opponent's peg still stands on C2. Take it off together with your placement."
    if not after.owned[LEARNER] & _C2:
        return "The peg is off, but C2 is still your opponent's: cover it."
    return None


def _won(before: PegDomainState, move: Any, after: PegDomainState) -> str | None:
    if after.phase == "over":
        return None
    return "The match goes on. You lead already, and you have no need to place any more."


# -- the rules on cards --------------------------------------------------------------------------


def _start(pallets: str) -> Card:
    return Card(
        "The domain and the pallets",
        (
            "Red begins with the columns A to D of the domain, blue with F to I. More squares win.",
            pallets,
            (
                "While they are hidden, whoever has the advantage (by lot, or set by the challenge "
                "or the season) takes a right, of order or of colour."
            ),
            "Once you have looked at both, one says who goes first, the other chooses a colour.",
        ),
        "start",
    )


def _cut(shape: str) -> Card:
    return Card(
        "Cut out",
        (
            "In your turn you cut a plate with exactly two pegs out of your pallet, or you finish.",
            shape,
            "Up is towards row 1. What you cut out is gone from your pallet for good.",
        ),
        "cut",
    )


_DIFFERENT = _start("Each of you has a pallet of your own, with 36 pegs drawn at random.")
_SAME = _start("Both of you have the same pallet, with 36 pegs drawn at random.")
_PATH = _cut(
    "It is a path from peg to peg, side by side, with no third peg and no square twice on its way."
)
_ANY_SHAPE = _cut(
    "It may have any shape that hangs together by the sides of its squares, as a path or not."
)
_PLACE = Card(
    "Place",
    (
        "Say where the first peg comes to lie and how far all is turned about it. Never flip it.",
        "All of it lies on the domain, and none of it on a peg that stands there.",
        "What it covers is yours until something else covers it.",
        "A turn may take two minutes. When your reserve of eight more is gone, you are finished.",
    ),
    "placed",
)
_HOLD = Card(
    "Pegs hold squares",
    (
        "The two pegs of a cut-out stay on the domain.",
        "Nobody can cover a peg, not even one of their own: its square keeps its owner for good.",
        "All other squares can be covered again and again.",
    ),
    "held",
)
_REMOVAL = Card(
    "Removals",
    (
        "During your opponent's turn you may name a square of their pallet, in secret.",
        "It carries no peg. It touches no peg and no square removed before, even by a corner.",
        "It goes when the turn ends, unless their cut-out uses it or they finish.",
        "You have twenty seconds from the start of the turn, or as long as your opponent takes.",
    ),
    "removals",
)
_ITEMS = Card(
    "Items",
    (
        "Additional Peg: name a square that touches no peg; on your own pallet it gets one.",
        "Rapid Removal: once, remove three by three squares, save those with or beside a peg.",
        "Peg Subtraction: once, take a peg off the domain before you place.",
        "The last two can be used up to round 10; each turn of either player is a round.",
    ),
    "rapid",
)
_END = Card(
    "How it ends",
    (
        "Whoever finishes places nothing more. The other then takes one turn after the other.",
        "With no two connected pegs left, you are finished as soon as it would be your turn.",
        "When both are finished, more squares of the domain win.",
        "If that is a tie: more squares of the pallet used, then whoever has the advantage.",
    ),
    "ended",
)

CARDS: Final[Mapping[str, tuple[Card, ...]]] = {
    "gauntlet": (_DIFFERENT, _ANY_SHAPE, _PLACE, _HOLD, _END),
    "final": (_DIFFERENT, _PATH, _PLACE, _REMOVAL, _ITEMS, _END),
    "tempo-up": (_SAME, _PATH, _PLACE, _HOLD, _END),
}
