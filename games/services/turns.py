"""A turn: what players submit and organisers do, under the lock of the match's row."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.on_loop import Connections
from core.refusals import Forbidden, NotFound, NotUnderstood, Refusal, refusal_of
from core.text import one_line
from games import reasons, store
from games.audience import may_organise
from games.engine import acts
from games.engine import live as lives
from games.engine.acts import REASON, TAKE_BACK
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.live import Turn
from games.engine.play import is_concession
from games.engine.table import Actor
from games.engine.views import clocks_run
from games.intake import StillComingError, may_still_come
from games.metrics import Laps, deadline_enforced
from games.models import Match, MatchEntry
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

# How soon something is tried again that has to wait for what came before it.
AGAIN_S: Final = 0.05

# Tells the instant (ms) at which something is carried out. Where there is none, that is when it
# came.
Clock: TypeAlias = Callable[[], int]
R = TypeVar("R")


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


def match_submit(  # noqa: PLR0913  (a submission, its two instants, and what is measured)
    *,
    match_id: int,
    seat: Seat,
    acting_user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    clock: Clock | None = None,
    random: RandomSource = chance.system,
    laps: Laps | None = None,
) -> Ack:
    """Submit ``text`` for ``seat``, as received at instant ``at`` (ms) and carried out now, as
    ``clock`` tells: the first is what it is judged by, the second is when what it opens begins.
    What is then to be drawn is drawn from ``random``. ``laps`` take what its parts take.

    Returns the ack once the change is durable, or raises Refusal. A deadline that had passed takes
    effect even though the submission is refused, unless something that came in time may still be
    waiting (`games.intake`): what would not be refused then waits for that, and raises
    StillComingError instead where nobody may wait (`store.without_waiting`). A client id that was
    acked before is acked the same way again. On the way that everything goes well it costs one
    statement, or three where this process does not know how the match stands.
    """
    client_id_validate(client_id)
    laps = laps or Laps(at)
    laps.begin("thread")
    outage_notice()
    sent = _Sent(match_id, seat, acting_user, client_id, text, version, at, clock)
    if not connection.in_atomic_block:
        attempt = _attempt(sent, random)
        laps.lap("judged")
        if attempt:
            held, turn, said, now = attempt
            after = settle_at_once(held, turn, at=now, said=said, laps=laps)
            if after:
                remember(after)
                return Ack(client_id, match_id, after.readers.versions[seat], now)
    try:
        answer = _in_order(partial(_submit, sent, random, laps))
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
    clock: Clock | None = None,
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
    sent = _Sent(match_id, seat, acting_user, client_id, text, version, at, clock)
    attempt = _attempt(sent, random)
    if attempt is None:
        return None
    laps.lap("judged")
    now = attempt.now
    answer: asyncio.Future[Ack | None] = asyncio.get_running_loop().create_future()

    def settled(after: Held | None) -> None:
        if after is not None:
            remember(after)
        if not answer.done():  # nobody waits for it any more
            acked = after and Ack(client_id, match_id, after.readers.versions[seat], now)
            answer.set_result(acked)

    stored = settle_on_loop(
        attempt.held,
        attempt.turn,
        at=now,
        said=attempt.said,
        database=database,
        settled=settled,
        laps=laps,
    )
    if time.thread_time() - began > LONG_S:
        _long_until[held.ruleset.id] = time.monotonic() + NOT_AGAIN_S
    return await answer if stored else None


class _Sent(NamedTuple):
    """What somebody submits: the arguments of `match_submit`."""

    match_id: int
    seat: Seat
    user: User
    client_id: str
    text: str
    version: int
    at: int
    clock: Clock | None

    @property
    def now(self) -> int:
        return _now(self.at, self.clock)

    @property
    def said(self) -> Said:
        return Said(_as_actor(self.seat), self.client_id, self.text, self.user.pk)

    def earlier_answer(self) -> Ack | Refusal | None:
        return _earlier_answer(self.match_id, self.seat, self.client_id, self.text)


def _now(at: int, clock: Clock | None) -> int:
    """When that is carried out which came at ``at``: no earlier, whatever the clock says."""
    return at if clock is None else max(at, clock())


class _Attempt(NamedTuple):
    """A turn that follows what this process remembers of the match, what led to it, and when it was
    carried out."""

    held: Held
    turn: Turn
    said: Said
    now: int


def _attempt(sent: _Sent, random: RandomSource) -> _Attempt | None:
    """A turn to be stored if what is remembered is how the match stands. None wherever it would be
    refused, for whether it is depends on the row, and where time has run out for somebody, for
    others may have been in time."""
    held = remembered(sent.match_id)
    if held is None or held.made_good_until < known.end:
        return None
    if refusal_of(_must_have_been_seen, held, sent.seat, sent.text, sent.version) is not None:
        return None
    now = sent.now
    turn = lives.submit(
        held.ruleset, held.live, seat=sent.seat, text=sent.text, at=sent.at, random=random,
        opens=now,
    )  # fmt: skip
    if turn.refusal is not None or turn.happened[0].entry.timeout:
        return None
    return _Attempt(held, turn, sent.said, now)


def _submit(sent: _Sent, random: RandomSource, laps: Laps, *, alone: bool) -> Ack | Refusal:
    held, now = store.lock(sent.match_id, user_id=sent.user.pk), sent.now
    laps.lap("stored")
    seat, text = sent.seat, sent.text
    if held.made_good_until < known.end:
        held = make_good(held, at=now)
    refusal = refusal_of(_must_have_been_seen, held, seat, text, sent.version)
    if refusal is not None:
        return sent.earlier_answer() or refusal
    if alone and _others_may_be_in_time(held, at=sent.at, now=now):
        own = lives.deadline_of(held.ruleset, held.live, seat)
        if own is None or sent.at <= own or is_concession(text):
            raise StillComingError
        # Late whatever comes: what follows from that is for whoever lets the decision run out.
        return sent.earlier_answer() or lives.too_late()
    turn = lives.submit(
        held.ruleset, held.live, seat=seat, text=text, at=sent.at, random=random, opens=now
    )
    laps.lap("judged")
    transaction.on_commit(partial(laps.lap, "stored"))  # the first of what comes after commit
    transaction.on_commit(partial(_note_timeouts, held, turn))
    if turn.refusal is not None:
        answer = sent.earlier_answer()
        if turn.happened:
            settle(held, turn, at=now)
        return answer or turn.refusal
    after = settle(held, turn, at=now, said=sent.said)
    transaction.on_commit(partial(remember, after))
    return Ack(sent.client_id, sent.match_id, after.readers.versions[seat], now)


def _others_may_be_in_time(held: Held, *, at: int, now: int) -> bool:
    """Whether something has run out by ``at`` that an answer which is still to be dealt with may
    have come in time for."""
    ran_out = lives.last_run_out(held.ruleset, held.live, at=at)
    if held.is_over or ran_out is None:
        return False
    return may_still_come(held.match_id, until=ran_out, now=now)


def _in_order(call: Callable[..., R]) -> R:
    """Make a call in a transaction, once nothing is to be dealt with before it, or after
    `GAUNTLET_HOLD_MS`. Within somebody's transaction nobody can wait: it is ``alone`` otherwise."""
    if connection.in_atomic_block:
        with transaction.atomic():
            return call(alone=False)
    until = time.monotonic() + settings.GAUNTLET_HOLD_MS / 1000
    while True:
        try:
            with transaction.atomic():
                return call(alone=time.monotonic() < until)
        except StillComingError:
            if not store.may_wait():
                raise
        connection.close()  # others may need it meanwhile
        time.sleep(AGAIN_S)


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
    clock: Clock | None = None,
    random: RandomSource = chance.system,
) -> Ack:
    """An organiser's act (`pause`, `reserve 0 +60`, …) with its reason, as received at instant
    ``at`` (ms) and carried out now, as ``clock`` tells. What is then to be drawn is drawn from
    ``random``. While a clock runs an act that must not wait (`Act.is_pressing`) may come without a
    reason, which the act `reason` then gives, once, as long as the match is on.

    Raises Refusal ``organiser.not-allowed``, ``organiser.why-missing``,
    ``organiser.why-too-long``, ``organiser.why-given``, ``notation.organiser``, ``match.over`` and
    those of the act itself. Waits as `match_submit` does.
    """
    client_id_validate(client_id)
    outage_notice()
    why = acts.as_reason(one_line(why))
    act = partial(_organise, match_id, acting_user, client_id, text, why, at, clock, random)
    return _in_order(act)


