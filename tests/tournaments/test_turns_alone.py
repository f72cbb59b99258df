"""A turn waits for its own match's row, and for nothing of the season that the match is part of."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.jobs import FOLLOW_UP
from games.tasks import follow_up
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import Site, wait_for
from tests.support.workers import Workers
from tests.tournaments.support import begun, chosen, conceded, fresh, running
from tournaments import receivers
from tournaments.jobs import SETTLE

SEASON = """
import json
from django.utils import timezone
from tests.tournaments import support
organiser = support.organiser_named("{name}")
season = support.running(organiser, 4)
death_match = support.chosen(organiser, season, ec=1, dmo=2)
leg = support.begun(organiser, death_match, at=timezone.now())
print(json.dumps({{"season": season.pk, "match": leg.match_id, "leg": leg.pk}}))
"""

# Who waits for whoever asks, or for somebody who does, for anything but the season's row.
BEHIND_ME = """
WITH RECURSIVE behind (pid) AS (
    SELECT pg_backend_pid()
    UNION
    SELECT other.pid FROM pg_stat_activity AS other
    JOIN behind ON behind.pid = ANY (pg_blocking_pids(other.pid))
)
SELECT count(*) FROM behind JOIN pg_stat_activity USING (pid)
WHERE pid <> pg_backend_pid() AND query NOT LIKE '%tournaments_season%'
"""


def test_the_end_of_a_match_asks_nothing_of_its_season(
    orla: User, left_to_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the turn's transaction nor after it, in the same thread; and the worker that is
    told of the end hands it on, so that nothing else of it waits for the season's row."""
    enqueued: list[tuple[Any, ...]] = []
    monkeypatch.setattr(receivers, "enqueue", lambda *task: enqueued.append(task))
    meeting = chosen(orla, running(orla, 4), ec=1, dmo=2)
    leg = begun(orla, meeting)
    enqueued.clear()
    with CaptureQueriesContext(connection) as asked:
        conceded(leg, winner=0)
    assert [query["sql"] for query in asked if "tournaments_" in query["sql"]] == []
    assert enqueued == []
    assert left_to_workers.of(FOLLOW_UP) == [(leg.match_id,)]
    with CaptureQueriesContext(connection) as asked:
        follow_up(*left_to_workers.of(FOLLOW_UP)[0])
    assert [query["sql"] for query in asked if "tournaments_season" in query["sql"]] == []
    assert enqueued == [(SETTLE, leg.match_id)]
    assert fresh(meeting).status == "running"


async def test_a_held_season_holds_no_turn(site: Site) -> None:
    """With real processes: moves of its own match and of another are acknowledged, then the worker
    is killed with the result in its hands, and the standings follow all the same."""
    desk = Desk(site)
    made: dict[str, Any] = json.loads(site.python(SEASON.format(name="holder")).splitlines()[-1])
    people = [desk.seat(made["match"], seat) for seat in (0, 1)]
    others = (desk.person(), desk.person())
    strange = desk.match(*others)
    with psycopg.connect(site.database_url) as holder:
        holder.execute(
            "SELECT id FROM tournaments_season WHERE id = %s FOR UPDATE", (made["season"],)
        )
        for match, seats in ((made["match"], people), (strange, others)):
            for seat, text in ((0, "pick T"), (1, "concede")):
                async with await Reader.open(site, match, seats[seat]) as reader:
                    await reader.next("sync")
                    assert (await reader.submit(text))["type"] == "ack"
        # Nobody waited for the season until they were told that they could not have it.
        assert "hook.failed" not in site.web.log(since_start=False)
        waiting = holder.execute(BEHIND_ME).fetchone()
        assert waiting == (0,)
        site.worker.kill()
        holder.rollback()
    site.worker.start()
    wait_for(
        lambda: (
            site.sql("SELECT status FROM tournaments_leg WHERE id = %s", made["leg"])
            == [("finished",)]
        ),
        timeout=90,
        what="the result to be taken over",
    )
