"""What each audience may know of a state, and what the log tells it.

Pallets are not in a state before everybody may see them, and a removal waits outside of it. What is
secret in a state is only what Additional Peg named, until colours are settled; of it, the opponent
and the room learn no more than that a holder is ready.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from games.engine.decisions import ALL, EVERYONE, Audience, Chance, Event, Seat, other
from games.engine.errors import EngineFault
from games.engine.ruleset import Chosen
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
    members,
    pallet_names,
)
from games.rulesets.peg_domain.drawing import pegs_of
from games.rulesets.peg_domain.judging import extra_squares
from games.rulesets.peg_domain.moves import (
    Choose,
    Extra,
    Finish,
    Keep,
    Move,
    Order,
    Place,
    Rapid,
    Ready,
    Remove,
    Take,
)
from games.rulesets.peg_domain.notation import cut_text, text_of
from games.rulesets.peg_domain.state import (
    ITEM_IDS,
    LAST_ROUND_OF_ITEMS,
    State,
    Turn,
    removable,
    taken_by,
)


def view(state: State, audience: Audience) -> dict[str, Any]:
    """The view of a state; its keys are described in ``docs/views.md``."""
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


def _items(state: State, seat: Seat) -> dict[str, list[int]]:
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


def _pallets(state: State) -> list[dict[str, Any]] | None:
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


def _domain(state: State) -> dict[str, Any]:
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


def _last(turn: Turn) -> dict[str, Any]:
    move = turn.move
    place = move if isinstance(move, Place) else None
    return {
        "seat": turn.seat,
        "move": text_of(move),
        "cut": [] if place is None else [PALLET_NAME[square] for square in place.squares],
        "covered": list(domain_names(turn.covered)),
        "minus": None if place is None or place.minus is None else DOMAIN_NAME[place.minus],
        "removal": None if turn.removal is None else text_of(turn.removal),
        "gone": list(pallet_names(turn.gone)),
    }


# -- the log -------------------------------------------------------------------------------------

_AUDIENCE_OF: Final[tuple[Audience, Audience]] = (0, 1)


def events(before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
    """What the log says of the moves of one step; running out of time is told by the table."""
    told: list[Event] = []
    for seat, move in sorted(chosen, key=lambda each: each[0] != before.mover):
        told += _told(before, seat, move, after)
    if before.phase == "play":
        told += _finished(before, after)
    return told


def _public(kind: str, seat: Seat | None, text: str, **data: object) -> Event:
    return Event(kind=kind, seat=seat, text=text, seen_by=EVERYONE, data=data)


def _told(before: State, seat: Seat, move: Move, after: State) -> list[Event]:
    match move:
        case Take():
            return [_public("right", seat, f"took the right to choose the {move.right}")]
        case Ready():
            return [_public("ready", seat, "is ready")]
        case Extra():
            name = PALLET_NAME[move.square]
            return [
                Event(
                    kind="extra",
                    seat=seat,
                    text=f"named {name} of the {move.colour} pallet for Additional Peg",
                    seen_by=(_AUDIENCE_OF[seat],),
                    data={"colour": move.colour, "square": name},
                )
            ]
        case Order():
            text = "goes first" if move.first else "goes second"
            return [_public("order", seat, text, first=after.frame.first)]
        case Choose():
            return [_public("colour", seat, f"plays {move.colour}"), *_revealed(after)]
        case Place():
            return [_placed(seat, move, after)]
        case Finish():
            return [_public("finish", seat, "is finished and places no more")]
        case Remove() | Rapid() | Keep():
            return [_removal(before, seat, move, after)]
        case _:
            return [_public("ready", seat, "has seen enough, as the time is over")]


def _revealed(state: State) -> list[Event]:
    frame = state.frame
    told = []
    for seat in (0, 1):
        named = frame.extra[seat][frame.colour_of(seat)]
        if named:
            names = [PALLET_NAME[square] for square in named]
            told.append(
                _public(
                    "extra", seat, f"has an Additional Peg on {', '.join(names)}", squares=names
                )
            )
    return told


def _placed(seat: Seat, move: Place, after: State) -> Event:
    if after.last is None:
        raise EngineFault("a placement that left no trace")
    scores = after.scores
    size = len(move.squares)
    minus = ""
    if move.minus is not None:
        minus = f" took the peg off {DOMAIN_NAME[move.minus]} with Peg Subtraction,"
    text = (
        f"{minus} laid {cut_text(move)} at {DOMAIN_NAME[move.target]}, turned by "
        f"{move.turns * 90}: {size} squares, now {scores[0]} to {scores[1]}"
    ).strip()
    return _public(
        "place",
        seat,
        text,
        move=text_of(move),
        covered=list(domain_names(after.last.covered)),
        scores=list(scores),
    )


def _removal(before: State, seat: Seat, move: Move, after: State) -> Event:
    gone = list(pallet_names(0 if after.last is None else after.last.gone))
    data: dict[str, object] = {"move": text_of(move), "gone": gone}
    if isinstance(move, Keep):
        text = "removed nothing"
    elif isinstance(move, Rapid):
        area = f"around {PALLET_NAME[move.centre]}"
        what = f"removed {', '.join(gone)}" if gone else "removed nothing"
        text = f"used Rapid Removal {area} and {what}"
    elif gone:
        text = f"removed {gone[0]}"
    else:
        name = pallet_names(taken_by(before, move))[0]
        why = "which has just been used" if _was_cut(after) else "to no effect"
        text = f"named {name} for removal, {why}"
    return Event(kind="removal", seat=seat, text=text, seen_by=EVERYONE, data=data)


def _was_cut(after: State) -> bool:
    return after.last is not None and isinstance(after.last.move, Place)


def _finished(before: State, after: State) -> list[Event]:
    told = [
        _public("stuck", seat, "is finished: no two pegs are connected any more")
        for seat in (0, 1)
        if before.ended[seat] is None and after.ended[seat] == "stuck"
    ]
    if after.phase == "over":
        first, second = after.scores
        text = f"Both players are finished, with {first} and {second} squares of the domain."
        told.append(_public("end", None, text, scores=[first, second]))
    return told


def chance_events(chance: Chance) -> Sequence[Event]:
    """A pallet is revealed."""
    names = [PALLET_NAME[square] for square in members(pegs_of(chance))]
    which = "Both pallets were" if chance.whose == "both" else f"The {chance.whose} pallet was"
    return [
        _public("pallet", None, f"{which} revealed.", whose=chance.whose, pegs=names),
    ]
