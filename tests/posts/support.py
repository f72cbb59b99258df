"""A season that a bot tells of in a channel, and what stands there."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts.discord.services import discord_mentions_set
from accounts.models import User
from core.broker import client as redis_client
from core.clock import now_utc
from core.discord import limits
from tests.discord.support import Guild, plain
from tests.games.support import committing
from tests.webhooks.support import Stage
from tournaments.discord.fake.held import Channel, Message
from tournaments.discord.fake.limits import Rate
from tournaments.discord.fake.routes import ROUTES
from tournaments.discord.fake.server import MANAGE_ROLES, MANAGE_WEBHOOKS, FakeDiscord
from tournaments.jobs import DISCORD_CLOCK, DISCORD_TURN
from tournaments.models import (
    DeathMatch,
    DiscordChannel,
    DiscordPlace,
    DiscordPost,
    DiscordRole,
    Season,
)
from tournaments.posts import roles, sending, services, tasks
from tournaments.posts.kinds import KINDS

PLENTY = Rate(10_000, 1.0)


def unhurried(fake: FakeDiscord, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Discord be asked as often as one likes, here and there: clocks of tests stand still."""
    fake.limits.everything = PLENTY
    fake.limits.rates = {route: PLENTY for _, _, route in ROUTES}
    monkeypatch.setattr(limits, "A_SECOND", 10_000)


class Told:
    """The season of a `Stage`, and the server of a `Guild` in which Orla may do everything."""

    def __init__(self, fake: FakeDiscord, guild: Guild, stage: Stage) -> None:
        self.fake, self.guild, self.stage = fake, guild, stage
        guild.workers = stage.workers
        stage.workers.at_once[DISCORD_TURN] = tasks.tell_turn
        stage.workers.at_once[DISCORD_CLOCK] = tasks.tell_clock
        self.orla = guild.joined("Orla", stage.orla)
        self.server = fake.guilds[guild.channel.guild]
        self.plays, self.out, self.watches, self.manages = (fake.new_id() for _ in range(4))
        self.server.roles = {
            self.plays: "Contestant", self.out: "Eliminated", self.watches: "Spectator",
            self.manages: "Manager",
        }  # fmt: skip
        self.server.permissions[self.manages] = MANAGE_WEBHOOKS | MANAGE_ROLES
        self.server.members = {
            guild.ada.id: set(), guild.ben.id: set(), guild.eve.id: set(),
            self.orla.id: {self.manages},
        }  # fmt: skip

    @property
    def here(self) -> Channel:
        """The channel."""
        return self.guild.channel

    @property
    def roles(self) -> dict[str, str]:
        """All three of them, as settings."""
        return {
            "contestant_role": self.plays,
            "eliminated_role": self.out,
            "spectator_role": self.watches,
        }

    def connect(self, *kinds: str, **more: Any) -> DiscordChannel:
        """Orla connects the channel: for everything that there is, unless the test says what."""
        with committing():
            return services.channel_connect(
                acting_user=self.stage.orla,
                season=self.stage.season,
                channel_id=self.here.id,
                kinds=kinds or tuple(KINDS),
                **more,
            )

    def want_mentions(self, *users: User) -> None:
        """Those, or both players, choose to be mentioned."""
        for user in users or (self.stage.ada, self.stage.ben):
            discord_mentions_set(acting_user=user, mentions=True)

    # -- what workers do -------------------------------------------------------------------------

    def say(self, *, after: timedelta = timedelta(0), rounds: int = 12) -> int:
        """Workers say what there is to be said, ``after`` what the test's clock shows, and what is
        only to wait a moment; returns how many calls they made for it."""
        self.stage.at = max(self.stage.at, now_utc()) + after
        made = 0
        for _ in range(rounds):
            at = self.stage.at  # which goes on while workers look
            calls = sum(self.drain(place) for place in sending.places_due(at=at))
            made += calls
            if calls:
                continue
            waiting = DiscordPost.objects.waiting().filter(next_at__gt=at)
            if not waiting.filter(next_at__lte=self.stage.at + sending.EDIT_EVERY):
                break
            self.stage.at += sending.EDIT_EVERY
        return made

    def pass_by(self, span: timedelta) -> None:
        """Let time pass for Discord, for what is known of its limits, and for workers."""
        self.fake.skip(span.total_seconds())
        self.stage.at += span
        redis = redis_client()
        for key in redis.scan_iter(match=f"{settings.REDIS_PREFIX}:discord:*"):
            left = redis.pttl(key)
            if b":left:" in key:
                redis.pexpire(key, max(1, int(left - 1000 * span.total_seconds())))
        time.sleep(0.002)

    def drain(self, place_id: int) -> int:
        """A worker looks at one place."""
        self.stage.at = max(self.stage.at, now_utc())
        with committing():
            return sending.place_drain(place_id=place_id, now=lambda: self.stage.at)

    def give(self, *, after: timedelta = timedelta(0)) -> None:
        """Workers give and take the roles that are due."""
        self.stage.at = max(self.stage.at, now_utc()) + after
        for channel_id in roles.channels_due(at=self.stage.at):
            with committing():
                # What is worked out meanwhile is due at that moment, which is a little later.
                roles.roles_give(channel_id=channel_id, now=lambda: max(self.stage.at, now_utc()))

    # -- what there is ---------------------------------------------------------------------------

    def post(self, kind: str, **about: Any) -> DiscordPost:
        """The only message of that kind."""
        return DiscordPost.objects.get(kind=kind, **about)

    def place(self, death_match: DeathMatch | None = None) -> DiscordPlace:
        """The place of a death match: of the stage's, unless the test says which."""
        return DiscordPlace.objects.get(death_match=death_match or self.stage.death_match)

    @property
    def thread(self) -> Channel:
        """The thread of the stage's death match."""
        return self.fake.channels[self.place().thread_id]

    def is_put_away(self) -> bool:
        """Whether the thread is in the archive."""
        return self.thread.archived

    def in_channel(self) -> list[Message]:
        """What stands in the channel, in order."""
        return self.fake.said_in(self.here)

    def in_thread(self) -> list[Message]:
        """What stands in the thread."""
        return self.fake.said_in(self.thread)

    def shown(self, kind: str, **about: Any) -> Message:
        """The only message of that kind, as it stands in Discord."""
        return self.fake.messages[self.post(kind, **about).message_id]

    def has(self, member_id: str) -> set[str]:
        """Which of the season's roles somebody has."""
        return self.server.members[member_id] - {self.manages}

    def granted(self) -> int:
        """How many roles are still to be given or taken."""
        return DiscordRole.objects.filter(done=False).count()


def content(message: Message) -> str:
    """The words of a message, as people read them."""
    return plain(message.body.get("content") or "")


def description(message: Message) -> str:
    """What the embed of a message says, as people read it."""
    return plain(message.body["embeds"][0].get("description", ""))


def addresses(message: Message) -> list[str]:
    """Where a message leads."""
    found = [embed["url"] for embed in message.body.get("embeds") or [] if "url" in embed]
    for row in message.body.get("components") or []:
        found += [each["url"] for each in row["components"] if "url" in each]
    return found


def drafted(told: Told) -> None:
    """The season is a draft again."""
    Season.objects.filter(pk=told.stage.season.pk).update(
        visibility="draft", status="enrolling", started_at=None
    )
