"""Matches between the database and the engine.

The hot path is plain SQL. Of a match that this process remembers (`games.remembered`) a turn is one
statement that commits by itself: it writes the row and the entries if the row is still the one that
was remembered. Any other is one locking read, one insert and one update. Everything else uses the
models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db import IntegrityError, OperationalError, connection
from psycopg.errors import LockNotAvailable

from core.clock import instant_of
from core.prepared import prepared_cursor
from core.refusals import Forbidden, NotFound
from games.engine import live as lives
from games.engine.capabilities import disputes_of
from games.engine.decisions import Seat
from games.engine.live import Happened, Live
from games.engine.ruleset import HeldItem
from games.engine.table import Actor, AnyRuleset, Entry, Header
from games.models import Match
from games.rulesets import REGISTRY


class Readers(msgspec.Struct, frozen=True):
    """What each audience (seat 0, seat 1, the room) has been told: its version, the length of its
    log; and for each seat the version with which its open decision opened."""

    versions: tuple[int, int, int] = (1, 1, 1)
    logs: tuple[int, int, int] = (0, 0, 0)
    since: tuple[int, int] = (1, 1)


class _Snapshot(msgspec.Struct, frozen=True):
    live: msgspec.Raw
    readers: Readers


class Held(NamedTuple):
    """A match as it stands: its row's number of entries and wake, its engine state, its readers,
    whether somebody listens to each turn, whose the seats are (None: nobody's of this site, or not
    known here), by how many seconds spectators see it late, and where the site's own bots sit (as
    `Match.bot_seats`). ``written_by`` is the transaction
    that wrote the row (its `xmin`): whatever is written to it, by whomever, changes that; a lock
    does not."""

    match_id: int
    ruleset: AnyRuleset
    live: Live
    readers: Readers
    seq: int
    wake_at: int | None
    status: str
    followed: bool = False
    made_good_until: int = 0
    written_by: str = ""
    user_ids: Sequence[int | None] = (None, None)
    late_s: int = 0
    bot_seats: int = 0

    @property
    def is_over(self) -> bool:
        return self.status == Match.Status.FINISHED


class Appended(NamedTuple):
    """One entry to insert with the events it led to, and what only a submission carries."""

    happened: Happened
    client_id: str | None = None
    submitted: str = ""
    ack_version: int | None = None
    by_id: int | None = None


_SNAPSHOT = msgspec.json.Decoder(_Snapshot)
_COLUMNS = (
    "id, ruleset, variant, options::text, items::text, advantage, snapshot, seq, wake_at, status,"
    " followed, made_good_until, xmin::text,"
    " ARRAY(SELECT user_id FROM games_matchplayer WHERE match_id = games_match.id ORDER BY seat),"
    " late_s, bot_seats"
)
_IS_ACTIVE = "(SELECT is_active FROM accounts_user WHERE accounts_user.id = %s)"
_READ = f"SELECT {_COLUMNS}, true FROM games_match WHERE id = %s"  # noqa: S608  (constants only)
_LOCK = f"SELECT {_COLUMNS}, {{active}} FROM games_match WHERE id = %s FOR NO KEY UPDATE"  # noqa: S608


class RowHeldError(OperationalError):
    """Somebody holds the match's row just now, and it is not to be waited for here."""


class IdTakenError(Exception):
    """The client's id of what was sent is taken: it was sent before, or something else was."""


_waits: ContextVar[bool] = ContextVar("waits", default=True)


@contextmanager
def without_waiting() -> Iterator[None]:
    """Have `lock` raise RowHeldError instead of waiting: for threads that others need meanwhile."""
    token = _waits.set(False)
    try:
        yield
    finally:
        _waits.reset(token)


def may_wait() -> bool:
    """Whether this thread may wait: it is not within `without_waiting`."""
    return _waits.get()


