"""One row that cannot be dealt with stops no periodic job: every task of the beat schedule is run
with one such row, and one sound row behind it.

A task that is added to the schedule fails here until somebody says what a broken row of its would
be.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.announcing.delivering import DELIVERED, DIGESTED
from accounts.announcing.services import Told, announce
from accounts.auditing.sealing import audit_accept_late, audit_seal
from accounts.leaving.services import ERASED
from accounts.models import (
    AccountDeletion,
    Announcement,
    AnnouncementDelivery,
    AuditCheck,
    AuditEntry,
    AuditLink,
    Report,
    User,
    WayIn,
)
from accounts.moderation.ways import ways_note
from accounts.services import audit_record
from config.celery import app
from config.operations.services import rows_retry
from core.clock import now_ms, now_utc
from core.discord import client as discord
from core.jobs import guard
from core.jobs.models import JobDone, SetAside
from games import tasks
from games.jobs import MOVE_BOT, PUZZLES, WAKE, bot_begun
from games.models import (
    Challenge,
    HostedMatch,
    Match,
    MatchEntry,
    PuzzleSearch,
    RatingPoint,
    Seek,
)
from games.puzzles import finding
from games.ratings.pairs import LOOKED, pair_key
from games.ratings.services import match_rate
from games.services import processes
from games.services.challenges import challenge_create
from games.services.hosting import hosted_create
from games.services.practice import practice_start
from tests.games.conftest import ada, ben, orla, root  # noqa: F401
from tests.games.support import Play, started
from tests.ratings.support import result_row
from tests.support.workers import set_up
from tests.tournaments.support import running
from tests.webhooks.support import Stage
from tournaments.dumps import archive
from tournaments.dumps import tasks as dumps
from tournaments.jobs import DISCORD_SAY, WEBHOOK_DRAIN
from tournaments.models import DiscordChannel, DiscordPlace, DiscordPost, Leg
from tournaments.posts import tasks as posts
from tournaments.webhooks import tasks as webhooks
from tournaments.webhooks.kinds import TURN
from tournaments.webhooks.models import Delivery

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "(3,4) hidden-piece"


@dataclass
class Case:
    """A broken row and a sound one: where the broken one is set aside (nowhere: it is only locked),
    whether the sound one was dealt with, and what mends the other."""

    job: str
    key: object
    is_done: Callable[[], bool]
    mend: Callable[[], object]
    # What lets a task that is done once a day be done again.
    again: Callable[[], object] = lambda: None


@dataclass
class World:
    """What the cases are made of."""

    ada: User
    ben: User
    orla: User
    patch: pytest.MonkeyPatch
    folder: Path

    def play(self, **more: Any) -> Play:
        """A match whose first decision ran out minutes ago."""
        return started((self.ada, self.ben), at=now_ms() - 600_000, **more)

    @property
    def stage(self) -> Stage:
        return Stage(self.orla, self.ada, self.ben, self.patch)


@pytest.fixture
def world(
    ada: User,  # noqa: F811
    ben: User,  # noqa: F811
    orla: User,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> World:
    app.loader.import_default_modules()  # as a worker does
    return World(ada, ben, orla, monkeypatch, tmp_path)


def break_snapshot(match_id: int) -> Callable[[], object]:
    """What is stored of a match is not a match; returns what mends it."""
    match = Match.objects.get(pk=match_id)
    Match.objects.filter(pk=match_id).update(snapshot=json.dumps({"live": SECRET, "readers": 1}))
    return lambda: Match.objects.filter(pk=match_id).update(snapshot=match.snapshot)


def break_date(table: str, column: str, pk: int | None) -> Callable[[], object]:
    """A date that the database holds and Python cannot; returns what mends it."""

    def put(value: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {table} SET {column} = %s WHERE id = %s",  # noqa: S608  (ours)
                [value, pk],
            )

    put("0001-01-01 00:00:00+14")
    return lambda: put("2026-01-01 00:00:00+00")


# -- a broken row for each task ------------------------------------------------------------------


def deadlines(world: World) -> Case:
    broken, sound = world.play(), world.play()
    mend = break_snapshot(broken.pk)
    return Case("matches.wake", broken.pk, lambda: len(sound.entries) > 1, mend)


def test_a_match_of_a_game_that_is_not_offered_any_more_is_set_aside(world: World) -> None:
    broken, sound = world.play(), world.play()
    Match.objects.filter(pk=broken.pk).update(ruleset="nosuch")
    app.tasks["games.tasks.sweep"]()
    assert list(SetAside.objects.values_list("job", "key")) == [("matches.wake", str(broken.pk))]
    assert len(sound.entries) > 1


def ends(world: World) -> Case:
    broken, sound = world.play(), world.play()
    for play in (broken, sound):
        play.move(0, "concede", now_ms() - 600_000 - 2_000_000_000_000)
    Match.objects.update(aftermath_due=True)
    mend = break_date("games_match", "created_at", broken.pk)
    return Case(
        "ends.follow-up",
        broken.pk,
        lambda: not Match.objects.values_list("aftermath_due", flat=True).get(pk=sound.pk),
        mend,
    )


def challenges(world: World) -> Case:
    broken, sound = (
        challenge_create(
            acting_user=world.ada, opponent=world.ben, ruleset_id="tetronogo", variant="standard"
        )
        for _ in range(2)
    )
    Challenge.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    row = Challenge.objects.filter(pk=broken.pk)
    row.update(ruleset="chess")
    return Case(
        "challenges.expire",
        broken.pk,
        lambda: Challenge.objects.get(pk=sound.pk).status == Challenge.Status.EXPIRED,
        lambda: row.update(ruleset="tetronogo"),
    )


def hosted(world: World) -> Case:
    broken, sound = (
        hosted_create(
            acting_user=world.orla,
            first=world.ada,
            second=world.ben,
            ruleset_id="tetronogo",
            variant="standard",
        )
        for _ in range(2)
    )
    HostedMatch.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    row = HostedMatch.objects.filter(pk=broken.pk)
    row.update(ruleset="chess")
    return Case(
        "hosted.expire",
        broken.pk,
        lambda: HostedMatch.objects.get(pk=sound.pk).status == HostedMatch.Status.EXPIRED,
        lambda: row.update(ruleset="tetronogo"),
    )


def pairs(world: World) -> Case:
    """Two of those who wait want a game that is not there any more."""
    now = now_ms()
    dora = User.objects.create_user("dora")
    for user, pace in (
        (world.ada, "blitz"),
        (world.ben, "blitz"),
        (world.orla, "easy"),
        (dora, "easy"),
    ):
        Seek.objects.create(
            user=user, ruleset="tetronogo", variant="standard", pace=pace, rating=1500, since=now,
            until=now + 3_600_000,
        )  # fmt: skip
    rows = Seek.objects.filter(pace="blitz")
    rows.update(ruleset="chess")
    return Case(
        "seeks.pair",
        f"{world.ada.pk}-{world.ben.pk}",
        lambda: Seek.objects.get(user=dora).match is not None,
        lambda: rows.update(ruleset="tetronogo"),
    )


def bots(world: World) -> Case:
    workers = set_up(world.patch)
    begun = [
        practice_start(
            acting_user=world.ada, ruleset_id="tetronogo", variant="standard", level="novice"
        )
        for _ in range(2)
    ]
    broken, sound = (each.pk for each in begun)
    # Each has been handed on, and was lost.
    for match_id in (broken, sound):
        bot_begun(match_id=match_id)
    workers.at_once[MOVE_BOT] = tasks.move_bot
    mend = break_snapshot(broken)
    return Case(
        "bots.move",
        broken,
        lambda: MatchEntry.objects.filter(match=sound, actor__in=["0", "1"]).exists(),
        mend,
    )


def puzzles(world: World) -> Case:
    """The broken one is the later to end, and looked through first."""
    world.patch.setattr(finding, "NIGHT", 0)
    workers = set_up(world.patch)
    workers.at_once[PUZZLES] = tasks.puzzles
    sound, broken = world.play(), world.play()
    for play in (sound, broken):
        play.move(0, "concede", now_ms() - 600_000 - 2_000_000_000_000)
    rows = Match.objects.filter(pk=broken.pk)
    rows.update(options={}, variant="nosuch")
    return Case(
        "puzzles.search",
        broken.pk,
        lambda: PuzzleSearch.objects.filter(match=sound.pk).exists(),
        lambda: rows.update(variant="standard"),
    )


def legs(world: World) -> Case:
    season = running(world.orla, 4, "swiss", format_options={"rounds": 2})
    broken, sound = Leg.objects.filter(death_match__round__season=season).order_by("pk")
    Leg.objects.update(scheduled_at=timezone.now() - timedelta(days=1))
    mend = break_date("tournaments_contestant", "enrolled_at", broken.death_match.away_id)
    return Case(
        "legs.no-show",
        broken.pk,
        lambda: Leg.objects.get(pk=sound.pk).no_show_at is not None,
        mend,
    )


def ladders(world: World) -> Case:
    players = (world.ada, world.ben)
    earlier = result_row(players, ruleset="domain")
    match_rate(match_id=earlier.pk)
    points = RatingPoint.objects.filter(ladder="domain", user=world.ada)
    was = points.get().mu
    points.update(mu=float("nan"))
    now = timezone.now()
    for ruleset in ("domain", "tetronogo"):
        result_row(players, ruleset=ruleset, finished_at=now)
    return Case(
        "ratings.repair",
        "domain",
        lambda: RatingPoint.objects.filter(ladder="tetronogo").count() == 2,
        lambda: points.filter(match=earlier).update(mu=was),
    )


def receivers(world: World) -> Case:
    stage = world.stage
    broken, sound = (stage.webhook("http://127.0.0.1:9/", name=name) for name in "ab")
    stage.event()
    mend = break_date("tournaments_webhook", "created_at", broken.pk)
    stage.workers.at_once[WEBHOOK_DRAIN] = webhooks.drain
    return Case(webhooks.DRAIN, broken.pk, lambda: stage.only(sound).attempts > 0, mend)


def turns(world: World) -> Case:
    stage = world.stage
    stage.webhook("http://127.0.0.1:9/", kinds=[TURN])
    plays = [stage.play(at=now_ms())]
    plays.append(started((world.ada, world.ben), at=now_ms()))
    Leg.objects.create(
        death_match=stage.death_match, number=2, ruleset="tetronogo", variant="standard",
        match=plays[1].match, status="running", started_at=timezone.now(),
    )  # fmt: skip
    for play in plays:
        for seat in (0, 1):
            play.move(seat, "pick T", now_ms() - 2_000_000_000_000)
    Delivery.objects.all().delete()
    mend = break_snapshot(plays[0].pk)
    Match.objects.filter(pk=plays[1].pk).update(followed=False)
    return Case(
        "webhooks.turns",
        plays[0].pk,
        lambda: Delivery.objects.filter(match=plays[1].pk).exists(),
        mend,
    )


def deliveries(world: World) -> Case:
    """Nothing is read of them: one can only be locked, and is left for the next day."""
    stage = world.stage
    stage.webhook("http://127.0.0.1:9/")
    for _ in range(2):
        stage.event()
    rows = Delivery.objects.order_by("pk")
    rows.update(created_at=timezone.now() - timedelta(days=365), status="superseded")
    locked, _free = rows.values_list("pk", flat=True)
    other = psycopg.connect(_address())
    other.execute("SELECT 1 FROM tournaments_delivery WHERE id = %s FOR UPDATE", [locked])
    return Case(
        "",
        locked,
        lambda: set(rows.values_list("pk", flat=True)) == {locked},
        other.close,
    )


def _place(stage: Stage, thread: str = "") -> DiscordPlace:
    """Where a bot says something: the channel of a season, or the thread of its death match."""
    channel, _ = DiscordChannel.objects.get_or_create(
        season=stage.season,
        defaults={
            "channel_id": "1", "guild_id": "2", "name": "matches", "guild_name": "The community",
            "kinds": ["matches"], "created_by": stage.orla,
        },
    )  # fmt: skip
    death_match = stage.death_match if thread else None
    return DiscordPlace.objects.create(channel=channel, death_match=death_match, thread_id=thread)


def said(world: World) -> Case:
    stage = world.stage
    until = timezone.now() + timedelta(days=1)
    broken, sound = (
        DiscordPost.objects.create(
            place=place, kind="test", body='{"embeds": [], "components": []}', give_up_at=until
        )
        for place in (_place(stage), _place(stage, "7"))
    )
    mend = break_date("tournaments_discordpost", "created_at", broken.pk)
    world.patch.setattr(discord, "message_post", lambda *_what, **_more: "8")
    stage.workers.at_once[DISCORD_SAY] = posts.say
    return Case(
        posts.SAY,
        broken.place_id,
        lambda: DiscordPost.objects.filter(pk=sound.pk, status="done").exists(),
        mend,
    )


def shown(world: World) -> Case:
    stage = world.stage
    plays = [stage.play(at=now_ms()), started((world.ada, world.ben), at=now_ms())]
    Leg.objects.create(
        death_match=stage.death_match, number=2, ruleset="tetronogo", variant="standard",
        match=plays[1].match, status="running", started_at=timezone.now(),
    )  # fmt: skip
    place = _place(stage)
    for play in plays:
        DiscordPost.objects.create(
            place=place, kind="match", match=play.match, status="done", said=1,
            give_up_at=timezone.now(),
        )  # fmt: skip
    return Case(
        "posts.matches",
        plays[0].pk,
        lambda: DiscordPost.objects.filter(match=plays[1].pk, status="waiting").exists(),
        break_snapshot(plays[0].pk),
    )


def forgotten(world: World) -> Case:
    """As of deliveries: one that is locked is left for the next day."""
    place = _place(world.stage)
    for _ in range(2):
        DiscordPost.objects.create(
            place=place, kind="test", status="abandoned", give_up_at=timezone.now()
        )
    rows = DiscordPost.objects.order_by("pk")
    rows.update(created_at=timezone.now() - timedelta(days=365))
    locked, _free = rows.values_list("pk", flat=True)
    other = psycopg.connect(_address())
    other.execute("SELECT 1 FROM tournaments_discordpost WHERE id = %s FOR UPDATE", [locked])
    return Case(
        "",
        locked,
        lambda: set(rows.values_list("pk", flat=True)) == {locked},
        other.close,
    )


def dump(world: World) -> Case:
    world.patch.setattr(settings, "MEDIA_ROOT", world.folder)
    world.patch.setattr(dumps, "NIGHT", 0)
    broken, sound = (world.play() for _ in range(2))
    for play in (broken, sound):
        play.move(0, "concede", now_ms() - 600_000 - 2_000_000_000_000)
    mend = break_snapshot(broken.pk)

    def is_in_the_dump() -> bool:
        (made,) = archive.dumps()
        with zipfile.ZipFile(archive.folder() / made.name) as zipped:
            assert json.loads(zipped.read("manifest.json"))["tables"]["matches"]["rows"] in (1, 2)
        return made.manifest.tables["matches"].rows >= 1

    def forget() -> None:
        for path in archive.folder().iterdir():
            path.unlink()

    return Case("dumps.row", f"games.match {broken.pk}", is_in_the_dump, mend, forget)


def told(world: World, *, days: int, kind: str = "death-match.started") -> list[int]:
    """The two deliveries of what ada and ben were told some days ago, where mail reaches nobody."""
    announce(Told(user, kind, "one", "One", "Word.", "/") for user in (world.ada, world.ben))
    rows = AnnouncementDelivery.objects.order_by("announcement__user")
    rows.update(at=timezone.now() - timedelta(days=days))
    Announcement.objects.update(at=timezone.now() - timedelta(days=days))
    return list(rows.values_list("pk", flat=True))


def broken_words(world: World) -> Callable[[], object]:
    """Of what ada was told nothing can be read; returns what mends it."""
    (pk,) = Announcement.objects.filter(user=world.ada).values_list("pk", flat=True)
    return break_date("accounts_announcement", "at", pk)


def letters(world: World) -> Case:
    broken, sound = told(world, days=1)
    mend = broken_words(world)
    row = AnnouncementDelivery.objects.filter(pk=sound)
    return Case(DELIVERED, broken, lambda: row.get().outcome == "unreached", mend)


def digests(world: World) -> Case:
    _broken, sound = told(world, days=2, kind="season.news")
    mend = broken_words(world)
    row = AnnouncementDelivery.objects.filter(pk=sound)
    return Case(DIGESTED, world.ada.pk, lambda: row.get().outcome == "unreached", mend)


def old_announcements(world: World) -> Case:
    """Nothing is read of them, as of deliveries of webhooks."""
    told(world, days=365)
    AnnouncementDelivery.objects.update(outcome="unreached", settled_at=timezone.now())
    rows = Announcement.objects.order_by("pk")
    locked, _free = rows.values_list("pk", flat=True)
    other = psycopg.connect(_address())
    other.execute("SELECT 1 FROM accounts_announcement WHERE id = %s FOR UPDATE", [locked])
    return Case(
        "",
        locked,
        lambda: set(rows.values_list("pk", flat=True)) == {locked},
        other.close,
    )


def late_entry(world: World) -> Case:
    """One that says that it is from before what is sealed: it is left out, and the next is not."""
    with transaction.atomic():
        audit_record(acting_user=world.ada, action="test.done")
    audit_seal()
    late, sound = (
        AuditEntry.objects.create(who=world.ada, action="test.done", at=now_utc() - ago)
        for ago in (timedelta(days=2), timedelta())
    )

    def is_done() -> bool:
        sealed = set(AuditLink.objects.values_list("entry_id", flat=True))
        return late.pk not in sealed and sound.pk in sealed

    return Case("", late.pk, is_done, lambda: audit_accept_late(words="A test."))


def broken_chain(world: World) -> Case:
    """One that was added afterwards: it is told of, and the next ones are sealed all the same."""
    case = late_entry(world)

    def is_done() -> bool:
        (look,) = AuditCheck.objects.all()
        return case.is_done() and f"Entry {case.key} says that it is of" in look.fault

    return Case("", case.key, is_done, case.mend)


def suspects(world: World) -> Case:
    """Of a match of one pair nobody can tell when it was begun. Who has won them has not won so
    many that anybody looks at them by themselves."""
    matches = []
    for pair in ((world.ada, world.ben), (world.orla, world.ada)):
        for number in range(3):
            ended = timezone.now() - timedelta(minutes=number)
            began = ended - timedelta(seconds=9)
            more: dict[str, Any] = {"finished_at": ended, "created_at": began}
            matches.append(result_row(pair, reason="concession", **more))
    mend = break_date("games_match", "created_at", matches[0].pk)
    keys = [pair_key(world.ada.pk, other.pk) for other in (world.ben, world.orla)]
    return Case(LOOKED, keys[0], lambda: Report.objects.filter(target_id=keys[1]).exists(), mend)


def old_ways(world: World) -> Case:
    """Nothing is read of them."""
    for what in ("locked", "free"):
        day = timezone.now().date() - timedelta(days=365)
        ways_note(user_id=world.ada.pk, ways=[("device", what)], on=day)
    rows = WayIn.objects.order_by("pk")
    locked, _free = rows.values_list("pk", flat=True)
    other = psycopg.connect(_address())
    other.execute("SELECT 1 FROM accounts_wayin WHERE id = %s FOR UPDATE", [locked])
    return Case(
        "",
        locked,
        lambda: set(rows.values_list("pk", flat=True)) == {locked},
        other.close,
    )


def old_sessions(world: World) -> Case:
    """Nothing is read of them, either."""
    past = timezone.now() - timedelta(days=1)
    rows = Session.objects.filter(pk__in=["a" * 32, "b" * 32])
    for key in ("a" * 32, "b" * 32):
        Session.objects.create(pk=key, session_data="x", expire_date=past)
    other = psycopg.connect(_address())
    other.execute("SELECT 1 FROM django_session WHERE session_key = %s FOR UPDATE", ["a" * 32])
    return Case("", 0, lambda: set(rows.values_list("pk", flat=True)) == {"a" * 32}, other.close)


def leavers(world: World) -> Case:
    long_ago = timezone.now() - timedelta(days=8)
    for user in (world.ada, world.ben):
        AccountDeletion.objects.create(
            user=user, asked_at=long_ago, due_at=long_ago + timedelta(days=7)
        )
    mend = break_date("accounts_user", "date_joined", world.ada.pk)
    gone = User.objects.filter(pk=world.ben.pk, deleted_at__isnull=False)
    return Case(ERASED, world.ada.pk, gone.exists, mend)


CASES: dict[str, Callable[[World], Case]] = {
    "audit-seal": late_entry,
    "audit-check": broken_chain,
    "accounts-deletions": leavers,
    "announcements-sweep": letters,
    "announcements-digests": digests,
    "announcements-prune": old_announcements,
    "sessions-prune": old_sessions,
    "games-sweep": deadlines,
    "games-sweep-ends": ends,
    "games-sweep-challenges": challenges,
    "games-sweep-hosted": hosted,
    "games-sweep-bots": bots,
    "games-puzzles": puzzles,
    "games-pair": pairs,
    "games-ratings-repair": ladders,
    "games-ratings-repair-all": ladders,
    "games-ratings-pairs": suspects,
    "ways-forget": old_ways,
    "tournaments-sweep": legs,
    "webhooks-sweep": receivers,
    "webhooks-repair": turns,
    "webhooks-prune": deliveries,
    "posts-sweep": said,
    "posts-repair": shown,
    "posts-prune": forgotten,
    "dumps-nightly": dump,
}


def _address() -> str:
    own = connection.settings_dict
    return psycopg.conninfo.make_conninfo(
        dbname=own["NAME"], user=own["USER"], password=own["PASSWORD"], host=own["HOST"],
        port=own["PORT"],
    )  # fmt: skip


def test_every_periodic_task_has_a_case() -> None:
    assert set(CASES) == set(settings.CELERY_BEAT_SCHEDULE)


@pytest.mark.parametrize("entry", sorted(CASES))
def test_a_row_that_cannot_be_dealt_with_stops_no_other(entry: str, world: World) -> None:
    planned = settings.CELERY_BEAT_SCHEDULE[entry]
    case = CASES[entry](world)
    administrator = User.objects.get(is_superuser=True)

    def run() -> list[tuple[str, str, int]]:
        app.tasks[planned["task"]](*planned.get("args", ()))
        return list(SetAside.objects.order_by("pk").values_list("job", "key", "attempts"))

    aside = [(case.job, str(case.key))] if case.job else []
    found = run()
    assert [each[:2] for each in found] == aside
    assert case.is_done()
    assert JobDone.objects.filter(pk=planned["task"]).exists()
    for row in SetAside.objects.all():
        # Enough to find the fault, and nothing of what a match hides.
        assert re.search(r"\w+ .*in [\w/]+\.py, \w+, line \d+$", row.reason), row.reason
        assert SECRET not in row.reason
        assert row.next_at > row.last_at
    if entry != "dumps-nightly":
        # It is left alone until its time has come, or somebody asks.
        assert run() == found
        rows_retry(acting_user=administrator, rows=SetAside.objects.all())
        assert [each[2] for each in run()] == [2] * len(aside)
    case.mend()
    case.again()
    rows_retry(acting_user=administrator, rows=SetAside.objects.all())
    assert run() == []


# -- the guard itself ----------------------------------------------------------------------------


@contextmanager
def held(match_id: int) -> Iterator[None]:
    """Somebody else has a match's row locked."""
    with psycopg.connect(_address()) as other:
        other.execute("SELECT 1 FROM games_match WHERE id = %s FOR UPDATE", [match_id])
        yield


