"""Laws that hold on any pallet, after any moves; and the search against trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from games.engine import playouts
from games.engine.ruleset import HeldItem, Setup
from games.rulesets.peg_domain.boards import (
    DOMAIN,
    DOMAIN_SQUARES,
    PALLET,
    PALLET_SQUARES,
    connected,
    has_cut_out,
    landing,
    members,
    set_of,
)
from games.rulesets.peg_domain.moves import PlaceCutOut
from games.rulesets.peg_domain.search import any_placement, thorough
from games.rulesets.peg_domain.state import PegDomainState
from tests.rulesets.peg_domain.helpers import RULES
from tests.support import depth

ITEMS = tuple(HeldItem(seat, item.id) for seat in (0, 1) for item in RULES.items)
variants = st.sampled_from([variant.id for variant in RULES.variants])


def steps(variant: str, seed: int) -> Iterator[tuple[PegDomainState, PegDomainState]]:
    """Each state of a random match with the one after it."""
    random = Random(seed).random
    items = ITEMS if variant == "final" else ()
    options = RULES.options_type()  # type: ignore[call-arg]
    state = RULES.initial(Setup(variant, options, seed & 1, items))
    while RULES.outcome(state) is None:
        after = playouts.step(RULES, state, random)
        yield state, after
        state = after


@settings(max_examples=depth.examples(25), deadline=None)
@given(variant=variants, seed=st.integers(0, 10**6))
def test_areas_sum_to_81_and_squares_to_192(variant: str, seed: int) -> None:
    for _, state in steps(variant, seed):
        if state.phase not in ("play", "over"):
            continue
        first, second = state.owned
        assert first & second == 0
        nobody = DOMAIN & ~first & ~second
        assert sum(each.bit_count() for each in (first, second, nobody)) == 81
        for seat in (0, 1):
            parts = state.left[seat], state.removed[seat], state.used(seat)
            assert sum(part.bit_count() for part in parts) == 192
            assert parts[0] | parts[1] | parts[2] == PALLET
            assert not state.removed[seat] & state.frame.pegs[seat]


@settings(max_examples=depth.examples(25), deadline=None)
@given(variant=variants, seed=st.integers(0, 10**6))
def test_a_cut_out_has_two_pegs_and_hangs_together(variant: str, seed: int) -> None:
    for before, after in steps(variant, seed):
        if after.last is None or after.last is before.last:
            continue
        move = after.last.move
        if not isinstance(move, PlaceCutOut):
            continue
        seat = before.mover
        squares = set_of(move.squares)
        assert squares & ~before.left[seat] == 0
        assert (squares & before.frame.pegs[seat]).bit_count() == 2
        assert connected(squares)
        assert len(move.squares) == after.last.covered.bit_count()
        standing = before.standing & ~(0 if move.minus is None else 1 << move.minus)
        assert not after.last.covered & standing
        assert after.standing.bit_count() == standing.bit_count() + 2
        assert after.last.covered & ~after.owned[seat] == 0


def brute(left: int, pegs: int, standing: int) -> bool:
    """Every peg on every square in every rotation, by filling the squares that fit."""
    for start in members(pegs & left):
        for target in DOMAIN_SQUARES:
            for turns in range(4):
                fit = 0
                for square in members(left):
                    at = landing(start, square, target, turns)
                    if at is not None and not standing >> at & 1:
                        fit |= 1 << square
                if fit >> start & 1 and has_cut_out(fit, pegs & fit):
                    return True
    return False


@settings(max_examples=depth.examples(40), deadline=None)
@given(seed=st.integers(0, 10**6), kept=st.integers(3, 22), free=st.integers(2, 14))
def test_the_search_finds_a_placement_exactly_where_there_is_one(
    seed: int, kept: int, free: int
) -> None:
    """On scraps of pallets and domains that are nearly full, where it is a near thing."""
    random = Random(seed)
    corner = [square for square in PALLET_SQUARES if square % 13 < 5 and square // 13 < 6]
    left = set_of(random.sample(corner, kept))
    pegs = set_of(random.sample(members(left), min(kept, 2 + seed % 3)))
    room = [square for square in DOMAIN_SQUARES if square % 11 < 6 and square // 11 < 6]
    standing = DOMAIN & ~set_of(random.sample(room, free))
    expected = brute(left, pegs, standing)
    assert any_placement(left, pegs, standing) == expected
    found = thorough(left, pegs, DOMAIN & ~standing, random.random)
    assert (found is not None) == expected
    if found is not None:
        assert set_of(found.squares) & ~left == 0
        lands = [
            landing(found.squares[0], each, found.target, found.turns) for each in found.squares
        ]
        assert not any(at is None or standing >> at & 1 for at in lands)


def test_sampling_reaches_every_placement_of_a_small_position() -> None:
    """Three pegs in a block of nine squares, and a domain with six free squares: every cut-out of
    the gauntlet in every place is drawn sooner or later."""
    random = Random(5)
    base = next(after for _, after in steps("gauntlet", 3) if after.phase == "play")
    block = [square for square in PALLET_SQUARES if square % 13 < 3 and square // 13 < 4]
    pegs = set_of([block[0], block[2], block[7]])
    free = [square for square in DOMAIN_SQUARES if square % 11 < 4 and square // 11 < 3]

    frame = replace(base.frame, pegs=(pegs, pegs), listed=(tuple(members(pegs)),) * 2)
    left = set_of(block)
    standing = DOMAIN & ~set_of(free)
    state = replace(base, frame=frame, left=(left, left), standing=standing, mover=0)
    expected = set()
    for subset in range(1, 1 << len(block)):
        squares = [block[index] for index in range(len(block)) if subset >> index & 1]
        shape = set_of(squares)
        if (shape & pegs).bit_count() != 2 or not connected(shape):
            continue
        for anchor in members(shape & pegs):
            for target in free:
                for turns in range(4):
                    lands = [landing(anchor, each, target, turns) for each in squares]
                    if all(at in free for at in lands):
                        expected.add((shape, anchor, target, turns))
    decision = RULES.decisions(state)[0]
    found = set()
    for _ in range(60_000):
        move = RULES.sample(state, decision, random.random)
        if isinstance(move, PlaceCutOut):
            found.add((set_of(move.squares), move.squares[0], move.target, move.turns))
    assert found == expected
    assert len(expected) > 20
