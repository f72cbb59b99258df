"""Whom to pair with whom, of those who wait for an opponent: pure functions.

Two go together who want the same pace and the same kind of match, the same game or any of them, who
are both people or both programs, and are not further apart in rating than both have waited for.
Whoever came first is served first, and gets the nearest. So nobody who is close waits for long, and
nobody waits for ever: after a minute everybody will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

#: How far apart two may be at first, by how much more with every second, and after which time it
#: does not matter any more.
WINDOW: Final = 150.0
WIDER_PER_S: Final = 15.0
EVERYBODY_AFTER_MS: Final = 60_000


class Waiting(NamedTuple):
    """Somebody who waits. ``game`` is a ruleset and a variant, None for any; ``rating`` the best
    guess of their strength; ``since`` when they came, in ms."""

    user: int
    game: tuple[str, str] | None
    pace: str
    rated: bool
    rating: float
    since: int
    is_bot: bool = False


class Pair(NamedTuple):
    """Two who are to play: who came first, and what both want; None: any game will do."""

    first: Waiting
    second: Waiting
    game: tuple[str, str] | None


def window_of(waiting: Waiting, now: int) -> float:
    """How far in rating an opponent may be from somebody who waits until ``now`` (ms)."""
    waited = max(0, now - waiting.since)
    if waited >= EVERYBODY_AFTER_MS:
        return float("inf")
    return WINDOW + WIDER_PER_S * waited / 1000


def want_the_same(one: Waiting, other: Waiting) -> bool:
    """Whether there is a match that both want, leaving aside who they are."""
    if one.game is not None and other.game is not None and one.game != other.game:
        return False
    return (one.pace, one.rated, one.is_bot) == (other.pace, other.rated, other.is_bot)


def partner_of(
    waiting: Waiting,
    others: Iterable[Waiting],
    *,
    now: int,
    apart: Collection[tuple[int, int]] = (),
) -> Waiting | None:
    """Who of ``others`` somebody is to play: the nearest, and of those who came first. None where
    nobody fits by ``now``. ``apart``: who may not meet, in both orders."""
    mine = window_of(waiting, now)
    fitting = [
        (distance, other.since, other.user, other)
        for other in others
        if other.user != waiting.user
        and (waiting.user, other.user) not in apart
        and want_the_same(waiting, other)
        and (distance := abs(waiting.rating - other.rating)) <= min(mine, window_of(other, now))
    ]
    return min(fitting)[-1] if fitting else None


def pairs_of(
    waiting: Iterable[Waiting], *, now: int, apart: Collection[tuple[int, int]] = ()
) -> list[Pair]:
    """Everybody who can be paired by ``now``: nobody twice."""
    left = sorted(waiting, key=lambda each: (each.since, each.user))
    found = []
    while left:
        first, *left = left
        second = partner_of(first, left, now=now, apart=apart)
        if second is not None:
            left.remove(second)
            found.append(Pair(first, second, first.game or second.game))
    return found
