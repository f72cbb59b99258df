"""What happens in a match that spectators see late is nobody's to know before its time, but for its
players and whoever may organise it: at every address, in every stream."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import User
from tests.games import test_secrecy as secrecy
from tests.games.support import T0
from tests.secrecy import test_every_route as every_route
from tests.secrecy.test_every_route import about_a_match, gathered
from tests.webhooks.support import Stage as SeasonStage

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

stage, theatre = every_route.stage, every_route.theatre

BEFORE = secrecy.Action(500, "chat", 1, "good luck")  # when streams are opened
COURSE = [
    BEFORE,
    secrecy.Action(1_000, "submit", 0, "pick T"),
    secrecy.Action(2_000, "submit", 1, "pick L"),
    secrecy.Action(3_000, "submit", 0, "first"),
]


def told(
    late_s: int,
    theatre: secrecy.Stage,
    stage: SeasonStage,
    people: dict[str, User],
    patch: pytest.MonkeyPatch,
) -> set[str]:
    """Who was told something else, and where, of a match that was played and one that was not."""
    # Who moderates may read the entries of all matches but their own.
    patch.setattr(every_route, "administration", lambda _play: ())
    setup: dict[str, Any] = {"late_s": late_s}
    twins = secrecy.Twins(COURSE, [BEFORE], 0, 5_000, setup)
    with time_machine.travel(datetime.fromtimestamp(T0 / 1000 + 3600, UTC), tick=False):
        one, two = gathered(
            "tetronogo", twins, theatre, stage, people, patch, asked=about_a_match(), asking=people
        )
    return {asked for asked in one.keys() | two.keys() if one.get(asked) != two.get(asked)}


@pytest.fixture
def people(cleo: User, mona: User, stage: SeasonStage) -> dict[str, User]:
    return {"cleo": cleo, "mona": mona, "orla": stage.orla}


def test_nobody_who_watches_is_told_before_its_time(
    theatre: secrecy.Stage,
    stage: SeasonStage,
    people: dict[str, User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differing = told(300, theatre, stage, people, monkeypatch)
    assert {asked.partition(" ")[0] for asked in differing} == {"ben", "orla"}


def test_without_a_delay_all_of_them_are(
    theatre: secrecy.Stage,
    stage: SeasonStage,
    people: dict[str, User],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differing = told(0, theatre, stage, people, monkeypatch)
    assert {asked.partition(" ")[0] for asked in differing} == {
        "ben", "orla", "cleo", "mona", "nobody",
    }  # fmt: skip
