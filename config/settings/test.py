"""The test suite, and the real processes that end-to-end tests start."""

import os
import warnings

# Test processes share one Redis, side by side and run after run: each keeps to keys of its own.
if _worker := os.environ.get("PYTEST_XDIST_WORKER"):
    _run = os.environ["PYTEST_XDIST_TESTRUNUID"][:8]
    os.environ.setdefault("GAUNTLET_REDIS_PREFIX", f"test-{_run}-{_worker}")
# Tests open and drop databases and connections themselves; the real processes that end-to-end tests
# start ask for the pool.
os.environ.setdefault("GAUNTLET_DB_POOL_MAX", "0")

from config.logs import logging_config
from config.settings.base import *  # noqa: F403
from config.settings.base import (
    CELERY_BROKER_TRANSPORT_OPTIONS,
    DATABASES,
    GAUNTLET_API_LIMITS,
    GAUNTLET_DB_POOLER,
    GAUNTLET_HOLD_MS,
    POOL_MAX,
    REST_FRAMEWORK,
)
from core.env import env

SECRET_KEY = env.str("SECRET_KEY", "only-for-tests")
# Passkeys without TLS: browsers take that for this machine only.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
GAUNTLET_EMAIL_TRANSPORT = EMAIL_BACKEND
# Processes other than the test's own leave their mail where the test can read it, or speak to the
# mail server that the test plays.
if EMAIL_FILE_PATH := env.str("GAUNTLET_MAIL_FOLDER", ""):
    EMAIL_BACKEND = "core.mailing.Queued"
    GAUNTLET_EMAIL_TRANSPORT = "django.core.mail.backends.filebased.EmailBackend"
if EMAIL_PORT := env.int("GAUNTLET_EMAIL_PORT", 0):
    GAUNTLET_EMAIL_TRANSPORT = "core.mailing.Smtp"
    EMAIL_HOST = "127.0.0.1"

# Argon2 is slow on purpose; a suite that signs in hundreds of users cannot afford it.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# All tests come from one address. Those about limits set their own, or stand behind a proxy.
REST_FRAMEWORK = {**REST_FRAMEWORK, "NUM_PROXIES": env.int("GAUNTLET_PROXIES", 0)}
GAUNTLET_API_LIMITS = dict.fromkeys(GAUNTLET_API_LIMITS, 1_000_000)
GAUNTLET_DISCORD_PER_MINUTE = 1_000_000

# In a container the tests, and so the worker, run as root.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")

LOGGING = logging_config(json=False, level=env.str("GAUNTLET_LOG_LEVEL", "WARNING"))

# Transactional tests empty every table; the audit log refuses that to everybody else.
if not GAUNTLET_DB_POOLER:
    DATABASES["default"]["OPTIONS"]["options"] += " -c gauntlet.allow_truncate=on"

# A test that is one transaction asks nothing while it looks at a page, for however long that is.
if not POOL_MAX and not GAUNTLET_DB_POOLER:
    DATABASES["default"]["OPTIONS"]["options"] += " -c idle_in_transaction_session_timeout=0"

# `script/test` migrates once; each process that tests begins with a copy.
if _template := env.str("GAUNTLET_TEST_TEMPLATE", ""):
    DATABASES["default"]["TEST"] = {"TEMPLATE": _template}

# A process may wait longer for what has come in time.
GAUNTLET_HOLD_MS = env.int("GAUNTLET_HOLD_MS", GAUNTLET_HOLD_MS)

# What a killed worker had in hand comes back sooner, where a test waits for it.
if _back_after := env.int("GAUNTLET_TASK_BACK_SECONDS", 0):
    CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] = _back_after

# Bots answer at once, and have not thought for long.
GAUNTLET_BOT_PAUSE_MS = env.int("GAUNTLET_BOT_PAUSE_MS", 0)
GAUNTLET_BOT_SECONDS = env.float("GAUNTLET_BOT_SECONDS", 0.05)
GAUNTLET_STUDY_PART_SECONDS = env.float("GAUNTLET_STUDY_PART_SECONDS", 0.05)

# Most tests of leaderboards have two players and a match; those about who is ranked say so.
GAUNTLET_RANKED_MATCHES = 1
GAUNTLET_RANKED_OPPONENTS = 0

# Receivers of webhooks are played on this machine.
GAUNTLET_WEBHOOK_EXTRA_NETWORKS = ["127.0.0.0/8"]
GAUNTLET_WEBHOOK_PLAIN_HTTP = True
GAUNTLET_WEBHOOK_DISCORD_HOSTS = ["127.0.0.1"]

# A push service is played on this machine. The key is no secret.
GAUNTLET_VAPID_PRIVATE_KEY = "bm8tc2VjcmV0LW9ubHktZm9yLXRlc3RzLW9mLXB1c2g"
GAUNTLET_PUSH_PLAIN_HTTP = True
