"""Tables as compact JSON."""

from __future__ import annotations

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.decisions import Decision, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.table import AnyRuleset, Header, Open, Sealed, Table


class _SavedSealed(msgspec.Struct, frozen=True):
    decision: Decision
    text: str | None
    extension_ms: int
    reading_ms: int


class _SavedTable(msgspec.Struct, frozen=True, kw_only=True):
    advantage: Seat | None
    state: msgspec.Raw  # raw JSON cannot be in a union, so no state is a raw null
    reserve_ms: tuple[int, int]
    epoch: int
    open: tuple[Open | None, Open | None]
    sealed: tuple[_SavedSealed, ...]
    paused: bool
    result: Outcome | None
    suspended: tuple[Open | None, Open | None] = (None, None)


_NO_STATE = b"null"
_DECODER = msgspec.json.Decoder(_SavedTable)
_ENCODER = msgspec.json.Encoder()


def encode_table(ruleset: AnyRuleset, table: Table) -> bytes:
    """A table as compact JSON, the header left out."""
    return _ENCODER.encode(
        _SavedTable(
            advantage=table.advantage,
            state=msgspec.Raw(_NO_STATE if table.state is None else ruleset.encode(table.state)),
            reserve_ms=table.reserve_ms,
            epoch=table.epoch,
            open=table.open,
            sealed=tuple(
                [
                    _SavedSealed(
                        held.decision,
                        None if held.move is None else ruleset.print(held.move),
                        held.extension_ms,
                        held.reading_ms,
                    )
                    for held in table.sealed
                ]
            ),
            paused=table.paused,
            result=table.result,
            suspended=table.suspended,
        )
    )


def decode_table(ruleset: AnyRuleset, header: Header, data: bytes | str) -> Table:
    """The table of an encoding. Raises EngineFault for what never was one."""
    try:
        return _restore(ruleset, header, _DECODER.decode(data))
    except (msgspec.MsgspecError, Refusal) as error:
        raise EngineFault(f"not a table: {error}") from error


def _restore(ruleset: AnyRuleset, header: Header, saved: _SavedTable) -> Table:
    state = bytes(saved.state)
    return Table(
        header=header,
        advantage=saved.advantage,
        state=None if state == _NO_STATE else ruleset.decode(state),
        reserve_ms=saved.reserve_ms,
        epoch=saved.epoch,
        open=saved.open,
        sealed=tuple(
            [
                Sealed(
                    held.decision,
                    None if held.text is None else ruleset.parse(notation.tidy(held.text)),
                    held.extension_ms,
                    held.reading_ms,
                )
                for held in saved.sealed
            ]
        ),
        paused=saved.paused,
        result=saved.result,
        suspended=saved.suspended,
    )