def test_a_match_that_somebody_holds_is_left_for_the_next_sweep(world: World) -> None:
    first, second = world.play(), world.play()
    with held(first.pk):
        app.tasks["games.tasks.sweep"]()
        assert len(second.entries) > 1
        assert not first.entries
    assert not SetAside.objects.exists()
    app.tasks["games.tasks.sweep"]()
    assert len(first.entries) > 1


def test_a_wake_does_not_wait_for_a_match_that_somebody_holds(world: World) -> None:
    from games import tasks

    play = world.play()
    workers = set_up(world.patch)
    with held(play.pk):
        tasks.wake(play.pk)
        assert workers.of(WAKE) == [(play.pk, 1)]
        tasks.wake(play.pk, len(tasks.AGAIN_S))  # the sweep will have it
    (again,) = workers.of(WAKE)
    tasks.wake(*again)
    assert len(play.entries) > 1


def test_a_wake_that_must_wait_is_tried_again_soon_and_for_two_seconds(world: World) -> None:
    """Within the time that a web process takes to say that it has nothing left, and until the sweep
    has come by."""
    from games import tasks

    play = world.play()
    workers = set_up(world.patch)
    with held(play.pk):
        tasks.wake(play.pk)
        for one in workers.handed:  # which each try adds to
            tasks.wake(*one.arguments)
    pauses = [one.countdown or 0 for one in workers.handed]
    assert pauses == sorted(pauses)
    assert pauses[0] * 1000 < settings.GAUNTLET_BEAT_EVERY_MS / 2
    assert sum(pauses) * 1000 >= settings.GAUNTLET_OVERDUE_MS


