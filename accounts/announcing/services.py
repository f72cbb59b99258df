"""Telling people: one service that fans out to the ways that each has chosen, what they choose, and
what they have read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from django.db import IntegrityError, transaction

from accounts import hooks
from accounts.addresses import confirmed_addresses
from accounts.announcing import kinds
from accounts.announcing.devices import those_with_devices
from accounts.announcing.discord import those_let_through, those_linked
from accounts.announcing.kinds import CHOICES, Kind, Way, When
from accounts.jobs import DELIVER, DISCORD, PUSH
from accounts.models import (
    Announcement,
    AnnouncementChoice,
    AnnouncementDelivery,
    PushSubscription,
    User,
)
from accounts.services import audit_record
from core.clock import now_utc
from core.hooks import send
from core.queueing import enqueue
from core.refusals import Refusal

SUBJECT_MAX: Final = 250
WORDS_MAX: Final = 2_000
OUTSIDE: Final = {Way.MAIL: DELIVER, Way.PUSH: PUSH, Way.DISCORD: DISCORD}
"""The ways that leave the site: each is delivered by a worker, by a task of its own."""

Choices = Mapping[tuple[str, Way], When]

# Rows of one statement.
_AT_ONCE: Final = 5_000
# How often the same may be told by somebody else at the very same moment.
_ATTEMPTS: Final = 3


class Told(NamedTuple):
    """What one person is told: ``path`` leads to where they can do or read more. ``key`` names what
    it is about, so that whoever announces the same again tells nobody twice. ``heard``: the pages
    that they have open say it already, by a frame of its own, and only mark that there is something
    new."""

    user: User
    kind: str
    key: str
    subject: str
    words: str
    path: str
    heard: bool = False


@transaction.atomic
def announce(told: Iterable[Told]) -> list[Announcement]:
    """Tell people, each by the ways that they have chosen; returns what was told for the first
    time. Nobody is told anything whose account is closed, or who has none. It costs as many
    statements for thousands as for one.

    Raises KeyError for a kind that is not in the table.
    """
    wanted: dict[tuple[int, str], Told] = {}
    for each in told:
        if each.user.is_active and not each.user.is_guest:
            wanted.setdefault((each.user.pk, each.key), each)
    if not wanted:
        return []
    readers = {user_id for user_id, _key in wanted}
    choices = _chosen_by(readers)
    written = _written(wanted, choices)
    if not written:
        return []
    _replace(written)
    now = _deliver(written, choices, _reachable(readers))
    for heard in (False, True):
        ids = [row.pk for row in written if wanted[row.user_id, row.key].heard is heard]
        if ids:
            tell = partial(send, hooks.announced, User, announcement_ids=ids, heard=heard)
            transaction.on_commit(tell, robust=True)
    transaction.on_commit(partial(_hand_on, now), robust=True)
    return written


def _written(
    wanted: Mapping[tuple[int, str], Told], choices: Mapping[int, Choices]
) -> list[Announcement]:
    """Those of the announcements that had not been told before, written."""
    # Whoever tells the same at the same moment is waited for, and has told it then.
    for _attempt in range(_ATTEMPTS):
        own = Announcement.objects.filter(
            user__in={user_id for user_id, _key in wanted}, key__in={key for _user, key in wanted}
        )
        known = set(own.values_list("user", "key"))
        rows = [
            _row(each, choices.get(user_id, {}))
            for (user_id, key), each in wanted.items()
            if (user_id, key) not in known
        ]
        try:
            with transaction.atomic():
                return Announcement.objects.bulk_create(rows, batch_size=_AT_ONCE)
        except IntegrityError as error:
            if "announcement_once" not in str(error):
                raise
            collided = error
    raise collided


def _row(told: Told, choices: Choices) -> Announcement:
    kind = kinds.kind_of(told.kind)
    at = now_utc()
    is_new = when_of(kind, Way.SITE, choices) is When.NOW
    return Announcement(
        user=told.user,
        key=told.key,
        kind=kind.key,
        subject=_shortened(told.subject, SUBJECT_MAX),
        words=_shortened(told.words, WORDS_MAX),
        path=told.path,
        at=at,
        read_at=None if is_new else at,
    )


def _replace(written: Sequence[Announcement]) -> None:
    """Have the newer ones take the place of older ones that lead to the same page, of kinds of
    which only the last counts."""
    for row in written:
        if kinds.kind_of(row.kind).replaces:
            older = Announcement.objects.filter(user=row.user_id, kind=row.kind, path=row.path)
            older.exclude(pk=row.pk).delete()


def _deliver(
    written: Sequence[Announcement],
    choices: Mapping[int, Choices],
    reachable: Mapping[Way, set[int]],
) -> list[AnnouncementDelivery]:
    """Write what is to leave the site of these announcements; returns what does at once."""
    rows = []
    for announcement in written:
        kind, reader = kinds.kind_of(announcement.kind), announcement.user_id
        for way in OUTSIDE:
            when = when_of(kind, way, choices.get(reader, {}))
            if when is When.OFF or reader not in reachable.get(way, {reader}):
                continue
            rows.append(
                AnnouncementDelivery(
                    announcement=announcement,
                    way=way,
                    in_digest=when is When.DIGEST,
                    at=announcement.at,
                )
            )
    AnnouncementDelivery.objects.bulk_create(rows, batch_size=_AT_ONCE)
    return [row for row in rows if not row.in_digest]


def _hand_on(deliveries: Iterable[AnnouncementDelivery]) -> None:
    for each in deliveries:
        enqueue(OUTSIDE[Way(each.way)], each.pk)


def _reachable(user_ids: set[int]) -> dict[Way, set[int]]:
    """Whom of these a way leads to, where it does not lead to everybody."""
    return {Way.PUSH: those_with_devices(user_ids), Way.DISCORD: those_linked(user_ids)}


def reached(user_ids: Iterable[int]) -> set[int]:
    """Whom of these anything reaches that leaves the site, whatever they want to hear of: mail to a
    confirmed address, a device of theirs, or a message in Discord, as far as is known."""
    ids = set(user_ids)
    return set(confirmed_addresses(User.objects.filter(pk__in=ids))).union(
        those_with_devices(ids), those_let_through(ids)
    )


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# -- what somebody chooses -----------------------------------------------------------------------


def when_of(kind: Kind, way: Way, choices: Choices) -> When:
    """When somebody who has chosen so is told of a kind by a way."""
    return choices.get((kind.key, way), kind.default(way))


def wanting(kind: Kind, way: Way, user_ids: Iterable[int]) -> set[int]:
    """Who of these is told of a kind by a way, and at once."""
    ids = set(user_ids)
    choices = _chosen_by(ids)
    return {each for each in ids if when_of(kind, way, choices.get(each, {})) is When.NOW}


def would_hear(kind: Kind, user_ids: Iterable[int]) -> set[int]:
    """Who of these would be told of a kind by any way, and not merely find it in their list."""
    ids = set(user_ids)
    choices, reachable = _chosen_by(ids), _reachable(ids)
    return {
        each
        for each in ids
        for way in Way
        if when_of(kind, way, choices.get(each, {})) is not When.OFF
        and (way not in reachable or each in reachable[way])
    }


def hears_as_much(of: Kind, *, than: Kind, user_ids: Iterable[int]) -> set[int]:
    """Who of these is told of one kind by every way that leaves the site by which they are told of
    another one."""
    ids = set(user_ids)
    choices = _chosen_by(ids)

    def hears(kind: Kind, way: Way, each: int) -> bool:
        return when_of(kind, way, choices.get(each, {})) is not When.OFF

    return {
        each
        for each in ids
        if all(hears(of, way, each) for way in OUTSIDE if hears(than, way, each))
    }


def ways_of(user: User) -> list[Way]:
    """The ways that somebody is asked about: in Discord only where the bot can write to them."""
    linked = those_linked([user.pk])
    return [way for way in Way if way is not Way.DISCORD or linked]


def choices_of(user: User) -> dict[tuple[str, Way], When]:
    """What somebody has chosen otherwise than the default, by kind and way."""
    return _chosen_by({user.pk}).get(user.pk, {})


def _chosen_by(user_ids: set[int]) -> dict[int, dict[tuple[str, Way], When]]:
    found: dict[int, dict[tuple[str, Way], When]] = {}
    rows = AnnouncementChoice.objects.filter(user__in=user_ids)
    for user_id, kind, way, when in rows.values_list("user", "kind", "way", "when"):
        found.setdefault(user_id, {})[kind, Way(way)] = When(when)
    return found


@transaction.atomic
def choices_set(*, acting_user: User, chosen: Mapping[tuple[str, Way], When]) -> None:
    """Choose how one is told: of each kind and by each way that is given; the rest stays.

    Raises Refusal ``announcements.kind`` (there is no such kind) and ``announcements.when`` (that
    cannot be chosen for this way).
    """
    for (key, way), when in chosen.items():
        if key not in kinds.known():
            raise Refusal("announcements.kind", "There is no such announcement.")
        if when not in CHOICES[way]:
            raise Refusal("announcements.when", "That cannot be chosen for this way.")
    before = choices_of(acting_user)
    changed: dict[str, str] = {}
    for (key, way), when in chosen.items():
        kind = kinds.kind_of(key)
        if when_of(kind, way, before) is when:
            continue
        changed[f"{key} {way}"] = when.value
        rows = AnnouncementChoice.objects.filter(user=acting_user, kind=key, way=way)
        if when is kind.default(way):
            rows.delete()
        else:
            AnnouncementChoice.objects.update_or_create(
                user=acting_user, kind=key, way=way, defaults={"when": when.value}
            )
    if changed:
        audit_record(
            acting_user=acting_user,
            action="announcements.choose",
            target=acting_user,
            data=changed,
        )


# -- what somebody has read ----------------------------------------------------------------------


def announcements_read(*, acting_user: User, shown: Sequence[Announcement]) -> None:
    """Note that somebody has been shown these of their announcements."""
    own = Announcement.objects.visible_to(acting_user).unread()
    own.filter(pk__in=[each.pk for each in shown]).update(read_at=now_utc())


def announcements_withdraw(*, of: Iterable[str], keys: Iterable[str]) -> int:
    """Take back what was told ``of`` these kinds under these keys, to whomever: what has not left
    the site yet never does. Returns how much."""
    rows = Announcement.objects.filter(kind__in=list(of), key__in=list(keys))
    return rows.delete()[1].get("accounts.Announcement", 0)


def announcements_move(keep: User, duplicate: User) -> int:
    """Have the kept account of a merge be told what the duplicate was; of what both were told, and
    of what both have chosen, the kept account's own stays. Devices of the duplicate are forgotten:
    whoever owns the kept account switches it on where they want it."""
    known = Announcement.objects.filter(user=keep).values("key")
    Announcement.objects.filter(user=duplicate, key__in=known).delete()
    AnnouncementChoice.objects.filter(user=duplicate).delete()
    PushSubscription.objects.filter(user=duplicate).delete()
    return Announcement.objects.filter(user=duplicate).update(user=keep)
