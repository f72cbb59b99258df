"""Reports of browsers: taken from anybody, bounded in size and number, and never shown again."""

from __future__ import annotations

import json
from typing import Any

import pytest
import structlog
from django.core.cache import cache
from django.test import Client
from structlog.testing import capture_logs

from config import violations
from core.metrics import registry

URL = "/csp-reports/"
REPORT = {
    "document-uri": "https://gauntlet.example/matches/1/?token=secret",
    "effective-directive": "script-src-elem",
    "blocked-uri": "https://evil.example/x.js?who=ada",
    "source-file": "https://gauntlet.example/static/js/site.js",
}


@pytest.fixture(autouse=True)
def _nothing_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    # One that was used before keeps the processors of then, which nobody listens to: where another
    # test has set up the log since.
    monkeypatch.setattr(violations, "log", structlog.get_logger("gauntlet.csp"))


def counted(directive: str) -> float:
    name = "gauntlet_csp_reports_total"
    return registry.get_sample_value(name, {"directive": directive}) or 0.0


def told(body: Any, kind: str = "application/csp-report", **more: Any) -> list[Any]:
    """What the log says after a report."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with capture_logs() as lines:
        answer = Client(enforce_csrf_checks=True).post(URL, data, content_type=kind, **more)
    assert (answer.status_code, answer.content) == (204, b"")
    return [line for line in lines if line["event"] == "csp.violation"]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/csp-report", {"csp-report": REPORT}),
        (
            "application/reports+json",
            [{"type": "csp-violation", "body": {
                "documentURL": REPORT["document-uri"], "blockedURL": REPORT["blocked-uri"],
                "effectiveDirective": "script-src-elem", "sourceFile": REPORT["source-file"]}}],
        ),
    ],
)  # fmt: skip
def test_a_report_is_one_line_without_queries(kind: str, body: Any) -> None:
    before = counted("script-src-elem")
    (line,) = told(body, kind)
    assert {key: line[key] for key in ("directive", "page", "blocked", "source")} == {
        "directive": "script-src-elem",
        "page": "/matches/1/",
        "blocked": "evil.example",
        "source": "/static/js/site.js",
    }
    assert "secret" not in str(line)
    assert counted("script-src-elem") == before + 1


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b'"x"', b"[1, 2]", b'{"csp-report": 3}', b"[" * 5000,
        b"\xff\xfe", b'{"csp-report": []}',
    ],
)  # fmt: skip
def test_what_is_no_report_is_nothing(body: bytes) -> None:
    assert told(body) == []


def test_what_is_too_large_is_not_read() -> None:
    large = {"csp-report": {**REPORT, "script-sample": "x" * violations.BODY_MOST}}
    assert told(large) == []


def test_no_more_are_taken_at_once_than_may_be() -> None:
    assert len(told([{"body": REPORT}] * 50)) == violations.AT_ONCE


def test_no_more_are_logged_a_minute_than_may_be(settings: Any) -> None:
    settings.GAUNTLET_CSP_REPORTS_PER_MINUTE = 3
    before = counted("script-src-elem")
    assert sum(len(told({"csp-report": REPORT})) for _ in range(6)) == 3
    assert counted("script-src-elem") == before + 6


def test_nobody_writes_lines_of_their_own_into_the_log() -> None:
    hostile = {
        "document-uri": "https://x/\n2026 [info] all is well\x1b[31m",
        "effective-directive": "no\nsuch",
        "blocked-uri": "\u202eevil" + "y" * 1000,
    }
    (line,) = told({"csp-report": hostile})
    assert line["directive"] == "other"
    assert all(letter.isprintable() and letter.isascii() for letter in line["page"])
    assert len(line["blocked"]) <= 100


@pytest.mark.django_db
def test_nobody_asks_whose_browser_it_is(
    django_user_model: Any, django_assert_num_queries: Any
) -> None:
    client = Client()
    client.force_login(
        django_user_model.objects.create_user("ada"), backend="accounts.signin.backends.NameBackend"
    )
    cache.clear()
    report = {"csp-report": REPORT}
    with django_assert_num_queries(0):
        assert client.post(URL, report, content_type="application/json").status_code == 204


def test_it_is_not_to_be_read(client: Client) -> None:
    assert client.get(URL).status_code == 405
