"""What follows the end of a match: a worker's, in whole, whatever happens to the worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from asgiref.sync import async_to_sync
from django.core import mail
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.announcing.delivering import deliveries_sweep
from accounts.announcing.taking import LEFT_ALONE
from accounts.announcing.tasks import deliver
from accounts.jobs import DELIVER
from accounts.models import AnnouncementDelivery, User
from core.clock import instant_of, now_ms
from core.jobs import guard
from core.jobs.models import SetAside
from games import hooks, presence, tasks
from games.audience import turns_group_of
from games.engine.ruleset import Ruleset
from games.jobs import FOLLOW_UP, TELL_RULING, TELL_TURN, WAKE
from games.models import Match, RatingPoint
from games.reading.records import record_bytes
from games.services import aftermath
from games.services.matches import record_import
from games.store import waits_for
from games.tasks import tell_ruling
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.games.support import SECOND, T0, Play, Wire, committing, started
from tests.games.test_disputes import challenged
from tests.games.test_rulings import BAD
from tests.ratings.support import is_true
from tests.support.site import Site, wait_for
from tests.support.workers import Handed, Workers

OVERALL = "overall"


def follow_up(match_id: int) -> None:
    """What a worker does of an end, to the letters that go out after its commits."""
    with committing():
        tasks.follow_up(match_id)


def sweep_ends() -> None:
    """The same of what no worker has done."""
    with committing():
        tasks.sweep_ends()


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """The matches of which a receiver has heard that they ended."""
    heard: list[int] = []

    def receiver(match_id: int, **_: object) -> None:
        heard.append(match_id)

    hooks.match_ended.connect(receiver)
    yield heard
    hooks.match_ended.disconnect(receiver)


@pytest.fixture
def lately(ada: User, ben: User) -> Play:
    """A match that began hours ago."""
    return started((ada, ben), at=now_ms() - 6 * 3600 * SECOND)


@pytest.fixture(autouse=True)
def any_course_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """These matches end as soon as they have begun, and are to count all the same: it is what
    follows an end that is asked for."""
    monkeypatch.setattr(Ruleset, "least_answers", 0)


def conceded(play: Play, seat: int = 0) -> Play:
    """The match was given up, hours ago: its worker should have been there by now."""
    play.move(seat, "concede", ms_of(play.match.created_at) + 3 * SECOND - T0)
    return play


def ran_out(play: Play) -> Play:
    """The match has been lost by time, by Ada, not just now."""
    began = ms_of(play.match.created_at) - T0
    play.move(0, "pick T", began + SECOND)
    play.move(1, "pick L", began + 2 * SECOND)
    to_its_end(play)
    return play


def ms_of(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def to_its_end(play: Play) -> None:
    """Nobody does anything any more."""
    for _ in range(50):
        wake_at = play.match.wake_at
        if wake_at is None:
            break
        play.wake(wake_at + SECOND - T0)
    assert play.match.is_over


def is_due(play: Play) -> bool:
    return Match.objects.values_list("aftermath_due", flat=True).get(pk=play.pk)


def missed_by(play: Play) -> set[str]:
    return {player.name for player in play.match.players.all() if player.missed_end}


def addressed(*users: User) -> None:
    for user in users:
        address = f"{user.username}@x.example"
        EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)


# -- the turn ------------------------------------------------------------------------------------


def late(play: Play) -> None:
    """Answers come when the time for them is over."""
    for number in range(50):
        deadline = play.match.deadline_at
        if deadline is None:
            break
        play.submit(number % 2, "first", deadline + SECOND - T0)


Ends = Callable[[Play, User], object]
ENDS: dict[str, Ends] = {
    "a player gives up": lambda play, _orla: play.move(0, "concede", SECOND),
    "an organiser decides": lambda play, orla: play.act(orla, "winner 1", SECOND),
    "an organiser declares it void": lambda play, orla: play.act(orla, "void", SECOND),
    "time runs out": lambda play, _orla: to_its_end(play),
    "time ran out before a late answer": lambda play, _orla: late(play),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=list(ENDS))
def test_a_turn_that_ends_its_match_hands_on_one_thing(  # noqa: PLR0917
    ada: User,
    ben: User,
    orla: User,
    left_to_workers: Workers,
    heard: list[int],
    wire: Wire,
    end: Ends,
) -> None:
    play = started((ada, ben))
    play.move(0, "pick T", 1)
    play.move(1, "pick L", 2)
    wire.texts()
    left_to_workers.handed.clear()
    pages = (turns_group_of(ada.pk), turns_group_of(ben.pk))
    waited = {pages[seat] for seat in (0, 1) if waits_for(play.held.live, seat)}
    with CaptureQueriesContext(connection) as asked:
        end(play, orla)
    assert play.match.is_over
    ends = [each for each in left_to_workers.handed if each.task not in {WAKE, TELL_TURN}]
    assert ends == [Handed(FOLLOW_UP, (play.pk,), None)]
    assert heard == []
    assert is_due(play)
    # Readers of the match have its frames, and its players' pages hear that it waits for nobody any
    # more; the lobby and everybody else hear from the worker.
    told = wire.frames()
    assert {group.split(".")[0] for group, _ in told if group not in pages} == {"match"}
    turns = {group: frame for group, frame in told if group in pages}  # the last of each
    assert waited
    assert waited <= turns.keys()
    over = {"type": "turn", "match": play.pk, "waits": False}
    assert all(frame == over for frame in turns.values())
    written = ("games_rating", "tournaments_", "jobs_", 'UPDATE "games_matchplayer"')
    assert [q["sql"] for q in asked if any(words in q["sql"] for words in written)] == []
    follow_up(play.pk)
    assert heard == [play.pk]
    assert not is_due(play)
    assert wire.frames("match.ended")[0][0] == "lobby"
    for ladder in (OVERALL, "tetronogo"):
        is_true(ladder)


def test_it_makes_the_statements_of_any_turn(
    play: Play, left_to_workers: Workers, heard: list[int]
) -> None:
    made = []
    for seat, text, at in ((0, "pick T", 1), (1, "pick L", 2), (0, "concede", 3)):
        version = play.versions[seat]
        with CaptureQueriesContext(connection) as asked:
            play.submit(seat, text, at, version=version)
        made.append([q["sql"].split()[0] for q in asked if "SAVEPOINT" not in q["sql"]])
    assert play.match.is_over
    assert made[0] == made[1] == made[2] == ["SELECT", "INSERT", "UPDATE"]


def test_that_it_waits_for_a_ruling_is_told_by_a_worker(
    ada: User, ben: User, orla: User, left_to_workers: Workers, wire: Wire
) -> None:
    play = challenged((ada, ben), BAD)
    assert wire.frames("ruling") == []
    (told,) = left_to_workers.of(TELL_RULING)
    assert (told[0], told[2]) == (play.pk, True)
    tell_ruling(*told)
    assert [frame["waits"] for _, frame in wire.frames("ruling")] == [True]
    play.act(orla, "rule valid", 70 * SECOND)
    assert wire.frames("ruling") == []
    tell_ruling(*left_to_workers.of(TELL_RULING)[1])
    assert [frame["waits"] for _, frame in wire.frames("ruling")] == [False]


def test_what_was_not_played_here_has_no_aftermath(
    play: Play, orla: User, left_to_workers: Workers, heard: list[int]
) -> None:
    play.move(0, "concede", SECOND)
    match = record_import(acting_user=orla, data=record_bytes(play.match), at=now_ms() - 60_000)
    assert match.is_over
    assert not match.aftermath_due
    sweep_ends()
    follow_up(match.pk)
    assert heard == []


# -- the broker and the worker -------------------------------------------------------------------


def test_the_broker_away_at_the_end_and_back(
    lately: Play, ada: User, left_to_workers: Workers, heard: list[int], wire: Wire
) -> None:
    addressed(ada)
    left_to_workers.fault = ConnectionError()
    ran_out(lately)
    assert is_due(lately)
    assert heard == []
    assert missed_by(lately) == set()
    # A sweep needs no broker; the letter does.
    sweep_ends()
    assert heard == [lately.pk]
    assert not is_due(lately)
    assert missed_by(lately) == {"Ada"}
    assert len(wire.frames("match.ended")) == 3
    assert RatingPoint.objects.filter(match=lately.pk).count() == 4
    left_to_workers.fault = None
    deliveries_sweep()
    assert mail.outbox == []  # it is left alone for a few seconds
    AnnouncementDelivery.objects.update(at=timezone.now() - LEFT_ALONE)
    for _ in range(3):
        sweep_ends()
        deliveries_sweep()
    assert [letter.to for letter in mail.outbox] == [["ada@x.example"]]
    assert not SetAside.objects.exists()
    assert heard == [lately.pk]
    assert len(wire.frames("match.ended")) == 0


def test_a_sweep_leaves_to_its_worker_what_has_just_ended(
    lately: Play, left_to_workers: Workers, heard: list[int]
) -> None:
    conceded(lately)
    Match.objects.update(finished_at=timezone.now())
    sweep_ends()
    assert heard == []
    Match.objects.update(finished_at=timezone.now() - timedelta(seconds=4))
    sweep_ends()
    sweep_ends()
    assert heard == [lately.pk]
    (handed,) = left_to_workers.of(FOLLOW_UP)
    follow_up(*handed)  # its worker was only late
    assert heard == [lately.pk]


@pytest.mark.parametrize("step", list(aftermath.STEPS))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_killed_at_any_step(  # noqa: PLR0917
    lately: Play, ada: User, left_to_workers: Workers, heard: list[int], step: str, when: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    addressed(ada)
    left_to_workers.at_once[DELIVER] = deliver
    ran_out(lately)
    whole = aftermath.STEPS[step]

    def killed(match: Match) -> None:
        if when == "after":
            whole(match)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(aftermath.STEPS, step, killed)
        with pytest.raises(KeyboardInterrupt):
            follow_up(lately.pk)
    assert is_due(lately)
    sweep_ends()
    assert not is_due(lately)
    assert set(heard) == {lately.pk}
    assert missed_by(lately) == {"Ada"}
    assert len(mail.outbox) == 1
    assert RatingPoint.objects.filter(match=lately.pk).count() == 4
    assert not SetAside.objects.exists()


# -- steps that fail -----------------------------------------------------------------------------


@pytest.mark.parametrize("step", list(aftermath.STEPS))
def test_a_step_that_fails_stops_no_other(
    lately: Play, ada: User, left_to_workers: Workers, heard: list[int], step: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    addressed(ada)
    left_to_workers.at_once[DELIVER] = deliver
    ran_out(lately)
    done: list[str] = []

    def watched(name: str, whole: Callable[[Match], object]) -> Callable[[Match], None]:
        def run(match: Match) -> None:
            done.append(name)
            whole(match)

        return run

    def fails(_match: Match) -> None:
        raise ZeroDivisionError

    for name, whole in list(aftermath.STEPS.items()):
        monkeypatch.setitem(aftermath.STEPS, name, watched(name, whole))
    with monkeypatch.context() as patch:
        patch.setitem(aftermath.STEPS, step, fails)
        follow_up(lately.pk)
        assert set(done) == set(aftermath.STEPS) - {step}
        (aside,) = SetAside.objects.all()
        assert (aside.job, aside.key, aside.target_type) == (step, str(lately.pk), "games.match")
        assert not is_due(lately)
        for _ in range(2):
            sweep_ends()  # it waits, and the others are not done again
        assert SetAside.objects.get().attempts == 1
        SetAside.objects.update(next_at=timezone.now())
        sweep_ends()
        assert SetAside.objects.get().attempts == 2
    SetAside.objects.update(next_at=timezone.now())
    sweep_ends()
    assert not SetAside.objects.exists()
    assert sorted(done) == sorted(aftermath.STEPS)
    assert heard == [lately.pk]
    # Who missed it is known first: a letter was due only then.
    assert missed_by(lately) == {"Ada"}
    assert len(mail.outbox) == (0 if step == "ends.missed" else 1)


def test_a_receiver_that_fails_is_asked_again(
    lately: Play, left_to_workers: Workers, heard: list[int]
) -> None:
    faults: list[Exception] = [RuntimeError("somebody else's"), RuntimeError("again")]
    reached: list[int] = []

    def failing(match_id: int, **_: object) -> None:
        if faults:
            raise faults.pop()
        reached.append(match_id)

    hooks.match_ended.connect(failing)
    try:
        conceded(lately)
        follow_up(lately.pk)
        assert (heard, reached) == ([lately.pk], [])
        assert RatingPoint.objects.filter(match=lately.pk).count() == 4
        while SetAside.objects.exists():
            SetAside.objects.update(next_at=timezone.now())
            sweep_ends()
    finally:
        hooks.match_ended.disconnect(failing)
    assert reached == [lately.pk]
    assert RatingPoint.objects.filter(match=lately.pk).count() == 4


def test_what_cannot_be_noted_is_not_forgotten(
    lately: Play, left_to_workers: Workers, heard: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step fails, and the database is away when that is to be put down."""

    def fails(_match: Match) -> None:
        raise ZeroDivisionError

    conceded(lately)
    with monkeypatch.context() as patch:
        patch.setitem(aftermath.STEPS, "ends.hooks", fails)
        patch.setattr(guard, "set_aside", lambda *_a, **_k: False)
        follow_up(lately.pk)
    assert is_due(lately)
    sweep_ends()
    assert heard == [lately.pk]
    assert not is_due(lately)


