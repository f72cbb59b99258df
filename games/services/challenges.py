"""Challenges: offers to play."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from hmac import compare_digest
from math import ceil
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from accounts.blocking.services import has_blocked, is_apart_from_somebody
from accounts.models import User
from accounts.moderation.standing import mute_of, suspension_of
from accounts.services import audit_record, users_lock
from core import chance
from core.clock import now_utc
from core.jobs import guard
from core.refusals import Forbidden, NotFound, Refusal, Together, TooOften, allowed
from core.text import one_line
from games import extras, presence
from games.audience import LOBBY_GROUP, user_group_of
from games.engine import records
from games.engine.capabilities import supply_of
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.ruleset import Ruleset
from games.models import Challenge, HouseBot, Match, Preparation
from games.options import pace
from games.options.late import must_be_a_delay
from games.options.terms import is_rated, terms_of
from games.publishing import frames
from games.publishing.cards import card_of_challenge
from games.publishing.publish import Frame, publish
from games.ratings.course import is_too_short
from games.reading.selectors import preparation_of
from games.rulesets import REGISTRY
from games.services.matches import game_of, match_start
from games.services.preparations import must_be_allowed_to_prepare

MESSAGE_MAX = 200
# What is secret of a link: 192 bits.
LINK_BYTES: Final = 24
_HOUR: Final = timedelta(hours=1)


@transaction.atomic
def challenge_create(  # noqa: PLR0913  (everything that is offered)
    *,
    acting_user: User,
    ruleset_id: str,
    variant: str,
    opponent: User | None = None,
    options: Mapping[str, Any] | None = None,
    advantage: str = Challenge.Advantage.LOT,
    message: str = "",
    rated: bool = True,
    late_s: int = 0,
    lasts: timedelta | None = None,
    preparation_id: int | None = None,
    by_link: bool = False,
    challenger_seat: Seat = 0,
    rematch_of: Match | None = None,
) -> Challenge:
    """Offer a match to ``opponent``, or to anybody, or where it is ``by_link`` to whoever has its
    link. It lapses after ``lasts`` (default: the settings'). ``preparation_id``: what the
    challenger, an organiser, supplies instead of having it drawn; whoever accepts can see that they
    do. One that is not ``rated`` is casual: its match counts for no rating. ``late_s``: by how many
    seconds spectators will see it late. ``rematch_of``: as `rematch_offer` has it.

    Raises Refusal ``setup.*``, ``preparation.not-allowed``, ``preparation.none``,
    ``challenge.yourself``, ``challenge.house-bot`` (the site's own bots play practice only),
    ``challenge.link-names-somebody``, ``challenge.too-many``, ``challenge.account-closed``,
    ``challenge.opponent-closed``, ``challenge.opponent-away``, ``challenge.suspended``,
    ``challenge.too-often`` (of the same opponent, who has accepted none of many within the hour),
    ``challenge.muted`` (a muted person's challenge has no words), ``challenge.advantage``,
    ``challenge.message-too-long``, ``challenge.duration`` and ``challenge.blocked`` (the challenger
    has blocked the opponent). One to somebody who has blocked the challenger is made as any other,
    and lapses as any that nobody accepts: the opponent is never shown it.
    """
    lasts = settings.GAUNTLET_CHALLENGE_LASTS if lasts is None else lasts
    message = one_line(message)
    faults = Together()
    with faults.of():
        ruleset, chosen = game_of(ruleset_id, variant, options or {})
    with faults.of():
        _must_be_sound(lasts, advantage, message)
    with faults.of():
        must_be_a_delay(late_s)
    with faults.of():
        must_be_another(acting_user, opponent)
    with faults.of():
        must_answer(opponent)
    with faults.of():
        must_be_open_to("link" if by_link else None, opponent)
    faults.settle()
    preparation = _preparation(acting_user, ruleset, variant, preparation_id)
    # Both, since either could be closed meanwhile; and so that the limit holds against two requests
    # at once.
    locked = users_lock([acting_user, *([] if opponent is None else [opponent])])
    if not locked[acting_user.pk].is_active:
        raise Refusal("challenge.account-closed", "Your account is closed.")
    if opponent is not None and not locked[opponent.pk].is_active:
        raise Refusal("challenge.opponent-closed", "This account is closed.")
    if opponent is not None:
        must_not_have_blocked(acting_user, opponent)
    _must_be_in_good_standing(acting_user, opponent, message)
    mine = Challenge.objects.filter(challenger=acting_user, status=Challenge.Status.OPEN)
    if mine.count() >= settings.GAUNTLET_CHALLENGES_OPEN_AT_ONCE:
        raise Refusal("challenge.too-many", "You have too many open challenges. Cancel one first.")
    now = now_utc()
    if opponent is not None:
        _must_not_pester(acting_user, opponent, now)
    challenge = Challenge.objects.create(
        challenger=acting_user,
        opponent=opponent,
        token=secrets.token_urlsafe(LINK_BYTES) if by_link else None,
        challenger_seat=challenger_seat,
        rematch_of=rematch_of,
        ruleset=ruleset.id,
        variant=variant,
        options=records.changed_options(chosen),
        preparation=preparation,
        advantage=advantage,
        rated=rated,
        late_s=late_s,
        message=message,
        created_at=now,
        expires_at=now + lasts,
    )
    audit_record(acting_user=acting_user, action="challenge.create", target=challenge)
    _announce(challenge)
    return challenge


@transaction.atomic
def challenge_accept(
    *,
    acting_user: User,
    challenge: Challenge,
    token: str = "",
    random: RandomSource = chance.system,
) -> Match:
    """Accept: the match begins as soon as both are there, or have been. ``token``: of the link,
    where the challenge has one. What is to be drawn at once is drawn from ``random``.

    Raises Refusal ``challenge.yourself``, ``challenge.not-for-you``, ``challenge.not-open``,
    ``challenge.expired``, ``challenge.blocked`` (they have blocked the challenger) and those of
    starting a match. Whom the challenger has blocked is told what whoever comes too late is.
    """
    # Before the challenge: whoever closes or merges an account takes its challenges back.
    users_lock([challenge.challenger_id, acting_user])
    locked = _lock(challenge)
    must_be_able_to_accept(locked, acting_user, token)
    must_be_open(locked)
    must_not_have_blocked(acting_user, locked.challenger)
    if has_blocked(locked.challenger, acting_user):
        raise not_open()
    players = (locked.challenger, acting_user)
    match = match_start(
        acting_user=acting_user,
        players=players[::-1] if locked.challenger_seat else players,
        ruleset_id=locked.ruleset,
        variant=locked.variant,
        options=locked.options,
        advantage=_advantage_seat(locked),
        prepared=None if locked.preparation is None else locked.preparation.prepared,
        prepared_by=locked.challenger,
        waits=True,
        unrated=terms_of(locked),
        late_s=locked.late_s,
        random=random,
    )
    locked.status = Challenge.Status.ACCEPTED
    locked.match = match
    locked.save(update_fields=["status", "match"])
    audit_record(acting_user=acting_user, action="challenge.accept", target=locked)
    _announce(locked)
    return match


def _advantage_seat(challenge: Challenge) -> Seat | None:
    own = challenge.challenger_seat
    match challenge.advantage:
        case Challenge.Advantage.CHALLENGER:
            return own
        case Challenge.Advantage.OPPONENT:
            return 1 - own
        case _:
            return None


# -- another match of the same two -----------------------------------------------------------------


def rematch_standing(match: Match, viewer: User) -> Challenge | None:
    """What was offered after ``match`` and is open, or was accepted: one at most, and to ``viewer``
    none by whom they have blocked."""
    found = Challenge.objects.select_related("challenger", "opponent", "match").filter(
        rematch_of=match, status__in=[Challenge.Status.OPEN, Challenge.Status.ACCEPTED]
    )
    offer = found.first()
    if offer is None or offer.match is not None:
        return offer
    is_shown = allowed(must_be_open, offer) and not has_blocked(viewer, offer.challenger)
    return offer if is_shown else None


def must_be_able_to_rematch(match: Match, acting_user: User) -> User:
    """The opponent of somebody who may offer them another match after ``match``. Raises Refusal
    ``rematch.not-yours``, ``rematch.not-over`` and ``rematch.elsewhere``."""
    players = list(match.players.all())
    others = [player.user for player in players if player.user_id != acting_user.pk]
    if len(others) == len(players):
        raise Forbidden("rematch.not-yours", "Only the two players can offer a rematch.")
    if not match.is_over:
        raise Refusal("rematch.not-over", "A rematch can be offered once the match is over.")
    if extras.belongs_elsewhere(match) or others[0] is None:
        raise Refusal("rematch.elsewhere", "What follows this match is not for its players to say.")
    return others[0]


@transaction.atomic
def rematch_offer(*, acting_user: User, match: Match) -> Challenge:
    """Offer the opponent of a match that is over another one: the same game and times, and casual
    where the first was, but not where that was only too short to count; each has the other's seat,
    and with it what the seat was given. Where they offer the same already, that is accepted, and
    the challenge returned has a match.

    Raises Refusal as `must_be_able_to_rematch`, `challenge_create` and `challenge_accept` do.
    """
    opponent = must_be_able_to_rematch(match, acting_user)
    # Two who offer it at the same moment: the second finds what the first has offered.
    users_lock([acting_user, opponent])
    there = Challenge.objects.filter(
        rematch_of=match, status__in=[Challenge.Status.OPEN, Challenge.Status.ACCEPTED]
    ).first()
    if there is not None and there.match_id is None and not allowed(must_be_open, there):
        _close(there, Challenge.Status.EXPIRED, None, "challenge.expire")  # the sweep would
        there = None
    if there is not None:
        if there.match_id is None and there.challenger_id != acting_user.pk:
            challenge_accept(acting_user=acting_user, challenge=there)
            there.refresh_from_db()
        return there
    own = next(p.seat for p in match.players.all() if p.user_id == opponent.pk)
    return challenge_create(
        acting_user=acting_user,
        opponent=opponent,
        ruleset_id=match.ruleset,
        variant=match.variant,
        options=match.options,
        advantage=_advantage_of(match.advantage, own),
        challenger_seat=own,
        rated=match.unrated == "" or is_too_short(match),
        late_s=match.late_s,
        rematch_of=match,
    )


def _advantage_of(advantage: Seat | None, challenger_seat: Seat) -> str:
    if advantage is None:
        return Challenge.Advantage.LOT
    own = advantage == challenger_seat
    return Challenge.Advantage.CHALLENGER if own else Challenge.Advantage.OPPONENT


def must_be_another(challenger: User, opponent: User | None) -> None:
    """Raises Refusal ``challenge.yourself``."""
    if opponent is not None and opponent.pk == challenger.pk:
        raise Refusal("challenge.yourself", "You cannot challenge yourself.")


def must_answer(opponent: User | None) -> None:
    """Whether somebody answers challenges at all. Raises Refusal ``challenge.house-bot``."""
    if opponent is None or not opponent.is_bot:
        return
    if HouseBot.objects.filter(user=opponent).exists():
        sentence = f"{opponent.shown_name} answers no challenges. Play it at once under Practice."
        raise Refusal("challenge.house-bot", sentence)


def must_be_open_to(open_to: str | None, opponent: User | None) -> None:
    """Whom a challenge is ``open_to`` ("anybody", "player" or "link"; None: as the opponent says)
    and its opponent go together. Raises Refusal ``challenge.link-names-somebody`` and
    ``challenge.open-to``."""
    if open_to == "link" and opponent is not None:
        raise Refusal(
            "challenge.link-names-somebody",
            "Whoever has the link may accept: please name nobody, or send no link.",
        )
    if open_to == "player" and opponent is None:
        raise Refusal("challenge.open-to", "Please name the player.")
    if open_to == "anybody" and opponent is not None:
        raise Refusal("challenge.open-to", "Anybody may accept, or the player whom you name.")


def must_not_have_blocked(acting_user: User, other: User) -> None:
    """Raises Refusal ``challenge.blocked``. The other way round nothing is refused by a code of its
    own: who is blocked would learn of it."""
    if has_blocked(acting_user, other):
        sentence = f"You have blocked {other.shown_name}. Unblock them in your settings first."
        raise Refusal("challenge.blocked", sentence)


def must_be_able_to_accept(challenge: Challenge, acting_user: User, token: str = "") -> None:
    """Raises Refusal ``challenge.yourself`` and ``challenge.not-for-you``."""
    if challenge.challenger_id == acting_user.pk:
        raise Refusal("challenge.yourself", "You cannot accept your own challenge.")
    if challenge.token is not None and not compare_digest(challenge.token, token):
        raise Forbidden("challenge.not-for-you", "This challenge is for whoever has its link.")
    if challenge.opponent_id not in (None, acting_user.pk):
        raise Forbidden("challenge.not-for-you", "This challenge is meant for somebody else.")


def must_be_opponent(challenge: Challenge, acting_user: User) -> None:
    """Who was challenged may decline. Raises Refusal ``challenge.not-for-you``."""
    if challenge.opponent_id != acting_user.pk:
        raise Forbidden("challenge.not-for-you", "Only the challenged player can decline.")


def must_be_challenger(challenge: Challenge, acting_user: User) -> None:
    """Who has made a challenge may take it back. Raises Refusal ``challenge.not-yours``."""
    if challenge.challenger_id != acting_user.pk:
        raise Forbidden("challenge.not-yours", "Only the challenger can take a challenge back.")


#: What can be done about a challenge besides leaving it, by name, and who may.
_ANSWERS = {
    "accept": must_be_able_to_accept,
    "decline": must_be_opponent,
    "cancel": must_be_challenger,
}


def answers_of(challenge: Challenge, acting_user: User, token: str = "") -> frozenset[str]:
    """What somebody can do about a challenge now, of "accept", "decline" and "cancel". ``token``:
    of the link by which they came."""
    if not allowed(must_be_open, challenge):
        return frozenset()
    if token:
        may = allowed(must_be_able_to_accept, challenge, acting_user, token)
        return frozenset({"accept"} if may else ())
    return frozenset(
        name for name, check in _ANSWERS.items() if allowed(check, challenge, acting_user)
    )


def _must_be_sound(lasts: timedelta, advantage: str, message: str) -> None:
    faults = Together()
    with faults.of():
        if not timedelta(minutes=1) <= lasts <= timedelta(days=30):
            sentence = "A challenge stays open for a minute up to 30 days."
            raise Refusal("challenge.duration", sentence)
    with faults.of():
        if advantage not in Challenge.Advantage.values:
            raise Refusal("challenge.advantage", "Please say who gets the advantage.")
    with faults.of():
        if len(message) > MESSAGE_MAX:
            sentence = f"At most {MESSAGE_MAX} characters, please."
            raise Refusal("challenge.message-too-long", sentence)
    faults.settle()


def _must_be_in_good_standing(challenger: User, opponent: User | None, message: str) -> None:
    if suspension_of(challenger.pk) is not None:
        raise Refusal("challenge.suspended", "Your account is suspended: you cannot play now.")
    # Why is nobody else's business.
    if opponent is not None and suspension_of(opponent.pk) is not None:
        raise Refusal("challenge.opponent-away", "This player cannot be challenged at the moment.")
    if message and mute_of(challenger.pk) is not None:
        raise Refusal("challenge.muted", "You are muted: please challenge without a message.")


def _must_not_pester(challenger: User, opponent: User, now: datetime) -> None:
    """Challenges to one person have an end: each of them is told, and cancelled ones make room."""
    most: int = settings.GAUNTLET_CHALLENGES_TO_ONE_PER_HOUR
    ignored = Challenge.objects.filter(
        challenger=challenger, opponent=opponent, created_at__gt=now - _HOUR
    ).exclude(status=Challenge.Status.ACCEPTED)
    made = sorted(ignored.values_list("created_at", flat=True))
    if len(made) >= most:
        again = made[len(made) - most] + _HOUR
        raise TooOften(
            "challenge.too-often",
            f"You have challenged this person {len(made)} times within the hour, and they have not "
            "accepted. Please wait before the next one.",
            retry_after=ceil((again - now).total_seconds()),
        )


def _preparation(
    user: User, ruleset: Ruleset[Any, Any], variant: str, preparation_id: int | None
) -> Preparation | None:
    if preparation_id is None:
        return None
    must_be_allowed_to_prepare(user)
    preparation = preparation_of(user, preparation_id)
    if preparation.ruleset != ruleset.id:
        raise NotFound("setup.supply", f"“{preparation.name}” is for another game.")
    supply_of(ruleset, preparation.key, variant)
    return preparation


@transaction.atomic
def challenge_decline(*, acting_user: User, challenge: Challenge) -> Challenge:
    """Decline a challenge made to oneself. Raises Refusal ``challenge.not-for-you``,
    ``challenge.not-open``, ``challenge.expired``."""
    locked = _lock(challenge)
    must_be_opponent(locked, acting_user)
    must_be_open(locked)
    return _close(locked, Challenge.Status.DECLINED, acting_user, "challenge.decline")


@transaction.atomic
def challenge_cancel(*, acting_user: User, challenge: Challenge) -> Challenge:
    """Take one's own challenge back. Raises Refusal ``challenge.not-yours``,
    ``challenge.not-open``, ``challenge.expired``."""
    locked = _lock(challenge)
    must_be_challenger(locked, acting_user)
    must_be_open(locked)
    return _close(locked, Challenge.Status.CANCELLED, acting_user, "challenge.cancel")


def challenges_expire(*, now: datetime) -> int:
    """Close every open challenge whose time was over at ``now``; returns how many. Each on its
    own: one that cannot be closed is set aside."""
    due = Challenge.objects.filter(status=Challenge.Status.OPEN, expires_at__lte=now)
    return guard.each(
        "challenges.expire",
        due.values_list("pk", flat=True),
        _expire,
        target="games.challenge",
    )


def _expire(pk: int) -> bool:
    return _lapse(pk, "challenge.expire")


def challenges_abandon(*, now: datetime) -> int:
    """Close every open challenge at a live pace whose owner has left the site: whoever took it
    would sit there alone. Returns how many."""
    since = now - timedelta(seconds=settings.GAUNTLET_AWAY_SECONDS)
    rows = Challenge.objects.filter(status=Challenge.Status.OPEN, created_at__lte=since)
    live = {
        pk: owner
        for pk, owner, ruleset, options in rows.values_list(
            "pk", "challenger_id", "ruleset", "options"
        )
        if pace.is_live(REGISTRY.get(ruleset), options)
    }
    away = presence.away_of(live.values(), for_s=settings.GAUNTLET_AWAY_SECONDS)
    return guard.each(
        "challenges.abandon",
        sorted(pk for pk, owner in live.items() if owner in away),
        _abandon,
        target="games.challenge",
    )


def _abandon(pk: int) -> bool:
    return _lapse(pk, "challenge.abandon")


def _lapse(pk: int, action: str) -> bool:
    locked = (
        Challenge.objects.select_for_update(no_key=True, skip_locked=True)
        .filter(pk=pk, status=Challenge.Status.OPEN)
        .first()
    )
    if locked is not None:
        _close(locked, Challenge.Status.EXPIRED, None, action)
    return locked is not None


def challenges_withdraw(*, user_id: int) -> int:
    """Take back every open challenge of somebody who cannot play for the time being, those made
    to them included; returns how many."""
    withdrawn = 0
    concerned = Challenge.objects.filter(
        Q(challenger=user_id) | Q(opponent=user_id), status=Challenge.Status.OPEN
    )
    for pk in concerned.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            locked = Challenge.objects.select_for_update(no_key=True).get(pk=pk)
            if locked.status == Challenge.Status.OPEN:
                _close(locked, Challenge.Status.CANCELLED, None, "challenge.withdraw")
                withdrawn += 1
    return withdrawn


def challenges_part(*, blocker_id: int, blocked_id: int) -> int:
    """Take back what whoever has blocked somebody has open to them, as they could at any time;
    returns how many. What is open the other way stays so until it lapses, since its end at this
    moment would say why: the blocker is shown it no more, and pages of theirs that have it are told
    that it is declined."""
    parted = 0
    offers = Challenge.objects.filter(status=Challenge.Status.OPEN)
    blocker = User.objects.get(pk=blocker_id)
    mine = offers.filter(challenger=blocker_id, opponent=blocked_id)
    for pk in mine.order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            locked = Challenge.objects.select_for_update(no_key=True).get(pk=pk)
            if locked.status == Challenge.Status.OPEN:
                _close(locked, Challenge.Status.CANCELLED, blocker, "challenge.cancel")
                parted += 1
    theirs = offers.filter(challenger=blocked_id, opponent=blocker_id).order_by("pk")
    out = [
        Frame(
            user_group_of(blocker_id),
            frames.encoded({**_frame_of(each), "status": str(Challenge.Status.DECLINED)}),
        )
        for each in theirs.select_related("challenger", "opponent")
    ]
    if out:
        publish(out)
    return parted


def _lock(challenge: Challenge) -> Challenge:
    return Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)


def must_be_open(challenge: Challenge) -> None:
    """Whether a challenge can still be answered. Raises Refusal ``challenge.not-open`` and
    ``challenge.expired``."""
    if challenge.status != Challenge.Status.OPEN:
        raise not_open()
    if challenge.expires_at <= now_utc():
        raise Refusal("challenge.expired", "This challenge has expired.")


def not_open() -> Refusal:
    """What whoever comes too late is told, and whoever must not learn that it is not for them."""
    return Refusal("challenge.not-open", "This challenge is no longer open.")


def _close(challenge: Challenge, status: str, user: User | None, action: str) -> Challenge:
    challenge.status = status
    challenge.save(update_fields=["status"])
    audit_record(acting_user=user, action=action, target=challenge)
    _announce(challenge)
    return challenge


def _announce(challenge: Challenge) -> None:
    """Tell the lobby, with its card for the lists that pages have open, and the two concerned,
    after commit; of one by a link the challenger alone, and so of one to somebody who has blocked
    them."""
    opponent = challenge.opponent
    frame = _frame_of(challenge)
    text = frames.encoded(frame)
    if challenge.is_by_link:
        out = []
    elif opponent is None:
        out = [Frame(LOBBY_GROUP, frames.encoded({**frame, **_cards(challenge)}))]
    elif has_blocked(opponent, challenge.challenger):
        out = []
    else:
        out = [Frame(user_group_of(opponent.pk), text)]
    out.append(Frame(user_group_of(challenge.challenger_id), text))
    transaction.on_commit(partial(publish, out))


def _frame_of(challenge: Challenge) -> dict[str, Any]:
    opponent = challenge.opponent
    frame: dict[str, Any] = {
        "type": "challenge",
        "challenge": challenge.pk,
        "status": str(challenge.status),
        "url": challenge.get_absolute_url(),
        "game": REGISTRY.get(challenge.ruleset).name,
        "from": challenge.challenger.username,
        "name": challenge.challenger.shown_name,
        "to": None if opponent is None else opponent.username,
        "rated": is_rated(challenge),
        "terms": terms_of(challenge),
    }
    if challenge.rematch_of_id is not None:
        frame["rematch"] = challenge.rematch_of_id
    return frame


def _cards(challenge: Challenge) -> dict[str, str]:
    """How lists show a challenge that is open to anybody; nothing of one that is not any more, nor
    of one that not everybody may see: whoever has a list open asks for it then."""
    if challenge.status != Challenge.Status.OPEN or is_apart_from_somebody(challenge.challenger):
        return {}
    return {
        "card": card_of_challenge(challenge, known=True),
        "visitor_card": card_of_challenge(challenge, known=False),
    }
