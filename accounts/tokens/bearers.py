"""Whom a token speaks for, and what it allows: a personal token, or one of OAuth 2."""

from datetime import timedelta
from typing import Final, NamedTuple

from django.db.models import Q
from oauth2_provider.models import get_access_token_model

from accounts.models import ApiToken, User
from accounts.signin.backends import NameBackend
from accounts.tokens.text import PREFIX, digest_of, is_well_formed
from core.api.scopes import Credential, scopes_in
from core.clock import now_utc

_USE_NOTED_EVERY: Final = timedelta(minutes=1)


class Bearer(NamedTuple):
    """Whom a token speaks for, and what it allows."""

    user: User
    credential: Credential


def bearer_of(token: str) -> Bearer | None:
    """Whom a token speaks for, personal or of OAuth: None where it is unknown, expired or revoked,
    or where its owner may not come in (closed and suspended accounts)."""
    if token.startswith(PREFIX):
        return _personal(token)
    return _of_application(token)


def _personal(token: str) -> Bearer | None:
    if not is_well_formed(token):
        return None
    row = ApiToken.objects.good().filter(digest=digest_of(token)).first()
    if row is None:
        return None
    user = NameBackend().get_user(row.user_id)
    if user is None:
        return None
    now = now_utc()
    if row.last_used_at is None or now - row.last_used_at >= _USE_NOTED_EVERY:
        # Of several requests at once, one writes.
        due = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - _USE_NOTED_EVERY)
        ApiToken.objects.filter(due, pk=row.pk).update(last_used_at=now)
    return Bearer(user, Credential(scopes_in(row.scopes), user.is_bot, row.expires_at))


def _of_application(token: str) -> Bearer | None:
    row = get_access_token_model().objects.filter(token_checksum=digest_of(token)).first()
    # By our clock, not by the library's, as sockets and streams have it.
    if row is None or row.expires <= now_utc() or row.user_id is None:
        return None
    user = NameBackend().get_user(row.user_id)
    if user is None:
        return None
    return Bearer(user, Credential(scopes_in(row.scope.split()), user.is_bot, row.expires))
