"""Leaderboards: who stands where, read from the ladders or made of any set of matches.

Everything here is public. Closed accounts are left out; their results still count for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from accounts.models import User
from core.clock import now_utc
from core.refusals import NotFound, NotUnderstood
from games.models import Match
from games.ratings import keys
from games.ratings.models import OVERALL, Rating, RatingLadder, RatingPoint
from games.ratings.rating import PROVISIONAL_SIGMA, Change, RatingStanding, Strength, rate
from games.ratings.results import results_of
from games.rulesets import REGISTRY

PAGE = 50
SPARK = 30
FORM = 10
TREND = timedelta(days=30)


class Wanted(NamedTuple):
    """What a leaderboard is narrowed to. ``games``: at least so many; ``days``: active within so
    many, 0 for ever; whether bots and provisional ratings are in it."""

    games: int = 1
    days: int = 0
    bots: bool = True
    provisional: bool = True

    @property
    def query(self) -> dict[str, str]:
        """As parameters of an address, without what is usual."""
        parameters = {
            "games": "" if self.games <= 1 else str(self.games),
            "days": str(self.days or ""),
            "bots": "" if self.bots else "hide",
            "provisional": "" if self.provisional else "hide",
        }
        return {name: value for name, value in parameters.items() if value}


class Cursor(NamedTuple):
    """A place between two rows: right behind (or before) the player with this rating."""

    shown: int
    user: int
    backwards: bool = False

    def __str__(self) -> str:
        return f"{'b' if self.backwards else 'a'}{self.shown}.{self.user}"

    @classmethod
    def read(cls, text: str) -> Cursor:
        """The cursor of an address. Raises Refusal ``cursor.invalid``."""
        direction, (shown, _, user) = text[:1], text[1:].partition(".")
        plain = shown.removeprefix("-").isdigit() and user.isdigit() and text.isascii()
        if direction not in {"a", "b"} or not plain or len(text) > 30:
            raise NotUnderstood("cursor.invalid", "This cursor is not one of ours.")
        if abs(int(shown)) >= 2**31 or int(user) >= 2**63:
            raise NotUnderstood("cursor.invalid", "This cursor is not one of ours.")
        return cls(int(shown), int(user), direction == "b")


@dataclass(frozen=True)
class RatedPlayer:
    """Whose row it is: what pages write of a user."""

    pk: int
    username: str
    shown_name: str
    is_bot: bool

    def get_absolute_url(self) -> str:
        """The public page."""
        return reverse("profile", args=[self.username])

    @classmethod
    def of(cls, user: User) -> RatedPlayer:
        """The player whose account this is."""
        return cls(user.pk, user.username, user.shown_name, user.is_bot)


@dataclass(frozen=True)
class BoardRow:
    """One line of a leaderboard. Players with the same rating share a rank: ``shared``.

    ``trend`` is by how much the rating shown went up within thirty days, None for somebody who had
    none before; ``form`` the latest results, the latest last; ``spark`` the ratings shown after
    each of the latest matches, with the one before them.
    """

    rank: int
    shared: bool
    player: RatedPlayer
    strength: Strength
    games: int
    wins: int
    opponents: int
    peak: int
    last_played: datetime
    trend: int | None = None
    form: tuple[bool, ...] = ()
    spark: tuple[int, ...] = ()

    @property
    def losses(self) -> int:
        """Matches lost."""
        return self.games - self.wins

    @property
    def win_rate(self) -> int:
        """Matches won, in percent."""
        return round(100 * self.wins / self.games)


@dataclass(frozen=True)
class Board:
    """A leaderboard, or a page of one."""

    ladder: str
    rows: Sequence[BoardRow]
    total: int
    changed_at: datetime | None
    wanted: Wanted = field(default_factory=Wanted)
    after: Cursor | None = None
    before: Cursor | None = None


def ladder_named(name: str) -> str:
    """The ladder of this name. Raises Refusal ``leaderboard.none``."""
    if name == OVERALL or any(ruleset.id == name for ruleset in REGISTRY):
        return name
    raise NotFound("leaderboard.none", "There is no such leaderboard.")


def ladder_name(ladder: str) -> str:
    """What a ladder is called."""
    return "All games" if ladder == OVERALL else REGISTRY.get(ladder).name


def ladders() -> list[tuple[str, str]]:
    """Every ladder by its id and its name, all games together first."""
    return [(OVERALL, ladder_name(OVERALL)), *((each.id, each.name) for each in REGISTRY)]


# -- pages of a ladder ---------------------------------------------------------------------------


def board_page(
    ladder: str, wanted: Wanted, *, cursor: Cursor | None = None, size: int = PAGE
) -> Board:
    """A page of a ladder's leaderboard, straight from the database: six queries at most."""
    rated = ratings_wanted(ladder, wanted)
    found = _behind(rated, cursor, size + 1)
    backwards = cursor is not None and cursor.backwards
    more = len(found) > size
    ratings = found[:size][::-1] if backwards else found[:size]
    if not ratings:
        above = rated.aggregate(total=Count("pk"))
        return Board(ladder, (), above["total"], _last_change_of(ladder), wanted)
    first, last = ratings[0], ratings[-1]
    counts = rated.aggregate(
        total=Count("pk"),
        above=Count("pk", filter=Q(shown__gt=first.shown)),
        beside=Count("pk", filter=Q(shown=first.shown, user__lt=first.user_id)),
        tied_below=Count("pk", filter=Q(shown=last.shown, user__gt=last.user_id)),
    )
    position = counts["above"] + counts["beside"]
    has_previous = position > 0
    has_next = more or backwards
    return Board(
        ladder=ladder,
        rows=_rows(ladder, ratings, counts["above"], position, bool(counts["tied_below"])),
        total=counts["total"],
        changed_at=_last_change_of(ladder),
        wanted=wanted,
        after=Cursor(last.shown, last.user_id) if has_next else None,
        before=Cursor(first.shown, first.user_id, True) if has_previous else None,
    )


