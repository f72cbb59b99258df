"""What a site keeps about people. Changes go through the services of `accounts`."""

from accounts.models.audit import AuditEntry
from accounts.models.blocks import Block, BlockQuerySet
from accounts.models.moderation import (
    AccountMerge,
    Report,
    ReportQuerySet,
    Sanction,
    SanctionQuerySet,
)
from accounts.models.tokens import ApiToken
from accounts.models.users import User

__all__ = [
    "AccountMerge",
    "ApiToken",
    "AuditEntry",
    "Block",
    "BlockQuerySet",
    "Report",
    "ReportQuerySet",
    "Sanction",
    "SanctionQuerySet",
    "User",
]
