"""A match without wall time.

A `Table` is everything about a match except wall time: the ruleset's state, the reserves, the open
decisions, the choices held back behind a barrier, a pause, the result. Each `Entry` of the match
record leads from one table to the next, or is refused and changes nothing: `play` has the entries
of players, time and chance, `acts` those of organisers. `limits` tells how long a decision can be
answered, and `course` is the fold over all entries.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from games.engine.decisions import Decision, Event, Outcome, Seat
from games.engine.ruleset import HeldItem, Ruleset

AnyRuleset: TypeAlias = Ruleset[Any, Any]
Actor: TypeAlias = Literal[0, 1, "chance", "organiser"]


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed before a match: the fixed part of its record. ``options`` is an instance of
    the ruleset's options type; ``advantage`` None means that it is drawn by lot."""

    ruleset: str
    variant: str
    options: Any
    advantage: Seat | None = None
    items: tuple[HeldItem, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a match: a submission, a timeout, an outcome of chance or an organiser's act.

    ``reading_ms`` is what the decision's clock showed; None where the entry states none.
    """

    actor: Actor
    text: str = ""
    timeout: bool = False
    reading_ms: int | None = None
    by: str = ""
    why: str = ""

    @property
    def is_submission(self) -> bool:
        """Whether a player submitted this."""
        return not self.timeout and self.actor in (0, 1)


class Open(msgspec.Struct, frozen=True):
    """An open decision, the time added to it by the organiser, and the reading of the last
    submission within it."""

    decision: Decision
    extension_ms: int = 0
    reading_ms: int = 0


class Sealed(msgspec.Struct, frozen=True):
    """An answer held back until its barrier is complete; None while chance has yet to draw it.

    Its ``reading_ms`` is charged only when the barrier opens: a reserve that shrank earlier would
    tell everybody that the answer is in.
    """

    decision: Decision
    move: Any
    extension_ms: int = 0
    reading_ms: int = 0


class Table(msgspec.Struct, frozen=True):
    """A match between two entries. ``reserve_ms``, ``open`` and ``suspended`` (decisions that
    cannot be answered just now, with their clocks as they stood) are by seat."""

    header: Header
    advantage: Seat | None = None
    state: Any = None
    reserve_ms: tuple[int, int] = (0, 0)
    epoch: int = 0
    open: tuple[Open | None, Open | None] = (None, None)
    sealed: tuple[Sealed, ...] = ()
    paused: bool = False
    result: Outcome | None = None
    suspended: tuple[Open | None, Open | None] = (None, None)

    def holds_back(self, seat: Seat) -> bool:
        """Whether an answer of this seat waits behind a barrier."""
        return any(sealed.decision.seat == seat for sealed in self.sealed)


class Step(msgspec.Struct, frozen=True):
    """What one entry led to: the next table, and what happened for the log, in order.
    ``text`` is the entry's canonical text."""

    table: Table
    events: tuple[Event, ...]
    text: str
