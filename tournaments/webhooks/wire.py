"""One request to a destination that was checked: to its addresses and nowhere else, within limits
of time and size that no receiver can stretch."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import httpcore
import httpx
from django.conf import settings

from tournaments.webhooks.destinations import Destination

_PIECE = 16 * 1024  # bytes
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
    transport = _Pinned(destination.addresses, deadline, context)
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


# -- the connection ------------------------------------------------------------------------------


class _Pinned(httpx.HTTPTransport):
    """Connects to given addresses, whatever the host's name resolves to by now. The name itself
    still goes into the Host header and is what the certificate must be for."""

    def __init__(
        self, addresses: Iterable[str], deadline: float, context: ssl.SSLContext | None
    ) -> None:
        trusted = context or _public_authorities()
        super().__init__(verify=trusted, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=trusted, network_backend=_Backend(tuple(addresses), deadline)
        )


@cache
def _public_authorities() -> ssl.SSLContext:
    # Reading the certificates takes longer than most requests.
    return httpx.create_ssl_context(trust_env=False)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, addresses: tuple[str, ...], deadline: float) -> None:
        self.addresses = addresses
        self.deadline = deadline
        self.plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        for number, address in enumerate(self.addresses, 1):
            try:
                stream = self.plain.connect_tcp(
                    address, port, _time_left(self.deadline, timeout, httpcore.ConnectTimeout),
                    local_address, socket_options,
                )  # fmt: skip
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(self.addresses):
                    raise
                continue
            return _Stream(stream, self.deadline)
        raise httpcore.ConnectError("no address")


class _Stream(httpcore.NetworkStream):
    """A connection that is over at an instant, however busily the other side keeps dripping."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self.stream = stream
        self.deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.stream.read(max_bytes, _time_left(self.deadline, timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            left = _time_left(self.deadline, timeout, httpcore.WriteTimeout)
            self.stream.write(buffer[start : start + _PIECE], left)

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = _time_left(self.deadline, timeout, httpcore.ConnectTimeout)
        return _Stream(self.stream.start_tls(ssl_context, server_hostname, left), self.deadline)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)


def _time_left(deadline: float, timeout: float | None, error: type[Exception]) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise error("the whole request took too long")
    return left if timeout is None else min(left, timeout)
