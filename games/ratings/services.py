"""Keeping ratings in step with the results, and ruling on results that shall not count as played.

Ratings are derived: whatever changes, a ladder is taken up again from the first result concerned,
from what stood before it. The usual case, a match that has just ended, is the same with nothing
after it. So it does not matter how often, how late or in which order anybody asks for it.

A ladder is changed by one at a time, and nobody waits for that: a result that is reached is put
down as a request, and whoever finds the ladder free takes in all that wait, until none does. Who
finds it taken leaves: their request was there before, and will be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

import structlog
from django.db import connection, transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.roles import is_organiser
from accounts.services import audit_record
from core.clock import now_utc
from core.jobs import guard
from core.queueing import enqueue
from core.refusals import Forbidden, NotFound, Refusal
from core.text import one_line
from games import store
from games.audience import may_organise
from games.jobs import RATE
from games.models import Match
from games.ratings import keys
from games.ratings.models import (
    OVERALL,
    Rating,
    RatingLadder,
    RatingPoint,
    RatingRequest,
    RatingRuling,
    WaitingRuling,
)
from games.ratings.rating import (
    METHOD,
    PAIR_WINDOW,
    Change,
    Meetings,
    RatedResult,
    RatingStanding,
    Strength,
    changes_of,
)
from games.ratings.results import (
    ResultPosition,
    counted,
    first_difference,
    first_differences,
    results_since,
)

log = structlog.get_logger("gauntlet.ratings")

WHY_MAX = 500
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


# -- keeping in step -----------------------------------------------------------------------------


# After so many goes without a pause, what still comes in is left to whoever comes next.
_GOES_AT_MOST = 20


def match_rate(*, match_id: int) -> list[str]:
    """Have both ladders of a match agree with its result as it counts now, by whoever is at them
    just now if not here. Returns the ladders that were changed here: none where they agreed
    already, and none for a match that is not over."""
    return _take_in(match_request(match_id))


def ratings_take_in() -> list[str]:
    """Have every ladder agree with the results that wait for it, as they count now; returns the
    ladders that were changed here. A ladder that somebody is at is left to them, one that cannot be
    computed is set aside, and its results wait."""
    waiting = RatingRequest.objects.order_by("ladder").values_list("ladder", flat=True).distinct()
    return _take_in(list(waiting))


def match_request(match_id: int) -> list[str]:
    """Have the ladders of a match, if it is over, compared with its result by whoever takes in what
    waits once this is committed; returns which."""
    with connection.cursor() as cursor:
        cursor.execute(_REQUEST, (OVERALL, match_id))
        return sorted(ladder for (ladder,) in cursor.fetchall())


_REQUEST = """
    INSERT INTO games_ratingrequest (ladder, match_id)
    SELECT ladder.id, match.id
    FROM games_match match CROSS JOIN LATERAL (VALUES (match.ruleset), (%s)) AS ladder (id)
    WHERE match.id = %s AND match.status = 'finished'
    RETURNING ladder
