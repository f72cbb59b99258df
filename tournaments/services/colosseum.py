"""Single elimination, round robin, Swiss and ladder: who meets whom next, and what a result leads
to. The rules are in `tournaments.formats`; `tournaments.course` reads the rows for them. All of it
runs under the season's lock, so that nothing is paired twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, Refusal
from tournaments import audience, lifecycle
from tournaments.course import Course
from tournaments.formats import field
from tournaments.formats.ladder import rules as ladder
from tournaments.formats.single_elimination import rules as single_elimination
from tournaments.formats.swiss import rules as swiss
from tournaments.lifecycle import (
    SETTLED,
    ContestantStatus,
    DeathMatchStatus,
    How,
    LegStatus,
    RoundStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Format,
    Round,
    Season,
    SeasonEvent,
)
from tournaments.services import deathmatches, formats, repertoire, results, seasons
from tournaments.services.events import season_event
from tournaments.services.guards import instant, managed, must_be_running, must_not_be_archived
from tournaments.standings import standings

PAIRED: Final = (Format.ROUND_ROBIN, Format.SWISS)
#: How much of the standings the news of a complete round carries.
TOLD_ROWS: Final = 16
_ENDS: Final = {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}


# -- rounds --------------------------------------------------------------------------------------


@transaction.atomic
def round_pair(
    *,
    acting_user: User | None,
    season: Season,
    lenient: bool = False,
    at: datetime | None = None,
) -> Round:
    """Pair the next round of a round robin or Swiss season and open it.

    ``lenient`` (Swiss): allow as many rematches or second byes as there must be, where the round
    cannot be paired without. Refusals: those of `guards.managed`, ``season.not-running``,
    ``round.not-paired`` (a bracket, a ladder or an elimination season), ``round.open-matches``,
    ``round.none-left``, ``pairing.too-few``, ``pairing.bye``, ``pairing.rematch``.
    """
    locked = managed(season, acting_user)
    must_be_running(locked)
    opened = _paired(locked, lenient=lenient, at=instant(at))
    audit_record(
        acting_user=acting_user,
        action="round.pair",
        target=opened,
        data={"season": locked.pk, "round": opened.number, "lenient": lenient},
    )
    return opened


def _last_closed(season: Season, at: datetime) -> None:
    """Close every round before the next; refuses while one has open death matches."""
    for each in season.rounds.exclude(status=RoundStatus.CLOSED).order_by("number"):
        deathmatches.round_close(acting_user=None, round=each, at=at)


def round_begin(*, season: Season, at: datetime) -> Round:
    """The next round of a round robin or Swiss season, with nothing in it yet, under the season's
    lock. Whoever asks fills it and calls :func:`round_opened`.

    Refusals: ``round.not-paired``, ``round.open-matches``, ``round.none-left``.
    """
    if season.format not in PAIRED:
        raise Refusal("round.not-paired", "Only a round robin or Swiss season is paired by rounds.")
    _last_closed(season, at)
    number = season.rounds.count() + 1
    last = Course.of(season).rounds
    if number > last:
        raise Refusal("round.none-left", f"All {last} rounds have been paired.")
    return _round_made(season, number, f"Round {number}", at, is_final=False)


def round_opened(*, opened: Round, at: datetime) -> None:
    """Announce a round that has everything in it, under the season's lock."""
    _say_opened(opened, at)
    # Nothing may be left to play: a round of byes is complete at once.
    results.round_settle(round=opened, at=at)


def _paired(season: Season, *, lenient: bool, at: datetime) -> Round:
    opened = round_begin(season=season, at=at)
    course = Course.of(season)
    number = opened.number
    pairings: Sequence[field.Pairing]
    if season.format == Format.SWISS:
        pairings = _swiss_pairings(course, number, lenient=lenient)
    else:
        pairings = [pairing for pairing in course.timetable if pairing.round == number]
    made: list[tuple[field.Pairing, DeathMatch]] = []
    for pairing in pairings:
        death_match = _pairing_made(course, opened, pairing, len(made) + 1, at)
        if death_match is not None:
            made.append((pairing, death_match))
    _say_opened(opened, at)
    # A round is complete when nothing of it is open: so first all of it must be there.
    for pairing, death_match in made:
        if death_match.status == DeathMatchStatus.PLANNED:
            _absent_walked_over(course, pairing, death_match, at)
    results.round_settle(round=opened, at=at)
    return opened


def _swiss_pairings(course: Course, number: int, *, lenient: bool) -> tuple[field.Pairing, ...]:
    players = [each for each in course.players if _plays(course.holders[each.id], number)]
    return swiss.pair_round(players, course.settled, number=number, lenient=lenient).pairings


