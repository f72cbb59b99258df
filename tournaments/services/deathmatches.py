"""Death matches: how they come about, begin, end, and what happens when a result does not stand.

A death match is decided by its legs, or by a ruling; what follows for the season is the format's
(see `formats`). Every function that changes something runs under the season's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import audit_record, users_lock
from core import chance
from core.refusals import Forbidden, NotFound, Refusal
from games import pace, store, words
from games.engine.chance import RandomSource
from games.engine.decisions import Seat, other
from games.engine.errors import EngineFault
from games.models import Match, MatchEntry
from games.ratings.services import rating_correct, rating_exclude
from games.rulesets import REGISTRY
from games.services.matches import match_start, supplied_to
from games.services.turns import match_organise, match_submit
from games.words import game_name
from tournaments import audience, lifecycle
from tournaments.lifecycle import (
    EPISODE_OVER,
    PLAYABLE,
    SETTLED,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    How,
    LegStatus,
    RoundStatus,
    SeasonStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Format,
    Gift,
    Leg,
    Round,
    Season,
)
from tournaments.services import formats, items, seasons
from tournaments.services.events import season_event
from tournaments.services.guards import (
    death_match_fresh,
    death_match_managed,
    instant,
    leg_managed,
    managed,
    must_be_running,
    must_not_be_archived,
    must_not_be_frozen,
    own_death_match,
    reason,
    season_locked,
)

log = structlog.get_logger("gauntlet.seasons")

BEST_OF_MAX: Final = 15


def ms(at: datetime) -> int:
    """An instant as matches count it: milliseconds since 1970."""
    return round(at.timestamp() * 1000)


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
    follows: str = "",
    at: datetime,
) -> DeathMatch:
    """Pair two contestants, for a format and under the season's lock. A side may be unknown yet.
    ``follows``: the kind of the event that has told both of it.

    ``games``: ruleset, variant and options of each leg, as in a season's repertoire; where there
    are fewer than ``best_of`` they are played in turn, and where there are none, the round's own
    are taken, or it is left open. ``advantage``: the seat, in every leg.
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
            **(seasons.game_fields(played[(number - 1) % len(played)]) if played else {}),
        )
        for number in range(1, best_of + 1)
    )
    if known:
        _say_paired(death_match, at, follows)
    return death_match


def _next_number(played: Round) -> int:
    last: int | None = played.death_matches.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _say_paired(death_match: DeathMatch, at: datetime, follows: str = "") -> None:
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


def death_match_say_taken_over(*, death_match: DeathMatch, at: datetime) -> None:
    """Tell both who meets now that somebody has taken over a side, under the season's lock."""
    if death_match.home is not None and death_match.away is not None:
        _say_paired(death_match, at)


def sides_of(death_match: DeathMatch) -> tuple[Contestant, Contestant]:
    """Both sides, of a death match where both are known."""
    if death_match.home is None or death_match.away is None:
        raise EngineFault("a side of this death match is not known")
    return death_match.home, death_match.away


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
        _say_paired(death_match, at)
    return death_match


# -- what is played ------------------------------------------------------------------------------


@transaction.atomic
def rules_set(
    *,
    acting_user: User,
    death_match: DeathMatch,
    ruleset: str,
    variant: str,
    options: Mapping[str, Any] | None = None,
    prepared: Mapping[str, str] | None = None,
    leg_number: int | None = None,
    at: datetime | None = None,
) -> DeathMatch:
    """Decide what a death match is played in: all legs that have not begun, or one of them.

    Organisers decide; where the season lets the lower seed choose, that player may, once, and from
    the repertoire. ``options`` as in `games.services.matches.match_start` (on top of the season's
    pace), ``prepared`` (organisers only) what is supplied instead of drawn. Refusals: those of
    `guards.managed`, ``season.not-running``, ``death-match.own``, ``rules.not-allowed``,
    ``rules.chosen``, ``rules.not-in-repertoire``, ``leg.none``, ``leg.begun``,
    ``season.repertoire``, ``setup.*``, ``item.declared`` (an item that is brought would not fit).
    """
    season = season_locked(death_match.round.season_id)
    must_not_be_archived(season)
    must_be_running(season)
    fresh = death_match_fresh(death_match.pk)
    game = seasons.game_chosen(
        {"ruleset": ruleset, "variant": variant, "options": dict(options or {})}
    )
    if not audience.may_rule(fresh, acting_user):
        game = _game_chosen_by_seed(season, fresh, acting_user, game, prepared)
    supplied = dict(prepared or {})
    supplied_to(REGISTRY.get(game["ruleset"]), game["variant"], supplied)
    legs = fresh.legs.exclude(status=LegStatus.VOID)
    chosen = list(legs if leg_number is None else legs.filter(number=leg_number))
    if not chosen:
        if leg_number is not None:
            raise NotFound("leg.none", "This death match has no such leg.")
        raise Refusal("leg.none-left", "This death match has no leg that could be played.")
    open_legs = [leg for leg in chosen if leg.status == LegStatus.PLANNED]
    if not open_legs or (leg_number is not None and len(open_legs) < len(chosen)):
        raise Refusal("leg.begun", "What is played cannot change once it has begun.")
    for leg in open_legs:
        items.must_still_fit(leg, ruleset=game["ruleset"], variant=game["variant"])
        for field, value in seasons.game_fields(game).items():
            setattr(leg, field, value)
        leg.prepared = supplied
        leg.prepared_by = acting_user if supplied else None
        # Who had said to be ready had agreed to something else.
        leg.home_ready_at = leg.away_ready_at = None
        leg.ready_cleared_at = instant(at)
        leg.save(
            update_fields=[
                "ruleset", "variant", "options", "prepared", "prepared_by", "home_ready_at",
                "away_ready_at", "ready_cleared_at",
            ]
        )  # fmt: skip
    name = REGISTRY.get(game["ruleset"]).name
    which = f"Match {leg_number} of {fresh}" if leg_number and fresh.best_of > 1 else str(fresh)
    told = f"{which} is played in {name}."  # people's names are as they write them
    if supplied:
        # That it is supplied, and by whom: what it is stays secret until the rules show it.
        named = ", ".join(words.supplies_named(game["ruleset"], supplied))
        told += f" Supplied by {acting_user.shown_name} instead of being drawn: {named}."
    season_event(
        season=season,
        kind="death-match.rules",
        words=told,
        data={**game, "legs": [leg.number for leg in open_legs], "supplied": sorted(supplied)},
        death_match=fresh,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="death_match.rules",
        target=fresh,
        data={**game, "legs": [leg.number for leg in open_legs], "prepared": sorted(supplied)},
    )
    return fresh


