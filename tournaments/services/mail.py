"""Whom of a season anything reaches, and what its organisers are told."""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from django.urls import reverse

from accounts.addresses import confirmed_addresses
from accounts.announcing.services import Told, announce, reached
from accounts.models import User
from tournaments.models import Season
from tournaments.naming import Naming
from tournaments.rights import Right

log = structlog.get_logger("gauntlet.seasons")


def addresses_of(users: Iterable[User]) -> dict[int, str]:
    """The confirmed address of each user who has one and can sign in, by the user's id."""
    return confirmed_addresses([user for user in users if user.is_active])


def unreached(users: Iterable[User]) -> list[str]:
    """The names of those whom nothing reaches away from the site: they have confirmed no address,
    and have switched on no device and linked no account in Discord either."""
    people = [user for user in users if user.is_active]
    there = reached(user.pk for user in people)
    return [user.shown_name for user in people if user.pk not in there]


def organisers_announce(
    *, season: Season, right: Right, key: str, subject: str, words: str
) -> None:
    """Tell everybody who may see to it: who runs the season, and helpers who have the ``right``;
    ``key`` names what it is about. For a transaction."""
    users = _holding(season, right)
    if len(unreached(users)) == len(users):
        # It stands on the season's desk all the same, which says that nothing reaches them.
        log.warning("organisers.nobody-reached", season=season.pk, organisers=len(users))
    marked = Naming.of(season.pk).marked(words)
    desk = reverse("tournaments:desk", args=[season.slug])
    announce(Told(user, "organiser.needed", key, subject, marked, desk) for user in users)


def application_announce(*, season: Season, applicant: User, key: str) -> None:
    """Tell those who run the season that somebody has applied, but for the applicant. What they say
    of themselves stands on the page alone. For a transaction."""
    name = applicant.shown_name
    path = reverse("tournaments:applications", args=[season.slug])
    announce(
        Told(
            user=each,
            kind="organiser.application",
            key=key,
            subject=f"{season.name}: {name} applies",
            words=f"{season.name}: {name} has applied to take part. You decide.",
            path=path,
        )
        for each in _holding(season, Right.PEOPLE)
        if each.pk != applicant.pk
    )


def _holding(season: Season, right: Right) -> list[User]:
    return [each.user for each in season.organisers.holding(right).select_related("user")]
