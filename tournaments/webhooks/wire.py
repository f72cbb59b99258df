"""One request to a destination that was checked: to its addresses and nowhere else, within limits
of time and size that no receiver can stretch."""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from typing import NamedTuple

import httpx
from django.conf import settings

from core.bounded import Transport
from tournaments.webhooks.destinations import Destination

_EXCERPT_BYTES = 4 * 1024


class Answer(NamedTuple):
    """What came of a request. ``status`` is None where no answer came; ``fault`` then says why,
    and ``blameless`` whether that says nothing about the receiver."""

    status: int | None
    headers: Mapping[str, str]
    excerpt: str
    latency_ms: int
    fault: str = ""
    blameless: bool = False

    @property
    def taken(self) -> bool:
        """Whether the receiver has said that it took the delivery."""
        return self.status is not None and 200 <= self.status < 300


def post(
    destination: Destination,
    *,
    headers: Mapping[str, str],
    content: bytes | None = None,
    files: Mapping[str, tuple[str | None, bytes, str]] | None = None,
    context: ssl.SSLContext | None = None,
) -> Answer:
    """Send ``content``, or ``files`` as a form. Redirects are answers like any other; of the
    answer's body no more than a few kilobytes are read. ``context``: whom to trust, by default
    the public authorities."""
    began = time.monotonic()
    deadline = began + settings.GAUNTLET_WEBHOOK_TOTAL_SECONDS
    stage = settings.GAUNTLET_WEBHOOK_STAGE_SECONDS
    # The host's name still goes into the Host header, and is what the certificate must be for.
    transport = Transport(deadline, tuple(destination.addresses), context)
    status: int | None = None
    answered: Mapping[str, str] = {}
    excerpt, fault = b"", ""
    try:
        with (
            httpx.Client(transport=transport, timeout=stage, follow_redirects=False) as client,
            client.stream(
                "POST", _url(destination), headers=dict(headers), content=content, files=files
            ) as response,
        ):
            status, answered = response.status_code, response.headers
            excerpt = _beginning(response)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        # A receiver that has said 2xx has taken the delivery, whatever becomes of its words.
        fault = "" if status is not None else _error_text(error)
    latency = round((time.monotonic() - began) * 1000)
    return Answer(status, answered, _readable(excerpt), latency, fault)


def _url(destination: Destination) -> str:
    host = f"[{destination.host}]" if ":" in destination.host else destination.host
    return f"{destination.scheme}://{host}:{destination.port}{destination.target}"


def _beginning(response: httpx.Response) -> bytes:
    # Raw: what a receiver compressed stays compressed, and cannot grow in here.
    read = b""
    for piece in response.iter_raw(_EXCERPT_BYTES):
        read += piece
        if len(read) >= _EXCERPT_BYTES:
            break
    return read[:_EXCERPT_BYTES]


def _readable(excerpt: bytes) -> str:
    text = excerpt.decode(errors="replace")
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _error_text(error: Exception) -> str:
    words: dict[type[Exception], str] = {
        httpx.ConnectTimeout: "The connection was not made in time.",
        httpx.ReadTimeout: "The answer did not come in time.",
        httpx.WriteTimeout: "The receiver did not read in time.",
        httpx.ConnectError: "The connection could not be made.",
        httpx.RemoteProtocolError: "The answer was not HTTP, or broke off.",
        httpx.ReadError: "The connection broke.",
        httpx.WriteError: "The connection broke.",
        httpx.InvalidURL: "The address cannot be used.",
    }
    if isinstance(error, httpx.ConnectError) and "CERTIFICATE" in str(error).upper():
        return "The receiver's certificate is not valid for this address."
    return words.get(type(error), "The request failed.")
