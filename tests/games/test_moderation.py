"""Moderation where there are matches: mutes in chats, suspensions, reports with their context,
messages taken away, accounts merged."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AccountMerge, AuditEntry, Report, User
from accounts.moderation import reports
from accounts.moderation.merging import merge_preview, user_merge
from accounts.moderation.sanctions import sanction_lift, user_mute, user_suspend, user_warn
from accounts.moderation.standing import why_silent
from accounts.services import user_close
from core.refusals import Refusal
from games.audience import user_group_of
from games.jobs import REPAIR_RATINGS
from games.models import Challenge, ChatMessage, Match, MatchEntry, MatchPlayer, SavedMove
from games.receivers import on_account_suspended
from games.services.challenges import challenge_accept, challenge_create, challenges_withdraw
from games.services.chat import chat_history, chat_post, chat_remove, chat_restore
from games.services.matches import match_start
from games.services.saved import saved_move_save
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    nothing_changes,
    refused,
    started,
    user_named,
)
from tests.support.workers import Workers

OFFER: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}


def mute(by: User, user: User, **more: Any) -> Any:
    until = timezone.now() + timedelta(hours=1)
    with committing():
        return user_mute(
            **{"acting_user": by, "user": user, "reason": "Rude", "until": until, **more}
        )


def suspend(by: User, user: User) -> Any:
    until = timezone.now() + timedelta(hours=1)
    with committing():
        return user_suspend(acting_user=by, user=user, reason="Rude", until=until)


def said(play: Play, user: User, text: str, room: str = "players", client_id: str = "") -> int:
    with committing():
        message = chat_post(
            acting_user=user,
            match=play.match,
            room=room,
            client_id=client_id or f"c{ChatMessage.objects.count()}",
            text=text,
            at=T0,
        )
    number: int = message["id"]
    return number


# -- mutes ---------------------------------------------------------------------------------------


def test_a_mute_stops_chat_and_nothing_else(play: Play, ada: User, mona: User) -> None:
    sanction = mute(mona, ada)
    post: dict[str, Any] = {
        "acting_user": ada,
        "match": play.match,
        "room": "players",
        "client_id": "x",
        "at": T0,
    }
    refusal = refused("chat.muted", chat_post, text="hello", **post)
    assert refusal.sentence.startswith("You are muted until ")
    assert refusal.sentence.endswith("The reason: Rude.")
    assert chat_history(match=play.match, room="players", user=ada) == []
    play.move(0, "pick T", SECOND)
    refused("challenge.muted", challenge_create, acting_user=ada, message="You rat", **OFFER)
    assert challenge_create(acting_user=ada, **OFFER).pk
    sanction_lift(acting_user=mona, sanction=sanction, why="A mistake")
    assert chat_post(text="hello", **post)["text"] == "hello"


def test_a_mute_that_is_over_stops_nothing(play: Play, ada: User, mona: User) -> None:
    sanction = mute(mona, ada)
    past = timezone.now() - timedelta(minutes=1)
    type(sanction).objects.filter(pk=sanction.pk).update(at=past - timedelta(minutes=1), until=past)
    assert said(play, ada, "hello")


def test_the_pages_of_somebody_are_told_of_every_mute_and_of_its_end(
    ada: User, ben: User, mona: User, root: User, wire: Wire
) -> None:
    def told() -> list[tuple[str, str, bool]]:
        heard = wire.frames("silenced")
        return [(group, frame["why"], frame["left"] is None) for group, frame in heard]

    def lift(sanction: Any) -> None:
        with committing():
            sanction_lift(acting_user=mona, sanction=sanction, why="A mistake")

    own = user_group_of(ada.pk)
    wire.texts()
    with committing():
        warning = user_warn(acting_user=mona, user=ada, reason="Rude")
    lift(warning)
    assert told() == []
    laid = mute(mona, ada)
    assert told() == [(own, why_silent(ada), False)]
    lift(laid)
    assert told() == [(own, "", True)]
    mute(mona, ben, until=None)
    wire.texts()
    with committing():
        user_merge(acting_user=root, keep=ada, duplicate=ben, reason="One person")
    assert why_silent(ada).startswith("You are muted until a moderator lifts it.")
    assert (own, why_silent(ada), True) in [
        (group, frame["why"], frame["left"] is None)
        for group, text in wire.texts()
        if text and (frame := json.loads(text))["type"] == "silenced"
    ]


# -- suspensions ---------------------------------------------------------------------------------


def test_nothing_begins_with_a_suspended_person(
    ada: User, ben: User, cleo: User, mona: User
) -> None:
    suspend(mona, ada)
    refused("challenge.suspended", challenge_create, acting_user=ada, **OFFER)
    refusal = refused(
        "challenge.opponent-away", challenge_create, acting_user=ben, opponent=ada, **OFFER
    )
    assert "suspend" not in refusal.sentence
    for players in ((ada, ben), (ben, ada)):
        refused("setup.account-suspended", match_start, acting_user=ben, players=players, **OFFER)
    open_to_all = challenge_create(acting_user=cleo, **OFFER)
    refused("setup.account-suspended", challenge_accept, acting_user=ada, challenge=open_to_all)


def test_what_is_open_ends_at_once(
    ada: User, ben: User, mona: User, play: Play, wire: Wire
) -> None:
    offered = challenge_create(acting_user=ada, **OFFER)
    received = challenge_create(acting_user=ben, opponent=ada, **OFFER)
    other = challenge_create(acting_user=ben, **OFFER)
    wire.texts()
    suspend(mona, ada)
    assert (user_group_of(ada.pk), "") in wire.texts()
    standing = {c.pk: c.status for c in Challenge.objects.all()}
    assert standing == {offered.pk: "cancelled", received.pk: "cancelled", other.pk: "open"}
    assert AuditEntry.objects.filter(action="challenge.withdraw", who=None).count() == 2
    assert play.match.status == Match.Status.RUNNING
    assert challenges_withdraw(user_id=ada.pk) == 0


def test_closing_an_account_takes_its_challenges_back_too(ada: User, mona: User) -> None:
    offered = challenge_create(acting_user=ada, **OFFER)
    with committing():
        user_close(acting_user=mona, user=ada, reason="Selling accounts")
    offered.refresh_from_db()
    assert offered.status == "cancelled"


def test_running_matches_go_on_by_the_clock(ada: User, mona: User, play: Play) -> None:
    play.move(0, "pick T", SECOND)
    play.move(1, "pick L", 2 * SECOND)
    play.move(0, "first", 3 * SECOND)
    suspend(mona, ada)
    deadline = play.match.deadline_at
    assert deadline is not None
    play.wake(deadline - T0 + 500)
    assert (0, "", True) in [(int(a), t, o) for a, t, o in play.entries if a in "01"]


def test_the_receiver_answers_the_hook(ada: User, wire: Wire, play: Play) -> None:
    wire.texts()
    with committing():
        on_account_suspended(user_id=ada.pk)
    assert (user_group_of(ada.pk), "") in wire.texts()


# -- reports -------------------------------------------------------------------------------------


def report(by: User, target_type: str, target_id: Any, **more: Any) -> Report:
    given = {"reason": "abuse", "words": "Look at this.", **more}
    return reports.report_file(
        acting_user=by, target_type=target_type, target_id=str(target_id), **given
    )


def test_a_report_of_a_message_keeps_the_lines_around_it(play: Play, ada: User, ben: User) -> None:
    numbers = [said(play, ben if n % 2 else ada, f"line {n}") for n in range(14)]
    made = report(ada, "games.chatmessage", numbers[7])
    assert (made.about, made.url) == (ben, play.match.get_absolute_url())
    lines = made.context["lines"]
    assert [line["text"] for line in lines] == [f"line {n}" for n in range(2, 13)]
    assert [line["text"] for line in lines if line["quoted"]] == ["line 7"]
    assert lines[5]["who"] == "Ben (@ben)"
    assert lines[5]["at"] == "2033-05-18T03:33:20+00:00"
    assert ["Room", "Players"] in made.context["facts"]
    # What becomes of the messages changes nothing of what was captured.
    ChatMessage.objects.update(text="Something nice")
    assert Report.objects.get().context["lines"] == lines


def test_what_was_taken_away_is_not_captured(play: Play, ada: User, ben: User, mona: User) -> None:
    first, second = said(play, ben, "very rude"), said(play, ben, "rude")
    chat_remove(acting_user=mona, message=ChatMessage.objects.get(pk=first))
    assert "very rude" not in json.dumps(report(ada, "games.chatmessage", second).context)
    with pytest.raises(Refusal) as caught:
        report(ada, "games.chatmessage", first)
    assert caught.value.code == "report.nothing"


def test_nobody_reports_what_they_cannot_read(play: Play, ada: User, ben: User, cleo: User) -> None:
    hidden = said(play, cleo, "She hides a four!", "spectators")
    with nothing_changes(), pytest.raises(Refusal) as caught:
        report(ada, "games.chatmessage", hidden)
    assert caught.value.code == "report.nothing"
    assert report(user_named("dora"), "games.chatmessage", hidden).about == cleo


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 40, "²", ""])
@pytest.mark.parametrize("kind", ["games.match", "games.chatmessage"])
def test_what_is_no_number_is_nothing(ada: User, kind: str, number: str) -> None:
    assert reports.target_of(ada, kind, number) is None


def test_a_match_reported_by_a_player_is_about_the_other(
    play: Play, ada: User, ben: User, cleo: User
) -> None:
    made = report(ada, "games.match", play.pk, reason="stalling")
    assert (made.about, made.title) == (ben, f"match {play.pk}, Ada vs Ben")
    assert report(cleo, "games.match", play.pk).about is None
    assert ["How it stood", "Running, after line 0 of its log"] in made.context["facts"]


def test_moderators_do_not_see_reports_from_their_own_matches(
    mona: User, ada: User, cleo: User, root: User
) -> None:
    play = started((mona, ada))
    hidden = said(play, cleo, "Mona hides a four!", "spectators")
    dora = user_named("dora")
    of_message = report(dora, "games.chatmessage", hidden)
    of_match = report(dora, "games.match", play.pk, words="Mona hides a four!")
    of_person = report(dora, "accounts.user", "cleo")
    assert list(reports.queue_of(mona)) == [of_person]
    assert set(reports.queue_of(root)) == {of_message, of_match, of_person}
    for withheld in (of_message, of_match):
        with pytest.raises(Refusal) as caught:
            reports.report_claim(acting_user=mona, report=withheld)
        assert caught.value.code == "report.own-match"
    client = Client()
    client.force_login(mona)
    queue = client.get("/admin/accounts/report/").content.decode()
    assert "cleo" in queue
    assert "hides a four" not in queue
    assert client.get("/admin/").content.decode().count("hides a four") == 0
    one = client.get(f"/admin/accounts/report/{of_match.pk}/change/")
    assert one.status_code == 302


# -- messages taken away -------------------------------------------------------------------------


def test_a_message_is_taken_away_from_its_report(
    play: Play, ada: User, ben: User, mona: User, wire: Wire
) -> None:
    number = said(play, ben, "very rude")
    made = report(ada, "games.chatmessage", number)
    client = Client()
    client.force_login(mona)
    shown = client.get(f"/admin/accounts/report/{made.pk}/change/").content.decode()
    link = f"/admin/games/chatmessage/{number}/remove/?report={made.pk}"
    assert link in shown
    assert "very rude" in client.get(link).content.decode()
    wire.texts()
    with committing():
        back = client.post(link, {"reason": "Insults"})
    assert back["Location"] == f"/admin/accounts/report/{made.pk}/change/"
    assert [kind["message"]["id"] for _group, kind in wire.frames("chat.removed")] == [number]
    entry = AuditEntry.objects.get(action="chat.remove")
    assert entry.data == {
        "text": "very rude",
        "author": ben.pk,
        "why": "Insults",
        "report": made.pk,
    }
    assert link not in client.get(f"/admin/accounts/report/{made.pk}/change/").content.decode()


def test_a_moderator_cannot_judge_a_room_that_they_cannot_read(
    mona: User, ada: User, cleo: User
) -> None:
    play = started((mona, ada))
    message = ChatMessage.objects.get(pk=said(play, cleo, "psst", "spectators"))
    refused("chat.not-your-room", chat_remove, acting_user=mona, message=message)
    own_room = ChatMessage.objects.get(pk=said(play, ada, "hello"))
    refused("chat.why-too-long", chat_remove, acting_user=mona, message=own_room, why="x" * 501)
    chat_remove(acting_user=mona, message=own_room)
    refused("chat.removed", chat_remove, acting_user=mona, message=own_room)


def test_a_message_that_was_taken_away_by_mistake_is_put_back(
    play: Play, ada: User, ben: User, mona: User
) -> None:
    first, message = said(play, ada, "before"), said(play, ben, "fine really")
    row = ChatMessage.objects.get(pk=message)
    refused("chat.not-removed", chat_restore, acting_user=mona, message=row)
    chat_remove(acting_user=mona, message=row)
    assert [each["id"] for each in chat_history(match=play.match, room="players", user=ada)] == [
        first
    ]
    refused("chat.not-moderator", chat_restore, acting_user=ben, message=row)
    refused("chat.why-too-long", chat_restore, acting_user=mona, message=row, why="x" * 501)
    client = Client()
    client.force_login(mona)
    link = f"/admin/games/chatmessage/{message}/restore/"
    assert link in client.get(f"/admin/games/chatmessage/{message}/change/").content.decode()
    assert client.post(link, {"reason": "A misunderstanding"}).status_code == 302
    assert [each["id"] for each in chat_history(match=play.match, room="players", user=ada)] == [
        first, message,
    ]  # fmt: skip
    entry = AuditEntry.objects.get(action="chat.restore")
    assert (entry.who, entry.data["why"]) == (mona, "A misunderstanding")


def test_nobody_puts_back_their_own_message(mona: User, ada: User) -> None:
    play = started((mona, ada))
    message = ChatMessage.objects.get(pk=said(play, mona, "hello"))
    chat_remove(acting_user=mona, message=message)
    refused("chat.own", chat_restore, acting_user=mona, message=message)


# -- merging -------------------------------------------------------------------------------------


def merge(by: User, keep: User, duplicate: User) -> AccountMerge:
    with committing():
        return user_merge(
            acting_user=by, keep=keep, duplicate=duplicate, reason="Same address, same words"
        )


@pytest.fixture
def twin(db: None) -> User:
    """Ada's second account."""
    return user_named("ada2", display_name="Ada Two", email="ada2@example.org")


