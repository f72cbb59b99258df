"""What players do in a simulation: bots take the places that are left; everybody brings their items
and plays their matches."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db import transaction

from accounts.models import User
from accounts.services import user_register
from accounts.tokens.services import user_become_bot
from core.refusals import Refusal
from games import store
from games.engine.chance import choose
from games.engine.decisions import other
from games.engine.errors import EngineFault
from games.models import Match
from games.services.turns import match_submit
from tournaments.items import catalogue
from tournaments.lifecycle import ContestantStatus, GiftStatus
from tournaments.models import Contestant, DeathMatch, Gift, Leg
from tournaments.services.contestants import departures
from tournaments.services.deathmatches import sides_of
from tournaments.services.items import declarations, gifts
from tournaments.services.legs import ms
from tournaments.services.results import settlement
from tournaments.simulation.run import Run

MOVES_AT_MOST: Final = 1500
NAMES: Final = (
    "Ash", "Bo", "Cam", "Dov", "Eli", "Fen", "Gus", "Hal", "Ida", "Jo", "Kit", "Lea", "Mo", "Nat",
    "Oz", "Pia",
)  # fmt: skip


def with_bots(players: Sequence[User], count: int) -> list[User]:
    """``count`` users: the first of ``players``, and bots in the places that are left. Bots of
    earlier simulations play again, others are made."""
    users = list(players)[:count]
    number = 0
    taken = {user.username for user in users}
    while len(users) < count:
        number += 1
        username = f"bot-{number}"
        if username in taken:
            continue
        user = User.objects.filter(username=username).first()
        if user is None:
            first = NAMES[(number - 1) % len(NAMES)]
            again = (number - 1) // len(NAMES)
            user = user_register(
                username=username,
                email="",
                password=secrets.token_urlsafe(16),
                display_name=f"{first} {again + 1}" if again else first,
            )
            user.set_unusable_password()
            user.save(update_fields=["password"])
            user = user_become_bot(acting_user=user)
        users.append(user)
    return users


def drop_out(run: Run, contestant: Contestant, *, at: datetime) -> None:
    """Have a contestant leave the season of their own accord."""
    departures.contestant_withdraw(acting_user=contestant.user, contestant=contestant, at=at)
    run.say(f"{contestant.name} drops out")


def items_give(run: Run, death_match: DeathMatch) -> None:
    """Have each of the eliminated give one item for a death match, and the organisers grant a few
    more."""
    givers: list[Contestant | None] = list(
        run.season.contestants.filter(status=ContestantStatus.ELIMINATED)
        .select_related("user")
        .order_by("pk")
    )
    for giver in [*givers, None, None]:
        leg = choose(run.chance, list(death_match.legs.order_by("number")))
        item = choose(run.chance, catalogue.items_for(leg.ruleset, leg.variant))
        gift = gifts.item_give(
            acting_user=run.organiser if giver is None or giver.user is None else giver.user,
            season=run.season,
            item=item.id,
            ruleset=item.ruleset,
            giver=giver,
            receiver=choose(run.chance, sides_of(death_match)),
            death_match=death_match,
            leg_number=leg.number,
            note="Good luck!" if giver else "",
            at=run.later(minutes=10),
        )
        run.say(f"{gift.given_by.shown_name} gives {gift.receiver.name} {item.name}")


def items_declare(run: Run, leg: Leg) -> None:
    """Have everybody bring whatever was given for this match."""
    sides = sides_of(leg.death_match)
    given = Gift.objects.filter(
        death_match=leg.death_match, leg_number=leg.number, status=GiftStatus.HELD
    ).select_related("receiver__user")
    for gift in given.order_by("pk"):
        if gift.receiver.user is None or gift.receiver not in sides:
            continue
        item = catalogue.item_of(gift.item, gift.ruleset)
        try:
            with transaction.atomic():
                declarations.item_declare(
                    acting_user=gift.receiver.user,
                    leg=leg,
                    gift=gift,
                    target=_target(gift, item, list(given)),
                    at=run.later(minutes=1),
                )
        except Refusal as refusal:
            # There is nothing that this Copy or Block could be aimed at.
            if not item.is_meta:
                raise EngineFault(refusal.sentence) from refusal


def _target(gift: Gift, item: catalogue.Item, given: Sequence[Gift]) -> Gift | None:
    if not item.is_meta:
        return None
    for aim in given:
        known = catalogue.item_of(aim.item, aim.ruleset)
        blocks = item.id == catalogue.BLOCK
        if blocks and aim.receiver_id != gift.receiver_id and known.blockable:
            return aim
        if not blocks and aim.pk != gift.pk and known.copyable:
            return aim
    return None


def match_play(run: Run, leg: Leg) -> None:
    """Play a leg's match to its end: by moves drawn at random, or by a concession at once."""
    if leg.match is None:
        raise EngineFault("a leg that both were ready for has not begun")
    loser = int(run.random.random() < 0.5)
    for number in range(0 if run.plan.quick else MOVES_AT_MOST):
        held = store.read(leg.match.pk)
        if held.is_over:
            break
        table = held.live.table
        seats = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
        slot = table.open[seats[0]]
        if slot is None:
            raise EngineFault("a running match waits for nobody")
        move = held.ruleset.sample(table.state, slot.decision, run.random.random)
        run.later(seconds=1 + int(run.random.random() * 10))
        _submit(run, leg.match, seats[0], held.ruleset.print(move), number)
    if not store.read(leg.match.pk).is_over:
        run.later(minutes=5 if run.plan.quick else 0.1)
        _submit(run, leg.match, loser, "concede", MOVES_AT_MOST)
    settlement.leg_settle(match_id=leg.match.pk)
    run.say(f"{leg}: {other(loser) if run.plan.quick else 'played'}")


def _submit(run: Run, match: Match, seat: int, text: str, number: int) -> None:
    user = match.players.select_related("user").get(seat=seat).user
    if user is None:
        raise EngineFault("a bot without an account")
    match_submit(
        match_id=match.pk,
        seat=seat,
        acting_user=user,
        client_id=f"simulation-{number}",
        text=text,
        version=store.read(match.pk).readers.versions[seat],
        at=ms(run.at),
        random=run.random.random,
    )
