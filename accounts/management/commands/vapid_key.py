"""`manage.py vapid_key`: a new key by which push services know a site."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from accounts.announcing.push import key_make


class Command(BaseCommand):
    help = (
        "Print a new private key for GAUNTLET_VAPID_PRIVATE_KEY. Whoever has it can send to the "
        "devices of everybody: keep it as SECRET_KEY is kept. With another one every device "
        "must be switched on anew."
    )
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print it, as the line of a file of settings."""
        self.stdout.write(f"GAUNTLET_VAPID_PRIVATE_KEY={key_make()}")
