"""Putting entries of the audit log into its chain, and looking the chain over.

Entries are sealed after they were committed, in batches, and not by whoever writes them: a chain
has one end, so writers would have to wait there for each other until each has its commit on the
disk. What is paid for that are the seconds between commit and seal, in which a change would not
show. The order in the chain is that of sealing, since numbers of entries become visible out of
order: one whose transaction took longer is sealed with a later batch.

An entry that says that it is from long before the last seal, and was not there then, is not sealed:
somebody has added it afterwards. That is a fault until an operator says that it is none.

The site's role can add to all three tables, so whoever acts as the site can, too: nothing that they
could add may keep entries from being sealed, or the chain from being looked over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import connection, transaction
from django.db.models import Max

from accounts.auditing.chain import (
    BEGINNING,
    NOTHING,
    Course,
    Entry,
    Fault,
    Head,
    Link,
    linked,
    text_of,
)
from accounts.models import AuditCheck, AuditLink
from accounts.services import audit_record
from core.clock import now_utc

log = structlog.get_logger("gauntlet.audit")

#: How much older than the last seal an entry may be that is still sealed: far more than any
#: transaction takes, and than clocks of hosts differ.
LATE: Final = timedelta(hours=1)
#: How far back it is looked for entries that should have been sealed long ago.
A_DAY: Final = timedelta(days=1)
#: Entries that are sealed in one transaction, and links that are read at a time.
BATCH: Final = 1000
# Numbers of entries before the last that is sealed, among which some may have been under way.
_UNDER_WAY: Final = 5000
# Only one seals at a time; who finds the place taken leaves.
_LOCK: Final = 4_107_200_119

# The number of the newest entry that is sealed, but for any that was chosen by somebody: nobody but
# the owner sets the counter.
_NEWEST: Final = (
    "least((SELECT max(entry_id) FROM accounts_auditlink), (SELECT pg_sequence_last_value("
    "pg_get_serial_sequence('accounts_auditentry', 'id')::regclass)))"
)

_FIELDS: Final = "e.id, e.who_id, e.action, e.target_type, e.target_id, e.data, e.at"


# -- sealing -------------------------------------------------------------------------------------


def audit_seal(*, everything: bool = False) -> int:
    """Put all entries that are not in the chain at its end, some at a time; returns how many. Those
    that were under way for as long as thousands of others were written are looked for with
    ``everything`` alone, which looks at all of the log. The head is told to the log, where it
    outlives the database, as soon as it is another one."""
    sealed = 0
    while count := _seal_some(everything=everything):
        sealed += count
        if count < BATCH:
            break
    if sealed:
        log.info("audit.sealed", count=sealed, head=str(audit_head()))
    return sealed


@transaction.atomic
def _seal_some(*, everything: bool) -> int:
    if not _is_alone():
        return 0
    last = AuditLink.objects.order_by("-position").first()
    after = ""
    values: list[Any] = []
    if last is not None:
        after += " AND e.at >= %s"
        values.append(_sealed_up_to(last) - LATE)
        if not everything:
            after += f" AND e.id > {_NEWEST} - %s"
            values.append(_UNDER_WAY)
    return _append(_rows(after, values), last)


def _append(entries: Sequence[Entry], last: AuditLink | None) -> int:
    if not entries:
        return 0
    head = NOTHING if last is None else Head(last.position, last.digest)
    # How late it is by the entries: those of years are sealed one batch after the other.
    at = min(now_utc(), max(entry.at for entry in entries))
    if last is not None:
        at = max(at, _sealed_up_to(last))
    rows = [
        AuditLink(position=link.position, entry_id=link.entry_id, digest=link.digest, at=at)
        for link in linked(entries, head)
    ]
    AuditLink.objects.bulk_create(rows)
    return len(rows)


def _sealed_up_to(last: AuditLink) -> datetime:
    """Up to when the log is sealed: never beyond now, whatever a link says."""
    return min(last.at, now_utc())


def _rows(condition: str, values: list[Any]) -> list[Entry]:
    """The first entries that are not in the chain, of which a condition holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_FIELDS} FROM accounts_auditentry e WHERE NOT EXISTS"  # noqa: S608  (constants)
            f" (SELECT FROM accounts_auditlink l WHERE l.entry_id = e.id){condition}"
            f" ORDER BY e.id LIMIT {BATCH}",
            values,
        )
        return [_entry(row) for row in cursor.fetchall()]


def _entry(row: Sequence[Any]) -> Entry:
    number, who, action, target_type, target_id, data, at = row
    return Entry(number, who, action, target_type, target_id, json.loads(data), at)


def _is_alone() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,))
        alone: bool = cursor.fetchone()[0]
    return alone


