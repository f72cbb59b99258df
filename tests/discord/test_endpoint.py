"""Where Discord tells of what people do: what it signed is answered, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from accounts.moderation.sanctions import user_suspend
from core.clock import now_ms
from tests.discord.support import PATH, Guild, said
from tests.games.support import Play, nothing_changes, started
from tests.support.logs import written_by
from tournaments.discord import answering, tasks
from tournaments.discord.fake.people import Person
from tournaments.discord.interactions import TOKEN_S
from tournaments.discord.signing import STALE_S
from tournaments.jobs import DISCORD_FINISH
from tournaments.posts import trouble

pytestmark = pytest.mark.django_db

PING: dict[str, Any] = {"id": "1", "type": 1}


def post(guild: Guild, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    return guild._post(body, headers)


def test_it_is_there_where_it_is_switched_on(guild: Guild) -> None:
    assert guild.discord.ping().body == {"type": 1}
    assert Client().get(PATH).status_code == 405
    guild.settings.GAUNTLET_DISCORD_PUBLIC_KEY = ""
    assert Client().get(PATH).status_code == 404
    assert Client().post(PATH).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"X-Signature-Ed25519": ""},
        {"X-Signature-Ed25519": "00" * 64},
        {"X-Signature-Ed25519": "no hexadecimal digits"},
        {"X-Signature-Timestamp": ""},
        {"X-Signature-Timestamp": "soon"},
        {"X-Signature-Timestamp": "-1"},
        {"X-Signature-Timestamp": "9" * 40},
    ],
)
def test_only_what_discord_has_signed_is_read(guild: Guild, wrong: dict[str, str]) -> None:
    body = json.dumps(PING).encode()
    headers = guild.discord.signed(body)
    assert post(guild, body, headers)[0] == 200
    assert post(guild, body, {**headers, **wrong})[0] == 401
    assert post(guild, body + b" ", headers)[0] == 401


@pytest.mark.parametrize("late", [STALE_S + 5, -STALE_S - 5])
def test_what_was_signed_long_ago_is_not(guild: Guild, late: int) -> None:
    body = json.dumps(PING).encode()
    headers = guild.discord.signed(body, at=now_ms() // 1000 - late)
    assert post(guild, body, headers)[0] == 401


def test_another_applications_signature_is_none(guild: Guild) -> None:
    body = json.dumps(PING).encode()
    headers = guild.discord.signed(body)
    guild.settings.GAUNTLET_DISCORD_PUBLIC_KEY = "11" * 32
    assert post(guild, body, headers)[0] == 401


def test_what_is_heard_twice_is_done_once(guild: Guild) -> None:
    told = {"id": "77", "type": 2, "token": "t", "data": {"name": "link"}, "user": {"id": "5"}}
    body = json.dumps(told).encode()
    headers = guild.discord.signed(body)
    assert post(guild, body, headers)[0] == 200
    assert post(guild, body, headers)[0] == 409


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"{}",
        b'{"id": "1", "type": "2"}',
        b'{"id": "one", "type": 2}',
        b'{"id": "1", "type": 2, "data": 5}',
    ],
)
def test_what_means_nothing_is_refused(guild: Guild, body: bytes) -> None:
    assert post(guild, body, guild.discord.signed(body))[0] == 400


def test_what_is_too_large_is_not_read(guild: Guild) -> None:
    body = json.dumps({**PING, "more": "x" * 70_000}).encode()
    assert post(guild, body, guild.discord.signed(body))[0] == 413


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (2, {"name": "dance"}),
        (3, {"custom_id": "dance:1"}),
        (3, {"custom_id": "ready"}),
        (3, {"custom_id": "ready:1:2"}),
        (3, {"custom_id": "ready:one"}),
        (3, {"custom_id": ""}),
        (3, {"custom_id": "chosen:a:b:c"}),
        (5, {"custom_id": "ready:1"}),
    ],
)
def test_what_there_is_not(guild: Guild, kind: int, data: dict[str, Any]) -> None:
    answer = guild.ada._send({"type": kind, "data": data})
    assert said(answer) == "There is no such command any more."
    assert answer.is_private


def test_whoever_has_linked_nothing_is_told_how(guild: Guild) -> None:
    for command in ("move", "pick", "ready", "choose", "challenge"):
        with nothing_changes():
            answer = guild.eve.command(command, text="pick T", game="tetronogo/standard")
        assert "Use /link first." in said(answer), command
        assert answer.is_private


def test_an_account_that_is_closed_does_nothing(guild: Guild, ada: Any) -> None:
    ada.is_active = False
    ada.save(update_fields=["is_active"])
    assert said(guild.ada.command("ready")) == "This account is closed."


def test_an_account_that_is_suspended_only_looks(guild: Guild, ada: User, root: User) -> None:
    user_suspend(acting_user=root, user=ada, reason="Rude.", until=None)
    assert said(guild.ada.command("ready")) == "Your account is suspended."
    assert said(guild.ada.command("season")) == "No season is on at the moment."


def test_linking_begins_here(guild: Guild) -> None:
    answer = guild.eve.command("link")
    assert answer.is_private
    (button,) = answer.data["components"][0]["components"]
    address = urlsplit(button["url"])
    assert f"{address.scheme}://{address.netloc}" == guild.settings.GAUNTLET_ORIGIN
    assert address.path.startswith("/accounts/discord/link/")
    guild.settings.GAUNTLET_DISCORD_CLIENT_SECRET = ""
    assert said(guild.eve.command("link")) == "Accounts cannot be linked on this site."
    linked = guild.ada.command("link")
    assert said(linked) == "Your Discord account is linked to **Ada**."


def test_without_a_worker_there_is_an_answer_without_a_picture(
    guild: Guild, ada: Any, ben: Any
) -> None:
    play = started((ada, ben))
    guild.workers.fault = OSError("away")
    answer = guild.eve.command("match", match=play.pk)
    assert answer.body["type"] == 4
    assert "Ada vs Ben" in answer.data["embeds"][0]["title"]


def test_what_is_said_is_written_down_nowhere(guild: Guild, ada: Any, ben: Any) -> None:
    play: Play = started((ada, ben), at=now_ms())
    with written_by(answering, tasks) as lines:
        answer = guild.ada.command("pick", text="pick T", match=play.pk)
        guild.work()
    assert answer.token is not None
    assert any(line["event"] == "discord.done" for line in lines)
    for secret in ("pick T", answer.token.token, guild.fake.bot_token):
        assert secret not in str(lines)


def test_a_fault_of_ours_is_not_awaited_for_ever(
    guild: Guild, ada: Any, ben: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = started((ada, ben))
    answer = guild.eve.command("match", match=play.pk)
    monkeypatch.setattr("tournaments.discord.tasks.Shown", _fails)
    assert guild.finished(answer).body["content"].startswith("Something went wrong")


def _fails(*_arguments: Any) -> Any:
    raise ZeroDivisionError


def test_an_answer_that_comes_too_late_is_only_noted(guild: Guild, ada: Any, ben: Any) -> None:
    play = started((ada, ben))
    guild.eve.command("match", match=play.pk)
    guild.fake.skip(TOKEN_S + 1)
    with written_by(answering, tasks) as lines:
        guild.work()
    assert [line["code"] for line in lines if line["event"] == "discord.not-told"] == [50027]


def test_while_discord_hangs_few_threads_wait_for_it(
    guild: Guild, ada: Any, ben: Any, set_clock: Callable[[int], None]
) -> None:
    """The others have clocks to see to; and the promise is kept later."""
    set_clock(0)
    play = started((ada, ben))
    answer = guild.eve.command("match", match=play.pk)
    with ExitStack() as stack:
        for _ in range(settings.GAUNTLET_DISCORD_ANSWER_SENDERS):
            assert stack.enter_context(tasks.SENDERS.one())
        asked = len(guild.fake.requests)
        guild.work()
        guild.work()
        assert len(guild.fake.requests) == asked
        # Nor does it wait for the bot's messages, or these for it.
        assert stack.enter_context(trouble.SENDERS.one())
    assert guild.finished(answer).body["embeds"]
    guild.eve.command("match", match=play.pk)
    with ExitStack() as stack:
        for _ in range(settings.GAUNTLET_DISCORD_ANSWER_SENDERS):
            stack.enter_context(tasks.SENDERS.one())
        guild.work()
        set_clock(1000 * TOKEN_S)
        guild.work()
        assert guild.workers.of(DISCORD_FINISH) == []


def test_nobody_asks_too_often(guild: Guild, set_clock: Callable[[int], None]) -> None:
    set_clock(0)  # a minute begins
    guild.settings.GAUNTLET_DISCORD_PER_MINUTE = 2
    for _ in range(2):
        assert "Link your account" in said(guild.eve.command("link"))
    assert said(guild.eve.command("link")).startswith("That was too often. Please wait ")
    assert "is linked to" in said(guild.ada.command("link"))
    set_clock(60_000)
    assert "Link your account" in said(guild.eve.command("link"))


def test_alone_with_the_bot_is_as_good_as_in_a_server(guild: Guild) -> None:
    alone = Person(guild.discord, "Ada", None, guild.ada.id)
    assert "linked to Ada" in said(alone.command("link")).replace("**", "")
