"""Ladder: an order of players; whoever beats somebody above takes their rung.

The order is never stored. It is the seeds, folded over the settled challenges in the order in which
they were made, which a correction does not change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from games.engine.errors import Refusal
from tournaments.pairing.field import Player, Result, by_seed


def order_of(
    players: Iterable[Player], results: Iterable[Result], withdrawn: Collection[int] = ()
) -> tuple[int, ...]:
    """The ladder, top rung first.

    ``results`` in the order of the challenges, the challenger on seat 0; open and void ones change
    nothing, nor does a defence, also where a correction has since changed who stands above. A late
    entry has a seed below all others and so begins at the foot, which is the same as if it had
    stood there from the start. Who has withdrawn leaves the ladder and everybody below moves up.
    """
    order = [player.id for player in by_seed(players)]
    for result in results:
        if result.winner == result.home and result.loser is not None:
            order = moved(order, winner=result.winner, loser=result.loser)
    return tuple(player for player in order if player not in withdrawn)


def moved(order: Sequence[int], *, winner: int, loser: int) -> list[int]:
    """The order after one challenge.

    A winner from below takes the loser's rung, and the loser and all between them go down by one.
    Where the upper one wins nothing moves.
    """
    changed = list(order)
    if changed.index(winner) > changed.index(loser):
        changed.remove(winner)
        changed.insert(changed.index(loser), winner)
    return changed


def in_reach(
    order: Sequence[int], challenger: int, reach: int, busy: Collection[int] = ()
) -> tuple[int, ...]:
    """Whom the challenger may challenge now, nearest first: up to ``reach`` rungs above, not busy.

    Empty for somebody who is busy (a challenge is open, on either side of it) or not on the ladder.
    """
    if challenger not in order or challenger in busy:
        return ()
    rung = order.index(challenger)
    return tuple(other for other in order[max(0, rung - reach) : rung][::-1] if other not in busy)


def check(
    order: Sequence[int],
    *,
    challenger: int,
    defender: int,
    reach: int,
    busy: Collection[int] = (),
) -> None:
    """Refuse a challenge that may not be made.

    Raises Refusal: ``ladder.unknown`` (not on the ladder), ``ladder.self``, ``ladder.not-above``,
    ``ladder.out-of-reach``, ``ladder.busy`` (one of the two has a challenge open).
    """
    if challenger not in order or defender not in order:
        raise Refusal("ladder.unknown", "One of the two is not on the ladder.")
    distance = order.index(challenger) - order.index(defender)
    if distance == 0:
        raise Refusal("ladder.self", "Nobody challenges themselves.")
    if distance < 0:
        raise Refusal("ladder.not-above", "A challenge goes to somebody higher on the ladder.")
    if distance > reach:
        rungs = "rung" if reach == 1 else "rungs"
        raise Refusal(
            "ladder.out-of-reach",
            f"A challenge goes up to {reach} {rungs} above; that player is {distance} above.",
        )
    if challenger in busy:
        raise Refusal("ladder.busy", "The challenger has a challenge open already.")
    if defender in busy:
        raise Refusal("ladder.busy", "That player has a challenge open already.")
