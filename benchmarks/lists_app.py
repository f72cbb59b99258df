"""The part of `lists.py` that runs within Django: fills the database and measures.

    python benchmarks/lists_app.py MATCHES [--fill]

Prints one JSON object. `DATABASE_URL` and `REDIS_URL` name servers that may be written to.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(os.environ.get("GAUNTLET_BENCHMARK_OF", "") or Path(__file__).resolve().parent.parent)
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

import django

django.setup()

import structlog
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client

from accounts.models import User
from core.clock import now_utc
from games.models import Challenge, Match, MatchPlayer
from games.rulesets import REGISTRY

ALONE = {"X-Fragment": "live"}
ADDRESSES = ("/", "/lobby/", "/watch/")
ROUNDS = 30


def fill(matches: int) -> None:
    """Insert so many matches that are on and as many that are over, as bare rows, and 60 open
    challenges."""
    call_command("migrate", verbosity=0)
    now = now_utc()
    users = User.objects.bulk_create(
        User(username=f"player{number}", display_name=f"Player {number}")
        for number in range(2 * matches)
    )
    ids = [ruleset.id for ruleset in REGISTRY]
    rows = Match.objects.bulk_create(
        Match(
            ruleset=ids[number % len(ids)],
            variant=REGISTRY.get(ids[number % len(ids)]).variants[0].id,
            snapshot="{}" * 2000,
            created_at=now - timedelta(seconds=number),
            **(over(number) if number >= matches else {}),
        )
        for number in range(2 * matches)
    )
    MatchPlayer.objects.bulk_create(
        MatchPlayer(match=match, seat=seat, user=user, name=user.shown_name)
        for number, match in enumerate(rows)
        for seat, user in enumerate((users[number], users[number - 1]))
    )
    Challenge.objects.bulk_create(
        Challenge(
            challenger=users[number],
            ruleset=ids[0],
            variant=REGISTRY.get(ids[0]).variants[0].id,
            message="Anyone for a match?",
            expires_at=now + timedelta(days=1),
        )
        for number in range(60)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def over(number: int) -> dict[str, Any]:
    """What a match that is over has besides."""
    ended = now_utc() - timedelta(seconds=number)
    return {
        "status": "finished",
        "winner": number % 2,
        "reason": "time",
        "scores": [number % 30, 20],
        "finished_at": ended,
    }


def measure() -> dict[str, Any]:
    """Processor time of this process in ms (median) and bytes, for each list and each reader."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    found: dict[str, Any] = {}
    reader = User.objects.get(username="player1500" if User.objects.count() > 1500 else "player99")
    for who in ("nobody", "a player"):
        client = Client()
        if who != "nobody":
            client.force_login(reader, backend="accounts.signin.backends.NameBackend")
        for address in ADDRESSES:
            ask = partial(client.get, address, headers=ALONE)
            anew = cost(ask, before=forget)
            first = ask()
            tag = first.headers.get("ETag", '"none"')
            again = partial(client.get, address, headers={**ALONE, "If-None-Match": tag})
            found[f"{who} {address}"] = {
                "anew": anew,
                "kept": cost(ask),
                "known": cost(again),
                "status": again().status_code,
                "bytes": len(first.content),
                "bytes known": len(again().content),
            }
    return found


def forget() -> None:
    """Have the next reader find nothing kept of lists: another release has made that."""
    settings.RELEASE = str(time.time_ns())


def cost(call: Callable[[], Any], before: Callable[[], Any] = lambda: None) -> float:
    """The median processor time of a call, in ms."""
    spent = []
    for _ in range(ROUNDS):
        before()
        started = time.process_time()
        call()
        spent.append(time.process_time() - started)
    return round(statistics.median(spent) * 1000, 2)


if __name__ == "__main__":
    if "--fill" in sys.argv:
        fill(int(sys.argv[1]))
    else:
        print(json.dumps(measure()))
