"""`manage.py backup`: the whole database as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.operations.backups import backup_write
from core.refusals import Refusal


class Command(BaseCommand):
    help = (
        "Write a backup of the database while the site runs. See docs/operating.md for what must "
        "be kept beside it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "target", type=Path, help="a file that is not there yet, or a folder for one"
        )
        parser.add_argument(
            "--keep",
            type=int,
            metavar="N",
            help="of the backups in the folder, keep the N newest and remove the others",
        )

    def handle(self, *_args: Any, target: Path, keep: int | None, **_options: Any) -> None:
        """Write it, and say where. Raises CommandError where there is none in the end."""
        if keep is not None and (keep < 1 or not target.is_dir()):
            raise CommandError("--keep takes a number from 1 on, and goes with a folder.")
        try:
            written = backup_write(target=target, keep=keep)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        except OSError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{written}: {written.stat().st_size} bytes, read through.")
        self.stdout.write(
            "Not in it: SECRET_KEY (the secrets of webhooks are encrypted by it) and the other "
            "settings. Keep them apart from it."
        )
