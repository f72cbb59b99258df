"""What comes of whatever happens to a match: it is stored, and told after commit. For services that
hold the match's row, or what this process remembers of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from django.conf import settings
from django.db import transaction

from core.aside import soon
from core.clock import now_ms
from core.hooks import send
from core.on_loop import Connections
from core.prepared import Row
from core.queueing import enqueue
from games import hooks, store
from games.engine.decisions import Event
from games.engine.live import Happened, Live, Turn
from games.engine.table import Actor, Entry
from games.jobs import FOLLOW_UP, TELL_RULING, bot_enqueue, wake_enqueue
from games.metrics import Laps
from games.models import Match, MatchEntry
from games.publishing import frames
from games.publishing.publish import (
    Frame,
    leaving,
    make_ready,
    publish,
    tell_elsewhere,
    tell_here,
)
from games.publishing.turns import turn_frames
from games.services.announcing import turns_tell
from games.services.late import late_view_keep
from games.store import Appended, AtOnce, Held, Readers


class Said(NamedTuple):
    """What somebody sent: the client's id of it and its text as they were received, and whose they
    are."""

    actor: Actor
    client_id: str
    text: str
    by_id: int

    @property
    def audience(self) -> int:
        """Which of the versions it is answered with: that of a seat, or (2) the room's."""
        return self.actor if isinstance(self.actor, int) else 2


class _Step(NamedTuple):
    """What came of a turn: what each audience then knows, what it is told, and the entries."""

    readers: Readers
    out: list[Frame]
    appended: list[Appended]


def settle(held: Held, turn: Turn, *, at: int, said: Said | None = None) -> Held:
    """Store what happened to a match whose row is locked, and tell of it after commit. ``said`` is
    what led to it, unless it was time. Returns the match as it then stands.

    Raises IdTakenError; the caller must roll back.
    """
    step = _step(held, turn, at, said)
    after = store.save(held, live=turn.live, readers=step.readers, appended=step.appended, at=at)
    step.out.extend(turn_frames(held, after))
    late_view_keep(held, after, at=at)
    announce(held, after, step.out)
    return after


def tell(held: Held, live: Live, events: tuple[Event, ...], *, at: int) -> Held:
    """Store a match whose row is locked as it stands in ``live``, with what the service itself says
    of that in the log: no record has it. Returns the match as it then stands."""
    happened = Happened(Entry(actor="chance", text=""), events, live.table)
    readers, out = frames.step_frames(
        held.ruleset,
        held.live,
        live,
        held.readers,
        (happened,),
        match_id=held.match_id,
        at=at,
        actor=MatchEntry.Actor.SERVICE,
    )
    MatchEntry.objects.create(
        match_id=held.match_id,
        seq=held.seq + 1,
        actor=MatchEntry.Actor.SERVICE,
        at=at,
        events=msgspec.to_builtins(events),
    )
    told = held._replace(seq=held.seq + 1)
    after = store.save(told, live=live, readers=readers, appended=(), at=at)
    announce(told, after, out)
    return after


def settle_at_once(held: Held, turn: Turn, *, at: int, said: Said, laps: Laps) -> Held | None:
    """As `settle`, of a match whose row is not locked, and durable when it returns: one statement.
    None, and nothing has happened, where `store.AtOnce` says so."""
    step, statement = _at_once(held, turn, at, said)
    after = store.save_at_once(statement, meanwhile=partial(make_ready, step.out))
    laps.lap("stored")
    if after is not None:
        announce(held, after, step.out)
    return after


def settle_on_loop(
    held: Held,
    turn: Turn,
    *,
    at: int,
    said: Said,
    database: Connections,
    settled: Callable[[Held | None], None],
    laps: Laps,
) -> bool:
    """As `settle_at_once`, on the event loop whose ``database`` it is, which goes on meanwhile.
    Everybody here has been told when ``settled`` is called with the match as it then stands; with
    None where nothing has happened, or nobody knows whether it has. False, and it is not called,
    where no connection is free: nothing has happened."""
    step, statement = _at_once(held, turn, at, said)

    def answered(rows: list[Row] | None) -> None:
        after = statement.stored(rows[0] if rows else None)
        laps.lap("stored")
        try:
            if after is not None:
                told = tell_here(step.out)
                if frames_left := leaving(step.out):
                    soon(partial(tell_elsewhere, frames_left, told=told))
                if later := list(_follow(held, after)):
                    database.later(partial(_do_all, later))
        finally:
            settled(after)  # whoever waits for it must not wait for ever

    if not database.execute(statement.sql, statement.parameters, answered):
        return False
    make_ready(step.out)
    return True


