"""What a token may be used for.

People who are signed in on the site do freely what their account may do. A token does what its
scopes allow, and never more than its account may.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from core.api.errors import ApiProblem

# What whoever has shown no token, or not a good one, is asked for.
REALM: Final = 'Bearer realm="api"'


class Scope(StrEnum):
    """A kind of thing that a token may do."""

    READ = "read"
    PLAY = "play"
    ORGANISE = "organise"
    BOT = "bot"


# In words, for those who are asked to allow it.
WORDS: Final[dict[Scope, str]] = {
    Scope.READ: "See what you can see: your matches with your own hidden things, your challenges",
    Scope.PLAY: "Make and answer challenges, submit moves and write in chats in your name",
    Scope.ORGANISE: "Run seasons and matches as an organiser, where you are one",
    Scope.BOT: "Play as a program: everything above but organising, and bots' own streams",
}

# Whoever may do something may look at what it is about.
_IMPLIED: Final[dict[Scope, frozenset[Scope]]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.PLAY: frozenset({Scope.READ, Scope.PLAY}),
    Scope.ORGANISE: frozenset({Scope.READ, Scope.ORGANISE}),
    Scope.BOT: frozenset({Scope.READ, Scope.PLAY, Scope.BOT}),
}


@dataclass(frozen=True)
class Credential:
    """A token that a caller has shown: `request.auth`, and `scope["credential"]` of a socket.

    ``bot``: it belongs to a bot's account, which plays only with the scope `bot`.
    """

    scopes: frozenset[Scope] = field(default_factory=frozenset)
    bot: bool = False
    expires_at: datetime | None = None

    def missing(self, needed: Scope) -> Scope | None:
        """The scope that this token would need for ``needed``, or None where it is enough."""
        if self.bot and needed is Scope.PLAY and Scope.BOT not in self.scopes:
            return Scope.BOT
        held = {implied for scope in self.scopes for implied in _IMPLIED[scope]}
        return None if needed in held else needed


def scopes_in(words: Iterable[str]) -> frozenset[Scope]:
    """The scopes of these names; unknown names allow nothing."""
    known = {scope.value: scope for scope in Scope}
    return frozenset(known[word] for word in words if word in known)


class ScopeMissing(ApiProblem):
    """The token is good, but not for this."""

    status_code = 403
    code = "scope.missing"

    def __init__(self, scope: Scope) -> None:
        super().__init__(f"This token lacks the scope {scope.value!r}.", scope=scope.value)


def allows(auth: Any, needed: Scope) -> bool:
    """Whether ``auth`` is no token without the scope; sessions need none."""
    return not isinstance(auth, Credential) or auth.missing(needed) is None


def require_scope(auth: Any, needed: Scope) -> None:
    """Raise ScopeMissing where ``auth`` is a token without the scope; sessions need none."""
    if isinstance(auth, Credential):
        missing = auth.missing(needed)
        if missing is not None:
            raise ScopeMissing(missing)


def scope_of(view: Any, method: str) -> Scope:
    """The scope that a method of a view needs; HEAD needs that of GET."""
    scope: Scope | None = view.scopes.get("GET" if method == "HEAD" else method)
    if scope is None:
        if method not in SAFE_METHODS:
            raise LookupError(f"{type(view).__name__} names no scope for {method}")
        scope = Scope.READ
    return scope


class HasScope(BasePermission):
    """Tokens need the scope that the view names for the method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        require_scope(request.auth, scope_of(view, request.method or "GET"))
        return True
