"""What must hold of every season at every moment, whatever organisers did: told as sentences of
what does not. `manage.py simulate_season` and the tests ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tournaments.course import Course
from tournaments.formats.elimination.episodes import DMO_SEAT
from tournaments.formats.registry import format_of
from tournaments.formats.single_elimination import rules as single_elimination
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
)
from tournaments.models import Contestant, DeathMatch, Episode, Format, Gift, ItemEvent, Leg, Season

OUT = (ContestantStatus.ELIMINATED, ContestantStatus.WITHDRAWN, ContestantStatus.REPLACED)
# Where the last line of an item's history says that it is.
STANDING = {
    "given": GiftStatus.HELD,
    "returned": GiftStatus.HELD,
    "brought": GiftStatus.SPENT,
    "blocked": GiftStatus.SPENT,
    "copied": GiftStatus.SPENT,
    "acted": GiftStatus.SPENT,
    "no-effect": GiftStatus.SPENT,
    "spent": GiftStatus.SPENT,
    "taken-back": GiftStatus.TAKEN_BACK,
    "expired": GiftStatus.EXPIRED,
}


def faults_of(season: Season, *, lenient: bool = False) -> list[str]:
    """Everything that is wrong with a season, as far as its rows can tell; empty if all is well.
    ``lenient``: organisers may have had a Swiss round paired with rematches or second byes."""
    season = Season.objects.get(pk=season.pk)
    matches = _matches(season)
    return [
        *_pairings(season, matches),
        *(() if lenient else _rematches(season, matches)),
        *_results(matches),
        *_people(season, matches),
        *_places(season),
        *_bracket(season, matches),
        *_items(season),
        *_episodes(season),
        *_end(season),
    ]


def _matches(season: Season) -> list[DeathMatch]:
    return list(
        DeathMatch.objects.filter(round__season=season)
        .exclude(status=DeathMatchStatus.VOID)
        .select_related("round", "home", "away", "winner")
        .prefetch_related("legs__match")
        .order_by("round__number", "number")
    )


def _pairings(season: Season, matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Everybody at most once a round; in a Swiss season everybody who is in is paired in each, be
    it that the match was called off, or that they have taken over from whoever was paired."""
    if season.format == Format.LADDER:
        return
    for played in season.rounds.all():
        sides = Counter(
            pk
            for each in matches
            if each.round_id == played.pk
            for pk in (each.home_id, each.away_id)
            if pk is not None
        )
        yield from (f"{pk} meets two in {played}" for pk, count in sides.items() if count > 1)
        if season.format == Format.SWISS:
            paired = played.death_matches.values_list("home", "away")
            left_out = season.contestants.in_round(played.number).exclude(
                pk__in=_with_heirs(season, {pk for two in paired for pk in two if pk})
            )
            yield from (f"{each} is not paired in {played}" for each in left_out)


def _with_heirs(season: Season, contestants: set[int]) -> set[int]:
    """Contestants, and whoever has taken over from them."""
    heirs = dict(season.contestants.exclude(replaces=None).values_list("replaces", "pk"))
    found = set(contestants)
    for pk in contestants:
        while pk in heirs:
            pk = heirs[pk]  # noqa: PLW2901  (the next of the line)
            found.add(pk)
    return found


def _rematches(season: Season, matches: Sequence[DeathMatch]) -> Iterator[str]:
    """In a Swiss season nobody twice against the same, one bye at most."""
    if season.format != Format.SWISS:
        return
    met = Counter(
        frozenset((each.home_id, each.away_id)) for each in matches if each.how != How.BYE
    )
    yield from (f"{sorted(map(str, two))} meet twice" for two, n in met.items() if n > 1)
    byes = Counter(each.home_id for each in matches if each.how == How.BYE)
    yield from (f"{pk} has two byes" for pk, count in byes.items() if count > 1)


def _results(matches: Sequence[DeathMatch]) -> Iterator[str]:
    """A result is that of the matches that were played, unless somebody ruled."""
    for each in matches:
        counting = [leg for leg in each.legs.all() if leg.status != LegStatus.VOID]
        finished = [leg for leg in counting if leg.status == LegStatus.FINISHED]
        yield from _legs(each, counting)
        wins = Counter(leg.winner_seat for leg in finished)
        if each.status != DeathMatchStatus.DECIDED:
            if max(wins.values(), default=0) * 2 > each.best_of:
                yield f"{each} is not decided, though its matches are"
            continue
        if each.winner_id not in (each.home_id, each.away_id):
            yield f"{each} was won by somebody else"
        if each.how == How.PLAYED:
            seat = int(each.winner_id == each.away_id)
            if wins[seat] * 2 <= each.best_of:
                yield f"{each} was not won by what was played"
            if len(finished) > each.best_of or wins[1 - seat] * 2 > each.best_of:
                yield f"{each} was played on after it was decided"


