"""Episodes with how everybody came off in their main matches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Prefetch

from tournaments.models import Contestant, Episode, Placement, Round, Season
from tournaments.reading.contestants import link


@dataclass(frozen=True)
class EpisodeWithPlacements:
    """An episode, and the placements of its main match, the best first."""

    row: Episode
    placements: tuple[Placement, ...]

    def placement_of(self, contestant: Contestant) -> Placement | None:
        """How somebody came off; None for who was not in the main match."""
        return next((each for each in self.placements if each.contestant_id == contestant.pk), None)


def episodes_of(
    season: Season, rounds: Iterable[Round], by_id: Mapping[int, Contestant]
) -> dict[int, EpisodeWithPlacements]:
    """The episodes of some rounds of a season, by the key of their round, in two queries. One that
    has begun since the rounds were read is for the next look."""
    numbered = {each.pk: each for each in rounds}
    # Whether it can be recorded anew depends on its scores.
    rows = (
        Episode.objects.filter(round__season=season, round__in=numbered)
        .select_related("scores")
        .prefetch_related(Prefetch("placements", Placement.objects.order_by("place", "pk")))
    )
    found = {}
    for row in rows:
        row.round = numbered[row.round_id]
        link(row, by_id, "ec", "dmo")
        placements = tuple(row.placements.all())
        for placement in placements:
            link(placement, by_id, "contestant")
        found[row.round_id] = EpisodeWithPlacements(row, placements)
    return found
