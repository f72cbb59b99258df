"""Settings of every environment. Safe values here; `dev` and `test` loosen what they must.

Long, since it is one list that operators and Django read as one.
"""

import sys
import time
from datetime import date, timedelta
from typing import Any

from celery.schedules import crontab
from csp.constants import NONE, SELF

from config.logs import logging_config
from config.owners import is_owners
from config.settings.discord import *  # noqa: F403
from config.settings.discord_bot import *  # noqa: F403
from config.settings.discord_bot import DISCORD_TASKS
from config.settings.oauth import *  # noqa: F403
from config.settings.outgoing import *  # noqa: F403
from config.settings.outgoing import OUTGOING_SCHEDULE, OUTGOING_TASKS
from config.settings.redis import *  # noqa: F403
from config.settings.redis import REDIS_PREFIX
from config.settings.replica import *  # noqa: F403
from config.settings.replica import GAUNTLET_REPLICA_URL, replica_database
from core.database.returning import RETURNING
from core.env import DATA, ROOT, database_options, env

BASE_DIR = ROOT
DATA_DIR = DATA

DEBUG = False
# Whether the well-known demo accounts may exist here.
GAUNTLET_DEVELOPMENT = False
# What is made anew once it is another: pages that are kept, answers that readers have. Where nobody
# says which release this is, each start of a process counts as one.
RELEASE = env.str("GAUNTLET_RELEASE", "") or str(time.time_ns())  # noqa: TID251
RELEASE_IS_NAMED = bool(env.str("GAUNTLET_RELEASE", ""))
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", [])
# Where the site is found, for links in what is sent without anybody's request: mail, webhooks.
GAUNTLET_ORIGIN = env.str(
    "GAUNTLET_ORIGIN", f"https://{ALLOWED_HOSTS[0]}" if ALLOWED_HOSTS else "http://localhost:8000"
).rstrip("/")
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

INSTALLED_APPS = [
    # First, so that `runserver` is not Django's own WSGI one and static files are ours to answer.
    "daphne",
    "whitenoise.runserver_nostatic",
    "core.admin.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.sites",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.discord",
    "channels",
    "csp",
    "django_filters",
    "drf_spectacular",
    "oauth2_provider",
    "rest_framework",
    "core.api",
    "core.jobs",
    "config.operations",
    "accounts",
    "games",
    "tournaments",
]

MIDDLEWARE = [
    # First, so that no answer goes out without what it says: see there.
    "config.headers.HeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.RequestLogMiddleware",
    "config.middleware.AwaitedMiddleware",
    "config.compression.CompressionMiddleware",
    "config.middleware.PageTagMiddleware",
    "config.middleware.PlainTextMiddleware",
    "config.middleware.PageMethodsMiddleware",
    "accounts.signin.middleware.SessionsMiddleware",
    "config.middleware.SlashMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.guests.GuestMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    # Right inside of it: what its views raise is answered here first.
    "accounts.signin.middleware.SignedInMiddleware",
    "accounts.signin.ways.WaysMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "accounts.factors.middleware.FactorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "core.collisions.CollisionMiddleware",
    "config.middleware.FormLimitMiddleware",
    # Last on purpose: see there.
    "config.middleware.OneThreadMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                        "games.folders.RulesTemplates",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context_processors.shell",
            ],
        },
    },
]

