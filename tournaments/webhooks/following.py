"""Which running matches somebody listens to turn by turn.

The mark is on the match's own row, which a turn locks and reads anyway: a match that nobody
listens to pays nothing. It is derived from the webhooks, and from whatever else listens
(`register_listeners`); `following_refresh` sets it right, when a match starts, when a webhook
changes, and now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import or_
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.jobs import guard
from core.queueing import enqueue_soon
from games.models import Match
from tournaments.jobs import WEBHOOK_CLOCK, WEBHOOK_TURN
from tournaments.lifecycle import Visibility
from tournaments.webhooks.kinds import OF_MATCHES
from tournaments.webhooks.models import Webhook

Listeners = Callable[[], QuerySet[Any]]
_listeners: list[Listeners] = []


def register_listeners(listeners: Listeners) -> None:
    """Have ``listeners`` asked for rows that hear of a match turn by turn, of the one whose key is
    ``OuterRef("pk")``. They have a season. Registering again changes nothing."""
    if listeners not in _listeners:
        _listeners.append(listeners)


def webhooks_listening() -> QuerySet[Webhook]:
    """The webhooks that hear of the match in question."""
    return Webhook.objects.filter(
        season__rounds__death_matches__legs__match=OuterRef("pk"),
        active=True,
        kinds__overlap=list(OF_MATCHES),
    )


def following_refresh(*, season_id: int | None = None) -> None:
    """Mark the running matches of a season, or of all seasons, that somebody wants to hear of
    turn by turn, and take the mark off the others. Two statements, without effect mostly."""
    matches, wanted = _matches_and_wanted(season_id)
    # By key: an UPDATE over joins would lock rows in no particular order.
    for followed, keys in _wrong(matches, wanted):
        if keys:
            Match.objects.filter(pk__in=keys).update(followed=followed)


def _matches_and_wanted(season_id: int | None) -> tuple[QuerySet[Match], Q]:
    matches = Match.objects.filter(status=Match.Status.RUNNING)
    if season_id is not None:
        matches = matches.filter(leg__death_match__round__season=season_id)
    else:
        matches = matches.filter(leg__isnull=False)
    every = (listeners() for listeners in (webhooks_listening, *_listeners))
    heard = (each.exclude(season__visibility=Visibility.DRAFT) for each in every)
    return matches, reduce(or_, (Q(Exists(each)) for each in heard))


def following_repair() -> None:
    """`following_refresh` of all seasons, match by match: one that somebody holds, or that cannot
    be marked, keeps none of the others."""
    for followed, keys in _wrong(*_matches_and_wanted(None)):
        guard.each(
            "matches.follow",
            keys,
            partial(_mark, followed=followed),
            target="games.match",
        )


def _mark(match_id: int, *, followed: bool) -> bool:
    free = Match.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=match_id)
    if not free.values_list("pk").first():
        return False
    return bool(Match.objects.filter(pk=match_id).update(followed=followed))


def _wrong(matches: QuerySet[Match], wanted: Q) -> Iterator[tuple[bool, list[int]]]:
    """The matches whose mark is wrong, with what it should be."""
    for followed, among in (
        (True, matches.filter(wanted)),
        (False, matches.exclude(wanted)),
    ):
        yield followed, list(among.filter(followed=not followed).values_list("pk", flat=True))


def on_turn(*, match_id: int, version: int, **_more: object) -> None:
    """A turn of a followed match is on disk: have a worker tell of it. One that is not told of is
    caught up with later."""
    enqueue_soon(WEBHOOK_TURN, match_id, version)


def on_reminder(
    *, match_id: int, seat: int | None, kind: str, left_ms: int, at: int, **_more: object
) -> None:
    """The clock of a followed match was announced. Later its reminder would be wrong."""
    enqueue_soon(WEBHOOK_CLOCK, match_id, seat, kind, left_ms, at)
