"""Fixtures for seasons."""

from __future__ import annotations

import pytest

from accounts.models import User
from tests.games.support import user_named
from tests.tournaments.support import organiser_named


@pytest.fixture
def orla(db: None) -> User:
    """An organiser."""
    return organiser_named("orla")


@pytest.fixture
def oscar(db: None) -> User:
    """Another organiser."""
    return organiser_named("oscar")


@pytest.fixture
def cleo(db: None) -> User:
    """Somebody who takes part in nothing."""
    return user_named("cleo", display_name="Cleo")
