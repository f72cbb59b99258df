"""Which pages may open a socket with their reader's session, by scheme, host and port together."""

from __future__ import annotations

from typing import Any

import pytest

from config.origins import SameOrigin, is_ours, origin_in

HERE = {b"host": b"gauntlet.example"}


def scope(origin: str | None, **headers: str) -> dict[str, Any]:
    said = {**HERE, **{name.replace("_", "-").encode(): v.encode() for name, v in headers.items()}}
    if origin is not None:
        said[b"origin"] = origin.encode("latin-1")
    return {
        "type": "websocket", "path": "/ws/v1/lobby/", "query_string": b"",
        "headers": list(said.items()), "server": ["127.0.0.1", 8000], "client": ["10.0.0.9", 1],
    }  # fmt: skip


@pytest.fixture(autouse=True)
def _hosts(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["gauntlet.example", "127.0.0.1", "[::1]"]
    settings.GAUNTLET_ORIGIN = "https://elsewhere.example"
    settings.CSRF_TRUSTED_ORIGINS = ["https://club.example:8443", "https://*.clubs.example"]
    settings.SECURE_PROXY_SSL_HEADER = None


@pytest.mark.parametrize(
    ("origin", "headers"),
    [
        ("http://gauntlet.example", {}),
        ("http://gauntlet.example:80", {}),
        ("HTTP://GAUNTLET.EXAMPLE", {}),
        ("http://gauntlet.example", {"host": "gauntlet.example:80"}),
        ("http://127.0.0.1:8000", {"host": "127.0.0.1:8000"}),
        ("http://[::1]:8000", {"host": "[::1]:8000"}),
        ("https://club.example:8443", {}),
        ("https://a.clubs.example", {}),
        ("https://elsewhere.example", {}),
    ],
)
def test_pages_of_the_site_and_those_it_trusts(origin: str, headers: dict[str, str]) -> None:
    assert is_ours(scope(origin, **headers))


@pytest.mark.parametrize(
    ("origin", "headers"),
    [
        # Another port or scheme of the very same host is another site.
        ("http://gauntlet.example:8001", {}),
        ("https://gauntlet.example", {}),
        ("ws://gauntlet.example", {}),
        ("http://127.0.0.1:9000", {"host": "127.0.0.1:8000"}),
        ("http://127.0.0.1", {"host": "127.0.0.1:8000"}),
        ("http://sub.gauntlet.example", {}),
        ("http://gauntlet.example.evil.example", {}),
        ("http://gauntlet.example@evil.example", {}),
        ("http://user@gauntlet.example", {}),
        ("http://gauntlet.example/path", {}),
        ("http://gauntlet.example:x", {}),
        ("http://[", {}),
        ("https://club.example", {}),
        ("http://a.clubs.example", {}),
        ("https://evil.example", {}),
        ("http://evil.example", {"host": "evil.example"}),
        ("null", {}),
        ("", {}),
        (None, {}),
        ("\xff", {}),
        # Nobody has said that a proxy may be believed.
        ("https://gauntlet.example", {"x_forwarded_proto": "https"}),
        ("http://evil.example", {"x_forwarded_host": "evil.example"}),
    ],
)
def test_every_other_page(origin: str | None, headers: dict[str, str]) -> None:
    assert not is_ours(scope(origin, **headers))


def test_behind_a_proxy_that_may_be_believed(settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    told = {"x_forwarded_proto": "https"}
    assert is_ours(scope("https://gauntlet.example", **told))
    assert is_ours(scope("https://gauntlet.example:443", **told))
    assert not is_ours(scope("http://gauntlet.example", **told))
    assert not is_ours(scope("https://gauntlet.example:8443", **told))
    assert not is_ours(scope("https://gauntlet.example"))


@pytest.mark.parametrize(
    ("said", "origin"),
    [("ws", "http://gauntlet.example"), ("wss", "https://gauntlet.example")],
)
def test_servers_that_say_the_scheme_of_a_socket(said: str, origin: str) -> None:
    for each in ("http://gauntlet.example", "https://gauntlet.example"):
        assert is_ours({**scope(each), "scheme": said}) is (each == origin)


async def test_a_refused_handshake_reaches_nobody() -> None:
    reached: list[Any] = []
    sent: list[Any] = []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        reached.append(scope)

    async def send(message: Any) -> None:
        sent.append(message)

    guard = SameOrigin(application)
    await guard(scope("http://gauntlet.example:8001"), None, send)
    assert (reached, sent) == ([], [{"type": "websocket.close"}])
    await guard(scope("http://gauntlet.example"), None, send)
    assert len(reached) == 1


def test_no_origin() -> None:
    for text in ("", "null", "about:blank", "file:///x", "http://", "http://a?b", "http://a#b"):
        assert origin_in(text) is None
