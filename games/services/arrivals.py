"""A match at a live pace begins when both players are there, and is void if they are not in time.

There is who looks at the match, in a browser or by a stream (`games.presence`), or who said so in
words, as programs may that look only now and then.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.clock import now_ms
from core.hooks import send
from core.refusals import Refusal
from games import hooks, presence, store
from games.engine import live as lives
from games.engine.acts import parse_act
from games.engine.chance import RandomSource
from games.engine.decisions import Audience, Seat
from games.engine.live import Turn
from games.models import Match, MatchPlayer
from games.options.pace import spoken
from games.services.settling import settle
from games.store import Held

Seats = tuple[bool, bool]


@transaction.atomic
def match_attend(
    *, match_id: int, there: Seats, at: int, random: RandomSource = chance.system
) -> bool:
    """Begin a match that waits, if both are ``there`` or said that they are, with chance drawn from
    ``random``. Whether it waits no longer. Changes nothing otherwise, and is safe to call at any
    time."""
    held = store.lock(match_id)
    waiting = held.live.waiting
    if waiting is None or held.is_over:
        return True
    return _begin_if(held, _either(there, waiting.ready), at, random)


@transaction.atomic
def match_ready(
    *,
    match_id: int,
    acting_user: User,
    seat: Seat,
    there: Seats,
    at: int,
    random: RandomSource = chance.system,
) -> bool:
    """A player says that they are ready, by program or before looking. Whether the match is on.

    Saying so again, or after it has begun, changes nothing. What is to be drawn once it begins is
    drawn from ``random``. Raises Refusal ``match.none``, ``match.over``, ``account.closed``.
    """
    held = store.lock(match_id, user_id=acting_user.pk)
    if held.is_over:
        raise Refusal("match.over", "The match is over.")
    waiting = held.live.waiting
    if waiting is None:
        return True
    ready = (waiting.ready[0] or seat == 0, waiting.ready[1] or seat == 1)
    if _begin_if(held, _either(there, ready), at, random):
        return True
    if ready != waiting.ready:
        settle(held, Turn(lives.with_ready(held.live, ready)), at=at)
    return False


def give_up(held: Held, *, at: int, random: RandomSource) -> None:
    """Its time is over: void, unless both are there after all, and it begins with chance drawn from
    ``random``. For the holder of the match's lock."""
    waiting = held.live.waiting
    if waiting is None:
        return
    here = _either(presence.seats_there(held.match_id), waiting.ready)
    if _begin_if(held, here, at, random):
        return
    match = Match.objects.defer("snapshot").get(pk=held.match_id)
    players = MatchPlayer.objects.filter(match=match).order_by("seat")
    names = list(players.values_list("name", flat=True))
    missing = [name for name, is_here in zip(names, here, strict=True) if not is_here]
    waited = spoken(round((waiting.until - match.created_at.timestamp() * 1000) / 1000))
    verb = "was" if len(missing) == 1 else "were"
    why = f"{' and '.join(missing)} {verb} not there within {waited}."
    _void(held, why, at, random)
    audit_record(acting_user=None, action="match.void-unattended", target=match)


def match_has_begun(*, match_id: int) -> bool:
    """Whether a match waits for nobody, and did not end while it did. Raises Refusal
    ``match.none``."""
    return store.read(match_id).live.has_begun


def match_still_waits(*, match_id: int) -> bool:
    """Whether a match waits for its players; and then it does until this transaction is over, for
    its row is locked. Raises Refusal ``match.none``."""
    held = store.lock(match_id)
    return held.live.waiting is not None and not held.is_over


@transaction.atomic
def match_void_waiting(
    *, match_id: int, why: str, at: int, random: RandomSource = chance.system
) -> bool:
    """Declare a match that waits void, for one of its players will not come and nobody has to rule
    that: for callers who have seen to the right to say so, as seasons do. Whether it waited;
    changes nothing otherwise.

    Raises Refusal ``match.none``.
    """
    held = store.lock(match_id)
    if held.live.waiting is None or held.is_over:
        return False
    _void(held, why, at, random)
    match = Match.objects.defer("snapshot").get(pk=match_id)
    audit_record(acting_user=None, action="match.void-waiting", target=match, data={"why": why})
    return True


def _void(held: Held, why: str, at: int, random: RandomSource) -> None:
    """Declare a match that waits void by an act that no organiser did."""
    waiting = held.live.waiting
    turn = lives.organise(
        held.ruleset, held.live, act=parse_act("void"), by="", why=why, at=at, random=random
    )
    settle(held, turn, at=at)
    # What says that nobody ruled this.
    until = None if waiting is None else waiting.until
    Match.objects.filter(pk=held.match_id).update(waits_until=until)


def _begin_if(held: Held, here: Seats, at: int, random: RandomSource) -> bool:
    if not all(here):
        return False
    # Under the lock: what had to be waited for is over.
    turn = lives.begun(held.ruleset, held.live, at=at, random=random)
    header = turn.live.table.header
    if header != held.live.table.header:
        # What was sealed is there to be read.
        Match.objects.filter(pk=held.match_id).update(
            items=msgspec.to_builtins(header.items), advantage=header.advantage
        )
    settle(held, turn, at=at)
    begun = partial(send, hooks.match_begun, Match, match_id=held.match_id, at=at)
    transaction.on_commit(begun, robust=True)
    return True


def _either(one: Seats, two: Seats) -> Seats:
    return one[0] or two[0], one[1] or two[1]


def match_ready_now(
    *, match_id: int, acting_user: User, seat: Seat, random: RandomSource = chance.system
) -> bool:
    """`match_ready` as things stand now."""
    there = presence.seats_there(match_id)
    return match_ready(
        match_id=match_id,
        acting_user=acting_user,
        seat=seat,
        there=there,
        at=now_ms(),
        random=random,
    )


def match_poll(
    *,
    match_id: int,
    acting_user: User,
    seat: Audience,
    waits: bool,
    random: RandomSource = chance.system,
) -> dict[str, Any]:
    """A player's page looks at the match without a socket: it counts as there, and a match that
    ``waits`` begins if the other is there, too, as by `match_attend`. Returns who is there, as the
    socket's frames do."""
    there = presence.look(match_id, seat, f"asks-{acting_user.pk}")
    presence.seen_now(acting_user.pk)
    if waits:
        seats = tuple(there["seats"])
        match_attend(match_id=match_id, there=seats, at=now_ms(), random=random)
    return there
