"""Organisers show a match in the best place, or no longer."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import Forbidden, Refusal
from games.audience import may_feature
from games.models import FeaturedMatch, Match
from games.publishing.notices import announce_featured


@transaction.atomic
def match_feature(*, acting_user: User, match: Match) -> FeaturedMatch:
    """Show a match in the best place, instead of whichever was there. Again, it changes nothing.

    Raises Refusal ``feature.not-allowed``, ``match.over``.
    """
    _must_be_featurable(match, acting_user)
    row = FeaturedMatch.objects.select_for_update(no_key=True).first()
    before = None if row is None else row.match_id
    if row is not None and before == match.pk:
        return row
    changed, _ = FeaturedMatch.objects.update_or_create(
        place=1, defaults={"match": match, "since": now_utc()}
    )
    audit_record(
        acting_user=acting_user,
        action="match.feature",
        target=match,
        data={"instead_of": before},
    )
    transaction.on_commit(partial(announce_featured, match.pk, featured=True))
    return changed


@transaction.atomic
def match_unfeature(*, acting_user: User, match: Match) -> None:
    """Show a match in the best place no longer: the site chooses again.

    Raises Refusal ``feature.not-allowed``, ``feature.none``.
    """
    must_be_allowed_to_feature(match, acting_user)
    row = FeaturedMatch.objects.select_for_update(no_key=False).filter(match=match).first()
    if row is None:
        raise Refusal("feature.none", "This match is not featured.")
    row.delete()
    audit_record(acting_user=acting_user, action="match.unfeature", target=match)
    transaction.on_commit(partial(announce_featured, match.pk, featured=False))


def must_be_allowed_to_feature(match: Match, acting_user: User) -> None:
    """Raises Refusal ``feature.not-allowed``."""
    if not may_feature(match, acting_user):
        raise Forbidden(
            "feature.not-allowed", "Only organisers feature matches, and nobody their own."
        )


def must_be_able_to_feature(match: Match, acting_user: User) -> None:
    """Raises Refusal ``feature.not-allowed``, ``match.over``, ``feature.already``."""
    _must_be_featurable(match, acting_user)
    if _is_featured(match):
        raise Refusal("feature.already", "This match is featured already.")


def must_be_able_to_unfeature(match: Match, acting_user: User) -> None:
    """Raises Refusal ``feature.not-allowed``, ``feature.none``."""
    must_be_allowed_to_feature(match, acting_user)
    if not _is_featured(match):
        raise Refusal("feature.none", "This match is not featured.")


def _must_be_featurable(match: Match, acting_user: User) -> None:
    must_be_allowed_to_feature(match, acting_user)
    if match.is_over:
        raise Refusal("match.over", "The match is over.")


def _is_featured(match: Match) -> bool:
    return FeaturedMatch.objects.filter(match=match).exists()
