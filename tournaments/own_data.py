"""What people are given, with their data, of what seasons keep (`accounts.leaving.kept`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db.models import Q

from accounts.leaving.kept import Decision, Given, Withheld

_OTHERS: Final = Withheld("what others have; the audit entries say that it was done")

DECISIONS: Final[Mapping[tuple[str, str], Decision]] = {
    ("tournaments.season", "created_by"): Given(("name", "slug", "status", "created_at")),
    ("tournaments.seasonorganiser", "user"): Given(("season__slug", "role", "rights", "since")),
    ("tournaments.seasonorganiser", "admitted_by"): _OTHERS,
    # Without the key by which it is answered.
    ("tournaments.organiserinvitation", "user"): Given(
        ("season__slug", "role", "rights", "made_at", "answer", "answered_at")
    ),
    ("tournaments.organiserinvitation", "made_by"): Given(("season__slug", "role", "made_at")),
    ("tournaments.seasoninvitation", "made_by"): Given(
        ("season__slug", "note", "limit", "made_at", "expires_at", "revoked_at")
    ),
    ("tournaments.seasonapplication", "user"): Given(
        ("season__slug", "status", "words", "name", "why", "asked_at", "decided_at")
    ),
    ("tournaments.seasonapplication", "decided_by"): _OTHERS,
    ("tournaments.contestant", "user"): Given(
        ("season__slug", "name", "seed", "status", "place", "enrolled_at", "left_at")
    ),
    ("tournaments.episode", "chosen_by"): Given(("round__season__slug", "round__number")),
    # What was prepared is a secret of the match.
    ("tournaments.leg", "prepared_by"): Given(("death_match__round__season__slug", "match_id")),
    ("tournaments.remindersent", "user"): Given(("leg_id", "kind", "sent_at")),
    ("tournaments.seasonfollow", "user"): Given(("season__slug", "at")),
    # What is hidden from those who play is not to lie about in a file.
    ("tournaments.gift", "given_by"): Given(
        ("season__slug", "item", "ruleset", "note", "given_at"),
        only=Q(secret=False) | Q(revealed_at__isnull=False),
    ),
    ("tournaments.ledgerentry", "by"): Given(
        ("season__slug", "kind", "unit", "amount", "why", "at"), only=Q(secret=False)
    ),
    ("tournaments.ledgerentry", "payer__user"): Given(
        ("season__slug", "kind", "unit", "amount", "why", "at"), only=Q(secret=False)
    ),
    ("tournaments.seasonmessage", "by"): Given(("season__slug", "title", "words", "whom", "at")),
    ("tournaments.picture", "by"): Given(("season__slug", "digest", "alt", "at", "off_at")),
    ("tournaments.seasonprediction", "user"): Given(
        ("season__slug", "death_match_id", "contestant__name", "at")
    ),
    ("tournaments.freehours", "user"): Given(("zone", "week", "changed_at")),
    ("tournaments.discordchannel", "created_by"): Given(
        ("season__slug", "guild_name", "name", "created_at")
    ),
    # Its address may be as good as a password.
    ("tournaments.webhook", "created_by"): Given(("season__slug", "name", "created_at")),
}
