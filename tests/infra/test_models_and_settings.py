"""What Django checks of the whole project."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys

from django.core.management import call_command

from script.lib.console import ROOT


def test_no_model_lacks_a_migration(db: None) -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_production_settings_pass_djangos_checks_for_a_deployment() -> None:
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "gauntlet.example",
        "GAUNTLET_SECURITY_CONTACT": "mailto:security@gauntlet.example",
        # One that cannot be asked: of a role as of the tests, which may do anything, it would warn.
        "DATABASE_URL": "postgres://gauntlet_site@127.0.0.1:9/gauntlet",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
