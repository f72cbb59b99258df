"""Copy and Block, worked by hand: B blocks, C copies, x and y are a ruleset's items."""

from __future__ import annotations

import random

import pytest

from games.engine.errors import EngineFault
from tournaments.items.catalogue import META, Item, catalogue, item_of, items_for, takes_items
from tournaments.items.rules import ItemUse, Resolution, resolve

COPY, BLOCK = META
X = Item("x", "X", "", "any")
Y = Item("y", "Y", "", "any")
FIXED = Item("fixed", "Fixed", "", "any", copyable=False, blockable=False)
NAMES = ("Ada", "Ben")


def use(number: int, seat: int, item: Item, target: int | None = None) -> ItemUse:
    return ItemUse(number, seat, item, target)


def resolved(*uses: ItemUse) -> Resolution:
    found = resolve(uses, NAMES)
    # The order in which they are told of makes no difference.
    for seed in range(5):
        mixed = list(uses)
        random.Random(seed).shuffle(mixed)
        assert resolve(mixed, NAMES) == found
    return found


def held(found: Resolution) -> list[tuple[int, str]]:
    return [(each.seat, each.item) for each in found.held]


def steps(found: Resolution) -> list[tuple[str, int | None, int]]:
    return [(step.what, step.id, step.by) for step in found.steps]


def test_nothing_brought() -> None:
    assert resolve((), NAMES) == Resolution((), ())


def test_items_of_a_ruleset_are_held_as_they_are() -> None:
    assert held(resolved(use(1, 0, X), use(2, 0, X), use(3, 1, Y))) == [
        (0, "x"),
        (0, "x"),
        (1, "y"),
    ]


def test_a_block_takes_an_item_away() -> None:
    found = resolved(use(1, 0, X), use(2, 1, BLOCK, 1), use(3, 1, Y))
    assert held(found) == [(1, "y")]
    assert steps(found) == [("blocked", 1, 2)]
    assert found.steps[0].words == "Ben's Block blocks Ada's X."


def test_a_copy_of_ones_own_and_of_the_others() -> None:
    found = resolved(use(1, 0, X), use(2, 0, COPY, 1), use(3, 1, COPY, 1))
    assert held(found) == [(0, "x"), (0, "x"), (1, "x")]
    assert steps(found) == [("copied", 1, 2), ("copied", 1, 3)]


def test_blocks_come_before_copies() -> None:
    """Ada's X is blocked before Ben's Copy looks for it."""
    found = resolved(use(1, 0, X), use(2, 1, BLOCK, 1), use(3, 1, COPY, 1))
    assert held(found) == []
    assert steps(found) == [("blocked", 1, 2), ("no-effect", 1, 3)]
    assert found.steps[1].words == "Ben's Copy has no effect: Ada's X is blocked."


def test_a_copy_can_be_blocked() -> None:
    found = resolved(use(1, 0, X), use(2, 0, COPY, 1), use(3, 1, BLOCK, 2))
    assert held(found) == [(0, "x")]
    assert steps(found) == [("blocked", 2, 3)]


def test_a_block_can_be_blocked() -> None:
    """Ada's Block stops Ben's, which was aimed at her X."""
    found = resolved(use(1, 0, X), use(2, 1, BLOCK, 1), use(3, 0, BLOCK, 2))
    assert held(found) == [(0, "x")]
    assert steps(found) == [("blocked", 2, 3)]


def test_a_chain_of_blocks_is_followed_from_its_free_end() -> None:
    """Ben's 5 stops Ada's 3, which would have stopped Ben's 2: so 2 works, and X is gone."""
    found = resolved(use(1, 0, X), use(2, 1, BLOCK, 1), use(3, 0, BLOCK, 2), use(5, 1, BLOCK, 3))
    assert held(found) == []
    assert sorted(steps(found)) == [("blocked", 1, 2), ("blocked", 3, 5)]


def test_two_blocks_aimed_at_each_other_cancel_out() -> None:
    found = resolved(use(1, 0, X), use(2, 0, BLOCK, 3), use(3, 1, BLOCK, 2), use(4, 1, Y))
    assert held(found) == [(0, "x"), (1, "y")]
    assert [step.what for step in found.steps] == ["blocked", "blocked"]
    assert found.steps[0].words.startswith("Ada's Block is cancelled out")


