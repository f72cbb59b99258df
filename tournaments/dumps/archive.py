"""The file of a day: one zip with a gzipped NDJSON file for each table, and a manifest.

It is made from one snapshot of the database, under another name, and appears whole or not at all.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import msgspec
import structlog
from django.conf import settings
from django.db import connection, transaction

from core.clock import now_utc
from core.jobs import guard
from tournaments.dumps.tables import TABLES, Failed, Row

FORMAT: Final = "gauntlet-dump/1"
MANIFEST: Final = "manifest.json"
_NAME = re.compile(r"dump-\d{4}-\d{2}-\d{2}\.zip")
# Any number that nothing else takes as an advisory lock's.
_LOCK: Final = 7_314_460_021

log = structlog.get_logger("gauntlet.dumps")


LeftOut = tuple[str, object, Exception]


class Busy(Exception):
    """Another process is making a dump."""


class DumpTable(msgspec.Struct, frozen=True):
    """One file of a dump: its rows, its bytes as they lie in the zip, and their SHA-256."""

    file: str
    rows: int
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What is in a dump."""

    format: str
    made_at: datetime
    site: str
    tables: dict[str, DumpTable]


class Dump(msgspec.Struct, frozen=True):
    """A dump that can be had: the zip's name, size and SHA-256, and what is in it."""

    name: str
    bytes: int
    sha256: str
    manifest: Manifest


class _Counted(NamedTuple):
    rows: int
    bytes: int
    sha256: str


def folder() -> Path:
    """Where dumps are kept."""
    return Path(settings.MEDIA_ROOT) / "dumps"


def dump_name(day: date) -> str:
    """What the dump of a day is called."""
    return f"dump-{day.isoformat()}.zip"


def dumps() -> list[Dump]:
    """The dumps that there are, the latest first."""
    found = []
    for path in sorted(folder().glob("dump-*.zip"), reverse=True):
        dump = dump_of(path.name)
        if dump is not None:
            found.append(dump)
    return found


def dump_of(name: str) -> Dump | None:
    """The dump of that name, or None."""
    path = folder() / name
    if not _NAME.fullmatch(name) or not path.is_file():
        return None
    try:
        dump = msgspec.json.decode(_side(path).read_bytes(), type=Dump)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    # The two files are put in place one after the other.
    return dump if dump.bytes == path.stat().st_size else None


def _side(path: Path) -> Path:
    return path.with_suffix(".json")


def dump_write(*, day: date | None = None, now: datetime | None = None) -> Dump:
    """Make the dump of a day (today, unless told otherwise) and forget the oldest ones.

    Takes the place of one that is there. Raises Busy. Must not be called inside a transaction: it
    begins its own, a read-only one that sees a single moment. A row that cannot be written is left
    out and set aside (`core.jobs.guard`).
    """
    now = now or now_utc()
    name = dump_name(day or now.date())
    folder().mkdir(parents=True, exist_ok=True)
    left_out: list[LeftOut] = []
    with _temporary() as path:
        manifest = _write(path, now, left_out)
        digest = _digest(path)
        dump = Dump(name, path.stat().st_size, digest, manifest)
        with _temporary() as side:
            side.write_bytes(msgspec.json.format(msgspec.json.encode(dump)))
            side.replace(_side(folder() / name))
        path.replace(folder() / name)
    dumps_prune()
    _record_left_out(left_out)
    log.info("dump.written", name=name, bytes=dump.bytes, left_out=len(left_out))
    return dump


def _record_left_out(left_out: list[LeftOut]) -> None:
    """Set aside what was left out, and nothing else: the next dump tries every row again."""
    failed = {f"{model} {key}" for model, key, _error in left_out}
    for name in guard.known("dumps.row"):
        if name not in failed:
            guard.take_up("dumps.row", name)
    for model, key, error in left_out:
        guard.set_aside("dumps.row", f"{model} {key}", error, target=model)


def dumps_prune() -> None:
    """Keep as many of the latest dumps as the settings say."""
    names = sorted((path for path in folder().glob("dump-*.zip")), reverse=True)
    for path in names[settings.GAUNTLET_DUMPS_KEPT :]:
        path.unlink(missing_ok=True)
        _side(path).unlink(missing_ok=True)


@contextmanager
def _temporary() -> Iterator[Path]:
    """A file beside the dumps that is gone afterwards, unless it was given another name."""
    handle, name = tempfile.mkstemp(prefix=".making-", dir=folder())
    os.close(handle)
    path = Path(name)
    path.chmod(0o644)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _write(path: Path, now: datetime, left_out: list[LeftOut]) -> Manifest:
    tables: dict[str, DumpTable] = {}
    with _snapshot(), zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for rows in TABLES:
            file = f"{rows.__name__}.ndjson.gz"
            # Not compressed a second time.
            with archive.open(file, "w", force_zip64=True) as member:
                counted = _table(rows, member, left_out)
            tables[rows.__name__] = DumpTable(file, *counted)
        manifest = Manifest(FORMAT, now, settings.GAUNTLET_ORIGIN, tables)
        archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
    with path.open("rb") as made:
        os.fsync(made.fileno())
    return manifest


@contextmanager
def _snapshot() -> Iterator[None]:
    """A transaction in which every table is as it was at one moment."""
    if connection.in_atomic_block:
        raise RuntimeError("a dump sees a snapshot of its own: call it outside of transactions")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            raise Busy
        yield


class _Hashing:
    """Passes bytes on, and knows how many there were and what they amount to."""

    def __init__(self, to: IO[bytes]) -> None:
        self.to = to
        self.bytes = 0
        self.sha256 = hashlib.sha256()

    def write(self, data: Any) -> int:
        self.bytes += len(data)
        self.sha256.update(data)
        return self.to.write(data)

    def flush(self) -> None:
        self.to.flush()


def _table(
    rows: Callable[[Failed], Iterator[Row]], member: IO[bytes], left_out: list[LeftOut]
) -> _Counted:
    hashing = _Hashing(member)
    count = 0
    with gzip.GzipFile(filename="", mode="wb", fileobj=hashing, mtime=0) as packed:
        for row in rows(lambda *fault: left_out.append(fault)):
            packed.write(msgspec.json.encode(row) + b"\n")
            count += 1
    return _Counted(count, hashing.bytes, hashing.sha256.hexdigest())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
