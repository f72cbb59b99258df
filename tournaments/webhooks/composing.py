"""What a delivery says is put together when it is written, in the transaction of its action:
whenever it arrives, and however often it is tried, it tells of its own moment and of nothing
later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import structlog
from django.db import transaction

from tournaments.webhooks import discord, payloads
from tournaments.webhooks.models import Delivery, Webhook
from tournaments.webhooks.payloads import Scene

log = structlog.get_logger("gauntlet.webhooks")


def deliveries_insert(
    deliveries: Sequence[Delivery], scene_of: Callable[[int], Scene] = payloads.scene_of
) -> None:
    """Insert deliveries with what they say. One that cannot be put together must not undo what it
    tells of: it is inserted without, and put together when it is sent."""
    scene_once = cache(scene_of)
    for delivery in deliveries:
        try:
            with transaction.atomic():
                message_compose(delivery, scene_once)
        except Exception:
            log.exception("webhook.not-composed", kind=delivery.kind, webhook=delivery.webhook_id)
    Delivery.objects.bulk_create(deliveries)


def message_compose(
    delivery: Delivery, scene_of: Callable[[int], Scene] = payloads.scene_of
) -> None:
    """Set a delivery's ``body``, and the ``match`` and ``still`` that it shows, as things stand
    now. Nothing is saved."""
    match_id = payloads.match_of(delivery)
    scene = None if match_id is None else scene_of(match_id)
    is_discord = delivery.webhook.flavour == Webhook.Flavour.DISCORD
    compose = discord.message_bytes if is_discord else payloads.body_of
    body = compose(delivery, scene).decode()
    if scene is not None:
        delivery.match, delivery.still = scene.match, scene.still
    delivery.body = body
