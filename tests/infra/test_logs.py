"""Logs tell what happened without telling secrets."""

import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from config.logs import drop_sensitive, formatter
from config.sockets import DaphneSockets, MaskedAccessLog
from script.lib.console import ROOT

SECRET = "correct-horse-battery"
CODE = f"""
from config.logs import configure
configure({{"json": JSON, "level": "INFO"}})
import structlog, logging
log = structlog.get_logger("t")
log.info("signed in", user=7, password={SECRET!r}, text={SECRET!r})
def deep(argument):
    raise ValueError("broken")
for logger in (log, logging.getLogger("plain")):
    try:
        deep({SECRET!r})
    except ValueError:
        logger.exception("failed")
"""


def run(json_lines: bool) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("JSON", str(json_lines))],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_production_writes_one_json_object_per_line() -> None:
    lines = [json.loads(line) for line in run(json_lines=True).splitlines()]
    assert [line["event"] for line in lines] == ["signed in", "failed", "failed"]
    assert lines[0]["user"] == 7
    assert lines[0]["password"] == "[hidden]"
    assert all({"level", "timestamp", "logger"} <= set(line) for line in lines)
    assert lines[1]["exception"][0]["exc_type"] == "ValueError"


@pytest.mark.parametrize("json_lines", [True, False])
def test_tracebacks_hold_no_local_variables(json_lines: bool) -> None:
    output = run(json_lines)
    assert "ValueError" in output
    # The source line that holds it is ours; a frame's variables would repeat it elsewhere.
    assert SECRET not in output.replace(f"deep({SECRET!r})", "")


def test_sensitive_keys_are_blanked_whatever_their_case() -> None:
    event = drop_sensitive(None, "info", {"Password": "x", "text": "A1", "match": 3})
    assert event == {"Password": "[hidden]", "text": "[hidden]", "match": 3}


# -- keys in addresses ---------------------------------------------------------------------------

# What may stand in an address and tells nothing: numbers, and these names of what is public.
PUBLIC = {
    "slug", "ruleset", "ruleset_id", "variant_id", "ladder", "name", "username", "target_type",
    "target_id", "uid", "object_id", "content_type_id", "id", "app_label", "url", "uidb36",
    "digest",
}  # fmt: skip
# A key that opens nothing: what of a ruleset somebody prepares.
NO_SECRET = {
    "games:prepared_new", "games:prepared_check", "games:prepared_outlines", "games:supply_file",
}  # fmt: skip
KEY = "MzE:1wQ0zY:Zz-secret_key-09"


def keyed() -> dict[str, tuple[str, URLPattern]]:
    """The routes with anything else in their address, which has to be taken for a secret: by name,
    an address of each."""
    found: dict[str, tuple[str, URLPattern]] = {}

    def within(resolver: URLResolver, before: str, space: str = "") -> None:
        for each in resolver.url_patterns:
            if isinstance(each, URLResolver):
                inside = f"{each.namespace}:" if each.namespace else space
                within(each, before + str(each.pattern), inside)
                continue
            name = f"{space}{each.name}"
            taken = {**each.pattern.converters, **each.pattern.regex.groupindex}
            numbers = {n for n, c in each.pattern.converters.items() if c.regex == "[0-9]+"}
            secret = set(taken) - numbers - PUBLIC
            if secret and name not in NO_SECRET:
                address = (before + str(each.pattern)).replace("^", "").replace("$", "")
                address = re.sub(r"\(\?P<uidb36>[^)]*\)", "3", address)
                address = re.sub(rf"<slug:(?:{'|'.join(PUBLIC)})>", "autumn", address)
                address = re.sub(r"<slug:[^>]*>", KEY.replace(":", "_"), address)
                address = re.sub(r"\(\?P<\w+>[^)]*\)|<[^>]*>", KEY, address)
                # Of two of a name the first answers.
                found.setdefault(name, ("/" + address, each))

    within(get_resolver(), "")
    return found


def test_the_routes_that_carry_a_key_are_known() -> None:
    assert set(keyed()) == {
        "account_confirm_email", "account_reset_password_from_key", "accounts:discord_asked",
        "games:invite", "games:invite_accept", "api:invite", "api:invite_accept",
        "tournaments:invited", "tournaments:helping", "accounts:mail_stop", "accounts:undo",
    }  # fmt: skip
    for address, _pattern in keyed().values():
        assert KEY in address or KEY.replace(":", "_") in address


