"""Where whoever is held back for want of a second factor is led."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import User
from accounts.roles import HELD_BACK_SENTENCE, held_back, is_kept_from
from core.api.problems import PROBLEM, plain_problem

_REFUSED: Final = (403, 404)


class FactorMiddleware:
    """What is refused to somebody only because a power of theirs rests (`accounts.roles.rests`)
    leads to the page on which they set up a second factor; callers of the API are told so. An
    address that is not there, or not for them with a second factor either, stays that."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code not in _REFUSED:
            return response
        if not _was_held_back(request, is_there=response.status_code == 403):
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
        is_there = isinstance(error, PermissionDenied)
        return _lead(request) if _was_held_back(request, is_there=is_there) else None


def _was_held_back(request: HttpRequest, *, is_there: bool) -> bool:
    """Whether somebody was held back from what they asked for. ``is_there``: it was refused; else
    the answer is that there is no such thing, and it must be one that is kept from them."""
    # Nobody is asked for anew: who was held back is known.
    known: list[Any] = [vars(request).get(each) for each in ("_cached_user", "user")]
    held_back = [each for each in known if type(each) is User and each.was_held_back]
    if is_there or not held_back:
        return bool(held_back)
    named = request.resolver_match.kwargs if request.resolver_match else {}
    return is_kept_from(held_back[0], named)


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
