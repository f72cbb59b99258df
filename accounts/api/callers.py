"""Who calls the API."""

from __future__ import annotations

from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from accounts.models import User


def signed_in(request: Request) -> User:
    """The caller. Raises NotAuthenticated for nobody; views for people say so themselves before."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def accounts_named(usernames: set[str]) -> dict[str, User]:
    """The accounts of these names, by them, in one query."""
    possible = [name for name in usernames if name.isprintable()]
    return {user.username: user for user in User.objects.filter(username__in=possible)}
