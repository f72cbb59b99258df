"""Commentary: who is named for it, who writes and who reads it, and at which moment it was said."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import user_suspend
from core.refusals import Refusal
from games.audience import may_comment
from games.models import ChatMessage, MatchCommentator
from games.services.chat import chat_history, chat_post
from games.services.commentary import (
    commentator_dismiss,
    commentator_name,
    commentators_of,
    comments_of,
)
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    placing,
    refused,
    started,
    user_named,
)


def named(play: Play, by: User, user: User) -> None:
    with committing():
        commentator_name(acting_user=by, match_id=play.pk, user=user)


def said(play: Play, user: User, text: str, at: int = 0, client_id: str = "a") -> Any:
    with committing():
        return chat_post(
            acting_user=user, match=play.match, room="commentary", client_id=client_id, text=text,
            at=T0 + at,
        )  # fmt: skip


def read(play: Play, user: User | None) -> list[str] | str:
    try:
        told = chat_history(match=play.match, room="commentary", user=user)
    except Refusal as refusal:
        return refusal.code
    return [message["text"] for message in told]


def test_who_is_named_comments_and_all_who_watch_are_told(
    play: Play, orla: User, cleo: User, wire: Wire
) -> None:
    refused("chat.not-your-room", said, play=play, user=cleo, text="Me?")
    refused("chat.not-your-room", said, play=play, user=orla, text="Nor who names them.")
    named(play, orla, cleo)
    group = f"match.{play.pk}.chat.commentary"
    told = {"type": "commentators", "match": play.pk,
            "commentators": [{"name": "Cleo", "username": "cleo"}]}  # fmt: skip
    assert wire.frames() == [(group, told)]
    message = said(play, cleo, "Ada thinks.")
    frame = {"type": "chat", "match": play.pk, "room": "commentary", "message": message}
    assert wire.frames() == [(group, frame)]
    assert read(play, None) == read(play, orla) == read(play, cleo) == ["Ada thinks."]
    with committing():
        commentator_dismiss(acting_user=orla, match_id=play.pk, username="Cleo")
    assert wire.frames() == [(group, {**told, "commentators": []})]
    refused("chat.not-your-room", said, play=play, user=cleo, text="Still me", client_id="b")
    assert read(play, None) == ["Ada thinks."]
    audits = AuditEntry.objects.filter(action__startswith="commentary.").order_by("pk")
    assert [(each.action, each.who, each.data) for each in audits] == [
        ("commentary.name", orla, {"commentator": cleo.pk}),
        ("commentary.dismiss", orla, {"commentator": cleo.pk}),
    ]


def test_players_read_it_after_the_end(play: Play, ada: User, orla: User, cleo: User) -> None:
    named(play, orla, cleo)
    said(play, cleo, "Ada has the better hand.")
    assert read(play, ada) == "chat.not-your-room"
    refused("chat.not-your-room", comments_of, match=play.match, user=ada)
    play.move(0, "concede", SECOND)
    assert read(play, ada) == ["Ada has the better hand."]
    refused("chat.not-your-room", said, play=play, user=ada, text="Thanks")
    said(play, cleo, "That was it.", client_id="b")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("commentary.plays", "ada"),
        ("commentary.bot", "robot"),
        ("commentary.account-closed", "gone"),
        ("commentary.not-now", "loud"),
        ("commentary.named", "cleo"),
    ],
)
def test_who_cannot_be_named(
    play: Play, root: User, orla: User, cleo: User, code: str, name: str
) -> None:
    named(play, orla, cleo)
    user_named("robot", is_bot=True)
    user_named("gone", is_active=False)
    user_suspend(acting_user=root, user=user_named("loud"), reason="Shouting.", until=None)
    user = User.objects.get(username=name)
    refused(code, commentator_name, acting_user=orla, match_id=play.pk, user=user)


def test_who_may_not_name(play: Play, ada: User, cleo: User, mona: User, orla: User) -> None:
    for user in (ada, cleo, mona):
        code = "commentary.not-allowed"
        refused(code, commentator_name, acting_user=user, match_id=play.pk, user=cleo)
        refused(code, commentator_dismiss, acting_user=user, match_id=play.pk, username="cleo")
    refused("match.none", commentator_name, acting_user=orla, match_id=77, user=cleo)
    refused(
        "commentary.none", commentator_dismiss, acting_user=orla, match_id=play.pk, username="cleo"
    )
    for number in range(4):
        named(play, orla, user_named(f"voice{number}"))
    refused("commentary.too-many", commentator_name, acting_user=orla, match_id=play.pk, user=cleo)
    play.move(0, "concede", SECOND)
    refused("match.over", commentator_name, acting_user=orla, match_id=play.pk, user=cleo)


def test_each_comment_stands_at_its_step_of_the_replay(play: Play, orla: User, cleo: User) -> None:
    named(play, orla, cleo)
    placing(play)  # picks at 1 and 2 s, and the choice at 3 s
    for number, at in enumerate((0, 1500, 3000, 3500)):
        said(play, cleo, f"at {at}", at, client_id=f"c-{number}")
    assert [each["step"] for each in comments_of(match=play.match, user=None)] == [None] * 4
    play.move(0, "concede", 5 * SECOND)
    said(play, cleo, "the end", 9000, client_id="end")
    told = comments_of(match=play.match, user=None)
    entries = list(play.match.entries.values_list("at", flat=True))
    assert [each["step"] for each in told] == [
        sum(entry <= T0 + at for entry in entries) for at in (0, 1500, 3000, 3500, 9000)
    ]
    assert told[-1]["step"] == len(entries)


def test_a_comment_stands_at_what_its_author_saw(
    ada: User, ben: User, orla: User, cleo: User
) -> None:
    play = started((ada, ben), late_s=30)
    named(play, orla, cleo)
    named(play, orla, orla)
    placing(play)  # picks at 1 and 2 s, and the choice at 3 s
    said(play, cleo, "late", 31_500)
    said(play, orla, "at once", 31_500, client_id="b")
    play.move(0, "concede", 40 * SECOND)
    said(play, cleo, "the end", 41_000, client_id="end")
    entries = list(play.match.entries.values_list("at", flat=True))
    assert [(each["text"], each["step"]) for each in comments_of(match=play.match, user=None)] == [
        (text, sum(entry <= T0 + at for entry in entries))
        for text, at in (("late", 1_500), ("at once", 31_500), ("the end", 41_000))
    ]


def test_a_closed_account_comments_no_more(play: Play, orla: User, cleo: User) -> None:
    named(play, orla, cleo)
    assert may_comment(play.match, cleo)
    User.objects.filter(pk=cleo.pk).update(is_active=False)
    assert not may_comment(play.match, User.objects.get(pk=cleo.pk))
    refused("chat.not-your-room", said, play=play, user=User.objects.get(pk=cleo.pk), text="Hm")


def test_commentary_by_http(play: Play, ada: User, orla: User, cleo: User) -> None:
    address = f"/api/v1/matches/{play.pk}/commentary/"

    def client(user: User | None) -> Client:
        made = Client()
        if user is not None:
            made.force_login(user)
        return made

    def post(user: User, username: str) -> Any:
        body = {"username": username}
        return client(user).post(address, body, content_type="application/json")

    assert post(cleo, "cleo").json()["code"] == "commentary.not-allowed"
    assert post(orla, "nobody").json()["code"] == "user.none"
    assert post(orla, "ada").json()["code"] == "commentary.plays"
    answer = post(orla, "Cleo")
    assert (answer.status_code, answer.json()) == (
        200, {"commentators": [{"name": "Cleo", "username": "cleo"}]},
    )  # fmt: skip
    said(play, cleo, "Look at that.")
    told = client(None).get(address).json()
    assert told["commentators"] == answer.json()["commentators"]
    assert [(each["text"], each["step"]) for each in told["comments"]] == [("Look at that.", None)]
    assert client(ada).get(address).json()["code"] == "chat.not-your-room"
    chat = f"/api/v1/matches/{play.pk}/chat/?room=commentary"
    assert client(ada).get(chat).json()["code"] == "chat.not-your-room"
    assert len(client(cleo).get(chat).json()["messages"]) == 1
    assert client(cleo).delete(f"{address}cleo/").status_code == 403
    assert client(orla).delete(f"{address}cleo/").status_code == 204
    assert client(orla).delete(f"{address}cleo/").json()["code"] == "commentary.none"


def test_who_is_named_finds_the_match_among_theirs(play: Play, orla: User, cleo: User) -> None:
    browser = Client()
    browser.force_login(cleo)

    def mine() -> str:
        return browser.get("/matches/mine/").content.decode()

    assert "You comment on" not in mine()
    named(play, orla, cleo)
    assert "You comment on" in mine()
    assert f"/matches/{play.pk}/" in mine()
    play.move(0, "concede", SECOND)
    assert "You comment on" not in mine()


def test_a_moderator_who_plays_does_not_find_it(
    play: Play, root: User, orla: User, cleo: User
) -> None:
    named(play, orla, cleo)
    said(play, cleo, "Ada sweats.")
    message = ChatMessage.objects.get()
    browser = Client()
    User.objects.filter(username="ada").update(is_superuser=True, is_staff=True)
    browser.force_login(User.objects.get(username="ada"))

    def lists() -> list[str]:
        names = ("chatmessage", "matchcommentator", "auditentry")
        apps = {"auditentry": "accounts"}
        return [
            name
            for name in names
            if any(
                word in browser.get(f"/admin/{apps.get(name, 'games')}/{name}/").content.decode()
                for word in ("Ada sweats.", "commentary.name", f"/matchcommentator/{row.pk}/")
            )
        ]

    row = MatchCommentator.objects.get()
    assert lists() == []
    assert browser.get(f"/accounts/report/games.chatmessage/{message.pk}/").status_code == 404
    play.move(0, "concede", SECOND)
    assert lists() == ["chatmessage", "matchcommentator", "auditentry"]


def test_two_accounts_of_one_commentator_become_one(
    play: Play, root: User, orla: User, cleo: User
) -> None:
    other = user_named("cleo2")
    named(play, orla, cleo)
    named(play, orla, other)
    merge: dict[str, Any] = {
        "acting_user": root,
        "keep": cleo,
        "duplicate": other,
        "reason": "The same.",
    }
    refused("merge.playing", user_merge, **merge)
    play.move(0, "concede", SECOND)
    with committing():
        user_merge(**merge)
    assert commentators_of(play.pk) == [{"name": "Cleo", "username": "cleo"}]


def test_nobody_is_both_player_and_commentator_by_a_merge(
    play: Play, root: User, ada: User, orla: User, cleo: User
) -> None:
    named(play, orla, cleo)
    play.move(0, "concede", SECOND)
    refused(
        "merge.same-match", user_merge, acting_user=root, keep=ada, duplicate=cleo, reason="So."
    )
