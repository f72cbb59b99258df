"""Predictions: who makes them and until when, who is told how many, and who was right."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from accounts.moderation.merging import user_merge
from core.refusals import Refusal
from games.models import Prediction
from games.reading.predicted import tally_of
from games.reading.shared import room_view
from games.services import predictions
from games.services.predictions import (
    LEAST_MS,
    LINES,
    is_open,
    prediction_make,
    predictions_of,
    predictions_tell,
)
from games.services.waking import match_wake
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    nothing_changes,
    placing,
    refused,
    started,
    user_named,
)

SetClock = Callable[[int], None]
LATER = LEAST_MS + 60 * SECOND


def predict(play: Play, user: User, seat: int, at: int = 0) -> dict[str, Any]:
    with committing():
        return prediction_make(acting_user=user, match_id=play.pk, seat=seat, at=T0 + at)


def lines_of(play: Play) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = room_view(play.pk).plain(at=T0, organise=False)["log"]
    return log


def under_way(play: Play) -> None:
    """Play until the room has read six lines."""
    placing(play)
    draw, at = random.Random(3).random, 4 * SECOND
    while len(lines_of(play)) < LINES:
        seat = next(s for s in (0, 1) if play.decision(s) is not None)
        play.move(seat, play.random_move(seat, draw), at)
        at += SECOND
    assert not play.match.is_over


def test_whoever_watches_predicts_and_thinks_better_of_it(
    play: Play, cleo: User, mona: User
) -> None:
    told = predict(play, cleo, 0)
    assert told == {
        "match": play.pk, "open": True, "counts": [1, 0], "may": True, "yours": 0, "right": None,
    }  # fmt: skip
    assert predict(play, mona, 1)["counts"] == [1, 1]
    assert predict(play, cleo, 1, SECOND)["counts"] == [0, 2]
    row = Prediction.objects.get(user=cleo)
    assert (row.seat, row.at) == (1, T0 + SECOND)
    told = predictions_of(match=play.match, user=None, at=T0)
    assert (told["counts"], told["may"], told["yours"]) == ([0, 2], False, None)


def test_who_does_not_predict(play: Play, ada: User, orla: User, cleo: User) -> None:
    refused("prediction.player", predict, play=play, user=ada, seat=0)
    refused("prediction.organiser", predict, play=play, user=orla, seat=0)
    refused("prediction.seat", predict, play=play, user=cleo, seat=2)
    refused(
        "match.none", prediction_make, acting_user=cleo, match_id=77, seat=0, at=T0
    )  # fmt: skip


def test_they_close_with_the_sixth_line_once_two_minutes_have_passed(
    play: Play, cleo: User
) -> None:
    first = int(lines_of(play)[0]["at"]) - T0 if lines_of(play) else None
    predict(play, cleo, 0, LATER)  # long after it began, and nothing has happened yet
    under_way(play)
    first = int(lines_of(play)[0]["at"]) - T0
    predict(play, cleo, 1, first + LEAST_MS - 1)
    refused("prediction.closed", predict, play=play, user=cleo, seat=0, at=first + LEAST_MS)
    assert Prediction.objects.get().seat == 1
    assert not predictions_of(match=play.match, user=cleo, at=T0 + LATER)["open"]


def test_what_is_secret_closes_nothing(ada: User, ben: User) -> None:
    """A pick that nobody is told of is no line of the room's log."""
    one, two = started((ada, ben)), started((ada, ben))
    one.move(0, "pick T", SECOND)
    for at in (0, LEAST_MS, LATER):
        assert is_open(room_view(one.pk), at=T0 + at) == is_open(room_view(two.pk), at=T0 + at)


def test_they_are_open_while_a_match_waits_and_closed_when_it_is_over(
    ada: User, ben: User, cleo: User
) -> None:
    waiting = started((ada, ben), waits=True)
    predict(waiting, cleo, 0)
    with committing():
        match_wake(match_id=waiting.pk, at=waiting.match.wake_at or 0)
    assert waiting.match.is_over
    refused("prediction.closed", predict, play=waiting, user=cleo, seat=1)


def test_players_are_told_after_the_end(play: Play, ada: User, cleo: User, mona: User) -> None:
    predict(play, cleo, 1)
    predict(play, mona, 0)
    refused("prediction.player", predictions_of, match=play.match, user=ada, at=T0)
    play.move(0, "concede", SECOND)
    told = predictions_of(match=play.match, user=ada, at=T0)
    assert (told["counts"], told["right"], told["open"]) == ([1, 1], 1, False)


