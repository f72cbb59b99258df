"""Matches over HTTP."""

from __future__ import annotations

import json
import random
from typing import Any, TypeAlias
from unittest.mock import ANY

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from core.api.problems import title_of
from games.engine import records
from games.models import MatchEntry
from games.rulesets import REGISTRY
from tests.games.support import Play, committing, nothing_changes, placing, started

PROBLEM = "application/problem+json"
# The test client's answers have attributes that the type checker keeps apart from the real ones.
Answer: TypeAlias = HttpResponse | Any


def signed_in(user: User, *, csrf: bool = False) -> Client:
    client = Client(enforce_csrf_checks=csrf)
    client.force_login(user)
    return client


def address(name: str, match: int) -> str:
    return reverse(f"api:{name}", args=[match])


def post(client: Client, match: int, body: Any, **more: Any) -> Answer:
    """Post JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body)
    arguments = {"content_type": "application/json", **more}
    with committing():
        answer: Answer = client.post(address("submissions", match), data, **arguments)
    return answer


def move(text: str, client_id: str = "a", version: int = 1) -> dict[str, Any]:
    return {"id": client_id, "text": text, "version": version}


def is_problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """A problem document with that code."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == PROBLEM
    body: dict[str, Any] = json.loads(answer.content)
    assert body["code"] == code
    assert body["status"] == status
    assert body["title"] == title_of(code)
    assert body["sentence"]
    return body


# -- looking -------------------------------------------------------------------------------------


def test_a_match_as_each_may_see_it(play: Play, ada: User, ben: User, cleo: User) -> None:
    play.move(0, "pick T", 1)
    expected = {ada: (0, "pick T"), ben: (1, None), cleo: (None, None), None: (None, None)}
    for user, (you, sealed) in expected.items():
        client = Client() if user is None else signed_in(user)
        answer = client.get(address("match", play.pk))
        assert answer.status_code == 200
        assert answer["Content-Type"] == "application/json"
        assert answer["Cache-Control"] == "private, no-cache"
        assert "Cookie" in answer["Vary"]
        again = client.get(address("match", play.pk), headers={"If-None-Match": answer["ETag"]})
        assert (again.status_code, again["Cache-Control"]) == (304, "private, no-cache")
        sync = answer.json()
        assert (sync["type"], sync["you"], sync["version"]) == (
            "sync",
            you,
            2 if user == ada else 1,
        )
        assert sync["view"]["decisions"][0].get("sealed") == sealed


@pytest.mark.parametrize("name", ["match", "match_log", "match_chat"])
def test_what_differs_by_reader_is_kept_by_no_cache_but_theirs(
    play: Play, ada: User, ben: User, name: str
) -> None:
    """During the match and after it, and where nothing is new: a cache between us and two readers
    could give one what the other may see."""
    play.move(0, "pick T", 1)
    for phase in ("on", "over"):
        tags = set()
        for client in (Client(), signed_in(ada), signed_in(ben)):
            answer = client.get(address(name, play.pk))
            again = client.get(address(name, play.pk), headers={"If-None-Match": answer["ETag"]})
            assert (answer.status_code, again.status_code) == (200, 304), phase
            for each in (answer, again):
                assert each["Cache-Control"] == "private, no-cache"
                assert {"Authorization", "Cookie"} <= set(each["Vary"].split(", "))
            tags.add(answer["ETag"])
        assert len(tags) == 3 or name == "match_chat"
        if phase == "on":
            play.move(1, "concede", 2)


def test_what_is_known_is_not_sent_again(play: Play, ada: User, ben: User) -> None:
    first, second = signed_in(ada), signed_in(ben)
    tags = [client.get(address("match", play.pk))["ETag"] for client in (first, second)]

    def again(client: Client, tag: str) -> int:
        answer = client.get(address("match", play.pk), headers={"If-None-Match": tag})
        assert (answer.content == b"") == (answer.status_code == 304)
        return int(answer.status_code)

    assert again(first, tags[0]) == 304
    assert again(first, tags[0].removeprefix("W/")) == 304
    assert again(first, f'"other", {tags[0]}') == 304
    assert again(first, tags[1]) == 200  # what another reader may see is another thing
    play.move(0, "pick T", 1)
    assert again(first, tags[0]) == 200
    assert again(second, tags[1]) == 304  # nothing that is Ben's business has changed
    play.move(1, "pick L", 2)
    assert again(second, tags[1]) == 200


