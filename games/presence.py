"""Who is at a match. Shown beside the clocks, and without any influence on them.

A process knows of its own sockets by itself, and tells the others in one entry for all of them, so
that nothing here grows with the crowd: for each seat that has a socket here the instant until which
it counts as present (a sorted set), and how many spectators there are (a hash). A ping is noted
here, and at most once a second for each match taken to Redis, with a question for what the others
say; a list of its own has the matches with spectators. Sockets of a process that died are forgotten
by themselves, since nobody pushes its instants on. A seat whose last socket was closed stays in the
set for a while, present until then: what follows the end of a match asks who saw it, and may come
late.

Whether a player has the match in sight is another question: a page that is hidden behind another is
there, and nobody looks at it. Whom to tell elsewhere that it is their turn goes by that.
"""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from core.broker import AsyncRedis, Redis, client, client_on_loop
from core.clock import now_ms
from games.engine.decisions import ROOM, Audience, Seat

log = structlog.get_logger("gauntlet.presence")

PRESENT_FOR_MS = 35_000  # a little over three pings
KNOWN_FOR_MS = 3_600_000  # how long it is known who was there
ASK_EVERY_MS = 1_000  # how old what others say may be; so late they hear of spectators here
WATCHED_FOR_S: Final = 3  # how old the spectators of all matches may be
WATCHED_AT_MOST: Final = 500  # matches that have spectators, of which they are asked

_SEATS: Final[tuple[Audience, Audience]] = (0, 1)
_IMPORTED: Final = uuid.uuid4().hex

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncRedis] = WeakKeyDictionary()
_tasks: set[asyncio.Task[None]] = set()

NOBODY: dict[str, Any] = {"seats": [False, False], "spectators": 0}


class _Others(NamedTuple):
    """What is known of those who are not connected to this process."""

    seats: tuple[bool, bool] = (False, False)
    spectators: int = 0


class _Here:
    """Those who look at one match by this process, and what is known of all others."""

    def __init__(self, match_id: int) -> None:
        self.match_id = match_id
        # By audience, the sockets and when each was last heard from: the one that was first.
        self.heard: dict[Audience, OrderedDict[str, int]] = {
            audience: OrderedDict() for audience in (*_SEATS, ROOM)
        }
        # The sockets of seats whose pages are hidden.
        self.hidden: set[str] = set()
        # When the last socket of a seat was closed; until Redis has been told.
        self.left: dict[Audience, int] = {}
        self.others = _Others()
        self.asked_at: int | None = None
        self.asking = asyncio.Lock()  # what is written goes in order
        self.answered = False
        self.owing = False  # whether the others are to be told soon

    def hear(self, audience: Audience, socket: str, *, hidden: bool) -> bool:
        """Note that a socket is there, its page ``hidden`` or in sight; whether that is new."""
        sockets = self.heard[audience]
        new = socket not in sockets or hidden != (socket in self.hidden)
        sockets[socket] = now_ms()
        sockets.move_to_end(socket)
        if audience in _SEATS:
            self.left.pop(audience, None)
        (self.hidden.add if hidden else self.hidden.discard)(socket)
        return new

    def forget(self, audience: Audience, socket: str) -> None:
        """Note that a socket is gone."""
        self.heard[audience].pop(socket, None)
        self.hidden.discard(socket)
        if audience in _SEATS and not self.heard[audience]:
            self.left[audience] = now_ms()

    def until(self, audience: Audience) -> int | None:
        """The instant until which somebody of that audience is here; None: nobody is."""
        sockets, now = self.heard[audience], now_ms()
        while sockets and next(iter(sockets.values())) + PRESENT_FOR_MS <= now:
            self.hidden.discard(sockets.popitem(last=False)[0])
        return next(reversed(sockets.values())) + PRESENT_FOR_MS if sockets else None

    def in_sight_until(self, audience: Audience) -> int | None:
        """The instant until which somebody of that audience looks at it here; None: nobody does."""
        # A copy: threads ask, too, while the event loop goes on.
        sockets = tuple(self.heard[audience].items())
        last = max((at for each, at in sockets if each not in self.hidden), default=0)
        until = last + PRESENT_FOR_MS
        return until if until > now_ms() else None

    @property
    def is_due(self) -> bool:
        """Whether what the others say is too old."""
        return self.asked_at is None or not 0 <= now_ms() - self.asked_at < ASK_EVERY_MS

    @property
    def is_empty(self) -> bool:
        return not any(self.heard.values())

    @property
    def there(self) -> dict[str, Any]:
        """Who is there, in this process and in all others."""
        here = [self.until(seat) is not None for seat in _SEATS]
        seats = [mine or theirs for mine, theirs in zip(here, self.others.seats, strict=True)]
        self.until(ROOM)
        return {"seats": seats, "spectators": len(self.heard[ROOM]) + self.others.spectators}


