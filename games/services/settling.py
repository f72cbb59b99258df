"""What comes of whatever happens to a match: it is stored, and told after commit. For services that
hold the match's row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.conf import settings
from django.db import transaction

from core.clock import now_ms
from core.queueing import enqueue
from games import hooks, store
from games.engine.live import Live, Turn
from games.jobs import MAIL_RULING, wake_enqueue
from games.publishing import frames, notices
from games.publishing.publish import Frame, publish
from games.services.missed import ends_mark_missed
from games.store import Appended, Held


def settle(held: Held, turn: Turn, *, at: int) -> None:
    """Store and tell what happened without anybody's submission."""
    readers, out = frames_of(held, turn, at=at)
    appended = [Appended(happened) for happened in turn.happened]
    store.save(held, live=turn.live, readers=readers, appended=appended, at=at)
    announce(held, turn.live, readers, out, at=at)


def frames_of(held: Held, turn: Turn, *, at: int) -> tuple[store.Readers, list[Frame]]:
    """What each audience knows after a turn, and the frames that tell them of it."""
    return frames.step_frames(
        held.ruleset,
        held.live,
        turn.live,
        held.readers,
        turn.happened,
        match_id=held.match_id,
        at=at,
    )


def announce(
    held: Held, live: Live, readers: store.Readers, out: Sequence[Frame], *, at: int
) -> None:
    """Once this transaction is committed, tell everybody of ``live``, which is stored and follows
    ``held``: readers by the frames ``out``, the rest of the site by its hooks, organisers who are
    to rule, and a worker who must look soon."""
    transaction.on_commit(partial(publish, out))
    room = readers.versions[2]
    if held.followed and room != held.readers.versions[2]:
        turned = partial(hooks.send, hooks.match_turned, match_id=held.match_id, version=room)
        transaction.on_commit(turned, robust=True)
    waited, waits = (store.awaits_ruling(held.ruleset, each) for each in (held.live, live))
    if waits != waited:
        transaction.on_commit(partial(_announce_ruling, held, waits=waits), robust=True)
    if live.table.result is not None:
        transaction.on_commit(partial(_announce_end, held.match_id), robust=True)
        return
    enqueue_if_near(held.match_id, store.wake_after(held, live, at=at))


def enqueue_if_near(match_id: int, wake: int | None) -> None:
    """Have a worker look at a match at instant ``wake`` (ms), where that is soon: what is far is
    found by the sweep."""
    if wake is not None and wake - now_ms() < settings.GAUNTLET_WAKE_AHEAD_MS:
        transaction.on_commit(partial(wake_enqueue, match_id=match_id, wake_at=wake), robust=True)


def _announce_ruling(held: Held, *, waits: bool) -> None:
    notices.announce_ruling(held.match_id, waits=waits)
    if waits:
        enqueue(MAIL_RULING, held.match_id, held.seq)


def _announce_end(match_id: int) -> None:
    ends_mark_missed(match_id=match_id)
    notices.announce_end(match_id)
    hooks.send(hooks.match_ended, match_id=match_id)