def test_what_was_theirs_is_the_kept_accounts(
    ada: User, twin: User, ben: User, cleo: User, mona: User
) -> None:
    play = started((twin, ben))
    play.move(0, "pick T", SECOND)
    number = said(play, twin, "hello")
    play.move(0, "concede", 2 * SECOND)
    old = challenge_create(acting_user=twin, opponent=ben, **OFFER)
    Challenge.objects.filter(pk=old.pk).update(status="declined")
    waiting = challenge_create(acting_user=twin, **OFFER)
    saved_move_save(acting_user=twin, ruleset="tetronogo", name="Mine", text="pick T")
    saved_move_save(acting_user=ada, ruleset="tetronogo", name="Mine", text="pick L")
    before = list(MatchEntry.objects.values())
    expected = {"match seats": 1, "challenges": 2, "chat messages": 1, "saved moves": 1}
    with nothing_changes():
        preview = merge_preview(acting_user=mona, keep=ada, duplicate=twin)
    assert {k: v for k, v in preview.items() if k in expected} == expected
    done = merge(mona, ada, twin)
    assert done.moved == preview
    assert MatchPlayer.objects.get(match=play.pk, seat=0).user == ada
    assert ChatMessage.objects.get(pk=number).author == ada
    assert Challenge.objects.get(pk=old.pk).challenger == ada
    assert Challenge.objects.get(pk=waiting.pk).status == "cancelled"
    mine = SavedMove.objects.filter(user=ada).order_by("name").values_list("name", "text")
    assert list(mine) == [("Mine", "pick L"), ("Mine (2)", "pick T")]
    assert list(MatchEntry.objects.values()) == before


