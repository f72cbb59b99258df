"""Production. Refuses to start without its secrets; every safe default is on.

Required: SECRET_KEY, DATABASE_URL, REDIS_URL, ALLOWED_HOSTS. README.md lists the optional ones.
"""

from config.settings.base import *  # noqa: F403
from core.env import env

SECRET_KEY = env.str("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS")
env.str("DATABASE_URL")
env.str("REDIS_URL")

EMAIL_BACKEND = "core.mailing.Queued"
GAUNTLET_EMAIL_TRANSPORT = "core.mailing.Smtp"
EMAIL_HOST = env.str("GAUNTLET_EMAIL_HOST", "localhost")
EMAIL_PORT = env.int("GAUNTLET_EMAIL_PORT", 25)
EMAIL_HOST_USER = env.str("GAUNTLET_EMAIL_USER", "")
EMAIL_HOST_PASSWORD = env.str("GAUNTLET_EMAIL_PASSWORD", "")
EMAIL_USE_TLS = env.bool("GAUNTLET_EMAIL_TLS", False)

# Who must have a second factor, and has none, may do no more than everybody else meanwhile.
GAUNTLET_SECOND_FACTOR_REQUIRED = env.bool("GAUNTLET_SECOND_FACTOR_REQUIRED", True)

SECURE_SSL_REDIRECT = env.bool("GAUNTLET_SSL_REDIRECT", True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = env.int("GAUNTLET_HSTS_SECONDS", 31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("GAUNTLET_HSTS_SUBDOMAINS", True)
SECURE_HSTS_PRELOAD = env.bool("GAUNTLET_HSTS_PRELOAD", True)
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SESSION_COOKIE_NAME = "__Host-sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken"
GAUNTLET_DEVICE_COOKIE = "__Host-device"
CSRF_TRUSTED_ORIGINS: list[str] = env.list("GAUNTLET_TRUSTED_ORIGINS", [])
# Only a proxy that always sets this header may be trusted to say that a request came by HTTPS.
if env.bool("GAUNTLET_BEHIND_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # All limits by address count by the one that it says it serves.
    REST_FRAMEWORK["NUM_PROXIES"] = env.int("GAUNTLET_PROXIES", 1)
