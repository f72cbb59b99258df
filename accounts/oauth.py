"""OAuth 2: other people's applications, and what they have been allowed.

The protocol is the library's (django-oauth-toolkit). Here are what it asks of us, and the services
around it.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_refresh_token_model,
)
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.scopes import BaseScopes
from oauthlib.common import urlencode
from oauthlib.oauth2 import InvalidGrantError

from accounts.models import User
from accounts.services import audit_record, rights_announce_change
from accounts.signin.backends import NameBackend
from core.api.scopes import WORDS
from core.refusals import Refusal

NAME_MAX: Final = 60
APPLICATIONS_AT_MOST: Final = 10
ADDRESSES_AT_MOST: Final = 10
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
_GRANTS: Final = {"authorization_code", "refresh_token"}
# The host of an address, as it may stand in a header: nothing that ends a directive or a value.
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
# BASE64URL(SHA256(verifier)), RFC 7636, 4.2.
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


# -- what the library asks -----------------------------------------------------------------------


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

    def _save_bearer_token(self, token: Any, request: Any, *args: Any, **kwargs: Any) -> None:
        super()._save_bearer_token(token, request, *args, **kwargs)
        if request.grant_type == "authorization_code":
            checksum = hashlib.sha256(token["refresh_token"].encode()).hexdigest()
            family = get_refresh_token_model().objects.filter(
                user=request.user, application=request.client, token_checksum=checksum
            )
            family.update(token_family=_family_of(request.code))

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Not for a closed or suspended account."""
        good: bool = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return good and _may_come_in(request.user)


def _may_come_in(user: Any) -> bool:
    return user is not None and NameBackend().get_user(user.pk) is not None


def _family_of(code: str) -> uuid.UUID:
    """By which the tokens are known that a code has brought, when the code itself is gone."""
    return uuid.UUID(bytes=hashlib.sha256(code.encode()).digest()[:16])


def challenge_is_whole(challenge: Any, method: Any) -> bool:
    """Whether PKCE is used as it has to be: with a digest, and with one that is there."""
    return method == "S256" and bool(_CHALLENGE.fullmatch(challenge or ""))


def origin_of(address: str) -> str:
    """Scheme and host of an address that people are sent back to, fit to stand in a header; empty
    where they are not."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    good = parts.scheme in ("https", "http") and _HOST.fullmatch(parts.netloc.lower())
    return f"{parts.scheme}://{parts.netloc}" if good else ""


# -- who may see what ----------------------------------------------------------------------------


def applications_of(user: User) -> QuerySet[Any]:
    """The applications that a person has registered."""
    found: QuerySet[Any] = get_application_model().objects.filter(user=user).order_by("name", "pk")
    return found


def authorisations_of(user: User) -> list[dict[str, Any]]:
    """The applications that a person has let in: `application`, `scopes`, `since`."""
    tokens = get_refresh_token_model().objects.filter(user=user, revoked__isnull=True)
    found: dict[int, dict[str, Any]] = {}
    for token in tokens.select_related("application__user", "access_token").order_by("created"):
        entry = found.setdefault(
            token.application_id,
            {"application": token.application, "scopes": set(), "since": token.created},
        )
        if token.access_token is not None:
            entry["scopes"] |= set(token.access_token.scope.split())
    return [{**entry, "scopes": sorted(entry["scopes"])} for entry in found.values()]


# -- services ------------------------------------------------------------------------------------


@transaction.atomic
def application_register(
    *, acting_user: User, name: str, redirect_uris: Sequence[str], public: bool
) -> tuple[Any, str]:
    """Register an application and return it with its secret, which is nowhere kept. A ``public``
    one (in a browser or on a phone) cannot keep a secret, and has none: then it is empty.

    Raises Refusal ``application.name``, ``application.addresses`` and ``application.too-many``.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= NAME_MAX:
        sentence = "Please give it a name of at most 60 characters."
        raise Refusal("application.name", sentence, field="name")
    addresses = list(dict.fromkeys(each.strip() for each in redirect_uris if each.strip()))
    if not 0 < len(addresses) <= ADDRESSES_AT_MOST:
        sentence = "Please give one to ten addresses."
        raise Refusal("application.addresses", sentence, field="redirect_uris")
    for address in addresses:
        _check_address(address)
    owner = User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    if applications_of(owner).count() >= APPLICATIONS_AT_MOST:
        raise Refusal("application.too-many", "You have ten applications already.")
    model = get_application_model()
    secret = "" if public else generate_client_secret()
    application = model(
        user=owner,
        name=name,
        redirect_uris=" ".join(addresses),
        client_type=model.CLIENT_PUBLIC if public else model.CLIENT_CONFIDENTIAL,
        authorization_grant_type=model.GRANT_AUTHORIZATION_CODE,
        client_secret=secret,
    )
    try:
        application.clean()
    except ValidationError as error:
        raise Refusal("application.addresses", error.messages[0], field="redirect_uris") from error
    application.save()
    audit_record(
        acting_user=acting_user,
        action="application.register",
        target=application,
        data={"name": name, "redirect_uris": addresses},
    )
    return application, secret


def _check_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        parts, host = None, ""
    good = parts is not None and host and not parts.fragment and origin_of(address)
    safe = parts is not None and (
        parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    )
    if not good or not safe or any(letter.isspace() for letter in address):
        raise Refusal(
            "application.addresses",
            "An address begins with https://, or with http:// on your own machine.",
            field="redirect_uris",
        )


@transaction.atomic
def application_delete(*, acting_user: User, application: Any) -> None:
    """Delete one's application; what it was allowed ends with it.

    Raises Refusal ``application.none`` (it is somebody else's).
    """
    locked = (
        applications_of(acting_user)
        .select_for_update(no_key=False)
        .filter(pk=application.pk)
        .first()
    )
    if locked is None:
        raise Refusal("application.none", "There is no such application.")
    users = set(
        get_access_token_model().objects.filter(application=locked).values_list("user", flat=True)
    )
    audit_record(
        acting_user=acting_user,
        action="application.delete",
        target=locked,
        data={"name": locked.name},
    )
    locked.delete()
    for user_id in users:
        rights_announce_change(user_id)


@transaction.atomic
def authorisation_revoke(*, acting_user: User, application: Any) -> None:
    """Shut an application out again, and end what it has open.

    Raises Refusal ``authorisation.none``.
    """
    tokens = get_refresh_token_model().objects.select_for_update(no_key=True)
    rows = list(tokens.filter(user=acting_user, application=application, revoked__isnull=True))
    if not rows:
        raise Refusal("authorisation.none", "This application is not let in.")
    for row in rows:
        row.revoke()
    get_access_token_model().objects.filter(user=acting_user, application=application).delete()
    get_grant_model().objects.filter(user=acting_user, application=application).delete()
    audit_record(acting_user=acting_user, action="authorisation.revoke", target=application)
    rights_announce_change(acting_user.pk)


@transaction.atomic
def code_revoke_reused(*, application: Any, code: str) -> None:
    """End the tokens that a code has brought, if it was used before; otherwise do nothing."""
    family = _family_of(code)
    tokens = get_refresh_token_model()
    brought = tokens.objects.filter(token_family=family, application=application)
    first = brought.select_related("user").order_by("pk").first()
    if first is None:
        return
    tokens.revoke_family(family)
    audit_record(acting_user=None, action="authorisation.code-reused", target=application)
    rights_announce_change(first.user_id)
