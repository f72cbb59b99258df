"""A Discord that the test plays, with an application that is this site's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import User
from tests.discord.support import Guild
from tests.games.conftest import ada, ben, cleo, orla, root, set_clock  # noqa: F401
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
