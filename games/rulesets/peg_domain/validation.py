"""Which moves can stand, and why the others cannot.

The area of a refusal's code says on which board its squares are: ``cut`` on one's own pallet,
``place`` and ``minus`` on the domain (``place.off-domain``: the squares of the pallet that would
land outside), ``remove`` on the opponent's pallet, ``extra`` on the pallet of that colour.
"""

from __future__ import annotations

from typing import Final

from core.refusals import NotFound, Refusal
from games.engine.decisions import Decision, Seat
from games.rulesets.peg_domain.boards import (
    DOMAIN_NAME,
    PALLET_NAME,
    around,
    connected,
    domain_names,
    landing,
    pallet_names,
    set_of,
)
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
from games.rulesets.peg_domain.state import (
    ADDITIONAL,
    LAST_ROUND_OF_ITEMS,
    RAPID,
    SUBTRACTION,
    PegDomainState,
    removable_at_first,
)
from games.rulesets.peg_domain.turns import rapid_in_hand, removable

_EXPECTED: Final = {
    "right": 'Take a right now: "take order" or "take colour".',
    "inspection": 'During the inspection there is only "ready" and, with an Additional Peg, '
    'something like "extra peg red F9".',
    "order": 'Choose "first" or "second" now.',
    "colour": 'Choose "red" or "blue" now.',
    "turn": 'It is your turn: place a cut-out, like "C7 RRD > E5 90", or "finish".',
    "removal": 'It is your opponent\'s turn: "remove F9" or "no removal".',
}
_FITTING: Final = {
    "right": (Take,),
    "inspection": (EndInspection, Extra),
    "order": (Order,),
    "colour": (Choose,),
    "turn": (PlaceCutOut, Finish),
    "removal": (Remove, Rapid, Keep),
}


def validate(state: PegDomainState, decision: Decision, move: Move) -> None:
    """Raise Refusal where ``move`` cannot answer ``decision``."""
    kind = decision.kind
    if not isinstance(move, _FITTING[kind]):
        code = "move.wrong-kind"
        if kind == "removal" and isinstance(move, PlaceCutOut | Finish):
            code = "turn.not-yours"
        raise Refusal(code, _EXPECTED[kind])
    if isinstance(move, PlaceCutOut):
        _validate_cut(state, decision.seat, move)
        _validate_place(state, decision.seat, move)
    elif isinstance(move, Remove):
        _validate_removal(state, move.square)
    elif isinstance(move, Rapid):
        _validate_rapid(state, decision.seat)
    elif isinstance(move, EndInspection):
        _validate_ready(state, decision.seat)
    elif isinstance(move, Extra):
        _validate_extra(state, decision.seat, move)


# -- cut-outs ------------------------------------------------------------------------------------


def _validate_cut(state: PegDomainState, seat: Seat, move: PlaceCutOut) -> None:
    if not move.by_path and not state.frame.by_squares:
        raise Refusal(
            "cut.path-only",
            "In this variant a cut-out is given as a peg and the way to another one.",
        )
    squares = set_of(move.squares)
    left, pegs = state.left[seat], state.frame.pegs[seat]
    gone = squares & ~left
    if gone:
        names = pallet_names(gone)
        verb = "is" if len(names) == 1 else "are"
        raise Refusal("cut.gone", f"{', '.join(names)} {verb} no longer on your pallet.", names)
    anchor = move.squares[0]
    if not pegs >> anchor & 1:
        name = PALLET_NAME[anchor]
        raise Refusal("cut.not-a-peg", f"There is no peg on {name} to begin with.", (name,))
    on = pallet_names(squares & pegs)
    if len(on) != 2:
        has = "only one peg" if len(on) == 1 else f"{len(on)} pegs"
        raise Refusal(
            "cut.not-two-pegs",
            f"A cut-out has exactly two pegs; this one has {has}: {', '.join(on)}.",
            on,
        )
    if move.by_path and not pegs >> move.squares[-1] & 1:
        name = PALLET_NAME[move.squares[-1]]
        raise Refusal(
            "cut.goes-on", f"A path ends on its second peg; this one goes on to {name}.", (name,)
        )
    if not move.by_path and not connected(squares):
        raise Refusal(
            "cut.not-connected",
            "The squares of a cut-out hang together by their sides; these do not.",
            pallet_names(squares),
        )


# -- placements ----------------------------------------------------------------------------------


