"""A turn: what players submit and organisers do, under the lock of the match's row."""

from __future__ import annotations

import asyncio
import re
import time
from functools import partial
from typing import Final, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.on_loop import Connections
from core.refusals import Forbidden, NotFound, NotUnderstood, Refusal, refusal_of
from core.text import one_line
from games import store
from games.audience import may_organise
from games.engine import acts
from games.engine import live as lives
from games.engine.acts import TAKE_BACK
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.live import Turn
from games.engine.play import is_concession
from games.engine.table import Actor
from games.metrics import Laps, deadline_enforced
from games.models import Match
from games.remembered import remember, remembered
from games.services.outage import known, make_good, outage_may_be, outage_notice
from games.services.settling import Said, settle, settle_at_once, settle_on_loop
from games.store import Held, IdTakenError

CLIENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

# An event loop that is busy with a turn for so long (s of processor time) leaves turns of that
# ruleset to threads, which take turns with it, for a while.
LONG_S: Final = 0.004
NOT_AGAIN_S: Final = 60.0
_long_until: dict[str, float] = {}


class Ack(NamedTuple):
    """A submission is on disk. ``resent``: it was there already."""

    client_id: str
    match_id: int
    version: int
    at: int
    resent: bool = False


# -- submissions ---------------------------------------------------------------------------------


def client_id_validate(client_id: str) -> None:
    """Raises NotUnderstood ``frame.malformed`` for what cannot be a client's id of a submission."""
    if not CLIENT_ID.fullmatch(client_id):
        raise NotUnderstood(
            "frame.malformed", "An id has 1 to 64 letters, digits, hyphens or underscores."
        )


def match_submit(  # noqa: PLR0913  (what was submitted, and what is measured)
    *,
    match_id: int,
    seat: Seat,
    acting_user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    random: RandomSource = chance.system,
    laps: Laps | None = None,
) -> Ack:
    """Submit ``text`` for ``seat``, as received at instant ``at`` (ms). What is then to be drawn
    is drawn from ``random``. ``laps`` take what its parts take.

    Returns the ack once the change is durable, or raises Refusal. A deadline that had passed takes
    effect even though the submission is refused. A client id that was acked before is acked the
    same way again. On the way that everything goes well it costs one statement, or three where this
    process does not know how the match stands.
    """
    client_id_validate(client_id)
    laps = laps or Laps(at)
    laps.begin("thread")
    outage_notice()
    if not connection.in_atomic_block:
        attempt = _attempt(match_id, seat, acting_user, client_id, text, version, at, random)
        laps.lap("judged")
        after = attempt and settle_at_once(
            attempt.held, attempt.turn, at=at, said=attempt.said, laps=laps
        )
        if attempt and after:
            remember(after)
            _note_timeouts(attempt.held, attempt.turn)
            return Ack(client_id, match_id, after.readers.versions[seat], at)
    try:
        with transaction.atomic():
            answer = _submit(
                match_id, seat, acting_user, client_id, text, version, at, random, laps
            )
    except IdTakenError:
        answer = _earlier_answer(match_id, seat, client_id, text) or Refusal(
            "id.reused", "This id was used for something else."
        )
    # Only now: what ran out meanwhile is durable all the same.
    if isinstance(answer, Refusal):
        raise answer
    return answer


async def match_submit_on_loop(  # noqa: PLR0913  (those of `match_submit`, and a database)
    *,
    match_id: int,
    seat: Seat,
    acting_user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    database: Connections,
    random: RandomSource = chance.system,
    laps: Laps | None = None,
) -> Ack | None:
    """`match_submit` without a thread, for an event loop with a ``database`` of its own, on the way
    that everything goes well. None where it does not, or would keep the loop busy for too long:
    `match_submit` has to be asked then, which also finds out whether it was stored after all."""
    began = time.thread_time()
    laps = laps or Laps(at)
    laps.begin("loop")
    if not CLIENT_ID.fullmatch(client_id) or outage_may_be():
        return None
    held = remembered(match_id)
    if held is None or time.monotonic() < _long_until.get(held.ruleset.id, 0):
        return None
    attempt = _attempt(match_id, seat, acting_user, client_id, text, version, at, random)
    if attempt is None:
        return None
    laps.lap("judged")
    answer: asyncio.Future[Ack | None] = asyncio.get_running_loop().create_future()

    def settled(after: Held | None) -> None:
        if after is not None:
            remember(after)
            _note_timeouts(attempt.held, attempt.turn)
        if not answer.done():  # nobody waits for it any more
            acked = after and Ack(client_id, match_id, after.readers.versions[seat], at)
            answer.set_result(acked)

    sent = settle_on_loop(
        attempt.held,
        attempt.turn,
        at=at,
        said=attempt.said,
        database=database,
        settled=settled,
        laps=laps,
    )
    if time.thread_time() - began > LONG_S:
        _long_until[held.ruleset.id] = time.monotonic() + NOT_AGAIN_S
    return await answer if sent else None


class _Attempt(NamedTuple):
    """A turn that follows what this process remembers of the match, and what led to it."""

    held: Held
    turn: Turn
    said: Said


def _attempt(  # noqa: PLR0917  (the service's own arguments)
    match_id: int,
    seat: Seat,
    user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    random: RandomSource,
) -> _Attempt | None:
    """A turn to be stored if what is remembered is how the match stands. None wherever it would be
    refused, for whether it is depends on the row."""
    held = remembered(match_id)
    if held is None or held.made_good_until < known.end:
        return None
    if refusal_of(_must_have_been_seen, held, seat, text, version) is not None:
        return None
    turn = lives.submit(held.ruleset, held.live, seat=seat, text=text, at=at, random=random)
    if turn.refusal is not None:
        return None
    return _Attempt(held, turn, Said(_as_actor(seat), client_id, text, user.pk))


