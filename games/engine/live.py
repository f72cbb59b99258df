"""Live play as arithmetic over instants: which entries happen when somebody acts or time passes.

A `Live` is a table with a stopwatch for each seat. Every function takes the instant at which
something happened (whole milliseconds on the server's clock) and gives the next `Live` with the
entries to append to the record. Nothing here reads a clock or draws by itself: the instant and the
source of randomness are handed in.

Long, since what people do and what time does to a match are one arithmetic, on the same clocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

import msgspec

from core.refusals import Refusal
from games.engine import acts, limits, play, saving
from games.engine import table as tables
from games.engine.acts import TAKE_BACK, Act
from games.engine.chance import Below, RandomSource, evenly
from games.engine.clocks import Watch
from games.engine.course import MatchCourse
from games.engine.decisions import Draw, Event, Seat
from games.engine.draws import Draws
from games.engine.errors import EngineFault
from games.engine.ruleset import HeldItem
from games.engine.table import AnyRuleset, Entry, Header, Table

BEFORE_TURN_ENDS_MS = (30_000, 15_000, 5_000)
EVERY_RESERVE_MS = 30_000


class Prepared(msgspec.Struct, frozen=True):
    """An outcome that an organiser supplied before the start, by its record text, to be used when
    its draw is due; it stays a secret until then. ``by`` is the organiser's name."""

    text: str
    by: str


class Waiting(msgspec.Struct, frozen=True):
    """A match that begins once both players are there, or said that they are ``ready`` (by seat);
    if that is not so by the instant ``until``, it is void. Nothing is drawn or shown before: the
    ``items`` that are brought, and the ``advantage`` that they give, are in its header only from
    the beginning. ``opens_until``: both are there, and the nonces that they have committed to are
    waited for until that instant, no longer. One that is ``certain`` begins in any case: it waits
    only for what the players may add to its draws, as they come. ``gathers_until``: its players
    need not be there together, so that whoever has been there is ``ready``; nonces are committed to
    until both have been, or until that instant, and opened by whoever comes then; where one has not
    been there, it waits for them until ``until`` all the same. ``without``: the seats that begin
    without the nonce that they have committed to, for nobody has it any more. ``changes``: how
    often each has committed anew."""

    until: int
    ready: tuple[bool, bool] = (False, False)
    items: tuple[HeldItem, ...] = ()
    advantage: Seat | None = None
    opens_until: int | None = None
    certain: bool = False
    gathers_until: int | None = None
    without: tuple[bool, bool] = (False, False)
    changes: tuple[int, int] = (0, 0)

    @property
    def is_in_turns(self) -> bool:
        """Whether its players need not be there together."""
        return self.gathers_until is not None

    def next_instant(self, *, after: int) -> int:
        """Until when it waits for what it waits for now, no earlier than ``after``."""
        if self.opens_until is not None:
            return self.opens_until
        if self.gathers_until is not None and self.gathers_until >= after:
            return self.gathers_until
        return self.until


class Live(msgspec.Struct, frozen=True):
    """A running match. ``watches`` are by seat; a seat without a decision has none. The watch of a
    sealed answer runs on until the barrier opens, so that nobody can see that it is in. What is
    ``prepared`` is kept when it has been used: a take-back may make its draw due again. One that
    has ``never_begun`` ended while it waited. What its ``draws`` are derived from is a secret until
    it is over; without, the source of randomness that is handed in is drawn from."""

    table: Table
    watches: tuple[Watch | None, Watch | None] = (None, None)
    prepared: tuple[Prepared, ...] = ()
    waiting: Waiting | None = None
    never_begun: bool = False
    draws: Draws | None = None

    @property
    def has_begun(self) -> bool:
        """Whether it waits for nobody, and did not end while it did."""
        return self.waiting is None and not self.never_begun

    @property
    def nonces_awaited(self) -> tuple[Seat, ...]:
        """The seats whose nonces it waits for, or will: they have committed to one, have not opened
        it, and will not begin without."""
        if self.waiting is None or self.draws is None:
            return ()
        return tuple([seat for seat in self.draws.missing if not self.waiting.without[seat]])

    def waits_to_see(self, seat: Seat) -> bool:
        """Whether it waits to begin, and for this seat: to be there, or to open a nonce."""
        if self.waiting is None:
            return False
        if not self.waiting.is_in_turns:
            return True
        if not self.waiting.ready[seat]:
            return True
        # Whoever has committed to a nonce is to come and open it, once that can be.
        opens = self.waiting.opens_until is not None or all(self.waiting.ready)
        return opens and seat in self.nonces_awaited