def _do_all(calls: Iterable[Callable[[], object]]) -> None:
    for call in calls:
        transaction.on_commit(call, robust=True)


def _at_once(held: Held, turn: Turn, at: int, said: Said) -> tuple[_Step, AtOnce]:
    step = _step(held, turn, at, said)
    statement = store.at_once(
        held, live=turn.live, readers=step.readers, appended=step.appended, at=at, by_id=said.by_id
    )
    step.out.extend(turn_frames(held, statement.after))
    return step, statement


def _step(held: Held, turn: Turn, at: int, said: Said | None) -> _Step:
    readers, out = frames.step_frames(
        held.ruleset,
        held.live,
        turn.live,
        held.readers,
        turn.happened,
        match_id=held.match_id,
        at=at,
    )
    appended = [Appended(happened) for happened in turn.happened]
    if said is not None:
        theirs = [i for i, h in enumerate(turn.happened) if h.entry.actor == said.actor]
        # A player's time may have run out before, in the same turn; of a take-back, which is an
        # entry for each that it undoes, it is the first.
        own = theirs[0] if said.actor == "organiser" else theirs[-1]
        appended[own] = appended[own]._replace(
            client_id=said.client_id,
            submitted=said.text,
            ack_version=readers.versions[said.audience],
            by_id=said.by_id,
        )
    return _Step(readers, out, appended)


def announce(held: Held, after: Held, out: Sequence[Frame]) -> None:
    """Once this transaction is committed, or at once where there is none, tell everybody of
    ``after``, which is stored and follows ``held``: readers by the frames ``out``, whoever listens
    to each turn by a hook, and workers who tell organisers that they are to rule, do what follows
    an end, or must look soon."""
    transaction.on_commit(partial(publish, out))
    for call in _follow(held, after):
        transaction.on_commit(call, robust=True)


def _follow(held: Held, after: Held) -> Iterator[Callable[[], object]]:
    """What is to be done when ``after`` is stored, besides telling its readers."""
    live, readers = after.live, after.readers
    room = readers.versions[2]
    is_over = live.table.result is not None
    # Who listens to a match that spectators see late is told when they are.
    at_once = held.followed and not held.late_s and not is_over
    if at_once and room != held.readers.versions[2]:
        yield partial(send, hooks.match_turned, Match, match_id=held.match_id, version=room)
    waited, waits = (store.awaits_ruling(held.ruleset, each) for each in (held.live, live))
    if waits != waited:
        yield partial(soon, partial(_announce_ruling, held, waits=waits))
    if not is_over:
        yield from turns_tell(held, after)
    if not is_over and store.awaits_bot(after):
        yield partial(soon, partial(bot_enqueue, match_id=after.match_id))
    if is_over:
        yield partial(soon, partial(_announce_end, held.match_id))
    elif after.wake_at is not None and _is_near(after.wake_at):
        yield partial(_wake_soon, held.match_id, after.wake_at)


def enqueue_if_near(match_id: int, wake: int | None) -> None:
    """Have a worker look at a match at instant ``wake`` (ms), where that is soon: what is far is
    found by the sweep."""
    if wake is not None and _is_near(wake):
        transaction.on_commit(partial(_wake_soon, match_id, wake), robust=True)


def _wake_soon(match_id: int, wake: int) -> None:
    soon(partial(wake_enqueue, match_id=match_id, wake_at=wake))


def _is_near(wake: int) -> bool:
    return wake - now_ms() < settings.GAUNTLET_WAKE_AHEAD_MS


def _announce_ruling(held: Held, *, waits: bool) -> None:
    enqueue(TELL_RULING, held.match_id, held.seq, waits)


def _announce_end(match_id: int) -> None:
    # By a worker, or by the sweep where the broker is away: see `games.services.aftermath`.
    enqueue(FOLLOW_UP, match_id)
