"""Hosted matches: who may host whom, that both accept, what is supplied, and who referees."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.moderation.sanctions import user_mute, user_suspend
from accounts.roles import Role, forget_roles
from accounts.services import role_grant, role_revoke
from accounts.tokens.services import user_become_bot
from core.clock import now_ms, now_utc
from core.refusals import Refusal, each_of
from games.audience import may_organise
from games.engine.ruleset import HeldItem
from games.models import HostedMatch, Match, Preparation
from games.reading import selectors
from games.services.arrivals import match_attend
from games.services.challenges import challenge_create
from games.services.hosting import (
    answers_of,
    hosted_accept,
    hosted_begin_due,
    hosted_cancel,
    hosted_create,
    hosted_decline,
    hosted_expire,
)
from games.services.preparations import preparation_create, preparation_delete
from tests.games.support import Wire, committing, user_named
from tests.games.test_preparations import PALLETS

pytestmark = pytest.mark.django_db

GAME: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}
PEGS: dict[str, Any] = {"ruleset_id": "peg-domain", "variant": "gauntlet"}


def hosted_by(host: User, first: User, second: User, **more: Any) -> HostedMatch:
    """An invitation."""
    return hosted_create(acting_user=host, first=first, second=second, **{**GAME, **more})


def refused(call: Callable[..., object], *args: Any, **more: Any) -> set[str]:
    """The codes of what is refused; nothing has changed."""
    before = list(HostedMatch.objects.values()), AuditEntry.objects.count(), Match.objects.count()
    with pytest.raises(Refusal) as caught, transaction.atomic():
        call(*args, **more)
    after = list(HostedMatch.objects.values()), AuditEntry.objects.count(), Match.objects.count()
    assert after == before
    assert all(each.sentence for each in each_of(caught.value))
    return {each.code for each in each_of(caught.value)}


def pallets_of(host: User) -> Preparation:
    """Something that the host supplies."""
    return preparation_create(
        acting_user=host, ruleset_id="peg-domain", key="pallets", name="Ours", data=PALLETS.encode()
    )


def test_both_accept_and_the_match_waits_for_them(orla: User, ada: User, ben: User) -> None:
    hosted = hosted_by(orla, ada, ben, message="Good luck\nboth")
    assert hosted.message == "Good luck both"
    assert [hosted.has_accepted(seat) for seat in (0, 1)] == [False, False]
    hosted = hosted_accept(acting_user=ben, hosted=hosted)
    assert (hosted.status, hosted.match) == ("open", None)
    hosted = hosted_accept(acting_user=ada, hosted=hosted)
    match = hosted.match
    assert match is not None
    assert hosted.status == "begun"
    assert [player.user for player in match.players.all()] == [ada, ben]
    assert match.waits_until is not None
    assert "counts for no rating" in match.unrated
    actions = AuditEntry.objects.filter(action__startswith="hosted.").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == [
        "hosted.create", "hosted.accept", "hosted.accept",
    ]  # fmt: skip


def test_the_host_alone_organises_it(orla: User, ada: User, ben: User, root: User) -> None:
    olin = user_named("olin")
    role_grant(acting_user=root, user=olin, role=Role.ORGANISER)
    hosted = hosted_by(orla, ada, ben, rated=True)
    hosted_accept(acting_user=ada, hosted=hosted)
    match = hosted_accept(acting_user=ben, hosted=hosted).match
    assert match is not None
    assert match.unrated == ""
    assert may_organise(match, orla)
    assert may_organise(match, root)
    assert not any(may_organise(match, user) for user in (ada, ben, olin))


@pytest.mark.parametrize("brought", ["advantage", "supplied", "both", "items"])
def test_what_the_host_brings_counts_for_no_rating_as_a_challengers_does(
    orla: User, ada: User, ben: User, brought: str
) -> None:
    """Though it was asked to count; items are the game's own, and are no reason."""
    variant = "final" if brought == "items" else "gauntlet"
    more: dict[str, Any] = {"ruleset_id": "peg-domain", "variant": variant, "rated": True}
    if brought in ("advantage", "both"):
        more["advantage"] = 0
    if brought in ("supplied", "both"):
        more["preparation_id"] = pallets_of(orla).pk
    if brought == "items":
        more["items"] = [HeldItem(0, "rapid-removal")]
    hosted = hosted_by(orla, ada, ben, **more)
    counts = brought == "items"
    client = Client()
    client.force_login(ada)
    told = client.get(f"/api/v1/hosted/{hosted.pk}/").json()
    page = client.get(hosted.get_absolute_url()).content.decode()
    assert told["rated"] is counts
    assert ("counts for no rating" in told["terms"]) is not counts
    assert ("<dt>Rated</dt><dd>yes" in page) is counts
    hosted_accept(acting_user=ada, hosted=hosted)
    match = hosted_accept(acting_user=ben, hosted=hosted).match
    assert match is not None
    assert (match.unrated == "") is counts
    assert ("has named who has the advantage" in match.unrated) is ("advantage" in more)
    assert ("instead of having it drawn" in match.unrated) is ("preparation_id" in more)


