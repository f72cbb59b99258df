"""Whether whoever sits at a browser has shown lately that they own the account: a session that was
stolen is good for little, and for nothing that would outlast it.

Signing in shows it, and so does confirming: the password once more, a second factor, or Discord for
those who have neither. It holds for a while (`CONFIRMED_FOR`), in that session alone.

    @recently_confirmed
    def tokens_page(request): ...

Views that are somebody else's are wrapped where they get their address. The library's own question
(`reauthentication_required`) is answered by the same, see `accounts.signin.adapter`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import wraps
from typing import Any, Final, overload
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import User
from core.clock import now_utc

View = Callable[..., HttpResponseBase]

#: For how long it holds.
CONFIRMED_FOR: Final = timedelta(minutes=10)
#: What a wrapped view has, for the test that goes through all of them.
MARK: Final = "asks_to_confirm"
_AT: Final = "confirmed_at"
_TYPED: Final = "typed_before"
# Names what was typed, in the address of the page that it was typed in.
_AGAIN: Final = "again"


# How somebody can confirm who has neither password nor second factor: the name of the page where
# they do it, or None where they cannot by this.
Way = Callable[[User], str | None]
_ways: list[Way] = []


def register_way(way: Way) -> None:
    """Have ``way`` asked for those who have no other. Again changes nothing."""
    if way not in _ways:
        _ways.append(way)


def other_ways(user: User) -> list[str]:
    """The pages where somebody can confirm who has neither password nor second factor."""
    return [page for page in (way(user) for way in _ways) if page is not None]


def confirm(request: HttpRequest) -> None:
    """Note that whoever sits here has just shown that they own the account."""
    request.session[_AT] = now_utc().timestamp()


def is_recently_confirmed(request: HttpRequest) -> bool:
    """Whether whoever is signed in here has shown lately that they own the account."""
    at = request.session.get(_AT)
    if not isinstance(request.user, User) or not isinstance(at, int | float):
        return False
    return 0 <= now_utc().timestamp() - at < CONFIRMED_FOR.total_seconds()


@overload
def recently_confirmed(view: View) -> View: ...
@overload
def recently_confirmed(*, keeps: Sequence[str] = (), back: str = "") -> Callable[[View], View]: ...
def recently_confirmed(
    view: View | None = None, *, keeps: Sequence[str] = (), back: str = ""
) -> View | Callable[[View], View]:
    """A view for those alone who are signed in and have confirmed lately that it is they. All
    others are asked first, and come back. ``keeps``: fields of a form that are there again then;
    never a secret. ``back``: the name of the page that they come back to, where this has none."""

    def decorate(inner: View) -> View:
        @wraps(inner)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if is_recently_confirmed(request):
                return inner(request, *args, **kwargs)
            return ask_to_confirm(request, keeps=keeps, back=back)

        setattr(wrapped, MARK, True)
        return wrapped

    return decorate if view is None else decorate(view)


def ask_unless_confirmed(request: HttpRequest, back: str = "") -> HttpResponse | None:
    """What asks whoever is here to confirm first; None where they have. ``back``: the address that
    they come back to, if not that of the request. For those who may not know of accounts."""
    return None if is_recently_confirmed(request) else ask_to_confirm(request, page=back)


def ask_to_confirm(
    request: HttpRequest, *, keeps: Sequence[str] = (), back: str = "", page: str = ""
) -> HttpResponse:
    """Lead to where somebody confirms that it is they, and from there back by GET.

    What was posted is not done when they come back: whoever holds their session, too, could have
    left it there for them to confirm unseen. They see it again in the form, and press once more.
    ``page``: the address that they come back to, if not that of the request, or of ``back``.
    """
    page = page or (reverse(back) if back else request.get_full_path())
    if not isinstance(request.user, User):
        return redirect_to_login(page)
    if request.method not in ("GET", "HEAD"):
        page = _with_typed(request, page, keeps)
        messages.info(request, "Once you have shown that it is you, please press it once more.")
    methods = get_adapter(request).get_reauthentication_methods(request.user)
    # Who has none of them chooses a password, by mail.
    asks = methods[0]["url"] if methods else reverse("account_reset_password")
    return redirect(f"{asks}?{urlencode({REDIRECT_FIELD_NAME: page})}")


def _with_typed(request: HttpRequest, page: str, keeps: Sequence[str]) -> str:
    typed = {name: request.POST.getlist(name) for name in keeps if name in request.POST}
    if not typed:
        return page
    name = secrets.token_urlsafe(12)
    request.session[_TYPED] = {"name": name, "page": request.path, "typed": typed}
    return f"{request.path}?{urlencode({_AGAIN: name})}"


def typed_before(request: HttpRequest, *, several: Sequence[str] = ()) -> dict[str, Any]:
    """What somebody had typed in this page's form before they were asked to confirm, to be shown in
    it again; of the fields ``several`` all values. Only to the tab that it was typed in, once."""
    kept = request.session.get(_TYPED)
    asked = request.GET.get(_AGAIN, "")
    if not asked or not isinstance(kept, dict):
        return {}
    if kept.get("name") != asked or kept.get("page") != request.path:
        return {}
    del request.session[_TYPED]
    typed: dict[str, list[str]] = kept["typed"]
    return {
        name: values if name in several else values[-1] for name, values in typed.items() if values
    }
