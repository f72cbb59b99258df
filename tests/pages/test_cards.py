"""Cards of lists: made once for all who see the same, never told to those who do not."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from redis.exceptions import ConnectionError as CacheAwayError

from accounts.models import User
from games.models import Challenge, Match
from games.publishing.cards import card_of_challenge
from games.reading import selectors
from games.reading.versions import versions_of
from games.views import cards
from tests.games.support import Play, started, user_named
from tests.pages.support import challenge, conceded, finished_row, links, words

Visitor = Callable[..., Client]
ALONE = {"X-Fragment": "live"}
TEMPLATES = {
    "/": [
        "games/_featured_card.html",
        "games/_match_cards.html",
        "games/_challenge_cards.html",
        "games/_result_cards.html",
    ],
    "/lobby/": ["games/_featured_card.html", "games/_challenge_cards.html"],
    "/watch/": ["games/_featured_card.html", "games/_match_cards.html", "games/_result_cards.html"],
}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates of cards that were made, each time one was."""
    found: list[str] = []
    render = render_to_string

    def counted(template: str, context: dict[str, Any]) -> str:
        found.append(template)
        return render(template, context)

    monkeypatch.setattr(cards, "render_to_string", counted)
    return found


@pytest.fixture
def busy(ada: User, ben: User, cleo: User) -> Play:
    """Something of each kind is to be seen."""
    play = started((ada, ben))
    finished_row((ben, cleo))
    challenge(user_named("dora"), message="Anyone?")
    return play


def without_tokens(page: bytes) -> bytes:
    return re.sub(rb'(name="csrfmiddlewaretoken" value=)"[^"]*"', rb"\1", page)


# -- once ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", TEMPLATES)
def test_cards_are_made_once_for_all_who_see_the_same(
    address: str, visitor: Visitor, busy: Play, made: list[str], ada: User, mona: User
) -> None:
    visitor().get(address)
    assert sorted(made) == sorted(TEMPLATES[address])
    made.clear()
    visitor().get(address)
    visitor().get(address, headers=ALONE)
    assert made == []
    # Whoever has an account is offered something else, which is made once, too.
    for user in (ada, mona, *busy.players):
        visitor(user).get(address, headers=ALONE)
    assert made == [each for each in TEMPLATES[address] if "challenge" in each]


@pytest.mark.parametrize("address", TEMPLATES)
def test_cards_need_nothing_that_is_not_asked_for_at_once(
    address: str, nobody: Client, busy: Play, made: list[str]
) -> None:
    """What a card shows and a version does not hold would be read row by row."""
    waits = started((user_named("eva"), user_named("finn")), waits=True)
    assert waits.match.waits_until is not None
    Challenge.objects.update(advantage="challenger")
    for _ in range(3):
        finished_row(busy.players, winner=1)
    Match.objects.filter(pk=finished_row(busy.players).pk).update(winner=None, reason="ruling")
    with CaptureQueriesContext(connection) as queries:
        nobody.get(address, headers=ALONE)
    assert sorted(made) == sorted(TEMPLATES[address])
    # Versions before and after, the rows, the players of all matches, and how many there are for
    # the pages of replays.
    rows = len(TEMPLATES[address])
    assert len(queries) == 2 + rows + (address != "/lobby/") + (address == "/watch/")


def test_a_turn_changes_no_list_and_what_a_list_shows_does(
    play: Play, ada: User, ben: User, orla: User
) -> None:
    def version() -> str:
        return versions_of([selectors.matches_as_shown(selectors.matches_live(None))])[0]

    before = version()
    play.move(0, "pick T", 1000)
    assert version() == before
    play.act(orla, "pause", 1500)
    paused = version()
    play.act(orla, "resume", 2500)
    assert paused != before == version()
    started((ben, ada))
    assert version() not in (before, paused)


def shown(of: str) -> list[str]:
    """The columns that cards of matches or of challenges show."""
    return [name for name in getattr(selectors, of) if name not in ("pk", "challenger", "opponent")]


