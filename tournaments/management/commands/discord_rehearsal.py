"""`manage.py discord_rehearsal`: try the site's part in Discord without Discord."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.crypto import salted_hmac

from accounts.models import User
from accounts.roles import Role, holds_role
from games.demo import KEEPER, PEOPLE
from tournaments.discord.fake.pages import rehearsing
from tournaments.discord.fake.people import Application
from tournaments.discord.fake.rehearsal import Invited


class Command(BaseCommand):
    help = (
        "Play Discord on this machine, for a development site: a server with channels, the site's "
        "bot and a few people, on a page where one gives commands as any of them. It says which "
        "settings the site must run with; `script/server --discord` does all of that."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=0, help="by default a free one")
        parser.add_argument(
            "--site",
            default=settings.GAUNTLET_ORIGIN,
            help="the site's address, as scheme, host and port (%(default)s)",
        )
        parser.add_argument(
            "--person",
            action="append",
            default=[],
            help="the username of somebody who is there, again for each; by default the demo's",
        )
        parser.add_argument(
            "--print-settings",
            action="store_true",
            help="only show the settings for a site whose Discord is played at --port",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Play until Ctrl-C. Raises CommandError on a site that is not a development one."""
        if not settings.GAUNTLET_DEVELOPMENT:
            raise CommandError(
                "This site is not a development one, and whoever plays its Discord is whoever they "
                "say they are. Try it with script/server --discord, or under "
                "DJANGO_SETTINGS_MODULE=config.settings.dev."
            )
        application = _application()
        if options["print_settings"]:
            if not options["port"]:
                raise CommandError("--print-settings needs a --port.")
            self._print(application.settings(options["port"]))
            return
        # Whoever supervises asks by SIGTERM for what Ctrl-C asks for.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._play(application, options)
        except KeyboardInterrupt:
            self.stdout.write("Discord is not played any more.")
        except OSError as error:
            raise CommandError(f"Port {options['port']}: {error.strerror}") from error

    def _play(self, application: Application, options: dict[str, Any]) -> None:
        invited = [_invited(name) for name in options["person"] or _demo_people()]
        with rehearsing(options["site"], invited, application, options["port"]) as rehearsal:
            port = rehearsal.fake.port
            wanted = application.settings(port)
            if any(getattr(settings, name) != value for name, value in wanted.items()):
                self.stdout.write("All processes of the site must run with these settings:")
                self._print(wanted)
            self._register(wanted)
            self.stdout.write(f"Discord is played at http://127.0.0.1:{port}/")
            self.stdout.flush()
            threading.Event().wait()

    def _print(self, wanted: dict[str, str]) -> None:
        for name, value in wanted.items():
            self.stdout.write(f"{name}={value}")

    def _register(self, wanted: dict[str, str]) -> None:
        """Register the commands, as anybody would."""
        done = subprocess.run(  # noqa: S603 - ourselves
            [sys.executable, sys.argv[0], "discord_commands"],
            env={**os.environ, **wanted},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.stdout.write((done.stdout + done.stderr).strip())


def _application() -> Application:
    """This site's own: nobody else can know what it signs with, and it is the same every time."""

    def drawn(what: str) -> bytes:
        return salted_hmac("discord rehearsal", what, algorithm="sha256").digest()

    key = Ed25519PrivateKey.from_private_bytes(drawn("key"))
    return Application(drawn("secret").hex(), drawn("bot").hex(), key)


def _demo_people() -> list[str]:
    demo = [each.username for each in (*PEOPLE, KEEPER)]
    there = set(User.objects.filter(username__in=demo).values_list("username", flat=True))
    return [name for name in demo if name in there] or demo[:2]


def _invited(username: str) -> Invited:
    user = User.objects.filter(username=username).first()
    if user is None:
        return Invited(username, username)
    return Invited(username, user.shown_name, holds_role(user, Role.ORGANISER))
