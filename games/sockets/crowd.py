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
from typing import Any, Final
from weakref import WeakKeyDictionary

from django.db import InterfaceError, OperationalError

from core.refusals import Refusal
from games.reading.shared import RoomView, room_view

# Matches of which something is known here: those that were looked at last.
AT_MOST: Final = 200

Run = Callable[..., Awaitable[Any]]


class _Shared:
    """What came of the latest reading of a match, and when that was begun."""

    def __init__(self) -> None:
        self.exists = False
        self.reading = asyncio.Lock()
        self.begun = float("-inf")
        self.outcome: RoomView | Exception = LookupError("not read yet")


class Crowd:
    """The views that the spectators of this process share."""

    def __init__(self) -> None:
        self._matches: OrderedDict[int, _Shared] = OrderedDict()

    def knows(self, match_id: int) -> bool:
        """Whether it is known here that there is such a match for everybody to see."""
        return match_id in self._matches and self._matches[match_id].exists

    def note(self, match_id: int) -> None:
        """Know that there is; matches never go."""
        self._shared(match_id).exists = True

    async def view(self, match_id: int, *, since: float, run: Run) -> RoomView:
        """The room's view of a match, its reading begun after ``since`` (monotonic, s) by ``run``,
        which makes a call in a thread.

        Raises Refusal ``match.none``, and whatever ``run`` does: for all who wait for it alike.
        """
        shared = self._shared(match_id)
        if shared.begun < since:
            async with shared.reading:
                if shared.begun < since:
                    await self._read(match_id, shared, run)
        if isinstance(shared.outcome, RoomView):
            return shared.outcome
        raise shared.outcome.with_traceback(None)

    def _shared(self, match_id: int) -> _Shared:
        shared = self._matches.setdefault(match_id, _Shared())
        self._matches.move_to_end(match_id)
        while len(self._matches) > AT_MOST:
            self._matches.popitem(last=False)
        return shared

    async def _read(self, match_id: int, shared: _Shared, run: Run) -> None:
        begun = time.monotonic()
        try:
            shared.outcome = await run(room_view, match_id)
        except (Refusal, OperationalError, InterfaceError) as error:
            shared.outcome = error  # for all who wait, lest each of them finds it out
        shared.begun = begun


_crowds: WeakKeyDictionary[asyncio.AbstractEventLoop, Crowd] = WeakKeyDictionary()


def here() -> Crowd:
    """The crowd of the running event loop."""
    return _crowds.setdefault(asyncio.get_running_loop(), Crowd())
