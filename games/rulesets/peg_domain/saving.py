"""States as compact JSON, and back again from there or from a view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from core.refusals import Refusal
from games.engine import notation as engine_notation
from games.engine.chance import RandomSource, choose
from games.engine.decisions import Seat, other
from games.engine.errors import EngineFault
from games.rulesets.peg_domain import notation
from games.rulesets.peg_domain.boards import (
    DOMAIN_SQUARE,
    DOMAIN_SQUARES,
    PALLET_SQUARE,
    PALLET_SQUARES,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import Right
from games.rulesets.peg_domain.state import (
    ITEM_IDS,
    Ended,
    Frame,
    Phase,
    State,
    Turn,
    removable_at_first,
)
from games.rulesets.peg_domain.viewing import REMOVED, THERE_PEG, USED_PEG

_TwoSets = tuple[str, str]  # sets of squares in base 16, as JSON has no integers of that size


class _SavedTurn(msgspec.Struct, frozen=True):
    seat: Seat
    move: str
    covered: str
    removal: str | None
    gone: str


class _Saved(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    variant: str
    advantage: Literal[0, 1]
    early_ready: bool
    items: tuple[tuple[int, int, int], tuple[int, int, int]]
    phase: Phase
    right: Right | None = None
    drawn: _TwoSets = ("0", "0")
    ready: tuple[bool, bool] = (False, False)
    extra: tuple[
        tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]
    ] = (
        ((), ()),
        ((), ()),
    )
    first: Literal[0, 1] | None = None
    red: Literal[0, 1] | None = None
    pegs: _TwoSets = ("0", "0")
    turn: int = 0
    mover: Literal[0, 1] = 0
    left: _TwoSets = ("0", "0")
    removed: _TwoSets = ("0", "0")
    owned: _TwoSets = ("0", "0")
    standing: str = "0"
    ended: tuple[Ended | None, Ended | None] = (None, None)
    spent: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
    last: _SavedTurn | None = None


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(_Saved)


def _hex(pair: tuple[int, int]) -> _TwoSets:
    return f"{pair[0]:x}", f"{pair[1]:x}"


def _sets(pair: _TwoSets) -> tuple[int, int]:
    return int(pair[0], 16), int(pair[1], 16)


def encode(state: State) -> bytes:
    """The state as JSON."""
    frame, last = state.frame, state.last
    return _ENCODER.encode(
        _Saved(
            variant=frame.variant,
            advantage=1 if frame.advantage else 0,
            early_ready=frame.early_ready,
            items=frame.items,
            phase=state.phase,
            right=frame.right,
            drawn=_hex(frame.drawn),
            ready=frame.ready,
            extra=frame.extra,
            first=_bit(frame.first),
            red=_bit(frame.red),
            pegs=_hex(frame.pegs),
            turn=state.turn,
            mover=1 if state.mover else 0,
            left=_hex(state.left),
            removed=_hex(state.removed),
            owned=_hex(state.owned),
            standing=f"{state.standing:x}",
            ended=state.ended,
            spent=state.spent,
            last=None
            if last is None
            else _SavedTurn(
                last.seat,
                notation.text_of(last.move),
                f"{last.covered:x}",
                None if last.removal is None else notation.text_of(last.removal),
                f"{last.gone:x}",
            ),
        )
    )


def _bit(seat: Seat | None) -> Literal[0, 1] | None:
    if seat is None:
        return None
    return 1 if seat else 0


def decode(data: bytes) -> State:
    """The state of an encoding. Raises :class:`EngineFault` for what never was one."""
    try:
        return _restored(_DECODER.decode(data))
    except (msgspec.MsgspecError, ValueError, Refusal) as error:
        raise EngineFault(f"not a state of Peg Domain: {error}") from error


def _restored(saved: _Saved) -> State:
    pegs = _sets(saved.pegs)
    return State(
        Frame(
            variant=saved.variant,
            advantage=saved.advantage,
            early_ready=saved.early_ready,
            items=saved.items,
            right=saved.right,
            drawn=_sets(saved.drawn),
            ready=saved.ready,
            extra=saved.extra,
            first=saved.first,
            red=saved.red,
            pegs=pegs,
            listed=(tuple(members(pegs[0])), tuple(members(pegs[1]))),
        ),
        saved.phase,
        turn=saved.turn,
        mover=saved.mover,
        left=_sets(saved.left),
        removed=_sets(saved.removed),
        owned=_sets(saved.owned),
        standing=int(saved.standing, 16),
        ended=saved.ended,
        spent=saved.spent,
        last=None
        if saved.last is None
        else Turn(
            saved.last.seat,
            _move(saved.last.move),
            int(saved.last.covered, 16),
            None if saved.last.removal is None else _move(saved.last.removal),
            int(saved.last.gone, 16),
        ),
    )


def _move(text: str) -> Any:
    return notation.parse(engine_notation.tidy(text))


# -- from a view ---------------------------------------------------------------------------------


def determinize(view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
    """A state that looks to ``seat`` like this view. Only what the opponent named for Additional
    Peg is guessed, and only while colours are open."""
    items = _items_of(view)
    rights, colours = view["rights"], view["colours"]
    advantage = view["advantage"]
    frame = Frame(
        variant=view["variant"],
        advantage=advantage,
        early_ready=view["early_ready"],
        items=items,
        right=None if rights is None else ("order" if rights["order"] == advantage else "colour"),
        ready=(view["ready"][0], view["ready"][1]),
        first=view["first"],
        red=None if colours is None else colours.index("red"),
    )
    if view["pallets"] is None:
        return State(frame, view["phase"])
    red, blue = (_pallet_of(pallet) for pallet in view["pallets"])
    own = _extra_of(view["extra"][seat])
    replace = msgspec.structs.replace
    if colours is None:
        drawn = red[0], blue[0]
        theirs = _guessed(drawn, items[other(seat)][0], random)
        extra = (own, theirs) if seat == 0 else (theirs, own)
        return State(replace(frame, drawn=drawn, extra=extra), view["phase"])
    extra = (own, ((), ())) if seat == 0 else (((), ()), own)
    by_seat = (red, blue) if frame.red == 0 else (blue, red)
    pegs = by_seat[0][0], by_seat[1][0]
    began = [red[0], blue[0]]
    at = frame.colour_of(seat)
    began[at] &= ~set_of(own[at])
    text = "".join(view["domain"]["rows"])
    owned = [
        set_of([sq for sq, mark in zip(DOMAIN_SQUARES, text, strict=True) if mark == str(of)])
        for of in (0, 1)
    ]
    return State(
        replace(
            frame,
            drawn=(began[0], began[1]),
            extra=extra,
            pegs=pegs,
            listed=(tuple(members(pegs[0])), tuple(members(pegs[1]))),
        ),
        view["phase"],
        turn=view["turn"],
        mover=view["to_move"] or 0,
        left=(by_seat[0][1], by_seat[1][1]),
        removed=(by_seat[0][2], by_seat[1][2]),
        owned=(owned[0], owned[1]),
        standing=set_of([DOMAIN_SQUARE[name] for name in view["domain"]["pegs"]]),
        ended=(view["finished"][0], view["finished"][1]),
        spent=_spent_of(view["items"]),
        last=_turn_of(view["last"]),
    )


def _items_of(view: Mapping[str, Any]) -> Any:
    return tuple(
        [tuple([held.get(item, (0, 0))[1] for item in ITEM_IDS]) for held in view["items"]]
    )


def _spent_of(items: Any) -> Any:
    return tuple(
        [
            tuple([held[item][1] - held[item][0] if item in held else 0 for item in ITEM_IDS[1:]])
            for held in items
        ]
    )


def _pallet_of(pallet: Mapping[str, Any]) -> tuple[int, int, int]:
    """Pegs, squares left and squares removed of a pallet that was shown."""
    text = "".join(pallet["rows"])

    def those(marks: str) -> int:
        return set_of(
            [square for square, mark in zip(PALLET_SQUARES, text, strict=True) if mark in marks]
        )

    return those(THERE_PEG + USED_PEG), those(THERE_PEG + "."), those(REMOVED)


def _extra_of(named: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    squares = [tuple([PALLET_SQUARE[name] for name in names]) for names in named]
    return squares[0], squares[1]


def _guessed(
    drawn: tuple[int, int], most: int, random: RandomSource
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """One square for each colour, as most holders would name."""
    if not most:
        return (), ()
    named = []
    for pegs in drawn:
        fit = members(removable_at_first(pegs))
        named.append((choose(random, fit),) if fit else ())
    return named[0], named[1]


def _turn_of(last: Mapping[str, Any] | None) -> Turn | None:
    if last is None:
        return None
    return Turn(
        last["seat"],
        _move(last["move"]),
        set_of([DOMAIN_SQUARE[name] for name in last["covered"]]),
        None if last["removal"] is None else _move(last["removal"]),
        set_of([PALLET_SQUARE[name] for name in last["gone"]]),
    )
