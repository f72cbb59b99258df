"""Applications of other people, and what they have been allowed: who may see what, and services."""

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
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import (
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_refresh_token_model,
)

from accounts.models import User
from accounts.services import audit_record, rights_announce_change
from accounts.signin.notices import owner_tell
from core.refusals import Refusal

NAME_MAX: Final = 60
APPLICATIONS_AT_MOST: Final = 10
ADDRESSES_AT_MOST: Final = 10
_LOOPBACK: Final = {"localhost", "127.0.0.1", "::1"}
# The host of an address, as it may stand in a header: nothing that ends a directive or a value.
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")


# -- addresses and codes -------------------------------------------------------------------------


def origin_of(address: str) -> str:
    """Scheme and host of an address that people are sent back to, fit to stand in a header; empty
    where they are not."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    good = parts.scheme in ("https", "http") and _HOST.fullmatch(parts.netloc.lower())
    return f"{parts.scheme}://{parts.netloc}" if good else ""


def family_of(code: str) -> uuid.UUID:
    """By which the tokens are known that a code has brought, when the code itself is gone."""
    return uuid.UUID(bytes=hashlib.sha256(code.encode()).digest()[:16])


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
    owner_tell(owner, "application_made", {"name": name})
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
def authorisations_revoke(*, acting_user: User) -> int:
    """Shut out all applications that one has let in; returns how many."""
    applications = [entry["application"] for entry in authorisations_of(acting_user)]
    for application in applications:
        authorisation_revoke(acting_user=acting_user, application=application)
    # Codes that were not traded in yet, and what else is left.
    get_access_token_model().objects.filter(user=acting_user).delete()
    get_grant_model().objects.filter(user=acting_user).delete()
    return len(applications)


@transaction.atomic
def code_revoke_reused(*, application: Any, code: str) -> None:
    """End the tokens that a code has brought, if it was used before; otherwise do nothing."""
    family = family_of(code)
    tokens = get_refresh_token_model()
    brought = tokens.objects.filter(token_family=family, application=application)
    first = brought.select_related("user").order_by("pk").first()
    if first is None:
        return
    tokens.revoke_family(family)
    audit_record(acting_user=None, action="authorisation.code-reused", target=application)
    rights_announce_change(first.user_id)
