"""`manage.py api_client`: rewrite the example of a client from the views."""

from typing import Any

from django.core.management.base import BaseCommand

from core.api.client import client_text
from core.env import ROOT

CLIENT = ROOT / "docs" / "examples" / "gauntlet_client.py"


class Command(BaseCommand):
    """Writes docs/examples/gauntlet_client.py."""

    help = "Rewrite docs/examples/gauntlet_client.py from the views."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it."""
        CLIENT.parent.mkdir(exist_ok=True)
        CLIENT.write_text(client_text())
        self.stdout.write(str(CLIENT))
