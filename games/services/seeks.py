"""Quick pairing: people who want to play at once, and whom they are paired with.

Who waits has a row, one for each person, whatever they have open. Pairing reads those rows without
a lock and has `games.pairing` say who goes together. Then each pair is made in a transaction of its
own, which locks the two accounts, as whoever begins a match does, and then their rows, passing over
what somebody else has in hand; only if both still wait for the same does a match begin. So whoever
pairs at the same time in another process finds the rows taken, and nobody is paired twice. Accounts
come before rows everywhere here, so that no two wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from accounts.blocking.services import pairs_apart
from accounts.models import Sanction, User
from accounts.moderation.standing import suspension_of
from accounts.services import audit_record, users_lock
from core import chance
from core.clock import now_ms
from core.jobs import guard
from core.refusals import NotFound, Refusal, Together
from games.engine.chance import RandomSource, choose
from games.models import Match, Seek
from games.options import pace
from games.options.terms import casual_terms
from games.pairing import Pair, Waiting, pairs_of
from games.ratings.models import OVERALL, Rating
from games.ratings.rating import Strength
from games.reading.here import sitting_at_once
from games.rulesets import REGISTRY
from games.services.matches import game_of, match_start

#: Under which a pair is set aside that cannot be made.
PAIRED: Final = "seeks.pair"
# Most that are looked at in one go: with so many, nobody waits long.
AT_MOST: Final = 400
# A little longer than between two questions of a page.
LEAVES_AFTER_S: Final = 8


def quick_paces() -> list[pace.Pace]:
    """The paces to be paired at: of matches to sit through, whatever the game."""
    return [
        each
        for each in pace.PACES
        if all(pace.is_live(ruleset, pace.options_at(ruleset, each)) for ruleset in REGISTRY)
    ]


@transaction.atomic
def seek_create(
    *,
    acting_user: User,
    pace_id: str,
    ruleset_id: str = "",
    variant: str = "",
    rated: bool = True,
    at: int | None = None,
) -> Seek:
    """Wait for whoever wants the same: a game, or any where ``ruleset_id`` is empty. Somebody who
    waits already waits for this instead, or, where it is the same, goes on waiting.

    Raises Refusal ``setup.ruleset``, ``setup.variant``, ``seek.pace``, ``seek.account-closed``,
    ``seek.suspended`` and ``seek.playing`` (they sit in a match at a live pace).
    """
    faults = Together()
    if ruleset_id:
        with faults.of():
            game_of(ruleset_id, variant, {})
    with faults.of():
        must_be_quick(pace_id)
    faults.settle()
    at = now_ms() if at is None else at
    user = users_lock([acting_user])[acting_user.pk]
    if not user.is_active:
        raise Refusal("seek.account-closed", "Your account is closed.")
    if suspension_of(user.pk) is not None:
        raise Refusal("seek.suspended", "Your account is suspended: you cannot play now.")
    if sitting_at_once([user.pk]):
        raise Refusal("seek.playing", "You are in a match. Play it first.")
    wanted: dict[str, Any] = {
        "ruleset": ruleset_id,
        "variant": variant if ruleset_id else "",
        "pace": pace_id,
        "rated": rated,
    }
    before = Seek.objects.select_for_update(no_key=True).filter(user=user).first()
    if before is not None:
        if _waits(before, at) and all(getattr(before, name) == wanted[name] for name in wanted):
            _see(before, at)
            return before
        before.delete()
    seek = Seek.objects.create(
        user=user, rating=_rating_of(user, ruleset_id), since=at, until=at + _patience(), **wanted
    )
    audit_record(acting_user=acting_user, action="seek.create", target=seek, data=wanted)
    return seek


def must_be_quick(pace_id: str) -> None:
    """Raises Refusal ``seek.pace``."""
    if pace_id not in {each.id for each in quick_paces()}:
        raise Refusal("seek.pace", "Please choose one of the paces for playing at once.")


@transaction.atomic
def seek_cancel(*, acting_user: User) -> None:
    """Wait no longer. Raises Refusal ``seek.none``, and where they have been paired meanwhile
    ``seek.paired``."""
    users_lock([acting_user])
    seek = Seek.objects.select_for_update(no_key=True).filter(user=acting_user).first()
    if seek is not None and seek.match_id is not None:
        raise Refusal("seek.paired", "You have been paired: your match is there.")
    if seek is None:
        raise NotFound("seek.none", "You are not waiting for an opponent.")
    audit_record(acting_user=acting_user, action="seek.cancel", target=seek)
    seek.delete()


@transaction.atomic
def seek_look(*, acting_user: User, at: int | None = None) -> Seek | None:
    """How it stands with somebody who waits, or has been paired a moment ago; None where there is
    nothing to wait for. Whoever asks is there, and goes on waiting."""
    at = now_ms() if at is None else at
    seek = Seek.objects.select_for_update(no_key=True).filter(user=acting_user).first()
    if seek is None or (seek.match_id is None and not _waits(seek, at)):
        return None
    _see(seek, at)
    return seek


@transaction.atomic
def seek_leave(*, acting_user: User, at: int | None = None) -> None:
    """Their page is being left: they wait a few seconds more, for it may only be loaded again or
    open twice. Changes nothing where nobody waits."""
    at = now_ms() if at is None else at
    seek = Seek.objects.select_for_update(no_key=True).filter(user=acting_user).first()
    if seek is not None and seek.match_id is None:
        seek.until = max(seek.since + 1, min(seek.until, at + 1000 * LEAVES_AFTER_S))
        seek.save(update_fields=["until"])


def _see(seek: Seek, at: int) -> None:
    seek.until = max(seek.until, at + _patience())
    seek.save(update_fields=["until"])


def _waits(seek: Seek, at: int) -> bool:
    return seek.match_id is None and seek.until > at


def _patience() -> int:
    return 1000 * settings.GAUNTLET_SEEK_AWAY_SECONDS


def _rating_of(user: User, ruleset_id: str) -> float:
    found = Rating.objects.filter(user=user, ladder=ruleset_id or OVERALL).first()
    return (Strength() if found is None else found.strength).estimate


def seek_pair(*, now: int, random: RandomSource = chance.system) -> int:
    """Pair all who can be paired at an instant; returns how many matches have begun. What is to be
    drawn is drawn from ``random``. Any number of processes may do it at a time."""
    rows = Seek.objects.filter(match__isnull=True, until__gt=now, user__is_active=True)
    suspended = Sanction.objects.in_force().filter(kind=Sanction.Kind.SUSPENSION).values("user")
    waiting = [
        _waiting(seek)
        for seek in rows.exclude(user__in=suspended)
        .select_related("user")
        .order_by("since", "id")[:AT_MOST]
    ]
    if len(waiting) < 2:
        return 0
    busy = sitting_at_once(each.user for each in waiting)
    free = [each for each in waiting if each.user not in busy]
    pairs = pairs_of(free, now=now, apart=pairs_apart(each.user for each in free))
    return guard.each(
        PAIRED,
        pairs,
        partial(_make, now=now, random=random),
        target="games.seek",
        key=lambda pair: f"{pair.first.user}-{pair.second.user}",
    )


def _waiting(seek: Seek) -> Waiting:
    return Waiting(
        user=seek.user_id,
        game=(seek.ruleset, seek.variant) if seek.ruleset else None,
        pace=seek.pace,
        rated=seek.rated,
        rating=seek.rating,
        since=seek.since,
        is_bot=seek.user.is_bot,
    )


def _make(pair: Pair, *, now: int, random: RandomSource) -> bool:
    """Begin the match of a pair, unless something has changed since it was thought of."""
    with transaction.atomic():
        return _make_locked(pair, now=now, random=random)


def _make_locked(pair: Pair, *, now: int, random: RandomSource) -> bool:
    keys = [pair.first.user, pair.second.user]
    users = users_lock(keys)
    locked = Seek.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    found = locked.select_related("user").filter(user__in=keys, match__isnull=True)
    seeks = {seek.user_id: seek for seek in found}
    still = all(
        key in seeks and _waiting(seeks[key]) == wanted and users[key].is_active
        for key, wanted in zip(keys, (pair.first, pair.second), strict=True)
    )
    if not still or pairs_apart(keys) or sitting_at_once(keys):
        return False
    if any(suspension_of(key) is not None for key in keys):
        return False
    ruleset_id, variant = pair.game or _drawn(random)
    ruleset = REGISTRY.get(ruleset_id)
    chosen = next(each for each in pace.PACES if each.id == pair.first.pace)
    match = match_start(
        acting_user=None,
        players=(users[keys[0]], users[keys[1]]),
        ruleset_id=ruleset_id,
        variant=variant,
        options=pace.options_at(ruleset, chosen),
        waits=True,
        unrated=casual_terms(rated=pair.first.rated),
        random=random,
    )
    told = now + 1000 * settings.GAUNTLET_SEEK_TOLD_SECONDS
    Seek.objects.filter(pk__in=[seek.pk for seek in seeks.values()]).update(match=match, until=told)
    audit_record(acting_user=None, action="seek.pair", target=match, data={"users": keys})
    return True


def _drawn(random: RandomSource) -> tuple[str, str]:
    """One of all games, where both would play any."""
    games: Sequence[tuple[str, str]] = [
        (ruleset.id, variant.id) for ruleset in REGISTRY for variant in ruleset.variants
    ]
    return choose(random, games)


def seeks_expire(*, now: int) -> int:
    """Forget those whose pages have gone, and those who have been told where to go; returns how
    many rows there were."""
    gone = Q(until__lte=now) | Q(match__status=Match.Status.FINISHED)
    with transaction.atomic():
        rows = Seek.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
        keys = list(rows.filter(gone).values_list("pk", flat=True))
        deleted, _ = Seek.objects.filter(pk__in=keys).delete()
    return deleted


def seeks_withdraw(*, user_id: int) -> int:
    """Forget that somebody waits who cannot play for the time being; returns how many rows."""
    with transaction.atomic():
        users_lock([user_id])
        deleted, _ = Seek.objects.filter(user=user_id).delete()
    return deleted