def test_a_third_block_breaks_a_circle() -> None:
    """Ben's 4 works on Ada's 2; Ben's 3 is then free, and finds 2 blocked already."""
    found = resolved(use(1, 1, X), use(2, 0, BLOCK, 3), use(3, 1, BLOCK, 2), use(4, 1, BLOCK, 2))
    assert held(found) == [(1, "x")]
    assert sorted(steps(found)) == [("blocked", 2, 4), ("no-effect", 2, 3)]


def test_two_blocks_on_one_item() -> None:
    found = resolved(use(1, 0, X), use(2, 1, BLOCK, 1), use(3, 1, BLOCK, 1))
    assert held(found) == []
    assert steps(found) == [("blocked", 1, 2), ("no-effect", 1, 3)]


def test_what_was_not_brought_cannot_be_hit() -> None:
    found = resolved(use(2, 1, BLOCK, 99), use(3, 1, COPY, 98))
    assert held(found) == []
    assert steps(found) == [("no-effect", None, 2), ("no-effect", None, 3)]
    assert found.steps[0].words.endswith("what it was aimed at was not brought.")


def test_marks_are_honoured() -> None:
    found = resolved(use(1, 0, FIXED), use(2, 1, BLOCK, 1), use(3, 1, COPY, 1))
    assert held(found) == [(0, "fixed")]
    assert steps(found) == [("no-effect", 1, 2), ("no-effect", 1, 3)]


def test_a_block_does_not_work_on_ones_own() -> None:
    assert held(resolved(use(1, 0, X), use(2, 0, BLOCK, 1))) == [(0, "x")]


def test_copies_are_not_copied() -> None:
    """A Copy aimed at a Copy finds nothing that could be copied."""
    found = resolved(use(1, 0, X), use(2, 0, COPY, 1), use(3, 1, COPY, 2))
    assert held(found) == [(0, "x"), (0, "x")]
    assert steps(found) == [("copied", 1, 2), ("no-effect", 2, 3)]


def test_an_item_is_not_brought_twice() -> None:
    with pytest.raises(EngineFault):
        resolve((use(1, 0, X), use(1, 0, Y)), NAMES)


def test_nothing_is_made_or_lost_by_chance() -> None:
    """Over many random gatherings: what is held is what was brought, less the blocked, plus the
    copied, and every Copy and Block has one step."""
    generator = random.Random(11)
    for _ in range(2000):
        count = generator.randint(1, 8)
        uses = [
            use(
                number,
                generator.randint(0, 1),
                generator.choice([X, Y, FIXED, COPY, BLOCK]),
                generator.randint(1, count + 1),
            )
            for number in range(1, count + 1)
        ]
        found = resolved(*uses)
        by_id = {each.id: each for each in uses}
        meta = sorted(each.id for each in uses if each.item.is_meta)
        acted = sorted(step.by for step in found.steps)
        # Whatever was blocked says nothing itself; everything else does, once.
        blocked = {step.id for step in found.steps if step.what == "blocked"} | {
            step.by for step in found.steps if "cancelled" in step.words
        }
        assert len(set(acted)) == len(acted)
        assert set(meta) - set(acted) <= blocked
        own = [each for each in uses if not each.item.is_meta and each.id not in blocked]
        copied = [step for step in found.steps if step.what == "copied"]
        assert len(found.held) == len(own) + len(copied)
        for step in copied:
            assert step.id is not None
            assert by_id[step.id].item.copyable
            assert step.id not in blocked
        assert not any(by_id[pk].item is FIXED for pk in blocked if pk is not None)


# -- the catalogue -------------------------------------------------------------------------------


def test_the_catalogue_has_the_rulesets_items_and_two_more() -> None:
    assert {(item.ruleset, item.id) for item in catalogue()} == {
        ("domino-wars", "domino-repeat"),
        ("domino-wars", "hand-mulligan"),
        ("domino-wars", "tie-advantage"),
        ("peg-domain", "additional-peg"),
        ("peg-domain", "rapid-removal"),
        ("peg-domain", "peg-subtraction"),
        ("", "copy"),
        ("", "block"),
    }
    assert item_of("copy").is_meta
    assert not item_of("domino-repeat", "domino-wars").is_meta


def test_where_items_fit() -> None:
    assert takes_items("peg-domain", "final")
    assert not takes_items("tetronogo", "standard")
    assert not item_of("block").fits("tetronogo", "standard")
    assert not item_of("rapid-removal", "peg-domain").fits("peg-domain", "gauntlet")
    assert [item.id for item in items_for("peg-domain", "final")] == [
        "additional-peg", "rapid-removal", "peg-subtraction", "copy", "block",
    ]  # fmt: skip
