"""What is chosen and then cancelled is gone: from the typed field, too, which could be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import players
from tests.browser.stage import Stage, waiting, whole
from tests.browser.test_layout_shift import WHOLE

if TYPE_CHECKING:
    from games.engine.decisions import Seat
    from tests.support.fixtures import Pages
    from tests.support.site import Site

pytestmark = pytest.mark.browser

# Who is asked to choose among cards, where it is not the first seat.
SEATS: dict[str, Seat] = {"domino-black-white": 1}
CARDS = "#match :is(.choices, .choices__cards, .wars-sheet) input[type=radio]:not(:disabled)"


@pytest.mark.parametrize("ruleset", WHOLE)
def test_a_cancelled_choice_is_typed_nowhere(new_page: Pages, site: Site, ruleset: str) -> None:
    name, variant, _kind = WHOLE[ruleset]
    game = players.start(site, ruleset, variant=variant)
    seat = SEATS.get(ruleset, 0)
    stage = Stage(new_page, game, ("Ada", "Ben")[seat], [waiting(name, seat)], clock=False)
    field = stage.page.locator("#notation-text")
    seen: set[str] = set()
    tried = 0
    for position in whole(name, seat):
        kinds = {each["kind"] for each in position.view["decisions"] if position.asks(seat)}
        stage.state["view"] = position.view
        if not kinds - seen:
            continue
        seen |= kinds
        stage.sync(**position.view)
        stage.settle()
        cards = stage.page.locator(CARDS)
        if not cards.count():
            continue
        cards.first.check(force=True)
        cancel = stage.page.get_by_role("button", name="Cancel", exact=True)
        if not field.input_value() or not cancel.is_visible():
            continue
        cancel.click()
        assert field.input_value() == "", position.view["decisions"]
        tried += 1
    assert tried > 0
    assert new_page.errors == []
