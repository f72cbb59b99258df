"""Whether a move can stand, and the reason where it cannot."""

from __future__ import annotations

from core.refusals import Refusal
from games.engine.decisions import Decision
from games.engine.errors import EngineFault
from games.rulesets.domino_black_white.board import NAME_OF, WING_NEEDS, Spot
from games.rulesets.domino_black_white.moves import DOMINO_OF, ChooseOrder, Move, PlaceDomino
from games.rulesets.domino_black_white.reach import wing_of
from games.rulesets.domino_black_white.state import BlackWhiteState


def validate(state: BlackWhiteState, decision: Decision, move: Move) -> None:
    """Raise Refusal where ``move`` cannot answer ``decision``: ``move.wrong-kind``, ``place.used``,
    ``place.occupied``, ``place.wing``, ``place.unsupported``, ``place.unreachable``."""
    if decision.kind == "order":
        if not isinstance(move, ChooseOrder):
            raise Refusal("move.wrong-kind", "Choose the order of play now: first or second.")
        return
    if not isinstance(move, PlaceDomino):
        raise Refusal("move.wrong-kind", "The order of play is settled: place a domino now.")
    if not state.hand >> DOMINO_OF[move.domino] & 1:
        low, high = move.domino
        raise Refusal("place.used", f"You have already placed your domino ({low},{high}).")
    if not state.legal >> move.spot.at & 1:
        raise _reason(state, move.spot)


def _reason(state: BlackWhiteState, spot: Spot) -> Refusal:
    """Why no domino can be placed on ``spot``."""
    filled = {cell for placed in state.history for cell in placed.place.spot.cells}
    taken = tuple([NAME_OF[cell] for cell in spot.cells if cell in filled])
    if taken:
        verb = "is" if len(taken) == 1 else "are"
        return Refusal("place.occupied", f"{' and '.join(taken)} {verb} occupied.", taken)
    names = spot.squares
    if not state.held >> spot.at & 1:
        wing = wing_of(spot)
        if wing is not None:
            one, two = WING_NEEDS[wing]
            return Refusal(
                "place.wing",
                f"A domino may lie in {wing} only once {one} or {two} holds part of a domino.",
                (wing, one, two),
            )
        return Refusal(
            "place.unsupported",
            f"Nothing is under {' or '.join([NAME_OF[cell] for cell in spot.bottom])}: one half "
            "must stand on the floor or on a domino.",
            names,
        )
    if not state.open >> spot.at & 1:
        return Refusal(
            "place.unreachable",
            f"No way leads from above the board to {names[0]} and {names[1]} without turning the "
            "domino.",
            names,
        )
    raise EngineFault("a spot that is open and held is not legal")