# Forms are drawn from templates/django/forms/.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# --- Database -----------------------------------------------------------------------------------
# HTTP requests borrow from a pool and give back (CONN_MAX_AGE must then be 0). What keeps its
# connections (threads of turns and reads, the event loop) takes them from the same pool, so it is
# sized for all; `config.operations.checks` warns where it is too small. A size of 0 means no pool:
# a plain connection per thread.
GAUNTLET_TURN_THREADS = env.int("GAUNTLET_TURN_THREADS", 6)
# Threads for what sockets and streams ask for beside turns: syncs, chat, who somebody is.
GAUNTLET_READ_THREADS = env.int("GAUNTLET_READ_THREADS", 4)
# Connections by which an event loop stores turns without a thread; 0: threads store all of them.
GAUNTLET_TURN_CONNECTIONS = env.int("GAUNTLET_TURN_CONNECTIONS", 6)
# What is kept all the time, and as many again as requests need at the same moment.
GAUNTLET_CONNECTIONS_KEPT = (
    GAUNTLET_TURN_THREADS + GAUNTLET_READ_THREADS + GAUNTLET_TURN_CONNECTIONS
)
POOL_MAX: int = env.int("GAUNTLET_DB_POOL_MAX", GAUNTLET_CONNECTIONS_KEPT + 12)
# The address that the site itself has, and that of whoever owns its tables, which operators'
# commands alone use; empty: the site's role owns them.
GAUNTLET_SITE_URL = env.str("DATABASE_URL", "postgresql:///gauntlet")
GAUNTLET_OWNER_URL = env.str("DATABASE_OWNER_URL", "")
GAUNTLET_AS_OWNER = bool(GAUNTLET_OWNER_URL) and is_owners(sys.argv)
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        **(
            database_options(GAUNTLET_OWNER_URL, variable="DATABASE_OWNER_URL")
            if GAUNTLET_AS_OWNER
            else database_options(GAUNTLET_SITE_URL)
        ),
        "CONN_MAX_AGE": 0,
        # `core.database` looks at each connection that it takes from the pool.
        "CONN_HEALTH_CHECKS": False,
        "ATOMIC_REQUESTS": False,
    }
}
# Behind PgBouncer in transaction mode a connection is ours for one transaction only. So nothing is
# said to the session, nothing stays prepared in it (`core.prepared`), and no cursor of the server's
# outlives a statement. What is said of sessions otherwise the operator says of the role: see
# docs/operating.md.
# The owner's address names the database itself.
GAUNTLET_DB_POOLER: bool = not GAUNTLET_AS_OWNER and env.bool("GAUNTLET_DB_POOLER", False)
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = GAUNTLET_DB_POOLER
DATABASES["default"]["OPTIONS"] |= {
    # A committed move must be on disk: the server's default is stated, not assumed. And nobody
    # keeps what they have locked for long: neither by what they ask, nor where they stand still
    # and ask nothing more.
    "options": "-c synchronous_commit=on -c lock_timeout=10000 -c statement_timeout=30000"
    " -c idle_in_transaction_session_timeout=30000",
    "application_name": "gauntlet",
    "connect_timeout": 10,
    # Statements that the server binds are prepared at once. Django's own are bound here and never
    # prepared, so this is about those of `core.prepared` alone.
    "prepare_threshold": 0,
}
if GAUNTLET_DB_POOLER:
    del DATABASES["default"]["OPTIONS"]["options"]
    DATABASES["default"]["OPTIONS"]["prepare_threshold"] = None
if POOL_MAX:
    DATABASES["default"]["OPTIONS"]["pool"] = {
        # At least one, which is tried for while there is no database.
        "min_size": max(1, min(env.int("GAUNTLET_DB_POOL_MIN", 2), POOL_MAX)),
        "max_size": POOL_MAX,
        "timeout": 10,
        "max_lifetime": 1800,
        "max_idle": 300,
        **RETURNING,
    }
