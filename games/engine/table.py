"""The referee: a match as a fold over its entries.

A :class:`Table` is everything about a match except wall time: the ruleset's state, the reserves,
the open decisions, the choices held back behind a barrier, a pause, the result. Each function here
takes a table and one entry of the match record and gives the next table and what happened, or
raises :class:`Refusal` and leaves nothing changed. Live play and the record checker call the same
functions; live play finds out the readings by its stopwatches, a record states them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Literal, TypeAlias

import msgspec

from core.refusals import Refusal
from games.engine import notation
from games.engine.capabilities import disputes_of, penalties_of, ruled, ruling_of
from games.engine.chance import RandomSource, below
from games.engine.clocks import ClockPolicy, to_ms
from games.engine.decisions import (
    EVERYONE,
    ROOM,
    Decision,
    Draw,
    Event,
    Outcome,
    Seat,
    other,
    seen_by,
)
from games.engine.errors import EngineFault
from games.engine.ruleset import Chosen, HeldItem, Ruleset, Setup

AnyRuleset: TypeAlias = Ruleset[Any, Any]
Actor: TypeAlias = Literal[0, 1, "chance", "organiser"]

LOT = Draw("lot")
CONCEDE = "concede"
TAKE_BACK: Literal["take back"] = "take back"


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


# -- opening -------------------------------------------------------------------------------------


def opened(ruleset: AnyRuleset, header: Header) -> Table:
    """The table before the first entry.

    Raises :class:`Refusal` ``setup.*`` for a variant or an item that the ruleset does not know.
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
    return _move_on(ruleset, begun, state)


# -- clocks --------------------------------------------------------------------------------------


def policy_of(ruleset: AnyRuleset, table: Table, decision: Decision) -> ClockPolicy:
    """The clock policy that ``decision`` runs against."""
    return ruleset.policies(table.header.options)[decision.clock]


def limit_of(ruleset: AnyRuleset, table: Table, seat: Seat) -> int | None:
    """The last reading at which this seat's open decision can still be answered, or None."""
    slot = table.open[seat]
    if slot is None:
        return None
    awaited = _decision_awaited_by(ruleset, table, slot)
    return _limit(ruleset, table, slot if awaited is None else awaited)


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
    return _limit(ruleset, table, slot)


def _decision_awaited_by(ruleset: AnyRuleset, table: Table, slot: Open) -> Open | None:
    """The unanswered decision of the other seat that ``slot``, which lingers, lasts as long as."""
    seat = other(slot.decision.seat)
    theirs = table.open[seat]
    if not policy_of(ruleset, table, slot.decision).lingers or theirs is None:
        return None
    if theirs.decision.barrier != slot.decision.barrier or table.holds_back(seat):
        return None
    return None if policy_of(ruleset, table, theirs.decision).lingers else theirs


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
    return None if slot is None else _limit(ruleset, table, slot)


def _limit(ruleset: AnyRuleset, table: Table, slot: Open) -> int:
    policy = policy_of(ruleset, table, slot.decision)
    return policy.limit(table.reserve_ms[slot.decision.seat], slot.extension_ms)


# -- entries -------------------------------------------------------------------------------------


def submitted(ruleset: AnyRuleset, table: Table, *, seat: Seat, text: str, reading_ms: int) -> Step:
    """A player's submission at a reading of the decision's clock.

    Raises :class:`Refusal`: ``match.*`` where the match takes none, ``decision.*`` where this seat
    has nothing to answer, ``clock.*`` for an impossible reading, and whatever the ruleset says.
    """
    _must_be_on(table)
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
    step = _answer(ruleset, table, slot, move, reading_ms)
    return msgspec.structs.replace(step, text=ruleset.print(move))


def timed_out(
    ruleset: AnyRuleset, table: Table, *, seat: Seat, reading_ms: int | None = None
) -> Step:
    """The open decision of ``seat`` ran out.

    Raises :class:`Refusal` ``decision.none`` where none is open, ``clock.not-out`` where a stated
    reading is within the time allowed, ``match.paused`` and ``match.over``.
    """
    _must_be_on(table)
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
        step = Step(_hold_back(table, slot, None, limit, final=True), (), "")
    else:
        step = _answer(ruleset, table, slot, answer, limit, final=True)
    return msgspec.structs.replace(step, events=(event, *step.events))


