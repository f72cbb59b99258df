"""Exports: what is public, all of it from one moment, and nothing else."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import connection
from django.test import AsyncClient, Client
from django.urls import reverse

from accounts.models import User
from games.engine import records
from games.models import Match
from games.rulesets import REGISTRY
from tests.games.support import Play, started
from tests.pages.support import words
from tests.webhooks.support import Stage
from tournaments.dumps import archive, tables, tasks
from tournaments.dumps.records import season_records
from tournaments.models import Contestant, Gift, Leg, Season, SeasonOrganiser

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path, set_clock: Callable[[int], None]) -> Path:
    settings.MEDIA_ROOT = tmp_path
    set_clock(0)
    return tmp_path


def conceded(play: Play) -> Match:
    play.move(0, "concede", 5000)
    return play.match


def another_leg(stage: Stage, match: Match, number: int) -> Leg:
    return Leg.objects.create(
        death_match=stage.death_match, number=number, ruleset=match.ruleset,
        variant=match.variant, match=match, status="running", started_at=stage.at,
    )  # fmt: skip


@pytest.fixture
def finished(stage: Stage) -> Match:
    return conceded(stage.play())


def read(path: Path) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The manifest and the rows of a dump."""
    with zipfile.ZipFile(path) as zipped:
        assert zipped.testzip() is None
        manifest = json.loads(zipped.read("manifest.json"))
        rows = {
            name: [
                json.loads(line)
                for line in gzip.decompress(zipped.read(table["file"])).splitlines()
            ]
            for name, table in manifest["tables"].items()
        }
        for table in manifest["tables"].values():
            packed = zipped.read(table["file"])
            assert len(packed) == table["bytes"]
            assert hashlib.sha256(packed).hexdigest() == table["sha256"]
    assert {name: len(each) for name, each in rows.items()} == {
        name: table["rows"] for name, table in manifest["tables"].items()
    }
    return manifest, rows


def _streamed(answer: Any) -> AsyncIterator[bytes]:
    """The pieces of a streamed answer, as the server would send them."""
    pieces: AsyncIterator[bytes] = answer.__aiter__()
    return pieces


# -- a season's records --------------------------------------------------------------------------


def test_records_of_a_season(stage: Stage, finished: Match) -> None:
    running = started((stage.ada, stage.ben))
    another_leg(stage, running.match, 2)
    elsewhere = conceded(started((stage.ada, stage.ben)))
    lines = [json.loads(line) for line in season_records(stage.season)]
    (line,) = lines
    assert line["match"] == finished.pk != elsewhere.pk
    assert (line["round"], line["leg"], line["void"]) == (1, 1, False)
    verdict = records.check(REGISTRY, msgspec.json.encode(line["record"]))
    assert verdict["ok"]
    assert verdict["finished"]


def test_records_are_read_a_few_at_a_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    from tournaments.dumps import records as exported

    monkeypatch.setattr(exported, "BATCH", 2)
    made = [conceded(started((stage.ada, stage.ben))) for _ in range(5)]
    for number, match in enumerate(made, 1):
        if number == 1:
            Leg.objects.filter(pk=stage.leg.pk).update(
                match=match, status="running", started_at=stage.at
            )
        else:
            another_leg(stage, match, number)
    lines, after = exported.season_records_after(stage.season, 0)
    assert (len(lines), after) == (2, made[1].pk)
    found = [json.loads(line)["match"] for line in season_records(stage.season)]
    assert found == [match.pk for match in made]