def test_items_and_the_advantage_that_they_give(orla: User, ada: User, ben: User) -> None:
    items = [HeldItem(1, "rapid-removal"), HeldItem(1, "peg-subtraction")]
    hosted = hosted_by(orla, ada, ben, ruleset_id="peg-domain", variant="final", items=items,
                       options={"turn_time": 86_400})  # fmt: skip
    hosted_accept(acting_user=ada, hosted=hosted)
    match = hosted_accept(acting_user=ben, hosted=hosted).match
    assert match is not None
    assert match.items == []
    assert match_attend(match_id=match.pk, there=(True, True), at=now_ms())
    match.refresh_from_db()
    assert [(each["seat"], each["item"]) for each in match.items] == [
        (1, "rapid-removal"), (1, "peg-subtraction"),
    ]  # fmt: skip
    assert match.advantage == 1


def test_what_is_supplied_names_the_host_and_cannot_be_deleted(
    orla: User, ada: User, ben: User
) -> None:
    kept = pallets_of(orla)
    hosted = hosted_by(
        orla, ada, ben, **PEGS, preparation_id=kept.pk, options={"turn_time": 86_400}
    )
    assert refused(preparation_delete, acting_user=orla, preparation_id=kept.pk) == {
        "preparation.in-use"
    }
    hosted_accept(acting_user=ada, hosted=hosted)
    hosted = hosted_accept(acting_user=ben, hosted=hosted)
    assert hosted.match is not None
    assert AuditEntry.objects.get(action="match.start").data["prepared"] == ["pallets"]
    preparation_delete(acting_user=orla, preparation_id=kept.pk)
    hosted.refresh_from_db()
    assert hosted.preparation is None


def test_who_may_host_whom(orla: User, ada: User, ben: User, cleo: User, root: User) -> None:
    assert refused(hosted_by, ada, ben, cleo) == {"hosted.not-allowed"}
    assert refused(hosted_by, orla, orla, ben) == {"hosted.plays"}
    assert refused(hosted_by, orla, ben, orla) == {"hosted.plays"}
    assert refused(hosted_by, orla, ben, ben) == {"hosted.one-player"}
    user_become_bot(acting_user=cleo)
    assert refused(hosted_by, orla, ada, User.objects.get(pk=cleo.pk)) == {"hosted.bot"}
    user_suspend(acting_user=root, user=ben, reason="Rude", until=None)
    assert refused(hosted_by, orla, ada, ben) == {"hosted.player-away"}
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert refused(hosted_by, orla, ada, ben) == {"hosted.player-closed"}


def test_a_host_under_a_sanction(orla: User, ada: User, ben: User, root: User) -> None:
    user_mute(acting_user=root, user=orla, reason="Rude", until=None)
    assert refused(hosted_by, orla, ada, ben, message="Hello") == {"hosted.muted"}
    assert hosted_by(orla, ada, ben).status == "open"
    with committing():
        user_suspend(acting_user=root, user=orla, reason="Rude", until=None)
    assert HostedMatch.objects.get().status == "cancelled"
    assert refused(hosted_by, orla, ada, ben) == {"hosted.suspended"}


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"ruleset_id": "chess"}, "setup.ruleset"),
        ({"variant": "x"}, "setup.variant"),
        ({"options": {"nonsense": 1}}, "setup.options"),
        ({"items": [HeldItem(0, "nonsense")]}, "setup.item"),
        ({"items": [HeldItem(2, "copy")]}, "hosted.items"),
        ({"items": [HeldItem(0, "copy")] * 13}, "hosted.items"),
        ({"advantage": 2}, "hosted.advantage"),
        ({"lasts": timedelta(days=31)}, "hosted.duration"),
        ({"starts_at": timedelta(days=-1)}, "hosted.start"),
        ({"starts_at": timedelta(days=91)}, "hosted.start"),
        ({"message": "x" * 201}, "hosted.message-too-long"),
        ({"preparation_id": 0}, "preparation.none"),
    ],
)
def test_what_cannot_be_offered(
    orla: User, ada: User, ben: User, more: dict[str, Any], code: str
) -> None:
    if "starts_at" in more:
        more = {"starts_at": now_utc() + more["starts_at"]}
    assert refused(hosted_by, orla, ada, ben, **more) == {code}


