"""A turn: submissions, deadlines and the organiser's acts, all under the match's row lock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec
import structlog
from django.conf import settings
from django.db import transaction
from django.dispatch import Signal

from accounts.models import User
from accounts.services import audit_record
from core import chance
from core.clock import now_ms
from core.queueing import enqueue
from core.refusals import Forbidden, NotFound, NotUnderstood, Refusal
from core.text import one_line
from games import hooks, store
from games.audience import may_organise
from games.engine import acts
from games.engine import live as lives
from games.engine.acts import TAKE_BACK
from games.engine.chance import RandomSource
from games.engine.decisions import EVERYONE, Event, Seat
from games.engine.live import Happened, Live, Reminder, Turn
from games.engine.play import is_concession
from games.engine.table import Actor, Entry
from games.jobs import MAIL_MISSED, MAIL_RULING, wake_enqueue
from games.models import Match, MatchEntry, ServiceBeat, ServiceOutage
from games.publishing import frames, notices
from games.publishing.publish import Frame, publish
from games.store import Appended, Held

log = structlog.get_logger("gauntlet.turns")

CLIENT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Draws decide matches: the operating system's source, not a generator that could be predicted.


class Ack(NamedTuple):
    """A submission is on disk. ``resent``: it was there already."""

    client_id: str
    match_id: int
    version: int
    at: int
    resent: bool = False


class _Resent(Exception):
    """The client id turned out to be taken: roll back, and answer as before."""


# -- submissions ---------------------------------------------------------------------------------


def client_id_validate(client_id: str) -> None:
    """Raises NotUnderstood ``frame.malformed`` for what cannot be a client's id of a submission."""
    if not CLIENT_ID.fullmatch(client_id):
        raise NotUnderstood(
            "frame.malformed", "An id has 1 to 64 letters, digits, hyphens or underscores."
        )


def match_submit(
    *,
    match_id: int,
    seat: Seat,
    acting_user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    random: RandomSource = chance.system,
) -> Ack:
    """Submit ``text`` for ``seat``, as received at instant ``at`` (ms). What is then to be drawn
    is drawn from ``random``.

    Returns the ack once the change is durable, or raises Refusal. A deadline that had passed takes
    effect even though the submission is refused. A client id that was acked before is acked the
    same way again. Three statements on the way that everything goes well.
    """
    client_id_validate(client_id)
    _notice_outage()
    try:
        with transaction.atomic():
            answer = _submit(match_id, seat, acting_user, client_id, text, version, at, random)
    except _Resent:
        answer = _earlier_answer(match_id, seat, client_id, text) or Refusal(
            "id.reused", "This id was used for something else."
        )
    # Only now: what ran out meanwhile is durable all the same.
    if isinstance(answer, Refusal):
        raise answer
    return answer


def _submit(  # noqa: PLR0917  (the service's own arguments)
    match_id: int,
    seat: Seat,
    user: User,
    client_id: str,
    text: str,
    version: int,
    at: int,
    random: RandomSource,
) -> Ack | Refusal:
    held = store.lock(match_id, user_id=user.pk)
    if held.made_good_until < known.end:
        held = _make_good(held, at)
    refusal = _version_refusal(held, seat, text, version)
    if refusal is not None:
        return _earlier_answer(match_id, seat, client_id, text) or refusal
    turn = lives.submit(held.ruleset, held.live, seat=seat, text=text, at=at, random=random)
    if turn.refusal is not None:
        answer = _earlier_answer(match_id, seat, client_id, text)
        if turn.happened:
            settle(held, turn, at=at)
        return answer or turn.refusal
    readers, out = _frames_of(held, turn, at)
    ack = Ack(client_id, match_id, readers.versions[seat], at)
    appended = [Appended(happened) for happened in turn.happened]
    own = max(i for i, h in enumerate(turn.happened) if h.entry.actor == seat)
    appended[own] = appended[own]._replace(
        client_id=client_id, submitted=text, ack_version=ack.version, by_id=user.pk
    )
    if store.save(held, live=turn.live, readers=readers, appended=appended, at=at) < len(appended):
        raise _Resent
    _after_commit(held, turn.live, readers, out, at)
    return ack


