"""Results as bare rows, and a second opinion on ratings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from games.models import Match, MatchPlayer
from games.ratings.models import Rating, RatingPoint
from games.ratings.rating import RatedResult, RatingStanding, rate
from games.ratings.results import results_since
from tests.games.support import SECOND, Play

# In the past: a leaderboard asks what was so thirty days ago.
DAY_0 = datetime(2026, 1, 5, 12, tzinfo=UTC)

# Weng and Lin's constants, written out once more.
BETA = 25 / 6
TAU = 25 / 300


def by_hand(
    winner: tuple[float, float], loser: tuple[float, float], *, tau: float = TAU
) -> tuple[tuple[float, float], tuple[float, float]]:
    """(mu, sigma) of both after the first has beaten the second: the formula of the docstring of
    `games.ratings.rating`, computed here without the library."""
    (mu_w, sigma_w), (mu_l, sigma_l) = winner, loser
    s_w, s_l = math.hypot(sigma_w, tau), math.hypot(sigma_l, tau)
    c = math.sqrt(s_w**2 + s_l**2 + 2 * BETA**2)
    p = 1 / (1 + math.exp((mu_l - mu_w) / c))

    def shrunk(s: float) -> float:
        return s * math.sqrt(1 - (s / c) ** 3 * p * (1 - p))

    return (
        (mu_w + s_w**2 / c * (1 - p), shrunk(s_w)),
        (mu_l - s_l**2 / c * (1 - p), shrunk(s_l)),
    )


def result_row(
    players: tuple[User | None, User | None],
    *,
    winner: int | None = 0,
    minutes: float = 0,
    ruleset: str = "tetronogo",
    **more: Any,
) -> Match:
    """A match that is over, so many minutes after `DAY_0`, as a bare row."""
    ended = DAY_0 + timedelta(minutes=minutes)
    variants = {"peg-domain": "colosseum"}
    fields: dict[str, Any] = {
        "variant": variants.get(ruleset, "standard"),
        "snapshot": "{}",
        "status": Match.Status.FINISHED,
        "winner": winner,
        "reason": "ruling" if winner is None else "total",
        "scores": [] if winner is None else [10, 20],
        "created_at": ended - timedelta(minutes=20),
        "finished_at": ended,
    }
    match = Match.objects.create(ruleset=ruleset, **{**fields, **more})
    for seat, user in enumerate(players):
        name = user.shown_name if user else "Guest"
        MatchPlayer.objects.create(match=match, seat=seat, user=user, name=name)
    return match


def friendly(
    winner: User, loser: User, *, ago: timedelta, lasted: float = 25, **more: Any
) -> Match:
    """An honest match, as a bare row."""
    ended = timezone.now() - ago
    began = ended - timedelta(minutes=lasted)
    return result_row((winner, loser), finished_at=ended, created_at=began, **more)


def expected(
    ladder: str,
) -> tuple[dict[int, RatingStanding], dict[tuple[int, int], tuple[float, float]]]:
    """What a ladder must hold: everybody's standing; and of each match of each player mu after it,
    and its weight."""
    standings, changes = rate(list(results_since(ladder, None)))
    return standings, {
        (c.result.match_id, c.user): (c.after.strength.mu, c.weight) for c in changes
    }


def answered(play: Play, answers: int) -> Play:
    """A match in which so many decisions are answered, a second each."""
    for number in range(1, answers + 1):
        seat = 0 if play.decision(0) else 1
        play.move(seat, play.random_move(seat, play.random), number * SECOND)
    return play


def held(ladder: str) -> dict[int, tuple[float, float, int, int, int, datetime]]:
    """What the table of ratings holds of a ladder."""
    rows = Rating.objects.filter(ladder=ladder).values_list(
        "user", "mu", "sigma", "games", "wins", "peak", "last_played"
    )
    return {row[0]: row[1:] for row in rows}


def is_true(ladder: str) -> None:
    """Fail unless a ladder holds exactly what a computation from nothing gives, to the bit."""
    standings, points = expected(ladder)
    assert held(ladder) == {
        user: (*s.strength, s.games, s.wins, s.peak, s.at) for user, s in standings.items()
    }
    stored = RatingPoint.objects.filter(ladder=ladder).values_list(
        "match", "user", "mu", "weight", "opponent"
    )
    assert {(match, user): (mu, weight) for match, user, mu, weight, _ in stored} == points
    met = {user: {row[4] for row in stored if row[1] == user} for user in standings}
    counts = Rating.objects.filter(ladder=ladder).values_list("user", "opponents")
    assert dict(counts) == {user: len(others) for user, others in met.items()}


def results(pairs: Iterable[tuple[int, int]]) -> list[RatedResult]:
    """Results of (winner, loser), a minute apart."""
    return [
        RatedResult(number, DAY_0 + timedelta(minutes=number), *pair)
        for number, pair in enumerate(pairs, 1)
    ]
