"""`manage.py season`: take a season to another installation, or print how its document is made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from core.refusals import Refusal
from tournaments.documents.export import season_records
from tournaments.documents.restore import season_import
from tournaments.documents.schema import season_fields, season_schema
from tournaments.models import Season


class Command(BaseCommand):
    help = (
        "Export a season with its records, import one, or print how documents of seasons are made."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        out = actions.add_parser("export", help="write a season and its records as a zip")
        out.add_argument("slug")
        out.add_argument("file", type=Path)
        back = actions.add_parser("import", help="restore a season from such a zip")
        back.add_argument("file", type=Path)
        back.add_argument("--organiser", required=True, help="the username of who will run it")
        back.add_argument(
            "--match-accounts",
            action="store_true",
            help="contestants become the accounts here that have their usernames",
        )
        back.add_argument(
            "--beside",
            action="store_true",
            help="if this season is here already, make a copy of it instead of refusing",
        )
        actions.add_parser("schema", help="print the JSON Schema of season documents")
        actions.add_parser("fields", help="print a list of their fields, as Markdown")

    def handle(self, *_args: Any, action: str, **given: Any) -> None:
        """Carry out one of the four."""
        try:
            if action == "schema":
                self.stdout.write(json.dumps(season_schema(), indent=2))
            elif action == "fields":
                self.stdout.write(season_fields(), ending="")
            elif action == "export":
                season = Season.objects.filter(slug=given["slug"]).first()
                if season is None:
                    raise CommandError(f"There is no season {given['slug']!r}.")
                given["file"].write_bytes(season_records(season=season))
            else:
                self._import(given)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        except OSError as error:
            raise CommandError(str(error)) from error

    def _import(self, given: dict[str, Any]) -> None:
        user = User.objects.filter(username=given["organiser"]).first()
        if user is None:
            raise CommandError(f"Nobody here is called {given['organiser']!r}.")
        season = season_import(
            acting_user=user,
            data=given["file"].read_bytes(),
            match_accounts=given["match_accounts"],
            beside=given["beside"],
        )
        self.stdout.write(f"{season.name} is restored as {season.slug}.")
