"""Hosting: an organiser who does not play invites two others to a match of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from accounts.models import User
from accounts.moderation.standing import mute_of, suspension_of
from accounts.services import audit_record, users_lock
from core import chance
from core.clock import now_utc
from core.jobs import guard
from core.refusals import Forbidden, NotFound, Refusal, Together, allowed
from core.text import one_line
from games.audience import may_host, user_group_of
from games.engine import records
from games.engine.capabilities import supply_of
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.ruleset import HeldItem, Ruleset
from games.models import HostedMatch, Preparation
from games.options.hosting import unrated_text
from games.options.late import must_be_a_delay
from games.publishing import frames
from games.publishing.publish import Frame, publish
from games.reading.selectors import preparation_of
from games.rulesets import REGISTRY
from games.services.matches import game_of, match_start

MESSAGE_MAX: Final = 200
ITEMS_AT_MOST: Final = 12  # of both seats together
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=30)
FARTHEST = timedelta(days=90)

_PENDING: Final = (HostedMatch.Status.OPEN, HostedMatch.Status.AGREED)


@transaction.atomic
def hosted_create(  # noqa: PLR0913  (everything that is agreed beforehand)
    *,
    acting_user: User,
    first: User,
    second: User,
    ruleset_id: str,
    variant: str,
    options: Mapping[str, Any] | None = None,
    items: Sequence[HeldItem] = (),
    advantage: Seat | None = None,
    rated: bool = False,
    late_s: int = 0,
    message: str = "",
    preparation_id: int | None = None,
    starts_at: datetime | None = None,
    lasts: timedelta | None = None,
) -> HostedMatch:
    """Invite two players to a match that ``acting_user`` hosts; ``first`` has seat 0. It lapses
    unless both have accepted within ``lasts`` (default: the settings' for challenges), or before
    ``starts_at`` where there is one. Without ``advantage`` it is drawn, or given by ``items``.
    ``preparation_id``: what the host supplies instead of having it drawn. ``late_s``: by how many
    seconds spectators will see it late.

    Raises Refusal ``hosted.not-allowed``, ``hosted.plays``, ``hosted.one-player``, ``hosted.bot``,
    ``hosted.duration``, ``hosted.start``, ``hosted.advantage``, ``hosted.items``,
    ``hosted.message-too-long``, ``hosted.account-closed``, ``hosted.player-closed``,
    ``hosted.suspended``, ``hosted.player-away``, ``hosted.muted`` (a muted host invites without
    words), ``hosted.too-many``, ``setup.*``, ``preparation.none``. A player who has blocked the
    host is not shown it, and it lapses as any that is not accepted.
    """
    must_be_allowed_to_host(acting_user)
    lasts = settings.GAUNTLET_CHALLENGE_LASTS if lasts is None else lasts
    message = one_line(message)
    now = now_utc()
    faults = Together()
    with faults.of():
        ruleset, chosen = game_of(ruleset_id, variant, options or {})
        _must_know_items(ruleset, variant, items)
    with faults.of():
        must_be_three(acting_user, first, second)
    with faults.of():
        _must_be_sound(lasts, starts_at, advantage, message, now)
    with faults.of():
        must_be_a_delay(late_s)
    faults.settle()
    preparation = _preparation(acting_user, ruleset, variant, preparation_id)
    # All three, since any could be closed meanwhile; and so that the limit holds against two
    # requests at once.
    people = users_lock([acting_user, first, second])
    _must_be_in_good_standing(people[acting_user.pk], message)
    for player in (first, second):
        _must_be_able_to_be_invited(people[player.pk])
    mine = HostedMatch.objects.filter(host=acting_user, status__in=_PENDING)
    if mine.count() >= settings.GAUNTLET_CHALLENGES_OPEN_AT_ONCE:
        sentence = "You host too many matches that have not begun. Cancel one first."
        raise Refusal("hosted.too-many", sentence)
    hosted = HostedMatch.objects.create(
        host=acting_user,
        first=first,
        second=second,
        ruleset=ruleset.id,
        variant=variant,
        options=records.changed_options(chosen),
        items=[{"seat": held.seat, "item": held.item} for held in items],
        advantage=advantage,
        rated=rated,
        late_s=late_s,
        message=message,
        preparation=preparation,
        starts_at=starts_at,
        created_at=now,
        expires_at=now + lasts if starts_at is None else starts_at,
    )
    audit_record(
        acting_user=acting_user,
        action="hosted.create",
        target=hosted,
        data={"players": [first.pk, second.pk], "ruleset": ruleset.id},
    )
    _announce(hosted)
    return hosted


@transaction.atomic
def hosted_accept(
    *, acting_user: User, hosted: HostedMatch, random: RandomSource = chance.system
) -> HostedMatch:
    """Accept an invitation. With the second of the two the match begins, as soon as both are
    there, or have been; or stands until the time that was named.

    Raises Refusal ``hosted.not-for-you``, ``hosted.not-open``, ``hosted.expired``,
    ``hosted.accepted``, ``hosted.host-gone`` and as `match_start` does.
    """
    users_lock([hosted.host_id, hosted.first_id, hosted.second_id])
    locked = _lock(hosted)
    must_be_able_to_accept(locked, acting_user)
    must_be_open(locked)
    _must_have_its_host(locked)
    now = now_utc()
    field = "second_accepted_at" if locked.seat_of(acting_user) else "first_accepted_at"
    changed = [field]
    if field == "first_accepted_at":
        locked.first_accepted_at = now
    else:
        locked.second_accepted_at = now
    if locked.has_accepted(0) and locked.has_accepted(1):
        changed += ["status", "match"]
        if locked.starts_at is not None:
            locked.status = HostedMatch.Status.AGREED
        else:
            _begin(locked, acting_user, random)
    locked.save(update_fields=changed)
    audit_record(acting_user=acting_user, action="hosted.accept", target=locked)
    _announce(locked)
    return locked


@transaction.atomic
def hosted_decline(*, acting_user: User, hosted: HostedMatch) -> HostedMatch:
    """Decline an invitation, or step back from one that was accepted and has not begun. Raises
    Refusal ``hosted.not-for-you``, ``hosted.not-open``, ``hosted.expired``."""
    locked = _lock(hosted)
    must_be_invited(locked, acting_user)
    must_be_pending(locked)
    return _close(locked, HostedMatch.Status.DECLINED, acting_user, "hosted.decline")


@transaction.atomic
def hosted_cancel(*, acting_user: User, hosted: HostedMatch) -> HostedMatch:
    """Cancel what one hosts before it begins. Raises Refusal ``hosted.not-yours``,
    ``hosted.not-open``, ``hosted.expired``."""
    locked = _lock(hosted)
    must_be_host(locked, acting_user)
    must_be_pending(locked)
    return _close(locked, HostedMatch.Status.CANCELLED, acting_user, "hosted.cancel")


def hosted_expire(*, now: datetime) -> int:
    """Close what not both had accepted in time at ``now``; returns how many. Each on its own: one
    that cannot be closed is set aside."""
    due = HostedMatch.objects.filter(status=HostedMatch.Status.OPEN, expires_at__lte=now)
    return guard.each(
        "hosted.expire", due.values_list("pk", flat=True), _expire, target="games.hostedmatch"
    )


def _expire(pk: int) -> bool:
    locked = _lock_if(pk, HostedMatch.Status.OPEN)
    if locked is not None:
        _close(locked, HostedMatch.Status.EXPIRED, None, "hosted.expire")
    return locked is not None


def hosted_begin_due(*, now: datetime, random: RandomSource = chance.system) -> int:
    """Begin what was agreed on for a time that has come at ``now``; returns how many were looked
    at. What cannot begin any more is cancelled, and all three are told why. What is to be drawn at
    once is drawn from ``random``."""
    due = HostedMatch.objects.filter(status=HostedMatch.Status.AGREED, starts_at__lte=now)
    return guard.each(
        "hosted.begin",
        due.values_list("pk", flat=True),
        partial(_begin_one, random=random),
        target="games.hostedmatch",
    )


def _begin_one(pk: int, random: RandomSource) -> bool:
    found = HostedMatch.objects.get(pk=pk)
    users_lock([found.host_id, found.first_id, found.second_id])
    locked = _lock_if(pk, HostedMatch.Status.AGREED)
    if locked is None:
        return False
    try:
        _must_have_its_host(locked)
        _begin(locked, None, random)
    except Refusal as refusal:
        locked.why = refusal.sentence[:400]
        locked.save(update_fields=["why"])
        _close(locked, HostedMatch.Status.CANCELLED, None, "hosted.void")
        return True
    locked.save(update_fields=["status", "match"])
    audit_record(acting_user=None, action="hosted.begin", target=locked)
    _announce(locked)
    return True


def hosted_withdraw(*, user_id: int) -> int:
    """Cancel everything that has not begun with somebody in it who can neither play nor host for
    the time being; returns how many."""
    concerned = HostedMatch.objects.filter(
        Q(host=user_id) | Q(first=user_id) | Q(second=user_id), status__in=_PENDING
    )
    withdrawn = 0
    for pk in concerned.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            locked = HostedMatch.objects.select_for_update(no_key=True).get(pk=pk)
            if locked.status in _PENDING:
                _close(locked, HostedMatch.Status.CANCELLED, None, "hosted.withdraw")
                withdrawn += 1
    return withdrawn


# -- who may ---------------------------------------------------------------------------------------


def must_be_allowed_to_host(acting_user: User) -> None:
    """Raises Refusal ``hosted.not-allowed``."""
    if not may_host(acting_user):
        raise Forbidden("hosted.not-allowed", "Only organisers may host matches.")


def must_be_three(host: User, first: User | None, second: User | None) -> None:
    """Whether nobody is named twice, as far as they are known. Raises Refusal ``hosted.plays`` and
    ``hosted.one-player``."""
    faults = Together()
    for player, field in ((first, "first"), (second, "second")):
        with faults.of():
            if player is not None and player.pk == host.pk:
                sentence = "Whoever hosts a match does not play in it."
                raise Refusal("hosted.plays", sentence, field=field)
    with faults.of():
        if first is not None and second is not None and first.pk == second.pk:
            sentence = "A match needs two different players."
            raise Refusal("hosted.one-player", sentence, field="second")
    faults.settle()


def must_be_invited(hosted: HostedMatch, acting_user: User) -> None:
    """Raises Refusal ``hosted.not-for-you``."""
    if hosted.seat_of(acting_user) is None:
        raise Forbidden("hosted.not-for-you", "Only the two who are invited can answer this.")


def must_be_able_to_accept(hosted: HostedMatch, acting_user: User) -> None:
    """Raises Refusal ``hosted.not-for-you`` and ``hosted.accepted``."""
    must_be_invited(hosted, acting_user)
    seat = hosted.seat_of(acting_user)
    if seat is not None and hosted.has_accepted(seat):
        raise Refusal("hosted.accepted", "You have accepted this already.")


def must_be_host(hosted: HostedMatch, acting_user: User) -> None:
    """Raises Refusal ``hosted.not-yours``."""
    if hosted.host_id != acting_user.pk:
        raise Forbidden("hosted.not-yours", "Only its host can cancel a hosted match.")


def must_be_open(hosted: HostedMatch) -> None:
    """Whether a hosted match still waits for somebody to accept. Raises Refusal
    ``hosted.not-open`` and ``hosted.expired``."""
    if hosted.status != HostedMatch.Status.OPEN:
        raise Refusal("hosted.not-open", "This invitation is no longer open.")
    if hosted.expires_at <= now_utc():
        raise Refusal("hosted.expired", "This invitation has lapsed.")


def must_be_pending(hosted: HostedMatch) -> None:
    """Whether a hosted match has neither begun nor been called off. Raises Refusal as
    `must_be_open` does."""
    if hosted.status != HostedMatch.Status.AGREED:
        must_be_open(hosted)


def answers_of(hosted: HostedMatch, acting_user: User) -> frozenset[str]:
    """What somebody can do about a hosted match now, of "accept", "decline" and "cancel"."""
    checks = {
        "accept": (must_be_open, must_be_able_to_accept),
        "decline": (must_be_pending, must_be_invited),
        "cancel": (must_be_pending, must_be_host),
    }
    return frozenset(
        name
        for name, (stands, may) in checks.items()
        if allowed(stands, hosted) and allowed(may, hosted, acting_user)
    )


def _must_be_in_good_standing(host: User, message: str) -> None:
    if not host.is_active:
        raise Refusal("hosted.account-closed", "Your account is closed.")
    if suspension_of(host.pk) is not None:
        raise Refusal("hosted.suspended", "Your account is suspended: you cannot host now.")
    if message and mute_of(host.pk) is not None:
        sentence = "You are muted: please invite them without a message."
        raise Refusal("hosted.muted", sentence, field="message")


def _must_be_able_to_be_invited(player: User) -> None:
    name = player.shown_name
    if not player.is_active:
        raise Refusal("hosted.player-closed", f"The account of {name} is closed.")
    if player.is_bot:
        sentence = f"{name} is a bot. Bots answer challenges, but nobody's invitations."
        raise Refusal("hosted.bot", sentence)
    # Why is nobody else's business.
    if suspension_of(player.pk) is not None:
        raise Refusal("hosted.player-away", f"{name} cannot be invited at the moment.")


def _must_have_its_host(hosted: HostedMatch) -> None:
    # As they are now: the role may have been taken away since.
    host = User.objects.get(pk=hosted.host_id)
    if not may_host(host) or suspension_of(host.pk) is not None:
        sentence = "Whoever invited you may not host matches any more."
        raise Refusal("hosted.host-gone", sentence)


def _must_be_sound(
    lasts: timedelta,
    starts_at: datetime | None,
    advantage: Seat | None,
    message: str,
    now: datetime,
) -> None:
    faults = Together()
    with faults.of():
        if starts_at is None and not SHORTEST <= lasts <= LONGEST:
            sentence = "An invitation stays open for a minute up to 30 days."
            raise Refusal("hosted.duration", sentence, field="lasts")
    with faults.of():
        if starts_at is not None and not now + SHORTEST <= starts_at <= now + FARTHEST:
            sentence = "A match begins in a minute at the earliest, and within 90 days."
            raise Refusal("hosted.start", sentence, field="starts")
    with faults.of():
        if advantage not in (None, 0, 1):
            sentence = "The advantage is drawn, or has one of the two seats."
            raise Refusal("hosted.advantage", sentence, field="advantage")
    with faults.of():
        if len(message) > MESSAGE_MAX:
            sentence = f"At most {MESSAGE_MAX} characters, please."
            raise Refusal("hosted.message-too-long", sentence, field="message")
    faults.settle()


def _must_know_items(ruleset: Ruleset[Any, Any], variant: str, items: Sequence[HeldItem]) -> None:
    if len(items) > ITEMS_AT_MOST:
        sentence = f"At most {ITEMS_AT_MOST} items can be brought into a match."
        raise Refusal("hosted.items", sentence, field="items")
    for held in items:
        if held.seat not in (0, 1):
            raise Refusal("hosted.items", "An item is held by seat 0 or 1.", field="items")
        ruleset.item(held.item, variant)


def _preparation(
    user: User, ruleset: Ruleset[Any, Any], variant: str, preparation_id: int | None
) -> Preparation | None:
    if preparation_id is None:
        return None
    preparation = preparation_of(user, preparation_id)
    if preparation.ruleset != ruleset.id:
        raise NotFound("setup.supply", f"“{preparation.name}” is for another game.")
    supply_of(ruleset, preparation.key, variant)
    return preparation


# -- doing it --------------------------------------------------------------------------------------


def _begin(hosted: HostedMatch, acting_user: User | None, random: RandomSource) -> None:
    """Begin the match of a hosted match whose row is locked, which the caller then stores."""
    preparation = hosted.preparation
    hosted.match = match_start(
        acting_user=acting_user,
        players=(hosted.first, hosted.second),
        ruleset_id=hosted.ruleset,
        variant=hosted.variant,
        options=hosted.options,
        items=hosted.held,
        advantage=hosted.advantage,
        prepared=None if preparation is None else preparation.prepared,
        prepared_by=hosted.host,
        # Whoever knows what was supplied is asked to judge it, and nobody else is.
        referees=[hosted.host],
        waits=True,
        unrated=unrated_text(hosted),
        late_s=hosted.late_s,
        random=random,
    )
    hosted.status = HostedMatch.Status.BEGUN


def _lock(hosted: HostedMatch) -> HostedMatch:
    return HostedMatch.objects.select_for_update(no_key=True).get(pk=hosted.pk)


def _lock_if(pk: int, status: str) -> HostedMatch | None:
    rows = HostedMatch.objects.select_for_update(no_key=True, skip_locked=True)
    return rows.filter(pk=pk, status=status).first()


def _close(hosted: HostedMatch, status: str, user: User | None, action: str) -> HostedMatch:
    hosted.status = status
    hosted.ended_by = user
    hosted.save(update_fields=["status", "ended_by"])
    audit_record(acting_user=user, action=action, target=hosted)
    _announce(hosted)
    return hosted


def _announce(hosted: HostedMatch) -> None:
    """Tell the three concerned, after commit; of those whom the host cannot reach, nobody."""
    text = frames.encoded(frame_of(hosted))
    shown = HostedMatch.objects.filter(pk=hosted.pk)
    out = [
        Frame(user_group_of(user.pk), text)
        for user in (hosted.host, hosted.first, hosted.second)
        if shown.visible_to(user).exists()
    ]
    transaction.on_commit(partial(publish, out))


def frame_of(hosted: HostedMatch) -> dict[str, Any]:
    """What the three concerned are told when something about a hosted match changes."""
    return {
        "type": "hosted",
        "hosted": hosted.pk,
        "status": str(hosted.status),
        "url": hosted.get_absolute_url(),
        "game": REGISTRY.get(hosted.ruleset).name,
        "host": hosted.host.username,
        "name": hosted.host.shown_name,
        "seats": [
            {
                "name": player.shown_name,
                "username": player.username,
                "accepted": hosted.has_accepted(seat),
            }
            for seat, player in enumerate((hosted.first, hosted.second))
        ],
        "ended_by": None if hosted.ended_by is None else hosted.ended_by.username,
        "why": hosted.why,
    }
