"""A season of the real site, told by its real worker: which is killed while Discord keeps its
answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tests.posts.support import content
from tests.support.site import Site
from tests.webhooks.test_site import PLAY, SEASON
from tournaments.discord.fake.held import Channel
from tournaments.discord.fake.server import MANAGE_WEBHOOKS, FakeDiscord, Handler, discord

CONNECT = """
from accounts.models import DiscordLink
from tournaments.posts.services import channel_connect
DiscordLink.objects.create(user=orla, discord_id={member!r}, name="orla")
channel_connect(acting_user=orla, season=season, channel_id={channel!r}, kinds={kinds!r})
"""
EVENT = """
from django.db import transaction
from tournaments.models import Season
from tournaments.services.events import season_event
season = Season.objects.get(slug={name!r})
with transaction.atomic():
    season_event(season=season, kind="season.reopened", words="It goes on.")
"""


def connected(
    site: Site, fake: FakeDiscord, name: str, kinds: list[str], more: str = ""
) -> Channel:
    """A channel in which a new season of that name is told of."""
    guild = fake.guild()
    channel = fake.channel(guild)
    member, role = fake.new_id(), fake.new_id()
    guild.roles[role] = "Manager"
    guild.permissions[role] = MANAGE_WEBHOOKS
    guild.members[member] = {role}
    connect = CONNECT.format(member=member, channel=channel.id, kinds=kinds)
    site.python(SEASON.format(name=name, webhooks=[]) + connect + more)
    return channel


def port_of(site: Site) -> int:
    port = urlsplit(site.env["GAUNTLET_DISCORD_API"]).port
    assert port is not None
    return port


def test_a_match_is_told_of_as_it_goes(site: Site, wait_until: Callable[..., Any]) -> None:
    with discord(port_of(site)) as fake:
        channel = connected(site, fake, "posted", ["threads", "matches"], PLAY)
        wait_until(lambda: [each for each in fake.channels.values() if each.parent], timeout=30)
        (thread,) = (each for each in fake.channels.values() if each.parent == channel.id)
        wait_until(lambda: fake.said_in(thread), timeout=30)
        (message,) = fake.said_in(thread)
        wait_until(lambda: "pick" in str(message.body["embeds"]).lower(), timeout=30)
        assert message.files["board.png"].startswith(b"\x89PNG")
        assert len(fake.said_in(channel)) == 1
        written = site.worker.log()
        assert "post.said" in written
        assert fake.bot_token not in written


def test_a_worker_that_is_killed_posts_nothing_twice(
    site: Site, wait_until: Callable[..., Any]
) -> None:
    asked = threading.Event()

    def takes_and_says_nothing(handler: Handler) -> None:
        there = handler.server.fake
        there.answer(there.requests[-1])
        asked.set()
        there.ending.wait(60)

    with discord(port_of(site)) as fake:
        channel = connected(site, fake, "killed", ["news"])
        fake.instead = [takes_and_says_nothing]
        site.python(EVENT.format(name="killed"))
        assert asked.wait(30)
        site.worker.kill()
        assert _statuses(site, "killed") == {"waiting": 1}
        # Whoever is dead has had its time.
        site.sql("UPDATE tournaments_discordplace SET busy_until = NULL")
        site.worker.start()
        wait_until(lambda: _statuses(site, "killed") == {"done": 1}, timeout=60)
        (message,) = fake.said_in(channel)
        assert content(message) == "It goes on."


def _statuses(site: Site, slug: str) -> dict[str, int]:
    rows = site.sql(
        "SELECT d.status, count(*) FROM tournaments_discordpost d"
        " JOIN tournaments_discordplace p ON p.id = d.place_id"
        " JOIN tournaments_discordchannel c ON c.id = p.channel_id"
        " JOIN tournaments_season s ON s.id = c.season_id WHERE s.slug = %s GROUP BY 1",
        slug,
    )
    return dict(rows)