def test_a_lock_that_is_held_is_waited_for_once_and_shortly(world: World) -> None:
    """Rows that hang on one lock are not tried one after another, and none of them is at fault."""
    play = world.play()
    tried: list[int] = []

    def action(number: int) -> bool:
        tried.append(number)
        if number < 10:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM games_match WHERE id = %s FOR UPDATE", [play.pk])
        return True

    with held(play.pk):
        done = guard.each(
            "job", [1, 2, 11, 3, 12], action, target="games.match", hangs_on=lambda n: n < 10
        )
    assert (tried, done) == ([1, 11, 12], 2)
    assert not SetAside.objects.exists()


def test_a_statement_that_takes_too_long_is_stopped_and_its_row_set_aside(
    world: World, settings: Any
) -> None:
    settings.GAUNTLET_JOB_STATEMENT_MS = 100

    def action(seconds: float) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(%s)", [seconds])
        return True

    assert guard.each("job", [30, 0], action, target="games.match") == 1
    assert SetAside.objects.get().key == "30"
    with connection.cursor() as cursor:  # and nothing of that is left
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("30s",)


def test_what_a_failing_action_had_written_is_gone(world: World) -> None:
    def action(number: int) -> bool:
        User.objects.filter(pk=world.ada.pk).update(display_name=f"Ada {number}")
        if number == 2:
            raise ZeroDivisionError(SECRET)
        return True

    assert guard.each("job", [1, 2], action, target="accounts.user") == 1
    assert User.objects.get(pk=world.ada.pk).display_name == "Ada 1"
    assert (
        "ZeroDivisionError in tests/infra/test_periodic.py, action" in SetAside.objects.get().reason
    )


