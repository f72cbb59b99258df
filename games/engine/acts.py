"""What organisers do to a match: their acts as text, and the step that each leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.capabilities import ruled, ruling_of
from games.engine.decisions import EVERYONE, Event, Outcome, Seat
from games.engine.errors import EngineFault
from games.engine.limits import shown
from games.engine.progress import concluded, moved_on, must_be_on, with_reserve, with_slot
from games.engine.table import Actor, AnyRuleset, Entry, Step, Table

TAKE_BACK: Literal["take back"] = "take back"
REASON: Literal["reason"] = "reason"
#: What stands as the reason of an act that was done at once, until one is given.
NO_REASON: Final = "No reason given yet"


class Act(msgspec.Struct, frozen=True):
    """An organiser's act: its kind, the seat it is about and its amount in milliseconds. A
    take-back of a seat is none of an organiser's: who plays there takes their own last move back,
    as one may in practice. A reason is that of acts before it which were done without one."""

    kind: Literal[
        "pause", "resume", "reserve", "extend", "rule valid", "rule invalid", "take back",
        "winner", "void", "reason",
    ]  # fmt: skip
    seat: Seat | None = None
    amount_ms: int = 0

    @property
    def is_pressing(self) -> bool:
        """Whether to think of a reason first would cost a player time, where a clock runs: it may
        be given later then."""
        return self.kind in ("pause", "extend") or (self.kind == "reserve" and self.amount_ms > 0)

    @property
    def text(self) -> str:
        """The canonical text of this act."""
        if self.kind == "reserve":
            return f"reserve {self.seat} {self.amount_ms // 1000:+d}"
        if self.kind == "extend":
            return f"extend {self.seat} {self.amount_ms // 1000}"
        return self.kind if self.seat is None else f"{self.kind} {self.seat}"


_ACT = re.compile(
    r"(?P<plain>pause|resume|rule valid|rule invalid|take back|void|reason)"
    r"|reserve (?P<reserve>[01]) (?P<amount>[+-][0-9]{1,9})"
    r"|extend (?P<extend>[01]) (?P<seconds>[0-9]{1,9})"
    r"|winner (?P<winner>[01])"
    r"|take back (?P<back>[01])"
)


def parse_act(text: str) -> Act:
    """An organiser's act from its text. Raises Refusal ``notation.organiser``."""
    match = _ACT.fullmatch(notation.tidy(text))
    if match is None:
        raise Refusal(
            "notation.organiser",
            "An organiser's act is one of: pause, resume, reserve S +N, reserve S -N, extend S N, "
            "rule valid, rule invalid, take back, take back S, winner S, void, reason.",
        )
    if match["plain"]:
        return msgspec.convert({"kind": match["plain"]}, Act)
    if match["reserve"]:
        return Act("reserve", int(match["reserve"]), int(match["amount"]) * 1000)
    if match["extend"]:
        return Act("extend", int(match["extend"]), int(match["seconds"]) * 1000)
    if match["back"]:
        return Act(TAKE_BACK, int(match["back"]))
    return Act("winner", int(match["winner"]))


def is_take_back(entry: Entry) -> bool:
    """Whether an entry undoes earlier ones. Raises Refusal ``notation.organiser``."""
    return takes_back(entry.actor, entry.text)


def as_reason(why: str) -> str:
    """A reason as it was written; empty where it only says that there is none yet."""
    said = " ".join(why.casefold().split()).rstrip(".")
    return "" if said == NO_REASON.casefold() else why


def lacks_a_reason(done: Iterable[tuple[str, str]]) -> bool:
    """Whether anything that organisers did, as texts with reasons in their order, still waits for
    one."""
    waits = False
    for text, why in done:
        waits = (waits or why == NO_REASON) and text != REASON
    return waits


def takes_back(actor: Actor | str, text: str) -> bool:
    """Whether what that actor did undoes earlier entries. Raises Refusal
    ``notation.organiser``."""
    return actor == "organiser" and parse_act(text).kind == TAKE_BACK


