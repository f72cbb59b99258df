"""Those who follow a season, and whoever reads its feed, hear nothing that is a secret: what is
brought before a match begins, what happens in one that spectators see late, what is hidden."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from accounts.models import Announcement, User
from games.services.turns import match_submit
from tests.games.support import committing, user_named
from tests.support.workers import Workers
from tests.tournaments.support import (
    START,
    WARS,
    account,
    after,
    begun,
    chosen,
    leg_of,
    organiser_named,
    running,
    who,
)
from tournaments import tasks
from tournaments.jobs import ANNOUNCE_EVENT
from tournaments.models import Season
from tournaments.services.follows import season_follow
from tournaments.services.items.declarations import item_declare
from tournaments.services.items.gifts import item_give
from tournaments.services.ledger.acts import ledger_give
from tournaments.services.legs import ms
from tournaments.services.scheduling.appointments import leg_schedule

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_once(workers: Workers) -> None:
    """Whoever is told something has it by the end of the act."""
    workers.at_once[ANNOUNCE_EVENT] = tasks.announce_event


@pytest.fixture
def orla(db: None) -> User:
    return organiser_named("orla")


@pytest.fixture
def fan(db: None) -> User:
    return user_named("fan")


def told(fan: User, season: Season) -> list[Any]:
    """All that a follower has been told, and the feed."""
    own = Announcement.objects.filter(user=fan).order_by("pk")
    # Events are numbered, and a secret one may not leave a gap either.
    first = season.events.order_by("pk")[0].pk
    rows = [
        (row.kind, int(row.key.removeprefix("season:")) - first, row.subject, row.words)
        for row in own
    ]
    cache.clear()
    answer = Client().get(f"/seasons/{season.slug}/feed.atom")
    return [*rows, answer.content, answer["ETag"]]


def twins(
    fan: User, season: Season, secret: Callable[[], object], then: Callable[[], object]
) -> tuple[list[Any], list[Any]]:
    """What is told of what comes then, with the secret before it and without."""
    found = []
    for with_it in (True, False):
        with transaction.atomic():
            if with_it:
                with committing():
                    secret()
            with committing():
                then()
            found.append(told(fan, season))
            transaction.set_rollback(True)
    return found[0], found[1]


def test_what_somebody_brings_is_told_to_nobody_before_it_begins(orla: User, fan: User) -> None:
    season = running(orla, 4, repertoire=[WARS])
    meeting = chosen(orla, season, ec=1, dmo=2)
    gift = item_give(
        acting_user=orla, season=season, receiver=who(season, 1), item="domino-repeat",
        ruleset="domino-wars", at=START,
    )  # fmt: skip
    season_follow(acting_user=fan, season=season, at=START)

    def bring() -> None:
        item_declare(
            acting_user=account(season, 1), leg=leg_of(meeting), gift=gift, at=after(minutes=1)
        )

    def then() -> None:
        leg_schedule(
            acting_user=orla, leg=leg_of(meeting), scheduled_at=after(hours=9), at=after(minutes=2)
        )

    one, other = twins(fan, season, bring, then)
    assert _numberless(one) == _numberless(other)
    assert any(row[0] == "follow.time" for row in one[:-2])


def test_a_secret_payment_is_told_to_nobody_who_follows(orla: User, fan: User) -> None:
    season = running(
        orla, 4, trade={"currency": True, "start": 3, "payments": "secret", "hidden": True}
    )
    meeting = chosen(orla, season, ec=1, dmo=2)
    season_follow(acting_user=fan, season=season, at=START)

    def pay() -> None:
        ledger_give(
            acting_user=account(season, 3), season=season, payee=who(season, 4), amount=1,
            secret=True, note="between us", at=after(minutes=1),
        )  # fmt: skip

    def then() -> None:
        leg_schedule(
            acting_user=orla, leg=leg_of(meeting), scheduled_at=after(hours=9), at=after(minutes=2)
        )

    one, other = twins(fan, season, pay, then)
    assert _numberless(one) == _numberless(other)
    assert any(row[0] == "follow.time" for row in one[:-2])


def _numberless(found: list[Any]) -> list[Any]:
    """Without the ids of entries: rows that are taken back leave gaps in the numbering."""
    *rows, feed, _etag = found
    bare = re.sub(rb"urn:uuid:[0-9a-f-]+", b"", feed)
    return [*((kind, subject, words) for kind, _n, subject, words in rows), bare]


def test_of_a_match_that_is_seen_late_only_that_it_is_on(orla: User, fan: User) -> None:
    season = running(orla, 4, late_s=300)
    meeting = chosen(orla, season, ec=1, dmo=2)
    season_follow(acting_user=fan, season=season, at=START)
    at = after(minutes=1)
    with time_machine.travel(at, tick=False):
        with committing():
            leg = begun(orla, meeting, at=at)
        (row,) = Announcement.objects.filter(user=fan)
        assert row.kind == "follow.live"
        assert "Spectators see it 5 minutes late." in row.words
        before = told(fan, season)
        with committing():
            match_submit(
                acting_user=account(season, 1), match_id=leg.match_id or 0, seat=0, text="pick T",
                client_id="one", version=1, at=ms(at + timedelta(seconds=1)),
            )  # fmt: skip
        assert told(fan, season) == before
