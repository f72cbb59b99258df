"""OAuth 2 for other people's applications: authorization codes with PKCE, and nothing else.

Every recommendation of RFC 9700 that the library can enforce is on: tokens and secrets are kept as
digests, refresh tokens rotate, and one that is used twice ends its whole family.
"""

from typing import Any

OAUTH2_PROVIDER: dict[str, Any] = {
    "SCOPES_BACKEND_CLASS": "accounts.oauth.library.Scopes",
    "OAUTH2_BACKEND_CLASS": "accounts.oauth.library.Core",
    "OAUTH2_VALIDATOR_CLASS": "accounts.oauth.library.Validator",
    "PKCE_REQUIRED": True,
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 90 * 24 * 3600,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # Plain HTTP only to the caller's own machine: `accounts.oauth.services` sees to that.
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http"],
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": [
        "client_secret_basic",
        "client_secret_post",
        "none",
    ],
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
}

# The library warns that plain HTTP is allowed at all. Programs on the caller's own machine need it
# (RFC 8252, 7.3), and no other address with it can be registered.
SILENCED_SYSTEM_CHECKS = ["oauth2_provider.W008"]
