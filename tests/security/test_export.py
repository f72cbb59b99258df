"""What somebody takes along: all that is kept of them, and nothing that is somebody else's."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from asgiref.sync import async_to_sync
from django.apps import apps
from django.core import mail
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.test import Client
from django.urls import reverse

from accounts.leaving import pages
from accounts.leaving.export import document, export_record
from accounts.leaving.kept import Given, Withheld, decisions
from accounts.models import (
    ApiToken,
    AuditEntry,
    Block,
    Report,
    Sanction,
    User,
)
from accounts.services import audit_record
from core.clock import now_utc
from games import own_data
from games.models import ChatMessage
from games.reading.records import record_bytes
from tests.games.support import Play, committing, refused, started, user_named
from tests.security.support import later
from tests.webhooks.support import Stage
from tournaments.models import Gift

pytestmark = pytest.mark.django_db

#: What no file holds by which something is opened, or that is somebody else's.
NEVER = {
    "password", "digest", "token", "token_checksum", "client_secret", "code", "secret", "auth",
    "p256dh", "endpoint", "url", "note", "context", "session_key", "data",
}  # fmt: skip


def keys_to_people() -> Iterator[tuple[str, str]]:
    """Every foreign key to an account, by the model's label and the field."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if field.is_relation and field.related_model is User:
                yield model._meta.label_lower, field.name


def test_of_every_row_that_points_at_somebody_it_is_decided() -> None:
    known = set(decisions())
    undecided = set(keys_to_people()) - known
    assert undecided == set(), "say in `own_data`, or in accounts.leaving.kept, what is given of it"


def test_nothing_is_decided_of_what_is_not_there() -> None:
    """But of apps that may be installed, and of rows that are somebody's by another row."""
    there = set(keys_to_people())
    for label, path in decisions():
        app, _, model = label.partition(".")
        if model not in apps.all_models.get(app, {}):
            assert not apps.is_installed(app), label
            continue
        if "__" not in path:
            assert (label, path) in there, (label, path)


def test_who_is_not_given_something_is_told_why() -> None:
    for key, decision in decisions().items():
        if isinstance(decision, Withheld):
            assert len(decision.why) > 10, key


def test_no_secret_is_among_the_fields() -> None:
    for (label, path), decision in decisions().items():
        app, _, name = label.partition(".")
        if not isinstance(decision, Given) or name not in apps.all_models.get(app, {}):
            continue
        for field in decision.fields:
            _last(apps.get_model(label), field)
            last = field.rpartition("__")[2]
            allowed = {("tournaments.gift", "note"), ("tournaments.seasoninvitation", "note"),
                       ("accounts.report", "url"), ("tournaments.picture", "digest")}  # fmt: skip
            assert last not in NEVER or (label, last) in allowed, (label, path, field)


def _last(model: type[models.Model], path: str) -> None:
    for part in path.split("__"):
        try:
            field = model._meta.get_field(part)
        except FieldDoesNotExist:
            assert part.removesuffix("_id") in {each.name for each in model._meta.fields}, path
            return
        if field.is_relation:
            model = field.related_model  # type: ignore[assignment]


def made(user: User) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(b"".join(document(user)))
    return found


@pytest.fixture
def life(stage: Stage, ada: User, ben: User, mona: User) -> Play:
    """Things that Ada has done, and that others have done about her."""
    play = stage.play()
    ChatMessage.objects.create(
        match=play.match, room="players", author=ada, client_id="1", text="my own words", at=1
    )
    ChatMessage.objects.create(
        match=play.match, room="players", author=ben, client_id="1", text="words of ben", at=1
    )
    Block.objects.create(blocker=ada, blocked=ben)
    Block.objects.create(blocker=mona, blocked=ada)
    Report.objects.create(
        reporter=ben, about=ada, target_type="accounts.user", target_id="ada", title="ada",
        url="/u/ada/", reason="abuse", words="she cheats, says ben",
    )  # fmt: skip
    Report.objects.create(
        reporter=ada, about=ben, target_type="accounts.user", target_id="ben", title="ben",
        url="/u/ben/", reason="abuse", words="he shouts, says ada",
    )  # fmt: skip
    Sanction.objects.create(
        user=ada, kind="warning", reason="be kind", note="moderators only", by=mona
    )
    ApiToken.objects.create(
        user=ada, name="my bot", digest="d" * 64, scopes=["read"],
        expires_at=now_utc() + timedelta(days=1),
    )  # fmt: skip
    Gift.objects.create(
        season=stage.season, item="joker", giver=stage.away, receiver=stage.home, given_by=ada,
        secret=True,
        note="psst",
    )  # fmt: skip
    return play


