"""Death matches as formats make them: how they come about, who meets there, and their rounds.

Every function that changes something runs under the season's lock. How they are played is in
`legs`, what their results lead to in `results`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.words import game_name
from tournaments import lifecycle
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
    Leg,
    Round,
    Season,
)
from tournaments.rights import Right
from tournaments.services import repertoire
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    season_lock_managed,
)
from tournaments.services.ledger.stakes import stakes_call_off

BEST_OF_MAX: Final = 15


def ready_window() -> timedelta:
    """How long before the start players can say that they are ready; where no start is fixed, how
    long their word holds."""
    return timedelta(minutes=settings.GAUNTLET_READY_MINUTES)


# -- pairing -------------------------------------------------------------------------------------


def death_match_create(  # noqa: PLR0913  (everything that is known of a pairing)
    *,
    round: Round,  # noqa: A002  (the field's own word)
    home: Contestant | None,
    away: Contestant | None,
    number: int | None = None,
    key: str = "",
    best_of: int = 1,
    games: Sequence[Mapping[str, Any]] = (),
    advantage: Seat | None = None,
    scheduled_at: datetime | None = None,
    follows: str = "",
    at: datetime,
) -> DeathMatch:
    """Pair two contestants, for a format and under the season's lock. A side may be unknown yet.
    ``follows``: the kind of the event that has told both of it.

    ``games``: ruleset, variant and options of each leg, as in a season's repertoire; where there
    are fewer than ``best_of`` they are played in turn, and where there are none, the round's own
    are taken, or it is left open. ``advantage``: the seat, in every leg. ``scheduled_at``: when
    the first leg is played.
    """
    if home is not None and away is not None and home.pk == away.pk:
        raise EngineFault("nobody plays against themselves")
    if best_of % 2 == 0 or not 1 <= best_of <= BEST_OF_MAX:
        raise Refusal("best-of.odd", f"The best of an odd number, from 1 to {BEST_OF_MAX}.")
    known = home is not None and away is not None
    death_match = DeathMatch.objects.create(
        round=round,
        number=number or _next_number(round),
        key=key,
        home=home,
        away=away,
        best_of=best_of,
        status=DeathMatchStatus.PLANNED if known else DeathMatchStatus.WAITING,
    )
    own = {"ruleset": round.ruleset, "variant": round.variant, "options": round.options}
    played = list(games) or ([own] if round.ruleset else [])
    Leg.objects.bulk_create(
        Leg(
            death_match=death_match,
            number=number,
            advantage=advantage,
            scheduled_at=scheduled_at if number == 1 else None,
            **(repertoire.game_fields(played[(number - 1) % len(played)]) if played else {}),
        )
        for number in range(1, best_of + 1)
    )
    if known:
        _announce_pairing(death_match, at, follows)
    return death_match


def _next_number(played: Round) -> int:
    last: int | None = played.death_matches.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _announce_pairing(death_match: DeathMatch, at: datetime, follows: str = "") -> None:
    home, away = sides_of(death_match)
    season_event(
        season=death_match.round.season,
        kind="death-match.paired",
        words=f"{home.name} meets {away.name}.",
        data={
            "home": home.pk,
            "away": away.pk,
            "names": [home.name, away.name],
            "games": games_of(death_match),
            "times": times_of(death_match),
            **({"follows": follows} if follows else {}),
        },
        death_match=death_match,
        at=at,
    )


def games_of(death_match: DeathMatch) -> list[str]:
    """What is still to be played, by name, match by match; nothing where that is not decided."""
    legs = death_match.legs.filter(status=LegStatus.PLANNED).order_by("number")
    return [game_name(leg.ruleset, leg.variant) for leg in legs if leg.ruleset]


def times_of(death_match: DeathMatch) -> list[str]:
    """When it is played (ISO 8601), as far as that is fixed."""
    legs = death_match.legs.filter(status=LegStatus.PLANNED).order_by("number")
    return [leg.scheduled_at.isoformat() for leg in legs if leg.scheduled_at is not None]


def death_match_announce_takeover(*, death_match: DeathMatch, at: datetime) -> None:
    """Tell both who meets now that somebody has taken over a side, under the season's lock."""
    if death_match.home is not None and death_match.away is not None:
        _announce_pairing(death_match, at)


def sides_of(death_match: DeathMatch) -> tuple[Contestant, Contestant]:
    """Both sides, of a death match where both are known."""
    if death_match.home is None or death_match.away is None:
        raise EngineFault("a side of this death match is not known")
    return death_match.home, death_match.away


def wins_of(death_match: DeathMatch) -> tuple[int, int]:
    """How many legs each side has won, by seat."""
    seats = list(
        death_match.legs.filter(status=LegStatus.FINISHED).values_list("winner_seat", flat=True)
    )
    return seats.count(0), seats.count(1)