class Happened(msgspec.Struct, frozen=True):
    """One entry that was appended, with its events and the table after it."""

    entry: Entry
    events: tuple[Event, ...]
    table: Table


class Turn(msgspec.Struct, frozen=True):
    """What came of one call: the match after it and what was appended, in order. ``refusal`` is
    set where the submission itself was refused, be it that time had run out first."""

    live: Live
    happened: tuple[Happened, ...] = ()
    refusal: Refusal | None = None


class Reminder(msgspec.Struct, frozen=True):
    """An announcement that is due at an instant. ``seat`` None means both: who of two sealed
    choosers is still thinking is nobody's business."""

    at: int
    seat: Seat | None
    kind: Literal["turn", "reserve-entered", "reserve"]
    left_ms: int


# -- what people do ------------------------------------------------------------------------------


def begin(
    ruleset: AnyRuleset,
    header: Header,
    *,
    at: int,
    random: RandomSource,
    prepared: Sequence[Prepared] = (),
    draws: Draws | None = None,
) -> Turn:
    """Open the table and draw what is due at once, unless it was ``prepared``: derived from
    ``draws`` if there are any, here and later on, else from ``random``. Raises Refusal
    ``setup.*``."""
    empty = Live(Table(header=header), prepared=tuple(prepared), draws=draws)
    when = _When(at, at)
    live = _with_watches(empty, play.opened(ruleset, header), when)
    return _with_chance(ruleset, Turn(live), when, random)


def announced(
    ruleset: AnyRuleset,
    header: Header,
    *,
    until: int,
    prepared: Sequence[Prepared] = (),
    by_items: bool = False,
    draws: Draws | None = None,
    certain: bool = False,
    gathers_until: int | None = None,
) -> Live:
    """A match that waits for its players until that instant; see `Waiting`. ``by_items``: the
    header's advantage comes of its items, and is as secret. Raises Refusal ``setup.*``."""
    play.opened(ruleset, header)
    advantage = header.advantage if by_items else None
    waiting = Waiting(
        until,
        items=header.items,
        advantage=advantage,
        certain=certain,
        gathers_until=gathers_until,
    )
    known = msgspec.structs.replace(
        header, items=(), advantage=None if by_items else header.advantage
    )
    return Live(Table(header=known), prepared=tuple(prepared), waiting=waiting, draws=draws)


def begun(ruleset: AnyRuleset, live: Live, *, at: int, random: RandomSource) -> Turn:
    """A match that waited begins: its clocks show zero at ``at``, whenever it was announced."""
    header = live.table.header
    if live.waiting is not None:
        given, advantage = live.waiting.items, live.waiting.advantage
        header = msgspec.structs.replace(
            header,
            items=header.items or given,
            advantage=header.advantage if advantage is None else advantage,
        )
    return begin(ruleset, header, at=at, random=random, prepared=live.prepared, draws=live.draws)


def with_ready(live: Live, ready: tuple[bool, bool]) -> Live:
    """A match that waits, after one of its players has said to be ready."""
    if live.waiting is None:
        raise EngineFault("nobody has to be ready for a match that has begun")
    return msgspec.structs.replace(live, waiting=msgspec.structs.replace(live.waiting, ready=ready))


def with_draws(live: Live, draws: Draws) -> Live:
    """A match that waits, after one of its players' programs has committed to a nonce or opened
    it."""
    if live.waiting is None:
        raise EngineFault("nothing is added to the draws of a match that has begun")
    return msgspec.structs.replace(live, draws=draws)


