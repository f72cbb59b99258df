"""Commands to the real site: its web process promises in time, and its worker keeps the promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from tests.support.site import Site
from tournaments.discord.commands import COMMANDS
from tournaments.discord.fake.people import Interactions, Person, by_http
from tournaments.discord.fake.schemas import LATER
from tournaments.discord.fake.server import discord

MATCH = """
from accounts.models import User
from games.services.matches import match_start

ada, ben = (User.objects.create_user("discord" + who) for who in ("ada", "ben"))
match = match_start(acting_user=ada, players=(ada, ben), ruleset_id="tetronogo",
                    variant="standard", advantage=0)
print(match.pk)
"""


def test_a_worker_keeps_what_was_promised(site: Site, wait_until: Callable[..., Any]) -> None:
    number = int(site.python(MATCH))
    port = urlsplit(site.env["GAUNTLET_DISCORD_API"]).port
    assert port is not None
    with discord(port) as fake:
        site.manage("discord_commands")
        (there,) = fake.commands.values()
        assert [each["name"] for each in there] == list(COMMANDS)
        there_again = [each["id"] for each in there]
        site.manage("discord_commands")
        assert [each["id"] for each in fake.commands[""]] == there_again
        interactions = Interactions(fake, by_http(f"{site.base_url}/discord/interactions/"))
        assert interactions.ping().body == {"type": 1}
        eve = Person(interactions, "Eve", fake.channel(fake.guild()))
        answer = eve.command("match", match=number)
        assert answer.body["type"] == LATER
        token = answer.token
        assert token is not None
        wait_until(lambda: token.original is not None and token.original.files, timeout=30)
        message = answer.original
        assert message.files["board.png"].startswith(b"\x89PNG")
        assert message.body["embeds"][0]["title"] == "discordada vs discordben"
    written = site.web.log() + site.worker.log()
    assert "discord.done" in written
    assert token.token not in written
    assert fake.bot_token not in written