def draws_due(ruleset: AnyRuleset, table: Table) -> tuple[Draw, ...]:
    """The draws that chance owes this table; any order is accepted."""
    if table.result is not None:
        return ()
    if table.advantage is None:
        return (LOT,)
    timeouts = tuple(
        [_timeout_draw(ruleset, table, held) for held in table.sealed if held.move is None]
    )
    return timeouts + ruleset.chance_due(table.state)


def drawn(ruleset: AnyRuleset, table: Table, draw: Draw, random: RandomSource) -> str:
    """The record text of an outcome for ``draw``, which must be due, built on ``random``."""
    if draw == LOT:
        return f"lot {below(random, 2)}"
    return ruleset.print_chance(ruleset.draw(table.state, draw, random))


def chanced(ruleset: AnyRuleset, table: Table, *, text: str, by: str = "") -> Step:
    """An outcome of chance, or where ``by`` names an organiser what they supplied in its place; the
    log says so.

    Raises :class:`Refusal` ``chance.not-due`` for a draw nobody asked for, and ``notation.*`` or
    the ruleset's own codes for an outcome that cannot be.
    """
    _must_be_on(table)
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
        if held.move is None and _timeout_draw(ruleset, table, held) == chance.draw:
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
            step = _release(ruleset, table, held.decision.barrier)
            return msgspec.structs.replace(step, text=canonical)
    if chance.draw not in ruleset.chance_due(table.state):
        raise Refusal("chance.not-due", "Nothing of the kind is to be drawn now.")
    state = ruleset.apply_chance(table.state, chance)
    events = tuple(ruleset.chance_events(table.state, chance, state))
    return Step(_move_on(ruleset, table, state), events, canonical)


_LOT = re.compile(r"lot +([01])")


def _apply_lot(ruleset: AnyRuleset, table: Table, advantage: Seat) -> Step:
    event = Event(
        kind="lot", seat=advantage, text="has the advantage, drawn by lot", seen_by=EVERYONE
    )
    return Step(_begin(ruleset, table, advantage), (event,), f"lot {advantage}")


# -- the organiser's acts ------------------------------------------------------------------------


class Act(msgspec.Struct, frozen=True):
    """An organiser's act: its kind, the seat it is about and its amount in milliseconds."""

    kind: Literal[
        "pause", "resume", "reserve", "extend", "rule valid", "rule invalid", "take back",
        "winner", "void",
    ]  # fmt: skip
    seat: Seat | None = None
    amount_ms: int = 0

    @property
    def text(self) -> str:
        """The canonical text of this act."""
        if self.kind == "reserve":
            return f"reserve {self.seat} {self.amount_ms // 1000:+d}"
        if self.kind == "extend":
            return f"extend {self.seat} {self.amount_ms // 1000}"
        return self.kind if self.seat is None else f"{self.kind} {self.seat}"


_ACT = re.compile(
    r"(?P<plain>pause|resume|rule valid|rule invalid|take back|void)"
    r"|reserve (?P<reserve>[01]) (?P<amount>[+-][0-9]{1,9})"
    r"|extend (?P<extend>[01]) (?P<seconds>[0-9]{1,9})"
    r"|winner (?P<winner>[01])"
)


def parse_act(text: str) -> Act:
    """An organiser's act from its text. Raises :class:`Refusal` ``notation.organiser``."""
    match = _ACT.fullmatch(notation.tidy(text))
    if match is None:
        raise Refusal(
            "notation.organiser",
            "An organiser's act is one of: pause, resume, reserve S +N, reserve S -N, extend S N, "
            "rule valid, rule invalid, take back, winner S, void.",
        )
    if match["plain"]:
        return msgspec.convert({"kind": match["plain"]}, Act)
    if match["reserve"]:
        return Act("reserve", int(match["reserve"]), int(match["amount"]) * 1000)
    if match["extend"]:
        return Act("extend", int(match["extend"]), int(match["seconds"]) * 1000)
    return Act("winner", int(match["winner"]))


def organised(ruleset: AnyRuleset, table: Table, *, act: Act, by: str = "", why: str = "") -> Step:
    """The table after an organiser's act other than a take-back, which needs the whole
    :class:`MatchCourse`. Raises :class:`Refusal` ``organiser.*`` and ``match.over``."""
    _must_be_on(table)
    if table.advantage is None:
        raise Refusal("chance.lot-first", "Who has the advantage must be drawn by lot first.")
    after = _after_act(ruleset, table, act)
    events = [_act_event(ruleset, act, by, why)]
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
            return _with_reserve(table, _seat_of(act), act.amount_ms)
        case "extend":
            return _extend(table, _seat_of(act), act.amount_ms)
        case "rule valid" | "rule invalid":
            return _move_on(ruleset, table, ruled(ruleset, table.state, act.kind == "rule valid"))
        case "winner":
            return _end(ruleset, table, Outcome(act.seat, "ruling", ruleset.scores(table.state)))
        case "void":
            return _end(ruleset, table, Outcome(None, "ruling", ruleset.scores(table.state)))
        case _:
            raise EngineFault("a take-back needs the course of the match")