def ranked(prefix: str = "") -> Q:
    """What makes a rating one that a ladder's leaderboard lists: an open account, and enough
    matches against enough different players."""
    asked = {
        "games__gte": settings.GAUNTLET_RANKED_MATCHES,
        "opponents__gte": settings.GAUNTLET_RANKED_OPPONENTS,
        "user__is_active": True,
    }
    return Q(**{f"{prefix}{name}": value for name, value in asked.items()})


def is_ranked(rating: Rating) -> bool:
    """Whether somebody whose account is open stands on a ladder's leaderboard."""
    return (
        rating.games >= settings.GAUNTLET_RANKED_MATCHES
        and rating.opponents >= settings.GAUNTLET_RANKED_OPPONENTS
    )


def ranked_words() -> str:
    """Who stands on a leaderboard, in a sentence."""
    matches, players = settings.GAUNTLET_RANKED_MATCHES, settings.GAUNTLET_RANKED_OPPONENTS
    return (
        f"Ranked is who has {matches} rated match{'' if matches == 1 else 'es'} or more, against "
        f"{players} different player{'' if players == 1 else 's'} or more."
    )


def ratings_wanted(ladder: str, wanted: Wanted) -> QuerySet[Rating]:
    """The ratings of a ladder that a leaderboard lists, in no order yet."""
    rated = Rating.objects.filter(ranked(), ladder=ladder)
    if wanted.games > 1:
        rated = rated.filter(games__gte=wanted.games)
    if wanted.days:
        rated = rated.filter(last_played__gte=now_utc() - timedelta(days=wanted.days))
    if not wanted.bots:
        rated = rated.filter(user__is_bot=False)
    if not wanted.provisional:
        rated = rated.filter(sigma__lte=PROVISIONAL_SIGMA)
    return rated


