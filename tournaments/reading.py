"""What pages show of a season. Nothing here changes anything.

A page makes one `Sheet` and asks it; each part is read when it is first asked for, with a number of
queries that does not depend on how large the season is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.functional import cached_property

from accounts.models import User
from core.refusals import NotFound, Refusal, refusal_of
from games import words
from games.models import Match
from tournaments.course import Course
from tournaments.formats.base import Format
from tournaments.formats.registry import FORMATS, format_of
from tournaments.formats.single_elimination import rules as brackets
from tournaments.items import catalogue
from tournaments.lifecycle import (
    PLAYABLE,
    SETTLED,
    STILL_IN,
    UNDECIDED,
    ContestantStatus,
    DeathMatchStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    Leg,
    Placement,
    Round,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.services.guards import must_manage
from tournaments.standings.table import StandingsTable

# What an organiser decided, with the reason: the kinds of events that the page of rulings lists.
RULINGS: Final = (
    "ruling",
    "death-match.corrected",
    "death-match.void",
    "death-match.no-show",
    "round.reopened",
    "season.cancelled",
    "episode.skipped",
    "contestant.replaced",
    "contestant.withdrawn",
    "contestant.restored",
    "item.taken-back",
)
# Of those, what is no action of its own: nobody gave a reason for it, or no organiser did it.
_FOLLOWS: Final = (
    Q(kind="round.reopened", data__why="")
    | (Q(kind="contestant.restored") & ~Q(data__has_key="why"))
    | (Q(kind="episode.skipped") & ~Q(data__has_key="by"))
    | (Q(kind="contestant.withdrawn") & ~Q(data__has_key="by"))
)
# Said of every turn and reminder: worth a push, not worth a line in a history.
FLEETING: Final = ("death-match.turn", "death-match.reminder")


def season_for(slug: str, user: Any) -> Season:
    """The season of that address, if ``user`` may know of it. Raises Refusal ``season.none``."""
    seasons = Season.objects.visible_to(user).select_related("winner")
    season = seasons.filter(slug=slug).first()
    if season is None:
        raise NotFound("season.none", "There is no such season.")
    return season


# -- lists of seasons ----------------------------------------------------------------------------


def seasons_listed(viewer: Any) -> QuerySet[Season]:
    """The seasons that ``viewer`` may see, fit for lists."""
    playing = Count("contestants", filter=~Q(contestants__status=ContestantStatus.REPLACED))
    ours = _in_contention().filter(season=OuterRef("pk")).order_by()
    left = Coalesce(Subquery(ours.values("season").annotate(n=Count("pk")).values("n")), 0)
    seasons: QuerySet[Season] = Season.objects.visible_to(viewer)
    return seasons.select_related("winner").annotate(entered=playing, left=left)


def _in_contention() -> QuerySet[Contestant]:
    """Who may still win their season."""
    lost = DeathMatch.objects.filter(
        Q(home=OuterRef("pk")) | Q(away=OuterRef("pk")), status=DeathMatchStatus.DECIDED
    ).exclude(winner=OuterRef("pk"))
    once = [each.key for each in FORMATS.values() if each.loses_once]
    beaten = Q(season__format__in=once) & Q(Exists(lost))
    return Contestant.objects.filter(status=ContestantStatus.ACTIVE).exclude(beaten)


def seasons_by_stage(viewer: Any, *, at_most: int = 60) -> dict[str, list[Season]]:
    """Public seasons as `running`, `enrolling` and `over`; archived ones are on no list but their
    own organisers'."""
    listed = seasons_listed(viewer).filter(visibility=Visibility.LISTED)
    over = listed.filter(status__in=[SeasonStatus.FINISHED, SeasonStatus.CANCELLED])
    return {
        "running": list(
            listed.filter(status=SeasonStatus.RUNNING).order_by("-changed_at")[:at_most]
        ),
        "enrolling": list(
            listed.filter(status=SeasonStatus.ENROLLING).order_by("-created_at")[:at_most]
        ),
        "over": list(over.order_by("-finished_at")[:at_most]),
    }


