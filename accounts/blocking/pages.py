"""Pages: whom one has blocked, blocking somebody and unblocking them again."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.blocking.services import block_create, block_remove
from accounts.models import Block, User
from core.refusals import Refusal


@never_cache
@login_required
@require_safe
def blocks_page(request: HttpRequest) -> HttpResponse:
    """Show whom one has blocked."""
    blocks = Block.objects.visible_to(request.user).select_related("blocked")
    return render(request, "accounts/blocks.html", {"blocks": blocks})


@login_required
@require_POST
def block_page(request: HttpRequest, username: str) -> HttpResponse:
    """Block somebody, and go on where the reader was. A script gets 204."""
    return _answer(
        request, username, block_create,
        "{} is blocked. They are not told, and you can undo it in your settings.",
    )  # fmt: skip


@login_required
@require_POST
def unblock_page(request: HttpRequest, username: str) -> HttpResponse:
    """Unblock somebody, and go on where the reader was. A script gets 204."""
    return _answer(request, username, block_remove, "{} is not blocked any more.")


def _answer(
    request: HttpRequest, username: str, service: Callable[..., object], done: str
) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    person = get_object_or_404(User, username=User.normalize_username(username))
    wants_json = request.headers.get("Accept", "") == "application/json"
    try:
        service(acting_user=user, user=person)
    except Refusal as refusal:
        if wants_json:
            data = {"code": refusal.code, "sentence": refusal.sentence}
            return JsonResponse(data, status=refusal.status)
        messages.error(request, refusal.sentence)
    else:
        if wants_json:
            return HttpResponse(status=204)
        messages.success(request, done.format(person.shown_name))
    back = request.POST.get("next", "")
    local = url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(back if back and local else "accounts:blocks")
