"""What a bot listens to: its events and its matches, as lines of JSON over plain HTTP.

A stream tells first how things stand and then every change. What comes over the channel layer is a
hint here as everywhere: a stream looks for itself every few seconds, so that nothing is lost with a
broker that was away. An empty line says that the stream is alive.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from abc import ABC, abstractmethod
from asyncio import FIRST_COMPLETED
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
import structlog
from django.db import InterfaceError, OperationalError
from redis.exceptions import RedisError

from accounts.connections.validity import Stands
from accounts.models import User
from core import metrics
from core.clock import now_ms, now_utc
from core.refusals import Refusal
from games import presence
from games.audience import READINGS, as_seat, group_of, user_group_of
from games.engine.decisions import ROOM, Audience, Seat
from games.models import Challenge, Match
from games.options.terms import is_rated, terms_of
from games.publishing import frames
from games.publishing.publish import VERSION, Heard
from games.reading import selectors
from games.reading.matches import standing_of, versions_of
from games.reading.readers import reader_of
from games.services.arrivals import match_attend, nonce_commit
from games.sockets import crowd, rooms
from games.sockets.executor import in_read_thread, in_turn_thread
from games.sockets.rooms import Room

log = structlog.get_logger("gauntlet.streams")

LOOK_EVERY_S = 7.0
OPEN_AT_ONCE = 24  # per user and process
# What a stream has not got to yet, since its reader does not read. It finds out what is dropped.
HEARD_AT_MOST = 500
# How often a stream asks whether its sign-in still stands, beside being told.
STANDS_EVERY_S = 15.0
AWAY = (OperationalError, InterfaceError, RedisError)

_open: set[Stream] = set()


class Ear:
    """What is told to a stream, for when it is ready."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[Heard] = asyncio.Queue()

    def hear(self, heard: Heard) -> None:
        """Take a frame of a group."""
        if self.heard.qsize() < HEARD_AT_MOST:
            self.heard.put_nowait(heard)