def _seat_of(act: Act) -> Seat:
    if act.seat is None:
        raise EngineFault(f"{act.kind} without a seat")
    return act.seat


def _with_reserve(table: Table, seat: Seat, amount_ms: int) -> Table:
    reserve = list(table.reserve_ms)
    reserve[seat] = max(0, reserve[seat] + amount_ms)
    return msgspec.structs.replace(table, reserve_ms=(reserve[0], reserve[1]))


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
        table, open=_with_slot(table.open, seat, longer), sealed=tuple(sealed)
    )


_ACT_TEXTS = {
    "pause": "The organiser paused the match.",
    "resume": "The organiser resumed the match.",
    "take back": "The organiser took back the last submission and what followed from it.",
    "void": "The organiser voided the match.",
}
_VOID_BY_ITSELF = "The match is void."


def _act_event(ruleset: AnyRuleset, act: Act, by: str, why: str) -> Event:
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


# -- whole courses -------------------------------------------------------------------------------


def entered(ruleset: AnyRuleset, table: Table, entry: Entry) -> Step:
    """The step that one entry leads to, whoever made it; not for take-backs."""
    if entry.actor == "chance":
        return chanced(ruleset, table, text=entry.text, by=entry.by)
    if entry.actor == "organiser":
        return organised(ruleset, table, act=parse_act(entry.text), by=entry.by, why=entry.why)
    if entry.timeout:
        return timed_out(ruleset, table, seat=entry.actor, reading_ms=entry.reading_ms)
    return submitted(
        ruleset, table, seat=entry.actor, text=entry.text, reading_ms=entry.reading_ms or 0
    )


def is_concession(text: str) -> bool:
    """Whether a player's text concedes the match."""
    try:
        return notation.tidy(text) == CONCEDE
    except Refusal:
        return False


def is_take_back(entry: Entry) -> bool:
    """Whether an entry undoes an earlier one. Raises :class:`Refusal` ``notation.organiser``."""
    return entry.actor == "organiser" and parse_act(entry.text).kind == TAKE_BACK


class _Kept(msgspec.Struct, frozen=True):
    """An entry that stands: its index among all entries, the table it met and the one it left."""

    index: int
    entry: Entry
    before: Table
    after: Table


class _Secret(msgspec.Struct, frozen=True):
    """A submission that nobody but its seat knows of: its index among all entries, and the decision
    behind a barrier that it answers, if it is one."""

    index: int
    barred_by: str | None


