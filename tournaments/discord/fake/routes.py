"""The addresses of Discord's interface."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

_ID: Final = r"(\d{1,20})"
ROUTES: Final = [
    ("PUT", rf"/applications/{_ID}/commands", "commands_put"),
    ("GET", rf"/applications/{_ID}/commands", "commands_get"),
    ("PUT", rf"/applications/{_ID}/guilds/{_ID}/commands", "guild_commands_put"),
    ("GET", rf"/applications/{_ID}/guilds/{_ID}/commands", "guild_commands_get"),
    ("POST", rf"/channels/{_ID}/messages", "message_post"),
    ("GET", rf"/channels/{_ID}/messages", "messages_get"),
    ("PATCH", rf"/channels/{_ID}/messages/{_ID}", "message_patch"),
    ("GET", rf"/channels/{_ID}/messages/{_ID}", "message_get"),
    ("DELETE", rf"/channels/{_ID}/messages/{_ID}", "message_delete"),
    ("POST", rf"/channels/{_ID}/messages/{_ID}/threads", "thread_of_message"),
    ("POST", rf"/channels/{_ID}/threads", "thread_post"),
    ("PATCH", rf"/channels/{_ID}", "channel_patch"),
    ("GET", rf"/channels/{_ID}", "channel_get"),
    ("DELETE", rf"/channels/{_ID}", "channel_delete"),
    ("GET", r"/users/@me", "me_get"),
    ("POST", r"/users/@me/channels", "direct_post"),
    ("GET", rf"/guilds/{_ID}", "guild_get"),
    ("GET", rf"/guilds/{_ID}/members/{_ID}", "member_get"),
    ("PUT", rf"/guilds/{_ID}/members/{_ID}/roles/{_ID}", "role_put"),
    ("DELETE", rf"/guilds/{_ID}/members/{_ID}/roles/{_ID}", "role_delete"),
    ("POST", rf"/webhooks/{_ID}/([^/]+)", "webhook_post"),
    ("PATCH", rf"/webhooks/{_ID}/([^/]+)/messages/(@original|\d+)", "webhook_message_patch"),
    ("GET", rf"/webhooks/{_ID}/([^/]+)/messages/(@original|\d+)", "webhook_message_get"),
]


def route_of(method: str, path: str) -> tuple[str, tuple[str, ...]] | None:
    """What is asked for by a path below Discord's base, and the parts of it that say of what; None
    where there is nothing."""
    for verb, pattern, name in ROUTES:
        found = re.fullmatch(pattern, unquote(path)) if verb == method else None
        if found:
            return name, found.groups()
    return None
