"""The whole site as `deploy/compose.yaml` draws it, from processes: people come by the proxy alone,
and each process is killed while they play."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
import pytest

from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.operations.test_scraping import told
from tests.support.deploy import example, parts
from tests.support.ledger import Crowd
from tests.support.site import wait_for
from tests.support.topology import Topology, lacking

# What Compose draws, and the prose of README and docs/operating.md with it. One that is to be there
# once more, or no longer, is to be wanted here as well.
DRAWN: Final = {
    "proxy": 1, "web": 2, "deadlines": 2, "worker": 2, "bots": 1, "beat": 1,
    "migrate": 1, "postgres": 1, "pgbouncer": 1, "valkey": 1,
}  # fmt: skip
OURS: Final = sorted(name for name, part in parts().items() if part.is_ours and not part.runs_once)
SOON: Final = 60.0


pytestmark = [
    pytest.mark.site,
    pytest.mark.xdist_group("topology"),
    pytest.mark.skipif(bool(lacking()), reason=lacking()),
]


@pytest.fixture(scope="module")
def topology_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    """All of it, started once."""
    topology = Topology(tmp_path_factory.mktemp("topology"))
    try:
        topology.start()
        yield topology
    finally:
        topology.stop()


@pytest.fixture
def foreseen() -> set[str]:
    """The classes of exceptions that may stand in the logs after a test."""
    return set()


@pytest.fixture
def topology(
    topology_once: Topology, foreseen: set[str], request: pytest.FixtureRequest
) -> Iterator[Topology]:
    """All of it, well; and after the test nothing that failed stands in any log."""
    topology_once.mend()
    before = _failures(topology_once.logs())
    yield topology_once
    logs = topology_once.logs()
    tail = "\n".join(logs.splitlines()[-300:])
    request.node.add_report_section("call", "output of the site", tail)
    failures = [line for line in _failures(logs) if line not in before]
    assert [line for line in failures if not _raised(line) & foreseen] == []


@pytest.fixture
def crowd(topology: Topology) -> Iterator[Crowd]:
    """Matches that are played and watched by the proxy."""
    with ExitStack() as stack:
        yield stack.enter_context(Crowd(topology))


def _failures(logs: str) -> list[str]:
    """The lines of what went wrong unforeseen: those with an exception, and whatever Python prints
    by itself."""
    return [
        line
        for line in logs.splitlines()
        if "Traceback (most recent" in line or (line.startswith("{") and "exception" in _read(line))
    ]


def _raised(line: str) -> set[str]:
    """The class of the exception that a line tells of, and of those that led to it."""
    return {each["exc_type"] for each in _read(line).get("exception", ())}


def _read(line: str) -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads(line)
    except ValueError:
        return {}
    return read


# -- what is drawn -------------------------------------------------------------------------------


def test_an_exception_in_a_log_is_found() -> None:
    """In any of the two forms in which there may be one."""
    fine = ['{"event": "worker ready", "level": "info"}', "celery@host v5", "", "{not JSON"]
    failed = ['{"event": "job.failed", "exception": [{"exc_type": "KeyError"}]}']
    failed.append("Traceback (most recent call last):")
    assert _failures("\n".join([*fine, *failed])) == failed


def test_each_kind_is_there_as_often_as_it_is_drawn(topology: Topology) -> None:
    assert Counter(part.kind for part in topology.parts.values()) == DRAWN
    for name, process in topology.processes.items():
        # What the system says of it, and not what we have asked for.
        run = Path(f"/proc/{process.pid}/cmdline").read_bytes().decode().split("\0")
        words = topology.parts[name].command
        index = [Path(word).name for word in run].index(words[0])
        own = [word.replace("%h", name) for word in words]
        if words[0] == "daphne":
            own[own.index("0.0.0.0")] = topology.hosts[name]  # noqa: S104
        assert run[index + 1 : index + len(own)] == own[1:]
    # And what they say of themselves.
    said = "SELECT kind, count(*) FROM games_serviceprocess GROUP BY 1"
    ours = Counter(part.kind for part in topology.parts.values() if part.name in OURS)
    wait_for(
        lambda: dict(topology.sql(said)) == dict(ours), timeout=SOON, what="all to be registered"
    )
    for web in topology.of_kind("web"):
        assert topology.is_well(web)


def test_each_has_the_settings_of_the_example_and_nothing_else(topology: Topology) -> None:
    """Read from the processes: but for addresses, folders and secrets every setting is the one that
    operators begin with, and none is made for tests."""
    differ = {*topology.places(), "SECRET_KEY"}
    for name, process in topology.processes.items():
        read = Path(f"/proc/{process.pid}/environ").read_bytes().decode().split("\0")
        found = dict(each.split("=", 1) for each in read if each)
        drawn = topology.parts[name].environment
        assert found.keys() == drawn.keys() >= example().keys()
        assert {key for key in drawn if found[key] != drawn[key]} <= differ
        assert found["DJANGO_SETTINGS_MODULE"] == "config.settings.production"
        assert found["GAUNTLET_DB_POOLER"] == "true"
        pooler = topology.pooler
        assert f"@{pooler.host}:{pooler.port}/gauntlet" in found["DATABASE_URL"]
    # And those of PostgreSQL's sessions, which nobody but Compose can say behind PgBouncer.
    for name, value in (("synchronous_commit", "on"), ("lock_timeout", "10s"),
                        ("statement_timeout", "30s")):  # fmt: skip
        with psycopg.connect(topology.pooler.url, prepare_threshold=None) as connection:
            assert connection.execute(f"SHOW {name}").fetchone() == (value,)


def test_pages_come_by_the_proxy_over_tls_alone(topology: Topology) -> None:
    with topology.client() as client:
        page = client.get("/")
        assert page.status_code == 200
        assert page.headers["Strict-Transport-Security"].startswith("max-age=31536000")
        plain = client.get(f"http://{topology.proxy.host}:{topology.proxy.port - 1}/watch/")
        assert (plain.status_code, plain.headers["Location"]) == (
            301, f"{topology.base_url}/watch/",
        )  # fmt: skip

        def is_swept() -> bool:
            ready = client.get("/readyz").json()
            told = (ready["workers"], ready["swept_by"], ready["silent"])
            return told == (True, "worker", 0)

        # Beat may have begun a moment ago.
        wait_for(is_swept, timeout=SOON, what="a worker to sweep")


def test_each_is_read_where_prometheus_is_told_to(topology: Topology) -> None:
    """And by the proxy nobody is: not even from this machine, which the site would answer."""
    read = {}
    for targets in told("compose.yml").values():
        for target in targets:
            name, port = target.split(":")
            answer = httpx.get(f"http://{topology.hosts[name]}:{port}/metrics", timeout=60)
            assert answer.status_code == 200, name
            (read[name],) = re.findall(r'gauntlet_build_info\{.*role="(\w+)".*\} 1', answer.text)
    assert read == {name: topology.parts[name].kind for name in OURS}
    with topology.client() as client:
        for path in ("/metrics", "//metrics", "/%6detrics", "/./metrics", "/metrics?x=1"):
            answer = client.get(f"https://{topology.proxy.host}:{topology.proxy.port}{path}")
            assert answer.status_code == 404, path
            assert "gauntlet_" not in answer.text


# -- it is played on -----------------------------------------------------------------------------


async def test_matches_are_played_by_both_to_their_end(topology: Topology, crowd: Crowd) -> None:
    """With chat, with spectators at the other web process than the players, and with time that
    runs out, which a worker sees to."""
    webs = {f"{topology.hosts[part.name]}:8000": part.name for part in topology.of_kind("web")}
    crowd.begin(played=4, clocks=[2, 3], watched=2)
    while len(_played_at(crowd)) < len(webs):
        crowd.begin(played=1)
    theirs = _played_at(crowd)
    assert theirs.keys() == webs.keys()
    matches = sorted(match for some in theirs.values() for match in some)
    # One web process is gone for a moment. Its matches go on at the other, and stay there; whoever
    # comes to them later comes to where they were before, and reads there what is played elsewhere.
    first = min(theirs)
    apart = theirs[first][0]
    crowd.rest(apart, rests=True)
    process = topology.processes[webs[first]]
    process.kill()
    wait_for(
        lambda: first not in _played_at(crowd), timeout=SOON, what="all to be at the other one"
    )
    process.start()
    # Whoever comes opens the page first, by which the proxy finds out that it is back.
    wait_for(
        lambda: _answered_by(topology, apart) == first, timeout=SOON, what="the proxy to see it"
    )
    async with AsyncExitStack() as stack:
        late, player = [
            await stack.enter_async_context(await Reader.open(topology, apart, person))
            for person in (None, crowd.people[0])
        ]
        for reader in (late, player):
            await reader.next("sync")
            assert reader.upstream == first
        spectators = crowd.watch(apart, 2)
        wait_for(
            lambda: all(each.upstream == first and each.version for each in spectators),
            timeout=SOON,
            what="spectators to see the match",
        )
        assert first not in _played_at(crowd)
        await _chat(topology, crowd, apart, player, late)
    crowd.rest(apart, rests=False)
    crowd.play_out()
    crowd.clocks_ran_out()
    assert crowd.end() == []
    assert {each.upstream for each in spectators} == {first}
    _assert_followed_up_once(topology, matches)


def _played_at(crowd: Crowd) -> dict[str, list[int]]:
    """By web process, the matches whose players are there."""
    seats = [each for each in crowd.players if each.answers]
    wait_for(lambda: all(each.upstream for each in seats), timeout=SOON, what="all to be there")
    found: dict[str, list[int]] = {}
    for seat in seats:
        found.setdefault(seat.upstream, []).append(seat.match)
    return found


def _answered_by(topology: Topology, match: int) -> str:
    """The web process that answers who opens the page of a match. (What the API may be asked in a
    minute is soon used up by somebody who waits.)"""
    with topology.client() as client:
        told: str = client.get(f"/matches/{match}/").headers["X-Upstream"]
    return told.rpartition(", ")[2]


async def _chat(topology: Topology, crowd: Crowd, match: int, player: Reader, late: Reader) -> None:
    """What a player says at one web process all read there and at the other, each once; and the
    database has it once."""
    there = [each for each in crowd.players if each.match == match]
    before = crowd.ledger.told["chat"]
    words = f"Good luck in {match}!"
    await player.say("chat", id="chat-1", room="players", text=words)
    for reader in (player, late):
        heard = await reader.next("chat", room="players")
        assert heard["message"]["text"] == words
    wait_for(
        lambda: crowd.ledger.told["chat"] >= before + len(there), timeout=SOON, what="all to read"
    )
    assert crowd.ledger.told["chat"] == before + len(there)
    found = topology.sql("SELECT count(*) FROM games_chatmessage WHERE text = %s", words)
    assert found == [(1,)]


def _assert_followed_up_once(topology: Topology, matches: Sequence[int]) -> None:
    """What follows an end is done, and of each match there is one rating for each of its players on
    each ladder."""
    due = "SELECT count(*) FROM games_match WHERE id = ANY(%s) AND aftermath_due"
    rated = (
        "SELECT match_id, count(DISTINCT user_id), count(*) = 2 * count(DISTINCT ladder_id)"
        " FROM games_ratingpoint WHERE match_id = ANY(%s) GROUP BY 1 ORDER BY 1"
    )
    ended = sorted(
        match
        for (match,) in topology.sql(
            "SELECT id FROM games_match WHERE id = ANY(%s) AND status = 'finished'", list(matches)
        )
    )
    assert ended
    wait_for(lambda: topology.sql(due, ended) == [(0,)], timeout=SOON, what="what follows ends")
    wait_for(
        lambda: topology.sql(rated, ended) == [(match, 2, True) for match in ended],
        timeout=SOON,
        what="the results to be rated, once for each player",
    )


# -- a season ------------------------------------------------------------------------------------

SEASON: Final = """
import json
from django.utils import timezone
from tests.tournaments import support
organiser = support.organiser_named({name!r})
season = support.running(organiser, 4)
death_match = support.chosen(organiser, season, ec=1, dmo=2)
leg = support.begun(organiser, death_match, at=timezone.now())
print(json.dumps({{"season": season.pk, "match": leg.match_id, "leg": leg.pk}}))
"""


class Season:
    """A season with a death match that is being played."""

    def __init__(self, topology: Topology, name: str) -> None:
        self.topology = topology
        made = json.loads(topology.hand.run(SEASON.format(name=name)).splitlines()[-1])
        self.pk: int = made["season"]
        self.match: int = made["match"]
        self.leg: int = made["leg"]
        self.loser: Person = Desk(topology).seat(self.match, 1)

    async def concede(self) -> None:
        """Have one of both lose it."""
        async with await Reader.open(self.topology, self.match, self.loser) as reader:
            await reader.next("sync")
            assert (await reader.submit("concede"))["type"] == "ack"

    def wait_until_settled(self) -> None:
        """Wait until its season has taken the result over."""
        asked = "SELECT status FROM tournaments_leg WHERE id = %s"
        wait_for(
            lambda: self.topology.sql(asked, self.leg) == [("finished",)],
            timeout=SOON,
            what="the result to be taken over",
        )

    def decided(self) -> int:
        """How often the season was told so."""
        ((number,),) = self.topology.sql(
            "SELECT count(*) FROM tournaments_seasonevent"
            " WHERE season_id = %s AND kind = 'death-match.decided'",
            self.pk,
        )
        return int(number)


@pytest.mark.parametrize("beats", [1, 2])
async def test_an_end_is_followed_up_once(topology: Topology, beats: int) -> None:
    """By two workers, where a task comes a second time, as those do that a killed worker had, and
    where somebody has started a second beat by accident: several have the result in hand at the
    same time, for which they wait until the season's row is free."""
    if beats == 2:
        topology.another("beat-2", "beat")
    season = Season(topology, f"orla-{beats}")
    waiting = (
        "SELECT count(DISTINCT pid) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND query LIKE '%%tournaments_season%%'"
        " AND datname = current_database()"
    )
    with psycopg.connect(topology.direct.geturl()) as holder:
        holder.execute("SELECT id FROM tournaments_season WHERE id = %s FOR UPDATE", (season.pk,))
        await season.concede()
        _tell_again(topology, season.match)
        wait_for(lambda: topology.sql(waiting)[0][0] >= 2, timeout=SOON, what="both to wait for it")
        assert season.decided() == 0
        holder.rollback()
    season.wait_until_settled()
    _wait_for_sweeps(topology, "tournaments.tasks.sweep")
    assert season.decided() == 1
    _assert_followed_up_once(topology, [season.match])