def pairings_proposed(course: Course) -> list[tuple[Contestant, Contestant]]:
    """How the next round of a Swiss season would be paired as it stands, byes left out; nothing
    where it cannot be paired without a rematch."""
    try:
        pairings = _swiss_pairings(course, course.season.rounds.count() + 1, lenient=False)
    except Refusal:
        return []
    return [
        (course.holders[each.home], course.holders[each.away])
        for each in pairings
        if each.away is not None
    ]


def _plays(contestant: Contestant, number: int) -> bool:
    return contestant.status == ContestantStatus.ACTIVE and contestant.since_round <= number


def _pairing_made(
    course: Course, opened: Round, pairing: field.Pairing, number: int, at: datetime
) -> DeathMatch | None:
    """A death match, a bye, or nothing, for a pairing of a round; ``number`` is its place in it.

    A round robin's timetable also names those who have left: where nothing of theirs counts, the
    opponent rests, and where two have gone there is nothing to be said.
    """
    out = course.robin.out if course.season.format == Format.ROUND_ROBIN else frozenset[int]()
    sides = [course.holders[side] for side in pairing.sides if side not in out]
    if all(each.status != ContestantStatus.ACTIVE for each in sides):
        return None
    if len(sides) == 1:
        return deathmatches.bye_create(round=opened, home=sides[0], number=number, at=at)
    home, away = sides
    return deathmatches.death_match_create(round=opened, home=home, away=away, number=number, at=at)


def _absent_walked_over(
    course: Course, pairing: field.Pairing, death_match: DeathMatch, at: datetime
) -> None:
    """Let somebody win against an opponent who has left, but stays in the table."""
    sides = [course.holders[side] for side in pairing.sides]
    gone = [each for each in sides if each.status != ContestantStatus.ACTIVE]
    if gone:
        results.walked_over(
            death_match,
            winner=next(each for each in sides if each.pk != gone[0].pk),
            why=f"{gone[0].name} has withdrawn.",
            acting_user=None,
            at=at,
        )


def _round_made(season: Season, number: int, name: str, at: datetime, *, is_final: bool) -> Round:
    game = repertoire.game_of_round(season, number)
    return Round.objects.create(
        season=season, number=number, name=name, is_final=is_final, opened_at=at, **game
    )


def _say_opened(opened: Round, at: datetime) -> None:
    if SeasonEvent.objects.filter(round=opened, kind="round.opened").exists():
        return  # it had begun, before a correction
    season_event(
        season=opened.season,
        kind="round.opened",
        words=f"{opened.name} begins."
        if not opened.name.endswith("s")
        else f"{opened.name} begin.",
        data={"round": opened.number, "name": opened.name},
        round=opened,
        at=at,
    )


# -- the end of a season -------------------------------------------------------------------------


@transaction.atomic
def season_conclude(
    *,
    acting_user: User | None,
    season: Season,
    winner: Contestant | None = None,
    at: datetime | None = None,
) -> Season:
    """End a season by its order: everybody gets their place, the first has won.

    Brackets, round robins and Swiss seasons conclude by themselves with their last result, but for
    a tie at the top that no metric has broken: then an organiser says which of the tied has won. A
    ladder ends whenever its organisers say so. Refusals: those of `guards.managed`,
    ``season.not-running``, ``season.not-concluded`` (rounds or matches are missing, or an
    elimination season), ``season.tied`` (``winner`` must be said), ``season.not-first``,
    ``season.own`` (by one of the tied).
    """
    locked = managed(season, acting_user)
    must_be_running(locked)
    at = instant(at)
    course = Course.of(locked)
    first = course.first
    if winner is not None and winner.pk not in first:
        raise Refusal("season.not-first", f"{winner.name} does not stand first.")
    for refusal in seasons.tie_at_the_top(course, acting_user):
        if winner is None or refusal.code != "season.tied":
            raise refusal
    for each in locked.rounds.exclude(status=RoundStatus.CLOSED).order_by("number"):
        deathmatches.round_close(acting_user=None, round=each, at=at)
    _places_set(course)
    return seasons.season_finish(
        acting_user=acting_user,
        season=locked,
        winner=winner or course.holders[first[0]],
        at=at,
    )


def _places_set(course: Course) -> None:
    """Write down where everybody ended."""
    season = course.season
    if season.format == Format.SINGLE_ELIMINATION:
        found = {each.player: each.rank for each in single_elimination.places(course.bracket)}
    elif season.format == Format.LADDER:
        found = {pk: rank for rank, pk in enumerate(course.ladder, start=1)}
    else:
        found = {row.player: row.rank for row in course.table.rows}
    for pk, contestant in course.holders.items():
        contestant.place = found.get(pk)
    Contestant.objects.bulk_update(course.holders.values(), ["place"])


