"""Death matches decided, and what follows for the season.

What a format says is to follow is done here: somebody who has left loses, a round is complete, the
season is over. Everything under the season's lock, as part of another action.
"""

from __future__ import annotations

from datetime import datetime

from accounts.models import User
from games.engine.errors import EngineFault
from tournaments import lifecycle
from tournaments.formats.base import Follows, Walkover
from tournaments.formats.registry import format_of
from tournaments.lifecycle import (
    SETTLED,
    DeathMatchStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
)
from tournaments.models import Contestant, DeathMatch, Round, Season
from tournaments.services.deathmatches import death_match_move
from tournaments.services.events import season_event
from tournaments.services.guards import death_match_fresh
from tournaments.services.items import spending
from tournaments.services.ledger import stakes
from tournaments.services.results.conclusion import season_conclude_if_clear


def death_match_decide(
    death_match: DeathMatch,
    *,
    winner: Contestant,
    how: How,
    why: str,
    at: datetime,
    by: User | None = None,
    follows: str = "",
) -> None:
    """Decide a death match. ``by``: the organiser whose ruling it is. ``follows``: the kind of the
    event that has told of the same action."""
    for leg in death_match.legs.filter(status=LegStatus.PLANNED):
        # Not needed any more: nothing was played, so nothing is said.
        leg.declarations.all().delete()
        leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
        leg.save(update_fields=["status"])
    death_match_move(
        death_match, DeathMatchStatus.DECIDED, winner=winner, how=how, why=why, decided_at=at
    )
    home, away = death_match.home, death_match.away
    loser = away if home is not None and winner.pk == home.pk else home
    against = f" against {loser.name}" if loser is not None else ""
    said = {
        How.PLAYED: f"{winner.name} wins{against}.",
        How.WALKOVER: f"{winner.name} wins{against} without playing: {why}",
        How.RULING: f"{winner.name} is given the win{against}: {why}"
        if why
        else f"{winner.name} is given the win{against}.",
    }
    season_event(
        season=death_match.round.season,
        kind="death-match.decided",
        words=said[how],
        data={
            "winner": winner.pk,
            "loser": None if loser is None else loser.pk,
            "names": [each.name for each in (home, away) if each is not None],
            "how": how,
            "why": why,
            "score": [death_match.home_score, death_match.away_score],
            **({"follows": follows} if follows else {}),
        },
        death_match=death_match,
        contestant=winner,
        by=by,
        at=at,
    )
    spending.items_expire(death_match=death_match, at=at)
    stakes.stakes_settle(death_match, winner=winner, loser=loser, at=at)
    season = death_match.round.season
    out_before = stakes.put_out(season)
    follows_from_it = format_of(season.format).on_decided(death_match=death_match, at=at)
    stakes.purses_lapse(death_match, before=out_before, at=at)
    follow(follows_from_it, season=season, at=at)
    round_settle(round=death_match.round, at=at)


def follow(follows: Follows, *, season: Season, at: datetime) -> None:
    """Do what a format's step has said is to be done, under the season's lock."""
    for each in follows.walkovers:
        _give(each, at)
    if follows.settles is not None:
        round_settle(round=follows.settles, at=at)
    if follows.concludes:
        season_conclude_if_clear(Season.objects.get(pk=season.pk), at)


def _give(walkover: Walkover, at: datetime) -> None:
    """Whoever has left lost what they were playing before their format was asked: nothing of what
    it gives away has to be ended."""
    fresh = death_match_fresh(walkover.death_match.pk)
    if fresh.status in SETTLED:
        return
    if fresh.legs.filter(status=LegStatus.RUNNING).exists():
        raise EngineFault("a format gives away no match that is being played")
    death_match_decide(fresh, winner=walkover.winner, how=How.WALKOVER, why=walkover.why, at=at)


def round_settle(*, round: Round, at: datetime) -> None:  # noqa: A002
    """Have the format do its next step where nothing of a round is left to be played; under the
    season's lock."""
    fresh = Round.objects.select_related("season").get(pk=round.pk)
    if fresh.status == RoundStatus.CLOSED or fresh.season.status != SeasonStatus.RUNNING:
        return
    if fresh.death_matches.exclude(status__in=SETTLED).exists():
        return
    if fresh.death_matches.filter(status=DeathMatchStatus.DECIDED).exists():
        season = fresh.season
        follow(format_of(season.format).complete(round=fresh, at=at), season=season, at=at)
