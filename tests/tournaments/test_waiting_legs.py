"""A leg that an organiser begins at a live pace waits for its players: what can be done meanwhile,
and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import User
from games.models import Match
from tests.games.support import committing
from tests.tournaments.support import (
    START,
    after,
    chosen,
    fresh,
    leg_of,
    running,
)
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, Leg
from tournaments.services.contestants import contestant_withdraw
from tournaments.services.legs import leg_start
from tournaments.services.results import (
    death_match_declare,
    death_match_void,
    death_match_walkover,
    leg_void,
)


def called(organiser: User, death_match: DeathMatch, number: int = 1) -> Leg:
    """Begin a leg as an organiser does: it waits for both players."""
    with committing():
        leg_start(acting_user=organiser, leg=leg_of(death_match, number), at=START)
    leg = leg_of(death_match, number)
    assert leg.match is not None
    assert leg.match.waits_until is not None
    return leg


# -- leaving, and ends ---------------------------------------------------------------------------

Ends = Callable[[User, DeathMatch], Any]


def withdraws(own: bool) -> Ends:
    """The second player leaves, at their own word or at an organiser's."""

    def end(orla: User, death_match: DeathMatch) -> None:
        leaver = death_match.away
        assert leaver is not None
        contestant_withdraw(
            acting_user=leaver.user if own else orla, contestant=leaver, why="ill",
            at=after(minutes=1),
        )  # fmt: skip

    return end


def given(service: Callable[..., Any]) -> Ends:
    """An organiser gives it to the first player."""

    def end(orla: User, death_match: DeathMatch) -> None:
        service(
            acting_user=orla, death_match=death_match, winner=death_match.home, why="because",
            at=after(minutes=1),
        )  # fmt: skip

    return end


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (withdraws(own=True), "walkover"),
        (withdraws(own=False), "walkover"),
        (given(death_match_declare), "ruling"),
        (given(death_match_walkover), "walkover"),
    ],
    ids=["themselves", "organiser", "declared", "walkover"],
)
@pytest.mark.parametrize("kind", ["elimination", "single-elimination"])
def test_whoever_leaves_ends_what_waits_for_them(
    orla: User, kind: str, end: Ends, how: str
) -> None:
    season = running(orla, 4, kind)
    if kind == "elimination":
        chosen(orla, season, ec=1, dmo=2)
    death_match = fresh(DeathMatch.objects.filter(round__season=season).order_by("pk")[0])
    called(orla, death_match)
    with committing():
        end(orla, death_match)
    leg = leg_of(death_match)
    assert leg.match is not None
    assert (leg.status, leg.winner_seat, leg.how) == ("finished", 0, how)
    assert (leg.match.status, leg.match.winner, leg.match.reason) == ("finished", 0, "ruling")
    assert fresh(death_match).winner == death_match.home
    assert faults_of(season) == []


def test_what_waits_can_be_called_off_or_declared_void(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    first = called(orla, death_match)
    with committing():
        leg_void(acting_user=orla, leg=first, why="because", at=after(minutes=1))
    assert (leg_of(death_match).attempt, leg_of(death_match).status) == (2, "planned")
    second = called(orla, death_match)
    with committing():
        death_match_void(acting_user=orla, death_match=death_match, why="so", at=after(minutes=2))
    assert fresh(death_match).status == "void"
    for leg in (first, second):
        match = Match.objects.get(leg=leg)
        assert (match.status, match.winner) == ("finished", None)
    assert faults_of(season) == []