def test_a_row_is_left_alone_for_longer_each_time() -> None:
    pauses = [guard.pause_after(attempts) for attempts in (1, 2, 3, 50)]
    assert pauses == [timedelta(seconds=s) for s in (5, 10, 20, 600)]


def test_a_row_is_left_alone_by_one_clock(world: World) -> None:
    """Not by the database's own in one place, and the service's in another."""

    def may_try() -> bool:
        return User.objects.filter(guard.may_try("job"), pk=world.ada.pk).exists()

    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        guard.set_aside("job", str(world.ada.pk), ZeroDivisionError(), target="accounts.user")
        assert not may_try()
        assert guard.due(["job"]) == {}
    assert may_try()
    assert guard.due(["job"]) == {"job": [str(world.ada.pk)]}


def test_nothing_was_done_lately_before_the_databases_clock_was_set_back(world: World) -> None:
    done = guard.completed("tested")(lambda: None)
    done()
    assert guard.ages()["tested"] < 60
    JobDone.objects.filter(task="tested").update(at=F("at") + timedelta(hours=1))
    assert guard.ages()["tested"] > 3000
    done()
    assert guard.ages()["tested"] < 60


def test_a_task_knows_the_time_before_it_does_anything(world: World) -> None:
    told: list[str] = []
    world.patch.setattr(processes, "clock_settle", lambda: told.append("settled"))
    world.patch.setattr(tasks, "challenges_expire", lambda **_more: told.append("done"))
    tasks.sweep_challenges()
    assert told == ["settled", "done"]