def without_nonce(live: Live, seat: Seat) -> Live:
    """A match that waits, after one of its players has said that it is to begin without the nonce
    that their program has committed to."""
    if live.waiting is None:
        raise EngineFault("no nonce is waited for once a match has begun")
    one, two = live.waiting.without
    waiting = msgspec.structs.replace(
        live.waiting, without=(True, two) if seat == 0 else (one, True)
    )
    return msgspec.structs.replace(live, waiting=waiting)


def with_change(live: Live, seat: Seat) -> Live:
    """A match that waits, after one of its players' programs has committed anew."""
    if live.waiting is None:
        raise EngineFault("nobody commits to a nonce once a match has begun")
    one, two = live.waiting.changes
    waiting = msgspec.structs.replace(
        live.waiting, changes=(one + 1, two) if seat == 0 else (one, two + 1)
    )
    return msgspec.structs.replace(live, waiting=waiting)


def opening(live: Live, *, until: int) -> Live:
    """A match that waits, from when both players are there: for the nonces that they have committed
    to, until that instant."""
    if live.waiting is None:
        raise EngineFault("no nonce is waited for once a match has begun")
    waiting = msgspec.structs.replace(live.waiting, opens_until=until)
    return msgspec.structs.replace(live, waiting=waiting)


def _end_before_start(
    ruleset: AnyRuleset, live: Live, *, act: Act, by: str, why: str, at: int, random: RandomSource
) -> Turn:
    """A match that waits is declared void: nobody can have won what has not begun. Only the lot is
    drawn, which every record that names no advantage begins with; what else chance would show stays
    unseen."""
    if act.kind != "void":
        raise Refusal(
            "match.waiting",
            f"{_begins_text(live)} Until then it can be declared void, and nothing else.",
        )
    opened = Live(play.opened(ruleset, live.table.header), draws=live.draws)
    turn, when = Turn(opened), _When(at, at)
    if turn.live.table.advantage is None:
        (lot,) = play.draws_due(ruleset, turn.live.table)
        below = _numbers(ruleset, turn.live, lot, random)
        text = play.drawn(ruleset, turn.live.table, lot, below)
        step = play.chanced(ruleset, turn.live.table, text=text)
        turn = _then(turn, Entry(actor="chance", text=step.text), step, when)
    step = acts.organised(ruleset, turn.live.table, act=act, by=by, why=why)
    turn = _then(turn, Entry(actor="organiser", text=act.text, by=by, why=why), step, when)
    ended = msgspec.structs.replace(turn.live, never_begun=True)
    return msgspec.structs.replace(turn, live=ended)


def _must_wait(live: Live) -> Refusal:
    return Refusal("match.waiting", _begins_text(live))


def _begins_text(live: Live) -> str:
    if live.waiting is not None and live.waiting.is_in_turns:
        return "The match begins once both players have looked in and their numbers are open."
    return "The match begins once both players are there."


def submit(
    ruleset: AnyRuleset,
    live: Live,
    *,
    seat: Seat,
    text: str,
    at: int,
    random: RandomSource,
    opens: int | None = None,
) -> Turn:
    """A submission that the server received at ``at`` and carries out at ``opens``, by default at
    the same instant.

    It is judged by the instant at which it came: by what had run out then, which happens first, and
    by what its clock showed. What it leads to begins when it is carried out: how long it had to
    wait in the server is nobody's thinking time. What others have done meanwhile stands; a clock
    that was started after it came shows what it showed at its start. A submission that comes after
    its own deadline finds the timeout done. Conceding answers no decision, so it is never late
    while the match is on. Never raises Refusal: it is part of the answer.
    """
    if live.waiting is not None:
        return Turn(live, refusal=_must_wait(live))
    when = _When.of(at, opens)
    turn = expire(ruleset, live, at=at, random=random, opens=opens)
    late = any(h.entry.timeout and h.entry.actor == seat for h in turn.happened)
    if late and not play.is_concession(text):
        return msgspec.structs.replace(turn, refusal=too_late())
    watch, slot = turn.live.watches[seat], turn.live.table.open[seat]
    reading = None if watch is None else watch.reading(at)
    if reading is not None and slot is not None:
        # Grace after an outage turns a clock back whether an answer is in or not.
        reading = max(reading, slot.reading_ms)
    try:
        step = play.submitted(
            ruleset, turn.live.table, seat=seat, text=text, reading_ms=reading or 0
        )
    except Refusal as refusal:
        return msgspec.structs.replace(turn, refusal=refusal)
    entry = Entry(actor=_as_actor(seat), text=step.text, reading_ms=reading)
    return _with_chance(ruleset, _then(turn, entry, step, when), when, random)