def _version_refusal(held: Held, seat: Seat, text: str, version: int) -> Refusal | None:
    """Whether the player was looking at another position than the one they would now answer."""
    if version > held.readers.versions[seat]:
        return Refusal("version.ahead", "There is no such version of this match yet.")
    stale = held.live.table.open[seat] is not None and version < held.readers.since[seat]
    if stale and not is_concession(text):
        return Refusal(
            "version.stale", "The position has changed since you saw it. Please look again."
        )
    return None


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


# -- time ----------------------------------------------------------------------------------------


def match_wake(*, match_id: int, at: int) -> bool:
    """Do what time asks of a match at instant ``at``: settle what ran out, announce what will.
    Returns False where it must be asked again soon: somebody else holds the match's row, and
    nobody waits for that; or the web service has not been heard of yet.

    Idempotent, and safe to call at any time from anywhere. A deadline takes effect a moment late
    (see `GAUNTLET_SETTLE_MS`): a submission that arrived in time may still wait for the row. And
    it takes effect only once the web service has given a sign of life after it: while that is away,
    nothing runs out, since players could not have answered (see `games.services.outage`).
    """
    with transaction.atomic():
        held = store.lock_if_free(match_id)
        if held is None:
            return not Match.objects.filter(pk=match_id).exists()
        if held.is_over or held.wake_at is None or held.wake_at > at:
            return True
        held = _make_good(held, at)
        if held.wake_at is None or held.wake_at > at:
            return True
        if held.live.waiting is not None:
            # Imported late: that module imports this one.
            from games.services.arrivals import give_up  # noqa: PLC0415

            if not _was_serving_after(held.live.waiting.until):
                return False
            give_up(held, at=at)
            return True
        deadline = lives.next_deadline(held.ruleset, held.live)
        if deadline is not None and at > deadline + settings.GAUNTLET_SETTLE_MS:
            if not _was_serving_after(deadline):
                return False
            turn = lives.expire(held.ruleset, held.live, at=at, random=chance.system)
            settle(held, turn, at=at)
            return True
        _remind(held, at)
        return True


def _remind(held: Held, at: int) -> None:
    # An announcement that is late by seconds would be wrong by then.
    since = max((held.wake_at or at) - 1, at - settings.GAUNTLET_REMINDER_LATENESS_MS)
    due = lives.reminders(held.ruleset, held.live, after=since, until=at)
    wake = store.next_wake(held.ruleset, held.live, after=at)
    store.save_wake(held, wake_at=wake)
    out = [frame for reminder in due for frame in frames.reminder_frames(held.match_id, reminder)]
    transaction.on_commit(partial(publish, out))
    if held.followed and due:
        transaction.on_commit(partial(_announce_reminders, held.match_id, due, at), robust=True)
    _enqueue_if_near(held.match_id, wake)


def is_serving(at: int) -> bool:
    """Whether the web service gave a sign of life lately, or never has."""
    beat = ServiceBeat.objects.filter(pk=1).values_list("at", flat=True).first()
    return beat is None or at - beat <= settings.GAUNTLET_OUTAGE_AFTER_MS


def _was_serving_after(deadline: int) -> bool:
    """Whether the web service has been heard of since a deadline; one that was never heard of, in
    tests and simulations, is not missed."""
    beat = ServiceBeat.objects.filter(pk=1).values_list("at", flat=True).first()
    return beat is None or beat > deadline


# -- outages -------------------------------------------------------------------------------------


class _Known:
    """What this process knows without asking: the instant of its own last beat, if it is one of the
    web service's, and the end of the latest outage."""

    beat: int | None = None
    end: int = 0


known = _Known()


