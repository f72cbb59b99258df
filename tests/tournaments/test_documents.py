"""A season as a document: out, in on another site, and out again alike byte for byte.

The season that several tests look at is made once, in a transaction that is never committed. Only a
whole run does the other formats with five contestants instead of three.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from core.refusals import Refusal
from games.models import Match
from tests.games.support import user_named
from tests.support import depth
from tests.tournaments.support import (
    GAME,
    START,
    account,
    begun,
    chosen,
    organiser_named,
    played,
    refused,
    running,
    who,
)
from tournaments.documents.export import season_export, season_records
from tournaments.documents.restore import season_import
from tournaments.documents.schema import season_fields, season_schema
from tournaments.invariants import faults_of
from tournaments.models import Season, SeasonOrganiser
from tournaments.services.ledger.acts import ledger_give
from tournaments.services.ledger.book import balance_of
from tournaments.services.results.corrections import death_match_correct
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.seasons import season_create
from tournaments.simulation.plan import Plan
from tournaments.simulation.season import season_simulate

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("documents")]

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = DOCS / "season.schema.json"


@pytest.fixture(scope="module")
def orla(django_db_setup: None, django_db_blocker: Any) -> Iterator[User]:
    """An organiser."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield organiser_named("orla")
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def season(orla: User, django_db_blocker: Any) -> Season:
    """A finished season with whatever there is: items, void matches, people leaving."""
    plan = Plan(
        format="elimination",
        contestants=6,
        seed=5,
        start=START,
        quick=True,
        best_of=3,
        drop_outs=1,
        no_shows=1,
        voids=2,
        corrections=1,
        repertoire=(GAME,),
    )
    with django_db_blocker.unblock():
        return season_simulate(plan=plan, organiser=orla)


def elsewhere() -> None:
    """Another installation: nothing of the seasons and matches is there, and ids go on where they
    were, so that none is the same."""
    tables = [
        name
        for name in connection.introspection.table_names()
        if name.startswith(("tournaments_", "games_"))
    ]
    with connection.cursor() as cursor:
        # Deferred checks of the rows made in this test would keep the tables from being emptied.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        cursor.execute(f"TRUNCATE {', '.join(tables)}")


def test_out_in_and_out_again_is_the_same(season: Season, orla: User) -> None:
    document, archive = season_export(season=season), season_records(season=season)
    elsewhere()
    there = organiser_named("tamsin")
    copy = season_import(acting_user=there, data=archive, match_accounts=True)
    assert copy.pk != season.pk
    assert season_export(season=copy) == document
    assert season_records(season=copy) == archive
    assert faults_of(copy) == []
    assert [each.user for each in copy.organisers.all()] == [there]
    assert not Match.objects.exclude(source="imported").exists()


def test_without_accounts_people_are_names(season: Season, orla: User) -> None:
    document, archive = season_export(season=season), season_records(season=season)
    elsewhere()
    copy = season_import(acting_user=orla, data=archive)
    assert set(copy.contestants.values_list("user", flat=True)) == {None}
    known = json.loads(document)
    for each in known["contestants"]:
        each["username"] = ""
    assert json.loads(season_export(season=copy)) == known


def test_names_without_an_account_say_so(season: Season, orla: User, client: Client) -> None:
    """They may be names of somebody here, who would be taken for them."""
    archive = season_records(season=season)
    elsewhere()
    copy = season_import(acting_user=orla, data=archive)
    named = dict(zip(copy.contestants.all(), ("Moderator", "Orla", "Zoe"), strict=False))
    for contestant, name in named.items():
        contestant.name = name
        contestant.user = user_named("zoe") if name == "Zoe" else None
        contestant.save(update_fields=["name", "user"])
    client.force_login(orla)
    page = client.get(f"/seasons/{copy.slug}/contestants/").content.decode()
    for name in ("Moderator", "Orla"):
        assert f'{name}</bdi> <span class="muted small">(no account here)</span>' in page
    assert "another installation of this site gave the name" in page
    assert "Zoe</bdi></a>" in page


@pytest.mark.parametrize("kind", ["swiss", "single-elimination", "round-robin"])
def test_other_formats(orla: User, kind: str) -> None:
    contestants = 5 if depth.whole else 3
    plan = Plan(
        format=kind, contestants=contestants, seed=2, start=START, quick=True, drop_outs=1,
        options={"rounds": 3} if kind == "swiss" else {}, repertoire=(GAME,),
    )  # fmt: skip
    season = season_simulate(plan=plan, organiser=orla)
    archive = season_records(season=season)
    elsewhere()
    copy = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert season_records(season=copy) == archive


