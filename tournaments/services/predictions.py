"""Who those that only watch a season think will win it, and each of its death matches.

What somebody says of a death match stands in one place: here until it begins, and from then on,
where it is one match, at that match (`games.services.predictions`). Like those, predictions are no
events and have no audit row: nobody is to know whose they are, and moderators play, too. Points are
never stored: `tournaments.reading.predictions` counts them from the results as they stand.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Count, Exists, Q

from accounts.models import User
from core.clock import now_ms
from core.refusals import Forbidden, NotFound, NotUnderstood, Refusal
from games.engine.decisions import Seat
from games.models import MatchPlayer, MatchReferee, Prediction
from games.services.predictions import must_be_open as match_must_be_open
from games.services.predictions import prediction_make
from tournaments import audience
from tournaments.lifecycle import (
    SEASON_OVER,
    SETTLED,
    STILL_IN,
    DeathMatchStatus,
    EpisodeStatus,
    How,
    LegStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Leg,
    ScoreTable,
    Season,
    SeasonPrediction,
)
from tournaments.services.guards import death_match_fresh, heirs_of, season_lock


@transaction.atomic
def winner_predict(
    *, acting_user: User, season: Season, contestant: Contestant, at: int | None = None
) -> None:
    """Say who will win a season, at instant ``at`` (ms), or think better of it.

    Raises Refusal ``season.none``, as `must_be_a_spectator` and `must_be_open_for_winner` do, and
    ``prediction.left``.
    """
    locked = season_lock(season.pk, changes=False)
    must_be_a_spectator(locked, acting_user)
    must_be_open_for_winner(locked)
    fresh = locked.contestants.filter(pk=contestant.pk, status__in=STILL_IN).first()
    if fresh is None:
        raise Refusal("prediction.left", "Whoever wins the season is somebody who is still in.")
    SeasonPrediction.objects.update_or_create(
        season=locked,
        death_match=None,
        user=acting_user,
        defaults={"contestant": fresh, "at": now_ms() if at is None else at},
    )


@transaction.atomic
def death_match_predict(
    *, acting_user: User, death_match: DeathMatch, contestant: Contestant, at: int | None = None
) -> None:
    """Say who will win a death match, at instant ``at`` (ms), or think better of it. One that is a
    single match and has begun is predicted at that match, as long as it is open there.

    Raises Refusal ``season.none``, as `must_be_a_spectator`, `must_be_open` and `must_be_a_side`
    do, and as `games.services.predictions.prediction_make` does.
    """
    season = season_lock(death_match.round.season_id, changes=False)
    fresh = death_match_fresh(death_match.pk)
    must_be_a_spectator(season, acting_user)
    at = now_ms() if at is None else at
    match_id = must_be_open(fresh, at=at)
    seat = must_be_a_side(fresh, contestant)
    holder = fresh.home if seat == 0 else fresh.away
    if match_id is not None:
        prediction_make(acting_user=acting_user, match_id=match_id, seat=seat, at=at)
        return
    SeasonPrediction.objects.update_or_create(
        season=season,
        death_match=fresh,
        user=acting_user,
        # Whoever has taken over the place of whom the page named.
        defaults={"contestant": contestant if holder is None else holder, "at": at},
    )


def must_be_on(season: Season) -> None:
    """Raises Refusal ``prediction.off`` where the organisers have no predictions."""
    if not season.predictions:
        raise NotFound("prediction.off", "There are no predictions in this season.")


def must_be_a_spectator(season: Season, user: User) -> None:
    """Whether somebody only watches a season: neither plays in it, nor has played, nor runs it.
    Raises Refusal ``prediction.off``, ``prediction.organiser`` and ``prediction.player``."""
    must_be_on(season)
    if audience.decides_in(season, user):
        raise Forbidden("prediction.organiser", "Whoever runs a season does not predict it.")
    if audience.plays_in(season, user):
        raise Forbidden("prediction.player", "Contestants do not predict their own season.")


def must_be_open_for_winner(season: Season) -> None:
    """Whether the winner of a season can be predicted: until its first main match is recorded,
    everybody sees the scores of it, or its first death match begins, whichever comes first. Raises
    Refusal ``prediction.closed``, which says what it was."""
    _must_be_on_stage(season)
    if season.status == SeasonStatus.ENROLLING:
        return
    played = Episode.objects.filter(round__season=season).exclude(status=EpisodeStatus.MAIN_MATCH)
    scores = ScoreTable.objects.filter(audience.scores_seen_by_all(), episode__round__season=season)
    begun = Leg.objects.filter(death_match__round__season=season, match__isnull=False)
    decided = DeathMatch.objects.filter(round__season=season, status=DeathMatchStatus.DECIDED)
    known = Season.objects.annotate(
        played=Exists(played),
        scored=Exists(scores),
        begun=Q(Exists(begun)) | Q(Exists(decided.exclude(how=How.BYE))),
    ).values_list("played", "scored", "begun")
    for is_known, what in zip(known.get(pk=season.pk), _KNOWN, strict=True):
        if is_known:
            raise Refusal(
                "prediction.closed",
                f"The winner of the season cannot be predicted any more: {what}",
            )


_KNOWN: Final = (
    "a main match is over.",
    "scores of a main match are on show.",
    "a death match has begun, or is decided.",
)


def _must_be_on_stage(season: Season) -> None:
    """Whether a season is neither hidden nor over. Raises Refusal ``prediction.closed``."""
    if season.visibility == Visibility.ARCHIVED:
        raise Refusal("prediction.closed", "This season is in the archive.")
    if season.visibility != Visibility.LISTED:
        raise Refusal("prediction.closed", "This season is a draft.")
    if season.status in SEASON_OVER:
        raise Refusal("prediction.closed", "This season is over.")


def must_be_open(death_match: DeathMatch, *, at: int | None = None) -> int | None:
    """Whether it can be said at instant ``at`` (ms) who wins a death match; gives the match at
    which it is said, None where it has not begun. Raises Refusal as `must_be_on_the_page` does,
    and ``prediction.closed``."""
    match_id = match_of(death_match)
    if match_id is None:
        must_be_on_the_page(death_match)
        return None
    _must_be_on_stage(death_match.round.season)
    match_must_be_open(match_id, at=now_ms() if at is None else at)
    return match_id


def must_be_on_the_page(death_match: DeathMatch) -> None:
    """Whether it can be said with the season who wins a death match: not at its match. No query.
    Raises Refusal ``prediction.closed`` and ``prediction.sides``."""
    _must_be_on_stage(death_match.round.season)
    if death_match.home_id is None or death_match.away_id is None:
        raise Refusal("prediction.sides", "It is not known yet who meets here.")
    if not is_ahead(death_match):
        over = death_match.status in SETTLED
        raise Refusal("prediction.closed", "It is decided." if over else "It has begun.")


def is_ahead(death_match: DeathMatch) -> bool:
    """Whether nothing of a death match, whose two sides are known, has begun."""
    return death_match.status == DeathMatchStatus.PLANNED


def match_of(death_match: DeathMatch) -> int | None:
    """The match that is being played of a death match that is one match; None of any other."""
    if death_match.best_of > 1 or death_match.status != DeathMatchStatus.RUNNING:
        return None
    legs = death_match.legs.filter(status=LegStatus.RUNNING)
    return legs.values_list("match", flat=True).first()


def predictions_hand_over(leg: Leg) -> None:
    """Hand what was said of a death match that is one match on to that match, which begins; under
    the season's lock. Where it is played again, what was said of the match before goes along, but
    for a seat that somebody else has taken since."""
    death_match = leg.death_match
    if death_match.best_of > 1 or leg.match_id is None:
        return
    said = _said_before(leg)
    rows = SeasonPrediction.objects.filter(death_match=death_match)
    seats: dict[int, Seat | None] = {}
    for user_id, contestant_id, at in rows.values_list("user", "contestant", "at"):
        if contestant_id not in seats:
            seats[contestant_id] = _seat_named(death_match, contestant_id)
        seat = seats[contestant_id]
        if seat is not None:
            said[user_id] = (seat, at)
    # Whoever may not predict the match has become somebody who plays or may rule since.
    barred = set(MatchReferee.objects.filter(match=leg.match_id).values_list("user", flat=True))
    barred |= set(MatchPlayer.objects.filter(match=leg.match_id).values_list("user", flat=True))
    barred |= set(User.objects.filter(pk__in=said, is_superuser=True).values_list("pk", flat=True))
    Prediction.objects.bulk_create(
        Prediction(match_id=leg.match_id, user_id=user_id, seat=seat, at=at)
        for user_id, (seat, at) in sorted(said.items())
        if user_id not in barred
    )
    rows.delete()


def _said_before(leg: Leg) -> dict[int, tuple[Seat, int]]:
    """Who said what, and when, of the match that was played before in place of a leg's."""
    before = leg.death_match.legs.filter(match__isnull=False).exclude(pk=leg.pk)
    match_id = before.order_by("-attempt").values_list("match", flat=True).first()
    if match_id is None:
        return {}
    players = MatchPlayer.objects.filter(match__in=[match_id, leg.match_id])
    sat = players.order_by().values_list("seat", "user").annotate(n=Count("pk"))
    same = [seat for seat, _user, both in sat if both > 1]
    rows = Prediction.objects.filter(match=match_id, seat__in=same)
    return {user: (seat, at) for user, seat, at in rows.values_list("user", "seat", "at")}


