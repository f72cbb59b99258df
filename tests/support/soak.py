"""Every fault at random while matches are played, for as long as one likes: `script/soak`.

Each round has matches begin, a few faults happen, at the same time or one after the other, and all
of it mended; then everything that clients were told in it is compared with the database. Which
faults, and when, follows from a seed; how the processes fare meanwhile does not.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psycopg
import psycopg.errors

from script.lib.console import say
from script.lib.soak import asked
from script.lib.supervisor import Stopped, raise_on_stop_signals
from tests.support.ground import COMMIT, COMMITTED, STATEMENT, Ground
from tests.support.hostclock import HostClock, lacking
from tests.support.ledger import Crowd
from tests.support.site import AnotherWeb, Site, SiteError, Web, wait_for

# How long it is waited for a turn that is to be cut off: nobody may have one to make.
HELD_S: Final = 5.0
# How many watch each match that is played when all connections break.
CROWD: Final = 30
# How many ask for pages without end in a flood.
FLOOD: Final = 8
# By how much hosts' clocks are set, in seconds.
WRONG_S: Final = 20.0


@dataclass(frozen=True)
class Stage:
    """What faults happen to: the site's parts, those who play there, and what hosts' clocks show
    (nothing where those cannot be set)."""

    ground: Ground
    crowd: Crowd
    host: HostClock | None
    source: random.Random

    @property
    def site(self) -> Site:
        """The site, which has been started."""
        return self.ground.there


Fault = Callable[[Stage], AbstractContextManager[object]]


# -- the database --------------------------------------------------------------------------------


def ground(fault: Callable[[Ground], AbstractContextManager[object]]) -> Fault:
    """A fault that `Ground` has."""
    return lambda stage: fault(stage.ground)


def dead_postgres(number: signal.Signals) -> Fault:
    """The database ended by a signal, for the length of the block."""

    @contextmanager
    def fault(stage: Stage) -> Iterator[None]:
        stage.ground.kill_postgres(number)
        yield
        stage.ground.start_postgres()

    return fault


def cut_off(where: str, number: signal.Signals = signal.SIGKILL) -> Fault:
    """The database ended by a signal while it holds turns there (see `Ground.held_turns`)."""

    @contextmanager
    def fault(stage: Stage) -> Iterator[None]:
        with stage.ground.held_turns(where):
            _wait_until_held(stage)
            with dead_postgres(number)(stage):
                yield

    return fault


@contextmanager
def _backend_cut_off(stage: Stage) -> Iterator[None]:
    """One of the database's processes killed that hold a turn before its commit."""
    with stage.ground.held_turns(COMMIT):
        _wait_until_held(stage)
        for pid in stage.ground.held()[:1]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        yield


def _wait_until_held(stage: Stage) -> None:
    until = time.monotonic() + HELD_S
    while not stage.ground.held() and time.monotonic() < until:
        time.sleep(0.05)


@contextmanager
def _broken_backend(stage: Stage) -> Iterator[None]:
    stage.ground.kill_backend()
    yield


@contextmanager
def _ended_sessions(stage: Stage) -> Iterator[None]:
    stage.ground.end_sessions()
    yield


@contextmanager
def _locked_table(stage: Stage) -> Iterator[None]:
    """Whoever reads or plays waits, until all threads do."""
    with psycopg.connect(stage.site.database_url) as holder:
        with suppress(psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable):
            holder.execute("SET LOCAL lock_timeout = '10s'")
            holder.execute("LOCK TABLE games_match IN ACCESS EXCLUSIVE MODE")
        yield
        holder.rollback()


# -- Valkey --------------------------------------------------------------------------------------


@contextmanager
def _emptied(stage: Stage) -> Iterator[None]:
    stage.ground.empty_valkey()
    yield


@contextmanager
def _dead_valkey(stage: Stage) -> Iterator[None]:
    stage.ground.kill_valkey()
    yield
    stage.ground.start_valkey()


# -- processes of the site -----------------------------------------------------------------------


def killed(*names: str) -> Fault:
    """Processes of the site, killed for the length of the block."""

    @contextmanager
    def fault(stage: Stage) -> Iterator[None]:
        processes = stage.site.named(*names)
        for process in processes:
            process.kill()
        yield
        for process in processes:
            process.start()

    return fault


def paused(name: str) -> Fault:
    """A process of the site that stands still for the length of the block."""

    @contextmanager
    def fault(stage: Stage) -> Iterator[None]:
        (process,) = stage.site.named(name)
        process.pause()
        yield
        process.resume()

    return fault


@contextmanager
def _restarted(stage: Stage) -> Iterator[None]:
    """As a deploy does."""
    stage.site.web.terminate()
    yield
    stage.site.web.start()


def _second_beat(stage: Stage) -> AbstractContextManager[object]:
    """Whatever is to be done now and then is asked for twice."""
    return stage.site.second_beat()


# -- the world around ----------------------------------------------------------------------------


