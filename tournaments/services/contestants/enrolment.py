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
from tournaments.lifecycle import ContestantStatus, SeasonStatus, Visibility
from tournaments.models import Contestant, Season, SeasonEvent, SeasonInvitation
from tournaments.services.contestants.names import Names
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

    Raises Refusal as `guards.season_lock_managed` does, ``season.over``, ``contestant.twice``,
    ``contestant.account-closed``, ``contestant.suspended``, ``contestant.name.too-long``,
    ``seed.range``, ``seed.taken``, ``seed.fixed``, and those of the format for a late entry.
    """
    return entries_admit(
        season_lock_managed(season, acting_user), acting_user, entries, instant(at)
    )


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
def contestant_join(*, acting_user: User, season: Season, at: datetime | None = None) -> Contestant:
    """Enrol oneself, where the season is open. Raises Refusal ``season.none``, ``season.archived``,
    ``enrolment.closed``, and as `contestants_enrol` does."""
    locked = season_lock(season.pk)
    must_be_open_to_everybody(locked)
    (one,) = entries_admit(locked, acting_user, [Enrolment(acting_user)], instant(at))
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
        contestant.left_at = None
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
) -> list[Contestant]:
    """Enrol people in this order, all of them or nobody, with the season locked and whatever else
    there is to ask of whoever acts asked. Raises Refusal as `contestants_enrol` does."""
    must_not_be_over(season)
    intake = Intake(season, entries, at)
    admitted, faults = [], Together()
    for number, entry in enumerate(entries):
        with faults.of(number):
            admitted.append(intake.admit(entry))
    faults.settle()
    return entries_save(season, acting_user, admitted, at)


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
    # Who had been struck off before the start is taken back in.
    again = [each for each in admitted if each.pk is not None]
    Contestant.objects.bulk_update(
        again, ["name", "seed", "status", "since_round", "enrolled_at", "left_at", "invitation"]
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
