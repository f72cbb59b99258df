"""Every fault at random while matches are played, for as long as one likes: `script/soak`.

Each round has matches begin, a few faults happen, at the same time or one after the other, and all
of it mended; then everything that clients were told in it is compared with the database. Which
faults, and when, follows from a seed; how the processes fare meanwhile does not.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Final

from script.lib.console import say
from script.lib.supervisor import Stopped, raise_on_stop_signals
from tests.support.ground import COMMIT, COMMITTED, Ground
from tests.support.ledger import Crowd
from tests.support.site import Process, SiteError

Fault = Callable[[Ground], AbstractContextManager[None]]

# How long it is waited for a turn that is to be cut off: nobody may have one to make.
HELD_S: Final = 5.0


def killed(name: str) -> Fault:
    """A process of the site, killed for the length of the block."""

    @contextmanager
    def fault(ground: Ground) -> Iterator[None]:
        process = _process(ground, name)
        process.kill()
        yield
        process.start()

    return fault


def paused(name: str) -> Fault:
    """A process of the site that stands still for the length of the block."""

    @contextmanager
    def fault(ground: Ground) -> Iterator[None]:
        process = _process(ground, name)
        process.pause()
        yield
        process.resume()

    return fault


def _process(ground: Ground, name: str) -> Process:
    return {process.name: process for process in ground.there.processes}[name]


@contextmanager
def _restarted(ground: Ground) -> Iterator[None]:
    """As a deploy does."""
    ground.there.web.terminate()
    yield
    ground.there.web.start()


@contextmanager
def _emptied(ground: Ground) -> Iterator[None]:
    ground.empty_valkey()
    yield


@contextmanager
def _dead_valkey(ground: Ground) -> Iterator[None]:
    ground.kill_valkey()
    yield
    ground.start_valkey()


@contextmanager
def _dead_postgres(ground: Ground) -> Iterator[None]:
    ground.kill_postgres()
    yield
    ground.start_postgres()


def cut_off(where: str) -> Fault:
    """The database killed while it holds turns there (see `Ground.held_turns`)."""

    @contextmanager
    def fault(ground: Ground) -> Iterator[None]:
        with ground.held_turns(where):
            until = time.monotonic() + HELD_S
            while not ground.held() and time.monotonic() < until:
                time.sleep(0.05)
            ground.kill_postgres()
            yield
            ground.start_postgres()

    return fault


@contextmanager
def _broken_backend(ground: Ground) -> Iterator[None]:
    ground.kill_backend()
    yield


@contextmanager
def _everything(ground: Ground) -> Iterator[None]:
    ground.kill_everything()
    yield
    ground.start_everything()


NAMES: Final = ("web", "deadlines", "worker", "beat")
# Of each kind one at most at the same time, and mended in this order: what is started needs what
# comes before it.
KINDS: Final[tuple[dict[str, Fault], ...]] = (
    {
        "PostgreSQL dead": _dead_postgres,
        "PostgreSQL standing still": Ground.hung_postgres,
        "a process of PostgreSQL killed": _broken_backend,
        f"PostgreSQL killed with turns {COMMIT}": cut_off(COMMIT),
        f"PostgreSQL killed with turns {COMMITTED}": cut_off(COMMITTED),
        "the disk full": Ground.no_room,
    },
    {
        "Valkey hung": Ground.hung_valkey,
        "Valkey dead": _dead_valkey,
        "Valkey emptied": _emptied,
        "Valkey read-only": Ground.read_only_valkey,
        "Valkey full": Ground.full_valkey,
    },
    {
        **{f"{name} killed": killed(name) for name in NAMES},
        **{f"{name} standing still": paused(name) for name in NAMES},
        "web restarted": _restarted,
    },
)
ALL_AT_ONCE: Final[dict[str, Fault]] = {"everything dead": _everything}


class Soak:
    """One run: the site, and what happens to it."""

    def __init__(self, ground: Ground, seed: int) -> None:
        self.ground = ground
        self.source = random.Random(seed)
        self.began = time.monotonic()

    def run(self, seconds: float) -> list[str]:
        """Rounds, until so much time has passed; returns what was wrong in the first in which
        anything was. Every kind of fault comes before any comes again."""
        number, due = 0, self._shuffled()
        while not number or time.monotonic() - self.began < seconds:
            number += 1
            due = due or self._shuffled()
            wrong = self._round(number, due.pop())
            if wrong:
                return wrong
        return []

    def _shuffled(self) -> list[str]:
        kinds: list[dict[str, Fault]] = [*KINDS, ALL_AT_ONCE]
        names = [name for kind in kinds for name in kind]
        self.source.shuffle(names)
        return names

    def _round(self, number: int, name: str) -> list[str]:
        with Crowd(self.ground.there, seed=self.source.randrange(2**31)) as crowd:
            crowd.begin(played=3, clocks=[self.source.uniform(1, 6) for _ in range(2)])
            crowd.goes_on(turns=1)
            self._happen(name)
            self.ground.mend()
            try:
                crowd.goes_on(turns=2)
                crowd.clocks_ran_out()
                wrong = crowd.end()
            except SiteError as error:
                wrong = [str(error), *crowd.ledger.check(crowd.desk)]
            told = ", ".join(f"{count} {what}" for what, count in sorted(crowd.ledger.told.items()))
            self._say(f"round {number}: {told}")
        return wrong

    def _happen(self, name: str) -> None:
        """The fault of that name, and perhaps others of other kinds meanwhile."""
        if name in ALL_AT_ONCE:
            chosen: list[tuple[str, Fault]] = [(name, ALL_AT_ONCE[name])]
        else:
            chosen = []
            for kind in KINDS:
                if name in kind:
                    chosen.append((name, kind[name]))
                elif self.source.random() < 0.3:
                    chosen.append(self.source.choice(list(kind.items())))
        # They are mended in the opposite order: what is started needs what comes before it.
        with ExitStack() as stack:
            for each, fault in reversed(chosen):
                self._say(each)
                stack.enter_context(fault(self.ground))
                time.sleep(self.source.uniform(0, 1))
            time.sleep(self.source.uniform(0, 4))
        self._say("mended")

    def _say(self, text: str) -> None:
        say(f"{time.monotonic() - self.began:7.1f} s  {text}")


def main(arguments: Sequence[str]) -> int:
    """Run it; returns 0 only when everything that anybody was told is so."""
    parser = argparse.ArgumentParser(prog="script/soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (5)")
    parser.add_argument("--seed", type=int, help="which faults, and when; drawn and shown if none")
    options = parser.parse_args(arguments)
    seed = random.randrange(2**31) if options.seed is None else options.seed
    say(f"script/soak --minutes {options.minutes:g} --seed {seed}")
    raise_on_stop_signals()
    with tempfile.TemporaryDirectory(prefix="gauntlet-soak-") as folder:
        ground = Ground(Path(folder))
        try:
            ground.start()
            wrong = Soak(ground, seed).run(options.minutes * 60)
            if wrong:
                say(ground.there.logs())
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
