"""Who enters a season: enrolled by its organisers, by themselves, or late."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max, Q

from accounts.models import User
from accounts.moderation.standing import is_suspended
from accounts.services import audit_records, users_lock
from core.refusals import Refusal, Together
from tournaments.formats.registry import format_of
from tournaments.lifecycle import ApplicationStatus, ContestantStatus, SeasonStatus, Visibility
from tournaments.models import (
    Contestant,
    Season,
    SeasonApplication,
    SeasonEvent,
    SeasonInvitation,
    WayIn,
)
from tournaments.rights import Right
from tournaments.services.contestants.names import Names
from tournaments.services.contestants.presence import ask_to_check_in, there_from
from tournaments.services.contestants.seeds import is_seed, seed_out_of_range
from tournaments.services.events import season_events
from tournaments.services.guards import (
    instant,
    must_not_be_archived,
    season_lock,
    season_lock_managed,
)
from tournaments.services.ledger.passing import purses_open


class Enrolment(NamedTuple):
    """Somebody to be enrolled, what the season calls them (their own name, when empty), their
    seed, where it is said, and the link by which they come, if by one."""

    user: User
    name: str = ""
    seed: int | None = None
    invitation: SeasonInvitation | None = None


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

    Raises Refusal as `guards.season_lock_managed` does, ``season.over``, ``season.full`` (see
    `contestants_take`), ``contestant.twice``,
    ``contestant.account-closed``, ``contestant.suspended``, ``contestant.name.too-long``,
    ``seed.range``, ``seed.taken``, ``seed.fixed``, and those of the format for a late entry.
    """
    locked = season_lock_managed(season, acting_user, Right.PEOPLE)
    must_have_room_for(locked, len(entries))
    at = instant(at)
    made = entries_admit(locked, acting_user, entries, at).contestants
    ask_to_check_in(locked, made, at)
    return made


@transaction.atomic
def contestants_take(
    *,
    acting_user: User,
    season: Season,
    entries: Sequence[Enrolment],
    at: datetime | None = None,
) -> Entered:
    """Enrol people as `contestants_enrol` does; for whom no place is left, they wait for one."""
    locked = season_lock_managed(season, acting_user, Right.PEOPLE)
    at = instant(at)
    entered = entries_admit(locked, acting_user, entries, at)
    ask_to_check_in(locked, entered.contestants, at)
    return entered


def contestant_enrol(
    *,
    acting_user: User | None,
    season: Season,
    user: User,
    name: str = "",
    seed: int | None = None,
    at: datetime | None = None,
) -> Contestant:
    """Enrol somebody, as `contestants_enrol` does."""
    entries = [Enrolment(user, name, seed)]
    (one,) = contestants_enrol(acting_user=acting_user, season=season, entries=entries, at=at)
    return one


@transaction.atomic
def contestant_join(*, acting_user: User, season: Season, at: datetime | None = None) -> Entered:
    """Enrol oneself, where the season is open, or wait for a place where it is full. Raises Refusal
    ``season.none``, ``season.archived``, ``enrolment.closed``, ``application.declined``,
    ``application.waiting``, and as `contestants_enrol` does."""
    locked = season_lock(season.pk)
    must_be_open_to_everybody(locked)
    must_not_be_declined(locked.applications.filter(user=acting_user).first())
    return entries_admit(locked, acting_user, [Enrolment(acting_user)], instant(at))


def must_be_open_to_everybody(season: Season) -> None:
    """Whether people can enrol by themselves. Raises Refusal ``season.archived`` and
    ``enrolment.closed``."""
    must_not_be_archived(season)
    if season.way_in is not WayIn.OPEN or not is_taking_people(season):
        raise Refusal("enrolment.closed", "This season is not open to everybody just now.")


def is_taking_people(season: Season) -> bool:
    """Whether whoever would come by themselves finds a season that has not begun."""
    return season.visibility == Visibility.LISTED and season.status == SeasonStatus.ENROLLING


class Entered(NamedTuple):
    """Who is in now, and who waits for a place."""

    contestants: list[Contestant]
    waiting: list[SeasonApplication]


