"""What readers are told of predictions: what can be said, how many say what, and who knew best.

Everything is counted from the results as they stand now, so that a correction counts at once. The
number of queries depends neither on how many predict nor on how many death matches there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from django.core.cache import cache
from django.db.models import Count, Exists, F, OuterRef, Q
from redis.exceptions import RedisError

from accounts.models import User
from core.refusals import Refusal, refusal_of
from games.models import Prediction
from tournaments import audience
from tournaments.lifecycle import (
    SEASON_OVER,
    ContestantStatus,
    DeathMatchStatus,
    How,
    SeasonStatus,
)
from tournaments.models import Contestant, DeathMatch, SeasonPrediction
from tournaments.predicting import Ranked, Tally, ranked, together
from tournaments.reading.death_matches import DeathMatchWithLegs
from tournaments.reading.sheet import Sheet
from tournaments.services.predictions import (
    must_be_a_spectator,
    must_be_on_the_page,
    must_be_open_for_winner,
)

#: What was decided by what happened there, or by a ruling on it. Nobody foresees that somebody does
#: not come.
_COUNTS = (How.PLAYED, How.RULING)
# Where the match was void, and its players have not met again since.
_SAID_ANEW: Final = Exists(
    SeasonPrediction.objects.filter(
        death_match__legs__match=OuterRef("match"), user=OuterRef("user")
    )
)
#: How long it is kept who knew best, in seconds.
BEST_KEPT_S: Final = 300
_Key: TypeAlias = int | None  # a death match; None: the season


class Share(NamedTuple):
    """How many think that a contestant wins, and of a hundred how many that are."""

    contestant: Contestant
    number: int
    percent: int


@dataclass(frozen=True)
class Asked:
    """Something of which it can be said who wins.

    row      the death match; None: the season itself
    choices  who may win it
    closed   why it cannot be said on the season's page; None: it can
    match    where it has begun, and is one match, that match: it is said there
    yours    whom the reader has named
    winner   who has won, once that counts
    shares   how many say what; None where the reader is not told
    """

    row: DeathMatch | None
    choices: tuple[Contestant, ...]
    closed: Refusal | None
    match: int | None
    yours: Contestant | None
    winner: Contestant | None
    shares: tuple[Share, ...] | None

    @property
    def open(self) -> bool:
        """Whether it can be said on the season's page."""
        return self.closed is None

    @property
    def right(self) -> bool | None:
        """Whether the reader was right; None where nothing is decided, or they have named nobody
        of these."""
        if self.winner is None or self.yours is None:
            return None
        return self.yours.pk == self.winner.pk


class Line(NamedTuple):
    """A line of the table, with whose it is."""

    ranked: Ranked
    user: User


@dataclass(frozen=True)
class Predictions:
    """The predictions of a season, as one reader is told of them.

    refusal       why the reader cannot predict; None: they can, or nobody is signed in
    winner        the season itself
    death_matches what is not decided, in order
    decided       what is, the latest first
    table         everybody of whose predictions something is decided, the best first
    """

    refusal: Refusal | None
    winner: Asked
    death_matches: list[Asked]
    decided: list[Asked]
    table: list[Ranked]

    def own(self, user: Any) -> Ranked | None:
        """The reader's line."""
        return next((each for each in self.table if each.tally.user == user.pk), None)


def predictions_of(sheet: Sheet, user: Any) -> Predictions:
    """What ``user`` (or nobody) is told of the predictions of a season."""
    reader = user if isinstance(user, User) else None
    refusal = None
    if reader is not None:
        refusal = refusal_of(must_be_a_spectator, sheet.season, reader)
    told = _Told(sheet, reader)
    decided = [told.death_match(each) for each in sheet.decided if _has_two(each.row)]
    ahead = [
        told.death_match(each)
        for each in sheet.with_legs
        if _has_two(each.row) and each.row.status != DeathMatchStatus.DECIDED
    ]
    return Predictions(refusal, told.season(), ahead, decided, table_of(sheet))


def _has_two(row: DeathMatch) -> bool:
    """Whether there is anything to be said of a death match."""
    return None not in (row.home_id, row.away_id) and row.status != DeathMatchStatus.VOID


def lines_of(rows: Iterable[Ranked]) -> list[Line]:
    """Lines of a table with their people."""
    found = list(rows)
    people = User.objects.in_bulk([each.tally.user for each in found])
    return [Line(each, people[each.tally.user]) for each in found if each.tally.user in people]


