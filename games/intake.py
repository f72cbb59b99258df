"""Submissions that web processes have got and have not dealt with yet, so that no decision runs out
over one that came in time.

A submission counts by the instant at which its bytes were there, however long it then waits: for
the event loop, for a thread, for the database. Whoever lets a decision run out (a worker, or
another submission) does so a fixed moment after its deadline, which is enough as a rule and not
under load. So each web process says, several times a second, up to which instant it has nothing
left, and of which matches it has: a few bytes in Redis, written by a thread of its own, at no cost
to any turn. A decision runs out once every process has said something after its deadline, and none
of them has a submission to that match that came before it.

It is that way round, and not that a process says which submissions have waited for long, because
what is busy is late in saying so, too: silence must mean "wait", not "go on". And it is by match,
so that one that is held up holds up nobody else; where it does not say to which match it is, as a
command in Discord does not, by whoever sent it. The wait has bounds. A process that was not heard
of for `GAUNTLET_INTAKE_SILENT_MS` does not count, since it may be dead; after `GAUNTLET_HOLD_MS` a
decision runs out whoever has what. Whatever came after the deadline holds nothing up, and is
refused as late however long that takes, so nothing is gained by sending much. While Redis is away,
the fixed moment is all there is, and everybody waits for it.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final

import msgspec
import structlog
from django.conf import settings
from redis.exceptions import RedisError

from core.broker import AwayError, Redis, client
from core.clock import now_ms
from core.instants import instant_of_reading, reading
from games.models import MatchPlayer

log = structlog.get_logger("gauntlet.intake")

# How often a process says what it has; a decision runs out a good two of these after its deadline.
SAY_EVERY_S: Final = 0.1
# How long a process that could not say anything leaves it at that.
AGAIN_S: Final = 1.0
# What a process has said last is thrown away after this: it is no more.
FORGET_AFTER_MS: Final = 60_000


class StillComingError(Exception):
    """Something that came earlier may still be waiting: this has to be tried again in a moment."""


class Ticket:
    """One submission that is there and not dealt with: to which match, and when it came. Where the
    match is None, to any in which ``person`` plays, a number of Discord's."""

    __slots__ = ("_intake", "match_id", "person", "reading")

    def __init__(self, intake: Intake, match_id: int | None, person: str, taken: int) -> None:
        self._intake = intake
        self.match_id = match_id
        self.person = person
        self.reading = taken

    def done(self) -> None:
        """It is dealt with, or never will be. May be said more than once."""
        self._intake.forget(self)


class Report(msgspec.Struct, frozen=True):
    """What a process has said: of all that it got up to the instant ``at``, what still waits, by
    match, or by whoever sent it, with the earliest instant of each."""

    at: int
    waiting: dict[int, int] = {}
    people: dict[str, int] = {}

    def senders(self, *, until: int) -> set[str]:
        """Those of whom something waits that came by that instant (ms)."""
        return {person for person, came in self.people.items() if came <= until}


class Intake:
    """What one process has got. Any thread may call it."""

    def __init__(self) -> None:
        # By which others know it, once it says anything: not before, since processes may be forked.
        self.id = ""
        self._lock = threading.Lock()
        self._waiting: set[Ticket] = set()

    def take(self, match_id: int, *, taken: int | None = None) -> Ticket:
        """Note that a submission has just come; or had, at the reading ``taken``, since when
        another ticket has stood for it."""
        return self._take(match_id, "", taken)

    def take_of(self, person: str) -> Ticket:
        """Note that somebody in Discord has just submitted something, to a match of theirs."""
        return self._take(None, person, None)

    def _take(self, match_id: int | None, person: str, taken: int | None) -> Ticket:
        # In one step: what is reported has all that came before it.
        with self._lock:
            ticket = Ticket(self, match_id, person, reading() if taken is None else taken)
            self._waiting.add(ticket)
        return ticket

    def forget(self, ticket: Ticket) -> None:
        """See `Ticket.done`."""
        with self._lock:
            self._waiting.discard(ticket)

    def report(self) -> Report:
        """What is to be said now."""
        with self._lock:
            at, waiting = now_ms(), tuple(self._waiting)
        report = Report(at, {}, {})
        for ticket in waiting:
            came = instant_of_reading(ticket.reading)
            if ticket.match_id is None:
                report.people[ticket.person] = min(came, report.people.get(ticket.person, came))
            else:
                earliest = report.waiting.get(ticket.match_id, came)
                report.waiting[ticket.match_id] = min(came, earliest)
        return report

    def has(self, match_id: int, *, until: int) -> bool:
        """Whether something waits here that came for a match by that instant (ms)."""
        with self._lock:
            readings = [each.reading for each in self._waiting if each.match_id == match_id]
        return any(instant_of_reading(taken) <= until for taken in readings)

    def senders(self, *, until: int) -> set[str]:
        """Those of whom something waits here that came by that instant (ms)."""
        return self.report().senders(until=until)


