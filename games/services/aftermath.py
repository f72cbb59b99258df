"""What follows the end of a match: who was not there, the lobby, mail, and whoever hangs on to ends
(ratings, seasons). A worker does it, not the turn that ended the match.

The turn hands on the match's number and nothing else. That this is to be done stands in the match's
row (`aftermath_due`), so a broker that was away, or a worker that was killed, costs the time until
the sweep. Each step is one that can be done again, and stands alone: one that fails is set aside by
`core.jobs.guard` and tried again later, while the others are done as ever.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.dispatch import Signal

from core.clock import now_utc
from core.hooks import send
from core.jobs import guard
from games import hooks, store
from games.models import Match
from games.publishing import notices
from games.services.announcing import missed_end_announce
from games.services.missed import end_mark_missed

# The name under which a match is set aside whose aftermath cannot even begin.
FOLLOWED_UP: Final = "ends.follow-up"
# A match that ended this long ago has no worker at it any more: the broker was away, or one died.
LEFT_ALONE: Final = timedelta(seconds=3)


def end_follow_up(*, match_id: int) -> bool:
    """Do what follows the end of a match, if it is over and that is yet to be done; whether it is
    done now. Idempotent, and safe to call at any time: whoever comes second finds nothing."""
    match = _match(match_id)
    if match is None or not match.aftermath_due:
        return False
    settled = [_try(job, match) for job in STEPS]
    if not all(settled):
        return False
    Match.objects.filter(pk=match_id).update(aftermath_due=False)
    return True


def ends_sweep() -> None:
    """Follow up the ends that no worker has followed up, and try again what failed: each on its
    own."""
    until = now_utc() - LEFT_ALONE
    left = (
        Match.objects.finished()
        .filter(guard.may_try(FOLLOWED_UP), aftermath_due=True, finished_at__lt=until)
        .order_by("finished_at")
        .values_list("pk", flat=True)[: settings.GAUNTLET_SWEEP_AT_MOST]
    )
    guard.each(
        FOLLOWED_UP,
        left,
        lambda match_id: end_follow_up(match_id=match_id),
        target="games.match",
        limited=False,  # each step is
    )
    for job, keys in guard.due(STEPS).items():
        guard.each(job, keys, _step_again(job), target="games.match", limited=False)


def _match(match_id: int) -> Match | None:
    rows = Match.objects.finished().defer("snapshot").prefetch_related("players__user")
    return rows.filter(pk=match_id).first()


def _try(job: str, match: Match) -> bool:
    """Whether a step was done, or else it is on record that it was not."""
    try:
        STEPS[job](match)
    except Exception as error:  # noqa: BLE001  (one step's fault must not stop the others)
        return guard.set_aside(job, str(match.pk), error, target="games.match")
    return True


def _step_again(job: str) -> Callable[[str], bool]:
    def again(key: str) -> bool:
        match = _match(int(key))
        if match is not None:
            STEPS[job](match)
        return match is not None

    return again


# -- the steps -----------------------------------------------------------------------------------


def _tell_turn(match: Match) -> None:
    if match.followed:
        version = store.read(match.pk).readers.versions[2]
        _send(hooks.match_turned, match_id=match.pk, version=version)


def _tell_end(match: Match) -> None:
    _send(hooks.match_ended, match_id=match.pk)


def _send(hook: Signal, **arguments: object) -> None:
    errors = send(hook, Match, **arguments)
    if errors:
        raise errors[0]


# In this order: a page that hears of the end finds who missed it. By the names under which a match
# is set aside where one fails.
STEPS: Final[dict[str, Callable[[Match], object]]] = {
    "ends.missed": lambda match: end_mark_missed(match=match),
    "ends.news": notices.announce_end,
    "ends.mail": lambda match: missed_end_announce(match=match),
    "ends.turn": _tell_turn,
    "ends.hooks": _tell_end,
}