def too_late() -> Refusal:
    """What is said of a submission that came after its deadline."""
    return Refusal("clock.over", "Your time was over before this arrived.")


def expire(
    ruleset: AnyRuleset,
    live: Live,
    *,
    at: int,
    random: RandomSource,
    opens: int | None = None,
    grace_ms: int = 0,
) -> Turn:
    """Everything that had run out by ``at``, exclusive of deadlines at ``at`` itself, and of those
    that are no more than ``grace_ms`` ago: each decision has that for what is on its way.

    Idempotent: called again with the same instant it finds nothing left to do. A decision that a
    timeout opens starts at ``opens``, by default at ``at``, so it cannot run out in the same call.
    """
    turn, when = Turn(live), _When.of(at, opens)
    for _, seat in sorted(_deadlines(ruleset, live)):
        deadline = deadline_of(ruleset, turn.live, seat)
        if deadline is None or at - grace_ms <= deadline:
            continue
        watch = turn.live.watches[seat]
        reading = None if watch is None else watch.reading(at)
        step = play.timed_out(ruleset, turn.live.table, seat=seat, reading_ms=reading)
        entry = Entry(actor=_as_actor(seat), timeout=True, reading_ms=reading)
        turn = _with_chance(ruleset, _then(turn, entry, step, when), when, random)
    return turn


def organise(  # noqa: PLR0913  (an act, and its two instants)
    ruleset: AnyRuleset,
    live: Live,
    *,
    act: Act,
    by: str,
    why: str,
    at: int,
    random: RandomSource,
    entries: Sequence[Entry] = (),
    opens: int | None = None,
) -> Turn:
    """An organiser's act that the server received at ``at`` and carries out at ``opens``, by
    default at the same instant; a take-back needs all ``entries`` so far. A clock that it stops
    shows what it showed when the act came, and one that it starts begins when it is carried out.

    Raises Refusal where the act cannot stand. What had run out by then happens first. A match that
    waits for its players can be declared void, and nothing else.
    """
    if live.waiting is not None:
        return _end_before_start(ruleset, live, act=act, by=by, why=why, at=at, random=random)
    when = _When.of(at, opens)
    turn = expire(ruleset, live, at=at, random=random, opens=opens)
    entry = Entry(actor="organiser", text=act.text, by=by, why=why)
    if act.kind == TAKE_BACK:
        so_far = [*entries, *(h.entry for h in turn.happened)]
        return _take_back(ruleset, turn, so_far, entry, when, random)
    step = acts.organised(ruleset, turn.live.table, act=act, by=by, why=why)
    return _with_chance(ruleset, _then(turn, entry, step, when), when, random)


def _take_back(
    ruleset: AnyRuleset,
    turn: Turn,
    entries: Sequence[Entry],
    entry: Entry,
    when: _When,
    random: RandomSource,
) -> Turn:
    """The last submission that everybody knows of is undone. Secret ones after it go the same way,
    an entry each and nothing said: a take-back that undid just them would tell that they are in.
    A seat that takes back undoes its own last one, known to others or not, by one entry.
    """
    seat = acts.parse_act(entry.text).seat
    course = MatchCourse(ruleset, turn.live.table.header, entries)
    secret = course.secret_submissions if seat is None else 0
    steps = [course.add(entry) for _ in range(secret)]
    undone = course.last_submission_of(seat)
    steps.append(course.add(entry))
    if undone is None:
        raise EngineFault("a take-back without a submission was carried out")
    live = _rewind(ruleset, turn.live, steps[-1].table, undone, when)
    silent = [Happened(entry, (), step.table) for step in steps[:-1]]
    last = Happened(entry, steps[-1].events, steps[-1].table)
    return _with_chance(ruleset, Turn(live, (*turn.happened, *silent, last)), when, random)


