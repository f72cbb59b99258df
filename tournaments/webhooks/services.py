"""What organisers do with webhooks. Each service is one transaction with its audit entry; audit
entries name a webhook's host, never its address: Discord's is a password.

Which matches are followed is set right once that transaction is over: it takes locks on matches,
and whoever holds one of those may be waiting for the webhook. Should this process die in between,
`tasks.repair` does it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import UNSET, Unset, audit_record
from core.clock import now_utc
from core.refusals import Forbidden, NotFound, Refusal
from core.text import one_line
from tournaments.audience import may_manage
from tournaments.lifecycle import Visibility
from tournaments.models import Season
from tournaments.webhooks import signing
from tournaments.webhooks.composing import deliveries_insert
from tournaments.webhooks.destinations import destination_of, is_numeric, parts_of
from tournaments.webhooks.following import following_refresh
from tournaments.webhooks.kinds import CHOICES, TEST
from tournaments.webhooks.models import Delivery, Webhook
from tournaments.webhooks.outbox import drain_on_commit

NAME_MOST = 60
_DISCORD_HOSTS = ("discord.com", "discordapp.com")


class WithSecret(NamedTuple):
    """A webhook, and its secret in the clear: the only time that it can be seen. Empty for
    Discord, which checks no signatures."""

    webhook: Webhook
    secret: str


def webhook_create(
    *,
    acting_user: User,
    season: Season,
    name: str,
    url: str,
    flavour: str,
    kinds: Collection[str],
) -> WithSecret:
    """Have a season's events of these ``kinds`` told to an address.

    Raises Refusal ``webhook.not-allowed``, ``webhook.too-many``, ``webhook.name``,
    ``webhook.name-taken``, ``webhook.flavour``, ``webhook.kinds`` and ``webhook.url*`` (see
    `destinations`; ``webhook.url-discord`` for an address that is not one of Discord's webhooks).
    """
    # Resolving may take seconds: not under a lock.
    must_manage(season, acting_user)
    if flavour not in Webhook.Flavour.values:
        raise Refusal("webhook.flavour", "There is no such kind of webhook.")
    fields = {"name": name_of(name), "url": _url(url, flavour, season), "kinds": _kinds(kinds)}
    secret = signing.new_secret() if flavour == Webhook.Flavour.JSON else ""
    with transaction.atomic():
        Season.objects.select_for_update(no_key=True).get(pk=season.pk)
        must_have_room(season)
        webhook = Webhook(
            season=season,
            flavour=flavour,
            secret=signing.sealed(secret) if secret else "",
            created_by=acting_user,
            **fields,
        )
        _save(webhook)
        _audit(acting_user, "webhook.create", webhook, kinds=webhook.kinds, flavour=flavour)
    following_refresh(season_id=season.pk)
    return WithSecret(webhook, secret)


def webhook_update(
    *,
    acting_user: User,
    webhook: Webhook,
    name: str | Unset = UNSET,
    url: str | Unset = UNSET,
    kinds: Collection[str] | Unset = UNSET,
    active: bool | Unset = UNSET,
) -> Webhook:
    """Change what is given. Switching a webhook off gives up what it had not been told yet;
    switching it on forgets that it failed. Raises Refusal as `webhook_create` does, and
    ``webhook.none``."""
    must_manage(webhook.season, acting_user)
    new_url = None if isinstance(url, Unset) else _url(url, webhook.flavour, webhook.season)
    with transaction.atomic():
        webhook = _lock(webhook)
        changed: dict[str, object] = {}
        if not isinstance(name, Unset) and webhook.name != name_of(name):
            webhook.name = name_of(name)
            changed["name"] = webhook.name
        if new_url is not None and new_url != webhook.url:
            webhook.url = new_url
            webhook.latency_ms = None  # the old one's
            changed["host"] = host_of(webhook)
        if not isinstance(kinds, Unset) and webhook.kinds != _kinds(kinds):
            webhook.kinds = _kinds(kinds)
            changed["kinds"] = webhook.kinds
        if not isinstance(active, Unset) and active != webhook.active:
            webhook.active = active
            changed["active"] = active
            if active:
                webhook.disabled_at, webhook.disabled_why = None, ""
                webhook.failures, webhook.failing_since, webhook.not_before = 0, None, None
            else:
                webhook.deliveries.pending().update(
                    status=Delivery.Status.ABANDONED, fault="The webhook was switched off."
                )
        if changed:
            _save(webhook)
            _audit(acting_user, "webhook.update", webhook, **changed)
    if changed:
        following_refresh(season_id=webhook.season_id)
    return webhook


def webhook_delete(*, acting_user: User, webhook: Webhook) -> None:
    """Forget a webhook and what it was told. Raises Refusal ``webhook.not-allowed`` and
    ``webhook.none``."""
    must_manage(webhook.season, acting_user)
    with transaction.atomic():
        # With its key: whoever has written a delivery for it commits first, and nobody writes
        # another one before it is gone.
        webhook = _lock(webhook, with_key=True)
        _audit(acting_user, "webhook.delete", webhook)
        season_id = webhook.season_id
        webhook.delete()
    following_refresh(season_id=season_id)


@transaction.atomic
def webhook_rotate(*, acting_user: User, webhook: Webhook) -> WithSecret:
    """Give a webhook a new secret. For a day deliveries are signed with the old one as well, so
    that the receiver can change over at leisure; a second rotation within that day ends the
    oldest at once. Raises Refusal ``webhook.not-allowed``, ``webhook.none`` and
    ``webhook.no-secret``."""
    must_manage(webhook.season, acting_user)
    webhook = _lock(webhook)
    must_have_a_secret(webhook)
    secret = signing.new_secret()
    webhook.previous_secret = webhook.secret
    webhook.previous_until = now_utc() + settings.GAUNTLET_WEBHOOK_SECRET_OVERLAP
    webhook.secret = signing.sealed(secret)
    _save(webhook)
    _audit(acting_user, "webhook.rotate", webhook)
    return WithSecret(webhook, secret)


@transaction.atomic
def webhook_test(*, acting_user: User, webhook: Webhook) -> Delivery:
    """Send a test, also with a webhook that is switched off. Raises Refusal
    ``webhook.not-allowed``, ``webhook.none`` and ``webhook.test-pending``."""
    must_manage(webhook.season, acting_user)
    webhook = _lock(webhook)
    must_await_no_test(webhook)
    now = now_utc()
    delivery = Delivery(
        webhook=webhook,
        kind=TEST,
        created_at=now,
        next_at=now,
        # Nobody waits three days for a test; and until it is over there is no other.
        give_up_at=now,
    )
    deliveries_insert([delivery])
    _audit(acting_user, "webhook.test", webhook)
    drain_on_commit(webhook.pk)
    return delivery


@transaction.atomic
def delivery_redeliver(*, acting_user: User, delivery: Delivery) -> Delivery:
    """Send again what was delivered or given up: the same words under the same id.

    Raises Refusal ``webhook.not-allowed``, ``webhook.none``, ``webhook.inactive``,
    ``webhook.draft`` and ``webhook.still-pending``.
    """
    must_manage(delivery.webhook.season, acting_user)
    webhook = _lock(delivery.webhook)
    row = Delivery.objects.select_for_update(no_key=True).filter(pk=delivery.pk).first()
    if row is None:
        raise NotFound("webhook.none", "There is no such delivery.")
    row.webhook = webhook
    must_be_redeliverable(row)
    now = now_utc()
    row.status = Delivery.Status.PENDING
    row.next_at = now
    row.give_up_at = max(now, row.created_at)
    if row.kind != TEST:
        row.give_up_at += settings.GAUNTLET_WEBHOOK_RETRY_FOR
    row.fault = ""
    try:
        with transaction.atomic():
            row.save(update_fields=["status", "next_at", "give_up_at", "fault"])
    except IntegrityError:
        raise Refusal("webhook.test-pending", "The last test is still on its way.") from None
    _audit(acting_user, "webhook.redeliver", webhook, delivery=str(row.uid))
    drain_on_commit(webhook.pk)
    return row


def host_of(webhook: Webhook) -> str:
    """Where a webhook leads, as far as may be shown."""
    return urlsplit(webhook.url).netloc


# -- what is taken -------------------------------------------------------------------------------


def must_manage(season: Season, user: User) -> None:
    """Raises Refusal ``webhook.not-allowed``."""
    if not may_manage(season, user):
        raise Forbidden("webhook.not-allowed", "Only the season's organisers may do this.")


def must_have_room(season: Season) -> None:
    """Raises Refusal ``webhook.too-many``."""
    most = settings.GAUNTLET_WEBHOOKS_PER_SEASON
    if season.webhooks.count() >= most:
        raise Refusal("webhook.too-many", f"A season has at most {most} webhooks.")


def must_have_a_secret(webhook: Webhook) -> None:
    """Raises Refusal ``webhook.no-secret``."""
    if webhook.flavour != Webhook.Flavour.JSON:
        raise Refusal(
            "webhook.no-secret", "Discord checks no signatures, so there is no secret to replace."
        )


def must_await_no_test(webhook: Webhook) -> None:
    """Raises Refusal ``webhook.test-pending``."""
    if webhook.deliveries.pending().filter(kind=TEST).exists():
        raise Refusal("webhook.test-pending", "The last test is still on its way.")


def must_be_redeliverable(delivery: Delivery) -> None:
    """Whether a delivery can be sent again. Raises Refusal ``webhook.still-pending``,
    ``webhook.inactive`` and ``webhook.draft``."""
    webhook = delivery.webhook
    if delivery.status == Delivery.Status.PENDING:
        raise Refusal("webhook.still-pending", "This has not been delivered yet, and will be.")
    if not webhook.active and delivery.kind != TEST:
        raise Refusal("webhook.inactive", "Please switch the webhook on first.")
    if webhook.season.visibility == Visibility.DRAFT and delivery.kind != TEST:
        raise Refusal("webhook.draft", "Nothing is told of a season while it is a draft.")


def _lock(webhook: Webhook, *, with_key: bool = False) -> Webhook:
    found = (
        # Mostly not by key, which those who hold a match and tell of it need until they commit.
        Webhook.objects.select_for_update(no_key=not with_key, of=("self",))
        .select_related("season")
        .filter(pk=webhook.pk)
        .first()
    )
    if found is None:
        raise NotFound("webhook.none", "There is no such webhook.")
    return found


def _save(webhook: Webhook) -> None:
    taken = Webhook.objects.filter(season=webhook.season_id, name=webhook.name)
    refusal = Refusal("webhook.name-taken", "Another webhook of this season has this name.")
    if taken.exclude(pk=webhook.pk).exists():
        raise refusal
    try:
        with transaction.atomic():
            webhook.save()
    except IntegrityError as error:
        if "webhook_name_once" not in str(error):
            raise
        raise refusal from None


def name_of(name: str) -> str:
    """What a webhook is called. Raises Refusal ``webhook.name``."""
    tidy = one_line(name)
    if not tidy or len(tidy) > NAME_MOST:
        raise Refusal("webhook.name", f"A name has 1 to {NAME_MOST} characters.")
    return tidy


def _kinds(kinds: Collection[str]) -> list[str]:
    unknown = sorted(set(kinds) - CHOICES.keys())
    if unknown:
        raise Refusal("webhook.kinds", f"There is no event called {unknown[0][:40]!r}.")
    if not kinds:
        raise Refusal("webhook.kinds", "Please choose at least one event.")
    return [kind for kind in CHOICES if kind in kinds]


def _url(url: str, flavour: str, season: Season) -> str:
    must_be_address(url, flavour)
    destination_of(url.strip(), season.created_by_id)
    return url.strip()


def must_be_address(url: str, flavour: str) -> None:
    """What can be said of an address without looking its host up. Raises Refusal ``webhook.url*``,
    as `webhook_create` does."""
    _scheme, host, _port, target = parts_of(url.strip())
    if is_numeric(host):
        destination_of(url.strip())
    if flavour == Webhook.Flavour.DISCORD and not _is_discord(host, target):
        raise Refusal(
            "webhook.url-discord",
            "This is not the address of a Discord webhook: copy it from the channel's settings.",
        )


def _is_discord(host: str, target: str) -> bool:
    own = any(host == known or host.endswith(f".{known}") for known in _DISCORD_HOSTS)
    at_home = own or host in settings.GAUNTLET_WEBHOOK_DISCORD_HOSTS
    return at_home and target.startswith("/api/") and "/webhooks/" in target


def _audit(user: User, action: str, webhook: Webhook, **data: object) -> None:
    audit_record(
        acting_user=user,
        action=action,
        target=webhook,
        data={"season": webhook.season_id, "host": host_of(webhook), **data},
    )
