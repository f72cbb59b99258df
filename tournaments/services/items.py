"""Items: given, declared, resolved when a match begins, and returned when it was void."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, NotFound, Refusal
from games.engine.decisions import Seat, other
from games.engine.ruleset import HeldItem
from tournaments import audience, lifecycle
from tournaments.formats.registry import format_of
from tournaments.items.catalogue import BLOCK, Item, item_of
from tournaments.items.rules import Brought, ItemStep, resolve
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    LegStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Declaration,
    Gift,
    ItemEvent,
    Leg,
    Season,
)
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    must_not_be_archived,
    must_not_meet,
    reason,
    season_lock,
    season_lock_managed,
)

NOTE_MAX = 300


class Resolved(msgspec.Struct, frozen=True):
    """What both bring into a match, and what is left of it."""

    brought: tuple[Brought, ...] = ()
    held: tuple[HeldItem, ...] = ()
    steps: tuple[ItemStep, ...] = ()
    names: tuple[str, str] = ("", "")

    def words(self) -> list[str]:
        """What is brought, then the steps: a sentence each."""
        said = [f"{self.names[use.seat]} brings {use.item.name}." for use in self.brought]
        return said + [step.words for step in self.steps]

    def as_json(self) -> dict[str, Any] | None:
        """What a leg keeps of it, as plain JSON values."""
        if not self.brought:
            return None
        return {
            "brought": [
                {"gift": use.id, "seat": use.seat, "item": use.item.id, "target": use.target}
                for use in self.brought
            ],
            "steps": [
                {"what": step.what, "gift": step.id, "by": step.by, "words": step.words}
                for step in self.steps
            ],
            "held": [[use.item for use in self.held if use.seat == seat] for seat in (0, 1)],
        }


# -- gifts ---------------------------------------------------------------------------------------


@transaction.atomic
def item_give(  # noqa: PLR0913  (a gift has many sides)
    *,
    acting_user: User,
    season: Season,
    item: str,
    receiver: Contestant,
    ruleset: str = "",
    giver: Contestant | None = None,
    death_match: DeathMatch | None = None,
    leg_number: int | None = None,
    note: str = "",
    at: datetime | None = None,
) -> Gift:
    """Give somebody an item: for one match of a death match, for a death match, or (no
    ``death_match``) for any match of the season in its ruleset.

    An eliminated contestant gives one item for a death match themselves, and one for each match of
    the final; organisers enter any gift, or grant an item (no ``giver``). ``ruleset`` is empty for
    Copy and Block. Refusals:
    ``season.none``, ``season.archived``, ``season.not-running``, ``season.not-organiser``,
    ``item.no-gifts``, ``item.unknown``, ``item.giver``, ``item.giver-in``, ``item.given-already``,
    ``item.receiver``, ``item.receiver-out``, ``item.oneself``, ``death-match.own`` (for one's own
    opponent), ``item.for-which``, ``item.match``, ``item.match-over``, ``item.leg``,
    ``item.unfit``, ``item.note.too-long``.
    """
    locked = season_lock(season.pk)
    must_take_items(locked)
    found = item_of(item, ruleset)
    giver = _giver_of(locked, acting_user, giver, death_match, leg_number)
    to = locked.contestants.filter(pk=receiver.pk).first()
    if to is None:
        raise Refusal("item.receiver", "The receiver is not in this season.")
    if to.status != ContestantStatus.ACTIVE:
        raise Refusal("item.receiver-out", f"{to.name} is out of the season.")
    must_be_another(to, giver, acting_user)
    must_not_meet(to, acting_user)
    meeting = _meeting_for(locked, found, to, death_match, leg_number)
    gift = Gift.objects.create(
        season=locked,
        item=found.id,
        ruleset=found.ruleset,
        giver=giver,
        receiver=to,
        death_match=meeting,
        leg_number=leg_number,
        note=line(note, code="item.note", what="A note", most=NOTE_MAX, empty=True),
        given_at=instant(at),
        given_by=acting_user,
    )
    words = _gift_words(gift, found)
    ItemEvent.objects.create(gift=gift, kind="given", words=words, at=gift.given_at)
    season_event(
        season=locked,
        kind="item.given",
        words=words,
        data={
            "gift": gift.pk,
            "item": found.id,
            "ruleset": found.ruleset,
            "giver": None if giver is None else giver.pk,
            "receiver": to.pk,
            "leg": leg_number,
            "note": gift.note,
        },
        death_match=meeting,
        contestant=to,
        at=gift.given_at,
    )
    audit_record(
        acting_user=acting_user,
        action="item.give",
        target=gift,
        data={"season": locked.pk, "item": found.id, "receiver": to.pk},
    )
    return gift


def must_take_items(season: Season) -> None:
    """Whether items can be given in a season now. Raises Refusal ``season.archived`` and
    ``season.not-running``."""
    must_not_be_archived(season)
    must_be_running(season)


def must_be_another(receiver: Contestant, giver: Contestant | None, acting_user: User) -> None:
    """Raises Refusal ``item.oneself``."""
    if acting_user.pk == receiver.user_id or (giver is not None and giver.pk == receiver.pk):
        raise Refusal("item.oneself", "Nobody gives an item to themselves.")


def must_be_leg_of(death_match: DeathMatch | None, leg_number: int | None) -> None:
    """Raises Refusal ``item.leg`` for a match that there is not."""
    if leg_number is None:
        return
    if death_match is None:
        raise Refusal("item.leg", "Which match of which death match?")
    if not death_match.legs.filter(number=leg_number).exists():
        raise Refusal("item.leg", "There is no such match.")


def must_take_part(season: Season, acting_user: User) -> None:
    """Whoever gives runs the season or is in it. Raises Refusal ``item.giver``."""
    if not audience.may_manage(season, acting_user):
        _own_to_give(audience.contestant_of(season, acting_user))


def _own_to_give(giver: Contestant | None) -> Contestant:
    if giver is None:
        raise Forbidden("item.giver", "You can only give what is yours to give.")
    return giver


def must_be_a_giver(season: Season, giver: Contestant) -> None:
    """Whether a contestant may give items of their own now. Raises Refusal as `must_take_items`
    does, ``item.giver-in`` and ``item.no-gifts``."""
    must_take_items(season)
    _must_have_left(giver)
    _must_have_gifts(season)


def _must_have_gifts(season: Season) -> None:
    if not format_of(season.format).gives_items(season):
        raise Refusal("item.no-gifts", "There are no gifts in this season.")


def _must_have_left(giver: Contestant | None) -> None:
    giver = _own_to_give(giver)
    if giver.status != ContestantStatus.ELIMINATED:
        raise Refusal("item.giver-in", f"{giver.name} has not been eliminated: nothing to give.")


def must_be_for_one(
    *,
    season: Season,
    giver: Contestant | None,
    acting_user: User,
    death_match: DeathMatch | None,
    leg_number: int | None,
) -> None:
    """What somebody gives is for one death match, unless an organiser enters it before the final;
    and in a final of several it is for one match. Organisers grant (no ``giver``) for any. Raises
    Refusal ``item.for-which`` and ``item.leg``."""
    if giver is None or not format_of(season.format).gifts:
        return
    if death_match is None:
        entered = audience.may_manage(season, acting_user) and giver.user_id != acting_user.pk
        if entered and not season.rounds.filter(is_final=True).exists():
            return
        raise Refusal("item.for-which", "Please say which death match it is for.")
    if death_match.round.is_final and death_match.best_of > 1 and leg_number is None:
        raise Refusal("item.leg", "Which match of the final is it for? Each has its own items.")


def _giver_of(
    season: Season,
    acting_user: User,
    giver: Contestant | None,
    death_match: DeathMatch | None,
    leg_number: int | None,
) -> Contestant | None:
    organises = audience.may_manage(season, acting_user)
    if organises and (giver is None or giver.user_id != acting_user.pk):
        if giver is None:
            return None
        found = season.contestants.filter(pk=giver.pk).first()
    else:
        found = audience.contestant_of(season, acting_user)
        if found is None or (giver is not None and giver.pk != found.pk):
            raise Forbidden("item.giver", "You can only give what is yours to give.")
        if giver is None and death_match is None:
            raise Forbidden("item.giver", "Only organisers grant items for any match.")
    if found is None:
        raise NotFound("contestant.none", "The giver is not in this season.")
    _must_have_left(found)
    if not organises:
        _must_have_gifts(season)
    must_be_for_one(
        season=season, giver=found, acting_user=acting_user, death_match=death_match,
        leg_number=leg_number,
    )  # fmt: skip
    if not organises and death_match is not None:
        given = found.gifts_given.filter(death_match=death_match)
        of_several = death_match.round.is_final and death_match.best_of > 1
        if of_several:
            given = given.filter(leg_number=leg_number)
        if given.exclude(status=GiftStatus.TAKEN_BACK).exists():
            which = f"match {leg_number} of the final" if of_several else "this death match"
            raise Refusal("item.given-already", f"You have given your item for {which}.")
    return found


def _meeting_for(
    season: Season,
    item: Item,
    receiver: Contestant,
    death_match: DeathMatch | None,
    leg_number: int | None,
) -> DeathMatch | None:
    must_be_leg_of(death_match, leg_number)
    if death_match is None:
        return None
    meeting = DeathMatch.objects.filter(round__season=season, pk=death_match.pk).first()
    if meeting is None or receiver.pk not in (meeting.home_id, meeting.away_id):
        raise Refusal("item.match", f"{receiver.name} does not play in that death match.")
    if meeting.status == DeathMatchStatus.WAITING:
        raise Refusal("item.match", "It is not known yet who meets there.")
    if meeting.status not in PLAYABLE:
        raise Refusal("item.match-over", "That death match is over: it is too late for items.")
    of_it = meeting.legs.all() if leg_number is None else meeting.legs.filter(number=leg_number)
    legs = list(of_it.filter(status=LegStatus.PLANNED))
    if not legs:
        raise Refusal("item.leg-begun", "That match has begun: it is too late for items.")
    if not any(not leg.ruleset or item.fits(leg.ruleset, leg.variant) for leg in legs):
        raise Refusal("item.unfit", f"{item.name} cannot be used in what is played there.")
    return meeting


def _gift_words(gift: Gift, item: Item) -> str:
    by = f"{gift.giver.name} gives" if gift.giver else "The organisers give"
    target = ""
    if gift.death_match is not None:
        target = f" for {gift.death_match}"
        if gift.leg_number is not None and gift.death_match.best_of > 1:
            target += f", match {gift.leg_number}"
    return f"{by} {gift.receiver.name} {item.name}{target}."


@transaction.atomic
def item_take_back(*, acting_user: User, gift: Gift, why: str, at: datetime | None = None) -> Gift:
    """Take back an item that was given by mistake and is not used up. Organisers only.
    Refusals: those of `guards.season_lock_managed`, ``why.*``, ``death-match.own``,
    ``lifecycle.step``."""
    season = season_lock_managed(gift.season, acting_user)
    found = Gift.objects.select_related("receiver").get(pk=gift.pk)
    must_be_held(found, acting_user)
    why = reason(why)
    _move_gift(found, GiftStatus.TAKEN_BACK)
    found.declarations.filter(leg__status=LegStatus.PLANNED).delete()
    found.targeted_by.filter(leg__status=LegStatus.PLANNED).delete()
    name = item_of(found.item, found.ruleset).name
    words = f"{found.receiver.name}'s {name} is taken back: {why}"
    ItemEvent.objects.create(gift=found, kind="taken-back", words=words[:500], at=instant(at))
    season_event(
        season=season,
        kind="item.taken-back",
        words=words,
        data={"gift": found.pk, "why": why},
        contestant=found.receiver,
        by=acting_user,
        at=at,
    )
    audit_record(acting_user=acting_user, action="item.take_back", target=found, data={"why": why})
    return found


def must_be_held(
    gift: Gift, acting_user: User, undecided: Iterable[DeathMatch] | None = None
) -> None:
    """Whether somebody can take an item back; ``undecided`` as in `guards.must_not_meet`. Raises
    Refusal ``lifecycle.step`` and ``death-match.own``."""
    must_not_meet(gift.receiver, acting_user, undecided)
    _moved(gift, GiftStatus.TAKEN_BACK)


def _moved(gift: Gift, status: GiftStatus) -> GiftStatus:
    return lifecycle.step(lifecycle.GIFT, gift.status, status, "The item")


def _move_gift(gift: Gift, status: GiftStatus) -> None:
    gift.status = _moved(gift, status)
    gift.save(update_fields=["status"])


# -- declarations --------------------------------------------------------------------------------


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
    if held.declarations.filter(leg__status=LegStatus.PLANNED).exclude(leg=leg).exists():
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


# -- in a match ----------------------------------------------------------------------------------


def items_resolve(*, leg: Leg, at: datetime) -> Resolved:
    """Resolve and use up what both bring into a leg that begins now; under the season's lock."""
    death_match = leg.death_match
    sides = (death_match.home, death_match.away)
    names = (sides[0].name if sides[0] else "", sides[1].name if sides[1] else "")
    declarations = list(
        leg.declarations.select_related("gift").filter(gift__status=GiftStatus.HELD)
    )
    brought = tuple(
        Brought(
            each.gift_id,
            int(each.gift.receiver_id == death_match.away_id),
            item_of(each.gift.item, each.gift.ruleset),
            each.target_id,
        )
        for each in sorted(declarations, key=lambda each: each.gift_id)
    )
    resolution = resolve(brought, names)
    for each in declarations:
        _move_gift(each.gift, GiftStatus.SPENT)
    events = [
        ItemEvent(
            gift_id=use.id,
            kind="brought",
            leg=leg,
            words=f"{names[use.seat]} brings {use.item.name} into {death_match}.",
            at=at,
        )
        for use in brought
    ]
    for step in resolution.steps:
        events += _step_events(step, leg, at)
    ItemEvent.objects.bulk_create(events)
    return Resolved(brought, resolution.held, resolution.steps, names)