def test_what_is_prepared_is_for_its_own_game(orla: User, ada: User, ben: User) -> None:
    kept = pallets_of(orla)
    assert refused(hosted_by, orla, ada, ben, preparation_id=kept.pk) == {"setup.supply"}
    up = {**PEGS, "variant": "tempo-up"}
    assert refused(hosted_by, orla, ada, ben, **up, preparation_id=kept.pk) == {"setup.supply"}


def test_not_without_end(orla: User, ada: User, ben: User, settings: Any) -> None:
    settings.GAUNTLET_CHALLENGES_OPEN_AT_ONCE = 1
    hosted = hosted_by(orla, ada, ben)
    assert refused(hosted_by, orla, ada, ben) == {"hosted.too-many"}
    hosted_cancel(acting_user=orla, hosted=hosted)
    assert hosted_by(orla, ada, ben).pk


def test_answers(orla: User, ada: User, ben: User, cleo: User) -> None:
    hosted = hosted_by(orla, ada, ben)
    assert answers_of(hosted, ada) == {"accept", "decline"}
    assert answers_of(hosted, orla) == {"cancel"}
    assert answers_of(hosted, cleo) == set()
    for user in (orla, cleo):
        assert refused(hosted_accept, acting_user=user, hosted=hosted) == {"hosted.not-for-you"}
        assert refused(hosted_decline, acting_user=user, hosted=hosted) == {"hosted.not-for-you"}
    for user in (ada, cleo):
        assert refused(hosted_cancel, acting_user=user, hosted=hosted) == {"hosted.not-yours"}
    hosted = hosted_accept(acting_user=ada, hosted=hosted)
    assert answers_of(hosted, ada) == {"decline"}
    assert refused(hosted_accept, acting_user=ada, hosted=hosted) == {"hosted.accepted"}
    hosted = hosted_decline(acting_user=ada, hosted=hosted)
    assert (hosted.status, hosted.ended_by) == ("declined", ada)
    for call, user in ((hosted_accept, ben), (hosted_decline, ben), (hosted_cancel, orla)):
        assert refused(call, acting_user=user, hosted=hosted) == {"hosted.not-open"}


def test_it_lapses(orla: User, ada: User, ben: User) -> None:
    hosted = hosted_by(orla, ada, ben)
    HostedMatch.objects.update(expires_at=now_utc() - timedelta(seconds=1))
    assert refused(hosted_accept, acting_user=ada, hosted=hosted) == {"hosted.expired"}
    assert hosted_expire(now=now_utc()) == 1
    assert HostedMatch.objects.get().status == "expired"
    assert hosted_expire(now=now_utc()) == 0


def test_it_begins_at_its_time(orla: User, ada: User, ben: User) -> None:
    when = now_utc() + timedelta(hours=2)
    hosted = hosted_by(orla, ada, ben, starts_at=when)
    assert hosted.expires_at == when
    for user in (ada, ben):
        hosted = hosted_accept(acting_user=user, hosted=hosted)
    assert (hosted.status, hosted.match) == ("agreed", None)
    assert answers_of(hosted, ada) == {"decline"}
    assert answers_of(hosted, orla) == {"cancel"}
    assert hosted_begin_due(now=when - timedelta(seconds=1)) == 0
    assert hosted_begin_due(now=when) == 1
    hosted.refresh_from_db()
    assert hosted.status == "begun"
    assert hosted.match is not None


