"""Taking somebody's second factors away, when they have lost them."""

from __future__ import annotations

from functools import partial

from allauth.mfa.models import Authenticator
from django.db import transaction

from accounts import mail
from accounts.models import User
from accounts.services import (
    audit_record,
    must_administer,
    must_give_a_reason,
    rights_announce_change,
)
from core.refusals import Forbidden, Refusal


@transaction.atomic
def second_factor_reset(*, acting_user: User | None, user: User, reason: str) -> None:
    """Take all of somebody's second factors away, recovery codes included, since they have lost
    them: whoever does this has made sure before that it is them. They are told by mail, and sign in
    by their password alone until they set up another. None acts from the server's own command line.

    Raises Refusal as `must_be_resettable` does, and ``account.reason-missing``.
    """
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if acting_user is not None:
        must_reset(acting_user, locked)
    must_have_factor(locked)
    must_give_a_reason(reason)
    own = Authenticator.objects.filter(user=locked)
    kinds = sorted(own.values_list("type", flat=True))
    own.delete()
    user.has_second_factor = None
    audit_record(
        acting_user=acting_user,
        action="user.second_factor_reset",
        target=locked,
        data={"reason": reason.strip(), "kinds": kinds},
    )
    rights_announce_change(locked.pk)
    transaction.on_commit(partial(mail.second_factor_announce_reset, locked.pk), robust=True)


def must_be_resettable(acting_user: User, user: User) -> None:
    """Whether somebody may take this person's second factors away. Raises Refusal as `must_reset`
    and `must_have_factor` do."""
    must_reset(acting_user, user)
    must_have_factor(user)


def must_reset(acting_user: User, user: User) -> None:
    """Raises Refusal ``account.not-administrator`` and ``account.own-account``."""
    must_administer(acting_user)
    if acting_user.pk == user.pk:
        raise Forbidden("account.own-account", "Your own you remove in your settings.")


def must_have_factor(user: User) -> None:
    """Raises Refusal ``second-factor.none``."""
    if not Authenticator.objects.filter(user=user).exists():
        raise Refusal("second-factor.none", "This account has no second factor.")
