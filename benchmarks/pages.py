"""What the page of a match costs whoever opens it: bytes, steps and milliseconds, in Chromium.

    python benchmarks/pages.py [--rounds 5] [--slower 4] [--json]

Starts the site, and opens the page of a match of each game as a player would who has never been
here, over a connection that costs nothing: at the machine's own pace, and with the processor slowed
down. A match can be played once its page has its socket and has drawn the board; how long the page
was busy until then is what it takes by itself. Bytes are those over the line, headers included. Of
the times the least and the middle one of all rounds are printed, since server and browser share the
machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, sync_playwright
from stand import running_site

from games.rulesets import REGISTRY
from script.lib import chromium
from tests.browser import players
from tests.support.fixtures import ARGUMENTS, Pages
from tests.support.loading import Loading

# When the page could be played, on its own clock.
PLAYABLE = """() => new Promise((told) => {
  const match = document.querySelector("#match");
  const look = () => {
    if (match.dataset.connection !== "live" || !match.dataset.phase) return false;
    told(performance.now());
    return true;
  };
  if (look()) return;
  new MutationObserver((_, watch) => look() && watch.disconnect()).observe(match, {
    attributes: true,
  });
})"""


def opened(browser: Browser, game: players.Game, base_url: str, slower: float) -> dict[str, float]:
    """One visit: bytes, requests, steps, and milliseconds until the match could be played."""
    pages = Pages(browser, base_url)
    try:
        page = pages()
        cookie: Any = {"name": game.cookie, "value": game.sessions["Ada"], "url": base_url}
        page.context.add_cookies([cookie])
        loading = Loading(page, slower=slower)
        loading.session.send("Performance.enable")
        page.goto(game.address, wait_until="commit")
        page.wait_for_selector("#match", state="attached")
        playable = page.evaluate(PLAYABLE)
        told = loading.session.send("Performance.getMetrics")["metrics"]
        busy = {each["name"]: each["value"] for each in told}["TaskDuration"] * 1000
        page.wait_for_load_state("networkidle")
        loading.settle()
        return {
            "bytes": sum(each.bytes for each in loading.fetched),
            "page bytes": loading.fetched[0].bytes,
            "requests": len(loading.fetched),
            "depth": max(each.depth for each in loading.parts),
            "playable ms": playable,
            "busy ms": busy,
        }
    finally:
        pages.close()


def main() -> None:
    """Measure each game in turn, as often as asked for, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--slower", type=float, default=4, help="how many times slower (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    path = chromium.find()
    if path is None:
        sys.exit("There is no Chromium: set GAUNTLET_CHROMIUM to one.")
    found: dict[str, dict[str, float]] = {}
    with running_site() as stand, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        games = {
            each.id: players.start(stand.site, each.id, variant=each.variants[0].id)
            for each in REGISTRY
        }
        visits: dict[tuple[str, float], list[dict[str, float]]] = {}
        for _ in range(arguments.rounds + 1):
            for ruleset, game in games.items():
                for slower in (1, arguments.slower):
                    visit = opened(browser, game, stand.site.base_url, slower)
                    visits.setdefault((ruleset, slower), []).append(visit)
        for (ruleset, slower), made in visits.items():
            row = found.setdefault(ruleset, {})
            last = made[-1]
            row |= {name: last[name] for name in ("bytes", "page bytes", "requests", "depth")}
            for name in ("playable ms", "busy ms"):
                times = [each[name] for each in made[1:]]  # the first one finds nothing warm
                row[f"{name}, x{slower:g}, least"] = round(min(times))
                row[f"{name}, x{slower:g}"] = round(statistics.median(times))
        browser.close()
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    names = next(iter(found.values()))
    print(f"{'':<26}" + "".join(f"{ruleset[:18]:>20}" for ruleset in found))
    for name in names:
        print(f"{name:<26}" + "".join(f"{row[name]:>20g}" for row in found.values()))


if __name__ == "__main__":
    main()
