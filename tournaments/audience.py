"""Who may see and do what in a season: in one place, asked by pages, API and admin.

What is public of a season is decided by `Season.objects.visible_to` and
`DeathMatch.objects.visible_to`.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.roles import is_moderator, is_organiser
from core.admin.lists import keys_as_text, register_withheld
from games.engine.decisions import Seat
from tournaments.lifecycle import SETTLED, EpisodeStatus, LegStatus
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    Leg,
    RulesetChoice,
    Season,
)


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
    # Whose seat it is costs no query.
    return seat_of(death_match, user) is None and may_manage(death_match.round.season, user)


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
    """Whether ``user`` may see what ``seat`` brings: its player at once, everybody once the match
    has begun. Not even organisers sooner: they may talk."""
    return not leg.is_sealed or seat_of(leg.death_match, user) == seat


# -- what the admin site withholds ---------------------------------------------------------------


def withhold() -> None:
    """Keep one's own death matches, and what is sealed, out of the admin site; called once the
    models are there."""
    register_withheld("tournaments.deathmatch", lambda reader: Q(pk__in=own_unsettled(reader)))
    register_withheld("tournaments.gift", own_items)
    register_withheld(
        "tournaments.seasonevent",
        lambda reader: (
            Q(death_match__in=own_unsettled(reader)) | Q(leg__death_match__in=own_unsettled(reader))
        ),
    )
    register_withheld("accounts.auditentry", own_actions)
    register_withheld("accounts.auditentry", sealed_actions)


def own_unsettled(user: User) -> QuerySet[DeathMatch]:
    """The death matches of which ``user`` is a side and that are not decided yet: what is brought
    into one is secret before it begins, and what happens in it while it is on."""
    sides = Q(home__user=user) | Q(away__user=user)
    return DeathMatch.objects.filter(sides).exclude(status__in=SETTLED).order_by()


def own_items(user: User) -> Q:
    """The items that may come up in them: those given for them, and those of both sides."""
    own = own_unsettled(user)
    of_sides = Q(receiver__home_matches__in=own) | Q(receiver__away_matches__in=own)
    return Q(death_match__in=own) | of_sides


def own_actions(user: User) -> Q:
    """What the audit log says of them."""
    own = own_unsettled(user)
    entries = Q(target_type="tournaments.deathmatch", target_id__in=keys_as_text(own))
    legs = Leg.objects.filter(death_match__in=own)
    entries |= Q(target_type="tournaments.leg", target_id__in=keys_as_text(legs))
    gifts = Gift.objects.filter(own_items(user))
    return entries | Q(target_type="tournaments.gift", target_id__in=keys_as_text(gifts))


def sealed_actions(_user: User) -> Q:
    """That somebody brings an item, until the leg begins: like `may_see_declarations`, for the one
    reader who could else count the entries."""
    never_begun = Q(
        status__in=[LegStatus.VOID, LegStatus.FINISHED], match__isnull=False, items__isnull=True
    )
    waited = Q(match__waits_until__isnull=False) | never_begun
    planned = keys_as_text(Leg.objects.filter(Q(status=LegStatus.PLANNED) | waited))
    return Q(
        action__in=("item.declare", "item.undeclare"),
        target_type="tournaments.leg",
        target_id__in=planned,
    )
