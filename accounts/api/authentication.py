"""Who calls the API: `Authorization: Bearer <token>`. Sessions are the framework's own business."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from core.api.errors import ApiProblem
from core.api.scopes import REALM, Credential


class TokenRefused(ApiProblem, AuthenticationFailed):
    """The token is unknown, expired or revoked, or its owner may not come in."""

    status_code = 401
    code = "token.refused"

    def __init__(self) -> None:
        super().__init__("This token is not, or no longer, good.")


class TokenAuthentication(BaseAuthentication):
    """Takes the token that a caller shows, personal or of OAuth."""

    def authenticate(self, request: Request) -> tuple[Any, Credential] | None:
        """The user and the credential, or None without the header. Raises TokenRefused."""
        # The framework loads this module before there are models.
        from accounts.tokens.bearers import bearer_of  # noqa: PLC0415

        scheme, _space, token = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        bearer = bearer_of(token.strip().decode("latin-1"))
        if bearer is None:
            raise TokenRefused
        return bearer.user, bearer.credential

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return REALM


class TokenScheme(OpenApiAuthenticationExtension):
    """How the schema describes it."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Of OpenAPI."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A personal token from your settings, or an OAuth 2 access token.",
        }