def _validate_place(state: PegDomainState, seat: Seat, move: PlaceCutOut) -> None:
    standing = state.standing
    if move.minus is not None:
        _validate_minus(state, seat, move.minus)
        # House ruling: the peg goes before the placement is judged.
        standing &= ~(1 << move.minus)
    covered = 0
    outside = 0
    for square in move.squares:
        at = landing(move.squares[0], square, move.target, move.turns)
        if at is None:
            outside |= 1 << square
        else:
            covered |= 1 << at
    if outside:
        names = pallet_names(outside)
        raise Refusal(
            "place.off-domain",
            f"With {PALLET_NAME[move.squares[0]]} on {DOMAIN_NAME[move.target]}, "
            f"turned by {move.turns * 90}, {', '.join(names)} would lie outside the domain.",
            names,
        )
    if covered & standing:
        names = domain_names(covered & standing)
        there = "There is a peg" if len(names) == 1 else "There are pegs"
        raise Refusal(
            "place.on-peg", f"{there} on {', '.join(names)}, which cannot be covered.", names
        )


def _validate_minus(state: PegDomainState, seat: Seat, square: int) -> None:
    _must_have(state, seat, 2, SUBTRACTION)
    if not state.standing >> square & 1:
        name = DOMAIN_NAME[square]
        raise Refusal("minus.no-peg", f"There is no peg on {name} to be taken away.", (name,))


def _must_have(state: PegDomainState, seat: Seat, index: int, item: str) -> None:
    name = item.replace("-", " ").title()
    held = state.frame.items[seat][index]
    if not held:
        raise NotFound("item.none", f"You do not have {name} in this match.")
    if state.spent[seat][index - 1] >= held:
        raise Refusal("item.used", f"You have used {name} already.")
    if state.turn > LAST_ROUND_OF_ITEMS:
        raise Refusal(
            "item.too-late",
            f"{name} can be used up to round {LAST_ROUND_OF_ITEMS}; this is round {state.turn}.",
        )


# -- removals and the inspection -----------------------------------------------------------------


def _validate_removal(state: PegDomainState, square: int) -> None:
    if removable(state) >> square & 1:
        return
    seat = state.mover
    left, name = state.left[seat], PALLET_NAME[square]
    pegs = state.frame.pegs[seat] & left
    if not left >> square & 1:
        raise Refusal("remove.gone", f"{name} is no longer on that pallet.", (name,))
    if pegs >> square & 1:
        raise Refusal("remove.peg", f"{name} carries a peg.", (name,))
    near = around(1 << square)
    if near & pegs:
        touching = pallet_names(near & pegs)
        raise Refusal(
            "remove.near-peg", f"{name} touches a peg: {', '.join(touching)}.", (name, *touching)
        )
    touching = pallet_names(near & state.removed[seat])
    raise Refusal(
        "remove.near-removed",
        f"{name} touches a square that was removed before: {', '.join(touching)}.",
        (name, *touching),
    )


def _validate_rapid(state: PegDomainState, seat: Seat) -> None:
    if not rapid_in_hand(state):
        _must_have(state, seat, 1, RAPID)


def _validate_ready(state: PegDomainState, seat: Seat) -> None:
    frame = state.frame
    if not frame.early_ready:
        raise Refusal("ready.not-early", "In this match the inspection takes its full time.")
    if frame.items[seat][0] and not any(frame.extra[seat]):
        raise Refusal("ready.extra-first", "Name a square for your Additional Peg first.")


def _validate_extra(state: PegDomainState, seat: Seat, move: Extra) -> None:
    frame = state.frame
    held = frame.items[seat][0]
    if not held:
        name = ADDITIONAL.replace("-", " ").title()
        raise NotFound("item.none", f"You do not have {name} in this match.")
    colour = 0 if move.colour == "red" else 1
    pegs = frame.drawn[colour]
    if held > 1:
        # Those that stay beside the new one are pegs like all others.
        kept = [each for each in frame.extra[seat][colour] if each != move.square]
        pegs |= set_of(kept[-(held - 1) :])
    name = PALLET_NAME[move.square]
    if pegs >> move.square & 1:
        raise Refusal("extra.peg", f"{name} of the {move.colour} pallet has a peg.", (name,))
    touching = pallet_names(around(1 << move.square) & pegs)
    if touching:
        raise Refusal(
            "extra.near-peg",
            f"{name} of the {move.colour} pallet touches a peg: {', '.join(touching)}.",
            (name, *touching),
        )


def extra_squares(state: PegDomainState, seat: Seat, colour: int) -> int:
    """The squares of a pallet that Additional Peg may name, once each; nothing without the item.
    Where several pegs may be added, the ones that touch those named so far are left out."""
    frame = state.frame
    held = frame.items[seat][0]
    if not held:
        return 0
    pegs = frame.drawn[colour]
    if held > 1:
        pegs |= set_of(frame.extra[seat][colour][-(held - 1) :])
    return removable_at_first(pegs)