class Intake:
    """Decides who can enter a season, one after another, with the season locked. Whatever that
    takes of the database is read at the start, and nothing is written."""

    def __init__(self, season: Season, entries: Iterable[Enrolment], at: datetime) -> None:
        self._season = season
        self._at = at
        self._late = season.status == SeasonStatus.RUNNING
        asked = {entry.user.pk for entry in entries}
        seeds = {entry.seed for entry in entries if is_seed(entry.seed)}
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
        self._refusal: Refusal | None = None
        if self._late:
            self._last_seed = season.contestants.aggregate(last=Max("seed"))["last"] or 0
            self._since_round = season.rounds.count() + 1
            try:
                format_of(season.format).must_admit(season=season)
            except Refusal as refusal:
                self._refusal = refusal

    def admit(self, entry: Enrolment) -> Contestant:
        """The contestant that an entry makes, not saved yet. Raises Refusal as `contestants_enrol`
        does."""
        season = self._season
        must_not_be_over(season)
        user = self._users[entry.user.pk]
        must_be_able_to_enter(user)
        shown = self._names.of(entry.name, user)
        if self._late and entry.seed is not None:
            raise Refusal("seed.fixed", "The seeds are fixed; a late entry comes after all others.")
        contestant = self._by_user.get(user.pk)
        must_not_be_in(contestant, shown, late=self._late)
        if self._refusal is not None:
            raise Refusal(self._refusal.code, self._refusal.sentence)
        self._must_be_free(entry.seed, but=contestant)
        contestant = contestant or Contestant(season=season)
        contestant.user = user
        contestant.name = shown
        contestant.seed = entry.seed
        contestant.status = ContestantStatus.ENROLLED
        contestant.since_round = self._since_round
        contestant.enrolled_at = self._at
        contestant.left_at = contestant.checked_in_at = None
        contestant.invitation = entry.invitation
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
        if not is_seed(seed):
            raise seed_out_of_range()
        holder = self._by_seed.get(seed)
        if holder is not None and holder is not but:
            raise Refusal("seed.taken", f"Seed {seed} is {holder.shown_name}'s.")


def entries_admit(
    season: Season, acting_user: User | None, entries: Sequence[Enrolment], at: datetime
) -> Entered:
    """Enrol people in this order, all of them or nobody, with the season locked and whatever else
    there is to ask of whoever acts asked; for whom no place is left, they wait for one. Raises
    Refusal as `contestants_enrol` does, and ``application.waiting``."""
    must_not_be_over(season)
    reception = Reception(season, entries, at)
    faults = Together()
    for number, entry in enumerate(entries):
        with faults.of(number):
            reception.take(entry)
    faults.settle()
    return reception.settle(acting_user)


class Reception:
    """Takes people in one after another, with the season locked: as long as places are left they
    are in, then they wait. Nothing is written before `settle`."""

    def __init__(self, season: Season, entries: Sequence[Enrolment], at: datetime) -> None:
        self._season = season
        self._at = at
        self._left = places_left(season)
        rows = season.applications.filter(
            user__in={entry.user.pk for entry in entries}, status=ApplicationStatus.WAITING
        )
        self._waiting = set(rows.values_list("user", flat=True))
        self._intake = Intake(season, entries, at)
        self._admitted: list[Contestant] = []
        self._queued: list[Enrolment] = []

    def take(self, entry: Enrolment) -> None:
        """Raises Refusal as `contestants_enrol` does, and ``application.waiting``."""
        is_full = self._left is not None and len(self._admitted) >= self._left
        if is_full and entry.user.pk in self._waiting:
            raise waits_already(entry.user.shown_name)
        contestant = self._intake.admit(entry)
        if is_full:
            self._queued.append(entry)
        else:
            self._admitted.append(contestant)

    def settle(self, acting_user: User | None) -> Entered:
        """Write all of them down."""
        season, at = self._season, self._at
        entered = entries_save(season, acting_user, self._admitted, at) if self._admitted else []
        return Entered(entered, entries_queue(season, acting_user, self._queued, at))


def must_not_wait(row: SeasonApplication | None, name: str, *, is_full: bool) -> None:
    """Whether asking for a place changes anything for somebody; ``row``: how they stand, if they
    ever applied or waited. Raises Refusal ``application.waiting``."""
    if is_full and row is not None and row.status == ApplicationStatus.WAITING:
        raise waits_already(name)


def must_not_be_declined(row: SeasonApplication | None) -> None:
    """Whether somebody may come by themselves, as far as the organisers have said; ``row``: how
    they stand, if they ever applied or waited. Raises Refusal ``application.declined``."""
    if row is not None and row.status == ApplicationStatus.DECLINED and not row.may_ask_again:
        raise Refusal(
            "application.declined", "The organisers have declined. They can let you apply again."
        )


def waits_already(name: str) -> Refusal:
    """What somebody is told who asks for a place once more."""
    return Refusal("application.waiting", f"{name} is on the waiting list already.")


def places_left(season: Season) -> int | None:
    """How many may still enter before the beginning; None: as many as like. Nobody is counted who
    comes late to a season that is running."""
    if season.places is None or season.status != SeasonStatus.ENROLLING:
        return None
    return max(season.places - places_taken(season), 0)


def places_taken(season: Season) -> int:
    """How many hold a place in a season that has not begun."""
    return season.contestants.filter(status=ContestantStatus.ENROLLED).count()