def lock(match_id: int, *, user_id: int | None = None) -> Held:
    """The match, its row locked until the transaction ends.

    Raises Refusal ``match.none``, and ``account.closed`` where ``user_id`` is given and that
    account is no longer active (a socket may have been open since before); RowHeldError within
    `without_waiting`.
    """
    active = "true" if user_id is None else _IS_ACTIVE
    parameters = (match_id,) if user_id is None else (user_id, match_id)
    sql = _LOCK.format(active=active)
    if _waits.get():
        return _read(sql, parameters)
    try:
        return _read(f"{sql} NOWAIT", parameters)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise RowHeldError(*error.args) from error.__cause__
        raise


def lock_if_free(match_id: int) -> Held | None:
    """The match, its row locked as by `lock`; None where there is none, or where somebody else
    holds it just now."""
    try:
        return _read(f"{_LOCK.format(active='true')} SKIP LOCKED", (match_id,))
    except NotFound as refusal:
        # What cannot be read is not held by anybody: its fault is to be seen.
        if refusal.code != "match.none":
            raise
        return None


def read(match_id: int) -> Held:
    """The match as last committed. Raises Refusal ``match.none``."""
    return _read(_READ, (match_id,))


def held_of(match: Match) -> Held:
    """The match of a row that was fetched already, snapshot included."""
    ruleset, header = header_of(match)
    saved = _SNAPSHOT.decode(match.snapshot)
    live = lives.decode_live(ruleset, header, bytes(saved.live))
    return Held(
        match.pk, ruleset, live, saved.readers, match.seq, match.wake_at, match.status,
        match.followed, match.made_good_until, late_s=match.late_s, bot_seats=match.bot_seats,
    )  # fmt: skip


def shown_late(match: Match) -> Held:
    """A match as spectators may know it by now, where they see it late: as it stood when the latest
    view that is shown was taken, with its clocks going on from there. Once it is over it is over
    for everybody."""
    held = held_of(match)
    if held.is_over:
        return held
    view = match.late_views.filter(shown=True).order_by("-version").first()
    if view is None:  # it has ended in between
        return held_of(Match.objects.get(pk=match.pk, status=Match.Status.FINISHED))
    saved = _SNAPSHOT.decode(view.snapshot)
    live = lives.decode_live(held.ruleset, header_of(match)[1], bytes(saved.live))
    late = lives.later(live, by_ms=1000 * match.late_s)
    return held._replace(live=late, readers=saved.readers, seq=view.seq)


def seen_by_spectators(match: Match) -> Held:
    """A match as everybody may know it now, of a row that was fetched already."""
    return shown_late(match) if match.late_s else held_of(match)


def readers_of(match: Match) -> Readers:
    """What each audience of a match has been told, of a row that was fetched already; without
    reading how the match stands."""
    return _SNAPSHOT.decode(match.snapshot).readers


def _read(sql: str, parameters: tuple[int, ...]) -> Held:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        row = cursor.fetchone()
    if row is None:
        raise NotFound("match.none", "There is no such match.")
    if not row[-1]:
        raise Forbidden("account.closed", "This account is closed.")
    pk, ruleset_id, variant, options, items, advantage, snapshot, *rest, _active = row
    ruleset, header = _header(ruleset_id, variant, options, items, advantage)
    saved = _SNAPSHOT.decode(snapshot)
    live = lives.decode_live(ruleset, header, bytes(saved.live))
    return Held(pk, ruleset, live, saved.readers, *rest)


@lru_cache(maxsize=4096)
def _header(
    ruleset_id: str, variant: str, options: str, items: str, advantage: int | None
) -> tuple[AnyRuleset, Header]:
    ruleset = REGISTRY.get(ruleset_id)
    return ruleset, Header(
        ruleset=ruleset_id,
        variant=variant,
        options=msgspec.json.decode(options, type=ruleset.options_type),
        advantage=advantage,
        items=tuple(msgspec.json.decode(items, type=list[HeldItem])),
    )


def header_of(match: Match) -> tuple[AnyRuleset, Header]:
    """The ruleset and the header of a match's row."""
    options = msgspec.json.encode(match.options).decode()
    items = msgspec.json.encode(match.items).decode()
    return _header(match.ruleset, match.variant, options, items, match.advantage)


def snapshot_of(ruleset: AnyRuleset, live: Live, readers: Readers) -> str:
    """The text that is kept of a match."""
    raw = msgspec.Raw(lives.encode_live(ruleset, live))
    return msgspec.json.encode(_Snapshot(raw, readers)).decode()


