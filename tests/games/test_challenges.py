"""Challenges: making, taking, refusing, lapsing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import AuditEntry, User
from core.refusals import Refusals, each_of
from games.models import Challenge
from games.services.challenges import (
    challenge_accept,
    challenge_cancel,
    challenge_create,
    challenge_decline,
    challenges_expire,
)
from tests.games.support import Wire, committing, refused, user_named


def made(by: User, **more: Any) -> Challenge:
    arguments = {"ruleset_id": "tetronogo", "variant": "standard", **more}
    with committing():
        return challenge_create(acting_user=by, **arguments)


def lapsed(challenge: Challenge) -> Challenge:
    Challenge.objects.filter(pk=challenge.pk).update(expires_at=timezone.now())
    return challenge


@pytest.mark.parametrize(("advantage", "seat"), [("lot", None), ("challenger", 0), ("opponent", 1)])
def test_accepting_starts_the_match(
    ada: User, ben: User, wire: Wire, advantage: str, seat: int | None
) -> None:
    challenge = made(
        ada, opponent=ben, advantage=advantage, options={"turn_time": 5}, message=" come\non "
    )
    assert (challenge.status, challenge.message) == ("open", "come on")
    told = wire.frames("challenge")
    assert {to for to, _ in told} == {f"user.{ada.pk}", f"user.{ben.pk}"}
    assert {frame["status"] for _, frame in told} == {"open"}
    with committing():
        match = challenge_accept(acting_user=ben, challenge=challenge)
    challenge.refresh_from_db()
    assert (challenge.status, challenge.match) == ("accepted", match)
    assert [player.user for player in match.players.all()] == [ada, ben]
    assert (match.ruleset, match.options, match.advantage) == ("tetronogo", {"turn_time": 5}, seat)
    assert {frame["status"] for _, frame in wire.frames("challenge")} == {"accepted"}
    actions = AuditEntry.objects.order_by("pk").values_list("action", "who__username")
    assert list(actions) == [
        ("challenge.create", "ada"), ("match.start", "ben"), ("challenge.accept", "ben"),
    ]  # fmt: skip


def test_an_open_challenge_is_for_anybody_and_shown_in_the_lobby(
    ada: User, cleo: User, wire: Wire
) -> None:
    challenge = made(ada)
    assert {to for to, _ in wire.frames("challenge")} == {"lobby", f"user.{ada.pk}"}
    refused("challenge.not-for-you", challenge_decline, acting_user=cleo, challenge=challenge)
    match = challenge_accept(acting_user=cleo, challenge=challenge)
    assert match.players.get(seat=1).user == cleo


def test_the_lobby_is_told_how_it_looks_while_it_is_open(ada: User, cleo: User, wire: Wire) -> None:
    challenge = made(ada, message="<come> on")
    told = dict(wire.frames("challenge"))
    assert told["lobby"].keys() - told[f"user.{ada.pk}"].keys() == {"card", "visitor_card"}
    for name, offer in (("card", "Accept and play"), ("visitor_card", "Sign in to accept")):
        card = told["lobby"][name]
        assert (offer in card, "Take back" in card, "You challenge" in card) == (True, False, False)
        assert "&lt;come&gt; on" in card
    with committing():
        challenge_accept(acting_user=cleo, challenge=challenge)
    (gone,) = [frame for to, frame in wire.frames("challenge") if to == "lobby"]
    assert not {"card", "visitor_card"} & gone.keys()


def test_a_challenge_to_one_player_is_told_to_nobody_else(ada: User, ben: User, wire: Wire) -> None:
    made(ada, opponent=ben)
    assert "lobby" not in {to for to, _ in wire.frames()}


def test_declining_and_cancelling(ada: User, ben: User) -> None:
    declined = made(ada, opponent=ben)
    challenge_decline(acting_user=ben, challenge=declined)
    cancelled = made(ada, opponent=ben)
    challenge_cancel(acting_user=ada, challenge=cancelled)
    for challenge, status in ((declined, "declined"), (cancelled, "cancelled")):
        challenge.refresh_from_db()
        assert (challenge.status, challenge.match) == (status, None)
        refused("challenge.not-open", challenge_accept, acting_user=ben, challenge=challenge)
        refused("challenge.not-open", challenge_decline, acting_user=ben, challenge=challenge)
        refused("challenge.not-open", challenge_cancel, acting_user=ada, challenge=challenge)
    assert AuditEntry.objects.filter(action="challenge.decline", who=ben).exists()
    assert AuditEntry.objects.filter(action="challenge.cancel", who=ada).exists()


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("setup.ruleset", {"ruleset_id": "tictactoe"}),
        ("setup.variant", {"variant": "final"}),
        ("setup.options", {"options": {"turn_time": float("nan")}}),
        ("setup.options", {"options": {"interval": 5}}),
        ("challenge.advantage", {"advantage": "me"}),
        ("challenge.message-too-long", {"message": "x" * 201}),
        ("challenge.duration", {"lasts": timedelta(seconds=59)}),
        ("challenge.duration", {"lasts": timedelta(days=31)}),
    ],
)
def test_making_is_refused(ada: User, code: str, change: dict[str, Any]) -> None:
    refused(code, made, by=ada, **change)


def test_all_that_is_wrong_is_told_together(ada: User) -> None:
    options = {"pick_time": -1, "foo": 1}
    wrong = {"variant": "final", "advantage": "me", "message": "x" * 201, "lasts": timedelta(0)}
    with pytest.raises(Refusals) as raised:
        made(ada, opponent=ada, options=options, **wrong)
    assert {(each.code, each.field) for each in each_of(raised.value)} == {
        ("setup.variant", ""), ("setup.options", "pick_time"), ("setup.options", "foo"),
        ("challenge.advantage", ""), ("challenge.message-too-long", ""),
        ("challenge.duration", ""), ("challenge.yourself", ""),
    }  # fmt: skip


def test_who_cannot_be_challenged(ada: User) -> None:
    closed = user_named("closed", is_active=False)
    refused("challenge.yourself", made, by=ada, opponent=ada)
    refused("challenge.opponent-closed", made, by=ada, opponent=closed)


def test_a_limit_on_open_challenges(ada: User) -> None:
    for _ in range(settings.GAUNTLET_CHALLENGES_OPEN_AT_ONCE):
        last = made(ada)
    refused("challenge.too-many", made, by=ada)
    challenge_cancel(acting_user=ada, challenge=last)
    made(ada)


def test_who_may_not_answer(ada: User, ben: User, cleo: User) -> None:
    mine = made(ada)
    refused("challenge.yourself", challenge_accept, acting_user=ada, challenge=mine)
    for_ben = made(ada, opponent=ben)
    refused("challenge.not-for-you", challenge_accept, acting_user=cleo, challenge=for_ben)
    refused("challenge.not-for-you", challenge_decline, acting_user=cleo, challenge=for_ben)
    refused("challenge.not-yours", challenge_cancel, acting_user=ben, challenge=for_ben)


def test_an_account_closed_since_cannot_be_drawn_into_a_match(ada: User, ben: User) -> None:
    challenge = made(ada, opponent=ben)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    refused("setup.account-closed", challenge_accept, acting_user=ben, challenge=challenge)


def test_a_challenge_lapses(ada: User, ben: User, wire: Wire) -> None:
    challenge = made(ada, opponent=ben)
    stays = made(ada, opponent=ben)
    lapsed(challenge)
    refused("challenge.expired", challenge_accept, acting_user=ben, challenge=challenge)
    refused("challenge.expired", challenge_decline, acting_user=ben, challenge=challenge)
    refused("challenge.expired", challenge_cancel, acting_user=ada, challenge=challenge)
    wire.frames()
    with committing():
        assert challenges_expire(now=timezone.now()) == 1
        assert challenges_expire(now=timezone.now()) == 0
    challenge.refresh_from_db()
    stays.refresh_from_db()
    assert (challenge.status, stays.status) == ("expired", "open")
    assert {frame["status"] for _, frame in wire.frames("challenge")} == {"expired"}
    audit = AuditEntry.objects.get(action="challenge.expire")
    assert audit.who is None
