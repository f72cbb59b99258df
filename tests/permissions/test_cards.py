"""Lists are made once and shared: whoever asks, after whomever, gets what is theirs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache

from games.services.challenges import challenge_create
from tests.permissions.world import BECOME, Savepoint, Who, World

pytestmark = pytest.mark.django_db


def _told(world: World, who: Who, address: str) -> tuple[int, bytes]:
    answer = world.clients[who].get(address, headers={"X-Fragment": "live"})
    plain = re.sub(rb'(name="csrfmiddlewaretoken" value=)"[^"]*"', rb"\1", answer.content)
    return answer.status_code, plain


@pytest.mark.parametrize("address", ["/", "/lobby/", "/watch/"])
def test_nobody_gets_what_was_made_for_somebody_else(address: str, world: World) -> None:
    scene = world.scene("running")
    with Savepoint():
        # Of everybody's, so that each has some of their own to leave out; and one by name.
        for name in ("paul", "player1", "player3", "orla", "mona", "robby"):
            user = world.users[name]
            more: dict[str, Any] = {
                "ruleset_id": "tetronogo",
                "variant": "standard",
                "message": f"by {name}",
            }
            challenge_create(acting_user=user, **more)
        challenge_create(
            acting_user=world.users["orla"], opponent=world.users["player1"],
            ruleset_id="tetronogo", variant="standard", message="between us",
        )  # fmt: skip
        alone = {}
        for who in Who:
            with Savepoint():
                if who in BECOME:
                    world.become(who, scene)
                cache.clear()
                alone[who] = _told(world, who, address)
                assert alone[who][0] == 200
        assert len(set(alone.values())) > (1 if address != "/watch/" else 0)
        for order in (list(Who), list(reversed(Who))):
            cache.clear()
            for who in order:
                with Savepoint():
                    if who in BECOME:
                        world.become(who, scene)
                    assert _told(world, who, address) == alone[who], who
