"""Matches that are not what their entries make of them are found."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from games.models import Match, MatchEntry
from games.reading import checking
from games.reading.checking import match_check
from games.services.matches import record_import
from tests.engine.playthroughs import playthroughs
from tests.games.support import SECOND, T0, Play, started


def faults(play: Play) -> tuple[str, ...]:
    return match_check(play.pk).faults


@pytest.fixture
def over(ada: User, ben: User, rng: random.Random) -> Play:
    """A match that was played to its end."""
    play = started((ada, ben), random=rng.random)
    play.to_the_end(rng.random, 0)
    return play


def test_all_is_well_at_every_moment(ada: User, ben: User, orla: User, rng: random.Random) -> None:
    play = started((ada, ben), waits=True)
    assert match_check(play.pk) == (play.pk, False, ())
    play = started((ada, ben), advantage=None, random=rng.random)
    assert faults(play) == ()
    for number in range(1, 8):
        table = play.held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        play.move(seat, play.random_move(seat, rng.random), number * SECOND)
        assert faults(play) == ()
    for act in ("pause", "reserve 1 -5", "resume", "take back", "extend 0 10", "extend 1 10"):
        play.organise(orla, act, 8 * SECOND)
        assert faults(play) == ()
    play.wake(100_000 * SECOND)
    assert faults(play) == ()
    play.act(orla, "void", 100_001 * SECOND)
    assert match_check(play.pk) == (play.pk, True, ())


def test_whatever_was_recorded_is_well(orla: User) -> None:
    for record in playthroughs():
        match = record_import(acting_user=orla, data=record.read_bytes(), at=T0)
        assert match_check(match.pk) == (match.pk, True, ())


def changed(play: Play, **columns: Any) -> None:
    Match.objects.filter(pk=play.pk).update(**columns)


def snapshot(play: Play, change: Callable[[Any], None]) -> None:
    kept = json.loads(play.match.snapshot)
    change(kept)
    changed(play, snapshot=json.dumps(kept))


def test_a_row_that_says_otherwise_is_found(over: Play, play: Play) -> None:
    winner, scores = over.match.winner, over.match.scores
    assert winner is not None
    for column, value in (
        ("winner", 1 - winner), ("reason", "concession"), ("scores", [scores[0] + 1, scores[1]]),
        ("seq", over.match.seq + 1),
    ):  # fmt: skip
        before = getattr(over.match, column)
        changed(over, **{column: value})
        assert faults(over) != (), column
        changed(over, **{column: before})
        assert faults(over) == ()
    others: tuple[tuple[str, Any], ...] = (
        ("deadline_at", T0 + 1), ("paused", True), ("awaits_ruling", True), ("advantage", 1),
        ("variant", "nonsense"), ("ruleset", "nonsense"), ("snapshot", "{}"), ("options", {"x": 1}),
    )  # fmt: skip
    for column, value in others:
        before = getattr(play.match, column)
        changed(play, **{column: value})
        assert faults(play) != (), column
        changed(play, **{column: before})
        assert faults(play) == ()


def test_a_position_that_the_entries_do_not_lead_to_is_found(play: Play) -> None:
    play.move(0, "pick T", SECOND)
    assert faults(play) == ()
    snapshot(play, lambda kept: kept["live"]["table"].update(reserve_ms=[1, 1]))
    assert any("another position" in fault for fault in faults(play))


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("DELETE FROM games_matchentry WHERE match_id = %s AND seq = 3", "from 1 to"),
        ("UPDATE games_matchentry SET text = 'nonsense' WHERE match_id = %s AND seq = 2",
         "Entry 2 of its record cannot stand"),
        ("UPDATE games_matchentry SET reading_ms = 100000000 WHERE match_id = %s AND seq = 3",
         "Entry 3 of its record cannot stand"),
    ],
)  # fmt: skip
def test_entries_that_were_tampered_with_are_found(
    ada: User, ben: User, sql: str, word: str
) -> None:
    play = started((ada, ben))
    for number, (seat, text) in enumerate([(0, "pick T"), (1, "pick L"), (0, "first")], 1):
        play.move(seat, text, number * SECOND)
    assert MatchEntry.objects.filter(match=play.pk).count() == 3
    with connection.cursor() as cursor:
        # Entries are append-only for everybody else.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(sql, (play.pk,))
        cursor.execute("SET LOCAL session_replication_role = origin")
    assert any(word in fault for fault in faults(play)), faults(play)


def test_the_command_says_which(play: Play, over: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    # What it asks of a transaction of its own, one that has begun already cannot give.
    every = lambda: map(match_check, [play.pk, over.pk])  # noqa: E731
    monkeypatch.setattr("games.management.commands.check_matches.matches_check", every)
    out, err = io.StringIO(), io.StringIO()
    call_command("check_matches", stdout=out)
    assert "2 matches replayed, 1 of them over: all agree." in out.getvalue()
    changed(play, paused=True)
    with pytest.raises(CommandError, match="1 of 2"):
        call_command("check_matches", stderr=err)
    assert err.getvalue().startswith(f"match {play.pk}: Its paused is True")


@pytest.mark.django_db(transaction=True)
def test_all_are_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_AT_ONCE", 2)
    from tests.games.support import user_named

    players = (user_named("ada"), user_named("ben"))
    pks = [started(players).pk for _ in range(5)]
    assert [each.match_id for each in checking.matches_check()] == pks
