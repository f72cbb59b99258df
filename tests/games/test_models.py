"""What the database itself refuses, whatever the code above it does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from games.models import Challenge, ChatMessage, Match, MatchEntry, MatchPlayer, ServiceBeat
from tests.games.support import Play, nothing_changes


def refuses(constraint: str, call: Callable[[], Any]) -> None:
    with (
        nothing_changes(),
        pytest.raises(IntegrityError, match=constraint),
        transaction.atomic(),
    ):
        call()


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("match_(no_draws|status_known)", {"status": "paused"}),
        ("match_source_known", {"source": "dreamt"}),
        ("match_advantage_seat", {"advantage": 2}),
        # A result is there exactly when the match is over.
        ("match_result_when_over", {"winner": 1}),
        ("match_result_when_over", {"reason": "points"}),
        ("match_result_when_over", {"finished_at": timezone.now()}),
        ("match_(no_draws|result_when_over)", {"status": "finished"}),
        ("match_wakes_for_deadline", {"wake_at": None}),
        ("match_wakes_for_deadline", {"wake_at": None, "sweep_at": None}),
        # The sweep comes upon it no later than it must be looked at.
        ("match_wakes_in_sweep", {"sweep_at": None}),
        ("match_wakes_in_sweep", {"sweep_at": F("wake_at") + 1}),
    ],
)
def test_a_running_match(play: Play, constraint: str, change: dict[str, Any]) -> None:
    refuses(constraint, lambda: Match.objects.filter(pk=play.pk).update(**change))


@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("match_no_draws", {"winner": None}),
        ("match_winner_seat", {"winner": 2}),
        ("match_result_when_over", {"paused": True}),
        ("match_result_when_over", {"wake_at": 5}),
        ("match_result_when_over", {"wake_at": 5, "deadline_at": 5}),
        ("match_wakes_in_sweep", {"sweep_at": 5}),
        ("match_result_when_over", {"reason": ""}),
        ("match_result_when_over", {"finished_at": None}),
        ("match_result_when_over", {"status": "running"}),
    ],
)
def test_a_finished_match(play: Play, constraint: str, change: dict[str, Any]) -> None:
    play.move(0, "concede", 1)
    refuses(constraint, lambda: Match.objects.filter(pk=play.pk).update(**change))


def test_players(play: Play, ada: User, cleo: User) -> None:
    def add(**values: Any) -> Callable[[], Any]:
        return lambda: MatchPlayer.objects.create(match_id=play.pk, name="x", **values)

    refuses("player_one_per_seat", add(seat=0, user=cleo))
    MatchPlayer.objects.filter(match=play.pk, seat=1).delete()
    refuses("player_one_seat_each", add(seat=1, user=ada))
    refuses("player_seat_number", add(seat=2, user=cleo))


def test_entries(play: Play) -> None:
    play.submit(0, "pick T", 1, client_id="one")

    def add(**values: Any) -> Callable[[], Any]:
        arguments = {"match_id": play.pk, "seq": 9, "actor": "0", "at": 0, **values}
        return lambda: MatchEntry.objects.create(**arguments)

    refuses("entry_seq_unique", add(seq=1))
    refuses("entry_client_id_unique", add(client_id="one"))
    refuses("entry_actor_known", add(actor="2"))
    refuses("entry_timeout_of_seat", add(timeout=True, actor="chance"))
    refuses("entry_timeout_of_seat", add(timeout=True, text="D4 90"))


def test_entries_are_append_only(play: Play) -> None:
    play.move(0, "pick T", 1)
    entries = MatchEntry.objects.filter(match=play.pk)
    before = list(entries.values())
    attempts: list[Callable[[], Any]] = [
        lambda: entries.update(text="pick L"),
        entries.delete,
        lambda: entries.get().delete(),
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            attempt()
    assert list(entries.values()) == before


@pytest.mark.django_db(transaction=True)
def test_entries_cannot_be_truncated(play: Play) -> None:
    play.move(0, "pick T", 1)
    with transaction.atomic(), connection.cursor() as cursor:
        # The suite empties tables between tests; nobody else may.
        cursor.execute("SET LOCAL gauntlet.allow_truncate = off")
        with pytest.raises(DatabaseError, match="append-only"):
            cursor.execute("TRUNCATE games_matchentry CASCADE")
        transaction.set_rollback(True)
    assert MatchEntry.objects.count() == 1


def test_challenges(play: Play, ada: User, ben: User) -> None:
    def add(**values: Any) -> Callable[[], Any]:
        arguments = {
            "challenger": ada,
            "ruleset": "tetronogo",
            "variant": "standard",
            "expires_at": timezone.now() + timedelta(hours=1),
            **values,
        }
        return lambda: Challenge.objects.create(**arguments)

    refuses("challenge_status_known", add(status="lost"))
    refuses("challenge_advantage_known", add(advantage="nobody"))
    refuses("challenge_not_oneself", add(opponent=ada))
    refuses("challenge_match_when_accepted", add(status="accepted"))
    refuses("challenge_match_when_accepted", add(match_id=play.pk))


def test_chat(play: Play, ada: User) -> None:
    def add(**values: Any) -> Callable[[], Any]:
        arguments = {
            "match_id": play.pk, "room": "players", "author": ada, "client_id": "a", "text": "hi",
            "at": 0, **values,
        }  # fmt: skip
        return lambda: ChatMessage.objects.create(**arguments)

    add()()
    refuses("chat_client_id_unique", add())
    refuses("chat_room_known", add(room="lobby", client_id="b"))
    refuses("chat_not_empty", add(text="", client_id="b"))


def test_one_beat(db: None) -> None:
    ServiceBeat.objects.create(at=1)
    refuses("service_beat_one_row", lambda: ServiceBeat.objects.create(id=2, at=1))


def test_people_and_matches_with_a_history_cannot_be_deleted(play: Play, ada: User) -> None:
    from django.db.models import ProtectedError

    play.move(0, "pick T", 1)
    for row in (ada, play.match):
        with pytest.raises(ProtectedError):
            row.delete()
