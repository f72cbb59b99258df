"""PostgreSQL killed in mid-transaction, ended at once, standing still, away for long, and without
room; and its sessions ended."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import pytest

from games.sockets.executor import ATTEMPTS
from tests.faults.support import MATCHES, cut_off, first_acts, seconds_until_late, stored
from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.support.ground import STATEMENT, Ground
from tests.support.ledger import Crowd
from tests.support.site import Site, wait_for

# Long enough for every connection to have been found broken, and tried for again and again. How
# the pool does so meanwhile, for however long, `tests.infra.test_pool` sees.
LONG_S = 8.0
# Long beside the seconds that it takes: a machine may stand still for some.
BACK_S = 30.0
# Has every entry of a match take some pages of its own: what it takes otherwise fits into what is
# free in the files there are, for as long as it pleases.
TAKES_ROOM = """
CREATE TABLE filler (bytes bytea);
ALTER TABLE filler ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE FUNCTION take_room() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
'BEGIN INSERT INTO filler SELECT decode(repeat(''00'', 65536), ''hex''); RETURN NEW; END';
CREATE TRIGGER takes_room BEFORE INSERT ON games_matchentry
    FOR EACH ROW EXECUTE FUNCTION take_room();
"""
# Longer than an outage takes, and than it takes until those who play send again what nobody has
# answered; shorter than anybody waits for a lock.
STILL_S = 6.0


def test_killed_in_mid_transaction(ground: Ground, site: Site, crowd: Crowd) -> None:
    """Turns are being stored when the process of the database that does so is killed: nobody knows
    whether they are, all sessions end, and the database recovers."""
    with ground.slow_turns():
        (first, *_) = wait_for(ground.storing, what="a turn to be under way")
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: first not in ground.storing(), what="the database to recover")
    crowd.goes_on()
    assert crowd.end() == []


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGKILL])
def test_ended_at_once(number: signal.Signals, ground: Ground, crowd: Crowd) -> None:
    crowd.begin(played=0, clocks=[2])
    ground.kill_postgres(number)
    ground.start_postgres()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert crowd.end() == []


def test_it_stands_still(ground: Ground, site: Site, crowd: Crowd) -> None:
    """All of its processes, with turns on their way: nobody hears anything, and nobody's time runs
    out. Then all that it was asked for is done, once, and clocks get back what it took."""
    # Time enough to cut them off in, on a machine that is busy.
    crowd.begin(played=0, clocks=[15, 15.5])
    with ground.held_turns(STATEMENT) as let_go:
        sent = cut_off(ground, crowd)
        until_late = seconds_until_late(site, crowd)
        with ground.hung_postgres():
            let_go()
            time.sleep(max(STILL_S, until_late))
            assert [each for each in sent if crowd.ledger.sent[each].acks] == []
    back = time.monotonic()
    assert httpx.get(f"{site.base_url}/lobby/", timeout=60).status_code == 200
    assert time.monotonic() - back < BACK_S
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert first_acts(site, crowd) == ["service"] * 2
    assert stored(site, sent) == MATCHES
    assert [each for each in sent if not crowd.ledger.sent[each].acks] == []
    assert crowd.end() == []


def test_sessions_that_are_ended_cost_nobody_a_turn(ground: Ground, crowd: Crowd) -> None:
    """Those that nobody uses at the moment: whoever comes upon one asks again by another, and
    nobody is told to come back."""
    for _ in range(2):
        assert ground.end_sessions()
        crowd.goes_on(turns=2)
    assert crowd.ledger.told["error service.away"] == 0
    assert crowd.end() == []


def test_a_turn_survives_sessions_that_are_ended_again_and_again(
    ground: Ground, site: Site, crowd: Crowd
) -> None:
    """As where all are ended one after the other: a turn is moved to one that is the next."""
    with ground.held_turns(STATEMENT):
        sent = cut_off(ground, crowd)
        for _ in range(ATTEMPTS - 1):
            ground.end_held()
    crowd.goes_on()
    assert stored(site, sent) == MATCHES
    assert crowd.ledger.told["error service.away"] == 0
    assert crowd.end() == []


def test_after_however_long_the_pool_is_back_within_seconds(
    ground: Ground, site: Site, crowd: Crowd
) -> None:
    """Meanwhile nobody is told that something is broken, only to come back."""
    desk = Desk(site)
    player = desk.person()
    _, token = desk.token(player, "read")
    crowd.begin(played=0, clocks=[3])
    ground.kill_postgres(signal.SIGQUIT)
    gone = time.monotonic()
    page, api = asyncio.run(
        answers(
            site,
            ("/lobby/", {"Cookie": player.cookie}),
            ("/api/v1/me/", {"Authorization": f"Bearer {token}"}),
        )
    )
    for answer in (page, api):
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) > 0
    assert api.headers["Content-Type"] == "application/problem+json"
    assert api.json()["code"] == "service.away"
    assert b"<h1>" in page.content
    wait_for(lambda: time.monotonic() - gone > LONG_S, what="a long outage", timeout=2 * LONG_S)
    ground.start_postgres()
    back = time.monotonic()
    assert httpx.get(f"{site.base_url}/lobby/", timeout=60).status_code == 200
    assert time.monotonic() - back < BACK_S
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert crowd.end() == []


async def answers(site: Site, *asked: tuple[str, dict[str, str]]) -> list[httpx.Response]:
    """What some addresses answer who ask with these headers, all at once: each waits for long."""
    async with httpx.AsyncClient(base_url=site.base_url, timeout=60) as client:
        return await asyncio.gather(*[client.get(path, headers=headers) for path, headers in asked])


# -- without room --------------------------------------------------------------------------------


async def refused(site: Site, match: int, players: tuple[Person, Person], token: str) -> None:
    """A submission by socket and one by the API, neither of which can be stored."""
    async with await Reader.open(site, match, players[0]) as reader:
        await reader.next("sync")
        version = reader.version
        await reader.say("submit", id="once", match=match, text="pick T", version=version)
        error = await reader.next("error")
        assert error["code"] == "service.away"
        async with httpx.AsyncClient(base_url=site.base_url, timeout=60) as client:
            answer = await client.post(
                f"/api/v1/matches/{match}/submissions/",
                json={"id": "other", "text": "pick L", "version": version},
                headers={"Authorization": f"Bearer {token}"},
            )
        assert answer.status_code == 503
        assert answer.json()["code"] == "service.away"
        assert int(answer.headers["Retry-After"]) > 0


async def accepted(site: Site, match: int, player: Person) -> None:
    async with await Reader.open(site, match, player) as reader:
        await reader.next("sync")
        assert (await reader.submit("pick T", id="once"))["type"] == "ack"


def test_a_full_disk(ground: Ground, site: Site, crowd: Crowd) -> None:
    """What the database says then (53100), of whatever is written of a match."""
    desk = Desk(site)
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    _, token = desk.token(players[1], "play")
    entries = "SELECT count(*) FROM games_matchentry"
    with ground.no_room():
        rows = site.sql(entries)
        asyncio.run(refused(site, match, players, token))
        told = crowd.ledger.told
        wait_for(lambda: told["error service.away"] >= 3, what="everybody to be refused")
        assert site.sql(entries) == rows
    asyncio.run(accepted(site, match, players[0]))
    crowd.goes_on()
    assert crowd.end() == []


@pytest.fixture
def small() -> Iterator[Path]:
    """A disk with little room. Skips where none can be made."""
    # Not below pytest's folders, which the user that PostgreSQL runs as cannot get at.
    folder = Path(tempfile.mkdtemp(prefix="gauntlet-small-"))
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300m,mode=755", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        folder.rmdir()
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
    folder.rmdir()


def test_a_disk_that_is_full(small: Path, tmp_path: Path) -> None:
    """A real one: the database ends where it cannot even log. Once there is room it is started as
    any other that has ended, and all goes on."""
    ground = Ground(tmp_path / "ground", data=small / "postgres")
    try:
        site = ground.start()
        with Crowd(site) as crowd:
            crowd.begin(played=2, clocks=[4], watched=0)
            crowd.goes_on(turns=1)
            with filled(small):

                def has_ended() -> bool:
                    with suppress(psycopg.Error):  # what it logs next needs a file of its own
                        site.sql("SELECT pg_switch_wal()")
                    return ground.postgres.is_dead()

                wait_for(has_ended, timeout=60, what="the database to be in want of room")
            ground.start_postgres()
            crowd.goes_on()
            crowd.clocks_ran_out()
            assert crowd.end() == []
    finally:
        ground.stop()


def test_a_disk_that_is_full_with_the_log_on_another(
    small: Path, roomy: Path, tmp_path: Path
) -> None:
    """It refuses whatever needs room, and says so; whoever is told comes back until there is."""
    ground = Ground(tmp_path / "ground", data=small / "postgres")
    try:
        site = ground.start()
        log_elsewhere(ground, roomy)
        with Crowd(site) as crowd:
            crowd.begin(played=2, watched=0)
            crowd.goes_on(turns=1)
            site.sql(TAKES_ROOM)
            with psycopg.connect(site.database_url) as connection, filled(small) as fill_up:

                def are_refused() -> bool:
                    fill_up()  # what the database has thrown away meanwhile is room, too
                    # By connections that are there, or by new ones: those may need room to begin.
                    return crowd.ledger.away >= 3

                wait_for(are_refused, timeout=300, what="to be refused")
                assert not ground.postgres.is_dead()
                with pytest.raises(psycopg.errors.DiskFull):
                    connection.execute("CREATE TABLE more AS SELECT generate_series(1, 99999)")
            crowd.goes_on()
            assert crowd.end() == []
    finally:
        ground.stop()


@pytest.fixture
def roomy() -> Iterator[Path]:
    """A folder on a disk with room, for whichever user the database runs as."""
    folder = Path(tempfile.mkdtemp(prefix="gauntlet-roomy-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def log_elsewhere(ground: Ground, folder: Path) -> None:
    """Have the database keep what it logs (its write-ahead log) in another place."""
    postgres = ground.postgres
    postgres.stop()
    there = Path(shutil.move(postgres.data / "pg_wal", folder / "pg_wal"))
    if postgres.account is not None:
        for path in (there, *there.rglob("*")):
            os.chown(path, postgres.account.uid, postgres.account.gid)
    (postgres.data / "pg_wal").symlink_to(there)
    ground.start_postgres()


@contextmanager
def filled(folder: Path) -> Iterator[Callable[[], None]]:
    """Leave no room on a disk, and hand over what fills it anew."""
    filler = folder / "filler"

    def fill_up() -> None:
        # Without a buffer, which would be written out once more when the file is closed.
        with filler.open("ab", buffering=0) as written, suppress(OSError):
            while True:
                written.write(bytes(1024 * 1024))

    fill_up()
    try:
        yield fill_up
    finally:
        filler.unlink()