@pytest.fixture
def lines() -> Iterator[Callable[[], str]]:
    """Everything that is logged, as both forms of the log would write it down."""
    out = io.StringIO()
    handlers = []
    for json_lines in (True, False):
        handler = logging.StreamHandler(out)
        handler.setFormatter(formatter(json=json_lines))
        handlers.append(handler)
    root, levels = logging.getLogger(), {}
    for handler in handlers:
        root.addHandler(handler)
    for name in ("", "django", "gauntlet.request", "django.request", "django.security.csrf"):
        levels[name] = logging.getLogger(name).level
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield out.getvalue
    for handler in handlers:
        root.removeHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.django_db
@pytest.mark.parametrize("route", sorted(keyed()))
def test_no_key_of_an_address_is_written_down(
    route: str, lines: Callable[[], str], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    address, pattern = keyed()[route]
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    beginnings = (
        "confirm-email", "password/reset/key", "invite", "helping", "discord/link", "unsubscribe",
        "undo-change",
    )  # fmt: skip
    kept = next(each for each in beginnings if each in address)
    asked: list[tuple[str, str]] = [
        ("get", address),
        ("get", address.rstrip("/")),  # led to the slash
        ("post", address),  # without a form's token
        ("get", address + "more/and/more/"),
        ("put", address),
        ("get", address.replace(":", "%3A")),
        # What mail programs and hands make of them.
        ("get", address.replace("/accounts/", "/accounts//")),
        ("get", f"/here/{address}"),
        ("get", address.replace("/key/", "/key//").replace("email/", "email//")),
        ("get", "/here" + address.replace("/", "//")),
        ("get", address.removeprefix("/accounts")),
        ("get", address.upper()),
    ]
    for method, where in asked:
        before = len(lines())
        strict.generic(method.upper(), where)
        assert kept in re.sub("/+", "/", lines()[before:].lower()), (method, where)

    def broken(*_args: Any, **_more: Any) -> None:
        raise ValueError(f"nothing at {address}")

    monkeypatch.setattr(pattern, "callback", broken)
    assert strict.get(address).status_code == 500
    assert "nothing at" in lines()
    for word in ("secret_key", "MzE", "1wQ0zY"):
        assert word not in lines()
    assert "[hidden]" in lines()


def test_nobody_is_mailed_a_request() -> None:
    from django.utils.log import AdminEmailHandler

    assert not any(
        isinstance(each, AdminEmailHandler) for each in logging.getLogger("django").handlers
    )


async def test_the_servers_access_log_has_no_keys_and_no_queries() -> None:
    """Daphne writes one of its own unless it is told not to."""
    from functools import partial

    from daphne.access import AccessLogGenerator

    class Server:
        def __init__(self, out: io.StringIO) -> None:
            self.action_logger: Any = AccessLogGenerator(out)

        def handle_reply(self, *_given: Any) -> None:
            """Of the server."""

    async def nothing(*_given: Any) -> None:
        """The application, and what it asks of the server."""

    application = DaphneSockets(cast("Any", nothing))

    out = io.StringIO()
    server = Server(out)
    for _twice in range(2):
        reply: Any = partial(server.handle_reply, object())
        await application({"type": "http"}, cast("Any", nothing), reply)
    assert isinstance(server.action_logger, MaskedAccessLog)
    assert not isinstance(server.action_logger.write, MaskedAccessLog)
    told = {"client": "1.2.3.4", "status": 200, "method": "GET", "size": 1}
    for address, _pattern in keyed().values():
        for path in (address, address.replace(":", "%3A"), address.replace("-", "%2D")):
            server.action_logger("http", "complete", {**told, "path": f"{path}?token={KEY}"})
            server.action_logger("websocket", "connecting", {**told, "path": path})
    server.action_logger("http", "complete", {**told, "path": "/lobby/?q=a%20b"})
    written = out.getvalue()
    assert '"GET /lobby/"' in written
    assert written.count("%5Bhidden") + written.count("[hidden]") == 6 * len(keyed())
    for word in ("secret", "MzE", "1wQ0zY", "token"):
        assert word not in written


@pytest.mark.django_db
@pytest.mark.parametrize("route", sorted(keyed()))
def test_pages_with_a_key_tell_it_to_no_other_site(route: str) -> None:
    page = Client().get(keyed()[route][0])
    assert page["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert "default-src 'none'" in page["Content-Security-Policy"]
