"""Contestants: who enters a season, in which order, and who leaves it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max, Q

from accounts.models import User
from accounts.moderation.standing import is_suspended
from accounts.names.validators import validate_display_name
from accounts.services import Impostors, audit_record, audit_records, users_lock
from core import chance
from core.refusals import NotFound, Refusal, Together
from games.engine.chance import RandomSource, below
from games.spreadsheets import harmless, unarmed
from tournaments import lifecycle
from tournaments.formats.registry import format_of
from tournaments.lifecycle import (
    EPISODE_OVER,
    ContestantStatus,
    GiftStatus,
    LegStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    Placement,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.services import deathmatches
from tournaments.services.events import season_event, season_events
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    must_manage,
    must_not_be_archived,
    must_not_meet,
    reason,
    season_lock,
    season_lock_managed,
    undecided_of,
)
from tournaments.services.results import decisions, rulings

SEED_MAX: Final = 10_000
CSV_LINES_MAX: Final = 2000
CSV_COLUMNS: Final = ("username", "name", "seed")


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


# -- entering ------------------------------------------------------------------------------------


class Enrolment(NamedTuple):
    """Somebody to be enrolled, what the season calls them (their own name, when empty), and their
    seed, where it is said."""

    user: User
    name: str = ""
    seed: int | None = None


@transaction.atomic
def contestants_enrol(
    *,
    acting_user: User | None,
    season: Season,
    entries: Sequence[Enrolment],
    at: datetime | None = None,
) -> list[Contestant]:
    """Enrol people in this order, all of them or nobody; in a season that is running, as late
    entries from the next round on. The number of queries does not depend on how many they are.

    Refusals: those of `guards.season_lock_managed`, ``season.over``, ``contestant.twice``,
    ``contestant.account-closed``, ``contestant.suspended``, ``contestant.name.too-long``,
    ``seed.range``, ``seed.taken``, ``seed.fixed``, and those of the format for a late entry.
    """
    return _enrol(season_lock_managed(season, acting_user), acting_user, entries, instant(at))


def contestant_enrol(
    *,
    acting_user: User | None,
    season: Season,
    user: User,
    name: str = "",
    seed: int | None = None,
    at: datetime | None = None,
) -> Contestant:
    """Enrol somebody, as :func:`contestants_enrol` does."""
    entries = [Enrolment(user, name, seed)]
    (one,) = contestants_enrol(acting_user=acting_user, season=season, entries=entries, at=at)
    return one


@transaction.atomic
def contestant_join(*, acting_user: User, season: Season, at: datetime | None = None) -> Contestant:
    """Enrol oneself, where the season is open. Refusals: ``season.none``, ``season.archived``,
    ``enrolment.closed``, and those of :func:`contestants_enrol`."""
    locked = season_lock(season.pk)
    must_be_open_to_everybody(locked)
    (one,) = _enrol(locked, acting_user, [Enrolment(acting_user)], instant(at))
    return one


def must_be_open_to_everybody(season: Season) -> None:
    """Whether people can enrol by themselves. Raises Refusal ``season.archived`` and
    ``enrolment.closed``."""
    must_not_be_archived(season)
    is_open = (
        season.open_enrolment
        and season.visibility == Visibility.LISTED
        and season.status == SeasonStatus.ENROLLING
    )
    if not is_open:
        raise Refusal("enrolment.closed", "This season is not open to everybody just now.")


class _Intake:
    """Decides who can enter a season, one after another, with the season locked. Whatever that
    takes of the database is read at the start, and nothing is written."""

    def __init__(self, season: Season, entries: Iterable[Enrolment], at: datetime) -> None:
        self._season = season
        self._at = at
        self._late = season.status == SeasonStatus.RUNNING
        asked = {entry.user.pk for entry in entries}
        seeds = {entry.seed for entry in entries if _is_seed(entry.seed)}
        users_lock(asked)
        # Asked for only now: what a lock has waited for may be a suspension.
        self._users = User.objects.with_standing().in_bulk(asked)
        known = season.contestants.filter(Q(user__in=asked) | Q(seed__in=seeds))
        self._names = Names((entry.name, entry.user) for entry in entries)
        self._by_user = {each.user_id: each for each in known}
        self._by_seed = {
            each.seed: each for each in known if each.status != ContestantStatus.REPLACED
        }
        self._since_round = 1
        self._closed: Refusal | None = None
        if self._late:
            self._last_seed = season.contestants.aggregate(last=Max("seed"))["last"] or 0
            self._since_round = season.rounds.count() + 1
            try:
                format_of(season.format).must_admit(season=season)
            except Refusal as refusal:
                self._closed = refusal

    def admit(self, entry: Enrolment) -> Contestant:
        """The contestant that an entry makes, not saved yet. Refusals as `contestants_enrol`."""
        season = self._season
        _must_be_open(season)
        user = self._users[entry.user.pk]
        _must_be_able_to_enter(user)
        shown = self._names.of(entry.name, user)
        if self._late and entry.seed is not None:
            raise Refusal("seed.fixed", "The seeds are fixed; a late entry comes after all others.")
        contestant = self._by_user.get(user.pk)
        if contestant is not None and (
            self._late or contestant.status != ContestantStatus.WITHDRAWN
        ):
            raise Refusal("contestant.twice", f"{shown} is in this season already.")
        if self._closed is not None:
            raise Refusal(self._closed.code, self._closed.sentence)
        self._must_be_free(entry.seed, but=contestant)
        contestant = contestant or Contestant(season=season)
        contestant.user = user
        contestant.name = shown
        contestant.seed = entry.seed
        contestant.status = ContestantStatus.ENROLLED
        contestant.since_round = self._since_round
        contestant.enrolled_at = self._at
        contestant.left_at = None
        if self._late:
            self._last_seed += 1
            contestant.seed = self._last_seed
            contestant.status = ContestantStatus.ACTIVE
        self._by_user[user.pk] = contestant
        self._by_seed[contestant.seed] = contestant
        return contestant

    def _must_be_free(self, seed: int | None, *, but: Contestant | None) -> None:
        if seed is None:
            return
        if not _is_seed(seed):
            raise _no_seed()
        holder = self._by_seed.get(seed)
        if holder is not None and holder is not but:
            raise Refusal("seed.taken", f"Seed {seed} is {holder.name}'s.")


def name_of(text: str) -> str:
    """What a contestant is called. Raises Refusal ``contestant.name.missing``,
    ``contestant.name.too-long`` and ``contestant.name.characters``."""
    name = line(text, code="contestant.name", what="A contestant's name", most=200)
    try:
        validate_display_name(name)
    except ValidationError as error:
        # What accounts may be called, contestants may.
        sentence = "This name contains a character that cannot be shown plainly."
        raise Refusal("contestant.name.characters", sentence) from error
    return name


class Names:
    """What contestants with accounts may be called: what their accounts are, or something that
    nobody takes for somebody else."""

    def __init__(self, given: Iterable[tuple[str, User]]) -> None:
        own = {(each, user.pk) for each, user in given if each and each != user.shown_name}
        self._impostors = Impostors(each for each, _ in own)

    def of(self, text: str, user: User) -> str:
        """What that account is called if ``text`` (empty: nothing) is asked for. Raises Refusal as
        `name_of` does, and ``contestant.name.impersonates`` or ``.mixed-scripts``."""
        if not text:
            return name_of(user.shown_name)
        name = name_of(text)
        if text != user.shown_name:
            self._impostors.refuse(text, user, code="contestant.name")
        return name


def _is_seed(seed: int | None) -> bool:
    return seed is not None and 1 <= seed <= SEED_MAX


def _no_seed() -> Refusal:
    return Refusal("seed.range", f"A seed is a whole number from 1 to {SEED_MAX}.")


def _enrol(
    season: Season, acting_user: User | None, entries: Sequence[Enrolment], at: datetime
) -> list[Contestant]:
    _must_be_open(season)
    intake = _Intake(season, entries, at)
    admitted, told = [], Together()
    for number, entry in enumerate(entries):
        with told.of(number):
            admitted.append(intake.admit(entry))
    told.settle()
    return _save_entries(season, acting_user, admitted, at)


def _must_be_open(season: Season) -> None:
    if season.status not in (SeasonStatus.ENROLLING, SeasonStatus.RUNNING):
        raise Refusal("season.over", "This season is over: nobody can enter it.")


def _save_entries(
    season: Season, acting_user: User | None, admitted: Sequence[Contestant], at: datetime
) -> list[Contestant]:
    """Write down those whom an intake has admitted, and tell of them."""
    late = season.status == SeasonStatus.RUNNING
    # Who had been struck off before the start is taken back in.
    again = [each for each in admitted if each.pk is not None]
    Contestant.objects.bulk_update(
        again, ["name", "seed", "status", "since_round", "enrolled_at", "left_at"]
    )
    Contestant.objects.bulk_create([each for each in admitted if each.pk is None])
    season_events(
        season=season,
        events=[
            SeasonEvent(
                season=season,
                kind="contestant.enrolled",
                words=f"{each.name} enters late." if late else f"{each.name} is enrolled.",
                data={"contestant": each.pk, "name": each.name, "late": late},
                contestant=each,
                at=at,
            )
            for each in admitted
        ],
    )
    audit_records(
        acting_user=acting_user,
        action="contestant.enrol",
        deeds=[
            (each, {"season": season.pk, "user": each.user_id, "seed": each.seed, "late": late})
            for each in admitted
        ],
    )
    if late:
        format_of(season.format).on_entered(season=season)
    return list(admitted)


def able_to_enter(user: User) -> User:
    """The user as the database has them now, locked.
    Raises Refusal ``contestant.account-closed`` and ``contestant.suspended``."""
    users_lock([user])
    user = User.objects.with_standing().get(pk=user.pk)
    _must_be_able_to_enter(user)
    return user


def _must_be_able_to_enter(user: User) -> None:
    if not user.is_active:
        raise Refusal("contestant.account-closed", f"The account of {user.shown_name} is closed.")
    if is_suspended(user):
        raise Refusal("contestant.suspended", f"{user.shown_name} is suspended.")


@transaction.atomic
def contestants_import(
    *, acting_user: User, season: Season, text: str, at: datetime | None = None
) -> list[Contestant]:
    """Enrol everybody whom a CSV text names: all of them, or nobody.

    Columns ``username``, ``name`` (empty: the account's own) and ``seed`` (may be empty), with
    headings in any order, or without headings in this order. People are found by username only:
    whose address belongs to which account is not for organisers to find out. Refusals: those of
    `guards.season_lock_managed`, and :class:`FaultyRoster` with a line for each fault.
    """
    locked = season_lock_managed(season, acting_user)
    at = instant(at)
    faults: list[LineFault] = []
    rows = list(_rows_of(text, faults))
    if not rows and not faults:
        faults.append(LineFault(1, "There is nobody in this file."))
    names = {row["username"] for _, row in rows}
    known = {user.username: user for user in User.objects.filter(username__in=names)}
    entries: list[tuple[int, Enrolment]] = []
    for number, row in rows:
        try:
            user, seed = _user_named(known, row["username"]), _seed_of(row["seed"])
            entries.append((number, Enrolment(user, row["name"], seed)))
        except Refusal as refusal:
            faults.append(LineFault(number, refusal.sentence))
    intake = _Intake(locked, [entry for _, entry in entries], at)
    admitted: list[Contestant] = []
    for number, entry in entries:
        # Each line stands or falls alone, so that the report tells of all of them.
        try:
            admitted.append(intake.admit(entry))
        except Refusal as refusal:
            faults.append(LineFault(number, refusal.sentence))
    if faults:
        raise FaultyRoster(sorted(faults))
    made = _save_entries(locked, acting_user, admitted, at)
    audit_record(
        acting_user=acting_user,
        action="contestants.import",
        target=locked,
        data={"contestants": len(made)},
    )
    return made


def contestants_export(*, season: Season) -> str:
    """Everybody of a season, by seed, as a CSV text that `contestants_import` takes; without those
    who were struck off before it began, or whose place somebody else has taken.

    Somebody without an account here, in a season that was restored, has no username.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_COLUMNS)
    rows = season.contestants.select_related("user").exclude(status=ContestantStatus.REPLACED)
    # Only before the beginning does somebody who leaves lose their seed.
    rows = rows.exclude(status=ContestantStatus.WITHDRAWN, seed=None)
    for each in rows.order_by(F("seed").asc(nulls_last=True), "pk"):
        username = "" if each.user is None else each.user.username
        writer.writerow([harmless(username), harmless(each.name), each.seed])
    return out.getvalue()


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
                    known = ", ".join(CSV_COLUMNS)
                    faults.append(LineFault(number, f"The headings are some of {known}."))
                    return
                if is_heading:
                    continue
            if len(tidy) > len(columns):
                faults.append(LineFault(number, f"This line has more than {len(columns)} columns."))
                continue
            row = dict.fromkeys(CSV_COLUMNS, "") | dict(zip(columns, tidy, strict=False))
            row["username"] = row["username"].removeprefix("@").lower()
            if not row["username"]:
                faults.append(LineFault(number, "The username is missing."))
                continue
            yield number, row
    except csv.Error as error:
        faults.append(LineFault(reader.line_num, f"This line cannot be read: {error}."))


