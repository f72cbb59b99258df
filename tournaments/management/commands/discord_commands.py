"""`manage.py discord_commands`: tell Discord which commands there are."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.discord.client import DiscordError, commands_put
from tournaments.discord.commands import COMMANDS


class Command(BaseCommand):
    help = (
        "Make the site's commands those of its Discord application, and no others: everywhere, or "
        "in one server (--guild), where they are there at once. To be done again after a new "
        "release; doing it twice changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--guild", default="", help="the id of one Discord server")
        parser.add_argument(
            "--dry-run", action="store_true", help="show what Discord would be told, as JSON"
        )

    def handle(self, *_args: Any, guild: str, dry_run: bool, **_options: Any) -> None:
        """Tell Discord, or show what it would be told. Raises CommandError where it cannot be told,
        or does not take it."""
        commands = [each.registered() for each in COMMANDS.values()]
        if dry_run:
            self.stdout.write(json.dumps(commands, indent=2, ensure_ascii=False))
            return
        if not (settings.GAUNTLET_DISCORD_BOT_TOKEN and settings.GAUNTLET_DISCORD_CLIENT_ID):
            raise CommandError(
                "GAUNTLET_DISCORD_CLIENT_ID and GAUNTLET_DISCORD_BOT_TOKEN must be set."
            )
        try:
            there = commands_put(commands, guild=guild)
        except DiscordError as error:
            raise CommandError(f"Discord did not take them: {error}") from error
        where = f"server {guild}" if guild else "all servers"
        self.stdout.write(f"{len(there)} commands in {where}.")
