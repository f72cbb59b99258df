"""Guessing: passwords, and codes of second factors.

Wrong tries are counted for an account and an address together: a stranger's lock out nobody but the
stranger. What many addresses try together is bounded as well, and that must not lock the owner out
either: it does not concern those who have shown before that they are the owner. Of passwords these
are addresses that the account was signed in to from; of codes, browsers: whoever tries codes has
the password, so every address of theirs would be known.

Somebody who has reset the password by mail has shown who they are, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from allauth.account import app_settings as account_settings
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.html import format_html

from accounts.models import User
from accounts.signin.browsers import is_known

# Wrong tries at one account from everywhere together; past it, only the owner is let try. One
# address is let try five times in five minutes anyway.
_FROM_ANYWHERE: Final = {"guesses_from_anywhere": "50/h/key"}
_KNOWN_FOR: Final = 90 * 24 * 3600
# Seconds after which it can be tried again, by the code of the refusal.
_TRY_AGAIN_S: Final = {
    "too_many_login_attempts": 300,
    "too_many_tries_here": 60,
    "guesses_from_anywhere": 3600,
    "codes_from_anywhere": 3600,
}

# As the page that other limits have says it.
_CODE: Final = format_html("Code: <code>{}</code>", "request.throttled")

View = Callable[..., HttpResponseBase]


# -- of an account and an address ----------------------------------------------------------------


def account_key(credentials: dict[str, Any]) -> str:
    """Whose password is tried, by whichever of their names: or the name, where it is nobody's."""
    username, email = (str(credentials.get(each) or "") for each in ("username", "email"))
    by_name = Q(username=User.normalize_username(username))
    by_address = Q(email__iexact=email) | Q(emailaddress__email__iexact=email)
    # Somebody else may have given the same address, so the name goes first.
    for meant in ([by_name] if username else []) + ([by_address] if email else []):
        found = User.objects.filter(meant).order_by("pk").values_list("pk", flat=True).first()
        if found is not None:
            return key_of(found)
    return f"login:{(username or email).lower()}"


def key_of(user_id: int) -> str:
    """By what the passwords that are tried at an account are counted."""
    return f"user:{user_id}"


def from_here(request: HttpRequest, account: str) -> str:
    """By what is counted what is tried at an account from the address of a request."""
    return f"{account}:{ratelimit.get_ip(request)}"


def limited_here(action: str) -> Callable[[View], View]:
    """A view for those who are signed in, asked for as often as the limit ``action`` of the sign-in
    library says, by account and address together: the library's own count by account, and whoever
    holds a session that is not theirs would keep its owner out."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not isinstance(request.user, User):
                return view(request, *args, **kwargs)
            refused: HttpResponse | None = ratelimit.consume_or_429(
                request,
                app="allauth.account",
                action=action,
                key=from_here(request, key_of(request.user.pk)),
            )
            return refused or view(request, *args, **kwargs)

        return wrapped

    return decorate


def limit_hit(request: HttpRequest, account: str) -> str:
    """The code of the refusal, where `login_failed` was one too many: there is a limit on what is
    tried from an address at whichever accounts, too, and that is over much sooner."""
    for part in (account_settings.RATE_LIMITS["login_failed"] or "").split(","):
        if ratelimit.parse_rate(part).per == "key" and not ratelimit.consume(
            request,
            app="allauth.account",
            action="login_failed",
            config={"login_failed": part},
            key=from_here(request, account),
            dry_run=True,
        ):
            return "too_many_login_attempts"
    return "too_many_tries_here"


# -- from everywhere together --------------------------------------------------------------------


def anywhere_take(request: HttpRequest, account: str) -> ratelimit.RateLimitUsage | None:
    """Count one try at an account; None where it was one too many."""
    return ratelimit.consume(
        request,
        app="accounts",
        action="guesses_from_anywhere",
        config=_FROM_ANYWHERE,
        key=account,
    )


def is_known_here(request: HttpRequest, account: str) -> bool:
    """Whether somebody has shown from this address that the account is theirs."""
    return bool(cache.get(_known_key(request, account)))


def know_here(request: HttpRequest, account: str) -> None:
    """Note that somebody has."""
    cache.set(_known_key(request, account), 1, _KNOWN_FOR)


def _known_key(request: HttpRequest, account: str) -> str:
    # Neither can be read there.
    digest = hashlib.sha256(from_here(request, account).encode()).hexdigest()
    return f"accounts:known:{digest}"


# -- codes ---------------------------------------------------------------------------------------


def codes_key_of(user_id: int) -> str:
    """By what the codes that are tried at an account are counted."""
    return f"codes:{user_id}"


def code_take(user: User, error_key: str | None = None) -> Callable[[], None]:
    """Count one try at a second factor. Returns what is called if it was right, which is not
    counted; raises ValidationError where it was one too many.

    Takes the place of the sign-in library's own (`accounts.factors.guessing`), hence its form. What
    it would say at some places (``error_key``) tells nobody how long to wait.
    """
    request: HttpRequest = context.request
    account, adapter = codes_key_of(user.pk), get_adapter()
    taken = [
        ratelimit.consume(
            request, app="allauth.account", action="login_failed", key=from_here(request, account)
        )
    ]
    if not taken[0]:
        raise adapter.validation_error(limit_hit(request, account))
    if not is_known(request, user) and not is_known_here(request, account):
        taken.append(anywhere_take(request, account))
    if not taken[-1]:
        taken[0].rollback()
        raise adapter.validation_error("codes_from_anywhere")

    def give_back() -> None:
        for each in taken:
            each.rollback()

    return give_back


def is_too_often(error: ValidationError) -> bool:
    """Whether a code was refused because too many were tried before it."""
    return getattr(error, "code", None) in _TRY_AGAIN_S


def forgive(request: HttpRequest, user: User) -> None:
    """Somebody has shown by their mail that the account is theirs: wherever they are, others' tries
    do not concern them, nor do their own before."""
    for account in (key_of(user.pk), codes_key_of(user.pk)):
        know_here(request, account)
        ratelimit.clear(
            request, app="allauth.account", action="login_failed", key=from_here(request, account)
        )


# -- what is answered ----------------------------------------------------------------------------


def is_refused_as_too_often(form: BaseForm) -> bool:
    """Whether something in a form was refused because too much was tried before it."""
    return any(is_too_often(each) for errors in form.errors.as_data().values() for each in errors)


def answered(form: BaseForm, answer: HttpResponse) -> HttpResponse:
    """The page with a form that was refused: 429, how long, and the code of the refusal, where that
    was too often. It must not be rendered yet."""
    waits = []
    for errors in form.errors.values():
        late = [str(each.code) for each in errors.as_data() if is_too_often(each)]
        if late:
            waits += [_TRY_AGAIN_S[code] for code in late]
            errors.append(_CODE)
    if waits:
        answer.status_code = 429
        answer["Retry-After"] = str(max(waits))
    return answer