def test_a_season_goes_on_where_it_came_to(orla: User) -> None:
    season = running(orla, 4)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=0)
    archive = season_records(season=season)
    elsewhere()
    copy = season_import(acting_user=orla, data=archive, match_accounts=True)
    played(orla, chosen(orla, copy, ec=1, dmo=3), winner=0)
    assert copy.contestants.filter(status="active").count() == 2
    assert faults_of(copy) == []


def test_the_document_follows_its_schema(season: Season) -> None:
    schema = json.loads(SCHEMA.read_text())
    assert schema == season_schema()
    jsonschema.validate(json.loads(season_export(season=season)), schema)


def test_the_ledger_goes_along(orla: User) -> None:
    """As a whole, to whoever sees the whole of it; balances agree where it comes to."""
    trade = {"currency": True, "start": 3, "payments": "secret", "hidden": True, "stakes": "all"}
    season = running(orla, 4, trade=trade)
    ledger_give(
        acting_user=account(season, 3), season=season, payee=who(season, 4), amount=2, secret=True
    )
    row = chosen(orla, season, ec=1, dmo=2)
    row = death_match_declare(
        acting_user=orla, death_match=row, winner=who(season, 2), why="an appeal"
    )
    death_match_correct(acting_user=orla, death_match=row, winner=who(season, 1), why="no")
    archive = season_records(season=season, reader=orla)
    purses = [balance_of(who(season, number)) for number in (1, 2, 3, 4)]
    assert purses == [6, 0, 1, 5]
    document = json.loads(season_export(season=season))
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert len(document["ledger"]) == 8
    SeasonOrganiser.objects.create(season=season, user=account(season, 3))
    playing = json.loads(season_export(season=season, reader=account(season, 3)))
    assert playing == document | {"ledger": []}
    elsewhere()
    restored = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert faults_of(restored) == []
    assert [balance_of(who(restored, number)) for number in (1, 2, 3, 4)] == purses
    assert season_records(season=restored) == archive


def test_a_ledger_that_does_not_hold_is_refused(orla: User) -> None:
    season = running(orla, 4, trade={"currency": True, "start": 3, "payments": "open"})
    ledger_give(acting_user=account(season, 3), season=season, payee=who(season, 4), amount=2)
    document = json.loads(season_export(season=season))
    elsewhere()
    for change in (
        {"amount": 4},
        {"unit": "token"},
        {"secret": True},
        {"payer": 3, "payee": 3},
        {"payer": None, "payee": None},
        {"kind": "correction", "reverses": 1},
        {"reverses": 1},
        {"payer": 9},
        {"amount": 0},
    ):
        wrong = json.loads(json.dumps(document))
        wrong["ledger"][-1] |= change
        data = json.dumps(wrong).encode()
        with pytest.raises(Refusal, match=r"\.") as refusal:
            season_import(acting_user=orla, data=data)
        assert refusal.value.code in ("document.wrong", "document.malformed"), change
    season_import(acting_user=orla, data=json.dumps(document).encode())


def test_the_schema_knows_what_events_tell(season: Season) -> None:
    schema, document = json.loads(SCHEMA.read_text()), json.loads(season_export(season=season))
    event = next(each for each in document["events"] if each["kind"] == "death-match.started")
    for wrong in ({"colour": 1}, {"not_ready": 1}, {"names": [1]}):
        event["data"], sound = {**event["data"], **wrong}, event["data"]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, schema)
        event["data"] = sound
    jsonschema.validate(document, schema)


def test_the_list_of_its_fields_is_up_to_date() -> None:
    assert (DOCS / "season-fields.md").read_text() == season_fields()


def test_nothing_secret_is_in_it(orla: User) -> None:
    season = running(orla, 4)
    death_match = chosen(orla, season, ec=1, dmo=2)
    death_match.legs.update(prepared={"pool": "a secret"}, prepared_by=orla)
    text = season_export(season=season).decode()
    assert "a secret" not in text
    assert "@" not in text


# -- refusals ------------------------------------------------------------------------------------


def test_not_while_a_match_is_on(orla: User) -> None:
    season = running(orla, 4)
    begun(orla, chosen(orla, season, ec=1, dmo=2))
    refused("document.leg-running", season_export, season=season)
    refused("document.leg-running", season_records, season=season)


