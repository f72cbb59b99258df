"""Webhooks managed by programs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.support import user_named
from tests.seasons_api.conftest import Caller
from tournaments.webhooks.models import Delivery, Webhook

HOOK = {
    "name": "Bot",
    "url": "https://93.184.215.14/hook",
    "flavour": "json",
    "kinds": ["season.started", "contestant.enrolled"],
}


def made(olga: Caller) -> tuple[str, dict[str, Any]]:
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    answer = olga.post(f"/seasons/{slug}/webhooks/", HOOK)
    assert answer.status_code == 201, answer.json()
    return slug, answer.json()


def test_from_its_making_to_its_end(olga: Caller) -> None:
    slug, hook = made(olga)
    path = f"/seasons/{slug}/webhooks/{hook['id']}/"
    assert hook["secret"]
    assert (hook["host"], hook["active"]) == ("93.184.215.14", True)
    # The secret is shown once, and the address never.
    shown = olga.get(path)
    assert shown["Cache-Control"] == "private, no-store"
    assert "secret" not in shown.json()
    assert "url" not in shown.json()
    assert hook["secret"] not in olga.get(f"/seasons/{slug}/webhooks/").content.decode()
    assert olga.post(f"/seasons/{slug}/webhooks/", HOOK).json()["code"] == "webhook.name-taken"
    rotated = olga.post(f"{path}secret/", {})
    assert rotated.status_code == 201
    assert rotated.json()["secret"] != hook["secret"]
    tried = olga.post(f"{path}test/", {})
    assert (tried.status_code, tried.json()["kind"]) == (202, "test")
    off = olga.patch(path, {"active": False})
    assert (off.status_code, off.json()["active"]) == (200, False)
    log = olga.get(f"{path}deliveries/").json()["results"]
    assert [each["uid"] for each in log] == [tried.json()["uid"]]
    Delivery.objects.update(status="abandoned")
    again = olga.post(f"{path}deliveries/{log[0]['id']}/redeliver/", {})
    assert (again.status_code, again.json()["status"]) == (202, "pending")
    twice = olga.post(f"{path}deliveries/{log[0]['id']}/redeliver/", {})
    assert (twice.status_code, twice.json()["code"]) == (409, "webhook.still-pending")
    assert olga.client.delete(f"/api/v1{path}").status_code == 204
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"url": "https://10.0.0.1/x"}, 400, "webhook.url-internal"),
        ({"kinds": ["nonsense"]}, 400, "request.invalid"),
        ({"flavour": "smoke"}, 400, "request.invalid"),
        ({"name": ""}, 400, "request.invalid"),
    ],
)
def test_webhooks_that_cannot_be(
    olga: Caller, change: dict[str, Any], status: int, code: str
) -> None:
    slug = olga.post("/seasons/", {"name": "Spring", "format": "swiss"}).json()["slug"]
    answer = olga.post(f"/seasons/{slug}/webhooks/", {**HOOK, **change})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Webhook.objects.exists()


def test_they_are_their_organisers_alone(olga: Caller, rival: Caller) -> None:
    slug, hook = made(olga)
    olga.post(f"/seasons/{slug}/steps/", {"step": "list"})
    path = f"/seasons/{slug}/webhooks/{hook['id']}/"
    player = Caller(user_named("paul"), "organise")
    reader = Caller(olga.user, "read")
    calls = [
        ("get", f"/seasons/{slug}/webhooks/", None),
        ("get", path, None),
        ("get", f"{path}deliveries/", None),
        ("post", f"/seasons/{slug}/webhooks/", {**HOOK, "name": "Other"}),
        ("patch", path, {"active": False}),
        ("post", f"{path}secret/", {}),
        ("post", f"{path}test/", {}),
    ]
    for method, address, body in calls:
        for caller, code in (
            (rival, "webhook.not-allowed"),
            (player, "webhook.not-allowed"),
            (reader, "scope.missing"),
        ):
            ask = getattr(caller, method)
            answer = ask(address) if body is None else ask(address, body)
            assert (answer.status_code, answer.json()["code"]) == (403, code), address
    assert Webhook.objects.get().active
    assert not Delivery.objects.exists()
