"""axe, which knows what keeps people from using a page, asked about a page in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
# On top of what axe does by itself: a name that lacks the visible words cannot be spoken.
EVERYTHING = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
# What the colours of a scheme decide.
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}

_ASK = """async (options) => {
  const found = await axe.run(document, { resultTypes: ["violations"], ...options });
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => [
      id,
      node.target.join(" "),
      node.html.slice(0, 200),
      node.any.concat(node.all, node.none).map((check) => check.message).join(" "),
    ]),
  );
}"""
# What is behind a fold is part of the page, too; colours are looked at where they have arrived.
_PREPARE = """() => {
  for (const each of document.querySelectorAll("main details")) each.open = true;
  const still = new CSSStyleSheet();
  still.replaceSync("*, *::before, *::after { transition: none !important }");
  document.adoptedStyleSheets.push(still);
}"""


def faults(page: Page) -> list[str]:
    """What axe finds wrong with the page, unfolded, wide and narrow, light and dark."""
    page.evaluate(AXE_SCRIPT)
    page.evaluate(_PREPARE)
    found: dict[str, str] = {}
    for size, scheme, options in (
        (WIDE, "light", EVERYTHING),
        (WIDE, "dark", COLOURS),
        (NARROW, "dark", COLOURS),
        (NARROW, "light", EVERYTHING),
    ):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        answer: list[list[str]] = page.evaluate(_ASK, options)
        for rule, target, html, why in answer:
            found.setdefault(f"{rule}: {target}", f"({size['width']} px, {scheme}) {html} {why}")
    return [f"{what} {where}" for what, where in found.items()]


def look(**more: Any) -> dict[str, Any]:
    """How a page is opened."""
    return {"viewport": WIDE, "color_scheme": "light", "reduced_motion": "reduce", **more}