def _behind(rated: QuerySet[Rating], cursor: Cursor | None, count: int) -> list[Rating]:
    down = cursor is None or not cursor.backwards
    if cursor is not None and down:
        rated = rated.filter(shown__lte=cursor.shown).filter(
            Q(shown__lt=cursor.shown) | Q(user__gt=cursor.user)
        )
    elif cursor is not None:
        rated = rated.filter(shown__gte=cursor.shown).filter(
            Q(shown__gt=cursor.shown) | Q(user__lt=cursor.user)
        )
    order = ("-shown", "user") if down else ("shown", "-user")
    return list(rated.select_related("user").order_by(*order)[:count])


def _rows(
    ladder: str, ratings: Sequence[Rating], above: int, position: int, tied_below: bool
) -> tuple[BoardRow, ...]:
    users = [rating.user_id for rating in ratings]
    courses = _courses(ladder, ratings)
    then = _ratings_at(ladder, users, now_utc() - TREND)
    ranked = _ranks([rating.shown for rating in ratings], above, position, tied_below)
    return tuple(
        BoardRow(
            rank=rank,
            shared=shared,
            player=RatedPlayer.of(rating.user),
            strength=rating.strength,
            games=rating.games,
            wins=rating.wins,
            opponents=rating.opponents,
            peak=rating.peak,
            last_played=rating.last_played,
            trend=rating.shown - then[rating.user_id] if rating.user_id in then else None,
            form=_form(courses.get(rating.user_id, ())),
            spark=_spark(courses.get(rating.user_id, ())),
        )
        for rating, (rank, shared) in zip(ratings, ranked, strict=True)
    )


def _ranks(
    shown: Sequence[int], above: int, position: int, tied_below: bool
) -> list[tuple[int, bool]]:
    """Rank and whether it is shared, of ratings in order: ``above`` players have more than the
    first, ``position`` stand before it, and ``tied_below`` says that the last has an equal on the
    next page."""
    ranks: list[int] = []
    for number, value in enumerate(shown):
        if number == 0:
            ranks.append(above + 1)
        elif value == shown[number - 1]:
            ranks.append(ranks[-1])
        else:
            ranks.append(position + number + 1)
    holders = Counter(ranks)
    return [
        (
            rank,
            holders[rank] > 1
            or (number == 0 and above < position)
            or (number == len(ranks) - 1 and tied_below),
        )
        for number, rank in enumerate(ranks)
    ]


def _courses(ladder: str, ratings: Iterable[Rating]) -> dict[int, list[RatingPoint]]:
    """The latest points of these players, in order."""
    latest = Q()
    for rating in ratings:
        latest |= Q(user=rating.user_id, games__gt=rating.games - SPARK)
    points = RatingPoint.objects.filter(latest, ladder=ladder).order_by("user", "games")
    courses: dict[int, list[RatingPoint]] = {}
    for point in points.only("user", "shown", "shown_before", "won"):
        courses.setdefault(point.user_id, []).append(point)
    return courses


def _form(course: Sequence[RatingPoint]) -> tuple[bool, ...]:
    return tuple(point.won for point in course[-FORM:])


def _spark(course: Sequence[RatingPoint]) -> tuple[int, ...]:
    return (course[0].shown_before, *(point.shown for point in course)) if course else ()


def _ratings_at(ladder: str, users: Sequence[int], when: datetime) -> dict[int, int]:
    """What these players' ratings were at an instant, of those that had one."""
    points = (
        RatingPoint.objects.filter(ladder=ladder, user__in=users, at__lte=when)
        .order_by("user", "-games")
        .distinct("user")
        .values_list("user", "shown")
    )
    return dict(points)


def _last_change_of(ladder: str) -> datetime | None:
    return RatingLadder.objects.filter(pk=ladder).values_list("changed_at", flat=True).first()


# -- any set of matches --------------------------------------------------------------------------


def leaderboard_of(matches: QuerySet[Match], *, name: str, wanted: Wanted | None = None) -> Board:
    """The leaderboard of any matches, a season's for example: ratings as if nothing else had been
    played, everybody beginning anew. All rows, no pages; whoever arranged the matches has said who
    meets whom, so everybody is ranked.

    Void and imported matches and those that were ruled out are left out, as everywhere. Kept in
    the cache under ``name`` (which must belong to this set of matches alone) until the next result
    of the site has been rated, and for five minutes at most.
    """
    wanted = wanted or Wanted()

    def make() -> Board:
        return _board_of(matches, name, wanted)

    return keys.kept(OVERALL, keys.version_of(OVERALL), f"{name} {wanted!r}", make)


