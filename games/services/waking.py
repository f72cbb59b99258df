"""What time asks of a match: by a task at its instant, or by the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.conf import settings
from django.db import transaction

from core import chance
from core.hooks import send
from games import hooks, store
from games.engine import live as lives
from games.engine.chance import RandomSource
from games.engine.live import Reminder
from games.intake import may_still_come
from games.metrics import deadline_enforced
from games.models import Match
from games.publishing import frames
from games.publishing.publish import publish
from games.services.arrivals import give_up
from games.services.outage import last_heard, make_good
from games.services.settling import enqueue_if_near, settle
from games.store import Held


def match_wake(
    *, match_id: int, at: int, random: RandomSource = chance.system, by: str = "task"
) -> bool:
    """Do what time asks of a match at instant ``at``: settle what ran out, announce what will.
    Returns False where it must be asked again soon: somebody else holds the match's row, and
    nobody waits for that; the web service has not been heard of yet; or it is a moment too early,
    for clocks are never quite the same. What is then to be drawn is drawn from ``random``. ``by``
    says who asks, for whoever counts.

    Idempotent, and safe to call at any time, in a transaction that ends where this fails. A
    deadline takes effect a moment late (see `GAUNTLET_SETTLE_MS`): a submission that arrived in
    time may still wait for the row; and not before every web process has said that none waits for
    longer (`games.intake`). And it takes effect only once the web service has given a sign of life
    after it: while that is away, nothing runs out, since players could not have answered (see
    `games.services.outage`).
    """
    with transaction.atomic(savepoint=False):
        held = store.lock_if_free(match_id)
        if held is None:
            return not Match.objects.filter(pk=match_id).exists()
        if held.is_over or held.wake_at is None or held.wake_at > at:
            return not _comes_at_once(held, at)
        heard = last_heard()
        if heard.outage_end > held.made_good_until:
            held = make_good(held, at=at)
        if held.wake_at is None or held.wake_at > at:
            return True
        if held.live.waiting is not None:
            if not heard.after(held.live.waiting.next_instant(after=held.wake_at - 1)):
                return False
            give_up(held, at=at, random=random)
            return True
        grace = settings.GAUNTLET_SETTLE_MS
        ran_out = lives.last_run_out(held.ruleset, held.live, at=at - grace)
        if ran_out is not None:
            if not heard.after(ran_out):
                return False
            if may_still_come(match_id, until=ran_out, now=at):
                return False
            deadline = lives.next_deadline(held.ruleset, held.live) or ran_out
            transaction.on_commit(partial(deadline_enforced, deadline, by))
            turn = lives.expire(held.ruleset, held.live, at=at, random=random, grace_ms=grace)
            settle(held, turn, at=at)
            return True
        _remind(held, at)
        return True


def _comes_at_once(held: Held, at: int) -> bool:
    """Whether a worker whose clock is a little behind was sent here for what is about to come."""
    soon = at + settings.GAUNTLET_CLOCKS_APART_MS
    return not held.is_over and held.wake_at is not None and held.wake_at <= soon


def sweeps_postpone(*, until: int) -> int:
    """Have the sweep pass by the matches that need no look before instant ``until`` (ms), though
    turns have left it a bound before that; returns how many. Idempotent, and waits for nobody."""
    return store.postpone_sweeps(until=until, at_most=settings.GAUNTLET_SWEEP_AT_MOST)


def _remind(held: Held, at: int) -> None:
    # An announcement that is late by seconds would be wrong by then.
    since = max((held.wake_at or at) - 1, at - settings.GAUNTLET_REMINDER_LATENESS_MS)
    due = lives.reminders(held.ruleset, held.live, after=since, until=at)
    wake = store.next_wake(held.ruleset, held.live, after=at)
    store.save_wake(held, wake_at=wake)
    out = [frame for reminder in due for frame in frames.reminder_frames(held.match_id, reminder)]
    transaction.on_commit(partial(publish, out))
    if held.followed and due and not held.late_s:
        transaction.on_commit(partial(_announce_reminders, held.match_id, due, at), robust=True)
    enqueue_if_near(held.match_id, wake)


def _announce_reminders(match_id: int, due: Sequence[Reminder], at: int) -> None:
    for reminder in due:
        send(
            hooks.match_reminded,
            Match,
            match_id=match_id,
            seat=reminder.seat,
            kind=reminder.kind,
            left_ms=reminder.left_ms,
            at=at,
        )
