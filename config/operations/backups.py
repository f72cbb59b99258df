"""Backups of the database: made whole or not at all, and restored whole or not at all.

A backup is one file of `pg_dump`'s custom format, a picture of the database at one moment, which
the site goes on through. Everything that must be kept is in it, but for the settings: what those
encrypt (the secrets of webhooks) can be read only with the same `SECRET_KEY`. Valkey holds nothing
that must be kept; it is emptied by a restore, since what it remembers is of rows that are gone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Final, NamedTuple

import structlog
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from redis.exceptions import RedisError

from config.operations.programs import Address, Programs, address, programs_find, server_version
from core.broker import client, forget
from core.clock import now_utc
from core.refusals import NotFound, Refusal

log = structlog.get_logger("gauntlet.backups")

SUFFIX: Final = ".dump"
PREFIX: Final = "gauntlet-"
# Seconds that a restore waits for this process's own connections to be gone.
_PATIENCE = 10.0
_LOCK_WAIT_MS = 60_000
_SCHEMA = "public"

Migrations = frozenset[tuple[str, str]]


# -- making one ----------------------------------------------------------------------------------


def backup_write(*, target: Path, keep: int | None = None) -> Path:
    """Write a backup to ``target``, a file that is not there yet or a folder, in which it is named
    by the instant; returns the file. It appears under its name once it is whole, on the disk and
    read through once, and only its owner may read it. In a folder, only the ``keep`` newest of its
    backups stay.

    Raises Refusal ``backup.there``, ``backup.failed``, and as `programs_find` does.
    """
    programs, here = programs_find(at_least=server_version()), address()
    folder = target if target.is_dir() else target.parent
    if target.is_dir():
        target = target / f"{PREFIX}{now_utc():%Y%m%dT%H%M%S%fZ}{SUFFIX}"
    if target.exists():
        raise Refusal("backup.there", f"{target} is there already, and is left as it is.")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            _run(
                [
                    programs.dump, "--format=custom", "--no-password",
                    f"--lock-wait-timeout={_LOCK_WAIT_MS}", f"--dbname={here.conninfo}",
                ],
                here,
                output=file,
            )  # fmt: skip
            file.flush()
            os.fsync(file.fileno())
        # Every block is read and unpacked: what cannot be restored is no backup.
        _run([programs.restore, f"--file={os.devnull}", draft], here)
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(folder)
    if keep is not None and target.parent == folder:
        _prune(folder, keep)
    log.info("backup.written", file=target.name, size=target.stat().st_size)
    return target


def _run(argv: list[str | Path], here: Address, *, output: IO[bytes] | None = None) -> None:
    done = subprocess.run(  # noqa: S603  (PostgreSQL's own programs)
        argv,
        env=here.env,
        stdin=subprocess.DEVNULL,
        stdout=output or subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise Refusal("backup.failed", _said(done.stderr))


def _said(errors: bytes) -> str:
    """A program's complaint as a sentence."""
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    return (lines[0] if lines else "The program ended without a word").rstrip(".") + "."


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk as well."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _prune(folder: Path, keep: int) -> None:
    """Remove all but the newest backups, by their names."""
    ours = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
    for old in ours[: len(ours) - keep]:
        old.unlink()
        log.info("backup.removed", file=old.name)


# -- reading one ---------------------------------------------------------------------------------


class Contents(NamedTuple):
    """What a backup says of itself: the major version of the server that it is of, and the
    migrations that had been applied."""

    server: int
    migrations: Migrations


def backup_contents(programs: Programs, file: Path) -> Contents:
    """What a file says of itself.

    Raises NotFound ``backup.none`` where there is no such file, Refusal ``backup.unreadable`` for
    what is no backup or one of a newer version, and ``backup.foreign`` for another program's.
    """
    if not file.is_file():
        raise NotFound("backup.none", f"There is no file {file}.")
    listed = _asked([programs.restore, "--list", file])
    version = re.search(r"Dumped from database version: (\d+)", listed)
    if version is None or "django_migrations" not in listed:
        raise Refusal("backup.foreign", f"{file} is no backup of this site.")
    rows = _asked(
        [programs.restore, "--data-only", f"--schema={_SCHEMA}", "--table=django_migrations",
         "--file=-", file]
    )  # fmt: skip
    return Contents(int(version[1]), _migrations(rows))


