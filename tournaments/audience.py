"""Who may see and do what in a season: in one place, asked by pages, API and admin.

What is public of a season is decided by `Season.objects.visible_to` and
`DeathMatch.objects.visible_to`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from accounts.roles import is_administrator, is_moderator, is_organiser
from core.admin.lists import keys_as_text, register_withheld
from games.engine.decisions import Seat
from tournaments.lifecycle import (
    SEASON_OVER,
    SETTLED,
    ContestantStatus,
    EpisodeStatus,
    LegStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    LedgerEntry,
    Leg,
    RulesetChoice,
    Season,
    SeasonOrganiser,
    scores,
)
from tournaments.rights import ALL, NONE, Right, opens
from tournaments.trade import trade_of


def may_create_season(user: Any) -> bool:
    """Organisers open seasons."""
    return is_organiser(user)


def rights_of(season: Season, user: Any) -> frozenset[Right]:
    """What ``user`` may do in this season as one of those who run it, or help to: its owner as long
    as they are an organiser of this site, its co-organisers, its helpers what they were given, and
    administrators everything. One query at most, and one for the role of an owner."""
    if not isinstance(user, User) or not user.is_active:
        return NONE
    if is_administrator(user):
        return ALL
    row = season.organisers.filter(user=user).first()
    return NONE if row is None else row.held(user)


def season_kept_from(user: User, named: Mapping[str, Any]) -> bool:
    """Whether an address names a draft that somebody sees as soon as no power of theirs rests (see
    `accounts.roles.register_kept`): an administrator, or whoever runs it or helps to."""
    slug = named.get("slug")
    if not isinstance(slug, str):
        return False
    drafts = Season.objects.filter(slug=slug, visibility=Visibility.DRAFT)
    if not user.is_superuser:
        drafts = drafts.filter(organisers__user=user)
    return drafts.exists()


def may(season: Season, user: Any, right: Right) -> bool:
    """Whether ``user`` holds a right in this season."""
    return right in rights_of(season, user)


def may_manage(season: Season, user: Any) -> bool:
    """Whether ``user`` runs this season: its owner, a co-organiser, or an administrator."""
    return may(season, user, Right.RUN)


def may_open(season: Season, user: Any, page: str) -> bool:
    """Whether ``user`` comes to a page of the season's desk, by the name of its address."""
    return opens(page, rights_of(season, user))


def may_shelve(season: Season, user: Any) -> bool:
    """Whether ``user`` may take a season off the public lists: its organisers and moderators."""
    return may_manage(season, user) or is_moderator(user)


def may_rule(death_match: DeathMatch, user: Any, right: Right = Right.MATCHES) -> bool:
    """Whether ``user`` may decide about a death match, by that right: not about one's own."""
    # Whose seat it is costs no query.
    return seat_of(death_match, user) is None and may(death_match.round.season, user, right)


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


def plays_in(season: Season, user: Any) -> bool:
    """Whether ``user`` plays in a season, or has played; whoever was struck off before it began
    has not."""
    return Contestant.objects.filter(_players_of(season), user=user).exists()


def decides_in(season: Season, user: Any) -> bool:
    """Whether ``user`` runs a season, or would as soon as they are an organiser again."""
    return user.is_superuser or season.organisers.filter(user=user).exists()


def _players_of(season: Season) -> Q:
    return Q(season=season) & ~Q(status=ContestantStatus.WITHDRAWN, seed=None)


def predictors_of(season: Season) -> Q:
    """Of rows with a ``user``, those of people whose predictions of a season count: whoever only
    watches, and has an account that is open."""
    players = Contestant.objects.filter(_players_of(season), user=OuterRef("user"))
    organisers = SeasonOrganiser.objects.filter(season=season, user=OuterRef("user"))
    known = Q(user__is_active=True, user__is_superuser=False)
    return known & ~Exists(players) & ~Exists(organisers)


def may_see_shares(season: Season, user: Any) -> bool:
    """Whether ``user`` may see how many think that who will win, before it is decided: not who
    plays in the season."""
    return not isinstance(user, User) or not plays_in(season, user)


def may_choose_dmo(episode: Episode, user: Any) -> bool:
    """Whether ``user`` is the EC whose choice is awaited. The organisers' fallback is
    `Right.EPISODES`."""
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


def scores_seen_by_all() -> Q:
    """The tables of scores that everybody sees who sees the season: those by which a placement was
    recorded, and drafts that are shown, as long as the main match is on. Other drafts are for those
    who run the season. Of a main match's pictures `MainMatchPicture.objects.seen_by_all` says the
    same."""
    return scores.scores_seen_by_all()


# -- the ledger ----------------------------------------------------------------------------------


def sees_whole_ledger(season: Season, user: Any) -> bool:
    """Whether ``user`` may see every entry, and what everybody has: everybody once the season is
    over, those who keep its ledger from the beginning unless they play, or have played, in it
    themselves. Whoever was struck off before it began does not."""
    if season.status in SEASON_OVER:
        return True
    return may(season, user, Right.LEDGER) and not plays_in(season, user)


