"""The legal answers to what is asked of a seat, where they can be listed.

They are those of a position that looks to the seat like the real one: its view, with what is hidden
guessed (`determinize`). So the list can tell nothing that its reader does not know; and since what
a player may do never hangs on what they cannot know, it is the list of the real position, too.

Whoever types is offered them with each letter, and nothing has changed since the last: the process
keeps what it has listed, for that person, that seat and that version of the match alone.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

from core import chance
from games import store
from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.reading.matches import versions_of
from games.store import Held
from games.thinking import open_decision

# How many answers are looked through for those that are wanted.
LOOKED_THROUGH: Final = 4000
# For how many seconds a list is kept, and how many of them: each is a few hundred KB at most.
KEPT_S: Final = 60.0
KEPT_MOST: Final = 40


class _Key(NamedTuple):
    match_id: int
    seat: Seat
    version: int
    reader_id: int


_lock = Lock()
_lists: OrderedDict[_Key, tuple[float, Sequence[str]]] = OrderedDict()


def legal_offered(
    match_id: int,
    seat: Seat,
    typed: str,
    *,
    reader_id: int,
    at_most: int,
    random: RandomSource = chance.system,
) -> list[str]:
    """Up to ``at_most`` legal answers to what is asked of ``seat``, in canonical notation: those
    that begin as what was ``typed``, then others that hold it. Empty where they cannot be listed.
    ``reader_id``: the account that sits there and types.

    Raises Refusal as `open_decision` does.
    """
    # Before the match is read: what is newer by then is kept for nobody who asks later.
    key = _Key(match_id, seat, versions_of(match_id)[seat], reader_id)
    listed = _kept(key)
    if listed is None:
        listed = _listed(store.read(match_id), seat, random)
        _keep(key, listed)
    return _like(listed, typed, at_most)


def _kept(key: _Key) -> Sequence[str] | None:
    with _lock:
        until, listed = _lists.get(key, (0.0, ()))
        return listed if until > time.monotonic() else None


def _keep(key: _Key, listed: Sequence[str]) -> None:
    with _lock:
        _lists.pop(key, None)
        _lists[key] = (time.monotonic() + KEPT_S, listed)
        if len(_lists) > KEPT_MOST:
            _lists.popitem(last=False)


def _listed(held: Held, seat: Seat, random: RandomSource) -> Sequence[str]:
    decision = open_decision(held.live, seat)
    if held.live.table.state is None or not held.ruleset.enumerable(decision):
        return []
    view = held.ruleset.view(held.live.table.state, 1 if seat else 0)
    guess = held.ruleset.determinize(view, seat, random)
    moves = islice(held.ruleset.legal(guess, decision), LOOKED_THROUGH)
    return [held.ruleset.print(move) for move in moves]


def _like(listed: Sequence[str], typed: str, at_most: int) -> list[str]:
    wanted = typed.strip().casefold()
    begin: list[str] = []
    hold: list[str] = []
    for text in listed:
        if text.casefold().startswith(wanted):
            begin.append(text)
            if len(begin) == at_most:
                break
        elif wanted in text.casefold() and len(hold) < at_most:
            hold.append(text)
    return [*begin, *hold][:at_most]