# -- more than once ------------------------------------------------------------------------------


def test_what_is_delivered_twice_is_done_once(
    lately: Play, ada: User, left_to_workers: Workers, heard: list[int], wire: Wire
) -> None:
    addressed(ada)
    left_to_workers.at_once[DELIVER] = deliver
    ran_out(lately)
    for _ in range(3):
        follow_up(lately.pk)
    sweep_ends()
    assert heard == [lately.pk]
    assert len(wire.frames("match.ended")) == 3
    assert len(mail.outbox) == 1
    assert RatingPoint.objects.filter(match=lately.pk).count() == 4


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_the_same_end(
    lately: Play, ada: User, left_to_workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both begin before either is done: no letter twice, no result twice, one mark."""
    addressed(ada)
    left_to_workers.at_once[DELIVER] = deliver
    ran_out(lately)
    both = threading.Barrier(2)
    whole = aftermath.STEPS["ends.missed"]

    def together(match: Match) -> None:
        both.wait(30)
        whole(match)

    monkeypatch.setitem(aftermath.STEPS, "ends.missed", together)
    failed: list[BaseException] = []

    def work() -> None:
        try:
            follow_up(lately.pk)
        except BaseException as error:  # noqa: BLE001  (shown by the test)
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert not is_due(lately)
    assert missed_by(lately) == {"Ada"}
    assert len(mail.outbox) == 1
    assert RatingPoint.objects.filter(match=lately.pk).count() == 4
    assert not SetAside.objects.exists()


# -- who was there -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrived", "left", "missed"),
    [
        (-10, None, False),  # has looked at it all along
        (-10, 1, False),  # saw the end, and has gone since
        (-10, -1, True),
        (2, None, False),  # came after it, and has seen the result
        (2, 3, False),
        (None, None, True),
    ],
)
def test_who_was_there_is_known_to_a_late_worker(
    lately: Play, left_to_workers: Workers, monkeypatch: pytest.MonkeyPatch,
    arrived: int | None, left: int | None, missed: bool,
) -> None:  # fmt: skip
    """Instants in seconds before and after the end; the worker comes two minutes later."""
    ended = now_ms()
    clock = SimpleNamespace(at=ended)
    monkeypatch.setattr(presence, "now_ms", lambda: clock.at)
    if arrived is not None:
        clock.at = ended + arrived * SECOND
        async_to_sync(presence.arrive)(lately.pk, 0, "socket")
        assert presence.seats_there(lately.pk) == (True, False)
    if left is not None:
        clock.at = ended + left * SECOND
        async_to_sync(presence.leave)(lately.pk, 0, "socket")
        assert presence.seats_there(lately.pk) == (False, False)
    to_its_end(lately)
    Match.objects.update(finished_at=instant_of(ended))
    clock.at = ended + 120 * SECOND
    assert presence.seats_there(lately.pk) == (False, False)
    follow_up(lately.pk)
    assert missed_by(lately) == ({"Ada"} if missed else set())


# -- whoever follows each turn -------------------------------------------------------------------


def test_the_last_turn_is_told_by_the_worker_too(lately: Play, left_to_workers: Workers) -> None:
    told: list[tuple[int, int]] = []

    def listener(match_id: int, version: int, **_: object) -> None:
        told.append((match_id, version))

    Match.objects.update(followed=True)
    hooks.match_turned.connect(listener)
    try:
        began = ms_of(lately.match.created_at) - T0
        lately.move(0, "pick T", began + SECOND)
        lately.move(1, "pick L", began + 2 * SECOND)
        assert told == [(lately.pk, 2)]
        left_to_workers.fault = ConnectionError()
        conceded(lately)
        assert told == [(lately.pk, 2)]
        left_to_workers.fault = None
        sweep_ends()
        assert told == [(lately.pk, 2), (lately.pk, lately.versions[2])]
    finally:
        hooks.match_turned.disconnect(listener)


# -- on the running site -------------------------------------------------------------------------

POINTS = "SELECT count(*) FROM games_ratingpoint WHERE match_id = %s"


async def test_the_worker_killed_and_its_queue_lost(site: Site, desk: Desk) -> None:
    """With real processes: an end that no worker was told of is followed up once there is one."""
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    desk.play(match)
    site.worker.kill()
    async with await Reader.open(site, match, players[0]) as reader:
        await reader.next("sync")
        assert (await reader.submit("concede"))["type"] == "ack"
    due = "SELECT aftermath_due FROM games_match WHERE id = %s"
    assert site.sql(due, match) == [(True,)]
    empty = (
        "import redis\n"
        "from django.conf import settings\n"
        "broker = redis.Redis.from_url(settings.CELERY_BROKER_URL)\n"
        "print(broker.delete(settings.CELERY_BROKER_TRANSPORT_OPTIONS['global_keyprefix']"
        " + settings.CELERY_TASK_DEFAULT_QUEUE))"
    )
    wait_for(lambda: site.python(empty).splitlines()[-1] == "1", what="the task to be there")
    site.worker.start()
    wait_for(lambda: site.sql(due, match) == [(False,)], what="the end to be followed up")
    assert site.sql(POINTS, match) == [(4,)]


async def test_a_quiet_site_is_done_within_a_second(site: Site, desk: Desk) -> None:
    players = (desk.person(), desk.person())
    match = desk.match(*players)
    desk.play(match)
    async with (
        await Reader.open(site, "", desk.person(), path="/ws/v1/lobby/") as lobby,
        await Reader.open(site, match, players[0]) as reader,
    ):
        await reader.next("sync")
        assert (await reader.submit("concede"))["type"] == "ack"
        assert (await lobby.next("match.ended", match=match))["winner"] == 1
    wait_for(lambda: site.sql(POINTS, match) == [(4,)], timeout=10, what="the result to be rated")
