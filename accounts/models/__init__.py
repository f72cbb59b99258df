"""What a site keeps about people. Changes go through the services of `accounts`."""

from accounts.models.announcements import (
    Announcement,
    AnnouncementChoice,
    AnnouncementDelivery,
    AnnouncementQuerySet,
    PushSubscription,
    PushSubscriptionQuerySet,
)
from accounts.models.audit import AuditCheck, AuditEntry, AuditLink
from accounts.models.blocks import Block, BlockQuerySet
from accounts.models.discord import DiscordLink, DiscordLinkRequest
from accounts.models.leaving import AccountDeletion, ReservedName
from accounts.models.moderation import (
    AccountMerge,
    Appeal,
    AppealQuerySet,
    Report,
    ReportQuerySet,
    Sanction,
    SanctionQuerySet,
)
from accounts.models.sessions import UserSession, UserSessionQuerySet
from accounts.models.site import (
    RegistrationChange,
    SecondFactorRule,
    SiteAnnouncement,
    SiteAnnouncementQuerySet,
)
from accounts.models.tokens import ApiToken
from accounts.models.users import User
from accounts.models.ways import WayIn

__all__ = [
    "AccountDeletion",
    "AccountMerge",
    "Announcement",
    "AnnouncementChoice",
    "AnnouncementDelivery",
    "AnnouncementQuerySet",
    "ApiToken",
    "Appeal",
    "AppealQuerySet",
    "AuditCheck",
    "AuditEntry",
    "AuditLink",
    "Block",
    "BlockQuerySet",
    "DiscordLink",
    "DiscordLinkRequest",
    "PushSubscription",
    "PushSubscriptionQuerySet",
    "RegistrationChange",
    "Report",
    "ReportQuerySet",
    "ReservedName",
    "Sanction",
    "SanctionQuerySet",
    "SecondFactorRule",
    "SiteAnnouncement",
    "SiteAnnouncementQuerySet",
    "User",
    "UserSession",
    "UserSessionQuerySet",
    "WayIn",
]