def _anything_missing(season: Season, course: Course) -> bool:
    rounds = list(season.rounds.values_list("status", flat=True))
    return len(rounds) < course.rounds or any(each != RoundStatus.CLOSED for each in rounds)


def _concluded_if_clear(season: Season, at: datetime) -> None:
    """End the season after its last result, unless an organiser has to say who has won."""
    try:
        tied = len(Course.of(season).first) > 1
    except Refusal:
        return  # everybody has left: organisers decide what becomes of it
    if not tied:
        season_conclude(acting_user=None, season=season, at=at)


def _told(course: Course) -> list[dict[str, Any]]:
    """The head of the standings, for the news."""
    points = standings(course.table_players, course.counting, ["points"])
    return [
        {
            "rank": row.rank,
            "contestant": row.player,
            "name": course.holders[row.player].name,
            "points": points.row(row.player).values[0],
        }
        for row in course.table.rows[:TOLD_ROWS]
    ]


# -- ladders -------------------------------------------------------------------------------------


@transaction.atomic
def ladder_challenge(
    *,
    acting_user: User,
    season: Season,
    defender: Contestant,
    challenger: Contestant | None = None,
    at: datetime | None = None,
) -> DeathMatch:
    """Challenge somebody above on a ladder; the challenger has seat 0.

    A contestant challenges for themselves; an organiser names the ``challenger``. Refusals: those
    of `guards.managed`, ``season.not-running``, ``ladder.no-ladder``, ``ladder.not-in`` (the user
    is no contestant), ``season.not-organiser``, ``ladder.unknown``, ``ladder.self``,
    ``ladder.not-above``, ``ladder.out-of-reach``, ``ladder.busy``.
    """
    locked = seasons.season_locked(season.pk)
    must_not_be_archived(locked)
    must_be_running(locked)
    if locked.format != Format.LADDER:
        raise Refusal("ladder.no-ladder", "Challenges are for ladders.")
    own = audience.contestant_of(locked, acting_user)
    if challenger is None:
        challenger = own
    elif own is None or challenger.pk != own.pk:
        managed(locked, acting_user)
    if challenger is None:
        raise Forbidden("ladder.not-in", "You are not on this ladder.")
    at = instant(at)
    course = Course.of(locked)
    ladder.check(
        course.ladder,
        challenger=challenger.pk,
        defender=defender.pk,
        reach=course.reach,
        busy=course.busy,
        names={each.pk: each.name for each in (challenger, defender)},
    )
    only = locked.rounds.get()
    number = only.death_matches.count() + 1
    game = repertoire.game_of_round(locked, number)
    made = deathmatches.death_match_create(
        round=only,
        home=course.holders[challenger.pk],
        away=course.holders[defender.pk],
        number=number,
        # Pairs meet again on a ladder, so the round's "once a round" must not hold for them.
        key=f"challenge-{number}",
        games=[game] if game else [],
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="ladder.challenge",
        target=made,
        data={"season": locked.pk, "challenger": challenger.pk, "defender": defender.pk},
    )
    return made


# -- brackets ------------------------------------------------------------------------------------


def _bracket_made(season: Season, at: datetime) -> None:
    """All rounds and death matches of a bracket, most of them waiting for their sides."""
    course = Course.of(season)
    bracket = course.bracket.bracket
    best_of = getattr(course.options, "best_of", 1)
    rounds = {
        number: _round_made(
            season,
            number,
            _ENDS.get(bracket.rounds - number, f"Round of {2 ** (bracket.rounds - number + 1)}"),
            at,
            is_final=number == bracket.rounds,
        )
        for number in range(1, bracket.rounds + 1)
    }
    for match in bracket.matches:
        sides = [
            course.holders[bracket.seeds[source.of - 1]]
            for source in match.sources
            if source.kind == "seed"
        ]
        where: dict[str, Any] = {
            "round": rounds[match.round],
            "number": match.slot + 1,
            "key": str(match.id),
            "at": at,
        }
        if match.away is None:
            deathmatches.bye_create(home=sides[0], **where)
        else:
            home, away = sides if len(sides) == 2 else (None, None)
            deathmatches.death_match_create(home=home, away=away, best_of=best_of, **where)
    _say_opened(rounds[1], at)
    _advanced(season, at)


