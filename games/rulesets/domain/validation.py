"""Whether a move can stand, and the reason where it cannot."""

from __future__ import annotations

from core.refusals import Refusal
from games.engine.decisions import Decision, Seat, other
from games.rulesets.domain import board
from games.rulesets.domain.board import Laid
from games.rulesets.domain.moves import (
    COLOURS,
    Accept,
    ChallengePlacement,
    DiscardShape,
    First,
    Move,
    PlaceShape,
    Ready,
    TakeShape,
)
from games.rulesets.domain.state import DomainState

_EXPECTED = {
    "inspect": 'Say "ready" once you have looked over the shapes.',
    "first": 'Choose "first" or "second" now.',
    "draft": 'Take a shape now, like "take 07".',
    "place": 'Place or discard one of your shapes now, like "07 > red 120,85 45".',
    "final": 'Say "challenge" or "accept" now.',
}


def validate(state: DomainState, decision: Decision, move: Move) -> None:
    """Raise Refusal where ``move`` cannot answer ``decision``."""
    match decision.kind, move:
        case "inspect", Ready():
            if not state.terms.early_ready:
                raise Refusal(
                    "inspect.not-early", "In this match the inspection lasts its full time."
                )
        case "first", First():
            pass
        case "draft", TakeShape():
            _validate_take(state, move)
        case "place", PlaceShape():
            _validate_place(state, decision.seat, move)
        case "place", DiscardShape():
            _shape_in_hand(state, decision.seat, move.shape)
        case (("place" | "final"), ChallengePlacement()):
            _validate_challenge(state)
        case "final", Accept():
            pass
        case _:
            raise Refusal("move.wrong-kind", _EXPECTED[decision.kind])


def _validate_take(state: DomainState, move: TakeShape) -> None:
    number = _number(state, move.shape)
    if not state.free >> number & 1:
        raise Refusal("take.gone", f"Shape {move.shape} has been taken already.")


def _validate_place(state: DomainState, seat: Seat, move: PlaceShape) -> None:
    number = _shape_in_hand(state, seat, move.shape)
    if not state.strict:
        return
    laid = Laid(seat, number, COLOURS.index(move.domain), move.x, move.y, move.angle)
    fault = board.first_fault(state.ready_pool, state.laid, laid)
    if fault is not None:
        pixels = tuple(f"{x},{y}" for x, y in fault.pixels)
        raise Refusal(fault.code, fault.sentence, pixels)


def _validate_challenge(state: DomainState) -> None:
    if state.strict:
        raise Refusal(
            "challenge.strict", "Nothing invalid can be placed in this match, so nothing is to be "
            "challenged."
        )  # fmt: skip
    if not state.turns:
        raise Refusal("challenge.nothing", "Nothing has been placed yet.")
    if state.challenged:
        raise Refusal("challenge.repeated", "This placement has been challenged already.")
    if state.turns[-1].laid is None:
        raise Refusal("challenge.discard", "A discard cannot be challenged.")


def _number(state: DomainState, shape: str) -> int:
    number = state.ready_pool.index.get(shape)
    if number is None:
        raise Refusal("shape.unknown", f"There is no shape {shape} in this pool.")
    return number


def _shape_in_hand(state: DomainState, seat: Seat, shape: str) -> int:
    number = _number(state, shape)
    if state.hands[seat] >> number & 1:
        return number
    if state.hands[other(seat)] >> number & 1:
        raise Refusal("shape.not-yours", f"Shape {shape} is your opponent's.")
    raise Refusal("shape.used", f"Shape {shape} has been played already.")
