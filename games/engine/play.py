"""What players do at a table, and what time and chance do: each a step to the next table.

Each function takes a table and one entry and gives the next table and what happened, or raises
Refusal and leaves nothing changed. Live play and the record checker call the same functions; live
play finds out the readings by its stopwatches, a record states them.
"""

from __future__ import annotations

import re

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.chance import Below
from games.engine.clocks import to_ms
from games.engine.decisions import EVERYONE, Draw, Event, Outcome, Seat, other
from games.engine.limits import limit_of, runs_out_of
from games.engine.progress import (
    barrier_opened,
    charged,
    concluded,
    holding_back,
    moved_on,
    must_be_on,
    timeout_draw,
    with_answer,
)
from games.engine.ruleset import Setup
from games.engine.table import AnyRuleset, Header, Step, Table

LOT = Draw("lot")
CONCEDE = "concede"


def opened(ruleset: AnyRuleset, header: Header) -> Table:
    """The table before the first entry.

    Raises Refusal ``setup.*`` for a variant or an item that the ruleset does not know.
    """
    ruleset.variant(header.variant)
    for held in header.items:
        ruleset.item(held.item, header.variant)
    table = Table(header=header)
    if header.advantage is None:
        return table
    return _begin(ruleset, table, header.advantage)


def _begin(ruleset: AnyRuleset, table: Table, advantage: Seat) -> Table:
    header = table.header
    state = ruleset.initial(
        Setup(
            variant=header.variant,
            options=header.options,
            advantage=advantage,
            items=header.items,
        )
    )
    full = to_ms(header.options.reserve)
    begun = msgspec.structs.replace(
        table,
        advantage=advantage,
        reserve_ms=(full, full),
        epoch=ruleset.reserve_epoch(state),
    )
    return moved_on(ruleset, begun, state)


def submitted(ruleset: AnyRuleset, table: Table, *, seat: Seat, text: str, reading_ms: int) -> Step:
    """A player's submission at a reading of the decision's clock.

    Raises Refusal ``match.*`` where the match takes none, ``decision.*`` where this seat has
    nothing to answer, ``clock.*`` for an impossible reading, and whatever the ruleset says.
    """
    must_be_on(table)
    tidied = notation.tidy(text)
    slot = table.open[seat]
    limit = limit_of(ruleset, table, seat)
    if limit is not None and reading_ms > limit:
        raise Refusal("clock.over", "The time for this decision was over.")
    if slot is not None and reading_ms < slot.reading_ms:
        raise Refusal("clock.backwards", "The clock of this decision showed more than that before.")
    if tidied == CONCEDE:
        return _concede(ruleset, table, seat, reading_ms)
    if table.paused:
        raise Refusal("match.paused", "The match is paused; the clocks stand still.")
    if slot is None:
        if table.holds_back(seat):
            raise Refusal("decision.sealed", "Your choice is in and can no longer be changed.")
        raise Refusal("decision.none", "There is nothing for you to decide right now.")
    decision = slot.decision
    move = ruleset.parse(tidied)
    ruleset.validate(table.state, decision, move)
    move = ruleset.canonical(table.state, decision, move)
    step = with_answer(ruleset, table, slot, move, reading_ms)
    return msgspec.structs.replace(step, text=ruleset.print(move))


def is_concession(text: str) -> bool:
    """Whether a player's text concedes the match."""
    try:
        return notation.tidy(text) == CONCEDE
    except Refusal:
        return False


def _concede(ruleset: AnyRuleset, table: Table, seat: Seat, reading_ms: int) -> Step:
    if table.advantage is None:
        raise Refusal("chance.lot-first", "Who has the advantage must be drawn by lot first.")
    slot = table.open[seat]
    if slot is not None:
        # An answer of one's own that is held back is part of the same decision: one charge.
        others = tuple([held for held in table.sealed if held.decision.seat != seat])
        table = msgspec.structs.replace(table, sealed=others)
        table = charged(ruleset, table, msgspec.structs.replace(slot, reading_ms=reading_ms))
    event = Event(kind="concede", seat=seat, text="conceded the match", seen_by=EVERYONE)
    result = Outcome(other(seat), "concession", ruleset.scores(table.state))
    return Step(concluded(ruleset, table, result), (event,), CONCEDE)


