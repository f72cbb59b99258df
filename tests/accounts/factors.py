"""Second factors in tests: an authenticator app of our own, and accounts that have one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import struct
import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.mfa.webauthn.internal.auth import WebAuthn
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData

from accounts.models import User
from tests.accounts.conftest import PASSWORD
from tests.security.support import later

INDEX = "/accounts/second-factor/"
APP = f"{INDEX}app/"
STEP = f"{INDEX}sign-in/"
CODES = f"{INDEX}codes/"


def app_code(secret: str, *, later: int = 0) -> str:
    """What an authenticator app shows now (RFC 6238: SHA-1, six digits, half a minute), or so many
    steps later."""
    count = struct.pack(">Q", int(time.time()) // 30 + later)
    digest = hmac.new(base64.b32decode(secret), count, hashlib.sha1).digest()
    at = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[at : at + 4])
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"


def with_app(user: User) -> str:
    """Set up an app for somebody, without the pages; return its secret."""
    secret: str = generate_totp_secret()
    TOTP.activate(user, secret)
    user.has_second_factor = None
    return secret


def with_passkey(user: User) -> Authenticator:
    """Give somebody a passkey, without a browser: one whose other half nobody has."""
    own = ec.generate_private_key(ec.SECP256R1()).public_key()
    key: Any = ES256.from_cryptography_key(own)  # type: ignore[no-untyped-call]
    known = AttestedCredentialData.create(bytes(16), key_id := b"k" * 16, key)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    data = AuthenticatorData.create(bytes(32), flags, 0, known)
    said = b'{"type": "webauthn.create", "challenge": "", "origin": "https://gauntlet.example"}'
    credential = {
        "id": websafe_encode(key_id),
        "rawId": websafe_encode(key_id),
        "type": "public-key",
        "clientExtensionResults": {},
        "response": {
            "clientDataJSON": websafe_encode(said),
            "attestationObject": websafe_encode(bytes(AttestationObject.create("none", data, {}))),
        },
    }
    made: Authenticator = WebAuthn.add(user, "Phone", credential).instance
    user.has_second_factor = None
    return made


def has_factor(user: User) -> bool:
    """Whether somebody has a second factor, as the database has it."""
    found: bool = Authenticator.objects.filter(user=user).exclude(type="recovery_codes").exists()
    return found


def confirmed(client: Client, address: str) -> Any:
    """The page at an address that wants the password first, where it was given a while ago."""
    later(client)
    asked = client.get(address)
    assert asked.status_code == 302, asked.status_code
    assert "reauthenticate" in asked["Location"] or "is-it-you" in asked["Location"]
    answer = client.post(
        "/accounts/reauthenticate/", {"password": PASSWORD, "next": address}, follow=True
    )
    assert answer.status_code == 200
    return answer


def set_up_app(client: Client) -> tuple[str, Any]:
    """Set up an app through the pages: its secret, and the page that follows."""
    shown = confirmed(client, APP).content.decode()
    found = re.search(r'id="factor-key"[^>]*value="([A-Z2-7]+)"', shown)
    assert found is not None
    secret = found[1]
    return secret, client.post(APP, {"code": app_code(secret)}, follow=True)


def codes_on(page: Any) -> list[str]:
    """The recovery codes that a page shows."""
    return re.findall(r"<code>(\d{8})</code>", page.content.decode())


def signed_in(client: Client) -> bool:
    """Whether this browser is signed in."""
    return "_auth_user_id" in client.session
