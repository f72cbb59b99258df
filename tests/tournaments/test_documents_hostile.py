"""Seasons' documents that were made to do harm: refused, and nobody's pages break."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from typing import Any

import pytest

from accounts.models import User
from tests.tournaments.support import GAME, refused
from tests.tournaments.test_documents import elsewhere, zipped
from tournaments.documents.export import season_export
from tournaments.documents.restore import season_import
from tournaments.services.seasons import season_create


@pytest.fixture
def document(orla: User) -> dict[str, Any]:
    """The document of a draft, which is on this site no more."""
    season = season_create(
        acting_user=orla, name="Autumn", format="swiss", settings={"repertoire": [GAME]}
    )
    found: dict[str, Any] = json.loads(season_export(season=season))
    elsewhere()
    return found


def _restored(orla: User, document: dict[str, Any]) -> Any:
    return season_import(acting_user=orla, data=json.dumps(document).encode())


def _refused(code: str, where: str, orla: User, document: dict[str, Any]) -> None:
    data = json.dumps(document).encode()
    refusal = refused(code, season_import, acting_user=orla, data=data)
    assert where in refusal.sentence, refusal.sentence


def test_the_document_itself_is_sound(orla: User, document: dict[str, Any]) -> None:
    assert json.loads(season_export(season=_restored(orla, document))) == document


# -- dates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "1999-12-31T23:59:59Z",
        "2000-01-01T00:00:00+00:01",
        "2200-01-01T00:00:00Z",
    ],
)
def test_dates_far_away(orla: User, document: dict[str, Any], moment: str) -> None:
    document["season"]["created_at"] = moment
    _refused("document.wrong", "season.created_at", orla, document)


@pytest.mark.parametrize("moment", ["2000-01-01T00:00:00Z", "2200-01-01T00:30:00+01:00"])
def test_dates_at_the_edge(orla: User, document: dict[str, Any], moment: str) -> None:
    document["season"]["created_at"] = moment
    season = _restored(orla, document)
    season.refresh_from_db()
    assert season.created_at.year in (2000, 2199)


def test_dates_are_looked_at_wherever_they_are(orla: User, document: dict[str, Any]) -> None:
    document["contestants"] = [
        {
            "id": 1, "username": "", "name": "Ada", "seed": 1, "status": "enrolled",
            "since_round": 1, "place": None, "replaces": None,
            "enrolled_at": "2026-01-01T00:00:00Z", "left_at": "0001-01-01T00:00:00+14:00",
        }
    ]  # fmt: skip
    _refused("document.wrong", "contestants[0].left_at", orla, document)


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("pace", "glacial", "season.pace"),
        ("pace", "", "season.pace"),
        ("no_show_minutes", 10_081, "season.no-show"),
        ("name", "   ", "season.name.missing"),
        ("repertoire", [GAME] * 65, "season.repertoire"),
        ("tie_breaks", ["luck"], "standings.unknown"),
        ("format_options", {"rounds": 65}, "format.options"),
    ],
)
def test_settings_that_no_season_can_have(
    orla: User, document: dict[str, Any], field: str, value: Any, code: str
) -> None:
    document["season"][field] = value
    _refused(code, f"season.{field}", orla, document)


# -- what the database does not take ---------------------------------------------------------------


def _of_an_event(document: dict[str, Any], data: Any) -> dict[str, Any]:
    document["events"] = [
        {
            "kind": "ruling", "words": "So be it.", "data": data, "where": None,
            "contestant": None, "at": "2026-01-01T00:00:00Z",
        }
    ]  # fmt: skip
    return document


def test_free_data_without_end(orla: User, document: dict[str, Any]) -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    _refused("document.wrong", "events[0].data", orla, _of_an_event(document, {"a": deep}))
    large = _of_an_event(document, {"a": 10**400})
    _refused("document.wrong", "events[0].data.a", orla, large)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ({"colour": "red"}, "events[0].data.colour"),
        ({"winner": 1}, "events[0].data.winner"),
        ({"ec": "Ada"}, "events[0].data.ec"),
        ({"ec": 0}, "events[0].data.ec"),
        ({"why": 7}, "events[0].data.why"),
        ({"why": ["so"]}, "events[0].data.why"),
    ],
)
def test_what_no_such_event_tells(
    orla: User, document: dict[str, Any], data: Any, where: str
) -> None:
    _refused("document.wrong", where, orla, _of_an_event(document, data))


def test_times_in_what_an_event_tells(orla: User, document: dict[str, Any]) -> None:
    _of_an_event(document, {"times": ["2026-01-01T00:00:00Z", "1999-01-01T00:00:00Z"]})
    document["events"][0]["kind"] = "death-match.paired"
    _refused("document.wrong", "events[0].data.times[1]", orla, document)
    document["events"][0]["data"]["times"][1] = "soon"
    _refused("document.wrong", "events[0].data.times[1]", orla, document)


def test_whom_nobody_knows_is_nobody(orla: User, document: dict[str, Any]) -> None:
    season = _restored(orla, _of_an_event(document, {"ec": 1, "why": "so"}))
    assert season.events.get().data == {"ec": None, "why": "so"}


def test_numbers_and_characters_that_are_none(orla: User, document: dict[str, Any]) -> None:
    text = json.dumps(_of_an_event(document, {"a": "here"}))
    for spoilt in ("1" * 5000, "1e999", '"\\ud800"', '"\\ud800 and more"', '"\\udfff\\ud800"'):
        data = text.replace('"here"', spoilt).encode()
        with pytest.raises(Exception) as raised:  # noqa: PT011  (its code is looked at)
            season_import(acting_user=orla, data=data)
        assert getattr(raised.value, "code", "").startswith("document."), (spoilt, raised.value)


# -- zips ----------------------------------------------------------------------------------------


def _lying(inner: bytes, stated: int) -> bytes:
    """A zip whose one file is ``inner``, of which it says that it has ``stated`` bytes."""
    made = bytearray(zipped({"season.json": inner}))
    header, entry = made.index(b"PK\x03\x04"), made.index(b"PK\x01\x02")
    made[header + 22 : header + 26] = struct.pack("<I", stated)
    made[entry + 24 : entry + 28] = struct.pack("<I", stated)
    return bytes(made)


def test_a_zip_that_lies_about_its_sizes_stays_small(orla: User) -> None:
    data = _lying(b" " * 100_000_000, stated=10)
    tracemalloc.start()
    try:
        refused("document.malformed", season_import, acting_user=orla, data=data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20_000_000


def test_many_files_count_together(orla: User, settings: Any) -> None:
    settings.GAUNTLET_SEASON_MAX_BYTES = 20_000
    files = {"season.json": b" " * 9_000, "records/1.dmr.json": b" " * 9_000}
    refused("document.malformed", season_import, acting_user=orla, data=zipped(files))
    files["records/2.dmr.json"] = b" " * 9_000
    refused("document.too-large", season_import, acting_user=orla, data=zipped(files))


def test_too_many_files(orla: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.documents.archive.FILES_MAX", 3)
    data = zipped({str(number): b"" for number in range(4)})
    refused("document.too-large", season_import, acting_user=orla, data=data)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unfold_in_one_piece(orla: User, method: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("season.json", b"{}")
    refused("document.malformed", season_import, acting_user=orla, data=out.getvalue())


def test_two_files_of_one_name(orla: User) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("season.json", b"{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("season.json", b"{}")
    refused("document.malformed", season_import, acting_user=orla, data=out.getvalue())


def test_every_byte_of_a_zip_may_be_wrong(orla: User, document: dict[str, Any]) -> None:
    """Flipped bits, an encrypted flag, cut ends: refused, or restored where it did not matter."""
    document["season"]["uid"] = "nobody"
    good = zipped({"season.json": json.dumps(document).encode()})
    refused("document.wrong", season_import, acting_user=orla, data=good)
    for at in range(2, len(good)):
        for mask in (0x01, 0x80, 0xFF):
            spoilt = bytearray(good)
            spoilt[at] ^= mask
            with pytest.raises(Exception) as raised:  # noqa: PT011  (its code is looked at)
                season_import(acting_user=orla, data=bytes(spoilt))
            code = getattr(raised.value, "code", "")
            assert code.startswith("document."), (at, mask, raised.value)
        with pytest.raises(Exception) as raised:  # noqa: PT011
            season_import(acting_user=orla, data=good[:at])
        assert getattr(raised.value, "code", "").startswith("document."), (at, raised.value)


def test_a_stream_that_is_no_deflate(orla: User) -> None:
    made = bytearray(zipped({"season.json": zlib.compress(b"{}" * 100)}))
    name_end = made.index(b"season.json") + len("season.json")
    made[name_end : name_end + 4] = b"\xff\xff\xff\xff"
    refused("document.malformed", season_import, acting_user=orla, data=bytes(made))
