"""Items declared in secret before a match begins."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, Refusal
from games.engine.decisions import Seat, other
from tournaments import audience
from tournaments.items.catalogue import BLOCK, Item, item_of
from tournaments.lifecycle import GiftStatus, LegStatus
from tournaments.models import Declaration, Gift, Leg
from tournaments.services.guards import instant, must_be_running, must_not_be_archived, season_lock


@transaction.atomic
def item_declare(
    *,
    acting_user: User,
    leg: Leg,
    gift: Gift,
    target: Gift | None = None,
    at: datetime | None = None,
) -> Declaration:
    """Say that one brings an item into a match that has not begun; declaring it again changes what
    it is aimed at. It stays a secret until the match begins.

    ``target``: what a Copy (any item brought by either) or a Block (the opponent's) is aimed at.
    Raises Refusal ``season.none``, ``season.archived``, ``season.not-running``, ``item.not-yours``,
    ``item.too-late``, ``item.gone``, ``item.declared``, ``item.elsewhere`` (it is for another
    match), ``item.unfit``, ``item.no-rules``, ``item.target``, ``item.no-target``,
    ``item.uncopyable``, ``item.unblockable``.
    """
    leg = _lock(leg)
    seat = bringing_seat(leg, acting_user)
    held = Gift.objects.select_related("receiver").get(pk=gift.pk)
    item = must_be_bringable(leg, held, acting_user)
    if item.is_meta:
        if target is None:
            raise Refusal("item.no-target", f"Please say what your {item.name} is aimed at.")
        must_be_a_target(leg, seat, item, Gift.objects.get(pk=target.pk))
    elif target is not None:
        raise Refusal("item.target", f"{item.name} is not aimed at another item.")
    declaration, _ = Declaration.objects.update_or_create(
        leg=leg, gift=held, defaults={"target": target, "declared_at": instant(at)}
    )
    # Which item it is stays out of the log: moderators read it, and some of them play.
    audit_record(acting_user=acting_user, action="item.declare", target=leg)
    return declaration


@transaction.atomic
def item_undeclare(*, acting_user: User, leg: Leg, gift: Gift) -> None:
    """Leave an item at home after all. Raises Refusal ``season.*``, ``item.not-yours``,
    ``item.too-late``, ``item.not-declared``."""
    leg = _lock(leg)
    must_be_declared(leg, gift, acting_user).delete()
    audit_record(acting_user=acting_user, action="item.undeclare", target=leg)


def bringing_seat(leg: Leg, acting_user: User) -> Seat:
    """The seat of whoever brings items into a leg now. Raises Refusal ``season.archived``,
    ``season.not-running``, ``item.not-yours`` and ``item.too-late``."""
    season = leg.death_match.round.season
    must_not_be_archived(season)
    must_be_running(season)
    seat = audience.seat_of(leg.death_match, acting_user)
    if seat is None:
        raise Forbidden("item.not-yours", "Only those who play bring items.")
    if leg.status != LegStatus.PLANNED:
        raise Refusal("item.too-late", "Items are brought before a match begins.")
    return seat


def must_be_bringable(leg: Leg, gift: Gift, acting_user: User) -> Item:
    """The item, if somebody can bring it into a leg, whatever it is aimed at. Raises Refusal as
    `bringing_seat` does, ``item.not-yours``, ``item.gone``, ``item.declared``, ``item.elsewhere``,
    ``item.no-rules`` and ``item.unfit``."""
    seat = bringing_seat(leg, acting_user)
    if gift.receiver_id != (leg.death_match.home_id, leg.death_match.away_id)[seat]:
        raise Forbidden("item.not-yours", "This item is not yours.")
    if gift.status != GiftStatus.HELD:
        raise Refusal("item.gone", f"This item is “{gift.get_status_display()}”.")
    # One that is held still is spent only once the match that it is brought into has begun.
    elsewhere = gift.declarations.filter(leg__status__in=[LegStatus.PLANNED, LegStatus.RUNNING])
    if elsewhere.exclude(leg=leg).exists():
        raise Refusal("item.declared", "You bring this item into another match already.")
    return _must_fit(leg, gift)


def must_be_declared(leg: Leg, gift: Gift, acting_user: User) -> Declaration:
    """That somebody brings an item. Raises Refusal as `bringing_seat` does, and
    ``item.not-declared``."""
    seat = bringing_seat(leg, acting_user)
    own = (leg.death_match.home_id, leg.death_match.away_id)[seat]
    declaration = leg.declarations.filter(gift=gift.pk, gift__receiver=own).first()
    if declaration is None:
        raise Refusal("item.not-declared", "You do not bring this item.")
    return declaration


def _lock(leg: Leg) -> Leg:
    """The leg as it is now, under its season's lock."""
    season_lock(leg.death_match.round.season_id, changes=False)
    return Leg.objects.select_related(
        "death_match__round__season", "death_match__home", "death_match__away"
    ).get(pk=leg.pk)


def _must_fit(leg: Leg, gift: Gift) -> Item:
    if gift.death_match_id not in (None, leg.death_match_id) or gift.leg_number not in (
        None,
        leg.number,
    ):
        raise Refusal("item.elsewhere", "This item was given for another match.")
    if not leg.ruleset:
        raise Refusal("item.no-rules", "It is not decided yet what is played.")
    item = item_of(gift.item, gift.ruleset)
    if not item.fits(leg.ruleset, leg.variant):
        raise Refusal("item.unfit", f"{item.name} cannot be used in what is played here.")
    return item


def must_be_a_target(leg: Leg, seat: Seat, item: Item, target: Gift) -> None:
    """Whether the Copy or Block of a seat can be aimed at an item. Raises Refusal ``item.target``,
    ``item.elsewhere``, ``item.no-rules``, ``item.unfit``, ``item.unblockable`` and
    ``item.uncopyable``."""
    sides = (leg.death_match.home_id, leg.death_match.away_id)
    whose = sides if item.id != BLOCK else (sides[other(seat)],)
    # What the opponent holds in secret is not there for this one.
    unknown = target.is_hidden and target.receiver_id != sides[seat]
    if target.receiver_id not in whose or target.status != GiftStatus.HELD or unknown:
        raise Refusal("item.target", f"Your {item.name} cannot be aimed at that.")
    aim = _must_fit(leg, target)
    if item.id == BLOCK and not aim.blockable:
        raise Refusal("item.unblockable", f"{aim.name} cannot be blocked.")
    if item.id != BLOCK and not aim.copyable:
        raise Refusal("item.uncopyable", f"{aim.name} cannot be copied.")


def declarations_refit(leg: Leg, *, ruleset: str, variant: str, acting_user: User) -> None:
    """Drop the declarations that will not fit what is to be played in a leg; their items stay with
    their holders. Raises Refusal ``item.unfit`` where an item was given for this very match that
    could not be used in it; of a secret nothing is told to whoever does not know of it."""
    season = leg.death_match.round.season
    seen = audience.gifts_visible_to(season, acting_user)
    for gift in leg.death_match.gifts.filter(seen, leg_number=leg.number, status=GiftStatus.HELD):
        item = item_of(gift.item, gift.ruleset)
        if not item.fits(ruleset, variant):
            raise Refusal(
                "item.unfit",
                f"{item.name} was given for this match and could not be used: take it back first.",
            )
    for declaration in leg.declarations.select_related("gift", "target"):
        both = [declaration.gift] + ([declaration.target] if declaration.target else [])
        if not all(item_of(each.item, each.ruleset).fits(ruleset, variant) for each in both):
            declaration.delete()
