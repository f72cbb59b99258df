"""Pages: what one was told, the choice of how, and the devices that take it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.addresses import confirmed_addresses
from accounts.announcing import discord, kinds, push
from accounts.announcing.devices import (
    browser_of,
    device_here,
    device_remember,
    push_subscription_remove,
    push_subscription_renew,
    push_subscription_set,
    push_subscription_test,
)
from accounts.announcing.forms import ChoicesForm
from accounts.announcing.services import (
    announcements_read,
    choices_of,
    choices_set,
    ways_of,
)
from accounts.models import Announcement, PushSubscription, User
from core.refusals import Refusal

PER_PAGE = 30


@never_cache
@login_required
@require_safe
def announcements_page(request: HttpRequest) -> HttpResponse:
    """What one was told, the latest first; whoever has seen it has read it."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    own = Announcement.objects.visible_to(user)
    page = Paginator(own, PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page)
    response = render(request, "accounts/announcements.html", {"page": page, "shown": shown})
    if request.method == "GET":
        announcements_read(acting_user=user, shown=shown)
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def choices_page(request: HttpRequest) -> HttpResponse:
    """Show and change of what one is told, and by which ways."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    ways = ways_of(user)
    form = ChoicesForm(request.POST or None, chosen=choices_of(user), ways=ways)
    if request.method == "POST" and form.is_valid():
        choices_set(acting_user=user, chosen=form.chosen())
        messages.success(request, "Your choice is saved.")
        return redirect("accounts:announcement_choices")
    context = {
        "form": form,
        "ways": [kinds.WAYS[way] for way in ways],
        "devices": PushSubscription.objects.visible_to(user),
        "here": device_here(request),
        "push_key": push.public_key(),
        "discord": {"bot": discord.is_offered(), "link": discord.link_of(user)},
        "reached": bool(confirmed_addresses([user])),
    }
    status = 422 if form.errors else 200
    return render(request, "accounts/announcement_choices.html", context, status=status)


# -- devices -------------------------------------------------------------------------------------


@login_required
@require_POST
def device_set_page(request: HttpRequest) -> HttpResponse:
    """Have the browser that asks take announcements: for scripts, which get 204."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    try:
        device = push_subscription_set(
            acting_user=user,
            endpoint=request.POST.get("endpoint", ""),
            p256dh=request.POST.get("p256dh", ""),
            auth=request.POST.get("auth", ""),
            browser=browser_of(request.headers.get("User-Agent", "")),
        )
    except Refusal as refusal:
        return _refused(refusal)
    response = HttpResponse(status=204)
    device_remember(request, response, device)
    return response


# A service worker asks, which has no token of a form, and nobody need be signed in: the browser
# shows what it was known by.
@csrf_exempt
@require_POST
def device_renew_page(request: HttpRequest) -> HttpResponse:
    """Know a browser by the address and keys that its push service has given it anew: 204."""
    try:
        push_subscription_renew(
            before=request.POST.get("before", ""),
            secret=request.POST.get("secret", ""),
            endpoint=request.POST.get("endpoint", ""),
            p256dh=request.POST.get("p256dh", ""),
            auth=request.POST.get("auth", ""),
        )
    except Refusal as refusal:
        return _refused(refusal)
    return HttpResponse(status=204)


@login_required
@require_POST
def device_remove_page(request: HttpRequest, device_id: int) -> HttpResponse:
    """Send nothing more to a device."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (as above)
    try:
        push_subscription_remove(acting_user=user, device_id=device_id)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, "Nothing more is sent to that device.")
    return redirect("accounts:announcement_choices")


@login_required
@require_POST
def device_test_page(request: HttpRequest, device_id: int) -> HttpResponse:
    """Have a test sent to a device."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (as above)
    try:
        push_subscription_test(acting_user=user, device_id=device_id)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, "A test is on its way to that device.")
    return redirect("accounts:announcement_choices")


# -- in Discord ----------------------------------------------------------------------------------


@login_required
@require_POST
def direct_test_page(request: HttpRequest) -> HttpResponse:
    """Have the bot write a test to oneself, and say what Discord made of it."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (as above)
    try:
        discord.direct_test(acting_user=user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, "Discord has taken the test: you find it in your messages there.")
    return redirect("accounts:announcement_choices")


def _refused(refusal: Refusal) -> JsonResponse:
    data = {"code": refusal.code, "sentence": refusal.sentence}
    return JsonResponse(data, status=refusal.status)
