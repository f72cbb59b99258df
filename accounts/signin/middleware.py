"""What is done around every request for the sake of whoever is signed in."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import patch_vary_headers

from accounts.models import User
from accounts.signin.browsers import tell_browser
from accounts.signin.recent import ask_to_confirm
from accounts.signin.sessions import session_moved, session_used
from accounts.signin.store import is_under_way

log = structlog.get_logger("gauntlet.sessions")


class SessionsMiddleware(SessionMiddleware):
    """Django's own, but that a request which was under way when its browser got another key does
    not undo that: its answer may come later than the one with the new key, and would take it away
    again. Whoever came with the old key is nobody here, and is told nothing of the new one."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Called with the answer."""
        shown = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
        if _says_nothing_new(request, shown) and is_under_way(shown, request.session.session_key):
            patch_vary_headers(response, ("Cookie",))
            return response
        try:
            return super().process_response(request, response)
        except SessionInterrupted:
            # What it did is done; it had only something left to note for the next page.
            if not is_under_way(shown, request.session.session_key):
                raise
            patch_vary_headers(response, ("Cookie",))
            return response


def _says_nothing_new(request: HttpRequest, shown: str) -> bool:
    """Whether the session that a browser has shown was looked for and is not there, and nobody has
    signed in or out by this very request."""
    session = getattr(request, "session", None)
    if not shown or session is None or not session.accessed or session.session_key == shown:
        return False
    if session.is_empty():
        return not session.modified
    return SESSION_KEY not in session


class SignedInMiddleware:
    """Notes now and then that a session is used, and under which key it goes on. Asks for nobody by
    itself: only where somebody has asked who it is, it is known."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        before = request.session.session_key
        response = self.get_response(request)
        tell_browser(request, response)
        # Where Django keeps who it is, once somebody has asked.
        user = getattr(request, "_cached_user", None)
        after = request.session.session_key
        if isinstance(user, User) and not user.is_guest and before and after:
            try:
                if before != after:
                    session_moved(before, after)
                session_used(request, user)
            except DatabaseError as error:
                # The page is made: nobody is refused it for a note.
                log.warning("session.not-noted", error=type(error).__name__)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The library's views ask to confirm by raising this. Its own answer would do what was
        posted as soon as that is confirmed, whoever has posted it."""
        if isinstance(exception, ReauthenticationRequired):
            return ask_to_confirm(request)
        return None