if GAUNTLET_REPLICA_URL:
    DATABASES["replica"] = replica_database(pooler=GAUNTLET_DB_POOLER)
    # Right inside of those that find out who asks.
    MIDDLEWARE.insert(
        MIDDLEWARE.index("allauth.account.middleware.AccountMiddleware"),
        "core.replica.writers.WroteMiddleware",
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Where pg_dump, pg_restore and psql are, for backups; empty: wherever they are found.
GAUNTLET_PG_BIN = env.str("GAUNTLET_PG_BIN", "")

# --- Celery -------------------------------------------------------------------------------------
CELERY_TASK_DEFAULT_QUEUE = f"{REDIS_PREFIX}.default"
# Deadlines have a queue of their own, and a worker process that does nothing else: however slow
# mail, receivers of webhooks or a dump are, no decision waits behind them.
DEADLINES_QUEUE = "deadlines"
# And so have bots: they think for as long as they may, and nobody else waits for that.
BOTS_QUEUE = "bots"
CELERY_TASK_ROUTES = {
    "games.bots.move": {"queue": BOTS_QUEUE},
    "games.bots.advise": {"queue": BOTS_QUEUE},
    "games.bots.study": {"queue": BOTS_QUEUE},
    "games.bots.puzzles": {"queue": BOTS_QUEUE},
    "games.tasks.wake": {"queue": DEADLINES_QUEUE},
    "games.tasks.sweep": {"queue": DEADLINES_QUEUE},
}
# How many bots think at a time in one process, and how far that stands back for turns.
GAUNTLET_BOT_THREADS = env.int("GAUNTLET_BOT_THREADS", 1)
GAUNTLET_BOT_NICE = env.int("GAUNTLET_BOT_NICE", 15)
# How long a bot of the site's may think about a move, in seconds of processor time; how long it is
# silent before that; and for how long a move waits for a worker that is busy with others, before it
# is asked for anew.
GAUNTLET_BOT_SECONDS = env.float("GAUNTLET_BOT_SECONDS", 1.0)
GAUNTLET_BOT_PAUSE_MS = env.int("GAUNTLET_BOT_PAUSE_MS", 500)
GAUNTLET_BOT_QUEUE_SECONDS = env.int("GAUNTLET_BOT_QUEUE_SECONDS", 60)
# A match that is studied: in how many ways each position goes on at most, how long one position or
# answer may take, and after how long a worker turns to what else waits (seconds of processor time).
GAUNTLET_STUDY_TRIES = env.int("GAUNTLET_STUDY_TRIES", 40)
GAUNTLET_STUDY_PART_SECONDS = env.float("GAUNTLET_STUDY_PART_SECONDS", 2.0)
GAUNTLET_STUDY_SLICE_SECONDS = env.float("GAUNTLET_STUDY_SLICE_SECONDS", 2.0)
# How many matches against them somebody may have going at a time.
GAUNTLET_PRACTICE_AT_ONCE = env.int("GAUNTLET_PRACTICE_AT_ONCE", 12)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# However long the broker is away: workers and beat wait for it.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Nor does a worker end where the broker answers and takes nothing: it is full, or a replica for the
# moment.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# Who hands on a task tries once more where the connection was an old one, and no longer.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_POOL = "threads"
# More than may wait for others at a time: for webhooks' receivers, mail servers, push services, and
# for Discord, in channels and with people.
CELERY_WORKER_CONCURRENCY = env.int("GAUNTLET_WORKER_THREADS", 22)
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_IMPORTS = (*OUTGOING_TASKS, *DISCORD_TASKS)
# Whatever comes seldom looks for itself whether it is due, so there is nothing to remember between
# runs, and no state file that a killed beat could leave broken.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    **OUTGOING_SCHEDULE,
    # Has bots move whose task was lost; a run that comes late is worth nothing.
    "games-sweep-bots": {
        "task": "games.tasks.sweep_bots",
        "schedule": 5.0,
        "options": {"expires": 5},
    },
    # Looks for puzzles in the matches of late, a few each night. Every hour, and done once a day: a
    # night in which beat or the bots were away is made up for.
    "games-puzzles": {
        "task": "games.bots.puzzles",
        "schedule": crontab(minute="20"),
        "options": {"expires": 3600},
    },
    # Settles overdue decisions and enqueues those due within seconds. A run that could not start
    # within a second is worth nothing: the next one does its work.
    "games-sweep": {"task": "games.tasks.sweep", "schedule": 1.0, "options": {"expires": 5}},
    "games-sweep-challenges": {
        "task": "games.tasks.sweep_challenges",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    # Hosted matches: those whose time has come, and those that not both have accepted.
    "games-sweep-hosted": {
        "task": "games.tasks.sweep_hosted",
        "schedule": 5.0,
        "options": {"expires": 10},
    },
    # Whoever waits to be paired will do with somebody further away as time goes by.
    "games-pair": {"task": "games.tasks.pair", "schedule": 2.0, "options": {"expires": 4}},
    # What follows ends that no worker was told of, and results that no ladder has taken in.
    "games-sweep-ends": {
        "task": "games.tasks.sweep_ends",
        "schedule": 2.0,
        "options": {"expires": 5},
    },
    # Begins death matches, reminds, and takes over results that were missed.
    "tournaments-sweep": {
        "task": "tournaments.tasks.sweep",
        "schedule": 3.0,
        "options": {"expires": 6},
    },
    # By which ways accounts were come into is forgotten in time.
    "ways-forget": {
        "task": "accounts.signin.tasks.forget_ways",
        "schedule": crontab(minute="20", hour="3"),
    },
    # Results that no worker was told of: recent ones soon, all of them now and then.
    "games-ratings-repair": {
        "task": "games.ratings.repair",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "games-ratings-repair-all": {
        "task": "games.ratings.repair",
        "schedule": 1200.0,
        "args": (True,),
        "options": {"expires": 600},
    },
    # Pairs whose results look farmed, where no worker has looked at the end of a match.
    "games-ratings-pairs": {
        "task": "games.ratings.pairs",
        "schedule": crontab(minute="50"),
        "options": {"expires": 3600},
    },
}

# Who stands on a leaderboard: whoever has so many rated matches there, against so many different
# players. A second account, or a single friend, makes nobody first.
GAUNTLET_RANKED_MATCHES = env.int("GAUNTLET_RANKED_MATCHES", 5)
GAUNTLET_RANKED_OPPONENTS = env.int("GAUNTLET_RANKED_OPPONENTS", 3)

# What one row of a periodic job may wait for a lock and for a statement, at most.
GAUNTLET_JOB_LOCK_MS = 500
GAUNTLET_JOB_STATEMENT_MS = 5000
# The sweep of deadlines is late when none has been completed for so long: the site is not ready.
GAUNTLET_SWEEP_LATE_MS = 5000

# --- Users, sign-in -----------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "accounts.signin.backends.NameBackend",
    "accounts.signin.backends.NameOrAddressBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SITE_ID = 1
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "accounts.signin.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "add_email": "accounts.forms.AddEmailForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "login": "accounts.forms.LoginForm",
    "reauthenticate": "accounts.forms.ReauthenticateForm",
    "reset_password": "accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.forms.ResetPasswordKeyForm",
    "set_password": "accounts.forms.SetPasswordForm",
    "signup": "accounts.forms.SignupForm",
}
ACCOUNT_USERNAME_VALIDATORS = "accounts.names.validators.username_validators"
ACCOUNT_USERNAME_MIN_LENGTH = 3
ACCOUNT_PRESERVE_USERNAME_CASING = False
# One address per account, changed once the new one is confirmed.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# Asked of the library's own views; ours are wrapped, see `accounts.signin.recent`.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Gauntlet] "
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_SESSION_REMEMBER = True
# Somebody else's address must not be discoverable through sign-up or password reset.
ACCOUNT_PREVENT_ENUMERATION = True

# Second factors: codes of an authenticator app, passkeys (also as a way to sign in), and recovery
# codes for whoever loses theirs.
MFA_ADAPTER = "accounts.factors.adapter.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "activate_totp": "accounts.factors.forms.ActivateTOTPForm",
    "add_webauthn": "accounts.factors.forms.AddWebAuthnForm",
    "authenticate": "accounts.factors.forms.AuthenticateForm",
    "authenticate_webauthn": "accounts.factors.forms.AuthenticateWebAuthnForm",
    "deactivate_totp": "accounts.factors.forms.DeactivateTOTPForm",
    "edit_webauthn": "accounts.factors.forms.EditWebAuthnForm",
    "generate_recovery_codes": "accounts.factors.forms.GenerateRecoveryCodesForm",
    "login_webauthn": "accounts.factors.forms.LoginWebAuthnForm",
    "reauthenticate": "accounts.factors.forms.ReauthenticateForm",
    "reauthenticate_webauthn": "accounts.factors.forms.ReauthenticateWebAuthnForm",
}
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Gauntlet"
# A phone's clock is off by some seconds, and people type for some more.
MFA_TOTP_TOLERANCE = 1
# Whose address must be confirmed first is decided by `accounts.factors.urls`: the library would ask
# it of whoever is about to change theirs, and let nobody change it who has a second factor.
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Each try asks twice: for what is to be signed, and whether it was.
MFA_RATE_LIMITS = {"webauthn_login": "30/m/ip"}
# Whether moderators and administrators (and organisers, where an administrator has said so) must
# have one before they can use what they may do beyond others.
GAUNTLET_SECOND_FACTOR_REQUIRED = False

