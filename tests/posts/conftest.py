"""Seasons that a bot tells of, in a Discord that the test plays."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from accounts.models import User
from tests.discord.conftest import application, fake, guild, old_buttons  # noqa: F401
from tests.discord.support import Guild
from tests.discord.test_client import nothing_counted  # noqa: F401
from tests.games.conftest import ada, ben, cleo, orla, root, set_clock, wire  # noqa: F401
from tests.posts.support import Told, unhurried
from tests.webhooks.support import Stage
from tournaments.discord.fake.server import FakeDiscord


@pytest.fixture
def told(
    application: FakeDiscord,  # noqa: F811
    guild: Guild,  # noqa: F811
    orla: User,  # noqa: F811
    ada: User,  # noqa: F811
    ben: User,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Told:
    """A listed season of Orla's in which Ada meets Ben, with a server whose manager she is. Nothing
    is connected yet, and nothing is said until the test says so."""
    unhurried(application, monkeypatch)
    return Told(application, guild, Stage(orla, ada, ben, monkeypatch))


@pytest.fixture
def impatient(settings: Any) -> None:
    """Calls end soon."""
    settings.GAUNTLET_DISCORD_BOT_STAGE_SECONDS = 0.3
    settings.GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = 0.6


@pytest.fixture
def chance() -> Callable[[], float]:
    """The same numbers in every run."""
    return Random(20).random
