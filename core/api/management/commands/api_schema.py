"""`manage.py api_schema`: rewrite docs/openapi.json and types/api.d.ts from the views."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from drf_spectacular.drainage import GENERATOR_STATS

from core.api.declarations import DECLARATIONS, declarations_text
from core.api.index import SNAPSHOT, schema_text


class Command(BaseCommand):
    """Writes what is committed of the schema; `--check` only says whether it is up to date."""

    help = "Rewrite docs/openapi.json and types/api.d.ts from the views."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take `--check`."""
        parser.add_argument("--check", action="store_true", help="Write nothing; exit 1 if stale.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write or compare."""
        texts = {SNAPSHOT: schema_text(), DECLARATIONS: declarations_text()}
        if GENERATOR_STATS:
            GENERATOR_STATS.emit_summary()
            self.stderr.write("The schema is written, but views are described badly: see above.")
        if not options["check"]:
            for path, text in texts.items():
                path.write_text(text)
                self.stdout.write(f"{path}: {len(text)} bytes")
            return
        stale = [
            path for path, text in texts.items() if not path.exists() or path.read_text() != text
        ]
        for path in stale:
            self.stderr.write(f"{path} is stale: run `manage.py api_schema`.")
        if stale:
            raise SystemExit(1)
