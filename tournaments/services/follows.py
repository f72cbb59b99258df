"""Following a season: whoever neither plays nor runs it, and wants to hear what happens in it.

What followers are told is in `tournaments.spectators`. Nothing that everybody sees of a season
changes with who follows it: its row is neither locked nor given another revision.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction

from accounts.announcing.services import announcements_withdraw
from accounts.models import User
from accounts.services import audit_record, users_lock
from core.refusals import Forbidden, NotFound, Refusal
from tournaments.announcements import FOLLOWED_KINDS
from tournaments.lifecycle import SEASON_OVER, STILL_IN
from tournaments.models import Contestant, EventNotice, Season, SeasonFollow, SeasonOrganiser
from tournaments.notice_keys import event_key
from tournaments.services.guards import instant, must_not_be_archived, must_not_be_draft

#: How many seasons somebody follows at a time, at most.
FOLLOWED_MAX: Final = 200


@transaction.atomic
def season_follow(*, acting_user: User, season: Season, at: datetime | None = None) -> SeasonFollow:
    """Have somebody hear what happens in a season. Raises Refusal ``season.none``, as
    `must_be_followable` does, and ``follow.many``."""
    # Who counts their own one after the other counts none twice.
    users_lock([acting_user])
    fresh = Season.objects.visible_to(acting_user).filter(pk=season.pk).first()
    if fresh is None:
        raise NotFound("season.none", "There is no such season.")
    contestant, organises = standing_in(fresh, acting_user)
    already = SeasonFollow.objects.filter(season=fresh, user=acting_user).exists()
    must_be_followable(fresh, contestant=contestant, organises=organises, already=already)
    if SeasonFollow.objects.filter(user=acting_user).count() >= FOLLOWED_MAX:
        sentence = f"You follow {FOLLOWED_MAX} seasons: unfollow one of them first."
        raise Refusal("follow.many", sentence)
    made = SeasonFollow.objects.create(season=fresh, user=acting_user, at=instant(at))
    _record(acting_user, "season.follow")
    return made


def standing_in(season: Season, user: User) -> tuple[Contestant | None, bool]:
    """Somebody's place in a season, and whether they run it: who only helps may follow."""
    contestant = season.contestants.filter(user=user).first()
    return contestant, season.organisers.organising().filter(user=user).exists()


def must_be_followable(
    season: Season, *, contestant: Contestant | None, organises: bool, already: bool
) -> None:
    """Whether somebody can begin to follow a season, who has that place in it, or runs it, or
    follows it ``already``. Raises Refusal ``follow.already``, ``season.draft``,
    ``season.archived``, ``follow.own`` and ``follow.over``."""
    if already:
        raise Refusal("follow.already", "You follow this season already.")
    must_not_be_draft(season)
    must_not_be_archived(season)
    must_not_be_told_anyway(contestant=contestant, organises=organises)
    if season.status in SEASON_OVER:
        raise Refusal("follow.over", "This season is over: there is nothing more to be told.")


def must_not_be_told_anyway(*, contestant: Contestant | None, organises: bool) -> None:
    """Whether somebody who has that place in a season, or runs it, hears of it only by following
    it. Raises Refusal ``follow.own``."""
    if organises:
        raise Forbidden("follow.own", "You run this season: you see what happens at its desk.")
    if contestant is not None and contestant.status in STILL_IN:
        raise Forbidden("follow.own", "You play in this season, and are told what concerns you.")


@transaction.atomic
def season_unfollow(*, acting_user: User, season: Season) -> None:
    """Have somebody hear no more of a season. Raises Refusal ``follow.none``."""
    gone, _of = SeasonFollow.objects.filter(season=season.pk, user=acting_user).delete()
    must_follow(follows=bool(gone))
    _record(acting_user, "season.unfollow")


def _record(user: User, action: str) -> None:
    # Of which season nobody else is to read, moderators included.
    audit_record(acting_user=user, action=action, target=user)


def must_follow(*, follows: bool) -> None:
    """Raises Refusal ``follow.none``."""
    if not follows:
        raise Refusal("follow.none", "You do not follow this season.")


def follows_season(user: User, season: Season) -> bool:
    """Whether somebody follows a season."""
    return SeasonFollow.objects.filter(season=season, user=user).exists()


def season_fall_silent(season: Season) -> None:
    """Take back what followers were told of a season that is hidden from now on, in the transaction
    that hides it: what has not gone out never does, and whoever has unfollowed it since keeps none
    of it either."""
    # A worker that tells of one just now holds its row: what it tells is there after this.
    EventNotice.objects.filter(event__season=season).delete()
    keys = [event_key(pk) for pk in season.events.values_list("pk", flat=True)]
    announcements_withdraw(of=FOLLOWED_KINDS, keys=keys)


def follows_forget(user_id: int) -> int:
    """Have an account that is closed follow nothing."""
    return SeasonFollow.objects.filter(user=user_id).delete()[0]


def follows_merge(keep: User, duplicate: User) -> int:
    """Have the kept account of a merge follow what the duplicate did; what both are told once they
    are one is told once. Neither follows what either runs."""
    own = SeasonFollow.objects.filter(user=duplicate)
    own.filter(season__follows__user=keep).delete()
    moved = own.update(user=keep)
    run = SeasonOrganiser.objects.organising().filter(user=keep).values("season")
    SeasonFollow.objects.filter(user=keep, season__in=run).delete()
    return moved
