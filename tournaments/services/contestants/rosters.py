"""Lists of contestants as CSV: everybody enrolled from one, everybody written down in one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import F

from accounts.discord.services import users_named_at_discord
from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from core.spreadsheets import harmless, unarmed
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Season
from tournaments.naming import plain
from tournaments.rights import Right
from tournaments.services.contestants.enrolment import (
    Enrolment,
    Entered,
    Reception,
    must_have_room_for,
)
from tournaments.services.contestants.held import Hold, holds_check, places_hold_in
from tournaments.services.contestants.presence import ask_to_check_in
from tournaments.services.guards import instant, season_lock_managed

CSV_LINES_MAX: Final = 2000
CSV_COLUMNS: Final = ("username", "name", "seed")
#: What a file may have besides, under its own heading.
CSV_MORE: Final = ("discord", "email")
_KNOWN: Final = (*CSV_COLUMNS, *CSV_MORE)


class LineFault(NamedTuple):
    """What is wrong with one line of a file; lines are counted from 1, its headings included."""

    line: int
    sentence: str


class FaultyRoster(Refusal):
    """A file that was not taken in, with everything that is wrong with it."""

    def __init__(self, faults: list[LineFault]) -> None:
        first = faults[0]
        more = f" ({len(faults)} lines are at fault)" if len(faults) > 1 else ""
        super().__init__(
            "contestants.faults", f"Nobody was enrolled. Line {first.line}: {first.sentence}{more}"
        )
        self.sentence = self.sentence if self.sentence.endswith(".") else f"{self.sentence}."
        self.faults = faults


@transaction.atomic
def contestants_import(
    *, acting_user: User, season: Season, text: str, at: datetime | None = None
) -> Entered:
    """Enrol everybody whom a CSV text names: all of them, or nobody. For whom no place is left,
    they wait for one.

    Columns ``username``, ``name`` (empty: the account's own), ``seed`` (may be empty) and
    ``discord``, with headings in any order, or without headings the first three in this order. A
    line with a ``name`` alone holds a place for somebody who has no account yet (`held`), and sends
    its link to the ``email``, where there is one; of others an address is not looked at.
    People are found by username, or by their name at Discord where they have chosen that: whose
    address belongs to which account is not for organisers to find out. The mark of a name
    that `contestants_export` wrote (`tournaments.naming`) is no part of it. Raises Refusal as
    `guards.season_lock_managed` does, and FaultyRoster with a line for each fault.
    """
    locked = season_lock_managed(season, acting_user, Right.PEOPLE)
    at = instant(at)
    faults: list[LineFault] = []
    rows = list(_rows_of(text, faults))
    if not rows and not faults:
        faults.append(LineFault(1, "There is nobody in this file."))
    names = {row["username"] for _, row in rows}
    known = {user.username: user for user in User.objects.filter(username__in=names)}
    at_discord = users_named_at_discord(row["discord"] for _, row in rows)
    entries: list[tuple[int, Enrolment]] = []
    holds: list[tuple[int, Hold]] = []
    for number, row in rows:
        try:
            if not (row["username"] or row["discord"]):
                holds.append((number, _hold_of(row)))
                continue
            user, seed = _user_of(row, known, at_discord), _seed_of(row["seed"])
            entries.append((number, Enrolment(user, plain(row["name"]), seed)))
        except Refusal as refusal:
            faults.append(LineFault(number, refusal.sentence))
    # Each line stands or falls alone, so that the report tells of all of them.
    reception = Reception(locked, [entry for _, entry in entries], at)
    for number, entry in entries:
        try:
            reception.take(entry)
        except Refusal as refusal:
            faults.append(LineFault(number, refusal.sentence))
    to_hold = [hold for _, hold in holds]
    beside = {
        name
        for _, entry in entries
        for name in (entry.user.username, entry.user.shown_name, entry.name)
        if name
    }
    wrong = holds_check(locked, to_hold, acting_user, at, beside=beside).refused
    faults += [LineFault(holds[each.row or 0][0], each.sentence) for each in wrong]
    taken = {entry.seed: number for number, entry in entries if entry.seed is not None}
    faults += [
        LineFault(number, f"Seed {hold.seed} is given twice.")
        for number, hold in holds
        if hold.seed in taken
    ]
    if faults:
        raise FaultyRoster(sorted(faults))
    made = reception.settle(acting_user)
    ask_to_check_in(locked, made.contestants, at)
    # Somebody without an account cannot wait: for all that are held there must be room.
    must_have_room_for(locked, len(holds))
    held = places_hold_in(locked, acting_user, to_hold, at)
    audit_record(
        acting_user=acting_user,
        action="contestants.import",
        target=locked,
        data={
            "contestants": len(made.contestants),
            "waiting": len(made.waiting),
            "held": len(held),
        },
    )
    return Entered([*made.contestants, *held], made.waiting)


def contestants_export(*, season: Season) -> str:
    """Everybody of a season, by seed, as a CSV text that `contestants_import` takes; without those
    who were struck off before it began, or whose place somebody else has taken.

    Somebody without an account here, in a season that was restored, has no username, and the name
    says so.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_COLUMNS)
    rows = season.contestants.select_related("user").exclude(status=ContestantStatus.REPLACED)
    # Only before the beginning does somebody who leaves lose their seed.
    rows = rows.exclude(status=ContestantStatus.WITHDRAWN, seed=None)
    for each in rows.order_by(F("seed").asc(nulls_last=True), "pk"):
        username = "" if each.user is None else each.user.username
        writer.writerow([harmless(username), harmless(each.shown_name), each.seed])
    return out.getvalue()