def seasons_run_by(user: User) -> list[Season]:
    """The seasons whose organiser ``user`` is, drafts and archived ones included."""
    return list(seasons_listed(user).filter(organisers__user=user).order_by("-changed_at"))


def contestancies_of(person: User, viewer: Any) -> list[Contestant]:
    """Where somebody played, the latest first, of the seasons that ``viewer`` may see."""
    rows = Contestant.objects.filter(user=person, season__in=Season.objects.visible_to(viewer))
    return list(rows.select_related("season__winner").order_by("-enrolled_at")[:20])


# -- one season ----------------------------------------------------------------------------------


class Appointment(NamedTuple):
    """A leg that has a time, or waits for one."""

    death_match: DeathMatch
    leg: Leg


class ItemHistory(NamedTuple):
    """An item with all that happened to it."""

    gift: Gift
    name: str
    text: str
    history: list[ItemEvent]


class Sheet:
    """A season read for pages. Rows are linked to each other, so that following them from one to
    another (a match's sides, a round's season) asks the database nothing."""

    def __init__(self, season: Season) -> None:
        self.season = season
        self._barred: dict[int, Refusal | None] = {}

    def must_be_managed_by(self, user: User) -> None:
        """As `guards.must_manage`, which is asked once for each reader."""
        if user.pk not in self._barred:
            self._barred[user.pk] = refusal_of(must_manage, self.season, user)
        refusal = self._barred[user.pk]
        if refusal is not None:
            raise refusal

    @cached_property
    def format(self) -> Format:
        """How it is played."""
        return format_of(self.season.format)

    # -- people ----------------------------------------------------------------------------------

    @cached_property
    def contestants(self) -> list[Contestant]:
        """Everybody who ever entered, by seed."""
        rows = Contestant.objects.filter(season=self.season).select_related("user")
        found = list(rows.order_by(F("seed").asc(nulls_last=True), "pk"))
        for each in found:
            each.season = self.season
        return found

    @cached_property
    def by_id(self) -> dict[int, Contestant]:
        """Everybody by primary key."""
        return {each.pk: each for each in self.contestants}

    @cached_property
    def organisers(self) -> list[User]:
        """Who runs the season."""
        rows = SeasonOrganiser.objects.filter(season=self.season).select_related("user")
        return [row.user for row in rows.order_by("pk")]

    @cached_property
    def still_in(self) -> list[Contestant]:
        """Those who have not left."""
        return [each for each in self.contestants if each.status in STILL_IN]

    @cached_property
    def for_third(self) -> frozenset[int]:
        """Who is in and has lost where one loss is enough: they play for a place behind."""
        if not self.format.loses_once:
            return frozenset()
        beaten = {
            side
            for row in self.death_matches
            if row.status == DeathMatchStatus.DECIDED
            for side in (row.home_id, row.away_id)
            if side is not None and side != row.winner_id
        }
        return frozenset(each.pk for each in self.still_in if each.pk in beaten)

    @property
    def in_contention(self) -> list[Contestant]:
        """Those who may still win the season."""
        return [each for each in self.still_in if each.pk not in self.for_third]

    @cached_property
    def by_standing(self) -> list[Contestant]:
        """Everybody, the best off first: the winner, who is still in, who left last."""
        order = {ContestantStatus.ACTIVE: 0, ContestantStatus.ENROLLED: 0}
        never = datetime.max.replace(tzinfo=timezone.get_default_timezone())

        def key(each: Contestant) -> tuple[Any, ...]:
            if each.pk == self.season.winner_id:
                return (-1, 0, 0, 0)
            stage = order.get(ContestantStatus(each.status), 1)
            left = each.left_at or never
            return (stage, each.place or 10**6, -left.timestamp() if stage else 0, each.seed or 0)

        return sorted(self.contestants, key=key)

    # -- rounds and matches ----------------------------------------------------------------------

    @cached_property
    def rounds(self) -> list[Round]:
        """The rounds so far, each with its `episode` (None where it is none) as `told`, whose
        `places` are the placements of its main match."""
        rows = list(Round.objects.filter(season=self.season).order_by("number"))
        found = Episode.objects.filter(round__season=self.season).prefetch_related(
            Prefetch("placements", Placement.objects.order_by("place", "pk"))
        )
        episodes = {episode.round_id: episode for episode in found}
        for row in rows:
            row.season = self.season
            episode = episodes.get(row.pk)
            row.told = episode  # type: ignore[attr-defined]
            if episode is not None:
                episode.round = row
                self._link(episode, "ec", "dmo")
                episode.places = list(episode.placements.all())  # type: ignore[attr-defined]
                for placement in episode.places:  # type: ignore[attr-defined]
                    self._link(placement, "contestant")
        return rows

    @cached_property
    def death_matches(self) -> list[DeathMatch]:
        """Every death match in order, with its legs (:func:`with_legs`)."""
        rows = DeathMatch.objects.filter(round__season=self.season)
        rounds = {each.pk: each for each in self.rounds}
        found = with_legs(rows.order_by("round__number", "number"))
        for row in found:
            row.round = rounds[row.round_id]
            self._link(row, "home", "away", "winner")
        return found

    def _link(self, row: Any, *names: str) -> None:
        for name in names:
            pk = getattr(row, f"{name}_id")
            if pk is not None:
                setattr(row, name, self.by_id[pk])

    @cached_property
    def by_round(self) -> list[tuple[Round, list[DeathMatch]]]:
        """The rounds with their death matches, void ones left out."""
        found: dict[int, list[DeathMatch]] = defaultdict(list)
        for row in self.death_matches:
            if row.status != DeathMatchStatus.VOID:
                found[row.round_id].append(row)
        return [(each, found[each.pk]) for each in self.rounds]

    def round(self, number: int) -> Round:
        """The round of that number. Raises Refusal ``round.none``."""
        for each in self.rounds:
            if each.number == number:
                return each
        raise NotFound("round.none", "There is no such round.")

    def death_match(self, pk: int) -> DeathMatch:
        """The death match of that number. Raises Refusal ``death-match.none``."""
        for each in self.death_matches:
            if each.pk == pk:
                return each
        raise NotFound("death-match.none", "There is no such death match.")

    @property
    def current(self) -> Round | None:
        """The round that is being played; None where there is none. Where all are open from the
        beginning, and stay so until something after them has been decided, it is the first with
        something left to play."""
        if self.format.rounds_ahead:
            left = {row.round_id for row in self.death_matches if row.status not in SETTLED}
            return next((each for each in self.rounds if each.pk in left), None)
        not_closed = (each for each in reversed(self.rounds) if each.status != RoundStatus.CLOSED)
        return next(not_closed, None)

    @property
    def open_to_items(self) -> list[DeathMatch]:
        """Death matches that items can be given for."""
        return [each for each in self.death_matches if each.status in PLAYABLE]

    def undecided_of(self, contestant: Contestant) -> list[DeathMatch]:
        """A contestant's death matches that nothing has decided."""
        return [
            row
            for row in self.death_matches
            if row.status in UNDECIDED and contestant.pk in (row.home_id, row.away_id)
        ]

    @cached_property
    def live(self) -> list[DeathMatch]:
        """What is being played now."""
        return [each for each in self.death_matches if each.status == DeathMatchStatus.RUNNING]

    @cached_property
    def live_matches(self) -> list[Match]:
        """The running matches of the season, with their players, for cards with a board."""
        rows = Match.objects.filter(
            leg__death_match__round__season=self.season,
            leg__status=LegStatus.RUNNING,
            status=Match.Status.RUNNING,
        )
        return list(rows.defer("snapshot").prefetch_related("players").order_by("-created_at"))

    @cached_property
    def planned(self) -> list[Appointment]:
        """What is still to be played, what has a time first."""
        if self.season.status != SeasonStatus.RUNNING:
            return []
        found = [
            Appointment(row, leg)
            for row in self.death_matches
            if row.status in PLAYABLE
            for leg in row.legs_told  # type: ignore[attr-defined]
            if leg.status == LegStatus.PLANNED
        ]
        return sorted(
            found,
            key=lambda each: (
                each.leg.scheduled_at is None,
                each.leg.scheduled_at.timestamp() if each.leg.scheduled_at else 0,
                each.leg.pk,
            ),
        )

    @property
    def next_up(self) -> list[DeathMatch]:
        """The first death matches of those to be played, each once."""
        return list({each.death_match.pk: each.death_match for each in self.planned}.values())[:4]

    @cached_property
    def decided(self) -> list[DeathMatch]:
        """What is decided, the latest first; byes left out."""
        rows = [
            each
            for each in self.death_matches
            if each.status == DeathMatchStatus.DECIDED and each.how != How.BYE
        ]
        return sorted(rows, key=lambda each: (each.decided_at, each.pk), reverse=True)

    # -- standings -------------------------------------------------------------------------------

    @cached_property
    def course(self) -> Course[Any]:
        """The season as pairing and standings know it."""
        return self.format.course_type(self.season, self.contestants, self.death_matches)

    @cached_property
    def table(self) -> StandingsTable | None:
        """The standings of a season that has begun; None in formats without a table."""
        return self.course.table if self.rounds else None

    @cached_property
    def bracket(self) -> brackets.Progress | None:
        """The bracket as far as it is played; None for other formats and before the start."""
        return self.course.bracket if self.rounds else None

    @cached_property
    def ladder(self) -> list[Contestant]:
        """The rungs of a ladder, the top first."""
        return [self.by_id[pk] for pk in self.course.ladder] if self.rounds else []

    @cached_property
    def rungs(self) -> list[tuple[Contestant, str]]:
        """The same, each with how they came there."""
        if not self.ladder:
            return []
        names = {each.pk: each.name for each in self.contestants}
        seeds = {player.id: player.seed for player in self.course.players}
        return [
            (self.by_id[rung.player], rung.why(seeds[rung.player], names))
            for rung in self.course.rungs
        ]

    @cached_property
    def cross_table(self) -> list[tuple[Contestant, list[list[DeathMatch] | None]]]:
        """Everybody's matches against everybody, in the order of the standings; None on the
        diagonal. Empty where it would be too large to read."""
        if self.table is None or not self.course.crosses:
            return []
        order = [row.player for row in self.table.rows]
        if len(order) > 24:
            return []
        met: dict[tuple[int, int], list[DeathMatch]] = defaultdict(list)
        for row in self.death_matches:
            if row.status == DeathMatchStatus.VOID or row.home_id is None or row.away_id is None:
                continue
            if row.pk in self.course.annulled:
                continue
            home = self.course.holder(row.home_id).pk
            away = self.course.holder(row.away_id).pk
            met[home, away].append(row)
            met[away, home].append(row)
        return [
            (self.by_id[one], [None if one == other else met[one, other] for other in order])
            for one in order
        ]

    # -- items -----------------------------------------------------------------------------------

    @cached_property
    def has_items(self) -> bool:
        """Whether pages speak of items: where they are no part of the format, an organiser may
        have granted some."""
        return self.format.gifts or Gift.objects.filter(season=self.season).exists()

    @cached_property
    def gifts(self) -> list[Gift]:
        """Every item of the season, in the order in which they were given."""
        rows = list(Gift.objects.filter(season=self.season).order_by("pk"))
        matches = {each.pk: each for each in self.death_matches}
        for row in rows:
            row.season = self.season
            self._link(row, "giver", "receiver")
            if row.death_match_id is not None:
                row.death_match = matches[row.death_match_id]
        return rows

    @cached_property
    def items(self) -> list[ItemHistory]:
        """Every item with its history."""
        history: dict[int, list[ItemEvent]] = defaultdict(list)
        events = ItemEvent.objects.filter(gift__season=self.season).order_by("at", "pk")
        gifts = {each.pk: each for each in self.gifts}
        for event in events:
            if event.other_id is not None:
                event.other = gifts[event.other_id]
            history[event.gift_id].append(event)
        return [ItemHistory(each, *item_named(each), history[each.pk]) for each in self.gifts]

    # -- history ---------------------------------------------------------------------------------

    def events(self, *, rulings: bool = False) -> QuerySet[SeasonEvent]:
        """The season's history, the latest first; or only what organisers decided."""
        rows = SeasonEvent.objects.filter(season=self.season).exclude(kind__in=FLEETING)
        if rulings:
            decided = Q(kind="death-match.decided", data__how__in=[How.WALKOVER, How.RULING])
            named = Q(kind="episode.chosen", data__has_key="by")
            rows = rows.filter(Q(kind__in=RULINGS) | decided | named)
            # One entry an action: what followed from it is told in the history.
            rows = rows.exclude(data__has_key="follows").exclude(_FOLLOWS)
        return rows.select_related("round", "death_match__round").order_by("-at", "-pk")