SESSION_ENGINE = "accounts.signin.store"  # Django's in cache and database, and a little more
SESSION_CACHE_ALIAS = "sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
# By which a browser is known again: see `accounts.signin.ways`. Not "device": that is the device
# that takes announcements (`accounts.announcing.devices`), and of two cookies of one name the later
# takes the place of the other.
GAUNTLET_DEVICE_COOKIE = "browser"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- Mail ---------------------------------------------------------------------------------------
DEFAULT_FROM_EMAIL = env.str("GAUNTLET_FROM_EMAIL", "Gauntlet <noreply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# For connecting to the mail server and for each wait; and for all that one mail takes together.
EMAIL_TIMEOUT = env.float("GAUNTLET_EMAIL_STAGE_SECONDS", 8.0)
GAUNTLET_EMAIL_TOTAL_SECONDS = env.float("GAUNTLET_EMAIL_TOTAL_SECONDS", 15.0)
# Of a worker's threads no more than these wait for the mail server.
GAUNTLET_MAIL_SENDERS = env.int("GAUNTLET_MAIL_SENDERS", 2)

# --- HTTP API -----------------------------------------------------------------------------------
# What every endpoint has in common is in core/api/; docs/api.md says how to write one.
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        # The first one says what a 401 asks for.
        "accounts.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api.parsing.SmallJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "core.api.lists.CursorPages",
    "DEFAULT_SCHEMA_CLASS": "core.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "core.api.problems.handle",
    "URL_FORMAT_OVERRIDE": None,
    # Which address a caller without an account counts by: behind a proxy, the one that it serves.
    "NUM_PROXIES": 0,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
# Requests a minute: by address for those without an account, by account and scope for others. A
# page saves what its player plans at most once a second; that takes no submission away. Clips as
# moving pictures, each of which keeps a worker busy for a second, count by themselves, and so do
# answers to puzzles.
GAUNTLET_API_LIMITS: dict[str, int] = {
    "anonymous": env.int("GAUNTLET_API_ANONYMOUS_PER_MINUTE", 120),
    "read": 600,
    "play": 120,
    "plan": 90,
    "clip": 20,
    "practice": 20,
    "study": 20,
    "puzzle": 60,
    # Forums and blogs that ask what a link to the site shows.
    "oembed": 120,
    "organise": 120,
    "bot": 600,
    # What is sent by forms of pages, by account and address together or, of those who have no
    # account, by address; and what applications ask of OAuth, by their address (theirs may serve
    # many people).
    "forms": 120,
    "oauth": env.int("GAUNTLET_OAUTH_PER_MINUTE", 120),
    # What browsers tell by themselves of pages that were kept from something, by address.
    "csp": 120,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Gauntlet",
    "DESCRIPTION": "Live, refereed death matches: people, matches, seasons, results.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # Where fields of one name have different values, the library asks for names.
    "ENUM_NAME_OVERRIDES": {"DecidedHowEnum": "tournaments.lifecycle.How.choices"},
}

# --- Limits on what is taken in -----------------------------------------------------------------
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 5
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

# --- Language and time --------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False  # one language: sentences stand where they are said

# --- Static files -------------------------------------------------------------------------------
STATIC_URL = "/static/"
# Where they have been collected.
STATIC_ROOT = env.path("GAUNTLET_STATIC_ROOT", DATA_DIR / "static")
STATICFILES_DIRS = [ROOT / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "games.folders.RulesetFiles",
]
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json"}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.statics.HashedFiles"},
}
MEDIA_ROOT = DATA_DIR / "media"