def _rows_of(season: Season) -> dict[int, DeathMatch]:
    """The death matches of a bracket by what the bracket calls them."""
    rows = DeathMatch.objects.filter(round__season=season).select_related(
        "round__season", "home", "away", "winner"
    )
    return {int(row.key): row for row in rows}


def _advanced(season: Season, at: datetime) -> None:
    """Bring the rows of a bracket into line with its results: sides that are known now, walkovers
    against those who have left, and who is out at which place."""
    course = Course.of(season)
    progress = course.bracket
    rows = _rows_of(season)
    for standing in progress.matches:
        row = rows[standing.match.id]
        if row.status in SETTLED:
            continue
        home = None if standing.home is None else course.holders[standing.home]
        away = None if standing.away is None else course.holders[standing.away]
        row = deathmatches.sides_set(death_match=row, home=home, away=away, at=at)
        if standing.winner is not None and standing.loser is not None:
            gone = course.holders[standing.loser]
            results.walked_over(
                row,
                winner=course.holders[standing.winner],
                why=f"{gone.name} has withdrawn.",
                acting_user=None,
                at=at,
            )
            return  # which has brought everything behind it into line too
    _out_set(course, at)
    _begun_rounds_closed(season, rows, at)


def _out_set(course: Course, at: datetime) -> None:
    """Eliminate whoever has lost for good, with the place they reached."""
    for place in single_elimination.places(course.bracket):
        contestant = course.holders[place.player]
        if contestant.place != place.rank:
            contestant.place = place.rank
            contestant.save(update_fields=["place"])
        if place.rank == 1 or contestant.status != ContestantStatus.ACTIVE:
            continue
        contestant.status = lifecycle.step(
            lifecycle.CONTESTANT, contestant.status, ContestantStatus.ELIMINATED, contestant.name
        )
        contestant.left_at = at
        contestant.save(update_fields=["status", "left_at"])
        season_event(
            season=course.season,
            kind="contestant.eliminated",
            words=f"{contestant.name} is out.",
            data={"contestant": contestant.pk, "name": contestant.name, "place": place.rank},
            contestant=contestant,
            at=at,
        )


def _begun_rounds_closed(season: Season, rows: Mapping[int, DeathMatch], at: datetime) -> None:
    """Close each complete round of a bracket once something after it has been decided.

    Until then a wrong result can be corrected without reopening anything.
    """
    decided = [
        row.round.number
        for row in rows.values()
        if row.status == DeathMatchStatus.DECIDED and row.how != How.BYE
    ]
    last = max(decided, default=0)
    for each in season.rounds.filter(number__lt=last).exclude(status=RoundStatus.CLOSED):
        if not each.death_matches.exclude(status__in=SETTLED).exists():
            deathmatches.round_close(acting_user=None, round=each, at=at)


def _unbuilt(death_match: DeathMatch, at: datetime) -> None:
    """Take away what a bracket has built on a result that will not stand.

    What comes next and has not begun loses the side. What has been played of it is void, and played
    again, if an organiser has reopened the round of the result; else it is refused.
    """
    rows = _rows_of(death_match.round.season)
    this = int(death_match.key)
    bracket = Course.of(death_match.round.season).bracket.bracket
    for match in bracket.matches:
        fed = [source.kind != "seed" and source.of == this for source in match.sources]
        if not any(fed):
            continue
        row = rows[match.id]
        _must_allow_unbuilding(death_match, row)
        _emptied(row, death_match, at)
        row = _rows_of(death_match.round.season)[match.id]
        home_fed, away_fed = fed
        deathmatches.sides_set(
            death_match=row,
            home=None if home_fed else row.home,
            away=None if away_fed else row.away,
            at=at,
        )


def _must_allow_unbuilding(death_match: DeathMatch, later: DeathMatch) -> None:
    if later.legs.filter(status=LegStatus.RUNNING).exists():
        raise Refusal(
            "round.frozen", f"{later} rests on this result and is being played: void that first."
        )
    built = later.status == DeathMatchStatus.DECIDED or later.legs.filter(status=LegStatus.FINISHED)
    if built and death_match.round.status != RoundStatus.REOPENED:
        raise Refusal(
            "round.frozen",
            f"{later} has been played on this result. Reopen {death_match.round.name} first, or "
            "have that one played again.",
        )


def _emptied(later: DeathMatch, because: DeathMatch, at: datetime) -> None:
    """Void what was played of a later death match, and what rests on that in turn."""
    why = f"The result of {because} did not stand."
    finished = list(later.legs.filter(status=LegStatus.FINISHED))
    for leg in finished:
        results.leg_void(acting_user=None, leg=leg, why=why, at=at)
    if not finished and later.status == DeathMatchStatus.DECIDED:
        results.death_match_reopen(acting_user=None, death_match=later, why=why, at=at)