"""


def _take_in(ladders: Sequence[str]) -> list[str]:
    changed: list[str] = []

    def take_in(ladder_id: str) -> bool:
        goes: list[bool] = []
        while len(goes) < _GOES_AT_MOST:
            came_of_it = _take_in_waiting(ladder_id)
            if came_of_it is None:
                break
            goes.append(came_of_it)
            # The ladder is free again: who found it taken has left a request, and gone.
            if not RatingRequest.objects.filter(ladder=ladder_id).exists():
                break
        if any(goes):
            changed.append(ladder_id)
        return bool(goes)

    _make(ladders)
    # A long ladder may take its time.
    guard.each("ratings.take-in", ladders, take_in, target="games.ratingladder", limited=False)
    return changed


@transaction.atomic
def _take_in_waiting(ladder_id: str) -> bool | None:
    """Have a ladder agree with all that waits for it now; whether that changed it. None where
    somebody else is at the ladder."""
    ladder = _lock_if_free(ladder_id)
    if ladder is None:
        return None
    # Before the results are read: whatever is asked for after this is asked for once more.
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM games_ratingrequest WHERE ladder = %s RETURNING match_id", (ladder_id,)
        )
        asked = {match_id for (match_id,) in cursor.fetchall()}
    since = first_difference(ladder_id, asked)
    if since is not None:
        _take_up(ladder, since=since)
    return since is not None


def ratings_repair(*, since: datetime | None = None) -> dict[str, ResultPosition]:
    """Notice results since an instant (None: all) that the ladders do not hold as they are, and
    take the ladders up again from there. Returns where each that was wrong was wrong first.

    One transaction for each ladder: one that cannot be computed is set aside, and the others are
    repaired."""
    wrong = first_differences(since or _EVER)
    for ladder_id in _outdated_ladders():
        wrong[ladder_id] = ResultPosition(_EVER, 0)
    guard.each(
        "ratings.repair",
        sorted(wrong),
        lambda ladder_id: _repair(ladder_id, wrong[ladder_id]),
        target="games.ratingladder",
        limited=False,  # a long ladder may take its time
    )
    return wrong


@transaction.atomic
def _repair(ladder_id: str, since: ResultPosition) -> bool:
    for ladder in _lock([ladder_id]):
        log.warning("ratings.repaired", ladder=ladder.pk, at=str(since.at))
        _take_up(ladder, since=since)
    return True


@transaction.atomic
def ratings_rebuild(*, ladders: Iterable[str] | None = None) -> int:
    """Compute ladders (None: all) from nothing. Returns how many results that took."""
    wanted = [OVERALL, *Match.objects.order_by().values_list("ruleset", flat=True).distinct()]
    chosen = wanted if ladders is None else ladders
    return sum(_take_up(ladder, since=None) for ladder in _lock(chosen))


def _outdated_ladders() -> QuerySet[RatingLadder, str]:
    """The ladders that an earlier version of the arithmetic has made."""
    return RatingLadder.objects.exclude(method=METHOD).values_list("pk", flat=True)


def _lock(ladders: Iterable[str]) -> list[RatingLadder]:
    """The rows of these ladders, locked, always in the same order; made where there are none."""
    wanted = sorted(set(ladders))
    RatingLadder.objects.bulk_create(
        [RatingLadder(pk=ladder, method=METHOD) for ladder in wanted], ignore_conflicts=True
    )
    return list(
        RatingLadder.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk")
    )


def _make(ladders: Iterable[str]) -> None:
    """Have these ladders have a row. Outside of the transaction that locks it: whoever else comes
    to a ladder that is new would wait for that."""
    wanted = set(ladders)
    known = RatingLadder.objects.filter(pk__in=wanted).values_list("pk", flat=True)
    missing = [RatingLadder(pk=ladder, method=METHOD) for ladder in sorted(wanted - set(known))]
    if missing:
        RatingLadder.objects.bulk_create(missing, ignore_conflicts=True)


def _lock_if_free(ladder_id: str) -> RatingLadder | None:
    """The row of a ladder, locked; None where somebody holds it."""
    free = RatingLadder.objects.select_for_update(no_key=True, skip_locked=True)
    return free.filter(pk=ladder_id).first()


def _take_up(ladder: RatingLadder, *, since: ResultPosition | None) -> int:
    """Compute a ladder, whose row is locked, from the results since a position (None: all), on top
    of what stands before it. Returns the number of results."""
    touched = _forget(ladder, since)
    results = list(results_since(ladder.pk, since))
    touched |= {user for result in results for user in (result.winner, result.loser)}
    standings = _standings(ladder, touched)
    met = _meetings(ladder, results)
    _append(ladder, list(changes_of(results, standings, met)))
    _settle(ladder, touched, standings)
    RatingLadder.objects.filter(pk=ladder.pk).update(method=METHOD, changed_at=now_utc())
    transaction.on_commit(partial(keys.ladder_changed, ladder.pk), robust=True)
    return len(results)


def _forget(ladder: RatingLadder, since: ResultPosition | None) -> set[int]:
    """Delete the points of a ladder from a position on (None: all); returns whose they were."""
    where = "ladder_id = %s" if since is None else "ladder_id = %s AND (at, match_id) >= (%s, %s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM games_ratingpoint WHERE {where} RETURNING user_id",  # noqa: S608
            (ladder.pk, *(since or ())),
        )
        return {user for (user,) in cursor.fetchall()}


def _standings(ladder: RatingLadder, users: Iterable[int]) -> dict[int, RatingStanding]:
    """Where each of ``users`` stands by the latest of their points; newcomers are left out."""
    latest = (
        RatingPoint.objects.filter(ladder=ladder, user__in=list(users))
        .order_by("user", "-games")
        .distinct("user")
    )
    return {
        point.user_id: RatingStanding(
            strength=point.strength,
            games=point.games,
            wins=point.wins,
            peak=point.peak,
            at=point.at,
            match_id=point.match_id,
        )
        for point in latest
    }


def _meetings(ladder: RatingLadder, results: Sequence[RatedResult]) -> Meetings:
    """Who has met on a ladder so shortly before ``results``, which are in order and not taken in
    yet, that it tells in their weight."""
    met = Meetings()
    if results:
        points = RatingPoint.objects.filter(
            ladder=ladder,
            won=True,
            user__in={result.winner for result in results} | {result.loser for result in results},
            at__gt=results[0].at - PAIR_WINDOW,
        )
        for user, opponent, at in points.order_by("at", "match").values_list(
            "user", "opponent", "at"
        ):
            met.note(user, opponent, at)
    return met


_COPIED_AT_ONCE = 20_000
_COPY = (
    "COPY games_ratingpoint (ladder_id, match_id, user_id, opponent_id, at, won, mu_before,"
    " sigma_before, shown_before, mu, sigma, shown, games, wins, peak, weight) FROM STDIN"
)


def _append(ladder: RatingLadder, changes: Sequence[Change]) -> None:
    """Store points. By COPY, which a ladder of a hundred thousand results is glad of."""
    # In parts, so that no statement takes long enough to be stopped by its timeout.
    for start in range(0, len(changes), _COPIED_AT_ONCE):
        with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            for change in changes[start : start + _COPIED_AT_ONCE]:
                copy.write_row(_point_row(ladder.pk, change))


def _point_row(ladder: str, change: Change) -> tuple[Any, ...]:
    result, before, after = change.result, change.before, change.after
    return (
        ladder,
        result.match_id,
        change.user,
        result.loser if change.won else result.winner,
        result.at,
        change.won,
        before.mu,
        before.sigma,
        before.shown,
        after.strength.mu,
        after.strength.sigma,
        after.strength.shown,
        after.games,
        after.wins,
        after.peak,
        change.weight,
    )


def _settle(ladder: RatingLadder, touched: set[int], standings: dict[int, RatingStanding]) -> None:
    """Have the ratings of ``touched`` say what their latest points say."""
    gone = touched - standings.keys()
    if gone:
        Rating.objects.filter(ladder=ladder, user__in=gone).delete()
    opponents = _opponents(ladder, touched)
    Rating.objects.bulk_create(
        [
            _rating(ladder, user, standings[user], opponents.get(user, 0))
            for user in sorted(touched & standings.keys())
        ],
        update_conflicts=True,
        unique_fields=["user", "ladder"],
        update_fields=[
            "mu",
            "sigma",
            "shown",
            "games",
            "wins",
            "opponents",
            "peak",
            "last_played",
        ],
        batch_size=2000,
    )


def _opponents(ladder: RatingLadder, users: set[int]) -> dict[int, int]:
    """Against how many different players each of ``users`` has results on a ladder."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT user_id, count(DISTINCT opponent_id) FROM games_ratingpoint"
            " WHERE ladder_id = %s AND user_id = ANY(%s) GROUP BY user_id",
            (ladder.pk, sorted(users)),
        )
        return dict(cursor.fetchall())


