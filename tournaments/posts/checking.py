"""What Discord says of a channel before the bot tells of a season there: that it may, and that
whoever wants it so runs that channel.

Whoever connects a channel could as well make a webhook in it, and give the roles themselves: so
nobody has the bot write, or promote anybody, where they may not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.conf import settings

from accounts.discord import offers
from accounts.models import DiscordLink, User
from core.discord import client
from core.discord.client import DiscordError
from core.refusals import Forbidden, NotFound, Refusal
from tournaments.posts import permissions
from tournaments.posts.models import DiscordChannel

T = TypeVar("T")

#: Codes of Discord's: the bot is not in that server, or may not look.
_NOT_THERE: Final = frozenset({10003, 10004, 50001})
_NAME_MOST: Final = 100
_NO_MEMBER: Final = frozenset({10004, 10007, 10013})


class Checked(NamedTuple):
    """A channel as Discord says that it is; ``lacks``: what the bot may not do there, as
    `permissions.WANTED` calls it; ``role_names``: what the roles that it gives are called, by their
    numbers."""

    channel_id: str
    guild_id: str
    name: str
    guild_name: str
    lacks: list[str]
    role_names: dict[str, str]


def is_offered() -> bool:
    """Whether this site has a bot, and people can show who they are in Discord."""
    return bool(settings.GAUNTLET_DISCORD_BOT_TOKEN) and offers.is_offered()


def invite_address(*, with_roles: bool = False, guild_id: str = "") -> str:
    """Where the bot is invited into a server, or again into that one, with what it needs and
    nothing more; ``with_roles``: it is to give roles, too."""
    wanted = permissions.INVITED | (permissions.MANAGE_ROLES if with_roles else 0)
    asked = {
        "client_id": settings.GAUNTLET_DISCORD_CLIENT_ID,
        "scope": "bot applications.commands",
        "permissions": str(wanted),
        **({"guild_id": guild_id, "disable_guild_select": "true"} if guild_id else {}),
    }
    return f"{offers.origin()}/oauth2/authorize?{urlencode(asked)}"


def is_linked(user: User) -> bool:
    """Whether somebody has shown who they are in Discord."""
    return DiscordLink.objects.filter(user=user).exists()


def channel_checked(channel_id: str, *, user: User, roles: Mapping[str, str]) -> Checked:
    """A channel that ``user`` may have the bot write in, and have it give those roles: the number
    of each, or nothing, by the setting that it is.

    Asks Discord, so call it under no lock. Raises Refusal ``posts.not-linked``,
    ``posts.no-channel``, ``posts.no-text``, ``posts.not-yours``, ``posts.may-not-write``,
    ``posts.no-role``, ``posts.role-not-yours`` and ``posts.away``.
    """
    link = DiscordLink.objects.filter(user=user).first()
    if link is None:
        raise Refusal(
            "posts.not-linked",
            "Please link your Discord account first: only who runs a channel may have the bot "
            "write there.",
        )
    channel = _asked(client.channel_get, channel_id, absent=_no_channel())
    guild_id = str(channel.get("guild_id", ""))
    if channel.get("type") not in (permissions.TEXT, permissions.NEWS) or not guild_id:
        raise Refusal("posts.no-text", "This is not a text channel of a server.")
    guild = _asked(client.guild_get, guild_id, absent=_no_channel())
    _must_be_theirs(guild, channel, link.discord_id, roles)
    lacks = _lacks(guild, channel, roles)
    return _checked(channel_id, channel, guild, lacks, roles)


def channel_rechecked(channel: DiscordChannel) -> Checked:
    """The same of a channel that is connected, whoever asks. Raises Refusal ``posts.no-channel``,
    ``posts.may-not-write`` and ``posts.away``."""
    found = _asked(client.channel_get, channel.channel_id, absent=_no_channel())
    guild = _asked(client.guild_get, channel.guild_id, absent=_no_channel())
    lacks = _lacks(guild, found, channel.roles)
    return _checked(channel.channel_id, found, guild, lacks, channel.roles)


def _checked(
    channel_id: str,
    channel: Mapping[str, Any],
    guild: Mapping[str, Any],
    lacks: list[str],
    roles: Mapping[str, str],
) -> Checked:
    return Checked(
        channel_id,
        str(guild["id"]),
        str(channel["name"])[:_NAME_MOST],
        str(guild["name"])[:_NAME_MOST],
        lacks,
        {str(each["id"]): str(each["name"])[:_NAME_MOST] for each in _roles(guild, roles).values()},
    )


def _must_be_theirs(
    guild: Mapping[str, Any],
    channel: Mapping[str, Any],
    discord_id: str,
    roles: Mapping[str, str],
) -> None:
    refusal = Forbidden(
        "posts.not-yours",
        "You may not manage webhooks in this channel, so you cannot have the bot write there.",
    )
    found = _asked(
        lambda member: client.member_get(str(guild["id"]), member),
        discord_id,
        absent=refusal,
        missing=_NO_MEMBER,
    )
    if not permissions.permissions_in(guild, channel, found) & permissions.MANAGE_WEBHOOKS:
        raise refusal
    for name, role in _roles(guild, roles).items():
        if not permissions.may_give(guild, found, role):
            raise Forbidden(
                "posts.role-not-yours",
                f"You may not give the role {role['name']} yourself, so the bot must not for you.",
                field=name,
            )


def _roles(guild: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    known = {str(each["id"]): each for each in guild["roles"]}
    found = {}
    for name, role in wanted.items():
        if role and role not in known:
            sentence = f"The server {guild['name']} has no role {role}."
            raise Refusal("posts.no-role", sentence, field=name)
        if role:
            found[name] = known[role]
    return found


def _lacks(
    guild: Mapping[str, Any], channel: Mapping[str, Any], roles: Mapping[str, str]
) -> list[str]:
    """Raises Refusal ``posts.may-not-write``, and ``posts.no-role``."""
    own = str(_asked(lambda _: client.bot_get(), "", absent=_no_channel())["id"])
    bot = _asked(
        lambda member: client.member_get(str(guild["id"]), member),
        own,
        absent=_no_channel(),
        missing=_NO_MEMBER,
    )
    allowed = permissions.permissions_in(guild, channel, bot)
    if allowed & permissions.NEEDED != permissions.NEEDED:
        raise Refusal(
            "posts.may-not-write",
            "The bot may not write in this channel: it needs to view it, to send messages and to "
            "embed links.",
        )
    lacks = [name for name, bits in permissions.WANTED.items() if allowed & bits != bits]
    if not all(permissions.may_give(guild, bot, role) for role in _roles(guild, roles).values()):
        lacks.append("roles")
    return lacks


def _no_channel() -> Refusal:
    return NotFound(
        "posts.no-channel",
        "The bot sees no channel with this number. Is it in the server, and may it view the "
        "channel?",
    )


def _asked(
    call: Callable[[str], T],
    argument: str,
    *,
    absent: Refusal,
    missing: frozenset[int] = _NOT_THERE,
) -> T:
    try:
        return call(argument)
    except DiscordError as error:
        if error.code in missing or error.status == 404:
            raise absent from None
        raise Refusal(
            "posts.away", "Discord did not answer as it should. Please try again later."
        ) from None
