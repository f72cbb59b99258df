"""Quick pairing: waiting, being paired, leaving; over services, pages and the API."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts.blocking.services import block_create
from accounts.models import AuditEntry, User
from accounts.moderation.sanctions import user_suspend
from accounts.services import user_close
from core.clock import now_ms
from core.refusals import Refusal
from games import tasks
from games.models import Match, Seek
from games.options.terms import CASUAL
from games.ratings.models import OVERALL, Rating, RatingLadder
from games.rulesets import REGISTRY
from games.services.seeks import (
    LEAVES_AFTER_S,
    quick_paces,
    seek_cancel,
    seek_create,
    seek_leave,
    seek_look,
    seek_pair,
    seeks_expire,
)
from tests.games.support import T0, Wire, committing, refused, started, user_named
from tests.games.test_races import Threads

pytestmark = pytest.mark.django_db

DRAWS = random.Random(20).random
AWAY = 1000 * settings.GAUNTLET_SEEK_AWAY_SECONDS


def seek(user: User, at: int = 0, **more: Any) -> Seek:
    wanted = {"pace_id": "normal", "ruleset_id": "tetronogo", "variant": "standard", **more}
    return seek_create(acting_user=user, at=T0 + at, **wanted)


def pair(at: int = 1) -> int:
    with committing():
        return seek_pair(now=T0 + at, random=DRAWS)


def signed(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.signin.backends.NameBackend")
    return client


def test_two_are_paired_and_both_are_told(ada: User, ben: User, wire: Wire) -> None:
    seek(ada)
    seek(ben, 1)
    assert pair(2) == 1
    match = Match.objects.get()
    assert [player.user for player in match.players.order_by("seat")] == [ada, ben]
    assert (match.ruleset, match.options, match.unrated) == ("tetronogo", {}, "")
    assert match.waits_until is not None, "it begins when both are there"
    told = [to for to, frame in wire.frames("match.started") if frame["match"] == match.pk]
    assert {f"user.{ada.pk}", f"user.{ben.pk}", "lobby"} <= set(told)
    for user in (ada, ben):
        found = seek_look(acting_user=user, at=T0 + 3)
        assert found is not None
        assert found.match == match
        refused("seek.paired", seek_cancel, acting_user=user)
    audit = AuditEntry.objects.get(action="seek.pair")
    assert (audit.who, audit.data) == (None, {"users": [ada.pk, ben.pk]})
    assert pair(3) == 0


def test_a_casual_pair_plays_for_no_rating(ada: User, ben: User) -> None:
    for user in (ada, ben):
        seek(user, rated=False, pace_id="blitz")
    assert pair() == 1
    match = Match.objects.get()
    assert match.unrated == CASUAL
    assert match.options["turn_time"] == 20


def test_any_game_is_drawn_where_both_would_play_any(ada: User, ben: User) -> None:
    for user in (ada, ben):
        seek(user, ruleset_id="", variant="")
    assert pair() == 1
    assert Match.objects.get().ruleset in {ruleset.id for ruleset in REGISTRY}


def test_one_row_for_each_person_whatever_they_have_open(ada: User, ben: User) -> None:
    first = seek(ada)
    again = seek(ada, 5_000)
    assert (again.pk, again.since) == (first.pk, T0), "they keep their place"
    assert again.until == T0 + 5_000 + AWAY
    other = seek(ada, 6_000, rated=False)
    assert (other.since, other.rated) == (T0 + 6_000, False)
    assert list(Seek.objects.all()) == [other]
    assert pair(7_000) == 0, "nobody is paired with themselves"
    with pytest.raises(IntegrityError), transaction.atomic():
        Seek.objects.create(user=ada, pace="normal", rating=1, since=1, until=2)


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("setup.ruleset", {"ruleset_id": "tictactoe"}),
        ("setup.variant", {"variant": "final"}),
        ("seek.pace", {"pace_id": "daily"}),
        ("seek.pace", {"pace_id": "x"}),
    ],
)
def test_what_nobody_can_wait_for(ada: User, code: str, change: dict[str, Any]) -> None:
    refused(code, seek, user=ada, **change)
    assert not Seek.objects.exists()


def test_the_paces_are_those_of_matches_to_sit_through() -> None:
    assert [each.id for each in quick_paces()] == ["blitz", "normal", "easy"]


def test_who_cannot_play_cannot_wait(ada: User, ben: User, mona: User) -> None:
    seek(ben)
    with committing():
        user_suspend(acting_user=mona, user=ben, reason="Shouting.", until=None)
    assert not Seek.objects.exists(), "a suspension takes them out"
    refused("seek.suspended", seek, user=ben)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    refused("seek.account-closed", seek, user=ada)


def test_a_closed_account_waits_no_longer(ada: User, root: User) -> None:
    seek(ada)
    with committing():
        user_close(acting_user=root, user=ada, reason="Asked to.")
    assert not Seek.objects.exists()


def test_whoever_sits_in_a_match_at_a_live_pace_is_not_paired(
    ada: User, ben: User, cleo: User
) -> None:
    seek(ada)
    seek(cleo)
    started((ada, ben))
    assert pair() == 0, "it began while they waited"
    refused("seek.playing", seek, user=ben)
    slow = user_named("slow")
    started((slow, ben), options={"turn_time": 7200})
    seek(slow)
    assert pair() == 1, "a slow match is no reason to wait"


def test_nobody_is_paired_with_somebody_blocked_either_way(
    ada: User, ben: User, cleo: User
) -> None:
    block_create(acting_user=ben, user=ada)
    for user in (ada, ben):
        seek(user)
    assert pair(120_000 - 100_000) == 0
    for user in (ada, ben):
        seek_look(acting_user=user, at=T0 + 60_000)
    assert pair(70_000) == 0, "however long they wait"
    seek(cleo, 70_000)
    assert pair(70_001) == 1
    assert {player.user for player in Match.objects.get().players.all()} == {ada, cleo}


def test_the_nearest_in_rating_comes_first(ada: User, ben: User, cleo: User) -> None:
    for ladder in ("tetronogo", OVERALL):
        RatingLadder.objects.create(id=ladder, method="x")
    for user, mu in ((ada, 30.0), (ben, 20.0), (cleo, 28.0)):
        Rating.objects.create(
            user=user, ladder_id="tetronogo", mu=mu, sigma=2, shown=1000, games=9, wins=1,
            peak=1000, last_played="2026-01-01T00:00Z",
        )  # fmt: skip
        seek(user)
    assert Seek.objects.get(user=ada).rating == 1650
    assert pair() == 1
    assert {player.user for player in Match.objects.get().players.all()} == {ada, cleo}


def test_whose_page_has_gone_waits_no_longer(ada: User, ben: User) -> None:
    seek(ada)
    seek(ben, AWAY)
    assert pair(AWAY) == 0
    assert seek_look(acting_user=ada, at=T0 + AWAY) is None
    assert seeks_expire(now=T0 + AWAY) == 1
    assert [each.user for each in Seek.objects.all()] == [ben]
    refused("seek.none", seek_cancel, acting_user=ada)


def test_a_page_that_is_left_is_believed_after_a_few_seconds(ada: User) -> None:
    seek(ada)
    seek_leave(acting_user=ada, at=T0 + 1_000)
    left = 1_000 + 1_000 * LEAVES_AFTER_S
    assert seek_look(acting_user=ada, at=T0 + left - 1) is not None, "it was loaded again"
    seek_leave(acting_user=ada, at=T0 + left)
    assert seek_look(acting_user=ada, at=T0 + left + 1_000 * LEAVES_AFTER_S) is None
    seek_leave(acting_user=user_named("nobody"), at=T0)


def test_a_worker_pairs_and_forgets(ada: User, ben: User) -> None:
    for user in (ada, ben):
        seek_create(acting_user=user, pace_id="normal", ruleset_id="tetronogo", variant="standard")
    gone = seek(user_named("gone"), -1_000_000_000)
    gone.until = now_ms() - 1
    gone.since = gone.until - 1
    gone.save()
    with committing():
        tasks.pair()
    assert Match.objects.count() == 1
    assert not Seek.objects.filter(pk=gone.pk).exists()


# -- at once -------------------------------------------------------------------------------------


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


@pytest.mark.django_db(transaction=True)
def test_whoever_pairs_at_the_same_moment_pairs_nobody_twice(threads: Threads) -> None:
    people = [user_named(f"person{number}") for number in range(8)]
    for number, user in enumerate(people):
        seek(user, number)
    done = threads.at_once([lambda: seek_pair(now=T0 + 100)] * 4)
    while Seek.objects.filter(match=None).exists():  # what was passed over as it was in hand
        done.append(seek_pair(now=T0 + 100))
    assert not [each for each in done if isinstance(each, Refusal)]
    assert sum(done) == Match.objects.count() == 4
    seats = [player.user for match in Match.objects.all() for player in match.players.all()]
    assert len(seats) == len(people)
    assert set(seats) == set(people)


@pytest.mark.django_db(transaction=True)
def test_a_cancel_and_a_pairing_at_the_same_moment(threads: Threads) -> None:
    for round_ in range(3):
        ada, ben = user_named(f"ada{round_}"), user_named(f"ben{round_}")
        for user in (ada, ben):
            seek(user, round_)
        answers = threads.at_once(
            [partial(seek_cancel, acting_user=ada), lambda: seek_pair(now=T0 + 100)]
        )
        cancelled, begun = answers
        if isinstance(cancelled, Refusal):
            assert (cancelled.code, begun) == ("seek.paired", 1)
        else:
            assert (begun, Seek.objects.filter(user=ada).count()) == (0, 0)
        Seek.objects.filter(user=ben).delete()


@pytest.mark.django_db(transaction=True)
def test_two_tabs_at_the_same_moment_are_one(threads: Threads) -> None:
    ada = user_named("ada")
    found = threads.at_once([lambda: seek(ada)] * 4)
    assert len({each.pk for each in found}) == 1
    connection.close()


# -- pages ---------------------------------------------------------------------------------------


def form(**more: str) -> dict[str, str]:
    return {"game": "tetronogo/standard", "pace": "normal", "rated": "rated", **more}


def test_pages_without_scripts(ada: User, ben: User, client: Client) -> None:
    hers, his = signed(ada), signed(ben)
    page = hers.get("/lobby/").content.decode()
    assert "Find an opponent" in page
    assert hers.post("/lobby/seek/", form(rated="casual")).headers["Location"] == "/lobby/"
    page = hers.get("/lobby/").content.decode()
    assert "Waiting for an opponent" in page
    assert "Tetronogo, by the book, casual" in page
    assert "Look again" in page
    assert hers.get("/lobby/seek/").json()["match"] is None
    with committing():
        answer = his.post("/lobby/seek/", form(rated="casual"))
    match = Match.objects.get()
    assert answer.headers["Location"] == match.get_absolute_url(), "taken there at once"
    assert hers.get("/lobby/seek/").json() == {
        "waiting": None, "match": match.get_absolute_url(),
    }  # fmt: skip
    page = hers.get("/lobby/").content.decode()
    assert f'href="{match.get_absolute_url()}">Go to the match' in page
    assert hers.post("/lobby/seek/cancel/").headers["Location"] == match.get_absolute_url()


def test_cancelling_on_the_page(ada: User) -> None:
    hers = signed(ada)
    hers.post("/lobby/seek/", form())
    assert hers.post("/lobby/seek/cancel/", {"leaving": "1"}).status_code == 204
    assert Seek.objects.get().until < now_ms() + 1000 * (LEAVES_AFTER_S + 1)
    assert hers.post("/lobby/seek/cancel/").headers["Location"] == "/lobby/"
    assert not Seek.objects.exists()
    assert hers.get("/lobby/seek/").json() == {"waiting": None, "match": None}
    assert hers.post("/lobby/seek/", {"game": "x"}).status_code == 400
    assert hers.get("/lobby/?game=tetronogo/standard").content.decode().count("checked") == 3


def test_nobody_is_sent_to_sign_in(client: Client) -> None:
    assert "Sign in and play" in client.get("/lobby/").content.decode()
    answer = client.post("/lobby/seek/", form())
    assert answer.headers["Location"].startswith("/accounts/login/")


# -- over the API --------------------------------------------------------------------------------


def test_programs_wait_too(ada: User, ben: User, client: Client) -> None:
    hers, his = signed(ada), signed(ben)
    assert hers.get("/api/v1/seek/").status_code == 404
    wanted = {"ruleset": "tetronogo", "variant": "standard", "rated": False}
    made = hers.post("/api/v1/seek/", wanted, content_type="application/json")
    assert made.status_code == 200
    assert made.json().items() >= {**wanted, "pace": "normal", "match": None}.items()
    with committing():
        paired = his.post("/api/v1/seek/", wanted, content_type="application/json").json()
    match = Match.objects.get()
    assert paired["match"] == hers.get("/api/v1/seek/").json()["match"] == match.pk
    assert hers.delete("/api/v1/seek/").json()["code"] == "seek.paired"
    Seek.objects.all().delete()
    Match.objects.update(waits_until=None)
    cleo = signed(user_named("cleo"))
    cleo.post("/api/v1/seek/", {}, content_type="application/json")
    assert cleo.delete("/api/v1/seek/").status_code == 204
    assert cleo.delete("/api/v1/seek/").status_code == 404
    assert client.post("/api/v1/seek/").status_code == 401


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"ruleset": "tictactoe"}, "ruleset", "setup.ruleset"),
        ({"ruleset": "tetronogo", "variant": "final"}, "variant", "setup.variant"),
        ({"variant": "final"}, "variant", "setup.variant"),
        ({"pace": "daily"}, "pace", "seek.pace"),
    ],
)
def test_a_body_at_fault(ada: User, body: dict[str, Any], field: str, code: str) -> None:
    answer = signed(ada).post("/api/v1/seek/", body, content_type="application/json")
    assert answer.status_code == 400
    assert [each["code"] for each in answer.json()["fields"][field]] == [code]


def test_one_sees_nobodys_but_ones_own(ada: User, ben: User) -> None:
    seek_create(acting_user=ada, pace_id="normal")
    assert signed(ben).get("/api/v1/seek/").status_code == 404
    assert "Waiting for an opponent" not in signed(ben).get("/lobby/").content.decode()
