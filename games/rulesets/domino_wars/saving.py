"""States as compact JSON: dominoes and squares by their numbers, the rest as it is."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from games.engine.errors import EngineFault
from games.rulesets.domino_wars.board import PLAYS, board_of, numbers_on
from games.rulesets.domino_wars.lanes import DOMINOES, HIGHEST, SQUARES
from games.rulesets.domino_wars.moves import DECK
from games.rulesets.domino_wars.state import (
    MOST_PLAYS,
    Ask,
    Known,
    Last,
    Opening,
    Position,
    Side,
    State,
    Terms,
    Why,
)

_Seat: TypeAlias = Literal[0, 1]
_Domino: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=len(DOMINOES))]
_Dominoes: TypeAlias = Annotated[tuple[_Domino, ...], msgspec.Meta(max_length=DECK)]
_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=HIGHEST)] | None
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1000)]
_Bits: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << SQUARES)]


class _Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    advantage: _Seat
    draw_when_stuck: bool
    repeats: tuple[_Count, _Count]
    mulligans: tuple[_Count, _Count]
    ties: tuple[_Count, _Count]


class _Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hand: _Dominoes
    pile: _Dominoes
    discards: _Dominoes
    top: _Count
    bottom: _Count
    sunk: _Count
    held: _Dominoes
    loose: _Dominoes
    skip: bool


class _Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="opening"):
    terms: _Terms
    first: _Seat | None
    decks: tuple[_Dominoes, _Dominoes] | None
    sides: tuple[_Side | None, _Side | None]
    left: tuple[_Count, _Count]
    again: tuple[bool, bool]
    round: _Count


class _Last(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seat: _Seat
    code: Annotated[int, msgspec.Meta(ge=0, lt=len(PLAYS[0]))]
    taken: _Bits


class _Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="position"):
    terms: _Terms
    first: _Seat
    turn: Annotated[int, msgspec.Meta(ge=0, le=MOST_PLAYS)]
    seat: _Seat
    ask: Ask
    effect: Literal[0, 1]
    numbers: Annotated[tuple[_Number, ...], msgspec.Meta(min_length=SQUARES, max_length=SQUARES)]
    owned: tuple[_Bits, _Bits]
    sides: tuple[_Side, _Side]
    last: _Last | None
    passed: tuple[tuple[_Seat, Why], ...]
    over: bool
    late: _Seat | None


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(_Opening | _Position)


def encode(state: State) -> bytes:
    """The state as JSON."""
    return _ENCODER.encode(_document(state))


def _document(state: State) -> _Opening | _Position:
    terms = _Terms(*msgspec.structs.astuple(state.terms))
    if isinstance(state, Opening):
        return _Opening(
            terms,
            state.first,  # type: ignore[arg-type]  # a seat is 0 or 1
            state.decks,
            (_side_document(state.sides[0]), _side_document(state.sides[1])),
            state.left,
            state.again,
            state.round,
        )
    last = None if state.last is None else _Last(*msgspec.structs.astuple(state.last))
    one, two = map(_side_document, state.sides)
    if one is None or two is None:
        raise EngineFault("a position of Domino Wars without dominoes")
    return _Position(
        terms,
        state.first,  # type: ignore[arg-type]
        state.turn,
        state.seat,  # type: ignore[arg-type]
        state.ask,
        state.effect,  # type: ignore[arg-type]
        numbers_on(state.board),
        state.owned,
        (one, two),
        last,
        state.passed,  # type: ignore[arg-type]
        state.over,
        state.late,  # type: ignore[arg-type]
    )


def _side_document(side: Side | None) -> _Side | None:
    if side is None:
        return None
    known = side.known
    return _Side(
        side.hand, side.pile, side.discards,
        known.top, known.bottom, known.sunk, known.held, known.loose, side.skip,
    )  # fmt: skip


def decode(data: bytes) -> State:
    """The state of an encoding. Raises EngineFault for what never was one."""
    try:
        saved = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise EngineFault(f"not a state of Domino Wars: {error}") from error
    terms = Terms(*msgspec.structs.astuple(saved.terms))
    if isinstance(saved, _Opening):
        return Opening(
            terms,
            saved.first,
            saved.decks,
            (_side(saved.sides[0]), _side(saved.sides[1])),
            saved.left,
            saved.again,
            saved.round,
        )
    one, two = map(_side, saved.sides)
    filled = sum(1 << at for at, number in enumerate(saved.numbers) if number is not None)
    if (
        one is None
        or two is None
        or saved.owned[0] & saved.owned[1]
        or saved.owned[0] | saved.owned[1] != filled
    ):
        raise EngineFault("no state of Domino Wars has these owners")
    return Position(
        terms,
        saved.first,
        saved.turn,
        saved.seat,
        saved.ask,
        saved.effect,
        board_of(saved.numbers),
        saved.owned,
        (one, two),
        None if saved.last is None else Last(*msgspec.structs.astuple(saved.last)),
        saved.passed,
        saved.over,
        saved.late,
    )


def _side(saved: _Side | None) -> Side | None:
    if saved is None:
        return None
    dominoes = len(saved.hand) + len(saved.pile) + len(saved.discards)
    pile = len(saved.pile)
    if dominoes != DECK or saved.top + saved.bottom > pile or saved.sunk > pile:
        raise EngineFault("no side of Domino Wars has these dominoes")
    known = Known(saved.top, saved.bottom, saved.sunk, saved.held, saved.loose)
    return Side(saved.hand, saved.pile, saved.discards, known, saved.skip)