# One event loop in a process, but in tests.
_matches: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Here]] = WeakKeyDictionary()


def _here() -> dict[int, _Here]:
    return _matches.setdefault(asyncio.get_running_loop(), {})


async def arrive(
    match_id: int, audience: Audience, socket: str, *, hidden: bool = False
) -> dict[str, Any]:
    """Count a socket as present from now on (again, on a ping); returns who is there. A player who
    comes, or whose page is ``hidden`` from now on or no longer, is known to all processes, and what
    they say is known here, when this returns."""
    here = _here().setdefault(match_id, _Here(match_id))
    new = here.hear(audience, socket, hidden=hidden)
    if here.is_due or (new and audience in _SEATS):
        await _exchange(here)
    elif not here.answered:
        async with here.asking:  # somebody asks for the first time
            pass
    if new and audience == ROOM:
        _exchange_soon(here)
    return here.there


async def leave(match_id: int, audience: Audience, socket: str) -> dict[str, Any]:
    """Forget a socket; returns who is there without it."""
    here = _here().setdefault(match_id, _Here(match_id))
    here.forget(audience, socket)
    if here.is_due or here.left or here.is_empty:
        await _exchange(here)
    else:
        _exchange_soon(here)
    if here.is_empty and _here().get(match_id) is here:
        del _here()[match_id]
    return here.there


def look(match_id: int, audience: Audience, who: str) -> dict[str, Any]:
    """Count somebody without a socket, who has just asked how a match stands, as present for as
    long as a socket that was heard from; returns who is there. For outside of an event loop."""
    key = _seats_key(match_id)
    try:
        pipe = sync_client().pipeline(transaction=False)
        for each in (key, _sight_key(match_id)):
            pipe.zadd(each, {f"{audience}:{who}": now_ms() + PRESENT_FOR_MS})
            pipe.pexpire(each, KNOWN_FOR_MS)
        _ask(pipe, match_id)
        members, counts = pipe.execute()[-2:]
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return NOBODY
    said = _said(members, counts)
    return {"seats": list(said.seats), "spectators": said.spectators}


def is_in_sight(match_id: int, seat: Seat) -> bool:
    """Whether a player looks at the match by this process, as far as it knows by itself: for
    whoever can wait for nothing."""
    found = [here.get(match_id) for here in list(_matches.values())]
    own: Audience = 1 if seat else 0
    return any(each is not None and each.in_sight_until(own) is not None for each in found)


def seats_in_sight(match_id: int) -> tuple[bool, bool]:
    """Whether each player has the match in sight now. Nobody has while that cannot be asked."""
    try:
        key = _sight_key(match_id)
        members: Any = sync_client().zrangebyscore(key, f"({now_ms()}", "+inf")
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return (False, False)
    return _said(members, {}).seats


def seats_there(match_id: int) -> tuple[bool, bool]:
    """Whether each player looks at the match now. Nobody does while that cannot be asked."""
    return seats_seen(match_id, since=now_ms())


def seats_seen(match_id: int, *, since: int) -> tuple[bool, bool]:
    """Whether each player has looked at the match after an instant (ms) that is no longer ago than
    `KNOWN_FOR_MS`. Nobody has while that cannot be asked."""
    try:
        members: Any = sync_client().zrangebyscore(_seats_key(match_id), f"({since}", "+inf")
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return (False, False)
    return _said(members, {}).seats