def _columns_of(cells: list[str]) -> tuple[tuple[str, ...], bool]:
    """The columns, and whether this line was their headings; none where it cannot be told."""
    lowered = tuple(cell.lower() for cell in cells)
    if "username" not in lowered:
        return CSV_COLUMNS, False
    if not set(lowered) <= set(CSV_COLUMNS) or len(set(lowered)) < len(lowered):
        return (), True
    return lowered, True


def _seed_of(cell: str) -> int | None:
    if not cell:
        return None
    if not (cell.isascii() and cell.isdigit()):
        raise Refusal("seed.range", f"A seed is a whole number, not {cell!r}.")
    return int(cell[:9])


# -- seeds ---------------------------------------------------------------------------------------


@transaction.atomic
def seeds_set(
    *, acting_user: User, season: Season, seeds: Mapping[int, int | None]
) -> list[Contestant]:
    """Set seeds by the contestants' ids before the season begins; None takes one away.

    Refusals: those of `guards.season_lock_managed`, ``seed.fixed``, ``seed.range``, ``seed.taken``,
    ``contestant.none``.
    """
    locked = season_lock_managed(season, acting_user)
    enrolled = _enrolled_contestants(locked)
    told = Together()
    for pk, seed in seeds.items():
        if pk not in enrolled:
            told.note(NotFound("contestant.none", "Somebody to be seeded is not enrolled."), pk)
        elif seed is not None and not _is_seed(seed):
            told.note(_no_seed(), pk)
    told.settle()
    after = {pk: each.seed for pk, each in enrolled.items()} | dict(seeds)
    times = Counter(seed for seed in after.values() if seed is not None)
    for pk, seed in sorted(seeds.items(), key=lambda each: each[1] or 0):
        if seed is not None and times[seed] > 1:
            told.note(Refusal("seed.taken", f"Seed {seed} would be given twice."), pk)
    told.settle()
    return _save_seeds(locked, acting_user, enrolled, after, "seeds.set")


