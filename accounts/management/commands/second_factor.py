"""`manage.py second_factor reset NAME --reason …`: for the last administrator who lost theirs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.moderation.second_factors import second_factor_reset
from core.refusals import Refusal


class Command(BaseCommand):
    help = (
        "Take somebody's second factors away, recovery codes included, where no other "
        "administrator is there to do it in the admin site. They are told by mail, and the audit "
        "log has it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do, to whom, and why."""
        parser.add_argument("action", choices=["reset"])
        parser.add_argument("username")
        parser.add_argument("--reason", required=True, help="Kept in the audit log.")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do it. Raises CommandError where there is nobody of that name, and where it is
        refused."""
        name = User.normalize_username(options["username"])
        user = User.objects.members().filter(username=name).first()
        if user is None:
            raise CommandError(f"Nobody is called {name}.")
        try:
            second_factor_reset(acting_user=None, user=user, reason=options["reason"])
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        self.stdout.write(f"@{name} has no second factor any more.")
