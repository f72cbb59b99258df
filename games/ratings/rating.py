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
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from openskill.models import BradleyTerryFull

MU = 25.0
SIGMA = MU / 3
# How far apart two players are whose better one wins about 70 times of 100.
BETA = SIGMA / 2
TAU = SIGMA / 100

# Names what the numbers were made with: where it differs from what is stored, all are made anew.
METHOD = "bradley-terry-full 1"

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


NEWCOMER = RatingStanding(peak=Strength().shown)


def rated_pair(winner: Strength, loser: Strength) -> tuple[Strength, Strength]:
    """Both players' strengths after the first has beaten the second."""
    (won,), (lost,) = _model.rate(
        [
            [_model.rating(mu=winner.mu, sigma=winner.sigma)],
            [_model.rating(mu=loser.mu, sigma=loser.sigma)],
        ]
    )
    return Strength(won.mu, won.sigma), Strength(lost.mu, lost.sigma)


def changes_of(
    results: Iterable[RatedResult], standings: dict[int, RatingStanding]
) -> Iterator[Change]:
    """What each of ``results`` does, two changes each, the winner's first. ``standings`` holds who
    stood where before, and is brought up to date as the changes are taken."""
    for result in results:
        before = [standings.get(user, NEWCOMER) for user in (result.winner, result.loser)]
        after = rated_pair(before[0].strength, before[1].strength)
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
            yield Change(result, user, won, old.strength, standing)


def rate(
    results: Iterable[RatedResult], standings: Mapping[int, RatingStanding] | None = None
) -> tuple[dict[int, RatingStanding], list[Change]]:
    """Everybody's standing after ``results`` (in the order of their instant and match), from
    ``standings`` or from nothing; and what each result changed."""
    reached = dict(standings or {})
    changes = list(changes_of(results, reached))
    return reached, changes