def test_a_database_that_is_away_is_no_rows_fault(world: World) -> None:
    def action(_row: int) -> bool:
        connection.close()
        raise OperationalError("the connection is lost")

    def nothing(*_args: Any, **_more: Any) -> None:
        raise OperationalError("no connection")

    world.patch.setattr(SetAside.objects, "bulk_create", nothing)
    assert guard.each("job", [1, 2], action, target="games.match") == 0
    assert not SetAside.objects.exists()


def test_administrators_see_what_is_set_aside_and_have_it_tried_again(
    world: World, client: Client
) -> None:
    play = world.play()
    break_snapshot(play.pk)
    app.tasks["games.tasks.sweep"]()
    row = SetAside.objects.get()
    changelist = reverse("admin:jobs_setaside_changelist")
    form = {"action": "try_again", "_selected_action": [row.pk]}
    client.force_login(world.orla)
    assert client.get(changelist).status_code in (302, 403)
    assert client.post(changelist, form).status_code in (302, 403)
    assert not AuditEntry.objects.filter(action="job.retry").exists()
    client.force_login(User.objects.get(is_superuser=True))
    for address in (changelist, reverse("admin:index"), reverse("admin:jobs_jobdone_changelist")):
        assert client.get(address).status_code == 200
    shown = client.get(changelist).content.decode()
    assert f"games.match {play.pk}" in shown
    assert "matches.wake" in client.get(reverse("admin:index")).content.decode()
    assert client.get(reverse("admin:jobs_setaside_change", args=[row.pk])).status_code == 200
    assert client.post(changelist, form, follow=True).status_code == 200
    assert SetAside.objects.get().next_at <= timezone.now()
    assert AuditEntry.objects.get(action="job.retry").target_id == str(row.pk)


