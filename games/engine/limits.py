"""How long a decision can be answered, and what everybody may see of that."""

from __future__ import annotations

from games.engine.clocks import ClockPolicy
from games.engine.decisions import Decision, Seat, other
from games.engine.table import AnyRuleset, Open, Table


def policy_of(ruleset: AnyRuleset, table: Table, decision: Decision) -> ClockPolicy:
    """The clock policy that ``decision`` runs against."""
    return ruleset.policies(table.header.options)[decision.clock]


def limit_of(ruleset: AnyRuleset, table: Table, seat: Seat) -> int | None:
    """The last reading at which this seat's open decision can still be answered, or None."""
    slot = table.open[seat]
    if slot is None:
        return None
    awaited = _decision_awaited_by(ruleset, table, slot)
    return last_reading_of(ruleset, table, slot if awaited is None else awaited)


def runs_out_of(ruleset: AnyRuleset, table: Table, seat: Seat) -> int | None:
    """The last reading before this seat's open decision runs out; None where it has none, or one
    that does not run out as things stand: it lingers, or an answer of this seat is held back."""
    slot = table.open[seat]
    if (
        slot is None
        or table.holds_back(seat)
        or _decision_awaited_by(ruleset, table, slot) is not None
    ):
        return None
    return last_reading_of(ruleset, table, slot)


def shown(table: Table, seat: Seat) -> Open | None:
    """The decision that this seat is seen to be at: its open one, or the one whose answer is held
    back, which to everybody else must look as if it were open."""
    slot = table.open[seat]
    if slot is not None:
        # An answer that may yet be changed leaves the decision open, but its reading is a secret.
        return Open(slot.decision, slot.extension_ms) if table.holds_back(seat) else slot
    for held in table.sealed:
        if held.decision.seat == seat:
            return Open(held.decision, held.extension_ms)
    return None


def shown_limit_of(ruleset: AnyRuleset, table: Table, seat: Seat) -> int | None:
    """The last reading of the time that this seat is seen to have, the same whether an answer is
    held back or not."""
    slot = shown(table, seat)
    return None if slot is None else last_reading_of(ruleset, table, slot)


def last_reading_of(ruleset: AnyRuleset, table: Table, slot: Open) -> int:
    """The last reading of a decision's own time: its turn, the reserve and what was added."""
    policy = policy_of(ruleset, table, slot.decision)
    return policy.limit(table.reserve_ms[slot.decision.seat], slot.extension_ms)


def _decision_awaited_by(ruleset: AnyRuleset, table: Table, slot: Open) -> Open | None:
    """The unanswered decision of the other seat that ``slot``, which lingers, lasts as long as."""
    seat = other(slot.decision.seat)
    theirs = table.open[seat]
    if not policy_of(ruleset, table, slot.decision).lingers or theirs is None:
        return None
    if theirs.decision.barrier != slot.decision.barrier or table.holds_back(seat):
        return None
    return None if policy_of(ruleset, table, theirs.decision).lingers else theirs