def _rewind(ruleset: AnyRuleset, live: Live, table: Table, undone: Entry, when: _When) -> Live:
    """``table`` with stopwatches after ``undone`` was taken back: nobody gains or loses thinking
    time by a mistake.

    The clock of the decision that was answered shows what it showed then. The other seat's clock
    runs on if its decision has been the same all along; if it is open again as well, it shows what
    the first one does, as far as its own limit goes.
    """
    then = undone.reading_ms or 0
    watches: list[Watch | None] = [None, None]
    for seat in (0, 1):
        slot, limit = limits.shown(table, seat), limits.shown_limit_of(ruleset, table, seat)
        if slot is None or limit is None:
            continue
        watch = live.watches[seat]
        answered = seat == undone.actor
        if answered or watch is None or _visible_decision(live.table, seat) != slot.decision.id:
            before = then if answered else max(slot.reading_ms, min(then, limit))
            watch = Watch(before)
        watches[seat] = when.watch(watch, paused=table.paused)
    return Live(table, (watches[0], watches[1]), live.prepared, draws=live.draws)


# -- time ----------------------------------------------------------------------------------------


def deadline_of(ruleset: AnyRuleset, live: Live, seat: Seat) -> int | None:
    """The last instant before this seat's open decision runs out; None while it has none that
    runs out, or its clock stands still."""
    limit = limits.runs_out_of(ruleset, live.table, seat)
    watch = live.watches[seat]
    if limit is None or watch is None:
        return None
    return watch.instant_of(limit)


def deadline_shown(ruleset: AnyRuleset, live: Live, seat: Seat) -> int | None:
    """The instant at which the time that this seat is seen to have is over, the same whether an
    answer of either seat is held back or not; None where nothing is asked of it, its clock stands
    still, or the decision lasts at least as long as one of the other seat."""
    slot, watch = limits.shown(live.table, seat), live.watches[seat]
    limit = limits.shown_limit_of(ruleset, live.table, seat)
    if slot is None or watch is None or limit is None:
        return None
    if limits.policy_of(ruleset, live.table, slot.decision).lingers:
        return None
    return watch.instant_of(limit)


def next_deadline(ruleset: AnyRuleset, live: Live) -> int | None:
    """The earliest deadline of the match, or None."""
    return min((instant for instant, _ in _deadlines(ruleset, live)), default=None)


def last_run_out(ruleset: AnyRuleset, live: Live, *, at: int) -> int | None:
    """The latest deadline that had passed by ``at``; None where none had, and `expire` would find
    nothing to do."""
    passed = (instant for instant, _ in _deadlines(ruleset, live) if instant < at)
    return max(passed, default=None)


def _deadlines(ruleset: AnyRuleset, live: Live) -> Iterator[tuple[int, Seat]]:
    for seat in (0, 1):
        deadline = deadline_of(ruleset, live, seat)
        if deadline is not None:
            yield deadline, seat


def reminders(
    ruleset: AnyRuleset, live: Live, *, after: int, until: int | None = None
) -> list[Reminder]:
    """Every announcement due later than ``after``, and no later than ``until`` where that is given,
    if nobody does anything; in order of time.

    At 30, 15 and 5 s left of the turn time, on entering the reserve, and for every 30 s of
    reserve spent from then on. Without ``until`` a reserve of months makes a very long list.
    """
    due: list[set[Reminder]] = [
        set(takewhile(lambda r: until is None or r.at <= until, coming))
        for coming in (_reminders_of(ruleset, live, seat, after) for seat in (0, 1))
    ]
    if _is_barrier(live):
        # What is the same for both is said of both.
        same = {_of_both(each) for each in due[0]} & {_of_both(each) for each in due[1]}
        due = [{each for each in one if _of_both(each) not in same} for one in due] + [same]
    every = set[Reminder]().union(*due)
    return sorted(every, key=lambda reminder: (reminder.at, reminder.seat or 0))


def _of_both(reminder: Reminder) -> Reminder:
    return msgspec.structs.replace(reminder, seat=None)


def _is_barrier(live: Live) -> bool:
    slots = [limits.shown(live.table, seat) for seat in (0, 1)]
    return all(slot is not None and slot.decision.barrier is not None for slot in slots)