def _game_chosen_by_seed(
    season: Season,
    death_match: DeathMatch,
    acting_user: User,
    game: Mapping[str, Any],
    prepared: Mapping[str, str] | None,
) -> dict[str, Any]:
    """The entry of the repertoire that the lower seed has chosen, with the options it has there."""
    if not audience.may_choose_rules(death_match, acting_user):
        if audience.may_manage(season, acting_user):
            raise own_death_match()
        raise Forbidden("rules.not-allowed", "It is not yours to say what is played here.")
    if death_match.legs.exclude(ruleset="").exists():
        raise Refusal("rules.chosen", "It has been chosen what is played.")
    for each in season.repertoire:
        listed = seasons.game_fields(each)
        same = (listed["ruleset"], listed["variant"]) == (game["ruleset"], game["variant"])
        if same and not prepared and game["options"] in ({}, listed["options"]):
            return listed
    raise Refusal("rules.not-in-repertoire", "Please choose one of the season's games.")


# -- playing -------------------------------------------------------------------------------------


def options_for(season: Season, leg: Leg) -> dict[str, Any]:
    """The options of a leg's match: the season's pace, and what the leg says on top of it."""
    chosen = next(each for each in pace.PACES if each.id == season.pace)
    return {**pace.options_at(REGISTRY.get(leg.ruleset), chosen), **leg.options}


@transaction.atomic
def leg_start(
    *,
    acting_user: User | None,
    leg: Leg,
    at: datetime | None = None,
    random: RandomSource = chance.system,
) -> Leg:
    """Begin a leg at once, as a match between both players; None: the site, when both are ready.

    The items that were declared are resolved now, and spent. The match draws its beginning from
    ``random``. Refusals: those of `guards.managed`,
    ``season.not-running``, ``death-match.own``, ``leg.not-planned``, ``leg.sides``, ``leg.order``,
    ``leg.rules-missing``, ``leg.no-account``, ``death-match.side-left``, ``setup.*``,
    ``referee.*``.
    """
    season, fresh = leg_managed(leg, acting_user)
    return _started(season, fresh, acting_user, instant(at), random)


