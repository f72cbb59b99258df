"""A move in Discord counts as of when it was here, however long it then waits for a thread."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from django.urls import reverse

import config.instants
from accounts.models import User
from config.instants import Instants
from core import instants
from core.clock import now_ms
from games import intake
from games.engine import live
from games.intake import INTAKE, Intake, Report
from tests.discord.support import Guild, plain
from tests.games.support import SECOND, T0, Play, committing, placing, started
from tests.games.test_intake import DUE, LIMIT, ran_out
from tournaments.discord import arriving
from tournaments.discord.arriving import PATH, mover_of
from tournaments.discord.commands import COMMANDS, matches
from tournaments.discord.views import interactions

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, set_clock: Callable[[int], None]) -> Callable[[int], None]:
    """`at(ms)`: so many after `T0`, by the wall clock and by the steady one."""
    steady = 0

    def set_to(to: int) -> None:
        nonlocal steady
        set_clock(to)
        steady = 1_000_000 * to

    for module in (instants, intake, config.instants):
        monkeypatch.setattr(module, "reading", lambda: steady)
    set_to(0)
    return set_to


@pytest.fixture
def play(ada: User, ben: User, guild: Guild, at: Callable[[int], None]) -> Play:
    """Ada places, until `LIMIT`."""
    return placing(started((ada, ben)))


class Door:
    """The site's, behind which a request waits: ``meanwhile`` happens before the view has it."""

    def __init__(self, guild: Guild, meanwhile: Callable[[], None]) -> None:
        self.meanwhile = meanwhile
        guild.discord.post = self.post

    def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        scope: dict[str, Any] = {
            "type": "http",
            "method": "POST",
            "path": PATH,
            "query_string": b"",
            "headers": [(name.lower().encode(), text.encode()) for name, text in headers.items()],
        }
        pieces = [
            {"type": "http.request", "body": body[:20], "more_body": True},
            {"type": "http.request", "body": body[20:]},
        ]
        answers: list[HttpResponse] = []

        async def application(given: Any, receive: Any, _send: Any) -> None:
            read = b"".join([(await receive())["body"], (await receive())["body"]])
            await sync_to_async(self.meanwhile)()

            def view() -> HttpResponse:
                with committing():
                    return interactions(ASGIRequest(given, io.BytesIO(read)))

            answers.append(await sync_to_async(view)())

        async def receive() -> Any:
            return pieces.pop(0)

        async_to_sync(Instants(application))(scope, receive, None)  # type: ignore[arg-type]
        (answer,) = answers
        return answer.status_code, answer.content


# An instant is rounded in its sender's favour, by less than two milliseconds.
@pytest.mark.parametrize("came", [LIMIT, LIMIT + 3])
@pytest.mark.parametrize("named", [True, False])
def test_what_came_in_time_counts_and_nothing_else(
    guild: Guild, play: Play, at: Callable[[int], None], came: int, named: bool
) -> None:
    """The deadline's task comes while the move waits for a thread."""

    def meanwhile() -> None:
        at(DUE)
        play.wake(DUE)

    move = play.random_move(0, random.Random(1).random)
    at(came)
    Door(guild, meanwhile)
    which = {"match": play.pk} if named else {}
    answer = guild.ada.command("move", text=move, **which)
    if came == LIMIT:
        assert play.entries[-1] == ("0", move, False)
        assert plain(guild.finished(answer).body["content"]) == f"Submitted: {move}"
    else:
        assert ran_out(play)
    assert not INTAKE.senders(until=now_ms())
    assert not INTAKE.has(play.pk, until=now_ms())


def test_it_is_judged_by_the_clock_of_then(
    guild: Guild, play: Play, at: Callable[[int], None]
) -> None:
    """Also where nothing has run out by itself yet."""
    Door(guild, lambda: at(DUE))
    at(LIMIT + 3)
    move = play.random_move(0, random.Random(1).random)
    assert plain(guild.ada.command("move", text=move).content) == live.too_late().sentence
    assert ran_out(play)


def test_only_what_discord_has_signed_holds_anything_up(
    guild: Guild, play: Play, at: Callable[[int], None]
) -> None:
    held: list[set[str]] = []
    door = Door(guild, lambda: held.append(INTAKE.senders(until=now_ms())))
    at(SECOND)
    told = {
        "id": guild.fake.new_id(), "type": 2, "token": "t", "user": {"id": guild.ada.id},
        "data": {"name": "move", "options": [{"name": "text", "value": "D4 90"}]},
    }  # fmt: skip
    body = json.dumps(told).encode()
    headers = guild.discord.signed(body)
    assert door.post(body + b" ", headers)[0] == 401
    assert door.post(body, {**headers, "X-Signature-Ed25519": "00" * 64})[0] == 401
    assert door.post(body, headers)[0] == 200
    assert held == [set(), set(), {guild.ada.id}]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_nothing_else_does(guild: Guild, name: str) -> None:
    submits = COMMANDS[name].run in (matches._move, matches._pick)
    assert submits is (name in arriving.SUBMITTING)

    def mover(told: Any) -> str:
        body = told if isinstance(told, bytes) else json.dumps(told).encode()
        signed = guild.discord.signed(body)
        return mover_of(body, {key.lower(): value for key, value in signed.items()})

    told = {"id": "1", "type": 2, "user": {"id": "5"}, "data": {"name": name}}
    assert mover(told) == ("5" if submits else "")
    assert mover({**told, "type": 4}) == ""
    assert mover(b"{") == ""
    assert mover({**told, "more": "x" * arriving.BODY_MOST}) == ""
    guild.settings.GAUNTLET_DISCORD_PUBLIC_KEY = ""
    assert mover(told) == ""


def test_it_is_asked_at_its_address() -> None:
    assert reverse("discord:interactions") == PATH


def test_others_matches_do_not_wait(guild: Guild, play: Play, cleo: User, ben: User) -> None:
    """Nor for somebody who plays in none."""
    watcher = guild.joined("Cleo", cleo)
    for person, holds in ((watcher, False), (guild.ben, True)):
        ticket = INTAKE.take_of(person.id)
        try:
            until = now_ms()
            assert intake.may_still_come(play.pk, until=until, now=until + 1) is holds
        finally:
            ticket.done()


def test_another_process_has_it(guild: Guild, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Intake()
    tickets = [ours.take_of(guild.ada.id) for _ in range(2)]
    report = ours.report()
    assert report.people.keys() == {guild.ada.id}
    said = Report(T0 + LIMIT + 5, {}, {guild.ada.id: T0 + LIMIT})
    monkeypatch.setattr(intake, "_reports", lambda _now: [said])
    play.wake(DUE)
    assert not ran_out(play)
    late = Report(T0 + LIMIT + 5, {}, {guild.ada.id: T0 + LIMIT + 1})
    monkeypatch.setattr(intake, "_reports", lambda _now: [late])
    play.wake(DUE)
    assert ran_out(play)
    for ticket in tickets:
        ticket.done()
    assert ours.report().people == {}
    assert settings.GAUNTLET_SETTLE_MS < DUE - LIMIT