def must_have_room_for(season: Season, count: int) -> None:
    """Whether so many more may enter at once. Raises Refusal ``season.full``."""
    left = places_left(season)
    if left is not None and count > left:
        free = f"{left} of {season.places} places are" if left else "None of its places is"
        raise Refusal("season.full", f"{free} free. More places can be made in the settings.")


def entries_queue(
    season: Season, acting_user: User | None, entries: Sequence[Enrolment], at: datetime
) -> list[SeasonApplication]:
    """Put people at the end of the waiting list, with the season locked."""
    if not entries:
        return []
    last = season.applications.aggregate(last=Max("turn"))["last"] or 0
    known = {
        each.user_id: each
        for each in season.applications.filter(user__in=[entry.user.pk for entry in entries])
    }
    queued = []
    for turn, entry in enumerate(entries, start=last + 1):
        row = known.get(entry.user.pk) or SeasonApplication(
            season=season, user=entry.user, asked_at=at
        )
        row.status, row.turn, row.why = ApplicationStatus.WAITING, turn, ""
        row.name, row.invitation = entry.name, entry.invitation
        queued.append(row)
    changed = ["status", "turn", "why", "name", "invitation"]
    SeasonApplication.objects.bulk_update([row for row in queued if row.pk], changed)
    SeasonApplication.objects.bulk_create([row for row in queued if not row.pk])
    audit_records(
        acting_user=acting_user,
        action="application.queue",
        targets=[
            (each, {"season": season.pk, "user": each.user_id, "turn": each.turn})
            for each in queued
        ],
    )
    return queued


def must_be_enrollable(season: Season, user: User, contestant: Contestant | None) -> None:
    """Whether somebody can be enrolled now; ``contestant``: their place in the season, if they ever
    had one. Raises Refusal ``season.over``, ``contestant.account-closed``,
    ``contestant.suspended``, ``contestant.twice``, and those of the format for a late entry."""
    must_not_be_over(season)
    must_be_able_to_enter(user)
    late = season.status == SeasonStatus.RUNNING
    must_not_be_in(contestant, user.shown_name, late=late)
    must_take_entries(season)


def must_take_entries(season: Season) -> None:
    """Whether anybody can be enrolled now. Raises Refusal ``season.over``, and those of the format
    for a late entry."""
    must_not_be_over(season)
    if season.status == SeasonStatus.RUNNING:
        format_of(season.format).must_admit(season=season)


def must_not_be_in(contestant: Contestant | None, name: str, *, late: bool) -> None:
    """Raises Refusal ``contestant.twice``. Who was struck off before the start can enter again."""
    if contestant is not None and (late or contestant.status != ContestantStatus.WITHDRAWN):
        raise Refusal("contestant.twice", f"{name} is in this season already.")


def must_not_be_over(season: Season) -> None:
    """Raises Refusal ``season.over``."""
    if season.status not in (SeasonStatus.ENROLLING, SeasonStatus.RUNNING):
        raise Refusal("season.over", "This season is over: nobody can enter it.")


def entries_save(
    season: Season, acting_user: User | None, admitted: Sequence[Contestant], at: datetime
) -> list[Contestant]:
    """Write down those whom an intake has admitted, and tell of them."""
    late = season.status == SeasonStatus.RUNNING
    for each in admitted:
        own = acting_user is not None and acting_user.pk == each.user_id
        each.checked_in_at = there_from(season, at, own=own)
    # Who had been struck off before the start is taken back in.
    again = [each for each in admitted if each.pk is not None]
    Contestant.objects.bulk_update(
        again,
        [
            "name",
            "seed",
            "status",
            "since_round",
            "enrolled_at",
            "left_at",
            "invitation",
            "checked_in_at",
        ],
    )
    Contestant.objects.bulk_create([each for each in admitted if each.pk is None])
    # Whoever had applied, or waited, does so no more.
    season.applications.filter(user__in=[each.user_id for each in admitted]).update(
        status=ApplicationStatus.ADMITTED, turn=None, why=""
    )
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
        targets=[
            (each, {"season": season.pk, "user": each.user_id, "seed": each.seed, "late": late})
            for each in admitted
        ],
    )
    if late:
        purses_open(season=season, contestants=admitted, at=at)
        format_of(season.format).on_entered(season=season)
    return list(admitted)


def able_to_enter(user: User) -> User:
    """The user as the database has them now, locked.
    Raises Refusal ``contestant.account-closed`` and ``contestant.suspended``."""
    users_lock([user])
    user = User.objects.with_standing().get(pk=user.pk)
    must_be_able_to_enter(user)
    return user


def must_be_able_to_enter(user: User) -> None:
    """Raises Refusal ``contestant.account-closed`` and ``contestant.suspended``."""
    if not user.is_active:
        raise Refusal("contestant.account-closed", f"The account of {user.shown_name} is closed.")
    if is_suspended(user):
        raise Refusal("contestant.suspended", f"{user.shown_name} is suspended.")
