"""What organisers can do about a season's webhooks, in tables: see `core.actions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from django.urls import reverse
from django.utils.functional import cached_property

from accounts.models import User
from core.actions import Action, Actions, Done
from core.refusals import Refusal, refusal_of
from tournaments.models import Season
from tournaments.webhooks import services
from tournaments.webhooks.forms import ChangeWebhookForm, NewWebhookForm
from tournaments.webhooks.models import Delivery, Webhook

# -- who, and on what ----------------------------------------------------------------------------


@dataclass(frozen=True)
class AtWebhooks:
    """Somebody, and the webhooks of a season; ``flavour``: that of a new one, as asked for."""

    user: User
    season: Season
    flavour: str = Webhook.Flavour.JSON

    def must_manage(self) -> None:
        """Raises Refusal ``webhook.not-allowed``."""
        services.must_manage(self.season, self.user)


@dataclass(frozen=True)
class AtWebhook:
    """Somebody, and a webhook."""

    user: User
    webhook: Webhook

    def must_manage(self) -> None:
        """Raises Refusal ``webhook.not-allowed``; asked once, for all that can be done."""
        if self._refusal is not None:
            raise self._refusal

    @cached_property
    def _refusal(self) -> Refusal | None:
        return refusal_of(services.must_manage, self.webhook.season, self.user)


@dataclass(frozen=True)
class AtDelivery(AtWebhook):
    """Somebody, and a delivery of a webhook."""

    delivery: Delivery


@dataclass(frozen=True)
class NewSecret(Done):
    """A webhook has a secret, which is shown once, and never again."""

    made: services.WithSecret = field(kw_only=True)


# -- a season's webhooks -------------------------------------------------------------------------


def _may_make(subject: AtWebhooks) -> None:
    subject.must_manage()
    services.must_have_room(subject.season)


def _make(subject: AtWebhooks, form: Any) -> Done | str:
    made = services.webhook_create(
        acting_user=subject.user, season=subject.season, **form.cleaned_data
    )
    return NewSecret("", made=made) if made.secret else made.webhook.get_absolute_url()


MAKE: Final = Action[AtWebhooks](
    name="make",
    label="New webhook",
    title="New webhook",
    button="Create the webhook",
    done="The webhook is on. Send a test to see it work.",
    check=_may_make,
    form=lambda s: partial(NewWebhookForm, flavour=s.flavour),
    run=_make,
)

WEBHOOKS: Final = Actions("webhooks", (MAKE,))


# -- one of them ---------------------------------------------------------------------------------


def _for_managers(check: Callable[[Webhook], object]) -> Callable[[AtWebhook], None]:
    """What a service asks about a webhook."""

    def ask(subject: AtWebhook) -> None:
        subject.must_manage()
        check(subject.webhook)

    return ask


def _switch(subject: AtWebhook, *, active: bool) -> None:
    services.webhook_update(acting_user=subject.user, webhook=subject.webhook, active=active)


def _delete(subject: AtWebhook, _form: Any) -> str:
    services.webhook_delete(acting_user=subject.user, webhook=subject.webhook)
    return reverse("webhooks:list", args=[subject.webhook.season.slug])


CHANGE: Final = Action[AtWebhook](
    name="change",
    label="Change",
    title=lambda s: s.webhook.name,
    button="Save",
    done="Saved.",
    check=AtWebhook.must_manage,
    form=lambda s: partial(ChangeWebhookForm, webhook=s.webhook),
    run=lambda s, form: services.webhook_update(
        acting_user=s.user, webhook=s.webhook, **form.changes()
    ),
)
TEST: Final = Action[AtWebhook](
    name="test",
    label="Send a test",
    title=lambda s: f"Test {s.webhook.name}",
    button="Send a test",
    done="The test is on its way; the log shows what comes of it.",
    check=_for_managers(services.must_await_no_test),
    run=lambda s, _form: services.webhook_test(acting_user=s.user, webhook=s.webhook),
    at_once=True,
)
ROTATE: Final = Action[AtWebhook](
    name="rotate",
    label="Replace the secret",
    title=lambda s: f"Replace the secret of {s.webhook.name}",
    button="Replace the secret",
    done="The secret is replaced.",
    check=_for_managers(services.must_have_a_secret),
    run=lambda s, _form: NewSecret(
        "", made=services.webhook_rotate(acting_user=s.user, webhook=s.webhook)
    ),
    at_once=True,
)
SWITCH_ON: Final = Action[AtWebhook](
    name="switch-on",
    label="Switch on",
    title=lambda s: f"Switch {s.webhook.name} on",
    button="Switch on",
    done="The webhook is on.",
    check=AtWebhook.must_manage,
    run=lambda s, _form: _switch(s, active=True),
    at_once=True,
)
SWITCH_OFF: Final = Action[AtWebhook](
    name="switch-off",
    label="Switch off",
    title=lambda s: f"Switch {s.webhook.name} off",
    button="Switch off",
    done="The webhook is off.",
    check=AtWebhook.must_manage,
    run=lambda s, _form: _switch(s, active=False),
    at_once=True,
)
DELETE: Final = Action[AtWebhook](
    name="delete",
    label="Delete",
    title=lambda s: f"Delete {s.webhook.name}",
    button="Delete the webhook",
    done="The webhook is deleted.",
    follows=["Its log goes, too."],
    check=AtWebhook.must_manage,
    run=_delete,
    danger=True,
)

WEBHOOK: Final = Actions("webhook", (CHANGE, TEST, ROTATE, SWITCH_ON, SWITCH_OFF, DELETE))


# -- what it was told ----------------------------------------------------------------------------


def _may_redeliver(subject: AtDelivery) -> None:
    subject.must_manage()
    services.must_be_redeliverable(subject.delivery)


REDELIVER: Final = Action[AtDelivery](
    name="redeliver",
    label="Redeliver",
    title="Send it again",
    button="Redeliver",
    done="It is on its way again.",
    check=_may_redeliver,
    run=lambda s, _form: services.delivery_redeliver(acting_user=s.user, delivery=s.delivery),
    at_once=True,
)

DELIVERY: Final = Actions("delivery", (REDELIVER,))

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (WEBHOOKS, WEBHOOK, DELIVERY)