@transaction.atomic
def seeds_draw(
    *, acting_user: User, season: Season, random: RandomSource = chance.system
) -> list[Contestant]:
    """Draw all seeds by lot. ``random`` gives floats from 0 to below 1; by default the operating
    system's. Refusals: those of `guards.season_lock_managed`, ``seed.fixed``."""
    locked = season_lock_managed(season, acting_user)
    enrolled = _enrolled_contestants(locked)
    left = sorted(enrolled)
    drawn = {left.pop(below(random, len(left))): seed for seed in range(1, len(enrolled) + 1)}
    return _save_seeds(locked, acting_user, enrolled, drawn, "seeds.draw")


def must_not_have_seeds_fixed(season: Season) -> None:
    """Raises Refusal ``seed.fixed``."""
    if season.status != SeasonStatus.ENROLLING:
        raise Refusal("seed.fixed", "The seeds are fixed once a season has begun.")


def _enrolled_contestants(season: Season) -> dict[int, Contestant]:
    must_not_have_seeds_fixed(season)
    return {each.pk: each for each in season.contestants.filter(status=ContestantStatus.ENROLLED)}


def _save_seeds(
    season: Season,
    acting_user: User,
    enrolled: Mapping[int, Contestant],
    seeds: Mapping[int, int | None],
    action: str,
) -> list[Contestant]:
    # The constraint looks at each row by itself: first everybody out of the way, then in place.
    season.contestants.filter(pk__in=enrolled).update(seed=None)
    for pk, contestant in enrolled.items():
        contestant.seed = seeds.get(pk)
    Contestant.objects.bulk_update(enrolled.values(), ["seed"])
    audit_record(
        acting_user=acting_user,
        action=action,
        target=season,
        data={str(pk): seed for pk, seed in sorted(seeds.items())},
    )
    return sorted(enrolled.values(), key=lambda each: (each.seed is None, each.seed or 0, each.pk))