def must_organise(match: Match, user: User | AnonymousUser) -> None:
    """Whether somebody may pause, correct and rule, and read what is to be ruled on. Raises Refusal
    ``organiser.not-allowed``."""
    if not may_organise(match, user):
        raise Forbidden(
            "organiser.not-allowed", "Only an organiser who is not playing may do this."
        )


def _must_lack_a_reason(match_id: int) -> None:
    done = MatchEntry.objects.filter(match=match_id, actor="organiser").order_by("seq")
    if not acts.lacks_a_reason(done.values_list("text", "why")):
        raise Refusal("organiser.why-given", "Nothing here waits for a reason.")


def _organise(  # noqa: PLR0913, PLR0917  (the service's own arguments)
    match_id: int,
    user: User,
    client_id: str,
    text: str,
    why: str,
    at: int,
    clock: Clock | None,
    random: RandomSource,
    *,
    alone: bool,
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
    if len(why) > reasons.WHY_MAX:
        sentence = f"A reason has at most {reasons.WHY_MAX} characters."
        raise Refusal("organiser.why-too-long", sentence)
    act = acts.parse_act(text)
    held, now = store.lock(match_id), _now(at, clock)
    held = make_good(held, at=now)
    # Under the lock, so that of two that are alike and arrive together the second finds the first.
    earlier = store.acked(match_id, "organiser", client_id)
    if earlier is not None:
        if earlier.submitted != text:
            raise Refusal("id.reused", "This id was used for something else.")
        return Ack(client_id, match_id, earlier.version, earlier.at, resent=True)
    if act.kind == TAKE_BACK and act.seat is not None:
        sentence = "Only who plays there takes a seat's own move back, in practice."
        raise Forbidden("organiser.not-allowed", sentence)
    if held.is_over:
        raise Refusal("match.over", "The match is over.")
    if not why and not (act.is_pressing and clocks_run(held.live)):
        raise Refusal("organiser.why-missing", "Please give a reason; both players will read it.")
    why = why or acts.NO_REASON
    if act.kind == REASON:
        _must_lack_a_reason(match_id)
    if alone and _others_may_be_in_time(held, at=at, now=now):
        raise StillComingError
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
        opens=now,
    )
    after = settle(held, turn, at=now, said=Said("organiser", client_id, text, user.pk))
    audit_record(
        acting_user=user, action="match.organise", target=match, data={"act": act.text, "why": why}
    )
    return Ack(client_id, match_id, after.readers.versions[2], now)