def _asked(argv: list[str | Path]) -> str:
    done = subprocess.run(argv, capture_output=True, check=False)  # noqa: S603  (as above)
    if done.returncode:
        raise Refusal("backup.unreadable", _said(done.stderr))
    return done.stdout.decode()


def _migrations(rows: str) -> Migrations:
    """The applied migrations in the text by which their table is filled."""
    found = re.search(r"^COPY \S*django_migrations \(([^)]*)\) FROM stdin;\n", rows, re.MULTILINE)
    if found is None:
        return frozenset()
    names = found[1].split(", ")
    app, name = names.index("app"), names.index("name")
    lines = rows[found.end() :].partition("\n\\.")[0].splitlines()
    return frozenset((cells[app], cells[name]) for cells in (line.split("\t") for line in lines))


# -- restoring one -------------------------------------------------------------------------------


class Behind(NamedTuple):
    """What became of a restore: how many migrations are to be applied to what it brought, and
    whether Valkey could be emptied."""

    migrations: int
    emptied: bool


def backup_restore(*, file: Path, replace: bool = False, older: bool = False) -> Behind:
    """Fill the site's database from a backup, in one transaction: it then holds what the backup
    does, or what it did before. ``replace``: whatever it holds may go. ``older``: the backup may be
    an older release's, to which migrations are yet to be applied.

    Raises Refusal ``restore.newer``, ``restore.older``, ``restore.older-server``,
    ``restore.in-use``, ``restore.not-empty`` and ``restore.failed``, and as `backup_contents` and
    `programs_find` do.
    """
    server = server_version()
    programs, here = programs_find(at_least=server), address()
    contents = backup_contents(programs, file)
    if contents.server > server:
        raise Refusal(
            "restore.older-server",
            f"The backup is of PostgreSQL {contents.server}, and this server is {server}.",
        )
    missing = _missing(contents.migrations, older=older)
    _must_be_alone()
    if not replace and _is_filled():
        raise Refusal(
            "restore.not-empty",
            "The database is not empty. With --replace, what it holds is lost.",
        )
    _leave()
    _restore(programs, here, file)
    log.info("backup.restored", file=file.name)
    return Behind(missing, _empty_valkey())


def _missing(applied: Migrations, *, older: bool) -> int:
    known = frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    if unknown := sorted(applied - known):
        named = ", ".join(".".join(each) for each in unknown[:3])
        raise Refusal(
            "restore.newer",
            f"The backup is a newer release's: this one does not know {named}. Restore it by that "
            "release.",
        )
    missing = len(known - applied)
    if missing and not older:
        raise Refusal(
            "restore.older",
            f"The backup is an older release's: {missing} migrations are to be applied to it. With "
            "--migrate they are.",
        )
    return missing


def _must_be_alone() -> None:
    """Nobody else may be connected: what they write would be lost, or mixed with what comes."""
    _leave()
    until = time.monotonic() + _PATIENCE
    while others := _others():
        # Connections of our own take a moment to be gone.
        if time.monotonic() > until:
            raise Refusal(
                "restore.in-use",
                f"The database is in use ({', '.join(sorted(others))}). Stop every process of the "
                "site first.",
            )
        _leave()
        time.sleep(0.1)


