"""The rulesets a site offers, by id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.refusals import NotFound
from games.engine.errors import EngineFault
from games.engine.reasons import COMMON
from games.engine.ruleset import Ruleset


class Registry:
    """An ordered set of rulesets. Raises EngineFault when two share an id."""

    def __init__(self, *rulesets: Ruleset[Any, Any]) -> None:
        self._by_id = {ruleset.id: ruleset for ruleset in rulesets}
        if len(self._by_id) != len(rulesets):
            raise EngineFault("two rulesets share an id")

    def __iter__(self) -> Iterator[Ruleset[Any, Any]]:
        return iter(self._by_id.values())

    def __contains__(self, ruleset_id: object) -> bool:
        return ruleset_id in self._by_id

    @property
    def reasons(self) -> frozenset[str]:
        """The ids of all ways in which matches end."""
        found = (each.id for ruleset in self for each in ruleset.reasons)
        return frozenset((*found, *(each.id for each in COMMON)))

    def get(self, ruleset_id: str) -> Ruleset[Any, Any]:
        """The ruleset of that id. Raises Refusal ``setup.ruleset``."""
        try:
            return self._by_id[ruleset_id]
        except KeyError:
            raise NotFound("setup.ruleset", f"There is no ruleset {ruleset_id!r}.") from None
