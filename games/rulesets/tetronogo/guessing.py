"""The state that a view shows, so that a bot can think on from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.rulesets.tetronogo.saving import replayed
from games.rulesets.tetronogo.state import State
from games.rulesets.tetronogo.view import history_of


def determinize(view: Mapping[str, Any]) -> State:
    """Exactly the state that was viewed: nothing in a state is secret from anyone, since the
    opponent's sealed pick is not part of it."""
    return replayed(history_of(view))
