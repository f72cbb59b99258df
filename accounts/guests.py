"""Guests: who plays without an account. They are known by their browser's session, and nobody but
to those views that welcome them; to all others, and in every template, they are not signed in.

    @welcomes_guests
    def match_page(request, match_id): ...

    class SubmissionsView(ApiView):
        guests = True
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from django.contrib.auth import login
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from accounts.services import guest_create

V = TypeVar("V", bound=Callable[..., Any])

# Views have this attribute: classes of the API as it stands there (`core.api.views.ApiView`).
MARK = "guests"
BACKEND = "accounts.signin.backends.NameBackend"


def welcomes_guests(view: V) -> V:
    """Have a view know guests: `request.user` is theirs then."""
    setattr(view, MARK, True)
    return view


def is_guest(user: Any) -> bool:
    """Whether somebody plays without an account."""
    return isinstance(user, User) and user.is_guest


def player_of(request: HttpRequest) -> User:
    """Who plays in this browser: the account that it is signed in to, or else its guest, who is
    made here where there is none."""
    if isinstance(request.user, User):
        return request.user
    guest = guest_create()
    login(request, guest, backend=BACKEND)
    return guest


def guest_of(request: HttpRequest) -> User | None:
    """The guest of this browser, whatever view is asked; None where there is none, or somebody is
    signed in."""
    user = get_user(request)
    return user if isinstance(user, User) and user.is_guest else None


def as_stranger(request: HttpRequest) -> None:
    """Make nobody of a guest from now on: for what a page says of its reader besides the match."""
    if is_guest(request.user):
        request.user = AnonymousUser()


class GuestMiddleware:
    """Makes nobody of guests, but for the views that welcome them. Asks for nothing by itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.user = _later(partial(_member_of, request))
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> None:
        """Called with the view that is to answer."""
        if getattr(getattr(view, "view_class", view), MARK, False):
            request.user = _later(partial(get_user, request))


def _later(find: Callable[[], Any]) -> Any:
    return SimpleLazyObject(find)


def _member_of(request: HttpRequest) -> Any:
    user = get_user(request)
    return AnonymousUser() if is_guest(user) else user
