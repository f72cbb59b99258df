"""Who may look, and that rows are changed by services only.

Who is a moderator is known to the app that keeps people, which says so as the site starts:

    register_moderators(is_moderator)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest

from core.admin.classes import AdminClass

if TYPE_CHECKING:
    # The type of whatever model the settings name.
    from django.contrib.auth.models import _User

Anybody = AbstractBaseUser | AnonymousUser
_moderators: list[Callable[[Anybody], bool]] = []
_kept_out: list[Callable[[Anybody], bool]] = []


def register_moderators(check: Callable[[Anybody], bool]) -> None:
    """Have `check(user)` asked who is a moderator: until somebody has said so, nobody is.
    Registering again changes nothing."""
    if check not in _moderators:
        _moderators.append(check)


def register_kept_out(check: Callable[[Anybody], bool]) -> None:
    """Have `check(user)` asked who may not enter the admin site for now, whatever they have been
    given. Registering again changes nothing."""
    if check not in _kept_out:
        _kept_out.append(check)


def is_kept_out(user: Anybody) -> bool:
    """Whether somebody may not enter for now."""
    return any(check(user) for check in _kept_out)


def moderates(user: Anybody) -> bool:
    """Whether somebody is a moderator."""
    return any(check(user) for check in _moderators)


def person(request: HttpRequest) -> _User:
    """Who is at the admin site, which admits nobody who is not signed in."""
    if not isinstance(request.user, get_user_model()):
        raise PermissionDenied
    return request.user


class ReadOnly:
    """To look at, not to change: what changes these rows is a service."""

    def has_add_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Model | None = None) -> bool:
        return False


class ModeratorView(AdminClass):
    """Moderators may look at these rows, without any permission of Django's."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return moderates(request.user) or super().has_module_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return moderates(request.user) or super().has_view_permission(request, obj)