@contextmanager
def _clocks_set(stage: Stage) -> Iterator[None]:
    """Of all hosts at once, forward or back, and then right again."""
    assert stage.host is not None
    stage.host.set(ahead_s=stage.source.choice((-WRONG_S, WRONG_S)))
    yield
    stage.host.set(ahead_s=0)


@contextmanager
def _all_come_back(stage: Stage) -> Iterator[None]:
    """Every connection breaks, of a crowd that watches, too."""
    for match in {player.match for player in stage.crowd.players if player.answers}:
        stage.crowd.watch(match, CROWD)
    time.sleep(stage.source.uniform(0, 2))
    stage.crowd.drop()
    yield


@contextmanager
def _flooded(stage: Stage) -> Iterator[None]:
    """Pages and the API asked for without end, by as many as the site has threads for them."""
    ended = threading.Event()
    paths = ["/", "/matches/", "/readyz"]
    for match in stage.crowd.ledger.matches:
        paths += [f"/matches/{match}/", f"/api/v1/matches/{match}/log/"]

    def ask(source: random.Random) -> None:
        with httpx.Client(base_url=stage.site.base_url, timeout=5) as client:
            while not ended.is_set():
                with suppress(httpx.HTTPError):
                    client.get(source.choice(paths))

    with ThreadPoolExecutor(FLOOD) as pool:
        for _ in range(FLOOD):
            pool.submit(ask, random.Random(stage.source.random()))
        try:
            yield
        finally:
            ended.set()


# -- several at once -----------------------------------------------------------------------------


@contextmanager
def _everything(stage: Stage) -> Iterator[None]:
    stage.ground.kill_everything()
    yield
    stage.ground.start_everything()


def _swept_by_web(stage: Stage) -> bool:
    """Whether a web process was the last to go through the matches."""
    answer = httpx.get(f"{stage.site.base_url}/readyz", timeout=30)
    return bool(answer.json()["swept_by"] == "web")


@contextmanager
def _stands_in_and_stands_still(stage: Stage) -> Iterator[None]:
    """A web process goes through the matches in the workers' place, and stops; another one comes
    and does it."""
    with killed("deadlines", "beat")(stage):
        wait_for(lambda: _swept_by_web(stage), timeout=60, what="it to stand in")
        time.sleep(stage.source.uniform(0, 0.5))
        stage.site.web.pause()
        another = AnotherWeb(stage.site)
        try:
            another.web.start()
            another.web.wait_until_told("deadlines.no-worker")
            yield
        finally:
            stage.site.web.resume()
            another.stop()


def web_cut_off(where: str) -> Fault:
    """The web process killed while the database holds its turns there."""

    @contextmanager
    def fault(stage: Stage) -> Iterator[None]:
        with stage.ground.held_turns(where):
            _wait_until_held(stage)
            stage.site.web.kill()
            yield
        stage.site.web.start()

    return fault


def without_database(*names: str) -> Fault:
    """These begin while there is no database, which comes after they have looked for it, with
    everybody about to ask for something."""

    @contextmanager
    def fault(stage: Stage) -> Iterator[None]:
        stage.ground.kill_postgres()
        processes = stage.site.named(*names)
        for process in processes:
            process.kill()
            process.launch()
        for process in processes:
            process.wait_until_told(
                "beat.failed" if process is stage.site.web else "process.not-recorded"
            )
        yield
        stage.ground.start_postgres()

    return fault


NAMES: Final = ("web", "deadlines", "worker", "bots", "beat")
HOLDS: Final = (STATEMENT, COMMIT, COMMITTED)
# Of each kind one at most at the same time, and mended in this order: what is started needs what
# comes before it.
KINDS: Final[tuple[dict[str, Fault], ...]] = (
    {
        "PostgreSQL killed": dead_postgres(signal.SIGKILL),
        "PostgreSQL ended at once": dead_postgres(signal.SIGQUIT),
        "PostgreSQL standing still": ground(Ground.hung_postgres),
        "a process of PostgreSQL killed": _broken_backend,
        "idle sessions of PostgreSQL ended": _ended_sessions,
        **{f"PostgreSQL killed with turns {where}": cut_off(where) for where in HOLDS},
        f"PostgreSQL ended at once with turns {COMMIT}": cut_off(COMMIT, signal.SIGQUIT),
        f"a process of PostgreSQL killed with a turn {COMMIT}": _backend_cut_off,
        "the table of matches locked": _locked_table,
        "the disk full": ground(Ground.no_room),
    },
    {
        "Valkey hung": ground(Ground.hung_valkey),
        "Valkey dead": _dead_valkey,
        "Valkey emptied": _emptied,
        "Valkey read-only": ground(Ground.read_only_valkey),
        "Valkey full": ground(Ground.full_valkey),
    },
    {
        **{f"{name} killed": killed(name) for name in NAMES},
        **{f"{name} standing still": paused(name) for name in NAMES},
        "deadlines and beat killed": killed("deadlines", "beat"),
        "web restarted": _restarted,
        "a second beat": _second_beat,
    },
    {
        "all connections broken": _all_come_back,
        "a flood of requests": _flooded,
        "hosts' clocks set": _clocks_set,
    },
)
# These leave nothing for another to happen to, or need all the rest.
ALONE: Final[dict[str, Fault]] = {
    "everything dead": _everything,
    "web standing still in the workers' place": _stands_in_and_stands_still,
    **{f"web killed with turns {where}": web_cut_off(where) for where in HOLDS},
    "web begun without a database": without_database("web"),
    "all begun without a database": without_database(*NAMES),
}


