"""What must hold of a Swiss season at every moment, told as sentences of what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tournaments.lifecycle import How
from tournaments.models import DeathMatch, Season


def everybody_paired(season: Season) -> Iterator[str]:
    """Everybody who is in is paired in each round, be it that the match was called off, or that
    they have taken over from whoever was paired."""
    heirs = dict(season.contestants.exclude(replaces=None).values_list("replaces", "pk"))
    for played in season.rounds.all():
        paired = set[int]()
        for two in played.death_matches.values_list("home", "away"):
            for side in two:
                holder: int | None = side
                while holder is not None:
                    paired.add(holder)
                    holder = heirs.get(holder)
        left_out = season.contestants.in_round(played.number).exclude(pk__in=paired)
        yield from (f"{each} is not paired in {played}" for each in left_out)


def nobody_again(death_matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Nobody twice against the same, one bye at most."""
    met = Counter(
        frozenset((each.home_id, each.away_id)) for each in death_matches if each.how != How.BYE
    )
    yield from (f"{sorted(map(str, two))} meet twice" for two, n in met.items() if n > 1)
    byes = Counter(each.home_id for each in death_matches if each.how == How.BYE)
    yield from (f"{pk} has two byes" for pk, count in byes.items() if count > 1)
