"""A match played wholly through Discord by one player and over the API by the other."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from games.rulesets import REGISTRY
from tests.discord.support import Guild, description, plain
from tests.games.support import SECOND, Play, committing, record_holds, started
from tournaments.discord.fake.schemas import LATER

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_one_plays_here_and_one_there(
    ruleset: str, guild: Guild, ada: User, ben: User, set_clock: Callable[[int], None]
) -> None:
    rng = random.Random(11)
    set_clock(0)
    play = started((ada, ben), ruleset, random=rng.random)
    there = Client()
    there.force_login(ben)
    at, seen = 0, 0
    for number in itertools.count():
        if play.match.is_over:
            break
        at += SECOND
        set_clock(at)
        table = play.held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        text = play.random_move(seat, rng.random)
        if seat == 1:
            _submit(there, play, text, number)
            continue
        answer = guild.ada.command("move", text=text)
        assert answer.body == {"type": LATER, "data": {"flags": 64}}, (text, answer.content)
        # Pictures take long to draw: a few of them will do.
        if seen < 3:
            seen += 1
            message = guild.finished(answer)
            assert plain(message.body["content"]) == f"Submitted: {text}"
            assert "board.png" in message.files or play.held.live.table.state is None
        guild.workers.handed.clear()
    record = record_holds(play.match)
    assert record["seats"]
    over = guild.finished(guild.eve.command("match", match=play.pk))
    (button,) = over.body["components"][0]["components"]
    assert button["label"] == "Open the replay"
    assert description(over)
    assert list(guild.finished(guild.eve.command("record", match=play.pk)).files)


def _submit(client: Client, play: Play, text: str, number: int) -> None:
    with committing():
        answer = client.post(
            f"/api/v1/matches/{play.pk}/submissions/",
            {"id": f"b-{number}", "text": text, "version": play.versions[1]},
            content_type="application/json",
        )
    assert answer.status_code == 201, answer.content
