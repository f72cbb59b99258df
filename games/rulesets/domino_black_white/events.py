"""What the log says of Domino Black & White."""

from __future__ import annotations

from collections.abc import Sequence

from games.engine.decisions import EVERYONE, Event, Seat
from games.engine.errors import EngineFault
from games.engine.ruleset import Chosen
from games.rulesets.domino_black_white.lines import MET_TEXT, POINTS
from games.rulesets.domino_black_white.moves import ChooseOrder, Move, PlaceDomino, colour
from games.rulesets.domino_black_white.notation import print_move
from games.rulesets.domino_black_white.state import BlackWhiteState
from games.rulesets.domino_black_white.view import _AUDIENCE_OF, halves


def events(
    before: BlackWhiteState, chosen: Chosen[Move], after: BlackWhiteState
) -> Sequence[Event]:
    """What the log says of a move; running out of time is announced by the table."""
    ((seat, move),) = chosen
    if isinstance(move, ChooseOrder):
        text = "goes first" if move.first else "goes second"
        return (
            Event(
                kind="order",
                seat=seat,
                text=text,
                seen_by=EVERYONE,
                data={"first": after.first},
            ),
        )
    if not isinstance(move, PlaceDomino):
        return ()
    if after.last is None:
        raise EngineFault("a placement that left no trace")
    placed = _place_event(len(before.history), seat, move, after.last.met)
    if after.legal:
        return (placed,)
    end = Event(kind="end", seat=None, text="No domino can be placed any more.", seen_by=EVERYONE)
    return placed, end


def _place_event(index: int, seat: Seat, move: PlaceDomino, met: int) -> Event:
    scored = f"scored {POINTS[met]} ({MET_TEXT[met]})" if met else "scored nothing"
    shared = {"domino": index, "met": MET_TEXT[met], "points": POINTS[met]}
    number = move.numbers[move.hides]
    open_number = move.numbers[1 - move.hides]
    shown = f"(?,{open_number})" if move.hides == 0 else f"({open_number},?)"
    return Event(
        kind="place",
        seat=seat,
        text=f"placed {_placement_text(move)}, hiding the {number} on {move.hidden}, and {scored}",
        seen_by=(_AUDIENCE_OF[seat],),
        data={**shared, "move": print_move(move), "halves": halves(move, knows=True)},
        public_text=(
            f"placed {shown} {':'.join(move.spot.squares)}, "
            f"hiding a {colour(number)} half on {move.hidden}, and {scored}"
        ),
        public_data={**shared, "halves": halves(move, knows=False)},
    )


def _placement_text(move: PlaceDomino) -> str:
    return print_move(move).partition(" hide ")[0]
