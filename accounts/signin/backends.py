"""Who may sign in, and stay signed in. A suspension holds in both, and ends by itself."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from asgiref.sync import sync_to_async
from django.contrib.auth import backends

from accounts.addresses import own_address
from accounts.models import User
from accounts.moderation.standing import is_suspended


class _StandingMixin:
    """Asks for the person's standing in the query that fetches them."""

    def user_can_authenticate(self, user: Any) -> bool:
        allowed: bool = super().user_can_authenticate(user)  # type: ignore[misc]
        return allowed and not is_suspended(user)

    def get_user(self, user_id: Any) -> User | None:
        user = User.objects.of_number(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

    async def aget_user(self, user_id: Any) -> User | None:
        return await sync_to_async(self.get_user)(user_id)


def speaks_for(user: User, address: str) -> bool:
    """Whether an address counts as that account's: once it is confirmed, or as the one that it was
    registered with, for as long as it has no confirmed one. One that was typed later does not,
    unless there was none before."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True)
    known = {each.lower() for each in confirmed.values_list("email", flat=True)}
    known = known or {own_address(user).lower()} - {""}
    return not known or address.lower() in known


class NameBackend(_StandingMixin, backends.ModelBackend):
    """By username; also the rights that the admin site asks for."""


class NameOrAddressBackend(_StandingMixin, AuthenticationBackend):
    """By username or email address, for the sign-in page."""

    def _authenticate_by_email(self, email: str, password: str) -> Any:
        # The library looks at confirmed addresses first: by that, whoever has registered with
        # another's address, and cannot sign in by it, would learn that it is another's.
        for user in filter_users_by_email(email, for_login=True) if email else ():
            if self._check_password(user, password) and speaks_for(user, email):
                return user
        return None
