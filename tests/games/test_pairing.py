"""Who is paired with whom: the pure function."""

from __future__ import annotations

import random
from typing import Any

import pytest

from games.pairing import (
    EVERYBODY_AFTER_MS,
    WIDER_PER_S,
    WINDOW,
    Waiting,
    pairs_of,
    partner_of,
    want_the_same,
    window_of,
)

DOMAIN = ("domain", "classic")
PEGS = ("peg-domain", "gauntlet")


def waits(user: int, rating: float = 1500, since: int = 0, **more: Any) -> Waiting:
    return Waiting(
        **{"user": user, "game": DOMAIN, "pace": "normal", "rated": True, "rating": rating,
           "since": since, **more}
    )  # fmt: skip


def paired(*waiting: Waiting, now: int = 0, apart: Any = ()) -> list[tuple[int, int]]:
    return [(each.first.user, each.second.user) for each in pairs_of(waiting, now=now, apart=apart)]


def test_two_who_want_the_same_go_together() -> None:
    assert paired(waits(1), waits(2)) == [(1, 2)]
    assert paired(waits(1)) == []


@pytest.mark.parametrize(
    "other",
    [{"game": PEGS}, {"pace": "blitz"}, {"rated": False}, {"is_bot": True}],
)
def test_who_wants_something_else_is_left_alone(other: dict[str, Any]) -> None:
    assert not want_the_same(waits(1), waits(2, **other))
    assert paired(waits(1), waits(2, **other), now=EVERYBODY_AFTER_MS) == []


def test_any_game_goes_with_each() -> None:
    (one,) = pairs_of([waits(1, game=None), waits(2, game=PEGS)], now=0)
    assert one.game == PEGS
    (any_game,) = pairs_of([waits(1, game=None), waits(2, game=None)], now=0)
    assert any_game.game is None


def test_the_nearest_in_rating_is_taken() -> None:
    assert paired(waits(1), waits(2, 1600, 1), waits(3, 1490, 2), waits(4, 1590, 3)) == [
        (1, 3), (2, 4),
    ]  # fmt: skip


def test_of_those_equally_near_who_came_first() -> None:
    assert paired(waits(1), waits(2, 1510, 20), waits(3, 1490, 10), now=20) == [(1, 3)]


def test_the_window_widens_with_time_for_both() -> None:
    far = WINDOW + 10 * WIDER_PER_S
    one, other = waits(1), waits(2, 1500 + far, 5_000)
    assert partner_of(one, [other], now=10_000) is None, "the second has not waited for it"
    assert partner_of(one, [other], now=14_999) is None
    assert partner_of(one, [other], now=15_000) == other


def test_after_a_minute_everybody_will_do() -> None:
    one, other = waits(1, 0), waits(2, 3000)
    assert partner_of(one, [other], now=EVERYBODY_AFTER_MS - 1) is None
    assert partner_of(one, [other], now=EVERYBODY_AFTER_MS) == other


def test_a_window_never_shrinks_and_a_clock_set_back_does_no_harm() -> None:
    windows = [window_of(waits(1, since=1_000), now) for now in range(0, 70_000, 500)]
    assert windows == sorted(windows)
    assert windows[0] == WINDOW


def test_nobody_is_paired_with_somebody_blocked_or_themselves() -> None:
    apart = frozenset({(1, 2), (2, 1)})
    assert paired(waits(1), waits(2), now=EVERYBODY_AFTER_MS, apart=apart) == []
    assert paired(waits(1), waits(2), waits(3, 1550), apart=apart) == [(1, 3)]
    assert partner_of(waits(1), [waits(1)], now=0) is None


def test_nobody_is_ever_in_two_pairs_and_nobody_who_fits_is_left() -> None:
    source = random.Random(15)
    for _ in range(200):
        crowd = [
            waits(
                user, source.gauss(1500, 300), source.randrange(60_000),
                game=source.choice([DOMAIN, PEGS, None]), rated=source.random() < 0.5,
                pace=source.choice(["normal", "blitz"]),
            )
            for user in range(source.randrange(12))
        ]  # fmt: skip
        found = pairs_of(crowd, now=60_000)
        taken = [user for each in found for user in (each.first.user, each.second.user)]
        assert len(taken) == len(set(taken))
        left = [each for each in crowd if each.user not in taken]
        for each in left:
            assert partner_of(each, left, now=60_000) is None
        for pair in found:
            assert want_the_same(pair.first, pair.second)
            assert pair.game in (pair.first.game, pair.second.game)
