"""Frames are as `types/protocol.d.ts` says, which the site's scripts are checked against.

What a match tells its readers, and the lobby everybody, is recorded of the services and sockets
themselves, and TypeScript's checker reads it as literals.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from channels.routing import URLRouter

from accounts.announcing.services import Told as Announced
from accounts.announcing.services import announce
from accounts.connections.sockets import Visitor
from accounts.models import User
from accounts.moderation.sanctions import user_mute
from core.refusals import Refusal
from games.models import ChatMessage
from games.publishing import frames
from games.publishing.notices import announce_featured, announce_ruling
from games.reading.here import here_frames
from games.services.challenges import challenge_accept, challenge_create
from games.services.chat import chat_post, chat_remove
from games.services.commentary import commentator_name
from games.services.hosting import hosted_create, hosted_decline
from games.services.plans import plan_save
from games.services.predictions import predictions_tell
from games.sockets import admission, consumers
from games.sockets.routing import websocket_urlpatterns
from tests.games.support import SECOND, T0, Play, Wire, committing, placing
from tests.support.sockets import KnownVisitor, LocalSocket
from tests.support.typescript import GAMES, check, faulty_lines, literal

Told = dict[str, Any]
R = TypeVar("R")

# What may be left out, so that a frame without it is right.
OPTIONAL = {"presence", "retry_after", "card", "visitor_card", "list", "commentators"}


@pytest.fixture
def told(  # noqa: PLR0917  (fixtures)
    play: Play,
    ada: User,
    ben: User,
    cleo: User,
    mona: User,
    orla: User,
    wire: Wire,
    set_clock: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> list[Told]:
    """Frames of every type that there is."""

    async def here(call: Callable[..., R], *args: Any, **kwargs: Any) -> R:
        return await sync_to_async(call, thread_sensitive=True)(*args, **kwargs)

    for module in (admission, consumers):
        monkeypatch.setattr(module, "in_read_thread", here)
    monkeypatch.setattr(consumers, "in_turn_thread", here)
    found = in_lobby(ada, ben, cleo, mona)
    with committing():
        hosted = hosted_create(
            acting_user=orla, first=ada, second=ben, ruleset_id="tetronogo", variant="standard"
        )
    with committing():
        hosted_decline(acting_user=ben, hosted=hosted)
    with committing():
        announce([Announced(ada, "episode.choice", "one", "Choose", "You are the EC.", "/")])
    set_clock(3 * SECOND)
    placing(play)
    found += spoken(play, ada, mona, orla)
    found += [frame for _, frame in wire.frames()]
    found += heard(play, ada, monkeypatch)
    play.move(0, "concede", 100 * SECOND)
    return found + [frame for _, frame in wire.frames()]


def in_lobby(ada: User, ben: User, cleo: User, mona: User) -> list[Told]:
    """What is announced of challenges and sanctions goes over the wire; this answers the rest."""
    tetronogo: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}
    with committing():
        challenge = challenge_create(acting_user=ada, opponent=ben, **tetronogo)
        challenge_create(acting_user=cleo, **tetronogo)
    with committing():
        challenge_accept(acting_user=ben, challenge=challenge)
    with committing():
        user_mute(acting_user=mona, user=cleo, reason="Shouting.", until=None)
    there = [json.loads(frame.text) for frame in here_frames()]
    return [frames.silenced_frame(cleo), frames.silenced_frame(ada), *there]


def spoken(play: Play, ada: User, mona: User, orla: User) -> list[Told]:
    """What is said, reminded of and answered in a match."""
    with committing():
        chat_post(
            acting_user=ada, match=play.match, room="players", client_id="m", text="Hello", at=T0
        )
    with committing():
        chat_remove(acting_user=mona, message=ChatMessage.objects.get())
    with committing():
        commentator_name(acting_user=orla, match_id=play.pk, user=mona)
    predictions_tell(play.pk)
    play.wake(34 * SECOND)
    play.wake(64 * SECOND)
    play.act(orla, "pause", 65 * SECOND)
    play.act(orla, "resume", 66 * SECOND)
    announce_ruling(play.pk, waits=True)
    announce_featured(play.pk, featured=True)
    with committing():
        empty = {"version": 1, "candidates": [], "shown": 0, "note": ""}
        plan_save(acting_user=ada, match_id=play.pk, revision=0, content=empty)
    flood = frames.error_frame("rate.frames", "Too many frames.", retry_after=0.25)
    with_squares = Refusal("move.taken", "That square is taken.", squares=("A1",))
    return [flood, frames.refused_frame("c", with_squares)]


def heard(play: Play, ada: User, monkeypatch: pytest.MonkeyPatch) -> list[Told]:
    """What a player, somebody who waits at the door and those who are turned away are told."""
    version, move = play.versions[0], play.random_move(0, random.Random(20).random)
    sent: list[Told] = [
        {"type": "sync"},
        {"type": "chat", "id": "one", "room": "players", "text": "Good luck"},
        {"type": "chat.history", "room": "players"},
        {"type": "submit", "id": "two", "match": play.pk, "text": "nonsense", "version": version},
        {"type": "organise", "id": "three", "text": "pause", "why": "because"},
        {"type": "nonsense"},
        {"type": "submit", "id": "four", "match": play.pk, "text": move, "version": version},
        {"type": "ping", "at": 1.5, "received": 3},
    ]
    found = listen(f"matches/{play.pk}/", ada, sent)
    found += listen("matches/999999/", None, [])
    with monkeypatch.context() as full:
        full.setattr(admission.DOOR, "at_most", 0)
        found += listen(f"matches/{play.pk}/", None, [])
    with monkeypatch.context() as busy:
        busy.setattr(admission.DOOR, "free", 0)
        busy.setattr(admission, "SAY_EVERY_S", 0.01)
        found += wait_at_the_door(f"matches/{play.pk}/")
    return found


@async_to_sync
async def listen(path: str, user: User | None, sent: Sequence[Told]) -> list[Told]:
    """Everything that comes to somebody who says this, until the answer to their last ping."""
    socket = LocalSocket(URLRouter(websocket_urlpatterns), f"/ws/v1/{path}")
    socket.scope["visitor"] = Visitor() if user is None else KnownVisitor(user)
    await socket.connect()
    for frame in sent:
        await socket.send_to(json.dumps(frame))
    found: list[Told] = []
    while not found or found[-1]["type"] not in ("pong", "closing"):
        found.append(json.loads(await socket.receive_from()))
    await socket.disconnect()
    return found


@async_to_sync
async def wait_at_the_door(path: str) -> list[Told]:
    """What somebody hears first for whom there is no turn yet."""
    socket = LocalSocket(URLRouter(websocket_urlpatterns), f"/ws/v1/{path}")
    socket.scope["visitor"] = Visitor()
    await socket.connect()
    found = [json.loads(await socket.receive_from())]
    admission.DOOR.give_back()
    await socket.disconnect()
    return found


def lines_of(told: Sequence[Told]) -> list[str]:
    """A line for each frame, of the type that goes by the name it has."""
    return [
        literal(f"frame{number}", type_of(frame["type"]), frame)
        for number, frame in enumerate(told)
    ]


def type_of(name: str) -> str:
    # Whose view it is only a board knows: to all else it is `never`.
    if name in ("sync", "step"):
        return f"Live.{name.title()}<{GAMES['tetronogo']}>"
    return f'Extract<Live.Frame | Live.News | Live.Silenced | Live.HereNews, {{ type: "{name}" }}>'


def test_frames_are_as_their_types_say(told: list[Told], tmp_path: Path) -> None:
    """Each of them, and there is none that nobody has sent."""
    names = json.dumps(dict.fromkeys((frame["type"] for frame in told), True))
    declared = 'Record<(Live.Frame | Live.News | Live.Silenced | Live.HereNews)["type"], true>'
    lines = [*lines_of(told), f"export const names: {declared} = {names};"]
    checked = check(tmp_path, lines)
    assert checked.returncode == 0, checked.stdout[:4000]


def test_frames_that_are_not_as_their_types_say_are_found(told: list[Told], tmp_path: Path) -> None:
    wrong: list[Told] = []
    for frame in {frame["type"]: frame for frame in told}.values():
        wrong.append({**frame, "surprise": 1})
        for name in frame.keys() - OPTIONAL - {"type"}:
            wrong.append({key: value for key, value in frame.items() if key != name})
            wrong.append({**frame, name: {"surprise": 1}})
    checked = check(tmp_path, lines_of(wrong))
    missed = set(range(1, len(wrong) + 1)) - faulty_lines(checked)
    assert [wrong[number - 1] for number in sorted(missed)] == []
