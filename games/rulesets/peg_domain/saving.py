"""States as compact JSON, and back again from there or from a view."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from core.refusals import Refusal
from games.engine import notation as engine_notation
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.rulesets.peg_domain import notation
from games.rulesets.peg_domain.boards import (
    members,
)
from games.rulesets.peg_domain.moves import Right
from games.rulesets.peg_domain.state import (
    Ended,
    PegDomainState,
    PegTurn,
    Phase,
    Preliminaries,
)

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


def encode(state: PegDomainState) -> bytes:
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
                notation.print_move(last.move),
                f"{last.covered:x}",
                None if last.removal is None else notation.print_move(last.removal),
                f"{last.gone:x}",
            ),
        )
    )


def _bit(seat: Seat | None) -> Literal[0, 1] | None:
    if seat is None:
        return None
    return 1 if seat else 0


def decode(data: bytes) -> PegDomainState:
    """The state of an encoding. Raises EngineFault for what never was one."""
    try:
        return _state_of(_DECODER.decode(data))
    except (msgspec.MsgspecError, ValueError, Refusal) as error:
        raise EngineFault(f"not a state of Peg Domain: {error}") from error


def _state_of(saved: _Saved) -> PegDomainState:
    pegs = _sets(saved.pegs)
    return PegDomainState(
        Preliminaries(
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
        else PegTurn(
            saved.last.seat,
            _move(saved.last.move),
            int(saved.last.covered, 16),
            None if saved.last.removal is None else _move(saved.last.removal),
            int(saved.last.gone, 16),
        ),
    )


def _move(text: str) -> Any:
    return notation.parse_move(engine_notation.tidy(text))
