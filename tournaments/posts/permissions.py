"""What somebody may do in a channel in Discord, worked out from its server's roles and its own
exceptions, in the order that Discord documents ("Permissions", "Permission Hierarchy")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

ADMINISTRATOR: Final = 1 << 3
VIEW_CHANNEL: Final = 1 << 10
SEND_MESSAGES: Final = 1 << 11
EMBED_LINKS: Final = 1 << 14
ATTACH_FILES: Final = 1 << 15
READ_HISTORY: Final = 1 << 16
MANAGE_ROLES: Final = 1 << 28
MANAGE_WEBHOOKS: Final = 1 << 29
CREATE_THREADS: Final = 1 << 35
SEND_IN_THREADS: Final = 1 << 38
EVERYTHING: Final = (1 << 53) - 1

#: Without these the bot can tell nothing there.
NEEDED: Final = VIEW_CHANNEL | SEND_MESSAGES | EMBED_LINKS
#: What it would have besides, by the words that organisers are told where it has not.
WANTED: Final[Mapping[str, int]] = {
    "files": ATTACH_FILES,
    "history": READ_HISTORY,
    "threads": CREATE_THREADS | SEND_IN_THREADS,
}
#: What the bot asks for when it is invited: all of that, and for roles to give, to manage roles.
INVITED: Final = NEEDED | ATTACH_FILES | READ_HISTORY | CREATE_THREADS | SEND_IN_THREADS
LACKS: Final[Mapping[str, str]] = {
    "files": "It may not attach files, so boards come without pictures.",
    "history": "It may not read what was said before, so a message may come twice after a fault.",
    "threads": "It may not make threads and write in them, so everything stands in the channel.",
    "roles": "It may not give one of these roles: it must be allowed to manage roles, and its own "
    "role must stand above them.",
}
#: Kinds of channels in which messages and threads stand.
TEXT, NEWS = 0, 5


def permissions_in(
    guild: Mapping[str, Any], channel: Mapping[str, Any], member: Mapping[str, Any]
) -> int:
    """What a member of a server may do in a channel of it, as bits."""
    whose = str(member["user"]["id"])
    allowed = permissions_of(guild, member)
    if allowed == EVERYTHING:
        return EVERYTHING
    exceptions = {str(each["id"]): each for each in channel.get("permission_overwrites") or ()}
    allowed = _but(allowed, [exceptions.get(str(guild["id"]))])
    allowed = _but(allowed, [exceptions.get(role) for role in map(str, member["roles"])])
    allowed = _but(allowed, [exceptions.get(whose)])
    # Who does not see a channel can do nothing there.
    return allowed if allowed & VIEW_CHANNEL else 0


def permissions_of(guild: Mapping[str, Any], member: Mapping[str, Any]) -> int:
    """What a member of a server may do in it, as bits; all there is for who owns or runs it."""
    if str(guild.get("owner_id")) == str(member["user"]["id"]):
        return EVERYTHING
    allowed = 0
    for role in roles_of(guild, member):
        allowed |= int(role["permissions"])
    return EVERYTHING if allowed & ADMINISTRATOR else allowed


def roles_of(guild: Mapping[str, Any], member: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The roles that a member has, with the one that everybody has."""
    own = {str(guild["id"]), *map(str, member["roles"])}
    return [role for role in guild["roles"] if str(role["id"]) in own]


def may_give(guild: Mapping[str, Any], member: Mapping[str, Any], role: Mapping[str, Any]) -> bool:
    """Whether a member of a server may give others a role of it: one that is below their own
    highest, and not everybody's, nor an application's."""
    if role.get("managed") or str(role["id"]) == str(guild["id"]):
        return False
    if not permissions_of(guild, member) & MANAGE_ROLES:
        return False
    if str(guild.get("owner_id")) == str(member["user"]["id"]):
        return True
    return int(role["position"]) < max(int(own["position"]) for own in roles_of(guild, member))


def _but(allowed: int, exceptions: Sequence[Mapping[str, Any] | None]) -> int:
    """The same with exceptions of one rank: what any of them allows outdoes what another denies."""
    found = [each for each in exceptions if each is not None]
    denied = granted = 0
    for each in found:
        denied |= int(each["deny"])
        granted |= int(each["allow"])
    return allowed & ~denied | granted