class Soak:
    """One run: the site, and what happens to it."""

    def __init__(self, ground: Ground, seed: int, host: HostClock | None = None) -> None:
        self.ground = ground
        self.source = random.Random(seed)
        self.host = host
        self.began = time.monotonic()

    def run(self, seconds: float) -> list[str]:
        """Rounds, until so much time has passed; returns what was wrong in the first in which
        anything was. Every kind of fault comes before any comes again."""
        if self.host is not None:
            for process in self.ground.there.processes:
                self.host.move(process)
        number, due = 0, self._shuffled()
        while not number or time.monotonic() - self.began < seconds:
            number += 1
            due = due or self._shuffled()
            wrong = self._round(number, due.pop())
            if wrong:
                return wrong
        return []

    def _shuffled(self) -> list[str]:
        kinds: list[dict[str, Fault]] = [*map(self._of, KINDS), ALONE]
        names = [name for kind in kinds for name in kind]
        self.source.shuffle(names)
        return names

    def _of(self, kind: dict[str, Fault]) -> dict[str, Fault]:
        """The faults of a kind that can happen here."""
        return {
            name: fault
            for name, fault in kind.items()
            if fault is not _clocks_set or self.host is not None
        }

    def _round(self, number: int, name: str) -> list[str]:
        with ExitStack() as stack:
            webs: list[Web] = [self.ground.there]
            if name not in ALONE and self.source.random() < 0.5:
                # Players meet in different processes, and readers miss what Valkey does not tell.
                another = AnotherWeb(self.ground.there)
                stack.callback(another.stop)
                another.web.start()
                webs.append(another)
                self._say("with a second web process")
            seed = self.source.randrange(2**31)
            crowd = stack.enter_context(Crowd(self.ground.there, seed=seed, webs=webs))
            try:
                wrong = self._played(crowd, name)
            except SiteError as error:
                self.ground.mend()  # what is so is asked of the database
                wrong = [str(error), *crowd.ledger.check(crowd.desk)]
            told = ", ".join(f"{count} {what}" for what, count in sorted(crowd.ledger.told.items()))
            self._say(f"round {number}: {told}")
            if wrong:
                say(self.ground.there.logs())
        return wrong

    def _played(self, crowd: Crowd, name: str) -> list[str]:
        """What is wrong after a fault; raises SiteError where something does not come about."""
        crowd.begin(played=3, clocks=[self.source.uniform(1, 6) for _ in range(2)])
        crowd.goes_on(turns=1)
        self._happen(name, Stage(self.ground, crowd, self.host, self.source))
        self.ground.mend()
        crowd.goes_on(turns=2)
        crowd.clocks_ran_out()
        return crowd.end()

    def _happen(self, name: str, stage: Stage) -> None:
        """The fault of that name, and perhaps others of other kinds meanwhile."""
        if name in ALONE:
            chosen: list[tuple[str, Fault]] = [(name, ALONE[name])]
        else:
            chosen = []
            for kind in map(self._of, KINDS):
                if name in kind:
                    chosen.append((name, kind[name]))
                elif self.source.random() < 0.3:
                    chosen.append(self.source.choice(list(kind.items())))
        # They are mended in the opposite order: what is started needs what comes before it.
        with ExitStack() as stack:
            for each, fault in reversed(chosen):
                self._say(each)
                stack.enter_context(fault(stage))
                time.sleep(self.source.uniform(0, 1))
            time.sleep(self.source.uniform(0, 4))
        self._say("mended")

    def _say(self, text: str) -> None:
        say(f"{time.monotonic() - self.began:7.1f} s  {text}")


def main(arguments: Sequence[str]) -> int:
    """Run it; returns 0 only when everything that anybody was told is so."""
    options = asked(arguments)
    seed = random.randrange(2**31) if options.seed is None else options.seed
    say(f"script/soak --minutes {options.minutes:g} --seed {seed}")
    raise_on_stop_signals()
    with tempfile.TemporaryDirectory(prefix="gauntlet-soak-") as folder:
        ground = Ground(Path(folder))
        try:
            ground.start()
            host = None if lacking() else HostClock(Path(folder))
            wrong = Soak(ground, seed, host).run(options.minutes * 60)
        except Stopped:
            say("Stopped.")
            return 130
        finally:
            ground.stop()
    for line in wrong:
        say(f"WRONG: {line}")
    say("" if wrong else "Everything that anybody was told is so.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
