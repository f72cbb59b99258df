"""Pages on which a season's organisers look after its webhooks."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from core.refusals import Forbidden, Refusal
from games.views.common import needs_sign_in
from tournaments.audience import may_manage
from tournaments.models import Season
from tournaments.views.common import SlugView
from tournaments.webhooks import services
from tournaments.webhooks.forms import NewWebhookForm, WebhookForm
from tournaments.webhooks.kinds import CHOICES, TEST
from tournaments.webhooks.models import Delivery, Webhook

P = ParamSpec("P")
PER_PAGE = 25
LABELS = {**CHOICES, TEST: "A test"}


def _for_organisers(
    view: Callable[Concatenate[HttpRequest, User, Season, P], HttpResponse],
) -> SlugView[P]:
    """Hand the season to an organiser of it. Others learn that a public season is run by others,
    and of a draft nothing."""

    @wraps(view)
    def wrapped(
        request: HttpRequest, user: User, /, slug: str, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponse:
        season = Season.objects.visible_to(user).filter(slug=slug).first()
        if season is None:
            raise Http404("There is no such season.")
        if not may_manage(season, user):
            refusal = Forbidden("webhook.not-allowed", "Only the season's organisers may do this.")
            return render(request, "games/problem.html", {"refusal": refusal}, status=403)
        return view(request, user, season, *args, **kwargs)

    return never_cache(needs_sign_in(wrapped))


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
    context = _context(season, webhooks=webhooks)
    return render(request, "tournaments/webhooks/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organisers
def webhook_new(request: HttpRequest, user: User, season: Season) -> HttpResponse:
    """A new webhook. Its secret is on the page that answers, and never again."""
    wanted = request.GET.get("flavour", "")
    flavour = wanted if wanted in Webhook.Flavour.values else Webhook.Flavour.JSON
    form = NewWebhookForm(request.POST or None, flavour=flavour)
    if request.method == "POST" and form.is_valid():
        try:
            made = services.webhook_create(acting_user=user, season=season, **form.cleaned_data)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            if made.secret:
                return _secret_page(request, season, made)
            messages.success(request, "The webhook is on. Send a test to see it work.")
            return redirect(made.webhook)
    status = 409 if form.is_bound else 200
    context = _context(season, form=form)
    return render(request, "tournaments/webhooks/form.html", context, status=status)


@require_safe
@_for_organisers
def webhook_page(request: HttpRequest, user: User, season: Season, webhook_id: int) -> HttpResponse:
    """A webhook with the log of what it was told."""
    webhook = _webhook(season, webhook_id)
    log = Delivery.objects.for_webhook(webhook).select_related("event").defer("body")
    page = Paginator(log, PER_PAGE).get_page(request.GET.get("page"))
    kinds = [CHOICES[kind] for kind in webhook.kinds if kind in CHOICES]
    context = _context(
        season, webhook=webhook, host=services.host_of(webhook), page=page, kinds=kinds
    )
    return render(request, "tournaments/webhooks/detail.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organisers
def webhook_edit(request: HttpRequest, user: User, season: Season, webhook_id: int) -> HttpResponse:
    """Name, address and events of a webhook. A Discord address is not shown again: it is a
    password; an empty field leaves it as it is."""
    webhook = _webhook(season, webhook_id)
    secret_url = webhook.flavour == Webhook.Flavour.DISCORD
    initial = {
        "name": webhook.name,
        "url": "" if secret_url else webhook.url,
        "kinds": webhook.kinds,
    }
    form = WebhookForm(request.POST or None, initial=initial)
    if secret_url:
        form.fields["url"].required = False
        form.fields["url"].help_text = "Whoever knows it can write there: leave empty to keep it."
    if request.method == "POST" and form.is_valid():
        changes = dict(form.cleaned_data)
        if not changes["url"]:
            del changes["url"]
        try:
            services.webhook_update(acting_user=user, webhook=webhook, **changes)
        except Refusal as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, "Saved.")
            return redirect(webhook)
    status = 409 if form.is_bound else 200
    context = _context(season, form=form, webhook=webhook)
    return render(request, "tournaments/webhooks/form.html", context, status=status)


@require_POST
@_for_organisers
def webhook_test_view(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Send a test."""
    webhook = _webhook(season, webhook_id)
    return _done(
        request,
        webhook,
        lambda: services.webhook_test(acting_user=user, webhook=webhook),
        "The test is on its way; the log shows what comes of it.",
    )


@require_POST
@_for_organisers
def webhook_rotate_view(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Replace the secret. The new one is on the page that answers, and never again."""
    webhook = _webhook(season, webhook_id)
    try:
        made = services.webhook_rotate(acting_user=user, webhook=webhook)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
        return redirect(webhook)
    return _secret_page(request, season, made)


@require_POST
@_for_organisers
def webhook_switch(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Switch a webhook on or off, as the field ``active`` says (``on`` or ``off``)."""
    webhook = _webhook(season, webhook_id)
    active = request.POST.get("active") == "on"
    return _done(
        request,
        webhook,
        lambda: services.webhook_update(acting_user=user, webhook=webhook, active=active),
        "The webhook is on." if active else "The webhook is off.",
    )


@require_POST
@_for_organisers
def webhook_delete_view(
    request: HttpRequest, user: User, season: Season, webhook_id: int
) -> HttpResponse:
    """Delete a webhook and its log."""
    services.webhook_delete(acting_user=user, webhook=_webhook(season, webhook_id))
    messages.success(request, "The webhook is deleted.")
    return redirect("webhooks:list", season.slug)


@require_safe
@_for_organisers
def delivery_page(
    request: HttpRequest, user: User, season: Season, webhook_id: int, uid: UUID
) -> HttpResponse:
    """One delivery: what was sent and what was answered."""
    delivery = _delivery(season, webhook_id, uid)
    context = _context(
        season, webhook=delivery.webhook, delivery=delivery, body=_pretty_json(delivery.body)
    )
    return render(request, "tournaments/webhooks/delivery.html", context)


@require_POST
@_for_organisers
def redeliver(
    request: HttpRequest, user: User, season: Season, webhook_id: int, uid: UUID
) -> HttpResponse:
    """Send a delivery again."""
    delivery = _delivery(season, webhook_id, uid)
    return _done(
        request,
        delivery.webhook,
        lambda: services.delivery_redeliver(acting_user=user, delivery=delivery),
        "It is on its way again.",
    )


def _done(
    request: HttpRequest, webhook: Webhook, action: Callable[[], object], words: str
) -> HttpResponseRedirect:
    try:
        action()
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, words)
    return redirect(webhook)


def _secret_page(request: HttpRequest, season: Season, made: services.WithSecret) -> HttpResponse:
    context = _context(season, webhook=made.webhook, secret=made.secret)
    return render(request, "tournaments/webhooks/secret.html", context)


def _pretty_json(body: str) -> str:
    if not body:
        return ""
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