def _started(
    season: Season, leg: Leg, acting_user: User | None, at: datetime, random: RandomSource
) -> Leg:
    must_be_running(season)
    death_match = leg.death_match
    if leg.status != LegStatus.PLANNED:
        raise Refusal("leg.not-planned", f"This match is “{leg.get_status_display()}” already.")
    if death_match.status not in PLAYABLE:
        raise Refusal("leg.sides", "It is not known yet who meets here.")
    before = death_match.legs.filter(number__lt=leg.number)
    running = death_match.legs.filter(status=LegStatus.RUNNING)
    if running.exists() or before.filter(status=LegStatus.PLANNED).exists():
        raise Refusal("leg.order", "The matches of a death match are played one after another.")
    if not leg.ruleset:
        raise Refusal("leg.rules-missing", "It is not decided yet what is played.")
    home, away = sides_of(death_match)
    if home.user is None or away.user is None:
        raise Refusal("leg.no-account", "Both players need an account here.")
    # What somebody plays who is out could not be taken over: see `leg_settle`.
    _must_be_in(death_match)
    # With those who are to referee it, in one go: who is asked below must be as they are then.
    users_lock([home.user, away.user, *season.organisers.values_list("user_id", flat=True)])
    leg.advantage = advantage_of(leg)
    resolved = items.items_resolve(leg=leg, at=at)
    match = match_start(
        acting_user=acting_user,
        players=(home.user, away.user),
        ruleset_id=leg.ruleset,
        variant=leg.variant,
        options=options_for(season, leg),
        items=resolved.held,
        advantage=leg.advantage,
        items_counted=leg.death_match.round.season.format == Format.ELIMINATION,
        prepared=leg.prepared,
        prepared_by=leg.prepared_by,
        referees=seasons.referees_of(season, playing=(home.user, away.user)),
        at=ms(at),
        random=random,
    )
    leg.match = match
    leg.advantage = match.advantage
    leg.items = resolved.told()
    leg.started_at = at
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.RUNNING, "The match")
    leg.save(update_fields=["match", "items", "advantage", "started_at", "status"])
    if death_match.status == DeathMatchStatus.PLANNED:
        _moved(death_match, DeathMatchStatus.RUNNING)
    if resolved.steps:
        season_event(
            season=season,
            kind="item.brought",
            words=" ".join(resolved.words())[:500],
            data={"items": leg.items},
            leg=leg,
            at=at,
        )
    season_event(
        season=season,
        kind="death-match.started",
        words=f"{_leg_words(leg)} begins: {REGISTRY.get(leg.ruleset).name}.",
        data={
            "match": match.pk,
            "leg": leg.number,
            "attempt": leg.attempt,
            "ruleset": leg.ruleset,
            "variant": leg.variant,
            "names": [home.name, away.name],
            # Who had not said that they are there: an organiser did not wait for them.
            "not_ready": [
                side.pk
                for side, ready in ((home, leg.home_ready_at), (away, leg.away_ready_at))
                if ready is None
            ],
        },
        leg=leg,
        at=at,
    )
    return leg


def advantage_of(leg: Leg) -> Seat | None:
    """The seat that begins a leg at an advantage, as far as it stands now; None: drawn by lot.

    Where items decide (see `by_items`) it is whoever holds more that were given for this match;
    elsewhere what the pairing said.
    """
    if not by_items(leg):
        return leg.advantage
    return more_items(leg, leg.death_match.gifts.all())


def more_items(leg: Leg, gifts: Iterable[Gift]) -> Seat | None:
    """The seat that holds more of the items in ``gifts`` that were given for this match; None: both
    hold equally many. A final of several matches counts what was given for this very one."""
    death_match = leg.death_match
    numbers: set[int | None] = {leg.number}
    if death_match.round.season.format != Format.ELIMINATION or death_match.best_of == 1:
        numbers.add(None)
    holders = [
        gift.receiver_id
        for gift in gifts
        if gift.status == GiftStatus.HELD
        and gift.death_match_id == death_match.pk
        and gift.leg_number in numbers
    ]
    home, away = holders.count(death_match.home_id or 0), holders.count(death_match.away_id or 0)
    return None if home == away else int(away > home)


def by_items(leg: Leg) -> bool:
    """Whether items give the advantage: in the final of an elimination season, where before it the
    DMO has it; in other formats wherever the variant that is played says so."""
    played = leg.death_match.round
    if played.season.format == Format.ELIMINATION:
        return played.is_final
    if not leg.ruleset:
        return False
    return REGISTRY.get(leg.ruleset).variant(leg.variant).advantage_by_items


def _leg_words(leg: Leg) -> str:
    death_match = leg.death_match
    if death_match.best_of == 1:
        return f"{death_match}"
    return f"{death_match}, match {leg.number} of at most {death_match.best_of},"


def _moved(death_match: DeathMatch, status: DeathMatchStatus, **more: Any) -> None:
    death_match.status = lifecycle.step(
        lifecycle.DEATH_MATCH, death_match.status, status, "The death match"
    )
    for key, value in more.items():
        setattr(death_match, key, value)
    death_match.save(update_fields=["status", *more])


# -- results -------------------------------------------------------------------------------------


@transaction.atomic
def leg_settle(*, match_id: int) -> bool:
    """Take over the result of a match that has ended; whether there was anything to take over.

    Idempotent, and safe to call for any match: after each end, and from the sweep for what was
    missed. A match that was declared void is played again.
    """
    found = Leg.objects.filter(match=match_id).values("pk", "death_match__round__season").first()
    if found is None:
        return False
    season = season_locked(found["death_match__round__season"])
    leg = Leg.objects.get(pk=found["pk"])
    match = Match.objects.defer("snapshot").get(pk=match_id)
    if leg.status != LegStatus.RUNNING or not match.is_over:
        return False
    leg.death_match = death_match_fresh(leg.death_match_id)
    leg.death_match.round.season = season
    at = match.finished_at or instant(None)
    how = How.RULING if match.reason == "ruling" else How.PLAYED
    by, why = (None, "")
    if match.winner is None or how == How.RULING:
        by, why = match_ruled_last(match_id=match_id)
    if match.winner is None:
        why = why or "The match was declared void."
        _leg_voided(leg, why=why, at=at, acting_user=by)
        return True
    _leg_finished(leg, winner=match.winner, how=how, at=at)
    _after_leg(leg, scores=match.scores, why=why, at=at, by=by)
    return True


