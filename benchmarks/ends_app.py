"""The part of `ends.py` that runs within Django: ends matches, and rates many ends at once.

    python benchmarks/ends_app.py TREE ENDS THREADS

``TREE`` is the checkout whose code is measured. Prints one JSON object. `DATABASE_URL` and
`REDIS_URL` name servers that may be written to.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

sys.path.insert(0, sys.argv[1])
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

import django

django.setup()

import structlog
from django.core.management import call_command
from django.db import connection

from accounts.models import User
from core.clock import now_ms, now_utc
from games import store
from games.engine.decisions import Seat
from games.models import Match, MatchPlayer, RatingPoint
from games.ratings.services import match_rate, ratings_repair
from games.rulesets import REGISTRY
from games.services.matches import match_start
from games.services.turns import match_submit

PLAYERS = 40
TURNS = 60

# The game hardly matters: the first that there is, in its first variant.
GAME = next(iter(REGISTRY))
OF_GAME = {"ruleset": GAME.id, "variant": GAME.variants[0].id}


def run(ends: int, threads: int) -> dict[str, Any]:
    """Everything that is measured, by its name."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    call_command("migrate", verbosity=0)
    players = [
        User.objects.get_or_create(username=f"player{number}", defaults={"password": "!"})[0]
        for number in range(PLAYERS)
    ]
    return turns_measured(players) | ratings_measured(players, ends, threads)


# -- the turn that ends a match ------------------------------------------------------------------


def turns_measured(players: list[User]) -> dict[str, Any]:
    """An ordinary turn and one that ends its match, in the thread of the turn."""
    turn, end = Spent(), Spent()
    for number in range(TURNS):
        pair = (players[number % PLAYERS], players[(number + 1) % PLAYERS])
        match = match_start(
            acting_user=None, players=pair, ruleset_id=GAME.id, variant=GAME.variants[0].id,
            advantage=0,
        )  # fmt: skip
        for part in (turn, turn, end):
            seat, text = next_move(match.pk)
            version = store.read(match.pk).readers.versions[seat]
            with part:
                match_submit(
                    match_id=match.pk, seat=seat, acting_user=pair[seat],
                    text="concede" if part is end else text,
                    client_id=str(version), version=version, at=now_ms(),
                )  # fmt: skip
    return {
        "a turn, statements": turn.statements,
        "a turn that ends its match, statements": end.statements,
        "a turn, ms of its thread": turn.median,
        "a turn that ends its match, ms of its thread": end.median,
        "  times an ordinary turn": round(end.median / turn.median, 2),
    }


def next_move(match_id: int) -> tuple[Seat, str]:
    """Somebody who has a decision to make, and any move for it."""
    held = store.read(match_id)
    table = held.live.table
    for seat in (0, 1):
        slot = table.open[seat]
        if slot is not None and not table.holds_back(seat):
            move = held.ruleset.sample(table.state, slot.decision, random.random)
            return seat, held.ruleset.print(move)
    raise SystemExit(f"nobody has to move in match {match_id}")


class Spent:
    """Processor time of this thread, in ms, and statements, of what is done within."""

    def __init__(self) -> None:
        self.each: list[float] = []
        self.statements = 0

    def __enter__(self) -> None:
        self.statements = 0
        self.wrapping = connection.execute_wrapper(self._count)
        self.wrapping.__enter__()
        self.started = time.thread_time()

    def __exit__(self, *_error: object) -> None:
        self.each.append((time.thread_time() - self.started) * 1000)
        self.wrapping.__exit__(None, None, None)

    def _count(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.statements += 1
        return execute(*arguments)

    @property
    def median(self) -> float:
        """Of all times, to a hundredth."""
        return round(statistics.median(self.each), 2)


# -- many rated ends at once ---------------------------------------------------------------------


def ratings_measured(players: list[User], ends: int, threads: int) -> dict[str, Any]:
    """Ends that as many workers rate at the same time; then the same one after another."""
    ratings_repair()  # of what ended above, no worker was there to hear
    crowd = timed_in_threads(ended(players, ends), threads)
    alone = timed_in_threads(ended(players, ends // 4), 1)
    missed = ratings_repair()
    if missed:
        raise SystemExit(f"the ladders are wrong: {missed}")
    rated = RatingPoint.objects.values("match").distinct().count()
    if rated < ends:
        raise SystemExit(f"only {rated} results were taken in")
    return {
        "a rated end among many, ms (median)": crowd["median"],
        "a rated end among many, ms (p95)": crowd["p95"],
        "a rated end among many, ms of the processor": crowd["cpu"],
        "rated ends a second, many at once": crowd["rate"],
        "a rated end alone, ms (median)": alone["median"],
        "a rated end alone, ms of the processor": alone["cpu"],
    }


def ended(players: list[User], many: int) -> list[int]:
    """The numbers of so many matches that have just ended, as bare rows."""
    keys = []
    for number in range(many):
        now = now_utc()
        match = Match.objects.create(
            **OF_GAME, snapshot="{}", status="finished",
            winner=number % 2, reason="concession", scores=[1, 2], finished_at=now,
            created_at=now - timedelta(minutes=9),
        )  # fmt: skip
        for seat in (0, 1):
            apart = seat * (1 + number // PLAYERS % (PLAYERS - 1))
            user = players[(number + apart) % PLAYERS]
            MatchPlayer.objects.create(match=match, seat=seat, user=user, name=user.username)
        keys.append(match.pk)
    return keys


def timed_in_threads(keys: list[int], threads: int) -> dict[str, float]:
    """What it takes to rate these matches in as many threads."""
    waiting, took, failed = list(keys), [], []
    barrier = threading.Barrier(threads + 1)

    def work() -> None:
        try:
            connection.ensure_connection()
            barrier.wait()
            while waiting:
                key = waiting.pop(0)
                started = time.perf_counter()
                match_rate(match_id=key)
                took.append((time.perf_counter() - started) * 1000)
        except IndexError:
            pass
        except Exception as error:  # noqa: BLE001  (shown below)
            failed.append(error)
        finally:
            connection.close()

    crowd = [threading.Thread(target=work) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    barrier.wait()
    started, worked = time.perf_counter(), time.process_time()
    for thread in crowd:
        thread.join()
    wall, cpu = time.perf_counter() - started, time.process_time() - worked
    if failed:
        raise failed[0]
    return {
        "median": round(statistics.median(took), 1),
        "p95": round(statistics.quantiles(took, n=20)[-1], 1),
        "cpu": round(cpu / len(keys) * 1000, 2),
        "rate": round(len(keys) / wall, 1),
    }


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[2]), int(sys.argv[3]))))
