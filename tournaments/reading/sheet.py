"""One season, read for pages.

A page makes one `Sheet` and asks it; each part is read when it is first asked for, with a number of
queries that does not depend on how large the season is.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, QuerySet
from django.utils.functional import cached_property

from accounts.models import User
from core.clock import now_utc
from core.refusals import NotFound, allowed
from games.audience import organised_by
from games.models import Match
from games.reading.selectors import lacking_a_reason
from tournaments import audience
from tournaments.course import Course
from tournaments.formats.base import Format
from tournaments.formats.brackets import Progress
from tournaments.formats.registry import format_of
from tournaments.lifecycle import (
    PLAYABLE,
    SETTLED,
    STILL_IN,
    UNDECIDED,
    ApplicationStatus,
    ContestantStatus,
    DeathMatchStatus,
    LegStatus,
    RoundStatus,
    SeasonStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    Leg,
    MainMatchPicture,
    Round,
    Season,
    SeasonApplication,
    SeasonEvent,
    SeasonOrganiser,
    TimeProposal,
    TimesRule,
)
from tournaments.naming import Naming
from tournaments.reading.contestants import (
    ContestantRecord,
    by_standing,
    contestants_of,
    link,
    records_of,
    was_decided,
)
from tournaments.reading.death_matches import Appointment, DeathMatchWithLegs, with_legs
from tournaments.reading.episodes import EpisodeWithPlacements, episodes_of
from tournaments.reading.follows import Following, following_of
from tournaments.reading.history import events_of
from tournaments.reading.items import ItemHistory, gifts_of, histories_of
from tournaments.reading.scores import ScoreSheet, public_scores, sheets_of
from tournaments.reading.standings import CrossTable, cross_table_of, rungs_of
from tournaments.reading.times import BothFree, OpenTime, both_free
from tournaments.rights import NONE, Right, Role
from tournaments.services.guards import must_hold
from tournaments.services.items.gifts import Meeting, legs_open_to_items
from tournaments.services.ledger.book import Purses, purses_of
from tournaments.services.scheduling.agreeing import (
    may_still_agree,
    must_have_both,
    open_proposals,
    owing,
    read_known_at,
)
from tournaments.standings.table import StandingsTable
from tournaments.trade import Trade, trade_of


class Sheet:
    """A season read for pages. Rows are linked to each other, so that following them from one to
    another (a match's sides, a round's season) asks the database nothing."""

    def __init__(self, season: Season) -> None:
        self.season = season
        self._rights: dict[int, frozenset[Right]] = {}
        self._both_free: dict[int, BothFree | None] = {}
        self._has_starts: dict[tuple[int, str], bool] = {}
        self._following: dict[int, Following] = {}

    def rights_of(self, user: Any) -> frozenset[Right]:
        """As `audience.rights_of`, which is asked once for each reader."""
        if not getattr(user, "is_authenticated", False):
            return NONE
        if user.pk not in self._rights:
            self._rights[user.pk] = audience.rights_of(self.season, user)
        return self._rights[user.pk]

    def must_be_managed_by(self, user: User, right: Right = Right.RUN) -> None:
        """As `guards.must_manage`."""
        must_hold(self.rights_of(user), right)

    @cached_property
    def format(self) -> Format:
        """How it is played."""
        return format_of(self.season.format)

    # -- people ----------------------------------------------------------------------------------

    @cached_property
    def contestants(self) -> list[Contestant]:
        """Everybody who ever entered, by seed."""
        return contestants_of(self.season)

    @cached_property
    def by_id(self) -> dict[int, Contestant]:
        """Everybody by primary key."""
        return {each.pk: each for each in self.contestants}

    def contestant_of(self, user: User) -> Contestant | None:
        """Somebody's place in the season; None for whoever never had one."""
        return next((each for each in self.contestants if each.user_id == user.pk), None)

    @cached_property
    def naming(self) -> Naming:
        """Their names, in sentences that were written down."""
        return Naming(self.contestants)

    @cached_property
    def crew(self) -> list[SeasonOrganiser]:
        """Who runs the season, and who helps: its owner, co-organisers, helpers, each in the order
        in which they came."""
        rows = SeasonOrganiser.objects.filter(season=self.season)
        order = list(Role.values)
        found = rows.select_related("user", "admitted_by").order_by("pk")
        return sorted(found, key=lambda row: order.index(row.role))

    @property
    def organisers(self) -> list[User]:
        """Who runs the season, its owner first."""
        return [row.user for row in self.crew if not row.is_helper]

    @property
    def helpers(self) -> list[User]:
        """Who helps to run it."""
        return [row.user for row in self.crew if row.is_helper]

    def place_of(self, user: User) -> SeasonOrganiser | None:
        """What somebody is in the running of the season; None for others."""
        return next((row for row in self.crew if row.user_id == user.pk), None)

    def following(self, user: User) -> Following:
        """Who follows the season, as ``user`` may know of it."""
        if user.pk not in self._following:
            self._following[user.pk] = following_of(self.season, user)
        return self._following[user.pk]

    @cached_property
    def applications(self) -> list[SeasonApplication]:
        """Everybody who has applied, or waits for a place, in the order in which they asked."""
        rows = self.season.applications.select_related("user", "decided_by")
        return list(rows.order_by("asked_at", "pk"))

    @property
    def undecided(self) -> list[SeasonApplication]:
        """The applications that are to be decided."""
        return [each for each in self.applications if each.status == ApplicationStatus.ASKED]

    @property
    def waiting_list(self) -> list[SeasonApplication]:
        """Who waits for a place, the next first."""
        rows = (each for each in self.applications if each.turn is not None)
        return sorted(rows, key=lambda each: each.turn or 0)

    def application_of(self, user: User) -> SeasonApplication | None:
        """How somebody stands who has applied, or waits; None for whoever never did."""
        return next((each for each in self.applications if each.user_id == user.pk), None)

    @property
    def is_full(self) -> bool:
        """Whether all places are taken of a season that has not begun."""
        season = self.season
        enrolling = season.status == SeasonStatus.ENROLLING
        return enrolling and season.places is not None and len(self.still_in) >= season.places

    @property
    def entered(self) -> list[Contestant]:
        """Those who take or took part: without who left before the season began, and with whoever
        took a place over in place of its holder."""
        gone = ContestantStatus.REPLACED
        return [e for e in self.contestants if e.status != gone and not e.left_before_start]

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
        return by_standing(self.season, self.contestants)

    @property
    def records(self) -> list[ContestantRecord]:
        """The same, each with what they have won and lost."""
        return records_of(self.by_standing, self.death_matches, self.for_third)

    # -- rounds and matches ----------------------------------------------------------------------

    @cached_property
    def rounds(self) -> list[Round]:
        """The rounds so far."""
        rows = list(Round.objects.filter(season=self.season).order_by("number"))
        for row in rows:
            row.season = self.season
        return rows

    @cached_property
    def _episodes(self) -> dict[int, EpisodeWithPlacements]:
        return episodes_of(self.season, self.rounds, self.by_id)

    def episode_of(self, played: Round) -> EpisodeWithPlacements | None:
        """The episode that a round is; None where it is none."""
        return self._episodes.get(played.pk)

    @property
    def episodes(self) -> list[EpisodeWithPlacements]:
        """Every episode so far."""
        return [self._episodes[each.pk] for each in self.rounds if each.pk in self._episodes]

    def scores_of(self, found: EpisodeWithPlacements, reader: Any) -> ScoreSheet | None:
        """The scores of an episode's main match, as far as everybody sees them and ``reader`` does;
        None where there are none."""
        tables = public_scores(self.season).filter(episode=found.row)
        return sheets_of(tables, self.season, self.by_id, reader).get(found.row.pk)

    def pictures_of(
        self, found: EpisodeWithPlacements, *, public: bool = False
    ) -> list[MainMatchPicture]:
        """The pictures of an episode's main match in order; ``public``: only where everybody sees
        them."""
        every = MainMatchPicture.objects
        rows = every.seen_by_all() if public else every.all()
        rows = rows.filter(episode=found.row).select_related("picture").order_by("number")
        shown = list(rows)
        for row in shown:
            row.episode = found.row
            row.picture.season = self.season
        return shown

    def latest_scores(self, reader: Any) -> tuple[Round, ScoreSheet] | None:
        """The same of the last main match, with its round: of one that is on, once they are shown,
        and else of the last that is recorded; None where that has none."""
        tables = list(public_scores(self.season).reverse()[:1])
        sheets = sheets_of(tables, self.season, self.by_id, reader)
        for found in reversed(self.episodes):
            if found.row.pk in sheets:
                return found.row.round, sheets[found.row.pk]
            if found.placements:
                return None
        return None

    @cached_property
    def with_legs(self) -> list[DeathMatchWithLegs]:
        """Every death match in order, with its legs. One of a round that has begun since the rounds
        were read is for the next look."""
        rounds = {each.pk: each for each in self.rounds}
        rows = DeathMatch.objects.filter(round__season=self.season, round__in=rounds)
        found = with_legs(rows.order_by("round__number", "number"))
        for each in found:
            each.row.round = rounds[each.row.round_id]
            link(each.row, self.by_id, "home", "away", "winner")
        return found

    @cached_property
    def death_matches(self) -> list[DeathMatch]:
        """The same without their legs."""
        return [each.row for each in self.with_legs]

    @cached_property
    def by_round(self) -> list[tuple[Round, list[DeathMatchWithLegs]]]:
        """The rounds with their death matches, void ones left out."""
        found: dict[int, list[DeathMatchWithLegs]] = defaultdict(list)
        for each in self.with_legs:
            if each.row.status != DeathMatchStatus.VOID:
                found[each.row.round_id].append(each)
        return [(each, found[each.pk]) for each in self.rounds]

    def in_round(self, played: Round) -> list[DeathMatchWithLegs]:
        """The death matches of a round, void ones left out."""
        return next(found for each, found in self.by_round if each.pk == played.pk)

    def round(self, number: int) -> Round:
        """The round of that number. Raises Refusal ``round.none``."""
        for each in self.rounds:
            if each.number == number:
                return each
        raise NotFound("round.none", "There is no such round.")

    def death_match(self, pk: int) -> DeathMatchWithLegs:
        """The death match of that number. Raises Refusal ``death-match.none``."""
        for each in self.with_legs:
            if each.row.pk == pk:
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
    def open_to_items(self) -> list[Meeting]:
        """Death matches that items can be given for, each with those of its legs."""
        return [
            (each.row, legs_open_to_items(each.row, each.legs))
            for each in self.with_legs
            if allowed(legs_open_to_items, each.row, each.legs)
        ]

    @property
    def rounds_still_open(self) -> list[Round]:
        """The rounds in which a death match has both its sides and is not decided."""
        left = {
            row.round_id
            for row in self.death_matches
            if row.status in UNDECIDED and row.home_id is not None and row.away_id is not None
        }
        return [each for each in self.rounds if each.pk in left]

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

    @property
    def on_stage(self) -> list[DeathMatch]:
        """Of these all but those between two of their matches."""
        return [each.row for each in self.with_legs if each.running is not None]

    @cached_property
    def live_matches(self) -> list[Match]:
        """The running matches of the season, with their players, for cards with a board."""
        rows = Match.objects.filter(
            leg__death_match__round__season=self.season,
            leg__status=LegStatus.RUNNING,
            status=Match.Status.RUNNING,
        )
        return list(rows.defer("snapshot").prefetch_related("players").order_by("-created_at"))

    def awaiting_organiser(self, user: User) -> list[Match]:
        """The running matches of the season that wait for ``user`` to rule, or to say why something
        was done, with the sides of their death matches."""
        rows = Match.objects.running().filter(leg__death_match__round__season=self.season)
        rows = rows.filter(Q(awaits_ruling=True) | lacking_a_reason())
        rows = rows.select_related("leg__death_match__home", "leg__death_match__away")
        return list(organised_by(rows.defer("snapshot"), user))

    @cached_property
    def planned(self) -> list[Appointment]:
        """What is still to be played, what has a time first."""
        if self.season.status != SeasonStatus.RUNNING:
            return []
        found = [
            Appointment(each, leg)
            for each in self.with_legs
            if each.row.status in PLAYABLE
            for leg in each.legs
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

    @cached_property
    def proposals(self) -> dict[int, TimeProposal]:
        """What is proposed for legs, and waits for an answer, by the leg's id."""
        return open_proposals((each.leg for each in self.planned), now_utc())

    def both_free(self, row: DeathMatch) -> BothFree | None:
        """When the two of a death match are free; read once for all its legs."""
        if row.pk not in self._both_free:
            self._both_free[row.pk] = both_free(row)
        return self._both_free[row.pk]

    def has_starts(self, leg: Leg, zone: ZoneInfo) -> bool:
        """Whether the two of a leg are free at the same time, as a reader in ``zone`` is told;
        looked up once for all legs of a death match."""
        key = (leg.death_match_id, zone.key)
        if key not in self._has_starts:
            free = self.both_free(leg.death_match)
            self._has_starts[key] = free is not None and free.has_starts(leg, now_utc(), zone)
        return self._has_starts[key]

    @cached_property
    def without_time(self) -> list[OpenTime]:
        """The legs that players could agree on a time for, and that have none."""
        if self.season.times_by == TimesRule.ORGANISERS:
            return []
        at = now_utc()
        found: list[OpenTime] = []
        lack = [each for each in self.planned if each.leg.scheduled_at is None]
        lack = [each for each in lack if allowed(must_have_both, each.leg)]
        if self.season.play_within_days is not None:
            read_known_at(each.row for each in lack)
        for each in lack:
            proposal = self.proposals.get(each.leg.pk)
            by = None if proposal is None else self.by_id[proposal.proposer_id]
            over = not may_still_agree(each.leg, at)
            found.append(OpenTime(each, proposal, by, owing(each.leg, proposal), over))
        return found

    @property
    def next_up(self) -> list[DeathMatchWithLegs]:
        """The first death matches of those to be played, each once."""
        return list({each.row.pk: each.death_match for each in self.planned}.values())[:4]

    @cached_property
    def decided(self) -> list[DeathMatchWithLegs]:
        """What is decided, the latest first; byes left out."""
        found = [each for each in self.with_legs if was_decided(each.row)]
        return sorted(found, key=lambda each: (each.row.decided_at, each.row.pk), reverse=True)

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
    def bracket(self) -> Progress | None:
        """The bracket as far as it is played; None for other formats and before the start."""
        return self.course.bracket if self.rounds else None

    @cached_property
    def rungs(self) -> list[tuple[Contestant, str]]:
        """Who stands on the rungs of an order, the top first, each with how they came there; empty
        for other formats and before the start."""
        return rungs_of(self.course, self.by_id) if self.rounds else []

    @cached_property
    def cross_table(self) -> CrossTable:
        """Everybody's matches against everybody (`standings.cross_table_of`)."""
        return cross_table_of(self.course, self.table, self.death_matches, self.by_id)

    # -- items -----------------------------------------------------------------------------------

    def has_items(self, user: Any) -> bool:
        """Whether pages speak to ``user`` of items: where they are no part of the format, an
        organiser may have granted some."""
        if self.format.gifts or self._items_counted["known"]:
            return True
        return bool(self._items_counted["all"] and self.gifts_for(user))

    @cached_property
    def _items_counted(self) -> dict[str, int]:
        """How many items there are, and of how many everybody knows."""
        known = Count("pk", filter=audience.gifts_visible_to(self.season, None))
        return Gift.objects.filter(season=self.season).aggregate(all=Count("pk"), known=known)

    @cached_property
    def _gifts(self) -> list[Gift]:
        return gifts_of(self.season, self.death_matches, self.by_id)

    def gifts_for(self, user: Any) -> list[Gift]:
        """Every item of the season that ``user`` may know of, in the order in which they were
        given."""
        if not any(each.is_hidden for each in self._gifts):
            return self._gifts
        whole = audience.sees_all_gifts(self.season, user)
        return [each for each in self._gifts if audience.sees_gift(each, user, whole=whole)]

    def items_for(self, user: Any) -> list[ItemHistory]:
        """The same, each with its history."""
        return histories_of(self.season, self.gifts_for(user))

    # -- what is traded ----------------------------------------------------------------------------

    @cached_property
    def trade(self) -> Trade:
        """What the season trades in."""
        return trade_of(self.season)

    @cached_property
    def purses(self) -> Purses:
        """What everybody has; who may see that, `audience.sees_purses` says."""
        return purses_of(self.season)

    # -- history ---------------------------------------------------------------------------------

    def events(self, *, rulings: bool = False) -> QuerySet[SeasonEvent]:
        """The season's history, the latest first; or only what organisers decided."""
        return events_of(self.season, rulings=rulings)
