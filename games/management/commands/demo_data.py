"""`manage.py demo_data`: people, matches and challenges to look at."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.refusals import Refusal
from games.demo import DemoAccount, demo_create, demo_passwords_withdraw

# Known to everybody who reads this, so it is used on development sites only.
PASSWORD = "two-enter-one-goes"  # noqa: S105


class Command(BaseCommand):
    help = (
        "Make demo accounts, finished matches, one in progress and open challenges, as far as they "
        "are missing. On a site that is not a development one, --force is needed, and passwords "
        "are drawn at random and shown once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--force", action="store_true", help="on a site that is not a development one, too"
        )
        parser.add_argument(
            "--exposed",
            action="store_true",
            help="others can reach this site: accounts get passwords drawn at random, shown once, "
            "also those that have the well-known one",
        )
        parser.add_argument(
            "--passwords-only", action="store_true", help="make nothing; only see to the passwords"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if not settings.GAUNTLET_DEVELOPMENT and not options["force"]:
            raise CommandError(
                "This site is not a development one. With --force the demo "
                "accounts are made all the same, with passwords drawn at random."
            )
        exposed = options["exposed"]
        known = PASSWORD if settings.GAUNTLET_DEVELOPMENT and not exposed else None
        # Whatever is there from before: nobody may come in by what stands in the source.
        drawn = {} if known else demo_passwords_withdraw(known=PASSWORD)
        try:
            accounts = [] if options["passwords_only"] else demo_create(password=known)
        except Refusal as refusal:
            raise CommandError(
                f"The demo could not be made here, and nothing was: {refusal.sentence}"
            ) from refusal
        if accounts:
            self.stdout.write(self._table(accounts, drawn))
        elif drawn:
            lines = [f"  {name:<8} {password}" for name, password in drawn.items()]
            self.stdout.write("\n".join(["Demo accounts, with new passwords:", *lines]))

    @staticmethod
    def _table(accounts: list[DemoAccount], drawn: dict[str, str]) -> str:
        lines = ["Demo accounts:"]
        for person, password in accounts:
            shown = password or drawn.get(person.username, "(as it was)")
            lines.append(f"  {person.username:<8} {person.what:<14} {shown}")
        return "\n".join(lines)