def test_looking_costs_the_same_however_long_the_match(
    ada: User, ben: User, rng: random.Random, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    play = placing(started((ada, ben)))
    client = Client()
    # Who they are, the version, the mark of what is kept, then the row, its players with their
    # users, the log; where something was kept of an earlier version, the mark once more.
    for cost in (6, 7, 7):
        with django_assert_num_queries(cost):
            match = client.get(address("match", play.pk)).json()
        assert match["log"]
        # Whoever comes after them.
        with django_assert_num_queries(3):
            assert client.get(address("match", play.pk)).json() == {**match, "at": ANY}
        for at in range(10):
            seat = next(seat for seat in (0, 1) if play.decision(seat))
            play.move(seat, play.random_move(seat, rng.random), 5_000 + at)


@pytest.mark.parametrize("name", ["match", "submissions", "record"])
@pytest.mark.parametrize("match", [404, 2**63, 2**80])
def test_there_is_no_such_match(name: str, match: int, ada: User) -> None:
    client = signed_in(ada)
    path = address(name, match)
    answer = post(client, match, move("pick T")) if name == "submissions" else client.get(path)
    is_problem(answer, 404, "match.none")


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("match", "post"), ("match", "delete"), ("record", "post"), ("record", "put"),
        ("submissions", "get"), ("submissions", "put"), ("submissions", "patch"),
    ],
)  # fmt: skip
def test_other_methods(name: str, method: str, play: Play, ada: User) -> None:
    answer = signed_in(ada).generic(
        method.upper(), address(name, play.pk), "{}", content_type="application/json"
    )
    is_problem(answer, 405, "request.method-not-allowed")
    assert answer["Allow"]


# -- submitting ----------------------------------------------------------------------------------


def test_a_submission_and_its_resend(play: Play, ada: User) -> None:
    client = signed_in(ada)
    answer = post(client, play.pk, move("pick T", "one"))
    assert answer.status_code == 201
    ack = json.loads(answer.content)
    entry = MatchEntry.objects.get(match=play.pk)
    assert ack == {"type": "ack", "id": "one", "match": play.pk, "version": 2, "at": entry.at}
    assert (entry.client_id, entry.by, entry.submitted) == ("one", ada, "pick T")
    with nothing_changes():
        again = post(client, play.pk, move("pick T", "one"))
    assert (again.status_code, json.loads(again.content)) == (200, ack)


def test_sockets_and_http_share_their_ids(play: Play, ada: User) -> None:
    play.submit(0, "pick T", 1, client_id="one")
    assert post(signed_in(ada), play.pk, move("pick T", "one")).status_code == 200


def test_refusals(play: Play, ada: User, cleo: User) -> None:
    client = signed_in(ada)

    def refused(status: int, code: str, body: Any, who: Client = client) -> dict[str, Any]:
        with nothing_changes():
            problem = is_problem(post(who, play.pk, body), status, code)
        assert problem.get("squares") != [], "there only where there are some"
        return problem

    refused(409, "notation.tetromino", move("pick X"))
    refused(409, "notation.unreadable", move(" . "))
    refused(409, "version.ahead", move("pick T", version=2))
    refused(409, "version.stale", move("pick T", version=0))
    refused(400, "frame.malformed", move("pick T", "not an id"))
    refused(403, "seat.none", move("pick T"), signed_in(cleo))
    refused(401, "request.not-authenticated", move("pick T"), Client())
    play.move(0, "pick T", 1)
    refused(409, "decision.sealed", move("pick L", version=2))
    play.move(1, "concede", 2)
    refused(409, "match.over", move("pick L", version=2))


