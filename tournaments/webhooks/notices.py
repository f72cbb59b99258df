"""What the organisers of a season are told of its webhooks."""

from __future__ import annotations

from accounts.announcing.services import Told, announce
from accounts.models import User
from tournaments.rights import Right
from tournaments.webhooks.models import Webhook


def webhook_announce_disabled(webhook_id: int) -> None:
    """Tell the organisers of a season that a webhook was given up; the same words stand on the
    webhook's page. Called again it does nothing."""
    webhook = Webhook.objects.select_related("season").filter(pk=webhook_id).first()
    if webhook is None or webhook.disabled_at is None:
        return  # deleted, or switched on again already
    announce(
        Told(
            user=reader,
            kind="organiser.webhook",
            key=f"webhook:{webhook_id}:{webhook.disabled_at.isoformat()}",
            subject=f"Webhook switched off: {webhook.name}",
            words=f"The webhook “{webhook.name}” of {webhook.season.name} has been switched off. "
            f"{webhook.disabled_why} What it had not been told yet was given up. Its log shows "
            "what went wrong, and there it can be switched on again.",
            path=webhook.get_absolute_url(),
        )
        for reader in User.objects.filter(
            seasons_organised__in=webhook.season.organisers.holding(Right.RUN)
        )
    )
