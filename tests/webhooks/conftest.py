"""Seasons with webhooks, and receivers for them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import User
from tests.games.conftest import ada, ben, cleo, orla, root, set_clock, wire  # noqa: F401
from tests.webhooks.receiver import Receiver, receiving
from tests.webhooks.support import Stage


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as there:
        yield there


@pytest.fixture
def stage(orla: User, ada: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> Stage:  # noqa: F811
    """A listed season of Orla's in which Ada meets Ben. Nothing is enqueued: tests drain."""
    return Stage(orla, ada, ben, monkeypatch)
