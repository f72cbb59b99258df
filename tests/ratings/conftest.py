"""Fixtures for ratings."""

from __future__ import annotations

import pytest
from django.utils import timezone

from games.ratings import keys
from tests.games.conftest import ada, ben, cleo, mona, orla, root
from tests.pages.conftest import own_cache, people, visitor

__all__ = ["ada", "ben", "cleo", "mona", "orla", "own_cache", "people", "root", "visitor"]


@pytest.fixture(autouse=True)
def within_five_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The five minutes for which leaderboards are kept do not end in the middle of a test."""
    now = timezone.now()
    monkeypatch.setattr(keys, "now_utc", lambda: now)
