"""`manage.py api_schema`: rewrite docs/openapi.json from the views."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from drf_spectacular.drainage import GENERATOR_STATS

from core.api.index import SNAPSHOT, schema_text


class Command(BaseCommand):
    """Writes the committed schema; `--check` only says whether it is up to date."""

    help = "Rewrite docs/openapi.json from the views."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take `--check`."""
        parser.add_argument("--check", action="store_true", help="Write nothing; exit 1 if stale.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write or compare."""
        text = schema_text()
        if GENERATOR_STATS:
            GENERATOR_STATS.emit_summary()
            self.stderr.write("The schema is written, but views are described badly: see above.")
        if options["check"]:
            if not SNAPSHOT.exists() or SNAPSHOT.read_text() != text:
                self.stderr.write("docs/openapi.json is stale: run `manage.py api_schema`.")
                raise SystemExit(1)
            return
        SNAPSHOT.write_text(text)
        self.stdout.write(f"{SNAPSHOT}: {len(text)} bytes")
