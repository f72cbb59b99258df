"""Who those that watch a match think will win it.

Predictions are open until the room's log shows that play is under way. Whether they are hangs on
the room's view alone, which everybody may read: so nothing that is secret can be told by it. There
is no audit row of a prediction: it is one by itself, and moderators, who read those, play, too.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import structlog
from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Max, Q
from redis.exceptions import RedisError

from accounts.models import User
from core.clock import now_ms
from core.queueing import enqueue
from core.refusals import Forbidden, NotUnderstood, Refusal
from games.audience import LATE, group_of, may_predict, may_read_predictions, seat_of
from games.engine.decisions import ROOM
from games.jobs import TELL_PREDICTIONS
from games.models import Match, Prediction
from games.publishing.publish import Frame, publish
from games.reading.matches import match_for
from games.reading.shared import RoomView, room_view

log = structlog.get_logger("gauntlet.predictions")

#: They close with this line of the room's log, but no sooner than so long after the first one.
LINES: Final = 6
LEAST_MS: Final = 2 * 60 * 1000
# How often those who watch are told of new ones, in seconds.
TOLD_EVERY_S: Final = 1


def is_open(view: RoomView, *, at: int) -> bool:
    """Whether predictions of a match are open at instant ``at`` (ms), as the room sees it: while it
    waits for its players, and then until the sixth line of its log is there and the first is two
    minutes old."""
    if view.over:
        return False
    lines = view.plain(at=at, organise=False)["log"]
    if view.waits or len(lines) < LINES:
        return True
    return at < int(lines[0]["at"]) + LEAST_MS


@transaction.atomic
def prediction_make(*, acting_user: User, match_id: int, seat: int, at: int) -> dict[str, Any]:
    """Say who will win, at instant ``at`` (ms), or think better of it; returns what
    `predictions_of` does.

    Raises Refusal ``match.none``, ``prediction.player``, ``prediction.organiser``,
    ``prediction.seat`` and ``prediction.closed``.
    """
    match = must_be_able_to_predict(match_id, acting_user)
    if seat not in (0, 1):
        raise NotUnderstood("prediction.seat", "The winner is on seat 0 or 1.", field="seat")
    must_be_open(match.pk, at=at, late=bool(match.late_s))
    Prediction.objects.update_or_create(
        match=match, user=acting_user, defaults={"seat": seat, "at": at}
    )
    transaction.on_commit(partial(_tell_soon, match_id))
    return predictions_of(match=match, user=acting_user, at=at)


def must_be_open(match_id: int, *, at: int, late: bool | None = None) -> None:
    """Whether predictions of a match are open at instant ``at`` (ms); ``late``: whether spectators
    see it late, where that is known. Raises Refusal ``prediction.closed``."""
    if late is None:
        late = bool(Match.objects.values_list("late_s", flat=True).get(pk=match_id))
    if not is_open(room_view(match_id, late=late), at=at):
        raise Refusal("prediction.closed", "Predictions are closed: play is under way.")


def must_be_able_to_predict(match_id: int, acting_user: User) -> Match:
    """The match, where somebody may say who wins it. Raises Refusal ``match.none``,
    ``prediction.player`` and ``prediction.organiser``."""
    match = match_for(match_id, acting_user)
    if seat_of(match, acting_user) is not None:
        raise Forbidden("prediction.player", "Players do not predict their own match.")
    if not may_predict(match, acting_user):
        sentence = "Whoever may rule on a match does not predict it."
        raise Forbidden("prediction.organiser", sentence)
    return match


def predictions_of(*, match: Match, user: Any, at: int) -> dict[str, Any]:
    """What a reader may know of the predictions of a match at instant ``at`` (ms): whether they
    are ``open``, how many think that each seat wins (``counts``), whom the reader has named
    (``yours``), whether they ``may`` name anybody; and once somebody has won, ``right``, how many
    knew it.

    Raises Refusal ``prediction.player`` for those who play, before the end.
    """
    if not may_read_predictions(seat=seat_of(match, user), over=match.is_over):
        sentence = "Players are not told of predictions before the end."
        raise Forbidden("prediction.player", sentence)
    own = Q(user=user.pk) if isinstance(user, User) else Q(pk__in=[])
    found = Prediction.objects.filter(match=match).aggregate(
        first=Count("pk", filter=Q(seat=0)),
        second=Count("pk", filter=Q(seat=1)),
        yours=Max("seat", filter=own),
    )
    counts = [found["first"], found["second"]]
    return {
        "match": match.pk,
        "open": is_open(_seen(match), at=at),
        "counts": counts,
        "may": may_predict(match, user),
        "yours": found["yours"],
        "right": None if match.winner is None else counts[match.winner],
    }


def _seen(match: Match) -> RoomView:
    """The match as those see it who predict."""
    return room_view(match.pk, late=bool(match.late_s))


def predictions_tell(match_id: int) -> None:
    """Tell those who watch a match how many think what; nobody of a match that is over."""
    match = Match.objects.only("status").get(pk=match_id)
    if match.is_over:
        return
    counts = [Prediction.objects.filter(match=match, seat=seat).count() for seat in (0, 1)]
    frame = {"type": "predictions", "match": match_id, "counts": counts}
    publish([Frame(group_of(match_id, audience), frame) for audience in (ROOM, LATE)])


def _tell_soon(match_id: int) -> None:
    """Have everybody told within a second, however many predict meanwhile."""
    try:
        first = cache.add(f"predictions:{match_id}:{now_ms() // 1000}", 1, timeout=5)
    except RedisError as error:
        log.warning("predictions.not-noted", match=match_id, error=type(error).__name__)
        return
    if first:
        enqueue(TELL_PREDICTIONS, match_id, countdown=TOLD_EVERY_S)
