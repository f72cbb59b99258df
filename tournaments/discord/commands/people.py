"""Who somebody is here."""

from __future__ import annotations

from typing import Final

from accounts.discord.offers import is_offered
from accounts.discord.services import discord_link_begin
from core.discord.text import escaped
from core.refusals import Refusal
from tournaments.discord.commands.base import Command
from tournaments.discord.interactions import Asked, Reply, link
from tournaments.webhooks.payloads import absolute


def _link(asked: Asked) -> Reply:
    linked = asked.linked
    if linked is not None:
        own = absolute(f"/u/{linked.username}/")
        words = f"Your Discord account is linked to **{escaped(linked.shown_name)}**."
        return Reply(words, rows=[[link("Your page", own)]])
    if not is_offered():
        raise Refusal("discord.not-offered", "Accounts cannot be linked on this site.")
    name = asked.person.global_name or asked.person.username
    address = discord_link_begin(discord_id=asked.person.id, discord_name=name)
    words = "Link your account on the site to play from here. The address is for you alone."
    return Reply(words, rows=[[link("Link my account", address)]])


COMMANDS: Final = (
    Command(
        name="link",
        description="Link your Discord account to your account on the site.",
        run=_link,
    ),
)
