"""Playing Domain in tests: a pool small enough to count by hand, and a match at a table."""

from __future__ import annotations

from typing import Any

import msgspec

from games.engine import course, play, records
from games.engine.decisions import Event, Seat
from games.engine.registry import Registry
from games.engine.table import Entry, Header, Table
from games.rulesets.domain import Domain
from games.rulesets.domain.pool import Pool, PoolDocument, prepared
from games.rulesets.domain.rules import DomainOptions
from games.rulesets.domain.state import DomainState

RULES = Domain()
REGISTRY = Registry(RULES)

Ring = list[list[int]]


def box(half: int, other: int | None = None) -> Ring:
    """A rectangle about (0, 0): pixels -half up to half - 1, and likewise down."""
    tall = half if other is None else other
    return [[-half, -tall], [half, -tall], [half, tall], [-half, tall]]


# On domains of 40 by 30 pixels; the areas are 100, 64, 144 (16 of it void), 144 (80 of it
# purple), 36 and 128 (with a hole of 16).
SMALL: dict[str, Any] = {
    "name": "small",
    "version": "1.0",
    "size": [40, 30],
    "shapes": [
        {"id": "01", "outline": box(5), "start": True},
        {"id": "02", "outline": box(8, 2)},
        {"id": "03", "outline": box(6), "voids": [box(2)]},
        {"id": "04", "outline": box(6), "inner": box(4)},
        {"id": "05", "outline": box(3)},
        {"id": "06", "outline": box(6), "holes": [box(2)]},
    ],
}
BARE = 1200


def pool_of(document: dict[str, Any]) -> Pool:
    """A pool from its document."""
    return prepared(msgspec.convert(document, PoolDocument))


class Game:
    """A match at a table. Seat 1 has the advantage and so owns red; every submission reads 1 s
    more than the one before within its decision, unless a reading is given."""

    def __init__(self, advantage: Seat = 1, **options: Any) -> None:
        options.setdefault("pool", SMALL)
        if options["pool"] is None:
            del options["pool"]
        self.header = Header(
            ruleset="domain",
            variant="standard",
            options=msgspec.convert(options, DomainOptions),
            advantage=advantage,
        )
        self.table: Table = play.opened(RULES, self.header)
        self.entries: list[Entry] = []
        self.events: tuple[Event, ...] = ()

    @property
    def state(self) -> DomainState:
        state: DomainState = self.table.state
        return state

    @property
    def reserve(self) -> tuple[int, int]:
        """In seconds."""
        first, second = self.table.reserve_ms
        return first // 1000, second // 1000

    @property
    def over(self) -> bool:
        """Whether there is a result."""
        return self.table.result is not None

    @property
    def to_move(self) -> list[Seat]:
        """The seats with a decision open."""
        return [seat for seat in (0, 1) if self.table.open[seat] is not None]

    @property
    def kind(self) -> str:
        """What is asked of the one seat that has something to decide."""
        (seat,) = self.to_move
        kind: str = self.decision(seat).kind
        return kind

    def decision(self, seat: Seat) -> Any:
        slot = self.table.open[seat]
        assert slot is not None
        return slot.decision

    def add(self, entry: Entry) -> Game:
        step = course.entered(RULES, self.table, entry)
        self.table, self.events = step.table, step.events
        self.entries.append(msgspec.structs.replace(entry, text=step.text or entry.text))
        return self

    def draw(self, text: str = "pool small@1.0") -> Game:
        return self.add(Entry(actor="chance", text=text))

    def say(self, seat: Seat, text: str, at: float | None = None) -> Game:
        slot = self.table.open[seat]
        before = slot.reading_ms if slot is not None else 0
        reading = before + 1000 if at is None else round(at * 1000)
        return self.add(Entry(actor=1 if seat else 0, text=text, reading_ms=reading))

    def late(self, seat: Seat) -> Game:
        return self.add(Entry(actor=1 if seat else 0, timeout=True))

    def rule(self, text: str) -> Game:
        return self.add(Entry(actor="organiser", text=text))

    def drafting(self, picker: str = "second") -> Game:
        """Up to the first pick: seat 0's, unless the advantage seat chooses otherwise."""
        return self.draw().say(0, "ready").say(1, "ready").say(1, picker)

    def placing(self, *order: str) -> Game:
        """Up to the first placement, shapes taken in this order, seat 0 first."""
        self.drafting()
        for number, shape in enumerate(order or ("01", "02", "03", "04", "05", "06")):
            self.say(number % 2, f"take {shape}")
        return self

    def record(self, **changes: Any) -> dict[str, Any]:
        """The match so far as a record."""
        written = records.write(
            RULES,
            self.header,
            seats=("Ada", "Ben"),
            entries=self.entries,
            result=self.table.result,
        )
        document: dict[str, Any] = msgspec.json.decode(written)
        return document | changes
