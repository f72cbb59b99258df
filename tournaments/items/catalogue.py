"""The items that a season can hand out: those of the rulesets, and two that work on items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from core.refusals import Refusal
from games.rulesets import REGISTRY

COPY: Final = "copy"
BLOCK: Final = "block"


class Item(msgspec.Struct, frozen=True):
    """An item: the ruleset it works in (empty: any) and its variants (none: all of them), what it
    does, and what Copy and Block may do to it."""

    id: str
    name: str
    text: str
    ruleset: str = ""
    variants: tuple[str, ...] = ()
    copyable: bool = True
    blockable: bool = True

    @property
    def is_meta(self) -> bool:
        """Whether it works on other items and is used up before the match is set up."""
        return self.id in (COPY, BLOCK) and not self.ruleset

    def fits(self, ruleset: str, variant: str) -> bool:
        """Whether it can be brought into a match of that variant."""
        if self.is_meta:
            return takes_items(ruleset, variant)
        return self.ruleset == ruleset and (not self.variants or variant in self.variants)


META: Final = (
    Item(
        COPY,
        "Copy",
        "You get a second copy of an item that either player brings into the match, unless it is "
        "marked as not to be copied.",
        copyable=False,
    ),
    Item(
        BLOCK,
        "Block",
        "An item that your opponent brings into the match has no effect, unless it is marked as "
        "not to be blocked.",
        copyable=False,
    ),
)


@cache
def catalogue() -> tuple[Item, ...]:
    """Every item: ruleset by ruleset, then Copy and Block."""
    own = [
        Item(
            rule.id,
            rule.name,
            rule.text,
            ruleset.id,
            rule.variants,
            copyable=rule.copyable,
            blockable=rule.blockable,
        )
        for ruleset in REGISTRY
        for rule in ruleset.items
    ]
    return (*own, *META)


def item_of(item_id: str, ruleset: str = "") -> Item:
    """The item of that id in a ruleset (empty: Copy or Block). Raises Refusal ``item.unknown``."""
    for item in catalogue():
        if (item.id, item.ruleset) == (item_id, ruleset):
            return item
    where = f" in {REGISTRY.get(ruleset).name}" if ruleset else ""
    raise Refusal("item.unknown", f"There is no item {item_id!r}{where}.")


def takes_items(ruleset: str, variant: str) -> bool:
    """Whether that variant knows items at all."""
    return any(
        item.ruleset == ruleset and (not item.variants or variant in item.variants)
        for item in catalogue()
    )


def items_for(ruleset: str, variant: str) -> list[Item]:
    """What can be brought into a match of that variant."""
    return [item for item in catalogue() if item.fits(ruleset, variant)]


def items_among(games: Iterable[Mapping[str, Any]]) -> list[Item]:
    """What can be brought into one of these games of a season's list; of an empty one, where
    anything can be played, every item."""
    played = [(each["ruleset"], each["variant"]) for each in games]
    return [item for item in catalogue() if not played or any(item.fits(*game) for game in played)]