def match_ruled_last(*, match_id: int) -> tuple[User | None, str]:
    """Who has last done something at the desk of a match, and the reason that was given; nobody
    where it was the site."""
    acts = MatchEntry.objects.filter(match=match_id, actor=MatchEntry.Actor.ORGANISER)
    last = acts.select_related("by").order_by("-seq").first()
    return (None, "") if last is None else (last.by, last.why)


def _leg_finished(leg: Leg, *, winner: Seat, how: How, at: datetime) -> None:
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.FINISHED, "The match")
    leg.winner_seat = winner
    leg.how = how
    leg.finished_at = at
    leg.save(update_fields=["status", "winner_seat", "how", "finished_at"])
    items.items_leave(leg=leg, at=at)


def _wins_of(death_match: DeathMatch) -> tuple[int, int]:
    seats = list(
        death_match.legs.filter(status=LegStatus.FINISHED).values_list("winner_seat", flat=True)
    )
    return seats.count(0), seats.count(1)


def _after_leg(
    leg: Leg, *, scores: Sequence[int], why: str = "", at: datetime, by: User | None = None
) -> None:
    """Decide the death match where this leg has, else go on. ``why``: of a leg not played; ``by``:
    who ruled that it ended so."""
    death_match = leg.death_match
    wins = _wins_of(death_match)
    home, away = sides_of(death_match)
    several = death_match.best_of > 1
    if several:
        winner = away if leg.winner_seat else home
        season_event(
            season=death_match.round.season,
            kind="death-match.leg",
            words=f"{winner.name} wins match {leg.number}: {wins[0]}:{wins[1]}.",
            data={"winner": winner.pk, "leg": leg.number, "score": list(wins)},
            leg=leg,
            at=at,
        )
    score = wins if several else _pair(scores)
    death_match.home_score, death_match.away_score = score
    death_match.save(update_fields=["home_score", "away_score"])
    leader = 0 if wins[0] > wins[1] else 1
    if wins[leader] * 2 > death_match.best_of:
        how = How(leg.how)
        if several:
            own = death_match.legs.filter(status=LegStatus.FINISHED, winner_seat=leader)
            how = How.PLAYED if own.exclude(how=How.WALKOVER).exists() else How.WALKOVER
        why = "" if how == How.PLAYED else why
        _decided(death_match, winner=(home, away)[leader], how=how, why=why, at=at, by=by)


def _pair(scores: Sequence[int]) -> tuple[int, int]:
    return (int(scores[0]), int(scores[1])) if len(scores) == 2 else (0, 0)


