"""``manage.py dump_public``: make today's dump of everything public now."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.dumps import archive


class Command(BaseCommand):
    """Makes the dump that the nightly task would make, in its place."""

    help = "Make today's dump of everything public, in place of one that is there."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            dump = archive.dump_write()
        except archive.Busy:
            raise CommandError("A dump is being made by another process.") from None
        self.stdout.write(f"{archive.folder() / dump.name}")
        self.stdout.write(f"{dump.bytes} bytes, SHA-256 {dump.sha256}")
        for name, table in dump.manifest.tables.items():
            self.stdout.write(f"{name}: {table.rows}")
