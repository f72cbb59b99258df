"""Main matches as tables of scores, as their readers see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch

from tournaments import audience, scoring
from tournaments.models import Contestant, ScoreRow, ScoreTable, Season
from tournaments.reading.contestants import link
from tournaments.scoring import Column
from tournaments.trade import trade_of


@dataclass(frozen=True)
class ScoreLine:
    """What a contestant has in each column that the reader sees; empty texts where there is
    nothing. ``place``: None for whom no score places yet."""

    contestant: Contestant
    place: int | None
    cells: tuple[str, ...]
    total: str
    note: str


@dataclass(frozen=True)
class ScoreSheet:
    """A table with what a reader sees of it, the best first."""

    row: ScoreTable
    columns: tuple[Column, ...]
    lines: tuple[ScoreLine, ...]

    @property
    def has_total(self) -> bool:
        """Whether the total says more than a column does."""
        return sum(each.counts for each in self.columns) > 1

    @property
    def has_notes(self) -> bool:
        """Whether anything is noted of anybody."""
        return any(each.note for each in self.lines)

    @property
    def is_final(self) -> bool:
        """Whether the placement was recorded by it."""
        return self.row.recorded_at is not None


def score_sheet(table: ScoreTable, rows: Sequence[ScoreRow], *, sees_winnings: bool) -> ScoreSheet:
    """A table for somebody; who does not see what others win does not see the column."""
    columns = scoring.columns_read(table.columns)
    seen = [at for at, each in enumerate(columns) if sees_winnings or not each.wins]
    # A total that holds what is won would tell it.
    told = sees_winnings or not any(each.wins and each.counts for each in columns)
    places = scoring.places_of(scoring.table_order(table, rows))
    lines = [
        ScoreLine(
            each.contestant,
            places.get(each.contestant_id),
            tuple(each.cells[at] for at in seen),
            scoring.number_text(scoring.total_of(columns, scoring.cells_read(each.cells)))
            if told
            else "",
            each.note,
        )
        for each in rows
    ]
    lines.sort(key=lambda each: (each.place is None, each.place or 0, each.contestant.pk))
    return ScoreSheet(table, tuple(columns[at] for at in seen), tuple(lines))


def sees_winnings(season: Season, reader: Any) -> bool:
    """Whether a reader sees what a table wins everybody: who sees what everybody has."""
    return not trade_of(season).hidden or audience.sees_purses(season, reader)


def public_scores(season: Season) -> Any:
    """The tables of a season that everybody sees, with their rows."""
    rows = ScoreRow.objects.order_by("pk")
    return (
        ScoreTable.objects.filter(audience.scores_seen_by_all(), episode__round__season=season)
        .prefetch_related(Prefetch("rows", rows))
        .order_by("episode__round__number")
    )


def sheets_of(
    tables: Sequence[ScoreTable], season: Season, by_id: Mapping[int, Contestant], reader: Any
) -> dict[int, ScoreSheet]:
    """The tables as ``reader`` sees them, by the key of their episode."""
    if not tables:
        return {}
    sees = sees_winnings(season, reader)
    found = {}
    for table in tables:
        rows = list(table.rows.all())
        for row in rows:
            link(row, by_id, "contestant")
        found[table.episode_id] = score_sheet(table, rows, sees_winnings=sees)
    return found
