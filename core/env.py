"""Strictly typed reading of environment variables and of service addresses."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from environs import Env

ROOT = Path(__file__).resolve().parent.parent

env = Env()

# Everything a run leaves behind, and nothing else; never part of the repository.
DATA: Path = env.path("GAUNTLET_DATA", ROOT / ".data").resolve()


def database_options(url: str, *, variable: str = "DATABASE_URL") -> dict[str, Any]:
    """Return Django's `DATABASES` entry for a `postgresql://` address, which ``variable`` names.

    Query parameters become libpq options (`?sslmode=require`). A `host` parameter that is a
    folder selects a Unix socket, as in libpq itself.

    Raises ImproperlyConfigured for any other scheme or a missing database name.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise ImproperlyConfigured(f"{variable} must start with postgresql://")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured(f"{variable} names no database")
    options = dict(parse_qsl(parts.query))
    host = options.pop("host", "") or unquote(parts.hostname or "")
    return {
        "ENGINE": "core.database",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or options.pop("port", "")),
        "OPTIONS": options,
    }
