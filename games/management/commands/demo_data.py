"""`manage.py demo_data`: people, matches and challenges to look at."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.demo import Account, demo_create

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

    def handle(self, *_args: Any, **options: Any) -> None:
        if not settings.GAUNTLET_DEVELOPMENT and not options["force"]:
            raise CommandError(
                "This site is not a development one. With --force the demo "
                "accounts are made all the same, with passwords drawn at random."
            )
        known = PASSWORD if settings.GAUNTLET_DEVELOPMENT else None
        accounts = demo_create(password=known)
        self.stdout.write(self._table(accounts, known))

    @staticmethod
    def _table(accounts: list[Account], known: str | None) -> str:
        lines = ["Demo accounts:"]
        for person, password in accounts:
            shown = password or known or "(as it was)"
            lines.append(f"  {person.username:<8} {person.what:<14} {shown}")
        return "\n".join(lines)