def _notice_outage() -> None:
    """A process that stood still, and goes on with a submission that had waited in it, beats before
    that: nobody's time may run out, or be charged, for the time in between."""
    if known.beat is not None and now_ms() - known.beat > settings.GAUNTLET_OUTAGE_AFTER_MS:
        # Imported late: it imports this module.
        from games.services.outage import beat_record  # noqa: PLC0415

        beat_record(at=now_ms())


def match_give_back(*, match_id: int, at: int) -> bool:
    """Give a match back what outages of the service took, as `_make_good` does; whether its clocks
    were turned back. A match whose row somebody holds is left to the next call."""
    with transaction.atomic():
        held = store.lock_if_free(match_id)
        if held is None or held.is_over:
            return False
        return _make_good(held, at).live != held.live


def _make_good(held: Held, at: int) -> Held:
    """The match, whose row is locked, after what outages took has been given back: once, and told
    in its log. Whatever happens to a match happens after this."""
    later = ServiceOutage.objects.filter(back_at__gt=held.made_good_until).order_by("back_at")
    outages = list(later.values_list("down_since", "back_at"))
    if not outages:
        return held
    until = outages[-1][1]
    least = settings.GAUNTLET_OUTAGE_GRACE_MS
    live = lives.given_back(held.ruleset, held.live, outages=outages, at=at, least_ms=least)
    store.save_made_good(held, until=until)
    if live == held.live:
        return held._replace(made_good_until=until)
    seconds = max(1, round(sum(back - down for down, back in outages) / 1000))
    event = Event(
        kind="service",
        seat=None,
        text=f"The service was away for {seconds} s. Clocks show again what they showed before;"
        f" who has less than {least // 1000} s left has that much, up to the decision's own time.",
        seen_by=EVERYONE,
    )
    happened = Happened(Entry(actor="chance", text=""), (event,), live.table)
    readers, out = frames.step_frames(
        held.ruleset,
        held.live,
        live,
        held.readers,
        (happened,),
        match_id=held.match_id,
        at=at,
        actor=MatchEntry.Actor.SERVICE,
    )
    MatchEntry.objects.create(
        match_id=held.match_id,
        seq=held.seq + 1,
        actor=MatchEntry.Actor.SERVICE,
        at=at,
        events=msgspec.to_builtins([event]),
    )
    held = held._replace(seq=held.seq + 1, made_good_until=until)
    # What was due by the clocks as they stood is not due any more.
    wake = store.next_wake(held.ruleset, live, after=at)
    fresh = held._replace(wake_at=wake)
    store.save(fresh, live=live, readers=readers, appended=(), at=at)
    _after_commit(held, live, readers, out, at)
    return fresh._replace(live=live, readers=readers)


# -- the organiser -------------------------------------------------------------------------------


def match_organise(
    *, match_id: int, acting_user: User, client_id: str, text: str, why: str, at: int
) -> Ack:
    """An organiser's act (`pause`, `reserve 0 +60`, …) with its reason.

    Refusals: ``organiser.not-allowed``, ``organiser.why-missing``, ``notation.organiser``,
    ``match.over`` and those of the act itself.
    """
    client_id_validate(client_id)
    _notice_outage()
    with transaction.atomic():
        return _organise(match_id, acting_user, client_id, text, one_line(why), at)


def _organise(match_id: int, user: User, client_id: str, text: str, why: str, at: int) -> Ack:
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
    if not may_organise(match, user):
        raise Forbidden(
            "organiser.not-allowed", "Only an organiser who is not playing may do this."
        )
    if not why:
        raise Refusal("organiser.why-missing", "Please give a reason; both players will read it.")
    if len(why) > 500:
        raise Refusal("organiser.why-too-long", "A reason has at most 500 characters.")
    held = _make_good(store.lock(match_id), at)
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
        random=chance.system,
        entries=entries,
    )
    readers, out = _frames_of(held, turn, at)
    room = readers.versions[2]
    appended = [Appended(happened) for happened in turn.happened]
    own = next(i for i, h in enumerate(turn.happened) if h.entry.actor == "organiser")
    appended[own] = appended[own]._replace(
        client_id=client_id, submitted=text, ack_version=room, by_id=user.pk
    )
    store.save(held, live=turn.live, readers=readers, appended=appended, at=at)
    audit_record(
        acting_user=user, action="match.organise", target=match, data={"act": act.text, "why": why}
    )
    _after_commit(held, turn.live, readers, out, at)
    return Ack(client_id, match_id, room, at)


