"""Who leaves a season, comes back into it, or gives their place to somebody else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Refusal
from tournaments import lifecycle
from tournaments.formats.registry import format_of
from tournaments.items.catalogue import item_of
from tournaments.lifecycle import (
    EPISODE_OVER,
    ContestantStatus,
    GiftStatus,
    LegStatus,
    SeasonStatus,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    Gift,
    ItemEvent,
    Placement,
    ScoreRow,
    Season,
)
from tournaments.rights import Right
from tournaments.services import deathmatches
from tournaments.services.contestants.enrolment import able_to_enter, must_be_able_to_enter
from tournaments.services.contestants.names import Names
from tournaments.services.contestants.places import places_fill
from tournaments.services.events import season_event
from tournaments.services.guards import (
    instant,
    line,
    must_be_running,
    must_manage,
    must_not_be_archived,
    must_not_meet,
    reason,
    season_lock,
    undecided_of,
)
from tournaments.services.items.gifts import FOR_ITS_HOLDER, gift_tell
from tournaments.services.ledger.passing import purse_left, purse_pass, purse_return
from tournaments.services.results import decisions, rulings


@transaction.atomic
def contestant_remove(
    *, acting_user: User, contestant: Contestant, at: datetime | None = None
) -> Contestant:
    """Strike somebody off before the season begins. Raises Refusal as `guards.season_lock_managed`
    does, ``season.begun`` (they would withdraw, or be replaced), ``lifecycle.step``."""
    season, found = _fresh(contestant)
    must_manage(season, acting_user, Right.PEOPLE)
    must_be_removable(found)
    at = instant(at)
    leave_before_start(season, found, acting_user, "", at)
    places_fill(season, at)
    return found


def must_be_removable(contestant: Contestant) -> None:
    """Whether a contestant can be struck off. Raises Refusal ``season.begun`` and
    ``lifecycle.step``."""
    if contestant.season.status != SeasonStatus.ENROLLING:
        raise Refusal(
            "season.begun", "The season has begun: contestants withdraw, or are replaced."
        )
    _status_after_leaving(contestant, ContestantStatus.WITHDRAWN)


@transaction.atomic
def contestant_withdraw(
    *, acting_user: User | None, contestant: Contestant, why: str = "", at: datetime | None = None
) -> Contestant:
    """Somebody leaves: they themselves, or at an organiser's word. In a running season their open
    death matches are walkovers.

    Raises Refusal ``season.none``, ``season.archived``, ``season.not-organiser``, ``why.*``
    (organisers give a reason), ``death-match.own``, ``season.over``, ``lifecycle.step``, and as the
    format does.
    """
    season, found = _fresh(contestant)
    at = instant(at)
    own = acting_user is not None and found.user_id == acting_user.pk
    if not own:
        must_manage(season, acting_user, Right.PEOPLE)
        must_not_meet(found, acting_user)
    must_be_in(found)
    why = line(why, code="why", what="A reason", most=500, empty=True) if own else reason(why)
    if season.status == SeasonStatus.ENROLLING:
        leave_before_start(season, found, acting_user, why, at)
        places_fill(season, at)
        return found
    found.status = _status_after_leaving(found, ContestantStatus.WITHDRAWN)
    found.left_at = at
    found.save(update_fields=["status", "left_at"])
    _announce_withdrawal(season, found, acting_user, why, at)
    for death_match in _open_death_matches(found):
        other = death_match.away if death_match.home_id == found.pk else death_match.home
        if other is not None:
            rulings.death_match_forfeit(
                death_match,
                winner=other,
                why=f"{found.name} has withdrawn.",
                acting_user=acting_user,
                at=at,
                follows="contestant.withdrawn",
            )
    purse_left(season=season, contestant=found, at=at)
    left = format_of(season.format).on_left(contestant=found, at=at)
    decisions.follow(left, season=season, at=at)
    return found


def must_be_in(contestant: Contestant) -> None:
    """Whether a contestant can withdraw. Raises Refusal ``season.not-running`` (nor enrolling) and
    ``lifecycle.step``."""
    if contestant.season.status != SeasonStatus.ENROLLING:
        must_be_running(contestant.season)
    _status_after_leaving(contestant, ContestantStatus.WITHDRAWN)


def leave_before_start(
    season: Season, contestant: Contestant, acting_user: User | None, why: str, at: datetime
) -> None:
    """Somebody leaves a season that has not begun: part of an action under its lock, which has
    those who wait move up afterwards (`places.places_fill`)."""
    contestant.status = _status_after_leaving(contestant, ContestantStatus.WITHDRAWN)
    contestant.seed = None
    contestant.checked_in_at = None
    contestant.left_at = at
    contestant.save(update_fields=["status", "seed", "checked_in_at", "left_at"])
    _announce_withdrawal(season, contestant, acting_user, why, at)


def _announce_withdrawal(
    season: Season, contestant: Contestant, acting_user: User | None, why: str, at: datetime
) -> None:
    own = acting_user is None or acting_user.pk == contestant.user_id
    season_event(
        season=season,
        kind="contestant.withdrawn",
        words=f"{contestant.name} withdraws: {why}" if why else f"{contestant.name} withdraws.",
        data={"contestant": contestant.pk, "name": contestant.name, "why": why},
        contestant=contestant,
        by=None if own else acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="contestant.withdraw",
        target=contestant,
        data={"season": season.pk, "why": why},
    )


@transaction.atomic
def contestant_return(
    *, acting_user: User, contestant: Contestant, why: str, at: datetime | None = None
) -> Contestant:
    """Bring somebody back who has withdrawn from a running season, from the next round on, or from
    the next main match to be recorded: their death matches stay walkovers unless they are taken up
    again (`death_match_reopen`).

    Raises Refusal as `guards.season_lock_managed` does, ``season.not-running``, ``why.*``,
    ``contestant.not-withdrawn``, ``contestant.account-closed``, ``contestant.suspended``,
    ``place.untaken``, those of the format for a late entry.
    """
    season, found = _fresh(contestant)
    must_manage(season, acting_user, Right.PEOPLE)
    must_be_returnable(found)
    why = reason(why)
    at = instant(at)
    if found.user is not None:
        able_to_enter(found.user)
    found.status = lifecycle.step(
        lifecycle.CONTESTANT, found.status, ContestantStatus.ACTIVE, found.shown_name
    )
    found.place = found.left_at = None
    never_played = found.seed is None
    if never_played:
        # Struck off before the seeds were fixed: behind everybody, like a late entry.
        found.seed = (season.contestants.aggregate(last=Max("seed"))["last"] or 0) + 1
    if never_played or format_of(season.format).pairs_everybody:
        # Not missing from the rounds that were paired without them.
        found.since_round = season.rounds.count() + 1
    found.save(update_fields=["status", "place", "left_at", "seed", "since_round"])
    season_event(
        season=season,
        kind="contestant.restored",
        words=f"{found.name} is back in: {why}",
        data={"contestant": found.pk, "name": found.name, "why": why},
        contestant=found,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="contestant.return",
        target=found,
        data={"season": season.pk, "why": why},
    )
    purse_return(season=season, contestant=found, at=at)
    format_of(season.format).on_entered(season=season)
    return found


def must_be_returnable(contestant: Contestant) -> None:
    """Whether a contestant can come back. Raises Refusal ``season.not-running``,
    ``contestant.not-withdrawn``, ``contestant.account-closed``, ``contestant.suspended``,
    ``place.untaken`` and as the format does."""
    season = contestant.season
    must_be_running(season)
    if contestant.status != ContestantStatus.WITHDRAWN:
        raise Refusal("contestant.not-withdrawn", f"{contestant.shown_name} has not withdrawn.")
    if contestant.user is not None:
        must_be_able_to_enter(contestant.user)
    elif contestant.invitation_id is not None:
        raise Refusal(
            "place.untaken",
            f"Nobody has taken the place that was held for {contestant.name}: enrol them late.",
        )
    format_of(season.format).must_admit(season=season)


@transaction.atomic
def contestant_replace(
    *,
    acting_user: User,
    contestant: Contestant,
    user: User,
    why: str,
    name: str = "",
    at: datetime | None = None,
) -> Contestant:
    """Put somebody else in a contestant's place: the seed, the death matches that are not decided,
    the part in an open episode and the items that are held. What was decided stays the other's.

    Raises Refusal as `guards.season_lock_managed` does, ``season.not-running``, ``why.*``,
    ``contestant.twice``, ``contestant.account-closed``, ``contestant.suspended``,
    ``contestant.playing``, ``death-match.own``, ``lifecycle.step``.
    """
    season, old = _fresh(contestant)
    must_manage(season, acting_user, Right.PEOPLE)
    must_not_meet(old, acting_user)
    open_matches = _open_death_matches(old)
    must_be_replaceable(old, open_matches)
    why = reason(why)
    at = instant(at)
    user = able_to_enter(user)
    if season.contestants.filter(user=user).exists():
        raise Refusal("contestant.twice", f"{user.shown_name} is in this season already.")
    # Who had left may be missing from the round that is on: their heir plays from the next.
    was_out = old.status == ContestantStatus.WITHDRAWN
    waits = was_out and format_of(season.format).pairs_everybody
    old.status = _status_after_leaving(old, ContestantStatus.REPLACED)
    old.left_at = old.left_at or at
    # The place is the one of whoever holds it to the end.
    old.place = None
    old.save(update_fields=["status", "left_at", "place"])
    new = Contestant.objects.create(
        season=season,
        user=user,
        name=Names([(name, user)]).of(name, user),
        seed=old.seed,
        status=ContestantStatus.ACTIVE,
        since_round=max(season.rounds.count(), 1) + waits,
        replaces=old,
        enrolled_at=at,
    )
    for death_match in open_matches:
        side = "home" if death_match.home_id == old.pk else "away"
        setattr(death_match, side, new)
        death_match.save(update_fields=[side])
        # Being ready was the other's word.
        death_match.legs.filter(status=LegStatus.PLANNED).update(
            **{f"{side}_ready_at": None}, ready_cleared_at=at
        )
    _take_over(old, new, at)
    purse_pass(season=season, old=old, new=new, at=at)
    season_event(
        season=season,
        kind="contestant.replaced",
        words=f"{new.name} takes over from {old.name}: {why}",
        data={"contestant": new.pk, "name": new.name, "replaces": old.pk, "why": why},
        contestant=new,
        by=acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="contestant.replace",
        target=new,
        data={"season": season.pk, "replaces": old.pk, "user": user.pk, "why": why},
    )
    format_of(season.format).on_replaced(old=old, new=new, at=at)
    for death_match in open_matches:
        deathmatches.death_match_announce_takeover(death_match=death_match, at=at)
    return new


def must_be_replaceable(contestant: Contestant, undecided: Iterable[DeathMatch]) -> None:
    """Whether somebody can take over a contestant's place; ``undecided`` are their open death
    matches. Raises Refusal ``season.not-running``, ``lifecycle.step`` and
    ``contestant.playing``."""
    must_be_running(contestant.season)
    _status_after_leaving(contestant, ContestantStatus.REPLACED)
    if any(leg.status == LegStatus.RUNNING for each in undecided for leg in each.legs.all()):
        raise Refusal(
            "contestant.playing",
            f"{contestant.shown_name} has a match that is on, or waits for its players.",
        )


def _take_over(old: Contestant, new: Contestant, at: datetime) -> None:
    open_episodes = Episode.objects.filter(round__season=old.season_id).exclude(
        status__in=EPISODE_OVER
    )
    open_episodes.filter(ec=old).update(ec=new)
    open_episodes.filter(dmo=old).update(dmo=new)
    Placement.objects.filter(episode__in=open_episodes, contestant=old).update(contestant=new)
    scores = ScoreRow.objects.filter(table__episode__in=open_episodes, contestant=old)
    scores.update(contestant=new)
    held = Gift.objects.filter(receiver=old, status=GiftStatus.HELD).select_related("season")
    for gift in held.order_by("pk"):
        # A secret of the other's: the new holder says themselves what they bring.
        gift.declarations.filter(leg__status=LegStatus.PLANNED).delete()
        gift.receiver = new
        gift.save(update_fields=["receiver"])
        words = f"Passed on to {new.name} with {old.name}'s place."
        ItemEvent.objects.create(gift=gift, kind="given", words=words, at=at)
        if gift.is_hidden:
            item = item_of(gift.item, gift.ruleset)
            gift_tell(
                gift,
                f"passed:{new.pk}",
                f"With {old.name}'s place you have {item.name}, which was given in secret. "
                f"{FOR_ITS_HOLDER}",
            )


def _fresh(contestant: Contestant) -> tuple[Season, Contestant]:
    season = season_lock(contestant.season_id)
    must_not_be_archived(season)
    found = season.contestants.select_related("user").get(pk=contestant.pk)
    found.season = season
    return season, found


def _status_after_leaving(contestant: Contestant, status: ContestantStatus) -> ContestantStatus:
    return lifecycle.step(lifecycle.CONTESTANT, contestant.status, status, contestant.shown_name)


def _open_death_matches(contestant: Contestant) -> list[DeathMatch]:
    found = undecided_of(contestant)
    return list(found.select_related("round__season", "home__user", "away__user"))
