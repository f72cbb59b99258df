"""What Copy and Block do to the items that two players bring into a match.

House ruling, in this order, the same for both players and whoever has the advantage:

1. **Blocks.** All Blocks work at once, on the item they were aimed at, if it was brought. A Block
   that is blocked by a Block that works does nothing; Blocks that block one another in a circle
   cancel one another out.
2. **Copies.** All Copies that are not blocked work at once, on what the Blocks have left:
   their holders get one more of the item aimed at, whoever brought it. What has been blocked cannot
   be copied, and nothing is copied twice over: a copy is not itself copied.
3. What is left of the rulesets' own items is what both hold in the match.

Every item that was brought is used up, whether or not it found its target.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from games.engine.decisions import Seat, other
from games.engine.errors import EngineFault
from games.engine.ruleset import HeldItem
from tournaments.items.catalogue import BLOCK, COPY, Item


class ItemUse(msgspec.Struct, frozen=True):
    """One item that a seat brings. ``id`` tells it from others of its kind; ``target`` is the id of
    the item that a Copy or Block is aimed at, which may not have been brought."""

    id: int
    seat: Seat
    item: Item
    target: int | None = None


class ItemStep(msgspec.Struct, frozen=True):
    """One thing that happened, in order: ``what`` (blocked, copied, no-effect) to the item ``id``
    by the Copy or Block ``by``."""

    what: str
    id: int | None
    by: int
    words: str


class Resolution(msgspec.Struct, frozen=True):
    """What came of it: the items both hold, seat 0's first, and the steps in their order."""

    held: tuple[HeldItem, ...]
    steps: tuple[ItemStep, ...]


def resolve(brought: Sequence[ItemUse], names: tuple[str, str]) -> Resolution:
    """Resolve everything that both seats bring; ``names`` are the players' for the words.

    The order of ``brought`` makes no difference to what is held. Raises EngineFault for two uses
    with one id.
    """
    ordered = sorted(brought, key=lambda use: (use.seat, use.id))
    by_id = {use.id: use for use in ordered}
    if len(by_id) != len(ordered):
        raise EngineFault("one item is brought twice")
    steps: list[ItemStep] = []
    blocked = _resolve_blocks(ordered, by_id, names, steps)
    copied = _resolve_copies(ordered, by_id, blocked, names, steps)
    own = [use for use in ordered if not use.item.is_meta and use.id not in blocked]
    held = sorted([(use.seat, use.item.id) for use in own] + copied)
    return Resolution(tuple(HeldItem(seat, item) for seat, item in held), tuple(steps))


def _aim(use: ItemUse, by_id: dict[int, ItemUse]) -> ItemUse | None:
    """What a Block would block: an item of the other seat's that was brought and is blockable."""
    target = by_id.get(use.target) if use.target is not None else None
    if target is None or target.seat != other(use.seat) or not target.item.blockable:
        return None
    return target


def _resolve_blocks(
    ordered: Sequence[ItemUse],
    by_id: dict[int, ItemUse],
    names: tuple[str, str],
    steps: list[ItemStep],
) -> set[int]:
    blocks = [use for use in ordered if use.item.id == BLOCK]
    aims = {use.id: _aim(use, by_id) for use in blocks}
    undecided = {use.id for use in blocks}
    blocked: set[int] = set()
    said: dict[int, ItemStep] = {}

    def against(target: int) -> list[int]:
        """The Blocks aimed at an item that may still work."""
        return [
            block
            for block, aim in aims.items()
            if aim is not None and aim.id == target and block not in blocked
        ]

    while undecided:
        # A Block that nothing can block any more works.
        free = [block for block in sorted(undecided) if not against(block)]
        if not free:
            break
        for block in free:
            undecided.discard(block)
            aim = aims[block]
            if aim is None:
                said[block] = _in_vain(by_id[block], by_id, names)
            elif aim.id in blocked:
                said[block] = ItemStep(
                    "no-effect", aim.id, block, f"{_whose(by_id[block], names)} finds "
                    f"{_whose(aim, names)} blocked already."
                )  # fmt: skip
            else:
                blocked.add(aim.id)
                undecided.discard(aim.id)
                said[block] = ItemStep(
                    "blocked",
                    aim.id,
                    block,
                    f"{_whose(by_id[block], names)} blocks {_whose(aim, names)}.",
                )
    # Only circles are left: each is blocked by one that is blocked itself.
    for block in sorted(undecided):
        blocked.add(block)
        aim = aims[block]
        said[block] = ItemStep(
            "blocked",
            None if aim is None else aim.id,
            block,
            f"{_whose(by_id[block], names)} is cancelled out by the Block it was aimed at.",
        )
    steps.extend(said[use.id] for use in blocks if use.id in said)
    return blocked


def _resolve_copies(
    ordered: Sequence[ItemUse],
    by_id: dict[int, ItemUse],
    blocked: set[int],
    names: tuple[str, str],
    steps: list[ItemStep],
) -> list[tuple[Seat, str]]:
    copied = []
    for use in ordered:
        if use.item.id != COPY or use.id in blocked:
            continue
        target = by_id.get(use.target) if use.target is not None else None
        if target is None or target.id in blocked or not target.item.copyable:
            steps.append(_in_vain(use, by_id, names, blocked=blocked))
            continue
        copied.append((use.seat, target.item.id))
        steps.append(
            ItemStep(
                "copied",
                target.id,
                use.id,
                f"{_whose(use, names)} copies {_whose(target, names)}.",
            )
        )
    return copied


def _in_vain(
    use: ItemUse,
    by_id: dict[int, ItemUse],
    names: tuple[str, str],
    *,
    blocked: set[int] | frozenset[int] = frozenset(),
) -> ItemStep:
    target = by_id.get(use.target) if use.target is not None else None
    if target is None:
        why = "what it was aimed at was not brought"
    elif target.id in blocked:
        why = f"{_whose(target, names)} is blocked"
    else:
        why = f"{_whose(target, names)} is beyond its reach"
    return ItemStep(
        "no-effect",
        None if target is None else target.id,
        use.id,
        f"{_whose(use, names)} has no effect: {why}.",
    )


def _whose(use: ItemUse, names: tuple[str, str]) -> str:
    return f"{names[use.seat]}'s {use.item.name}"
