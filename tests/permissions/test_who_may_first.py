"""Whoever may not is told so before anything that they send is judged.

Every endpoint that takes a body is asked by those who may not, with an empty body and with one that
is at fault: both are refused alike. In a usual run those are somebody who only reads and two more,
in a whole one everybody.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import get_resolver, reverse

from core.api.bodies import NoBody, body_of
from core.api.views import ApiView
from tests.permissions.table import MANAGE, PERMISSIONS, PLACES, SIGNED_IN, Api, Permission
from tests.permissions.test_completeness import _methods, _views
from tests.permissions.test_matrix import expected
from tests.permissions.world import BECOME, Savepoint, Scene, Who, World
from tests.support import depth

pytestmark = pytest.mark.django_db

TAKING = {"POST", "PUT", "PATCH"}
EMPTY: dict[str, Any] = {}
FAULTY = {"nonsense": 1, "why": 5}
# Who may do some of what is asked for there, and not this: the body says which it is.
BY_BODY = {
    "api:season_steps": {Who.MODERATOR, Who.SEATED, Who.CO_ORGANISER},
    "api:death_match": {Who.FOR_MATCHES, Who.FOR_EPISODES},
    "api:death_match_result": {Who.FOR_MATCHES},
    "api:season_rounds": {Who.SEATED},
    "api:season_round_schedule": {Who.SEATED},
    "api:season_items": PLACES | {Who.ELIMINATED},
}
# Who may, but not as things stand: a conflict, which bodies come before.
BY_STATE = {
    "change what is archived": MANAGE,
    "withdraw oneself": {Who.ELIMINATED},
    "accept a challenge": {Who.CONTESTANT},
}
# What everybody may who is signed in.
EVERYBODYS = {
    ("api:challenges", "POST"), ("api:saved", "POST"), ("api:blocks", "POST"),
    ("api:seek", "POST"), ("api:practice", "POST"),
    ("api:puzzle_answers", "POST"), ("api:puzzle_solution", "POST"),
}  # fmt: skip
# Of those who have a link, of the two of a match that is no season's, and of who practises, which
# the world of seasons has none of: tests/pages/test_front_door.py, tests/pages/test_practice.py;
# and of who studies: tests/pages/test_study.py.
ELSEWHERE = {
    ("api:invite_accept", "POST"), ("api:rematch", "POST"), ("api:take_back", "POST"),
    ("api:study", "POST"), ("api:study_comments", "POST"),
}  # fmt: skip
ASKS = [
    (name, permission, ask)
    for name, permission in PERMISSIONS.items()
    for ask in permission.asks
    if isinstance(ask, Api) and ask.method.upper() in TAKING
]


def exempt(name: str, ask: Api) -> set[Who]:
    """Those about whom a body, or the state of things, decides."""
    return set(BY_BODY.get(ask.name, set()) | BY_STATE.get(name, set()))


def refused(name: str, permission: Permission, ask: Api) -> list[Who]:
    """Those who may not, whatever they send; whoever only reads comes first."""
    may = expected(permission, ask) | exempt(name, ask)
    return sorted(SIGNED_IN - may, key=lambda who: (who is not Who.PLAYER, who))


def answer_to(world: World, who: Who, method: str, path: str, body: Any) -> tuple[int, Any]:
    """Status and document of the answer; whatever is done is undone."""
    cache.clear()
    with Savepoint():
        answer = world.api.generic(
            method.upper(),
            path,
            json.dumps(body),
            "application/json",
            headers={"authorization": f"Bearer {world.token(who)}"},
        )
    world.api.cookies.clear()
    return answer.status_code, answer.json()


def answers(scene: Scene, who: Who, ask: Api) -> list[tuple[int, Any]]:
    """To an empty body and to one that is at fault, once somebody is made what they are called."""
    with Savepoint() if who in BECOME else nullcontext():
        scene.world.become(who, scene)
        path = reverse(ask.name, args=ask.args(scene))
        bodies = (EMPTY, FAULTY)
        return [answer_to(scene.world, who, ask.method, path, body) for body in bodies]


@pytest.mark.parametrize("scene", sorted({permission.scene for _, permission, _ in ASKS}))
def test_who_may_not_is_refused_whatever_they_send(scene: str, world: World) -> None:
    wrong = []
    here = world.scene(scene)
    for name, permission, ask in ASKS:
        everybody = refused(name, permission, ask) if permission.scene == scene else []
        for who in [*everybody[:1], *depth.some(everybody[1:], 2)]:
            to_empty, to_faulty = answers(here, who, ask)
            if to_empty[0] not in (403, 404) or to_faulty != to_empty:
                wrong.append((name, ask.name, who, to_empty, to_faulty))
    assert wrong == []


def test_nobody_is_left_out_for_no_reason(world: World) -> None:
    """About whom a body decides is told of its faults somewhere; whom the state of things stops, of
    that."""
    answered: dict[tuple[str, Who], set[int]] = {}
    for name, permission, ask in ASKS:
        for who in exempt(name, ask) - expected(permission, ask):
            _, (status, _) = answers(world.scene(permission.scene), who, ask)
            answered.setdefault((ask.name, who), set()).add(status)
    assert len(answered) > 8
    assert [each for each, statuses in answered.items() if not statuses & {400, 409}] == []


def test_accounts_with_a_role_become_no_bots(world: World) -> None:
    path = reverse("api:become_bot")
    for who in (Who.ORGANISER, Who.MODERATOR, Who.ADMIN):
        to_empty, to_faulty = (
            answer_to(world, who, "post", path, body) for body in (EMPTY, FAULTY)
        )
        assert (to_empty[0], to_empty[1]["code"]) == (403, "bot.privileged")
        assert to_faulty == to_empty


def test_every_endpoint_that_takes_a_body_is_asked() -> None:
    taking = {
        (name, method)
        for name, view, _ in _views(get_resolver().url_patterns)
        if name.startswith("api:")
        for method in _methods(view) & TAKING
    }
    assert len(taking) > 25
    asked = {
        (ask.name, ask.method.upper())
        for name, permission, ask in ASKS
        if refused(name, permission, ask)
    }
    assert taking - asked == EVERYBODYS | ELSEWHERE | {("api:become_bot", "POST")}


def test_a_view_that_does_not_say_who_may_judges_no_body() -> None:
    view = ApiView()
    view.request, view.kwargs = None, {}  # type: ignore[assignment]
    with pytest.raises(LookupError, match="who may write"):
        body_of(view, NoBody)
