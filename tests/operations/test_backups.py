"""Backups: whole or not at all, and what is restored is what was backed up."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from psycopg.sql import SQL, Identifier

from config.operations.programs import programs_find
from core.refusals import Refusal
from tests.support.site import Site, SiteError

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("backups")]

FILLED = "tests.operations.filled"


def server() -> int:
    """The major version of the suite's server."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        return connection.info.server_version // 10_000


def without_processes(site: Site) -> Site:
    """No pool either: whoever restores must be alone with the database."""
    site.processes = []
    site.env["GAUNTLET_DB_POOL_MAX"] = "0"
    return site


def empty(site: Site) -> None:
    """Give a site that has no processes a database with nothing in it."""
    without_processes(site)._admin(SQL("CREATE DATABASE {}").format(Identifier(site.database)))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site's database with something of everything in it, which no test writes to."""
    site = without_processes(Site(tmp_path_factory.mktemp("source")))
    site.start()
    try:
        assert site.hand.call(f"{FILLED}:fill") > 40
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="module")
def backup(source: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it."""
    target = tmp_path_factory.mktemp("backup") / "of-source.dump"
    said = source.manage("backup", str(target))
    assert str(target) in said
    assert "SECRET_KEY" in said
    return target


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Site]:
    """A site with an empty database."""
    site = Site(tmp_path)
    empty(site)
    try:
        yield site
    finally:
        site.stop()


def refused(words: str, call: Callable[..., Any], *arguments: Any) -> None:
    with pytest.raises(SiteError, match=words):
        call(*arguments)


def tables(site: Site) -> list[str]:
    rows = site.sql("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace")
    return sorted(name for (name,) in rows)


# -- all of it -----------------------------------------------------------------------------------


def test_what_is_restored_is_what_was_backed_up(source: Site, backup: Path, target: Site) -> None:
    before = source.hand.call(f"{FILLED}:digests")
    said = target.manage("restore", str(backup))
    matches = source.sql("SELECT count(*) FROM games_match")[0][0]
    seasons = source.sql("SELECT count(*) FROM tournaments_season")[0][0]
    assert f"{matches} matches replayed" in said
    assert f"{seasons} seasons looked through" in said
    assert seasons > 0
    assert target.hand.call(f"{FILLED}:digests") == before
    # Beside it stands that it was restored, and how far the chain of the audit log went.
    noted = [{"file": backup.name, "head": source.hand.call(f"{FILLED}:head")}]
    assert target.hand.call(f"{FILLED}:restored") == noted
    assert source.hand.call(f"{FILLED}:restored") == []
    # And it goes on from there: the next numbers are free, and every match is as it was.
    assert target.hand.call(f"{FILLED}:play_on") > 6
    assert "all agree" in target.manage("check_matches")
    assert target.hand.call(f"{FILLED}:digests") != before


def test_a_backup_is_its_owners_and_leaves_nothing_beside_it(
    source: Site, backup: Path, tmp_path: Path
) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert list(backup.parent.iterdir()) == [backup]
    # One that is there is never written over.
    content = backup.read_bytes()
    refused("is there already", source.manage, "backup", str(backup))
    assert backup.read_bytes() == content
    # In a folder they have names of their own, and the oldest go.
    for _ in range(3):
        source.manage("backup", str(tmp_path), "--keep", "2")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 2
    assert all(re.fullmatch(r"gauntlet-\d{8}T\d{12}Z\.dump", name) for name in names)
    refused("goes with a folder", source.manage, "backup", str(tmp_path / "x"), "--keep", "2")


def test_a_backup_that_fails_leaves_nothing(
    source: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in the middle, and refused by the disk."""
    own = programs_find(at_least=server())
    folder = fake(tmp_path / "bin", own.folder, "head -c 5000 /dev/zero; exit 1")
    monkeypatch.setitem(source.env, "GAUNTLET_PG_BIN", str(folder))
    place = tmp_path / "place"
    place.mkdir()
    refused("without a word", source.manage, "backup", str(place / "a.dump"))
    # It says that all is well, and what it has written cannot be read.
    fake(folder, own.folder, "head -c 5000 /dev/zero")
    refused("valid tar archive", source.manage, "backup", str(place / "a.dump"))
    refused("No such file", source.manage, "backup", str(place / "nowhere" / "a.dump"))
    assert list(place.iterdir()) == []


def fake(folder: Path, real: Path, script: str) -> Path:
    """A folder of PostgreSQL's programs in which `pg_dump` is another one."""
    folder.mkdir(exist_ok=True)
    for name in ("pg_restore", "psql"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(real / name)
    program = folder / "pg_dump"
    program.write_text(
        '#!/bin/sh\nif [ "$1" = --version ]; then\n'
        f'echo "pg_dump (PostgreSQL) {server()}.1"; exit 0; fi\n' + script
    )
    program.chmod(0o755)
    return folder


# -- refused, with nothing changed ---------------------------------------------------------------


def test_a_database_that_is_not_empty_is_left_alone_unless_told(
    source: Site, backup: Path, target: Site
) -> None:
    target.sql("CREATE TABLE mine (id integer)")
    target.sql("CREATE VIEW seen AS SELECT id FROM mine")
    refused("not empty", target.manage, "restore", str(backup))
    assert tables(target) == ["mine", "seen"]
    target.manage("restore", str(backup), "--replace")
    before = source.hand.call(f"{FILLED}:digests")
    assert target.hand.call(f"{FILLED}:digests") == before
    # Over the site's own tables, too.
    target.sql("DELETE FROM games_chatmessage")
    target.sql("CREATE TABLE mine (id integer REFERENCES games_match)")
    target.manage("restore", str(backup), "--replace")
    assert target.hand.call(f"{FILLED}:digests") == before


def test_a_database_that_others_use_is_left_alone(backup: Path, target: Site) -> None:
    target.env["GAUNTLET_DB_POOL_MAX"] = "24"  # connections of one's own are no others'
    with psycopg.connect(target.database_url, application_name="a web process"):
        refused("in use.*a web process", target.manage, "restore", str(backup))
    assert tables(target) == []
    target.manage("restore", str(backup), "--no-check")


# In its list of contents, and in its data. (After those comes the list once more, for nothing.)
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_a_torn_backup_changes_nothing(
    source: Site, backup: Path, target: Site, tmp_path: Path, share: float
) -> None:
    torn = tmp_path / "torn.dump"
    content = backup.read_bytes()
    torn.write_bytes(content[: int(len(content) * share)])
    target.manage("restore", str(backup), "--no-check")
    before = source.hand.call(f"{FILLED}:digests")
    refused("Nothing was changed|cannot be read|unreadable|end of file|could not read",
            target.manage, "restore", str(torn), "--replace")  # fmt: skip
    assert target.hand.call(f"{FILLED}:digests") == before


def test_what_is_no_backup_of_this_site(
    source: Site, backup: Path, target: Site, tmp_path: Path
) -> None:
    text = tmp_path / "text.dump"
    text.write_text("SELECT 1;")
    refused("There is no file", target.manage, "restore", str(tmp_path / "nothing"))
    refused("valid archive", target.manage, "restore", str(text))
    other = tmp_path / "other"
    target.sql("CREATE TABLE mine (id integer)")
    target.manage("backup", str(other))
    refused("no backup of this site", target.manage, "restore", str(other), "--replace")
    assert tables(target) == ["mine"]


def test_a_backup_of_another_release(backup: Path, target: Site, tmp_path: Path) -> None:
    target.manage("restore", str(backup), "--no-check")
    target.sql(
        "INSERT INTO django_migrations (app, name, applied) VALUES ('games', '9999_new', now())"
    )
    newer = tmp_path / "newer.dump"
    target.manage("backup", str(newer))
    refused(r"newer release's.*games\.9999_new", target.manage, "restore", str(newer), "--replace")
    target.sql("DELETE FROM django_migrations WHERE name = '9999_new'")
    assert target.hand.call(f"{FILLED}:forget_draws") > 5
    target.manage("migrate", "games", "0004", "--verbosity", "0")
    older = tmp_path / "older.dump"
    target.manage("backup", str(older))
    refused("older release's", target.manage, "restore", str(older), "--replace")
    said = target.manage("restore", str(older), "--replace", "--migrate")
    assert "migrations are applied" in said
    assert "all agree" in said
    assert "No planned migration" in target.manage("migrate", "--plan")


def test_programs_that_are_too_old_or_absent(
    source: Site, target: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = programs_find(at_least=server())
    folder = fake(tmp_path / "bin", own.folder, "exit 0")
    script = folder / "pg_dump"
    script.write_text(script.read_text().replace(f"{server()}.1", "9.6 (Debian 9.6-1)"))
    monkeypatch.setitem(source.env, "GAUNTLET_PG_BIN", str(folder))
    refused("Found here: 9 in", source.manage, "backup", str(tmp_path / "a.dump"))
    shutil.rmtree(folder)
    refused("Found here: none", source.manage, "backup", str(tmp_path / "a.dump"))
    assert not (tmp_path / "a.dump").exists()


def test_of_several_programs_the_nearest_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path's are too old, or newer than need be; the embedded server brings its own."""
    own = programs_find(at_least=server())
    on_path = fake(tmp_path / "bin", own.folder, "exit 0")
    script = on_path / "pg_dump"
    monkeypatch.setenv("PATH", f"{on_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("config.operations.programs._USUAL", ())
    for version, taken in (("9.9", own.version), ("99.1", own.version)):
        script.write_text(re.sub(r"\) \d+\.\d+", f") {version}", script.read_text()))
        assert programs_find(at_least=server()).version == taken
    assert programs_find(at_least=99) == (on_path, 99)
    with pytest.raises(Refusal, match=r"backup\.no-programs"):
        programs_find(at_least=100)


# -- beside the database -------------------------------------------------------------------------


def test_valkey_is_emptied_of_what_is_this_sites(backup: Path, target: Site) -> None:
    """Its keys are of rows that are there no more. Another site's stay."""
    url, prefix = target.env["REDIS_URL"], target.env["GAUNTLET_REDIS_PREFIX"]
    ours = [(0, f"{prefix}:presence:1"), (1, f"{prefix}:1:kept"), (2, f"{prefix}.celery.deadlines")]
    others = [(0, f"{prefix}x:presence:1"), (1, f"{prefix}x:1:kept"), (2, f"{prefix}x.celery.q")]
    clients = [redis.Redis.from_url(url, db=number) for number in range(3)]
    try:
        for number, key in ours + others:
            clients[number].set(key, "1")
        target.manage("restore", str(backup), "--no-check")
        left = [key for number, key in ours + others if clients[number].exists(key)]
        assert left == [key for _, key in others]
    finally:
        for number, key in others:
            clients[number].delete(key)
        for client in clients:
            client.close()


def test_a_restore_does_without_valkey_and_says_so(
    backup: Path, target: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(target.env, "REDIS_URL", "redis://127.0.0.1:9")
    script = (
        "import io\nfrom django.core.management import call_command\nerr = io.StringIO()\n"
        f"call_command('restore', {str(backup)!r}, '--no-check', stderr=err, stdout=io.StringIO())"
        "\nprint(err.getvalue())"
    )
    assert "Valkey could not be reached" in target.python(script)