def _tell_again(topology: Topology, match: int) -> None:
    """Hand the result of a match to the workers once more, twice, so that there are several at it
    however soon the first one came."""
    told = topology.hand.run(
        "from core.queueing import enqueue\n"
        "from tournaments.jobs import SETTLE\n"
        f"print(enqueue(SETTLE, {match}), enqueue(SETTLE, {match}))"
    )
    assert told.split() == ["True", "True"]


def _wait_for_sweeps(topology: Topology, task: str, times: int = 3) -> None:
    """Wait until a periodic job was done so many times more: whatever it would do again is done."""
    seen: list[Any] = []

    def has_swept() -> bool:
        found = topology.sql("SELECT at FROM jobs_jobdone WHERE task = %s", task)
        if found not in seen:
            seen.append(found)
        return len(seen) > times

    wait_for(has_swept, timeout=2 * SOON, what=f"{task} to be done again and again")


# -- each is killed ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_one_is_killed_while_the_others_go_on(name: str, topology: Topology, crowd: Crowd) -> None:
    process = topology.processes[name]
    crowd.begin(played=3)
    crowd.goes_on(turns=2)
    crowd.begin(played=0, clocks=[2.5, 4])
    process.kill()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert not process.alive
    process.start()
    crowd.begin(played=0, clocks=[2])
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert crowd.end() == []


def test_pgbouncer_is_killed(topology: Topology, crowd: Crowd, foreseen: set[str]) -> None:
    """All connections of all processes are gone at once; what was not acknowledged is sent again
    when they are back."""
    foreseen.add("OperationalError")  # of tasks that could not even begin
    crowd.begin(played=3)
    crowd.goes_on(turns=2)
    crowd.begin(played=0, clocks=[3])
    topology.pooler.kill()
    told = crowd.ledger.told
    wait_for(lambda: told["error service.away"], timeout=SOON, what="somebody to be told so")
    topology.pooler.start()
    crowd.goes_on()
    crowd.clocks_ran_out()
    assert crowd.end() == []