def test_the_stream(stage: Stage, finished: Match, cleo: User) -> None:
    where = reverse("season_records", args=["autumn"])

    async def body(client: AsyncClient) -> tuple[int, Any, bytes]:
        answer = await client.get(where)
        if not answer.streaming:
            return answer.status_code, answer, b""
        return answer.status_code, answer, b"".join([piece async for piece in _streamed(answer)])

    code, answer, text = async_to_sync(body)(AsyncClient())
    assert code == 200
    assert answer["Content-Type"] == "application/x-ndjson"
    assert [json.loads(line)["match"] for line in text.splitlines()] == [finished.pk]
    client = Client()
    assert client.head(where).status_code == 200
    assert client.post(where).status_code == 405
    assert client.get(where.replace("autumn", "spring")).status_code == 404
    Season.objects.create(slug="draft", name="D", format="swiss", created_by=stage.orla)
    assert client.get(where.replace("autumn", "draft")).status_code == 404
    client.force_login(cleo)
    assert client.get(where.replace("autumn", "draft")).status_code == 404


# -- the dump ------------------------------------------------------------------------------------


def test_a_dump(stage: Stage, finished: Match, media: Path) -> None:
    stage.ada.email = "ada@example.org"
    stage.ada.save()
    running = started((stage.ada, stage.ben))
    running.move(0, "pick T", 1000)
    stage.event("ruling", "So be it.", data={"a": 1})
    Gift.objects.create(
        season=stage.season, item="extra-time", giver=stage.home, receiver=stage.away,
        given_by=stage.orla,
    )  # fmt: skip
    draft = Season.objects.create(
        slug="draft", name="Secret", format="swiss", created_by=stage.orla
    )
    Contestant.objects.create(season=draft, user=stage.orla, name="Hidden")

    dump = archive.dump_write(now=datetime(2026, 11, 21, 3, 10, tzinfo=UTC))
    assert dump.name == "dump-2026-11-21.zip"
    path = media / "dumps" / dump.name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == dump.sha256
    manifest, rows = read(path)
    assert manifest["format"] == "gauntlet-dump/1"
    assert set(rows) == {
        "users", "seasons", "contestants", "rounds", "death_matches", "matches", "items", "events",
        "ratings", "rating_points",
    }  # fmt: skip
    assert rows["users"] == [
        {"username": "ada", "display_name": "Ada"},
        {"username": "ben", "display_name": "Ben"},
    ]
    assert [season["slug"] for season in rows["seasons"]] == ["autumn"]
    assert [one["name"] for one in rows["contestants"]] == ["Ada", "Ben"]
    (match,) = rows["matches"]
    assert match["id"] == finished.pk
    assert match["players"][0] == {"name": "Ada", "username": "ada"}
    assert records.check(REGISTRY, msgspec.json.encode(match["record"]))["ok"]
    assert rows["death_matches"][0]["legs"][0]["match"] == finished.pk
    assert [item["item"] for item in rows["items"]] == ["extra-time"]
    kinds = [event["kind"] for event in rows["events"]]
    assert (kinds[0], kinds[-1]) == ("death-match.started", "ruling")
    everything = json.dumps(rows)
    for secret in ("example.org", "Secret", "Hidden", "orla", "password", "pick T"):
        assert secret not in everything


def test_only_named_fields_of_people_are_exported(stage: Stage, finished: Match) -> None:
    assert {key for row in tables.users() for key in row} == {"username", "display_name"}


def test_what_a_planned_leg_hides(stage: Stage) -> None:
    stage.leg.items, stage.leg.prepared = [{"seat": 0, "item": "x"}], {"pallets": "secret"}
    stage.leg.save()
    (row,) = tables.death_matches()
    assert row["legs"][0]["items"] is None
    assert "secret" not in json.dumps(row, default=str)


def test_all_tables_are_from_one_moment(
    stage: Stage, finished: Match, monkeypatch: pytest.MonkeyPatch, media: Path
) -> None:
    """Somebody writes between two tables, in a transaction of their own."""
    import threading

    def seasons(_failed: Any) -> Iterator[Any]:
        yield from tables.seasons()

        def elsewhere() -> None:
            Season.objects.create(
                slug="late", name="Late", format="swiss", visibility="listed",
                created_by=stage.orla,
            )  # fmt: skip
            connection.close()

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert not Season.objects.filter(slug="late").exists()

    def contestants(_failed: Any) -> Iterator[Any]:
        yield {"seasons": Season.objects.count()}

    monkeypatch.setattr(archive, "TABLES", (seasons, contestants))
    dump = archive.dump_write()
    _, rows = read(media / "dumps" / dump.name)
    assert rows["contestants"] == [{"seasons": 1}]
    assert Season.objects.count() == 2