# --- Browser-side security ----------------------------------------------------------------------
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
# Everything comes from this site; no inline script or style. `'self'` covers ws:// and wss:// to
# the same host in every browser that implements CSP level 3.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "media-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        # Text is made markup by `static/js/trusted.js` alone.
        "require-trusted-types-for": ["'script'"],
        "trusted-types": ["gauntlet"],
        "report-uri": "/csp-reports/",
        "report-to": "gauntlet",
    }
}
# Whom somebody tells who has found a hole, `mailto:` or `https://`, and until when that holds (a
# day, as 2027-01-31). Without a day: for a year from the start of a process.
GAUNTLET_SECURITY_CONTACT = env.str("GAUNTLET_SECURITY_CONTACT", "")
_until = env.str("GAUNTLET_SECURITY_EXPIRES", "")
GAUNTLET_SECURITY_EXPIRES = date.fromisoformat(_until) if _until else None
# Reports of browsers a minute, of which each is a line in the log; what is more is only counted.
GAUNTLET_CSP_REPORTS_PER_MINUTE = env.int("GAUNTLET_CSP_REPORTS_PER_MINUTE", 60)

# Which sites may show the pages at /embed/ in theirs, and no others: `*` is every one; empty, none.
GAUNTLET_EMBED_HOSTS: list[str] = env.list("GAUNTLET_EMBED_HOSTS", ["*"])

