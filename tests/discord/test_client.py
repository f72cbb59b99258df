"""Asking Discord: within its limits, whichever process asks, and never for long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as configured
from redis.exceptions import ConnectionError as RedisConnectionError

from core.broker import client as redis_client
from core.broker import forget
from core.discord import client, limits
from core.discord.client import DiscordError, File
from tests.support.logs import written_by
from tournaments.discord.commands import COMMANDS
from tournaments.discord.fake.limits import EVERYTHING, Rate
from tournaments.discord.fake.people import Interactions, Person
from tournaments.discord.fake.server import FakeDiscord, Handler


@pytest.fixture(autouse=True)
def nothing_counted() -> Iterator[None]:
    """No limit is known from another test."""
    forget(redis_client(), f"{configured.REDIS_PREFIX}:discord:")
    yield
    forget(redis_client(), f"{configured.REDIS_PREFIX}:discord:")


@pytest.fixture
def no_waiting(application: FakeDiscord, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time that is waited for passes at once, there and here; what was waited for."""
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        application.skip(seconds)
        redis = redis_client()
        for key in redis.scan_iter(match=f"{configured.REDIS_PREFIX}:discord:*"):
            left = redis.pttl(key)
            if b":left:" in key or b":pause" in key:
                redis.pexpire(key, max(1, int(left - 1000 * seconds)))
        time.sleep(0.002)

    monkeypatch.setattr(client, "_sleep", sleep)
    return waited


COMMAND = [{"name": "move", "description": "Move."}]


def put() -> list[Any]:
    return client.commands_put(COMMAND)


def test_a_call_says_who_asks(application: FakeDiscord) -> None:
    (made,) = put()
    assert made["name"] == "move"
    (asked,) = application.requests
    assert asked.headers["authorization"] == f"Bot {application.bot_token}"
    assert client.commands_get() == [made]


def test_commands_are_put_twice_without_anything_changing(application: FakeDiscord) -> None:
    commands = [each.registered() for each in COMMANDS.values()]
    first = client.commands_put(commands)
    assert client.commands_put(commands) == first


def test_those_of_one_guild(application: FakeDiscord) -> None:
    guild = application.guild()
    client.commands_put(COMMAND, guild=guild.id)
    assert set(application.commands) == {guild.id}
    with pytest.raises(DiscordError) as caught:
        client.commands_put(COMMAND, guild="5")
    assert caught.value.permanent


def test_what_discord_does_not_take_is_not_tried_again(application: FakeDiscord) -> None:
    with pytest.raises(DiscordError) as caught:
        client.commands_put([{"name": "Move", "description": "Move."}])
    assert (caught.value.status, caught.value.code, caught.value.permanent) == (400, 50035, True)
    assert len(application.requests) == 1


def test_what_failed_there_is_tried_again(
    application: FakeDiscord, no_waiting: list[float]
) -> None:
    application.instead = [500, 502]
    assert put()
    assert no_waiting == [0.5, 2.0]


def test_but_not_for_ever(application: FakeDiscord, no_waiting: list[float], settings: Any) -> None:
    settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = 5.0
    application.instead = [500] * 9
    with pytest.raises(DiscordError) as caught:
        put()
    assert not caught.value.permanent
    assert len(application.requests) == 3  # the third pause would be longer than a call may take


def test_a_full_bucket_is_waited_for(application: FakeDiscord, no_waiting: list[float]) -> None:
    application.limits.rates["commands_put"] = Rate(2, 4.0)
    for _ in range(4):
        assert put()
    assert [request.status for request in application.requests] == [200] * 4
    assert len(no_waiting) == 1
    assert 3 < no_waiting[0] <= 4


def test_whichever_process_asks(application: FakeDiscord) -> None:
    """What one has learned of a bucket all others know."""
    application.limits.rates["commands_put"] = Rate(1, 3600.0)
    put()
    with pytest.raises(DiscordError) as caught:
        put()
    assert caught.value.status == 429
    assert len(application.requests) == 1  # Discord was not even asked


def test_another_resource_has_a_bucket_of_its_own(application: FakeDiscord) -> None:
    application.limits.rates["webhook_message_patch"] = Rate(1, 60.0)
    ada = Person(Interactions(application, lambda *_: (200, b'{"type": 5}')), "Ada")
    for _ in range(2):
        token = ada.command("match").token
        assert token is not None
        client.interaction_finish(token.token, {"content": "There."})
    assert [each.status for each in application.requests] == [200, 200]


