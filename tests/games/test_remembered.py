"""Turns that follow what the process remembers of a match: one statement each, and what comes of
them is what comes of turns under the row's lock, whatever others did to the match meanwhile."""

from __future__ import annotations

import asyncio
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from core.refusals import Refusal
from games import remembered, store
from games.engine.live import Live
from games.hooks import match_ended, match_turned
from games.models import Match, MatchEntry, ServiceOutage
from games.publishing.publish import Frame
from games.services import settling, turns
from games.services.outage import known
from games.services.turns import Ack, match_submit, match_submit_on_loop
from games.sockets.executor import in_turn_thread
from games.store import Held, RowHeldError, without_waiting
from tests.games import support
from tests.games.support import GAMES, SECOND, T0, Play, Wire, placing, started
from tests.games.test_races import Threads
from tests.support.looping import LoopSide, close_connection

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    """Each test begins as a process does, and leaves nothing to the next."""
    remembered.forget_all()
    yield
    remembered.forget_all()


@contextmanager
def statements() -> Iterator[list[str]]:
    """The first words of what the database was asked."""
    words: list[str] = []
    with CaptureQueriesContext(connection) as queries:
        yield words
    words += [query["sql"].split()[0] for query in queries]


class OnLoop:
    """Has an event loop do what `match_submit` is asked for, wherever it can by itself."""

    def __init__(self, side: LoopSide) -> None:
        self.side = side
        self.acked = 0

    def __call__(self, **submission: Any) -> Ack:
        """As `match_submit`."""
        ack = self.side.run(match_submit_on_loop(database=self.side.database, **submission))
        self.side.settle()
        self.acked += ack is not None
        return ack or match_submit(**submission)


@pytest.fixture
def side() -> Iterator[LoopSide]:
    side = LoopSide()
    assert side.ask("SELECT 1")
    yield side
    side.close()


@pytest.fixture
def on_loop(side: LoopSide, monkeypatch: pytest.MonkeyPatch) -> OnLoop:
    """What players submit, an event loop does."""
    way = OnLoop(side)
    monkeypatch.setattr(support, "match_submit", way)
    return way


@pytest.fixture(params=[False, True], ids=["in a thread", "on a loop"])
def way(request: pytest.FixtureRequest) -> OnLoop | None:
    """Who does what players submit."""
    return request.getfixturevalue("on_loop") if request.param else None


LOCKED = ["BEGIN", "SELECT", "INSERT", "UPDATE", "COMMIT"]
AT_ONCE = ["WITH"]


def follow_up(play: Play, at: int) -> tuple[int, str]:
    """Somebody whose turn it is, and a move of theirs."""
    table = play.held.live.table
    seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
    return seat, play.random_move(seat, random.Random(at).random)


# -- the same as under the lock ------------------------------------------------------------------


def told_of(play: Play, wire: Wire) -> list[tuple[str, Any]]:
    """What went out, with the match's number left out."""
    told = []
    for to, frame in wire.frames():
        plain = {**frame, "match": 0, "url": ""}
        if "card" in frame:
            plain["card"] = frame["card"].replace(f"/matches/{play.pk}/", "/matches/0/")
        told.append((to.replace(f"match.{play.pk}.", ""), plain))
    return told


def stored_of(play: Play) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Everything that is stored, but for the keys of rows."""
    row: dict[str, Any] = dict(Match.objects.filter(pk=play.pk).values().get())
    entries = [
        {key: value for key, value in entry.items() if key not in ("id", "match_id")}
        for entry in MatchEntry.objects.filter(match=play.pk).order_by("seq").values()
    ]
    del row["id"]
    return row, entries


def compared(answer: object) -> object:
    """What was answered, with the match's number left out."""
    if isinstance(answer, Refusal):
        return answer.code, answer.sentence, answer.squares
    return answer._replace(match_id=0) if isinstance(answer, Ack) else answer


def hint_of(play: Play) -> Held | None:
    """What is remembered of a match. Whatever it is, it is right of the row that it names."""
    hint = remembered.remembered(play.pk)
    row = store.read(play.pk)
    assert hint is None or hint.written_by != row.written_by or hint == row
    return hint


