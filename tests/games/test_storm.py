"""Five hundred sockets that open at the same moment, and again after a kill -9.

Nothing here is bound to a time: a machine that is busy with other tests takes longer, and must only
never get stuck. `benchmarks/storm.py` prints how long it takes.
"""

from __future__ import annotations

from statistics import median

import pytest

from tests.games.desk import Desk
from tests.support.site import Site
from tests.support.storm import Storm, Visitor

SOCKETS = 500
MATCHES = 50
PATIENCE = 600.0
# How often each may come until it is in: those that are dropped while they wait, and begin from the
# beginning, are what keeps all others out.
ATTEMPTS = 3


@pytest.mark.timeout(1500)  # seconds: to hang is what must not happen, and CI may be slow
async def test_everybody_comes_in_and_players_first(site: Site, desk: Desk) -> None:
    one, two, signed_in = desk.person(), desk.person(), desk.person()
    matches = [desk.match(one, two, pick_time=600) for _ in range(MATCHES)]
    paths = [f"/ws/v1/matches/{match}/" for match in matches]
    # Players come last, so that being first is no matter of having come first.
    watching = [
        Visitor(paths[number % 5], signed_in.cookie if number % 3 == 0 else None)
        for number in range(SOCKETS - 2 * MATCHES)
    ]
    playing = [Visitor(path, person.cookie, plays=True) for path in paths for person in (one, two)]
    async with Storm(site.base_url, [*watching, *playing]) as storm:
        await storm.everybody(PATIENCE)
        assert_players_first(watching, playing)
        assert not [why for why in storm.failures if why != "dropped"], "some lost patience"

        site.web.kill()
        storm.forget()
        site.web.start()
        await storm.everybody(PATIENCE)
        assert_players_first(watching, playing)
        assert max(visitor.attempts for visitor in storm.visitors) <= ATTEMPTS
        assert sum(visitor.attempts for visitor in storm.visitors) <= 1.5 * SOCKETS
    ended = site.sql(
        "SELECT match_id, events FROM games_matchentry"
        " WHERE match_id = ANY(%s) AND actor <> 'service'",
        matches,
    )
    assert ended == [], "decisions ran out meanwhile"


def assert_players_first(watching: list[Visitor], playing: list[Visitor]) -> None:
    """Nine of ten are in before half of the spectators: the first few find nobody waiting, whoever
    they are."""

    def places(visitors: list[Visitor]) -> list[int]:
        return sorted(visitor.place for visitor in visitors if visitor.place is not None)

    assert places(playing)[9 * len(playing) // 10] < median(places(watching))
