"""What every service of a season asks first, and the words that people hand in made fit to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts.models import User
from core.clock import now_utc
from core.refusals import Forbidden, NotFound, Refusal, Together
from core.text import one_line
from games.engine.errors import EngineFault
from games.reasons import WHY_MAX
from tournaments import audience
from tournaments.lifecycle import (
    UNDECIDED,
    SeasonStatus,
    Visibility,
)
from tournaments.models import Contestant, DeathMatch, Leg, Season
from tournaments.rights import NONE, Right


class RowByRow(Together):
    """Goes on behind a row that is refused, for an action in a transaction; `settle` undoes it."""

    @contextmanager
    def of(self, row: int | None = None) -> Iterator[None]:
        """The action of one row; what it wrote is undone where it is refused."""
        with super().of(row), transaction.atomic():
            yield


def instant(at: datetime | None) -> datetime:
    """``at``, or now: every service may be told when its action happens."""
    return now_utc() if at is None else at


def season_lock(season_id: int, *, changes: bool = True) -> Season:
    """The season, its row locked until the transaction ends: whoever comes second waits, and finds
    what the first has done. Raises Refusal ``season.none``; EngineFault outside a transaction.

    ``changes``: the action may change what everybody sees, and the season has another revision. It
    is False for what only reads, and for a secret: even that it changed would tell something.
    """
    if not transaction.get_connection().in_atomic_block:
        raise EngineFault("a season is locked inside the transaction of its action")
    season = Season.objects.select_for_update(no_key=True).filter(pk=season_id).first()
    if season is None:
        raise NotFound("season.none", "There is no such season.")
    if changes:
        Season.objects.filter(pk=season_id).update(revision=F("revision") + 1)
        season.revision += 1
    return season


def season_lock_managed(
    season: Season, acting_user: User | None, right: Right = Right.RUN
) -> Season:
    """The season locked, for somebody who holds a right in it (None: the site itself, which also
    takes in what was still being played when a season was archived).

    Raises Refusal ``season.none``, as `must_manage` does, and ``season.archived``.
    """
    locked = season_lock(season.pk)
    must_manage(locked, acting_user, right)
    if acting_user is not None:
        must_not_be_archived(locked)
    return locked


def must_manage(
    season: Season, acting_user: User | AnonymousUser | None, right: Right = Right.RUN
) -> None:
    """Raises Refusal as `must_hold` does. None stands for the site itself."""
    if acting_user is not None:
        must_hold(audience.rights_of(season, acting_user), right)


def must_hold(held: frozenset[Right], right: Right = Right.RUN) -> None:
    """Whether one of these rights in a season is enough. Raises Refusal ``season.not-organiser``
    (they have none), ``season.no-right`` (a helper without this one) and ``season.not-owner``."""
    if right in held:
        return
    if held == NONE:
        raise Forbidden("season.not-organiser", "Only an organiser of this season may do this.")
    if right is Right.OWN:
        raise Forbidden("season.not-owner", "Only the owner of this season may do this.")
    if right is Right.RUN:
        raise Forbidden("season.no-right", "You help with this season; this is for its organisers.")
    raise Forbidden(
        "season.no-right",
        f"You help with this season, but not with this: it takes “{right.label.lower()}”.",
    )


def must_not_be_archived(season: Season) -> None:
    """Raises Refusal ``season.archived``."""
    if season.visibility == Visibility.ARCHIVED:
        raise Refusal(
            "season.archived", "This season is in the archive: it can be looked at, not changed."
        )


def must_not_be_draft(season: Season) -> None:
    """Raises Refusal ``season.draft``."""
    if season.visibility == Visibility.DRAFT:
        raise Refusal("season.draft", "The season is still a draft: list it first.")


def must_be_running(season: Season) -> None:
    """Raises Refusal ``season.not-running``."""
    if season.status != SeasonStatus.RUNNING:
        raise Refusal(
            "season.not-running", f"This season is “{season.get_status_display()}”, not running."
        )


def must_be_running_or_finished(season: Season) -> None:
    """Raises Refusal ``season.not-running`` for a season that has not begun, or was cancelled."""
    if season.status != SeasonStatus.FINISHED:
        must_be_running(season)


def death_match_lock_managed(
    death_match: DeathMatch, acting_user: User | None, right: Right = Right.RUN
) -> tuple[Season, DeathMatch]:
    """A death match read anew under its season's lock, for whoever holds a right and is not in it.

    Raises Refusal as `season_lock_managed` does, and ``death-match.own``.
    """
    season = season_lock_managed(death_match.round.season, acting_user, right)
    fresh = death_match_fresh(death_match.pk)
    must_not_be_own(fresh, acting_user)
    return season, fresh


def leg_lock_managed(
    leg: Leg, acting_user: User | None, right: Right = Right.RUN
) -> tuple[Season, Leg]:
    """As `death_match_lock_managed`, for one of its legs."""
    season, death_match = death_match_lock_managed(leg.death_match, acting_user, right)
    fresh = death_match.legs.get(pk=leg.pk)
    fresh.death_match = death_match
    return season, fresh


def death_match_fresh(pk: int) -> DeathMatch:
    """A death match with everything that decisions about it ask for, from one query."""
    return DeathMatch.objects.select_related(
        "round__season", "home__user", "away__user", "winner"
    ).get(pk=pk)


def must_not_be_own(death_match: DeathMatch, acting_user: User | None) -> None:
    """Raises Refusal ``death-match.own`` where ``acting_user`` has a seat in it."""
    if acting_user is not None and audience.seat_of(death_match, acting_user) is not None:
        raise own_death_match()


def must_not_meet(
    contestant: Contestant,
    acting_user: User | None,
    undecided: Iterable[DeathMatch] | None = None,
) -> None:
    """Raises Refusal ``death-match.own`` where ``acting_user`` has an open death match against that
    contestant, or as that contestant. ``undecided``: the contestant's, where they are known."""
    if acting_user is None:
        return
    if undecided is None:
        undecided = undecided_of(contestant).select_related("home", "away")
    for each in undecided:
        must_not_be_own(each, acting_user)


