"""What pages cost whoever opens them: bytes, steps and milliseconds, in Chromium.

    python benchmarks/pages.py [--rounds 5] [--slower 4] [--only TEXT …]
                               [--against CHECKOUT] [--json]

Starts the site, and opens the page of a match of each game, in every state that it can be in, and
other pages beside, as somebody would who has never been here, over a connection that costs nothing:
with the processor slowed down. ``--only`` chooses those whose names have one of the texts in them;
``--against`` starts another checkout (of an earlier commit, for one) as well, and visits each page
of both by turns.

A match can be played once its page has its socket and has drawn the board, a replay followed once
it has its controls, and any other page used once its scripts have run. How long the page was busy
until then is what it takes by itself, which hardly depends on what else the machine does. Layouts
and passes of style are those of the browser until then, and nodes what it had made of the page.
Bytes are those over the line, headers included. Of all figures the middle one of all rounds is
printed, of the milliseconds until it can be played the least as well, since server and browser
share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, sync_playwright

from script.lib import chromium
from tests.support.fixtures import ARGUMENTS, Pages
from tests.support.loading import Loading

APP = ROOT / "benchmarks" / "pages_app.py"

WIDE: Final = {"viewport": {"width": 1440, "height": 900}}
PATIENCE_S: Final = 30
NARROW: Final = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}

# When the page could be used, on its own clock: by what it has in the end.
LIVE = """(told) => {
  const match = document.querySelector("#match");
  new MutationObserver((_, watch) => {
    if (match.dataset.connection !== "live" || !match.dataset.phase) return;
    watch.disconnect();
    told(performance.now());
  }).observe(match, { attributes: true });
}"""
CONTROLS = """(told) => {
  const controls = document.querySelector("[data-part=controls]");
  new MutationObserver((_, watch) => {
    if (controls.childElementCount === 0) return;
    watch.disconnect();
    told(performance.now());
  }).observe(controls, { childList: true });
}"""
LOADED = """(told) => {
  const [page] = performance.getEntriesByType("navigation");
  const look = () => {
    if (page.domContentLoadedEventEnd > 0) told(page.domContentLoadedEventEnd);
    else setTimeout(look, 1);
  };
  look();
}"""
# Put into the page before anything of its own: what a tool asks of a page while that is made costs
# a slow processor more than some of the page's own parts. Modules run after "interactive".
WATCH = """document.addEventListener("readystatechange", () => {
  if (document.readyState === "interactive") (%s)((at) => usable(String(at)));
})"""


class Visit(NamedTuple):
    """A page, who comes to it, and how wide their screen is. ``usable``: a function of a page whose
    elements are there, which tells when it could be used."""

    name: str
    path: str
    cookie: dict[str, Any] | None
    screen: dict[str, Any]
    usable: str


def visits(made: dict[str, Any]) -> Iterator[Visit]:
    """All that there is to look at on a site."""
    base_url = made["base_url"]

    def cookie(game: dict[str, Any], name: str) -> dict[str, Any]:
        return {"name": game["cookie"], "value": game["sessions"][name], "url": base_url}

    for ruleset, games in made["matches"].items():
        for width, screen in (("wide", WIDE), ("narrow", NARROW)):
            seats = [
                ("begun", games["begun"], "Ada"), ("player", games["on"], "Ada"),
                ("spectator", games["on"], None), ("over", games["over"], "Ada"),
                ("waiting", games["waiting"], "Ada"),
            ]  # fmt: skip
            for what, game, who in seats:
                path = f"/matches/{game['match']}/"
                reader = cookie(game, who) if who else None
                name = f"{ruleset}, {what}, {width}"
                yield Visit(name, path, reader, screen, LIVE)
            path = f"/matches/{games['over']['match']}/replay/"
            yield Visit(f"{ruleset}, replay, {width}", path, None, screen, CONTROLS)
    game = next(iter(made["matches"].values()))["on"]
    others = {
        "home": "/", "lobby": "/lobby/", "watch": "/watch/", "rules": f"/rules/{ruleset}/",
        "seasons": "/seasons/", "season": made["season"],
    }  # fmt: skip
    for name, path in others.items():
        for width, screen in (("wide", WIDE), ("narrow", NARROW)):
            yield Visit(f"{name}, {width}", path, cookie(game, "Ada"), screen, LOADED)


def opened(browser: Browser, visit: Visit, base_url: str, slower: float) -> dict[str, float]:
    """One visit: bytes, requests, steps, and what it took until the page could be used."""
    pages = Pages(browser, base_url)
    try:
        page = pages(**visit.screen)
        if visit.cookie:
            page.context.add_cookies([visit.cookie])  # type: ignore[list-item]
        loading = Loading(page, slower=slower)
        reported: list[float] = []
        loading.session.on(
            "Runtime.bindingCalled", lambda call: reported.append(float(call["payload"]))
        )
        loading.session.send("Runtime.enable")
        loading.session.send("Runtime.addBinding", {"name": "usable"})
        loading.session.send("Page.enable")
        loading.session.send(
            "Page.addScriptToEvaluateOnNewDocument", {"source": WATCH % visit.usable}
        )
        loading.session.send("Performance.enable")
        page.goto(visit.path, wait_until="commit")
        until = time.monotonic() + PATIENCE_S
        while not reported and time.monotonic() < until:
            page.wait_for_timeout(10)
        told = counted(loading)
        settled(page)
        loading.settle()
        return {
            "bytes": sum(each.bytes for each in loading.fetched),
            "page bytes": loading.fetched[0].bytes,
            "requests": len(loading.fetched),
            "depth": max(each.depth for each in loading.parts),
            "layouts": told["LayoutCount"],
            "styles": told["RecalcStyleCount"],
            "nodes": told["Nodes"],
            "script ms": told["ScriptDuration"] * 1000,
            "style ms": told["RecalcStyleDuration"] * 1000,
            "layout ms": told["LayoutDuration"] * 1000,
            "busy ms": told["TaskDuration"] * 1000,
            "usable ms": reported[0],
        }
    finally:
        pages.close()


def counted(loading: Loading) -> dict[str, float]:
    """What the browser has counted so far."""
    metrics = loading.session.send("Performance.getMetrics")["metrics"]
    return {each["name"]: each["value"] for each in metrics}


def settled(page: Page) -> None:
    """Wait until nothing more is on its way."""
    page.wait_for_load_state("networkidle")


@contextmanager
def running(checkout: Path) -> Iterator[dict[str, Any]]:
    """The site of a checkout, and where what is on it can be found."""
    with subprocess.Popen(
        [sys.executable, str(APP)],
        env=os.environ | {"GAUNTLET_BENCHMARK_OF": str(checkout)},
        cwd=checkout,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            for line in child.stdout or ():
                if line.startswith("{"):
                    yield json.loads(line)
                    break
            else:
                sys.exit(f"There is no site of {checkout}.")
        finally:
            if child.stdin is not None:
                child.stdin.close()


def main() -> None:
    """Visit each page by turns, as often as asked for, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--slower", type=float, default=4, help="how many times slower (%(default)s)"
    )
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names of pages")
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    path = chromium.find()
    if path is None:
        sys.exit("There is no Chromium: set GAUNTLET_CHROMIUM to one.")
    checkouts = [ROOT] if arguments.against is None else [arguments.against.resolve(), ROOT]
    found: dict[str, dict[str, list[dict[str, float]]]] = {}
    with ExitStack() as stack:
        sites = [stack.enter_context(running(each)) for each in checkouts]
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        for turn in range(arguments.rounds + 1):
            for same in zip(*map(visits, sites), strict=True):
                if not any(text in same[0].name for text in arguments.only):
                    continue
                for checkout, site, visit in zip(checkouts, sites, same, strict=True):
                    told = opened(browser, visit, site["base_url"], arguments.slower)
                    if turn:  # the first one finds nothing warm
                        by_page = found.setdefault(str(checkout), {})
                        by_page.setdefault(visit.name, []).append(told)
        browser.close()
    tables = {
        checkout: {name: middle(told) for name, told in by_page.items()}
        for checkout, by_page in found.items()
    }
    if arguments.json:
        print(json.dumps(tables, indent=2))
        return
    for checkout, table in tables.items():
        names = next(iter(table.values()))
        print(f"\n{checkout}\n{'':<36}" + "".join(f"{name:>12}" for name in names))
        for name, row in table.items():
            print(f"{name:<36}" + "".join(f"{value:>12g}" for value in row.values()))


def middle(told: list[dict[str, float]]) -> dict[str, float]:
    """Of each figure the median of all rounds."""
    found = {name: round(statistics.median(each[name] for each in told)) for name in told[0]}
    return {**found, "least": round(min(each["usable ms"] for each in told))}


if __name__ == "__main__":
    main()