def test_only_organisers_import(orla: User, cleo: User) -> None:
    document = season_export(season=season_create(acting_user=orla, name="A", format="swiss"))
    refused("document.not-allowed", season_import, acting_user=cleo, data=document)


def test_not_twice(orla: User) -> None:
    document = season_export(season=season_create(acting_user=orla, name="A", format="swiss"))
    refused("document.exists", season_import, acting_user=orla, data=document)


def test_beside_itself_where_that_is_asked_for(season: Season, orla: User) -> None:
    """The copy says the same as the season, but for what it is known by, and the season stays."""
    document, archive = season_export(season=season), season_records(season=season)
    matches = set(Match.objects.values_list("pk", flat=True))
    refused("document.exists", season_import, acting_user=orla, data=archive)
    copies = [
        season_import(acting_user=orla, data=archive, match_accounts=True, beside=True)
        for _ in range(2)
    ]
    assert [each.name for each in copies] == [f"{season.name} (copy)", f"{season.name} (copy 2)"]
    assert len({season.uid, *(each.uid for each in copies)}) == 3
    assert len({season.slug, *(each.slug for each in copies)}) == 3
    for copy in copies:
        own = set(
            Match.objects.filter(leg__death_match__round__season=copy).values_list("pk", flat=True)
        )
        assert own
        assert not own & matches
        assert faults_of(copy) == []
        entry = AuditEntry.objects.get(action="season.import", target_id=str(copy.pk))
        assert entry.data["copy"] is True
        known = json.loads(document)
        known["season"] |= {"uid": str(copy.uid), "slug": copy.slug, "name": copy.name}
        assert json.loads(season_export(season=copy)) == known
    assert season_export(season=season) == document
    # A copy is a season like any other: it is refused, and copied, as one.
    again = season_records(season=copies[0])
    refused("document.exists", season_import, acting_user=orla, data=again)
    copy = season_import(acting_user=orla, data=again, beside=True)
    assert copy.name == f"{season.name} (copy) (copy)"


def test_whoever_asks_for_a_copy_of_what_is_not_here_gets_it_as_itself(
    season: Season, orla: User
) -> None:
    document, archive = season_export(season=season), season_records(season=season)
    elsewhere()
    there = season_import(acting_user=orla, data=archive, match_accounts=True, beside=True)
    assert season_export(season=there) == document


def test_a_long_name_leaves_room_for_the_word(orla: User) -> None:
    season = season_create(acting_user=orla, name="n" * 80, format="swiss")
    copy = season_import(acting_user=orla, data=season_export(season=season), beside=True)
    assert copy.name == "n" * 73 + " (copy)"


def test_the_page_and_the_command_make_a_copy_only_if_asked(
    orla: User, client: Client, tmp_path: Path
) -> None:
    season = season_create(acting_user=orla, name="A", format="swiss")
    file = tmp_path / "a.json"
    file.write_bytes(season_export(season=season))
    client.force_login(orla)

    def post(**more: str) -> Any:
        with file.open("rb") as upload:
            return client.post("/seasons/+import/", {"document": upload, **more})

    answer = post()
    assert "It can be imported beside it, as a copy." in unescape(answer.text)
    assert post(beside="on")["Location"] == "/seasons/a-copy/desk/"
    with pytest.raises(CommandError, match="on this site already"):
        call_command("season", "import", str(file), organiser="orla")
    said = io.StringIO()
    call_command("season", "import", str(file), organiser="orla", beside=True, stdout=said)
    assert said.getvalue() == "A (copy 2) is restored as a-copy-2.\n"


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"null", b"PK\x03\x04 no zip", b"\xff\xfe", b"[" * 100_000, b"\x00"],
)
def test_what_is_no_document(orla: User, data: bytes) -> None:
    refused("document.malformed", season_import, acting_user=orla, data=data)


def test_a_zip_without_a_document(orla: User) -> None:
    refused("document.malformed", season_import, acting_user=orla, data=zipped({"a": b"b"}))


