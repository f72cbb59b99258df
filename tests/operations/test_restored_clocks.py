"""A restored site gives every match back what its clocks ran since the backup."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psycopg.sql import SQL, Identifier

from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import Site, wait_for

pytestmark = pytest.mark.site

HOUR_MS = 3_600_000

# The backup was made an hour ago: every instant in it lies so much further back. (No JSON has the
# character at which it is taken apart.)
LONG_AGO = f"""
UPDATE games_match SET
    snapshot = (SELECT string_agg(CASE WHEN mod(number, 2) = 1 THEN part
        ELSE (part::bigint - {HOUR_MS})::text END, '' ORDER BY number)
        FROM unnest(regexp_split_to_array(
            regexp_replace(snapshot, '"since":([0-9]{{13}})', E'"since":\\x1f\\\\1\\x1f', 'g'),
            E'\\x1f'
        )) WITH ORDINALITY AS parts(part, number)),
    deadline_at = deadline_at - {HOUR_MS}, wake_at = wake_at - {HOUR_MS},
    sweep_at = sweep_at - {HOUR_MS}, made_good_until = greatest(made_good_until - {HOUR_MS}, 0)
    WHERE status = 'running';
UPDATE games_servicebeat SET at = at - {HOUR_MS};
UPDATE games_serviceoutage SET down_since = down_since - {HOUR_MS}, back_at = back_at - {HOUR_MS};
"""  # noqa: S608  (constants only)


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Site]:
    """Another installation, with an empty database and no process yet."""
    site = Site(tmp_path)
    site._admin(SQL("CREATE DATABASE {}").format(Identifier(site.database)))
    yield site
    site.stop()


async def test_a_restore_takes_nothing_off_a_clock(
    site: Site, desk: Desk, target: Site, tmp_path: Path
) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players, pick_time=60)
    async with await Reader.open(site, match, players[0]) as reader:
        await reader.next("sync")
        assert (await reader.submit("pick T"))["type"] == "ack"
    file = tmp_path / "site.dump"
    assert str(file) in site.manage("backup", str(file))
    before = desk.rows(match)
    # What the site does after the backup is lost to it.
    async with await Reader.open(site, match, players[1]) as reader:
        await reader.next("sync")
        assert (await reader.submit("pick L"))["type"] == "ack"

    target.manage("restore", "--no-check", str(file))  # matches of other tests may be torn
    target.sql(LONG_AGO)
    there = Desk(target)
    deadline = before["match"]["deadline_at"] - HOUR_MS
    assert there.rows(match)["match"]["deadline_at"] == deadline
    # Deadlines first: nothing may run out before anybody can have come back.
    for process in (target.deadlines, target.beat, target.worker, target.bots, target.web):
        process.start()

    def given() -> Any:
        entries = there.rows(match)["entries"]
        return next((each for each in entries if each["actor"] == "service"), None)

    wait_for(given, what="what the outage took to be given back")
    ((down_since, back_at),) = target.sql(
        "SELECT down_since, back_at FROM games_serviceoutage ORDER BY back_at DESC LIMIT 1"
    )
    assert back_at - down_since > HOUR_MS // 2
    row = there.rows(match)["match"]
    # What was left at the last sign of life is left at the first one.
    assert row["deadline_at"] == back_at + deadline - down_since
    assert row["made_good_until"] == back_at
    async with (
        await Reader.open(target, match, players[0]) as first,
        await Reader.open(target, match, players[1]) as second,
    ):
        first.ids = iter(["after-the-restore"])  # type: ignore[assignment]  # "sent-1" was sent
        sync = await first.next("sync")
        assert sync["view"]["decisions"][0]["sealed"] == "pick T"
        await second.next("sync")
        assert (await second.submit("pick L"))["type"] == "ack"
        assert (await first.submit("concede"))["type"] == "ack"
    entries = [(each["actor"], each["text"], each["timeout"]) for each in before["entries"]]
    after = [(e["actor"], e["text"], e["timeout"]) for e in there.rows(match)["entries"]]
    assert after[: len(entries)] == entries
    assert not any(timeout for _, _, timeout in after)
    assert there.record(match)["ok"]