def test_what_cannot_begin_any_more_says_why(orla: User, ada: User, ben: User, root: User) -> None:
    when = now_utc() + timedelta(hours=2)
    hosted = hosted_by(orla, ada, ben, starts_at=when)
    for user in (ada, ben):
        hosted = hosted_accept(acting_user=user, hosted=hosted)
    role_revoke(acting_user=root, user=orla, role=Role.ORGANISER)
    hosted_begin_due(now=when)
    hosted.refresh_from_db()
    assert hosted.status == "cancelled"
    assert "may not host" in hosted.why
    assert not Match.objects.exists()


def test_who_lost_the_role_hosts_nothing(orla: User, ada: User, ben: User, root: User) -> None:
    hosted = hosted_by(orla, ada, ben)
    role_revoke(acting_user=root, user=orla, role=Role.ORGANISER)
    forget_roles(orla)
    assert refused(hosted_accept, acting_user=ada, hosted=hosted) == {"hosted.host-gone"}


def test_it_is_between_the_three(orla: User, ada: User, ben: User, cleo: User, root: User) -> None:
    hosted = hosted_by(orla, ada, ben)
    for user in (orla, ada, ben):
        assert selectors.hosted_visible(hosted.pk, user) == hosted
    for user in (cleo, root):
        assert refused(selectors.hosted_visible, hosted.pk, user) == {"hosted.none"}
    assert list(selectors.invitations_awaiting(ada)) == [hosted]
    assert list(selectors.invitations_awaiting(orla)) == []


def test_the_three_are_told_and_nobody_else(
    orla: User, ada: User, ben: User, cleo: User, wire: Wire
) -> None:
    with committing():
        hosted = hosted_by(orla, ada, ben)
    told = [(group, frame) for group, frame in wire.frames() if frame["type"] == "hosted"]
    assert {group for group, _ in told} == {f"user.{user.pk}" for user in (orla, ada, ben)}
    assert {frame["status"] for _, frame in told} == {"open"}
    with committing():
        hosted_decline(acting_user=ben, hosted=hosted)
    _, last = wire.frames()[-1]
    assert (last["status"], last["ended_by"]) == ("declined", "ben")


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "agreed"},
        {"status": "begun"},
        {"status": "odd"},
        {"advantage": 2},
    ],
)
def test_the_database_refuses_what_cannot_be(
    orla: User, ada: User, ben: User, wrong: dict[str, Any]
) -> None:
    hosted_by(orla, ada, ben)
    with pytest.raises(IntegrityError), transaction.atomic():
        HostedMatch.objects.update(**wrong)
    with pytest.raises(IntegrityError), transaction.atomic():
        HostedMatch.objects.update(host=ada)


# -- pages -----------------------------------------------------------------------------------------


def client_of(user: User) -> Client:
    """Somebody at a browser."""
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


FORM = {
    "first": "ada", "second": "@Ben", "game": "tetronogo/standard", "pace": "daily",
    "advantage": "second", "lasts": "60", "message": "",
}  # fmt: skip


def test_from_the_form_to_the_match(orla: User, ada: User, ben: User) -> None:
    host = client_of(orla)
    assert host.get("/organise/hosted/new/?first=ada").status_code == 200
    answer = host.post("/organise/hosted/new/", FORM)
    hosted = HostedMatch.objects.get()
    assert answer["Location"] == f"/hosted/{hosted.pk}/"
    assert (hosted.advantage, hosted.rated) == (1, False)
    page = client_of(ada).get("/lobby/").content.decode()
    assert "Orla</bdi> invites you" in page
    for user in (ada, ben):
        client = client_of(user)
        assert "alone referee" in client.get(f"/hosted/{hosted.pk}/").content.decode()
        answer = client.post(f"/hosted/{hosted.pk}/accept/")
    match = Match.objects.get()
    assert answer["Location"] == f"/matches/{match.pk}/"
    assert "Hosted by" in Client().get(f"/matches/{match.pk}/").content.decode()
    # Nobody asks for the rematch that is not to be had there.
    page = client_of(ben).get(f"/matches/{match.pk}/").content.decode()
    assert "Well played" in page
    assert "Rematch?" not in page
    assert "has begun" in host.get("/organise/hosted/").content.decode()
    assert "invites you" not in client_of(ada).get("/lobby/").content.decode()


