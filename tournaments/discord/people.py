"""Who somebody in Discord is here, for whoever wants to do something."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from accounts.discord.services import link_of, linked_user
from accounts.models import DiscordLink, User
from core.refusals import Forbidden, Refusal


def account_of(discord_id: str) -> User:
    """The account that somebody in Discord has linked, and may use. Raises Refusal
    ``discord.not-linked``, ``account.closed`` and ``account.suspended``."""
    user = linked_user(discord_id)
    if user is not None:
        return user
    link = link_of(discord_id)
    if link is None:
        raise Refusal(
            "discord.not-linked",
            "Your Discord account is linked to none on this site yet. Use /link first.",
        )
    if not link.user.is_active:
        raise Forbidden("account.closed", "This account is closed.")
    raise Forbidden("account.suspended", "Your account is suspended.")


def ids_of(users: Iterable[int | None]) -> dict[int, str]:
    """The Discord accounts of people, by the keys of their accounts; of those who have linked none,
    or whose account is closed, nothing."""
    return dict(_links_of(users).values_list("user", "discord_id"))


def mentioned_of(users: Iterable[int | None]) -> dict[int, str]:
    """The Discord accounts of those of people who want to be mentioned by reminders, by the keys of
    their accounts."""
    return dict(_links_of(users).filter(mentions=True).values_list("user", "discord_id"))


def _links_of(users: Iterable[int | None]) -> QuerySet[DiscordLink]:
    keys = [each for each in users if each is not None]
    return DiscordLink.objects.filter(user__in=keys, user__is_active=True)
