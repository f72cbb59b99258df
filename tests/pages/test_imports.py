"""Importing records: organisers only, sound ones only."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from games.models import Match
from tests.engine.playthroughs import playthroughs
from tests.games.support import nothing_changes
from tests.pages.support import links, words

Visitor = Callable[..., Client]
ADDRESS = "/records/import/"
GOOD = next(path for path in playthroughs() if "two-in-a-row" in path.name).read_bytes()


def sent(client: Client, data: bytes, name: str = "match.dmr.json") -> Any:
    return client.post(ADDRESS, {"record": SimpleUploadedFile(name, data)})


def test_it_needs_a_sign_in(nobody: Client) -> None:
    assert nobody.get(ADDRESS)["Location"] == f"/accounts/login/?next={ADDRESS}"
    with nothing_changes():
        assert sent(nobody, GOOD).status_code == 302


def test_it_is_for_organisers(visitor: Visitor, ada: User) -> None:
    for response in (visitor(ada).get(ADDRESS), sent(visitor(ada), GOOD)):
        assert response.status_code == 403
        assert "Only organisers may import records." in words(response)
    assert not Match.objects.exists()


def test_it_takes_no_other_method_and_needs_its_token(visitor: Visitor, orla: User) -> None:
    assert visitor(orla).put(ADDRESS).status_code == 405
    with nothing_changes():
        assert sent(visitor(orla, enforce_csrf_checks=True), GOOD).status_code == 403


def test_a_sound_record_becomes_a_replay(visitor: Visitor, orla: User, nobody: Client) -> None:
    assert visitor(orla).get(ADDRESS).status_code == 200
    response = sent(visitor(orla), GOOD)
    match = Match.objects.get()
    assert response["Location"] == f"/matches/{match.pk}/replay/"
    assert match.source == "imported"
    for page in ("", "replay/", "record.dmr.json", "board.svg"):
        assert nobody.get(f"/matches/{match.pk}/{page}").status_code == 200
    home = nobody.get("/")
    assert f"/matches/{match.pk}/replay/" in links(home)
    assert "imported" in words(home)
    exported = json.loads(nobody.get(f"/matches/{match.pk}/record.dmr.json").content)
    assert exported["moves"] == json.loads(GOOD)["moves"]


def broken(change: Callable[[dict[str, Any]], object]) -> bytes:
    record = json.loads(GOOD)
    change(record)
    return json.dumps(record).encode()


@pytest.mark.parametrize(
    ("data", "code", "sentence"),
    [
        (b"{", "record.malformed", "This is not a match record"),
        (b"\xff\xfe\x00", "record.malformed", "This is not a match record"),
        (b"[]", "record.malformed", "This is not a match record"),
        (b"x" * (1024 * 1024 + 1), "record.too-large", "This file is too large"),
        (broken(lambda record: record.update(ruleset="chess")), "record.malformed", "chess"),
        (broken(lambda record: record["moves"][4].update(move="Z99 45")), "record.wrong",
         "The record is wrong at entry 5"),
        (broken(lambda record: record.update(moves=record["moves"][:5], result=None)),
         "record.malformed", "This is not a match record"),
        (broken(lambda record: (record.update(moves=record["moves"][:5]), record.pop("result"))),
         "record.unfinished", "Only a finished match can be imported."),
        (broken(lambda record: record["result"].update(winner=1 - record["result"]["winner"])),
         "record.wrong", "The record states winner"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_record_is_said(
    visitor: Visitor, orla: User, data: bytes, code: str, sentence: str
) -> None:
    with nothing_changes():
        response = sent(visitor(orla), data)
    assert response.status_code == 422
    (error,) = response.context["form"].errors["record"]
    assert sentence in error
    assert error.endswith(f"({code})")
    assert sentence in words(response)


@pytest.mark.parametrize("fields", [{}, {"record": ""}, {"record": "text, not a file"}])
def test_a_file_must_be_there(visitor: Visitor, orla: User, fields: dict[str, str]) -> None:
    response = visitor(orla).post(ADDRESS, fields)
    assert response.status_code == 422
    assert "This field is required." in words(response)


def test_an_empty_file_is_refused(visitor: Visitor, orla: User) -> None:
    assert "The submitted file is empty." in words(sent(visitor(orla), b""))