# -- leaving -------------------------------------------------------------------------------------


def _fresh(contestant: Contestant) -> tuple[Season, Contestant]:
    season = season_lock(contestant.season_id)
    must_not_be_archived(season)
    found = season.contestants.select_related("user").get(pk=contestant.pk)
    found.season = season
    return season, found


@transaction.atomic
def contestant_remove(
    *, acting_user: User, contestant: Contestant, at: datetime | None = None
) -> Contestant:
    """Strike somebody off before the season begins. Refusals: those of
    `guards.season_lock_managed`, ``season.begun`` (they would withdraw, or be replaced),
    ``lifecycle.step``."""
    season, found = _fresh(contestant)
    must_manage(season, acting_user)
    must_be_removable(found)
    return _withdraw_before_start(season, found, acting_user, "", instant(at))


def must_be_removable(contestant: Contestant) -> None:
    """Whether a contestant can be struck off. Raises Refusal ``season.begun`` and
    ``lifecycle.step``."""
    if contestant.season.status != SeasonStatus.ENROLLING:
        raise Refusal(
            "season.begun", "The season has begun: contestants withdraw, or are replaced."
        )
    _left_as(contestant, ContestantStatus.WITHDRAWN)


def must_be_in(contestant: Contestant) -> None:
    """Whether a contestant can withdraw. Raises Refusal ``season.not-running`` (nor enrolling) and
    ``lifecycle.step``."""
    if contestant.season.status != SeasonStatus.ENROLLING:
        must_be_running(contestant.season)
    _left_as(contestant, ContestantStatus.WITHDRAWN)


