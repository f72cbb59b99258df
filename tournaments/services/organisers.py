"""Who runs a season."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db import transaction

from accounts.models import User
from accounts.roles import is_organiser
from accounts.services import audit_record, users_lock
from core.refusals import Refusal
from games.services.matches import match_referees_set
from tournaments.lifecycle import LegStatus
from tournaments.models import Leg, Season, SeasonOrganiser
from tournaments.services.guards import season_lock, season_lock_managed


def referees_of(season: Season, *, playing: Iterable[User | None]) -> list[User]:
    """Who referees a match of the season: its organisers who still are, without the players."""
    players = {user.pk for user in playing if user is not None}
    organisers = season.organisers.select_related("user").order_by("pk")
    return [
        each.user for each in organisers if each.user_id not in players and is_organiser(each.user)
    ]


@transaction.atomic
def organiser_add(*, acting_user: User, season: Season, user: User) -> Season:
    """Let somebody else run the season too. Raises Refusal as `guards.season_lock_managed` does,
    ``organiser.no-role``, ``organiser.twice``."""
    locked = season_lock_managed(season, acting_user)
    user = _lock_organisers(locked, user)[user.pk]
    if not is_organiser(user):
        raise Refusal("organiser.no-role", f"{user.shown_name} is not an organiser of this site.")
    if locked.organisers.filter(user=user).exists():
        raise Refusal("organiser.twice", f"{user.shown_name} already runs this season.")
    SeasonOrganiser.objects.create(season=locked, user=user)
    return _record_change(locked, acting_user, "season.organiser_add", user)


@transaction.atomic
def organiser_remove(*, acting_user: User, season: Season, user: User) -> Season:
    """Take the season out of somebody's hands. Raises Refusal as `guards.season_lock_managed` does,
    ``organiser.none``, ``organiser.last``."""
    locked = season_lock_managed(season, acting_user)
    must_be_dispensable(user, [each.user for each in locked.organisers.select_related("user")])
    locked.organisers.filter(user=user).delete()
    return _record_change(locked, acting_user, "season.organiser_remove", user)


def must_be_dispensable(user: User, organisers: Collection[User]) -> None:
    """Whether somebody can stop being one of a season's organisers. Raises Refusal
    ``organiser.none`` and ``organiser.last``."""
    if user not in organisers:
        raise Refusal("organiser.none", f"{user.shown_name} does not run this season.")
    if len(organisers) == 1:
        raise Refusal("organiser.last", "Somebody must run the season: this is its last organiser.")


def _lock_organisers(season: Season, *others: User) -> dict[int, User]:
    return users_lock([*others, *season.organisers.values_list("user_id", flat=True)])


def _record_change(season: Season, acting_user: User, action: str, user: User) -> Season:
    season_referees_refresh(season=season)
    audit_record(acting_user=acting_user, action=action, target=season, data={"user": user.pk})
    return season


@transaction.atomic
def season_referees_refresh(*, season: Season) -> None:
    """Have the matches that are on refereed by those who run the season now: somebody has joined
    or left them, or lost the role of an organiser."""
    # A match that is beginning has its referees already, and is not there to be found before.
    _lock_organisers(season_lock(season.pk))
    running = Leg.objects.filter(
        death_match__round__season=season, status=LegStatus.RUNNING
    ).select_related("death_match__home__user", "death_match__away__user")
    for leg in running:
        sides = (leg.death_match.home, leg.death_match.away)
        playing = [side.user for side in sides if side is not None]
        if leg.match_id is None:
            continue
        try:
            match_referees_set(
                acting_user=None,
                match_id=leg.match_id,
                users=referees_of(season, playing=playing),
            )
        except Refusal as refusal:
            # It has just ended, and its leg is not settled yet: nobody has to referee it.
            if refusal.code != "match.over":
                raise
