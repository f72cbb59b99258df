"""What an entry does to a table in the end, whoever made it.

Answers are applied or held back behind their barrier, decisions end and are paid for, others open,
and the match is over. Nothing here looks at an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from core.refusals import Refusal
from games.engine.capabilities import disputes_of, penalties_of
from games.engine.clocks import to_ms
from games.engine.decisions import Decision, Draw, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.limits import last_reading_of, policy_of
from games.engine.ruleset import Chosen
from games.engine.table import AnyRuleset, Open, Sealed, Step, Table


def must_be_on(table: Table) -> None:
    """Raises Refusal ``match.over``."""
    if table.result is not None:
        raise Refusal("match.over", "The match is over.")


def with_answer(
    ruleset: AnyRuleset,
    table: Table,
    slot: Open,
    move: Any,
    reading_ms: int,
    *,
    final: bool = False,
) -> Step:
    """The step of an open decision's answer: applied, or held back behind a barrier unless it was
    the last one there. ``final``: one behind a barrier cannot be changed any more."""
    if slot.decision.barrier is not None:
        final = final or not slot.decision.changeable
        held_back = holding_back(table, slot, move, reading_ms, final=final)
        return barrier_opened(ruleset, held_back, slot.decision.barrier)
    seat = slot.decision.seat
    read = msgspec.structs.replace(slot, reading_ms=reading_ms)
    table = msgspec.structs.replace(table, open=with_slot(table.open, seat, read))
    return _apply(ruleset, table, ((seat, move),))


def holding_back(table: Table, slot: Open, move: Any, reading_ms: int, *, final: bool) -> Table:
    """The table with an answer waiting behind its barrier; ``move`` None: chance will draw it."""
    seat = slot.decision.seat
    held = Sealed(slot.decision, move, slot.extension_ms, reading_ms)
    still_open = None if final else msgspec.structs.replace(slot, reading_ms=reading_ms)
    others = [each for each in table.sealed if each.decision.seat != seat]
    return msgspec.structs.replace(
        table, open=with_slot(table.open, seat, still_open), sealed=(*others, held)
    )


def barrier_opened(ruleset: AnyRuleset, table: Table, barrier: str | None) -> Step:
    """The answers behind ``barrier``, applied together if nothing is waited for any more."""
    behind = sorted(
        (held for held in table.sealed if held.decision.barrier == barrier),
        key=lambda held: held.decision.seat,
    )
    if any(held.move is None for held in behind):
        return Step(table, (), "")
    unanswered = [
        slot
        for seat, slot in enumerate(table.open)
        if slot is not None and slot.decision.barrier == barrier and not table.holds_back(seat)
    ]
    settled = any(ruleset.settles(table.state, held.decision, held.move) for held in behind)
    if not settled and not all(
        _is_passed_over(ruleset, table, slot, behind) for slot in unanswered
    ):
        return Step(table, (), "")
    slots = table.open
    for held in behind:
        table = charged(ruleset, table, held)
        slots = with_slot(slots, held.decision.seat, None)
    table = msgspec.structs.replace(
        table,
        open=slots,
        sealed=tuple([held for held in table.sealed if held.decision.barrier != barrier]),
    )
    return _apply(ruleset, table, tuple([(held.decision.seat, held.move) for held in behind]))


def _is_passed_over(
    ruleset: AnyRuleset, table: Table, slot: Open, behind: Sequence[Sealed]
) -> bool:
    """Whether an unanswered decision had all its time before the last answer behind its barrier
    came in. Exactly all of it is enough: an answer at that reading would have to be in by now."""
    if not policy_of(ruleset, table, slot.decision).lingers:
        return False
    latest = max([held.reading_ms for held in behind], default=0)
    return latest >= last_reading_of(ruleset, table, slot)


def _apply(ruleset: AnyRuleset, table: Table, chosen: Chosen[Any]) -> Step:
    state = ruleset.apply(table.state, chosen)
    events = tuple(ruleset.events(table.state, chosen, state))
    return Step(moved_on(ruleset, table, state), events, "")


def timeout_draw(ruleset: AnyRuleset, table: Table, held: Sealed) -> Draw:
    """The draw that an answer waits for whose time ran out. Raises EngineFault where the ruleset
    draws nothing then."""
    answer = ruleset.on_timeout(table.state, held.decision)
    if not isinstance(answer, Draw):
        raise EngineFault(f"{held.decision.id} waits for a draw that its ruleset does not make")
    return answer


def moved_on(ruleset: AnyRuleset, table: Table, state: Any) -> Table:
    """The table with a new state: decisions that are still the same run on or are suspended, those
    that ended are charged, new ones open."""
    outcome = ruleset.outcome(state)
    final = [held for held in table.sealed if table.open[held.decision.seat] is None]
    now = _by_seat(() if outcome is not None else ruleset.decisions(state), final)
    epoch = ruleset.reserve_epoch(state)
    disputes, penalties = disputes_of(ruleset), penalties_of(ruleset)
    suspended = _by_seat(
        () if outcome is not None or disputes is None else disputes.suspended(state), ()
    )
    slots: list[Open | None] = [None, None]
    waiting: list[Open | None] = [None, None]
    for seat in (0, 1):
        slot, decision = table.open[seat] or table.suspended[seat], now[seat] or suspended[seat]
        if slot is not None and (decision is None or decision.id != slot.decision.id):
            table = charged(ruleset, table, slot)
            slot = None
        if decision is not None:
            where = slots if now[seat] is not None else waiting
            where[seat] = (
                Open(decision) if slot is None else msgspec.structs.replace(slot, decision=decision)
            )
    if penalties is not None and table.state is not None:
        table = _with_costs(table, penalties.reserve_costs(table.state, state))
    reserve = table.reserve_ms
    if epoch != table.epoch:
        full = to_ms(table.header.options.reserve)
        reserve = (full, full)
    moved = msgspec.structs.replace(
        table,
        state=state,
        epoch=epoch,
        reserve_ms=reserve,
        open=(slots[0], slots[1]),
        suspended=(waiting[0], waiting[1]),
    )
    return moved if outcome is None else concluded(ruleset, moved, outcome)


def _with_costs(table: Table, costs: tuple[int, int]) -> Table:
    """The table after what the rules, not the clocks, take from the reserves."""
    for seat, cost in enumerate(costs):
        if cost:
            table = with_reserve(table, seat, -cost)
    return table


def _by_seat(
    decisions: Sequence[Decision], sealed: Sequence[Sealed]
) -> tuple[Decision | None, Decision | None]:
    by_seat: list[Decision | None] = [None, None]
    answered = {(held.decision.seat, held.decision.id) for held in sealed}
    for decision in decisions:
        if (decision.seat, decision.id) in answered:
            continue
        if by_seat[decision.seat] is not None:
            raise EngineFault(f"two decisions are open to seat {decision.seat}")
        by_seat[decision.seat] = decision
    return by_seat[0], by_seat[1]


def concluded(ruleset: AnyRuleset, table: Table, result: Outcome) -> Table:
    """The table once the match is over; answers that were still held back are paid for, too, and
    so are decisions that were suspended."""
    unpaid: list[Open | Sealed | None] = [*table.sealed, *table.suspended]
    for ended in unpaid:
        if ended is not None:
            table = charged(ruleset, table, ended)
    return msgspec.structs.replace(
        table,
        result=result,
        open=(None, None),
        sealed=(),
        paused=False,
        suspended=(None, None),
    )


def charged(ruleset: AnyRuleset, table: Table, ended: Open | Sealed) -> Table:
    """The table after a decision that ended has been paid for, at its last reading."""
    seat = ended.decision.seat
    policy = policy_of(ruleset, table, ended.decision)
    spent = policy.spent(ended.reading_ms, table.reserve_ms[seat], ended.extension_ms)
    return with_reserve(table, seat, -spent)


def with_slot(
    slots: tuple[Open | None, Open | None], seat: Seat, slot: Open | None
) -> tuple[Open | None, Open | None]:
    """The slots, by seat, with another one at ``seat``."""
    return (slot, slots[1]) if seat == 0 else (slots[0], slot)


def with_reserve(table: Table, seat: Seat, amount_ms: int) -> Table:
    """The table with so much added to a seat's reserve, or taken away: never below nothing."""
    reserve = list(table.reserve_ms)
    reserve[seat] = max(0, reserve[seat] + amount_ms)
    return msgspec.structs.replace(table, reserve_ms=(reserve[0], reserve[1]))
