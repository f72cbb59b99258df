"""Signing in at Discord: what its page that asks, its token endpoint and `/users/@me` take and
give, as Discord documents it."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

#: Where a site takes back whom it has sent to Discord.
PATH: Final = "/accounts/discord/login/callback/"
KNOWN_SCOPES: Final = {
    "identify", "email", "guilds", "guilds.join", "connections", "messages.read"
}  # fmt: skip


@dataclass
class Account:
    """Somebody with an account at Discord."""

    id: str
    username: str
    email: str | None = None
    verified: bool = True
    global_name: str | None = None
    #: The scopes that they have let the application have.
    allowed: set[str] = field(default_factory=set)

    def shown(self, scopes: set[str]) -> dict[str, Any]:
        """What `/users/@me` answers for these scopes."""
        told: dict[str, Any] = {
            "id": self.id, "username": self.username, "discriminator": "0",
            "global_name": self.global_name, "avatar": "a" * 32, "banner": None,
            "accent_color": None, "locale": "de", "mfa_enabled": True, "flags": 64,
            "premium_type": 1, "public_flags": 64,
        }  # fmt: skip
        if "email" in scopes:
            told |= {"email": self.email, "verified": self.verified}
        return told


@dataclass
class Grant:
    """A code that is on its way, or the token that was traded in for it."""

    person: Account
    scopes: set[str]
    redirect_uri: str
    challenge: str


class SignIn:
    """One application's part of it. ``redirects``: the addresses that are registered for it."""

    def __init__(self, application: str, secret: str, redirects: set[str]) -> None:
        self.application, self.secret = application, secret
        self.redirects = redirects
        self.codes: dict[str, Grant] = {}
        self.tokens: dict[str, Grant] = {}
        #: What it has found wrong.
        self.faults: list[str] = []

    def refusal(self, query: dict[str, str]) -> str:
        """What is wrong with being sent here; empty where nothing is."""
        scopes = set(query.get("scope", "").split(" "))
        if query.get("client_id") != self.application:
            return "Unknown Application"
        if query.get("redirect_uri") not in self.redirects:
            return "Invalid OAuth2 redirect_uri"
        if query.get("response_type") != "code":
            return "Invalid response_type"
        if not scopes or not scopes <= KNOWN_SCOPES:
            return "Invalid scope"
        challenge = query.get("code_challenge", "")
        if query.get("code_challenge_method") != "S256" or len(challenge) != 43:
            return "Invalid code_challenge"
        if query.get("prompt", "consent") not in ("consent", "none"):
            return "Invalid prompt"
        return ""

    def let_in(self, query: dict[str, str], person: Account) -> str:
        """Where a person is sent back to, having said yes."""
        scopes = set(query["scope"].split(" "))
        person.allowed |= scopes
        code = secrets.token_urlsafe(20)
        self.codes[code] = Grant(person, scopes, query["redirect_uri"], query["code_challenge"])
        back = urlencode({"code": code, "state": query.get("state", "")})
        return f"{query['redirect_uri']}?{back}"

    def keep_out(self, query: dict[str, str]) -> str:
        """Where the person is sent back to, having said no."""
        told = {
            "error": "access_denied",
            "error_description": "The resource owner or authorization server denied the request",
            "state": query.get("state", ""),
        }
        return f"{query['redirect_uri']}?{urlencode(told)}"

    def trade(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The answer to a code."""
        if (form.get("client_id"), form.get("client_secret")) != (self.application, self.secret):
            return self._wrong(401, "invalid_client")
        if form.get("grant_type") != "authorization_code":
            return self._wrong(400, "unsupported_grant_type")
        grant = self.codes.pop(form.get("code", ""), None)
        if grant is None or grant.redirect_uri != form.get("redirect_uri"):
            return self._wrong(400, "invalid_grant")
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != grant.challenge:
            return self._wrong(400, "invalid_grant")
        token = secrets.token_urlsafe(24)
        self.tokens[token] = grant
        return 200, {
            "access_token": token, "token_type": "Bearer", "expires_in": 604800,
            "refresh_token": secrets.token_urlsafe(24), "scope": " ".join(sorted(grant.scopes)),
        }  # fmt: skip

    def me(self, authorization: str) -> tuple[int, dict[str, Any]]:
        """The answer to who it is."""
        grant = self.tokens.get(authorization.removeprefix("Bearer "))
        if grant is None or "identify" not in grant.scopes:
            return 401, {"message": "401: Unauthorized", "code": 0}
        return 200, grant.person.shown(grant.scopes)

    def _wrong(self, status: int, error: str) -> tuple[int, dict[str, Any]]:
        self.faults.append(error)
        return status, {"error": error}