def _rating(ladder: RatingLadder, user: int, standing: RatingStanding, opponents: int) -> Rating:
    strength: Strength = standing.strength
    return Rating(
        ladder=ladder,
        user_id=user,
        mu=strength.mu,
        sigma=strength.sigma,
        shown=strength.shown,
        games=standing.games,
        wins=standing.wins,
        opponents=opponents,
        peak=standing.peak,
        last_played=standing.at,
    )


# -- rulings -------------------------------------------------------------------------------------


class ToRule(NamedTuple):
    """A match, locked, and what is ruled on it beside what moderators have ruled on its pair: by
    rows of `kept_as`. While these have, that waits."""

    match: Match
    ruling: RatingRuling | WaitingRuling | None
    kept_as: type[RatingRuling] | type[WaitingRuling]

    @property
    def waits(self) -> dict[str, bool]:
        """What the audit log says of that."""
        return {"waits": True} if self.kept_as is WaitingRuling else {}


@transaction.atomic
def rating_exclude(
    *, match_id: int, acting_user: User | None, why: str, authorised: bool = False
) -> RatingRuling | WaitingRuling:
    """Have the result of a finished match count for nobody; the match stays as it was played.

    ``acting_user`` None is the site itself. ``authorised`` says that the caller has made sure that
    this person may do it (a season's organiser); otherwise organisers may who do not play in the
    match. Ratings follow after commit. Where moderators have ruled on the pair, an authorised
    ruling waits until they take theirs back, and another is refused. Raises Refusal ``match.none``,
    ``match.not-over``, ``organiser.not-allowed``, ``rating.why-missing``, ``rating.why-too-long``,
    ``rating.no-accounts``, ``rating.of-pair`` and ``rating.excluded``.
    """
    found = _to_rule_on(match_id, acting_user, why, authorised)
    if found.ruling is None and found.match.winner is None:
        raise Refusal("rating.excluded", "This match is void: it counts for nobody already.")
    if found.ruling is not None and found.ruling.winner is None:
        raise Refusal("rating.excluded", "This result counts for nobody already.")
    return _rule(found, acting_user, why, winner=None, action="rating.exclude")


