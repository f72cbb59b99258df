"""Elimination seasons: who is the elimination candidate (EC), whom the EC may choose, and at which
place everybody else is out.

Places are not counted down as people leave: they are the order of leaving, worked out anew from all
who are out, so that a corrected result needs no repair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from core.refusals import Refusal
from tournaments.formats.field import Result


class MainMatchPlace(msgspec.Struct, frozen=True):
    """How a player came off in a main match; 1 is the best, equal places are possible."""

    player: int
    place: int
    immune: bool = False


class Departure(msgspec.Struct, frozen=True):
    """A player who is out, and since when. ``lost_in``: the round of the death match that put them
    out; None: they withdrew."""

    player: int
    at: datetime
    lost_in: int | None = None


# -- the main match, and the choice ----------------------------------------------------------------


def places_in_order(
    named: Sequence[Collection[int]], others: Collection[int] = ()
) -> dict[int, int]:
    """The places of a main match, from who finished in which order: the best first, who share a
    place together. ``others`` are safe: they share the places before those who are named last.

        [[7]] and others 1, 2, 3:       1, 2 and 3 share the first place, 7 is fourth
        [[4], [5, 6], [7]] and none:    4 is first, 5 and 6 second, 7 fourth
    """
    ordered = [*named[:-1], others, *named[-1:]]
    found: dict[int, int] = {}
    for group in ordered:
        found |= dict.fromkeys(group, len(found) + 1)
    return found


def last_of(placed: Iterable[MainMatchPlace]) -> list[int]:
    """Who came last of those who are not immune: one of them is the EC."""
    exposed = [each for each in placed if not each.immune]
    worst = max((each.place for each in exposed), default=0)
    return [each.player for each in exposed if each.place == worst]


def ec_of(placed: Sequence[MainMatchPlace], named: int | None, names: Mapping[int, str]) -> int:
    """Who came last of those who are not immune, or ``named`` of several who did; ``names`` are
    what sentences call them.

    Raises Refusal ``placements.tie``, ``placements.ec-not-last``, ``placements.ec-immune`` (also
    where everybody is) and ``placements.nobody-left`` (to choose from).
    """
    last = last_of(placed)
    if not last:
        raise Refusal("placements.ec-immune", "Everybody is immune: nobody can be the EC.")
    if named is None and len(last) > 1:
        several = ", ".join(names[player] for player in last)
        raise Refusal(
            "placements.tie", f"{several} share the last place: please say who is the EC."
        )
    ec = last[0] if named is None else named
    if any(each.player == ec and each.immune for each in placed):
        raise Refusal("placements.ec-immune", f"{names[ec]} is immune.")
    if ec not in last:
        several = " or ".join(names[player] for player in last)
        raise Refusal(
            "placements.ec-not-last", f"{names[ec]} did not come last: the EC is {several}."
        )
    if not candidates(placed, ec=ec, still_in=[each.player for each in placed]):
        raise Refusal("placements.nobody-left", "There is nobody whom the EC could choose.")
    return ec


def candidates(
    placed: Iterable[MainMatchPlace], *, ec: int | None, still_in: Collection[int]
) -> frozenset[int]:
    """Whom an EC could choose, as far as the main match says: whoever is still in, played it and is
    not immune."""
    return frozenset(
        each.player
        for each in placed
        if not each.immune and each.player != ec and each.player in still_in
    )


def choosable(
    placed: Iterable[MainMatchPlace],
    *,
    ec: int | None,
    still_in: Collection[int],
    busy: Collection[int],
) -> frozenset[int]:
    """The same without those who are ``busy`` in another episode: whoever loses there is out."""
    return candidates(placed, ec=ec, still_in=still_in).difference(busy)


# -- places ----------------------------------------------------------------------------------------


def last_losses(results: Iterable[Result]) -> dict[int, int]:
    """The last round in which each player lost."""
    lost: dict[int, int] = {}
    for result in results:
        if result.loser is not None:
            lost[result.loser] = max(result.round, lost.get(result.loser, 0))
    return lost


def places(
    out: Iterable[Departure], opened: Sequence[tuple[int, datetime]], still_in: int
) -> dict[int, int]:
    """The places of those who are out, by player: the first to leave comes last, the last to leave
    right behind those who are still in, of whom there are so many.

    Who was eliminated left in the round of the death match that they lost, whenever its result was
    corrected; who withdrew, in the round that had been ``opened`` last (number and instant of each,
    by number), or before all of them.
    """

    def left(departure: Departure) -> tuple[int, datetime, int]:
        last = departure.lost_in
        if last is None:
            begun = [number for number, at in opened if at <= departure.at]
            last = begun[-1] if begun else 0
        return last, departure.at, departure.player

    ordered = sorted(out, key=left, reverse=True)
    return {each.player: place for place, each in enumerate(ordered, start=still_in + 1)}