def never_began(match_id: int) -> bool:
    """Whether a match ended while it waited for its players. Needs no ruleset, so that it can be
    asked of games that the site no longer offers."""
    snapshot = Match.objects.values_list("snapshot", flat=True).get(pk=match_id)
    kept: dict[str, Any] = msgspec.json.decode(snapshot)
    return bool(kept.get("live", {}).get("never_begun", False))


# A bound that is early enough stays: an index is on it (see `Match.sweep_at`).
_SET = (
    "snapshot = %s::text, seq = %s::integer, deadline_at = %s::bigint, wake_at = %s::bigint,"
    " sweep_at = CASE WHEN %s::bigint IS NOT NULL THEN least(sweep_at, %s::bigint) END,"
    " paused = %s::boolean, awaits_ruling = %s::boolean, status = %s::text, winner = %s::smallint,"
    " reason = %s::text, scores = %s::jsonb, finished_at = %s::timestamptz,"
    " waits_until = %s::bigint, to_move = %s::smallint"
)
_SAVE = f"UPDATE games_match SET {_SET} WHERE id = %s RETURNING xmin::text"  # noqa: S608
# The row is locked only if nobody has written to it since, if nobody holds it, and if the account
# is still active; without that nothing is written. What a concurrent transaction has written
# meanwhile counts: a row that is locked is judged again as it is then.
_SAVE_AT_ONCE = f"""
    WITH free AS (
        SELECT id FROM games_match WHERE id = %s::bigint AND xmin = %s::xid AND seq = %s::integer
        AND {_IS_ACTIVE.replace("%s", "%s::bigint")} FOR NO KEY UPDATE SKIP LOCKED
    ), saved AS (
        UPDATE games_match SET {_SET} FROM free WHERE games_match.id = free.id
        RETURNING games_match.id, games_match.xmin::text AS written_by
    ), inserted AS (
        INSERT INTO games_matchentry ({{columns}})
        SELECT saved.id, entry.* FROM saved CROSS JOIN (VALUES {{rows}}) AS entry
    )
    SELECT written_by FROM saved
"""  # noqa: S608  (constants only)


def save(
    held: Held, *, live: Live, readers: Readers, appended: Sequence[Appended], at: int
) -> Held:
    """Store the match, whose row is locked, after ``appended``: the entries and the row. Returns it
    as it then stands.

    Raises IdTakenError where a client id was there already; the caller must roll back.
    """
    if _insert(held, appended, at) < len(appended):
        raise IdTakenError
    after = _following(held, live, readers, len(appended), at)
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, (*_row(after, at), held.match_id))
        return after._replace(written_by=cursor.fetchone()[0])


class AtOnce(NamedTuple):
    """A statement that stores a match after what happened to it, and commits by itself; and the
    match as it then stands, but for what only the database knows (`stored`).

    It stores nothing, and has no rows, unless the row is still the one that was held and nobody
    holds it, and the account whose submission it is is active. It fails where a client id was there
    already.
    """

    after: Held
    sql: str
    parameters: list[str | None]

    def stored(self, row: Sequence[Any] | None) -> Held | None:
        """The match, stored; None where nothing was."""
        return None if row is None else self.after._replace(written_by=row[0])


def at_once(
    held: Held,
    *,
    live: Live,
    readers: Readers,
    appended: Sequence[Appended],
    at: int,
    by_id: int,
) -> AtOnce:
    """What stores, as `save` would, a match whose row is not locked. ``by_id``: the account whose
    submission it is."""
    after = _following(held, live, readers, len(appended), at)
    values = (held.match_id, held.written_by, held.seq, by_id, *_row(after, at))
    for number, each in enumerate(appended, held.seq + 1):
        values += (number, *_entry_row(each, at))
    return AtOnce(after, _at_once(len(appended)), [_as_text(value) for value in values])


