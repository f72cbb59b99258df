"""The part of `leaderboard.py` that runs within Django: fills the database and measures.

    python benchmarks/leaderboard_app.py RESULTS PLAYERS

Prints one JSON object. `DATABASE_URL` and `REDIS_URL` name servers that may be written to.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

import django

django.setup()

import structlog
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import User
from core.clock import now_utc
from games.models import Match, MatchPlayer
from games.ratings import keys
from games.ratings.boards import Wanted, board_page, ladders
from games.ratings.results import first_differences
from games.ratings.services import match_rate, rating_exclude, ratings_rebuild, ratings_repair
from games.rulesets import REGISTRY

RULESETS = tuple(ruleset.id for ruleset in REGISTRY)
REASONS = {ruleset.id: ruleset.reasons[0].id for ruleset in REGISTRY}
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)


def run(results: int, players: int) -> dict[str, Any]:
    """Everything that is measured, by its name."""

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    call_command("migrate", verbosity=0)
    started = time.perf_counter()
    fill(results, players)
    measured: dict[str, Any] = {
        "results": results,
        "players": players,
        "rows inserted, s": round(time.perf_counter() - started, 1),
    }
    measured |= ladders_measured(results)
    measured |= answers_measured()
    return measured


def fill(results: int, players: int) -> None:
    """Insert players of unlike strength and results between those who are near each other."""

    source = random.Random(20)
    skill = [source.gauss(0, 1) for _ in range(players)]

    def matches() -> Iterator[tuple[int, str, int, datetime]]:
        for number in range(1, results + 1):
            ended = BEGAN + timedelta(minutes=5 * number)
            yield number, RULESETS[source.randrange(len(RULESETS))], source.randrange(2), ended

    with connection.cursor() as cursor:
        columns = "id, username, password, email, display_name, time_zone, theme, date_joined"
        flags = "is_superuser, is_staff, is_active, sound_muted"
        extra = [name for name in ("is_bot",) if has_column(cursor, "accounts_user", name)]
        names = ", ".join([columns, flags, *extra])
        with cursor.copy(f"COPY accounts_user ({names}) FROM STDIN") as copy:
            for pk in range(1, players + 1):
                row = (pk, f"player{pk}", "!", "", f"Player {pk}", "", "auto", BEGAN)
                copy.write_row((*row, False, False, True, False, *(pk % 20 == 0 for _ in extra)))
        others = {
            name: default
            for name, default in (
                ("aftermath_due", False),
                ("awaits_ruling", False),
                ("followed", False),
                ("leg", None),
                ("made_good_until", 0),
                ("unrated", ""),
            )
            if has_column(cursor, "games_match", name)
        }
        names = (
            "id, ruleset, variant, options, items, source, status, paused, snapshot, seq, winner,"
            " reason, scores, created_at, finished_at"
        )
        names = ", ".join([names, *others])
        with cursor.copy(f"COPY games_match ({names}) FROM STDIN") as copy:
            for pk, ruleset, winner, ended in matches():
                begun = ended - timedelta(minutes=15)
                reason = REASONS[ruleset]
                copy.write_row(
                    (
                        *(pk, ruleset, "standard", "{}", "[]", "played", "finished", False, "{}"),
                        *(9, winner, reason, "[3, 2]", begun, ended, *others.values()),
                    )
                )
        names = "match_id, seat, user_id, name, missed_end"
        with cursor.copy(f"COPY games_matchplayer ({names}) FROM STDIN") as c:
            for pk, _, winner, _ in matches():
                first = source.randrange(players)
                second = (first + 1 + min(int(source.expovariate(0.01)), players - 2)) % players
                likely = 1 / (1 + math.exp(skill[second] - skill[first]))
                better = 0 if source.random() < likely else 1
                seats = (first, second) if better == winner else (second, first)
                for seat, user in enumerate(seats):
                    c.write_row((pk, seat, user + 1, f"Player {user + 1}", False))
        for table in ("accounts_user", "games_match"):
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id))"  # noqa: S608
                f" FROM {table}"
            )
        cursor.execute("ANALYZE")


def has_column(cursor: Any, table: str, column: str) -> bool:
    """Whether the schema has this column: it grows, and bare rows must fit."""
    cursor.execute(
        "SELECT 1 FROM information_schema.columns WHERE table_name = %s AND column_name = %s",
        (table, column),
    )
    return cursor.fetchone() is not None


def ladders_measured(results: int) -> dict[str, Any]:
    """What it takes to keep the ladders."""

    _, full = timed(ratings_rebuild)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    fresh = [another_result(number) for number in range(50)]
    each = [timed(partial(match_rate, match_id=pk))[1] for pk in fresh]
    again = [timed(partial(match_rate, match_id=pk))[1] for pk in fresh]
    ever = datetime(1970, 1, 1, tzinfo=UTC)
    found, whole = timed(lambda: first_differences(ever))
    check(not found, f"a rebuild left something out: {found}")
    _, recent = timed(lambda: first_differences(now_utc() - timedelta(days=2)))
    rating_exclude(match_id=results // 2, acting_user=None, why="a benchmark")
    _, void = timed(lambda: match_rate(match_id=results // 2))
    check(not ratings_repair(), "a void result left something behind")
    check(Match.objects.count() == results + 50, "matches are missing")
    return {
        "all ladders from nothing, s": round(full, 2),
        "  results a second (two ladders each)": round(results / full),
        "one more result, ms (median)": ms(statistics.median(each)),
        "one more result, ms (slowest of 50)": ms(max(each)),
        "a result that is known already, ms (median)": ms(statistics.median(again)),
        "look for missed results: all, ms": ms(whole),
        "look for missed results: two days, ms": ms(recent),
        "void a result half way back, s": round(void, 2),
    }


def another_result(number: int) -> int:
    """One more match, a second after the one before."""

    ruleset = RULESETS[number % len(RULESETS)]
    match = Match.objects.create(
        ruleset=ruleset,
        variant="standard",
        snapshot="{}",
        status="finished",
        winner=0,
        reason=REASONS[ruleset],
        scores=[3, 2],
        finished_at=datetime.now(UTC) + timedelta(seconds=number),
    )
    for seat, user in enumerate(User.objects.order_by("?")[:2]):
        MatchPlayer.objects.create(match=match, seat=seat, user=user, name=user.shown_name)
    return match.pk


def answers_measured() -> dict[str, Any]:
    """What it takes to answer, in ms: the first time, from the cache (median of 100), and where
    nothing is new."""

    deep = board_page("overall", Wanted(), size=2000).after
    addresses = {
        "page": "/leaderboards/",
        "page of a game": f"/leaderboards/{RULESETS[0]}/",
        "page, narrowed": "/leaderboards/?games=10&days=365&provisional=hide",
        "page, 2000 players down": f"/leaderboards/?cursor={deep}",
        "API, JSON": "/api/v1/leaderboards/overall/",
        "API, CSV": "/api/v1/leaderboards/overall/?format=csv",
        "API, NDJSON of 200": "/api/v1/leaderboards/overall/?format=ndjson&limit=200",
    }
    client = Client()
    client.get("/rules/")
    measured: dict[str, Any] = {}
    for name, address in addresses.items():
        get = partial(client.get, address)
        get()
        for ladder, _ in ladders():
            keys.ladder_changed(ladder)
        response, cold = timed(get)
        check(response.status_code == 200, f"{address} answers {response.status_code}")
        warm = [timed(get)[1] for _ in range(100)]
        again = partial(get, HTTP_IF_NONE_MATCH=response["ETag"])
        not_new = [timed(again)[1] for _ in range(10)]
        status = again().status_code
        measured[f"{name}: cold / cached / {status}, ms"] = (
            f"{ms(cold)} / {ms(statistics.median(warm))} / {ms(statistics.median(not_new))}"
        )
        # Also what counts the requests of this minute, which are limited.
        cache.clear()
    return measured


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and how long it took in seconds."""
    started = time.perf_counter()
    returned = call()
    return returned, time.perf_counter() - started


def ms(seconds: float) -> float:
    """Seconds as milliseconds, rounded."""
    return round(seconds * 1000, 2)


def check(holds: bool, words: str) -> None:
    """Stop where something is not as it must be: its figures would be worth nothing."""
    if not holds:
        raise SystemExit(words)


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]))))
