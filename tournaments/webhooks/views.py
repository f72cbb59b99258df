"""Pages on which a season's organisers look after its webhooks."""

from __future__ import annotations

import json
from typing import TypeVar
from uuid import UUID

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from core.actions import Action, Done
from tournaments.models import Season
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import go_on, perform, press_or_say
from tournaments.views.common import FORMS, managers_only
from tournaments.webhooks import actions, services
from tournaments.webhooks.kinds import CHOICES, TEST
from tournaments.webhooks.models import Delivery, Webhook

S = TypeVar("S", bound=actions.AtWebhook)
PER_PAGE = 25
LABELS = {**CHOICES, TEST: "A test"}

_for_organisers = managers_only(services.must_manage)


def _webhook(season: Season, webhook_id: int) -> Webhook:
    webhook = season.webhooks.filter(pk=webhook_id).select_related("season").first()
    if webhook is None:
        raise Http404("There is no such webhook.")
    return webhook


def _delivery(season: Season, webhook_id: int, uid: UUID) -> Delivery:
    found = Delivery.objects.select_related("webhook__season", "event")
    delivery = found.filter(webhook=_webhook(season, webhook_id), uid=uid).first()
    if delivery is None:
        raise Http404("There is no such delivery.")
    return delivery


def _context(season: Season, **more: object) -> dict[str, object]:
    return {"season": season, "labels": LABELS, **more}


@require_safe
@_for_organisers
def webhook_list(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """The season's webhooks and how they fare."""
    webhooks = [(webhook, services.host_of(webhook)) for webhook in season.webhooks.order_by("pk")]
    full = actions.MAKE.refusal(actions.AtWebhooks(user, season))
    context = _context(season, webhooks=webhooks, full=full)
    return render(request, "tournaments/webhooks/list.html", context)


@require_http_methods(FORMS)
@_for_organisers
def webhook_new(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """A new webhook. Its secret is on the page that answers, and never again."""
    wanted = request.GET.get("flavour", "")
    flavour = wanted if wanted in Webhook.Flavour.values else Webhook.Flavour.JSON
    return perform(
        request,
        actions.MAKE,
        actions.AtWebhooks(user, season, flavour),
        back=reverse("webhooks:list", args=[season.slug]),
        template="webhooks/form.html",
        more=_context(season),
        after=_after,
    )


@require_safe
@_for_organisers
def webhook_page(request: HttpRequest, user: User, season: Season, webhook_id: int) -> HttpResponse:
    """A webhook with the log of what it was told."""
    webhook = _webhook(season, webhook_id)
    log = Delivery.objects.for_webhook(webhook).select_related("event").defer("body")
    page = Paginator(log, PER_PAGE).get_page(request.GET.get("page"))
    kinds = [CHOICES[kind] for kind in webhook.kinds if kind in CHOICES]
    subject = actions.AtWebhook(user, webhook)
    context = _context(
        season,
        webhook=webhook,
        host=services.host_of(webhook),
        page=page,
        sheet=Sheet(season),
        kinds=kinds,
        offers={each.name: each for each in actions.WEBHOOK.offered(subject)},
    )
    return render(request, "tournaments/webhooks/detail.html", context)


@require_http_methods(FORMS)
@_for_organisers
def webhook_edit(request: HttpRequest, user: User, season: Season, webhook_id: int) -> HttpResponse:
    """Name, address and events of a webhook."""
    webhook = _webhook(season, webhook_id)
    return perform(
        request,
        actions.CHANGE,
        actions.AtWebhook(user, webhook),
        back=webhook.get_absolute_url(),
        template="webhooks/form.html",
        more=_context(season, webhook=webhook),
    )


@require_POST
@_for_organisers
def webhook_test_view(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Send a test."""
    return _press(request, actions.TEST, actions.AtWebhook(user, _webhook(season, webhook_id)))


@require_POST
@_for_organisers
def webhook_rotate_view(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Replace the secret. The new one is on the page that answers, and never again."""
    return _press(request, actions.ROTATE, actions.AtWebhook(user, _webhook(season, webhook_id)))


@require_POST
@_for_organisers
def webhook_switch(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Switch a webhook on or off, as the field ``active`` says (``on`` or ``off``)."""
    on = request.POST.get("active") == "on"
    action = actions.SWITCH_ON if on else actions.SWITCH_OFF
    return _press(request, action, actions.AtWebhook(user, _webhook(season, webhook_id)))


@require_POST
@_for_organisers
def webhook_delete_view(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Delete a webhook and its log."""
    return _press(request, actions.DELETE, actions.AtWebhook(user, _webhook(season, webhook_id)))


@require_safe
@_for_organisers
def delivery_page(
    request: HttpRequest, user: User, season: Season, webhook_id: int, uid: UUID
) -> HttpResponse:
    """One delivery: what was sent and what was answered."""
    delivery = _delivery(season, webhook_id, uid)
    subject = actions.AtDelivery(user, delivery.webhook, delivery)
    context = _context(
        season,
        webhook=delivery.webhook,
        delivery=delivery,
        sheet=Sheet(season),
        body=_pretty_json(delivery.body),
        offers=actions.DELIVERY.offered(subject),
    )
    return render(request, "tournaments/webhooks/delivery.html", context)


@require_POST
@_for_organisers
def redeliver(
    request: HttpRequest, user: User, season: Season, webhook_id: int, uid: UUID
) -> HttpResponse:
    """Send a delivery again."""
    delivery = _delivery(season, webhook_id, uid)
    return _press(request, actions.REDELIVER, actions.AtDelivery(user, delivery.webhook, delivery))


def _press(request: HttpRequest, action: Action[S], subject: S) -> HttpResponse:
    """Do what a button asks for, and go back to the webhook with what came of it."""
    back = subject.webhook.get_absolute_url()
    return press_or_say(request, action, subject, back=back, after=_after)


def _after(request: HttpRequest, done: Done, back: str) -> HttpResponse:
    """A new secret is shown at once; else as everywhere."""
    if not isinstance(done, actions.NewSecret):
        return go_on(request, done, back)
    webhook, secret = done.made
    context = _context(webhook.season, webhook=webhook, secret=secret)
    return render(request, "tournaments/webhooks/secret.html", context)


def _pretty_json(body: str) -> str:
    if not body:
        return ""
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