def save_at_once(statement: AtOnce, *, meanwhile: Callable[[], None]) -> Held | None:
    """Store a match so, outside of transactions. ``meanwhile`` is called while the database is at
    it. None, and nothing was stored, where `AtOnce` says so."""
    try:
        with prepared_cursor(meanwhile) as cursor:
            cursor.execute(statement.sql, statement.parameters)
            return statement.stored(cursor.fetchone())
    except IntegrityError:
        return None


@lru_cache
def _at_once(entries: int) -> str:
    """The statement for so many entries, one text for each, so that each is prepared once."""
    rows = ", ".join([f"({', '.join(f'%s::{kind}' for kind in _ENTRY_KINDS)})"] * entries)
    text = _SAVE_AT_ONCE.format(columns=_ENTRY_COLUMNS, rows=rows)
    numbers = count(1)
    return re.sub("%s", lambda _: f"${next(numbers)}", text)


def _as_text(value: Any) -> str | None:
    """A parameter in PostgreSQL's own notation."""
    if value is None or isinstance(value, str):
        return value
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _following(held: Held, live: Live, readers: Readers, entries: int, at: int) -> Held:
    """The match after so many entries more."""
    over = live.table.result is not None
    return held._replace(
        live=live,
        readers=readers,
        seq=held.seq + entries,
        wake_at=wake_after(held, live, at=at),
        status=Match.Status.FINISHED.value if over else Match.Status.RUNNING.value,
        written_by="",
    )


def _row(after: Held, at: int) -> tuple[Any, ...]:
    """The values of `_SET`."""
    live, result = after.live, after.live.table.result
    return (
        snapshot_of(after.ruleset, live, after.readers),
        after.seq,
        lives.next_deadline(after.ruleset, live),
        after.wake_at,
        after.wake_at,
        after.wake_at,
        live.table.paused,
        awaits_ruling(after.ruleset, live),
        after.status,
        None if result is None else result.winner,
        "" if result is None else result.reason,
        "[]" if result is None else msgspec.json.encode(result.scores).decode(),
        None if result is None else instant_of(at),
        None if live.waiting is None else live.waiting.until,
        to_move(live),
    )


def waits_for(live: Live, seat: Seat) -> bool:
    """Whether the match waits for this seat: for its decision, or for it to be there; not for an
    answer that is in and may still be changed. While nothing can be answered it waits for nobody.
    Of the other seat's answers it tells nothing."""
    table = live.table
    if table.result is not None or table.paused:
        return False
    if live.waiting is not None:
        return live.waits_to_see(seat)
    return table.open[seat] is not None and not table.holds_back(seat)


def to_move(live: Live) -> int:
    """Whom the match waits for, as its row has it."""
    return sum(1 << seat for seat in (0, 1) if waits_for(live, seat))


def awaits_bot(held: Held) -> bool:
    """Whether the match waits for a bot of the site's."""
    return held.bot_seats > 0 and bool(to_move(held.live) & held.bot_seats)


def awaits_ruling(ruleset: AnyRuleset, live: Live) -> bool:
    """Whether the match stands still until an organiser has ruled."""
    table, disputes = live.table, disputes_of(ruleset)
    if disputes is None or table.state is None or table.result is not None:
        return False
    return disputes.in_dispute(table.state)


def save_wake(held: Held, *, wake_at: int | None) -> None:
    """Store only when a worker must look next."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_match SET wake_at = %s, sweep_at = %s WHERE id = %s",
            (wake_at, wake_at, held.match_id),
        )


def postpone_sweeps(*, until: int, at_most: int) -> int:
    """Have the sweep come upon matches whose bound lies before ``until`` (ms), but which must be
    looked at later than that, only then. Returns how many there were; a match that somebody holds
    is left to the next sweep."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_match SET sweep_at = wake_at WHERE id IN (SELECT id FROM games_match"
            " WHERE sweep_at <= %s AND wake_at > %s ORDER BY sweep_at LIMIT %s"
            " FOR NO KEY UPDATE SKIP LOCKED)",
            (until, until, at_most),
        )
        moved: int = cursor.rowcount
    return moved