def undecided_of(contestant: Contestant) -> QuerySet[DeathMatch]:
    """A contestant's death matches that nothing has decided."""
    return DeathMatch.objects.filter(Q(home=contestant) | Q(away=contestant), status__in=UNDECIDED)


def must_not_play_in(playing: Iterable[Contestant], acting_user: User) -> None:
    """Raises Refusal ``death-match.own`` where ``acting_user`` is one of those who are paired."""
    if any(each.user_id == acting_user.pk for each in playing):
        raise own_death_match()


def own_death_match() -> Refusal:
    """What whoever decides about themselves is told, whatever their role."""
    return Forbidden("death-match.own", "Nobody decides about their own death match.")


def must_be_ahead(scheduled_at: datetime | None, at: datetime | None = None) -> None:
    """Raises Refusal ``schedule.past`` and ``schedule.far``."""
    at = instant(at)
    if scheduled_at is not None and scheduled_at < at - timedelta(minutes=1):
        raise Refusal("schedule.past", "This time is over.")
    if scheduled_at is not None and scheduled_at > at + timedelta(days=3660):
        raise Refusal("schedule.far", "This time is too far away.")


def heirs_of(contestants: Iterable[int]) -> set[int]:
    """Whoever took over a place of these, one after another; all by their ids."""
    found: set[int] = set()
    heirs = set(contestants)
    while heirs:
        heirs = set(Contestant.objects.filter(replaces__in=heirs).values_list("pk", flat=True))
        found |= heirs
    return found


def reason(why: str) -> str:
    """A reason that everybody will read, as one line.
    Raises Refusal ``why.missing`` and ``why.too-long``."""
    tidy = one_line(why)
    if not tidy:
        raise Refusal("why.missing", "Please give a reason; everybody will read it.")
    if len(tidy) > WHY_MAX:
        raise Refusal("why.too-long", f"A reason has at most {WHY_MAX} characters.")
    return tidy


def line(text: Any, *, code: str, what: str, most: int, empty: bool = False) -> str:
    """``text`` as one line of at most ``most`` characters.
    Raises Refusal ``<code>.missing`` and ``<code>.too-long``."""
    tidy = one_line(str(text))
    if not tidy and not empty:
        raise Refusal(f"{code}.missing", f"{what} is missing.")
    if len(tidy) > most:
        raise Refusal(f"{code}.too-long", f"{what} has at most {most} characters.")
    return tidy