def _decided(
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
    event that has told of the same deed."""
    for leg in death_match.legs.filter(status=LegStatus.PLANNED):
        # Not needed any more: nothing was played, so nothing is said.
        leg.declarations.all().delete()
        leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
        leg.save(update_fields=["status"])
    _moved(death_match, DeathMatchStatus.DECIDED, winner=winner, how=how, why=why, decided_at=at)
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
    items.items_expire(death_match=death_match, at=at)
    formats.steps_of(death_match.round.season).decided(death_match=death_match, at=at)
    round_settle(round=death_match.round, at=at)


@transaction.atomic
def death_match_declare(
    *,
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    at: datetime | None = None,
) -> DeathMatch:
    """Rule who has won a death match that is not decided; a match that is being played ends.

    Refusals: those of `guards.managed`, ``season.not-running``, ``death-match.own``, ``why.*``,
    ``death-match.settled``, ``death-match.sides``, ``death-match.winner``.
    """
    return _ruled(acting_user, death_match, winner, why, How.RULING, at)


@transaction.atomic
def death_match_walkover(
    *,
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    at: datetime | None = None,
) -> DeathMatch:
    """Let somebody win because the other is not there. Refusals as `death_match_declare`."""
    return _ruled(acting_user, death_match, winner, why, How.WALKOVER, at)


def _ruled(
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    how: How,
    at: datetime | None,
) -> DeathMatch:
    season, fresh = death_match_managed(death_match, acting_user)
    must_be_running(season)
    why = reason(why)
    if fresh.status not in PLAYABLE:
        raise Refusal(
            "death-match.settled" if fresh.status in SETTLED else "death-match.sides",
            f"This death match is “{fresh.get_status_display()}”.",
        )
    seat = seat_of_side(fresh, winner)
    _end_running(fresh, winner=seat, how=how, acting_user=acting_user, why=why, at=instant(at))
    _decided(
        fresh,
        winner=sides_of(fresh)[seat],
        how=how,
        why=why,
        at=instant(at),
        by=acting_user,
    )
    audit_record(
        acting_user=acting_user,
        action="death_match.declare" if how == How.RULING else "death_match.walkover",
        target=fresh,
        data={"winner": winner.pk, "why": why},
    )
    return fresh


def seat_of_side(death_match: DeathMatch, contestant: Contestant) -> Seat:
    """The seat that a contestant has. Raises Refusal ``death-match.winner``."""
    if contestant.pk not in (death_match.home_id, death_match.away_id):
        raise Refusal("death-match.winner", f"{contestant.name} is not in this death match.")
    return int(contestant.pk == death_match.away_id)


def walked_over(
    death_match: DeathMatch,
    *,
    winner: Contestant,
    why: str,
    acting_user: User | None,
    at: datetime,
    follows: str = "",
) -> None:
    """Decide an open death match without playing on, as part of another deed under the season's
    lock, of which an event of the kind ``follows`` has told. ``acting_user`` ends a match that is
    being played: an organiser by ruling, anybody else by the leaving player's concession."""
    fresh = death_match_fresh(death_match.pk)
    if fresh.status in SETTLED:
        return
    if fresh.home_id is not None and fresh.away_id is not None:
        seat = seat_of_side(fresh, winner)
        _end_running(fresh, winner=seat, how=How.WALKOVER, acting_user=acting_user, why=why, at=at)
    _decided(fresh, winner=winner, how=How.WALKOVER, why=why, at=at, follows=follows)


def leg_walked_over(leg: Leg, *, winner: Seat, why: str, at: datetime, follows: str = "") -> None:
    """Give a leg that has not begun to the player who is there, as part of another deed under the
    season's lock: the death match where it is the only one, else no more than this leg."""
    death_match = leg.death_match
    if death_match.best_of == 1:
        there = sides_of(death_match)[winner]
        walked_over(death_match, winner=there, why=why, acting_user=None, at=at, follows=follows)
        return
    # Nothing was brought: what was declared stays with its holder.
    leg.declarations.all().delete()
    if death_match.status == DeathMatchStatus.PLANNED:
        _moved(death_match, DeathMatchStatus.RUNNING)
    _leg_finished(leg, winner=winner, how=How.WALKOVER, at=at)
    _after_leg(leg, scores=(), why=why, at=at)


def _end_running(
    death_match: DeathMatch,
    *,
    winner: Seat,
    how: How,
    acting_user: User | None,
    why: str,
    at: datetime,
) -> None:
    """End the match that is being played, if there is one, and its leg with it."""
    leg = death_match.legs.filter(status=LegStatus.RUNNING).first()
    if leg is None or leg.match_id is None:
        return
    ended = _ended_for_nothing(leg)
    loser = sides_of(death_match)[other(winner)].user
    if ended:
        if death_match.best_of == 1:
            _rated_as(leg.match_id, winner, acting_user, why)
    elif acting_user is None or (loser is not None and loser.pk == acting_user.pk):
        if loser is None:
            raise EngineFault("a running match has a player without an account")
        with _of_a_running_match():
            match_submit(
                match_id=leg.match_id,
                seat=other(winner),
                acting_user=loser,
                client_id=f"season-{leg.pk}",
                text="concede",
                version=store.read(leg.match_id).readers.versions[other(winner)],
                at=ms(at),
            )
    else:
        _organised(leg, acting_user, f"winner {winner}", why, at)
    leg.death_match = death_match
    _leg_finished(leg, winner=winner, how=how, at=at)
    score = (
        _wins_of(death_match)
        if death_match.best_of > 1
        else _pair(Match.objects.values_list("scores", flat=True).get(pk=leg.match_id))
    )
    death_match.home_score, death_match.away_score = score
    death_match.save(update_fields=["home_score", "away_score"])


def _organised(leg: Leg, acting_user: User | None, text: str, why: str, at: datetime) -> None:
    if leg.match_id is None or acting_user is None:
        raise EngineFault("only an organiser ends a running match")
    with _of_a_running_match():
        match_organise(
            match_id=leg.match_id,
            acting_user=acting_user,
            client_id=f"season-{leg.pk}-{text.replace(' ', '-')}",
            text=text,
            why=why,
            at=ms(at),
        )


@contextmanager
def _of_a_running_match() -> Iterator[None]:
    """Raises Refusal ``leg.just-ended`` where it was over before."""
    try:
        yield
    except Refusal as refusal:
        if refusal.code == "match.over":
            raise _just_ended() from refusal
        raise


def _just_ended() -> Refusal:
    return Refusal("leg.just-ended", "This match has just ended by itself. Please look again.")


def _ended_for_nothing(leg: Leg) -> bool:
    """Whether the match of a running leg is over and the season cannot take its result: there is
    nothing left to end, and it is for an organiser to say what becomes of the leg.

    Raises Refusal ``leg.just-ended`` for a result that is on its way: that one counts.
    """
    if leg.match_id is None or not Match.objects.defer("snapshot").get(pk=leg.match_id).is_over:
        return False
    try:
        # Only tried: what it changes, and would have told, is rolled back.
        with transaction.atomic():
            leg_settle(match_id=leg.match_id)
            transaction.set_rollback(True)
    except (Refusal, EngineFault) as error:
        log.warning("leg.not-taken", leg=leg.pk, match=leg.match_id, error=str(error))
        return True
    raise _just_ended()


def _rated_as(match_id: int, winner: Seat, acting_user: User | None, why: str) -> None:
    _unless_not_rated(
        partial(
            rating_correct,
            match_id=match_id,
            acting_user=acting_user,
            winner=winner,
            why=why,
            authorised=True,
        )
    )


# -- results that do not stand -------------------------------------------------------------------


@transaction.atomic
def leg_void(*, acting_user: User | None, leg: Leg, why: str, at: datetime | None = None) -> Leg:
    """Declare a match void, running or finished, and have it played again; the next attempt.
    A format (``acting_user`` None) does so with finished ones only.

    What its result had led to is taken back. Refusals: those of `guards.managed`,
    ``death-match.own``, ``why.*``, ``leg.nothing-played``, ``round.frozen``,
    ``death-match.side-left``, those of the format.
    """
    season, fresh = leg_managed(leg, acting_user)
    why = reason(why)
    at = instant(at)
    if fresh.status not in (LegStatus.RUNNING, LegStatus.FINISHED):
        raise Refusal("leg.nothing-played", "There is nothing here to be declared void.")
    must_be_running_or_finished(season)
    if fresh.status == LegStatus.RUNNING:
        must_be_running(season)
        if not _ended_for_nothing(fresh):
            _organised(fresh, acting_user, "void", why, at)
    elif fresh.death_match.status == DeathMatchStatus.DECIDED:
        _taken_back(season, fresh.death_match, at)
    # What an organiser has played again needs both; a format sees to that itself.
    if acting_user is not None:
        _must_be_in(fresh.death_match)
    replay = _leg_voided(fresh, why=why, at=at, acting_user=acting_user)
    audit_record(
        acting_user=acting_user,
        action="leg.void",
        target=fresh,
        data={"death_match": fresh.death_match_id, "number": fresh.number, "why": why},
    )
    return replay


def must_be_running_or_finished(season: Season) -> None:
    """Raises Refusal ``season.not-running`` for a season that has not begun, or was cancelled."""
    if season.status != SeasonStatus.FINISHED:
        must_be_running(season)


def _leg_voided(leg: Leg, *, why: str, at: datetime, acting_user: User | None = None) -> Leg:
    """Void a leg and plan its next attempt; the death match goes on."""
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
    leg.winner_seat = None
    leg.how = ""
    leg.save(update_fields=["status", "winner_seat", "how"])
    if leg.match_id is not None:
        _not_rated(leg.match_id, acting_user, why)
    death_match = leg.death_match
    season_event(
        season=death_match.round.season,
        kind="death-match.void",
        words=f"{_leg_words(leg).rstrip(',')} is void and will be played again: {why}",
        data={"leg": leg.number, "attempt": leg.attempt, "match": leg.match_id, "why": why},
        leg=leg,
        by=acting_user,
        at=at,
    )
    items.items_return(leg=leg, at=at)
    _legs_completed(death_match)
    _status_derived(death_match)
    return death_match.legs.exclude(status=LegStatus.VOID).get(number=leg.number)


def _not_rated(match_id: int, acting_user: User | None, why: str) -> None:
    _unless_not_rated(
        partial(
            rating_exclude, match_id=match_id, acting_user=acting_user, why=why, authorised=True
        )
    )


def _unless_not_rated(rule: Callable[[], object]) -> None:
    """Rule on a rating, unless there is nothing to rule: the match counts for nobody, or so
    already."""
    try:
        rule()
    except Refusal as refusal:
        if refusal.code not in ("rating.excluded", "rating.no-accounts", "rating.same-winner"):
            raise


def _legs_completed(death_match: DeathMatch) -> None:
    """Plan the next attempt of every leg that has none that counts."""
    own = list(death_match.legs.order_by("number", "attempt"))
    latest = {leg.number: leg for leg in own}
    for leg in latest.values():
        if leg.status != LegStatus.VOID:
            continue
        Leg.objects.create(
            death_match=death_match,
            number=leg.number,
            attempt=leg.attempt + 1,
            ruleset=leg.ruleset,
            variant=leg.variant,
            options=leg.options,
            # What was prepared has been seen if it was played; an organiser supplies it anew.
            prepared={} if leg.match_id else leg.prepared,
            prepared_by=None if leg.match_id else leg.prepared_by,
            advantage=None if by_items(leg) else leg.advantage,
        )


def _status_derived(death_match: DeathMatch) -> None:
    """Bring an undecided death match's state and score into line with its legs."""
    begun = death_match.legs.filter(status__in=[LegStatus.RUNNING, LegStatus.FINISHED]).exists()
    then = DeathMatchStatus.RUNNING if begun else DeathMatchStatus.PLANNED
    if death_match.status != then:
        death_match.status = lifecycle.step(
            lifecycle.DEATH_MATCH, death_match.status, then, "The death match"
        )
    wins = _wins_of(death_match) if death_match.best_of > 1 else (0, 0)
    death_match.home_score, death_match.away_score = wins
    death_match.save(update_fields=["status", "home_score", "away_score"])


def _taken_back(season: Season, death_match: DeathMatch, at: datetime) -> None:
    """Take back that a death match is decided, with all that followed from it."""
    if death_match.how == How.BYE:
        raise Refusal("death-match.bye", "A bye was not played: there is nothing to take back.")
    must_not_be_frozen(death_match)
    if season.status == SeasonStatus.FINISHED:
        seasons.season_reopened(season=season, at=at)
        death_match.round.season = season
    if death_match.round.status == RoundStatus.CLOSED:
        _round_reopened(death_match.round, why="", at=at)
    formats.steps_of(season).undone(death_match=death_match, at=at)
    items.items_unexpire(death_match=death_match, at=at)
    _moved(
        death_match,
        DeathMatchStatus.PLANNED,
        winner=None,
        how="",
        why="",
        decided_at=None,
    )


def _must_be_in(death_match: DeathMatch) -> None:
    """What is to be played needs both players. Raises Refusal ``death-match.side-left``."""
    out = Contestant.objects.filter(pk__in=[death_match.home_id, death_match.away_id]).exclude(
        status=ContestantStatus.ACTIVE
    )
    missing = out.first()
    if missing is not None:
        raise Refusal(
            "death-match.side-left",
            f"{missing.name} is “{missing.get_status_display()}”: nobody could play this. "
            "Say who has won, or call the death match off.",
        )


@transaction.atomic
def death_match_reopen(
    *, acting_user: User | None, death_match: DeathMatch, why: str, at: datetime | None = None
) -> DeathMatch:
    """Take back that a death match was decided, and have what is left of it played: after a
    walkover or a ruling that was a mistake.

    Refusals: those of `guards.managed`, ``death-match.own``, ``why.*``, ``season.not-running``,
    ``death-match.undecided``, ``death-match.bye``, ``death-match.played-out`` (its matches decide
    it: one of them must be declared void, or the result corrected), ``round.frozen``,
    ``death-match.side-left``, those of the format.
    """
    season, fresh = death_match_managed(death_match, acting_user)
    why = reason(why)
    at = instant(at)
    must_be_running_or_finished(season)
    if fresh.status != DeathMatchStatus.DECIDED:
        raise Refusal("death-match.undecided", "This death match is not decided.")
    if max(_wins_of(fresh)) * 2 > fresh.best_of:
        raise Refusal(
            "death-match.played-out",
            "It was decided by what was played: declare a match void, or correct the result.",
        )
    _taken_back(season, fresh, at)
    if acting_user is not None:
        _must_be_in(fresh)
    _legs_completed(fresh)
    _status_derived(fresh)
    season_event(
        season=season,
        kind="ruling",
        words=f"{fresh} is to be played after all: {why}",
        data={"why": why},
        death_match=fresh,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="death_match.reopen", target=fresh, data={"why": why}
    )
    return fresh


@transaction.atomic
def death_match_correct(
    *,
    acting_user: User,
    death_match: DeathMatch,
    winner: Contestant,
    why: str,
    at: datetime | None = None,
) -> DeathMatch:
    """Give a decided death match to the other side, with all that follows from it.

    Refusals: those of `guards.managed`, ``death-match.own``, ``why.*``, ``season.not-running``,
    ``death-match.undecided``, ``death-match.bye``, ``death-match.winner``,
    ``death-match.same-winner``, ``round.frozen``, those of the format.
    """
    season, fresh = death_match_managed(death_match, acting_user)
    why = reason(why)
    at = instant(at)
    must_be_running_or_finished(season)
    if fresh.status != DeathMatchStatus.DECIDED:
        raise Refusal("death-match.undecided", "This death match is not decided.")
    seat = seat_of_side(fresh, winner)
    before = fresh.winner
    if before is None or before.pk == winner.pk:
        raise Refusal("death-match.same-winner", f"{winner.name} has won it already.")
    _taken_back(season, fresh, at)
    if fresh.best_of == 1:
        played = fresh.legs.filter(status=LegStatus.FINISHED, match__isnull=False)
        for match_id in played.values_list("match", flat=True):
            _rated_as(match_id, seat, acting_user, why)
    season_event(
        season=season,
        kind="death-match.corrected",
        words=f"The result of {fresh} is corrected: {winner.name} has won. {why}",
        data={"winner": winner.pk, "loser": before.pk, "name": winner.name, "why": why},
        death_match=fresh,
        contestant=winner,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="death_match.correct",
        target=fresh,
        data={"from": before.pk, "to": winner.pk, "why": why},
    )
    _decided(
        fresh,
        winner=sides_of(fresh)[seat],
        how=How.RULING,
        why=why,
        at=at,
        by=acting_user,
        follows="death-match.corrected",
    )
    return fresh


@transaction.atomic
def death_match_void(
    *, acting_user: User, death_match: DeathMatch, why: str, at: datetime | None = None
) -> DeathMatch:
    """Call a death match off as a whole, with whatever was played of it: it counts for nothing.
    In an episode the EC chooses again.

    Refusals: those of `guards.managed`, ``death-match.own``, ``why.*``, ``season.not-running``,
    ``lifecycle.step``, ``round.frozen``, those of the format.
    """
    season, fresh = death_match_managed(death_match, acting_user)
    why = reason(why)
    at = instant(at)
    must_be_running_or_finished(season)
    lifecycle.step(lifecycle.DEATH_MATCH, fresh.status, DeathMatchStatus.VOID, "The death match")
    if fresh.status == DeathMatchStatus.DECIDED:
        _taken_back(season, fresh, at)
    for leg in fresh.legs.exclude(status=LegStatus.VOID):
        if leg.status == LegStatus.RUNNING and not _ended_for_nothing(leg):
            _organised(leg, acting_user, "void", why, at)
        if leg.match_id is not None:
            _not_rated(leg.match_id, acting_user, why)
        leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.VOID, "The match")
        leg.winner_seat = None
        leg.how = ""
        leg.save(update_fields=["status", "winner_seat", "how"])
        leg.death_match = fresh
        items.items_return(leg=leg, at=at)
        leg.declarations.all().delete()
    _moved(fresh, DeathMatchStatus.VOID, home_score=0, away_score=0)
    season_event(
        season=season,
        kind="death-match.void",
        words=f"{fresh} is void: {why}",
        data={"why": why},
        death_match=fresh,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="death_match.void", target=fresh, data={"why": why}
    )
    formats.steps_of(season).voided(death_match=fresh, at=at)
    round_settle(round=fresh.round, at=at)
    return fresh