def next_reminder(ruleset: AnyRuleset, live: Live, *, after: int) -> int | None:
    """The instant of the first of `reminders`, without listing the rest: every turn asks."""
    firsts = [
        next((r.at for r in _reminders_of(ruleset, live, seat, after)), None) for seat in (0, 1)
    ]
    return min((at for at in firsts if at is not None), default=None)


def _reminders_of(ruleset: AnyRuleset, live: Live, seat: Seat, after: int) -> Iterator[Reminder]:
    # Those later than ``after``, in order of time. A sealed answer changes nothing here: a reminder
    # that is missing would give it away.
    slot, watch = limits.shown(live.table, seat), live.watches[seat]
    if slot is None or watch is None or watch.since is None:
        return
    policy = limits.policy_of(ruleset, live.table, slot.decision)
    if policy.lingers:
        return  # its end depends on when the other seat answers, and the end of its own time less
    turn = policy.turn_ms + slot.extension_ms
    start = watch.since - watch.before_ms
    for left in BEFORE_TURN_ENDS_MS:
        if turn > left and start + turn - left > after:
            yield Reminder(start + turn - left, seat, "turn", left)
    reserve = live.table.reserve_ms[seat] if policy.uses_reserve else 0
    entered = start + turn
    if reserve > 0 and entered > after:
        yield Reminder(entered, seat, "reserve-entered", reserve)
    past = max(0, after - entered) // EVERY_RESERVE_MS * EVERY_RESERVE_MS
    for spent in range(past + EVERY_RESERVE_MS, reserve, EVERY_RESERVE_MS):
        yield Reminder(start + turn + spent, seat, "reserve", reserve - spent)


def given_back(
    ruleset: AnyRuleset,
    live: Live,
    *,
    outages: Sequence[tuple[int, int]],
    at: int,
    least_ms: int = 0,
) -> Live:
    """The match after the service was away: ``outages`` are the instants from and until when, none
    of which overlap, and ``at`` is now.

    Each clock that ran meanwhile is turned back by as long as it did, so that it shows what it
    would show without. Whoever then has less than ``least_ms`` left has that much from now on, but
    never more than the decision's own limit: they have to find back first. A sealed answer keeps
    its clock looking like an open one's. A match that waits for its
    players, or for what they add to its draws, waits so much longer.
    """
    if live.waiting is not None:
        return msgspec.structs.replace(
            live, waiting=_waiting_longer(live.waiting, outages, at, least_ms)
        )
    watches = list(live.watches)
    for seat in (0, 1):
        slot, watch = limits.shown(live.table, seat), live.watches[seat]
        if slot is None or watch is None or watch.since is None:
            continue
        since = watch.since
        ran = [(down, back - max(down, since)) for down, back in outages if back > since]
        limit = limits.shown_limit_of(ruleset, live.table, seat)
        if not ran or (limit is not None and watch.reading(ran[0][0]) > limit):
            continue  # it did not run then, or had run out before
        now = max(at, *(back for _, back in outages))
        reading = watch.reading(now) - sum(took for _, took in ran)
        if limit is not None:
            reading = min(reading, limit - least_ms)
        watches[seat] = Watch(max(reading, slot.reading_ms), now)
    return msgspec.structs.replace(live, watches=(watches[0], watches[1]))


def _waiting_longer(
    waiting: Waiting, outages: Sequence[tuple[int, int]], at: int, least_ms: int
) -> Waiting:
    def longer(until: int) -> int:
        lost = sum(back - down for down, back in outages if down <= until)
        return max(until + lost, at + least_ms) if lost else until

    opens, gathers = waiting.opens_until, waiting.gathers_until
    return msgspec.structs.replace(
        waiting,
        until=longer(waiting.until),
        opens_until=None if opens is None else longer(opens),
        gathers_until=None if gathers is None else longer(gathers),
    )


# -- shared --------------------------------------------------------------------------------------


def later(live: Live, *, by_ms: int) -> Live:
    """The same match with clocks that show ``by_ms`` after any instant what they show at it now:
    for whoever is told of it so much later."""
    first, second = (
        watch if watch is None or watch.since is None
        else Watch(watch.before_ms, watch.since + by_ms)
        for watch in live.watches
    )  # fmt: skip
    return msgspec.structs.replace(live, watches=(first, second))