def _board_of(matches: QuerySet[Match], name: str, wanted: Wanted) -> Board:
    standings, changes = rate(results_of(matches))
    users = User.objects.filter(pk__in=standings.keys(), is_active=True).in_bulk()
    chosen = sorted(
        (
            (standing, users[user])
            for user, standing in standings.items()
            if user in users and _is_wanted(standing, users[user], wanted)
        ),
        key=lambda each: (-each[0].strength.shown, each[1].pk),
    )
    courses: dict[int, list[Change]] = {}
    for change in changes:
        courses.setdefault(change.user, []).append(change)
    ranked = _ranks([standing.strength.shown for standing, _ in chosen], 0, 0, False)
    rows = [
        _row_of(standing, RatedPlayer.of(user), courses[user.pk], rank)
        for (standing, user), rank in zip(chosen, ranked, strict=True)
    ]
    changed = max((standing.at for standing in standings.values()), default=None)
    return Board(name, tuple(rows), len(rows), changed, wanted)


def _is_wanted(standing: RatingStanding, user: User, wanted: Wanted) -> bool:
    return (
        standing.games >= wanted.games
        and (not wanted.days or standing.at >= now_utc() - timedelta(days=wanted.days))
        and (wanted.bots or not RatedPlayer.of(user).is_bot)
        and (wanted.provisional or not standing.strength.is_provisional)
    )


def _opponent(change: Change) -> int:
    return change.result.loser if change.won else change.result.winner


def _row_of(
    standing: RatingStanding, player: RatedPlayer, course: Sequence[Change], rank: tuple[int, bool]
) -> BoardRow:
    since = now_utc() - TREND
    then = [change.after.strength.shown for change in course if change.result.at <= since]
    latest = course[-SPARK:]
    return BoardRow(
        rank=rank[0],
        shared=rank[1],
        player=player,
        strength=standing.strength,
        games=standing.games,
        wins=standing.wins,
        opponents=len({_opponent(change) for change in course}),
        peak=standing.peak,
        last_played=standing.at,
        trend=standing.strength.shown - then[-1] if then else None,
        form=tuple(change.won for change in course[-FORM:]),
        spark=(latest[0].before.shown, *(change.after.strength.shown for change in latest)),
    )


# -- one player ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """Where somebody stands on one ladder, and how they came there: their latest points."""

    ladder: str
    name: str
    rating: Rating
    rank: int
    total: int
    points: Sequence[RatingPoint]
    ranked: bool

    @property
    def form(self) -> tuple[bool, ...]:
        """The latest results, the latest last."""
        return _form(self.points)


def player_ladders(user: User, *, at_most: int = 100) -> list[Seen]:
    """Every ladder that somebody stands on, all games first, with at most so many points each.
    Two queries, and one for each ladder."""
    ratings = {rating.ladder_id: rating for rating in Rating.objects.filter(user=user)}
    latest = Q()
    for rating in ratings.values():
        latest |= Q(ladder=rating.ladder_id, games__gt=rating.games - at_most)
    points: dict[str, list[RatingPoint]] = {}
    if ratings:
        own = RatingPoint.objects.filter(latest, user=user).order_by("ladder", "games")
        for point in own.select_related("opponent"):
            points.setdefault(point.ladder_id, []).append(point)
    seen = []
    for ladder, name in ladders():
        if ladder in ratings:
            rating = ratings[ladder]
            counts = ratings_wanted(ladder, Wanted()).aggregate(
                total=Count("pk"), above=Count("pk", filter=Q(shown__gt=rating.shown))
            )
            rank, total = counts["above"] + 1, counts["total"]
            latest_points = points.get(ladder, [])
            seen.append(Seen(ladder, name, rating, rank, total, latest_points, is_ranked(rating)))
    return seen
