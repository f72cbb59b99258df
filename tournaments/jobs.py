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
DISCORD_FINISH: Final = "tournaments.discord.tasks.finish"
DISCORD_SAY: Final = "tournaments.posts.tasks.say"
DISCORD_ROLES: Final = "tournaments.posts.tasks.give_roles"
DISCORD_TURN: Final = "tournaments.posts.tasks.tell_turn"
DISCORD_CLOCK: Final = "tournaments.posts.tasks.tell_clock"
DISCORD_GIVEN_UP: Final = "tournaments.posts.tasks.tell_given_up"