def item_named(gift: Gift) -> tuple[str, str]:
    """Name and text of an item; its id and nothing where the catalogue has it no longer."""
    try:
        found = catalogue.item_of(gift.item, gift.ruleset)
    except Refusal:
        return gift.item, ""
    return found.name, found.text


def game_of(row: Leg | Round) -> str:
    """What is played, for people; empty while that is not decided."""
    return words.game_name(row.ruleset, row.variant) if row.ruleset else ""


# -- many seasons --------------------------------------------------------------------------------


def next_scheduled(viewer: Any, *, at_most: int = 6) -> list[Leg]:
    """What is to be played next, over all running public seasons."""
    rows = Leg.objects.filter(
        status=LegStatus.PLANNED,
        scheduled_at__gte=timezone.now(),
        death_match__round__season__in=Season.objects.visible_to(viewer),
        death_match__round__season__visibility=Visibility.LISTED,
        death_match__round__season__status=SeasonStatus.RUNNING,
    ).select_related("death_match__round__season", "death_match__home", "death_match__away")
    return list(rows.order_by("scheduled_at", "pk")[:at_most])


def with_legs(rows: QuerySet[DeathMatch]) -> list[DeathMatch]:
    """Death matches, each with its legs as `all_legs` and those that count as `legs_told`;
    `next_leg` is the first that has still to be played, if there is one, and `waits` whether one
    waits for its players."""
    legs = Leg.objects.select_related("match").defer("match__snapshot")
    legs = legs.prefetch_related("match__players", "declarations")
    found = list(rows.prefetch_related(Prefetch("legs", legs.order_by("number", "attempt"))))
    for row in found:
        every = list(row.legs.all())
        for leg in every:
            leg.death_match = row
        row.all_legs = every  # type: ignore[attr-defined]
        row.legs_told = [  # type: ignore[attr-defined]
            leg for leg in every if leg.status != LegStatus.VOID
        ]
        row.waits = any(leg.waits for leg in every)  # type: ignore[attr-defined]
        row.next_leg = next(  # type: ignore[attr-defined]
            (leg for leg in every if leg.status == LegStatus.PLANNED), None
        )
    return found


def leg_of_match(match_id: int, viewer: Any) -> Leg | None:
    """The leg that a match is, if it belongs to a season that ``viewer`` may see."""
    rows = Leg.objects.filter(
        match_id=match_id, death_match__round__season__in=Season.objects.visible_to(viewer)
    )
    return rows.select_related(
        "death_match__round__season", "death_match__home", "death_match__away"
    ).first()


# -- whether anything has changed ----------------------------------------------------------------


def fingerprint(season: Season) -> str:
    """A text that is the same as long as nothing public of the season has changed."""
    return f"{season.pk}.{season.revision}"


def names_of(people: Iterable[Contestant]) -> str:
    """ "Ada, Ben and Cleo"."""
    names = [each.name for each in people]
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
