"""Decisions: who may submit what, against which clock; and the chance that is due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

Seat: TypeAlias = int  # 0 or 1
Audience: TypeAlias = Literal[0, 1, "room", "all"]

ROOM: Literal["room"] = "room"
ALL: Literal["all"] = "all"  # everyone, once the match is over and everything is revealed
EVERYONE: tuple[Audience, ...] = (0, 1, "room")


def other(seat: Seat) -> Seat:
    """The seat across the table."""
    return 1 - seat


class Decision(msgspec.Struct, frozen=True):
    """One open question to one seat.

    ``id`` is stable for as long as the question is the same one: a decision that takes several
    submissions keeps its id, and with it its clock. ``clock`` names one of the ruleset's clock
    policies. Decisions with the same ``barrier`` are sealed: their answers are held back and
    applied together once the last of them is in. A ``changeable`` one stays open while its answer
    is held back, and a later answer replaces the earlier one.
    """

    id: str
    seat: Seat
    kind: str
    clock: str
    prompt: str
    barrier: str | None = None
    changeable: bool = False


class Draw(msgspec.Struct, frozen=True):
    """Chance that must be drawn now: what is drawn, and for whom (a seat, a colour, nobody)."""

    kind: str
    whose: int | str | None = None


class Chance(msgspec.Struct, frozen=True):
    """The outcome of a `Draw`, as handed in by the server or read from a record."""

    kind: str
    whose: int | str | None
    value: tuple[str, ...]

    @property
    def draw(self) -> Draw:
        """The draw that this outcome answers."""
        return Draw(self.kind, self.whose)


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended. ``winner`` is None only for a voided match."""

    winner: Seat | None
    reason: str
    scores: tuple[int, int]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened, for the log.

    ``seen_by`` lists the audiences that learn ``text`` and ``data``; it has no default, so nothing
    is public by omission. Audiences outside it get ``public_text`` and ``public_data``, or nothing
    at all where ``public_text`` is None. After the end everyone gets the full form.
    """

    kind: str
    seat: Seat | None
    text: str
    seen_by: tuple[Audience, ...]
    data: dict[str, object] = msgspec.field(default_factory=dict)
    public_text: str | None = None
    public_data: dict[str, object] = msgspec.field(default_factory=dict)

    def seen_as(self, audience: Audience) -> SeenEvent | None:
        """The form of this event that ``audience`` may read, or None."""
        if audience == ALL or audience in self.seen_by:
            return SeenEvent(kind=self.kind, seat=self.seat, text=self.text, data=self.data)
        if self.public_text is None:
            return None
        return SeenEvent(
            kind=self.kind, seat=self.seat, text=self.public_text, data=self.public_data
        )


class SeenEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as one audience reads it."""

    kind: str
    seat: Seat | None
    text: str
    data: dict[str, object]


def seen_by(events: Sequence[Event], audience: Audience) -> list[SeenEvent]:
    """Those of ``events`` that ``audience`` may read, each in its form."""
    return [seen for event in events if (seen := event.seen_as(audience)) is not None]
