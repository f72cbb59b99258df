"""A death match played through Discord's commands by one player and over the API by the other, and
what the bot says of it from the pairing to the end."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from django.test import Client

from tests.discord.support import labels
from tests.games.support import SECOND, Play, committing
from tests.posts.support import Told, content, description
from tests.tournaments.support import START, begun
from tournaments.discord.fake.held import Message
from tournaments.discord.fake.schemas import LATER
from tournaments.models import DiscordPost

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_one_plays_here_and_one_there_and_all_are_told(
    told: Told, set_clock: Callable[[int], None]
) -> None:
    rng = random.Random(11)
    set_clock(0)
    stage, guild = told.stage, told.guild
    told.connect(mentions=True, roles=told.roles)
    told.want_mentions()
    told.say()
    told.give()
    # Before it begins: the round, the head with its thread, and whoever plays has the role.
    assert f"<#{told.thread.id}>" in told.shown("round").body["embeds"][0]["description"]
    assert told.has(guild.ada.id) == told.has(guild.ben.id) == {told.plays}

    leg = begun(stage.orla, stage.death_match, at=START)
    assert leg.match is not None
    play = Play(leg.match, (stage.ada, stage.ben), rng.random)
    told.say()
    board = told.shown("match")
    assert board.channel == told.thread.id
    assert "It is on." in content(told.shown("thread"))

    # Both are away for a while, and reminded.
    set_clock(31 * SECOND)
    play.wake(31 * SECOND)
    told.say()
    (reminder,) = (each for each in told.in_thread() if "of the turn left" in content(each))
    assert f"<@{guild.ada.id}>" in content(reminder)
    seen = _played(told, play, rng, set_clock)
    told.say()
    _must_have_ended_well(told, board, seen)
    for message in told.fake.messages.values():
        assert not message.body.get("allowed_mentions", {}).get("users", [])


def _played(told: Told, play: Play, rng: random.Random, set_clock: Callable[[int], None]) -> int:
    """Play it to the end: Ada there, Ben here; returns how many positions were looked at."""
    there = Client()
    there.force_login(told.stage.ben)
    at, seen = 32 * SECOND, 0
    for number in itertools.count():
        if play.match.is_over:
            return seen
        at += SECOND
        set_clock(at)
        table = play.held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        text = play.random_move(seat, rng.random)
        if seat == 0:
            answer = told.guild.ada.command("move", text=text)
            assert answer.body == {"type": LATER, "data": {"flags": 64}}, (text, answer.content)
            told.guild.workers.handed.clear()
        else:
            _submit(there, play, text, number)
        # Pictures take long to draw: a few of them will do.
        if number in {2, 6, 9}:
            told.say()
            seen += 1
            assert told.post("match").version == play.versions[2]
            assert "The turn ends <t:" in description(told.shown("match"))
    raise AssertionError


def _must_have_ended_well(told: Told, board: Message, seen: int) -> None:
    """There is one message for the whole match, which shows its end; the result; all is said, once,
    and put away."""
    assert told.shown("match") is board
    versions = [str(version["embeds"]) for version in board.versions]
    assert len(set(versions)) == len(versions) >= seen + 2
    assert labels(board) == ["Open the replay"]
    result = next(each for each in told.in_thread() if " wins against " in content(each))
    assert result.files["board.png"]
    assert told.is_put_away()
    winner = content(result).split(" wins")[0].removeprefix("**")
    assert f"**{winner}** won" in content(told.shown("thread"))
    assert f"**{winner}** won" in description(told.shown("round"))
    assert not DiscordPost.objects.exclude(status="done").exists()
    # The reminder is gone, as its turn is over.
    assert DiscordPost.objects.get(kind="clock").message_id == ""
    assert len(told.fake.messages) == DiscordPost.objects.count() - 1
    assert {each.status for each in told.fake.requests} <= {200, 201, 204}


def _submit(client: Client, play: Play, text: str, number: int) -> None:
    with committing():
        answer = client.post(
            f"/api/v1/matches/{play.pk}/submissions/",
            {"id": f"b-{number}", "text": text, "version": play.versions[1]},
            content_type="application/json",
        )
    assert answer.status_code == 201, answer.content