class MatchCourse:
    """A match from its opening on, entry by entry: which entries stand, and the table they led to.

    A take-back undoes the last submission of a player and what followed from it: later timeouts,
    chance and rulings go. Pauses and changes of the reserve stay, and so does an extension of a
    decision that is still open.
    """

    def __init__(self, ruleset: AnyRuleset, header: Header, entries: Iterable[Entry] = ()) -> None:
        self._ruleset = ruleset
        self._opened = opened(ruleset, header)
        self._kept: list[_Kept] = []
        self._secret: list[_Secret] = []
        self._length = 0
        for entry in entries:
            self.add(entry)

    @property
    def table(self) -> Table:
        """The table as it stands."""
        return self._kept[-1].after if self._kept else self._opened

    @property
    def standing(self) -> list[int]:
        """The indices of the entries that stand; a take-back itself never does."""
        return [kept.index for kept in self._kept]

    @property
    def last_submission(self) -> Entry | None:
        """The submission that a take-back would undo, or None."""
        at = self._last_submission()
        return None if at is None else self._kept[at].entry

    @property
    def secret_submissions(self) -> int:
        """How many of the last submissions, one after the other, nobody but their seat knows of."""
        secret = {each.index for each in self._secret}
        submissions = (kept for kept in reversed(self._kept) if kept.entry.is_submission)
        return sum(1 for _ in takewhile(lambda kept: kept.index in secret, submissions))

    def add(self, entry: Entry) -> Step:
        """Carry out one more entry. Raises :class:`Refusal`, and is then as it was before;
        ``organiser.nothing-to-take-back`` for a take-back before the first submission."""
        before = self.table
        if is_take_back(entry):
            _must_be_on(before)
            step = self._take_back(entry)
        else:
            step = entered(self._ruleset, before, entry)
            self._kept.append(_Kept(self._length, entry, before, step.table))
            self._note_secrets(before, entry, step)
        self._length += 1
        return step

    def _note_secrets(self, before: Table, entry: Entry, step: Step) -> None:
        # What was held back is known to everybody from when its barrier opens.
        held = {sealed.decision.id for sealed in step.table.sealed}
        self._secret = [each for each in self._secret if each.barred_by in (None, *held)]
        if not entry.is_submission:
            return
        seat = 1 if entry.actor else 0
        slot = before.open[seat]
        if slot is not None and not _is_noticeable(self._ruleset, before, step, seat):
            barred_by = None if slot.decision.barrier is None else slot.decision.id
            self._secret.append(_Secret(self._length, barred_by))

    def _take_back(self, entry: Entry) -> Step:
        at = self._last_submission()
        if at is None:
            raise Refusal("organiser.nothing-to-take-back", "No submission has been made yet.")
        table = self._kept[at].before
        stands: list[_Kept] = []
        for kept in self._kept[at + 1 :]:
            if _outlives_take_back(kept, table):
                after = entered(self._ruleset, table, kept.entry).table
                stands.append(_Kept(kept.index, kept.entry, table, after))
                table = after
        undone = self._kept[at].index
        self._kept[at:] = stands
        # An answer that was known once is no secret again because the other one was taken back.
        self._secret = [each for each in self._secret if each.index < undone]
        act = Act(TAKE_BACK)
        return Step(table, (_act_event(self._ruleset, act, entry.by, entry.why),), act.text)

    def _last_submission(self) -> int | None:
        for at in range(len(self._kept) - 1, -1, -1):
            if self._kept[at].entry.is_submission:
                return at
        return None


def _is_noticeable(ruleset: AnyRuleset, before: Table, step: Step, seat: Seat) -> bool:
    """Whether anybody but ``seat`` could notice a submission of theirs."""
    after = step.table
    if after.holds_back(seat):
        return False
    audiences = (EVERYONE[other(seat)], ROOM)
    if after.result is not None or any(seen_by(step.events, each) for each in audiences):
        return True
    for each in (0, 1):
        was, now = shown(before, each), shown(after, each)
        if was is None or now is None:
            if was is not now:
                return True
        elif (was.decision, was.extension_ms) != (now.decision, now.extension_ms):
            return True
    return any(
        ruleset.view(before.state, each) != ruleset.view(after.state, each) for each in audiences
    )


def _outlives_take_back(kept: _Kept, now: Table) -> bool:
    """Whether an entry that came after the undone submission stays. ``now`` is the table without
    that submission."""
    if kept.entry.actor != "organiser":
        return False
    act = parse_act(kept.entry.text)
    if act.kind == "extend":
        was, still = shown(kept.before, _seat_of(act)), shown(now, _seat_of(act))
        return was is not None and still is not None and was.decision.id == still.decision.id
    return act.kind in ("pause", "resume", "reserve")


# -- shared by the entries -----------------------------------------------------------------------


def _must_be_on(table: Table) -> None:
    if table.result is not None:
        raise Refusal("match.over", "The match is over.")


def _end(ruleset: AnyRuleset, table: Table, result: Outcome) -> Table:
    """The table once the match is over; answers that were still held back are paid for, too, and
    so are decisions that were suspended."""
    unpaid: list[Open | Sealed | None] = [*table.sealed, *table.suspended]
    for ended in unpaid:
        if ended is not None:
            table = _charge(ruleset, table, ended)
    return msgspec.structs.replace(
        table,
        result=result,
        open=(None, None),
        sealed=(),
        paused=False,
        suspended=(None, None),
    )


def _concede(ruleset: AnyRuleset, table: Table, seat: Seat, reading_ms: int) -> Step:
    if table.advantage is None:
        raise Refusal("chance.lot-first", "Who has the advantage must be drawn by lot first.")
    slot = table.open[seat]
    if slot is not None:
        # An answer of one's own that is held back is part of the same decision: one charge.
        others = tuple([held for held in table.sealed if held.decision.seat != seat])
        table = msgspec.structs.replace(table, sealed=others)
        table = _charge(ruleset, table, msgspec.structs.replace(slot, reading_ms=reading_ms))
    event = Event(kind="concede", seat=seat, text="conceded the match", seen_by=EVERYONE)
    result = Outcome(other(seat), "concession", ruleset.scores(table.state))
    return Step(_end(ruleset, table, result), (event,), CONCEDE)


