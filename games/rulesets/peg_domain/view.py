"""What each audience may know of a state.

Pallets are not in a state before everybody may see them, and a removal waits outside of it. What is
secret in a state is only what Additional Peg named, until colours are settled; of it, the opponent
and the room learn no more than that a holder is ready.
"""

from __future__ import annotations

from typing import Any

from games.engine.decisions import ALL, Audience, Seat, other
from games.rulesets.peg_domain.boards import (
    COLOURS,
    COLUMNS,
    DOMAIN_NAME,
    DOMAIN_SQUARES,
    PALLET,
    PALLET_NAME,
    PALLET_SQUARES,
    SIDE,
    domain_names,
    pallet_names,
)
from games.rulesets.peg_domain.moves import PlaceCutOut
from games.rulesets.peg_domain.notation import print_move
from games.rulesets.peg_domain.state import ITEM_IDS, LAST_ROUND_OF_ITEMS, PegDomainState, PegTurn
from games.rulesets.peg_domain.turns import removable
from games.rulesets.peg_domain.validation import extra_squares


def view(state: PegDomainState, audience: Audience) -> dict[str, Any]:
    """The view of a state; its keys are described in ``view.md``."""
    frame = state.frame
    playing = state.phase == "play"
    settled = frame.red is not None
    return {
        "phase": state.phase,
        "variant": frame.variant,
        "advantage": frame.advantage,
        "early_ready": frame.early_ready,
        "rights": None
        if frame.right is None
        else {"order": frame.holder("order"), "colour": frame.holder("colour")},
        "ready": list(frame.ready),
        "first": frame.first,
        "colours": [COLOURS[frame.colour_of(seat)] for seat in (0, 1)] if settled else None,
        "pallets": _pallets(state),
        "domain": _domain(state) if settled else None,
        "scores": list(state.scores),
        "used": [state.used(seat).bit_count() for seat in (0, 1)] if settled else [0, 0],
        "turn": state.turn,
        "to_move": state.mover if playing else None,
        "finished": list(state.ended),
        "items": [_items(state, seat) for seat in (0, 1)],
        "items_until": LAST_ROUND_OF_ITEMS,
        "extra": [
            [list(map(PALLET_NAME.__getitem__, named)) for named in frame.extra[seat]]
            if audience in (seat, ALL)
            else None
            for seat in (0, 1)
        ],
        "extra_squares": [
            [list(pallet_names(extra_squares(state, seat, colour))) for colour in (0, 1)]
            if state.phase == "inspection" and audience == seat
            else None
            for seat in (0, 1)
        ],
        "removable": list(pallet_names(removable(state))) if playing and frame.removals else None,
        "last": None if state.last is None else _last(state.last),
    }


def _items(state: PegDomainState, seat: Seat) -> dict[str, list[int]]:
    """By item: how often it can still be used, and how often it could be at first."""
    held = state.frame.items[seat]
    spent = (0 if state.frame.red is None else held[0], *state.spent[seat])
    return {
        item: [held[index] - spent[index], held[index]]
        for index, item in enumerate(ITEM_IDS)
        if held[index]
    }


# A character a square: a peg or a connecting square that is there, was used, or was removed.
THERE, THERE_PEG, USED, USED_PEG, REMOVED = MARKS = ".o-x#"


def _pallets(state: PegDomainState) -> list[dict[str, Any]] | None:
    """The red pallet and the blue one."""
    frame = state.frame
    if state.phase in ("right", "pallets"):
        return None
    pallets = []
    for colour, name in enumerate(COLOURS):
        if frame.red is None:
            seat, pegs, left, removed = None, frame.drawn[colour], PALLET, 0
        else:
            seat = frame.red if colour == 0 else other(frame.red)
            pegs, left, removed = frame.pegs[seat], state.left[seat], state.removed[seat]
        pallets.append(
            {
                "colour": name,
                "seat": seat,
                "rows": _rows(pegs, left, removed),
                "pegs": (pegs & left).bit_count(),
                "left": left.bit_count(),
                "removed": removed.bit_count(),
            }
        )
    return pallets


def _rows(pegs: int, left: int, removed: int) -> list[str]:
    marks = []
    for square in PALLET_SQUARES:
        if removed >> square & 1:
            marks.append(REMOVED)
        else:
            marks.append(".-ox"[2 * (pegs >> square & 1) + 1 - (left >> square & 1)])
    text = "".join(marks)
    return [text[start : start + COLUMNS] for start in range(0, len(text), COLUMNS)]


def _domain(state: PegDomainState) -> dict[str, Any]:
    """Who owns each square, row by row (``0``, ``1`` or ``.``), and where pegs stand."""
    first, second = state.owned
    text = "".join(
        [
            "0" if first >> square & 1 else "1" if second >> square & 1 else "."
            for square in DOMAIN_SQUARES
        ]
    )
    return {
        "rows": [text[start : start + SIDE] for start in range(0, len(text), SIDE)],
        "pegs": list(domain_names(state.standing)),
    }


def _last(turn: PegTurn) -> dict[str, Any]:
    move = turn.move
    place = move if isinstance(move, PlaceCutOut) else None
    return {
        "seat": turn.seat,
        "move": print_move(move),
        "cut": [] if place is None else [PALLET_NAME[square] for square in place.squares],
        "covered": list(domain_names(turn.covered)),
        "minus": None if place is None or place.minus is None else DOMAIN_NAME[place.minus],
        "removal": None if turn.removal is None else print_move(turn.removal),
        "gone": list(pallet_names(turn.gone)),
    }
