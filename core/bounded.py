"""Connections that are over at an instant, however busily the other side keeps dripping: what a
client's own limits, which hold for each step, do not give."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

_PIECE = 16 * 1024  # bytes


class Transport(httpx.HTTPTransport):
    """Makes connections for a client of `httpx` as a `Backend` does. ``context``: whom to trust, by
    default the public authorities."""

    def __init__(
        self,
        deadline: float,
        addresses: tuple[str, ...] | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        trusted = context or _public_authorities()
        super().__init__(verify=trusted, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=trusted, network_backend=Backend(deadline, addresses)
        )


@cache
def _public_authorities() -> ssl.SSLContext:
    # Reading the certificates takes longer than most requests.
    return httpx.create_ssl_context(trust_env=False)


class Backend(httpcore.NetworkBackend):
    """Makes connections that are over at ``deadline`` (monotonic seconds): to ``addresses``, one
    after the other, whatever the host's name resolves to; or, without any, to the host."""

    def __init__(self, deadline: float, addresses: tuple[str, ...] | None = None) -> None:
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
        addresses = (host,) if self.addresses is None else self.addresses
        for number, address in enumerate(addresses, 1):
            try:
                stream = self.plain.connect_tcp(
                    address, port, _time_left(self.deadline, timeout, httpcore.ConnectTimeout),
                    local_address, socket_options,
                )  # fmt: skip
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(addresses):
                    raise
                continue
            return _Stream(stream, self.deadline)
        raise httpcore.ConnectError("no address")


class _Stream(httpcore.NetworkStream):
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
