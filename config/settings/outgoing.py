"""What leaves the site by itself: announcements, webhooks, and the nightly dump of everything
public."""

from datetime import timedelta
from typing import Any

from celery.schedules import crontab

from core.env import env

# --- Webhooks -----------------------------------------------------------------------------------
GAUNTLET_WEBHOOK_PORTS: list[int] = env.list("GAUNTLET_WEBHOOK_PORTS", [443, 8443], subcast=int)
# Networks, such as 127.0.0.0/8, that webhooks may be sent to although they are not public. For
# tests and development; in production everybody who may open a season could speak to them.
GAUNTLET_WEBHOOK_EXTRA_NETWORKS: list[str] = env.list("GAUNTLET_WEBHOOK_EXTRA_NETWORKS", [])
# Whether http:// will do for a receiver on this machine.
GAUNTLET_WEBHOOK_PLAIN_HTTP = env.bool("GAUNTLET_WEBHOOK_PLAIN_HTTP", False)
GAUNTLET_WEBHOOK_RESOLVE_SECONDS = 5.0
# For connecting, and for each wait while writing and reading; and for all of a request together.
GAUNTLET_WEBHOOK_STAGE_SECONDS = env.float("GAUNTLET_WEBHOOK_STAGE_SECONDS", 8.0)
GAUNTLET_WEBHOOK_TOTAL_SECONDS = env.float("GAUNTLET_WEBHOOK_TOTAL_SECONDS", 15.0)
# Of a worker's threads no more than these wait for receivers; half of them for one account's, and a
# quarter for one receiver of it.
GAUNTLET_WEBHOOK_SENDERS = env.int("GAUNTLET_WEBHOOK_SENDERS", 8)
# Where Discord webhooks live besides discord.com: tests play Discord on this machine.
GAUNTLET_WEBHOOK_DISCORD_HOSTS: list[str] = env.list("GAUNTLET_WEBHOOK_DISCORD_HOSTS", [])
GAUNTLET_WEBHOOK_RETRY_FOR = timedelta(days=3)
GAUNTLET_WEBHOOK_SECRET_OVERLAP = timedelta(hours=24)
GAUNTLET_WEBHOOK_LOG_KEPT = timedelta(days=30)
GAUNTLET_WEBHOOKS_PER_SEASON = 10

# --- Push ---------------------------------------------------------------------------------------
# The key by which push services know the site (VAPID); empty: nothing is pushed, nor offered.
# `manage.py vapid_key` makes one. With another key every device must be switched on anew.
GAUNTLET_VAPID_PRIVATE_KEY = env.str("GAUNTLET_VAPID_PRIVATE_KEY", "")
# Whom a push service may turn to, mailto: or https://; empty: the sender of mail.
GAUNTLET_VAPID_CONTACT = env.str("GAUNTLET_VAPID_CONTACT", "")
# The push services of browsers: nothing is sent to any other host. With a dot: whatever is below.
GAUNTLET_PUSH_HOSTS: list[str] = env.list(
    "GAUNTLET_PUSH_HOSTS",
    [
        "fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com",
        ".notify.windows.com",
    ],
)  # fmt: skip
# Whether a service on this machine will do, without TLS: tests play one.
GAUNTLET_PUSH_PLAIN_HTTP = env.bool("GAUNTLET_PUSH_PLAIN_HTTP", False)
GAUNTLET_PUSH_STAGE_SECONDS = env.float("GAUNTLET_PUSH_STAGE_SECONDS", 8.0)
# Of a worker's threads no more than these wait for push services.
GAUNTLET_PUSH_SENDERS = env.int("GAUNTLET_PUSH_SENDERS", 2)
GAUNTLET_PUSH_DEVICES = 20

# --- Dumps --------------------------------------------------------------------------------------
GAUNTLET_DUMPS_KEPT = env.int("GAUNTLET_DUMPS_KEPT", 14)

OUTGOING_TASKS = (
    "accounts.auditing.tasks",
    "accounts.leaving.tasks",
    "accounts.signin.tasks",
    "accounts.announcing.tasks",
    "tournaments.webhooks.tasks",
    "tournaments.posts.tasks",
    "tournaments.dumps.tasks",
)
OUTGOING_SCHEDULE: dict[str, dict[str, Any]] = {
    # What the audit log has got since goes into its chain: until then a change would not show.
    "audit-seal": {
        "task": "accounts.auditing.tasks.seal",
        "schedule": 5.0,
        "options": {"expires": 5},
    },
    # Every hour, and done once a night.
    "audit-check": {
        "task": "accounts.auditing.tasks.check",
        "schedule": crontab(minute="15"),
        "options": {"expires": 3000},
    },
    # What no worker was told of; one that comes late is worth nothing.
    "announcements-sweep": {
        "task": "accounts.announcing.tasks.sweep",
        "schedule": 10.0,
        "options": {"expires": 20},
    },
    # Every hour: it is morning somewhere.
    "announcements-digests": {
        "task": "accounts.announcing.tasks.digests",
        "schedule": crontab(minute="5"),
        "options": {"expires": 1800},
    },
    "announcements-prune": {
        "task": "accounts.announcing.tasks.prune",
        "schedule": crontab(minute="30", hour="3"),
    },
    # Accounts whose owners have had time to think again.
    "accounts-deletions": {
        "task": "accounts.leaving.tasks.deletions",
        "schedule": crontab(minute="15"),
        "options": {"expires": 1800},
    },
    # Sessions that have run out, and what is known of where they were.
    "sessions-prune": {
        "task": "accounts.signin.tasks.prune",
        "schedule": crontab(minute="20", hour="3"),
    },
    "webhooks-sweep": {
        "task": "tournaments.webhooks.tasks.sweep",
        "schedule": 3.0,
        "options": {"expires": 6},
    },
    "webhooks-repair": {
        "task": "tournaments.webhooks.tasks.repair",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "webhooks-prune": {
        "task": "tournaments.webhooks.tasks.prune",
        "schedule": crontab(minute="40", hour="3"),
    },
    "posts-sweep": {
        "task": "tournaments.posts.tasks.sweep",
        "schedule": 3.0,
        "options": {"expires": 6},
    },
    "posts-repair": {
        "task": "tournaments.posts.tasks.repair",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "posts-prune": {
        "task": "tournaments.posts.tasks.prune",
        "schedule": crontab(minute="50", hour="3"),
    },
    # Every hour, and done once a day: a night in which beat was away is made up for.
    "dumps-nightly": {
        "task": "tournaments.dumps.tasks.nightly",
        "schedule": crontab(minute="10"),
    },
}
