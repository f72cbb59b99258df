"""Matches that spectators see late: what they may know of one is kept at each turn, and shown once
it is old enough. The two players, and who may organise the match, see it as it is; when it is over,
everybody does."""

from __future__ import annotations

from functools import partial
from typing import Final

from django.db import transaction

from core.hooks import send
from core.jobs import guard
from games import hooks
from games.audience import LATE, group_of
from games.models import LateView, Match
from games.publishing.publish import VERSION, Frame, publish
from games.store import Held, snapshot_of

#: Under which a match is set aside that cannot be shown.
SHOWN: Final = "matches.show-late"
_ROOM: Final = 2
# Matches that are looked at in one go.
AT_MOST: Final = 200


def late_view_keep(before: Held | None, after: Held, *, at: int) -> None:
    """Keep how a match stands after a turn at instant ``at`` for those who see it late, in the
    caller's transaction; ``before``: None where it begins, which they see at once. Does nothing
    where nobody does, or where nothing has changed for the room."""
    if not after.late_s:
        return
    version = after.readers.versions[_ROOM]
    if after.is_over:
        LateView.objects.filter(match=after.match_id).delete()
        _tell(after.match_id, version)
        return
    if before is not None and before.readers.versions[_ROOM] == version:
        return
    LateView.objects.create(
        match_id=after.match_id,
        version=version,
        seq=after.seq,
        snapshot=snapshot_of(after.ruleset, after.live, after.readers),
        due_at=at if before is None else at + 1000 * after.late_s,
        shown=before is None,
    )


def late_views_show(*, now: int) -> int:
    """Show spectators what is old enough at instant ``now`` (ms), and tell whoever listens to
    turns; returns of how many matches. Any number of processes may do it at a time."""
    due = LateView.objects.filter(guard.may_try(SHOWN, "match"), shown=False, due_at__lte=now)
    matches = list(due.order_by().values_list("match", flat=True).distinct()[:AT_MOST])
    guard.each(SHOWN, matches, partial(_show, now=now), target="games.match")
    return len(matches)


@transaction.atomic
def _show(match_id: int, *, now: int) -> None:
    match = Match.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=match_id)
    followed = match.values_list("followed", flat=True).first()
    if followed is None:  # a turn has it in hand: the next time
        return
    views = LateView.objects.filter(match=match_id, due_at__lte=now).order_by("-version")
    latest = views.first()
    if latest is None or latest.shown:
        return
    views.filter(version__lt=latest.version).delete()
    latest.shown = True
    latest.save(update_fields=["shown"])
    _tell(match_id, latest.version)
    if followed:
        told = partial(send, hooks.match_turned, Match, match_id=match_id, version=latest.version)
        transaction.on_commit(told, robust=True)


def _tell(match_id: int, version: int) -> None:
    """Those who have less ask for what there is by now."""
    frame = Frame(group_of(match_id, LATE), "", version)
    transaction.on_commit(partial(publish, [frame], kind=VERSION))