def _leave() -> None:
    """Give back every connection of this process."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # not in the stubs


def _others() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(nullif(application_name, ''), usename, 'somebody')"
            " FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return {name for (name,) in cursor.fetchall()}


# What stands in the schema and is no extension's.
_RELATIONS = f"""
    SELECT c.relname AS name, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW'
        WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
    FROM pg_class c WHERE c.relnamespace = '{_SCHEMA}'::regnamespace
    AND c.relkind IN ('r', 'p', 'S', 'v', 'm', 'f') AND NOT EXISTS (SELECT FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
"""  # noqa: S608  (constants only)
_WIPE = f"""
DO $wipe$
DECLARE each record;
BEGIN
    -- Tables first: their identity columns' sequences go with them, and cannot without.
    FOR each IN {_RELATIONS} ORDER BY c.relkind = 'S' LOOP
        EXECUTE format('DROP %s IF EXISTS {_SCHEMA}.%I CASCADE', each.kind, each.name);
    END LOOP;
    FOR each IN SELECT p.proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments
        FROM pg_proc p WHERE p.pronamespace = '{_SCHEMA}'::regnamespace AND NOT EXISTS (
            SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
            AND d.deptype = 'e')
    LOOP
        EXECUTE format('DROP ROUTINE IF EXISTS {_SCHEMA}.%I(%s) CASCADE', each.name,
            each.arguments);
    END LOOP;
END
$wipe$;
"""  # noqa: S608  (constants only)


def _is_filled() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS ({_RELATIONS})")
        filled: bool = cursor.fetchone()[0]
    return filled


def _restore(programs: Programs, here: Address, file: Path) -> None:
    """Have `psql` do all that `pg_restore` says, in one transaction, which ends well only once that
    has read the file to its end."""
    with tempfile.TemporaryFile() as reading, tempfile.TemporaryFile() as writing:
        reader = subprocess.Popen(  # noqa: S603  (as above)
            [programs.restore, "--no-owner", "--no-privileges", f"--schema={_SCHEMA}",
             "--file=-", file],
            env=here.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=reading,
        )  # fmt: skip
        writer = subprocess.Popen(  # noqa: S603  (as above)
            [programs.psql, "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1",
             f"--dbname={here.conninfo}"],
            env=here.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=writing,
        )  # fmt: skip
        try:
            was_read = _hand_over(reader, writer)
        finally:
            for process in (reader, writer):
                if process.poll() is None:
                    process.kill()
                process.wait()
        if not was_read or writer.returncode:
            for errors in (writing, reading) if writer.returncode > 0 else (reading, writing):
                errors.seek(0)
                if said := errors.read():
                    raise Refusal("restore.failed", f"Nothing was changed. {_said(said)}")
            raise Refusal("restore.failed", "Nothing was changed: a program ended without a word.")


def _hand_over(reader: subprocess.Popen[bytes], writer: subprocess.Popen[bytes]) -> bool:
    """Hand what the reader says to the writer, and have that commit once all was said; whether it
    was."""
    if reader.stdout is None or writer.stdin is None:
        return False
    try:
        writer.stdin.write(b"BEGIN;\n" + _WIPE.encode())
        shutil.copyfileobj(reader.stdout, writer.stdin)
        if reader.wait():
            return False
        writer.stdin.write(b"COMMIT;\n")
        writer.stdin.close()
    except BrokenPipeError:  # it has ended, and says why
        writer.wait()
        return False
    return writer.wait() == 0


def _empty_valkey() -> bool:
    """Forget what Valkey remembers of this site: answers, presence and tasks are of rows that are
    there no more, or are others' now. Whether it could be reached."""
    site = settings.REDIS_PREFIX
    places = (
        *((url, f"{site}:") for url in settings.CACHES["default"]["LOCATION"]),
        (settings.GAUNTLET_REDIS_ADDRESS, f"{site}:"),
        (settings.GAUNTLET_BROKER_ADDRESS, f"{site}.celery."),
    )
    try:
        for url, prefix in places:
            with client(url, socket_timeout=10, socket_connect_timeout=3) as there:
                forget(there, prefix)
    except (RedisError, OSError) as error:
        log.warning("valkey.not-emptied", error=type(error).__name__)
        return False
    return True
