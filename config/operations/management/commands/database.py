"""`manage.py database`: the roles by which the site and its operators are in the database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from config.operations.roles import is_empty, role_excesses, roles_grant, site_role
from core.refusals import Refusal


class Command(BaseCommand):
    help = (
        "Grant the site's role (DATABASE_URL) what the site needs, as the owner "
        "(DATABASE_OWNER_URL), or look whether it may do more. See docs/operating.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="what", required=True)
        parts.add_parser("roles", help="make the site's role, grant it what it needs, and look")
        parts.add_parser(
            "check",
            help="look; status 1: it may do more, a guard is off or is another, or nothing is here",
        )

    def handle(self, *_args: Any, what: str, **_options: Any) -> None:
        """Do it. Raises CommandError where it is refused, and for a role that may do more."""
        role, password = site_role()
        if what == "check" and is_empty():
            raise CommandError(
                f"There is nothing here: {connection.settings_dict['NAME']} holds none of the "
                "tables that only grow. Migrate it first, or see which database the address names."
            )
        if what == "roles":
            try:
                made = roles_grant(role=role, password=password)
            except Refusal as refusal:
                raise CommandError(refusal.sentence) from refusal
            self.stdout.write(f"{role} {'is made and' if made else 'is'} granted what it needs.")
        if found := role_excesses(role=role):
            raise CommandError(f"{role} may do more than the site needs: {'; '.join(found)}.")
        self.stdout.write(f"{role} may do what the site needs, and no more.")
