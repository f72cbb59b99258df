"""The part of benchmarks/turn.py that runs within Django: it plays, and prints what it found."""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
django.setup()

from django.core.management import call_command
from django.db import connection

from accounts.models import User
from games import remembered, store
from games.rulesets import REGISTRY
from games.services.matches import match_start
from games.services.turns import match_submit

AT = 2_000_000_000_000  # far from now, so that no worker is ever told of a deadline

Spent = tuple[float, float]


class Players:
    """Two people, their matches of one game, and the thread in which their turns run."""

    def __init__(self, users: tuple[User, User], game: tuple[str, str], matches: int) -> None:
        self.users, self.game = users, game
        self.random = random.Random(1)
        self.at, self.number = AT, 0
        self.thread = ThreadPoolExecutor(1)
        self.backend = self.thread.submit(backend).result()
        self.matches = [self._start() for _ in range(matches)]

    def play(self, turns: int, *, at_once: bool) -> Spent:
        """Microseconds of a processor that a turn takes of its thread, and of the database."""
        thread = database = 0
        for number in range(turns):
            index = number % len(self.matches)
            choice = self._choice(self.matches[index])
            while choice is None:
                self.matches[index] = self._start()
                choice = self._choice(self.matches[index])
            if at_once:
                remembered.remember(store.read(self.matches[index]))
            else:
                remembered.forget_all()
            before = processor_ns(self.backend)
            thread += self.thread.submit(self._submit, self.matches[index], *choice).result()
            database += processor_ns(self.backend) - before
        return thread / turns / 1000, database / turns / 1000

    def _start(self) -> int:
        match = match_start(
            acting_user=self.users[0], players=self.users, ruleset_id=self.game[0],
            variant=self.game[1], advantage=0, at=self.at, random=self.random.random,
        )  # fmt: skip
        return int(match.pk)

    def _choice(self, pk: int) -> tuple[Any, str, int] | None:
        held = store.read(pk)
        table = held.live.table
        for seat in (0, 1):
            slot = table.open[seat]
            if slot is not None and not table.holds_back(seat):
                move = held.ruleset.sample(table.state, slot.decision, self.random.random)
                return seat, held.ruleset.print(move), held.readers.versions[seat]
        return None

    def _submit(self, pk: int, seat: Any, text: str, version: int) -> int:
        self.number += 1
        self.at += 100
        began = time.thread_time_ns()
        match_submit(
            match_id=pk, seat=seat, acting_user=self.users[seat], client_id=f"b-{self.number}",
            text=text, version=version, at=self.at, random=self.random.random,
        )  # fmt: skip
        return time.thread_time_ns() - began


def backend() -> int:
    """The process of the database behind this thread's connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def processor_ns(pid: int) -> int:
    """Nanoseconds that a process has run."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def updates() -> list[int]:
    """Updates of matches' rows, those of them that left the indexes alone, and dead rows."""
    time.sleep(1.5)  # a session says at most once a second what it did
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n_tup_upd, n_tup_hot_upd, n_dead_tup FROM pg_stat_user_tables"
            " WHERE relname = 'games_match'"
        )
        return list(cursor.fetchone())


def main() -> None:
    """Play, and print what it took as JSON."""
    turns, rounds, matches = map(int, sys.argv[1:4])
    call_command("migrate", verbosity=0)
    users = (User.objects.create_user("ada"), User.objects.create_user("ben"))
    games = {}
    for ruleset in REGISTRY:
        if sys.argv[4:] and ruleset.id not in sys.argv[4:]:
            continue
        players = Players(users, (ruleset.id, ruleset.variants[0].id), matches)
        spent: dict[bool, list[Spent]] = {False: [], True: []}
        for at_once in (False, True):
            players.play(30, at_once=at_once)  # what is made once
        for _ in range(rounds):
            for at_once, found in spent.items():
                found.append(players.play(turns // rounds, at_once=at_once))
        games[ruleset.id] = [
            [statistics.median(each[part] for each in spent[way]) for way in (False, True)]
            for part in (0, 1)
        ]
    print(json.dumps({"games": games, "updates": updates()}))


if __name__ == "__main__":
    main()
