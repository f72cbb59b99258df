"""What becomes of items in a match: resolved and spent, returned when it was void, or lapsed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from games.engine.ruleset import HeldItem
from games.models import Match
from games.services.arrivals import match_has_begun
from tournaments.items.catalogue import item_of
from tournaments.items.rules import ItemStep, ItemUse, resolve
from tournaments.lifecycle import GiftStatus
from tournaments.models import DeathMatch, Gift, ItemEvent, Leg
from tournaments.naming import plain
from tournaments.services.events import season_event
from tournaments.services.items.gifts import gift_move, gifts_named, gifts_reveal


class Resolved(msgspec.Struct, frozen=True):
    """What both bring into a match, and what is left of it."""

    brought: tuple[ItemUse, ...] = ()
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


def items_resolve(*, leg: Leg) -> Resolved:
    """What both bring into a leg, and what is left of it; under the season's lock."""
    death_match = leg.death_match
    sides = (death_match.home, death_match.away)
    names = (sides[0].name if sides[0] else "", sides[1].name if sides[1] else "")
    declarations = list(
        leg.declarations.select_related("gift").filter(gift__status=GiftStatus.HELD)
    )
    brought = tuple(
        ItemUse(
            each.gift_id,
            int(each.gift.receiver_id == death_match.away_id),
            item_of(each.gift.item, each.gift.ruleset),
            each.target_id,
        )
        for each in sorted(declarations, key=lambda each: each.gift_id)
    )
    resolution = resolve(brought, names)
    return Resolved(brought, resolution.held, resolution.steps, names)


def items_bring(*, leg: Leg, resolved: Resolved, at: datetime) -> None:
    """Use up and tell what both bring into a leg, now that its match has begun; under the season's
    lock."""
    if not resolved.brought:
        return
    leg.items = resolved.as_json()
    leg.save(update_fields=["items"])
    death_match, names = leg.death_match, resolved.names
    gifts = _gifts_in(leg)
    gifts_reveal(gifts, at)
    for gift in gifts:
        gift_move(gift, GiftStatus.SPENT)
    events = [
        ItemEvent(
            gift_id=use.id,
            kind="brought",
            leg=leg,
            words=plain(f"{names[use.seat]} brings {use.item.name} into {death_match}."),
            at=at,
        )
        for use in resolved.brought
    ]
    for step in resolved.steps:
        events += _step_events(step, leg, at)
    ItemEvent.objects.bulk_create(events)
    if resolved.steps:
        season_event(
            season=death_match.round.season,
            kind="item.brought",
            words=" ".join(resolved.words())[:500],
            data={"items": leg.items},
            leg=leg,
            at=at,
        )


def items_unseal(*, leg: Leg, at: datetime) -> bool:
    """Do what `items_bring` does for a leg whose match waited for its players, once; under the
    season's lock. While it waits nothing changes; where it ended so, what was declared stays with
    its holder. Whether there was anything to tell."""
    if leg.items is not None or leg.match_id is None:
        return False
    resolved = items_resolve(leg=leg)
    if not resolved.brought:
        return False
    match = Match.objects.defer("snapshot").get(pk=leg.match_id)
    if match_has_begun(match_id=match.pk):
        items_bring(leg=leg, resolved=resolved, at=at)
        return True
    if match.is_over:
        leg.declarations.all().delete()
    return False


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
    return gifts_named(pks)


def items_leave(*, leg: Leg, at: datetime) -> None:
    """Note that what was brought into a match is used up, now that it has a result."""
    items_unseal(leg=leg, at=at)
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
    items_unseal(leg=leg, at=at)
    gifts = [gift for gift in _gifts_in(leg) if gift.status == GiftStatus.SPENT]
    if not gifts:
        return
    for gift in gifts:
        gift_move(gift, GiftStatus.HELD)
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
        gift_move(gift, after)
        ItemEvent.objects.create(gift=gift, kind=kind, words=words, at=at)


def _count(gifts: Iterable[Gift]) -> str:
    number = len(list(gifts))
    return "An item comes back" if number == 1 else f"{number} items come back"
