"""The drawn examples of the public rules page, by name."""

from __future__ import annotations

from functools import cache

from games.engine import notation as texts
from games.engine.decisions import ALL, Audience
from games.rulesets.domino_black_white import notation
from games.rulesets.domino_black_white.board import CELL_OF, NAME_OF, step
from games.rulesets.domino_black_white.lines import LETTERS, MET_TEXT
from games.rulesets.domino_black_white.moves import PlaceDomino
from games.rulesets.domino_black_white.picture import Ring, SquareMark, drawing
from games.rulesets.domino_black_white.state import BlackWhiteState, begun, ordered, played
from games.rulesets.domino_black_white.view import view

OVERHANG = ("(2,1) CY:CZ hide 1", "(4,3) CX:DX hide 3")
SHAFT = ("(1,2) FZ:GZ hide 1", "(5,4) EY:FY hide 4", "(0,3) CY:CZ hide 3")
WINGS = (
    "(0,1) CY:CZ hide 0", "(2,3) CW:CX hide 2", "(4,2) CU:CV hide 2", "(1,1) CS:CT hide CS",
    "(5,0) CR:DR hide 5",
)  # fmt: skip
SCORED = (
    "(1,1) CZ:DZ hide CZ", "(3,4) EZ:FZ hide EZ", "(3,5) GZ:GY hide GY", "(2,3) CY:DY hide DY",
    "(0,2) EY:FY hide EY", "(1,2) DX:CX hide DX", "(2,4) EX:FX hide EX", "(5,5) GW:GX hide GW",
)  # fmt: skip
# A whole match, won on the last placement.
FINISHED = (
    "(1,5) CZ:DZ hide DZ", "(0,5) DY:DX hide DX", "(1,3) EW:DW hide DW", "(0,4) FV:EV hide FV",
    "(0,1) FU:GU hide GU", "(1,3) GT:GS hide GT", "(0,0) FR:GR hide GR", "(4,4) HR:IR hide HR",
    "(1,4) DV:DU hide DV", "(3,4) ET:DT hide ET", "(0,2) DS:DR hide DS", "(1,2) CX:CY hide CX",
    "(0,4) BW:CW hide BW", "(3,3) BU:BV hide BU", "(4,5) BS:BT hide BS", "(4,5) CR:BR hide CR",
    "(0,3) ER:ES hide ER",
)  # fmt: skip


@cache
def figures() -> dict[str, tuple[str, str]]:
    """Each example as an SVG document and its caption."""
    return {
        "board": _figure(
            "The empty board",
            "The board: columns B to H and rows R to Z, without the corners BZ and HZ, and with "
            "the wings AR and IR at the top. Thick lines are walls and floors.",
        ),
        "support": _figure(
            "Support",
            "A domino may stand on the floor, or lie on the tower at C with one half in the air; "
            "it may not float.",
            played_out=("(2,1) CY:CZ hide 1",),
            marks=(*_marks("CX DX EY EZ", True), *_marks("FW GW", False)),
        ),
        "slide": _figure(
            "Sliding in under an overhang",
            "The hole at D is covered from above, but an upright domino can come down at E and "
            "slide in.",
            played_out=OVERHANG,
            marks=_marks("DY DZ", True),
        ),
        "closed": _figure(
            "A closed hole",
            "Now the hole at D is closed on all sides, and nothing can be placed in it.",
            played_out=(*OVERHANG, "(0,5) EY:EZ hide 0"),
            marks=_marks("DY DZ", False),
        ),
        "turn": _figure(
            "No turning on the way",
            "A flat domino cannot be placed on DZ and EZ: it does not fit through the shaft at D, "
            "and a domino that goes down upright cannot be turned at the bottom.",
            played_out=SHAFT,
            marks=_marks("DZ EZ", False),
        ),
        "wings": _figure(
            "The wings",
            "CR holds part of a domino, so the left wing is open: a domino may lie on AR and BR, "
            "though nothing is under BR. Neither HS nor GR does, so the right wing is closed.",
            played_out=WINGS,
            marks=(*_marks("AR BR", True), *_marks("HR IR", False)),
        ),
        "owner": _figure(
            "A board as the red player sees it",
            "What the red player sees: a small question mark on their own hidden halves, and of "
            "the opponent's hidden halves only the colour.",
            played_out=SCORED,
            audience=0,
        ),
        "room": _figure(
            "The same board as spectators see it",
            "What spectators see: of every hidden half only the colour.",
            played_out=SCORED,
            audience="room",
        ),
        "lines": _figure(
            "The lines through one half",
            "The squares that matter to a half at X: three horizontal lines, three vertical ones "
            "and six diagonal ones run through it. The other half is looked at in the same way.",
            marks=_star("EV"),
        ),
        "scored": _scoring(),
        "end": _figure(
            "The end",
            "No place is left, flat or upright, though some squares are empty. Both players have "
            "three points; red placed the last domino, on ER and ES, and has won.",
            played_out=FINISHED,
        ),
    }


def _figure(
    title: str,
    caption: str,
    *,
    played_out: tuple[str, ...] = (),
    audience: Audience = ALL,
    marks: tuple[SquareMark, ...] = (),
    rings: tuple[Ring, ...] = (),
) -> tuple[str, str]:
    shown = view(_position(played_out), audience)
    return drawing(shown, title=title, marks=marks, rings=rings, scores=False), caption


def _position(played_out: tuple[str, ...]) -> BlackWhiteState:
    state = ordered(begun(0), 0)
    for text in played_out:
        move = notation.parse_move(texts.tidy(text))
        if not isinstance(move, PlaceDomino):
            raise TypeError(f"{text!r} is not a placement")
        state = played(state, move)
    return state


def _marks(squares: str, good: bool) -> tuple[SquareMark, ...]:
    return tuple([SquareMark(square, "yes" if good else "no", good) for square in squares.split()])


def _star(centre: str) -> tuple[SquareMark, ...]:
    marks = [SquareMark(centre, "X")]
    for letter, right, down in (("H", 1, 0), ("V", 0, 1), ("D", 1, 1), ("D", -1, 1)):
        for distance in (-2, -1, 1, 2):
            cell = step(CELL_OF[centre], distance * right, distance * down)
            if cell is not None:
                marks.append(SquareMark(NAME_OF[cell], letter))
    return tuple(marks)


def _scoring() -> tuple[str, str]:
    last = _position(SCORED).last
    met = MET_TEXT[last.met] if last is not None else ""
    named = ", ".join(met[:-1]) + f" and {met[-1]}"
    return _figure(
        "A placement that scores",
        f"The double five on GW and GX meets {named}: GW, GX and GY sum to 15 (V, and B because it "
        "is 15), GX, FY and EZ sum to 10 (D). Hidden numbers count, but all that is announced is "
        f"the letters {met}, always in the order {LETTERS}.",
        played_out=SCORED,
        rings=(Ring("GW", "GY", "V"), Ring("GX", "EZ", "D")),
    )