@pytest.mark.parametrize("name", [*shown("_OF_MATCHES")])
def test_each_value_on_a_card_of_a_match_is_held_by_its_version(
    name: str, ada: User, ben: User
) -> None:
    match = finished_row((ada, ben))
    rows = Match.objects.filter(pk=match.pk)
    before = versions_of([selectors.matches_as_shown(rows)])
    if name == "status":
        rows.update(status="running", winner=None, reason="", finished_at=None)
    elif name == "paused":
        rows.update(status="running", winner=None, reason="", finished_at=None)
        before = versions_of([selectors.matches_as_shown(rows)])
        rows.update(paused=True)
    else:
        new = {
            "ruleset": "domino-black-white", "variant": "other", "options": {"turn_time": 9},
            "source": "imported", "waits_until": 5, "unrated": "because", "late_s": 30, "winner": 1,
            "reason": "time", "scores": [1, 2], "created_at": ada.date_joined,
            "finished_at": ada.date_joined,
        }[name]  # fmt: skip
        if name == "waits_until":
            rows.update(winner=None, reason="ruling")
            before = versions_of([selectors.matches_as_shown(rows)])
        rows.update(**{name: new})
    assert versions_of([selectors.matches_as_shown(rows)]) != before


def test_names_on_cards_are_held_by_their_version(ada: User, ben: User) -> None:
    match = finished_row((ada, ben))
    rows = Match.objects.filter(pk=match.pk)
    before = versions_of([selectors.matches_as_shown(rows)])
    match.players.filter(seat=1).update(name="Benjamin")
    assert versions_of([selectors.matches_as_shown(rows)]) != before
    made = challenge(ada)
    offers = Challenge.objects.filter(pk=made.pk)
    seen = versions_of([selectors.challenges_as_shown(offers)])
    for change in ({"display_name": "A."}, {"username": "adele"}, {"is_bot": True}):
        User.objects.filter(pk=ada.pk).update(**change)
        now = versions_of([selectors.challenges_as_shown(offers)])
        assert now != seen
        seen = now


# -- at once ------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_many_who_come_at_a_change_one_makes_the_cards(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch, made: list[str]
) -> None:
    started((ada, ben))
    make = cards._make

    def slowly(request: Any, of: Mapping[int, cards.Cards]) -> dict[int, str]:
        time.sleep(0.3)
        return make(request, of)

    monkeypatch.setattr(cards, "_make", slowly)
    monkeypatch.setattr(cards, "WAIT_S", 60.0)
    many = 6
    barrier = threading.Barrier(many)

    def come(_: int) -> bytes:
        try:
            connection.ensure_connection()
            barrier.wait(60)
            return Client().get("/watch/", headers=ALONE).content
        finally:
            connection.close()

    with ThreadPoolExecutor(many) as pool:
        told = set(pool.map(come, range(many)))
    assert made.count("games/_match_cards.html") == 1
    assert len(told) == 1


def test_nobody_waits_for_one_who_is_gone(
    nobody: Client, busy: Play, monkeypatch: pytest.MonkeyPatch, made: list[str]
) -> None:
    monkeypatch.setattr(cards, "WAIT_S", 0.2)
    monkeypatch.setattr(cards, "_begin", lambda _key: False)
    assert f"/matches/{busy.pk}/" in links(nobody.get("/watch/"))
    assert sorted(made) == sorted(TEMPLATES["/watch/"])


