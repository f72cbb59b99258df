"""Items taken back from contestants, given by mistake."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from accounts.services import audit_record
from core.refusals import NotFound, Refusal
from tournaments import audience
from tournaments.items.catalogue import item_of
from tournaments.lifecycle import GiftStatus, LegStatus
from tournaments.models import Contestant, DeathMatch, Gift, ItemEvent, Leg
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    must_manage,
    must_not_be_archived,
    must_not_meet,
    reason,
    season_lock,
)
from tournaments.services.items.gifts import gift_move, gift_status_after, gift_tell
from tournaments.services.items.spending import items_unseal


@transaction.atomic
def item_take_back(*, acting_user: User, gift: Gift, why: str, at: datetime | None = None) -> Gift:
    """Take back an item that was given by mistake and is not used up. Organisers only. Raises
    Refusal as `guards.season_lock_managed` does, ``item.none`` (a secret that is not theirs to
    know), ``why.*``, ``death-match.own``, ``item.match-waits``, ``lifecycle.step``. Of a secret
    only its holder is told."""
    season = season_lock(gift.season_id, changes=False)
    must_manage(season, acting_user)
    must_not_be_archived(season)
    found = Gift.objects.select_related("season", "giver", "receiver__user").get(pk=gift.pk)
    if not audience.sees_gift(found, acting_user):
        raise NotFound("item.none", "There is no such item.")
    for leg in _running_of(found.receiver):
        # What has just begun has used it up.
        items_unseal(leg=leg, at=instant(at))
    found.refresh_from_db(fields=["status", "revealed_at"])
    must_be_held(found, acting_user)
    why = reason(why)
    gift_move(found, GiftStatus.TAKEN_BACK)
    found.declarations.filter(leg__status=LegStatus.PLANNED).delete()
    found.targeted_by.filter(leg__status=LegStatus.PLANNED).delete()
    name = item_of(found.item, found.ruleset).name
    words = f"{found.receiver.name}'s {name} is taken back: {why}"
    ItemEvent.objects.create(gift=found, kind="taken-back", words=words[:500], at=instant(at))
    if found.is_hidden:
        gift_tell(found, "taken-back", words)
    else:
        season_event(
            season=season_lock(season.pk),
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
    Refusal ``lifecycle.step``, ``death-match.own`` and ``item.match-waits``."""
    must_not_meet(gift.receiver, acting_user, undecided)
    gift_status_after(gift, GiftStatus.TAKEN_BACK)
    # Brought into it or not, for that is a secret still.
    if undecided is None:
        legs = _running_of(gift.receiver)
    else:
        legs = [leg for row in undecided for leg in row.legs.all()]
    if any(leg.waits for leg in legs):
        raise Refusal(
            "item.match-waits",
            f"{gift.receiver.shown_name} has a match that waits for its players: look again later.",
        )


def _running_of(contestant: Contestant) -> list[Leg]:
    mine = Q(death_match__home=contestant) | Q(death_match__away=contestant)
    legs = Leg.objects.filter(mine, status=LegStatus.RUNNING).select_related(
        "match", "death_match__round__season", "death_match__home", "death_match__away"
    )
    return list(legs.defer("match__snapshot"))
