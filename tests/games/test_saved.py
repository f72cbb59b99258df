"""Moves that people keep for themselves: who sees them, what is refused, and how many there are."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from games.models import SavedMove
from games.services import saved
from games.services.saved import saved_move_delete, saved_move_save, saved_moves_of
from tests.games.support import refused

GAME = "tetronogo"
HERE = f"/api/v1/saved/{GAME}/"


def kept(user: User) -> list[tuple[str, str]]:
    return [(each.name, each.text) for each in saved_moves_of(user=user, ruleset=GAME)]


def save(user: User, name: str = "mine", text: str = "pick T", ruleset: str = GAME) -> SavedMove:
    return saved_move_save(acting_user=user, ruleset=ruleset, name=name, text=text)


@pytest.fixture
def ada_client(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def test_a_move_is_kept_in_canonical_form_under_a_name(ada: User) -> None:
    save(ada, " my  \n pick ", "  PICK t. ")
    save(ada, "another", "d4 90")
    assert kept(ada) == [("another", "D4 90"), ("my    pick", "pick T")]


def test_the_same_name_means_the_same_place(ada: User) -> None:
    first = save(ada, text="pick T")
    again = save(ada, text="pick O")
    assert (again.pk, again.text) == (first.pk, "pick O")
    assert kept(ada) == [("mine", "pick O")]


def test_what_is_kept_belongs_to_one_person_and_one_ruleset(ada: User, ben: User) -> None:
    own = save(ada)
    save(ada, text="first", ruleset="domino-black-white")
    assert kept(ben) == []
    refused("saved.none", saved_move_delete, acting_user=ben, ruleset=GAME, saved_move_id=own.pk)
    refused(
        "saved.none",
        saved_move_delete,
        acting_user=ada,
        ruleset="domino-black-white",
        saved_move_id=own.pk,
    )
    saved_move_delete(acting_user=ada, ruleset=GAME, saved_move_id=own.pk)
    assert kept(ada) == []
    assert SavedMove.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"ruleset": "chess"}, "setup.ruleset"),
        ({"name": " \n\u202e "}, "saved.name-empty"),
        ({"name": "x" * 41}, "saved.name-too-long"),
        ({"text": ""}, "notation.unreadable"),
        ({"text": "pick X"}, "notation.tetromino"),
        ({"text": "concede"}, "notation.unreadable"),
    ],
)
def test_what_cannot_be_kept(ada: User, change: dict[str, str], code: str) -> None:
    refused(code, save, user=ada, **change)
    assert SavedMove.objects.count() == 0


def test_there_is_room_for_so_many(ada: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MOST", 2)
    save(ada, "one")
    save(ada, "two")
    refused("saved.too-many", save, user=ada, name="three")
    assert save(ada, "two", "pick O").text == "pick O"
    save(ben, "three")
    save(ada, "three", "first", ruleset="domino-black-white")


def test_the_audit_log_does_not_tell_what_is_kept(ada: User) -> None:
    move = save(ada, "secret name", "pick T")
    saved_move_delete(acting_user=ada, ruleset=GAME, saved_move_id=move.pk)
    entries = AuditEntry.objects.filter(action__startswith="saved_move.").order_by("pk")
    assert [(entry.action, entry.who, entry.data) for entry in entries] == [
        ("saved_move.save", ada, {"ruleset": GAME}),
        ("saved_move.delete", ada, {"ruleset": GAME}),
    ]


@pytest.mark.parametrize("wrong", [{"name": ""}, {"text": ""}])
def test_the_database_refuses_halves(ada: User, wrong: dict[str, str]) -> None:
    row = {"name": "mine", "text": "pick T", **wrong}
    with pytest.raises(IntegrityError), transaction.atomic():
        SavedMove.objects.create(user=ada, ruleset=GAME, **row)


# -- over HTTP -----------------------------------------------------------------------------------


def post(client: Client, body: dict[str, Any], address: str = HERE) -> Any:
    return client.post(address, body, content_type="application/json")


def test_saving_listing_and_deleting(ada_client: Client) -> None:
    made = post(ada_client, {"name": "mine", "text": "pick t"})
    assert made.status_code == 200
    assert made.json() == {"id": made.json()["id"], "name": "mine", "text": "pick T"}
    listed = ada_client.get(HERE)
    assert listed.json() == [made.json()]
    assert listed["Cache-Control"] == "private, no-store"
    assert ada_client.delete(f"{HERE}{made.json()['id']}/").status_code == 204
    assert ada_client.get(HERE).json() == []


def test_nothing_without_signing_in(client: Client, ada: User) -> None:
    own = save(ada)
    for answer in (
        client.get(HERE),
        post(client, {"name": "mine", "text": "pick T"}),
        client.delete(f"{HERE}{own.pk}/"),
    ):
        assert answer.status_code == 401
    assert kept(ada) == [("mine", "pick T")]


def test_wrong_addresses_bodies_and_owners(ada_client: Client, ben: User) -> None:
    theirs = save(ben)
    assert ada_client.get("/api/v1/saved/chess/").status_code == 404
    assert ada_client.put(HERE).status_code == 405
    assert post(ada_client, {"name": "mine"}).status_code == 400
    assert post(ada_client, {"name": "mine", "text": "x" * 2001}).status_code == 400
    answer = post(ada_client, {"name": "mine", "text": "pick X"})
    assert (answer.status_code, answer.json()["code"]) == (400, "notation.tetromino")
    assert list(answer.json()["fields"]) == ["text"]
    assert ada_client.delete(f"{HERE}{theirs.pk}/").status_code == 404
    assert kept(ben) == [("mine", "pick T")]
