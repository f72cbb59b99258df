"""What the library asks of us: the scopes, our rules beside its own, and what is PKCE to us."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, Final

from django.http import HttpRequest
from oauth2_provider.models import get_refresh_token_model
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.scopes import BaseScopes
from oauthlib.common import urlencode
from oauthlib.oauth2 import InvalidGrantError

from accounts.oauth.services import code_revoke_reused, family_of
from accounts.signin.backends import NameBackend
from accounts.tokens.text import digest_of
from core.api.scopes import WORDS
from core.clock import now_utc

_GRANTS: Final = {"authorization_code", "refresh_token"}
# BASE64URL(SHA256(verifier)), RFC 7636, 4.2.
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class Scopes(BaseScopes):
    """The scopes of the API. An application that asks for none in particular may read."""

    def get_all_scopes(self) -> dict[str, str]:
        """By name, in words."""
        return {scope.value: words for scope, words in WORDS.items()}

    def get_available_scopes(
        self, application: Any = None, request: Any = None, *args: Any, **kwargs: Any
    ) -> list[str]:
        """The same for every application."""
        return list(self.get_all_scopes())

    def get_default_scopes(
        self, application: Any = None, request: Any = None, *args: Any, **kwargs: Any
    ) -> list[str]:
        """What is asked for where nothing is said."""
        return ["read"]


class Core(OAuthLibCore):
    """Hands requests to the library's library, which fails over queries that are not written quite
    as it would write them: so they are written anew."""

    def _get_escaped_full_path(self, request: HttpRequest) -> str:
        pairs = [(name, value) for name, values in request.GET.lists() for value in values]
        return f"{request.path}?{urlencode(pairs)}" if pairs else request.path


class Validator(OAuth2Validator):
    """The library's rules, and ours: two grants only, nobody who may not come in, and a code that
    is used twice ends what it has brought (RFC 6749, 4.1.2): one of the two has stolen it."""

    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Codes and refreshing."""
        if grant_type not in _GRANTS:
            return False
        allowed: bool = super().validate_grant_type(
            client_id, grant_type, client, request, *args, **kwargs
        )
        return allowed

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Not for a closed or suspended account."""
        good: bool = super().validate_code(client_id, code, client, request, *args, **kwargs)
        if not good:
            code_revoke_reused(application=client, code=code)
        return good and _may_come_in(request.user)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Any, *args: Any, **kwargs: Any
    ) -> None:
        """A code is used up, once: of two requests at the same time, the second ends both."""
        try:
            super().invalidate_authorization_code(client_id, code, request, *args, **kwargs)
        except InvalidGrantError:
            code_revoke_reused(application=request.client, code=code)
            raise

    def _create_access_token(
        self, expires: Any, request: Any, token: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """One that ends by the service's clock: the library goes by the host's."""
        expires = now_utc() + timedelta(seconds=token["expires_in"])
        return super()._create_access_token(expires, request, token, *args, **kwargs)

    def _save_bearer_token(self, token: Any, request: Any, *args: Any, **kwargs: Any) -> None:
        super()._save_bearer_token(token, request, *args, **kwargs)
        if request.grant_type == "authorization_code":
            family = get_refresh_token_model().objects.filter(
                user=request.user,
                application=request.client,
                token_checksum=digest_of(token["refresh_token"]),
            )
            family.update(token_family=family_of(request.code))

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Not for a closed or suspended account."""
        good: bool = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return good and _may_come_in(request.user)


def _may_come_in(user: Any) -> bool:
    return user is not None and NameBackend().get_user(user.pk) is not None


def challenge_is_whole(challenge: Any, method: Any) -> bool:
    """Whether PKCE is used as it has to be: with a digest, and with one that is there."""
    return method == "S256" and bool(_CHALLENGE.fullmatch(challenge or ""))