def test_moderators_have_nothing_to_mend_there(world: World, client: Client) -> None:
    from accounts.roles import Role
    from accounts.services import role_grant

    administrator = User.objects.get(is_superuser=True)
    role_grant(acting_user=administrator, user=world.orla, role=Role.MODERATOR)
    break_snapshot(world.play().pk)
    app.tasks["games.tasks.sweep"]()
    client.force_login(world.orla)
    assert client.get(reverse("admin:jobs_setaside_changelist")).status_code == 403
    assert "matches.wake" not in client.get(reverse("admin:index")).content.decode()


def test_a_match_that_cannot_be_read_does_not_stop_the_service_from_beginning(
    world: World,
) -> None:
    """The first beat notices an outage and looks at no match; of those that it took time from, one
    that cannot be read is set aside, and the others are given theirs back."""
    from games import heartbeat
    from games.models import ServiceBeat
    from games.services.outage import known

    broken, sound = world.play(), world.play()
    break_snapshot(broken.pk)
    Match.objects.update(made_good_until=0)
    ServiceBeat.objects.create(at=now_ms() - 620_000)
    world.patch.setattr(known, "beat", None)
    world.patch.setattr(known, "end", 0)
    heartbeat._beat()
    assert ServiceBeat.objects.get().at > now_ms() - 60_000
    assert not SetAside.objects.exists()
    app.tasks["games.tasks.sweep"]()
    assert sound.entries == [("service", "", False)]
    found = SetAside.objects.values_list("job", "key")
    assert set(found) == {(job, str(broken.pk)) for job in ("matches.give-back", "matches.wake")}


def test_nothing_that_a_beat_meets_ends_the_heartbeat(world: World) -> None:
    from games import heartbeat

    def fails(**_arguments: Any) -> None:
        raise RecursionError

    world.patch.setattr(heartbeat, "beat_record", fails)
    heartbeat._beat()
