"""`manage.py restore`: the database out of a backup, and every match replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, transaction

from accounts.auditing.sealing import audit_head
from accounts.services import audit_record
from config.operations.backups import backup_restore
from config.operations.roles import is_apart, role_must_be_there, roles_grant, site_role
from core.refusals import Refusal
from tournaments.invariants import faults_of
from tournaments.models import Season


class Command(BaseCommand):
    help = (
        "Fill the database from a backup, while no process of the site runs; then replay every "
        "match and look through every season. See docs/operating.md."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `manage.py backup` has written")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="whatever the database holds is lost; without, it must be empty",
        )
        parser.add_argument(
            "--migrate",
            action="store_true",
            help="apply the migrations that a backup of an older release lacks",
        )
        parser.add_argument(
            "--no-check",
            action="store_true",
            help="replay nothing; `manage.py check_matches` does so later",
        )

    def handle(self, *_args: Any, file: Path, **options: Any) -> None:
        """Restore, and say what came of it. Raises CommandError where it was refused, with nothing
        changed, and where what was restored does not hold."""
        apart = is_apart()
        try:
            if apart:
                # Before anything is gone: without this role the site could not use what comes.
                role_must_be_there(role=site_role()[0])
            behind = backup_restore(file=file, replace=options["replace"], older=options["migrate"])
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        except OSError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file} is restored.")
        if apart:
            self._grant()
        if behind.migrations:
            call_command("migrate", interactive=False, verbosity=0)
            self.stdout.write(f"{behind.migrations} migrations are applied.")
        self._note(file)
        if not behind.emptied:
            self.stderr.write(
                "Valkey could not be reached. Empty it before the site starts: what it remembers "
                "is of rows that are there no more."
            )
        if options["no_check"]:
            return
        call_command("check_matches", stdout=self.stdout, stderr=self.stderr)
        self._check_seasons()

    def _grant(self) -> None:
        """A backup holds no rights: those of the tables that it has made anew are granted anew.
        Raises CommandError, with what is then to be done, where that fails all the same."""
        role, password = site_role()
        try:
            roles_grant(role=role, password=password)
        except (Refusal, DatabaseError) as error:
            said = error.sentence if isinstance(error, Refusal) else str(error).strip()
            raise CommandError(
                f"What the backup held is there, but {role} is granted nothing: {said} Once that "
                "is put right, do `manage.py migrate` and `manage.py check_matches`."
            ) from error

    def _note(self, file: Path) -> None:
        """Say in the audit log that what came after this is gone, and how far its chain went."""
        with transaction.atomic():
            data = {"file": file.name, "head": str(audit_head())}
            audit_record(acting_user=None, action="database.restore", data=data)

    def _check_seasons(self) -> None:
        seasons = list(Season.objects.order_by("pk"))
        wrong = 0
        for season in seasons:
            # What organisers once did counts as it stands.
            for fault in faults_of(season, lenient=True):
                wrong += 1
                self.stderr.write(f"{season.slug}: {fault}")
        if wrong:
            raise CommandError(f"{wrong} things do not hold in {len(seasons)} seasons.")
        self.stdout.write(f"{len(seasons)} seasons looked through: all hold.")