def _step_events(step: ItemStep, leg: Leg, at: datetime) -> list[ItemEvent]:
    """One step as a line in the history of the Copy or Block that acted, and in that of the item
    that something happened to."""
    worked = step.what != "no-effect"
    found = [
        ItemEvent(
            gift_id=step.by,
            kind="acted" if worked else "no-effect",
            leg=leg,
            other_id=step.id,
            words=step.words,
            at=at,
        )
    ]
    if worked and step.id is not None:
        found.append(
            ItemEvent(
                gift_id=step.id, kind=step.what, leg=leg, other_id=step.by, words=step.words, at=at
            )
        )
    return found


def _gifts_in(leg: Leg) -> list[Gift]:
    pks = [each["gift"] for each in (leg.items or {}).get("brought", [])]
    return list(Gift.objects.filter(pk__in=pks).select_related("receiver").order_by("pk"))


def items_leave(*, leg: Leg, at: datetime) -> None:
    """Note that what was brought into a match is used up, now that it has a result."""
    gifts = _gifts_in(leg)
    if not gifts:
        return
    ItemEvent.objects.bulk_create(
        ItemEvent(gift=gift, kind="spent", leg=leg, words="Used up.", at=at) for gift in gifts
    )
    names = ", ".join(
        f"{gift.receiver.name}'s {item_of(gift.item, gift.ruleset).name}" for gift in gifts
    )
    season_event(
        season=leg.death_match.round.season,
        kind="item.spent",
        words=f"Used up: {names}.",
        data={"gifts": [gift.pk for gift in gifts]},
        leg=leg,
        at=at,
    )


