"""What a bot answers in Domain.

Everything is in sight and a match is long, so there is nothing to draw at random and try out: a bot
is as strong as the eye it has for a place (`Look`).

A placement brings two pixels of lead for each pixel of the other seat's that it covers. Nearly
every shape finds a place where it covers nothing else; the match is decided by the last few, for
which no such place is left. Hence what a good eye minds besides: larger shapes go first, while
there is room, and a shape goes beside the frame, a zone or its like rather than into the middle of
what is still open, so that gaps stay whole, and what it covers is not easily covered again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from games.engine.capabilities import Level
from games.engine.chance import RandomSource
from games.engine.decisions import Decision, Seat
from games.engine.search import always
from games.rulesets.domain import board, guessing
from games.rulesets.domain.board import Laid
from games.rulesets.domain.course import last_is_valid
from games.rulesets.domain.moves import (
    ACCEPT,
    CHALLENGE,
    COLOURS,
    READY,
    DiscardShape,
    First,
    Move,
    PlaceShape,
    TakeShape,
)
from games.rulesets.domain.pool import Form
from games.rulesets.domain.state import DomainState, members
from games.rulesets.domain.windows import UNIT, Found, Ground, Windows, ground_of


class Look(NamedTuple):
    """How closely a bot looks.

    In the draft it compares ``drawn`` shapes. Of its hand it looks at the ``shapes`` largest or,
    with ``any_shapes``, at any so many: each at ``angles`` angles all around, at every place of a
    grid with about ``grid`` steps along a domain, by about ``rows`` rows of the shape. If it is
    ``neat``, it also looks at the four right angles, and right beside the frame. The ``kept`` best
    of these are moved about, and turned by ``turn`` degrees at first. ``saving`` is how much of
    what a shape is worth counts against using it now, in hundredths: at 100 only what it fails to
    bring counts, at 0 only what it brings. ``care`` is how much it minds to cover what lies amid
    much that is open to it, and to lie where much is open to the other seat. A breach of less than
    ``blind`` thousandths of a shape escapes it.
    """

    drawn: int
    shapes: int
    any_shapes: bool
    angles: int
    neat: bool
    grid: int
    rows: int
    kept: int
    turn: int
    saving: int
    care: tuple[int, int]
    blind: int


NOVICE: Final = Look(2, 3, True, 1, False, 4, 8, 0, 0, 0, (0, 0), 150)
CLUB: Final = Look(6, 6, False, 2, True, 12, 16, 2, 4, 80, (0, 0), 0)
STRONG: Final = Look(100, 14, False, 24, True, 40, 32, 20, 8, 50, (60, 60), 0)

LOOKS: Final[Mapping[Level, Look]] = {"novice": NOVICE, "club": CLUB, "strong": STRONG}


def decide(
    view: Mapping[str, Any],
    decision: Decision,
    level: Level,
    random: RandomSource,
    may_go_on: Callable[[], bool],
) -> Move:
    """The answer of whoever looks that closely."""
    state = guessing.determinize(view)
    look = LOOKS[level]
    match decision.kind:
        case "place":
            return _place(state, decision.seat, look, random, may_go_on)
        case "draft":
            return _take(state, look, random)
        case "first":
            # Whoever picks first has the better of every two shapes.
            return First("first")
        case "final":
            return CHALLENGE if _should_challenge(state, look) else ACCEPT
    return READY


# -- the draft -----------------------------------------------------------------------------------


def value_of(form: Form) -> int:
    """The lead that a shape brings where it covers nothing but the other seat's pixels."""
    raster = form.raster(0)
    return 2 * raster.covered.area - raster.dead.area


def _take(state: DomainState, look: Look, random: RandomSource) -> Move:
    forms = state.ready_pool.forms
    free = _some(members(state.free), look.drawn, random)
    return TakeShape(max((forms[each] for each in free), key=value_of).id)


def _some(numbers: Sequence[int], count: int, random: RandomSource) -> list[int]:
    """So many of them, or all, in any order."""
    left = list(numbers)
    return [left.pop(int(random() * len(left))) for _ in range(min(count, len(left)))]


# -- challenges ----------------------------------------------------------------------------------


def _should_challenge(state: DomainState, look: Look) -> bool:
    """Whether the last placement breaks a rule so that it can be seen, and is better gone."""
    if not state.can_challenge or last_is_valid(state):
        return False
    pool, laid = state.ready_pool, state.laid
    if look.blind:
        area = pool.forms[laid[-1].shape].raster(0).covered.area
        seen = sum(len(fault.pixels) for fault in board.faults(pool, laid[:-1], laid[-1]))
        if 1000 * seen < look.blind * area:
            return False
    with_it = board.count(pool, state.terms.red, laid)
    without = board.count(pool, state.terms.red, laid[:-1])
    lead = (without[0] - without[1]) - (with_it[0] - with_it[1])
    return (lead if state.mover == 0 else -lead) >= 0


# -- placements ----------------------------------------------------------------------------------


def _place(
    state: DomainState,
    seat: Seat,
    look: Look,
    random: RandomSource,
    may_go_on: Callable[[], bool],
) -> Move:
    if _should_challenge(state, look):
        return CHALLENGE
    pool = state.ready_pool
    hand = members(state.hands[seat])
    if look.any_shapes:
        hand = _some(hand, len(hand), random)
    else:
        hand.sort(key=lambda each: value_of(pool.forms[each]), reverse=True)
    ground = ground_of(pool, state.terms.red, state.laid)
    for begin in range(0, len(hand), look.shapes):  # further ones only where none of these fits
        some = hand[begin : begin + look.shapes]
        for each in places(ground, seat, some, look, random, may_go_on):
            laid = Laid(seat, each.shape, each.domain, each.x, each.y, each.angle)
            if board.is_valid(pool, state.laid, laid):
                return PlaceShape(
                    pool.forms[each.shape].id, COLOURS[each.domain], each.x, each.y, each.angle
                )
    return DiscardShape(min((pool.forms[each] for each in hand), key=value_of).id)


def places(
    ground: Ground,
    seat: Seat,
    hand: Sequence[int],
    look: Look,
    random: RandomSource,
    may_go_on: Callable[[], bool] = always,
) -> list[Found]:
    """Placements of these shapes that are worth more than to discard one, the best one first; of
    fewer shapes, and looked at less closely, where there is no time."""
    pool = ground.pool
    windows = Windows(ground, seat, look.care)
    step = max(1, round((pool.width * pool.height) ** 0.5 / look.grid))
    saved = {each: UNIT * value_of(pool.forms[each]) * look.saving // 100 for each in hand}

    def worth(found: Found) -> int:
        return found.worth - saved[found.shape]

    seen: list[Found] = []
    for shape in hand:
        first = random() * 360 / look.angles
        angles = [int(first + 360 * turn / look.angles) for turn in range(look.angles)]
        if look.neat:
            angles += [0, 90, 180, 270]
        seen += windows.scan(
            shape, list(dict.fromkeys(angles)), step, look.rows, random, edges=look.neat
        )
        if not may_go_on():
            break
    seen.sort(key=worth, reverse=True)
    if not look.kept:
        return [each for each in seen if each.worth > 0]
    found: list[Found] = []
    for each in seen:
        climbed = windows.climb(each, max(1, step // 2), look.turn)
        if climbed.worth > 0:
            found.append(climbed)
        if len(found) == look.kept or not may_go_on():
            break
    return sorted(found, key=worth, reverse=True)
