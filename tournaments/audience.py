"""Who may see and do what in a season: in one place, asked by pages, API and admin.

What is public of a season is decided by `Season.objects.visible_to` and
`DeathMatch.objects.visible_to`.
"""

from __future__ import annotations

from typing import Any

from accounts.models import User
from accounts.roles import is_moderator, is_organiser
from games.engine.decisions import Seat
from tournaments.lifecycle import EpisodeStatus, LegStatus
from tournaments.models import Contestant, DeathMatch, Episode, Leg, RulesetChoice, Season


def may_create_season(user: Any) -> bool:
    """Organisers open seasons."""
    return is_organiser(user)


def may_manage(season: Season, user: Any) -> bool:
    """Whether ``user`` runs this season: one of its organisers who still is one on this site, or
    an administrator."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_superuser:
        return True
    return is_organiser(user) and season.organisers.filter(user=user).exists()


def may_shelve(season: Season, user: Any) -> bool:
    """Whether ``user`` may take a season off the public lists: its organisers and moderators."""
    return may_manage(season, user) or is_moderator(user)


def may_rule(death_match: DeathMatch, user: Any) -> bool:
    """Whether ``user`` may decide about a death match: not about one's own."""
    if not may_manage(death_match.round.season, user):
        return False
    return seat_of(death_match, user) is None


def contestant_of(season: Season, user: Any) -> Contestant | None:
    """``user``'s place in the season, if they have one."""
    if not getattr(user, "is_authenticated", False):
        return None
    return season.contestants.filter(user=user).first()


def seat_of(death_match: DeathMatch, user: Any) -> Seat | None:
    """The seat that ``user`` has, or will have, in a death match."""
    if not getattr(user, "is_authenticated", False):
        return None
    if death_match.home is not None and death_match.home.user_id == user.pk:
        return 0
    if death_match.away is not None and death_match.away.user_id == user.pk:
        return 1
    return None


def may_choose_dmo(episode: Episode, user: Any) -> bool:
    """Whether ``user`` is the EC whose choice is awaited. The organisers' fallback is
    `may_manage`."""
    if episode.status != EpisodeStatus.CHOOSING or episode.ec is None:
        return False
    return getattr(user, "is_authenticated", False) and episode.ec.user_id == user.pk


def may_choose_rules(death_match: DeathMatch, user: Any) -> bool:
    """Whether ``user`` is the lower seed, in a season where that one chooses what is played."""
    if death_match.round.season.ruleset_choice != RulesetChoice.LOWER_SEED:
        return False
    home, away = death_match.home, death_match.away
    if home is None or away is None or None in (home.seed, away.seed):
        return False
    lower = home if (home.seed or 0) > (away.seed or 0) else away
    return getattr(user, "is_authenticated", False) and lower.user_id == user.pk


def may_see_declarations(leg: Leg, seat: Seat, user: Any) -> bool:
    """Whether ``user`` may see what ``seat`` brings: its player at once, everybody once the leg
    has begun. Not even organisers sooner: they may talk."""
    return leg.status != LegStatus.PLANNED or seat_of(leg.death_match, user) == seat