def items_return(*, leg: Leg, at: datetime) -> None:
    """Give back what was brought into a match that is void now."""
    gifts = [gift for gift in _gifts_in(leg) if gift.status == GiftStatus.SPENT]
    if not gifts:
        return
    for gift in gifts:
        _move_gift(gift, GiftStatus.HELD)
    ItemEvent.objects.bulk_create(
        ItemEvent(gift=gift, kind="returned", leg=leg, words="The match was void.", at=at)
        for gift in gifts
    )
    season_event(
        season=leg.death_match.round.season,
        kind="item.returned",
        words=f"{_count(gifts)} from a match that is void.",
        data={"gifts": [gift.pk for gift in gifts]},
        leg=leg,
        at=at,
    )


def items_expire(*, death_match: DeathMatch, at: datetime) -> None:
    """What was given for a death match that is decided, and not used, lapses."""
    _move_gifts(
        death_match, GiftStatus.HELD, GiftStatus.EXPIRED, "expired", "The match is over.", at
    )


def items_unexpire(*, death_match: DeathMatch, at: datetime) -> None:
    """What lapsed when a death match was decided can be used again: it is not decided any more."""
    _move_gifts(
        death_match, GiftStatus.EXPIRED, GiftStatus.HELD, "returned", "The match goes on.", at
    )


def _move_gifts(
    death_match: DeathMatch,
    before: GiftStatus,
    after: GiftStatus,
    kind: str,
    words: str,
    at: datetime,
) -> None:
    for gift in death_match.gifts.filter(status=before):
        _move_gift(gift, after)
        ItemEvent.objects.create(gift=gift, kind=kind, words=words, at=at)


def _count(gifts: Iterable[Gift]) -> str:
    number = len(list(gifts))
    return "An item comes back" if number == 1 else f"{number} items come back"
