"""When people are free: what they say of it, and when two of them are.

What somebody says is a rule in the local time of the zone in which they said it. It is theirs
alone. Others learn nothing of it but when both are free: the opponent of a death match that is
open, and its organisers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from accounts.names.validators import validate_time_zone
from accounts.services import audit_record, user_update_profile, users_lock
from core.refusals import NotFound, Refusal
from tournaments.models import FreeDate, FreeHours
from tournaments.models.times import HOURS_A_WEEK
from tournaments.services.guards import instant

DATES_MAX: Final = 60
DATES_AHEAD: Final = timedelta(days=366)
# Zones differ from UTC by whole quarters of an hour, and their clocks change at such.
_STEP: Final = timedelta(minutes=15)
# A time is suggested where both are free for so long from then on.
_PLAYING: Final = timedelta(hours=1)
SUGGESTED_DAYS: Final = 8
SUGGESTED_A_DAY: Final = 4


@dataclass(frozen=True)
class FreeRule:
    """When somebody is free, as they said it: the hours of a week (`FreeHours.week`), and what is
    otherwise on single dates, all in one zone."""

    zone: ZoneInfo
    week: str
    off: frozenset[date] = frozenset()
    also: Mapping[date, frozenset[int]] | None = None

    def is_free(self, moment: datetime) -> bool:
        """Whether they are free then. On a date that is off, only in hours said for that date."""
        local = moment.astimezone(self.zone)
        if local.hour in (self.also or {}).get(local.date(), ()):
            return True
        if local.date() in self.off:
            return False
        return self.week[24 * local.weekday() + local.hour] == "1"

    @property
    def says_something(self) -> bool:
        """Whether any hour is marked."""
        return "1" in self.week or bool(self.also)


def common_spans(
    one: FreeRule,
    other: FreeRule,
    since: datetime,
    until: datetime,
    longest: timedelta | None = None,
) -> Iterator[tuple[datetime, datetime]]:
    """The spans between two instants in which both are free, in order, to the quarter of an hour;
    what goes on for longer than ``longest`` is given in pieces of that.

    It goes from quarter to quarter of absolute time: an hour that the clocks skip is never there,
    and one that they show twice is free twice.
    """
    quarter = _STEP.total_seconds()
    moment = since + timedelta(seconds=-since.timestamp() % quarter)
    begun: datetime | None = None
    while moment < until:
        free = one.is_free(moment) and other.is_free(moment)
        if free and begun is None:
            begun = moment
        elif not free and begun is not None:
            yield begun, moment
            begun = None
        moment += _STEP
        if begun is not None and longest is not None and moment - begun >= longest:
            yield begun, min(moment, until)
            begun = None
    if begun is not None:
        yield begun, min(moment, until)


def all_starts(
    one: FreeRule | None, other: FreeRule | None, since: datetime, until: datetime
) -> Iterator[datetime]:
    """Each start time from ``since`` to ``until`` at which both are free for an hour, in order: an
    hour after another at the earliest. Nothing is looked at beyond the last that is asked for."""
    if one is None or other is None:
        return
    for begins, ends in common_spans(one, other, since, until + _PLAYING, longest=_PLAYING):
        if begins <= until and ends - begins == _PLAYING:
            yield begins


def common_starts(
    one: FreeRule | None, other: FreeRule | None, since: datetime, until: datetime, zone: ZoneInfo
) -> list[datetime]:
    """Of `all_starts` those to suggest: of the first days on which there are any, as they are in
    ``zone``, a few each, spread over the day."""
    days: dict[date, list[datetime]] = {}
    for start in all_starts(one, other, since, until):
        days.setdefault(start.astimezone(zone).date(), []).append(start)
        if len(days) > SUGGESTED_DAYS:
            break
    found = []
    for each in list(days.values())[:SUGGESTED_DAYS]:
        most = min(SUGGESTED_A_DAY, len(each))
        found += [each[number * len(each) // most] for number in range(most)]
    return found


# -- what is stored ------------------------------------------------------------------------------


def free_rules(users: Iterable[User | None]) -> dict[int, FreeRule]:
    """The rules of those of ``users`` who have marked any hour, by their ids; in two queries."""
    ids = [user.pk for user in users if user is not None]
    rows = FreeHours.objects.filter(user__in=ids).prefetch_related("dates")
    rules = {row.user_id: free_rule(row) for row in rows}
    return {pk: rule for pk, rule in rules.items() if rule.says_something}


def free_rule(row: FreeHours) -> FreeRule:
    """What is stored, as a rule."""
    also: dict[date, frozenset[int]] = {}
    off = set()
    for each in row.dates.all():
        if each.kind == FreeDate.Kind.NOT:
            off.add(each.date)
        else:
            hours = frozenset(range(each.first, each.until))
            also[each.date] = also.get(each.date, frozenset()) | hours
    return FreeRule(ZoneInfo(row.zone), row.week, frozenset(off), also)


@transaction.atomic
def free_hours_set(
    *, acting_user: User, zone: str, hours: Iterable[int], at: datetime | None = None
) -> FreeHours:
    """Say when one is free in an ordinary week: by the numbers of the hours, 0 for Monday 0:00 to
    1:00 up to 167, in the local time of ``zone``. Raises Refusal ``free.zone`` and
    ``free.hours``."""
    at = instant(at)
    marked = set(hours)
    _must_be_a_zone(zone)
    if not marked <= set(range(HOURS_A_WEEK)):
        raise Refusal("free.hours", "There are no such hours in a week.")
    week = "".join("1" if number in marked else "0" for number in range(HOURS_A_WEEK))
    row = _locked(acting_user, zone, at)
    _note_zone(acting_user, zone)
    if (row.zone, row.week) != (zone, week):
        row.zone, row.week, row.changed_at = zone, week, at
        row.save(update_fields=["zone", "week", "changed_at"])
        # That it was changed, and nothing of what it says.
        audit_record(acting_user=acting_user, action="free_hours.set", target=row)
    return row


@transaction.atomic
def free_date_add(
    *,
    acting_user: User,
    date: date,
    kind: str,
    first: int = 0,
    until: int = 24,
    zone: str = "",
    at: datetime | None = None,
) -> FreeDate:
    """Say that one is not free on a date, or also from the hour ``first`` until the hour ``until``
    of it, in the zone of one's week; where nothing is said of that yet, in ``zone`` (empty: that of
    the account), which is so that of both. Raises Refusal ``free.zone``, ``free.kind``,
    ``free.hours``, ``free.date-past``, ``free.date-far`` and ``free.too-many``."""
    at = instant(at)
    if zone:
        _must_be_a_zone(zone)
    if kind not in FreeDate.Kind.values:
        raise Refusal("free.kind", "Say whether you are free then, or not.")
    if kind == FreeDate.Kind.NOT:
        first, until = 0, 24
    if not 0 <= first < until <= 24:
        raise Refusal("free.hours", "The last hour comes after the first.", field="until")
    row = _locked(acting_user, zone or str(acting_user.zone), at)
    if zone == row.zone:
        _note_zone(acting_user, zone)
    today = at.astimezone(ZoneInfo(row.zone)).date()
    if date < today:
        raise Refusal("free.date-past", "This day is over.", field="date")
    if date > today + DATES_AHEAD:
        raise Refusal("free.date-far", "This day is too far away.", field="date")
    row.dates.filter(date__lt=today).delete()
    same = row.dates.filter(date=date, kind=kind, first=first)
    if not same.exists() and row.dates.count() >= DATES_MAX:
        raise Refusal("free.too-many", f"You can name at most {DATES_MAX} single dates.")
    found, _made = row.dates.update_or_create(
        date=date, kind=kind, first=first, defaults={"until": until}
    )
    audit_record(acting_user=acting_user, action="free_hours.set", target=row)
    return found


@transaction.atomic
def free_date_drop(*, acting_user: User, date_id: int) -> None:
    """Have a single date be as any other again. Raises Refusal ``free.no-date``."""
    users_lock([acting_user])
    found = must_be_own_date(acting_user, date_id)
    found.delete()
    audit_record(acting_user=acting_user, action="free_hours.set", target=found.free_hours)


def must_be_own_date(acting_user: User, date_id: int) -> FreeDate:
    """The date that somebody has named. Raises Refusal ``free.no-date``."""
    rows = FreeDate.objects.filter(free_hours__user=acting_user, pk=date_id)
    found = rows.select_related("free_hours").first()
    if found is None:
        raise NotFound("free.no-date", "This date is not among yours any more.")
    return found


def free_hours_forget(user_id: int) -> int:
    """Forget when somebody is free, whose account is closed; of how many that was known."""
    rows = FreeHours.objects.filter(user=user_id)
    found = rows.count()
    rows.delete()
    return found


def free_hours_merge(keep: User, duplicate: User) -> int:
    """The part of a merge of two accounts: what the kept one says stands, and only where it says
    nothing, what the other does."""
    if FreeHours.objects.filter(user=keep).exists():
        free_hours_forget(duplicate.pk)
        return 0
    return FreeHours.objects.filter(user=duplicate).update(user=keep)


def _locked(user: User, zone: str, at: datetime) -> FreeHours:
    """Somebody's row, made where there is none; whoever else writes it waits."""
    users_lock([user])
    row, _made = FreeHours.objects.get_or_create(
        user=user, defaults={"zone": zone, "week": "0" * HOURS_A_WEEK, "changed_at": at}
    )
    return row


def _note_zone(user: User, zone: str) -> None:
    """Of whom neither the account nor a device has said any zone, the one in which they say their
    hours is all that is known: it is the account's from then on, so that letters and forms are in
    no other. Scripts say the device's; without them nothing else does."""
    known = User.objects.get(pk=user.pk)
    if not (known.time_zone or known.device_zone) and zone != str(known.zone):
        user_update_profile(acting_user=user, user=user, time_zone=zone)


def _must_be_a_zone(zone: str) -> None:
    try:
        validate_time_zone(zone)
    except ValidationError as error:
        raise Refusal("free.zone", error.messages[0], field="zone") from error