def _left_as(contestant: Contestant, status: ContestantStatus) -> ContestantStatus:
    return lifecycle.step(lifecycle.CONTESTANT, contestant.status, status, contestant.name)


@transaction.atomic
def contestant_withdraw(
    *, acting_user: User | None, contestant: Contestant, why: str = "", at: datetime | None = None
) -> Contestant:
    """Somebody leaves: they themselves, or at an organiser's word. In a running season their open
    death matches are walkovers.

    Refusals: ``season.none``, ``season.archived``, ``season.not-organiser``, ``why.*`` (organisers
    give a reason), ``death-match.own``, ``season.over``, ``lifecycle.step``, those of the format.
    """
    season, found = _fresh(contestant)
    at = instant(at)
    own = acting_user is not None and found.user_id == acting_user.pk
    if not own:
        must_manage(season, acting_user)
        must_not_meet(found, acting_user)
    must_be_in(found)
    why = line(why, code="why", what="A reason", most=500, empty=True) if own else reason(why)
    if season.status == SeasonStatus.ENROLLING:
        return _withdraw_before_start(season, found, acting_user, why, at)
    found.status = _left_as(found, ContestantStatus.WITHDRAWN)
    found.left_at = at
    found.save(update_fields=["status", "left_at"])
    _announce_withdrawal(season, found, acting_user, why, at)
    for death_match in _open_death_matches(found):
        other = death_match.away if death_match.home_id == found.pk else death_match.home
        if other is not None:
            rulings.death_match_forfeit(
                death_match,
                winner=other,
                why=f"{found.name} has withdrawn.",
                acting_user=acting_user,
                at=at,
                follows="contestant.withdrawn",
            )
    left = format_of(season.format).on_left(contestant=found, at=at)
    decisions.follow(left, season=season, at=at)
    return found


def _open_death_matches(contestant: Contestant) -> list[DeathMatch]:
    found = undecided_of(contestant)
    return list(found.select_related("round__season", "home__user", "away__user"))


