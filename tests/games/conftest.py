"""Fixtures for matches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from core import clock
from games.engine.chance import RandomSource
from tests.games.desk import Desk
from tests.games.support import T0, Play, Wire, started, user_named
from tests.support.site import Site


@pytest.fixture
def ada(db: None) -> User:
    return user_named("ada", display_name="Ada")


@pytest.fixture
def ben(db: None) -> User:
    return user_named("ben", display_name="Ben")


@pytest.fixture
def cleo(db: None) -> User:
    """Somebody who plays in no match."""
    return user_named("cleo", display_name="Cleo")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def orla(root: User) -> User:
    """An organiser."""
    user = user_named("orla", display_name="Orla")
    role_grant(acting_user=root, user=user, role=Role.ORGANISER)
    return user


@pytest.fixture
def mona(root: User) -> User:
    """A moderator."""
    user = user_named("mona", display_name="Mona")
    role_grant(acting_user=root, user=user, role=Role.MODERATOR)
    return user


@pytest.fixture
def play(ada: User, ben: User) -> Play:
    """A Tetronogo match that begins at `T0`; the advantage is Ada's."""
    return started((ada, ben))


@pytest.fixture
def wire() -> Iterator[Wire]:
    """What goes out to the channel groups."""
    wire = Wire()
    yield wire
    wire.close()


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`set_clock(at)`: the server's clock stands at ``at`` ms after `T0`."""

    def set_to(at: int) -> None:
        standing = SimpleNamespace(time_ns=lambda: (T0 + at) * 1_000_000)
        monkeypatch.setattr(clock, "time", standing)

    return set_to


@pytest.fixture
def rng() -> random.Random:
    """The same numbers in every run."""
    return random.Random(20)


@pytest.fixture
def draws() -> RandomSource:
    """Chance that draws the same in every run: a match at random is then the same match."""
    return random.Random(20).random


@pytest.fixture
def desk(site: Site) -> Desk:
    """Makes people and matches on the running site."""
    return Desk(site)