@pytest.mark.parametrize("part", ["player", "referee"])
@pytest.mark.parametrize("which", [0, 1])
def test_nobody_is_merged_while_in_a_running_match(
    ada: User, ben: User, cleo: User, mona: User, part: str, which: int
) -> None:
    root = User.objects.get(is_superuser=True)
    pair = user_named("one"), user_named("two")
    seated, judges = ((pair[which], ben), []) if part == "player" else ((ada, cleo), [pair[which]])
    play = started(seated, referees=judges)
    for by in (mona, root):
        asked: dict[str, Any] = {"acting_user": by, "keep": pair[0], "duplicate": pair[1]}
        for ask in (partial(user_merge, reason="Same address"), merge_preview):
            with nothing_changes(), pytest.raises(Refusal) as caught:
                ask(**asked)
            expected = "merge.organiser" if (by, part) == (mona, "referee") else "merge.playing"
            assert caught.value.code == expected
            assert caught.value.sentence.endswith(".")
    play.move(0, "concede", SECOND)
    assert merge(root, *pair).pk


def test_two_who_met_cannot_be_one(ada: User, twin: User, mona: User) -> None:
    started((ada, twin))
    with nothing_changes(), pytest.raises(Refusal) as caught:
        merge(mona, ada, twin)
    assert caught.value.code == "merge.same-match"
    twin.refresh_from_db()
    assert twin.is_active
    assert not AccountMerge.objects.exists()