def _withdraw_before_start(
    season: Season, contestant: Contestant, acting_user: User | None, why: str, at: datetime
) -> Contestant:
    contestant.status = _left_as(contestant, ContestantStatus.WITHDRAWN)
    contestant.seed = None
    contestant.left_at = at
    contestant.save(update_fields=["status", "seed", "left_at"])
    _announce_withdrawal(season, contestant, acting_user, why, at)
    return contestant


def _announce_withdrawal(
    season: Season, contestant: Contestant, acting_user: User | None, why: str, at: datetime
) -> None:
    own = acting_user is None or acting_user.pk == contestant.user_id
    season_event(
        season=season,
        kind="contestant.withdrawn",
        words=f"{contestant.name} withdraws: {why}" if why else f"{contestant.name} withdraws.",
        data={"contestant": contestant.pk, "name": contestant.name, "why": why},
        contestant=contestant,
        by=None if own else acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="contestant.withdraw",
        target=contestant,
        data={"season": season.pk, "why": why},
    )


@transaction.atomic
def contestant_return(
    *, acting_user: User, contestant: Contestant, why: str, at: datetime | None = None
) -> Contestant:
    """Bring somebody back who has withdrawn from a running season, from the next round on, or in
    an elimination season from the next main match to be recorded: their death matches stay
    walkovers unless they are taken up again (`death_match_reopen`).

    Refusals: those of `guards.season_lock_managed`, ``season.not-running``, ``why.*``,
    ``contestant.not-withdrawn``, ``contestant.account-closed``, ``contestant.suspended``, those of
    the format for a late entry.
    """
    season, found = _fresh(contestant)
    must_manage(season, acting_user)
    must_be_returnable(found)
    why = reason(why)
    at = instant(at)
    if found.user is not None:
        able_to_enter(found.user)
    found.status = lifecycle.step(
        lifecycle.CONTESTANT, found.status, ContestantStatus.ACTIVE, found.name
    )
    found.place = found.left_at = None
    never_played = found.seed is None
    if never_played:
        # Struck off before the seeds were fixed: behind everybody, like a late entry.
        found.seed = (season.contestants.aggregate(last=Max("seed"))["last"] or 0) + 1
    if never_played or format_of(season.format).pairs_everybody:
        # Not missing from the rounds that were paired without them.
        found.since_round = season.rounds.count() + 1
    found.save(update_fields=["status", "place", "left_at", "seed", "since_round"])
    season_event(
        season=season,
        kind="contestant.restored",
        words=f"{found.name} is back in: {why}",
        data={"contestant": found.pk, "name": found.name, "why": why},
        contestant=found,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="contestant.return",
        target=found,
        data={"season": season.pk, "why": why},
    )
    format_of(season.format).on_entered(season=season)
    return found


def must_be_returnable(contestant: Contestant) -> None:
    """Whether a contestant can come back. Raises Refusal ``season.not-running``,
    ``contestant.not-withdrawn``, ``contestant.account-closed``, ``contestant.suspended`` and those
    of the format."""
    season = contestant.season
    must_be_running(season)
    if contestant.status != ContestantStatus.WITHDRAWN:
        raise Refusal("contestant.not-withdrawn", f"{contestant.name} has not withdrawn.")
    if contestant.user is not None:
        _must_be_able_to_enter(contestant.user)
    format_of(season.format).must_admit(season=season)


