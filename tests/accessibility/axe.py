"""axe, which knows what keeps people from using a page, asked about a page in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

# How a page is looked at: the size of the window, the scheme, and what axe is asked there besides
# the contrast.
Looks = tuple[tuple[dict[str, int], str, dict[str, Any] | None], ...]

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
# Asked about by itself, since it takes longer than all the rest.
CONTRAST = "color-contrast"
# On top of what axe does by itself: a name that lacks the visible words cannot be spoken.
EVERYTHING = {
    "preload": False,  # no rule that is asked about wants the sheets
    "rules": {
        "label-content-name-mismatch": {"enabled": True},
        CONTRAST: {"enabled": False},
    },
}
# What else the colours of a scheme decide.
LINKS = {"preload": False, "runOnly": ["link-in-text-block"]}

_ASK = """async (options) => {
  const found = await axe.run(document, { resultTypes: ["violations"], ...options });
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => window.told(id, node)));
}"""
# Contrast of a text is decided by what it looks like: its colour and size, and what its ancestors
# paint behind it. Each look is asked about until axe has judged it once, wherever that was; a text
# of one letter, or a disabled one, it does not.
_ASK_CONTRAST = """async ([rule, judged]) => {
  const known = new Set(judged.split(" "));
  const behind = new Map([[null, ["", ""]]]);
  const painted = (element) => {
    if (!behind.has(element)) {
      let [paint, veil] = painted(element.parentElement);
      const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } =
        getComputedStyle(element);
      const own = [backgroundColor, backgroundImage].join();
      if (own.startsWith("rgb(") && own.endsWith("none")) paint = own;
      else if (own !== "rgba(0, 0, 0, 0),none") paint += `/${own}`;
      const light = [opacity, filter, mixBlendMode].join();
      if (light !== "1,none,normal") veil += `/${light}`;
      behind.set(element, [paint, veil]);
    }
    return behind.get(element);
  };
  const words = (element) =>
    element.value ??
    [...element.childNodes].map((each) => (each.nodeType === 3 ? each.data : "")).join("").trim();
  const look = (element) => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const silent = element.closest(":disabled, [aria-disabled=true]") !== null;
    const kind = [color, fontSize, fontWeight, textShadow, silent, words(element).length === 1];
    let [a, b] = [0xdeadbeef, 0x41c6ce57]; // a short name for it, of 64 bits
    for (const each of [...kind, ...painted(element)].join("|")) {
      const code = each.codePointAt(0);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`;
  };
  const asked = new Map();
  for (const element of document.querySelectorAll("body *")) {
    if (!words(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
    const key = look(element);
    if (!known.has(key)) asked.set(key, [...(asked.get(key) ?? []), element].slice(0, 3));
  }
  const include = [...asked.values()].flat();
  if (!include.length) return [[], []];
  const { violations, passes } = await axe.run(
    { include },
    { preload: false, runOnly: [rule], resultTypes: ["violations", "passes"], elementRef: true },
  );
  const nodes = (results) => results.flatMap((each) => each.nodes);
  return [
    nodes(violations).map((node) => window.told(rule, node)),
    nodes([...violations, ...passes]).map(({ element }) => look(element)),
  ];
}"""
_PREPARE = """() => {
  // What is behind a fold is part of the page, too.
  for (const each of document.querySelectorAll("main details")) each.open = true;
  // Colours are looked at where they have arrived.
  const still = new CSSStyleSheet();
  still.replaceSync("*, *::before, *::after { transition: none !important }");
  document.adoptedStyleSheets.push(still);
  window.told = (id, node) => [
    id,
    node.target.join(" "),
    node.html.slice(0, 200),
    node.any.concat(node.all, node.none).map((check) => check.message).join(" "),
  ];
}"""


# What there is and how it is laid out differs with the width: two looks see both, and each scheme
# once. What colours decide is asked about in all four.
FOUR: Looks = (
    (WIDE, "light", EVERYTHING),
    (WIDE, "dark", LINKS),
    (NARROW, "dark", EVERYTHING),
    (NARROW, "light", LINKS),
)
# For page after page, in turns: contrast in two of the four, everything in one of them.
TWO: tuple[Looks, Looks] = (
    ((NARROW, "dark", None), (WIDE, "light", EVERYTHING)),
    ((WIDE, "light", None), (NARROW, "dark", EVERYTHING)),
)

# The kinds of elements on a page: what they are and what sheets and scripts know them by. The names
# of fields, columns and models make no kinds.
_KINDS = """() => [...new Set(
  [...document.querySelectorAll("body *:not(svg *)")].flatMap((each) =>
    ["", ...each.classList]
      .filter((name) => !/^(field|column|model|app)-/.test(name))
      .map((name) => [each.tagName, each.type, each.role, name].join(" ")),
  ),
)]"""


def kinds(page: Page) -> set[str]:
    """The kinds of elements on the page."""
    return set(page.evaluate(_KINDS))


class Examiner:
    """Looks at one page after the other, and remembers the looks that it has judged."""

    def __init__(self) -> None:
        self.judged: set[str] = set()

    def faults(self, page: Page, looks: Looks = FOUR) -> list[str]:
        """What axe finds wrong with the page, unfolded, wide and narrow, light and dark."""
        if page.evaluate("typeof axe") == "undefined":
            page.evaluate(AXE_SCRIPT)
        page.evaluate(_PREPARE)
        found: dict[str, str] = {}
        for size, scheme, options in looks:
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            answer = self._pale(page)
            if options is not None:
                answer += page.evaluate(_ASK, options)
            for rule, target, html, why in answer:
                found.setdefault(
                    f"{rule}: {target}", f"({size['width']} px, {scheme}) {html} {why}"
                )
        return [f"{what} {where}" for what, where in found.items()]

    def _pale(self, page: Page) -> list[list[str]]:
        found, judged = page.evaluate(_ASK_CONTRAST, [CONTRAST, " ".join(self.judged)])
        if not found:  # else every other page with that look is to be named, too
            self.judged |= set(judged)
        return list(found)


def at_hand(context: BrowserContext) -> None:
    """Have axe on every page of the context: for several pages that takes a third of the time."""
    context.add_init_script(AXE_SCRIPT)


def look(**more: Any) -> dict[str, Any]:
    """How a page is opened."""
    return {"viewport": WIDE, "color_scheme": "light", "reduced_motion": "reduce", **more}
