"""Filling in what a seat cannot see, so that a bot can think on from a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from games.engine.chance import RandomSource, choose, shuffled
from games.engine.errors import EngineFault
from games.rulesets.domino_black_white.board import CELL_OF, SPOT_OF, Spot
from games.rulesets.domino_black_white.lines import EMPTY, MET_CODE, letters
from games.rulesets.domino_black_white.moves import (
    DOMINOES,
    EFFECTS,
    HIGHEST,
    Half,
    PlaceDomino,
    colour,
    place,
)
from games.rulesets.domino_black_white.state import (
    BlackWhiteState,
    begun,
    ordered,
    out_of_time,
    played,
)

MOST_STORIES: Final = (150, 1500)
"""How many ways the match may have gone are followed side by side: at first, and once more where
that leads nowhere."""


class _Seen(msgspec.Struct, frozen=True):
    """One placement as a seat sees it: every place it may have been, and the letters it met."""

    seat: int
    may_be: tuple[PlaceDomino, ...]
    met: int


def determinize(view: Mapping[str, Any], random: RandomSource) -> BlackWhiteState:
    """A state that looks exactly like ``view`` to the audience it was made for.

    Hidden halves are drawn among the numbers of their colour so that nobody has a domino twice and,
    as far as a bounded search finds such numbers, every placement met just the letters that were
    announced. Where it does not, the letters stand as announced all the same.
    """
    state = begun(view["advantage"])
    if view["first"] is None:
        return state
    state = ordered(state, view["first"])
    seen = _placements_seen_in(view)
    attempts = (_explaining(seen, random, most) for most in MOST_STORIES)
    places = next((found for found in attempts if found is not None), None)
    if places is None:
        places = _fitting_places(seen, random)
    for each, placed in zip(seen, places, strict=True):
        state = played(state, placed, each.met)
    return state if view["late"] is None else out_of_time(state, view["late"])


def _placements_seen_in(view: Mapping[str, Any]) -> list[_Seen]:
    cells = view["cells"]
    found = []
    for one, two, met in zip(cells[::2], cells[1::2], view["met"], strict=True):
        spot = SPOT_OF[CELL_OF[one["square"]], CELL_OF[two["square"]]]
        hides: Half = 0 if one["hidden"] else 1
        found.append(_Seen(one["seat"], _may_be(spot, one, two, hides), MET_CODE[met]))
    return found


def _may_be(
    spot: Spot, one: Mapping[str, Any], two: Mapping[str, Any], hides: Half
) -> tuple[PlaceDomino, ...]:
    return tuple(
        [place(spot, (first, second), hides) for first in _numbers(one) for second in _numbers(two)]
    )


def _numbers(half: Mapping[str, Any]) -> list[int]:
    if half["number"] is not None:
        return [half["number"]]
    return [number for number in range(HIGHEST + 1) if colour(number) == half["colour"]]


class _Story(msgspec.Struct, frozen=True, gc=False):
    """One way the match may have gone so far: the lines, the dominoes used (a hand of each seat,
    seat 1's above seat 0's) and the placements, from the latest back."""

    lines: int
    used: int
    last: PlaceDomino | None
    before: _Story | None

    def places(self) -> list[PlaceDomino]:
        """The placements in the order in which they were made."""
        found = []
        story: _Story | None = self
        while story is not None and story.last is not None:
            found.append(story.last)
            story = story.before
        return found[::-1]


def _explaining(seen: Sequence[_Seen], random: RandomSource, most: int) -> list[PlaceDomino] | None:
    """Places that meet the letters announced, or None where none are found.

    The stories that fit are carried on side by side, placement by placement. Up to ``most`` they
    are all of them, and each is as likely to be told; beyond that a random part goes on, which may
    turn out to lead nowhere.
    """
    stories = [_Story(EMPTY, 0, None, None)]
    for each in seen:
        stories = [
            longer
            for story in stories
            for candidate in each.may_be
            if (longer := _continuation(story, each, candidate)) is not None
        ]
        if len(stories) > most:
            stories = shuffled(random, stories)[:most]
    return choose(random, stories).places() if stories else None


def _continuation(story: _Story, seen: _Seen, candidate: PlaceDomino) -> _Story | None:
    """The story with ``candidate`` placed, or None where its domino was used before or it does not
    meet just the letters announced."""
    domino, laid, extreme, probe, marks, _, _ = EFFECTS[candidate.code]
    if seen.seat:
        domino <<= len(DOMINOES)
    if story.used & domino:
        return None
    lines = story.lines + laid
    scored = marks - (lines & probe) & marks
    if seen.met != (letters(lines, scored, extreme) if scored else 0):
        return None
    return _Story(lines, story.used | domino, candidate, story)


def _fitting_places(seen: Sequence[_Seen], random: RandomSource) -> list[PlaceDomino]:
    """Places that use no domino of a seat twice, whatever they score: a random matching.

    A placement takes the domino it likes best; one that is taken already makes its holder move on
    to another of its own, as long as a chain of such moves ends at a free domino.
    """
    holder: dict[tuple[int, tuple[int, int]], int] = {}
    chosen: dict[int, PlaceDomino] = {}

    def settle(index: int, asked: set[tuple[int, tuple[int, int]]]) -> bool:
        each = seen[index]
        for candidate in shuffled(random, each.may_be):
            domino = each.seat, candidate.domino
            if domino in asked:
                continue
            asked.add(domino)
            if domino not in holder or settle(holder[domino], asked):
                holder[domino] = index
                chosen[index] = candidate
                return True
        return False

    for index in shuffled(random, range(len(seen))):
        if not settle(index, set()):
            raise EngineFault("no dominoes can lie as this view says")
    return [chosen[index] for index in range(len(seen))]