def test_the_same_client_id_in_one_chat(play: Play, cleo: User, twin: User, mona: User) -> None:
    first = said(play, cleo, "one", "spectators", client_id="same")
    second = said(play, twin, "two", "spectators", client_id="same")
    merge(mona, cleo, twin)
    kept = ChatMessage.objects.filter(author=cleo).order_by("pk").values_list("pk", "client_id")
    assert list(kept) == [(first, "same"), (second, f"merged-{second}")]


def test_challenges_between_the_two_stay(ada: User, twin: User, mona: User) -> None:
    between = challenge_create(acting_user=ada, opponent=twin, **OFFER)
    merge(mona, ada, twin)
    between.refresh_from_db()
    assert (between.challenger, between.opponent, between.status) == (ada, twin, "cancelled")


def test_names_stay_within_their_width(ada: User, twin: User, mona: User) -> None:
    for user in (ada, twin):
        saved_move_save(acting_user=user, ruleset="tetronogo", name="x" * 40, text="pick T")
    merge(mona, ada, twin)
    names = set(SavedMove.objects.filter(user=ada).values_list("name", flat=True))
    assert names == {"x" * 40, "x" * 36 + " (2)"}


def test_ratings_are_asked_to_be_computed_again(
    ada: User, twin: User, ben: User, mona: User, workers: Workers
) -> None:
    merge(mona, ben, user_named("idle"))
    assert workers.of(REPAIR_RATINGS) == []
    play = started((twin, ben))
    play.move(0, "concede", SECOND)
    merge(mona, ada, twin)
    everything = (True,)
    assert workers.of(REPAIR_RATINGS) == [everything]