@transaction.atomic
def contestant_replace(
    *,
    acting_user: User,
    contestant: Contestant,
    user: User,
    why: str,
    name: str = "",
    at: datetime | None = None,
) -> Contestant:
    """Put somebody else in a contestant's place: the seed, the death matches that are not decided,
    the part in an open episode and the items that are held. What was decided stays the other's.

    Refusals: those of `guards.season_lock_managed`, ``season.not-running``, ``why.*``,
    ``contestant.twice``, ``contestant.account-closed``, ``contestant.suspended``,
    ``contestant.playing``, ``death-match.own``, ``lifecycle.step``.
    """
    season, old = _fresh(contestant)
    must_manage(season, acting_user)
    must_not_meet(old, acting_user)
    open_matches = _open_death_matches(old)
    must_be_replaceable(old, open_matches)
    why = reason(why)
    at = instant(at)
    user = able_to_enter(user)
    if season.contestants.filter(user=user).exists():
        raise Refusal("contestant.twice", f"{user.shown_name} is in this season already.")
    # Who had left may be missing from the round that is on: their heir plays from the next.
    was_out = old.status == ContestantStatus.WITHDRAWN
    waits = was_out and format_of(season.format).pairs_everybody
    old.status = _left_as(old, ContestantStatus.REPLACED)
    old.left_at = old.left_at or at
    # The place is the one of whoever holds it to the end.
    old.place = None
    old.save(update_fields=["status", "left_at", "place"])
    new = Contestant.objects.create(
        season=season,
        user=user,
        name=Names([(name, user)]).of(name, user),
        seed=old.seed,
        status=ContestantStatus.ACTIVE,
        since_round=max(season.rounds.count(), 1) + waits,
        replaces=old,
        enrolled_at=at,
    )
    for death_match in open_matches:
        side = "home" if death_match.home_id == old.pk else "away"
        setattr(death_match, side, new)
        death_match.save(update_fields=[side])
        # Being ready was the other's word.
        death_match.legs.filter(status=LegStatus.PLANNED).update(
            **{f"{side}_ready_at": None}, ready_cleared_at=at
        )
    _take_over(old, new, at)
    season_event(
        season=season,
        kind="contestant.replaced",
        words=f"{new.name} takes over from {old.name}: {why}",
        data={"contestant": new.pk, "name": new.name, "replaces": old.pk, "why": why},
        contestant=new,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="contestant.replace",
        target=new,
        data={"season": season.pk, "replaces": old.pk, "user": user.pk, "why": why},
    )
    format_of(season.format).on_replaced(old=old, new=new, at=at)
    for death_match in open_matches:
        deathmatches.death_match_announce_takeover(death_match=death_match, at=at)
    return new


def must_be_replaceable(contestant: Contestant, undecided: Iterable[DeathMatch]) -> None:
    """Whether somebody can take over a contestant's place; ``undecided`` are their open death
    matches. Raises Refusal ``season.not-running``, ``lifecycle.step`` and
    ``contestant.playing``."""
    must_be_running(contestant.season)
    _left_as(contestant, ContestantStatus.REPLACED)
    if any(leg.status == LegStatus.RUNNING for each in undecided for leg in each.legs.all()):
        raise Refusal("contestant.playing", f"{contestant.name} is playing just now.")


def _take_over(old: Contestant, new: Contestant, at: datetime) -> None:
    open_episodes = Episode.objects.filter(round__season=old.season_id).exclude(
        status__in=EPISODE_OVER
    )
    open_episodes.filter(ec=old).update(ec=new)
    open_episodes.filter(dmo=old).update(dmo=new)
    Placement.objects.filter(episode__in=open_episodes, contestant=old).update(contestant=new)
    for gift in Gift.objects.filter(receiver=old, status=GiftStatus.HELD):
        # A secret of the other's: the new holder says themselves what they bring.
        gift.declarations.filter(leg__status=LegStatus.PLANNED).delete()
        gift.receiver = new
        gift.save(update_fields=["receiver"])
        ItemEvent.objects.create(
            gift=gift,
            kind="given",
            words=f"Passed on to {new.name} with {old.name}'s place.",
            at=at,
        )


# -- accounts that turn out to be one ------------------------------------------------------------


def organises_seasons(user: User) -> bool:
    """Whether somebody runs a season, or would as soon as they are an organiser again: a merge is
    then not for moderators to make."""
    return SeasonOrganiser.objects.filter(user=user).exists()


def contestancies_merge(keep: User, duplicate: User) -> Mapping[str, int]:
    """The tournaments' part of merging two accounts (see `accounts.moderation.merging`): whatever
    names the duplicate as somebody in a season names the kept account from then on."""
    both = Contestant.objects.filter(user=keep).values("season")
    twice = Contestant.objects.filter(user=duplicate, season__in=both).select_related("season")
    first = twice.first()
    if first is not None:
        raise Refusal("merge.same-season", f"Both take part in {first.season.name}.")
    organised = SeasonOrganiser.objects.filter(user=duplicate)
    organised.filter(season__organisers__user=keep).delete()
    moved: dict[str, Any] = {
        "contestants": Contestant.objects.filter(user=duplicate).update(user=keep),
        "seasons run": organised.update(user=keep),
    }
    return moved
