"""Whom to tell of a hole, what is not for crawlers, where a password is changed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatch
from typing import Any

import pytest
from django.core.checks import WARNING
from django.core.checks.registry import registry
from django.test import Client
from django.urls import reverse

from config.operations.checks import somebody_hears_of_holes
from config.well_known import CLOSED_TO_CRAWLERS
from core.clock import now_utc
from tests.permissions.test_completeness import all_addresses
from tests.support.deploy import example

pytestmark = pytest.mark.django_db


def fields(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.splitlines())


def test_security_txt_says_whom_to_tell(client: Client, settings: Any) -> None:
    settings.GAUNTLET_ORIGIN = "https://gauntlet.example"
    settings.GAUNTLET_SECURITY_CONTACT = "https://gauntlet.example/holes"
    settings.GAUNTLET_SECURITY_EXPIRES = date(2031, 5, 1)
    answer = client.get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert fields(answer.content.decode()) == {
        "Contact": "https://gauntlet.example/holes",
        "Expires": "2031-05-01T00:00:00Z",
        "Preferred-Languages": "en",
        "Canonical": "https://gauntlet.example/.well-known/security.txt",
        "Policy": "https://gauntlet.example/security/",
    }


def test_where_nobody_was_named_it_says_something_sensible(client: Client) -> None:
    said = fields(client.get("/.well-known/security.txt").content.decode())
    assert said["Contact"] == "mailto:noreply@localhost"
    until = datetime.strptime(said["Expires"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    # RFC 9116, 2.5.5: less than a year ahead.
    assert timedelta(days=300) < until - now_utc() < timedelta(days=365)


def test_who_deploys_is_told_that_nobody_was_named(settings: Any) -> None:
    known: set[Any] = set(registry.deployment_checks)
    assert somebody_hears_of_holes in known
    settings.GAUNTLET_SECURITY_CONTACT = ""
    (warning,) = somebody_hears_of_holes()
    assert (warning.id, warning.level) == ("gauntlet.W003", WARNING)
    settings.GAUNTLET_SECURITY_CONTACT = example()["GAUNTLET_SECURITY_CONTACT"]
    assert somebody_hears_of_holes() == []


def test_password_managers_are_led_to_the_page(client: Client, ada: Any) -> None:
    client.force_login(ada)
    answer = client.get("/.well-known/change-password")
    assert (answer.status_code, answer["Location"]) == (302, reverse("account_change_password"))


def is_closed(path: str) -> bool:
    return any(fnmatch(path, f"{each}*") for each in CLOSED_TO_CRAWLERS)


def test_crawlers_are_kept_out_of_what_is_personal(client: Client) -> None:
    text = client.get("/robots.txt").content.decode()
    assert text.startswith("User-agent: *\nDisallow: /")
    assert [line.split(": ")[1] for line in text.splitlines()[1:]] == list(CLOSED_TO_CRAWLERS)
    parts = {"slug": "s", "token": "t", "key": "k", "username": "ada", "match_id": 1}
    named = 0
    for name, wanted in all_addresses():
        private = name.startswith(("accounts:", "account_", "admin:", "api:", "webhooks:"))
        if not private:
            continue
        given = {part: parts.get(part, 1) for part in wanted}
        try:
            path = reverse(name, kwargs=given)
        except Exception:  # noqa: BLE001, S112  (an address of another form)
            continue
        named += 1
        assert is_closed(path), name
    assert named > 150


def test_crawlers_find_what_is_public() -> None:
    for path in ("/", "/matches/1/", "/matches/1/replay/", "/seasons/s/", "/rules/tetronogo/",
                 "/learn/", "/leaderboards/", "/exports/", "/security/"):  # fmt: skip
        assert not is_closed(path), path


def test_the_page_says_how_holes_are_dealt_with(client: Client, settings: Any) -> None:
    settings.GAUNTLET_SECURITY_CONTACT = "mailto:holes@gauntlet.example"
    page = client.get("/security/").content.decode()
    assert '<a href="mailto:holes@gauntlet.example">holes@gauntlet.example</a>' in page
    assert f'href="{reverse("security")}"' in client.get("/lobby/").content.decode()