_watched: tuple[float, dict[int, int]] = (float("-inf"), {})


def watched() -> dict[int, int]:
    """The spectators of every match that has any, by its number, of the last seconds. None of any
    while that cannot be asked."""
    global _watched  # noqa: PLW0603  (of this process)
    asked, counts = _watched
    if time.monotonic() - asked < WATCHED_FOR_S:
        return counts
    try:
        counts = _ask_watched()
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        counts = {}
    _watched = (time.monotonic(), counts)
    return counts


def forget_watched() -> None:
    """Have it asked again: for whoever cannot wait for seconds."""
    global _watched  # noqa: PLW0603  (of this process)
    _watched = (float("-inf"), {})


def _ask_watched() -> dict[int, int]:
    key, now = _watched_key(), now_ms()
    pipe = sync_client().pipeline(transaction=False)
    pipe.zremrangebyscore(key, "-inf", now - KNOWN_FOR_MS)
    pipe.zrangebyscore(key, f"({now}", "+inf", start=0, num=WATCHED_AT_MOST)
    matches = [int(name) for name in pipe.execute()[-1]]
    if not matches:
        return {}
    for match_id in matches:
        pipe.hgetall(_counts_key(match_id))
    said = [_said((), counts).spectators for counts in pipe.execute()]
    return {match_id: count for match_id, count in zip(matches, said, strict=True) if count}


# -- on the site at all --------------------------------------------------------------------------


async def seen(user_id: int) -> None:
    """Note that somebody is here: a page, a stream or a program of theirs has just said so."""
    try:
        pipe = client_here().pipeline(transaction=False)
        _note(pipe, user_id)
        await pipe.execute()
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)


def seen_now(user_id: int) -> None:
    """The same, outside of an event loop."""
    try:
        pipe = sync_client().pipeline(transaction=False)
        _note(pipe, user_id)
        pipe.execute()
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)


def away_of(user_ids: Iterable[int], *, for_s: int) -> set[int]:
    """Those of these users of whom nothing was seen for so long. Nobody while that is not known:
    Redis does not answer or has lost what it held, or the site itself was away."""
    ids = sorted(set(user_ids))
    try:
        ours = sync_client()
        since = ours.get(_since_key())
        if not ids or since is None or int(since) > now_ms() - 1000 * for_s:
            if since is None:
                forget_since()
            return set()
        last = ours.mget([_seen_key(user_id) for user_id in ids])
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)
        return set()
    least = now_ms() - 1000 * for_s
    return {pk for pk, at in zip(ids, last, strict=True) if at is None or int(at) < least}


def forget_since() -> None:
    """Begin anew to count how long somebody was not seen."""
    try:
        sync_client().set(_since_key(), now_ms())
    except RedisError as error:
        log.warning("presence.failed", error=type(error).__name__)


def _note(pipe: Any, user_id: int) -> None:
    pipe.set(_seen_key(user_id), now_ms(), ex=24 * 3600)


def _seen_key(user_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:seen:{user_id}"


def _since_key() -> str:
    return f"{settings.REDIS_PREFIX}:seen-since"


@cache
def sync_client() -> Redis:
    """The connections of threads."""
    return client()


# -- shared --------------------------------------------------------------------------------------


_announced: dict[int, int] = {}


async def may_announce(match_id: int) -> bool:
    """Whether a change of the audience may be told to everybody now: once a second, so that a
    crowd that arrives together does not flood itself. Pongs carry the numbers in any case."""
    now = now_ms()
    if 0 <= now - _announced.get(match_id, 0) < ASK_EVERY_MS:
        return False
    if len(_announced) > 10_000:
        _announced.clear()
    _announced[match_id] = now
    try:
        key = f"{settings.REDIS_PREFIX}:presence-told:{match_id}"
        return bool(await client_here().set(key, 1, nx=True, ex=1))
    except RedisError:
        return False


def _exchange_soon(here: _Here) -> None:
    """Tell the others within a second, for all who come and go until then."""
    if not here.owing:
        here.owing = True
        asyncio.get_running_loop().call_later(ASK_EVERY_MS / 1000, _exchange_now, here)


def _exchange_now(here: _Here) -> None:
    here.owing = False
    if not here.is_empty:
        task = asyncio.get_running_loop().create_task(_exchange(here))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)


