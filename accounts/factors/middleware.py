"""Where whoever is held back for want of a second factor is led."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import User
from accounts.roles import HELD_BACK_SENTENCE, held_back
from core.api.problems import PROBLEM, plain_problem

_REFUSED: Final = (403, 404)


class FactorMiddleware:
    """What is refused to somebody only because a power of theirs rests (`accounts.roles.rests`)
    leads to the page on which they set up a second factor; callers of the API are told so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code not in _REFUSED or not _was_held_back(request):
            return response
        if response.headers.get("Content-Type", "").startswith(PROBLEM):
            return _problem(response)
        # Error pages ask who reads them: of a page that is not there, `process_exception` has
        # looked before that.
        return _lead(request) if response.status_code == 403 else response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Called where a view raises."""
        is_api = request.path.startswith("/api/")
        if is_api or not isinstance(error, Http404 | PermissionDenied):
            return None
        return _lead(request) if _was_held_back(request) else None


def _was_held_back(request: HttpRequest) -> bool:
    # Nobody is asked for anew: who was held back is known.
    known: list[Any] = [vars(request).get(each) for each in ("_cached_user", "user")]
    return any(type(each) is User and each.was_held_back for each in known)


def _lead(request: HttpRequest) -> HttpResponse:
    messages.warning(request, HELD_BACK_SENTENCE)
    return redirect("mfa_index")


def _problem(refused: HttpResponse) -> HttpResponse:
    refusal = held_back()
    answer = plain_problem(refusal.status, refusal.code, refusal.sentence)
    for name, value in refused.items():
        if name.lower() not in {"content-type", "content-length"}:
            answer[name] = value
    return answer