def test_what_changes_while_cards_are_made_is_handed_out_and_not_kept(
    nobody: Client, busy: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = cards._make

    def interrupted(request: Any, of: Mapping[int, cards.Cards]) -> dict[int, str]:
        Match.objects.filter(pk=busy.pk).update(paused=True)
        return make(request, of)

    monkeypatch.setattr(cards, "_make", interrupted)
    assert "paused" in words(nobody.get("/watch/"))
    monkeypatch.setattr(cards, "_make", make)
    Match.objects.filter(pk=busy.pk).update(paused=False)
    assert "paused" not in words(nobody.get("/watch/"))


@pytest.mark.parametrize("address", TEMPLATES)
def test_lists_do_without_a_cache(
    address: str, visitor: Visitor, ada: User, busy: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = [visitor(), visitor(ada)]
    there = [without_tokens(client.get(address, headers=ALONE).content) for client in here]

    def away(*_args: Any, **_more: Any) -> Any:
        raise CacheAwayError

    for name in ("get_many", "set_many", "delete_many", "add"):
        monkeypatch.setattr(type(caches["default"]), name, away)
    for client, before in zip(here, there, strict=True):
        assert without_tokens(client.get(address, headers=ALONE).content) == before


# -- for whom -----------------------------------------------------------------------------------


def test_each_reader_gets_forms_with_a_token_of_their_own(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    # Words that look like the place of the token stay words.
    offered = challenge(ada, message='value="of-the-reader"')
    for user in (ben, cleo):
        client = visitor(user, enforce_csrf_checks=True)
        page = client.get("/lobby/", headers=ALONE).content.decode()
        assert "value=&quot;of-the-reader&quot;" in page
        tokens = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page))
        assert len(tokens) == 1
    address = f"/challenges/{offered.pk}/accept/"
    assert client.post(address, {"csrfmiddlewaretoken": "x" * 64}).status_code == 403
    assert client.post(address, {"csrfmiddlewaretoken": tokens.pop()}).status_code == 302
    assert Match.objects.get(challenge=offered).players.get(seat=1).user == cleo


@pytest.mark.parametrize("address", ["/", "/lobby/"])
def test_who_may_be_told_of_challenges_later_has_a_token_for_them(
    visitor: Visitor, ada: User, address: str
) -> None:
    client = visitor(ada)
    assert client.get(address, headers=ALONE).cookies["csrftoken"].value
    assert "csrftoken" not in Client().get(address, headers=ALONE).cookies


@pytest.mark.parametrize("known", [True, False])
def test_a_challenge_is_told_as_lists_show_it(
    visitor: Visitor, ada: User, ben: User, known: bool
) -> None:
    """To a reader with an account and to one without."""
    offered = challenge(ada, message="Anyone?", options={"turn_time": 7})
    client = visitor(ben) if known else Client()
    page = without_tokens(client.get("/lobby/", headers=ALONE).content).decode()
    card = without_tokens(card_of_challenge(offered, known=known).encode()).decode()
    assert card.startswith("<article")
    assert " ".join(card.split()) in " ".join(page.split())


def test_times_stand_in_the_readers_zone(visitor: Visitor, ada: User, ben: User) -> None:
    finished_row((ada, ben))
    User.objects.filter(pk=ada.pk).update(time_zone="Asia/Seoul")
    for user, zone, other in [(None, "UTC", "KST"), (ada, "KST", "UTC"), (ben, "UTC", "KST")]:
        fresh = user and User.objects.get(pk=user.pk)
        told = words(visitor(fresh).get("/watch/", headers=ALONE))
        assert zone in told
        assert other not in told


# -- to those who have them ----------------------------------------------------------------------


@pytest.mark.parametrize("who", [None, "ada"])
@pytest.mark.parametrize("address", TEMPLATES)
def test_whoever_has_the_lists_is_told_so(
    address: str, who: str | None, visitor: Visitor, ada: User, busy: Play
) -> None:
    client = visitor(ada if who else None)
    first = client.get(address, headers=ALONE)
    known = {**ALONE, "If-None-Match": first["ETag"]}
    again = client.get(address, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == first["Cache-Control"] == "private, no-cache"
    assert again["Vary"] == first["Vary"]
    challenge(user_named("gus"), message="Me, too")
    conceded(busy)
    fresh = client.get(address, headers=known)
    assert fresh.status_code == 200
    assert fresh["ETag"] != first["ETag"]
    assert client.get(address, headers=ALONE)["ETag"] == fresh["ETag"]


def test_forms_of_an_earlier_sign_in_are_not_the_ones_of_now(
    visitor: Visitor, ada: User, busy: Play
) -> None:
    """Their token is good for nothing any more."""
    one, two = visitor(ada), visitor(ada)
    tag = one.get("/lobby/", headers=ALONE)["ETag"]
    assert one.get("/lobby/", headers={**ALONE, "If-None-Match": tag}).status_code == 304
    assert two.get("/lobby/", headers={**ALONE, "If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("address", TEMPLATES)
def test_a_page_is_not_known_by_the_tag_of_its_part(
    address: str, nobody: Client, busy: Play
) -> None:
    tag = nobody.get(address, headers=ALONE)["ETag"]
    assert nobody.get(address, headers={"If-None-Match": tag}).status_code == 200