def test_it_holds_what_is_ones_own(life: Play, ada: User) -> None:
    told = made(ada)
    assert told["format"] == "gauntlet-account/1"
    assert told["account"]["username"] == "ada"
    text = json.dumps(told)
    for own in ("my own words", "he shouts, says ada", "be kind", "my bot"):
        assert own in text, own
    (block,) = told["accounts.block.blocker"]
    assert block["blocked__username"] == "ben"
    (match,) = told["matches"]
    assert match["url"].endswith(f"/matches/{life.pk}/")
    assert match["record"] is None
    life.move(0, "concede", 5000)
    (match,) = made(ada)["matches"]
    assert match["record"].endswith(f"/matches/{life.pk}/record.dmr.json")
    (seat,) = made(ada)["tournaments.contestant.user"]
    assert seat["season__slug"] == "autumn"


def test_it_holds_nothing_that_others_told_in_confidence(life: Play, ada: User) -> None:
    text = json.dumps(made(ada))
    for others in (
        "she cheats, says ben", "words of ben", "moderators only", "psst", "d" * 64, "mona",
        ada.password,
    ):  # fmt: skip
        assert others not in text, others


def test_audit_entries_are_those_of_what_one_did(ada: User, ben: User) -> None:
    audit_record(acting_user=ada, action="x.mine", target=ada, data={"secret": "s3cret"})
    audit_record(acting_user=ben, action="x.theirs", target=ada)
    actions = [entry["action"] for entry in made(ada)["accounts.auditentry.who"]]
    assert "x.mine" in actions
    assert "x.theirs" not in actions
    assert "s3cret" not in json.dumps(made(ada))


def test_once_a_day(ada: User, ben: User) -> None:
    export_record(acting_user=ada)
    refused("export.too-soon", export_record, acting_user=ada)
    export_record(acting_user=ben)
    with time_machine.travel(now_utc() + timedelta(days=1, minutes=1), tick=True):
        export_record(acting_user=ada)
    assert AuditEntry.objects.filter(action="user.export", who=ada).count() == 2


PASSWORD = "two-enter-one-goes"


def test_the_page_wants_the_password(ada: User, ben: User, client: Client) -> None:
    over = started((ada, ben))
    over.move(0, "concede", 5000)
    started((ada, ben))
    started((ben, user_named("zoe"))).move(0, "concede", 5000)
    url = reverse("accounts:export")
    assert client.post(url)["Location"].startswith(reverse("account_login"))
    ada.set_password(PASSWORD)
    ada.save()
    client.force_login(ada)
    later(client)
    assert reverse("account_reauthenticate") in client.post(url)["Location"]
    assert not AuditEntry.objects.filter(action="user.export").exists()
    signed_in = Client()
    signed_in.post(reverse("account_login"), {"login": "ada", "password": PASSWORD})
    signed_in.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    answer: Any = signed_in.post(url)
    assert answer["Content-Type"] == "application/zip"
    assert "no-store" in answer["Cache-Control"]

    async def whole() -> bytes:
        return b"".join([piece async for piece in answer])

    with zipfile.ZipFile(io.BytesIO(async_to_sync(whole)())) as archive:
        told = json.loads(archive.read("account.json"))
        records = {name for name in archive.namelist() if name.startswith("records/")}
        record = archive.read(f"records/match-{over.pk}.dmr.json")
    assert told["account"]["username"] == "ada"
    assert len(told["matches"]) == 2
    # Of one's own that are over, and no others'.
    assert records == {f"records/match-{over.pk}.dmr.json"}
    assert record == record_bytes(over.match)
    page = signed_in.post(url, follow=True).content.decode()
    assert "within the last day" in page
    assert "Download your data" not in page


def test_records_are_made_one_at_a_time_and_so_many(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = [started((ada, ben)) for _ in range(3)]
    for play in plays:
        play.move(0, "concede", 5000)
    monkeypatch.setattr(own_data, "RECORDS_AT_MOST", 2)
    made_now: list[int] = []

    def noted(match: Any) -> bytes:
        made_now.append(match.pk)
        return record_bytes(match)

    monkeypatch.setattr(own_data, "record_bytes", noted)
    files = own_data.records_of(ada)
    assert next(files)[0] == f"match-{plays[2].pk}.dmr.json"
    assert made_now == [plays[2].pk]
    assert [name for name, _ in files] == [f"match-{plays[1].pk}.dmr.json"]


def test_what_could_not_be_made_was_not_taken(
    ada: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_user: User) -> Iterator[bytes]:
        yield b"{"
        raise RuntimeError("no more")

    monkeypatch.setattr(pages, "document", broken)
    client.force_login(ada)
    with pytest.raises(RuntimeError):
        client.post(reverse("accounts:export"))
    assert not AuditEntry.objects.filter(action="user.export").exists()
    assert mail.outbox == []
    monkeypatch.undo()
    with committing():
        assert client.post(reverse("accounts:export"))["Content-Type"] == "application/zip"
    assert AuditEntry.objects.filter(action="user.export").count() == 1


def test_its_owner_is_told(ada: User) -> None:
    EmailAddress.objects.update_or_create(
        user=ada, email="ada@example.org", defaults={"verified": True, "primary": True}
    )
    with committing():
        export_record(acting_user=ada)
    (sent,) = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert "Was it not you?" in str(sent.body)
