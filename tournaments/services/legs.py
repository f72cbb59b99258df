"""The matches of a death match: what they are played in, and how they begin. Under the season's
lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from accounts.services import audit_record, users_lock
from core import chance
from core.clock import instant_of
from core.refusals import Forbidden, NotFound, Refusal
from games import words
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.models import Match
from games.options import pace
from games.rulesets import REGISTRY
from games.services.arrivals import match_has_begun
from games.services.matches import match_start, supplied_to
from tournaments import audience, lifecycle
from tournaments.formats.registry import format_of
from tournaments.lifecycle import (
    PLAYABLE,
    ContestantStatus,
    DeathMatchStatus,
    GiftStatus,
    LegStatus,
)
from tournaments.models import Contestant, DeathMatch, Declaration, Gift, Leg, Season
from tournaments.rights import Right
from tournaments.services import organisers, repertoire
from tournaments.services.deathmatches import death_match_move, sides_of
from tournaments.services.events import season_event
from tournaments.services.guards import (
    death_match_fresh,
    instant,
    leg_lock_managed,
    must_be_running,
    must_not_be_archived,
    own_death_match,
    season_lock,
)
from tournaments.services.items import declarations, spending
from tournaments.services.predictions import predictions_hand_over


def ms(at: datetime) -> int:
    """An instant as matches count it: milliseconds since 1970."""
    return round(at.timestamp() * 1000)


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
    pace), ``prepared`` (organisers only) what is supplied instead of drawn. Raises Refusal as
    `guards.leg_lock_managed` does, ``season.not-running``, ``death-match.own``,
    ``leg.not-planned``, ``leg.sides``, ``leg.order``, ``leg.rules-missing``, ``leg.no-account``,
    ``death-match.side-left``, ``setup.*``, ``referee.*``.
    """
    season = season_lock(death_match.round.season_id)
    fresh = death_match_fresh(death_match.pk)
    open_legs = legs_open_to_rules(fresh, acting_user, leg_number)
    game = repertoire.game_validate_public(
        {"ruleset": ruleset, "variant": variant, "options": dict(options or {})}
    )
    if not audience.may_rule(fresh, acting_user):
        game = _game_of_lower_seed(season, game, prepared)
    supplied = dict(prepared or {})
    supplied_to(REGISTRY.get(game["ruleset"]), game["variant"], supplied)
    for leg in open_legs:
        declarations.declarations_refit(
            leg, ruleset=game["ruleset"], variant=game["variant"], acting_user=acting_user
        )
        for field, value in repertoire.game_fields(game).items():
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
    sentence = f"{which} is played in {name}."  # people's names are as they write them
    if supplied:
        # That it is supplied, and by whom: what it is stays secret until the rules show it.
        named = ", ".join(words.supplies_named(game["ruleset"], supplied))
        sentence += f" Supplied by {acting_user.shown_name} instead of being drawn: {named}."
    season_event(
        season=season,
        kind="death-match.rules",
        words=sentence,
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


def legs_open_to_rules(
    death_match: DeathMatch,
    acting_user: User,
    leg_number: int | None = None,
    *,
    legs: Iterable[Leg] | None = None,
) -> list[Leg]:
    """The legs of which ``acting_user`` may say what they are played in: all that have not begun,
    or that of a number. ``legs``: those of the death match, where they are known. Raises Refusal
    ``season.archived``, ``season.not-running``, ``death-match.own``, ``rules.not-allowed``,
    ``rules.chosen``, ``leg.none``, ``leg.none-left`` and ``leg.begun``."""
    season = death_match.round.season
    must_not_be_archived(season)
    must_be_running(season)
    every = list(death_match.legs.all() if legs is None else legs)
    if not audience.may_rule(death_match, acting_user):
        _must_be_the_lower_seeds(death_match, acting_user, every)
    counting = [leg for leg in every if leg.status != LegStatus.VOID]
    chosen = [leg for leg in counting if leg_number in (None, leg.number)]
    if not chosen:
        if leg_number is not None:
            raise NotFound("leg.none", "This death match has no such leg.")
        raise Refusal("leg.none-left", "This death match has no leg that could be played.")
    found = [leg for leg in chosen if leg.status == LegStatus.PLANNED]
    if not found or (leg_number is not None and len(found) < len(chosen)):
        raise Refusal("leg.begun", "What is played cannot change once it has begun.")
    return found


def _must_be_the_lower_seeds(
    death_match: DeathMatch, acting_user: User, legs: Iterable[Leg]
) -> None:
    if not audience.may_choose_rules(death_match, acting_user):
        if audience.may(death_match.round.season, acting_user, Right.MATCHES):
            raise own_death_match()
        raise Forbidden("rules.not-allowed", "It is not yours to say what is played here.")
    if any(leg.ruleset for leg in legs):
        raise Refusal("rules.chosen", "It has been chosen what is played.")


def _game_of_lower_seed(
    season: Season, game: Mapping[str, Any], prepared: Mapping[str, str] | None
) -> dict[str, Any]:
    """The entry of the repertoire that the lower seed has chosen, with the options it has there."""
    for each in season.repertoire:
        listed = repertoire.game_fields(each)
        same = (listed["ruleset"], listed["variant"]) == (game["ruleset"], game["variant"])
        if same and not prepared and game["options"] in ({}, listed["options"]):
            return listed
    raise Refusal("rules.not-in-repertoire", "Please choose one of the season's games.")


def options_for(season: Season, leg: Leg) -> dict[str, Any]:
    """The options of a leg's match: the season's pace, and what the leg says on top of it."""
    chosen = next(each for each in pace.PACES if each.id == season.pace)
    return {**pace.options_at(REGISTRY.get(leg.ruleset), chosen), **leg.options}


def will_gather(season: Season, leg: Leg) -> bool:
    """Whether a leg that is begun waits until both players have looked in and their numbers are
    open, or for so long, as at an hour a turn or more."""
    if not leg.ruleset:
        return False
    ruleset, options = REGISTRY.get(leg.ruleset), options_for(season, leg)
    return not pace.is_live(ruleset, options) and pace.gathering_s(ruleset, options) > 0


def will_wait(season: Season, leg: Leg) -> bool:
    """Whether a leg that an organiser begins waits for both players to be there: at a live
    pace."""
    live = bool(leg.ruleset) and pace.is_live(REGISTRY.get(leg.ruleset), options_for(season, leg))
    return live and settings.GAUNTLET_ARRIVAL_SECONDS > 0


@transaction.atomic
def leg_start(
    *,
    acting_user: User | None,
    leg: Leg,
    at: datetime | None = None,
    random: RandomSource = chance.system,
    waits: bool = True,
) -> Leg:
    """Begin a leg now, as a match between both players; None: the site, when both are ready.

    What somebody begins at a live pace ``waits`` for both players, as a challenge does, whatever
    they had said: the clocks start once both are there, and the match is void, to be played again,
    where they are not in time (`games.services.arrivals`). What begins since both are ready waits
    some seconds for what their pages add to its draws, and then begins, whoever is there. At a
    slower pace either waits until both have looked in, or for so long, and then begins.

    The items that were declared are resolved now; they are spent, and told, once the match has
    begun. The match draws its beginning from ``random``. Raises Refusal as
    `guards.leg_lock_managed` does, ``season.not-running``, ``death-match.own``,
    ``leg.not-planned``, ``leg.sides``, ``leg.order``, ``leg.rules-missing``, ``leg.no-account``,
    ``death-match.side-left``, ``setup.*``, ``referee.*``.
    """
    season, fresh = leg_lock_managed(leg, acting_user, Right.MATCHES)
    return _start(season, fresh, acting_user, instant(at), random, waits=waits)


def _start(
    season: Season,
    leg: Leg,
    acting_user: User | None,
    at: datetime,
    random: RandomSource,
    *,
    waits: bool,
) -> Leg:
    death_match = leg.death_match
    home, away = players_of(leg)
    sides = sides_of(death_match)
    # With those who are to referee it, in one go: who is asked below must be as they are then.
    users_lock([home, away, *season.organisers.values_list("user_id", flat=True)])
    unready = [
        side
        for side, ready in zip(sides, (leg.home_ready_at, leg.away_ready_at), strict=True)
        if ready is None
    ]
    leg.advantage = advantage_of(leg)
    resolved = spending.items_resolve(leg=leg)
    match = match_start(
        acting_user=acting_user,
        players=(home, away),
        ruleset_id=leg.ruleset,
        variant=leg.variant,
        options=options_for(season, leg),
        items=resolved.held,
        advantage=leg.advantage,
        items_counted=format_of(season.format).gifts,
        by_items=by_items(leg),
        prepared=leg.prepared,
        prepared_by=leg.prepared_by,
        referees=organisers.referees_of(season, playing=(home, away)),
        at=ms(at),
        random=random,
        waits=waits,
        certain=acting_user is None,
        late_s=season.late_s,
    )
    until = match.waits_until
    leg.match = match
    leg.advantage = match.advantage
    # One that waits has not begun: see `leg_unseal`.
    leg.started_at = at if until is None else None
    leg.status = lifecycle.step(lifecycle.LEG, leg.status, LegStatus.RUNNING, "The match")
    leg.save(update_fields=["match", "advantage", "started_at", "status"])
    predictions_hand_over(leg)
    if death_match.status == DeathMatchStatus.PLANNED:
        death_match_move(death_match, DeathMatchStatus.RUNNING)
    # Else they are a secret for as long as it waits.
    if until is None:
        spending.items_bring(leg=leg, resolved=resolved, at=at)
    in_turns = until is not None and words.is_in_turns(match)
    # Both were ready for it, or they look into it in turns: it begins then in any case.
    certain = until is not None and (acting_user is None or in_turns)
    when = "" if until is None or certain else " once both players are there"
    if in_turns:
        when = f" once both players {words.LOOKED_IN}"
    season_event(
        season=season,
        kind="death-match.started",
        words=f"{leg_words(leg)} begins{when}: {REGISTRY.get(leg.ruleset).name}.",
        data={
            "match": match.pk,
            "leg": leg.number,
            "attempt": leg.attempt,
            "ruleset": leg.ruleset,
            "variant": leg.variant,
            "names": [side.name for side in sides],
            # Who had not said that they are there: an organiser called them to it.
            "not_ready": [side.pk for side in unready],
            "waits_until": None if until is None else instant_of(until).isoformat(),
            "certain": certain,
        },
        leg=leg,
        at=at,
    )
    return leg


@transaction.atomic
def leg_unseal(*, match_id: int, at: datetime | None = None) -> bool:
    """Write down that a match that waited for its players has begun at ``at``, and use up and tell
    what was brought into it; whether there was anything to write. Idempotent, and safe to call for
    any match."""
    found = Leg.objects.filter(match=match_id).values("pk", "death_match__round__season").first()
    if found is None:
        return False
    season = season_lock(found["death_match__round__season"])
    leg = Leg.objects.select_related("death_match__home", "death_match__away").get(pk=found["pk"])
    leg.death_match.round.season = season
    at = instant(at)
    begins = leg_begin(leg, at=at)
    return (leg.status == LegStatus.RUNNING and spending.items_unseal(leg=leg, at=at)) or begins


def leg_begin(leg: Leg, *, at: datetime | None = None) -> bool:
    """Write down that play began at ``at`` (None: with the match's first entry), of a leg whose
    match waited for its players and has begun; under the season's lock. Whether there was anything
    to write."""
    if leg.started_at is not None or leg.match is None:
        return False
    if not match_has_begun(match_id=leg.match.pk):
        return False
    if at is None:
        first = leg.match.entries.order_by("seq").first()
        at = instant(None) if first is None else instant_of(first.at)
    leg.started_at = at
    # Where items gave it, it was sealed for as long as the match waited.
    leg.match.refresh_from_db(fields=["advantage"])
    leg.advantage = leg.match.advantage
    leg.save(update_fields=["started_at", "advantage"])
    return True


def begun_untold() -> Q:
    """The legs whose match waited and has begun, and of which it is not written down yet, or whose
    items are still to be told."""
    held = Declaration.objects.filter(leg=OuterRef("pk"), gift__status=GiftStatus.HELD)
    return Q(
        Q(started_at__isnull=True) | Q(Exists(held), items__isnull=True),
        status=LegStatus.RUNNING,
        match__status=Match.Status.RUNNING,
        match__waits_until__isnull=True,
    )


def players_of(leg: Leg) -> tuple[User, User]:
    """The accounts that would play a leg if it began now. Raises Refusal ``season.not-running``,
    ``leg.not-planned``, ``leg.sides``, ``leg.order``, ``leg.rules-missing``, ``leg.no-account``
    and ``death-match.side-left``."""
    death_match = leg.death_match
    must_be_running(death_match.round.season)
    must_be_planned(leg)
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
    # What somebody plays who is out could not be taken over: see `settlement.leg_settle`.
    must_both_be_in(death_match)
    return home.user, away.user


def must_be_planned(leg: Leg) -> None:
    """Raises Refusal ``leg.not-planned`` for a match that has begun, or is over."""
    if leg.status != LegStatus.PLANNED:
        raise Refusal("leg.not-planned", f"This match is “{leg.told_status}” already.")


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
    given_for_one = format_of(death_match.round.season.format).gifts
    if not given_for_one or death_match.best_of == 1:
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
    """Whether items give the advantage: as the format says, or else the variant that is played."""
    played = leg.death_match.round
    said = format_of(played.season.format).advantage_by_items(played)
    if said is not None:
        return said
    if not leg.ruleset:
        return False
    return REGISTRY.get(leg.ruleset).variant(leg.variant).advantage_by_items


def leg_words(leg: Leg) -> str:
    """What a match of a death match is called at the beginning of a sentence."""
    death_match = leg.death_match
    if death_match.best_of == 1:
        return f"{death_match}"
    return f"{death_match}, match {leg.number} of at most {death_match.best_of},"


def must_both_be_in(death_match: DeathMatch) -> None:
    """What is to be played needs both players. Raises Refusal ``death-match.side-left``."""
    out = Contestant.objects.filter(pk__in=[death_match.home_id, death_match.away_id]).exclude(
        status=ContestantStatus.ACTIVE
    )
    missing = out.first()
    if missing is not None:
        raise Refusal(
            "death-match.side-left",
            f"{missing.shown_name} is “{missing.get_status_display()}”: nobody could play this. "
            "Say who has won, or call the death match off.",
        )
