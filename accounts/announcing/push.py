"""One push to one device: encrypted for it (RFC 8291), signed by the site (RFC 8292), and handed to
the push service of its browser (RFC 8030).

Where that is, a browser says, so nothing is sent but to the services that the settings name.
"""

from __future__ import annotations

import base64
import json
import ssl
from email.utils import parseaddr
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final
from urllib.parse import urlsplit

import httpx
import structlog
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.utils.crypto import salted_hmac

from accounts.announcing import kinds
from accounts.announcing.kinds import Kind, Urgency
from accounts.models import Announcement, PushSubscription
from core import metrics
from core.clock import now_ms

log = structlog.get_logger("gauntlet.push")

_PUSHES: Final = metrics.counter("pushes", "Pushes to devices, by what came of them.", ("result",))

ENDPOINT_MAX: Final = 1_000
#: What a push service takes is 4096 bytes, encrypted.
PAYLOAD_MAX: Final = 3_000
_SIGNED_FOR_S: Final = 12 * 3600
_KEY_BYTES: Final = 32
_TOPIC_BYTES: Final = 24  # 32 characters, the most that there may be
_LOOPBACK: Final = {"127.0.0.1", "localhost"}
#: For how long a push is worth something, in seconds: no longer is it tried, and kept by a push
#: service for a device that is away. And how much that device may be disturbed (RFC 8030, 5.3).
TTL: Final = {Urgency.NOW: 3600, Urgency.SOON: 24 * 3600, Urgency.NEWS: 3 * 24 * 3600}
_PASSING: Final = 600  # what the next of its kind takes the place of
_WEIGHT: Final = {Urgency.NOW: "high", Urgency.SOON: "normal", Urgency.NEWS: "low"}


class Result(StrEnum):
    """What a push service has made of a message."""

    TAKEN = "taken"
    GONE = "gone"  # there is no such device any more
    REFUSED = "refused"  # it will not take it, now or later
    PUT_OFF = "put off"  # it may take it later


# -- the site's key ------------------------------------------------------------------------------


def is_offered() -> bool:
    """Whether this site pushes anything: it has a key."""
    return bool(settings.GAUNTLET_VAPID_PRIVATE_KEY)


def public_key() -> str:
    """What browsers know the site by; empty where it pushes nothing."""
    return _public_of(settings.GAUNTLET_VAPID_PRIVATE_KEY) if is_offered() else ""


def key_make() -> str:
    """A new private key, as the settings have it."""
    secret = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return to_text(secret.to_bytes(_KEY_BYTES, "big"))