class Stream(ABC):
    """One open answer. Iterating gives encoded lines until the reader goes, the server ends or
    there is nothing more to tell."""

    reads_as = "events"  # for whoever counts

    def __init__(
        self, user: User, *, until: datetime | None = None, stands: Stands | None = None
    ) -> None:
        """``until``: when the token expires that the stream was opened with; ``stands``: asks
        whether the sign-in still does."""
        self.user = user
        self.until = until
        self.stands = stands
        self.asks_next = time.monotonic() + STANDS_EVERY_S
        # By which presence knows it.
        self.name = uuid.uuid4().hex
        self._ending: asyncio.Event | None = None

    @abstractmethod
    def groups(self) -> tuple[str, ...]:
        """The channel groups to listen to."""

    async def listen(self, room: Room, ear: Ear) -> None:
        """Have the reader told of what concerns them."""
        await room.join(ear, *self.groups())

    @abstractmethod
    def begin(self) -> AsyncIterator[dict[str, Any]]:
        """How things stand."""

    @abstractmethod
    def look(self) -> AsyncIterator[dict[str, Any]]:
        """What has changed without our being told, if anything."""

    @abstractmethod
    def hear(self, heard: Heard) -> AsyncIterator[dict[str, Any]]:
        """What a frame means for the reader."""

    @property
    def is_done(self) -> bool:
        """Whether there will be nothing more to tell."""
        return False

    @abstractmethod
    async def leave(self) -> None:
        """The reader has gone."""

    def end(self) -> None:
        """Tell the reader that the server is about to stop, and stop."""
        if self._ending is not None:
            self._ending.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._ending = asyncio.Event()
        _open.add(self)
        room = rooms.here()
        ear = Ear()
        receiving: asyncio.Task[Heard] | None = None
        ending = asyncio.create_task(self._ending.wait())
        try:
            # Groups first, then the state: a change in between is told twice rather than never.
            await self.listen(room, ear)
            async for line in self._lines(self.begin()):
                yield line
            while not self.is_done:
                receiving = receiving or asyncio.create_task(ear.heard.get())
                await asyncio.wait(
                    {receiving, ending}, timeout=self._patience(), return_when=FIRST_COMPLETED
                )
                over = await self._why_over(ending.done())
                if over is not None:
                    yield _line(over)
                    return
                if not receiving.done():
                    yield b"\n"
                    async for line in self._lines(self.look()):
                        yield line
                    continue
                heard = receiving.result()
                receiving = None
                if heard.kind == "user.changed":
                    yield _line(closing("account.changed", "Your sign-in has changed."))
                    return
                async for line in self._lines(self.hear(heard)):
                    yield line
        except AWAY as error:
            log.warning("stream.away", error=type(error).__name__)
            yield _line(closing("service.away", "The server cannot do this right now."))
        finally:
            _open.discard(self)
            ending.cancel()
            if receiving is not None:
                receiving.cancel()
            await self._forget(room, ear)

    async def _why_over(self, restarting: bool) -> dict[str, Any] | None:
        """The last line, where the stream cannot go on."""
        if self.until is not None and self.until <= now_utc():
            return closing("token.refused", "This token is no longer good.")
        if restarting:
            return closing("server.restart", "The server restarts. Come back.")
        if not await self._still_stands():
            return closing("account.changed", "Your sign-in has changed.")
        return None

    async def _still_stands(self) -> bool:
        if self.stands is None or time.monotonic() < self.asks_next:
            return True
        self.asks_next = time.monotonic() + STANDS_EVERY_S
        return await in_read_thread(self.stands)

    def _patience(self) -> float:
        """How long to wait for something to be told, in seconds."""
        if self.until is None:
            return LOOK_EVERY_S
        left = (self.until - now_utc()).total_seconds()
        return min(LOOK_EVERY_S, max(0.0, left))

    async def _lines(self, frames: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
        async for frame in frames:
            yield _line(frame)

    async def _forget(self, room: Room, ear: Ear) -> None:
        await room.leave(ear)
        try:
            await self.leave()
        except AWAY as error:
            log.warning("stream.away", error=type(error).__name__)


def room_for(user: User) -> None:
    """Raise Refusal ``stream.too-many`` where this user has as many streams open as there may be
    in one process."""
    if sum(stream.user.pk == user.pk for stream in list(_open)) >= OPEN_AT_ONCE:
        raise Refusal("stream.too-many", f"At most {OPEN_AT_ONCE} streams at once, please.")


def end_all() -> None:
    """End every stream of this process: the server is about to stop."""
    for stream in list(_open):
        stream.end()


def _by_reader() -> metrics.Figures:
    found = Counter(stream.reads_as for stream in list(_open))
    return {(name,): found[name] for name in ("player", "room", "events")}


metrics.looked_up("streams_open", "Open streams, by as whom they read.", ("reader",), _by_reader)


def closing(code: str, sentence: str) -> dict[str, Any]:
    """The last line of a stream that does not end by itself."""
    return {"type": "closing", "code": code, "sentence": sentence}


def _line(frame: Mapping[str, Any]) -> bytes:
    return frames.encoded(dict(frame)).encode() + b"\n"


# -- one match -----------------------------------------------------------------------------------


class MatchStream(Stream):
    """A match as its reader may see it: a `sync`, then the frames of the sockets; ends with it."""

    def __init__(
        self,
        user: User,
        match_id: int,
        *,
        commitment: str = "",
        plays: bool = True,
        **opened: Any,
    ) -> None:
        """``commitment``: what a player's program adds to the draws of a match that waits;
        ``plays``: whether it may play at all, else its player is not there by it. Raises Refusal
        ``match.none``, ``account.closed`` and ``draws.commitment``; where a commitment is not taken
        otherwise, as when it is too late, the stream says so and goes on."""
        super().__init__(user, **opened)
        self.match_id = match_id
        self.audience, self.organise = standing_of(match_id, user)
        self.seat = as_seat(self.audience)
        self._not_taken: Refusal | None = None
        if commitment and self.seat is not None:
            # Before anybody knows that they are here, so that the match cannot begin without it.
            self._not_taken = self._commit(commitment, self.seat)
        #: Where presence counts it.
        self.place: Audience = self.seat if plays and self.seat is not None else ROOM
        self.reads_as = "room" if self.seat is None else "player"
        self.version = 0
        self._over = self._waits = False

    def _commit(self, commitment: str, seat: Seat) -> Refusal | None:
        """Take what a program adds to the match's draws; why not, where it comes for nothing."""
        try:
            nonce_commit(
                match_id=self.match_id,
                acting_user=self.user,
                seat=seat,
                commitment=commitment,
                at=now_ms(),
            )
        except Refusal as refusal:
            if not refusal.code.startswith("draws.") or refusal.code == "draws.commitment":
                raise
            metrics.REFUSALS.inc("stream", refusal.code)
            return refusal
        return None

    def groups(self) -> tuple[str, ...]:
        return group_of(self.match_id, self.audience), user_group_of(self.user.pk)

    async def listen(self, room: Room, ear: Ear) -> None:
        await room.watch(ear, self.match_id, self.audience)
        await super().listen(room, ear)

    @property
    def is_done(self) -> bool:
        return self._over

    async def begin(self) -> AsyncIterator[dict[str, Any]]:
        sync = await self._sync()
        yield sync
        if self._not_taken is not None:
            yield frames.refused_frame(None, self._not_taken)
        await self._attend(sync["presence"])

    async def _attend(self, there: dict[str, Any]) -> None:
        """A match that waits for its players may begin now that one of them is here."""
        await presence.seen(self.user.pk)
        if self._waits and self.place != ROOM:
            seats = tuple(there["seats"])
            begun = partial(match_attend, match_id=self.match_id, there=seats, at=now_ms())
            self._waits = not await in_turn_thread(begun)

    async def look(self) -> AsyncIterator[dict[str, Any]]:
        await self._attend(await presence.arrive(self.match_id, self.place, self.name))
        versions = await in_read_thread(versions_of, self.match_id)
        if versions[READINGS.index(self.audience)] > self.version:
            await self._stand_anew()
            yield await self._sync()

    async def hear(self, heard: Heard) -> AsyncIterator[dict[str, Any]]:
        if heard.kind == VERSION:
            if (heard.version or 0) > self.version:
                yield await self._sync()
            return
        frame = msgspec.json.decode(heard.data)
        if frame.get("match") != self.match_id:
            return
        if frame["type"] == "step":
            if frame["version"] <= self.version:
                return
            missed = frame["version"] > self.version + 1
            self.version = frame["version"]
            if missed or frame["resync"]:
                await self._stand_anew()
                yield await self._sync()
                return
        yield frame

    async def leave(self) -> None:
        await presence.leave(self.match_id, self.place, self.name)

    async def _stand_anew(self) -> None:
        """Find out what somebody who watches may do now."""
        if self.seat is None:
            self.audience, self.organise = await in_read_thread(
                standing_of, self.match_id, self.user
            )

    async def _sync(self) -> dict[str, Any]:
        sync = await self._read()
        there = await presence.arrive(self.match_id, self.place, self.name)
        self.version = sync["version"]
        return {**sync, "presence": there}

    async def _read(self) -> dict[str, Any]:
        """The `sync` frame as things stand. Spectators share it, by sockets and streams alike."""
        if self.seat is not None:
            reader = await in_read_thread(reader_of, self.match_id, self.user)
            self._over = reader.over
            self._waits = reader.sync["view"]["phase"] == "waiting"
            return reader.sync
        shared = crowd.here()
        view = await shared.view(
            self.match_id,
            audience=self.audience,
            since=time.monotonic(),
            run=in_read_thread,
        )
        self._over, self._waits = view.over, view.waits
        return view.sync(at=now_ms(), organise=self.organise)


# -- everything that concerns somebody -----------------------------------------------------------


class EventStream(Stream):
    """What happens to a player: their matches begin and end, challenges come and go."""

    def __init__(self, user: User, **opened: Any) -> None:
        super().__init__(user, **opened)
        self._matches: dict[int, dict[str, Any]] = {}
        self._challenges: dict[int, dict[str, Any]] = {}

    def groups(self) -> tuple[str, ...]:
        return (user_group_of(self.user.pk),)

    async def begin(self) -> AsyncIterator[dict[str, Any]]:
        async for each in self.look():
            yield each
        yield {"type": "caught-up", "now": now_ms()}

    async def hear(self, heard: Heard) -> AsyncIterator[dict[str, Any]]:
        # Whatever the frame says, the database knows better.
        async for each in self.look():
            yield each

    async def look(self) -> AsyncIterator[dict[str, Any]]:
        await presence.seen(self.user.pk)
        matches, challenges = await in_read_thread(_concerning, self.user)
        for gone in self._challenges.keys() - challenges.keys():
            status = await in_read_thread(_status_of, gone)
            yield {"type": "challenge.closed", "challenge": gone, "status": status}
        for number, challenge in challenges.items():
            if number not in self._challenges:
                yield {"type": "challenge.received", **challenge}
        for number, match in matches.items():
            if number not in self._matches:
                yield {"type": "match.started", **match}
        for gone in self._matches.keys() - matches.keys():
            yield {"type": "match.ended", **await in_read_thread(_ending_of, gone)}
        self._matches, self._challenges = matches, challenges

    async def leave(self) -> None:
        """Nobody is told who listens to their events."""


def _concerning(user: User) -> tuple[dict[int, dict[str, Any]], dict[int, dict[str, Any]]]:
    matches = {
        match.pk: {
            "match": match.pk,
            "url": match.get_absolute_url(),
            "ruleset": match.ruleset,
            "variant": match.variant,
            "seat": next(p.seat for p in match.players.all() if p.user_id == user.pk),
            "seats": [
                {"name": p.name, "username": p.user.username if p.user else None}
                for p in match.players.all()
            ],
        }
        for match in selectors.matches_live(user).filter(players__user=user)
    }
    challenges = {
        challenge.pk: {
            "challenge": challenge.pk,
            "from": challenge.challenger.username,
            "ruleset": challenge.ruleset,
            "variant": challenge.variant,
            "options": challenge.options,
            "message": challenge.message,
            "advantage": challenge.advantage,
            "rated": is_rated(challenge),
            "terms": terms_of(challenge),
            "expires_at": int(challenge.expires_at.timestamp() * 1000),
        }
        for challenge in selectors.challenges_to(user)
    }
    return matches, challenges


def _status_of(challenge_id: int) -> str:
    status = Challenge.objects.values_list("status", flat=True).get(pk=challenge_id)
    # It may have lapsed a moment before the sweep says so.
    return "expired" if status == Challenge.Status.OPEN else status


def _ending_of(match_id: int) -> dict[str, Any]:
    match = Match.objects.only("winner", "reason", "scores").get(pk=match_id)
    return {
        "match": match_id,
        "result": {"winner": match.winner, "reason": match.reason, "scores": match.scores},
    }
