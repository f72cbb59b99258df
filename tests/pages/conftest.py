"""Fixtures for the pages: people, matches, and visitors who are signed in."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.games.conftest import ada, ben, cleo, mona, orla, play, rng, root, set_clock, wire
from tests.support.caching import caches_of

__all__ = ["ada", "ben", "cleo", "mona", "orla", "play", "rng", "root", "set_clock", "wire"]

_numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def own_cache(settings: Any) -> None:
    """Give each test a cache of its own: replays are kept there by the number of their match."""
    settings.CACHES = caches_of(f"pages-{next(_numbers)}")


@pytest.fixture
def visitor(db: None) -> Callable[..., Client]:
    """`visitor(user)`: a browser in which this user is signed in; without one, nobody."""

    def make(user: User | None = None, **more: Any) -> Client:
        client = Client(**more)
        if user is not None:
            client.force_login(user, backend="accounts.signin.backends.NameBackend")
        return client

    return make


@pytest.fixture
def people(ada: User, ben: User, cleo: User) -> dict[str, User]:
    """Two players and somebody else, by username."""
    return {user.username: user for user in (ada, ben, cleo)}


@pytest.fixture
def nobody(visitor: Callable[..., Client]) -> Client:
    """A browser in which nobody is signed in."""
    return visitor()