def _as_actor(seat: Seat) -> Literal[0, 1]:
    return 1 if seat else 0


class _When(NamedTuple):
    """When something came, by which it is judged, and when it is carried out, which is no earlier:
    what it opens begins then."""

    at: int
    opens: int

    @classmethod
    def of(cls, at: int, opens: int | None) -> _When:
        return cls(at, at if opens is None else max(at, opens))

    def watch(self, watch: Watch, *, paused: bool) -> Watch:
        return watch.stopped(self.at) if paused else watch.started(self.opens)


def _then(turn: Turn, entry: Entry, step: tables.Step, when: _When) -> Turn:
    return Turn(
        _with_watches(turn.live, step.table, when),
        (*turn.happened, Happened(entry, step.events, step.table)),
    )


def _with_chance(ruleset: AnyRuleset, turn: Turn, when: _When, random: RandomSource) -> Turn:
    while due := play.draws_due(ruleset, turn.live.table):
        table = turn.live.table
        supplied = _preparation_for(ruleset, turn.live, due[0])
        if supplied is None:
            text = play.drawn(ruleset, table, due[0], _numbers(ruleset, turn.live, due[0], random))
        else:
            text = supplied.text
        by = "" if supplied is None else supplied.by
        step = play.chanced(ruleset, table, text=text, by=by)
        turn = _then(turn, Entry(actor="chance", text=step.text, by=by), step, when)
    return turn


def _numbers(ruleset: AnyRuleset, live: Live, draw: Draw, random: RandomSource) -> Below:
    """What a draw that is due is built on."""
    if live.draws is None:
        return evenly(random)
    return live.draws.numbers(play.draw_label(ruleset, live.table, draw))


def _preparation_for(ruleset: AnyRuleset, live: Live, draw: Draw) -> Prepared | None:
    for prepared in live.prepared:
        if ruleset.parse_chance(prepared.text).draw == draw:
            return prepared
    return None


def _with_watches(live: Live, table: Table, when: _When) -> Live:
    """``table`` with stopwatches: kept for decisions that are still the same, fresh for new ones,
    set to what they showed for those that were suspended, all held during a pause."""
    watches: list[Watch | None] = [None, None]
    for seat in (0, 1):
        slot = limits.shown(table, seat)
        if slot is None:
            continue
        watch = live.watches[seat]
        if watch is None or _visible_decision(live.table, seat) != slot.decision.id:
            watch = Watch(slot.reading_ms)
        watches[seat] = when.watch(watch, paused=table.paused)
    return Live(table, (watches[0], watches[1]), live.prepared, draws=live.draws)


def _visible_decision(table: Table, seat: Seat) -> str | None:
    """The id of the decision that this seat is seen to be at."""
    slot = limits.shown(table, seat)
    return None if slot is None else slot.decision.id


# -- storage -------------------------------------------------------------------------------------


class _SavedLive(msgspec.Struct, frozen=True, omit_defaults=True):
    table: msgspec.Raw
    watches: tuple[Watch | None, Watch | None]
    prepared: tuple[Prepared, ...] = ()
    waiting: Waiting | None = None
    never_begun: bool = False
    draws: Draws | None = None


_DECODER = msgspec.json.Decoder(_SavedLive)


def encode_live(ruleset: AnyRuleset, live: Live) -> bytes:
    """A running match as compact JSON, the header left out."""
    table = msgspec.Raw(saving.encode_table(ruleset, live.table))
    return msgspec.json.encode(
        _SavedLive(table, live.watches, live.prepared, live.waiting, live.never_begun, live.draws)
    )


def decode_live(ruleset: AnyRuleset, header: Header, data: bytes | str) -> Live:
    """The running match of an encoding. Raises EngineFault for what never was one."""
    try:
        saved = _DECODER.decode(data)
    except msgspec.MsgspecError as error:
        raise EngineFault(f"not a running match: {error}") from error
    table = saving.decode_table(ruleset, header, bytes(saved.table))
    return Live(table, saved.watches, saved.prepared, saved.waiting, saved.never_begun, saved.draws)