def test_who_is_told_to_wait_waits(application: FakeDiscord, no_waiting: list[float]) -> None:
    """Others have used it up meanwhile."""
    application.limits.rates["commands_put"] = Rate(1, 3.0)
    application.limits.take("commands_put", application.application)
    assert put()
    assert [each.status for each in application.requests] == [429, 200]
    assert 2 < no_waiting[0] <= 3


def test_all_stop_where_the_whole_application_was_too_fast(
    application: FakeDiscord, no_waiting: list[float]
) -> None:
    for number in range(EVERYTHING.limit):
        application.limits.take("message_post", str(number))
    assert put()
    assert [each.status for each in application.requests] == [429, 200]


def test_no_more_than_so_many_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "now_ms", lambda: 5_000_250)
    turn = limits.Turn.of("PUT /a", "1", counts=True)
    assert [limits.wait_of(turn) for _ in range(limits.A_SECOND)] == [0.0] * limits.A_SECOND
    assert limits.wait_of(turn) == 0.75
    assert not limits.wait_of(limits.Turn.of("PATCH /b", "1", counts=False))


def test_without_redis_discord_says_when_it_is_enough(
    application: FakeDiscord, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> Any:
        raise RedisConnectionError("away")

    monkeypatch.setattr(limits, "_client", away)
    assert put()


# -- messages, threads, roles --------------------------------------------------------------------

PICTURE = File("board.png", b"png", "image/png")
SHOWN = {"embeds": [{"title": "Ada vs Ben", "image": {"url": "attachment://board.png"}}]}


def test_a_message_is_posted_and_edited(application: FakeDiscord) -> None:
    channel = application.channel(application.guild())
    number = client.message_post(channel.id, SHOWN, nonce="m-1", files=[PICTURE])
    client.message_edit(channel.id, number, SHOWN, files=[PICTURE._replace(content=b"other")])
    (message,) = application.said_in(channel)
    assert message.files == {"board.png": b"other"}
    # What is not named Discord takes away, of what comes along, too.
    client.message_edit(channel.id, number, {"content": "Over."})
    assert message.shown["content"] == "Over."
    assert message.files == {}
    client.message_delete(channel.id, number)
    assert application.said_in(channel) == []
    with pytest.raises(DiscordError) as caught:
        client.message_edit(channel.id, number, {"content": "Over."})
    assert (caught.value.code, caught.value.permanent) == (10008, True)


def test_a_message_that_is_posted_twice_stands_there_once(
    application: FakeDiscord, no_waiting: list[float]
) -> None:
    """Discord took it, and its answer was lost."""
    channel = application.channel(application.guild())
    first = client.message_post(channel.id, {"content": "One"}, nonce="m-1")
    application.instead = [_hangs_up]
    assert client.message_post(channel.id, {"content": "One"}, nonce="m-1") == first
    assert client.message_post(channel.id, {"content": "Two"}, nonce="m-2") != first
    assert len(application.said_in(channel)) == 2


def test_a_thread(application: FakeDiscord) -> None:
    channel = application.channel(application.guild())
    number = client.message_post(channel.id, {"content": "One"}, nonce="m-1")
    thread = client.thread_begin(channel.id, number, "Ada vs Ben")
    assert client.thread_begin(channel.id, number, "Ada vs Ben") == thread
    client.message_post(thread, {"content": "In it"}, nonce="m-2")
    client.thread_close(thread)
    assert application.channels[thread].archived
    application.delete(application.channels[thread])
    with pytest.raises(DiscordError) as caught:
        client.message_post(thread, {"content": "In it"}, nonce="m-3")
    assert (caught.value.code, caught.value.permanent) == (10003, True)


def test_what_the_bot_may_not_do(application: FakeDiscord) -> None:
    channel = application.channel(application.guild())
    channel.may.clear()
    with pytest.raises(DiscordError) as caught:
        client.message_post(channel.id, {"content": "One"}, nonce="m-1")
    assert (caught.value.code, caught.value.permanent) == (50013, True)


def test_roles(application: FakeDiscord) -> None:
    guild = application.guild(members={"5": set()})
    guild.roles["7"] = "Contestant"
    client.role_give(guild.id, "5", "7")
    assert guild.members["5"] == {"7"}
    client.role_take(guild.id, "5", "7")
    assert guild.members["5"] == set()


# -- answers to interactions ---------------------------------------------------------------------


def _answers_a_list(handler: Any) -> None:
    content = b'["somebody", "in between"]'
    handler.send_response(404)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def test_whatever_answers_is_an_answer(application: FakeDiscord) -> None:
    application.instead = [_answers_a_list]
    with pytest.raises(DiscordError) as caught:
        client.channel_get("1")
    assert (caught.value.status, caught.value.code) == (404, 0)


def promised(fake: FakeDiscord) -> str:
    """The token of an interaction that was answered with a promise."""
    ada = Person(Interactions(fake, lambda *_: (200, b'{"type": 5}')), "Ada")
    token = ada.command("match").token
    assert token is not None
    return token.token


def test_a_promise_is_kept(application: FakeDiscord) -> None:
    token = promised(application)
    picture = File("board.png", b"png", "image/png")
    message = {"embeds": [{"image": {"url": "attachment://board.png"}}]}
    client.interaction_finish(token, message, files=[picture])
    original = application.tokens[token].original
    assert original is not None
    assert original.files == {"board.png": b"png"}
    assert "authorization" not in application.requests[-1].headers


def test_a_promise_that_discord_has_not_read_yet(
    application: FakeDiscord, no_waiting: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may be faster than the answer to Discord."""
    token = promised(application)
    there = application.tokens[token]
    there.answered = False
    rest = client._sleep

    def sleep(seconds: float) -> None:
        there.answered = True
        rest(seconds)

    monkeypatch.setattr(client, "_sleep", sleep)
    client.interaction_finish(token, {"content": "There."})
    assert [each.status for each in application.requests] == [404, 200]


def test_a_promise_that_comes_too_late(application: FakeDiscord) -> None:
    token = promised(application)
    application.skip(15 * 60 + 1)
    with pytest.raises(DiscordError) as caught:
        client.interaction_finish(token, {"content": "There."})
    assert caught.value.code == 50027
    assert caught.value.permanent


# -- what is secret, and how long it takes -------------------------------------------------------


def test_nothing_secret_is_written_down(application: FakeDiscord, no_waiting: list[float]) -> None:
    token = promised(application)
    application.skip(15 * 60 + 1)
    with written_by(client, limits) as lines:
        put()
        with pytest.raises(DiscordError) as caught:
            client.interaction_finish(token, {"content": "There."})
        application.instead = [_hangs_up] * 9
        with pytest.raises(DiscordError) as dropped:
            client.interaction_finish(token, {"content": "There."})
    assert lines
    written = f"{lines} {caught.value!r} {dropped.value!r} {dropped.value.__cause__!r}"
    assert token not in written
    assert application.bot_token not in written


def _hangs_up(handler: Handler) -> None:
    handler.connection.close()


def _hangs(handler: Handler) -> None:
    handler.server.fake.ending.wait(30)


def _drips(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while not handler.server.fake.ending.wait(0.05):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def _floods(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(200):
        handler.wfile.write(b" " * 20_000)


@pytest.mark.parametrize("manner", [_hangs, _drips, _floods, _hangs_up])
def test_a_call_has_an_end(
    application: FakeDiscord, settings: Any, manner: Callable[[Handler], None]
) -> None:
    settings.GAUNTLET_DISCORD_BOT_STAGE_SECONDS = 0.3
    settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = 1.0
    application.instead = [manner] * 9
    began = time.monotonic()
    with pytest.raises(DiscordError) as caught:
        put()
    assert caught.value.status is None
    assert time.monotonic() - began < 15  # the fake's own patience is 30


def test_a_channel_with_one_person_is_opened_again_and_again_the_same(
    application: FakeDiscord, no_waiting: list[float]
) -> None:
    application.guild(members={"7": set()})
    application.instead = [502]
    assert client.direct_open("7") == client.direct_open("7")
    assert len(application.channels) == 1


def test_a_moment_has_a_number(application: FakeDiscord) -> None:
    moment = int(1000 * application.clock())
    assert int(client.number_at(moment - 1)) < int(application.new_id())
    assert int(client.number_at(moment + 60_000)) > int(application.new_id())
    assert client.number_at(0) == "0"
