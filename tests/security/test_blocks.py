"""What a block does, on every surface where one person reaches another; and that its owner can make
it, see it and lift it by the pages and by the API. Beside this, tests/accounts/test_blocks.py."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.blocking.services import block_create, pairs_apart
from accounts.models import Announcement, Block, User
from accounts.tokens.services import token_create
from games.services.challenges import challenge_accept, challenge_create
from games.services.commentary import commentator_name
from games.services.hosting import hosted_create
from tests.games.support import Play, committing, refused, started, user_named
from tests.webhooks.support import Stage
from tournaments.models import Gift
from tournaments.services.messages import message_send
from tournaments.services.organisers import organiser_ask

pytestmark = pytest.mark.django_db

GAME: dict[str, Any] = {"ruleset_id": "tetronogo", "variant": "standard"}


def signed(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


class Pair:
    """Whom the table is about: ``maker`` has blocked ``other``."""

    def __init__(self, stage: Stage, maker: User, other: User) -> None:
        self.stage, self.maker, self.other = stage, maker, other


@pytest.fixture
def pair(stage: Stage) -> Pair:
    """Ada, who plays in the season, has blocked Orla, who runs it."""
    block_create(acting_user=stage.ada, user=stage.orla)
    return Pair(stage, stage.ada, stage.orla)


# -- one row for each surface --------------------------------------------------------------------


def challenge_to_the_maker(pair: Pair) -> None:
    refused(
        "challenge.not-taken", challenge_create, acting_user=pair.other, opponent=pair.maker, **GAME
    )


def challenge_by_the_maker(pair: Pair) -> None:
    refused(
        "challenge.blocked", challenge_create, acting_user=pair.maker, opponent=pair.other, **GAME
    )


def challenge_by_the_api(pair: Pair) -> None:
    _, text = token_create(
        acting_user=pair.other, name="x", scopes=["play"], lasts=timedelta(days=1)
    )
    answer = Client().post(
        "/api/v1/challenges/",
        {"ruleset": "tetronogo", "variant": "standard", "opponent": pair.maker.username},
        content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )
    assert "challenge.not-taken" in answer.content.decode()


def open_challenges(pair: Pair) -> None:
    for one, other in ((pair.maker, pair.other), (pair.other, pair.maker)):
        with committing():
            offer = challenge_create(acting_user=one, **GAME)
        with pytest.raises(Exception, match=r"accept|blocked|take"):
            challenge_accept(acting_user=other, challenge=offer)
        assert offer.get_absolute_url() not in signed(other).get("/lobby/").content.decode()


def pairing(pair: Pair) -> None:
    apart = pairs_apart([pair.maker.pk, pair.other.pk])
    assert apart == {(pair.maker.pk, pair.other.pk), (pair.other.pk, pair.maker.pk)}


def invitation_to_a_hosted_match(pair: Pair) -> None:
    refused(
        "hosted.not-taken", hosted_create, acting_user=pair.other, first=pair.maker,
        second=pair.stage.ben, **GAME,
    )  # fmt: skip


def place_of_a_commentator(pair: Pair) -> None:
    play = started((pair.stage.ben, user_named("dora")))
    refused(
        "commentary.not-taken", commentator_name, acting_user=pair.other, match_id=play.pk,
        user=pair.maker,
    )  # fmt: skip


def request_to_run_a_season(pair: Pair) -> None:
    with committing():
        organiser_ask(acting_user=pair.other, season=pair.stage.season, user=pair.maker,
                      role="helper", rights=["people"])  # fmt: skip
    assert not Announcement.objects.filter(user=pair.maker).exists()


def message_of_a_season(pair: Pair) -> None:
    with committing():
        message_send(acting_user=pair.other, season=pair.stage.season, title="News",
                     words="All of you.", whom="everybody")  # fmt: skip
    told = Announcement.objects.filter(kind="season.message")
    assert [each.user for each in told] == [pair.stage.ben]


def note_beside_an_item(pair: Pair) -> None:
    Gift.objects.create(
        season=pair.stage.season, item="joker", receiver=pair.stage.home, given_by=pair.other,
        note="You fool.",
    )  # fmt: skip
    folded = "A note of somebody you have blocked"
    url = reverse("tournaments:items", args=[pair.stage.season.slug])
    assert folded in signed(pair.maker).get(url).content.decode()
    for other in (pair.other, pair.stage.ben):
        page = signed(other).get(url).content.decode()
        assert "You fool." in page
        assert folded not in page


def chat_and_comments(pair: Pair) -> None:
    play = started((pair.maker, pair.stage.ben))
    for user, marked in ((pair.maker, True), (pair.stage.ben, False)):
        page = signed(user).get(reverse("games:match", args=[play.pk])).content.decode()
        assert (f'data-blocked="{pair.other.username}"' in page) is marked
    play.move(0, "concede", 5000)
    page = signed(pair.maker).get(reverse("games:study", args=[play.pk])).content.decode()
    assert f'data-blocked="{pair.other.username}"' in page


def who_is_in_the_lobby(pair: Pair) -> None:
    for user, marked in ((pair.maker, True), (pair.other, False)):
        page = signed(user).get("/lobby/").content.decode()
        assert (f'data-blocked="{pair.other.username}"' in page) is marked


SURFACES: tuple[Callable[[Pair], None], ...] = (
    challenge_to_the_maker, challenge_by_the_maker, challenge_by_the_api, open_challenges, pairing,
    invitation_to_a_hosted_match, place_of_a_commentator, request_to_run_a_season,
    message_of_a_season, note_beside_an_item, chat_and_comments, who_is_in_the_lobby,
)  # fmt: skip


@pytest.mark.parametrize("surface", SURFACES, ids=lambda each: each.__name__)
def test_a_block_holds_on(surface: Callable[[Pair], None], pair: Pair) -> None:
    surface(pair)


@pytest.mark.parametrize("surface", SURFACES, ids=lambda each: each.__name__)
def test_without_a_block_it_is_otherwise(surface: Callable[[Pair], None], stage: Stage) -> None:
    """No row of the table can pass without one."""
    with pytest.raises((AssertionError, pytest.fail.Exception)) as raised:
        surface(Pair(stage, stage.ada, stage.orla))
    assert raised.value is not None


# -- making one, seeing it, lifting it -----------------------------------------------------------


def test_from_the_profile_and_back(ada: User, ben: User) -> None:
    client = signed(ada)
    page = client.get("/u/ben/").content.decode()
    assert f'action="{reverse("accounts:block", args=["ben"])}"' in page
    assert "?opponent=ben" in page
    client.post(reverse("accounts:block", args=["ben"]), {"next": "/u/ben/"})
    assert Block.objects.filter(blocker=ada, blocked=ben).exists()
    # A challenge would be refused; to whom nobody tells of the block it is offered as before.
    assert "?opponent=ben" not in client.get("/u/ben/").content.decode()
    assert "?opponent=ada" in signed(ben).get("/u/ada/").content.decode()
    assert "Ben" in client.get(reverse("accounts:blocks")).content.decode()
    client.post(reverse("accounts:unblock", args=["ben"]))
    assert not Block.objects.exists()


def test_from_a_message(play: Play, ada: User) -> None:
    """The menu of a message posts there (static/js/match/chat.js), and gets no page."""
    url = reverse("accounts:block", args=["ben"])
    answer = signed(ada).post(url, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert Block.objects.filter(blocker=ada).count() == 1


@pytest.fixture
def play(ada: User, ben: User) -> Play:
    return started((ada, ben))


def test_nobody_is_shown_that_they_are_blocked(pair: Pair, root: User) -> None:
    for user in (pair.other, pair.stage.ben):
        assert "blocked" not in signed(user).get("/api/v1/blocks/").content.decode()
        assert pair.maker.shown_name not in (
            signed(user).get(reverse("accounts:blocks")).content.decode()
        )
