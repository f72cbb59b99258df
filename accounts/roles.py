"""Roles across the site. Everything that asks "may they?" about a role asks here.

A role is membership of a group, so that an administrator can see and search it. Superusers count
as having every role; a closed (inactive) account has none.

What a role lets somebody do rests for as long as they must have a second factor and have none. Here
it is decided of whom one is asked, and nowhere else: `has_role` and what stands on it say what
somebody may do now, `holds_role` says what they have been given.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from accounts.models import SecondFactorRule, User
from accounts.models.users import SECOND_FACTORS
from core.refusals import Forbidden, Refusal, RefusalKind


class Role(StrEnum):
    """A role, by the name of its group."""

    # Runs matches and seasons: pauses, corrects, rules.
    ORGANISER = "organisers"
    # Keeps people civil: mutes, closes accounts, reads the audit log.
    MODERATOR = "moderators"


def has_role(user: AbstractBaseUser | AnonymousUser | None, role: Role) -> bool:
    """Whether the user has the role, and it does not rest. Costs at most one query per user object,
    and two more where a second factor is required."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_superuser and not rests(user):
        return True
    return role in _group_names(user) and not rests(user, role)


def holds_role(user: AbstractBaseUser | AnonymousUser | None, role: Role) -> bool:
    """Whether the user has been given the role, and has an open account: also where it rests."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser or role in _group_names(user)


def is_administrator(user: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Whether the user may do everything: a superuser, whose power does not rest."""
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_superuser and not rests(user)


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
    if is_administrator(acting_user):
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


# -- second factors ------------------------------------------------------------------------------

HELD_BACK_SENTENCE: Final = (
    "What you may do beyond others rests until your account has a second factor: set one up in "
    "your settings, under Second factor."
)


def rests(user: User, role: Role | None = None, *, given: Callable[[], bool] | None = None) -> bool:
    """Whether what a role lets somebody do waits for them to set up a second factor; without one,
    what they may do as an administrator. It is noted that they were held back.

    Asked of whoever uses such a power, by a role of the site or otherwise: who runs a season or
    referees a match does what organisers do. Where it is not known yet that they were given any,
    ``given`` says so: of everybody else nothing was held back.
    """
    if not _is_required_of(user, role) or _has_factor(user):
        return False
    if given is None or given():
        user.was_held_back = True
    return True


# What is there at an address, of what only those see who hold a power: asked with whoever holds
# one, and what the address names.
Kept = Callable[[User, Mapping[str, Any]], bool]
_kept: list[Kept] = []


def register_kept(check: Kept) -> None:
    """Have `check(user, named)` asked whether an address that is answered 404 to somebody whose
    power rests leads to something that they would see otherwise. Registering again changes
    nothing."""
    if check not in _kept:
        _kept.append(check)


def is_kept_from(user: User, named: Mapping[str, Any]) -> bool:
    """Whether something is there at an address, by what it names, that somebody does not see only
    because their power rests: of what is not there nobody was held back."""
    return any(check(user, named) for check in _kept)


def administration_rests(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether somebody may not enter the admin site before they have set up a second factor."""
    return isinstance(user, User) and rests(user)


def lacks_factor(user: Any) -> bool:
    """Whether somebody has been given a role that rests, for pages that say so."""
    if not isinstance(user, User) or not user.is_active or not _is_required():
        return False
    given = [role for role in Role if role in _group_names(user)]
    powers = [*given, *([None] if user.is_superuser or user.is_staff else [])]
    return any(_is_required_of(user, power) for power in powers) and not _has_factor(user)


def explained(refusal: Refusal, user: Any, named: Mapping[str, Any] | None = None) -> Refusal:
    """A refusal as it is told to somebody: who was held back for want of a second factor hears of
    that, where anything else would be wrong or of no use to them. ``named``: what they asked for,
    as an address would name it; of what is not there nobody was held back."""
    if not getattr(user, "was_held_back", False):
        return refusal
    if refusal.kind is RefusalKind.NOT_FOUND and is_kept_from(user, named or {}):
        return held_back()
    return held_back() if refusal.kind is RefusalKind.FORBIDDEN else refusal


def held_back() -> Forbidden:
    """Why somebody cannot do what they have been given to do."""
    return Forbidden("account.second-factor-missing", HELD_BACK_SENTENCE)


def organisers_need_factor() -> bool:
    """Whether the administrator has said that organisers must have one."""
    last = SecondFactorRule.objects.order_by("-pk").values_list("of_organisers", flat=True).first()
    return bool(last)


def _is_required() -> bool:
    required: bool = settings.GAUNTLET_SECOND_FACTOR_REQUIRED
    return required


def _is_required_of(user: User, role: Role | None) -> bool:
    if not _is_required():
        return False
    if role is not Role.ORGANISER:
        return True
    if user.organisers_need_factor is None:
        user.organisers_need_factor = organisers_need_factor()
    return user.organisers_need_factor


def _has_factor(user: User) -> bool:
    if user.has_second_factor is None:
        found = Authenticator.objects.filter(user=user, type__in=SECOND_FACTORS)
        user.has_second_factor = found.exists()
    return user.has_second_factor