@transaction.atomic
def audit_accept_late(*, words: str) -> list[int]:
    """Put the entries that came too late to be sealed into the chain all the same, with an entry
    that says so, and why: an operator has looked at them. Returns their numbers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    last = AuditLink.objects.order_by("-position").first()
    if last is None:
        return []
    late = _rows(" AND e.at < %s", [_sealed_up_to(last) - LATE])
    if late:
        numbers = [entry.id for entry in late]
        said = audit_record(
            acting_user=None, action="audit.late", data={"entries": numbers, "words": words}
        )
        _append([*late, *_rows(" AND e.id = %s", [said.pk])], last)
    return [entry.id for entry in late]


# -- looking it over -----------------------------------------------------------------------------


def audit_head() -> Head:
    """How far the chain goes, and the digest there."""
    last = AuditLink.objects.order_by("-position").first()
    return NOTHING if last is None else Head(last.position, last.digest)


def audit_fault(*, kept: Iterable[Head] = (), after: int = 0) -> tuple[Head, Fault | None]:
    """Go over the whole chain: how far it holds, and the first place where it does not, with how
    much besides does not hold. It must go through every head that was ``kept``, and through those
    of earlier checks, and as far as it went at any of them. ``after``: begin behind this place, as
    it stands."""
    begin = NOTHING
    if after:
        there = AuditLink.objects.filter(position=after).first()
        if there is None:
            return NOTHING, Fault(after, None, f"Place {after} is gone.")
        begin = Head(after, there.digest)
    course = Course(begin, _known(kept, after))
    found: list[Fault] = []
    holds = begin
    for link in _links(after):
        before = course.head
        if (fault := course.take(link)) is not None:
            holds = holds if found else before
            found.append(fault)
    if not found:
        holds = course.undoubted
    found += [each for each in (course.doubt, course.end(_reached()), _forged(), _added()) if each]
    if not found:
        return holds, None
    more = len(found) - 1
    besides = f" Besides, {more} more of it does not hold." if more else ""
    return holds, found[0]._replace(words=found[0].words + besides)


def _known(kept: Iterable[Head], after: int) -> dict[int, str]:
    earlier = AuditCheck.objects.filter(fault="", position__gt=after)
    known = dict(earlier.order_by("id").values_list("position", "digest"))
    # What somebody kept elsewhere counts for more than what the database says of itself.
    return known | {head.position: head.digest for head in kept if head.position > after}


def _reached() -> int:
    """How far the chain went at any earlier look, also at one that found it broken: or what is cut
    off of a broken chain would never be missed."""
    return AuditCheck.objects.aggregate(farthest=Max("reached"))["farthest"] or 0


def _links(after: int) -> Iterator[Link]:
    """The links behind a place, with their entries, some at a time: a long log needs no long
    transaction."""
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT l.position, l.digest, l.entry_id, {_FIELDS}"  # noqa: S608  (constants)
                " FROM accounts_auditlink l LEFT JOIN accounts_auditentry e ON e.id = l.entry_id"
                " WHERE l.position > %s ORDER BY l.position LIMIT %s",
                (after, BATCH),
            )
            rows = cursor.fetchall()
        for position, digest, number, *entry in rows:
            found = None if entry[0] is None else _entry(entry)
            yield Link(position, digest, number, found)
        if len(rows) < BATCH:
            return
        after = rows[-1][0]


def _forged() -> Fault | None:
    """A look or a place that says that it is of a time that is yet to come."""
    ahead = now_utc() + LATE
    check = AuditCheck.objects.filter(at__gt=ahead).order_by("at").first()
    if check is not None:
        return Fault(
            check.position,
            None,
            f"Look {check.pk} says that it is of {check.at:%Y-%m-%d %H:%M} UTC, which is yet to "
            "come: it was added by somebody.",
        )
    link = AuditLink.objects.filter(at__gt=ahead).order_by("position").first()
    if link is None:
        return None
    return Fault(
        link.position,
        link.entry_id,
        f"Place {link.position} says that it is of {link.at:%Y-%m-%d %H:%M} UTC, which is yet to "
        "come: it was added by somebody.",
    )


def _added() -> Fault | None:
    """The first entry that was added afterwards."""
    last = AuditLink.objects.order_by("-position").first()
    if last is None:
        return None
    late = _rows(" AND e.at < %s", [_sealed_up_to(last) - LATE])
    if not late:
        return None
    return Fault(
        last.position + 1,
        late[0].id,
        f"Entry {late[0].id} says that it is of {late[0].at:%Y-%m-%d %H:%M} UTC, and was not there"
        " when that time was sealed: it was added afterwards.",
    )


def audit_check() -> AuditCheck:
    """Seal what is to be sealed, look the chain over, and keep what came of it. The head is told to
    the log, where it outlives the database; and so is, as an error, what does not hold."""
    audit_seal(everything=True)
    reached = audit_head().position
    head, fault = audit_fault()
    row = AuditCheck.objects.create(
        at=now_utc(),
        reached=max(reached, head.position),
        position=head.position,
        digest=head.digest,
        fault="" if fault is None else str(fault),
    )
    if fault is None:
        log.info("audit.head", head=str(head))
    else:
        log.error("audit.broken", place=fault.position, entry=fault.entry_id, fault=fault.words)
    return row


def audit_last_check() -> AuditCheck | None:
    """What came of the last look over the chain, but for looks that are yet to come."""
    # Not by their numbers, which somebody may choose.
    return AuditCheck.objects.filter(at__lte=now_utc()).order_by("-at", "-id").first()


def audit_unsealed_since() -> datetime | None:
    """Of when the first of the last day's entries is that is not in the chain; None: all are."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(e.at) FROM accounts_auditentry e WHERE e.at > %s AND NOT EXISTS"
            " (SELECT FROM accounts_auditlink l WHERE l.entry_id = e.id)",
            (now_utc() - A_DAY,),
        )
        first: datetime | None = cursor.fetchone()[0]
    return first


def audit_lines() -> Iterator[str]:
    """The whole chain for whoever would look it over with a program of their own: a line of JSON
    for each link, with its digest and what that is made of. See `docs/audit.md`."""
    previous = BEGINNING
    for link in _links(0):
        sealed = None if link.entry is None else text_of(link.position, previous, link.entry)
        yield json.dumps({"digest": link.digest, "sealed": sealed and json.loads(sealed)})
        previous = link.digest