def seat_of_side(death_match: DeathMatch, contestant: Contestant) -> Seat:
    """The seat that a contestant has. Raises Refusal ``death-match.winner``."""
    if contestant.pk not in (death_match.home_id, death_match.away_id):
        raise Refusal("death-match.winner", f"{contestant.shown_name} is not in this death match.")
    return int(contestant.pk == death_match.away_id)


def bye_create(
    *,
    round: Round,  # noqa: A002
    home: Contestant,
    number: int | None = None,
    key: str = "",
    at: datetime,
) -> DeathMatch:
    """Let somebody through without an opponent, for a format and under the season's lock."""
    death_match = DeathMatch.objects.create(
        round=round,
        number=number or _next_number(round),
        key=key,
        home=home,
        status=DeathMatchStatus.DECIDED,
        winner=home,
        how=How.BYE,
        decided_at=at,
    )
    season_event(
        season=round.season,
        kind="death-match.decided",
        words=f"{home.name} has a bye.",
        data={"winner": home.pk, "name": home.name, "how": How.BYE},
        death_match=death_match,
        at=at,
    )
    return death_match


def sides_set(
    *, death_match: DeathMatch, home: Contestant | None, away: Contestant | None, at: datetime
) -> DeathMatch:
    """Say who meets in a bracket's death match, for a format and under the season's lock; None: not
    known (any more). Nothing of it may have been played."""
    if (death_match.home_id, death_match.away_id) == (
        None if home is None else home.pk,
        None if away is None else away.pk,
    ):
        return death_match
    if death_match.legs.filter(status__in=[LegStatus.RUNNING, LegStatus.FINISHED]).exists():
        raise Refusal("death-match.begun", f"{death_match} has begun: its sides are fixed.")
    # Those who meet now have agreed upon nothing.
    stakes_call_off(death_match, why="Others meet there.", at=at)
    known = home is not None and away is not None
    then = DeathMatchStatus.PLANNED if known else DeathMatchStatus.WAITING
    if death_match.status != then:
        death_match.status = lifecycle.step(
            lifecycle.DEATH_MATCH, death_match.status, then, "The death match"
        )
    death_match.home, death_match.away = home, away
    death_match.save(update_fields=["home", "away", "status"])
    death_match.legs.filter(status=LegStatus.PLANNED).update(
        home_ready_at=None, away_ready_at=None, ready_cleared_at=at
    )
    if known:
        _announce_pairing(death_match, at)
    return death_match


# -- playing -------------------------------------------------------------------------------------


def death_match_move(death_match: DeathMatch, status: DeathMatchStatus, **more: Any) -> None:
    """Take a death match to another state, and set ``more`` of its columns. Raises Refusal
    ``lifecycle.step``."""
    death_match.status = lifecycle.step(
        lifecycle.DEATH_MATCH, death_match.status, status, "The death match"
    )
    for key, value in more.items():
        setattr(death_match, key, value)
    death_match.save(update_fields=["status", *more])


# -- rounds --------------------------------------------------------------------------------------


@transaction.atomic
def round_close(
    *,
    acting_user: User | None,
    round: Round,  # noqa: A002
    more: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Round:
    """Say that a round is complete, and what ``more`` adds to it, for its format. Raises Refusal
    as `guards.season_lock_managed` and `must_be_complete` do."""
    season = season_lock_managed(round.season, acting_user, Right.EPISODES)
    fresh = Round.objects.get(pk=round.pk)
    fresh.season = season
    must_be_complete(fresh)
    fresh.status = _status_after_closing(fresh)
    fresh.closed_at = instant(at)
    fresh.save(update_fields=["status", "closed_at"])
    season_event(
        season=season,
        kind="round.closed",
        words=f"{fresh.name} {fresh.verb} complete.",
        data={"round": fresh.number, **(more or {})},
        round=fresh,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="round.close", target=fresh, data={"season": season.pk}
    )
    return fresh


def must_be_complete(played: Round) -> None:
    """Whether nothing of a round is open, and the round itself is. Raises Refusal
    ``round.open-matches`` and ``lifecycle.step``."""
    open_matches = played.death_matches.exclude(status__in=SETTLED).count()
    if open_matches:
        raise Refusal(
            "round.open-matches",
            f"{played.name} {played.verb} not complete: {open_matches} of its death matches "
            f"{'is' if open_matches == 1 else 'are'} not decided.",
        )
    _status_after_closing(played)


def _status_after_closing(played: Round) -> RoundStatus:
    return lifecycle.step(lifecycle.ROUND, played.status, RoundStatus.CLOSED, played.name)


def active_of(season: Season) -> int:
    """How many contestants are still in."""
    return season.contestants.filter(status=ContestantStatus.ACTIVE).count()
