"""Services that lock two or more rows, against each other and in both directions: nobody waits for
somebody who waits for them. And what is done where two do so all the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import psycopg
import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import RequestFactory, override_settings
from django.urls import ResolverMatch

from accounts.models import User
from accounts.moderation.merging import user_merge
from accounts.moderation.reports import report_file
from accounts.moderation.sanctions import user_suspend
from config.celery import app
from core import collisions
from core.refusals import Refusal
from games.models import Challenge
from games.services.challenges import challenge_accept, challenge_create
from games.sockets.executor import _with_connection
from script.lib.console import ROOT
from tests.games.support import started, user_named
from tests.games.test_races import Threads
from tests.support.sources import sources

Action = Callable[[User, User], object]


@pytest.fixture
def threads() -> Iterator[Threads]:
    threads = Threads(4)
    yield threads
    threads.close()


def challenge(one: User, other: User) -> object:
    return challenge_create(
        acting_user=one, opponent=other, ruleset_id="tetronogo", variant="standard"
    )


def accept(one: User, other: User) -> object:
    offered = Challenge.objects.filter(challenger=other, opponent=one, status="open").first()
    return offered and challenge_accept(acting_user=one, challenge=offered)


def report(one: User, other: User) -> object:
    return report_file(
        acting_user=one, target_type="accounts.user", target_id=other.username, reason="abuse",
        words="They shouted.",
    )  # fmt: skip


def merge(one: User, other: User) -> object:
    return user_merge(
        acting_user=User.objects.get(username="root"), keep=one, duplicate=other, reason="one"
    )


def suspend(one: User, other: User) -> object:
    return user_suspend(
        acting_user=User.objects.get(username="root"), user=one, reason="rude", until=None
    )


def play(one: User, other: User) -> object:
    return started((one, other))


ACTIONS: tuple[Action, ...] = (challenge, accept, report, merge, suspend, play)


@pytest.mark.django_db(transaction=True)
@override_settings(GAUNTLET_CHALLENGES_OPEN_AT_ONCE=1000)
def test_no_two_services_wait_for_each_other(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.create_superuser("root")
    number = 0

    def attempt(action: Action, one: User, other: User) -> str:
        try:
            action(one, other)
        except Refusal:
            return "refused"
        except Exception as error:  # noqa: BLE001  (whatever it is, it is told at the end)
            return f"{action.__name__}: {error!r}"
        return "done"

    answers: dict[str, list[str]] = {}
    for first, second in combinations_with_replacement(ACTIONS, 2):
        for _ in range(3):
            number += 1
            ada, ben = user_named(f"ada{number}"), user_named(f"ben{number}")
            for one, other in ((ada, ben), (ben, ada)):
                challenge(one, other)
            answers.setdefault(f"{first.__name__}/{second.__name__}", []).extend(
                threads.at_once(
                    [
                        partial(attempt, first, ada, ben),
                        partial(attempt, second, ben, ada),
                        partial(attempt, second, ada, ben),
                        partial(attempt, first, ben, ada),
                    ]
                )
            )
    waited = {
        pair: [answer for answer in found if answer not in ("done", "refused")]
        for pair, found in answers.items()
    }
    assert {pair: found for pair, found in waited.items() if found} == {}
    done = {pair for pair, found in answers.items() if "done" in found}
    assert done == set(answers), "pairs that did nothing at all prove nothing"


def test_every_lock_says_whether_it_takes_the_key() -> None:
    """`no_key=True`, unless the row is to be deleted."""
    silent = [
        f"{path.relative_to(ROOT)}: {found}"
        for path in sources()
        if "migrations" not in path.parts
        for found in re.findall(
            r"select_for_update\((?![^()]*no_key=)[^)]*\)|FOR UPDATE\b", path.read_text()
        )
    ]
    assert silent == []


# -- done once more ------------------------------------------------------------------------------


class Colliding:
    """A call that collides as often as it is told to, and counts."""

    def __init__(self, times: int, sqlstate: type[psycopg.Error]) -> None:
        self.times = times
        self.sqlstate = sqlstate
        self.calls = 0

    def __call__(self, *_: Any, **__: Any) -> HttpResponse:
        self.calls += 1
        if self.calls <= self.times:
            raise OperationalError("collided") from self.sqlstate()
        return HttpResponse("done")


def through_task(call: Colliding) -> object:
    task = app.task(name=f"tests.colliding-{id(call)}", shared=False)(call.__call__)
    return task()


def through_page(call: Colliding) -> object:
    """As Django's handler: the exception hook, and what it answers or the error."""
    request = RequestFactory().post("/x/", {"a": "b"})
    request.resolver_match = ResolverMatch(call, (), {})
    middleware = collisions.CollisionMiddleware(call)
    try:
        return call(request)
    except OperationalError as error:
        answer = middleware.process_exception(request, error)
        if answer is None:
            raise
        return answer


SURFACES = (_with_connection, through_task, through_page)


@pytest.mark.django_db(transaction=True)
def test_what_collided_is_done_once_more_on_every_surface() -> None:
    for surface in SURFACES:
        for kind in (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            once = Colliding(1, kind)
            assert surface(once) is not None
            assert once.calls == 2, surface
            twice = Colliding(2, kind)
            with pytest.raises(OperationalError):
                surface(twice)
            assert twice.calls == 2, surface
        # A lock that could not be had in time is no collision: trying again would double the wait.
        held = Colliding(1, psycopg.errors.LockNotAvailable)
        with pytest.raises(OperationalError):
            surface(held)
        assert held.calls == 1, surface
