"""A sign-in that waits for its second step. What its first step showed is good for as long as a
session that was opened then would be: a new password, or signing out everywhere, ends it."""

from __future__ import annotations

from typing import Final

from allauth.account.internal.stagekit import clear_login
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare

from accounts.models import User

_SESSION_KEY: Final = "sign_in_begun"


def sign_in_begun(request: HttpRequest, user: User) -> None:
    """Note what somebody's sessions have to know as they begin to sign in."""
    request.session[_SESSION_KEY] = {"user": user.pk, "hash": user.get_session_auth_hash()}


def sign_in_stands(request: HttpRequest, user: User) -> bool:
    """Whether what somebody has shown here still lets them in."""
    begun = request.session.get(_SESSION_KEY)
    if not isinstance(begun, dict) or begun["user"] != user.pk:
        return False
    good = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(begun["hash"], each) for each in good)


def sign_in_forget(request: HttpRequest) -> None:
    """Forget it: they are in."""
    request.session.pop(_SESSION_KEY, None)


def sign_in_anew(request: HttpRequest) -> HttpResponse:
    """Lead somebody whose sign-in has ended before it was done to its beginning."""
    clear_login(request)
    sign_in_forget(request)
    messages.warning(
        request,
        "Meanwhile this account has a new password, or was signed out everywhere. Please begin "
        "again.",
    )
    return redirect("account_login")