class Twins:
    """Two matches to which the same happens; of the second nothing is ever remembered."""

    def __init__(self, one: Play, two: Play, wire: Wire, way: OnLoop | None) -> None:
        self.one, self.two, self.wire, self.way = one, two, wire, way
        self.at_once = 0
        wire.texts()

    def both(self, name: str, *arguments: Any, **more: Any) -> None:
        """It comes to the same."""
        acked = self.way.acked if self.way else 0
        with statements() as words:
            answer = getattr(self.one, name)(*arguments, **more)
        if self.way:
            self.at_once += self.way.acked - acked
        else:
            self.at_once += "WITH" in words and "BEGIN" not in words
        heard = told_of(self.one, self.wire)
        hint = hint_of(self.one)
        remembered.forget_all()
        other = getattr(self.two, name)(*arguments, **more)
        remembered.forget_all()
        if hint is not None:
            remembered.remember(hint)
        assert compared(other) == compared(answer)
        assert told_of(self.two, self.wire) == heard
        assert stored_of(self.two) == stored_of(self.one)


@pytest.mark.parametrize(("ruleset", "variant"), GAMES)
def test_a_match_is_the_same_either_way(  # noqa: PLR0917  (fixtures)
    ruleset: str,
    variant: str,
    play: Play,
    orla: User,
    wire: Wire,
    way: OnLoop | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Answers, rows, entries and frames, to the end, which somebody concedes where it is far; with
    acts of an organiser, reminders and what is refused in between."""
    # However long a turn takes on a machine that is busy: the loop is asked for each.
    monkeypatch.setattr(turns, "_long_until", {})
    monkeypatch.setattr(turns, "LONG_S", float("inf"))
    one, two = (
        started(play.players, ruleset, variant=variant, random=random.Random(5).random)
        for _ in range(2)
    )
    twins, lot = Twins(one, two, wire, way), random.Random(11)
    at = 0
    while not one.match.is_over:
        at += 3 * SECOND
        seat, text = follow_up(one, at) if at < 40 * 3 * SECOND else (0, "concede")
        match lot.randrange(20):
            case 0:
                twins.both("organise", orla, "pause", at)
                twins.both("submit", seat, text, at + 1)
                twins.both("organise", orla, "resume", at + 2)
            case 1:
                twins.both("organise", orla, "reserve 0 +5", at)
            case 2:
                twins.both("submit", 1 - seat, "nonsense", at)
                twins.both("submit", seat, text, at, version=0)
            case 3:
                twins.both("wake", at)
        twins.both("submit", seat, text, at + 5)
    assert twins.at_once > 10


def test_the_first_turn_looks_at_the_row_and_the_next_do_not(play: Play) -> None:
    with statements() as words:
        play.move(0, "pick T", 1 * SECOND)
    assert [word for word in words if word != "SELECT"] == LOCKED[:1] + LOCKED[2:]
    version = play.versions[1]
    with statements() as words:
        answer = play.submit(1, "pick L", 2 * SECOND, version=version)
    assert isinstance(answer, Ack)
    assert words == AT_ONCE
    assert play.entries == [("0", "pick T", False), ("1", "pick L", False)]


def test_the_statement_is_prepared_once_for_a_connection(play: Play) -> None:
    placing(play)
    for at in range(4, 12):
        play.move(*follow_up(play, at), at * SECOND)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%games_matchentry%'"
        )
        prepared = [statement for (statement,) in cursor.fetchall()]
    assert prepared
    assert len(prepared) == len(set(prepared))


def test_a_turn_is_told_after_it_is_durable(play: Play) -> None:
    """Whoever hears of it finds it, from another connection."""
    play.move(0, "pick T", 1 * SECOND)
    other = connection.copy()
    seen: list[int] = []

    def listen(**_: object) -> None:
        with other.cursor() as cursor:
            cursor.execute("SELECT seq FROM games_match WHERE id = %s", (play.pk,))
            seen.append(cursor.fetchone()[0])

    Match.objects.filter(pk=play.pk).update(followed=True)
    remembered.remember(store.read(play.pk))
    match_turned.connect(listen)
    match_ended.connect(listen)
    with closing(other):
        try:
            with statements() as words:
                play.submit(1, "pick L", 2 * SECOND, version=1)
            assert words == AT_ONCE
            play.submit(0, "concede", 3 * SECOND)
        finally:
            match_turned.disconnect(listen)
            match_ended.disconnect(listen)
    assert seen == [2, 3, 3]


# -- what others did meanwhile -------------------------------------------------------------------


def outage(play: Play, orla: User) -> None:
    del orla
    ServiceOutage.objects.create(down_since=T0 + 4 * SECOND, back_at=T0 + 9 * SECOND)
    known.end = T0 + 9 * SECOND


def elsewhere(play: Play, orla: User) -> None:
    """Another process, which remembers other things, plays on."""
    del orla
    here = remembered.remembered(play.pk)
    remembered.forget_all()
    play.move(0, "D4 90", 5 * SECOND)
    assert here is not None
    remembered.forget_all()
    remembered.remember(here)


CHANGES: dict[str, Callable[[Play, User], object]] = {
    "pause": lambda play, orla: play.act(orla, "pause", 5 * SECOND),
    "reserve": lambda play, orla: play.act(orla, "reserve 0 +60", 5 * SECOND),
    "take-back": lambda play, orla: play.act(orla, "take back", 5 * SECOND),
    "void": lambda play, orla: play.act(orla, "void", 5 * SECOND),
    "reminder": lambda play, _: play.wake(33 * SECOND),
    "timeout": lambda play, _: play.wake(200 * SECOND),
    "outage": outage,
    "elsewhere": elsewhere,
    "followed": lambda play, _: Match.objects.filter(pk=play.pk).update(followed=True),
    "sweep": lambda play, _: Match.objects.filter(pk=play.pk).update(sweep_at=1),
    "closed": lambda play, _: User.objects.filter(pk=play.players[0].pk).update(is_active=False),
}


@contextmanager
def turned() -> Iterator[list[int]]:
    """The versions that those who follow a match are told of meanwhile."""
    versions: list[int] = []

    def listen(*, version: int, **_: object) -> None:
        versions.append(version)

    match_turned.connect(listen)
    try:
        yield versions
    finally:
        match_turned.disconnect(listen)


@pytest.mark.parametrize("column", ["wake_at", "followed", "made_good_until", "items", "unrated"])
def test_any_write_to_the_row_is_noticed(play: Play, column: str) -> None:
    """Even one that changes nothing."""
    play.move(0, "pick T", 1 * SECOND)
    Match.objects.filter(pk=play.pk).update(**{column: F(column)})
    with statements() as words:
        assert isinstance(play.submit(1, "pick L", 2 * SECOND, version=1), Ack)
    assert words == AT_ONCE + LOCKED


@pytest.mark.parametrize(
    ("change", "text"),
    list(itertools.product(CHANGES, ["D4 90", "A1 0", "concede", "first", "nonsense"])),
)
@pytest.mark.usefixtures("way")
def test_whatever_others_did_counts(
    change: str, text: str, play: Play, orla: User, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One match with what was remembered before somebody else wrote to it, and one like it of which
    nothing is: the same answer, rows and frames."""
    found = []
    for is_remembered in (True, False):
        User.objects.filter(pk=play.players[0].pk).update(is_active=True)
        monkeypatch.setattr(known, "end", 0)
        ServiceOutage.objects.all().delete()
        play = placing(started(play.players, random=random.Random(3).random))
        hint = remembered.remembered(play.pk)
        assert hint is not None
        version = play.versions[0]
        CHANGES[change](play, orla)
        wire.texts()
        remembered.forget_all()
        if is_remembered:
            remembered.remember(hint)
        at = (201 if change == "timeout" else 40) * SECOND
        with turned() as versions:
            answer = play.submit(0, text, at, client_id="mine", version=version)
        found.append((compared(answer), stored_of(play), told_of(play, wire), versions))
    assert found[0] == found[1]


@pytest.mark.parametrize("text", ["D4 90", "A1 0"])
@pytest.mark.parametrize("moved_on", [False, True])
@pytest.mark.usefixtures("way")
def test_a_resend_counts_once(play: Play, text: str, moved_on: bool) -> None:
    placing(play)
    first = play.submit(0, "D4 90", 4 * SECOND, client_id="x")
    assert isinstance(first, Ack)
    if moved_on:
        play.move(*follow_up(play, 5), 5 * SECOND)
    assert remembered.remembered(play.pk) is not None
    before = stored_of(play)
    again = play.submit(0, text, 6 * SECOND, client_id="x", version=play.versions[0])
    if text == "D4 90":
        assert again == first._replace(resent=True)
    else:
        assert isinstance(again, Refusal)
        assert again.code == "id.reused"
    assert stored_of(play) == before


def test_a_resend_that_would_be_legal_again_counts_once(play: Play) -> None:
    """What is remembered allows it, and nobody has written to the row since: its id alone says that
    it is there already."""
    placing(play)
    play.submit(0, "D4 90", 4 * SECOND, client_id="x")
    seat, text = follow_up(play, 5)
    play.submit(seat, text, 5 * SECOND, client_id="mine")
    seat, text = follow_up(play, 6)
    before = stored_of(play)
    with statements() as words:
        answer = play.submit(seat, text, 6 * SECOND, client_id="x")
    assert words[-6:-5] == AT_ONCE or "WITH" in words
    assert isinstance(answer, Refusal)
    assert answer.code == "id.reused"
    assert stored_of(play) == before


def test_a_match_that_somebody_holds_is_not_waited_for(play: Play) -> None:
    placing(play)
    version = play.versions[0]
    holder = connection.copy()
    holder.set_autocommit(False)
    with closing(holder), holder.cursor() as cursor:
        cursor.execute("SELECT id FROM games_match WHERE id = %s FOR UPDATE", (play.pk,))
        with without_waiting(), pytest.raises(RowHeldError):
            play.submit(0, "D4 90", 4 * SECOND, version=version)
        holder.rollback()
        # Nothing was written: what is remembered is the row still.
        cursor.execute("SELECT id FROM games_match WHERE id = %s FOR KEY SHARE", (play.pk,))
        with statements() as words:
            answer = play.submit(0, "D4 90", 4 * SECOND, version=version)
        assert words == AT_ONCE
        holder.rollback()
    assert isinstance(answer, Ack)


def test_within_a_transaction_the_row_is_asked(play: Play) -> None:
    """What is not committed is not remembered, and what is remembered is not written by halves."""
    play.move(0, "pick T", 1 * SECOND)
    hint = remembered.remembered(play.pk)
    with transaction.atomic():
        match_submit(
            match_id=play.pk, seat=1, acting_user=play.players[1], client_id="x", text="pick L",
            version=1, at=T0 + 2 * SECOND,
        )  # fmt: skip
        transaction.set_rollback(True)
    assert remembered.remembered(play.pk) == hint
    assert play.entries == [("0", "pick T", False)]
    play.move(1, "pick L", 2 * SECOND)
    assert len(play.entries) == 2


async def test_a_connection_that_broke_is_one_more_try(play: Play) -> None:
    """It broke after the commit: the second try finds the first, and nothing that was remembered of
    another database is left."""
    calls = 0

    def breaks() -> str:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise OperationalError("the server closed the connection unexpectedly")
        return "done"

    remembered.remember(Held(1, None, Live(None), None, 0, None, "running", written_by="1"))  # type: ignore[arg-type]
    assert await in_turn_thread(breaks) == "done"
    assert remembered.remembered(1) is None


# -- on an event loop ----------------------------------------------------------------------------


def on_the_loop(play: Play, side: LoopSide, **more: Any) -> Ack | None:
    """What comes of seat 0's first placement there."""
    submission: dict[str, Any] = {
        "match_id": play.pk, "seat": 0, "acting_user": play.players[0], "client_id": "x",
        "text": "D4 90", "version": play.versions[0], "at": T0 + 4 * SECOND,
    }  # fmt: skip
    ack = side.run(match_submit_on_loop(database=side.database, **(submission | more)))
    side.settle()
    return ack


def test_the_loop_tells_of_a_turn_after_it_is_durable(
    play: Play, side: LoopSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    placing(play)
    seen: list[tuple[int, int]] = []

    def tell(told: list[Frame]) -> list[str]:
        here = threading.get_ident()
        other = ThreadPoolExecutor(1)
        with other:
            seq = other.submit(lambda: store.read(play.pk).seq).result()
            other.submit(close_connection).result()
        seen.append((here, seq))
        assert told
        return []

    monkeypatch.setattr(settling, "tell_here", tell)
    with statements() as words:
        ack = side.run(
            match_submit_on_loop(
                match_id=play.pk, seat=0, acting_user=play.players[0], client_id="x",
                text="D4 90", version=remembered_version(play), at=T0 + 4 * SECOND,
                database=side.database,
            )
        )  # fmt: skip
    assert ack is not None
    assert words == []
    assert seen == [(side.thread.ident, 4)]
    side.settle()


def remembered_version(play: Play) -> int:
    held = remembered.remembered(play.pk)
    assert held is not None
    return held.readers.versions[0]


def test_the_loop_keeps_to_what_it_can_do_at_once(
    play: Play, side: LoopSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All else is for threads, and nothing has happened."""
    assert on_the_loop(play, side, text="pick T") is None  # nothing is remembered yet
    placing(play)
    before = stored_of(play)
    assert on_the_loop(play, side, text="nonsense") is None
    assert on_the_loop(play, side, text="pick T") is None
    assert on_the_loop(play, side, version=99) is None
    assert on_the_loop(play, side, version=0) is None
    assert on_the_loop(play, side, client_id="not an id") is None
    assert on_the_loop(play, side, client_id="y" * 65) is None
    with monkeypatch.context() as patched:
        patched.setattr(known, "beat", 1)  # this process stood still
        assert on_the_loop(play, side) is None
    with monkeypatch.context() as patched:
        patched.setattr(known, "end", T0 + 9 * SECOND)
        assert on_the_loop(play, side) is None
    Match.objects.filter(pk=play.pk).update(followed=F("followed"))
    assert on_the_loop(play, side) is None
    assert stored_of(play) == before
    remembered.remember(store.read(play.pk))
    assert on_the_loop(play, side) is not None


def test_the_loop_leaves_to_threads_what_no_connection_is_free_for(
    play: Play, side: LoopSide
) -> None:
    placing(play)
    before = stored_of(play)
    asked = asyncio.run_coroutine_threadsafe(side.execute("SELECT pg_sleep(1)"), side.loop)
    side.until(lambda: not side.database.idle)
    assert on_the_loop(play, side) is None
    assert stored_of(play) == before
    side.call(side.database.close)
    assert asked.result(20) is None


def test_the_loop_is_not_kept_busy_by_long_turns(
    play: Play, side: LoopSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one that is long is the last one for a while, of this ruleset."""
    placing(play)
    monkeypatch.setattr(turns, "_long_until", {})
    monkeypatch.setattr(turns, "LONG_S", 0.0)
    assert on_the_loop(play, side) is not None
    seat, text = follow_up(play, 5)
    more = {"seat": seat, "text": text, "acting_user": play.players[seat], "client_id": "y"}
    version = play.versions[seat]
    assert on_the_loop(play, side, version=version, **more) is None
    monkeypatch.setattr(turns, "_long_until", {"domain": time.monotonic() + 60})
    assert on_the_loop(play, side, version=version, **more) is not None


def test_what_was_stored_though_nobody_knew_counts_once(play: Play, side: LoopSide) -> None:
    """The connection broke before the answer was there: the thread that is asked next finds it."""
    placing(play)

    class Broken:
        later = staticmethod(side.database.later)

        def execute(self, sql: str, parameters: list[str | None], answered: Any) -> bool:
            sent = side.execute(sql, *parameters)
            asyncio.ensure_future(sent).add_done_callback(lambda _rows: answered(None))
            return True

    broken = OnLoop(side)
    submission: dict[str, Any] = {
        "match_id": play.pk, "seat": 0, "acting_user": play.players[0], "client_id": "x",
        "text": "D4 90", "version": play.versions[0], "at": T0 + 4 * SECOND,
    }  # fmt: skip
    assert side.run(match_submit_on_loop(database=Broken(), **submission)) is None  # type: ignore[arg-type]
    assert play.entries[-1] == ("0", "D4 90", False)
    again = broken(**submission)
    assert again.resent
    assert [text for _, text, _ in play.entries].count("D4 90") == 1


def test_a_socket_that_is_gone_by_then_leaves_the_turn_as_it_is(play: Play, side: LoopSide) -> None:
    """Who waited for the answer is not there any more; the match goes on all the same."""
    placing(play)
    submission: dict[str, Any] = {
        "match_id": play.pk, "seat": 0, "acting_user": play.players[0], "client_id": "x",
        "text": "D4 90", "version": play.versions[0], "at": T0 + 4 * SECOND,
    }  # fmt: skip

    async def leaving() -> None:
        work = match_submit_on_loop(database=side.database, **submission)
        task = asyncio.ensure_future(work)
        await asyncio.sleep(0)  # until it waits
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    side.run(leaving())
    side.until(lambda: side.database.idle)
    side.settle()
    assert play.entries[-1] == ("0", "D4 90", False)
    assert remembered.remembered(play.pk) == store.read(play.pk)


# -- how much is remembered ----------------------------------------------------------------------


def test_no_more_is_remembered_than_there_is_room_for(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "AT_MOST", 3)
    held = play.held
    for number in range(1, 6):
        remembered.remember(held._replace(match_id=number))
        remembered.remembered(1)  # asked for all the time
    assert [n for n in range(1, 6) if remembered.remembered(n)] == [1, 4, 5]


def test_a_match_that_is_over_is_not_remembered(play: Play) -> None:
    play.move(0, "pick T", 1 * SECOND)
    assert remembered.remembered(play.pk) is not None
    play.move(1, "concede", 2 * SECOND)
    assert remembered.remembered(play.pk) is None


# -- at the same moment --------------------------------------------------------------------------


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(6)
    yield threads
    threads.close()


def test_turns_of_both_seats_at_one_moment(ada: User, ben: User, threads: Threads) -> None:
    """All of them follow the same memory: one writes, the others find that it was old."""
    for number in range(20):
        play = started((ada, ben))
        remembered.remember(play.held)
        calls = [
            partial(play.submit, seat, text, 1 * SECOND, client_id=key, version=1)
            for seat, text, key in (
                (0, "pick T", "a"), (0, "pick T", "a"), (0, "pick L", "b"),
                (1, "pick L", "a"), (1, "pick L", "a"), (1, "pick T", "c"),
            )
        ]  # fmt: skip
        answers = threads.at_once(calls)
        for mine in (answers[:3], answers[3:]):
            acks = [answer for answer in mine if isinstance(answer, Ack)]
            refusals = [answer.code for answer in mine if isinstance(answer, Refusal)]
            assert len(acks) == 3 - len(refusals)
            assert set(refusals) <= {"decision.sealed", "version.stale", "decision.none"}, number
            assert len([ack for ack in acks if not ack.resent]) == 1
        assert sorted(actor for actor, _, _ in play.entries) == ["0", "1"]
        assert play.match.seq == 2


def test_a_turn_and_an_organiser_at_one_moment(
    ada: User, ben: User, orla: User, threads: Threads
) -> None:
    """Whichever is first, the other finds what it left."""
    for number in range(20):
        play = placing(started((ada, ben)))
        answers = threads.at_once(
            [
                partial(play.submit, 0, "D4 90", 4 * SECOND, version=play.versions[0]),
                partial(play.organise, orla, "pause", 4 * SECOND),
                partial(play.wake, 4 * SECOND),
            ]
        )
        assert play.match.paused, number
        texts = [text for _, text, _ in play.entries[3:]]
        if isinstance(answers[0], Ack):
            assert texts == ["D4 90", "pause"]
        else:
            assert (answers[0].code, texts) == ("match.paused", ["pause"])
        numbers = MatchEntry.objects.filter(match=play.pk).order_by("seq").values_list("seq")
        assert [n for (n,) in numbers] == list(range(1, play.match.seq + 1))