def _timeout_draw(ruleset: AnyRuleset, table: Table, held: Sealed) -> Draw:
    answer = ruleset.on_timeout(table.state, held.decision)
    if not isinstance(answer, Draw):
        raise EngineFault(f"{held.decision.id} waits for a draw that its ruleset does not make")
    return answer


def _answer(
    ruleset: AnyRuleset,
    table: Table,
    slot: Open,
    move: Any,
    reading_ms: int,
    *,
    final: bool = False,
) -> Step:
    if slot.decision.barrier is not None:
        final = final or not slot.decision.changeable
        held_back = _hold_back(table, slot, move, reading_ms, final=final)
        return _release(ruleset, held_back, slot.decision.barrier)
    seat = slot.decision.seat
    read = msgspec.structs.replace(slot, reading_ms=reading_ms)
    table = msgspec.structs.replace(table, open=_with_slot(table.open, seat, read))
    return _apply(ruleset, table, ((seat, move),))


def _hold_back(table: Table, slot: Open, move: Any, reading_ms: int, *, final: bool) -> Table:
    seat = slot.decision.seat
    held = Sealed(slot.decision, move, slot.extension_ms, reading_ms)
    still_open = None if final else msgspec.structs.replace(slot, reading_ms=reading_ms)
    others = [each for each in table.sealed if each.decision.seat != seat]
    return msgspec.structs.replace(
        table, open=_with_slot(table.open, seat, still_open), sealed=(*others, held)
    )


def _release(ruleset: AnyRuleset, table: Table, barrier: str | None) -> Step:
    """Apply the answers behind ``barrier`` together if nothing is waited for any more."""
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
        table = _charge(ruleset, table, held)
        slots = _with_slot(slots, held.decision.seat, None)
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
    return latest >= _limit(ruleset, table, slot)


def _apply(ruleset: AnyRuleset, table: Table, chosen: Chosen[Any]) -> Step:
    state = ruleset.apply(table.state, chosen)
    events = tuple(ruleset.events(table.state, chosen, state))
    return Step(_move_on(ruleset, table, state), events, "")


def _move_on(ruleset: AnyRuleset, table: Table, state: Any) -> Table:
    """The table with a new state: decisions that are still the same run on or are suspended, those
    that ended are charged, new ones open."""
    outcome = ruleset.outcome(state)
    final = [held for held in table.sealed if table.open[held.decision.seat] is None]
    now = _by_seat(() if outcome is not None else ruleset.decisions(state), final)
    epoch = ruleset.reserve_epoch(state)
    disputes, penalties = disputes_of(ruleset), penalties_of(ruleset)
    still = _by_seat(
        () if outcome is not None or disputes is None else disputes.suspended(state), ()
    )
    slots: list[Open | None] = [None, None]
    waiting: list[Open | None] = [None, None]
    for seat in (0, 1):
        slot, decision = table.open[seat] or table.suspended[seat], now[seat] or still[seat]
        if slot is not None and (decision is None or decision.id != slot.decision.id):
            table = _charge(ruleset, table, slot)
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
    return moved if outcome is None else _end(ruleset, moved, outcome)


def _with_costs(table: Table, costs: tuple[int, int]) -> Table:
    """The table after what the rules, not the clocks, take from the reserves."""
    for seat, cost in enumerate(costs):
        if cost:
            table = _with_reserve(table, seat, -cost)
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


def _charge(ruleset: AnyRuleset, table: Table, ended: Open | Sealed) -> Table:
    """The table after a decision that ended has been paid for, at its last reading."""
    seat = ended.decision.seat
    policy = policy_of(ruleset, table, ended.decision)
    spent = policy.spent(ended.reading_ms, table.reserve_ms[seat], ended.extension_ms)
    return _with_reserve(table, seat, -spent)


def _with_slot(
    slots: tuple[Open | None, Open | None], seat: Seat, slot: Open | None
) -> tuple[Open | None, Open | None]:
    return (slot, slots[1]) if seat == 0 else (slots[0], slot)


# -- storage -------------------------------------------------------------------------------------


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
    """The table of an encoding. Raises :class:`EngineFault` for what never was one."""
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
