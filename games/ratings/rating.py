"""The arithmetic of ratings: results in, standings out. No database, no clock.

A player's strength is a normal distribution: `mu`, the best guess, and `sigma`, how unsure it is.
Each result moves both players' by the Bradley-Terry model of Weng and Lin ("A Bayesian
Approximation Method for Online Ranking", JMLR 12, 2011, algorithm 1), as `openskill` computes it,
with that library's own parameters. For a winner w and a loser l:

    s² = sigma² + tau²                      each match makes a little less sure of what was known
    c² = s_w² + s_l² + 2 beta²
    p  = 1 / (1 + exp((mu_l - mu_w) / c))   how likely this result was
    mu_w + s_w²/c (1 - p)                   mu_l - s_l²/c (1 - p)
    sigma = s sqrt(1 - (s/c)³ p (1 - p))    of each with their own s

That is a result of weight 1. What the same two play again and again within a month says less each
time, since it is always the same comparison, and costs nothing where both seats are one person's.
So a result has the weight 1/(1 + k), k being how many the pair has on the ladder from the thirty
days before, and goes that part of the way: in mu, and in sigma². Of n matches in a month count
1 + 1/2 + ... + 1/n: forty as four and a quarter.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from openskill.models import BradleyTerryFull

MU = 25.0
SIGMA = MU / 3
# How far apart two players are whose better one wins about 70 times of 100.
BETA = SIGMA / 2
TAU = SIGMA / 100

# Names what the numbers were made with: where it differs from what is stored, all are made anew.
METHOD = "bradley-terry-full 2"

# How long a match of the same two makes the next one count less.
PAIR_WINDOW = timedelta(days=30)

# What is shown. A point of mu is worth 30, so that a difference of 400 means about ten to one
# between two settled players, as chess players are used to; newcomers' best guess is 1500.
SHOWN_MIDDLE = 1500
SHOWN_SCALE = 30
# The rating itself is what the player is at least worth: three sigmas below the best guess, true
# of 99.9 in 100.
SHOWN_SIGMAS = 3
# "±": two sigmas, 95 in 100.
MARGIN_SIGMAS = 2
# Until about ten matches have been played.
PROVISIONAL_SIGMA = SIGMA * 0.75

NEVER = datetime.min.replace(tzinfo=UTC)

_model = BradleyTerryFull(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU)


class RatedResult(NamedTuple):
    """One result that counts: two users by id, and when it came about."""

    match_id: int
    at: datetime
    winner: int
    loser: int


class Strength(NamedTuple):
    """What is believed of a player, on the model's own scale."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def shown(self) -> int:
        """The rating that is shown and ordered by: see `SHOWN_SIGMAS`."""
        return round(
            SHOWN_MIDDLE + SHOWN_SCALE * (self.mu - MU) - SHOWN_SCALE * SHOWN_SIGMAS * self.sigma
        )

    @property
    def estimate(self) -> int:
        """The best guess on the scale that is shown."""
        return round(SHOWN_MIDDLE + SHOWN_SCALE * (self.mu - MU))

    @property
    def margin(self) -> int:
        """How far off the estimate may be, either way, in 95 of 100 cases."""
        return round(SHOWN_SCALE * MARGIN_SIGMAS * self.sigma)

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known to take the rating at its word."""
        return self.sigma > PROVISIONAL_SIGMA


class RatingStanding(NamedTuple):
    """A player after some results. `peak` is the highest rating shown so far, the first included
    once a match is played; `at` and `match_id` belong to the latest result."""

    strength: Strength = Strength()
    games: int = 0
    wins: int = 0
    peak: int = 0
    at: datetime = NEVER
    match_id: int = 0


class Change(NamedTuple):
    """What one result did to one player."""

    result: RatedResult
    user: int
    won: bool
    before: Strength
    after: RatingStanding
    weight: float


class Meetings:
    """Which pairs have met of late: the instants of their results, in order."""

    def __init__(self) -> None:
        self._met: dict[tuple[int, int], deque[datetime]] = {}

    def note(self, one: int, other: int, at: datetime) -> None:
        """A result of these two that came about before those that will be weighed."""
        self._of(one, other).append(at)

    def weigh(self, result: RatedResult) -> float:
        """The weight of a result, which is then one of those of before. Results come in order."""
        met = self._of(result.winner, result.loser)
        while met and met[0] <= result.at - PAIR_WINDOW:
            met.popleft()
        met.append(result.at)
        return weight_after(len(met) - 1)

    def _of(self, one: int, other: int) -> deque[datetime]:
        return self._met.setdefault((min(one, other), max(one, other)), deque())


def weight_after(earlier: int) -> float:
    """How much a result counts of a pair that has ``earlier`` ones within `PAIR_WINDOW`."""
    return 1 / (1 + earlier)


NEWCOMER = RatingStanding(peak=Strength().shown)


def rated_pair(winner: Strength, loser: Strength, weight: float = 1.0) -> tuple[Strength, Strength]:
    """Both players' strengths after the first has beaten the second, in a result of that weight."""
    (won,), (lost,) = _model.rate(
        [
            [_model.rating(mu=winner.mu, sigma=winner.sigma)],
            [_model.rating(mu=loser.mu, sigma=loser.sigma)],
        ]
    )
    return (
        _part_of_the_way(winner, Strength(won.mu, won.sigma), weight),
        _part_of_the_way(loser, Strength(lost.mu, lost.sigma), weight),
    )


def _part_of_the_way(before: Strength, whole: Strength, weight: float) -> Strength:
    """Where a result leaves somebody that would have led from ``before`` to ``whole``."""
    if weight == 1:
        return whole
    variance = before.sigma**2 + weight * (whole.sigma**2 - before.sigma**2)
    return Strength(before.mu + weight * (whole.mu - before.mu), math.sqrt(variance))


def changes_of(
    results: Iterable[RatedResult],
    standings: dict[int, RatingStanding],
    meetings: Meetings | None = None,
) -> Iterator[Change]:
    """What each of ``results`` does, two changes each, the winner's first. ``standings`` holds who
    stood where before, and ``meetings`` who had met; both are brought up to date as the changes are
    taken."""
    met = Meetings() if meetings is None else meetings
    for result in results:
        before = [standings.get(user, NEWCOMER) for user in (result.winner, result.loser)]
        weight = met.weigh(result)
        after = rated_pair(before[0].strength, before[1].strength, weight)
        for user, won, old, new in zip(
            (result.winner, result.loser), (True, False), before, after, strict=True
        ):
            standing = RatingStanding(
                strength=new,
                games=old.games + 1,
                wins=old.wins + won,
                peak=max(old.peak, new.shown),
                at=result.at,
                match_id=result.match_id,
            )
            standings[user] = standing
            yield Change(result, user, won, old.strength, standing, weight)


def rate(
    results: Iterable[RatedResult],
    standings: Mapping[int, RatingStanding] | None = None,
    meetings: Meetings | None = None,
) -> tuple[dict[int, RatingStanding], list[Change]]:
    """Everybody's standing after ``results`` (in the order of their instant and match), from
    ``standings`` and ``meetings`` or from nothing; and what each result changed."""
    reached = dict(standings or {})
    changes = list(changes_of(results, reached, meetings))
    return reached, changes
