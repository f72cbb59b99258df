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
    Refusals: ``season.none``, ``season.archived``, ``season.not-running``, ``item.not-yours``,
    ``item.too-late``, ``item.gone``, ``item.declared``, ``item.elsewhere`` (it is for another
    match), ``item.unfit``, ``item.no-rules``, ``item.target``, ``item.no-target``,
    ``item.uncopyable``, ``item.unblockable``.
    """
    leg, seat = _own_leg(leg, acting_user)
    held = Gift.objects.select_related("receiver").get(pk=gift.pk)
    if held.receiver_id != (leg.death_match.home_id, leg.death_match.away_id)[seat]:
        raise Forbidden("item.not-yours", "This item is not yours.")
    if held.status != GiftStatus.HELD:
        raise Refusal("item.gone", f"This item is “{held.get_status_display()}”.")
    # One that is held still is spent only once the match that it is brought into has begun.
    elsewhere = held.declarations.filter(leg__status__in=[LegStatus.PLANNED, LegStatus.RUNNING])
    if elsewhere.exclude(leg=leg).exists():
        raise Refusal("item.declared", "You bring this item into another match already.")
    item = _must_fit(leg, held)
    if item.is_meta:
        _must_be_a_target(leg, seat, item, target)
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
    """Leave an item at home after all. Refusals: ``season.*``, ``item.not-yours``,
    ``item.too-late``, ``item.not-declared``."""
    leg, seat = _own_leg(leg, acting_user)
    own = leg.declarations.filter(
        gift=gift.pk, gift__receiver=(leg.death_match.home_id, leg.death_match.away_id)[seat]
    )
    deleted, _ = own.delete()
    if not deleted:
        raise Refusal("item.not-declared", "You do not bring this item.")
    audit_record(acting_user=acting_user, action="item.undeclare", target=leg)


def _own_leg(leg: Leg, acting_user: User) -> tuple[Leg, Seat]:
    season = season_lock(leg.death_match.round.season_id, changes=False)
    must_not_be_archived(season)
    must_be_running(season)
    fresh = Leg.objects.select_related(
        "death_match__round__season", "death_match__home", "death_match__away"
    ).get(pk=leg.pk)
    seat = audience.seat_of(fresh.death_match, acting_user)
    if seat is None:
        raise Forbidden("item.not-yours", "Only the two players bring items.")
    if fresh.status != LegStatus.PLANNED:
        raise Refusal("item.too-late", "Items are brought before a match begins.")
    return fresh, seat


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


def _must_be_a_target(leg: Leg, seat: Seat, item: Item, target: Gift | None) -> None:
    if target is None:
        raise Refusal("item.no-target", f"Please say what your {item.name} is aimed at.")
    sides = (leg.death_match.home_id, leg.death_match.away_id)
    whose = sides if item.id != BLOCK else (sides[other(seat)],)
    found = Gift.objects.filter(pk=target.pk, receiver__in=whose, status=GiftStatus.HELD).first()
    if found is None:
        raise Refusal("item.target", f"Your {item.name} cannot be aimed at that.")
    aim = _must_fit(leg, found)
    if item.id == BLOCK and not aim.blockable:
        raise Refusal("item.unblockable", f"{aim.name} cannot be blocked.")
    if item.id != BLOCK and not aim.copyable:
        raise Refusal("item.uncopyable", f"{aim.name} cannot be copied.")


def must_still_fit(leg: Leg, *, ruleset: str, variant: str) -> None:
    """Before what is played in a leg changes: raises Refusal ``item.unfit`` where an item was given
    for this very match that could not be used in it; other declarations that no longer fit are
    dropped, and their items stay with their holders."""
    for gift in leg.death_match.gifts.filter(leg_number=leg.number, status=GiftStatus.HELD):
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
