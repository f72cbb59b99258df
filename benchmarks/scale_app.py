"""The parts of `scale.py` that run within Django, each a process of its own.

    python benchmarks/scale_app.py turns GAME COUNT MATCHES SEED
    python benchmarks/scale_app.py sweep TIMES
    python benchmarks/scale_app.py pages CONTESTANTS RESULTS PLAYERS

Each prints one JSON object. `DATABASE_URL` and `REDIS_URL` name servers that may be written to.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
os.environ["GAUNTLET_LOG_LEVEL"] = "ERROR"

import django

django.setup()

from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from core.clock import now_ms
from games import store
from games.models import Match
from games.ratings.services import ratings_rebuild
from games.rulesets import REGISTRY
from games.services.matches import match_start, record_import
from games.services.turns import match_submit
from games.tasks import sweep as sweep_matches
from tournaments.models import Season

WARM = 20


def turns(game: str, count: str, matches: str, seed: str) -> dict[str, Any]:
    """Play so many turns, at random, in so many matches at the same time, through the service that
    sockets call; a match that has ended is followed by another one."""
    source = random.Random(int(seed))
    ruleset = REGISTRY.get(game)
    users = [User.objects.create_user(f"scale-{seed}-{seat}") for seat in (0, 1)]

    def begun() -> int:
        match = match_start(
            acting_user=None,
            players=(users[0], users[1]),
            ruleset_id=ruleset.id,
            variant=ruleset.variants[0].id,
            advantage=0,
        )
        return match.pk

    on = [begun() for _ in range(int(matches))]
    ended = 0
    started, worked = time.perf_counter(), time.process_time()
    for number in range(int(count)):
        place = number % len(on)
        held = store.read(on[place])
        if held.is_over:
            on[place] = begun()
            held = store.read(on[place])
            ended += 1
        table = held.live.table
        seat, opened = next(
            (seat, each)
            for seat, each in enumerate(table.open)
            if each and not table.holds_back(1 if seat else 0)
        )
        move = ruleset.sample(table.state, opened.decision, source.random)
        match_submit(
            match_id=held.match_id,
            seat=1 if seat else 0,
            acting_user=users[seat],
            client_id=f"scale-{number}",
            text=ruleset.print(move),
            version=held.readers.versions[seat],
            at=now_ms(),
        )
    return {
        "turns": int(count),
        "ended": ended,
        "seconds": time.perf_counter() - started,
        "cpu_ms": 1000 * (time.process_time() - worked) / int(count),
    }


def sweep(times: str) -> dict[str, Any]:
    """What the sweep of deadlines asks, and what it takes of this process."""
    sweep_matches()
    started, worked = time.perf_counter(), time.process_time()
    with CaptureQueriesContext(connection) as captured:
        for _ in range(int(times)):
            sweep_matches()
    return {
        "running": Match.objects.running().count(),
        "queries": len(captured) / int(times),
        "ms": 1000 * (time.perf_counter() - started) / int(times),
        "cpu_ms": 1000 * (time.process_time() - worked) / int(times),
    }


def pages(contestants: str, results: str, players: str) -> dict[str, Any]:
    """What pages ask, take and weigh: the first time, with nothing kept, and once more."""
    import leaderboard_app  # noqa: PLC0415  (sets Django up as well)

    call_command("migrate", verbosity=0)
    leaderboard_app.fill(int(results), int(players))
    ratings_rebuild()
    organiser = User.objects.create_superuser("scale-organiser")
    call_command(
        "simulate_season",
        contestants=int(contestants),
        organiser=organiser.username,
        quick=True,
        stdout=sys.stderr,
    )
    season = Season.objects.get()
    record = longest_record()
    match = record_import(acting_user=organiser, data=record)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    moves = len(json.loads(record)["moves"])
    addresses = {
        f"season page, {contestants} contestants": season.get_absolute_url(),
        f"its standings, {contestants} contestants": f"{season.get_absolute_url()}standings/",
        f"leaderboard, {players} players": "/leaderboards/",
        f"replay of {moves} moves, page": f"/matches/{match.pk}/replay/",
        f"record of {moves} moves": f"/matches/{match.pk}/record.dmr.json",
    }
    client = Client()
    client.get("/rules/")
    return {name: answer(client, address) for name, address in addresses.items()}


def answer(client: Client, address: str) -> dict[str, Any]:
    """Queries, milliseconds and bytes of one answer, within the process, middleware included."""
    get = partial(client.get, address)
    get()  # imports and templates
    cache.clear()
    response, first = timed(get)
    if response.status_code != 200:
        raise SystemExit(f"{address} answers {response.status_code}")
    warm = queries_of(get)
    cache.clear()
    cold = queries_of(get)
    again = [timed(get)[1] for _ in range(WARM)]
    return {
        "queries": cold,
        "ms": first,
        "queries again": warm,
        "ms again": statistics.median(again),
        "bytes": len(response.content),
    }


def queries_of(call: Callable[[], Any]) -> int:
    """How many queries a call makes."""
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)  # now: the next request empties the log


def longest_record() -> bytes:
    """The longest of the recorded matches that tests go through."""
    records = [path.read_bytes() for path in (ROOT / "tests/playthroughs").glob("*.dmr.json")]
    return max(records, key=lambda record: len(json.loads(record)["moves"]))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and how many milliseconds it took."""
    started = time.perf_counter()
    returned = call()
    return returned, 1000 * (time.perf_counter() - started)


if __name__ == "__main__":
    parts: dict[str, Callable[..., dict[str, Any]]] = {
        "turns": turns,
        "sweep": sweep,
        "pages": pages,
    }
    part, *given = sys.argv[1:]
    print(json.dumps(parts[part](*given)))
