"""Seeds: set by organisers or drawn by lot, until the season begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.refusals import NotFound, Refusal, Together
from games.engine.chance import RandomSource, below
from tournaments.lifecycle import ContestantStatus, SeasonStatus
from tournaments.models import Contestant, Season
from tournaments.rights import Right
from tournaments.services.guards import season_lock_managed

SEED_MAX: Final = 10_000


@transaction.atomic
def seeds_set(
    *, acting_user: User, season: Season, seeds: Mapping[int, int | None]
) -> list[Contestant]:
    """Set seeds by the contestants' ids before the season begins; None takes one away.

    Raises Refusal as `guards.season_lock_managed` does, ``seed.fixed``, ``seed.range``,
    ``seed.taken``, ``contestant.none``.
    """
    locked = season_lock_managed(season, acting_user, Right.PEOPLE)
    enrolled = _enrolled_contestants(locked)
    faults = Together()
    for pk, seed in seeds.items():
        if pk not in enrolled:
            faults.note(NotFound("contestant.none", "Somebody to be seeded is not enrolled."), pk)
        elif seed is not None and not is_seed(seed):
            faults.note(seed_out_of_range(), pk)
    faults.settle()
    after = {pk: each.seed for pk, each in enrolled.items()} | dict(seeds)
    times = Counter(seed for seed in after.values() if seed is not None)
    for pk, seed in sorted(seeds.items(), key=lambda each: each[1] or 0):
        if seed is not None and times[seed] > 1:
            faults.note(Refusal("seed.taken", f"Seed {seed} would be given twice."), pk)
    faults.settle()
    return _save_seeds(locked, acting_user, enrolled, after, "seeds.set")


@transaction.atomic
def seeds_draw(
    *, acting_user: User, season: Season, random: RandomSource = chance.system
) -> list[Contestant]:
    """Draw all seeds by lot. ``random`` gives floats from 0 to below 1; by default the operating
    system's. Raises Refusal as `guards.season_lock_managed` does, ``seed.fixed``."""
    locked = season_lock_managed(season, acting_user, Right.PEOPLE)
    enrolled = _enrolled_contestants(locked)
    left = sorted(enrolled)
    drawn = {left.pop(below(random, len(left))): seed for seed in range(1, len(enrolled) + 1)}
    return _save_seeds(locked, acting_user, enrolled, drawn, "seeds.draw")


def must_not_have_seeds_fixed(season: Season) -> None:
    """Raises Refusal ``seed.fixed``."""
    if season.status != SeasonStatus.ENROLLING:
        raise Refusal("seed.fixed", "The seeds are fixed once a season has begun.")


def is_seed(seed: int | None) -> bool:
    return seed is not None and 1 <= seed <= SEED_MAX


def seed_out_of_range() -> Refusal:
    return Refusal("seed.range", f"A seed is a whole number from 1 to {SEED_MAX}.")


def _enrolled_contestants(season: Season) -> dict[int, Contestant]:
    must_not_have_seeds_fixed(season)
    return {each.pk: each for each in season.contestants.filter(status=ContestantStatus.ENROLLED)}


def _save_seeds(
    season: Season,
    acting_user: User,
    enrolled: Mapping[int, Contestant],
    seeds: Mapping[int, int | None],
    action: str,
) -> list[Contestant]:
    # The constraint looks at each row by itself: first everybody out of the way, then in place.
    season.contestants.filter(pk__in=enrolled).update(seed=None)
    for pk, contestant in enrolled.items():
        contestant.seed = seeds.get(pk)
    Contestant.objects.bulk_update(enrolled.values(), ["seed"])
    audit_record(
        acting_user=acting_user,
        action=action,
        target=season,
        data={str(pk): seed for pk, seed in sorted(seeds.items())},
    )
    return sorted(enrolled.values(), key=lambda each: (each.seed is None, each.seed or 0, each.pk))
