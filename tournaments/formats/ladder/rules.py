"""Ladder: an order of players; whoever beats somebody above takes their rung.

The order is never stored. It is the seeds, folded over the settled challenges in the order in which
they were made, which a correction does not change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from core.refusals import Refusal
from tournaments.formats.field import Player, Result, by_seed

# How many names a sentence lists before it counts the others.
_NAMED = 3


class Rung(msgspec.Struct, frozen=True):
    """Who stands on a rung, and how that came about.

    ``beaten`` is whose rung they took last; None: they are where their seed put them.
    ``passed_by`` have since taken a rung above them, in that order, ``gone`` stand above them but
    have withdrawn: without the one they would be higher up, without the other further down.
    """

    player: int
    beaten: int | None
    passed_by: tuple[int, ...]
    gone: tuple[int, ...]

    def why(self, seed: int, names: Mapping[int, str]) -> str:
        """The same as sentences. ``seed`` is the player's."""
        if self.beaten is None:
            sentences = [f"Entered with seed {seed}."]
        else:
            sentences = [f"Took the rung from {names[self.beaten]}."]
        if self.passed_by:
            sentences.append(f"Since passed by {_list_of(self.passed_by, names)}.")
        if self.gone:
            have = "has" if len(self.gone) == 1 else "have"
            sentences.append(f"{_list_of(self.gone, names)}, above, {have} left.")
        return " ".join(sentences)


def _list_of(players: Sequence[int], names: Mapping[int, str]) -> str:
    if len(players) > _NAMED:
        return f"{len(players)} others"
    said = [names[player] for player in players]
    return " and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


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

    Raises Refusal: ``ladder.unknown`` (not on the ladder), ``ladder.self``, ``ladder.not-above``,
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