def organised(ruleset: AnyRuleset, table: Table, *, act: Act, by: str = "", why: str = "") -> Step:
    """The table after an organiser's act other than a take-back, which needs the whole course of
    the match (`course.MatchCourse`). Raises Refusal ``organiser.*`` and ``match.over``."""
    must_be_on(table)
    if table.advantage is None:
        raise Refusal("chance.lot-first", "Who has the advantage must be drawn by lot first.")
    after = _after_act(ruleset, table, act)
    events = [act_event(ruleset, act, by, why)]
    if act.kind in ("rule valid", "rule invalid"):
        events += [
            Event(
                kind="cost",
                seat=seat,
                text=f"loses {lost / 1000:g} s of reserve by this ruling",
                seen_by=EVERYONE,
                data={"lost_ms": lost},
            )
            for seat in (0, 1)
            if (lost := table.reserve_ms[seat] - after.reserve_ms[seat]) > 0
        ]
    return Step(after, tuple(events), act.text)


def _after_act(ruleset: AnyRuleset, table: Table, act: Act) -> Table:
    replace = msgspec.structs.replace
    match act.kind:
        case "pause":
            if table.paused:
                raise Refusal("organiser.paused", "The match is paused already.")
            return replace(table, paused=True)
        case "resume":
            if not table.paused:
                raise Refusal("organiser.not-paused", "The match is not paused.")
            return replace(table, paused=False)
        case "reserve":
            return with_reserve(table, seat_of_act(act), act.amount_ms)
        case "extend":
            return _extend(table, seat_of_act(act), act.amount_ms)
        case "rule valid" | "rule invalid":
            return moved_on(ruleset, table, ruled(ruleset, table.state, act.kind == "rule valid"))
        case "winner":
            return concluded(
                ruleset, table, Outcome(act.seat, "ruling", ruleset.scores(table.state))
            )
        case "void":
            return concluded(ruleset, table, Outcome(None, "ruling", ruleset.scores(table.state)))
        case "reason":
            return table
        case _:
            raise EngineFault("a take-back needs the course of the match")


def seat_of_act(act: Act) -> Seat:
    """The seat that an act is about, of an act that is about one."""
    if act.seat is None:
        raise EngineFault(f"{act.kind} without a seat")
    return act.seat


def _extend(table: Table, seat: Seat, amount_ms: int) -> Table:
    # A decision whose answer is held back goes on for everybody who must not know of it: to refuse
    # just then would tell.
    running = shown(table, seat)
    if running is None:
        raise Refusal("organiser.no-decision", "This seat has no running decision to extend.")
    extension = running.extension_ms + amount_ms
    slot = table.open[seat]
    longer = None if slot is None else msgspec.structs.replace(slot, extension_ms=extension)
    sealed = [
        msgspec.structs.replace(held, extension_ms=extension)
        if held.decision.seat == seat
        else held
        for held in table.sealed
    ]
    return msgspec.structs.replace(
        table, open=with_slot(table.open, seat, longer), sealed=tuple(sealed)
    )


_ACT_TEXTS = {
    "pause": "The organiser paused the match.",
    "resume": "The organiser resumed the match.",
    "take back": "The organiser took back the last submission and what followed from it.",
    "void": "The organiser voided the match.",
    "reason": "The organiser gave the reason for what was done without one.",
}
_VOID_BY_ITSELF = "The match is void."


def act_event(ruleset: AnyRuleset, act: Act, by: str, why: str) -> Event:
    """What the log says of an act."""
    if act.kind == TAKE_BACK and act.seat is not None:
        return Event(
            kind="take-back",
            seat=act.seat,
            text="took a move back",
            seen_by=EVERYONE,
            data={"act": act.text},
        )
    seconds = act.amount_ms // 1000
    if act.kind == "reserve":
        verb = "added" if seconds >= 0 else "took away"
        text = f"The organiser {verb} {abs(seconds)} s of reserve."
    elif act.kind == "extend":
        text = f"The organiser extended the running decision by {seconds} s."
    elif act.kind == "winner":
        text = "The organiser declared the winner."
    elif act.kind == "void" and not by:
        text = _VOID_BY_ITSELF
    elif act.kind in ("rule valid", "rule invalid"):
        text = ruling_of(ruleset, act.kind == "rule valid").log
    else:
        text = _ACT_TEXTS[act.kind]
    return Event(
        kind="organiser",
        seat=act.seat,
        text=text,
        seen_by=EVERYONE,
        data={"act": act.text, "by": by, "why": why},
    )
