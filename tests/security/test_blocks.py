"""What a block does, on every surface where one person reaches another; and that its owner can make
it, see it and lift it by the pages and by the API. Beside this, tests/accounts/test_blocks.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.blocking.services import block_create, pairs_apart
from accounts.models import Announcement, Block, User
from accounts.moderation.sanctions import user_mute
from accounts.tokens.services import token_create
from games.models import Challenge, HostedMatch
from games.services.challenges import (
    challenge_accept,
    challenge_cancel,
    challenge_create,
    challenges_expire,
    rematch_offer,
    rematch_standing,
)
from games.services.commentary import commentator_name
from games.services.hosting import hosted_create
from tests.games.support import Play, committing, refused, started, user_named
from tests.pages.test_challenges import OFFER
from tests.webhooks.support import Stage
from tournaments.models import Gift, OrganiserInvitation
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
        self.blocks = False

    def again(self) -> None:
        """Block, where that is what the pair is about."""
        if self.blocks:
            with committing():
                block_create(acting_user=self.maker, user=self.other)


@pytest.fixture
def pair(stage: Stage) -> Pair:
    """Ada, who plays in the season, has blocked Orla, who runs it."""
    pair = Pair(stage, stage.ada, stage.orla)
    pair.blocks = True
    pair.again()
    return pair


# -- one row for each surface --------------------------------------------------------------------


def challenge_to_the_maker(pair: Pair) -> None:
    with committing():
        made = challenge_create(acting_user=pair.other, opponent=pair.maker, **GAME)
    assert not_shown(pair.maker, made)


def challenge_that_is_open(pair: Pair) -> None:
    Block.objects.filter(blocker=pair.maker).delete()
    made = challenge_create(acting_user=pair.other, opponent=pair.maker, **GAME)
    assert not not_shown(pair.maker, made)
    pair.again()
    assert not_shown(pair.maker, made)


def not_shown(user: User, made: Challenge) -> bool:
    """Whether a challenge is on no page and in no list of the API of somebody it is made to."""
    client, url = signed(user), made.get_absolute_url()
    found = {
        *(url in client.get(place).content.decode() for place in ("/", "/lobby/")),
        *(client.get(f"{before}{url}").status_code == 200 for before in ("", "/api/v1")),
        url in client.get("/api/v1/challenges/").content.decode(),
    }
    assert len(found) == 1
    return found == {False}


def rematch(pair: Pair) -> None:
    play = started((pair.maker, pair.other))
    play.move(0, "concede", 5000)
    with committing():
        made = rematch_offer(acting_user=pair.other, match=play.match)
    assert made.status == "open"
    assert rematch_standing(play.match, pair.maker) is None


def challenge_by_the_maker(pair: Pair) -> None:
    refused(
        "challenge.blocked", challenge_create, acting_user=pair.maker, opponent=pair.other, **GAME
    )


def challenge_by_the_api(pair: Pair) -> None:
    number = posted(
        pair.other, "/api/v1/challenges/",
        {"ruleset": "tetronogo", "variant": "standard", "opponent": pair.maker.username},
    ).json()["id"]  # fmt: skip
    assert not_shown(pair.maker, Challenge.objects.get(pk=number))


def posted(user: User, path: str, body: dict[str, Any] | None = None) -> Any:
    """What a program of somebody's is answered."""
    _, text = token_create(
        acting_user=user, name="x", scopes=["play", "organise"], lasts=timedelta(days=1)
    )
    return Client().post(
        path, body or {}, content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )  # fmt: skip


def open_challenges(pair: Pair) -> None:
    for one, other in ((pair.maker, pair.other), (pair.other, pair.maker)):
        with committing():
            offer = challenge_create(acting_user=one, **GAME)
        with pytest.raises(Exception, match=r"not-open|blocked"):
            challenge_accept(acting_user=other, challenge=offer)
        assert offer.get_absolute_url() not in signed(other).get("/lobby/").content.decode()


def pairing(pair: Pair) -> None:
    apart = pairs_apart([pair.maker.pk, pair.other.pk])
    assert apart == {(pair.maker.pk, pair.other.pk), (pair.other.pk, pair.maker.pk)}


def invitation_to_a_hosted_match(pair: Pair) -> None:
    with committing():
        made = hosted_create(
            acting_user=pair.other, first=pair.maker, second=pair.stage.ben, **GAME
        )
    assert not HostedMatch.objects.visible_to(pair.maker).exists()
    assert signed(pair.maker).get(made.get_absolute_url()).status_code == 404
    assert HostedMatch.objects.visible_to(pair.stage.ben).get() == made