@transaction.atomic
def rating_correct(
    *, match_id: int, acting_user: User | None, winner: int, why: str, authorised: bool = False
) -> RatingRuling | WaitingRuling:
    """Have the result of a finished match, a void one too, count as won by seat ``winner``.

    As `rating_exclude`; its own refusals: ``rating.seat``, ``rating.never-begun``,
    ``rating.same-winner``.
    """
    if winner not in (0, 1):
        raise Refusal("rating.seat", "A match is won by seat 0 or by seat 1.")
    found = _to_rule_on(match_id, acting_user, why, authorised)
    match, ruling = found.match, found.ruling
    if match.winner is None and store.never_began(match_id):
        raise Refusal("rating.never-begun", "This match never began: nobody can have won it.")
    if winner == (match.winner if ruling is None else ruling.winner):
        raise Refusal("rating.same-winner", "This result counts as that player's win already.")
    return _rule(found, acting_user, why, winner=winner, action="rating.correct")


@transaction.atomic
def rating_include(
    *, match_id: int, acting_user: User | None, why: str, authorised: bool = False
) -> None:
    """Have the result of a match count again as it was played.

    As `rating_exclude`; its own refusal: ``rating.no-ruling``.
    """
    found = _to_rule_on(match_id, acting_user, why, authorised)
    if found.ruling is None:
        raise Refusal("rating.no-ruling", "This result counts as it was played.")
    before = {"winner": found.ruling.winner, "why": found.ruling.why}
    found.ruling.delete()
    data = {"why": one_line(why), "was": before, **found.waits}
    _record_ruling(found.match, acting_user, action="rating.include", data=data)


def must_rule(acting_user: User) -> None:
    """Whether there can be results on which somebody rules; which, is a match's own matter. Raises
    Refusal ``organiser.not-allowed``."""
    if not is_organiser(acting_user):
        raise _not_allowed()


def _not_allowed() -> Forbidden:
    return Forbidden("organiser.not-allowed", "Only an organiser who is not playing may do this.")


def _to_rule_on(match_id: int, acting_user: User | None, why: str, authorised: bool) -> ToRule:
    """What is ruled on; raises the refusals of all rulings."""
    match = (
        Match.objects.select_for_update(no_key=True)
        .defer("snapshot")
        .prefetch_related("players")
        .filter(pk=match_id)
        .first()
    )
    if match is None:
        raise NotFound("match.none", "There is no such match.")
    if acting_user is not None and not authorised and not may_organise(match, acting_user):
        raise _not_allowed()
    if not match.is_over:
        raise Refusal("match.not-over", "There is a result to rule on once the match is over.")
    said = one_line(why)
    if not said:
        raise Refusal("rating.why-missing", "Please give a reason; everybody can read it.")
    if len(said) > WHY_MAX:
        raise Refusal("rating.why-too-long", f"A reason has at most {WHY_MAX} characters.")
    ruling = RatingRuling.objects.filter(match=match).first()
    of_pair = ruling is not None and ruling.pair_id is not None
    if of_pair and not authorised:
        sentence = "Moderators have ruled on matches of these two; that is theirs to take back."
        raise Refusal("rating.of-pair", sentence)
    imported = match.source != Match.Source.PLAYED
    if imported or any(player.user_id is None for player in match.players.all()):
        raise Refusal("rating.no-accounts", "This match counts for nobody: it was not played here.")
    if of_pair:
        return ToRule(match, WaitingRuling.objects.filter(match=match).first(), WaitingRuling)
    return ToRule(match, ruling, RatingRuling)


def _rule(
    found: ToRule, acting_user: User | None, why: str, *, winner: int | None, action: str
) -> RatingRuling | WaitingRuling:
    ruling, _ = found.kept_as.objects.update_or_create(
        match=found.match,
        defaults={
            "winner": winner,
            "why": one_line(why),
            "by": acting_user,
            "at": now_utc(),
        },
    )
    data = {"winner": winner, "why": ruling.why, **found.waits}
    _record_ruling(found.match, acting_user, action=action, data=data)
    return ruling


def _record_ruling(
    match: Match, acting_user: User | None, *, action: str, data: dict[str, Any]
) -> None:
    audit_record(acting_user=acting_user, action=action, target=match, data=data)
    match_request(match.pk)
    transaction.on_commit(partial(enqueue, RATE), robust=True)


def counts(match: Match) -> bool:
    """Whether the result of a match counts for both ladders as things stand."""
    found: bool = counted(Match.objects.filter(pk=match.pk)).exists()
    return found
