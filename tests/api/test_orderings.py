"""Every list in every order and every size of page: each row once. Every order with every size only
in a whole run."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.blocking.services import block_create
from accounts.models import Block, User
from games.models import Challenge, HostedMatch, Match
from games.puzzles.models import Puzzle
from games.services.challenges import challenge_create
from tests.api.schema import Operation, operations
from tests.api.test_schema import holder
from tests.games.support import user_named
from tests.support import depth
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    Round,
    Season,
    SeasonEvent,
    SeasonFollow,
)
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db

COPIES = 7
AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
LISTS = {
    str(operation.described["operationId"]): operation
    for operation in operations()
    if operation.method == "get"
    and any(each["name"] == "ordering" for each in operation.described.get("parameters", []))
}


def tied(number: int) -> datetime:
    """A moment that some rows share."""
    return AT + timedelta(seconds=number // 3)


def perhaps(number: int) -> datetime | None:
    """A moment, or none."""
    return tied(number) if number % 2 else None


def over(number: int) -> dict[str, Any]:
    ended = perhaps(number)
    if ended is None:
        return {"created_at": tied(number), "status": "running", "finished_at": None}
    return {
        "created_at": tied(number), "status": "finished", "finished_at": ended, "winner": None,
        "reason": "ruling", "deadline_at": None, "wake_at": None, "sweep_at": None,
    }  # fmt: skip


# By list: the model, and what the copies of one of its rows differ in.
ROWS: dict[str, tuple[type[Any], Callable[[int], dict[str, Any]]]] = {
    "users": (User, lambda n: {"username": f"user-{n}", "date_joined": tied(n)}),
    "blocks": (Block, lambda n: {"blocked": user_named(f"blocked-{n}"), "at": tied(n)}),
    "matches": (Match, over),
    "challenges": (Challenge, lambda n: {"created_at": tied(n)}),
    "hosted_matches": (HostedMatch, lambda n: {"created_at": tied(n)}),
    "seasons": (
        Season,
        lambda n: {
            "slug": f"copy-{n}", "uid": uuid.uuid4(), "name": f"Name {n // 3}",
            "created_at": tied(n), "changed_at": tied(n), "started_at": perhaps(n),
            "status": "running" if perhaps(n) else "enrolling", "visibility": "listed",
            "finished_at": None,
        },
    ),
    "follows": (
        SeasonFollow,
        lambda n: {"season": Season.objects.get(slug=f"copy-{n}"), "at": tied(n)},
    ),
    "season_contestants": (
        Contestant,
        lambda n: {
            "user": None, "name": f"Name {n // 3}", "status": "active",
            "seed": 100 + n if n % 2 else None, "place": n // 3 + 1 if n % 4 else None,
        },
    ),
    "season_rounds": (Round, lambda n: {"number": 100 + n, "is_final": False}),
    "death_matches": (
        DeathMatch,
        lambda n: {
            "number": 100 + n, "key": f"k{n}", "decided_at": perhaps(n), "why": "Because.",
            "status": "decided" if perhaps(n) else "planned", "how": "ruling" if n % 2 else "",
        },
    ),
    "season_items": (Gift, lambda n: {"given_at": tied(n)}),
    "season_events": (SeasonEvent, lambda n: {"at": tied(n)}),
    "puzzles": (Puzzle, lambda n: {"key": f"copy-{n}", "mu": 25.0 + n // 3}),
    "webhooks": (Webhook, lambda n: {"name": f"hook {n}"}),
    "webhook_deliveries": (Delivery, lambda n: {"uid": uuid.uuid4(), "status": "abandoned"}),
}  # fmt: skip


def copied(name: str) -> None:
    """More rows for a list, with what is missing and what is shared: the fewest in which, by every
    ordering, two neighbours share a value, two do not, two have none, and one of two has."""
    model, differing = ROWS[name]
    made = []
    for number in range(COPIES):
        row = model.objects.order_by("pk")[0]
        row.pk, row._state.adding = None, True
        for field, value in differing(number).items():
            setattr(row, field, value)
        if model is DeathMatch:
            row.winner_id = row.home_id if row.decided_at else None
        made.append(row)
    model.objects.bulk_create(made)


def told(page: dict[str, Any]) -> list[str]:
    """The rows of a page, as text."""
    return [repr(sorted(row.items())) for row in page["results"]]


def pages(client: Client, address: str) -> list[dict[str, Any]]:
    """Every page from the first on, by following `next`."""
    found: list[dict[str, Any]] = []
    following = address
    while following:
        answer = client.get(following)
        assert answer.status_code == 200, answer.content
        found.append(answer.json())
        following = found[-1]["next"]
        assert len(found) < 100
    return found


def backwards(client: Client, last: dict[str, Any]) -> list[str]:
    """All rows, from the last page back to the first by following `previous`."""
    rows, before = told(last), last["previous"]
    while before:
        page = client.get(before).json()
        rows, before = told(page) + rows, page["previous"]
    return rows


def addressed(operation: Operation, world: dict[str, Any]) -> str:
    return operation.address(**{name: found[0] for name, found in world.items()})


# How long before its commit a row got its moment, which may be before the first page was read.
@pytest.mark.parametrize("ago", [0, 1, 300], ids="{} s".format)
def test_a_row_whose_moment_comes_while_somebody_reads_is_not_jumped_over(
    world: dict[str, Any], ada: User, ago: int
) -> None:
    """By `-finished_at` a match that ends would stand ahead of whoever reads page by page."""
    client = holder(ada, "read", "organise")
    ending: list[tuple[str, Any, dict[str, Any]]] = [
        (
            "matches",
            "-finished_at",
            {
                "status": "finished",
                "reason": "ruling",
                "deadline_at": None,
                "wake_at": None,
                "sweep_at": None,
            },
        ),
        ("death_matches", "-decided_at", {"status": "decided", "how": "ruling", "why": "So."}),
        ("seasons", "-started_at", {"status": "running"}),
        ("seasons", "-changed_at", {}),
    ]
    # Matches of tests are far from now: one that ends now would be older than they are.
    Match.objects.filter(finished_at__isnull=False).update(finished_at=AT)
    for name in ("matches", "death_matches", "seasons"):
        copied(name)
    for name, ordering, changes in ending:
        model, field = ROWS[name][0], ordering.removeprefix("-")
        address = f"{addressed(LISTS[name], world)}?ordering={ordering}&limit=2"
        everything = {row["links"]["view"] for row in whole(client, name, world)}
        seen: list[str] = []
        following: str | None = address
        number = 0
        while following:
            page = client.get(following).json()
            seen += [row["links"]["view"] for row in page["results"]]
            following, number = page["next"], number + 1
            if number == 2:  # somebody who reads is on the second page when it happens
                waiting = model.objects.order_by("-pk")
                if field != "changed_at":
                    waiting = waiting.filter(**{f"{field}__isnull": True})
                row = waiting[0] if name != "matches" else waiting.filter(status="running")[0]
                won = {"winner_id": row.home_id} if model is DeathMatch else {}
                then = timezone.now() - timedelta(seconds=ago)
                model.objects.filter(pk=row.pk).update(**changes, **won, **{field: then})
        assert set(seen) == everything, (name, ordering)
        # What changed anew, having been seen, may come once more; nothing else comes twice.
        assert len(seen) - len(everything) in ((0, 1) if field == "changed_at" else (0,)), name


def whole(client: Client, name: str, world: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.get(f"{addressed(LISTS[name], world)}?limit=200")
    rows: list[dict[str, Any]] = answer.json()["results"]
    return rows


def test_every_list_gives_every_row_once(world: dict[str, Any], ada: User) -> None:
    """On pages of one row a page begins after each row that there is; pages of more are read on to
    the last one and back from it to the first."""
    assert set(LISTS) == set(ROWS)
    challenge_create(acting_user=ada, ruleset_id="tetronogo", variant="standard")
    block_create(acting_user=ada, user=user_named("dora"))
    SeasonFollow.objects.create(season=Season.objects.order_by("pk")[0], user=ada)
    client = holder(ada, "read", "organise")
    for name in ROWS:
        copied(name)
    orders: list[tuple[str, str]] = []
    rows: dict[tuple[str, str], list[str]] = {}
    for name, operation in LISTS.items():
        (ordered,) = (e for e in operation.described["parameters"] if e["name"] == "ordering")
        address = addressed(operation, world)
        (everything,) = pages(client, f"{address}?limit=200")
        whole = set(told(everything))
        assert len(whole) > COPIES, name
        for ordering in ordered["schema"]["enum"]:
            (page,) = pages(client, f"{address}?ordering={ordering}&limit=200")
            orders.append((name, ordering))
            rows[name, ordering] = told(page)
            assert set(told(page)) == whole, (name, ordering)
    # Three sizes: orders come in pairs, up and down.
    for (name, ordering), limit in depth.covering(orders, (1, 2, 3)):
        address, at_once = addressed(LISTS[name], world), rows[name, ordering]
        found = pages(client, f"{address}?ordering={ordering}&limit={limit}")
        assert [row for page in found for row in told(page)] == at_once, (name, ordering, limit)
        assert all(len(told(page)) == limit for page in found[:-1]), (name, ordering)
        if limit > 1:
            assert backwards(client, found[-1]) == at_once, (name, ordering)
