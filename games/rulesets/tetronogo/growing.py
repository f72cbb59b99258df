"""The placement after which most bouts end well: a tree grown over random ends of the bout.

Monte Carlo tree search with rapid action value estimates (S. Gelly and D. Silver, *Monte-Carlo tree
search and rapid action value estimation in computer Go*, Artificial Intelligence 175, 2011): how a
bout ends counts for every placement that its player made from there on, not only for the next one.
That tells a great deal here, where what lies on the board matters and not when it came there, and
where there may be hundreds of placements and a few thousand ends to go by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from games.engine.chance import RandomSource
from games.engine.decisions import Seat
from games.engine.search import always
from games.rulesets.tetronogo import estimate
from games.rulesets.tetronogo.bits import draw_member, members
from games.rulesets.tetronogo.scoring import points
from games.rulesets.tetronogo.state import TetronogoState

A_POINT: Final = 1 / 100  # what a point is worth where it decides nothing
RIPE: Final = 60  # ends seen before a position is more than a place to play on from at random
ANEW: Final = 128  # ends between one ranking of the placements and the next
EARLY: Final = 8  # placements looked at in a position that has just become ripe
TRUST: Final = 400  # ends, about, until a placement's own count as much as those later ones
CURIOUS: Final = 0.15
ASKED_EVERY: Final = 16  # ends: whether there is time for more
PRIOR: Final = 2  # ends that are taken to have gone as all others, for every placement


class _Node:
    """A position: the placements and boards of the mover and of the other; how many ends were seen,
    and what they were worth to the mover in all, and by each placement the mover made later."""

    __slots__ = (
        "children", "counts", "me", "mine", "ranked", "seat", "sums", "theirs", "total", "visits",
        "you",
    )  # fmt: skip

    def __init__(
        self, mine: int, theirs: int, me: int, you: int, seat: Seat, placements: int
    ) -> None:
        self.mine, self.theirs, self.me, self.you, self.seat = mine, theirs, me, you, seat
        self.visits = 0
        self.total = 0.0
        self.counts = [0] * placements
        self.sums = [0.0] * placements
        self.children: dict[int, _Node] = {}
        self.ranked: list[int] = []


def grown(
    state: TetronogoState,
    seat: Seat,
    random: RandomSource,
    width: int,
    ends: int,
    may_go_on: Callable[[], bool] = always,
) -> int:
    """A placement for the mover in that seat, after so many random ends of the bout, or fewer where
    there is no time; at most ``width`` are looked at in every position."""
    tree = _Tree(state, seat, random, width)
    for seen in range(1, ends + 1):
        tree.see_one_end()
        if seen % ASKED_EVERY == 0 and not may_go_on():
            break
    return tree.best()


class _Tree:
    def __init__(self, state: TetronogoState, seat: Seat, random: RandomSource, width: int) -> None:
        boards, duel = state.boards, state.frame.duel
        self.frame, self.random, self.width = state.frame, random, width
        self.tables = [
            (len(moves), piece.boards, own, others)
            for piece, (moves, _, own, others) in zip(duel.pieces, duel.sides, strict=True)
        ]
        self.worth: dict[int, float] = {}
        placements = self.tables[seat][0]
        self.root = _Node(
            state.mine, state.theirs, boards[seat], boards[1 - seat], seat, placements
        )

    def best(self) -> int:
        """The placement looked at most often; the most promising one if there was no time."""
        root = self.root
        if root.children:
            return max(root.children, key=lambda number: root.children[number].visits)
        return self._ranking(root)[0]

    def see_one_end(self) -> None:
        """Down the tree, on at random to the end of the bout, and back up with what it is worth."""
        node = self.root
        path = [(node, 0)]  # with how many placements its mover had made before
        placed: tuple[list[int], list[int]] = ([], [])
        while node.ranked:
            number = self._choice(node)
            child = node.children.get(number)
            if child is None:
                child = node.children[number] = self._child(node, number)
            placed[node.seat].append(number)
            node = child
            path.append((node, len(placed[node.seat])))
        worth = self._played_on(node, placed)
        for each, before in path:
            value = worth if each.seat == 0 else -worth
            each.visits += 1
            each.total += value
            counts, sums = each.counts, each.sums
            for number in placed[each.seat][before:]:
                counts[number] += 1
                sums[number] += value
            if each.visits == RIPE or (each.visits > RIPE and each.visits % ANEW == 0):
                each.ranked = self._ranking(each)[: self.width]

    def _child(self, node: _Node, number: int) -> _Node:
        _, covers, own, others = self.tables[node.seat]
        return _Node(
            node.theirs & others[number],
            node.mine & own[number],
            node.you,
            node.me | covers[number],
            1 - node.seat,
            self.tables[1 - node.seat][0],
        )

    def _ranking(self, node: _Node) -> list[int]:
        """The mover's placements, the best ones first, by the ends that they were made before."""
        counts, sums = node.counts, node.sums
        prior = PRIOR * node.total / max(1, node.visits)
        return sorted(
            members(node.mine),
            key=lambda number: (sums[number] + prior) / (counts[number] + PRIOR),
            reverse=True,
        )

    def _choice(self, node: _Node) -> int:
        """What to look at next: what seems best, or has seen little."""
        counts, sums, children = node.counts, node.sums, node.children
        prior = PRIOR * node.total / node.visits
        curious = CURIOUS * math.sqrt(math.log(node.visits))
        best, chosen = -math.inf, -1
        for number in node.ranked[: EARLY + int(4 * math.sqrt(node.visits / RIPE))]:
            value = (sums[number] + prior) / (counts[number] + PRIOR)
            child = children.get(number)
            if child is None:
                value += curious
            else:
                visits = child.visits
                later = math.sqrt(TRUST / (3 * visits + TRUST))
                value = later * value - (1 - later) * child.total / visits
                value += curious / math.sqrt(visits)
            if value > best:
                best, chosen = value, number
        return chosen

    def _played_on(self, node: _Node, placed: tuple[list[int], list[int]]) -> float:
        """At random to the end of the bout: what it is worth to seat 0. All placements made are
        added to ``placed``."""
        seat, random = node.seat, self.random
        mine, theirs, me, you = node.mine, node.theirs, node.me, node.you
        width, covers, own, others = self.tables[seat]
        width_2, covers_2, own_2, others_2 = self.tables[1 - seat]
        while mine:
            number = draw_member(mine, width, random)
            placed[seat].append(number)
            me |= covers[number]
            theirs &= others[number]
            if not theirs:
                break
            mine &= own[number]
            number = draw_member(theirs, width_2, random)
            placed[1 - seat].append(number)
            you |= covers_2[number]
            theirs &= own_2[number]
            mine &= others_2[number]
        mover, other = points(me, you)
        margin = mover - other if seat == 0 else other - mover
        worth = self.worth.get(margin)
        if worth is None:
            worth = self.worth[margin] = estimate.ended(self.frame, margin) + margin * A_POINT
        return worth
