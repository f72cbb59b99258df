"""What the fake Discord has for the bot's messages is as Discord documents it."""

from __future__ import annotations

import pytest

from core.discord import client
from core.discord.client import DiscordError, File
from tests.posts.support import Told
from tournaments.discord.fake.server import NONCE_SECONDS

pytestmark = pytest.mark.django_db

PICTURE = File("board.png", b"png", "image/png")


def test_a_nonce_is_known_for_some_minutes(told: Told) -> None:
    first = client.message_post(told.here.id, {"content": "One"}, nonce="1-0")
    assert client.message_post(told.here.id, {"content": "One"}, nonce="1-0") == first
    told.fake.skip(NONCE_SECONDS)
    assert client.message_post(told.here.id, {"content": "One"}, nonce="1-0") != first


def test_messages_are_read_a_hundred_at_a_time(told: Told) -> None:
    numbers = [
        client.message_post(told.here.id, {"content": "x"}, nonce=f"{each}-0")
        for each in range(103)
    ]
    page = client.messages_after(told.here.id, "0")
    assert [each["id"] for each in page] == numbers[99::-1]
    later = client.messages_after(told.here.id, numbers[99])
    assert [each["id"] for each in later] == numbers[:99:-1]
    assert client.messages_after(told.here.id, numbers[-1]) == []


def test_numbers_tell_the_time(told: Told) -> None:
    told.fake.clock = lambda: 1_500_000_000.0
    assert int(told.fake.new_id()) >> 22 == 1_500_000_000_000 - 1_420_070_400_000


def test_what_the_bot_may_not_do_there(told: Told) -> None:
    told.here.may -= {"files", "history"}
    for call in (
        lambda: client.message_post(told.here.id, {"content": "x"}, nonce="1-0", files=[PICTURE]),
        lambda: client.messages_after(told.here.id, "0"),
    ):
        with pytest.raises(DiscordError) as caught:
            call()
        assert (caught.value.status, caught.value.code) == (403, 50013)
    told.here.hidden = True
    with pytest.raises(DiscordError) as caught:
        client.channel_get(told.here.id)
    assert (caught.value.status, caught.value.code) == (403, 50001)


def test_who_there_is(told: Told) -> None:
    assert client.bot_get()["id"] == told.fake.bot
    there = client.guild_get(told.server.id)
    names = [role["name"] for role in there["roles"]]
    assert names[0] == "@everyone"
    assert there["roles"][0]["id"] == there["id"]
    assert set(names[1:]) == {"Contestant", "Eliminated", "Spectator", "Manager", "Gauntlet"}
    assert client.member_get(told.server.id, told.orla.id)["roles"] == [told.manages]
    assert client.member_get(told.server.id, told.fake.bot)["roles"] == [told.server.bot_role]
    with pytest.raises(DiscordError) as caught:
        client.member_get(told.server.id, "1")
    assert caught.value.code == client.UNKNOWN_MEMBER


def test_a_thread_is_taken_out_of_the_archive(told: Told) -> None:
    number = client.message_post(told.here.id, {"content": "One"}, nonce="1-0")
    thread = client.thread_begin(told.here.id, number, "Ada vs Ben")
    client.thread_close(thread)
    client.thread_open(thread)
    assert not told.fake.channels[thread].archived