# -- shared --------------------------------------------------------------------------------------


def settle(held: Held, turn: Turn, *, at: int) -> None:
    """Store and tell what happened without anybody's submission."""
    readers, out = _frames_of(held, turn, at)
    appended = [Appended(happened) for happened in turn.happened]
    store.save(held, live=turn.live, readers=readers, appended=appended, at=at)
    _after_commit(held, turn.live, readers, out, at)


def _frames_of(held: Held, turn: Turn, at: int) -> tuple[store.Readers, list[Frame]]:
    return frames.step_frames(
        held.ruleset,
        held.live,
        turn.live,
        held.readers,
        turn.happened,
        match_id=held.match_id,
        at=at,
    )


def _after_commit(
    held: Held, live: Live, readers: store.Readers, out: Sequence[Frame], at: int
) -> None:
    transaction.on_commit(partial(publish, out))
    room = readers.versions[2]
    if held.followed and room != held.readers.versions[2]:
        transaction.on_commit(partial(_announce_turn, held.match_id, room), robust=True)
    waited, waits = (store.awaits_ruling(held.ruleset, each) for each in (held.live, live))
    if waits != waited:
        transaction.on_commit(partial(_announce_ruling, held, waits=waits), robust=True)
    if live.table.result is not None:
        transaction.on_commit(partial(_announce_end, held.match_id), robust=True)
        return
    _enqueue_if_near(held.match_id, store.wake_after(held, live, at=at))


def _enqueue_if_near(match_id: int, wake: int | None) -> None:
    if wake is not None and wake - now_ms() < settings.GAUNTLET_WAKE_AHEAD_MS:
        transaction.on_commit(partial(wake_enqueue, match_id=match_id, wake_at=wake), robust=True)


def _announce_ruling(held: Held, *, waits: bool) -> None:
    notices.announce_ruling(held.match_id, waits=waits)
    if waits:
        enqueue(MAIL_RULING, held.match_id, held.seq)


def _announce_end(match_id: int) -> None:
    _enqueue_missed_mail(match_id)
    notices.announce_end(match_id)
    _send(hooks.match_ended, match_id=match_id)


def _enqueue_missed_mail(match_id: int) -> None:
    # Imported late: it imports this module.
    from games.services.arrivals import ends_mark_missed  # noqa: PLC0415

    match = Match.objects.defer("snapshot").prefetch_related("players__user").get(pk=match_id)
    if ends_mark_missed(match):
        enqueue(MAIL_MISSED, match_id)


def announce_begin(match_id: int) -> None:
    """Tell the rest of the site that a match which waited has begun; after commit."""
    _send(hooks.match_begun, match_id=match_id)


def _announce_turn(match_id: int, version: int) -> None:
    _send(hooks.match_turned, match_id=match_id, version=version)


def _announce_reminders(match_id: int, due: Sequence[Reminder], at: int) -> None:
    for reminder in due:
        _send(
            hooks.match_reminded,
            match_id=match_id,
            seat=reminder.seat,
            kind=reminder.kind,
            left_ms=reminder.left_ms,
            at=at,
        )


def _send(hook: Signal, **arguments: object) -> None:
    for receiver, error in hook.send_robust(sender=Match, **arguments):
        if isinstance(error, Exception):
            log.error("hook.failed", receiver=str(receiver), exc_info=error)
