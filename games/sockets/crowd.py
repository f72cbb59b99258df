"""Hundreds who want to see the same match at the same moment: one reading of it for all of them.

Whoever asks is answered with a view that was begun to be read after they had asked. Those who come
while one is being read wait for the next, all of them for the same; so a crowd that arrives, or
that an end makes ask, costs a reading or two, however many they are.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

from django.db import InterfaceError, OperationalError

from core.refusals import Refusal
from games.audience import LATE, Reading
from games.engine.decisions import ROOM
from games.reading.shared import RoomView, room_view

# Matches of which something is known here: those that were looked at last.
AT_MOST: Final = 200

Run = Callable[..., Awaitable[Any]]


class _Shared:
    """What came of the latest reading of a match, and when that was begun."""

    def __init__(self) -> None:
        self.readers: Reading | None = None
        self.reading = asyncio.Lock()
        self.begun = float("-inf")
        self.outcome: RoomView | Exception = LookupError("not read yet")


class Crowd:
    """The views that the spectators of this process share."""

    def __init__(self) -> None:
        self._matches: OrderedDict[tuple[int, Reading], _Shared] = OrderedDict()

    def knows(self, match_id: int) -> Reading | None:
        """As which audience everybody may read a match, where it is known here that there is such a
        match."""
        shared = self._matches.get((match_id, ROOM))
        return None if shared is None else shared.readers

    def note(self, match_id: int, readers: Reading) -> None:
        """Know that there is, and who everybody is there: matches never go, and that stays."""
        self._shared(match_id, ROOM).readers = readers

    async def view(
        self, match_id: int, *, since: float, run: Run, audience: Reading = ROOM
    ) -> RoomView:
        """The view of a match that the room has, or whoever sees it late, its reading begun after
        ``since`` (monotonic, s) by ``run``, which makes a call in a thread.

        Raises Refusal ``match.none``, and whatever ``run`` does: for all who wait for it alike.
        """
        shared = self._shared(match_id, audience)
        if shared.begun < since:
            async with shared.reading:
                if shared.begun < since:
                    await self._read(match_id, audience, shared, run)
        if isinstance(shared.outcome, RoomView):
            return shared.outcome
        raise shared.outcome.with_traceback(None)

    def _shared(self, match_id: int, audience: Reading) -> _Shared:
        shared = self._matches.setdefault((match_id, audience), _Shared())
        self._matches.move_to_end((match_id, audience))
        while len(self._matches) > AT_MOST:
            self._matches.popitem(last=False)
        return shared

    async def _read(self, match_id: int, audience: Reading, shared: _Shared, run: Run) -> None:
        begun = time.monotonic()
        try:
            shared.outcome = await run(partial(room_view, match_id, late=audience == LATE))
        except (Refusal, OperationalError, InterfaceError) as error:
            shared.outcome = error  # for all who wait, lest each of them finds it out
        shared.begun = begun


_crowds: WeakKeyDictionary[asyncio.AbstractEventLoop, Crowd] = WeakKeyDictionary()


def here() -> Crowd:
    """The crowd of the running event loop."""
    return _crowds.setdefault(asyncio.get_running_loop(), Crowd())