def _restored(contestant: Contestant | None, at: datetime) -> None:
    """Somebody whose place a correction has taken back."""
    if contestant is None:
        return
    contestant = Course.of(contestant.season).holder(contestant.pk)
    if contestant.place is not None:
        contestant.place = None
        contestant.save(update_fields=["place"])
    if contestant.status != ContestantStatus.ELIMINATED:
        return
    contestant.status = lifecycle.step(
        lifecycle.CONTESTANT, contestant.status, ContestantStatus.ACTIVE, contestant.name
    )
    contestant.left_at = None
    contestant.save(update_fields=["status", "left_at"])
    season_event(
        season=contestant.season,
        kind="contestant.restored",
        words=f"{contestant.name} is back in.",
        data={"contestant": contestant.pk, "name": contestant.name},
        contestant=contestant,
        at=at,
    )


# -- what the course of a season calls ------------------------------------------------------------


class Colosseum(msgspec.Struct, frozen=True):
    """The steps of the four formats; see `formats.Steps`."""

    def started(self, *, season: Season, acting_user: User | None, at: datetime) -> None:
        """A bracket with all its rounds, a ladder's only round, or the first round."""
        if season.format == Format.SINGLE_ELIMINATION:
            _bracket_made(season, at)
        elif season.format == Format.LADDER:
            _say_opened(_round_made(season, 1, "Challenges", at, is_final=False), at)
        else:
            _paired(season, lenient=False, at=at)

    def decided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """The winner goes on in a bracket; elsewhere results are only counted."""
        if death_match.round.season.format == Format.SINGLE_ELIMINATION:
            _advanced(death_match.round.season, at)

    def undone(self, *, death_match: DeathMatch, at: datetime) -> None:
        """Whatever a bracket has built on the result goes, and so do places."""
        season = death_match.round.season
        if season.format == Format.SINGLE_ELIMINATION:
            _unbuilt(death_match, at)
            _restored(death_match.home, at)
            _restored(death_match.away, at)
        else:
            season.contestants.exclude(place=None).update(place=None)

    def voided(self, *, death_match: DeathMatch, at: datetime) -> None:
        """Refused in a bracket (``bracket.void``): somebody has to go on."""
        if death_match.round.season.format == Format.SINGLE_ELIMINATION:
            raise Refusal(
                "bracket.void",
                "A bracket needs a winner here: have a match played again, or declare who has won.",
            )

    def complete(self, *, round: Round, at: datetime) -> None:  # noqa: A002
        """Close the round; after the last one the season ends, unless its top is tied. A round of
        a bracket stays open until something after it is decided."""
        season = round.season
        if season.format == Format.LADDER:
            return  # the next challenge may come at any time
        course = Course.of(season)
        last = round.number >= course.rounds
        if season.format in PAIRED:
            deathmatches.round_close(
                acting_user=None, round=round, told={"standings": _told(course)}, at=at
            )
        elif last or round.status == RoundStatus.REOPENED:
            deathmatches.round_close(acting_user=None, round=round, at=at)
        # A corrected result of an earlier round may be the last that was missing.
        if last or not _anything_missing(season, course):
            _concluded_if_clear(season, at)
        elif season.format == Format.SINGLE_ELIMINATION:
            _say_opened(season.rounds.get(number=round.number + 1), at)

    def must_admit(self, *, season: Season) -> None:
        """Late entries are for Swiss seasons and ladders: ``entry.closed``, ``entry.too-late``."""
        if season.format in (Format.SINGLE_ELIMINATION, Format.ROUND_ROBIN):
            raise Refusal(
                "entry.closed", "Nobody can enter late here; somebody can be replaced instead."
            )
        if season.format == Format.SWISS and season.rounds.count() >= Course.of(season).rounds:
            raise Refusal("entry.too-late", "The last round has been paired already.")

    def entered(self, *, season: Season) -> None:
        """Nothing more: whoever plays in a round is read from the rows when it is paired."""

    def left(self, *, contestant: Contestant, at: datetime) -> None:
        """In a bracket everything open is a walkover; elsewhere they are not paired any more."""
        if contestant.season.format == Format.SINGLE_ELIMINATION:
            _advanced(contestant.season, at)

    def replaced(self, *, old: Contestant, new: Contestant, at: datetime) -> None:
        """Nothing more: whoever holds a place is read from the rows each time."""


STEPS: Final[formats.Steps] = Colosseum()