def timed_out(
    ruleset: AnyRuleset, table: Table, *, seat: Seat, reading_ms: int | None = None
) -> Step:
    """The open decision of ``seat`` ran out.

    Raises Refusal ``decision.none`` where none is open, ``clock.not-out`` where a stated reading is
    within the time allowed, ``match.paused`` and ``match.over``.
    """
    must_be_on(table)
    if table.paused:
        raise Refusal("match.paused", "No clock can run out during a pause.")
    slot = table.open[seat]
    if slot is None:
        raise Refusal("decision.none", "This seat has no decision that could run out.")
    limit = runs_out_of(ruleset, table, seat)
    if limit is None:
        raise Refusal("clock.not-out", "This decision does not run out as things stand.")
    if reading_ms is not None and reading_ms <= limit:
        raise Refusal("clock.not-out", "The time for this decision was not over yet.")
    event = Event(kind="timeout", seat=seat, text="ran out of time", seen_by=EVERYONE)
    answer = ruleset.on_timeout(table.state, slot.decision)
    if slot.decision.barrier is not None and (
        isinstance(answer, Draw) or not ruleset.settles(table.state, slot.decision, answer)
    ):
        # That a sealed choice was not made in time stays as secret as the choice itself.
        event = msgspec.structs.replace(event, seen_by=(seat,))
    if isinstance(answer, Draw):
        step = Step(holding_back(table, slot, None, limit, final=True), (), "")
    else:
        step = with_answer(ruleset, table, slot, answer, limit, final=True)
    return msgspec.structs.replace(step, events=(event, *step.events))


def draws_due(ruleset: AnyRuleset, table: Table) -> tuple[Draw, ...]:
    """The draws that chance owes this table; any order is accepted."""
    if table.result is not None:
        return ()
    if table.advantage is None:
        return (LOT,)
    timeouts = tuple(
        [timeout_draw(ruleset, table, held) for held in table.sealed if held.move is None]
    )
    return timeouts + ruleset.chance_due(table.state)


def drawn(ruleset: AnyRuleset, table: Table, draw: Draw, below: Below) -> str:
    """The record text of an outcome for ``draw``, which must be due, built on ``below``."""
    if draw == LOT:
        return f"lot {below(2)}"
    return ruleset.print_chance(ruleset.draw(table.state, draw, below))


def draw_label(ruleset: AnyRuleset, table: Table, draw: Draw) -> str:
    """What a draw that is due is called among all of the match."""
    return LOT.kind if draw == LOT else ruleset.draw_label(table.state, draw)


def chanced(ruleset: AnyRuleset, table: Table, *, text: str, by: str = "") -> Step:
    """An outcome of chance, or where ``by`` names an organiser what they supplied in its place; the
    log says so.

    Raises Refusal ``chance.not-due`` for a draw nobody asked for, and ``notation.*`` or the
    ruleset's own codes for an outcome that cannot be.
    """
    must_be_on(table)
    step = _apply_chance(ruleset, table, text)
    if not by:
        return step
    event = Event(
        kind="supplied",
        seat=None,
        text=f"What would have been drawn now was supplied by an organiser, {by}.",
        seen_by=EVERYONE,
        data={"by": by},
    )
    return msgspec.structs.replace(step, events=(event, *step.events))


def _apply_chance(ruleset: AnyRuleset, table: Table, text: str) -> Step:
    lot = _LOT.fullmatch(text.strip(" ").lower())
    if table.advantage is None:
        if lot is None:
            raise Refusal("chance.lot-first", "Who has the advantage must be drawn by lot first.")
        return _apply_lot(ruleset, table, int(lot[1]))
    if lot is not None:
        raise Refusal("chance.not-due", "The advantage is settled; no lot is drawn.")
    chance = ruleset.parse_chance(text)
    canonical = ruleset.print_chance(chance)
    for held in table.sealed:
        if held.move is None and timeout_draw(ruleset, table, held) == chance.draw:
            ruleset.check_chance(table.state, chance)
            move = ruleset.drawn_move(table.state, chance)
            table = msgspec.structs.replace(
                table,
                sealed=tuple(
                    [
                        msgspec.structs.replace(s, move=move) if s is held else s
                        for s in table.sealed
                    ]
                ),
            )
            step = barrier_opened(ruleset, table, held.decision.barrier)
            return msgspec.structs.replace(step, text=canonical)
    if chance.draw not in ruleset.chance_due(table.state):
        raise Refusal("chance.not-due", "Nothing of the kind is to be drawn now.")
    state = ruleset.apply_chance(table.state, chance)
    events = tuple(ruleset.chance_events(table.state, chance, state))
    return Step(moved_on(ruleset, table, state), events, canonical)


_LOT = re.compile(r"lot +([01])")


def _apply_lot(ruleset: AnyRuleset, table: Table, advantage: Seat) -> Step:
    event = Event(
        kind="lot", seat=advantage, text="has the advantage, drawn by lot", seen_by=EVERYONE
    )
    return Step(_begin(ruleset, table, advantage), (event,), f"lot {advantage}")
