"""Roles across the site. Everything that asks "may they?" about a role asks here.

A role is membership of a group, so that an administrator can see and search it. Superusers count
as having every role; a closed (inactive) account has none.
"""

from collections.abc import Sequence
from enum import StrEnum

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from accounts.models import User


class Role(StrEnum):
    """A role, by the name of its group."""

    # Runs matches and seasons: pauses, corrects, rules.
    ORGANISER = "organisers"
    # Keeps people civil: mutes, closes accounts, reads the audit log.
    MODERATOR = "moderators"


def has_role(user: AbstractBaseUser | AnonymousUser | None, role: Role) -> bool:
    """Whether the user has the role. Costs at most one query per user object."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or role in _group_names(user)


def is_organiser(user: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether the user may run matches and seasons."""
    return has_role(user, Role.ORGANISER)


def organisers() -> QuerySet[User]:
    """Everybody who has been given that role, whatever has become of their account."""
    return User.objects.filter(groups__name=Role.ORGANISER.value)


def is_moderator(user: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether the user may moderate people."""
    return has_role(user, Role.MODERATOR)


def has_any_role(user: User) -> bool:
    """Whether the user may see anything that others may not. Costs at most one query per user
    object."""
    return user.is_superuser or user.is_staff or bool(_group_names(user))


def is_protected_from(acting_user: User, user: User) -> bool:
    """Whether only a superuser may judge this person, and `acting_user` is none: superusers and
    moderators are, closed ones included. Costs a query: never what was remembered of a role."""
    if acting_user.is_superuser:
        return False
    return user.is_superuser or user.groups.filter(name=Role.MODERATOR.value).exists()


def forget_roles(user: User) -> None:
    """Drop what was remembered, after a change of roles."""
    user.group_names = None


def _group_names(user: User) -> Sequence[str]:
    # Remembered on the object, hence for one request: a page asks several times.
    if user.group_names is None:
        user.group_names = list(user.groups.values_list("name", flat=True))
    return user.group_names
