"""What standings can be ordered by.

Each metric is declared: key, name, abbreviation, direction, explanation. Which of them count in a
season, and in which order, is data. To add one, write a function and declare it at the end.

**Rounds without an opponent** (byes, walkovers) follow the idea that the FIDE handbook's tie-break
regulations call a *dummy opponent*: for the winner's Buchholz and Sonneborn-Berger they count like
a match against somebody with the same points as the player's own. So a walkover never helps more
than its point. A walkover also counts so for the player who lost it. A rest (a bye without a
point), a void match and a round somebody was not entered for count for nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from core.refusals import Refusal, Together
from games.engine.errors import EngineFault
from tournaments.formats.field import Result, ResultBasis

#: A whole number, or several that are compared one after the other. None: does not apply.
Value = int | tuple[int, ...] | None


def value_text(value: Value) -> str:
    """What a metric came to, for people; a dash where it did not apply."""
    if value is None:
        return "\N{EN DASH}"
    return "/".join(str(each) for each in value) if isinstance(value, tuple) else str(value)


class LedgerLine(msgspec.Struct, frozen=True):
    """One settled result as one player sees it; ``opponent`` None for a bye."""

    opponent: int | None
    won: bool
    played: bool
    own_score: int
    their_score: int


class Ledger:
    """All that counts for each player, worked out once for all metrics.

    Open and void results, and rests, are left out. ``players`` are those who stand in the table;
    results of others raise EngineFault, for a table that leaves somebody out must be told so by
    leaving out their results too.
    """

    def __init__(self, players: Iterable[int], results: Iterable[Result]) -> None:
        self.lines: dict[int, list[LedgerLine]] = {player: [] for player in players}
        for result in results:
            if result.winner is not None:
                self._note(result, result.winner)
        self.points = {
            player: sum(line.won for line in lines) for player, lines in self.lines.items()
        }

    def _note(self, result: Result, winner: int) -> None:
        played = result.how is ResultBasis.PLAYED
        scores = {result.home: result.home_score, result.away: result.away_score}
        for player in result.sides:
            if player not in self.lines:
                raise EngineFault("a result of somebody who is not in the table")
            other = result.opponent_of(player)
            self.lines[player].append(
                LedgerLine(other, winner == player, played, scores[player], scores[other])
            )

    def opposition(self, player: int, line: LedgerLine) -> int:
        """Points of the opponent of a line; of the dummy opponent where it was not played."""
        if line.opponent is None or not line.played:
            return self.points[player]
        return self.points[line.opponent]


#: Values for players who are tied so far. Most metrics ignore who the others are.
Compute = Callable[[Ledger, Sequence[int]], Mapping[int, Value]]


class Metric(msgspec.Struct, frozen=True):
    """One declared metric. ``relative``: depends on who is tied, so it has no value elsewhere.
    ``unit``: what one of what it counts is called in a sentence, where that has a name."""

    key: str
    name: str
    abbreviation: str
    explanation: str
    compute: Compute
    direction: Literal["most", "fewest"] = "most"
    relative: bool = False
    unit: str = ""


def counted_text(metric: Metric, value: Value) -> str:
    """What a metric came to, and of what, as in a sentence: "1 pt", "3 pts", "BH 12"."""
    if isinstance(value, int) and metric.unit:
        return f"{value} {metric.unit}{'' if value == 1 else 's'}"
    return f"{metric.abbreviation} {value_text(value)}"


def _points(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {player: ledger.points[player] for player in tied}


def _wins(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {
        player: sum(line.won and line.played for line in ledger.lines[player]) for player in tied
    }


def _direct(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    """Points from matches among the tied; then, where some are level again, among those alone.

    A tuple, one number a stage. None for all where two of them have not met.
    """
    among = set(tied)
    against: dict[int, dict[int, int]] = {}
    for player in tied:
        mine: dict[int, int] = {}
        for line in ledger.lines[player]:
            if line.opponent is not None and line.opponent in among:
                mine[line.opponent] = mine.get(line.opponent, 0) + line.won
        if len(mine) != len(among) - 1:
            return dict.fromkeys(tied)
        against[player] = mine
    return dict(_stages(against, tied))


def _stages(
    against: Mapping[int, Mapping[int, int]], tied: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    scores = {
        player: sum(against[player][other] for other in tied if other != player) for player in tied
    }
    found: dict[int, tuple[int, ...]] = {}
    for score in set(scores.values()):
        level = [player for player in tied if scores[player] == score]
        deeper: Mapping[int, tuple[int, ...]] = (
            _stages(against, level) if 1 < len(level) < len(tied) else dict.fromkeys(level, ())
        )
        found |= {player: (score, *deeper[player]) for player in level}
    return found


def _opposition_scores(ledger: Ledger, player: int) -> list[int]:
    return sorted(ledger.opposition(player, line) for line in ledger.lines[player])


def _buchholz(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {player: sum(_opposition_scores(ledger, player)) for player in tied}


def _buchholz_cut(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {player: sum(_opposition_scores(ledger, player)[1:]) for player in tied}


def _median_buchholz(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {player: sum(_opposition_scores(ledger, player)[1:-1]) for player in tied}


def _sonneborn_berger(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {
        player: sum(ledger.opposition(player, line) for line in ledger.lines[player] if line.won)
        for player in tied
    }


def _game_points(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {player: sum(line.own_score for line in ledger.lines[player]) for player in tied}


def _game_difference(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {
        player: sum(line.own_score - line.their_score for line in ledger.lines[player])
        for player in tied
    }


def _byes(ledger: Ledger, tied: Sequence[int]) -> dict[int, Value]:
    return {
        player: sum(line.won and not line.played for line in ledger.lines[player])
        for player in tied
    }


METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            "points",
            "points",
            "Pts",
            "One for each match won, walkover or bye.",
            _points,
            unit="pt",
        ),
        Metric(
            "direct",
            "direct encounter",
            "DE",
            "Points from the matches of those who are tied against each other, walkovers included, "
            "if all of them have met; then again among those who are still level.",
            _direct,
            relative=True,
        ),
        Metric(
            "buchholz",
            "Buchholz",
            "BH",
            "The points of all opponents added up; a bye or walkover counts one's own points.",
            _buchholz,
        ),
        Metric(
            "buchholz-cut",
            "Buchholz without the lowest",
            "BH-C1",
            "Buchholz without the opponent who has the fewest points.",
            _buchholz_cut,
        ),
        Metric(
            "median-buchholz",
            "median Buchholz",
            "MBH",
            "Buchholz without the opponents who have the fewest and the most points.",
            _median_buchholz,
        ),
        Metric(
            "sonneborn-berger",
            "Sonneborn-Berger",
            "SB",
            "The points of all opponents one has beaten; a bye or walkover counts one's own.",
            _sonneborn_berger,
        ),
        Metric(
            "game-points",
            "game points",
            "GP",
            "What the rulesets count, added up over all matches.",
            _game_points,
            unit="game point",
        ),
        Metric(
            "game-difference",
            "game point difference",
            "GD",
            "One's own game points less those of the opponents.",
            _game_difference,
        ),
        Metric(
            "wins",
            "matches won at the table",
            "W",
            "Matches won by playing them: byes and walkovers do not count.",
            _wins,
            unit="win",
        ),
        Metric(
            "byes",
            "points without playing",
            "Byes",
            "Points from byes and walkovers: fewer are better.",
            _byes,
            direction="fewest",
        ),
    )
}


def order_of(keys: Sequence[str]) -> tuple[Metric, ...]:
    """The metrics of these keys.

    Raises Refusal ``standings.unknown`` for every key that does not exist, ``standings.twice`` for
    one that was named before, each with its row; ``standings.empty`` for none at all.
    """
    if not keys:
        raise Refusal("standings.empty", "Standings need at least one metric to be ordered by.")
    faults = Together()
    for number, key in enumerate(keys):
        with faults.of(number):
            must_be_metric(key, keys[:number])
    faults.settle()
    return tuple(METRICS[key] for key in keys)


def must_be_metric(key: str, before: Sequence[str]) -> None:
    """Raises Refusal ``standings.unknown``, and ``standings.twice`` for one of those ``before``."""
    if key not in METRICS:
        raise Refusal("standings.unknown", f"There is no metric {key!r}.")
    if key in before:
        raise Refusal("standings.twice", f"The metric {key!r} is named twice.")