LOGGING = logging_config(json=True, level=env.str("GAUNTLET_LOG_LEVEL", "INFO"))
LOGGING_CONFIG = "config.logs.configure"

# --- Metrics ------------------------------------------------------------------------------------
# Whoever shows it may read `/metrics`. Empty: whoever asks from this machine.
GAUNTLET_METRICS_TOKEN = env.str("GAUNTLET_METRICS_TOKEN", "")
# Where a worker or beat can be read, such as 127.0.0.1:8121; empty: nowhere.
GAUNTLET_METRICS_LISTEN = env.str("GAUNTLET_METRICS_LISTEN", "")

# --- Reports of errors --------------------------------------------------------------------------
# The address (DSN) that a server of Sentry's protocol gives out; empty: nothing is reported.
GAUNTLET_SENTRY_DSN = env.str("GAUNTLET_SENTRY_DSN", "")
GAUNTLET_SENTRY_ENVIRONMENT = env.str("GAUNTLET_SENTRY_ENVIRONMENT", "production")

# --- Matches ------------------------------------------------------------------------------------
# How far workers that enforce no deadlines stand back where a turn wants the processor, too.
GAUNTLET_WORKER_NICE = env.int("GAUNTLET_WORKER_NICE", 10)
# Sockets that one process lets wait to be seen to, players first. One core sees to about a hundred
# a second, and a page waits twenty seconds; who would wait longer is told at once to come later.
GAUNTLET_ARRIVALS = env.int("GAUNTLET_ARRIVALS", 1500)
# What one address may have of a web process at a time, of whoever is not signed in (an account: as
# many sockets); 0: as much as there is. See `config.crowding`.
GAUNTLET_SOCKETS_PER_ADDRESS = env.int("GAUNTLET_SOCKETS_PER_ADDRESS", 200)
GAUNTLET_REQUESTS_PER_ADDRESS = env.int("GAUNTLET_REQUESTS_PER_ADDRESS", 100)
# Connections of one address, where no proxy stands before us, that wait for a request to come.
GAUNTLET_WAITING_PER_ADDRESS = env.int("GAUNTLET_WAITING_PER_ADDRESS", 400)
# How long a web process waits for a worker to begin with a picture before it draws that by itself.
GAUNTLET_PICTURE_WAIT_MS = env.int("GAUNTLET_PICTURE_WAIT_MS", 500)
# A worker is told of a deadline only when it is this near: a far one would wait in the broker.
GAUNTLET_WAKE_AHEAD_MS = 2500
# A decision runs out this long after its deadline, unless somebody acts before: a submission that
# arrived in time may still be on its way through the process. The deadline itself stays as it is.
GAUNTLET_SETTLE_MS = 250
# It waits longer where a web process still has such a submission, but no longer than this after the
# deadline; and a process that has said nothing for so long is not waited for.
GAUNTLET_HOLD_MS = 5000
GAUNTLET_INTAKE_SILENT_MS = 2000
# Past this, the sweep does the work itself instead of enqueueing it.
GAUNTLET_OVERDUE_MS = 1500
GAUNTLET_SWEEP_AT_MOST = 2000
GAUNTLET_REMINDER_LATENESS_MS = 3000
# How often the web service gives a sign of life. A decision runs out once there was one after its
# deadline: as long as there is one within the grace, nobody is kept waiting for it.
GAUNTLET_BEAT_EVERY_MS = 200
# How often each process writes that it is well and how its clock stands; after how long without
# that it counts as silent, and after how long it is forgotten.
GAUNTLET_PROCESS_EVERY_MS = 2000
GAUNTLET_PROCESS_SILENT_MS = 5000
GAUNTLET_PROCESS_KEPT_MS = 300_000
# A host's clock that is farther than this from the database's is told of in the log.
GAUNTLET_SKEW_TOLD_MS = 500
# How far what two processes show may be apart: each knows the database's clock only as well as the
# database answers at once.
GAUNTLET_CLOCKS_APART_MS = 50
# When no worker has completed a sweep for so long, the web processes look at matches whose time has
# come: no more than so many at a time, for turns go on beside them.
GAUNTLET_STAND_IN_AFTER_MS = 3000
GAUNTLET_WATCH_AT_MOST = 200
# After a longer gap than this, matches are given back what their clocks ran meanwhile. A process
# that is killed and started again at once is away for longer.
GAUNTLET_OUTAGE_AFTER_MS = env.int("GAUNTLET_OUTAGE_AFTER_MS", 1500)
# What whoever has less than that left then has, up to the decision's own limit: players must find
# back first.
GAUNTLET_OUTAGE_GRACE_MS = env.int("GAUNTLET_OUTAGE_GRACE_MS", 10_000)
GAUNTLET_CHALLENGE_LASTS = timedelta(hours=24)
GAUNTLET_CHALLENGES_OPEN_AT_ONCE = 10
# Challenges of one person to one other within an hour that were not accepted: each of them is told.
GAUNTLET_CHALLENGES_TO_ONE_PER_HOUR = 10
# How long a match at a live pace waits for both players before it is void; 0: it begins at once.
GAUNTLET_ARRIVAL_SECONDS = env.int("GAUNTLET_ARRIVAL_SECONDS", 180)
# So long (ms) at most one waits whose players have both said that they are ready before, for what
# their pages add to its draws; then it begins, whoever is there.
GAUNTLET_GATHER_MS = 20_000
# So long (ms) at most one at an hour a turn or more waits, and no longer than a turn, for what its
# players add to its draws, each when they look in; then it begins. 0: it begins at once.
GAUNTLET_GATHER_SLOW_MS = env.int("GAUNTLET_GATHER_SLOW_MS", 12 * 3600 * 1000)
# Once they are there it waits so long (ms) for the numbers that their browsers or programs have
# committed to; for one that does not come a constant stands.
GAUNTLET_NONCE_MS = 5000
# How long after its owner was last seen an open challenge at a live pace ends.
GAUNTLET_AWAY_SECONDS = env.int("GAUNTLET_AWAY_SECONDS", 120)
# How long after their page last asked somebody waits to be paired; a browser lets a page that is
# out of sight ask once a minute.
GAUNTLET_SEEK_AWAY_SECONDS = 75
# How long whoever was paired is told where to go, however they ask.
GAUNTLET_SEEK_TOLD_SECONDS = 180
GAUNTLET_RECORD_MAX_BYTES = 1024 * 1024
# A frame of a socket, and the body of a request unless its endpoint takes more.
GAUNTLET_MESSAGE_MAX_BYTES = 16 * 1024

# --- Seasons ------------------------------------------------------------------------------------
# How long before the start of a death match its players can say that they are ready.
GAUNTLET_READY_MINUTES = env.int("GAUNTLET_READY_MINUTES", 30)
# A season that is brought along from another site, unpacked.
GAUNTLET_SEASON_MAX_BYTES = 64 * 1024 * 1024