INTAKE: Final = Intake()


def may_still_come(match_id: int, *, until: int, now: int) -> bool:
    """Whether a submission to a match that came by the instant ``until`` may still be waiting in a
    web process, as things stand at ``now`` (both in ms)."""
    if now - until > settings.GAUNTLET_HOLD_MS:
        return False
    if INTAKE.has(match_id, until=until) or _plays(match_id, INTAKE.senders(until=until)):
        return True
    reports = _reports(now)
    if reports is None:
        return now - until <= settings.GAUNTLET_SETTLE_MS
    if any(
        report.at <= until or report.waiting.get(match_id, until + 1) <= until for report in reports
    ):
        return True
    return _plays(match_id, set().union(*(each.senders(until=until) for each in reports)))


def _plays(match_id: int, people: Collection[str]) -> bool:
    """Whether one of those in Discord plays in a match. Asks the database only where there are
    any, which is for as long as a command takes."""
    if not people:
        return False
    players = MatchPlayer.objects.filter(match=match_id, user__discord_link__discord_id__in=people)
    return players.exists()


# -- what processes say to each other ------------------------------------------------------------


class Reporter:
    """Says what this process has, from `start` to `stop`."""

    def __init__(self, intake: Intake = INTAKE) -> None:
        self.intake = intake
        self.thread: threading.Thread | None = None
        self._over = threading.Event()

    def start(self) -> None:
        """Begin to say so."""
        self._over.clear()
        self.intake.id = uuid.uuid4().hex
        self.thread = threading.Thread(target=self._run, name="gauntlet-intake", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """The process ends: others need not wait for it."""
        self._over.set()
        if self.thread is not None:
            self.thread.join()
            self.thread = None
            try:
                _client().hdel(_key(), self.intake.id)
            except RedisError as error:
                log.warning("intake.not-said", error=type(error).__name__)

    async def end(self) -> None:
        """`stop`, for an event loop that has nothing else left to do."""
        self.stop()

    def _run(self) -> None:
        while not self._over.wait(SAY_EVERY_S):
            try:
                said = msgspec.json.encode(self.intake.report())
                _client().hset(_key(), self.intake.id, said)
            except AwayError:
                continue  # said as soon as it is back
            except RedisError as error:
                log.warning("intake.not-said", error=type(error).__name__)
                self._over.wait(AGAIN_S)
            except Exception:  # Whatever it is: others would wait in vain for what is said here.
                log.exception("intake.failed")


REPORTER: Final = Reporter()

_DECODER = msgspec.json.Decoder(Report)


def _reports(now: int) -> Sequence[Report] | None:
    """What the other processes that are alive at instant ``now`` have said last; None while that
    cannot be asked."""
    try:
        said: Any = _client().hgetall(_key())
    except AwayError:
        return None
    except RedisError as error:
        log.warning("intake.not-heard", error=type(error).__name__)
        return None
    reports = {name: _DECODER.decode(text) for name, text in said.items()}
    dead = [name for name, report in reports.items() if now - report.at > FORGET_AFTER_MS]
    if dead:
        _forget(dead)
    own = INTAKE.id.encode()  # which knows better
    return [
        report
        for name, report in reports.items()
        if name != own and now - report.at <= settings.GAUNTLET_INTAKE_SILENT_MS
    ]


def _forget(dead: list[bytes]) -> None:
    try:
        _client().hdel(_key(), *dead)
    except RedisError as error:
        log.warning("intake.not-heard", error=type(error).__name__)


def _key() -> str:
    return f"{settings.REDIS_PREFIX}:intake"


@cache
def _client() -> Redis:
    return client()
