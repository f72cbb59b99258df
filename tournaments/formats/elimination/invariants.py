"""What must hold of an elimination season at every moment, told as sentences of what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from games.models import Match
from tournaments.formats.elimination.episodes import DMO_SEAT
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
)
from tournaments.models import Contestant, DeathMatch, Episode, Gift, Leg, Season


def faults_of(season: Season, death_matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Everything that is wrong with what is its own."""
    yield from _losers(death_matches)
    yield from _places(season)
    yield from _episodes(season)


def _losers(death_matches: Sequence[DeathMatch]) -> Iterator[str]:
    """Nobody has two to play; who has lost is out, and plays in no later round."""
    open_matches = Counter(
        side for each in death_matches if each.status in PLAYABLE for side in (each.home, each.away)
    )
    yield from (f"{side} has two to play" for side, count in open_matches.items() if count > 1)
    last_lost: dict[int, int] = {}
    for each in death_matches:
        for side in (each.home, each.away):
            if side is not None and each.round.number > last_lost.get(side.pk, each.round.number):
                yield f"{side} was out, and plays in {each.round}"
        if each.status != DeathMatchStatus.DECIDED or each.home is None or each.away is None:
            continue
        loser = each.away if each.winner_id == each.home_id else each.home
        last_lost[loser.pk] = each.round.number
        if loser.status == ContestantStatus.ACTIVE:
            yield f"{loser} has lost {each} and is still in"


def _places(season: Season) -> Iterator[str]:
    """Nobody shares a place at any moment, and there is none for those who are still in or whose
    part another has taken over."""
    people = list(Contestant.objects.filter(season=season, place__isnull=False))
    places = Counter(each.place for each in people)
    yield from (f"place {place} is given twice" for place, count in places.items() if count > 1)
    for each in people:
        playing = each.status == ContestantStatus.ACTIVE and each.pk != season.winner_id
        if playing or each.status == ContestantStatus.REPLACED:
            yield f"{each} is {each.status} and has place {each.place}"


def _episodes(season: Season) -> Iterator[str]:
    """The EC sits on seat 0; the DMO on seat 1, at an advantage. In the final whoever was given
    more items for a match has its advantage."""
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
        # One that waits for its players was called before it begins, with what was given by then.
        played = leg.match is not None and leg.match.source == Match.Source.PLAYED
        called = leg.match.created_at if leg.match is not None and played else leg.started_at
        if called is None:
            continue
        given = Gift.objects.filter(
            death_match=leg.death_match, leg_number=leg.number, given_at__lte=called
        ).exclude(status=GiftStatus.TAKEN_BACK)
        home = given.filter(receiver=leg.death_match.home).count()
        away = given.filter(receiver=leg.death_match.away).count()
        due = None if home == away else int(away > home)
        # Sealed while it waits, and for good in what never began.
        sealed = played and leg.started_at is None
        if leg.match is not None and leg.match.advantage not in ({None, due} if sealed else {due}):
            yield f"{leg}: the advantage is {leg.match.advantage}, not {due}"
