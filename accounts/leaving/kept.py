"""Of every row that points at an account: whether its owner is given it, or why not.

Each app says so of its own models, in its `AppConfig.ready`, by `declare`. A row is found by the
path from its model to the account; a test goes over every foreign key there is, and fails for one
that nobody has decided about (`tests/security/test_export.py`).

What others have entrusted to the site in confidence is not somebody's to have because it is about
them: who has reported or blocked them, what moderators have noted, what an opponent or an organiser
has hidden. Secrets by which something can be opened are in no export: it may be left lying about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.db.models import Q


class Given(NamedTuple):
    """Rows that are given: these fields of them, where ``only`` holds."""

    fields: tuple[str, ...]
    only: Q = Q()


class Withheld(NamedTuple):
    """Rows that are not, and why."""

    why: str


Decision = Given | Withheld
#: By the label of the model and the path to the account: `accounts.block` and `blocker`.
_decisions: dict[tuple[str, str], Decision] = {}


def declare(decisions: Mapping[tuple[str, str], Decision]) -> None:
    """Say of an app's models what its owner is given of them. Again replaces what was said."""
    _decisions.update(decisions)


def decisions() -> Mapping[tuple[str, str], Decision]:
    """What was said of each."""
    return _decisions


_MODERATING: Final = Withheld(
    "what a moderator does about others; the audit entries say that it was"
)
_KEYS: Final = Withheld("keys and codes, which open something")

ACCOUNTS: Final[Mapping[tuple[str, str], Decision]] = {
    ("account.emailaddress", "user"): Given(("email", "verified", "primary")),
    ("socialaccount.socialaccount", "user"): Given(("provider", "uid", "date_joined")),
    ("mfa.authenticator", "user"): Given(("type", "created_at", "last_used_at")),
    ("oauth2_provider.application", "user"): Given(
        ("name", "client_id", "redirect_uris", "created")
    ),
    ("oauth2_provider.grant", "user"): _KEYS,
    ("oauth2_provider.accesstoken", "user"): Given(
        ("application__name", "scope", "created", "expires")
    ),
    ("oauth2_provider.refreshtoken", "user"): Given(("application__name", "created", "revoked")),
    ("oauth2_provider.idtoken", "user"): _KEYS,
    ("oauth2_provider.devicegrant", "user"): _KEYS,
    ("admin.logentry", "user"): Withheld("the audit entries say the same"),
    ("api.idempotencykey", "user"): Withheld("answers that are kept for a day, to be repeated"),
    ("accounts.user_groups", "user"): Given(("group__name",)),
    ("accounts.user_user_permissions", "user"): Given(("permission__codename",)),
    ("accounts.accountdeletion", "user"): Given(("asked_at", "due_at")),
    ("accounts.announcement", "user"): Given(("kind", "subject", "words", "path", "at", "read_at")),
    ("accounts.announcementchoice", "user"): Given(("kind", "way", "when")),
    ("accounts.pushsubscription", "user"): Given(("browser", "created_at", "reached_at")),
    ("accounts.apitoken", "user"): Given(
        ("name", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at")
    ),
    ("accounts.auditentry", "who"): Given(("at", "action", "target_type", "target_id")),
    ("accounts.block", "blocker"): Given(("blocked__username", "at")),
    ("accounts.block", "blocked"): Withheld("whoever blocks somebody does so in confidence"),
    ("accounts.discordlink", "user"): Given(
        ("discord_id", "name", "linked_at", "mentions", "found_by_name")
    ),
    ("accounts.sanction", "user"): Given(
        ("kind", "reason", "at", "until", "lifted_at", "lifted_why", "acknowledged_at")
    ),
    ("accounts.sanction", "by"): _MODERATING,
    ("accounts.sanction", "lifted_by"): _MODERATING,
    ("accounts.appeal", "sanction__user"): Given(
        ("sanction_id", "words", "at", "withdrawn_at", "answered_at", "outcome", "answer")
    ),
    ("accounts.appeal", "claimed_by"): _MODERATING,
    ("accounts.appeal", "answered_by"): _MODERATING,
    ("accounts.report", "reporter"): Given(
        ("title", "url", "reason", "words", "at", "closed_at", "outcome", "answer")
    ),
    ("accounts.report", "about"): Withheld("whoever reports somebody does so in confidence"),
    ("accounts.report", "claimed_by"): _MODERATING,
    ("accounts.report", "closed_by"): _MODERATING,
    ("accounts.accountmerge", "keep"): Given(("duplicate__username", "at")),
    ("accounts.accountmerge", "duplicate"): Withheld("of an account that nobody signs in to"),
    ("accounts.accountmerge", "by"): _MODERATING,
    ("accounts.siteannouncement", "by"): Given(("words", "begins_at", "ends_at", "at")),
    ("accounts.registrationchange", "by"): Given(("is_open", "words", "at")),
    ("accounts.secondfactorrule", "by"): Given(("of_organisers", "at")),
    ("accounts.usersession", "user"): Given(("device", "network", "signed_in_at", "last_used_at")),
    # Never the digest: with it, others' could be compared.
    ("accounts.wayin", "user"): Given(("kind", "first_on", "last_on")),
}
