"""Fixtures of the API's tests: people and a match between them."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from core.api import limits
from core.clock import now_ms
from tests.api.worlds import world
from tests.games.conftest import (
    ada,
    ben,
    cleo,
    desk,
    play,
    rng,
    root,
    set_clock,
    wire,
)

__all__ = [
    "ada", "ben", "cleo", "desk", "play", "rng", "root", "set_clock", "wire", "world",
]  # fmt: skip


@pytest.fixture
def within_a_minute(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Limits have counted nothing yet, and the minute in which they count does not end."""
    now = now_ms()
    monkeypatch.setattr(limits, "now_ms", lambda: now)
    cache.clear()
    yield
    cache.clear()