async def _exchange(here: _Here) -> None:
    """Tell the others who is here, and ask who is with them: one round trip, as much for a
    thousand sockets as for one."""
    here.asked_at = now_ms()
    async with here.asking:
        left = dict(here.left)
        try:
            pipe = client_here().pipeline(transaction=False)
            _tell(pipe, here)
            _ask(pipe, here.match_id)
            members, counts = (await pipe.execute())[-2:]
        except RedisError as error:
            log.warning("presence.failed", error=type(error).__name__)
            here.others = _Others()
        else:
            here.others = _said(members, counts, but=process_name())
            here.left = {seat: at for seat, at in here.left.items() if left.get(seat) != at}
            await _forget_dead(here.match_id, counts)
        here.answered = True


def _tell(pipe: Any, here: _Here) -> None:
    seats, counts = _seats_key(here.match_id), _counts_key(here.match_id)
    until = {seat: here.until(seat) for seat in _SEATS}
    scores = {f"{seat}:{process_name()}": at for seat, at in here.left.items()}
    scores |= {f"{seat}:{process_name()}": at for seat, at in until.items() if at is not None}
    pipe.zremrangebyscore(seats, "-inf", now_ms() - KNOWN_FOR_MS)
    if scores:
        pipe.zadd(seats, scores)
        pipe.pexpire(seats, KNOWN_FOR_MS)
        known = {seat for seat in _SEATS if seat in here.left or until[seat] is not None}
        looked = {f"{seat}:{process_name()}": here.in_sight_until(seat) or 0 for seat in known}
        pipe.zadd(_sight_key(here.match_id), looked)
        pipe.pexpire(_sight_key(here.match_id), PRESENT_FOR_MS)
    if here.until(ROOM) is None:
        pipe.hdel(counts, process_name())
    else:
        # Whoever has not been heard from is not counted the next time; this process, never again.
        told = f"{len(here.heard[ROOM])} {now_ms() + PRESENT_FOR_MS}"
        pipe.hset(counts, process_name(), told)
        pipe.pexpire(counts, PRESENT_FOR_MS)
        pipe.zadd(_watched_key(), {str(here.match_id): now_ms() + PRESENT_FOR_MS})


async def _forget_dead(match_id: int, counts: Mapping[bytes, bytes]) -> None:
    """Drop what processes have said that have long been silent."""
    long_ago = now_ms() - PRESENT_FOR_MS
    dead = [process for process, told in counts.items() if int(told.split()[1]) < long_ago]
    if dead:
        await client_here().hdel(_counts_key(match_id), *dead)


def _ask(pipe: Any, match_id: int) -> None:
    pipe.zrangebyscore(_seats_key(match_id), f"({now_ms()}", "+inf")
    pipe.hgetall(_counts_key(match_id))


def _said(members: Iterable[bytes], counts: Mapping[bytes, bytes], *, but: str = "") -> _Others:
    """What processes have said, all ``but`` one: of the seats, and of the spectators."""
    names = [name.decode().split(":", 1) for name in members]
    audiences = [audience for audience, process in names if process != but]
    spectators, now = 0, now_ms()
    for process, told in counts.items():
        count, until = map(int, told.split())
        if process.decode() != but and until > now:
            spectators += count
    return _Others(("0" in audiences, "1" in audiences), spectators)


def process_name() -> str:
    """What this process is known by."""
    # A process that was forked is another one.
    return f"{_IMPORTED}.{os.getpid()}"


def _seats_key(match_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:presence:{match_id}"


def _sight_key(match_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:presence-sight:{match_id}"


def _counts_key(match_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:presence-room:{match_id}"


def _watched_key() -> str:
    return f"{settings.REDIS_PREFIX}:presence-watched"


def client_here() -> AsyncRedis:
    """The connections of this event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        _clients[loop] = client_on_loop(at_once=8, socket_timeout=3)
    return _clients[loop]
