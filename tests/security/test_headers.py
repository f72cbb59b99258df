"""What every answer says to browsers, whatever answers: one table, every route."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings as site
from django.test import Client
from django.urls import NoReverseMatch, reverse

from config import headers
from config.headers import DENIED, OWN, Headers, complete, resource_policy
from tests.games.support import Play
from tests.permissions.test_completeness import all_addresses
from tests.webhooks.support import Stage

pytestmark = pytest.mark.django_db

ALWAYS = (
    "Permissions-Policy", "Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy",
    "X-Content-Type-Options", "Referrer-Policy", "Content-Security-Policy", "Reporting-Endpoints",
)  # fmt: skip

#: What is asked for in place of each part of an address.
PARTS: dict[str, Any] = {
    "slug": "autumn", "ruleset_id": "tetronogo", "variant_id": "standard", "username": "ada",
    "ladder": "overall", "token": "nothing", "key": "nothing", "name": "standings",
    "target_type": "accounts.user", "target_id": "ada",
}  # fmt: skip


def addresses(match_id: int) -> Iterator[tuple[str, str]]:
    """Every address by its name, filled in with something that is there, or is not."""
    for name, parts in all_addresses():
        given = {part: PARTS.get(part, match_id if part == "match_id" else 1) for part in parts}
        try:
            yield name, reverse(name, kwargs=given)
        except NoReverseMatch:
            yield name, f"/nowhere/{name}"


@pytest.fixture
def play(stage: Stage) -> Play:
    return stage.play()


def test_every_route_says_all_of_it_to_everybody(play: Play, ada: Any, root: Any) -> None:
    seen = 0
    for user in (None, ada, root):
        client = Client(raise_request_exception=False)
        if user is not None:
            client.force_login(user)
        for name, url in addresses(play.pk):
            if name in {"api:stream_events", "api:stream_match"} or "stream" in name:
                continue
            answer = client.options(url) if name == "account_logout" else client.get(url)
            missing = [each for each in ALWAYS if each not in answer.headers]
            assert not missing, (name, url, answer.status_code)
            seen += 1
    assert seen > 600


def test_what_is_refused_says_it_too(client: Client) -> None:
    for answer in (
        client.get("/nowhere"), client.get("/api/v1/nowhere"), client.post("/security/"),
        client.get("/lobby?x=%00"), client.post("/accounts/settings/"),
        Client(enforce_csrf_checks=True).post("/accounts/login/"),
    ):  # fmt: skip
        assert answer.status_code >= 300
        assert [each for each in ALWAYS if each not in answer.headers] == []


def test_nothing_is_allowed_that_no_page_uses(client: Client) -> None:
    said = client.get("/")["Permissions-Policy"]
    given = dict(part.split("=") for part in said.split(", "))
    assert {name for name, to in given.items() if to == "()"} == set(DENIED)
    assert {name for name, to in given.items() if to != "()"} == set(OWN)
    assert {"camera", "microphone", "geolocation", "payment", "usb"} <= set(DENIED)


PNG = {"content-type": "image/png"}


@pytest.mark.parametrize(
    ("path", "said", "policy"),
    [
        ("/", {}, "same-origin"),
        ("/matches/1/", {"content-type": "text/html"}, "same-origin"),
        ("/embed/matches/1/", {"content-type": "text/html"}, "cross-origin"),
        ("/api/v1/x", {"access-control-allow-origin": "*"}, "cross-origin"),
        ("/x.png", {**PNG, "cache-control": "public, no-cache"}, "cross-origin"),
        ("/x.png", {**PNG, "cache-control": "private"}, "same-origin"),
        ("/x.png", PNG, "same-origin"),
        ("/x.html", {"content-type": "text/html", "cache-control": "public"}, "same-origin"),
    ],
)  # fmt: skip
def test_other_sites_show_what_is_meant_for_them(
    path: str, said: dict[str, str], policy: str
) -> None:
    assert resource_policy(path, said) == policy


def test_pages_and_pictures_as_they_are(play: Play, client: Client) -> None:
    for name, policy in (
        ("games:match", "same-origin"), ("games:board", "cross-origin"),
        ("games:match_share", "cross-origin"), ("games:match_embed", "cross-origin"),
        ("api:match", "cross-origin"),
    ):  # fmt: skip
        answer = client.get(reverse(name, args=[play.pk]))
        assert answer.status_code == 200, name
        assert answer["Cross-Origin-Resource-Policy"] == policy, name


def test_what_is_answered_before_django_says_it_too() -> None:
    sent: list[Any] = []

    async def early(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 413, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    async def note(message: Any) -> None:
        sent.append(message)

    async_to_sync(Headers(early))({"type": "http", "path": "/static/x.js"}, None, note)
    said = dict(sent[0]["headers"])
    assert {each.lower().encode() for each in ALWAYS} == set(said)
    assert said[b"content-security-policy"] == b"default-src 'none'; frame-ancestors 'none'"
    assert sent[1] == {"type": "http.response.body", "body": b"x"}


@pytest.mark.parametrize(
    ("path", "policy", "is_short"),
    [
        ("/static/js/site.js", "default-src 'none'", True),
        ("/static/js/site.js", "default-src 'self'", False),  # the page that it is not there
        ("/matches/1/board.svg", "default-src 'none'; style-src 'unsafe-inline'", False),
    ],
)
def test_a_file_of_pages_says_nothing_of_scripts_windows_and_links(
    path: str, policy: str, is_short: bool
) -> None:
    """A page asks for forty of them: what each says more it pays for forty times."""
    said = {name for name, _ in complete(path, [(b"content-security-policy", policy.encode())])}
    left_out = {each.lower().encode() for each in ALWAYS} - said
    of_pages = {
        b"permissions-policy", b"cross-origin-opener-policy", b"reporting-endpoints",
        b"referrer-policy",
    }  # fmt: skip
    assert left_out == (of_pages if is_short else set())


def test_what_says_something_of_its_own_keeps_it() -> None:
    given = [(b"Content-Security-Policy", b"sandbox"), (b"referrer-policy", b"no-referrer")]
    said = complete("/", given)
    assert said[:2] == given
    assert [name for name, _ in said].count(b"content-security-policy") == 0


def test_the_application_is_wrapped() -> None:
    from config import asgi

    inside: Any = asgi.graceful.application
    assert isinstance(inside.application_mapping["http"], Headers)
    assert site.MIDDLEWARE[0] == f"{headers.__name__}.HeadersMiddleware"


def test_trusted_types_are_wanted_everywhere_but_in_the_administration(
    client: Client, root: Any
) -> None:
    for path in ("/", "/lobby/", "/accounts/login/", "/api/", "/nowhere"):
        policy = client.get(path)["Content-Security-Policy"]
        assert "require-trusted-types-for 'script'" in policy, path
        assert re.search(r"trusted-types gauntlet(;|$)", policy), path
    client.force_login(root)
    policy = client.get("/admin/")["Content-Security-Policy"]
    assert "trusted-types" not in policy
    assert "script-src 'self'" in policy
    assert "report-uri /csp-reports/" in policy
