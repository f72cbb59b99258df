"""The EC's choice of a death-match opponent (DMO), and what happens when it does not come."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from accounts.models import User
from accounts.services import audit_record
from core.jobs import guard
from core.refusals import Forbidden, Refusal
from games.engine.errors import EngineFault
from games.words import game_name
from tournaments import audience
from tournaments.formats.elimination import rules
from tournaments.formats.elimination.episodes import DMO_SEAT, episode_fresh, episode_move
from tournaments.formats.elimination.standing import must_stand_as_seen, standing_now
from tournaments.lifecycle import (
    UNDECIDED,
    ContestantStatus,
    EpisodeStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import Contestant, DeathMatch, Episode
from tournaments.rights import Right
from tournaments.services import repertoire
from tournaments.services.deathmatches import death_match_create, ready_window
from tournaments.services.events import season_event
from tournaments.services.guards import instant, must_be_running, must_not_be_archived, season_lock
from tournaments.services.mail import organisers_announce


def choosable(episode: Episode) -> list[Contestant]:
    """Whom the EC may choose (`rules.choosable`), by seed."""
    people = _still_in(episode)
    allowed = rules.choosable(
        _main_match_places(episode), ec=episode.ec_id, still_in=people, busy=busy_elsewhere(episode)
    )
    return [each for pk, each in people.items() if pk in allowed]


def has_candidates(episode: Episode) -> bool:
    """Whether there is anybody whom an EC could choose, as far as the main match says."""
    placed, still_in = _main_match_places(episode), _still_in(episode)
    return bool(rules.candidates(placed, ec=episode.ec_id, still_in=still_in))


def _main_match_places(episode: Episode) -> list[rules.MainMatchPlace]:
    rows = episode.placements.values_list("contestant", "place", "immune")
    return [rules.MainMatchPlace(*row) for row in rows]


def _still_in(episode: Episode) -> dict[int, Contestant]:
    active = episode.round.season.contestants.filter(status=ContestantStatus.ACTIVE)
    return {each.pk: each for each in active.select_related("user")}


def busy_elsewhere(episode: Episode) -> set[int]:
    """Who is in an open death match, or is to choose one, in another episode than this: it was
    reopened, and whoever loses there is out."""
    season = episode.round.season_id
    open_matches = DeathMatch.objects.filter(round__season=season, status__in=UNDECIDED)
    choosing = Episode.objects.filter(
        round__season=season, status=EpisodeStatus.CHOOSING, ec__isnull=False
    ).exclude(pk=episode.pk)
    sides = open_matches.exclude(round=episode.round_id).values_list("home", "away")
    return {pk for pair in sides for pk in pair if pk is not None} | set(
        choosing.values_list("ec", flat=True)
    )


@transaction.atomic
def dmo_choose(
    *,
    acting_user: User,
    episode: Episode,
    contestant: Contestant,
    seen: str | None = None,
    at: datetime | None = None,
) -> DeathMatch:
    """Name the DMO: the EC within the time, or an organiser at any moment. The death match follows:
    the EC on seat 0, the DMO on seat 1 and at an advantage.

    What it is played in comes from the round or the season's repertoire; where the lower seed
    chooses, or nothing is there to choose from, it stays open (see `legs.rules_set`). It has the
    time that was set ahead, unless there is less than `ready_window` until then: the organisers are
    told so, and no time is set. ``seen``: how the episode stood for whoever chooses
    (`standing.standing_of`), None where they do not say. Raises
    Refusal ``season.none``, ``season.archived``, ``season.not-running``, ``choice.closed``,
    ``choice.not-yours``, ``choice.own`` (an organiser who is EC or would be chosen),
    ``choice.too-late``, ``episode.moved-on`` (not as ``seen`` any more), ``choice.not-allowed``
    (immune, out, or in another death match).
    """
    season = season_lock(episode.round.season_id)
    fresh = episode_fresh(episode)
    at = instant(at)
    must_await_choice(fresh, acting_user, at=at)
    must_stand_as_seen(seen, standing_now(fresh))
    is_ec = audience.may_choose_dmo(fresh, acting_user)
    dmo = next((each for each in choosable(fresh) if each.pk == contestant.pk), None)
    if dmo is None:
        raise Refusal("choice.not-allowed", f"{contestant.shown_name} cannot be chosen.")
    if not is_ec and dmo.user_id == acting_user.pk:
        raise Forbidden("choice.own", "Nobody decides about their own death match.")
    ec = fresh.ec
    if ec is None:
        raise EngineFault("an episode in which somebody chooses has an EC")
    planned = fresh.death_match_at
    # Both must have had the time to say that they are ready: whoever chooses could win otherwise by
    # choosing just before the other can no longer be there.
    in_time = planned is not None and planned - at >= ready_window()
    scheduled_at = planned if in_time else None
    episode_move(fresh, EpisodeStatus.DEATH_MATCH, dmo=dmo, chosen_at=at, chosen_by=acting_user)
    game = repertoire.game_of_round(season, fresh.round.number)
    own = {"ruleset": fresh.round.ruleset, "variant": fresh.round.variant}
    played = own if fresh.round.ruleset else game
    season_event(
        season=season,
        kind="episode.chosen",
        words=_choice_words(fresh, ec, dmo, at, is_ec=is_ec),
        data={
            "ec": ec.pk,
            "dmo": dmo.pk,
            "by_organiser": not is_ec,
            "games": [game_name(played["ruleset"], played["variant"])] if played else [],
            "times": [] if scheduled_at is None else [scheduled_at.isoformat()],
        },
        round=fresh.round,
        contestant=dmo,
        by=None if is_ec else acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="episode.choose",
        target=fresh,
        data={"ec": ec.pk, "dmo": dmo.pk, "fallback": not is_ec},
    )
    if planned is not None and scheduled_at is None:
        organisers_announce(
            season=season,
            right=Right.EPISODES,
            key=f"time-over:{fresh.pk}:{planned:%Y%m%dT%H%M%S}",
            subject=f"{season.name}: a death match without a time",
            words=f"{dmo.name} was chosen to meet {ec.name} when the time set for it was over, or "
            "too near for both to be ready: please set another.",
        )
    return death_match_create(
        round=fresh.round,
        home=ec,
        away=dmo,
        games=[game] if game and not fresh.round.ruleset else [],
        advantage=DMO_SEAT,
        scheduled_at=scheduled_at,
        follows="episode.chosen",
        at=at,
    )


def must_await_choice(episode: Episode, acting_user: User, *, at: datetime | None = None) -> None:
    """Whether somebody can name the DMO now. Raises Refusal ``season.archived``,
    ``season.not-running``, ``choice.not-yours``, ``choice.closed`` and ``choice.too-late``."""
    must_not_be_archived(episode.round.season)
    must_be_running(episode.round.season)
    must_be_able_to_choose(episode, acting_user)
    if episode.status != EpisodeStatus.CHOOSING:
        # An episode that is done can become a death match again, but by a correction only.
        raise Refusal(
            "choice.closed",
            f"This episode is “{episode.get_status_display()}”: nobody chooses now.",
        )
    is_ec = audience.may_choose_dmo(episode, acting_user)
    if is_ec and episode.choose_by is not None and instant(at) > episode.choose_by:
        raise Refusal("choice.too-late", "The time to choose is over: an organiser decides.")


def must_be_able_to_choose(episode: Episode, acting_user: User) -> None:
    """The EC is, at whatever time, and organisers. Raises Refusal ``choice.not-yours``."""
    is_ec = episode.ec is not None and episode.ec.user_id == acting_user.pk
    if not is_ec and not audience.may(episode.round.season, acting_user, Right.EPISODES):
        raise Forbidden("choice.not-yours", "The EC chooses, or an organiser.")


def _choice_words(
    episode: Episode, ec: Contestant, dmo: Contestant, at: datetime, *, is_ec: bool
) -> str:
    if is_ec:
        return f"{ec.name} chooses {dmo.name}."
    named = f"The organisers name {dmo.name} to meet {ec.name}"
    late = episode.choose_by is not None and at > episode.choose_by
    return f"{named}, whose time to choose is over." if late else f"{named}."


def choices_run_out(at: datetime, at_most: int) -> list[Episode]:
    """Episodes whose time to choose is over, of which the organisers have not been told."""
    over = (
        Episode.objects.filter(
            status=EpisodeStatus.CHOOSING,
            choose_by__lt=at,
            round__season__status=SeasonStatus.RUNNING,
        )
        # Nobody could name the DMO; they are told when it is out of the archive again.
        .exclude(round__season__visibility=Visibility.ARCHIVED)
        .filter(Q(expiry_told_for__isnull=True) | ~Q(expiry_told_for=F("choose_by")))
        .select_related("round")
        .order_by("choose_by")
    )
    return guard.readable("episodes.choice", over, at_most=at_most)


@transaction.atomic
def choice_expire(*, episode: Episode, at: datetime | None = None) -> bool:
    """Tell the organisers, once, that the EC's time to choose is over; whether they were told.
    Idempotent; from the sweep."""
    season = season_lock(episode.round.season_id)
    fresh = episode_fresh(episode)
    at = instant(at)
    due = fresh.status == EpisodeStatus.CHOOSING and fresh.choose_by is not None
    if season.status != SeasonStatus.RUNNING or season.visibility == Visibility.ARCHIVED:
        return False
    if not due or at <= (fresh.choose_by or at):
        return False
    if fresh.expiry_told_for == fresh.choose_by:
        return False
    fresh.expiry_told_for = fresh.choose_by
    fresh.save(update_fields=["expiry_told_for"])
    ec = fresh.ec.name if fresh.ec else "The EC"
    words = f"{ec} has not chosen in time: an organiser names the DMO."
    season_event(
        season=season,
        kind="ruling",
        words=words,
        data={"ec": fresh.ec_id, "episode": fresh.round.number},
        round=fresh.round,
        at=at,
    )
    audit_record(acting_user=None, action="episode.choice_expire", target=fresh)
    organisers_announce(
        season=season,
        right=Right.EPISODES,
        key=f"choice:{fresh.pk}:{fresh.choose_by:%Y%m%dT%H%M%S}",
        subject=f"{season.name}: nobody chosen",
        words=words,
    )
    return True
