"""A mark in the address of a message's button, by which the message is known again.

Discord knows a message's nonce for some minutes, and posts it once however often it is sent in that
time. Whoever sends it later, because nobody has had the answer, looks for its mark before.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings

from core.discord import client
from core.discord.client import DiscordError

#: Discord knows a nonce again for some minutes; after this it is not relied upon.
NONCE_GOOD_FOR: Final = timedelta(minutes=2)
# How far Discord's clock and ours may differ.
_CLOCKS_MS: Final = 60_000
_clock = time.monotonic


def mark_of(nonce: str) -> str:
    """What stands behind the address of a button, in a message with that nonce."""
    return f"#d{nonce}"


def message_find(
    channel: str, nonce: str, *, since: datetime, pages_most: int, calls_most: int
) -> str:
    """The number of the message with a nonce's mark that stands in a channel or a thread since a
    moment. Empty where it does not, or not among the first ``pages_most`` hundreds of messages.

    Raises DiscordError where nobody knows: Discord does not show a page, be it the first or a later
    one (the bot may not look there, say), or it has taken as long as ``calls_most`` calls may.
    """
    after = client.number_at(int(1000 * since.timestamp()) - _CLOCKS_MS)
    until = _clock() + calls_most * settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS
    for _ in range(pages_most):
        if _clock() >= until:
            raise DiscordError("a message was looked for too long")
        page = client.messages_after(channel, after)
        for each in page:
            if _is_marked(each, mark_of(nonce)):
                return str(each["id"])
        if not page:
            break
        after = max((str(each["id"]) for each in page), key=int)
    return ""


def _is_marked(message: Mapping[str, Any], mark: str) -> bool:
    rows = message.get("components") or ()
    parts = (part for row in rows for part in row.get("components") or ())
    return any(str(part.get("url") or "").endswith(mark) for part in parts)
