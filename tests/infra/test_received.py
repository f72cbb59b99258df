"""When requests came in, and which are submissions that others must wait for; and a setting that
has to fit others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks.registry import registry
from django.test import RequestFactory

from config.instants import Instants, submitted_to
from config.operations import checks
from core import instants
from core.instants import RECEIVED, instant_of_request, reading
from games.intake import INTAKE
from tests.games.support import T0

PATH = "/api/v1/matches/7/submissions/"
SHOWN = [(b"authorization", b"Bearer x")]


def scope(method: str = "POST", path: str = PATH, headers: Any = SHOWN) -> dict[str, Any]:
    return {"type": "http", "method": method, "path": path, "headers": headers}


def is_waiting(match_id: int = 7) -> bool:
    return INTAKE.has(match_id, until=T0)


@pytest.mark.parametrize("fails", [False, True])
async def test_a_request_has_come_when_all_of_it_has(fails: bool) -> None:
    """Until then nobody waits for it, and no longer than until it is answered."""
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "more_body": True},
        {"type": "http.request"},
        {"type": "http.disconnect"},
    ]
    seen: list[tuple[int | None, bool]] = []

    async def application(given: Any, receive: Any, _send: Any) -> None:
        while messages:
            await receive()
            seen.append((given.get(RECEIVED), is_waiting()))
        if fails:
            raise ValueError

    async def receive() -> Any:
        return messages.pop(0)

    given = scope()
    before = reading()
    try:
        await Instants(application)(given, receive, None)  # type: ignore[arg-type]
    except ValueError:
        assert fails
    (early, nobody), (taken, waits), (still, _) = seen
    assert (early, nobody, waits) == (None, False, True)
    assert taken is not None
    assert before <= taken <= reading()
    assert still == taken
    assert not is_waiting()
    assert RECEIVED not in given, "it is put into a scope of its own"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (scope(), 7),
        (scope(path=PATH.rstrip("/")), 7),
        (scope(headers=[(b"cookie", b"sessionid=x")]), 7),
        (scope(headers=[]), None),  # by nobody
        (scope("GET"), None),
        (scope(path="/api/v1/matches/7/"), None),
        (scope(path=PATH + "x/"), None),
        (scope(path="/api/v1/matches/x/submissions/"), None),
    ],
)
def test_what_may_be_a_submission(given: dict[str, Any], expected: int | None) -> None:
    assert submitted_to(given) == expected


def test_no_client_says_when_its_request_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instants, "now_ms", lambda: T0)
    request: Any = RequestFactory().post(PATH, headers={"received": "1", "X-Received": "1"})
    assert instant_of_request(request) == T0
    request.scope = {RECEIVED: reading() - 5_000_000_000}
    assert T0 - 5002 <= instant_of_request(request) <= T0 - 5000


@pytest.mark.parametrize(("size", "warned"), [(16, True), (17, False), (0, False)])
def test_a_pool_that_is_too_small_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, size: int, warned: bool
) -> None:
    known: set[Any] = set(registry.registered_checks)
    assert checks.pool_covers_what_is_kept in known
    options = {"pool": {"max_size": size}} if size else {}
    given = SimpleNamespace(
        GAUNTLET_CONNECTIONS_KEPT=16, DATABASES={"default": {"OPTIONS": options}}
    )
    monkeypatch.setattr(checks, "settings", given)
    found = checks.pool_covers_what_is_kept()
    assert [message.id for message in found] == ["gauntlet.W001"] * warned
