"""Pages on screens of several widths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Pixels, and the colours that the reader's device asks for.
Screen = tuple[int, Literal["light", "dark"]]


def show(page: Page, screen: Screen) -> None:
    """Give the page's window this width and scheme."""
    width, scheme = screen
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)


# What sticks out on the right, from outside to inside.
BEYOND = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .slice(0, 8)
  .map((each) => `${each.tagName}.${each.getAttribute("class")}`)"""


def assert_fits(page: Page) -> None:
    """Assert that nothing makes the page scroll sideways."""
    wide, screen = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert page.viewport_size is not None
    assert screen == page.viewport_size["width"]
    beyond = page.evaluate(BEYOND) if wide > screen else []
    assert wide <= screen, f"{page.url} is {wide} px wide on a screen of {screen} px: {beyond}"


def assert_fits_each(page: Page, screens: Sequence[Screen]) -> None:
    """Assert it on each of the screens; the page is left on the first."""
    for screen in screens:
        show(page, screen)
        assert_fits(page)
    show(page, screens[0])
