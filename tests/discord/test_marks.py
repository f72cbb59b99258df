"""A message is found again by its mark: how far and for how long it is looked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.discord import client, marks
from core.discord.client import DiscordError
from core.discord.marks import mark_of, message_find
from tests.discord.test_client import nothing_counted  # noqa: F401
from tests.posts.support import unhurried
from tournaments.discord.fake.held import Channel, Message
from tournaments.discord.fake.server import FakeDiscord

NONCE = "12-0"


class Here:
    """A channel in which much is said."""

    def __init__(self, there: FakeDiscord) -> None:
        self.there = there
        self.channel: Channel = there.channel(there.guild())
        self.since = datetime.fromtimestamp(there.clock(), UTC)

    def chatter(self, count: int) -> None:
        """Others say so much."""
        for _ in range(count):
            number = self.there.new_id()
            self.there.messages[number] = Message(number, self.channel.id, "7", {"content": "x"})

    def post(self, *addresses: str) -> str:
        """The bot says something, with buttons that lead there; returns its number."""
        buttons = [
            {"type": 2, "style": 5, "label": "Open", "url": f"https://gauntlet.example/{each}"}
            for each in addresses
        ]
        told = {"content": "Yours.", "components": [{"type": 1, "components": buttons}]}
        return client.message_post(self.channel.id, told, nonce=f"n-{self.there.new_id()}")

    def find(self, pages_most: int = 9, calls_most: int = 9, **more: Any) -> str:
        """The number of the message that is looked for."""
        about = {"since": self.since, "pages_most": pages_most, "calls_most": calls_most, **more}
        return message_find(self.channel.id, NONCE, **about)

    def looked(self) -> int:
        """How many pages Discord was asked for."""
        return len([each for each in self.there.requests if each.method == "GET"])


@pytest.fixture
def here(application: FakeDiscord, monkeypatch: pytest.MonkeyPatch) -> Here:
    unhurried(application, monkeypatch)
    monkeypatch.setattr(client, "_sleep", lambda _seconds: None)
    return Here(application)


def test_the_message_with_the_mark_is_found(here: Here) -> None:
    here.post("a")
    here.post("a" + mark_of(f"1{NONCE}"))
    here.post("a" + mark_of(f"{NONCE}1"))
    number = here.post("a", "b?c=d" + mark_of(NONCE))
    here.post("a" + mark_of(NONCE) + "1")
    here.chatter(3)
    assert here.find() == number
    assert here.looked() == 1


def test_what_does_not_stand_there_is_not_found(here: Here) -> None:
    assert here.find() == ""
    here.post("a" + mark_of("13-0"))
    here.there.messages[here.post("a" + mark_of(NONCE))].body["components"] = []
    assert here.find() == ""
    # The page that is empty is the last.
    assert here.looked() == 1 + 2


def test_nor_what_stood_there_long_before(here: Here) -> None:
    """But the clocks of both may differ a little."""
    number = here.post("a" + mark_of(NONCE))
    assert here.find(since=here.since + timedelta(seconds=50)) == number
    assert here.find(since=here.since + timedelta(minutes=2)) == ""


@pytest.mark.parametrize(("pages_most", "is_found"), [(2, False), (3, True)])
def test_it_is_looked_for_in_so_many_pages(here: Here, pages_most: int, is_found: bool) -> None:
    here.chatter(200)
    number = here.post("a" + mark_of(NONCE))
    here.chatter(100)
    assert here.find(pages_most) == (number if is_found else "")
    assert here.looked() == pages_most


def test_a_full_last_page_is_not_the_end(here: Here) -> None:
    here.chatter(100)
    number = here.post("a" + mark_of(NONCE))
    assert here.find() == number
    assert here.looked() == 2


@pytest.mark.parametrize(
    ("calls_most", "each_takes", "looked"), [(1, 60.0, 1), (1, 59.0, 2), (2, 50.0, 3)]
)
def test_it_is_looked_for_as_long_as_so_many_calls_may_take(
    here: Here,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    calls_most: int,
    each_takes: float,
    looked: int,
) -> None:
    settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = 60.0
    monkeypatch.setattr(marks, "_clock", lambda: each_takes * here.looked())
    here.chatter(900)
    with pytest.raises(DiscordError) as caught:
        here.find(calls_most=calls_most)
    assert not caught.value.permanent
    assert here.looked() == looked


@pytest.mark.parametrize("code", [50001, 50013])
def test_a_bot_that_may_not_look_any_more_does_not_know(
    here: Here, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Not even after a page that it was shown."""
    look = client.messages_after

    def shut_after(channel: str, after: str) -> list[Any]:
        page = look(channel, after)
        here.channel.hidden = code == 50001
        here.channel.may.discard("history")
        return page

    monkeypatch.setattr(client, "messages_after", shut_after)
    here.chatter(100)
    here.post("a" + mark_of(NONCE))
    with pytest.raises(DiscordError) as caught:
        here.find()
    assert (caught.value.status, caught.value.code) == (403, code)
    assert here.looked() == 2


def test_a_page_that_does_not_come_is_asked_for_again(here: Here) -> None:
    here.chatter(100)
    number = here.post("a" + mark_of(NONCE))
    here.there.instead = [502, 502]
    assert here.find() == number
    here.there.instead = [502] * 9
    with pytest.raises(DiscordError) as caught:
        here.find()
    assert not caught.value.permanent