def save_made_good(held: Held, *, until: int) -> None:
    """Store up to when outages have been given back."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_match SET made_good_until = %s WHERE id = %s", (until, held.match_id)
        )


def next_wake(ruleset: AnyRuleset, live: Live, *, after: int) -> int | None:
    """When a worker must look at this match next: for a reminder later than ``after``, or for a
    deadline, once submissions that arrived in time have settled."""
    if live.waiting is not None:
        instant = live.waiting.next_instant(after=after)
        opens = live.waiting.opens_until is not None
        return instant + (settings.GAUNTLET_SETTLE_MS if opens else 0) + 1
    deadline = lives.next_deadline(ruleset, live)
    if deadline is None:
        return None
    settled = deadline + settings.GAUNTLET_SETTLE_MS + 1
    due = lives.next_reminder(ruleset, live, after=after)
    return settled if due is None else min(settled, due)


def wake_after(held: Held, live: Live, *, at: int) -> int | None:
    """When a worker must look at ``live``, which follows ``held`` at instant ``at``.

    A reminder that is due but not yet announced stays due: whether it comes must not depend on
    what happened meanwhile, which may be secret.
    """
    overdue = held.wake_at is not None and held.wake_at <= at
    return next_wake(held.ruleset, live, after=(held.wake_at or 0) - 1 if overdue else at)


_ENTRY_COLUMNS = (
    "match_id, seq, actor, text, timeout, reading_ms, client_id, submitted, ack_version, by_id,"
    " by_name, why, at, events"
)
# Of all but the first.
_ENTRY_KINDS = (
    "integer", "text", "text", "boolean", "bigint", "text", "text", "integer", "bigint", "text",
    "text", "bigint", "jsonb",
)  # fmt: skip


def _insert(held: Held, appended: Sequence[Appended], at: int) -> int:
    if not appended:
        return 0
    values: list[Any] = []
    for number, each in enumerate(appended, held.seq + 1):
        values += (held.match_id, number, *_entry_row(each, at))
    rows = ", ".join(["(" + ", ".join(["%s"] * 13) + ", %s::jsonb)"] * len(appended))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO games_matchentry ({_ENTRY_COLUMNS}) VALUES {rows}"  # noqa: S608
            " ON CONFLICT (match_id, actor, client_id) WHERE client_id IS NOT NULL DO NOTHING",
            values,
        )
        inserted: int = cursor.rowcount
        return inserted


def _entry_row(each: Appended, at: int) -> tuple[Any, ...]:
    """The values of an entry's columns after its match and number."""
    entry = each.happened.entry
    return (
        str(entry.actor),
        entry.text,
        entry.timeout,
        entry.reading_ms,
        each.client_id,
        each.submitted,
        each.ack_version,
        each.by_id,
        entry.by,
        entry.why,
        at,
        msgspec.json.encode(each.happened.events).decode(),
    )


def entries_of(match_id: int) -> list[Entry]:
    """The record's entries of a match in order, those that were taken back included."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT actor, text, timeout, reading_ms, by_name, why FROM games_matchentry"
            " WHERE match_id = %s AND actor <> 'service' ORDER BY seq",
            (match_id,),
        )
        return [_entry(row) for row in cursor.fetchall()]


def _entry(row: Sequence[Any]) -> Entry:
    actor, text, timeout, reading_ms, by, why = row
    return Entry(
        actor=actor_of(actor),
        text=text,
        timeout=timeout,
        reading_ms=reading_ms,
        by=by,
        why=why,
    )


def actor_of(stored: str) -> Actor:
    """The engine's actor for a stored one."""
    return _ACTORS[stored]


_ACTORS: dict[str, Actor] = {"0": 0, "1": 1, "chance": "chance", "organiser": "organiser"}


class Acked(NamedTuple):
    """What was once answered to a client id."""

    submitted: str
    version: int
    at: int


def acked(match_id: int, actor: Actor, client_id: str) -> Acked | None:
    """The earlier answer to ``client_id`` of this actor in this match, or None."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT submitted, ack_version, at FROM games_matchentry"
            " WHERE match_id = %s AND actor = %s AND client_id = %s",
            (match_id, str(actor), client_id),
        )
        row = cursor.fetchone()
    return None if row is None else Acked(*row)
