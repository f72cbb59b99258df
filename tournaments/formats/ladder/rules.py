"""Ladder: an order of players; whoever beats somebody above takes their rung.

The order is never stored. It is the seeds, folded over the settled challenges in the order in which
they were made, which a correction does not change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from core.refusals import Refusal
from tournaments.formats.field import Player, Result, Rung, by_seed


def rungs_of(
    players: Iterable[Player], results: Iterable[Result], withdrawn: Collection[int] = ()
) -> tuple[Rung, ...]:
    """The ladder, top rung first.

    ``results`` in the order of the challenges, the challenger on seat 0; open and void ones change
    nothing, nor does a defence, also where a correction has since changed who stands above. A late
    entry has a seed below all others and so begins at the foot, which is the same as if it had
    stood there from the start. Who has withdrawn leaves the ladder and everybody below moves up.
    """
    order = [player.id for player in by_seed(players)]
    beaten: dict[int, int] = {}
    passed_by: dict[int, list[int]] = {player: [] for player in order}
    for result in results:
        if result.winner != result.home or result.loser is None:
            continue
        old, order = order, moved(order, winner=result.winner, loser=result.loser)
        if order == old:
            continue
        beaten[result.winner] = result.loser
        passed_by[result.winner] = []
        for player in old[old.index(result.loser) : old.index(result.winner)]:
            passed_by[player].append(result.winner)
    rungs, gone = [], []
    for player in order:
        if player in withdrawn:
            gone.append(player)
            continue
        rungs.append(
            Rung(
                player,
                beaten.get(player),
                tuple(other for other in passed_by[player] if other not in withdrawn),
                tuple(other for other in gone if other not in passed_by[player]),
            )
        )
    return tuple(rungs)


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


def must_be_two(challenger: int, defender: int) -> None:
    """Raises Refusal ``ladder.self``."""
    if challenger == defender:
        raise Refusal("ladder.self", "Nobody challenges themselves.")


def check(
    order: Sequence[int],
    *,
    challenger: int,
    defender: int,
    reach: int,
    busy: Collection[int] = (),
    names: Mapping[int, str] | None = None,
) -> None:
    """Refuse a challenge that may not be made; ``names`` are what sentences call the players.

    Raises Refusal ``ladder.unknown`` (not on the ladder), ``ladder.self``, ``ladder.not-above``,
    ``ladder.out-of-reach``, ``ladder.busy`` (one of the two has a challenge open).
    """
    known = names or {}
    one, other = known.get(challenger, "The challenger"), known.get(defender, "That player")
    for player, name in ((challenger, one), (defender, other)):
        if player not in order:
            raise Refusal("ladder.unknown", f"{name} is not on the ladder.")
    must_be_two(challenger, defender)
    distance = order.index(challenger) - order.index(defender)
    if distance < 0:
        sentence = f"{other} stands below {one}: a challenge goes up the ladder."
        raise Refusal("ladder.not-above", sentence)
    if distance > reach:
        rungs = "rung" if reach == 1 else "rungs"
        raise Refusal(
            "ladder.out-of-reach",
            f"A challenge goes up to {reach} {rungs} above; {other} is {distance} above {one}.",
        )
    if challenger in busy:
        raise Refusal("ladder.busy", f"{one} has a challenge open already.")
    if defender in busy:
        raise Refusal("ladder.busy", f"{other} has a challenge open already.")
