"""Things to find by the parameters of addresses, made anew for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from games.puzzles.models import Puzzle
from games.puzzles.services import puzzles_load
from games.services.hosting import hosted_create
from tests.games.support import Play, started
from tests.tournaments.support import GAME
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.main_match import Placing, placements_record
from tournaments.models import Episode
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.items.gifts import item_give
from tournaments.services.seasons import season_create, season_list
from tournaments.services.starts import season_start
from tournaments.webhooks.services import webhook_create, webhook_test


@pytest.fixture
def world(play: Play, ada: User, ben: User, cleo: User) -> Iterator[dict[str, Any]]:
    """Things to find by the parameters of addresses: two matches, and two seasons that Ada runs,
    one of which is on. Connections that requests leave open stay open."""
    over = started((ada, cleo))
    over.move(0, "concede", 1)
    role_grant(acting_user=User.objects.create_superuser("root"), user=ada, role=Role.ORGANISER)
    played, draft = (
        season_create(
            acting_user=ada, name=name, format="elimination", settings={"repertoire": [GAME]}
        )
        for name in ("Played", "Draft")
    )
    played = season_list(acting_user=ada, season=played)
    entered = [
        contestant_enrol(acting_user=ada, season=played, user=user) for user in (ada, ben, cleo)
    ]
    played = season_start(acting_user=ada, season=played)
    first = Episode.objects.get(round__season=played)
    placements = [Placing(each, place, False) for place, each in enumerate(entered, start=1)]
    first = placements_record(acting_user=ada, episode=first, placements=placements)
    met = dmo_choose(acting_user=ada, episode=first, contestant=entered[1])
    gift = item_give(acting_user=ada, season=played, item="copy", receiver=entered[1])
    webhook = webhook_create(
        acting_user=ada, season=played, name="w", url="http://127.0.0.1:9/", flavour="json",
        kinds=["ruling"],
    ).webhook  # fmt: skip
    delivery = webhook_test(acting_user=ada, webhook=webhook)
    hosted = hosted_create(
        acting_user=ada, first=ben, second=cleo, ruleset_id="tetronogo", variant="standard"
    )
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    puzzles_load()
    yield {
        "match_id": [play.pk, over.pk],
        "puzzle_id": [Puzzle.objects.filter(ruleset="domino-wars").earliest("pk").pk],
        "username": ["ada", "nobody"],
        "ruleset_id": ["domain", "chess"],
        "variant_id": ["standard", "chess"],
        "ruleset": ["tetronogo"],
        "ladder": ["overall", "domain"],
        "slug": [played.slug, draft.slug],
        "number": [1, 2],
        "death_match_id": [met.pk],
        "contestant_id": [each.pk for each in entered],
        "gift_id": [gift.pk],
        "webhook_id": [webhook.pk],
        "delivery_id": [delivery.pk],
        "hosted_id": [hosted.pk],
    }
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