def test_void_matches_count_for_nobody(
    ada: User, ben: User, cleo: User, mona: User, orla: User
) -> None:
    first, second, void = (started((ada, ben)) for _ in range(3))
    for play in (first, second, void):
        predict(play, cleo, 1)
        predict(play, mona, 0)
    assert tally_of(cleo) == (0, 0)
    first.move(0, "concede", SECOND)
    second.move(1, "concede", SECOND)
    void.act(orla, "void", SECOND)
    assert (tally_of(cleo), tally_of(mona)) == ((1, 2), (1, 2))
    assert predictions_of(match=void.match, user=cleo, at=T0)["right"] is None
    page = Client().get("/u/cleo/").content.decode()
    assert "Predicted 1 of 2 right." in page
    assert "Predicted" not in Client().get("/u/ada/").content.decode()


def test_the_room_alone_is_told_how_many_at_most_once_a_second(
    play: Play, cleo: User, mona: User, wire: Wire, monkeypatch: pytest.MonkeyPatch,
    set_clock: SetClock,
) -> None:  # fmt: skip
    asked: list[tuple[Any, ...]] = []

    def enqueue(task: str, *arguments: Any, countdown: float) -> bool:
        asked.append((task, *arguments, countdown))
        return True

    monkeypatch.setattr(predictions, "enqueue", enqueue)
    set_clock(0)
    predict(play, cleo, 0)
    predict(play, mona, 1)
    assert asked == [("games.tasks.tell_predictions", play.pk, 1)]
    set_clock(SECOND)
    predict(play, mona, 0)
    assert len(asked) == 2
    assert wire.frames() == []
    predictions_tell(play.pk)
    frame = {"type": "predictions", "match": play.pk, "counts": [2, 0]}
    watching = [f"match.{play.pk}.room", f"match.{play.pk}.late"]
    assert wire.frames() == [(group, frame) for group in watching]
    play.move(0, "concede", SECOND)
    wire.frames()
    predictions_tell(play.pk)
    assert wire.frames() == []


def test_predictions_by_http(play: Play, ada: User, orla: User, cleo: User) -> None:
    address = f"/api/v1/matches/{play.pk}/predictions/"

    def client(user: User | None) -> Client:
        made = Client()
        if user is not None:
            made.force_login(user)
        return made

    def put(user: User | None, body: dict[str, Any]) -> Any:
        return client(user).put(address, body, content_type="application/json")

    assert put(cleo, {"seat": 1}).json()["counts"] == [0, 1]
    with nothing_changes([Prediction]):
        for body in ({}, {"seat": 2}, {"seat": "x"}, {"seat": None}):
            assert put(cleo, body).status_code == 400, body
        assert put(None, {"seat": 1}).status_code == 401
        assert put(ada, {"seat": 1}).json()["code"] == "prediction.player"
        assert put(orla, {"seat": 1}).json()["code"] == "prediction.organiser"
    assert client(None).get(address).json()["counts"] == [0, 1]
    assert client(cleo).get(address).json()["yours"] == 1
    assert client(ada).get(address).json()["code"] == "prediction.player"
    play.move(0, "concede", SECOND)
    answer = put(cleo, {"seat": 0})
    assert (answer.status_code, answer.json()["code"]) == (409, "prediction.closed")
    assert client(ada).get(address).json()["right"] == 1


def test_the_administration_has_none_before_the_end(play: Play, root: User, cleo: User) -> None:
    predict(play, cleo, 1)
    browser = Client()
    browser.force_login(root)
    page = "/admin/games/prediction/"
    row = f"{page}{Prediction.objects.get().pk}/"
    assert row not in browser.get(page).content.decode()
    play.move(0, "concede", SECOND)
    assert row in browser.get(page).content.decode()


def test_two_accounts_keep_one_prediction_of_a_match(
    ada: User, ben: User, root: User, cleo: User
) -> None:
    other = user_named("cleo2")
    both, one, own = started((ada, ben)), started((ada, ben)), started((ada, other))
    predict(both, cleo, 0)
    predict(both, other, 1)
    predict(one, other, 1)
    predict(own, cleo, 1)
    own.move(0, "concede", SECOND)
    with committing():
        user_merge(acting_user=root, keep=cleo, duplicate=other, reason="The same.")
    kept = Prediction.objects.order_by("match").values_list("match", "user", "seat")
    assert list(kept) == [(both.pk, cleo.pk, 0), (one.pk, cleo.pk, 1)]


def test_no_prediction_is_lost_without_a_cache(
    play: Play, cleo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from redis.exceptions import ConnectionError as AwayError

    def away(*_args: Any, **_more: Any) -> bool:
        raise AwayError

    monkeypatch.setattr(cache, "add", away)
    assert predict(play, cleo, 1)["counts"] == [0, 1]


def test_a_refusal_says_which(play: Play, ada: User) -> None:
    with pytest.raises(Refusal, match=r"prediction\.player"):
        predictions_of(match=play.match, user=ada, at=T0)
