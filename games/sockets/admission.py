"""The door: whom to see to first when hundreds of sockets arrive at the same moment.

After a restart everybody comes back at once. Finding out who somebody is and what they may see
takes a thread and milliseconds of the processor; done in the order of arrival, players would wait
behind the crowd while their clocks run, and work for clients that have long given up would keep
everybody else out. So arrivals take turns in part of the threads for reads (those who are inside
have the others, and no move waits for any of them), players first, nobody who has gone, and no more
at a time than can be seen to before they lose patience: others are asked to come back later, at
once.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from enum import IntEnum
from typing import ParamSpec, TypeVar

from django.conf import settings

from core import metrics
from games.sockets.executor import in_read_thread

P = ParamSpec("P")
R = TypeVar("R")

Gone = Callable[[], bool]
StillWaits = Callable[[], Awaitable[None]]

LOOK_EVERY_S = 1.0
SAY_EVERY_S = 4.0


class Rank(IntEnum):
    """Who goes first; within a rank, whoever came first."""

    PLAYING = 0  # or refereeing: their match waits for them
    NAMED = 1  # shows a session or a token; may turn out to play
    WATCHING = 2
    PASSING = 3  # the lobby


class FullError(Exception):
    """More are arriving than can be seen to in time."""


class GoneError(Exception):
    """The client has left before its turn came."""


class _Place:
    """One who waits for a turn."""

    def __init__(self, arrival: Arrival) -> None:
        self.arrival = arrival
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def waits(self) -> bool:
        """Whether it is still to be called; who has gone is told so on the way."""
        if not self.turn.done() and self.arrival.gone():
            self.turn.set_exception(GoneError)
        return not self.turn.done()


class Arrival:
    """One socket on its way in."""

    def __init__(self, door: Door, gone: Gone, still_waits: StillWaits | None) -> None:
        self.door = door
        self.gone = gone
        self.still_waits = still_waits
        self.turns = 0

    async def turn(self, rank: Rank, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a call in a thread once this rank's turn has come.

        Raises GoneError, and FullError for a first turn; the call is not made then.
        """
        async with self.place(rank):
            return await in_read_thread(call, *args, **kwargs)

    @asynccontextmanager
    async def place(self, rank: Rank) -> AsyncIterator[None]:
        """Have the block run once this rank's turn has come, for one who may need no thread.

        Raises GoneError, and FullError for a first turn; the block is not run then.
        """
        await self.door.take(self, rank)
        self.turns += 1
        try:
            yield
        finally:
            self.door.give_back()


class Door:
    """The queue of one process."""

    def __init__(self, *, at_a_time: int, at_most: int) -> None:
        self.free = at_a_time
        self.at_most = at_most
        self.arriving = 0
        self.places: dict[Rank, deque[_Place]] = {rank: deque() for rank in Rank}
        self._looked_at = 0.0

    @contextmanager
    def arrival(
        self, rank: Rank, gone: Gone = lambda: False, still_waits: StillWaits | None = None
    ) -> Iterator[Arrival]:
        """Count a socket as arriving for as long as the block takes. ``gone`` tells whether its
        client has left; ``still_waits`` is called now and then while it waits, so that its client
        need not take the server for dead: one that gives up has to begin from the beginning, and
        the work of its handshake was for nothing.

        Raises FullError where there is no room for its rank; those who wait for their first turn
        make room for somebody of a better one."""
        if self.arriving >= self.at_most and not self._makes_room_for(rank):
            raise FullError
        self.arriving += 1
        try:
            yield Arrival(self, gone, still_waits)
        finally:
            self.arriving -= 1

    async def take(self, arrival: Arrival, rank: Rank) -> None:
        """Wait for a turn. Raises FullError or GoneError."""
        if arrival.gone():
            raise GoneError
        if self.free:
            self.free -= 1
            return
        place = _Place(arrival)
        self.places[rank].append(place)
        try:
            while not place.turn.done():
                await asyncio.wait((place.turn,), timeout=SAY_EVERY_S)
                if not place.turn.done() and arrival.still_waits is not None:
                    await arrival.still_waits()
            place.turn.result()
        except asyncio.CancelledError:
            if not place.turn.done():
                place.turn.cancel()
            elif place.turn.exception() is None:
                self.give_back()  # it was called at the same moment
            raise

    def give_back(self) -> None:
        """A turn is over: call the next."""
        for places in self.places.values():
            while places:
                place = places.popleft()
                if place.waits:
                    place.turn.set_result(None)
                    return
        self.free += 1

    def _makes_room_for(self, rank: Rank) -> bool:
        self._forget_the_gone()
        for worse in reversed(Rank):
            if worse <= rank:
                return False
            for place in reversed(self.places[worse]):
                if not place.arrival.turns and place.waits:
                    place.turn.set_exception(FullError)
                    self.places[worse].remove(place)
                    return True
        return False

    def _forget_the_gone(self) -> None:
        """End the waiting of all who have left; their arrivals are counted off a moment later."""
        now = time.monotonic()
        if now - self._looked_at > LOOK_EVERY_S:
            self._looked_at = now
            for rank, places in self.places.items():
                self.places[rank] = deque(place for place in places if place.waits)


# Half of the threads: the others are for those who are inside, and more of them would only take the
# processor from the event loop, which has the handshakes to answer.
DOOR = Door(
    at_a_time=max(1, settings.GAUNTLET_READ_THREADS // 2), at_most=settings.GAUNTLET_ARRIVALS
)

metrics.looked_up("arrivals", "Sockets that are on their way in.", (), lambda: {(): DOOR.arriving})
metrics.looked_up(
    "arrivals_waiting",
    "Those of them that wait for their turn, by who goes first.",
    ("rank",),
    lambda: {(rank.name.lower(),): len(places) for rank, places in DOOR.places.items()},
)