def test_a_zip_that_unfolds_without_end(orla: User, settings: Any) -> None:
    settings.GAUNTLET_SEASON_MAX_BYTES = 10_000
    bomb = zipped({"season.json": b" " * 1_000_000})
    assert len(bomb) < 10_000
    refused("document.too-large", season_import, acting_user=orla, data=bomb)
    refused("document.too-large", season_import, acting_user=orla, data=b"{" * 10_001)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def spoilt(archive: bytes, spoil: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        files = {name: read.read(name) for name in read.namelist()}
    document = json.loads(files["season.json"])
    spoil(document, files)
    files["season.json"] = json.dumps(document).encode()
    return zipped(files)


def _of_first_leg(document: dict[str, Any], **changes: Any) -> None:
    document["rounds"][0]["death_matches"][0]["legs"][0].update(changes)


SPOILT: list[tuple[str, str, Callable[[dict[str, Any], dict[str, bytes]], Any]]] = [
    ("document.malformed", "$.season", lambda d, f: d["season"].update(colour="red")),
    ("document.malformed", "format", lambda d, f: d.update(format="gauntlet-season/2")),
    ("document.malformed", "$.contestants[0].seed", lambda d, f: d["contestants"][0].update(
        seed=0
    )),
    ("document.malformed", "created_at", lambda d, f: d["season"].update(created_at="2026-01-01")),
    ("document.malformed", "status", lambda d, f: _of_first_leg(d, status="running")),
    ("document.malformed", "NUL", lambda d, f: d["season"].update(summary="a\x00b")),
    ("format.unknown", "season.format", lambda d, f: d["season"].update(format="golf")),
    ("document.wrong", "season.uid", lambda d, f: d["season"].update(uid="me")),
    ("document.wrong", "season.visibility", lambda d, f: d["season"].update(visibility="draft")),
    ("document.wrong", "season.started_at", lambda d, f: d["season"].update(started_at=None)),
    ("document.wrong", "season.finished_at", lambda d, f: d["season"].update(finished_at=None)),
    ("document.wrong", "season.winner", lambda d, f: d["season"].update(status="cancelled")),
    ("document.wrong", "contestants[1]", lambda d, f: d["contestants"][1].update(id=1)),
    ("document.wrong", "season.winner", lambda d, f: d["season"].update(winner=77)),
    ("document.wrong", "rounds[1]", lambda d, f: d["rounds"][1].update(number=1)),
    (
        "document.wrong",
        "rounds[0].death_matches[0].home",
        lambda d, f: d["rounds"][0]["death_matches"][0].update(home=77),
    ),
    ("document.wrong", "events[0]", lambda d, f: d["events"][0].update(where={"round": 99})),
    ("document.wrong", "gifts[0].receiver", lambda d, f: d["gifts"][0].update(receiver=99)),
    ("document.wrong", "contestant_seed_once", lambda d, f: [
        each.update(seed=1) for each in d["contestants"]
    ]),
    ("document.wrong", "another winner", lambda d, f: _of_first_leg(
        d, winner_seat=1 - d["rounds"][0]["death_matches"][0]["legs"][0]["winner_seat"]
    )),
    ("document.wrong", "another game", lambda d, f: _of_first_leg(
        d, ruleset="domino-wars", variant="standard"
    )),
    ("document.record-missing", "records/1.dmr.json", lambda d, f: f.pop("records/1.dmr.json")),
    ("record.malformed", "records/1.dmr.json", lambda d, f: f.update(
        {"records/1.dmr.json": b"{}"}
    )),
    ("format.options", "season.format_options", lambda d, f: d["season"].update(
        format_options={"colour": 1}
    )),
    ("setup.variant", "season.repertoire", lambda d, f: d["season"].update(
        repertoire=[{"ruleset": "tetronogo", "variant": "no", "options": {}}]
    )),
    ("standings.unknown", "season.tie_breaks", lambda d, f: d["season"].update(tie_breaks=["x"])),
    ("item.unknown", "gifts[0]", lambda d, f: d["gifts"][0].update(item="sword")),
]  # fmt: skip


def test_what_does_not_fit_is_refused_and_where(orla: User) -> None:
    plan = Plan(
        format="elimination", contestants=4, seed=3, start=START, quick=True, best_of=1,
        repertoire=(GAME,),
    )  # fmt: skip
    season = season_simulate(plan=plan, organiser=orla)
    archive = season_records(season=season)
    elsewhere()
    for code, where, spoil in SPOILT:
        data = spoilt(archive, spoil)
        refusal = refused(code, season_import, acting_user=orla, data=data)
        assert where in refusal.sentence, refusal.sentence
    # And nothing of all that is in the way of the real one.
    season_import(acting_user=orla, data=archive)
