"""What the log says of Peg Domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.engine.decisions import EVERYONE, Audience, Chance, Event, Seat
from games.engine.errors import EngineFault
from games.engine.ruleset import Chosen
from games.rulesets.peg_domain.boards import (
    DOMAIN_NAME,
    PALLET_NAME,
    domain_names,
    members,
    pallet_names,
)
from games.rulesets.peg_domain.drawing import pegs_of
from games.rulesets.peg_domain.moves import (
    Choose,
    EndInspection,
    Extra,
    Finish,
    Keep,
    Move,
    Order,
    PlaceCutOut,
    Rapid,
    Remove,
    Take,
)
from games.rulesets.peg_domain.notation import cut_text, print_move
from games.rulesets.peg_domain.state import PegDomainState
from games.rulesets.peg_domain.turns import taken_by

_AUDIENCE_OF: Final[tuple[Audience, Audience]] = (0, 1)


def events(before: PegDomainState, chosen: Chosen[Move], after: PegDomainState) -> Sequence[Event]:
    """What the log says of the moves of one step; running out of time is told by the table."""
    log: list[Event] = []
    for seat, move in sorted(chosen, key=lambda each: each[0] != before.mover):
        log += _move_events(before, seat, move, after)
    if before.phase == "play":
        log += _finish_events(before, after)
    return log


def _public(kind: str, seat: Seat | None, text: str, **data: object) -> Event:
    return Event(kind=kind, seat=seat, text=text, seen_by=EVERYONE, data=data)


def _move_events(
    before: PegDomainState, seat: Seat, move: Move, after: PegDomainState
) -> list[Event]:
    match move:
        case Take():
            return [_public("right", seat, f"took the right to choose the {move.right}")]
        case EndInspection():
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
            return [_public("colour", seat, f"plays {move.colour}"), *_reveal_events(after)]
        case PlaceCutOut():
            return [_place_event(before, seat, move, after)]
        case Finish():
            return [_public("finish", seat, "is finished and places no more")]
        case Remove() | Rapid() | Keep():
            return [_removal(before, seat, move, after)]
        case _:
            return [_public("ready", seat, "has seen enough, as the time is over")]


def _reveal_events(state: PegDomainState) -> list[Event]:
    frame = state.frame
    events = []
    for seat in (0, 1):
        named = frame.extra[seat][frame.colour_of(seat)]
        if named:
            names = [PALLET_NAME[square] for square in named]
            events.append(
                _public(
                    "extra", seat, f"has an Additional Peg on {', '.join(names)}", squares=names
                )
            )
    return events


def _place_event(
    before: PegDomainState, seat: Seat, move: PlaceCutOut, after: PegDomainState
) -> Event:
    if after.last is None:
        raise EngineFault("a placement that left no trace")
    scores = after.scores
    size = len(move.squares)
    won = after.last.covered & ~before.owned[seat]
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
        move=print_move(move),
        covered=list(domain_names(after.last.covered)),
        won=list(domain_names(won)),
        taken=list(domain_names(won & before.owned[1 - seat])),
        scores=list(scores),
    )


def _removal(before: PegDomainState, seat: Seat, move: Move, after: PegDomainState) -> Event:
    gone = list(pallet_names(0 if after.last is None else after.last.gone))
    data: dict[str, object] = {"move": print_move(move), "gone": gone}
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


def _was_cut(after: PegDomainState) -> bool:
    return after.last is not None and isinstance(after.last.move, PlaceCutOut)


def _finish_events(before: PegDomainState, after: PegDomainState) -> list[Event]:
    events = [
        _public("stuck", seat, "is finished: no two pegs are connected any more")
        for seat in (0, 1)
        if before.ended[seat] is None and after.ended[seat] == "stuck"
    ]
    if after.phase == "over":
        first, second = after.scores
        text = f"Both players are finished, with {first} and {second} squares of the domain."
        events.append(_public("end", None, text, scores=[first, second]))
    return events


def chance_events(chance: Chance) -> Sequence[Event]:
    """A pallet is revealed."""
    names = [PALLET_NAME[square] for square in members(pegs_of(chance))]
    which = "Both pallets were" if chance.whose == "both" else f"The {chance.whose} pallet was"
    return [
        _public("pallet", None, f"{which} revealed.", whose=chance.whose, pegs=names),
    ]