def _hold_of(row: Mapping[str, str]) -> Hold:
    """A place for somebody who has no account yet."""
    return Hold(plain(row["name"]), _seed_of(row["seed"]), row["email"])


def _user_of(
    row: Mapping[str, str], known: Mapping[str, User], at_discord: Mapping[str, User]
) -> User:
    if row["username"]:
        return _user_named(known, row["username"])
    found = at_discord.get(row["discord"])
    if found is None:
        raise Refusal(
            "contestant.unknown",
            f"Nobody who is called {row['discord']!r} at Discord can be found by that.",
        )
    return found


def _user_named(users: Mapping[str, User], username: str) -> User:
    if username not in users:
        raise Refusal("contestant.unknown", f"Nobody here is called {username!r}.")
    return users[username]


def _rows_of(text: str, faults: list[LineFault]) -> Iterator[tuple[int, dict[str, str]]]:
    if "\x00" in text:
        faults.append(LineFault(1, "This is not a text file."))
        return
    dialect = ";" if ";" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=dialect, strict=True)
    columns: tuple[str, ...] = ()
    try:
        for cells in reader:
            number = reader.line_num
            tidy = [unarmed(cell.strip()) for cell in cells]
            if not any(tidy):
                continue
            if number > CSV_LINES_MAX:
                faults.append(LineFault(number, f"A file has at most {CSV_LINES_MAX} lines."))
                return
            if not columns:
                columns, is_heading = _columns_of(tidy)
                if not columns:
                    known = ", ".join(_KNOWN)
                    faults.append(LineFault(number, f"The headings are some of {known}."))
                    return
                if is_heading:
                    continue
            if len(tidy) > len(columns):
                faults.append(LineFault(number, f"This line has more than {len(columns)} columns."))
                continue
            row = dict.fromkeys(_KNOWN, "") | dict(zip(columns, tidy, strict=False))
            for name in ("username", "discord"):
                row[name] = row[name].removeprefix("@").lower()
            if not (row["username"] or row["discord"] or row["name"]):
                faults.append(LineFault(number, "The username is missing."))
                continue
            yield number, row
    except csv.Error as error:
        faults.append(LineFault(reader.line_num, f"This line cannot be read: {error}."))


def _columns_of(cells: list[str]) -> tuple[tuple[str, ...], bool]:
    """The columns, and whether this line was their headings; none where it cannot be told."""
    lowered = tuple(cell.lower() for cell in cells)
    # Whoever is called like a column is named under a heading.
    all_known = set(lowered) <= set(_KNOWN)
    if "username" not in lowered and not all_known:
        return CSV_COLUMNS, False
    if not set(lowered) <= set(_KNOWN) or len(set(lowered)) < len(lowered):
        return (), True
    return lowered, True


def _seed_of(cell: str) -> int | None:
    if not cell:
        return None
    if not (cell.isascii() and cell.isdigit()):
        raise Refusal("seed.range", f"A seed is a whole number, not {cell!r}.")
    return int(cell[:9])
