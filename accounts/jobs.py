"""The tasks of `accounts`, by the names under which they are handed to workers."""

from __future__ import annotations

from typing import Final

DELIVER: Final = "accounts.announcing.tasks.deliver"
PUSH: Final = "accounts.announcing.tasks.push"
DISCORD: Final = "accounts.announcing.tasks.discord"
PUSH_TEST: Final = "accounts.announcing.tasks.push_test"
SWEEP: Final = "accounts.announcing.tasks.sweep"
DIGESTS: Final = "accounts.announcing.tasks.digests"
PRUNE: Final = "accounts.announcing.tasks.prune"
AUDIT_SEAL: Final = "accounts.auditing.tasks.seal"
AUDIT_CHECK: Final = "accounts.auditing.tasks.check"
FORGET_WAYS: Final = "accounts.signin.tasks.forget_ways"
DELETIONS: Final = "accounts.leaving.tasks.deletions"
PRUNE_SESSIONS: Final = "accounts.signin.tasks.prune"