def place_of_a_commentator(pair: Pair) -> None:
    play = started((pair.stage.ben, user_named("dora")))
    refused(
        "commentary.not-now", commentator_name, acting_user=pair.other, match_id=play.pk,
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
    challenge_to_the_maker, challenge_that_is_open, challenge_by_the_maker, challenge_by_the_api,
    rematch, open_challenges, pairing, invitation_to_a_hosted_match, place_of_a_commentator,
    request_to_run_a_season, message_of_a_season, note_beside_an_item, chat_and_comments,
    who_is_in_the_lobby,
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


# -- what the one who is blocked can tell by it ---------------------------------------------------

# Each row is asked twice, of two people who do not answer: ada, who has blocked orla, and zoe, who
# has not. What orla is told must be the same, but for the names and numbers.


def _challenge_answered(pair: Pair, user: User) -> Any:
    body = {"ruleset": "tetronogo", "variant": "standard", "opponent": user.username}
    return posted(pair.other, "/api/v1/challenges/", body)


def _challenge_page(pair: Pair, user: User) -> Any:
    body = {**OFFER, "open_to": "player", "opponent": user.username}
    return signed(pair.other).post("/challenges/new/", body, follow=True)


def _challenge_later(pair: Pair, user: User) -> Any:
    made = challenge_create(acting_user=pair.other, opponent=user, **GAME)
    return signed(pair.other).get(f"/api/v1{made.get_absolute_url()}")


def _challenge_lapsed(pair: Pair, user: User) -> Any:
    made = challenge_create(acting_user=pair.other, opponent=user, **GAME)
    assert challenges_expire(now=made.expires_at) == 1
    return signed(pair.other).get(f"/api/v1{made.get_absolute_url()}")


def _challenge_too_often(pair: Pair, user: User) -> Any:
    for _ in range(settings.GAUNTLET_CHALLENGES_TO_ONE_PER_HOUR):
        made = challenge_create(acting_user=pair.other, opponent=user, **GAME)
        challenge_cancel(acting_user=pair.other, challenge=made)
    return _challenge_answered(pair, user)


def _rematch_answered(pair: Pair, user: User) -> Any:
    play = started((user, pair.other))
    play.move(0, "concede", 5000)
    return posted(pair.other, f"/api/v1/matches/{play.pk}/rematch/")


def _rematch_page(pair: Pair, user: User) -> Any:
    play = started((user, pair.other))
    play.move(0, "concede", 5000)
    rematch_offer(acting_user=pair.other, match=play.match)
    return signed(pair.other).get(reverse("games:rematch", args=[play.pk]))


def _hosted_answered(pair: Pair, user: User) -> Any:
    made = hosted_create(acting_user=pair.other, first=user, second=pair.stage.ben, **GAME)
    return signed(pair.other).get(f"/api/v1/hosted/{made.pk}/")


def _commentator(pair: Pair, user: User) -> Any:
    # A place is taken at once, so it is refused: as for whoever may not write at present.
    play = started((pair.stage.ben, user_named(f"dora{user.pk}")))
    if user != pair.maker:
        user_mute(acting_user=User.objects.get(username="root"), user=user, reason="x", until=None)
    return posted(pair.other, f"/api/v1/matches/{play.pk}/commentary/", {"username": user.username})


def _asked_to_help(pair: Pair, user: User) -> Any:
    organiser_ask(
        acting_user=pair.other, season=pair.stage.season, user=user, role="helper",
        rights=["people"],
    )  # fmt: skip
    page = signed(pair.other).get(f"/seasons/{pair.stage.season.slug}/desk/organisers/")
    OrganiserInvitation.objects.all().delete()
    return page


#: With what is answered, so that two that are refused alike for another reason do not pass.
ACTS: tuple[tuple[Callable[[Pair, User], Any], int, str], ...] = (
    (_challenge_answered, 201, '"status":"open"'),
    (_challenge_page, 200, "Your challenge is out."),
    (_challenge_later, 200, '"status":"open"'),
    (_challenge_lapsed, 200, '"status":"expired"'),
    (_challenge_too_often, 429, "challenge.too-often"),
    (_rematch_answered, 201, '"status":"open"'),
    (_rematch_page, 200, "NAME"),
    (_hosted_answered, 200, '"status":"open"'),
    (_commentator, 409, "commentary.not-now"),
    (_asked_to_help, 200, "NAME"),
)


@pytest.mark.parametrize(
    ("act", "status", "words"), ACTS, ids=[each[0].__name__.strip("_") for each in ACTS]
)
def test_who_is_blocked_is_answered_as_whoever_is_not(
    act: Callable[[Pair, User], Any],
    status: int,
    words: str,
    pair: Pair,
    root: User,
    set_clock: Callable[[int], None],
) -> None:
    set_clock(5_000)
    zoe = user_named("zoe")
    told = []
    for user in (pair.maker, zoe):
        with committing():
            answer = act(pair, user)
        assert answer.status_code == status
        told.append(plain(answer.content.decode(), user))
        assert words in told[-1]
    assert told[0] == told[1]


def test_what_is_open_ends_when_any_would(pair: Pair) -> None:
    """A challenge that stands when its opponent blocks the challenger goes on standing."""
    Block.objects.all().delete()
    zoe = user_named("zoe")
    both = [
        challenge_create(acting_user=pair.other, opponent=user, **GAME)
        for user in (pair.maker, zoe)
    ]
    pair.again()
    client = signed(pair.other)
    told = [client.get(f"/api/v1{each.get_absolute_url()}").json() for each in both]
    assert [each["status"] for each in told] == ["open", "open"]
    assert challenges_expire(now=max(each.expires_at for each in both)) == 2
    assert {each["status"] for each in (
        client.get(f"/api/v1{one.get_absolute_url()}").json() for one in both
    )} == {"expired"}  # fmt: skip


def plain(text: str, user: User) -> str:
    """An answer without what differs between two people who have done nothing here."""
    text = re.sub(r'(csrfmiddlewaretoken" value=)"[^"]*"|nonce="[^"]*"', "", text)
    for name in (user.shown_name, user.username):
        text = re.sub(rf"\b{re.escape(name)}\b", "NAME", text)
    return re.sub(r"\d+", "0", text)


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