def _submit(  # noqa: PLR0913, PLR0917  (the service's own arguments)
    match_id: int,
    seat: Seat,
    user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    random: RandomSource,
    laps: Laps,
) -> Ack | Refusal:
    held = store.lock(match_id, user_id=user.pk)
    laps.lap("stored")
    if held.made_good_until < known.end:
        held = make_good(held, at=at)
    refusal = refusal_of(_must_have_been_seen, held, seat, text, version)
    if refusal is not None:
        return _earlier_answer(match_id, seat, client_id, text) or refusal
    turn = lives.submit(held.ruleset, held.live, seat=seat, text=text, at=at, random=random)
    laps.lap("judged")
    transaction.on_commit(partial(laps.lap, "stored"))  # the first of what comes after commit
    transaction.on_commit(partial(_note_timeouts, held, turn))
    if turn.refusal is not None:
        answer = _earlier_answer(match_id, seat, client_id, text)
        if turn.happened:
            settle(held, turn, at=at)
        return answer or turn.refusal
    after = settle(held, turn, at=at, said=Said(_as_actor(seat), client_id, text, user.pk))
    transaction.on_commit(partial(remember, after))
    return Ack(client_id, match_id, after.readers.versions[seat], at)


def _note_timeouts(held: Held, turn: Turn) -> None:
    """What had run out before this was submitted has taken effect with it."""
    if any(happened.entry.timeout for happened in turn.happened):
        deadline = lives.next_deadline(held.ruleset, held.live)
        if deadline is not None:
            deadline_enforced(deadline, "submission")


def _must_have_been_seen(held: Held, seat: Seat, text: str, version: int) -> None:
    """Whoever answers was looking at the position that they would now answer. Raises Refusal
    ``version.ahead`` and ``version.stale``."""
    if version > held.readers.versions[seat]:
        raise Refusal("version.ahead", "There is no such version of this match yet.")
    stale = held.live.table.open[seat] is not None and version < held.readers.since[seat]
    if stale and not is_concession(text):
        raise Refusal(
            "version.stale", "The position has changed since you saw it. Please look again."
        )


def _earlier_answer(match_id: int, seat: Seat, client_id: str, text: str) -> Ack | Refusal | None:
    """What was answered to this client id before, or None if it is new."""
    earlier = store.acked(match_id, _as_actor(seat), client_id)
    if earlier is None:
        return None
    if earlier.submitted != text:
        return Refusal("id.reused", "This id was used for something else.")
    return Ack(client_id, match_id, earlier.version, earlier.at, resent=True)


def _as_actor(seat: Seat) -> Actor:
    return 1 if seat else 0


# -- the organiser -------------------------------------------------------------------------------


def match_organise(
    *,
    match_id: int,
    acting_user: User,
    client_id: str,
    text: str,
    why: str,
    at: int,
    random: RandomSource = chance.system,
) -> Ack:
    """An organiser's act (`pause`, `reserve 0 +60`, …) with its reason. What is then to be drawn is
    drawn from ``random``.

    Raises Refusal ``organiser.not-allowed``, ``organiser.why-missing``, ``notation.organiser``,
    ``match.over`` and those of the act itself.
    """
    client_id_validate(client_id)
    outage_notice()
    with transaction.atomic():
        return _organise(match_id, acting_user, client_id, text, one_line(why), at, random)


def must_organise(match: Match, user: User | AnonymousUser) -> None:
    """Whether somebody may pause, correct and rule, and read what is to be ruled on. Raises Refusal
    ``organiser.not-allowed``."""
    if not may_organise(match, user):
        raise Forbidden(
            "organiser.not-allowed", "Only an organiser who is not playing may do this."
        )


def _organise(  # noqa: PLR0917  (the service's own arguments)
    match_id: int,
    user: User,
    client_id: str,
    text: str,
    why: str,
    at: int,
    random: RandomSource,
) -> Ack:
    match = (
        Match.objects.defer("snapshot")
        .prefetch_related("players", "referees")
        .filter(pk=match_id)
        .first()
    )
    if match is None:
        raise NotFound("match.none", "There is no such match.")
    # Read anew: the caller may hold a user from when the socket was opened.
    user = User.objects.get(pk=user.pk)
    must_organise(match, user)
    if not why:
        raise Refusal("organiser.why-missing", "Please give a reason; both players will read it.")
    if len(why) > 500:
        raise Refusal("organiser.why-too-long", "A reason has at most 500 characters.")
    held = make_good(store.lock(match_id), at=at)
    # Under the lock, so that of two that are alike and arrive together the second finds the first.
    earlier = store.acked(match_id, "organiser", client_id)
    if earlier is not None:
        if earlier.submitted != text:
            raise Refusal("id.reused", "This id was used for something else.")
        return Ack(client_id, match_id, earlier.version, earlier.at, resent=True)
    act = acts.parse_act(text)
    if held.is_over:
        raise Refusal("match.over", "The match is over.")
    entries = store.entries_of(match_id) if act.kind == TAKE_BACK else ()
    turn = lives.organise(
        held.ruleset,
        held.live,
        act=act,
        by=user.shown_name,
        why=why,
        at=at,
        random=random,
        entries=entries,
    )
    after = settle(held, turn, at=at, said=Said("organiser", client_id, text, user.pk))
    audit_record(
        acting_user=user, action="match.organise", target=match, data={"act": act.text, "why": why}
    )
    return Ack(client_id, match_id, after.readers.versions[2], at)