def test_a_closed_account_is_nobody(play: Play, ada: User) -> None:
    client = signed_in(ada)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    is_problem(post(client, play.pk, move("pick T")), 401, "request.not-authenticated")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b'"pick T"', b"17", b"\xff\xfe", b"[" * 10_000,
        b'{"id": "a", "text": "pick T", "version": NaN}',
        {}, {"id": "a"}, move(""), move("pick T", ""), move("pick T", "x" * 65),
        {**move("pick T"), "version": "one"}, {**move("pick T"), "version": None},
        {**move("pick T"), "version": -1}, {**move("pick T"), "version": 2**70},
        {**move("pick T"), "version": 1.5}, {**move("pick T"), "version": True},
        {**move("pick T"), "text": ["pick T"]}, {**move("pick T"), "text": {"a": 1}},
        {**move("pick T"), "text": None}, {**move("pick T"), "id": None},
        move("pick \x00T"), move("pick \ud800"), move("x" * 2001),
    ],
)  # fmt: skip
def test_bodies_that_are_no_submission(play: Play, ada: User, body: Any) -> None:
    with nothing_changes():
        answer = post(signed_in(ada), play.pk, body)
    assert answer.status_code == 400
    assert answer["Content-Type"] == PROBLEM
    assert json.loads(answer.content)["code"] in ("request.invalid", "request.parse-error")


def test_a_body_that_is_too_large(play: Play, ada: User) -> None:
    with nothing_changes():
        for size in (17_000, 5_000_000):
            answer = post(signed_in(ada), play.pk, {**move("pick T"), "more": "x" * size})
            is_problem(answer, 413, "request.too-large")


def test_what_a_message_may_have_is_set_in_one_place(play: Play, ada: User, settings: Any) -> None:
    """The sockets' frames have the same limit; see test_bad_frames."""
    settings.GAUNTLET_MESSAGE_MAX_BYTES = 2048
    answer = post(signed_in(ada), play.pk, {**move("pick T"), "more": "x" * 2048})
    is_problem(answer, 413, "request.too-large")
    assert "at most 2 KiB" in answer.content.decode()


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "?"],
)
def test_only_json_is_taken(play: Play, ada: User, kind: str) -> None:
    answer = post(signed_in(ada), play.pk, b"id=a&text=pick+T&version=1", content_type=kind)
    is_problem(answer, 415, "request.unsupported-media-type")


def test_only_what_can_be_asked_for(play: Play) -> None:
    answer = Client().get(address("match", play.pk), headers={"Accept": "text/csv"})
    is_problem(answer, 406, "request.not-acceptable")


def test_sessions_need_a_token_against_forged_requests(play: Play, ada: User) -> None:
    client = signed_in(ada, csrf=True)
    with nothing_changes():
        is_problem(post(client, play.pk, move("pick T")), 403, "request.permission-denied")
    token = "x" * 32
    client.cookies["csrftoken"] = token
    answer = post(client, play.pk, move("pick T"), headers={"X-CSRFToken": token})
    assert answer.status_code == 201


@pytest.mark.usefixtures("within_a_minute")
def test_too_many_submissions(play: Play, ada: User, ben: User, settings: Any) -> None:
    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "play": 2}
    client = signed_in(ada)
    for _ in range(2):
        is_problem(post(client, play.pk, move("pick X")), 409, "notation.tetromino")
    answer = post(client, play.pk, move("pick X"))
    problem = is_problem(answer, 429, "request.throttled")
    assert 0 < problem["retry_after"] <= 60
    assert int(answer["Retry-After"]) == problem["retry_after"]
    assert post(signed_in(ben), play.pk, move("pick T")).status_code == 201


# -- records -------------------------------------------------------------------------------------


def test_a_record_once_the_match_is_over(play: Play, ada: User) -> None:
    path = address("record", play.pk)
    for client in (Client(), signed_in(ada)):
        is_problem(client.get(path), 409, "match.not-over")
    play.move(0, "concede", 1)
    for accept in ("*/*", "application/json", records.MEDIA_TYPE):
        answer = Client().get(path, headers={"Accept": accept})
        assert answer.status_code == 200
        assert answer["Content-Type"] == records.MEDIA_TYPE
        assert f'match-{play.pk}.dmr.json"' in answer["Content-Disposition"]
        assert records.check(REGISTRY, answer.content)["ok"]