def sees_purses(season: Season, user: Any, *, whole: bool | None = None) -> bool:
    """Whether ``user`` may see what everybody has; their own they see in any case. ``whole``: what
    `sees_whole_ledger` has said of them already."""
    if not trade_of(season).hidden:
        return True
    return sees_whole_ledger(season, user) if whole is None else whole


def ledger_visible_to(season: Season, user: Any, *, whole: bool | None = None) -> Q:
    """The entries of a season that ``user`` may see: their own, and those of others that are no
    secret, unless what everybody has is hidden. Nobody who sees none of them learns how much was
    moved, nor of a secret payment that there was one. ``whole`` as `sees_purses` takes it."""
    if sees_whole_ledger(season, user) if whole is None else whole:
        return Q()
    own = Q(pk__in=[])
    if getattr(user, "is_authenticated", False):
        own = Q(payer__user=user) | Q(payee__user=user)
    return own if trade_of(season).hidden else own | Q(secret=False)


def may_see_wager(death_match: DeathMatch, user: Any) -> bool:
    """Whether ``user`` may see what the sides offer to wager: both, and who sees the ledger."""
    if seat_of(death_match, user) is not None:
        return True
    season = death_match.round.season
    return season.status not in SEASON_OVER and sees_whole_ledger(season, user)


# -- items that are given in secret --------------------------------------------------------------


def sees_all_gifts(season: Season, user: Any) -> bool:
    """Whether ``user`` may see what is given in secret: everybody once the season is over, and its
    organisers, unless they play, or have played, in it themselves. No helper does: what they enter
    themselves they know."""
    if season.status in SEASON_OVER:
        return True
    return may_manage(season, user) and not plays_in(season, user)


def gifts_visible_to(season: Season, user: Any, *, whole: bool | None = None) -> Q:
    """The items of a season that ``user`` may see: what is no secret (any more), what they have
    given, entered or hold, and all of it as `sees_all_gifts` says; ``whole``: what that has said
    already."""
    if sees_all_gifts(season, user) if whole is None else whole:
        return Q()
    known = Q(secret=False) | Q(revealed_at__isnull=False)
    if getattr(user, "is_authenticated", False):
        known |= Q(giver__user=user) | Q(receiver__user=user) | Q(given_by=user)
    return known


def sees_gift(gift: Gift, user: Any, *, whole: bool | None = None) -> bool:
    """The same of one item, which has its season, its giver and its receiver."""
    if not gift.is_hidden:
        return True
    if getattr(user, "is_authenticated", False):
        sides = {gift.receiver.user_id, None if gift.giver is None else gift.giver.user_id}
        if user.pk in sides or gift.given_by_id == user.pk:
            return True
    return sees_all_gifts(gift.season, user) if whole is None else whole


def hidden_gifts(_user: User) -> Q:
    """The items that are secret still: for what whoever reads it may play for all we know. Those
    who run the season and do not play have its desk."""
    seasons = Season.objects.exclude(status__in=SEASON_OVER)
    return Q(secret=True, revealed_at__isnull=True, season__in=seasons)


# -- what the admin site withholds ---------------------------------------------------------------


def withhold() -> None:
    """Keep one's own death matches, and what is sealed, out of the admin site; called once the
    models are there."""
    register_withheld("tournaments.deathmatch", lambda reader: Q(pk__in=own_unsettled(reader)))
    register_withheld("tournaments.gift", own_items)
    register_withheld("tournaments.gift", hidden_gifts)
    register_withheld(
        "tournaments.seasonevent",
        lambda reader: (
            Q(death_match__in=own_unsettled(reader)) | Q(leg__death_match__in=own_unsettled(reader))
        ),
    )
    register_withheld("accounts.auditentry", own_actions)
    register_withheld("accounts.auditentry", sealed_actions)
    register_withheld("accounts.auditentry", ledger_actions)
    register_withheld("accounts.auditentry", gift_actions)


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


def ledger_actions(_user: User) -> Q:
    """What is entered in a ledger that not everybody sees, until the season is over: whoever reads
    the log may play. Those who run the season and do not play have the ledger itself."""
    seasons = Season.objects.exclude(status__in=SEASON_OVER)
    hidden = Q(secret=True) | Q(season__trade__hidden=True)
    entries = keys_as_text(LedgerEntry.objects.filter(hidden, season__in=seasons))
    offered = keys_as_text(DeathMatch.objects.filter(round__season__in=seasons))
    return Q(target_type="tournaments.ledgerentry", target_id__in=entries) | Q(
        action__in=("wager.offer", "wager.set"),
        target_type="tournaments.deathmatch",
        target_id__in=offered,
    )


def gift_actions(user: User) -> Q:
    """What the audit log says of items that are secret still."""
    gifts = keys_as_text(Gift.objects.filter(hidden_gifts(user)))
    return Q(target_type="tournaments.gift", target_id__in=gifts)
