"""A server in Discord whose people play on this site, which tests speak to without a socket."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import pytest
from django.test import Client

from accounts.discord.services import discord_link
from accounts.models import DiscordLink, User
from core.clock import now_ms
from tests.games.support import committing
from tests.support.workers import set_up
from tournaments.discord import answering, tasks
from tournaments.discord.commands import COMMANDS
from tournaments.discord.fake.held import Message
from tournaments.discord.fake.people import Answer, Interactions, Person
from tournaments.discord.fake.server import FakeDiscord
from tournaments.jobs import DISCORD_FINISH

PATH = "/discord/interactions/"
T = TypeVar("T")
Press = Callable[[Person, str, Message], tuple[list[str], str]]


def plain(text: str) -> str:
    """A text as Discord shows it, without what keeps it from being formatted."""
    return re.sub(r"\\(.)", r"\1", text)


def at_once(doing: Callable[[], T]) -> Future[T]:
    """What was done here and now, as of a thread."""
    done: Future[T] = Future()
    done.set_result(doing())
    return done


class Guild:
    """Its people, by name; what workers are handed is done when a test says so (`work`)."""

    def __init__(
        self,
        fake: FakeDiscord,
        settings: Any,
        monkeypatch: pytest.MonkeyPatch,
        ada: User,
        ben: User,
    ) -> None:
        self.fake = fake
        self.settings = settings
        self.workers = set_up(monkeypatch)
        # Where the test's own transaction is seen.
        monkeypatch.setattr(answering, "_begun", at_once)
        self.client = Client()
        self.discord = Interactions(fake, self._post)
        self.discord.clock = lambda: now_ms() / 1000
        settings.GAUNTLET_DISCORD_PUBLIC_KEY = self.discord.public_key
        here = fake.guild()
        self.channel = fake.channel(here)
        fake.commands[here.id] = [
            {**each.registered(), "id": fake.new_id()} for each in COMMANDS.values()
        ]
        self.ada, self.ben, self.eve = (
            Person(self.discord, name, self.channel) for name in ("Ada", "Ben", "Eve")
        )
        for person, user in ((self.ada, ada), (self.ben, ben)):
            discord_link(acting_user=user, discord_id=person.id, discord_name=person.name)

    def _post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        given = {name: value for name, value in headers.items() if name != "Content-Type"}
        with committing():
            answer = self.client.post(PATH, body, content_type="application/json", headers=given)
        return answer.status_code, answer.content

    def joined(self, name: str, user: User) -> Person:
        """Somebody more, or again, who has linked an account."""
        person = Person(self.discord, name, self.channel)
        link = DiscordLink.objects.filter(user=user).first()
        if link is not None:
            person.id = link.discord_id
        else:
            discord_link(acting_user=user, discord_id=person.id, discord_name=name)
        return person

    def work(self) -> None:
        """Have workers finish what was promised."""
        handed, self.workers.handed = self.workers.handed, []
        for each in handed:
            if each.task == DISCORD_FINISH:
                tasks.finish(*each.arguments)

    def finished(self, answer: Answer) -> Any:
        """The message that answers, once workers have done their part."""
        self.work()
        return answer.original


def said(answer: Answer) -> str:
    """The words that somebody is shown, as they read them."""
    return plain(answer.content)


def description(message: Any) -> str:
    """What the first embed of a message says, as people read it."""
    body = message.body if hasattr(message, "body") else message
    return plain(body["embeds"][0].get("description", ""))


def labels(message: Message) -> list[str]:
    """The buttons below a message."""
    rows = message.body.get("components") or []
    return [each["label"] for row in rows for each in row["components"]]
