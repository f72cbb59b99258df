"""Swiss: each round brings together players with equal points who have not met.

A round is a minimum-weight perfect matching. What a pair costs is, in this order and never traded
against each other:

1. the square of how many points the two are apart, so that one far pair is worse than two near;
2. how badly both want the same seat, having had it less often;
3. how far the pair is from the customary fold: the upper half of a group of equal points meets its
   lower half in order, and where a group must give somebody up, neighbours of two groups meet.

Up to `COMPLETE` players every possible pair is weighed, and the round is the best there is. Beyond
it, only pairs near in the standings are, and more of them only when those leave somebody over: the
cost of looking at all of them grows with the third power of the field.

Points are one for a win, a walkover or a bye. Late entries have none for the rounds they missed.
Whoever has withdrawn is simply not handed in any more.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property

import msgspec
import networkx as nx

from core.refusals import Refusal
from games.engine.errors import EngineFault
from tournaments.formats.field import Pairing, Player, Result, ResultBasis, by_seed, enough

#: Fields up to this size are paired from all possible pairs.
COMPLETE = 128
#: How many neighbours to each side are candidates in larger fields, try by try.
REACHES = (4, 16, 64)


class PairedRound(msgspec.Struct, frozen=True):
    """A round: pairings from the top table down, a bye last. ``rematches`` are among them."""

    pairings: tuple[Pairing, ...]
    rematches: tuple[Pairing, ...] = ()


class Field:
    """The players of a round and what the results so far say of them.

    Ordered by points, then seed. A void match does not count as a meeting.
    """

    def __init__(self, players: Iterable[Player], results: Iterable[Result]) -> None:
        entered = by_seed(players)
        self._seed = {player.id: player.seed for player in entered}
        self.points: Counter[int] = Counter()
        self.byes: Counter[int] = Counter()
        self.seats: Counter[int] = Counter()
        self.last_seat: dict[int, int] = {}
        self.met: Counter[frozenset[int]] = Counter()
        for result in sorted(results, key=lambda result: result.round):
            self._note(result)
        self.order = sorted(self._seed, key=lambda p: (-self.points[p], self._seed[p]))
        # One unit of a criterion outweighs all that a round can cost by the criteria after it. No
        # larger than that: Python adds numbers below 2**30 faster, and a matching is additions.
        size = len(self.order)
        seat = max((abs(self.seats[player]) for player in self.order), default=0)
        gap = max((self.points[player] for player in self.order), default=0)
        self._seats_unit = size * size + 1
        self._points_unit = self._seats_unit * (size * seat**2 + 1)
        self._rematch_unit = self._points_unit * (size * gap**2 + 1)

    def _note(self, result: Result) -> None:
        if not result.settled:
            raise EngineFault("a round is paired from settled results only")
        if result.winner is not None:
            self.points[result.winner] += 1
        if result.away is None:
            self.byes[result.home] += 1
        elif result.how is not ResultBasis.VOID:
            self.met[frozenset(result.sides)] += 1
            for player, seat in ((result.home, 1), (result.away, -1)):
                self.seats[player] += seat
                self.last_seat[player] = seat

    @cached_property
    def group_sizes(self) -> Counter[int]:
        """How many players have so many points."""
        return Counter(self.points[player] for player in self.order)

    def without(self, player: int) -> Field:
        """The same field with one player resting."""
        rest = copy(self)
        rest.__dict__.pop("group_sizes", None)  # cached, and smaller now
        rest.order = [other for other in self.order if other != player]
        return rest

    def cost(self, upper: int, lower: int) -> int:
        """What it costs to pair the players at two positions of the order; see the module."""
        one, other = self.order[upper], self.order[lower]
        apart = self.points[one] - self.points[other]
        mine, theirs = self.seats[one], self.seats[other]
        clash = min(abs(mine), abs(theirs)) ** 2 if mine * theirs > 0 else 0
        ideal = self.group_sizes[self.points[one]] // 2 if apart == 0 else 1
        fold = abs(abs(lower - upper) - ideal)
        again = self.met[frozenset((one, other))]
        return (
            again * self._rematch_unit
            + apart**2 * self._points_unit
            + clash * self._seats_unit
            + fold
        )

    def seated(self, one: int, other: int) -> tuple[int, int]:
        """The pair as (seat 0, seat 1).

        Seat 0 goes to whoever has had it less, then to whoever did not have it last, then to the
        better seed.
        """

        def wish(player: int) -> tuple[int, int, int]:
            return self.seats[player], self.last_seat.get(player, 0), self._seed[player]

        first, second = sorted((one, other), key=wish)
        return first, second


def pair_round(
    players: Iterable[Player], results: Iterable[Result], *, number: int, lenient: bool = False
) -> PairedRound:
    """Pair round ``number`` among ``players`` from all settled results so far.

    With an odd number the bye goes to the lowest place of the lowest group of points whose holder
    has had none and without whom the others can be paired; so a second bye is given only where
    ``lenient`` and everybody has had one. Raises Refusal ``pairing.too-few`` below two players,
    ``pairing.bye`` when everybody has had a bye, and ``pairing.rematch`` when somebody would have
    to meet again. With ``lenient`` the round is paired nevertheless, with as few meetings again as
    there can be.
    """
    field = Field(players, results)
    enough(field.order)
    resting: int | None = None
    matching: list[tuple[int, int]] | None = None
    for resting in _resting(field, lenient=lenient):
        rest = field if resting is None else field.without(resting)
        matching = _matching(rest, rematches=False)
        if matching is not None:
            break
    else:
        if not lenient:
            raise Refusal(
                "pairing.rematch", "This round cannot be paired without a match between two again."
            )
        resting = next(_resting(field, lenient=True))
        rest = field if resting is None else field.without(resting)
        matching = _matching(rest, rematches=True)
    if matching is None:
        raise EngineFault("an even field can always be paired when rematches are allowed")
    pairings = [
        Pairing(number, *field.seated(rest.order[upper], rest.order[lower]))
        for upper, lower in sorted(matching)
    ]
    again = tuple(pairing for pairing in pairings if field.met[frozenset(pairing.sides)])
    if resting is not None:
        pairings.append(Pairing(number, resting, None))
    return PairedRound(tuple(pairings), again)


def _resting(field: Field, *, lenient: bool) -> Iterator[int | None]:
    """Who may have the bye, the first choice first; one None for an even field."""
    if len(field.order) % 2 == 0:
        yield None
        return
    fewest = min(field.byes[player] for player in field.order)
    if fewest and not lenient:
        raise Refusal("pairing.bye", "Everybody has had a bye already.")
    for player in reversed(field.order):
        if field.byes[player] == fewest:
            yield player


def _matching(field: Field, *, rematches: bool) -> list[tuple[int, int]] | None:
    """Pairs of positions, the upper first; None when nobody can be left out and somebody is."""
    size = len(field.order)
    if size > COMPLETE:
        for reach in REACHES:
            found = _lightest(size, _edges(field, reach, rematches=rematches))
            if found is not None:
                return found
        return _lightest(size, _edges(field, size, rematches=rematches))
    costs = _edges(field, size, rematches=rematches)
    near = {pair: costs[pair] for pair in _near(field, REACHES[0]) if pair in costs}
    bound = _lightest(size, near)
    if bound is None:
        return _lightest(size, costs)
    possible = _possible(size, costs, sum(costs[pair] for pair in bound))
    return bound if possible.keys() <= near.keys() else _lightest(size, possible)


def _possible(
    size: int, costs: Mapping[tuple[int, int], int], bound: int
) -> dict[tuple[int, int], int]:
    """The pairs that a matching as light as ``bound`` can hold.

    Whoever is not in a pair costs at least half of their own cheapest pair. A pair that is too dear
    together with that is in no lightest matching, and leaving it out makes the search shorter
    without changing what it finds.
    """
    least = [bound] * size
    for (upper, lower), cost in costs.items():
        least[upper] = min(least[upper], cost)
        least[lower] = min(least[lower], cost)
    spare = 2 * bound - sum(least)
    return {
        (upper, lower): cost
        for (upper, lower), cost in costs.items()
        if 2 * cost - least[upper] - least[lower] <= spare
    }


def _near(field: Field, reach: int) -> Iterator[tuple[int, int]]:
    """Pairs of positions that are likely to be in a light matching.

    The positions next below, for groups that must give somebody up, and those around the other end
    of the fold.
    """
    size = len(field.order)
    for upper, player in enumerate(field.order):
        fold = upper + field.group_sizes[field.points[player]] // 2
        next_below = range(upper + 1, upper + reach + 1)
        for lower in {*next_below, *range(fold - reach, fold + reach + 1)}:
            if upper < lower < size:
                yield upper, lower


def _edges(field: Field, reach: int, *, rematches: bool) -> dict[tuple[int, int], int]:
    """Candidate pairs of positions with their costs; all of them where ``reach`` is the size."""
    size = len(field.order)
    pairs = itertools.combinations(range(size), 2) if reach >= size else _near(field, reach)
    return {
        (upper, lower): field.cost(upper, lower)
        for upper, lower in pairs
        if rematches or not field.met[frozenset((field.order[upper], field.order[lower]))]
    }


class _Plain(nx.Graph):
    """A graph that gives its neighbours as the dictionaries they are in.

    Matching asks for a weight some ten thousand times a round; the read-only views that a graph
    usually answers with were half of its time.
    """

    def __getitem__(self, node: int) -> dict[int, dict[str, int]]:
        neighbours: dict[int, dict[str, int]] = self._adj[node]
        return neighbours


def _lightest(size: int, costs: dict[tuple[int, int], int]) -> list[tuple[int, int]] | None:
    """The minimum-weight perfect matching over 0 … size-1, or None where there is none."""
    graph = _Plain()
    graph.add_nodes_from(range(size))
    most = max(costs.values(), default=0) + 1
    # Insertion in order of position, not of a set: equal costs are then settled the same always.
    graph.add_weighted_edges_from((a, b, most - cost) for (a, b), cost in sorted(costs.items()))
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < size:
        return None
    return [(min(pair), max(pair)) for pair in matching]


def weight(players: Iterable[Player], results: Iterable[Result], paired: Sequence[Pairing]) -> int:
    """What a round costs by the criteria of the module; for comparing two of them."""
    field = Field(players, results)
    for pairing in paired:
        if pairing.away is None:
            field = field.without(pairing.home)
    at = {player: position for position, player in enumerate(field.order)}
    return sum(
        field.cost(*sorted((at[pairing.home], at[pairing.away])))
        for pairing in paired
        if pairing.away is not None
    )
