"""The administration of matches: to look, not to touch, and never to peek."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from games.models import ChatMessage, MatchEntry
from games.services.chat import chat_post
from tests.games.support import T0, Play, committing, nothing_changes, started
from tests.pages.support import challenge, conceded, words

Visitor = Callable[..., Client]
MODELS = ["match", "matchentry", "challenge", "chatmessage"]


def said(author: User, play: Play, room: str, text: str) -> ChatMessage:
    with committing():
        message = chat_post(
            acting_user=author, match=play.match, room=room, client_id="c1", text=text, at=T0
        )
    return ChatMessage.objects.get(pk=message["id"])


@pytest.mark.parametrize("model", MODELS)
def test_everything_can_be_listed_searched_and_looked_at(
    visitor: Visitor, root: User, play: Play, ada: User, ben: User, model: str
) -> None:
    said(ada, play, "players", "Good luck!")
    challenge(ada, ben)
    conceded(play)
    client = visitor(root)
    listed = client.get(f"/admin/games/{model}/")
    assert listed.status_code == 200
    assert client.get(f"/admin/games/{model}/?q=ada").status_code == 200
    one = {
        "match": play.pk,
        "matchentry": MatchEntry.objects.filter(match=play.pk)[0].pk,
        "challenge": challenge(ada).pk,
        "chatmessage": ChatMessage.objects.get().pk,
    }[model]
    assert client.get(f"/admin/games/{model}/{one}/change/").status_code == 200
    with nothing_changes():
        assert client.get(f"/admin/games/{model}/add/").status_code == 403
        assert client.post(f"/admin/games/{model}/{one}/change/", {}).status_code == 403
        assert client.post(f"/admin/games/{model}/{one}/delete/", {"post": "yes"}).status_code == (
            403
        )


@pytest.mark.parametrize("model", MODELS)
def test_it_is_for_staff(visitor: Visitor, ada: User, model: str) -> None:
    assert visitor(ada).get(f"/admin/games/{model}/").status_code == 302


def test_entries_of_a_running_match_are_secret_here_too(
    visitor: Visitor, root: User, play: Play
) -> None:
    play.move(0, "pick T", 1000)
    client = visitor(root)
    entry = MatchEntry.objects.get()
    assert "pick T" not in words(client.get("/admin/games/matchentry/"))
    assert client.get(f"/admin/games/matchentry/{entry.pk}/change/").status_code == 302
    assert "pick" not in client.get(f"/admin/games/match/{play.pk}/change/").content.decode()


def test_messages_are_taken_away_by_the_service(
    visitor: Visitor, root: User, play: Play, ada: User
) -> None:
    message = said(ada, play, "players", "Rude words")
    data = {"action": "remove_messages", "_selected_action": [message.pk]}
    client = visitor(root)
    done = client.post("/admin/games/chatmessage/", data, follow=True)
    assert "Done for 1." in words(done)
    message.refresh_from_db()
    assert message.removed_at is not None
    assert AuditEntry.objects.filter(action="chat.remove", who=root).exists()
    again = client.post("/admin/games/chatmessage/", data, follow=True)
    assert "This message was removed before." in words(again)


def test_a_moderator_who_plays_cannot_read_the_spectators_here(
    visitor: Visitor, root: User, ada: User, cleo: User
) -> None:
    play = started((root, ada))
    message = said(cleo, play, "spectators", "She hides a four!")
    client = visitor(root)
    assert "She hides a four!" not in words(client.get("/admin/games/chatmessage/"))
    assert client.get(f"/admin/games/chatmessage/{message.pk}/change/").status_code == 302
    conceded(play)
    assert "She hides a four!" in words(client.get("/admin/games/chatmessage/"))
