"""Practice: matches against the site's own bots, which count for no rating and have no haste. Their
players see them and nobody else does; they may ask for hints and take moves back.

A bot moves by a task on a queue of its own, with a worker that does nothing else. It is handed on
after each turn that leaves something to a bot (`games.services.settling`), and found by a sweep
where that was lost. It submits by the same service as people.
"""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import IntegrityError, transaction
from redis.exceptions import RedisError

from accounts.models import User
from accounts.services import audit_record, users_lock
from core import chance
from core.clock import now_ms
from core.jobs import guard
from core.refusals import Forbidden, Refusal
from games import store
from games.audience import may_practise, seat_of
from games.engine import live as lives
from games.engine.acts import TAKE_BACK, Act
from games.engine.capabilities import LEVELS, Level, thinks_of
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.ruleset import Ruleset
from games.jobs import advice_enqueue, bot_enqueue
from games.models import HouseBot, Match
from games.options import pace
from games.services.matches import game_of, match_start
from games.services.outage import make_good
from games.services.settling import Said, settle
from games.services.turns import Ack, client_id_validate, match_submit
from games.store import Held
from games.thinking import open_decision, think

log = structlog.get_logger("gauntlet.bots")

# The name under which a match is set aside in which a bot cannot move.
MOVED: Final = "bots.move"
UNRATED: Final = "Practice against a bot of the site's: it counts for no rating."
PACE: Final = "daily"
ADVICE_KEPT_S: Final = 600
# Of what the sweep hands on at a time.
AT_MOST: Final = 500

NAMES: Final[dict[Level, str]] = {
    "novice": "Novice Bot",
    "club": "Club Bot",
    "strong": "Strong Bot",
}


# -- who plays -----------------------------------------------------------------------------------


def house_bot_ensure(*, level: Level) -> User:
    """The account of the site's bot of that level, which is made where there is none yet.
    Idempotent, whoever else asks at the same time. Nobody can sign in as it."""
    found = HouseBot.objects.select_related("user").filter(level=level).first()
    if found is not None:
        return found.user
    name = f"{level}-bot"
    while True:
        try:
            with transaction.atomic():
                user = User(username=name, display_name=NAMES[level], is_bot=True)
                user.set_unusable_password()
                user.save()
                HouseBot.objects.create(level=level, user=user)
                audit_record(acting_user=None, action="house_bot.create", target=user)
                return user
        except IntegrityError:
            found = HouseBot.objects.select_related("user").filter(level=level).first()
            if found is not None:
                return found.user
            name = f"{level}-bot-{secrets.token_hex(3)}"  # somebody is called so


def bot_level(level: str) -> Level:
    """The strength of that id. Raises Refusal ``practice.level``."""
    known = next((each for each in LEVELS if each == level), None)
    if known is None:
        raise Refusal("practice.level", f"A bot's strength is one of {', '.join(LEVELS)}.")
    return known


def must_be_practised(
    *, ruleset_id: str, variant: str, level: str
) -> tuple[Ruleset[Any, Any], Level]:
    """The ruleset and the strength of what somebody wants to practise. Raises Refusal
    ``setup.ruleset``, ``setup.variant``, ``practice.level`` and ``practice.game``."""
    known = bot_level(level)
    ruleset, _ = game_of(ruleset_id, variant, {})
    if thinks_of(ruleset) is None:
        raise Refusal("practice.game", f"No bot plays {ruleset.name}.")
    return ruleset, known


@transaction.atomic
def practice_start(
    *,
    acting_user: User,
    ruleset_id: str,
    variant: str,
    level: str,
    at: int | None = None,
    random: RandomSource = chance.system,
) -> Match:
    """Begin a match of ``acting_user``, a guest perhaps, against the site's bot of that level. Who
    has which seat, and the advantage, is drawn from ``random``, as is everything to be drawn.

    Raises Refusal as `must_be_practised`, ``practice.too-many`` and those of starting a match.
    """
    ruleset, known = must_be_practised(ruleset_id=ruleset_id, variant=variant, level=level)
    bot = house_bot_ensure(level=known)
    person = users_lock([acting_user])[acting_user.pk]
    running = Match.objects.practice().running().of_user(person)
    if running.count() >= settings.GAUNTLET_PRACTICE_AT_ONCE:
        raise Refusal(
            "practice.too-many",
            "You have many practice matches going. Finish or concede one first.",
        )
    seat = int(random() < 0.5)
    (daily,) = (each for each in pace.PACES if each.id == PACE)
    match = match_start(
        acting_user=person,
        players=(bot, person) if seat else (person, bot),
        ruleset_id=ruleset.id,
        variant=variant,
        options=pace.options_at(ruleset, daily),
        unrated=UNRATED,
        bot_seats=1 if seat else 2,
        at=at,
        random=random,
    )
    if store.awaits_bot(store.held_of(match)):
        transaction.on_commit(partial(bot_enqueue, match_id=match.pk), robust=True)
    return match


# -- what bots do --------------------------------------------------------------------------------


