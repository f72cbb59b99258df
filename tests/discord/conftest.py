"""A Discord that the test plays, with an application that is this site's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accounts.models import User
from tests.discord.support import Guild, Press, labels, plain
from tests.games.conftest import ada, ben, cleo, orla, root, set_clock  # noqa: F401
from tournaments.discord import answering
from tournaments.discord.fake.held import Message
from tournaments.discord.fake.people import Person
from tournaments.discord.fake.schemas import EPHEMERAL, UPDATE
from tournaments.discord.fake.server import FakeDiscord, discord


@pytest.fixture
def fake() -> Iterator[FakeDiscord]:
    with discord() as there:
        yield there


@pytest.fixture
def application(fake: FakeDiscord, settings: Any) -> FakeDiscord:
    """That Discord, which this site asks."""
    settings.GAUNTLET_DISCORD_API = fake.api
    settings.GAUNTLET_DISCORD_CLIENT_ID = fake.application
    settings.GAUNTLET_DISCORD_CLIENT_SECRET = "of the application"
    settings.GAUNTLET_DISCORD_BOT_TOKEN = fake.bot_token
    settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = 60.0
    settings.GAUNTLET_DISCORD_BOT_STAGE_SECONDS = 30.0
    return fake


@pytest.fixture
def guild(
    application: FakeDiscord,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    ada: User,  # noqa: F811
    ben: User,  # noqa: F811
) -> Guild:
    """A server of it, in which Ada and Ben have linked their accounts, and Eve has none."""
    return Guild(application, settings, monkeypatch, ada, ben)


@pytest.fixture
def old_buttons(guild: Guild, monkeypatch: pytest.MonkeyPatch) -> Iterator[Press]:
    """Presses below messages that have stood there for a while, and what comes of them: the labels
    that are left, and what whoever pressed is told alone."""
    aside: list[Callable[[], None]] = []
    monkeypatch.setattr(answering, "_aside", lambda _threads, call: aside.append(call))

    def press(person: Person, custom_id: str, message: Message) -> tuple[list[str], str]:
        before = message.body
        answer = person.press(custom_id, message)
        assert answer.body["type"] == UPDATE
        for call in aside:
            call()
        aside.clear()
        assert {**message.body, "components": 0} == {**before, "components": 0}
        assert answer.token is not None
        (alone,) = answer.token.follow_ups
        assert alone.body["flags"] == EPHEMERAL
        return labels(message), plain(alone.body["content"])

    yield press
    assert aside == []