def test_one_that_breaks_leaves_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, media: Path
) -> None:
    before = archive.dump_write()

    def broken(_failed: Any) -> Iterator[Any]:
        yield {"a": 1}
        raise ZeroDivisionError

    monkeypatch.setattr(archive, "TABLES", (broken,))
    with pytest.raises(ZeroDivisionError):
        archive.dump_write()
    assert archive.dumps() == [before]
    assert len(list((media / "dumps").iterdir())) == 2


def test_one_at_a_time(stage: Stage) -> None:
    import threading

    taken, done = threading.Event(), threading.Event()

    def other() -> None:
        with archive._snapshot():
            taken.set()
            done.wait(20)
        connection.close()

    thread = threading.Thread(target=other)
    thread.start()
    assert taken.wait(20)
    try:
        with pytest.raises(archive.Busy):
            archive.dump_write()
        assert archive.dumps() == []
    finally:
        done.set()
        thread.join()
    archive.dump_write()


def test_the_latest_are_kept(stage: Stage, settings: Any, media: Path) -> None:
    settings.GAUNTLET_DUMPS_KEPT = 3
    for day in range(1, 6):
        archive.dump_write(day=date(2026, 1, day))
    names = [dump.name for dump in archive.dumps()]
    assert names == [f"dump-2026-01-0{day}.zip" for day in (5, 4, 3)]
    assert len(list((media / "dumps").iterdir())) == 6


def test_a_night(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
    made = []
    for _ in range(48):
        before = {dump.name: dump.manifest.made_at for dump in archive.dumps()}
        monkeypatch.setattr(tasks, "now_utc", lambda now=now: now)
        tasks.nightly()
        after = {dump.name: dump.manifest.made_at for dump in archive.dumps()}
        if after != before:
            made.append(now)
        now += timedelta(hours=1)
    assert made == [datetime(2026, 11, day, 3, 10, tzinfo=UTC) for day in (21, 22)]


def test_the_command(stage: Stage, finished: Match) -> None:
    out = io.StringIO()
    call_command("dump_public", stdout=out)
    (dump,) = archive.dumps()
    assert dump.sha256 in out.getvalue()
    assert "matches: 1" in out.getvalue()


def test_the_page_and_the_file(stage: Stage, finished: Match, media: Path) -> None:
    client = Client()
    page = reverse("exports:index")
    assert "No dump yet" in words(client.get(page))
    dump = archive.dump_write()
    shown = words(client.get(page))
    assert dump.name in shown
    assert dump.sha256 in shown
    where = reverse("exports:dump", args=[dump.name])

    async def fetch() -> tuple[Any, bytes]:
        answer = await AsyncClient().get(where)
        return answer, b"".join([piece async for piece in _streamed(answer)])

    answer, body = async_to_sync(fetch)()
    assert body == (media / "dumps" / dump.name).read_bytes()
    assert int(answer["Content-Length"]) == len(body)
    assert client.get(where, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    head = client.head(where)
    assert (head.status_code, head["Content-Length"]) == (200, str(len(body)))
    assert client.post(where).status_code == 405
    for name in ("dump-2020-01-01.zip", dump.name.replace("zip", "json"), "passwd", ".making-x"):
        assert client.get(reverse("exports:dump", args=[name])).status_code == 404
    assert client.get("/exports/..%2F..%2Fetc%2Fpasswd").status_code == 404


def test_organisers_are_not_exported(stage: Stage) -> None:
    assert SeasonOrganiser.objects.exists()
    assert "orla" not in json.dumps([dict(row) for row in tables.seasons()], default=str)
