"""Whether organisers must have a second factor."""

from __future__ import annotations

from django.db import transaction

from accounts.models import SecondFactorRule, User
from accounts.roles import organisers_need_factor
from accounts.services import audit_record, must_administer
from core.clock import now_utc
from core.refusals import Refusal


@transaction.atomic
def second_factor_rule_set(*, acting_user: User, of_organisers: bool) -> SecondFactorRule:
    """Say whether organisers must have a second factor. Raises Refusal
    ``account.not-administrator`` and ``second-factor.unchanged``."""
    must_administer(acting_user)
    if of_organisers == organisers_need_factor():
        raise Refusal("second-factor.unchanged", "That is how it stands already.")
    row = SecondFactorRule.objects.create(of_organisers=of_organisers, by=acting_user, at=now_utc())
    audit_record(
        acting_user=acting_user,
        action="site.second_factor_require" if of_organisers else "site.second_factor_relax",
        target=row,
    )
    return row
