"""Submissions: what is stored, what is answered, what is refused, who is told, what it costs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from accounts.models import AuditEntry, User
from games.audience import turns_group_of
from games.engine.chance import RandomSource
from games.models import Match, MatchEntry
from games.services.matches import match_start
from games.services.turns import Ack, match_submit
from tests.games.support import (
    GAMES,
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    group,
    nothing_changes,
    placing,
    record_holds,
    refused,
    started,
    user_named,
)

# -- starting ------------------------------------------------------------------------------------


def test_a_match_starts_with_its_clocks_running(ada: User, ben: User, wire: Wire) -> None:
    play = started((ada, ben), options={"pick_time": 40})
    match = play.match
    assert (match.status, match.seq, match.paused, match.winner) == ("running", 0, False, None)
    assert match.options == {"pick_time": 40}
    assert match.deadline_at == T0 + 40 * SECOND
    assert match.wake_at == T0 + 10 * SECOND  # the first reminder
    assert [(p.seat, p.name, p.user) for p in match.players.all()] == [
        (0, "Ada", ada),
        (1, "Ben", ben),
    ]
    audit = AuditEntry.objects.get(action="match.start")
    assert (audit.who, audit.target_type, audit.target_id) == (ada, "games.match", str(match.pk))
    frames = wire.frames()
    told = {group: frame["type"] for group, frame in frames}
    assert told == {
        "lobby": "match.started",
        f"user.{ada.pk}": "match.started",
        f"user.{ben.pk}": "match.started",
        f"user.{ada.pk}.turns": "turn",
        f"user.{ben.pk}.turns": "turn",
    }
    turns = [frame for _, frame in frames if frame["type"] == "turn"]
    assert turns == [{"type": "turn", "match": match.pk, "waits": True}] * 2


def test_the_advantage_is_drawn_by_lot_where_nobody_has_it(ada: User, ben: User) -> None:
    drawn = set()
    for _ in range(40):
        play = started((ada, ben), advantage=None)
        ((actor, text, _timeout),) = play.entries
        assert actor == "chance"
        assert play.match.advantage is None  # what was agreed; the lot is in the entries
        assert play.held.live.table.advantage == int(text.removeprefix("lot "))
        drawn.add(text)
    assert drawn == {"lot 0", "lot 1"}


@pytest.mark.parametrize(
    ("variant", "agreed", "holders", "advantage"),
    [
        ("final", None, (0,), 0),
        ("final", None, (1, 0, 1), 1),
        ("final", None, (0, 1), None),
        ("final", 0, (1, 1), 0),  # what was agreed counts
        ("gauntlet", None, (), None),
    ],
)
def test_more_items_give_the_advantage_in_a_final(
    variant: str, agreed: int | None, holders: Sequence[int], advantage: int | None,
    ada: User, ben: User,
) -> None:  # fmt: skip
    from games.engine.ruleset import HeldItem

    items = tuple(HeldItem(seat, "rapid-removal") for seat in holders)
    play = started((ada, ben), "peg-domain", variant=variant, advantage=agreed, items=items)
    assert play.match.advantage == advantage
    lots = [text for _, text, _ in play.entries if text.startswith("lot")]
    assert len(lots) == (advantage is None)


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("setup.ruleset", {"ruleset_id": "tictactoe"}),
        ("setup.variant", {"variant": "gauntlet"}),
        ("setup.options", {"options": {"turn_tyme": 5}}),
        ("setup.options", {"options": {"turn_time": "5"}}),
        ("setup.options", {"options": {"turn_time": -1}}),
        ("setup.options", {"options": {"turn_time": float("nan")}}),
        ("setup.options", {"options": {"turn_time": float("inf")}}),
        ("setup.options", {"options": {"turn_time": 10**10}}),
        ("setup.item", {"items": ("unknown",)}),
        ("setup.one-player", {"players": "the same"}),
        ("setup.account-closed", {"players": "closed"}),
    ],
)
def test_starting_is_refused(code: str, change: dict[str, Any], ada: User, ben: User) -> None:
    from games.engine.ruleset import HeldItem

    closed = user_named("closed", is_active=False)
    players = {"the same": (ada, ada), "closed": (ada, closed)}
    arguments = {
        "acting_user": ada,
        "players": players.get(change.pop("players", ""), (ada, ben)),
        "ruleset_id": "tetronogo",
        "variant": "standard",
        "items": [HeldItem(0, item) for item in change.pop("items", ())],
        **change,
    }
    refused(code, match_start, **arguments)


# -- what a submission does ----------------------------------------------------------------------


def test_an_accepted_submission_is_on_disk(play: Play, ada: User) -> None:
    placing(play)
    ack = play.submit(0, " d4.90 ", 13_250, client_id="Aa0_-")
    assert ack == Ack("Aa0_-", play.pk, play.versions[0], T0 + 13_250)
    entry = MatchEntry.objects.get(match=play.pk, client_id="Aa0_-")
    assert (entry.actor, entry.text, entry.submitted) == ("0", "D4 90", " d4.90 ")
    assert (entry.seq, entry.by, entry.ack_version) == (4, ada, play.versions[0])
    assert (entry.at, entry.reading_ms, entry.timeout) == (T0 + 13_250, 10_250, False)
    match = play.match
    assert match.seq == 4
    assert match.deadline_at == T0 + 13_250 + (60 + 120) * SECOND  # Ben's turn and reserve


def test_a_secret_choice_is_told_to_its_seat_alone(play: Play, wire: Wire) -> None:
    play.move(0, "pick T", 1 * SECOND)
    (to, frame), turn = wire.frames()
    assert to == group(play.pk, 0)
    # And that the match waits for them no more, on every page that they have open.
    own = {"type": "turn", "match": play.pk, "waits": False}
    assert turn == (turns_group_of(play.players[0].pk), own)
    assert (frame["type"], frame["version"], frame["events"]) == ("step", 2, [])
    assert frame["view"]["decisions"][0]["sealed"] == "pick T"
    assert play.versions == (2, 1, 1)
    play.move(1, "pick L", 2 * SECOND)
    told = dict(wire.frames("step"))
    assert [told[group(play.pk, who)]["version"] for who in (0, 1, "room")] == [3, 2, 2]
    texts = [event["text"] for event in told[group(play.pk, "room")]["events"][0]["events"]]
    assert texts == ["picked T", "picked L"]


def test_each_audience_counts_its_versions_and_log_without_gaps(
    play: Play, wire: Wire, rng: random.Random
) -> None:
    play.to_the_end(rng.random, 0)
    steps = wire.frames("step")
    for who in (0, 1, "room"):
        mine = [frame for to, frame in steps if to == group(play.pk, who)]
        assert [frame["version"] for frame in mine] == list(range(2, len(mine) + 2))
        numbers = [item["n"] for frame in mine for item in frame["events"]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert [frame["resync"] for frame in mine] == [False] * (len(mine) - 1) + [True]


@pytest.mark.parametrize(("ruleset", "variant"), GAMES)
def test_a_match_played_to_the_end_leaves_a_record_that_holds(
    ruleset: str, variant: str, ada: User, ben: User, rng: random.Random, draws: RandomSource
) -> None:
    play = started((ada, ben), ruleset, variant=variant, advantage=None, random=draws)
    end = play.to_the_end(rng.random, 0)
    match = play.match
    assert match.is_over
    assert match.winner in (0, 1)
    assert (match.wake_at, match.deadline_at, match.paused) == (None, None, False)
    assert match.finished_at is not None
    assert match.finished_at.timestamp() * 1000 == T0 + end
    record_holds(match)


# -- resending -----------------------------------------------------------------------------------


def test_a_resend_gets_the_same_ack_whatever_happened_since(play: Play) -> None:
    first = play.submit(0, "pick T", 1 * SECOND, client_id="one", version=1)
    assert isinstance(first, Ack)

    def again() -> None:
        with nothing_changes():
            answer = play.submit(0, "pick T", 9 * SECOND, client_id="one", version=1)
        assert answer == first._replace(resent=True)

    again()
    play.move(1, "pick L", 2 * SECOND)
    again()  # another decision of mine is open
    play.move(0, "second", 3 * SECOND)
    again()  # none is
    play.move(1, "concede", 4 * SECOND)
    again()  # the match is over


def test_a_resend_counts_once_even_with_a_newer_version(play: Play, ada: User) -> None:
    """A client that put the current version into the resend must not move twice."""
    placing(play)
    first = play.submit(0, "concede", 4 * SECOND, client_id="x")
    with nothing_changes():
        again = play.submit(0, "concede", 5 * SECOND, client_id="x", version=play.versions[0])
    assert isinstance(first, Ack)
    assert again == first._replace(resent=True)


def test_a_move_that_would_be_legal_again_is_still_not_made_twice(play: Play, orla: User) -> None:
    """After a take-back the very same submission would be legal: its id says that it is old."""
    placing(play)
    first = play.submit(0, "D4 90", 4 * SECOND, client_id="x")
    play.act(orla, "take back", 5 * SECOND)
    assert play.decision(0) == "1.place.1"
    with nothing_changes():
        again = play.submit(0, "D4 90", 6 * SECOND, client_id="x")
    assert isinstance(first, Ack)
    assert again == first._replace(resent=True)


def test_an_id_stands_for_one_text(play: Play) -> None:
    play.submit(0, "pick T", 1 * SECOND, client_id="one")
    arguments = {"seat": 0, "at": 2 * SECOND, "client_id": "one"}
    refused("id.reused", play.submit, text="pick L", **arguments)
    refused("id.reused", play.submit, text="pick t", **arguments)
    refused("id.reused", play.submit, text="concede", **arguments)


def test_the_opponents_ids_are_no_concern_of_mine(play: Play) -> None:
    """An id that is taken would tell that the other has made a secret choice."""
    play.submit(0, "pick T", 1 * SECOND, client_id="one")
    bad = {"seat": 1, "text": "pick X", "at": 2 * SECOND, "client_id": "one"}
    refused("notation.tetromino", play.submit, **bad)
    answer = play.submit(1, "pick L", 2 * SECOND, client_id="one")
    assert isinstance(answer, Ack)
    assert not answer.resent
    assert [entry[:2] for entry in play.entries] == [("0", "pick T"), ("1", "pick L")]


# -- refusals ------------------------------------------------------------------------------------


def test_refused_in_a_running_match(play: Play, ada: User) -> None:
    def submit(code: str, text: str, seat: int = 0, **more: Any) -> None:
        refused(code, play.submit, seat=seat, text=text, at=5 * SECOND, **more)

    for text in ("", " . ", "pick", "pick \U0001f600", "pick T\x00", "x" * 2001, "\ud800"):
        submit("notation.unreadable", text)
    submit("notation.tetromino", "pick X")
    submit("move.wrong-kind", "D4 90")
    submit("frame.malformed", "pick T", client_id="with space")
    submit("frame.malformed", "pick T", client_id="x" * 65)
    submit("frame.malformed", "pick T", client_id="line\n")
    submit("version.ahead", "pick T", version=2)
    submit("version.ahead", "pick T", version=2**70)
    # Never stale, but no view of the future is anybody's to concede in.
    submit("version.ahead", "concede", version=2)
    submit("version.stale", "pick T", version=0)
    submit("version.stale", "pick T", version=-(2**70))
    play.move(0, "pick T", 6 * SECOND)
    submit("decision.sealed", "pick L")
    play.move(1, "pick L", 7 * SECOND)
    submit("decision.none", "first", seat=1)
    submit("version.stale", "first", version=2)  # seen while picking, meant for another decision
    play.move(0, "first", 8 * SECOND)
    play.move(0, "D4 90", 9 * SECOND)
    squares = refused("place.overlap", play.submit, seat=1, text="D4 0", at=9 * SECOND).squares
    assert squares


def test_refused_when_the_match_is_over(play: Play) -> None:
    play.move(0, "concede", 1 * SECOND)
    refused("match.over", play.submit, seat=0, text="pick T", at=2 * SECOND)
    refused("match.over", play.submit, seat=1, text="concede", at=2 * SECOND)


def test_refused_while_paused(play: Play, orla: User) -> None:
    play.act(orla, "pause", 1 * SECOND)
    refused("match.paused", play.submit, seat=0, text="pick T", at=2 * SECOND)


def test_refused_where_there_is_no_match(ada: User) -> None:
    arguments = {"acting_user": ada, "client_id": "x", "text": "pick T", "version": 1, "at": T0}
    refused("match.none", match_submit, match_id=404, seat=0, **arguments)


def test_refused_for_a_closed_account(play: Play, ada: User) -> None:
    """Also where the caller still holds the user of before."""
    User.objects.filter(pk=ada.pk).update(is_active=False)
    refused("account.closed", play.submit, seat=0, text="pick T", at=1 * SECOND)


def test_a_stale_version_is_judged_by_decision_and_not_by_frame(play: Play, orla: User) -> None:
    """What changes the view but not the decision makes no submission stale."""
    seen = play.versions[1]
    play.act(orla, "reserve 1 +60", 1 * SECOND)
    play.act(orla, "extend 1 30", 2 * SECOND)
    play.move(0, "pick T", 3 * SECOND)
    assert play.versions[1] > seen
    assert isinstance(play.submit(1, "pick L", 4 * SECOND, version=seen), Ack)


# -- conceding -----------------------------------------------------------------------------------


def test_conceding_works_at_any_time(ada: User, ben: User, orla: User) -> None:
    def check(prepare: Callable[[Play], object], seat: int, at: int, version: int = 0) -> None:
        play = started((ada, ben))
        prepare(play)
        assert isinstance(play.submit(seat, " Concede. ", at, version=version), Ack)
        match = play.match
        assert (match.winner, match.reason) == (1 - seat, "concession")
        record_holds(match)

    check(lambda play: None, 0, 1 * SECOND)
    check(lambda play: play.move(0, "pick T", 1 * SECOND), 0, 2 * SECOND)  # mine is sealed
    check(lambda play: play.move(0, "pick T", 1 * SECOND), 1, 2 * SECOND)  # the other's is
    check(placing, 1, 4 * SECOND)  # it is the other's turn
    check(placing, 0, 4 * SECOND)
    check(lambda play: play.act(orla, "pause", 1 * SECOND), 1, 2 * SECOND)
    check(placing, 0, 3 * SECOND + 180 * SECOND + 1)  # my time is over, and with it the bout


def test_a_concession_too_late_does_not_undo_a_result(ada: User, ben: User) -> None:
    """Out of time loses Domino Black & White: there is nothing left to concede."""
    play = started((ada, ben), "domino-black-white")
    play.move(0, "first", 1 * SECOND)
    answer = play.submit(0, "concede", 1 * SECOND + 720 * SECOND + 1)
    assert getattr(answer, "code", None) == "match.over"
    match = play.match
    assert (match.winner, match.reason) == (1, "timeout")
    record_holds(match)


# -- what it costs, and when it is told ----------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("ruleset", "variant"), GAMES)
def test_a_turn_costs_one_statement(
    ruleset: str, variant: str, ada: User, ben: User, rng: random.Random, draws: RandomSource
) -> None:
    play = started((ada, ben), ruleset, variant=variant, random=draws)
    for at in range(1, 40):
        table = play.held.live.table
        seat = next(seat for seat in (0, 1) if table.open[seat] is not None)
        text, version = play.random_move(seat, rng.random), play.versions[seat]
        with CaptureQueriesContext(connection) as queries:
            answer = play.submit(seat, text, at * SECOND, version=version)
        assert isinstance(answer, Ack)
        verbs = [query["sql"].split()[0] for query in queries]
        if at == 1:  # the process does not know the match yet
            expected = ["BEGIN", "SELECT", "INSERT", "UPDATE", "COMMIT"]
            assert "FOR NO KEY UPDATE" in queries[1]["sql"]
        else:
            expected = ["WITH"]
        assert verbs[: len(expected)] == expected
        if play.match.is_over:  # then there is more to tell, after the commit
            break
        assert len(verbs) == len(expected)


@pytest.mark.django_db(transaction=True)
def test_a_refusal_costs_two_statements_at_most(
    play: Play, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    version = play.versions[0]
    with django_assert_max_num_queries(4):  # BEGIN, the locked row, an earlier ack?, COMMIT
        play.submit(0, "pick X", 1 * SECOND, version=version)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_told_before_the_commit_or_after_a_rollback(play: Play, wire: Wire) -> None:
    with transaction.atomic():
        match_submit(
            match_id=play.pk, seat=0, acting_user=play.players[0], client_id="x", text="pick T",
            version=1, at=T0 + 1,
        )  # fmt: skip
        assert wire.texts() == []
        transaction.set_rollback(True)
    assert wire.texts() == []
    assert play.entries == []
    play.move(0, "pick T", 2)
    told = [(where, frame["type"]) for where, frame in wire.frames()]
    assert told == [(group(play.pk, 0), "step"), (turns_group_of(play.players[0].pk), "turn")]


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_loses_no_move(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    import redis

    from games.publishing import publish

    away = redis.Redis.from_url("redis://127.0.0.1:1")
    monkeypatch.setattr(publish, "_client", lambda _url: away)
    play.move(0, "pick T", 1 * SECOND)
    play.move(1, "pick L", 2 * SECOND)
    assert play.entries == [("0", "pick T", False), ("1", "pick L", False)]


def test_the_end_is_told_once_through_the_hook_after_commit(play: Play) -> None:
    from games.hooks import match_ended

    ended: list[int] = []

    def failing(**_: object) -> None:
        raise RuntimeError("a receiver of somebody else's")

    def receiver(match_id: int, **_: object) -> None:
        ended.append(match_id)

    match_ended.connect(failing)
    match_ended.connect(receiver)
    try:
        with committing():
            match_submit(
                match_id=play.pk, seat=0, acting_user=play.players[0], client_id="x",
                text="concede", version=1, at=T0 + 1,
            )  # fmt: skip
            assert ended == []
        play.submit(0, "concede", 2, client_id="x")
    finally:
        match_ended.disconnect(failing)
        match_ended.disconnect(receiver)
    assert ended == [play.pk]
    assert Match.objects.get(pk=play.pk).is_over
