"""``manage.py record``: referee match records, or print the JSON Schema that they follow."""

from __future__ import annotations

import json
import os
import stat
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from games.engine import records
from games.engine.schema import record_schema
from games.rulesets import REGISTRY

STANDARD_INPUT = "-"
LARGEST = 16 * 1024 * 1024  # bytes; the longest match with the largest pool is far below


class UnreadableRecord(Exception):
    """There is no document to judge; the message says why."""


class Command(BaseCommand):
    """Works on files and the engine alone: no system checks, no database, no network."""

    help = "Check match records, or print their JSON Schema."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        check = actions.add_parser(
            "check",
            help="replay records and print one JSON object a record",
            description="Replays each record through the referee and prints one JSON object a "
            "line. The exit status is 0 when all of them stand, 1 otherwise.",
        )
        check.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help=f"a record, a folder (all *{records.SUFFIX} in it and below), "
            "or - for standard input",
        )
        check.add_argument(
            "--steps", action="store_true", help="say how the match stood after every entry"
        )
        check.add_argument(
            "--draws", action="store_true", help="list what was drawn, each with what it comes to"
        )
        actions.add_parser("schema", help="print the JSON Schema of records")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        """Carry out one of the two actions; exit status 1 where a record does not stand."""
        try:
            if action == "schema":
                self.stdout.write(schema_text(), ending="")
            elif not self._check(options["files"], steps=options["steps"], draws=options["draws"]):
                sys.exit(1)
            self.stdout.flush()
        except BrokenPipeError:
            # Whoever read the lines has read enough (`| head`). Nothing more can be said, and the
            # interpreter must not try to once more when it closes the stream.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)

    def _check(self, names: list[str], **wanted: bool) -> bool:
        all_ok = True
        for name in names:
            empty = True
            for file, problem in _files_of(name):
                empty = False
                verdict = _failure(problem) if problem else self._verdict(file, **wanted)
                all_ok = all_ok and verdict["ok"]
                # Escaped to ASCII: a file's name may be no text in any encoding.
                self.stdout.write(json.dumps({"file": file, **verdict}))
            if empty:
                self.stderr.write(f"{name}: there is no *{records.SUFFIX} in this folder.")
        return all_ok

    def _verdict(self, file: str, **wanted: bool) -> dict[str, Any]:
        try:
            return records.check(REGISTRY, _content(file), **wanted)
        except UnreadableRecord as error:
            return _failure(str(error))
        except Exception as error:  # noqa: BLE001 - one record must not silence all others
            return _failure(f"The checker itself failed: {type(error).__name__}: {error}")


def schema_text() -> str:
    """The JSON Schema of records as the text that is published."""
    return json.dumps(record_schema(REGISTRY), indent=2) + "\n"


def _failure(error: str) -> dict[str, Any]:
    return {"ok": False, "at": None, "error": error}


def _files_of(name: str) -> Iterator[tuple[str, str]]:
    """The files that one argument means, in order, each with what is wrong with it or nothing."""
    if name == STANDARD_INPUT or not _is_folder(name):
        yield name, ""
        return
    found: list[tuple[Path, str]] = []

    def note(error: OSError) -> None:
        found.append((Path(error.filename), error.strerror or str(error)))

    # Links to folders are not followed: they may lead round in a circle.
    for folder, _, files in os.walk(name, onerror=note):
        for file in files:
            if file.endswith(records.SUFFIX):
                path = Path(folder) / file
                found.append((path, _irregularity(path)))
    for path, problem in sorted(found):
        yield str(path), problem


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except OSError:  # a name that is too long, or a folder above that is locked: opening will tell
        return False


def _irregularity(path: Path) -> str:
    """Why a file found in a folder is not to be opened, or nothing: reading from a pipe or a
    device that happens to lie there might never end."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        return error.strerror or str(error)
    return "" if stat.S_ISREG(mode) else "This is not a regular file."


def _content(file: str) -> bytes:
    """The bytes of a document. Raises UnreadableRecord."""
    try:
        if file == STANDARD_INPUT:
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(LARGEST + 1)
    except OSError as error:
        raise UnreadableRecord(error.strerror or str(error)) from error
    except (ValueError, AttributeError) as error:
        # No file can have this name (it holds a zero byte), or standard input is closed.
        raise UnreadableRecord(str(error)) from error
    if len(data) > LARGEST:
        raise UnreadableRecord(f"A record has at most {LARGEST} bytes.")
    return data
