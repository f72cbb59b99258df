"""When people are free: rules in local time, which survive the change of clocks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEntry, User
from accounts.moderation.merging import user_merge
from accounts.services import user_close
from tests.games.support import committing, user_named
from tests.tournaments.support import START, refused
from tournaments.models import FreeDate, FreeHours
from tournaments.services.free_hours import (
    DATES_MAX,
    FreeRule,
    all_starts,
    common_spans,
    common_starts,
    free_date_add,
    free_date_drop,
    free_hours_set,
    free_rules,
)

BERLIN, NEW_YORK, KOLKATA = map(ZoneInfo, ("Europe/Berlin", "America/New_York", "Asia/Kolkata"))
SUNDAY = 6


def rule(zone: ZoneInfo, *hours: tuple[int, int]) -> FreeRule:
    """Free at these hours, as days of the week from 0 and hours."""
    marked = {24 * day + hour for day, hour in hours}
    return FreeRule(zone, "".join("1" if number in marked else "0" for number in range(168)))


def always(zone: ZoneInfo) -> FreeRule:
    return FreeRule(zone, "1" * 168)


def spans(one: FreeRule, other: FreeRule, since: datetime, days: int) -> list[str]:
    found = common_spans(one, other, since, since + timedelta(days=days))
    return [f"{begins:%m-%d %H:%M} {ends:%H:%M}" for begins, ends in found]


def utc(*given: int) -> datetime:
    return datetime(*given, tzinfo=UTC)  # type: ignore[misc,arg-type]


# -- what follows from two rules -----------------------------------------------------------------


def test_both_are_free_at_the_same_instants_each_by_their_own_clock() -> None:
    """Sundays 20:00 to 23:00 in Berlin, 15:00 to 17:00 in New York. Between the 26th of October
    and the 2nd of November the two are an hour closer to each other."""
    berlin = rule(BERLIN, *((SUNDAY, hour) for hour in (20, 21, 22)))
    york = rule(NEW_YORK, (SUNDAY, 15), (SUNDAY, 16))
    found = spans(berlin, york, utc(2031, 10, 13), 28)
    assert found == [
        "10-19 19:00 21:00",  # 21:00 in Berlin, 15:00 in New York: six hours
        "10-26 19:00 21:00",  # 20:00 and 15:00: Berlin has put its clocks back, five hours
        "11-02 20:00 22:00",  # 21:00 and 15:00: so has New York
        "11-09 20:00 22:00",
    ]
    assert spans(york, berlin, utc(2031, 10, 13), 28) == found


def test_an_hour_that_is_skipped_is_never_there_and_one_shown_twice_is_free_twice() -> None:
    night = rule(BERLIN, (SUNDAY, 2))
    anybody = always(NEW_YORK)
    assert spans(night, anybody, utc(2031, 3, 29, 12), 1) == []
    assert spans(night, anybody, utc(2031, 10, 25, 12), 1) == ["10-26 00:00 02:00"]
    assert spans(night, anybody, utc(2031, 6, 14, 12), 1) == ["06-15 00:00 01:00"]


def test_zones_between_full_hours_meet_at_the_half() -> None:
    berlin, kolkata = rule(BERLIN, (0, 14), (0, 15)), rule(KOLKATA, (0, 18), (0, 19))
    # 14:00 to 16:00 in Berlin is 12:00 to 14:00, and 18:00 to 20:00 in Kolkata 12:30 to 14:30.
    assert spans(berlin, kolkata, utc(2031, 7, 7), 1) == ["07-07 12:30 14:00"]
    starts = common_starts(berlin, kolkata, utc(2031, 7, 7), utc(2031, 7, 8), BERLIN)
    assert starts == [utc(2031, 7, 7, 12, 30)]


def test_a_single_date_is_off_or_has_hours_besides() -> None:
    week = rule(BERLIN, *((day, 20) for day in range(7))).week
    off = FreeRule(
        BERLIN,
        week,
        off=frozenset({date(2031, 7, 8), date(2031, 7, 9)}),
        also={date(2031, 7, 9): frozenset({10}), date(2031, 7, 10): frozenset({11})},
    )
    assert spans(off, always(NEW_YORK), utc(2031, 7, 7), 4) == [
        "07-07 18:00 19:00", "07-09 08:00 09:00", "07-10 09:00 10:00", "07-10 18:00 19:00",
    ]  # fmt: skip


def test_suggestions_are_few_and_spread_over_the_first_days() -> None:
    one, other = always(BERLIN), always(NEW_YORK)
    since = utc(2031, 7, 7, 9, 20)
    starts = common_starts(one, other, since, since + timedelta(days=60), BERLIN)
    days = [each.astimezone(BERLIN).date() for each in starts]
    assert len(set(days)) == 8
    assert max(map(days.count, days)) == 4
    assert starts == sorted(starts)
    assert starts[0] == utc(2031, 7, 7, 9, 30)
    assert common_starts(one, None, since, since + timedelta(days=60), BERLIN) == []
    # The last that may begin is at the end itself, however long it lasts then.
    assert common_starts(one, other, since, since + timedelta(minutes=9), BERLIN) == []
    assert common_starts(one, other, since, utc(2031, 7, 7, 9, 30), BERLIN) == starts[:1]
    # Nothing begins where they are free for less than an hour from then on.
    short = rule(KOLKATA, (0, 15))
    assert spans(short, rule(BERLIN, (0, 12)), utc(2031, 7, 7), 1) == ["07-07 10:00 10:30"]
    late = utc(2031, 7, 8)
    assert common_starts(short, rule(BERLIN, (0, 12)), utc(2031, 7, 7), late, BERLIN) == []


def test_starts_are_looked_for_no_further_than_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[datetime] = []
    real = FreeRule.is_free

    def counted(self: FreeRule, moment: datetime) -> bool:
        asked.append(moment)
        return real(self, moment)

    monkeypatch.setattr(FreeRule, "is_free", counted)
    since = utc(2031, 7, 7)
    until = since + timedelta(days=60)
    assert next(all_starts(always(BERLIN), always(NEW_YORK), since, until)) == since
    assert max(asked) == since + timedelta(minutes=45)
    common_starts(always(BERLIN), always(NEW_YORK), since, until, BERLIN)
    assert max(asked) < since + timedelta(days=10)


# -- what is said of it --------------------------------------------------------------------------


@pytest.fixture
def ada(db: None) -> User:
    return user_named("ada", time_zone="Europe/Berlin")


def test_hours_are_kept_with_the_zone_they_were_said_in(ada: User) -> None:
    row = free_hours_set(acting_user=ada, zone="Asia/Kolkata", hours=[0, 167, 167], at=START)
    assert (row.zone, row.week.count("1"), row.week[0], row.week[167]) == (
        "Asia/Kolkata", 2, "1", "1",
    )  # fmt: skip
    # Another zone of the account moves nothing.
    User.objects.filter(pk=ada.pk).update(time_zone="UTC")
    assert free_rules([ada])[ada.pk].zone == KOLKATA
    # The log says that it was changed, once, and nothing of the hours.
    free_hours_set(acting_user=ada, zone="Asia/Kolkata", hours=[0, 167], at=START)
    entries = AuditEntry.objects.filter(action="free_hours.set")
    assert [(each.who, each.data) for each in entries] == [(ada, {})]
    refused("free.zone", free_hours_set, acting_user=ada, zone="Nowhere/At_All", hours=[])
    refused("free.hours", free_hours_set, acting_user=ada, zone="UTC", hours=[168])
    refused("free.hours", free_hours_set, acting_user=ada, zone="UTC", hours=[-1])
    # Who has marked nothing says nothing.
    free_hours_set(acting_user=ada, zone="Asia/Kolkata", hours=[], at=START)
    assert free_rules([ada, None]) == {}


def test_single_dates_are_added_and_dropped(ada: User) -> None:
    day = START.date() + timedelta(days=3)
    off = free_date_add(acting_user=ada, date=day, kind="not", first=5, until=6, at=START)
    assert (off.first, off.until, off.free_hours.zone) == (0, 24, "Europe/Berlin")
    assert free_date_add(acting_user=ada, date=day, kind="not", at=START) == off
    free_date_add(acting_user=ada, date=day, kind="also", first=18, until=20, at=START)
    free_date_add(acting_user=ada, date=day, kind="also", first=18, until=21, at=START)
    found = free_rules([ada])[ada.pk]
    assert (found.off, found.also) == (frozenset({day}), {day: frozenset({18, 19, 20})})

    def refuse(code: str, **given: object) -> None:
        arguments = {"acting_user": ada, "date": day, "kind": "also", "at": START, **given}
        refused(code, free_date_add, **arguments)

    refuse("free.kind", kind="perhaps")
    refuse("free.hours", first=20, until=20)
    refuse("free.hours", first=20, until=25)
    refuse("free.date-past", date=START.date() - timedelta(days=2))
    refuse("free.date-far", date=START.date() + timedelta(days=400))
    ben = user_named("ben")
    refused("free.no-date", free_date_drop, acting_user=ben, date_id=off.pk)
    free_date_drop(acting_user=ada, date_id=off.pk)
    refused("free.no-date", free_date_drop, acting_user=ada, date_id=off.pk)
    for number in range(DATES_MAX - 1):
        free_date_add(acting_user=ada, date=day + timedelta(days=number + 1), kind="not", at=START)
    refuse("free.too-many", date=day + timedelta(days=200))
    # What is over makes room.
    later = START + timedelta(days=10)
    free_date_add(acting_user=ada, date=day + timedelta(days=200), kind="not", at=later)
    assert not FreeDate.objects.filter(date__lt=later.date()).exists()


def test_a_date_that_is_said_first_says_its_zone(db: None) -> None:
    """Of an account that names none, and whose device is not known."""
    eve, day = user_named("eve"), START.date() + timedelta(days=3)
    given: dict[str, Any] = {"acting_user": eve, "date": day, "kind": "not", "at": START}
    refused("free.zone", free_date_add, zone="Nowhere/At_All", **given)
    assert free_date_add(zone="Asia/Kolkata", **given).free_hours.zone == "Asia/Kolkata"
    # From then on dates are in the zone of the week.
    assert free_date_add(zone="UTC", **given).free_hours.zone == "Asia/Kolkata"


@pytest.mark.parametrize("way", ["week", "date"])
@pytest.mark.parametrize(
    ("known", "chosen", "zone", "account"),
    [
        # Without scripts nothing else tells: all times are in what they have chosen.
        ({}, "Asia/Kolkata", "Asia/Kolkata", "Asia/Kolkata"),
        ({}, "UTC", "UTC", ""),
        ({"device_zone": "Europe/Berlin"}, "Asia/Kolkata", "Europe/Berlin", ""),
        ({"time_zone": "Europe/Berlin"}, "Asia/Kolkata", "Europe/Berlin", "Europe/Berlin"),
    ],
)
def test_of_whom_no_zone_is_known_all_times_are_in_the_one_they_choose(
    db: None, way: str, known: dict[str, str], chosen: str, zone: str, account: str
) -> None:
    eve = user_named("eve", **known)
    if way == "week":
        free_hours_set(acting_user=eve, zone=chosen, hours=[1], at=START)
    else:
        date = START.date() + timedelta(days=3)
        free_date_add(acting_user=eve, zone=chosen, date=date, kind="not", at=START)
    found = User.objects.get(pk=eve.pk)
    assert (str(found.zone), found.time_zone) == (zone, account)
    # Nobody has chosen anything where nothing is said.
    fay = user_named("fay")
    free_date_add(acting_user=fay, date=START.date() + timedelta(days=3), kind="not", at=START)
    assert User.objects.get(pk=fay.pk).time_zone == ""


def test_the_database_keeps_them_whole(ada: User) -> None:
    row = free_hours_set(acting_user=ada, zone="UTC", hours=[1])
    wrong: list[Callable[[], object]] = [
        lambda: FreeHours.objects.filter(pk=row.pk).update(week="1" * 167),
        lambda: FreeHours.objects.filter(pk=row.pk).update(week="2" * 168),
        lambda: FreeHours.objects.filter(pk=row.pk).update(zone=""),
        lambda: row.dates.create(date=START.date(), kind="not", first=1, until=24),
        lambda: row.dates.create(date=START.date(), kind="also", first=5, until=5),
        lambda: row.dates.create(date=START.date(), kind="also", first=5, until=25),
        lambda: row.dates.create(date=START.date(), kind="else", first=5, until=6),
    ]
    for write in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            write()


# -- accounts ------------------------------------------------------------------------------------


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


def test_a_closed_account_keeps_no_hours(ada: User, root: User) -> None:
    free_hours_set(acting_user=ada, zone="UTC", hours=[1])
    free_date_add(acting_user=ada, date=START.date(), kind="not", at=START)
    ben = user_named("ben")
    free_hours_set(acting_user=ben, zone="UTC", hours=[1])
    with committing():
        user_close(acting_user=root, user=ada, reason="Gone")
    assert [each.user for each in FreeHours.objects.all()] == [ben]
    assert not FreeDate.objects.exists()


@pytest.mark.parametrize("both", [False, True])
def test_a_merge_takes_hours_along_where_the_kept_account_has_none(
    ada: User, root: User, both: bool
) -> None:
    twin = user_named("ada2")
    free_hours_set(acting_user=twin, zone="Asia/Kolkata", hours=[1])
    free_date_add(acting_user=twin, date=START.date(), kind="not", at=START)
    if both:
        free_hours_set(acting_user=ada, zone="UTC", hours=[2])
    with committing():
        user_merge(acting_user=root, keep=ada, duplicate=twin, reason="One person")
    kept = FreeHours.objects.get()
    assert (kept.user, kept.zone) == (ada, "UTC" if both else "Asia/Kolkata")
    assert FreeDate.objects.count() == (0 if both else 1)
