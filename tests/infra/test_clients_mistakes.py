"""What a client asks for wrongly is a line at `warning`, whatever Django takes it for: nobody has
to mend anything, and a traceback for each would bury those that somebody has to."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.sessions.exceptions import InvalidSessionKey
from django.core.exceptions import BadRequest, DisallowedHost, PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.test import Client
from django.urls import path

from accounts.models import User
from config.logs import formatter, lower_mistakes
from config.urls import handler400, handler403, handler404, handler500
from config.urls import urlpatterns as site_patterns
from script.lib.console import ROOT

__all__ = ["handler400", "handler403", "handler404", "handler500"]

BAD: Final = "of two\nlines"


def kinds(of: type[Exception]) -> Iterator[type[Exception]]:
    yield of
    for each in of.__subclasses__():
        yield from kinds(each)


#: Whatever Django answers by 4xx because of what was asked, those of its own apps included.
KINDS: Final = {
    each.__name__: each
    for of in (SuspiciousOperation, BadRequest, MultiPartParserError, PermissionDenied)
    for each in kinds(of)
    if each.__module__.startswith("django.")
}


def raises(_request: HttpRequest, kind: str) -> HttpResponse:
    raise {**KINDS, "RuntimeError": RuntimeError}[kind](BAD)


# With all others: error pages lead to some of them.
urlpatterns = [path("raises/<kind>/", raises), *site_patterns]

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What Django writes, as production's log has it."""
    out = io.StringIO()
    root, django = logging.getLogger(), logging.getLogger("django")
    before = [*root.handlers], root.level, django.level
    structured = logging.StreamHandler(out)
    structured.setFormatter(formatter(json=True))
    structured.addFilter(lower_mistakes)
    root.handlers, root.level = [structured], logging.INFO
    django.setLevel(logging.INFO)
    yield lambda: [
        line
        for line in map(json.loads, out.getvalue().splitlines())
        if line["logger"].startswith("django.")
    ]
    root.handlers, root.level = before[0], before[1]
    django.setLevel(before[2])


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def test_the_kinds_are_found() -> None:
    some = {BadRequest, DisallowedHost, DisallowedModelAdminLookup, InvalidSessionKey}
    assert some <= set(KINDS.values())


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_it_is_one_line_at_warning(kind: str, client: Client, lines: Lines) -> None:
    answer = client.get(f"/raises/{kind}/")
    assert 400 <= answer.status_code < 500
    (line,) = lines()
    assert line["level"] == "warning"
    assert "exception" not in line
    assert "exc_info" not in line
    assert "\n" not in line["event"]


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_a_mistake_of_ours_keeps_its_traceback(client: Client, lines: Lines) -> None:
    assert client.get("/raises/RuntimeError/").status_code == 500
    (line,) = lines()
    assert line["level"] == "error"
    assert line["exception"][0]["exc_type"] == "RuntimeError"


CODE: Final = """
from config.logs import configure
configure({"json": True, "level": "INFO"})
import logging
from config.reports import Reports
reported = []
class Noted(Reports):
    def __init__(self):
        super().__init__(None)
    def emit(self, record):
        reported.append(record.getMessage())
logging.getLogger().handlers.insert(0, Noted())
for status in (400, 500):
    try:
        raise ValueError("x")
    except ValueError as error:
        logging.getLogger("django.security.DisallowedHost").error(
            "said %s", status, extra={"status_code": status}, exc_info=error
        )
assert reported == ["said 500"], reported
"""


def test_the_site_s_log_has_it_so_and_nobody_is_alarmed() -> None:
    """Nor is it reported as an error, in whichever order the handlers come."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stderr.splitlines()]
    told = [(each["event"], each["level"], "exception" in each) for each in found]
    assert told == [("said 400", "warning", False), ("said 500", "error", True)]


@pytest.mark.django_db
def test_a_host_that_is_not_the_site_s(client: Client, lines: Lines, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["gauntlet.example"]
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    (line,) = lines()
    assert (line["logger"], line["level"]) == ("django.security.DisallowedHost", "warning")
    assert "evil.example" in line["event"]
    assert "exception" not in line


@pytest.mark.django_db
def test_a_filter_that_the_administration_does_not_have(client: Client, lines: Lines) -> None:
    root = User.objects.create_superuser("root", "root@example.test", "pw-for-tests")
    client.force_login(root)
    assert client.get("/admin/accounts/user/?password__startswith=a").status_code == 400
    (line,) = lines()
    assert line["level"] == "warning"
    assert "exception" not in line
