"""Fixtures for seasons."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from accounts.models import User
from tests.games.support import user_named
from tests.tournaments.support import organiser_named
from tournaments.events.kinds import KINDS
from tournaments.events.references import described, unknown_keys
from tournaments.models import Season, SeasonEvent
from tournaments.services import events as writing


def _must_be_described(_season: Season, events: Sequence[SeasonEvent]) -> None:
    for each in events:
        payload = KINDS[each.kind].payload
        told = msgspec.json.encode(each.data)
        assert list(unknown_keys(msgspec.json.decode(told), described(payload))) == [], each.kind
        msgspec.json.decode(told, type=payload)


@pytest.fixture(autouse=True)
def _events_are_as_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever services write of a season holds what is described of its kind, and no more: a
    season's document takes only that with it."""
    monkeypatch.setattr(writing, "_writers", [*writing._writers, _must_be_described])


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
