"""Round robin: everybody meets everybody, once or twice.

The timetable is made once, by the circle method, and does not change. What withdrawals do to the
results is worked out by `counted`, from the timetable and the results, each time anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from games.engine.errors import EngineFault
from tournaments.formats.field import Pairing, Player, Result, ResultBasis, by_seed, enough


def timetable(players: Iterable[Player], *, legs: int = 1) -> tuple[Pairing, ...]:
    """Every pairing of every round, in order; with an odd number one player rests each round.

    Circle method: one player stands still and the others go round. Nobody has one seat more than
    once more often than the other, over a leg; the second leg repeats the first with seats changed.
    Raises Refusal ``pairing.too-few`` below two players.
    """
    if legs not in (1, 2):
        raise EngineFault("a round robin has one leg or two")
    seats: list[int | None] = [player.id for player in by_seed(players)]
    enough(seats)
    if len(seats) % 2:
        seats.append(None)
    first = [pairing for number in range(len(seats) - 1) for pairing in _round(seats, number)]
    if legs == 1:
        return tuple(first)
    return (*first, *(_return_leg_of(pairing, len(seats) - 1) for pairing in first))


def _round(seats: Sequence[int | None], number: int) -> list[Pairing]:
    """One round; ``number`` from 0. The last place stands still, place ``number`` meets it."""
    turning = len(seats) - 1
    pairs = [(number, turning) if number % 2 == 0 else (turning, number)]
    for step in range(1, len(seats) // 2):
        ahead, behind = (number + step) % turning, (number - step) % turning
        # Each place is as often ahead as behind in a leg, so this balances its seats.
        pairs.append((ahead, behind) if step % 2 else (behind, ahead))
    made: list[Pairing] = []
    for one, other in pairs:
        home, away = seats[one], seats[other]
        if home is None:
            home, away = away, home
        if home is None:
            raise EngineFault("a round robin has one empty place at most")
        made.append(Pairing(number + 1, home, away))
    return made


def _return_leg_of(pairing: Pairing, leg: int) -> Pairing:
    if pairing.away is None:
        return Pairing(pairing.round + leg, pairing.home, None)
    return Pairing(pairing.round + leg, pairing.away, pairing.home)


_Key = tuple[int, frozenset[int]]


class Counted(msgspec.Struct, frozen=True):
    """The results of a round robin after withdrawals.

    ``results`` count, derived walkovers included; ``annulled`` were won and count for nobody;
    ``open`` are still to be played; ``out`` are the players who no longer stand in the table.
    """

    results: tuple[Result, ...]
    annulled: tuple[Result, ...]
    open: tuple[Pairing, ...]
    out: frozenset[int]


def counted(
    pairings: Iterable[Pairing], results: Iterable[Result], withdrawn: Sequence[int] = ()
) -> Counted:
    """Apply the rule on withdrawals, which is the custom of leagues and of the FIDE handbook.

    A player who leaves before having finished half of their matches leaves no trace: the results
    are annulled, for the opponents too, and the open matches are off. A player who leaves with half
    of them finished or more stays in the table; the remaining matches are walkovers for those who
    are still there. ``withdrawn`` lists players in the order in which they left. Finished are
    matches with a winner, walkovers included; byes are no matches. Results are matched to pairings
    by round and players; one that fits no pairing raises EngineFault.
    """
    order = {_key(pairing): pairing for pairing in pairings}
    known: dict[_Key, Result] = {}
    for result in results:
        if _key(result) not in order:
            raise EngineFault("a result belongs to no pairing of the timetable")
        if result.settled:
            known[_key(result)] = result
    out = _leave(order, known, withdrawn)
    counting: list[Result] = []
    annulled: list[Result] = []
    still_open: list[Pairing] = []
    for key, pairing in order.items():
        found = known.get(key)
        if not out.isdisjoint(key[1]):
            if found is not None and found.winner is not None:
                annulled.append(found)
        elif found is not None:
            counting.append(found)
        elif pairing.away is None:
            counting.append(Result(pairing.round, pairing.home, None, how=ResultBasis.BYE))
        else:
            still_open.append(pairing)
    return Counted(tuple(counting), tuple(annulled), tuple(still_open), out)


def _key(of: Pairing | Result) -> _Key:
    return of.round, frozenset(of.sides)


def _walkover(pairing: Pairing, *, loser: int) -> Result:
    winner = pairing.away if loser == pairing.home else pairing.home
    return Result(pairing.round, pairing.home, pairing.away, winner, how=ResultBasis.WALKOVER)


def _leave(
    order: Mapping[_Key, Pairing], known: dict[_Key, Result], withdrawn: Iterable[int]
) -> frozenset[int]:
    """Let players leave, one after the other; adds walkovers to ``known``.

    Answers with those who leave no trace.
    """
    out: set[int] = set()
    for player in withdrawn:
        mine = [key for key, pairing in order.items() if player in key[1] and len(key[1]) == 2]
        finished = sum(key in known and known[key].winner is not None for key in mine)
        if 2 * finished < len(mine):
            out.add(player)
            continue
        for key in mine:
            if key not in known and out.isdisjoint(key[1]):
                known[key] = _walkover(order[key], loser=player)
    return frozenset(out)
