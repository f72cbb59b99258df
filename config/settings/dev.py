"""Development: what `script/server` and a bare `manage.py` use. Never reachable from outside."""

import os
import warnings

from config.devenv import adopt_running_services, secret_key, vapid_key
from core.env import env

adopt_running_services(os.environ)

from config.logs import logging_config  # noqa: E402  (settings read the environment on import)
from config.settings.base import *  # noqa: E402, F403
from config.settings.base import DATA_DIR, STORAGES  # noqa: E402

# People try the site through `script/server` too: a mistake of ours must not show them a traceback.
DEBUG = env.bool("GAUNTLET_DEBUG", False)
GAUNTLET_DEVELOPMENT = True
SECRET_KEY = secret_key(DATA_DIR)
GAUNTLET_VAPID_PRIVATE_KEY = env.str("GAUNTLET_VAPID_PRIVATE_KEY", "") or vapid_key(DATA_DIR)
# Passkeys without TLS: browsers take that for this machine only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
EMAIL_BACKEND = "core.mailing.Queued"
GAUNTLET_EMAIL_TRANSPORT = "django.core.mail.backends.console.EmailBackend"

# There are few people on such a site, of whom its leaderboards should show something.
GAUNTLET_RANKED_MATCHES = env.int("GAUNTLET_RANKED_MATCHES", 1)
GAUNTLET_RANKED_OPPONENTS = env.int("GAUNTLET_RANKED_OPPONENTS", 1)

# `script/server` collects them, as a deploy does. A bare `manage.py`, and whoever works on them
# (`GAUNTLET_DEBUG=1`), takes them straight from the source folders.
if DEBUG or not env.str("GAUNTLET_STATIC_ROOT", ""):
    WHITENOISE_USE_FINDERS = True
    WHITENOISE_AUTOREFRESH = True
    WHITENOISE_MAX_AGE = 0
    STORAGES = {
        **STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }

# In a container everything runs as root, and a development worker may.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

LOGGING = logging_config(json=False, level=os.environ.get("GAUNTLET_LOG_LEVEL", "INFO"))