# -- rounds --------------------------------------------------------------------------------------


def round_settle(*, round: Round, at: datetime) -> None:  # noqa: A002
    """Have the format do its next step where nothing of a round is left to be played; under the
    season's lock."""
    fresh = Round.objects.select_related("season").get(pk=round.pk)
    if fresh.status == RoundStatus.CLOSED or fresh.season.status != SeasonStatus.RUNNING:
        return
    if fresh.death_matches.exclude(status__in=SETTLED).exists():
        return
    if fresh.death_matches.filter(status=DeathMatchStatus.DECIDED).exists():
        formats.steps_of(fresh.season).complete(round=fresh, at=at)


@transaction.atomic
def round_close(
    *,
    acting_user: User | None,
    round: Round,  # noqa: A002
    told: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Round:
    """Say that a round is complete, and what ``told`` adds to it. Refusals: those of
    `guards.managed`, ``lifecycle.step``, ``round.open-matches``, ``round.episode-open`` (nobody has
    been eliminated, nor was the episode skipped), ``round.ladder`` (by an organiser: it ends with
    the season)."""
    season = managed(round.season, acting_user)
    fresh = Round.objects.get(pk=round.pk)
    fresh.season = season
    open_matches = fresh.death_matches.exclude(status__in=SETTLED).count()
    if open_matches:
        raise Refusal(
            "round.open-matches",
            f"{fresh.name} is not complete: {open_matches} of its death matches "
            f"{'is' if open_matches == 1 else 'are'} not decided.",
        )
    if acting_user is not None and season.format == Format.LADDER:
        raise Refusal("round.ladder", "A ladder is open to challenges until the season ends.")
    undecided = Episode.objects.filter(round=fresh).exclude(status__in=EPISODE_OVER)
    if undecided.exists():
        raise Refusal(
            "round.episode-open",
            f"{fresh.name} is not over: have a death match decide it, or say that nobody leaves.",
        )
    fresh.status = lifecycle.step(lifecycle.ROUND, fresh.status, RoundStatus.CLOSED, fresh.name)
    fresh.closed_at = instant(at)
    fresh.save(update_fields=["status", "closed_at"])
    season_event(
        season=season,
        kind="round.closed",
        words=f"{fresh.name} is complete.",
        data={"round": fresh.number, **(told or {})},
        round=fresh,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="round.close", target=fresh, data={"season": season.pk}
    )
    return fresh


@transaction.atomic
def round_reopen(
    *,
    acting_user: User,
    round: Round,  # noqa: A002
    why: str,
    at: datetime | None = None,
) -> Round:
    """Allow the results of a complete round to be changed, though others rest on them.
    Refusals: those of `guards.managed`, ``why.*``, ``season.not-running``, ``lifecycle.step``."""
    season = managed(round.season, acting_user)
    why = reason(why)
    must_be_running_or_finished(season)
    fresh = Round.objects.get(pk=round.pk)
    fresh.season = season
    _round_reopened(fresh, why=why, at=instant(at), acting_user=acting_user)
    audit_record(
        acting_user=acting_user,
        action="round.reopen",
        target=fresh,
        data={"season": season.pk, "why": why},
    )
    return fresh


def _round_reopened(
    played: Round, *, why: str, at: datetime, acting_user: User | None = None
) -> None:
    played.status = lifecycle.step(
        lifecycle.ROUND, played.status, RoundStatus.REOPENED, played.name
    )
    played.closed_at = None
    played.save(update_fields=["status", "closed_at"])
    season_event(
        season=played.season,
        kind="round.reopened",
        words=f"{played.name} is reopened: {why}" if why else f"{played.name} is reopened.",
        data={"round": played.number, "why": why},
        round=played,
        by=acting_user,
        at=at,
    )


def active_of(season: Season) -> int:
    """How many contestants are still in."""
    return season.contestants.filter(status=ContestantStatus.ACTIVE).count()
