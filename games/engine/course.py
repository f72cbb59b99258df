"""A match as a fold over its entries: which of them stand, and the table they led to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import msgspec

from core.refusals import Refusal
from games.engine.acts import (
    act_event,
    is_take_back,
    organised,
    parse_act,
    seat_of_act,
)
from games.engine.decisions import EVERYONE, ROOM, Seat, other, seen_by
from games.engine.limits import shown
from games.engine.play import chanced, is_concession, opened, submitted, timed_out
from games.engine.progress import must_be_on
from games.engine.table import AnyRuleset, Entry, Header, Step, Table


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
    chance and rulings go. Pauses, changes of the reserve and reasons stay, and so does an extension
    of a decision that is still open. One of a seat undoes that seat's last submission, and with it
    all later ones of the other.
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
    def answers(self) -> int:
        """How many decisions players have answered, of the entries that stand: no concession, and
        nothing that was decided because time ran out."""
        return sum(
            1
            for kept in self._kept
            if kept.entry.is_submission and not is_concession(kept.entry.text)
        )

    @property
    def last_submission(self) -> Entry | None:
        """The submission that a take-back would undo, or None."""
        return self.last_submission_of(None)

    def last_submission_of(self, seat: Seat | None) -> Entry | None:
        """The submission that a take-back of that seat would undo, or None; ``seat`` None: as an
        organiser takes back."""
        at = self._last_submission(seat)
        return None if at is None else self._kept[at].entry

    @property
    def secret_submissions(self) -> int:
        """How many of the last submissions, one after the other, nobody but their seat knows of."""
        secret = {each.index for each in self._secret}
        submissions = (kept for kept in reversed(self._kept) if kept.entry.is_submission)
        return sum(1 for _ in takewhile(lambda kept: kept.index in secret, submissions))

    def add(self, entry: Entry) -> Step:
        """Carry out one more entry. Raises Refusal, and is then as it was before;
        ``organiser.nothing-to-take-back`` for a take-back before the first submission, and
        ``practice.nothing-to-take-back`` for a seat's before its own first one."""
        before = self.table
        if is_take_back(entry):
            must_be_on(before)
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
        act = parse_act(entry.text)
        at = self._last_submission(act.seat)
        if at is None and act.seat is not None:
            raise Refusal("practice.nothing-to-take-back", "There is nothing to take back yet.")
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
        return Step(table, (act_event(self._ruleset, act, entry.by, entry.why),), act.text)

    def _last_submission(self, seat: Seat | None) -> int | None:
        for at in range(len(self._kept) - 1, -1, -1):
            entry = self._kept[at].entry
            if entry.is_submission and seat in (None, entry.actor):
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
        was, after = shown(kept.before, seat_of_act(act)), shown(now, seat_of_act(act))
        return was is not None and after is not None and was.decision.id == after.decision.id
    return act.kind in ("pause", "resume", "reserve", "reason")
