"""What waits behind a row that somebody else holds is promised in time, done, and then answered."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet

from accounts.models import User
from games.models import Challenge, Match
from tests.discord.support import Guild, plain, said
from tests.discord.test_challenges import GAME
from tests.discord.test_seasons import choosing
from tests.games.support import started
from tests.support.site import wait_for
from tests.tournaments.support import account, episode_now, organiser_named, who
from tournaments.discord import answering
from tournaments.discord.fake.people import Answer
from tournaments.discord.fake.schemas import EPHEMERAL, LATER, LATER_UPDATE
from tournaments.jobs import DISCORD_FINISH
from tournaments.models import DeathMatch, Season

pytestmark = pytest.mark.django_db(transaction=True)

really_begun = answering._begun


@contextmanager
def held(rows: QuerySet[Any]) -> Iterator[None]:
    """Somebody else holds those rows."""
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                assert list(rows.select_for_update(no_key=False))
                taken.set()
                over.wait(30)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        assert taken.wait(10)
        try:
            yield
        finally:
            over.set()
            holding.result()


@pytest.fixture(autouse=True)
def hurried(guild: Guild, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Real threads, and Discord waits for a moment only."""
    monkeypatch.setattr(answering, "_begun", really_begun)
    monkeypatch.setattr(answering, "PATIENCE_S", 0.4)
    yield
    for pool in (answering._doing(), answering._telling()):
        # What is under way ends before the tables are emptied.
        barrier = threading.Barrier(answering.AWAITED_AT_ONCE + 1)
        for _ in range(answering.AWAITED_AT_ONCE):
            pool.submit(barrier.wait, 20)
        barrier.wait(20)


def kept(answer: Answer, words: str) -> None:
    """Wait until the promise is kept."""

    def there() -> bool:
        token = answer.token
        found = [] if token is None else [token.original, *token.follow_ups]
        return any(words in plain(each.body.get("content", "")) for each in found if each)

    wait_for(there, what=words)


def test_being_ready(guild: Guild, ada: User, ben: User) -> None:
    play = started((ada, ben), waits=True)
    with held(Match.objects.filter(pk=play.pk)):
        answers = [guild.ada.command("ready"), guild.ben.press(f"ready:{play.pk}")]
        for answer in answers:
            assert answer.body == {"type": LATER, "data": {"flags": EPHEMERAL}}
    wait_for(lambda: play.held.live.has_begun, what="the match")
    wait_for(lambda: len(guild.workers.of(DISCORD_FINISH)) == 2, what="two boards")
    guild.work()
    told = {plain(answer.original.body["content"]) for answer in answers}
    assert told == {"You are ready. It begins once both of you are.", "The match is on."}


def test_offering_a_match(guild: Guild, ada: User) -> None:
    with held(User.objects.filter(pk=ada.pk)):
        answer = guild.ada.command("challenge", game=GAME)
        assert answer.body == {"type": LATER, "data": {"flags": EPHEMERAL}}
        assert not Challenge.objects.exists()
    kept(answer, "**Ada** offers a match")
    assert answer.token is not None
    (public,) = answer.token.follow_ups
    assert not public.body.get("flags")
    accept, _page = public.body["components"][0]["components"]
    assert accept["custom_id"] == f"accept:{Challenge.objects.get().pk}"
    assert answer.original.body["flags"] == EPHEMERAL


def test_accepting_one(guild: Guild, ada: User) -> None:
    offer = guild.ada.command("challenge", game=GAME)
    accept = offer.original.body["components"][0]["components"][0]["custom_id"]
    with held(Challenge.objects.all()):
        own = guild.ada.press(accept, offer.original)
        answer = guild.ben.press(accept, offer.original)
        assert own.body == answer.body == {"type": LATER_UPDATE}
    kept(own, "You cannot accept your own challenge.")
    kept(answer, "**Ada** plays **Ben**.")
    # What is refused takes nobody's offer away.
    assert own.token is not None
    (refusal,) = own.token.follow_ups
    assert refusal.body["flags"] == EPHEMERAL
    assert "plays" in answer.original.body["content"]
    assert Match.objects.count() == 1


def test_the_choice(guild: Guild) -> None:
    season = choosing(organiser_named("orga"))
    candidate = guild.joined("Player 4", account(season, 4))
    number = episode_now(season).round.number
    with held(Season.objects.filter(pk=season.pk)):
        answer = candidate.press(f"chosen:{season.slug}:{number}:{who(season, 2).pk}")
        assert answer.body == {"type": LATER_UPDATE}
    kept(answer, "The choice is made.")
    assert DeathMatch.objects.get().away == who(season, 2)


def test_a_fault_of_ours_is_told(guild: Guild, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def fails(**_anything: Any) -> None:
        go_on.wait(10)
        raise ZeroDivisionError

    monkeypatch.setattr("tournaments.discord.commands.challenges.challenge_create", fails)
    answer = guild.ada.command("challenge", game=GAME)
    assert answer.body["type"] == LATER
    go_on.set()
    kept(answer, "Something went wrong on the site.")


def test_what_is_free_is_answered_at_once(guild: Guild) -> None:
    assert said(guild.ada.command("challenge", game=GAME)).startswith("**Ada** offers")
    assert said(guild.ada.command("ready")) == "No match waits for you to be ready."
