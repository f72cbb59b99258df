"""Blocks: who is kept away from whom, and that nobody else learns of it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.blocking import services
from accounts.blocking.services import (
    block_create,
    block_remove,
    blocked_names,
    has_blocked,
    pairs_apart,
)
from accounts.models import AuditEntry, Block, User
from accounts.moderation.merging import user_merge
from accounts.tokens.services import token_create
from core.refusals import Refusal
from games.audience import LOBBY_GROUP, user_group_of
from games.models import Challenge
from games.reading.selectors import challenges_to
from games.services.challenges import challenge_accept, challenge_create
from games.services.matches import match_start
from tests.games.conftest import ada, ben, cleo, mona, root, set_clock, wire
from tests.games.support import Wire, committing, refused, started

__all__ = ["ada", "ben", "cleo", "mona", "root", "set_clock", "wire"]

pytestmark = pytest.mark.django_db

TETRONOGO: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}


def signed(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


# -- services ------------------------------------------------------------------------------------


def test_blocking_and_unblocking(ada: User, ben: User) -> None:
    block = block_create(acting_user=ada, user=ben)
    assert block_create(acting_user=ada, user=ben) == block, "again changes nothing"
    assert (has_blocked(ada, ben), has_blocked(ben, ada)) == (True, False)
    assert (blocked_names(ada), blocked_names(ben)) == (["ben"], [])
    assert pairs_apart([ada.pk, ben.pk]) == {(ada.pk, ben.pk), (ben.pk, ada.pk)}
    assert pairs_apart([ada.pk]) == frozenset()
    block_remove(acting_user=ada, user=ben)
    assert not has_blocked(ada, ben)
    told = AuditEntry.objects.filter(action__startswith="block.").order_by("pk")
    assert [(each.action, each.who, each.target_id) for each in told] == [
        ("block.create", ada, str(ben.pk)), ("block.remove", ada, str(ben.pk)),
    ]  # fmt: skip


def test_what_is_refused(ada: User, ben: User, cleo: User, monkeypatch: Any) -> None:
    refused("block.yourself", block_create, acting_user=ada, user=ada)
    refused("block.none", block_remove, acting_user=ada, user=ben)
    monkeypatch.setattr(services, "BLOCKS_AT_MOST", 1)
    block_create(acting_user=ada, user=ben)
    refused("block.too-many", block_create, acting_user=ada, user=cleo)


def test_what_the_database_refuses(ada: User, ben: User) -> None:
    Block.objects.create(blocker=ada, blocked=ben)
    for blocked in (ada, ben):
        with pytest.raises(IntegrityError), transaction.atomic():
            Block.objects.create(blocker=ada, blocked=blocked)


def test_a_challenge_from_somebody_blocked_is_made_and_not_shown(ada: User, ben: User) -> None:
    block_create(acting_user=ada, user=ben)
    made = challenge_create(acting_user=ben, opponent=ada, **TETRONOGO)
    assert made.status == Challenge.Status.OPEN
    assert not challenges_to(ada).exists()
    mine = refused(
        "challenge.blocked", challenge_create, acting_user=ada, opponent=ben, **TETRONOGO
    )
    assert mine.sentence.startswith("You have blocked Ben.")


def test_nobody_blocked_takes_what_is_open_to_anybody(ada: User, ben: User, cleo: User) -> None:
    hers = challenge_create(acting_user=ada, **TETRONOGO)
    his = challenge_create(acting_user=ben, **TETRONOGO)
    block_create(acting_user=ada, user=ben)
    refused("challenge.not-open", challenge_accept, acting_user=ben, challenge=hers)
    refused("challenge.blocked", challenge_accept, acting_user=ada, challenge=his)
    assert challenge_accept(acting_user=cleo, challenge=hers).pk


@pytest.mark.parametrize("blocks", ["the reader", "the challenger"])
def test_what_is_open_to_anybody_is_not_shown_to_whoever_is_blocked(
    ada: User, ben: User, cleo: User, wire: Wire, blocks: str
) -> None:
    one, other = (ben, ada) if blocks == "the reader" else (ada, ben)
    block_create(acting_user=one, user=other)
    with committing():
        hers = challenge_create(acting_user=ada, **TETRONOGO)
        challenge_create(acting_user=cleo, **TETRONOGO)
    places = ("/", "/lobby/", "/api/v1/challenges/", f"/api/v1/challenges/{hers.pk}/")
    for reader, there in ((ben, False), (cleo, True), (ada, True), (None, True)):
        client = Client() if reader is None else signed(reader)
        for place in places:
            # One's own is in one's own list in the lobby.
            if (reader, place) != (ada, "/"):
                answer = client.get(place).content.decode()
                assert (f"/challenges/{hers.pk}/" in answer) == there, (place, reader)
    # Who has a list open is not handed a card, and asks.
    from_ada, from_cleo = (
        frame for group, frame in wire.frames("challenge") if group == LOBBY_GROUP
    )
    assert "card" not in from_ada
    assert "card" in from_cleo


def test_what_is_open_between_the_two_is_left_or_taken_back(ada: User, ben: User) -> None:
    to_her = challenge_create(acting_user=ben, opponent=ada, **TETRONOGO)
    to_him = challenge_create(acting_user=ada, opponent=ben, **TETRONOGO)
    open_to_all = challenge_create(acting_user=ben, **TETRONOGO)
    with committing():
        block_create(acting_user=ada, user=ben)
    found = dict(Challenge.objects.values_list("pk", "status"))
    assert found == {to_her.pk: "open", to_him.pk: "cancelled", open_to_all.pk: "open"}
    assert AuditEntry.objects.get(action="challenge.cancel").who == ada
    assert not challenges_to(ada).exists()
    with committing():
        block_remove(acting_user=ada, user=ben)
    assert challenges_to(ada).get() == to_her, "until it lapses"


def test_matches_that_others_decide_on_are_played(ada: User, ben: User) -> None:
    """Those of a season, for instance, begin by the service that knows nothing of blocks."""
    block_create(acting_user=ada, user=ben)
    assert match_start(acting_user=None, players=(ada, ben), **TETRONOGO).pk


def test_a_merged_account_takes_its_blocks_along(
    ada: User, ben: User, cleo: User, mona: User
) -> None:
    duplicate = User.objects.create_user("ada2")
    for blocker, blocked in ((duplicate, ben), (ada, ben), (cleo, duplicate), (duplicate, ada)):
        block_create(acting_user=blocker, user=blocked)
    with committing():
        user_merge(acting_user=mona, keep=ada, duplicate=duplicate, reason="They said so.")
    left = sorted(Block.objects.values_list("blocker__username", "blocked__username"))
    assert left == [("ada", "ben"), ("cleo", "ada")]


@pytest.mark.django_db(transaction=True)
def test_two_tabs_at_the_same_moment_block_once() -> None:
    ada, ben = User.objects.create_user("ada"), User.objects.create_user("ben")
    found: list[Any] = []

    def block() -> None:
        try:
            found.append(block_create(acting_user=ada, user=ben).pk)
        except Refusal as refusal:
            found.append(refusal)
        finally:
            connection.close()

    threads = [threading.Thread(target=block) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Block.objects.get().pk] * 4


# -- pages ---------------------------------------------------------------------------------------


def test_the_buttons_and_the_settings(ada: User, ben: User) -> None:
    hers = signed(ada)
    assert 'action="/accounts/block/ben/"' in hers.get("/u/ben/").content.decode()
    answer = hers.post("/accounts/block/Ben/", {"next": "/u/ben/"})
    assert answer.headers["Location"] == "/u/ben/"
    page = hers.get("/u/ben/").content.decode()
    assert "Ben is blocked. They are not told" in page
    assert 'action="/accounts/unblock/ben/"' in page
    listed = hers.get("/accounts/settings/blocked/")
    assert 'action="/accounts/unblock/ben/"' in listed.content.decode()
    assert "no-store" in listed.headers["Cache-Control"]
    assert hers.post("/accounts/unblock/ben/").headers["Location"] == "/accounts/settings/blocked/"
    assert "You have blocked nobody" in hers.get("/accounts/settings/blocked/").content.decode()


def test_where_buttons_lead_is_on_this_site(ada: User, ben: User) -> None:
    answer = signed(ada).post("/accounts/block/ben/", {"next": "https://elsewhere.example/"})
    assert answer.headers["Location"] == "/accounts/settings/blocked/"


def test_scripts_are_answered_without_a_page(ada: User, ben: User) -> None:
    hers = signed(ada)
    json = {"Accept": "application/json"}
    assert hers.post("/accounts/block/ben/", headers=json).status_code == 204
    itself = hers.post("/accounts/block/ada/", headers=json)
    assert (itself.status_code, itself.json()["code"]) == (409, "block.yourself")
    assert hers.post("/accounts/block/nobody/", headers=json).status_code == 404


@pytest.mark.parametrize("path", ["settings/blocked/", "block/ben/", "unblock/ben/"])
def test_nobody_blocks_without_an_account(ben: User, client: Client, path: str) -> None:
    method = client.get if path.startswith("settings") else client.post
    answer = method(f"/accounts/{path}")
    assert answer.headers["Location"].startswith("/accounts/login/")
    assert not Block.objects.exists()
    if not path.startswith("settings"):
        assert Client().get(f"/accounts/{path}").status_code in {302, 405}


# -- over the API --------------------------------------------------------------------------------


def test_programs_block_too(ada: User, ben: User, client: Client) -> None:
    hers = signed(ada)
    made = hers.post("/api/v1/me/blocks/", {"username": "Ben"}, content_type="application/json")
    assert made.status_code == 200
    assert made.json()["user"]["username"] == "ben"
    (listed,) = hers.get("/api/v1/me/blocks/").json()["results"]
    assert listed == made.json()
    assert signed(ben).get("/api/v1/me/blocks/").json()["results"] == []
    assert hers.delete("/api/v1/me/blocks/ben/").status_code == 204
    gone = hers.delete("/api/v1/me/blocks/ben/")
    assert (gone.status_code, gone.json()["code"]) == (404, "block.none")
    assert hers.delete("/api/v1/me/blocks/nobody/").status_code == 404
    for asked in (client.get, client.post):
        assert asked("/api/v1/me/blocks/").status_code == 401
    assert client.delete("/api/v1/me/blocks/ben/").status_code == 401


@pytest.mark.parametrize(
    ("body", "code"),
    [({"username": "ada"}, "block.yourself"), ({"username": "nobody"}, "user.none")],
)
def test_a_body_at_fault(ada: User, body: dict[str, str], code: str) -> None:
    answer = signed(ada).post("/api/v1/me/blocks/", body, content_type="application/json")
    assert answer.status_code == 400
    assert [each["code"] for each in answer.json()["fields"]["username"]] == [code]


@pytest.mark.parametrize(("scope", "status"), [("read", 403), ("play", 200)])
def test_a_token_needs_the_scope(ada: User, ben: User, scope: str, status: int) -> None:
    _token, text = token_create(acting_user=ada, name="x", scopes=[scope], lasts=timedelta(days=1))
    answer = Client().post(
        "/api/v1/me/blocks/", {"username": "ben"}, content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )  # fmt: skip
    assert answer.status_code == status


# -- secrecy -------------------------------------------------------------------------------------


def test_who_is_blocked_sees_the_same_as_before(
    ada: User, ben: User, cleo: User, set_clock: Callable[[int], None]
) -> None:
    """On every page and in every answer where the two might meet; but for the refusal, and for what
    the other offers to anybody: that might have been taken back."""
    match = started((ada, ben))
    set_clock(5_000)  # nothing differs but by what is done
    paths = [
        "/", "/lobby/", "/u/ada/", "/u/ben/",
        f"/matches/{match.pk}/", "/accounts/settings/", "/accounts/settings/blocked/",
        "/api/v1/users/ada/", "/api/v1/me/", "/api/v1/me/blocks/", "/api/v1/challenges/",
        f"/api/v1/matches/{match.pk}/", "/api/v1/seek/",
    ]  # fmt: skip
    blocked, others = [signed(ben)], [signed(cleo), Client()]

    def seen(readers: list[Client], *more: str) -> list[tuple[int, str]]:
        answers = [reader.get(path) for reader in readers for path in (*paths, *more)]
        return [(each.status_code, plain(each)) for each in answers]

    seen(blocked)
    before_it_was_offered = seen(blocked)
    offered = challenge_create(acting_user=ada, **TETRONOGO)
    offer = (f"/challenges/{offered.pk}/", f"/api/v1/challenges/{offered.pk}/")
    seen(others, *offer)
    before = seen(others, *offer)
    with committing():
        block_create(acting_user=ada, user=ben)
    assert seen(blocked) == before_it_was_offered
    assert seen(others, *offer) == before


def test_nobody_is_told_that_they_are_blocked(ada: User, ben: User, wire: Wire) -> None:
    """Pages of the blocker's own are told that what had been offered is gone; nobody else."""
    with committing():
        block_create(acting_user=ada, user=ben)
    assert wire.frames() == []
    with committing():
        block_remove(acting_user=ada, user=ben)
        challenge_create(acting_user=ben, opponent=ada, **TETRONOGO)
    wire.frames()
    with committing():
        block_create(acting_user=ada, user=ben)
    told = wire.frames()
    assert [(to, frame["type"], frame["status"]) for to, frame in told] == [
        (user_group_of(ada.pk), "challenge", "declined")
    ]


def plain(answer: Any) -> str:
    """What stands in an answer, without tokens against forged forms and what goes with time."""
    text = answer.content.decode()
    text = re.sub(r'(csrfmiddlewaretoken" value=)"[^"]*"', r"\1", text)
    return re.sub(r'"(now|at|left|waits_until)":\s*\d+|nonce="[^"]*"', "", text)
