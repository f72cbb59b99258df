"""Deliveries are written in the transaction of what they tell of: then there is never one without
the other, whatever happens to this process or to the broker. Sending comes after the commit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction

from core.clock import instant_of, now_utc
from core.jobs import guard
from core.queueing import enqueue
from games import store
from games.engine.errors import EngineFault
from games.models import Match
from tournaments.jobs import WEBHOOK_DRAIN
from tournaments.lifecycle import Visibility
from tournaments.webhooks import payloads
from tournaments.webhooks.composing import deliveries_insert
from tournaments.webhooks.following import following_refresh
from tournaments.webhooks.kinds import CLOCK, TURN
from tournaments.webhooks.models import Delivery, Webhook

if TYPE_CHECKING:
    from tournaments.models import Season, SeasonEvent


# By key: others may send and change meanwhile, and only who deletes or renames waits. The ORM has
# no word for it.
_KEPT = """
SELECT * FROM tournaments_webhook WHERE season_id = %s AND active ORDER BY id FOR KEY SHARE
"""


def deliveries_write(season: Season, events: Sequence[SeasonEvent]) -> None:
    """Write what the webhooks of a season will be told of these events of it: one query where there
    are none. Nothing is told of a draft, which only its organisers may see.

    The webhooks are there until this is committed (`_KEPT`): one that went meanwhile would take the
    action with it, whose delivery then belongs to nothing.
    """
    if season.visibility == Visibility.DRAFT:
        return
    webhooks = list(Webhook.objects.raw(_KEPT, [season.pk]))
    if not webhooks:
        return
    for webhook in webhooks:
        webhook.season = season
    now = now_utc()
    written = [
        Delivery(
            webhook=webhook,
            kind=event.kind,
            event=event,
            created_at=now,
            next_at=now,
            give_up_at=now + settings.GAUNTLET_WEBHOOK_RETRY_FOR,
        )
        for event in events
        for webhook in webhooks
        if event.kind in webhook.kinds
    ]
    deliveries_insert(written)
    if any(event.kind == "death-match.started" for event in events):
        following_refresh(season_id=season.pk)
    drain_on_commit(*sorted({delivery.webhook_id for delivery in written}))


@transaction.atomic
def turn_deliveries_write(*, match_id: int, version: int) -> None:
    """Write what is told of a match's latest turn, on being told of one after which the room has
    ``version``.

    A turn that nobody was told of yet is overtaken by the later one: a slow receiver gets the
    latest position rather than a long row of old ones. Idempotent.
    """
    webhooks = _listening(match_id, TURN)
    if not webhooks:
        return
    # Read under the webhooks' locks: a later turn may be on disk by now, and is the one to tell of.
    scene = payloads.scene_of(match_id)
    if scene.version < version:
        raise EngineFault(f"match {match_id} has not come to version {version}")
    now = now_utc()
    written = []
    for webhook in webhooks:
        turns = Delivery.objects.filter(webhook=webhook, match_id=match_id, kind=TURN)
        if turns.filter(version__gte=scene.version).exists():
            continue
        earlier = turns.pending()
        earlier.filter(attempts=0).delete()
        earlier.update(status=Delivery.Status.SUPERSEDED)
        written.append(
            Delivery(
                webhook=webhook,
                kind=TURN,
                match_id=match_id,
                version=scene.version,
                created_at=min(instant_of(scene.at), now),
                next_at=now,
                give_up_at=now + settings.GAUNTLET_WEBHOOK_RETRY_FOR,
            )
        )
    deliveries_insert(written, lambda _match_id: scene)
    drain_on_commit(*(delivery.webhook_id for delivery in written))


@transaction.atomic
def clock_deliveries_write(*, match_id: int, data: dict[str, Any], at: int) -> None:
    """Write what is told of a player's time running out, as announced at the moment ``at`` (ms
    since 1970). Not tried for long: soon it is wrong."""
    moment = instant_of(at)
    give_up_at = moment + timedelta(seconds=max(1, data["left_ms"] // 1000))
    now = now_utc()
    if give_up_at <= now:
        return
    written = [
        Delivery(
            webhook=webhook,
            kind=CLOCK,
            match_id=match_id,
            data=data,
            created_at=moment,
            next_at=now,
            give_up_at=give_up_at,
        )
        for webhook in _listening(match_id, CLOCK)
    ]
    deliveries_insert(written)
    drain_on_commit(*(delivery.webhook_id for delivery in written))


def turns_catch_up() -> None:
    """Write the turns that no worker was told of, because a process or the broker died between
    the commit and the word. Looks only at running matches that somebody listens to; one that
    cannot be read is set aside."""
    rows = Match.objects.filter(followed=True, status=Match.Status.RUNNING)
    guard.each(
        "webhooks.turns",
        rows.order_by("pk").values_list("pk", flat=True),
        _catch_up_turn,
        target="games.match",
    )


def _catch_up_turn(match_id: int) -> bool:
    version = store.read(match_id).readers.versions[2]
    # Version 1 is the position before the first turn.
    if version > 1:
        turn_deliveries_write(match_id=match_id, version=version)
    return version > 1


def drain_on_commit(*webhook_ids: int) -> None:
    """Have workers send what these webhooks have, once this is committed."""
    for webhook_id in webhook_ids:
        transaction.on_commit(partial(enqueue, WEBHOOK_DRAIN, webhook_id), robust=True)


def _listening(match_id: int, kind: str) -> list[Webhook]:
    """The webhooks that want this kind of a match, locked, so that two turns that are told of at
    the same time leave one row in the end.

    Not locked by key: whoever holds the match's row, and has written a delivery in there, waits
    for the webhook's key as it commits, while a turn's deliveries wait for the match's.
    """
    return list(
        Webhook.objects.select_for_update(no_key=True, of=("self",))
        .filter(
            active=True,
            kinds__contains=[kind],
            season__rounds__death_matches__legs__match=match_id,
        )
        .exclude(season__visibility=Visibility.DRAFT)
        .order_by("pk")
    )
