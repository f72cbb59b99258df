"""The live matches that turns of this process have left behind, as they were committed.

A hint, and nothing more: what is remembered of a match may be old as soon as it is read, since
other processes, workers and organisers write to the same row. So whoever uses it writes only if
the row is still the one that was remembered (`Held.written_by`), and asks the row otherwise.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import count
from threading import Lock
from typing import Final

from games.store import Held

# Three to thirty KB each: most parts of a state are shared with others of its game.
AT_MOST: Final = 2000

_lock = Lock()
_spells = count()
_spell = next(_spells)
_matches: OrderedDict[int, Held] = OrderedDict()


def remembered(match_id: int) -> Held | None:
    """The match as it was committed when this process last had it in hand; None if it never had,
    or has had too many others since."""
    with _lock:
        held = _matches.get(match_id)
        if held is not None:
            _matches.move_to_end(match_id)
        return held


def remember(held: Held) -> None:
    """Keep a match as it was committed; one that is over is not needed any more."""
    with _lock:
        _matches.pop(held.match_id, None)
        # What is written besides a turn of a match that is seen late takes a transaction.
        if held.is_over or not held.written_by or held.late_s:
            return
        _matches[held.match_id] = held
        if len(_matches) > AT_MOST:
            _matches.popitem(last=False)


def forget_all() -> None:
    """Forget every match: the database may be another one, which counts its transactions anew."""
    global _spell  # noqa: PLW0603  (of this process)
    with _lock:
        _matches.clear()
        _spell = next(_spells)


def spell() -> int:
    """A number that is another one after `forget_all`: what is kept elsewhere of rows, by the
    transactions that wrote them, holds as long as it is the same."""
    return _spell