def to_text(raw: bytes) -> str:
    """base64url without padding, as browsers write keys."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_text(text: str) -> bytes:
    """What somebody has written so, padded or not. Raises ValueError."""
    if not text.isascii():
        raise ValueError(text)
    bare = text.rstrip("=")
    return base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_", validate=True)


@lru_cache(maxsize=4)
def _private_of(text: str) -> ec.EllipticCurvePrivateKey:
    raw = from_text(text)
    if len(raw) != _KEY_BYTES:
        raise ValueError("GAUNTLET_VAPID_PRIVATE_KEY is not a private key")
    return ec.derive_private_key(int.from_bytes(raw, "big"), ec.SECP256R1())


@lru_cache(maxsize=4)
def _public_of(text: str) -> str:
    public = _private_of(text).public_key()
    return to_text(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def _contact() -> str:
    """Whom the push service may turn to."""
    given: str = settings.GAUNTLET_VAPID_CONTACT
    return given or f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"


# -- where to ------------------------------------------------------------------------------------


def address_of(endpoint: str) -> tuple[str, str] | None:
    """The origin of an endpoint and the whole of it, or None where nothing may be sent to it: it is
    no address, or none of a push service that the settings name."""
    usable = endpoint.isascii() and not any(c <= " " or c in "\\\x7f" for c in endpoint)
    if not usable or len(endpoint) > ENDPOINT_MAX:
        return None
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname or ""
    if parts.username is not None or parts.password is not None:
        return None
    if parts.scheme == "http" and settings.GAUNTLET_PUSH_PLAIN_HTTP and host in _LOOPBACK:
        origin = f"http://{host}:{port or 80}"
    elif parts.scheme == "https" and port in {None, 443} and _is_known(host):
        origin = f"https://{host}"
    else:
        return None
    # Put together again from what was looked at: no two readers of addresses can differ over it.
    return origin, f"{origin}{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"


def _is_known(host: str) -> bool:
    return any(
        host.endswith(known) if known.startswith(".") else host == known
        for known in settings.GAUNTLET_PUSH_HOSTS
    )


# -- what ----------------------------------------------------------------------------------------


def payload_of(announcement: Announcement) -> bytes:
    """What a device is told of an announcement, and nothing else: shortened where it must be."""
    return payload(
        subject=announcement.subject,
        words=announcement.words,
        path=announcement.path,
        tag=topic_of(announcement),
        kind=announcement.kind,
    )


def payload(*, subject: str, words: str, path: str, tag: str, kind: str) -> bytes:
    """The message itself, as the service worker reads it."""
    told = {
        "subject": subject,
        "words": words,
        "url": f"{settings.GAUNTLET_ORIGIN}{path}",
        "tag": tag,
        "kind": kind,
    }
    text = json.dumps(told, ensure_ascii=False).encode()
    while len(text) > PAYLOAD_MAX:
        words = words[: len(words) * 9 // 10]
        text = json.dumps({**told, "words": f"{words}…"}, ensure_ascii=False).encode()
    return text


def topic_of(announcement: Announcement) -> str:
    """What a newer announcement takes the place of an older one by, on the way and on the device:
    it says nothing to anybody else (RFC 8030, 5.4)."""
    kind = kinds.known().get(announcement.kind)
    replaces = kind is not None and kind.replaces
    about = announcement.path if replaces else announcement.key
    named = f"{announcement.user_id} {announcement.kind} {about}"
    return to_text(salted_hmac("accounts.push", named).digest()[:_TOPIC_BYTES])


# -- sending -------------------------------------------------------------------------------------


def worth_s(kind: Kind | None) -> int:
    """For how many seconds a push of a kind is worth something."""
    if kind is None:
        return TTL[Urgency.SOON]
    return _PASSING if kind.replaces else TTL[kind.urgency]


def send(
    device: PushSubscription, content: bytes, *, urgency: Urgency, topic: str, ttl_s: int
) -> Result:
    """Hand a message to the push service of a device, which keeps it for ``ttl_s`` seconds at most.
    Redirects are refusals, and nothing of an answer is read but its number."""
    address = address_of(device.endpoint)
    if address is None:
        return _counted(Result.REFUSED, device, None)
    origin, url = address
    body = _encrypted(device, content)
    headers = {
        **_signed(origin),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(ttl_s),
        "Urgency": _WEIGHT[urgency],
        "Topic": topic,
    }
    try:
        with (
            httpx.Client(
                verify=_public_authorities(),
                timeout=settings.GAUNTLET_PUSH_STAGE_SECONDS,
                follow_redirects=False,
                trust_env=False,
            ) as client,
            client.stream("POST", url, headers=headers, content=body) as answer,
        ):
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL, OSError):
        return _counted(Result.PUT_OFF, device, None)
    return _counted(_result_of(status), device, status)


def _result_of(status: int) -> Result:
    if 200 <= status < 300:
        return Result.TAKEN
    if status in {404, 410}:
        return Result.GONE
    if status in {408, 429} or status >= 500:
        return Result.PUT_OFF
    return Result.REFUSED


def _counted(result: Result, device: PushSubscription, status: int | None) -> Result:
    _PUSHES.labels(result.value).inc()
    if result is not Result.TAKEN:
        log.info("push.not-taken", device=device.pk, result=result.value, status=status)
    return result


def _encrypted(device: PushSubscription, content: bytes) -> bytes:
    # It brings two HTTP clients along: only the workers that push need any of it.
    from pywebpush import WebPusher  # noqa: PLC0415

    keys = {"p256dh": device.p256dh, "auth": device.auth}
    body: bytes = WebPusher({"endpoint": device.endpoint, "keys": keys}).encode(content)["body"]
    return body


def _signed(origin: str) -> dict[str, str]:
    from py_vapid import Vapid02  # noqa: PLC0415  (as above)

    key = Vapid02(_private_of(settings.GAUNTLET_VAPID_PRIVATE_KEY))
    until = now_ms() // 1000 + _SIGNED_FOR_S
    signed: dict[str, str] = key.sign({"aud": origin, "exp": until, "sub": _contact()})
    return signed


@cache
def _public_authorities() -> ssl.SSLContext:
    # Reading the certificates takes longer than most requests.
    return httpx.create_ssl_context(trust_env=False)
