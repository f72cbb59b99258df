"""Mail about webhooks. Each function takes an id, reads the row and sends; call it after commit."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

from accounts.mail import confirmed_addresses
from accounts.models import User
from tournaments.webhooks.models import Webhook
from tournaments.webhooks.payloads import absolute


def webhook_announce_disabled(webhook_id: int) -> None:
    """Tell the organisers of a season that a webhook was given up: to confirmed addresses only; the
    same words stand on the webhook's page."""
    webhook = Webhook.objects.select_related("season").filter(pk=webhook_id).first()
    if webhook is None or webhook.disabled_at is None:
        return  # deleted, or switched on again already
    readers = list(User.objects.filter(seasons_organised__season=webhook.season_id, is_active=True))
    addresses = confirmed_addresses(readers)
    for reader in readers:
        if reader.pk not in addresses:
            continue
        context = {
            "reader": reader,
            "webhook": webhook,
            "season": webhook.season,
            "address": absolute(webhook.get_absolute_url()),
        }
        send_mail(
            f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}Webhook switched off: {webhook.name}",
            render_to_string("tournaments/webhooks/mail/disabled.txt", context),
            settings.DEFAULT_FROM_EMAIL,
            [addresses[reader.pk]],
        )
