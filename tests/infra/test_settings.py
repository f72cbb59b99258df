"""What the settings promise, asked of fresh processes where it is about the environment."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from accounts import preferences
from accounts.announcing import devices, push
from accounts.signin import browsers
from config.devenv import secret_key, vapid_key
from core.env import database_options
from core.replica import writers
from script.lib.console import ROOT

PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "config.settings.production",
    "SECRET_KEY": "k" * 20 + "0123456789" * 4,
    "ALLOWED_HOSTS": "gauntlet.example",
    "DATABASE_URL": "postgresql://someone:secret@db.example/gauntlet",
    "REDIS_URL": "redis://redis.example:6379",
}


def evaluate(expression: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Print an expression over `settings` in a process with this environment and nothing more."""
    code = f"from django.conf import settings; print(repr({expression}))"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("missing", ["SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"])
def test_production_does_not_start_without(missing: str) -> None:
    environment = {name: value for name, value in PRODUCTION.items() if name != missing}
    done = evaluate("settings.DEBUG", **environment)
    assert done.returncode != 0
    assert missing in done.stderr


def test_production_is_closed_by_default() -> None:
    done = evaluate(
        "[settings.DEBUG, settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE,"
        " settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS >= 31536000,"
        " settings.SESSION_COOKIE_HTTPONLY, settings.GAUNTLET_SECOND_FACTOR_REQUIRED,"
        " settings.ALLOWED_HOSTS]",
        **PRODUCTION,
    )
    closed = "[False, True, True, True, True, True, True, ['gauntlet.example']]"
    assert done.stdout.strip() == closed, done.stderr


def test_no_two_cookies_have_one_name() -> None:
    """The later would take the place of the other, of which nobody would be told."""
    configured = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "GAUNTLET_DEVICE_COOKIE")
    done = evaluate(f"[getattr(settings, name) for name in {configured}]", **PRODUCTION)
    production = ast.literal_eval(done.stdout)
    here = [getattr(settings, name) for name in configured]
    # Where one is set, a new place belongs in here with its names.
    others = {
        "accounts/announcing/devices.py": [devices._COOKIE],
        "accounts/preferences.py": [
            preferences.THEME_COOKIE, preferences.SOUND_COOKIE, preferences.MOTION_COOKIE,
            preferences.RESULTS_COOKIE,
        ],
        "accounts/signin/browsers.py": [browsers.COOKIE],
        "accounts/signin/ways.py": [],
        "core/replica/writers.py": [writers.COOKIE],
    }  # fmt: skip
    assert {
        str(path.relative_to(ROOT))
        for room in ("accounts", "config", "core", "games", "tournaments")
        for path in (ROOT / room).rglob("*.py")
        if re.search(r"\.set_(signed_)?cookie\(", path.read_text())
    } == set(others)
    for names in (here, production):
        every = [*names, *(name for several in others.values() for name in several)]
        assert len({*every}) == len(every), every


def test_no_environment_loosens_durability() -> None:
    options = "settings.DATABASES['default']['OPTIONS']['options']"
    for module in ("dev", "test", "production"):
        settings = {**PRODUCTION, "DJANGO_SETTINGS_MODULE": f"config.settings.{module}"}
        assert "synchronous_commit=on" in evaluate(options, **settings).stdout


def test_the_policy_lets_nothing_in_from_elsewhere_and_nothing_inline() -> None:
    done = evaluate("settings.CONTENT_SECURITY_POLICY['DIRECTIVES']", **PRODUCTION)
    assert "unsafe" not in done.stdout
    assert "http" not in done.stdout
    assert "'default-src': [\"'none'\"]" in done.stdout


def test_production_static_files_can_be_collected(tmp_path: Path) -> None:
    """The hashed manifest refuses a stylesheet that refers to a file that is not there."""
    done = subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        env={"PATH": os.environ["PATH"], **PRODUCTION, "GAUNTLET_DATA": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "static" / "staticfiles.json").exists()


def test_a_mistyped_number_is_an_error_that_names_the_variable() -> None:
    done = evaluate("settings.DEBUG", **PRODUCTION, GAUNTLET_DB_POOL_MAX="many")
    assert done.returncode != 0
    assert "GAUNTLET_DB_POOL_MAX" in done.stderr


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "postgresql://me:p%40ss@host:5433/name?sslmode=require",
            {"USER": "me", "PASSWORD": "p@ss", "HOST": "host", "PORT": "5433", "NAME": "name",
             "OPTIONS": {"sslmode": "require"}},
        ),
        (
            "postgresql:///name?host=/run/postgresql&port=5433",
            {"HOST": "/run/postgresql", "PORT": "5433", "NAME": "name", "USER": "", "OPTIONS": {}},
        ),
    ],
)  # fmt: skip
def test_database_addresses(url: str, expected: dict[str, object]) -> None:
    found = database_options(url)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("url", ["mysql://h/n", "postgresql://host/", "", "name"])
def test_database_addresses_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured):
        database_options(url)


@pytest.mark.parametrize("key", [secret_key, vapid_key])
def test_a_development_key_is_made_once_and_kept_private(
    tmp_path: Path, key: Callable[[Path], str]
) -> None:
    first = key(tmp_path / "data")
    assert len(first) > 40
    assert key(tmp_path / "data") == first
    (path,) = (tmp_path / "data").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    assert key(tmp_path / "other") != first


def test_push_services_take_the_development_key(tmp_path: Path, settings: Any) -> None:
    settings.GAUNTLET_VAPID_PRIVATE_KEY = vapid_key(tmp_path)
    assert len(push.public_key()) == 87
    done = evaluate("settings.GAUNTLET_VAPID_PRIVATE_KEY", **PRODUCTION)
    assert done.stdout.strip() == "''", done.stderr


def test_a_site_that_people_try_out_shows_no_technical_pages() -> None:
    environment = {**PRODUCTION, "DJANGO_SETTINGS_MODULE": "config.settings.dev"}
    done = evaluate("[settings.DEBUG, settings.GAUNTLET_DEVELOPMENT]", **environment)
    assert done.stdout.strip() == "[False, True]", done.stderr
    done = evaluate("settings.DEBUG", **environment, GAUNTLET_DEBUG="1")
    assert done.stdout.strip() == "True", done.stderr


def test_a_checkout_that_cannot_be_written_gets_a_key_for_one_process(tmp_path: Path) -> None:
    # A file where the folder should be refuses root too, which permissions would not.
    (tmp_path / "data").write_text("")
    first, second = (secret_key(tmp_path / "data") for _ in range(2))
    assert len(first) >= 50
    assert first != second
