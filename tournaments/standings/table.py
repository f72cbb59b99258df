"""The table: ranks, what they rest on, and a sentence or two that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from games.engine.errors import EngineFault
from tournaments.formats.field import Result
from tournaments.standings.metrics import Ledger, Metric, Value, order_of

#: More names than this are given as a number in a sentence.
_NAMED = 3


class Row(msgspec.Struct, frozen=True):
    """One player's line. ``values`` stand in the order of the table's metrics.

    A value None: the metric did not apply (a direct encounter that was not needed, or among players
    who have not all met). ``shared_with``: others of the same rank, whom no metric could separate.
    """

    player: int
    rank: int
    values: tuple[Value, ...]
    shared_with: tuple[int, ...]
    why: str

    @property
    def shared(self) -> bool:
        """Whether the tie is unbroken."""
        return bool(self.shared_with)


class StandingsTable(msgspec.Struct, frozen=True):
    """Standings. Ranks go 1, 2, 2, 4: a rank is one more than the number of players above."""

    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]

    def row(self, player: int) -> Row:
        """A player's line. Raises EngineFault for somebody who is not in the table."""
        for row in self.rows:
            if row.player == player:
                return row
        raise EngineFault("that player is not in the table")


def standings(
    players: Iterable[int],
    results: Iterable[Result],
    order: Sequence[str],
    names: Mapping[int, str] | None = None,
) -> StandingsTable:
    """The table of ``players`` after ``results``, ordered by the metrics named in ``order``.

    Players are separated by the first metric; those who are level by the next one, and so on. Who
    is still level after the last one shares a rank, listed by id. The order in which players and
    results are given makes no difference. ``names`` are used in the sentences. Raises Refusal
    ``standings.*`` for an order that cannot be used.
    """
    metrics = order_of(order)
    ids = sorted(players)
    if len(set(ids)) != len(ids):
        raise EngineFault("one player stands in the table twice")
    ledger = Ledger(ids, results)
    values: dict[int, list[Value]] = {player: [] for player in ids}
    groups = [ids] if ids else []
    for metric in metrics:
        groups = [
            finer for group in groups for finer in _finer_groups(metric, ledger, group, values)
        ]
    words = _Words(metrics, values, names or {})
    rows: list[Row] = []
    for number, group in enumerate(groups):
        rank = len(rows) + 1
        above = groups[number - 1][0] if number else None
        below = groups[number + 1][0] if number + 1 < len(groups) else None
        rows += [
            Row(
                player=player,
                rank=rank,
                values=tuple(values[player]),
                shared_with=tuple(other for other in group if other != player),
                why=words.why(player, group, above, below),
            )
            for player in group
        ]
    return StandingsTable(metrics, tuple(rows))


def _finer_groups(
    metric: Metric, ledger: Ledger, group: list[int], values: dict[int, list[Value]]
) -> list[list[int]]:
    """The group in finer groups, best first; notes the value of each player."""
    if metric.relative and len(group) == 1:
        values[group[0]].append(None)
        return [group]
    found = metric.compute(ledger, group)
    for player in group:
        values[player].append(found[player])
    if any(found[player] is None for player in group):
        return [group]
    levels: dict[Value, list[int]] = {}
    for player in group:
        levels.setdefault(found[player], []).append(player)
    # Only values of one type are compared: a metric has whole numbers or tuples, never both.
    ordered = sorted(levels, reverse=metric.direction == "most")  # type: ignore[type-var]
    return [levels[level] for level in ordered]


class _Words:
    """Sentences about ranks."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        values: Mapping[int, Sequence[Value]],
        names: Mapping[int, str],
    ) -> None:
        self._metrics = metrics
        self._values = values
        self._names = names

    def why(self, player: int, group: Sequence[int], above: int | None, below: int | None) -> str:
        """What puts a player where they are."""
        sentences: list[str] = []
        if len(group) > 1:
            sentences.append(f"Level with {self._others(player, group)} on everything that counts.")
        if above is not None:
            sentences.append(f"Behind {self._against(player, above)}.")
        if below is not None:
            sentences.append(f"Ahead of {self._against(player, below)}.")
        return " ".join(sentences) or "Nobody to compare with."

    def _against(self, player: int, other: int) -> str:
        for metric, mine, theirs in zip(
            self._metrics, self._values[player], self._values[other], strict=True
        ):
            if mine != theirs and mine is not None and theirs is not None:
                one, two = _numbers(mine, theirs)
                return f"{self._name(other)} on {metric.name}, {one} to {two}"
        raise EngineFault("two of different rank are level on everything")

    def _others(self, player: int, group: Sequence[int]) -> str:
        others = [self._name(other) for other in group if other != player]
        if len(others) > _NAMED:
            return f"{len(others)} others"
        return " and ".join([", ".join(others[:-1]), others[-1]] if others[1:] else others)

    def _name(self, player: int) -> str:
        return self._names.get(player, f"player {player}")


def _numbers(mine: Value, theirs: Value) -> tuple[int, int]:
    """The first numbers of two values that differ."""
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        return next((a, b) for a, b in zip(mine, theirs, strict=False) if a != b)
    if isinstance(mine, int) and isinstance(theirs, int):
        return mine, theirs
    raise EngineFault("one metric has values of two kinds")
