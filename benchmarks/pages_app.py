"""The part of `pages.py` that runs within a checkout: its site, with something on every page.

    python benchmarks/pages_app.py

Starts the site, plays matches at random, prints one JSON object that says where they are, and stops
once nobody wants anything of it any more: at the end of its input.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(os.environ.get("GAUNTLET_BENCHMARK_OF", "") or Path(__file__).resolve().parent.parent)
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT)]

from stand import running_site

from games.options import pace
from games.rulesets import REGISTRY
from tests.browser import players
from tests.support.site import Site

# Nobody's time runs out meanwhile, and still they are matches to sit through.
UNHURRIED = 30
HALFWAY = 12  # turns
TO_THE_END = 1_000

PLAY = """
import random
from core.clock import now_ms
from games import store
from games.models import Match
from games.services.turns import match_submit

players = {{each.seat: each.user for each in Match.objects.get(pk={match}).players.all()}}
draw = random.Random({match}).random
for turn in range({turns}):
    held = store.read({match})
    table = held.live.table
    # An answer that may still be changed leaves its decision open: once is enough.
    asked = [seat for seat in (0, 1) if table.open[seat] is not None and not table.holds_back(seat)]
    if held.is_over or not asked:
        break
    decision = table.open[asked[0]].decision
    match_submit(
        match_id={match}, seat=asked[0], acting_user=players[asked[0]], client_id=f"turn-{{turn}}",
        text=held.ruleset.print(held.ruleset.sample(table.state, decision, draw)),
        version=held.readers.versions[asked[0]], at=now_ms(),
    )
"""

ORGANISER = """
from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant

head = User.objects.create_superuser("bench-head", password="bench-head")
role_grant(acting_user=head, user=User.objects.create_user("bench-organiser"), role=Role.ORGANISER)
"""

SLUG = """
from tournaments.models import Season
print(Season.objects.get().slug)
"""

WAIT = """
from accounts.models import User
from games.models import Match
from games.services.matches import match_start

like = Match.objects.get(pk={match})
users = [each.user for each in like.players.order_by("seat")]
print(match_start(
    acting_user=None, players=tuple(users), ruleset_id=like.ruleset, variant=like.variant,
    options=like.options, advantage=0, waits=True,
).pk)
"""


def matches_of(site: Site, ruleset_id: str) -> dict[str, Any]:
    """Matches of a game, one for each way that a match can stand, by what that is called: their
    numbers, and how to sign in as a player."""
    ruleset = REGISTRY.get(ruleset_id)
    times = {key: value * UNHURRIED for key, value in pace.default_times(ruleset).items()}
    times["turn_time"] = min(times["turn_time"], pace.HOUR - 1)
    found: dict[str, Any] = {}
    for name, turns in (("begun", 0), ("on", HALFWAY), ("over", TO_THE_END)):
        game = players.start(site, ruleset_id, variant=ruleset.variants[0].id, options=times)
        site.python(PLAY.format(match=game.match, turns=turns))
        found[name] = game._asdict()
    waiting = int(site.python(WAIT.format(match=found["begun"]["match"])).split()[-1])
    found["waiting"] = {**found["begun"], "match": waiting}
    return found


def season_of(site: Site) -> str:
    """The address of a season of 16 that has been played to its end."""
    site.python(ORGANISER)
    site.manage("simulate_season", "--contestants", "16", "--quick")
    return f"/seasons/{site.python(SLUG).split()[-1]}/"


def main() -> None:
    """Make all of it, say where it is, and wait."""
    with running_site() as stand:
        made = {each.id: matches_of(stand.site, each.id) for each in REGISTRY}
        told = {
            "base_url": stand.site.base_url,
            "matches": made,
            "season": season_of(stand.site),
        }
        print(json.dumps(told), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