def best_of(sheet: Sheet) -> list[Line]:
    """Who knew best in a season that is over: all who share the first place, nobody without a
    point, nor while the season is on or where it was called off."""
    season = sheet.season
    if season.status != SeasonStatus.FINISHED or not season.predictions:
        return []
    # The whole table is read for it: once for as long as pages of a season are kept.
    key = f"knew-best:{season.uid}:{season.revision}"
    kept: list[Ranked] | None = _ask_cache(lambda: cache.get(key))
    if kept is None:
        kept = [each for each in table_of(sheet) if each.rank == 1 and each.tally.points]
        found = kept
        _ask_cache(lambda: cache.set(key, found, BEST_KEPT_S))
    return lines_of(kept)


def _ask_cache(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except RedisError:
        return None


def table_of(sheet: Sheet) -> list[Ranked]:
    """The table of a season's predictors."""
    return ranked(together([*_said_here(sheet), *_said_at_matches(sheet)]))


def _said_here(sheet: Sheet) -> list[Tally]:
    """Counted of what stands with the season: who wins it, and death matches of several matches or
    none."""
    of_match = Q(death_match__status=DeathMatchStatus.DECIDED, death_match__how__in=_COUNTS)
    won = _is(sheet, "death_match__winner")
    played = _is(sheet, "death_match__home") | _is(sheet, "death_match__away")
    named = Q(death_match=None) & (Q() if _winner(sheet) else Q(pk__in=[]))
    champion = named & Q(contestant__in=_line_of(sheet, _winner(sheet)))
    rows = SeasonPrediction.objects.filter(
        audience.predictors_of(sheet.season), season=sheet.season
    ).order_by()
    counted = rows.values("user").annotate(
        right=Count("pk", filter=of_match & won),
        of=Count("pk", filter=of_match & played),
        named=Count("pk", filter=named),
        champion=Count("pk", filter=champion),
    )
    return [
        Tally(
            each["user"],
            each["right"],
            each["of"],
            each["champion"] > 0 if each["named"] else None,
        )
        for each in counted
    ]


def _said_at_matches(sheet: Sheet) -> list[Tally]:
    """Counted of what stands at matches: death matches that are one match, and have begun."""
    won: tuple[list[int], list[int]] = ([], [])
    for each in sheet.decided:
        match_id = _match_of(each)
        if match_id is not None and each.row.how in _COUNTS:
            won[0 if each.row.winner_id == each.row.home_id else 1].append(match_id)
    matches = [*won[0], *won[1]]
    if not matches:
        return []
    rows = Prediction.objects.filter(audience.predictors_of(sheet.season), match__in=matches)
    rows = rows.exclude(_SAID_ANEW).order_by()
    right = Q(match__in=won[0], seat=0) | Q(match__in=won[1], seat=1)
    counted = rows.values("user").annotate(right=Count("pk", filter=right), of=Count("pk"))
    return [Tally(each["user"], each["right"], each["of"]) for each in counted]


def _match_of(found: DeathMatchWithLegs) -> int | None:
    """The latest match of a death match that is one match; None where there is none yet, or it has
    several."""
    if found.row.best_of > 1:
        return None
    played = [each.match_id for each in found.legs if each.match_id is not None]
    return played[-1] if played else None


def _winner(sheet: Sheet) -> Contestant | None:
    pk = sheet.season.winner_id
    return None if pk is None else sheet.by_id[pk]


def _line_of(sheet: Sheet, contestant: Contestant | None) -> list[int]:
    """A contestant, and those whose place they took over, one after another."""
    found: list[int] = []
    while contestant is not None:
        found.append(contestant.pk)
        before = contestant.replaces_id
        contestant = None if before is None else sheet.by_id[before]
    return found


def _is(sheet: Sheet, side: str) -> Q:
    """Whether the contestant who was named is this one of a death match, or held their place
    before."""
    found = Q(contestant=F(side))
    heirs: dict[int, list[int]] = {}
    for each in sheet.contestants:
        for before in _line_of(sheet, each)[1:]:
            heirs.setdefault(before, []).append(each.pk)
    for before, after in heirs.items():
        found |= Q(contestant=before, **{f"{side}__in": after})
    return found


class _Told:
    """What one reader is told, read once for all that can be predicted."""

    def __init__(self, sheet: Sheet, reader: User | None) -> None:
        self._sheet = sheet
        self._sees = audience.may_see_shares(sheet.season, reader)
        matches = [pk for each in sheet.with_legs if (pk := _match_of(each)) is not None]
        own = Q(pk__in=[]) if reader is None else Q(user=reader)
        here = SeasonPrediction.objects.filter(season=sheet.season).order_by()
        counts = here.filter(audience.predictors_of(sheet.season)).values_list(
            "death_match", "contestant"
        )
        self._lines = {each.pk: _line_of(sheet, each) for each in sheet.contestants}
        self._sides: dict[_Key, list[int]] = {
            row.pk: [pk for pk in (row.home_id, row.away_id) if pk is not None]
            for row in sheet.death_matches
        }
        self._sides[None] = [
            each.pk for each in sheet.contestants if each.status != ContestantStatus.REPLACED
        ]
        self._here: dict[_Key, dict[int, int]] = {}
        for key, contestant, count in counts.annotate(n=Count("pk")):
            of_this = self._here.setdefault(key, {})
            holder = self._holder(contestant, key)
            of_this[holder] = of_this.get(holder, 0) + count
        said = here.filter(own).values_list("death_match", "contestant")
        self._own: dict[_Key, int] = {
            key: self._holder(contestant, key) for key, contestant in said
        }
        at_matches = Prediction.objects.filter(match__in=matches).order_by()
        # At a match others may say it, too: who plays in the season, but not there.
        last = at_matches.filter(audience.predictors_of(sheet.season)).exclude(_SAID_ANEW)
        by_seat = last.values_list("match", "seat").annotate(n=Count("pk"))
        self._at_matches = {(match, seat): count for match, seat, count in by_seat}
        self._own_seats = dict(at_matches.filter(own).values_list("match", "seat"))

    def season(self) -> Asked:
        """Of the season itself."""
        sheet = self._sheet
        season, mine = sheet.season, self._own.get(None)
        closed = refusal_of(must_be_open_for_winner, season)
        over = season.status in SEASON_OVER
        counts = self._here.get(None, {})
        people = [each for each in sheet.contestants if each.pk in counts]
        people.sort(key=lambda each: (-counts[each.pk], each.seed or 0, each.pk))
        sees = over or (self._sees and (mine is not None or closed is not None))
        return Asked(
            row=None,
            choices=tuple(sheet.still_in),
            closed=closed,
            match=None,
            yours=None if mine is None else sheet.by_id[mine],
            winner=_winner(sheet),
            shares=_shares([(each, counts[each.pk]) for each in people]) if sees else None,
        )

    def death_match(self, found: DeathMatchWithLegs) -> Asked:
        """Of a death match whose two sides are known."""
        row = found.row
        sides = tuple(each for each in (row.home, row.away) if each is not None)
        closed = refusal_of(must_be_on_the_page, row)
        match_id = _match_of(found)
        counts = [self._here.get(row.pk, {}).get(each.pk, 0) for each in sides]
        mine = self._own.get(row.pk)
        if match_id is not None:
            counts = [n + self._at_matches.get((match_id, s), 0) for s, n in enumerate(counts)]
            if mine is None and match_id in self._own_seats:
                mine = sides[self._own_seats[match_id]].pk
        yours = next((each for each in sides if each.pk == mine), None)
        decided = row.status == DeathMatchStatus.DECIDED
        begun = match_id if row.status == DeathMatchStatus.RUNNING else None
        # Where it is said at the match, those who watch are told there.
        told = closed is not None and begun is None
        sees = decided or (self._sees and (yours is not None or told))
        return Asked(
            row=row,
            choices=sides,
            closed=closed,
            match=begun,
            yours=yours,
            winner=row.winner if decided and row.how in _COUNTS else None,
            shares=_shares(list(zip(sides, counts, strict=True))) if sees else None,
        )

    def _holder(self, named: int, key: _Key) -> int:
        """Who stands for somebody who was named: of the sides of a death match, or of everybody
        who has a place, whoever holds theirs; themselves where nobody does."""
        sides = self._sides.get(key, ())
        if named in sides:
            return named
        return next((pk for pk in sides if named in self._lines[pk]), named)


def _shares(counts: list[tuple[Contestant, int]]) -> tuple[Share, ...]:
    every = sum(count for _, count in counts)
    return tuple(
        Share(each, count, round(100 * count / every) if every else 0) for each, count in counts
    )
