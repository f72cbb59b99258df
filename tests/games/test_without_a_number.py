"""A player whose browser has lost its number begins without it, and nobody commits over and over:
what is committed to a match's draws holds nobody up for longer than the player wants."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.engine import records
from games.reading.checking import match_check
from games.reading.records import record_bytes
from games.rulesets import REGISTRY
from games.services.arrivals import (
    CHANGES_AT_MOST,
    match_poll,
    match_ready,
    nonce_commit,
    nonce_open,
    nonce_waive,
)
from tests.games.support import SECOND, T0, Play, committing, nothing_changes, refused, started
from tests.games.test_live_draws import (
    ALONE,
    BOTH,
    COMMITMENTS,
    NOBODY,
    NONCES,
    SOUND,
    attend,
    commit,
    conceded,
    drawn,
    opens,
    said,
    view_of,
    wake,
)
from tests.games.test_live_draws_in_turns import (
    ADDED,
    CONSTANT,
    HALF,
    HOUR,
    NONE_ADDED,
    WAIT,
    awaited,
    comes,
    is_on,
    slow,
)

WITHOUT = "began without their number: a constant stands for it"


@pytest.fixture
def waiting(ada: User, ben: User) -> Play:
    return slow((ada, ben))


@pytest.fixture
def live(ada: User, ben: User) -> Play:
    return started((ada, ben), "domain", advantage=None, waits=True)


def waives(play: Play, seat: int, at: int) -> int:
    with committing():
        return nonce_waive(match_id=play.pk, acting_user=play.players[seat], seat=seat, at=T0 + at)


def not_waived(play: Play, seat: int, at: int, code: str) -> None:
    refused(
        code, nonce_waive, match_id=play.pk, acting_user=play.players[seat], seat=seat, at=T0 + at
    )


# -- beginning without it --------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [0, 1])
def test_who_has_lost_a_number_begins_without_it_at_once(waiting: Play, lost: int) -> None:
    other = 1 - lost
    comes(waiting, lost, HOUR)
    comes(waiting, other, 2 * HOUR)
    opens(waiting, other, at=2 * HOUR)
    assert (is_on(waiting), awaited(waiting)) == (False, [lost])
    waives(waiting, lost, 3 * HOUR)
    assert (is_on(waiting), waiting.match.waits_until) == (True, None)
    told = sorted([(lost, WITHOUT), (other, ADDED)])
    assert said(waiting) == [*told, (None, SOUND)]
    with nothing_changes():
        waives(waiting, lost, 4 * HOUR)
    assert match_check(waiting.pk).faults == ()
    nonces = conceded(waiting, at=5 * HOUR)["nonces"]
    assert nonces[lost] == {"commitment": COMMITMENTS[lost]}
    assert nonces[other]["nonce"] == NONCES[other]
    assert records.check(REGISTRY, record_bytes(waiting.match))["ok"]
    with nothing_changes():
        waives(waiting, lost, 6 * HOUR)


def test_it_still_waits_for_the_others_number(waiting: Play) -> None:
    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR)
    waives(waiting, 0, 3 * HOUR)
    assert (is_on(waiting), awaited(waiting), drawn(waiting)) == (False, [1], [])
    assert view_of(waiting)["waiting"]["without"] == [True, False]
    with nothing_changes():
        waives(waiting, 0, 4 * HOUR)
    opens(waiting, 1, at=5 * HOUR)
    assert said(waiting) == [(0, WITHOUT), (1, ADDED), (None, SOUND)]


def test_both_have_lost_theirs(waiting: Play) -> None:
    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR)
    waives(waiting, 0, 3 * HOUR)
    waives(waiting, 1, 3 * HOUR)
    assert is_on(waiting)
    assert said(waiting) == [(0, WITHOUT), (1, WITHOUT), (None, ALONE)]
    assert match_check(waiting.pk).faults == ()


def test_nobody_says_so_while_the_other_may_still_choose_a_number_that_suits(waiting: Play) -> None:
    comes(waiting, 0, HOUR)
    with nothing_changes():
        not_waived(waiting, 0, HOUR, "draws.early")
    comes(waiting, 1, 2 * HOUR)
    waives(waiting, 0, 2 * HOUR)
    given: dict[str, Any] = {"match_id": waiting.pk, "acting_user": waiting.players[1], "seat": 1}
    refused("draws.late", nonce_commit, **given, commitment="ff" * 32, at=T0 + 2 * HOUR)


def test_it_begins_at_its_latest_all_the_same(waiting: Play) -> None:
    comes(waiting, 0, HOUR)
    wake(waiting, HALF + 1)
    waives(waiting, 0, HALF + 2)
    assert not is_on(waiting)
    wake(waiting, WAIT + settings.GAUNTLET_SETTLE_MS + 1)
    assert is_on(waiting)
    assert said(waiting) == [(0, WITHOUT), (1, NONE_ADDED), (None, ALONE)]


def test_it_is_for_good_and_for_that_seat_alone(waiting: Play) -> None:
    commit(waiting, 0, at=HOUR)
    commit(waiting, 1, at=HOUR)
    attend(waiting, at=HOUR, there=BOTH)
    waives(waiting, 0, HOUR)
    given: dict[str, Any] = {"match_id": waiting.pk, "acting_user": waiting.players[0], "seat": 0}
    refused("draws.late", nonce_commit, **given, commitment="ff" * 32, at=T0 + HOUR)
    refused("draws.late", nonce_open, **given, nonce=NONCES[0], at=T0 + 2 * HOUR)
    assert "opens_until" in view_of(waiting)["waiting"]
    wake(waiting, WAIT + settings.GAUNTLET_SETTLE_MS + 1)
    assert said(waiting) == [(0, WITHOUT), (1, CONSTANT), (None, ALONE)]


def test_what_is_refused(waiting: Play) -> None:
    not_waived(waiting, 0, HOUR, "draws.not-committed")
    comes(waiting, 0, HOUR)
    comes(waiting, 1, HOUR)
    opens(waiting, 0, at=2 * HOUR)
    not_waived(waiting, 0, 3 * HOUR, "draws.opened")
    ben = waiting.players[1]
    User.objects.filter(pk=ben.pk).update(is_active=False)
    not_waived(waiting, 1, 3 * HOUR, "account.closed")
    refused("match.none", nonce_waive, match_id=0, acting_user=ben, seat=1, at=T0)


def test_a_match_without_a_seed_waits_for_no_number(ada: User, ben: User) -> None:
    play = started((ada, ben), waits=True, random=lambda: 0.5)
    not_waived(play, 0, SECOND, "draws.not-committed")


def test_at_a_live_pace_they_still_have_to_be_there_together(live: Play) -> None:
    commit(live, 0)
    with nothing_changes():
        not_waived(live, 0, SECOND, "draws.early")
    assert attend(live) is False
    waives(live, 0, 3 * SECOND)
    assert said(live) == [(0, WITHOUT), (1, NONE_ADDED), (None, ALONE)]


def test_at_a_live_pace_it_begins_at_once_when_both_are_there(live: Play) -> None:
    commit(live, 0)
    commit(live, 1)
    assert attend(live) is False
    opens(live, 1)
    waives(live, 0, 3 * SECOND)
    assert said(live) == [(0, WITHOUT), (1, ADDED), (None, SOUND)]


def test_the_same_by_ready(waiting: Play) -> None:
    def ready(**more: Any) -> bool:
        with committing():
            return match_ready(
                match_id=waiting.pk, acting_user=waiting.players[0], seat=0, there=NOBODY,
                at=T0 + 3 * HOUR, **more,
            )  # fmt: skip

    comes(waiting, 0, HOUR)
    comes(waiting, 1, 2 * HOUR, adds=False)
    assert ready() is False
    assert ready(without=True) is True
    assert ready(without=True) is True
    assert said(waiting)[0] == (0, WITHOUT)


def test_the_same_by_the_api(ada: User, ben: User) -> None:
    play = slow((ada, ben), at=None)
    address = f"/api/v1/matches/{play.pk}/ready/"

    def ask(user: User, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        client = Client()
        client.force_login(user)
        with committing():
            answer = client.post(address, body, content_type="application/json")
        return answer.status_code, answer.json()

    status, told = ask(ada, {"without": True})
    assert (status, told["code"]) == (409, "draws.not-committed")
    assert ask(ada, {"commitment": COMMITMENTS[0]})[1]["begun"] is False
    assert ask(ben, {})[1]["begun"] is False
    assert ask(ada, {"without": True}) == (200, {"begun": True, "waits_until": None})
    assert ask(ada, {"without": True}) == (200, {"begun": True, "waits_until": None})
    assert said(play)[0] == (0, WITHOUT)


# -- committing anew -------------------------------------------------------------------------------


def numbered(at: int) -> str:
    return f"{at:064x}"


@pytest.mark.parametrize("pace", ["live", "slow"])
def test_a_seat_commits_anew_a_few_times_and_no_more(ada: User, ben: User, pace: str) -> None:
    play = slow((ada, ben)) if pace == "slow" else started((ada, ben), waits=True)
    for at in range(CHANGES_AT_MOST + 1):
        commit(play, 0, numbered(at))
        with nothing_changes():
            commit(play, 0, numbered(at))  # which is none
    for at in (CHANGES_AT_MOST + 1, 0):  # one that stood before is no less a change
        refused(
            "draws.changes", nonce_commit, match_id=play.pk, acting_user=ada, seat=0,
            commitment=numbered(at), at=T0 + SECOND,
        )  # fmt: skip
    with nothing_changes():
        commit(play, 0, numbered(CHANGES_AT_MOST))
    commit(play, 1)  # the other seat's are its own
    commit(play, 1, numbered(1))
    stands = [each["commitment"] for each in view_of(play)["draws"]["nonces"]]
    assert stands == [numbered(CHANGES_AT_MOST), numbered(1)]


def test_a_page_that_may_not_change_the_number_is_there_all_the_same(live: Play) -> None:
    for at in range(CHANGES_AT_MOST + 1):
        commit(live, 0, numbered(at))
    with committing():
        there = match_poll(
            match_id=live.pk, acting_user=live.players[0], seat=0, waits=True,
            commitment=COMMITMENTS[0],
        )  # fmt: skip
    assert there["seats"] == [True, False]
    stands = view_of(live)["draws"]["nonces"][0]["commitment"]
    assert stands == numbered(CHANGES_AT_MOST)


# -- pages that wait -------------------------------------------------------------------------------


def asks_only(play: Play, there: tuple[bool, bool], at: int, *, on: bool = False) -> None:
    """That somebody is there is said again, as pages do every few seconds: one question, which
    holds nobody up."""
    with nothing_changes(), CaptureQueriesContext(connection) as asked:
        assert attend(play, at=at, there=there) is on
    (sql,) = [each["sql"] for each in asked.captured_queries if "SAVEPOINT" not in each["sql"]]
    assert "FOR NO KEY UPDATE" not in sql
    assert "FOR UPDATE" not in sql


@pytest.mark.parametrize("pace", ["live", "slow"])
def test_to_be_there_still_locks_nothing(ada: User, ben: User, pace: str) -> None:
    play = slow((ada, ben)) if pace == "slow" else started((ada, ben), waits=True)
    for at in range(2):
        commit(play, at)
    attend(play, at=SECOND, there=(True, False))
    asks_only(play, (True, False), 2 * SECOND)
    if pace == "slow":
        asks_only(play, NOBODY, 2 * SECOND)
    with CaptureQueriesContext(connection) as asked:
        assert attend(play, at=3 * SECOND) is False  # numbers are opened from now on
    assert any("FOR NO KEY UPDATE" in each["sql"] for each in asked.captured_queries)
    asks_only(play, BOTH, 3 * SECOND)
    opens(play, 0, at=4 * SECOND)
    asks_only(play, BOTH, 4 * SECOND)
    asks_only(play, (False, True), 4 * SECOND)
    opens(play, 1, at=4 * SECOND)
    asks_only(play, BOTH, 5 * SECOND, on=True)
    play.move(0, "concede", 60 * SECOND)
    asks_only(play, BOTH, 70 * SECOND, on=True)
