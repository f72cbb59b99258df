"""What one season's broken data does to the sweep that serves them all: nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection

from accounts.models import User
from tests.tournaments.support import START, after, running
from tournaments.formats.base import Sweep
from tournaments.formats.registry import FORMATS
from tournaments.models import Contestant, DeathMatch, Leg, Season
from tournaments.services.scheduling import sweep
from tournaments.services.scheduling.appointments import leg_schedule
from tournaments.services.scheduling.sweep import legs_sweep

NOON = after(hours=48)


@pytest.fixture
def legs(orla: User) -> list[Leg]:
    """Two legs of a Swiss round, both at `NOON`, with nobody ready."""
    season = running(orla, 4, "swiss", format_options={"rounds": 2})
    found = list(
        Leg.objects.filter(death_match__round__season=season)
        .select_related("death_match__round__season")
        .order_by("pk")
    )
    for leg in found:
        leg_schedule(acting_user=orla, leg=leg, scheduled_at=NOON, at=START)
    return found


def _unreadable(contestant: int) -> None:
    """A date that the database holds and Python cannot."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tournaments_contestant SET enrolled_at = '0001-01-01 00:00:00+14' "
            "WHERE id = %s",
            [contestant],
        )


def test_a_row_that_cannot_be_read_is_left_out(legs: list[Leg]) -> None:
    broken, sound = legs
    away = broken.death_match.away_id
    assert away is not None
    _unreadable(away)
    with pytest.raises(DatabaseError):
        Contestant.objects.get(pk=away)
    assert legs_sweep(at=after(hours=47, minutes=55)).reminded == 1
    assert legs_sweep(at=after(hours=49)).no_shows == 1
    told = dict(Leg.objects.values_list("pk", "no_show_at"))
    assert told[broken.pk] is None
    assert told[sound.pk] is not None


@pytest.mark.parametrize("error", [StopIteration(), RuntimeError("no"), ZeroDivisionError()])
def test_a_action_that_fails_does_not_stop_the_next(
    legs: list[Leg], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    Leg.objects.update(home_ready_at=NOON, away_ready_at=NOON)
    asked: list[int] = []

    def start(*, leg: Leg, **_rest: Any) -> None:
        asked.append(leg.pk)
        if leg.pk == legs[0].pk:
            raise error

    monkeypatch.setattr(sweep, "leg_start", start)
    assert legs_sweep(at=NOON).started == 1
    assert asked == [leg.pk for leg in legs]


@pytest.mark.parametrize("search", ["_matches_missed", "_both_ready", "legs_to_remind"])
def test_a_search_that_fails_does_not_stop_the_next(
    legs: list[Leg], monkeypatch: pytest.MonkeyPatch, search: str
) -> None:
    def fails(*_at: Any) -> None:
        raise DatabaseError("no")

    monkeypatch.setattr(sweep, search, fails)
    assert legs_sweep(at=after(hours=49)).no_shows == len(legs)


def test_a_search_of_a_format_that_fails_does_not_stop_the_next(
    legs: list[Leg], monkeypatch: pytest.MonkeyPatch
) -> None:
    acted: list[Leg] = []

    def fails(_at: datetime, _at_most: int) -> list[Leg]:
        raise DatabaseError("no")

    def act(_at: datetime, leg: Leg) -> bool:
        acted.append(leg)
        return True

    sweeps = (
        Sweep("test.fails", fails, act),
        Sweep("test.works", lambda _at, most: legs[:most], act),
    )
    monkeypatch.setattr(FORMATS["ladder"], "sweeps", sweeps, raising=False)
    swept = legs_sweep(at=after(hours=49))
    assert (swept.no_shows, swept.by_format) == (len(legs), len(legs))
    assert acted == legs


def test_a_season_with_a_pace_nobody_knows(legs: list[Leg]) -> None:
    Season.objects.update(pace="glacial")
    Leg.objects.filter(pk=legs[0].pk).update(home_ready_at=NOON, away_ready_at=NOON)
    swept = legs_sweep(at=after(hours=49))
    assert (swept.started, swept.no_shows) == (0, 1)
    assert not DeathMatch.objects.filter(status="running").exists()
