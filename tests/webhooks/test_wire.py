"""The connection itself: TLS for the name, made to the address that was checked."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tournaments.webhooks import wire
from tournaments.webhooks.destinations import Destination

NAME = "hooks.example"


def certificate(folder: Path) -> Path:
    """A certificate for `NAME` that nobody but the test trusts, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "both.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


class Secure:
    """A TLS server that remembers what it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.hosts: list[str] = []
        self.names: list[str | None] = []
        pem = certificate(folder)
        self.trusting = ssl.create_default_context(cafile=str(pem))
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.hosts.append(self.headers["Host"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        class Server(HTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                """Handshakes that fail are what some tests are about."""

        def named(_socket: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
            outer.names.append(name)

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        context.sni_callback = named
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[Secure]:
    secure = Secure(tmp_path)
    yield secure
    secure.server.shutdown()
    secure.server.server_close()


def destination(secure: Secure, host: str = NAME, *addresses: str) -> Destination:
    return Destination("https", host, secure.port, "/", addresses or ("127.0.0.1",))


def test_the_name_is_what_the_certificate_is_for(secure: Secure) -> None:
    answer = wire.post(destination(secure), headers={}, content=b"{}", context=secure.trusting)
    assert answer.taken
    assert secure.names == [NAME]
    assert secure.hosts == [f"{NAME}:{secure.port}"]


def test_a_certificate_for_another_name(secure: Secure) -> None:
    there = destination(secure, "other.example")
    answer = wire.post(there, headers={}, content=b"{}", context=secure.trusting)
    assert answer.fault == "The receiver's certificate is not valid for this address."
    assert secure.hosts == []


def test_a_certificate_that_nobody_vouches_for(secure: Secure) -> None:
    answer = wire.post(destination(secure), headers={}, content=b"{}")
    assert answer.fault == "The receiver's certificate is not valid for this address."
    assert secure.hosts == []


def test_the_next_address_where_the_first_does_not_answer(secure: Secure) -> None:
    there = destination(secure, NAME, "127.0.0.2", "127.0.0.1")
    # Nobody listens on the first one: the server has the port on 127.0.0.1 alone.
    answer = wire.post(there, headers={}, content=b"{}", context=secure.trusting)
    assert answer.taken


def test_a_proxy_of_the_environment_is_not_used(
    secure: Secure, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    answer = wire.post(destination(secure), headers={}, content=b"{}", context=secure.trusting)
    assert answer.taken


@pytest.mark.parametrize("host", ["010.010.010.010", "xn--999999999.example"])
def test_a_host_that_the_client_refuses(host: str) -> None:
    """`httpx.InvalidURL` is no `httpx.HTTPError`; what the client raises is an answer all the
    same."""
    there = Destination("https", host, 443, "/", ("127.0.0.1",))
    answer = wire.post(there, headers={}, content=b"{}")
    assert (answer.status, answer.taken) == (None, False)
    assert answer.fault
