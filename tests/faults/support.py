"""What tests of faults ask of a site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import httpx

from games.reading.processes import WORKERS_SWEEP
from tests.support.ground import Ground
from tests.support.ledger import Crowd
from tests.support.site import Process, Site, Web, wait_for

# Seconds within which a deadline happens: a few, on a machine that is busy with others.
SOON = 30.0

# The numbers of the lock: those of `games.services.sweeping`.
SWEEPERS_LOCK: Final = (20_061, 14)

# What a match in which both let their time to choose run out then has.
BOTH_RAN_OUT = ["0", "chance", "1", "chance"]

# The matches of the crowd: in each there is one turn under way at a time.
MATCHES = 3


def dead(site: Site, names: str) -> list[Process]:
    """Kill -9, and which were."""
    killed = site.named(*names.split())
    for process in killed:
        process.kill()
    return killed


def has_sweepers_lock(site: Site) -> bool:
    """Whether somebody has the lock by which one web process alone does the workers' work."""
    (count,) = site.sql(
        "SELECT count(*) FROM pg_locks WHERE granted AND locktype = 'advisory'"
        " AND classid = %s AND objid = %s"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        *SWEEPERS_LOCK,
    )
    return count == (1,)


def entries(site: Site, match: int) -> list[tuple[str, bool, int]]:
    """Who did what when, and whether their time ran out."""
    found = site.sql(
        "SELECT actor, timeout, at FROM games_matchentry WHERE match_id = %s ORDER BY seq", match
    )
    return [(str(actor), bool(timeout), int(at)) for actor, timeout, at in found]


def actors(site: Site, match: int) -> list[str]:
    """Who did something, in order."""
    return [actor for actor, _, _ in entries(site, match)]


def ran_out(site: Site, match: int) -> bool:
    """Whether somebody's time has run out."""
    return any(timeout for _, timeout, _ in entries(site, match))


def wait_until_ran_out(site: Site, match: int, what: str = "a deadline") -> None:
    """Wait until somebody's time has run out."""
    wait_for(lambda: ran_out(site, match), timeout=SOON, what=what)


def deadline(site: Site, match: int) -> int:
    """When the first open decision runs out, in ms since 1970."""
    (found,) = site.sql("SELECT deadline_at FROM games_match WHERE id = %s", match)
    return int(found[0])


def seconds_until_late(site: Site, crowd: Crowd) -> float:
    """In how many seconds everything is late that nobody answers. Asked before whatever happens,
    since the database may then be away; nothing may have run out yet."""
    assert not any(ran_out(site, match) for match in crowd.clocks)
    return (max(deadline(site, match) for match in crowd.clocks) - database_ms(site)) / 1000 + 1


def database_ms(site: Site) -> int:
    """What time it is, by the clock that counts."""
    (found,) = site.sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
    return int(found[0])


def readiness(web: Web) -> tuple[int, Any]:
    """What `/readyz` answers."""
    answer = httpx.get(f"{web.base_url}/readyz", timeout=30)
    return answer.status_code, answer.json()


def swept_by_web(site: Site) -> Any:
    """When a web process last swept in the place of workers."""
    return site.sql("SELECT at FROM jobs_jobdone WHERE task = 'games.watch.sweep'")


def wait_for_sweeps(site: Site) -> None:
    """Wait until workers sweep again and again: the first may be what was left in a queue."""
    wait_for_runs(site, WORKERS_SWEEP, times=3)


def wait_for_runs(site: Site, task: str, *, times: int) -> None:
    """Wait until a task has been done so many times more."""
    seen: list[Any] = []

    def is_enough() -> bool:
        last = site.sql("SELECT at FROM jobs_jobdone WHERE task = %s", task)
        if last not in seen:
            seen.append(last)
        return len(seen) > times

    wait_for(is_enough, timeout=2 * SOON, what=f"runs of {task}")


def first_acts(site: Site, crowd: Crowd) -> list[str]:
    """What came first in each match that nobody plays: time that ran out, or was given back."""
    first = "SELECT actor FROM games_matchentry WHERE match_id = ANY(%s) AND seq = 1"
    return [actor for (actor,) in site.sql(first, crowd.clocks)]


def cut_off(ground: Ground, crowd: Crowd) -> list[str]:
    """What the crowd has sent, once a turn of each match is held: nobody has been told of it."""
    wait_for(lambda: len(ground.held()) == MATCHES, what="a turn of each match to be under way")
    sent = crowd.pending()
    assert len(sent) == MATCHES, "somebody has been told before it was committed"
    assert [each for each in sent if crowd.ledger.sent[each].acks] == []
    return sent


def stored(site: Site, sent: Sequence[str]) -> int:
    """How many entries came of what was sent."""
    query = "SELECT count(*) FROM games_matchentry WHERE client_id = ANY(%s)"
    return int(site.sql(query, list(sent))[0][0])
