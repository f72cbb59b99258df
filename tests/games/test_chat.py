"""Chat: who hears whom, and what may be said."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import AuditEntry, User
from core.refusals import Refusal
from games.models import ChatMessage
from games.services.chat import chat_history, chat_post, chat_remove
from tests.games.support import T0, Play, Wire, committing, nothing_changes, refused


def post(play: Play, user: User, room: str, text: str = "hello", client_id: str = "a") -> Any:
    with committing():
        return chat_post(
            acting_user=user, match=play.match, room=room, client_id=client_id, text=text, at=T0
        )


def heard(play: Play, user: User | None, room: str) -> list[str] | str:
    """What somebody reads in a room, or the code of the refusal."""
    try:
        return [message["text"] for message in chat_history(match=play.match, room=room, user=user)]
    except Refusal as refusal:
        return refusal.code


def test_a_message_as_its_readers_get_it(play: Play, ben: User, wire: Wire) -> None:
    shown = post(play, ben, "players", " gl\u2028hf \u202e\U0001f600 ")
    assert shown == {
        "id": ChatMessage.objects.get().pk,
        "at": T0,
        "name": "Ben",
        "username": "ben",
        "seat": 1,
        "text": "gl hf  \U0001f600",
    }
    ((to, frame),) = wire.frames()
    assert to == f"match.{play.pk}.chat.players"
    assert frame == {"type": "chat", "match": play.pk, "room": "players", "message": shown}
    with nothing_changes():
        assert post(play, ben, "players", "something else") == shown  # the same id
    assert wire.frames() == []


def test_spectators_are_not_heard_by_players_before_the_end(
    play: Play, ada: User, cleo: User
) -> None:
    shut = "chat.not-your-room"
    post(play, ada, "players", "from a player")
    post(play, cleo, "spectators", "from a spectator")
    refused(shut, post, play=play, user=ada, room="spectators")
    refused(shut, post, play=play, user=cleo, room="players", client_id="b")
    refused(shut, post, play=play, user=cleo, room="lobby", client_id="b")
    for who in (ada, cleo, None):
        assert heard(play, who, "players") == ["from a player"]
        assert heard(play, who, "lobby") == shut
    assert heard(play, ada, "spectators") == shut
    for who in (cleo, None):
        assert heard(play, who, "spectators") == ["from a spectator"]
    play.move(0, "concede", 1)
    assert heard(play, ada, "spectators") == ["from a spectator"]
    post(play, ada, "spectators", "now I see", client_id="b")
    post(play, cleo, "players", "well played", client_id="b")
    assert heard(play, None, "players") == ["from a player", "well played"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("chat.empty", ""),
        ("chat.empty", " \x00\n\u2029\ud800 "),
        ("chat.too-long", "x" * 501),
    ],
)
def test_what_cannot_be_said(play: Play, ada: User, code: str, text: str) -> None:
    refused(code, post, play=play, user=ada, room="players", text=text)


def test_other_refusals(play: Play, ada: User) -> None:
    refused("frame.malformed", post, play=play, user=ada, room="players", client_id="a b")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert ada.is_active  # as a socket would hold it
    refused("chat.muted", post, play=play, user=ada, room="players")


def test_history_is_the_latest_and_in_order(play: Play, ada: User) -> None:
    ChatMessage.objects.bulk_create(
        ChatMessage(
            match_id=play.pk, room="players", author=ada, client_id=str(n), text=str(n), at=T0 + n
        )
        for n in range(205)
    )
    assert heard(play, None, "players") == [str(n) for n in range(5, 205)]


def test_history_costs_the_same_however_long(
    play: Play, ada: User, ben: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def said(count: int, start: int) -> None:
        for n in range(start, start + count):
            post(play, (ada, ben)[n % 2], "players", client_id=str(n))

    said(2, 0)
    match = play.match
    with django_assert_num_queries(1):
        chat_history(match=match, room="players", user=ada)
    said(8, 2)
    with django_assert_num_queries(1):
        chat_history(match=match, room="players", user=ada)


def test_a_moderator_takes_a_message_away(
    play: Play, ada: User, mona: User, orla: User, wire: Wire
) -> None:
    post(play, ada, "players", "rude")
    message = ChatMessage.objects.get()
    wire.frames()
    for user in (ada, orla):
        refused("chat.not-moderator", chat_remove, acting_user=user, message=message)
    with committing():
        chat_remove(acting_user=mona, message=message)
    assert heard(play, None, "players") == []
    assert wire.frames() == [
        (
            f"match.{play.pk}.chat.players",
            {
                "type": "chat.removed",
                "match": play.pk,
                "room": "players",
                "message": {"id": message.pk},
            },
        )
    ]
    audit = AuditEntry.objects.get(action="chat.remove")
    assert (audit.who, audit.data["text"], audit.data["author"]) == (mona, "rude", ada.pk)
    message.refresh_from_db()
    assert message.text == "rude"  # for the moderators
    refused("chat.removed", chat_remove, acting_user=mona, message=message)