def _legs(death_match: DeathMatch, counting: list[Leg]) -> Iterator[str]:
    numbers = [leg.number for leg in counting]
    if len(set(numbers)) < len(numbers):
        yield f"{death_match} has two attempts that count"
    if sum(leg.status == LegStatus.RUNNING for leg in counting) > 1:
        yield f"{death_match} is played twice at once"
    if death_match.status in PLAYABLE and set(numbers) != set(range(1, death_match.best_of + 1)):
        yield f"{death_match} lacks a match"
    for leg in counting:
        if leg.status != LegStatus.FINISHED or leg.match is None:
            continue
        if not leg.match.is_over:
            yield f"{leg} is finished, its match is not"
        elif leg.how == How.PLAYED and leg.winner_seat != leg.match.winner:
            yield f"{leg} has another winner than its match"


def _people(season: Season, matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Whoever is out stays out: no death match of theirs is open, or in a later round."""
    last_lost: dict[int, int] = {}
    if season.format == Format.ELIMINATION:
        open_matches = Counter(
            side for each in matches if each.status in PLAYABLE for side in (each.home, each.away)
        )
        yield from (f"{side} has two to play" for side, count in open_matches.items() if count > 1)
    for each in matches:
        for side in (each.home, each.away):
            if side is None:
                continue
            is_open = each.status in PLAYABLE
            if is_open and side.status in OUT:
                yield f"{side} is out and yet to play in {each.round}"
            if side.pk in last_lost and each.round.number > last_lost[side.pk]:
                yield f"{side} was out, and plays in {each.round}"
        if (
            season.format == Format.ELIMINATION
            and each.status == DeathMatchStatus.DECIDED
            and each.home is not None
            and each.away is not None
        ):
            loser = each.away if each.winner_id == each.home_id else each.home
            last_lost[loser.pk] = each.round.number
            if loser.status == ContestantStatus.ACTIVE:
                yield f"{loser} has lost {each} and is still in"


def _places(season: Season) -> Iterator[str]:
    """In an elimination season nobody shares a place at any moment, and there is none for those who
    are still in or whose part another has taken over."""
    if season.format != Format.ELIMINATION:
        return
    people = list(Contestant.objects.filter(season=season, place__isnull=False))
    places = Counter(each.place for each in people)
    yield from (f"place {place} is given twice" for place, count in places.items() if count > 1)
    for each in people:
        playing = each.status == ContestantStatus.ACTIVE and each.pk != season.winner_id
        if playing or each.status == ContestantStatus.REPLACED:
            yield f"{each} is {each.status} and has place {each.place}"


def _bracket(season: Season, matches: Sequence[DeathMatch]) -> Iterator[str]:
    """In the first round of a bracket everybody is paired, later those who have won in the round
    before, and nobody else but for the match for third place, which its losers play."""
    if season.format != Format.SINGLE_ELIMINATION or not matches:
        return
    course = format_of(season.format).course_type(season, season.contestants.all(), matches)
    small = {each.id for each in course.bracket.bracket.matches if each.third_place}
    winners, losers = set(course.holders), set[int]()
    for played in season.rounds.order_by("number"):
        own = [each for each in matches if each.round_id == played.pk]
        for_third = [each for each in own if int(each.key) in small]
        others = [each for each in own if int(each.key) not in small]
        for due, pairs in ((winners, others), (losers, for_third)):
            paired = _holders(course, pairs)
            for pk in paired - due:
                yield f"{course.holder(pk)} has no part in {played}, and plays in it"
            # The losers of most rounds have nothing more to play.
            for pk in due - paired if pairs else ():
                yield f"{course.holder(pk)} is not paired in {played}"
        decided = [each for each in others if each.winner_id is not None]
        winners = {course.holder(each.winner_id).pk for each in decided if each.winner_id}
        losers = _holders(course, decided) - winners
    yield from _reached(course)


def _holders(course: Course[Any], pairs: Iterable[DeathMatch]) -> set[int]:
    """Who holds the places now that these death matches bring together."""
    sides = (pk for each in pairs for pk in (each.home_id, each.away_id))
    return {course.holder(pk).pk for pk in sides if pk is not None}


def _reached(course: Course[Any]) -> Iterator[str]:
    """Who has lost for good is out, at the place that the results of the bracket say."""
    reached = {each.player: each.rank for each in single_elimination.places(course.bracket)}
    for pk, each in course.holders.items():
        # Who takes over from somebody that has left is out with the next result, if at all.
        if each.replaces_id is not None and course.season.status != SeasonStatus.FINISHED:
            continue
        if each.place != reached.get(pk):
            yield f"{each} has place {each.place}, not {reached.get(pk)}"
        if each.status == ContestantStatus.ACTIVE and reached.get(pk, 1) > 1:
            yield f"{each} has lost and is still in"


def _items(season: Season) -> Iterator[str]:
    """Every item is in one place, and its history says which; what is used up was brought into
    exactly one match that counts."""
    legs = list(
        Leg.objects.filter(death_match__round__season=season)
        .exclude(status=LegStatus.VOID)
        .exclude(items__isnull=True)
        .select_related("death_match", "match")
    )
    brought = Counter(use["gift"] for leg in legs for use in (leg.items or {})["brought"])
    gifts = list(Gift.objects.filter(season=season))
    last: dict[int, str] = {}
    for event in ItemEvent.objects.filter(gift__season=season).order_by("pk"):
        # What a Copy or Block did says nothing of where it or its target is.
        if event.kind not in ("blocked", "copied", "acted", "no-effect"):
            last[event.gift_id] = event.kind
    for gift in gifts:
        uses = 1 if gift.status == GiftStatus.SPENT else 0
        if brought[gift.pk] != uses:
            yield f"item {gift.pk} is {gift.status} and was brought {brought[gift.pk]} times"
        if STANDING[last.get(gift.pk, "expired")] != gift.status:
            yield f"item {gift.pk} is {gift.status}, its history says {last.get(gift.pk)}"
    known = {gift.pk: gift for gift in gifts}
    for leg in legs:
        for use in (leg.items or {})["brought"]:
            gift = known[use["gift"]]
            side = (leg.death_match.home_id, leg.death_match.away_id)[use["seat"]]
            if gift.receiver_id != side:
                yield f"item {gift.pk} was brought by somebody else"
        match = leg.match
        held = [] if match is None else [[i["item"] for i in match.items if i["seat"] == s]
                                         for s in (0, 1)]  # fmt: skip
        if match is not None and held != (leg.items or {})["held"]:
            yield f"{leg} was played with other items"


def _episodes(season: Season) -> Iterator[str]:
    """The EC sits on seat 0; the DMO on seat 1, at an advantage. In the final whoever was given
    more items for a match has its advantage."""
    if season.format != Format.ELIMINATION:
        return
    for episode in Episode.objects.filter(round__season=season).select_related("round"):
        for each in episode.round.death_matches.exclude(status=DeathMatchStatus.VOID):
            if (each.home_id, each.away_id) != (episode.ec_id, episode.dmo_id):
                yield f"{each} is not between the EC and the DMO"
            for leg in each.legs.exclude(match=None).select_related("match"):
                if leg.match is not None and leg.match.advantage != DMO_SEAT:
                    yield f"{leg}: the DMO has no advantage"
    for leg in Leg.objects.filter(
        death_match__round__season=season, death_match__round__is_final=True
    ).exclude(match=None).select_related("death_match", "match"):  # fmt: skip
        given = Gift.objects.filter(
            death_match=leg.death_match, leg_number=leg.number, given_at__lte=leg.started_at
        ).exclude(status=GiftStatus.TAKEN_BACK)
        home = given.filter(receiver=leg.death_match.home).count()
        away = given.filter(receiver=leg.death_match.away).count()
        due = None if home == away else int(away > home)
        if leg.match is not None and leg.match.advantage != due:
            yield f"{leg}: the advantage is {leg.match.advantage}, not {due}"


def _end(season: Season) -> Iterator[str]:
    if season.status != SeasonStatus.FINISHED:
        return
    winner = season.winner
    if winner is None or winner.place != 1:
        yield "the winner is not in the first place"
    # One that an organiser has reopened, to correct a result, is as it should be.
    if season.rounds.filter(status=RoundStatus.OPEN).exists():
        yield "a round is not closed"
