"""Somebody who only watches a season says on a phone who wins, and is named as who knew best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.accessibility import axe
from tests.browser.test_season_browser import (
    PHONE,
    Cast,
    confirm,
    made,
    place,
)
from tests.support.screens import assert_fits
from tests.support.site import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.fixtures import Pages

pytestmark = pytest.mark.browser


def test_a_spectator_predicts_on_their_phone(site: Site, new_page: Pages) -> None:
    cast, examiner = Cast(site, new_page, "Ada", "Ben", "Cleo", "Eve"), axe.Examiner()

    def looked_at(page: Page) -> None:
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        assert_fits(page)
        assert examiner.faults(page) == []
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]

    orla, eve = cast["Orla"], cast["Eve"]
    eve.set_viewport_size(PHONE)  # type: ignore[arg-type]
    home = made(orla, f"Spring {cast.mark}")
    confirm(orla, "Make it public", "Make it public")
    handles = [f"{each}-{cast.mark}" for each in ("ada", "ben", "cleo")]
    enrolled_and_started_by(orla, home, handles)

    eve.goto(home)
    eve.get_by_role("navigation", name="This season").get_by_role(
        "link", name="Predictions"
    ).click()
    eve.get_by_text("no stakes, no currency, no prizes").wait_for()
    looked_at(eve)
    eve.get_by_label("Who wins", exact=True).select_option(label="Ada")
    eve.get_by_role("button", name="Predict", exact=True).click()
    eve.get_by_text("You have named Ada.").wait_for()
    looked_at(eve)

    # Cleo comes last, and the organiser names Ben: that closes the season, and opens the match.
    orla.goto(f"{home}desk/")
    orla.get_by_role("link", name="Record it").click()
    place(orla, "Ada", "Ben", "Cleo")
    orla.goto(f"{home}desk/")
    orla.get_by_role("link", name="Name the DMO yourself").click()
    orla.get_by_role("radio", name="Ben").check()
    orla.get_by_role("button", name="Name the opponent").click()
    orla.locator(".messages .alert--success").wait_for()
    eve.goto(f"{home}predictions/")
    eve.get_by_text("Closed.").first.wait_for()
    eve.get_by_role("group", name="Who wins").get_by_role("button", name="Ben").click()
    eve.get_by_text("You have named Ben.").wait_for()
    looked_at(eve)

    orla.get_by_role("link", name="Rule who has won").click()
    orla.get_by_role("radio", name="Ben").check()
    orla.get_by_role("textbox", name="Reason").fill("Cleo gives up.")
    orla.get_by_role("button", name="Rule so").click()
    orla.get_by_text("decided by your ruling").wait_for()
    eve.reload()
    eve.get_by_text("You have named Ben, and you were right.").wait_for()
    row = eve.get_by_role("region", name="The table").get_by_role("row").last
    assert row.inner_text().split() == ["1", "Eve", "1", "1", "of", "1"]
    looked_at(eve)
    assert new_page.errors == []


def enrolled_and_started_by(orla: Page, home: str, handles: list[str]) -> None:
    """Enrol from a list, draw seeds, and start."""
    orla.goto(f"{home}desk/contestants/")
    orla.get_by_role("textbox", name="One a line").fill("\n".join(handles))
    orla.get_by_role("button", name="Enrol them").click()
    orla.get_by_text(f"{len(handles)} enrolled.").wait_for()
    orla.get_by_role("link", name="Seeds", exact=True).click()
    orla.get_by_role("button", name="Draw all by lot").click()
    orla.get_by_text("The seeds are drawn by lot.").wait_for()
    orla.goto(f"{home}desk/")
    confirm(orla, "Start the season", "Start it")
