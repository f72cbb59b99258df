"""Asking Discord, within limits of time and size that it cannot stretch."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, Final

import httpx
from django.conf import settings

from core.bounded import Transport

_MOST_BYTES: Final = 64 * 1024


class DiscordSilent(Exception):
    """Discord has not answered as it should. Says why, and nothing of what was sent or came."""


def ask(
    method: str,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The document that Discord answers with. ``path`` is below the address of its API.

    Raises DiscordSilent.
    """
    deadline = time.monotonic() + settings.GAUNTLET_DISCORD_TOTAL_SECONDS
    url = f"{settings.GAUNTLET_DISCORD_API}{path}"
    try:
        with (
            httpx.Client(
                transport=Transport(deadline),
                timeout=settings.GAUNTLET_DISCORD_STAGE_SECONDS,
                follow_redirects=False,
                trust_env=False,
            ) as client,
            client.stream(method, url, headers=dict(headers or {}), data=form) as response,
        ):
            status, body = response.status_code, _body(response)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise DiscordSilent(type(error).__name__) from error
    if status != 200:
        raise DiscordSilent(f"HTTP {status}")
    try:
        document = json.loads(body)
    except ValueError as error:
        raise DiscordSilent("no JSON") from error
    if not isinstance(document, dict):
        raise DiscordSilent("no document")
    return document


def _body(response: httpx.Response) -> bytes:
    read = b""
    for piece in response.iter_bytes(4096):
        read += piece
        if len(read) > _MOST_BYTES:
            raise DiscordSilent("too long")
    return read