def _seat_named(death_match: DeathMatch, contestant_id: int) -> Seat | None:
    """The seat of a contestant in a death match, or of whoever has taken over their place; None for
    anybody else."""
    named = {contestant_id}
    if named.isdisjoint({death_match.home_id, death_match.away_id}):
        named |= heirs_of(named)
    if death_match.home_id in named:
        return 0
    return 1 if death_match.away_id in named else None


def must_be_a_side(death_match: DeathMatch, contestant: Contestant) -> Seat:
    """The seat of a contestant in a death match, or of whoever has taken over their place. Raises
    Refusal ``prediction.contestant``."""
    seat = _seat_named(death_match, contestant.pk)
    if seat is None:
        sentence = "Whoever wins a death match is one of the two."
        raise NotUnderstood("prediction.contestant", sentence, field="contestant")
    return seat


def predictions_merge(keep: User, duplicate: User) -> None:
    """Where both have said something of the same, the kept account's stays. That somebody plays or
    runs the season by either account is asked where it counts."""
    own = SeasonPrediction.objects.filter(user=keep)
    theirs = SeasonPrediction.objects.filter(user=duplicate)
    theirs.filter(death_match__in=own.values("death_match")).delete()
    winners = own.filter(death_match=None).values("season")
    theirs.filter(death_match=None, season__in=winners).delete()
    theirs.update(user=keep)