def test_an_invitation_is_counted_in_the_header_until_it_is_answered(
    orla: User, ada: User, ben: User
) -> None:
    challenge = challenge_create(
        acting_user=ben, opponent=ada, ruleset_id="tetronogo", variant="standard"
    )
    hosted = hosted_by(orla, ada, ben)

    def waiting(user: User) -> str:
        page = client_of(user).get("/rules/").content.decode()
        return page.partition('data-waiting="')[2].partition('"')[0]

    invitation = f"h{hosted.pk}"
    assert (waiting(ada), waiting(ben)) == (f"{challenge.pk},{invitation}", invitation)
    assert waiting(orla) == ""
    hosted_accept(acting_user=ada, hosted=hosted)
    assert (waiting(ada), waiting(ben)) == (str(challenge.pk), invitation)
    hosted_decline(acting_user=ben, hosted=hosted)
    assert waiting(ben) == ""


def test_items_and_faults_of_the_form(orla: User, ada: User, ben: User) -> None:
    host = client_of(orla)
    form = {**FORM, "game": "domino-wars/standard", "item_domino-wars_tie-advantage_1": "1"}
    names = list(host.get("/organise/hosted/new/").context["form"].fields)
    tie = next(
        name for name in names if name.startswith("item_domino-wars") and name.endswith("_1")
    )
    answer = host.post("/organise/hosted/new/", {**FORM, "game": "domino-wars/standard", tie: "2"})
    assert answer.status_code == 302, form
    assert [each["seat"] for each in HostedMatch.objects.get().items] == [1, 1]
    for wrong, field in (
        ({"first": "nobody-of-that-name"}, "first"),
        ({"first": "orla"}, "first"),
        ({"second": "ada"}, "second"),
        ({"starts": "2020-01-01T10:00"}, "starts"),
    ):
        answer = host.post("/organise/hosted/new/", {**FORM, **wrong})
        assert answer.status_code == 422
        assert list(answer.context["form"].errors) == [field]
    assert HostedMatch.objects.count() == 1


def test_what_is_supplied_stays_hidden(orla: User, ada: User, ben: User) -> None:
    kept = pallets_of(orla)
    hosted = hosted_by(orla, ada, ben, **PEGS, preparation_id=kept.pk)
    for user in (ada, ben):
        client = client_of(user)
        page = client.get(f"/hosted/{hosted.pk}/").content.decode()
        assert "Pallets, by the host" in page
        assert "Ours" not in page
        assert f"/prepared/{kept.pk}" not in page
        told = client.get(f"/api/v1/hosted/{hosted.pk}/").json()
        assert told["supplied"] == ["Pallets"]
        assert "preparation" not in told
        assert "Ours" not in str(told)
    assert "Ours" in client_of(orla).get(f"/hosted/{hosted.pk}/").content.decode()


# -- over HTTP -------------------------------------------------------------------------------------


def test_over_the_api(orla: User, ada: User, ben: User, cleo: User) -> None:
    body = {"first": "ada", "second": "ben", "ruleset": "peg-domain", "variant": "final",
            "items": [{"seat": 0, "item": "rapid-removal"}], "lasts_s": 3600}  # fmt: skip
    host = client_of(orla)
    made = host.post("/api/v1/hosted/", body, "application/json")
    assert made.status_code == 201, made.content
    path = f"/api/v1/hosted/{made.json()['id']}/"
    assert [each["accepted"] for each in made.json()["players"]] == [False, False]
    assert client_of(cleo).get(path).status_code == 404
    assert client_of(cleo).get("/api/v1/hosted/").json()["results"] == []
    assert client_of(ada).post(f"{path}cancel/", {}, "application/json").status_code == 403
    for user in (ada, ben):
        answer = client_of(user).post(f"{path}accept/", {}, "application/json")
        assert answer.status_code == 200, answer.content
    assert answer.json()["status"] == "begun"
    assert answer.json()["match"]
    assert host.post(f"{path}cancel/", {}, "application/json").json()["code"] == "hosted.not-open"


def test_faults_of_a_body(orla: User, ada: User) -> None:
    body = {"first": "ada", "second": "nosuch", "ruleset": "tetronogo", "variant": "x",
            "items": [{"seat": 3, "item": "y"}]}  # fmt: skip
    answer = client_of(orla).post("/api/v1/hosted/", body, "application/json")
    assert answer.status_code == 400
    assert {"second", "variant", "items.0.seat"} <= answer.json()["fields"].keys()
