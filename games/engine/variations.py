"""Lines: what could have happened from a position on, for both seats.

A line is text, so that a link holds all of it: steps parted by ``~``, each with who made it before
what, as records write it (``0 TF5``, ``chance lot 1``). What chance brought is part of it: whoever
follows the link sees exactly the same position.
"""

from __future__ import annotations

from typing import Final

import msgspec

from core.refusals import Refusal
from games.engine.acts import organised, parse_act
from games.engine.chance import RandomSource, evenly
from games.engine.decisions import Event, Seat
from games.engine.play import chanced, drawn, draws_due, submitted
from games.engine.table import AnyRuleset, Step, Table

PARTED_BY: Final = "~"
LONGEST: Final = 4000  # characters, so that an address can hold it
_RULINGS: Final = frozenset({"rule valid", "rule invalid"})


class Variation(msgspec.Struct, frozen=True):
    """Where a line leads to: the line in its one canonical form, the table after it, and what
    happened with its last step and the chance that followed from it."""

    line: str
    table: Table
    events: tuple[Event, ...] = ()


def followed(
    ruleset: AnyRuleset, table: Table, line: str, random: RandomSource | None = None
) -> Variation:
    """Where a line leads to from a table. With ``random``, what chance owes after it is drawn and
    put down in the line.

    Raises Refusal ``study.line`` and ``study.line-too-long`` for what is no line, and whatever the
    engine says of a step that cannot be.
    """
    _must_fit(line)
    here = Variation("", _at_rest(table))
    for text in line.split(PARTED_BY) if line else ():
        actor, _, said = text.partition(" ")
        step = _stepped(ruleset, here.table, actor, said)
        events = here.events if actor == "chance" else ()
        here = _after(here, actor, step, events)
    return here if random is None else _with_chance(ruleset, here, random)


def played(
    ruleset: AnyRuleset, table: Table, line: str, seat: Seat, text: str, random: RandomSource
) -> Variation:
    """Where a line leads to with one more answer, and what chance then brings. Raises Refusal as
    `followed` does."""
    before = followed(ruleset, table, line, random)
    step = _stepped(ruleset, before.table, str(seat), text)
    after = _with_chance(ruleset, _after(before, str(seat), step), random)
    _must_fit(after.line)
    return after


def _stepped(ruleset: AnyRuleset, table: Table, actor: str, text: str) -> Step:
    match actor:
        case "0" | "1":
            seat = int(actor)
            slot = table.open[seat]
            # A line takes no time.
            reading_ms = 0 if slot is None else slot.reading_ms
            return submitted(ruleset, table, seat=seat, text=text, reading_ms=reading_ms)
        case "chance":
            return chanced(ruleset, table, text=text)
        case "organiser" if text in _RULINGS:
            return organised(ruleset, table, act=parse_act(text))
    raise Refusal("study.line", "This is no line of moves.")


def _after(before: Variation, actor: str, step: Step, events: tuple[Event, ...] = ()) -> Variation:
    text = f"{actor} {step.text}"
    line = f"{before.line}{PARTED_BY}{text}" if before.line else text
    return Variation(line, step.table, (*events, *step.events))


def _with_chance(ruleset: AnyRuleset, here: Variation, random: RandomSource) -> Variation:
    while due := draws_due(ruleset, here.table):
        text = drawn(ruleset, here.table, due[0], evenly(random))
        step = chanced(ruleset, here.table, text=text)
        here = _after(here, "chance", step, here.events)
    return here


def _at_rest(table: Table) -> Table:
    """The same table with nothing that stands still: whoever tries a line waits for nobody."""
    return msgspec.structs.replace(table, paused=False)


def _must_fit(line: str) -> None:
    if len(line) > LONGEST:
        raise Refusal("study.line-too-long", "This line is as long as a line can be.")
