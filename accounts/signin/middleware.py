"""What is done around every request of somebody who is signed in."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from allauth.core.exceptions import ReauthenticationRequired
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from accounts.models import User
from accounts.signin.browsers import tell_browser
from accounts.signin.recent import ask_to_confirm
from accounts.signin.sessions import session_moved, session_used

log = structlog.get_logger("gauntlet.sessions")


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
