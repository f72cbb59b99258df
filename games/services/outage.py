"""The web service's sign of life, and what matches get back after it was away.

Each web process writes the one row of `ServiceBeat` as long as it answers: any that does is a sign
of life. No decision runs out before there was one after its deadline (`waking.match_wake`), so that
not even the first moments of an outage cost anybody a decision. A gap that is too long is kept as
a `ServiceOutage`; each match is given back what its clocks ran meanwhile, once, before anything
else happens to it: by the sweep, or by whoever comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from core.clock import clock, now_ms
from core.jobs import guard
from games import store
from games.engine import live as lives
from games.engine.decisions import EVERYONE, Event
from games.models import Match, ServiceOutage
from games.services.processes import NOW, clock_compare
from games.services.settling import tell
from games.store import Held

log = structlog.get_logger("gauntlet.outage")


# -- signs of life -------------------------------------------------------------------------------


class _Known:
    """What this process knows without asking: the instant of its own last beat, if it is one of the
    web service's, and the end of the latest outage. ``is_awaited``: its first beat is yet to come,
    and it knows neither of outages nor what time it is."""

    beat: int | None = None
    end: int = 0
    is_awaited: bool = False


known = _Known()

# The outage that a sign of life ends is on record with it: from then on decisions may run out
# again. One statement, which commits by itself: whoever stands still in the midst of it holds
# nothing that others wait for. The row is locked and read before anything is written.
_BEAT = """
    WITH last AS MATERIALIZED (
        SELECT at FROM games_servicebeat WHERE id = 1 FOR NO KEY UPDATE
    ), outage AS (
        INSERT INTO games_serviceoutage (down_since, back_at)
        SELECT at, %(at)s FROM last WHERE %(at)s - at > %(least)s
        ON CONFLICT (back_at) DO NOTHING
    ), beat AS (
        INSERT INTO games_servicebeat (id, at) SELECT 1, %(at)s FROM (SELECT max(at) FROM last) l
        ON CONFLICT (id) DO UPDATE SET at = greatest(games_servicebeat.at, excluded.at)
    )
    SELECT at FROM last WHERE %(at)s - at > %(least)s
"""

_OUTAGE_END = f"SELECT {NOW}, max(back_at) FROM games_serviceoutage"  # noqa: S608  (a constant)


def beat_record(*, at: int) -> bool:
    """Note that the web service answers at instant ``at``; whether that ends an outage."""
    with connection.cursor() as cursor:
        cursor.execute(_BEAT, {"at": at, "least": settings.GAUNTLET_OUTAGE_AFTER_MS})
        since = cursor.fetchone()
        # Only now, by a statement of its own: an outage that somebody else has put on record while
        # this one waited for the row would not be seen by it.

        def outage_end() -> int:
            cursor.execute(_OUTAGE_END)
            told, end = cursor.fetchone()
            # Never back: of two threads the one that asked earlier may come later.
            known.end = max(known.end, end or 0)
            return int(told)

        clock_compare(clock.ask(outage_end))
    known.beat, known.is_awaited = at, False
    if since is not None:
        log.warning("outage.over", seconds=round((at - since[0]) / 1000, 1))
    return since is not None


def beat_await() -> None:
    """Answer nobody before the first beat (`is_awaited`): a web process that begins while the
    database is away does not know that the service was."""
    known.is_awaited = True


def is_awaited() -> bool:
    """Whether this is a web process whose first beat is yet to come: nobody may be answered by
    it."""
    return known.is_awaited


def outage_notice() -> None:
    """A process that stood still, and goes on with a submission that had waited in it, beats before
    that: nobody's time may run out, or be charged, for the time in between."""
    if outage_may_be():
        beat_record(at=now_ms())


def outage_may_be() -> bool:
    """Whether this process has not beaten for as long as an outage takes."""
    return known.beat is not None and now_ms() - known.beat > settings.GAUNTLET_OUTAGE_AFTER_MS


def is_serving(at: int) -> bool:
    """Whether the web service gave a sign of life lately, or never has."""
    heard = last_heard()
    return heard.at is None or at - heard.at <= settings.GAUNTLET_OUTAGE_AFTER_MS


class Heard(NamedTuple):
    """The last sign of life of the web service that somebody knows of, in ms since 1970; None if
    there was none ever: in tests and simulations it is not missed. And the end of the latest outage
    that is on record (0: there was none)."""

    at: int | None
    outage_end: int

    def after(self, deadline: int) -> bool:
        """Whether the web service has been heard of since a deadline."""
        return self.at is None or self.at > deadline


def last_heard() -> Heard:
    """What is known of the web service's life. Both are of the same moment: an outage is on record
    with the sign of life that ends it, and whoever knew of the latter alone would let run out what
    is to be given back first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (SELECT at FROM games_servicebeat WHERE id = 1),"
            " (SELECT max(back_at) FROM games_serviceoutage)"
        )
        at, outage_end = cursor.fetchone()
    return Heard(at, outage_end or 0)


# -- what is given back --------------------------------------------------------------------------


def match_give_back(*, match_id: int, at: int) -> bool:
    """Give a match back what outages of the service took, as `make_good` does; whether its clocks
    were turned back. A match whose row somebody holds is left to the next call."""
    with transaction.atomic():
        held = store.lock_if_free(match_id)
        if held is None or held.is_over:
            return False
        return make_good(held, at=at).live != held.live


def make_good(held: Held, *, at: int) -> Held:
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
        text=f"The service was away for {seconds} s. {_given_text(live, least)}",
        seen_by=EVERYONE,
    )
    # What was due by the clocks as they stood is not due any more.
    wake = store.next_wake(held.ruleset, live, after=at)
    return tell(held._replace(made_good_until=until, wake_at=wake), live, (event,), at=at)


def _given_text(live: lives.Live, least: int) -> str:
    if live.waiting is not None:  # no clock runs yet
        return "The match waits so much longer for what it waits for."
    return (
        f"Clocks show again what they showed before; who has less than {least // 1000} s left has "
        "that much, up to the decision's own time."
    )


class GivenBack(NamedTuple):
    """What one look came to, in numbers."""

    matches: int = 0


def outages_give_back() -> GivenBack:
    """Give every running match back what outages took that it has not been given back yet: each on
    its own, the nearest deadline first."""
    latest = ServiceOutage.objects.aggregate(latest=Max("back_at"))["latest"]
    if latest is None:
        return GivenBack()
    behind = (
        Match.objects.running()
        .filter(guard.may_try("matches.give-back"), made_good_until__lt=latest)
        .order_by("deadline_at", "pk")
        .values_list("pk", flat=True)[: settings.GAUNTLET_SWEEP_AT_MOST]
    )
    given = guard.each(
        "matches.give-back",
        behind,
        lambda pk: match_give_back(match_id=pk, at=now_ms()),
        target="games.match",
    )
    if given:
        log.info("outage.given-back", matches=given)
    return GivenBack(given)
