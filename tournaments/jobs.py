"""The tasks of `tournaments`, by the names under which they are handed to workers: whoever asks for
one need not know what it does."""

from __future__ import annotations

from typing import Final

SETTLE: Final = "tournaments.tasks.settle"
UNSEAL: Final = "tournaments.tasks.unseal"
ANNOUNCE_EVENT: Final = "tournaments.tasks.announce_event"
WEBHOOK_DRAIN: Final = "tournaments.webhooks.tasks.drain"
WEBHOOK_TURN: Final = "tournaments.webhooks.tasks.announce_turn"
WEBHOOK_CLOCK: Final = "tournaments.webhooks.tasks.announce_clock"
WEBHOOK_DISABLED: Final = "tournaments.webhooks.tasks.tell_disabled"