def bot_move(*, match_id: int, random: RandomSource = chance.system) -> bool:
    """Have a bot of the site's answer what is asked of it in a match, if anything is; whether it
    did. Idempotent: whoever comes second finds nothing, or has said the same already."""
    held = store.read(match_id)
    if held.is_over or not store.awaits_bot(held):
        return False
    seat: Seat = 0 if held.bot_seats == 1 else 1
    bot = HouseBot.objects.select_related("user").get(user=held.user_ids[seat])
    text = think(
        held, seat, bot_level(bot.level), seconds=settings.GAUNTLET_BOT_SECONDS, random=random
    )
    version = held.readers.versions[seat]
    try:
        match_submit(
            match_id=match_id,
            seat=seat,
            acting_user=bot.user,
            client_id=f"bot-{held.seq}",
            text=text,
            version=version,
            at=now_ms(),
            clock=now_ms,
        )
    except Refusal as refusal:
        # Its opponent has taken a move back meanwhile, or conceded.
        log.info("bot.refused", match=match_id, code=refusal.code)
        return False
    return True


def bots_hand_out() -> int:
    """Have bots move in the matches that wait for one, where no task of it is on its way; returns
    how many matches wait."""
    waiting = Match.objects.practice().running().filter(paused=False).order_by("pk")
    rows = waiting.filter(guard.may_try(MOVED)).values_list("pk", "to_move", "bot_seats")
    due = [pk for pk, to_move, bots in rows[:AT_MOST] if to_move & bots]
    for match_id in due:
        bot_enqueue(match_id=match_id)
    return len(due)


# -- hints ---------------------------------------------------------------------------------------


class Advice(NamedTuple):
    """What the strong bot would play in somebody's place, for the decision that opened with
    ``version``; None while it thinks."""

    decision: str
    version: int
    text: str | None


def practice_seat(match: Match, user: User) -> Seat:
    """The seat of whoever practises in a match. Raises Refusal ``practice.not-yours``."""
    seat = seat_of(match, user)
    if seat is None or not may_practise(match, user):
        raise Forbidden("practice.not-yours", "There are hints and take-backs in practice only.")
    return seat


def practice_advise(*, acting_user: User, match: Match) -> Advice:
    """What the strong bot would play now in the place of whoever practises, as far as that is
    known; a worker is asked for it where none has been. It goes by the view of their seat.

    Raises Refusal ``practice.not-yours``, ``match.over``, ``match.paused``, ``decision.none``,
    ``decision.sealed`` and ``practice.away`` (nobody can be asked just now).
    """
    seat = practice_seat(match, acting_user)
    held = store.held_of(match)
    decision = open_decision(held.live, seat)
    key = _advice_key(held, seat)
    try:
        text = cache.get(key)
        first = text is None and cache.add(f"{key}:asked", 1, settings.GAUNTLET_BOT_QUEUE_SECONDS)
    except RedisError:
        raise Refusal("practice.away", "The bot is away just now. Please try again.") from None
    if first and not advice_enqueue(match_id=match.pk, seat=seat):
        cache.delete(f"{key}:asked")
        raise Refusal("practice.away", "The bot is away just now. Please try again.")
    return Advice(decision.id, held.readers.versions[seat], text)


def advice_find(*, match_id: int, seat: Seat, random: RandomSource = chance.system) -> None:
    """Find what `practice_advise` is asked for, and keep it for a while. Idempotent."""
    held = store.read(match_id)
    key = _advice_key(held, seat)
    try:
        text = think(held, seat, "strong", seconds=settings.GAUNTLET_BOT_SECONDS, random=random)
    except Refusal:  # nothing is asked any more
        return
    cache.set(key, text, ADVICE_KEPT_S)


def _advice_key(held: Held, seat: Seat) -> str:
    return f"advice:{held.match_id}:{seat}:{held.seq}"


# -- take-backs ----------------------------------------------------------------------------------


@transaction.atomic
def practice_take_back(
    *,
    acting_user: User,
    match_id: int,
    client_id: str,
    at: int,
    random: RandomSource = chance.system,
) -> Ack:
    """Take back the last move of whoever practises, and all that followed from it. What is then to
    be drawn once more comes out as it did; in a match without a seed it is drawn from ``random``.
    Sent again with the same client id it is done once.

    Raises Refusal ``match.none``, ``practice.not-yours``, ``match.over``, ``frame.malformed``,
    ``id.reused``, ``practice.nothing-to-take-back``.
    """
    client_id_validate(client_id)
    held = store.lock(match_id)
    match = Match.objects.defer("snapshot").prefetch_related("players").get(pk=match_id)
    seat = practice_seat(match, acting_user)
    act = Act(TAKE_BACK, seat)
    held = make_good(held, at=at)
    earlier = store.acked(match_id, "organiser", client_id)
    if earlier is not None:
        if earlier.submitted != act.text:
            raise Refusal("id.reused", "This id was used for something else.")
        return Ack(client_id, match_id, held.readers.versions[seat], earlier.at, resent=True)
    if held.is_over:
        raise Refusal("match.over", "The match is over.")
    turn = lives.organise(
        held.ruleset,
        held.live,
        act=act,
        by="",
        why="",
        at=at,
        random=random,
        entries=store.entries_of(match_id),
    )
    after = settle(held, turn, at=at, said=Said("organiser", client_id, act.text, acting_user.pk))
    audit_record(acting_user=acting_user, action="practice.take_back", target=match)
    return Ack(client_id, match_id, after.readers.versions[seat], at)
