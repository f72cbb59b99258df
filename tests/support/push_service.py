"""A push service on this machine, and browsers that are subscribed to it.

It holds what it is sent to the standards: the request itself (RFC 8030), the encryption (RFC 8291
and 8188), and the signature of the site (RFC 8292). What does not hold to them it refuses as a real
one does, and says in `faults` why, so that no test passes over it.
"""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import http_ece
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

MESSAGE_MAX: Final = 4096
URGENCIES: Final = {"very-low", "low", "normal", "high"}
_DAY_S: Final = 24 * 3600


def text_of(raw: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    """What is written so."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Message:
    """What a browser was sent, as it reads it."""

    told: dict[str, Any]
    headers: dict[str, str]
    size: int

    @property
    def topic(self) -> str:
        return self.headers["topic"]


@dataclass
class Browser:
    """One that is subscribed: only it can read what it is sent."""

    service: PushService
    name: str
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    secret: bytes = b"sixteen bytes..."
    messages: list[Message] = field(default_factory=list)

    @property
    def subscription(self) -> dict[str, str]:
        """What its page tells the site."""
        public = self.key.public_key()
        point = public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {
            "endpoint": f"{self.service.origin}/send/{self.name}",
            "p256dh": text_of(point),
            "auth": text_of(self.secret),
        }


@dataclass
class PushService:
    """Answers each request with the next of `answers`; when they are used up, as it should."""

    origin: str = ""
    browsers: dict[str, Browser] = field(default_factory=dict)
    answers: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    requests: int = 0
    #: The key of the site for which browsers subscribed; empty: any.
    site_key: str = ""

    def browser(self, name: str = "one") -> Browser:
        """Another browser that is subscribed."""
        self.browsers[name] = Browser(self, name)
        return self.browsers[name]

    def forget(self, browser: Browser) -> None:
        """It has unsubscribed."""
        del self.browsers[browser.name]

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        """What a request is answered with."""
        self.requests += 1
        if self.answers:
            return self.answers.pop(0)
        browser = self.browsers.get(path.removeprefix("/send/"))
        if browser is None:
            return 410
        if len(body) > MESSAGE_MAX:
            return 413
        fault = self._fault(headers)
        if fault:
            self.faults.append(fault)
            return 401 if "signature" in fault else 400
        text = http_ece.decrypt(
            body, private_key=browser.key, auth_secret=browser.secret, version="aes128gcm"
        )
        browser.messages.append(Message(json.loads(text), headers, len(body)))
        return 201

    def _fault(self, headers: dict[str, str]) -> str:
        if headers.get("content-encoding") != "aes128gcm":
            return "the encoding is not aes128gcm"
        if not re.fullmatch(r"\d+", headers.get("ttl", "")):
            return "no TTL"
        if headers.get("urgency", "normal") not in URGENCIES:
            return "no such urgency"
        if not re.fullmatch(r"[\w-]{1,32}", headers.get("topic", "x"), re.ASCII):
            return "the topic is too long, or not base64url"
        return self._fault_of_signature(headers.get("authorization", ""))

    def _fault_of_signature(self, text: str) -> str:
        found = re.fullmatch(r"vapid t=([\w.-]+), ?k=([\w-]+)", text)
        if found is None:
            return "no signature"
        token, key = found.groups()
        if self.site_key and key != self.site_key:
            return "the signature is of another site"
        head, claims, signed = token.split(".")
        raw = bytes_of(signed)
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes_of(key))
        r, s = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
        try:
            point.verify(
                encode_dss_signature(r, s), f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256())
            )
        except InvalidSignature:
            return "the signature does not hold"
        if json.loads(bytes_of(head)) != {"typ": "JWT", "alg": "ES256"}:
            return "the signature is not ES256"
        said = json.loads(bytes_of(claims))
        left = said["exp"] - time.time()
        if said["aud"] != self.origin:
            return "the signature is for another service"
        if not 0 < left <= _DAY_S:
            return "the signature is over, or holds for too long"
        if not str(said.get("sub", "")).startswith(("mailto:", "https://")):
            return "the signature names nobody"
        return ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        status = self.server.service.take(self.path, headers, body)
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", f"{self.server.service.origin}/send/one")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, service: PushService) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service
        service.origin = f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def pushing() -> Iterator[PushService]:
    """Have one run; in the end nothing may have been wrong with what it was sent."""
    service = PushService()
    server = _Server(service)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
        assert service.faults == []
    finally:
        server.shutdown()
        server.server_close()