# -- the pages -----------------------------------------------------------------------------------

Visitor = Callable[[User | None], Client]


@pytest.fixture
def visitor(db: None) -> Visitor:
    def make(user: User | None = None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user)
        return client

    return make


def test_links_on_the_match_page(
    visitor: Visitor, play: Play, ada: User, cleo: User, mona: User
) -> None:
    address = f"/matches/{play.pk}/"
    link = f"/accounts/report/games.match/{play.pk}/"
    assert link not in visitor(None).get(address).content.decode()
    shown = visitor(cleo).get(address).content.decode()
    assert link in shown
    assert "data-report=" in shown
    assert "data-remove=" not in shown
    assert "data-remove=" in visitor(mona).get(address).content.decode()


def test_the_page_of_taking_away(
    visitor: Visitor, play: Play, ada: User, ben: User, orla: User, mona: User
) -> None:
    number = said(play, ben, "very <rude>")
    address = f"/chat/{number}/remove/"
    assert visitor(None).get(address).status_code == 302
    for user in (ada, ben, orla):
        client = visitor(user)
        assert client.get(address).status_code == 403
        with nothing_changes():
            assert client.post(address).status_code == 403
    client = visitor(mona)
    assert "very &lt;rude&gt;" in client.get(address).content.decode()
    assert client.post(address, {"why": "Insults"})["Location"] == play.match.get_absolute_url()
    assert ChatMessage.objects.get().removed_at is not None
    assert "before" in client.get(address).content.decode()
    assert client.post(address).status_code == 409
    assert client.get("/chat/999999/remove/").status_code == 404
    # It shows what was taken away, too, which nobody else sees: so it leaves an entry, as the page
    # of the message in the admin site does, and none of those who were refused left any.
    looks = AuditEntry.objects.filter(action__startswith="look.")
    assert list(looks.values_list("who__username", "action", "target_type", "target_id")) == [
        (mona.username, "look.row", "games.chatmessage", str(number))
    ]


def test_reporting_a_message_from_its_page(
    visitor: Visitor, play: Play, ada: User, ben: User
) -> None:
    number = said(play, ben, "very rude")
    address = f"/accounts/report/games.chatmessage/{number}/"
    assert visitor(None).get(address)["Location"].startswith("/accounts/login/")
    client = visitor(ada)
    assert "very rude" in client.get(address).content.decode()
    assert client.post(address, {"reason": "abuse"}).status_code == 422
    done = client.post(address, {"reason": "abuse", "words": "See."})
    assert done["Location"] == "/accounts/conduct/"
    assert "being looked at" in client.get("/accounts/conduct/").content.decode()
    again = client.post(address, {"reason": "abuse", "words": "See."})
    assert again.status_code == 422
    assert "reported this already" in again.content.decode()
    assert visitor(ada).get("/accounts/report/games.chatmessage/999/").status_code == 404
    assert visitor(ada).get("/accounts/report/games.nothing/1/").status_code == 404
