"""The part of `pictures.py` that runs within Django: plays matches and measures.

    python benchmarks/pictures_app.py --fill
    python benchmarks/pictures_app.py WORKER

Prints one JSON object. `DATABASE_URL` and `REDIS_URL` name servers that may be written to; WORKER
is the process id of a worker of theirs.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(os.environ.get("GAUNTLET_BENCHMARK_OF", "") or Path(__file__).resolve().parent.parent)
sys.path.insert(0, str(ROOT))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.test import Client
from processor import seconds_of

from accounts.models import User
from core.clock import now_ms
from games import store
from games.models import Match
from games.rulesets import REGISTRY
from games.services.matches import match_start
from games.services.turns import match_submit

MATCHES = 20
MOVES = 12
ROUNDS = 3
PICTURES = ("board.svg", "board.png", "share.png")


def fill() -> None:
    """Play matches of all games by turns, a dozen moves at random each."""
    call_command("migrate", verbosity=0)
    chance = random.Random(13).random
    games = list(REGISTRY)
    for number in range(MATCHES):
        players = tuple(User.objects.create_user(f"player-{number}-{seat}") for seat in (0, 1))
        ruleset = games[number % len(games)]
        match = match_start(
            acting_user=players[0],
            players=(players[0], players[1]),
            ruleset_id=ruleset.id,
            variant=ruleset.variants[0].id,
            advantage=0,
            random=chance,
        )
        for move in range(MOVES):
            held = store.read(match.pk)
            table = held.live.table
            open_to = [
                (seat, slot)
                for seat, slot in enumerate(table.open)
                if slot is not None and not table.holds_back(1 if seat else 0)
            ]
            if held.is_over or not open_to:
                break
            seat, slot = open_to[0]
            match_submit(
                match_id=match.pk,
                seat=1 if seat else 0,
                acting_user=players[seat],
                client_id=f"move-{move}",
                text=ruleset.print(ruleset.sample(table.state, slot.decision, chance)),
                version=held.readers.versions[seat],
                at=now_ms(),
                random=chance,
            )


def measure(worker: int) -> dict[str, list[float]]:
    """For each kind of picture: processor time in ms for all matches together, of this process for
    what is drawn anew, kept and known to the reader, and of the worker for what is drawn anew."""
    numbers = list(Match.objects.order_by("pk").values_list("pk", flat=True))
    client = Client()
    found = {}
    for name in PICTURES:
        addresses = [f"/matches/{number}/{name}" for number in numbers]
        client.get(addresses[0])
        spent: list[list[float]] = []
        for _ in range(ROUNDS):
            settings.RELEASE = str(time.time_ns())  # whatever is kept, another has made
            theirs = seconds_of(worker)
            anew, tags = asked(client, addresses)
            theirs = 1000 * (seconds_of(worker) - theirs)
            kept, _ = asked(client, addresses)
            known, _ = asked(client, addresses, tags)
            spent.append([anew, kept, known, theirs])
        found[name] = [round(statistics.median(each), 1) for each in zip(*spent, strict=True)]
    return found


def asked(
    client: Client, addresses: list[str], tags: list[str] | None = None
) -> tuple[float, list[str]]:
    """Processor time in ms of asking for all of these, by a reader who has what goes by the tags;
    and the tags of the answers."""
    headers = [{"If-None-Match": tag} for tag in tags] if tags else [{} for _ in addresses]
    began, answers = time.process_time(), []
    for address, header in zip(addresses, headers, strict=True):
        answers.append(client.get(address, headers=header))
    spent = 1000 * (time.process_time() - began)
    if {answer.status_code for answer in answers} != {304 if tags else 200}:
        raise RuntimeError([answer.status_code for answer in answers])
    return spent, [answer.headers["ETag"] for answer in answers]


if __name__ == "__main__":
    if "--fill" in sys.argv:
        fill()
    else:
        print(json.dumps(measure(int(sys.argv[1]))))
