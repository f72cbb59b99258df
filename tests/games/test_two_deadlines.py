"""Both players have something to decide, and their time is over at the same moment or nearly: each
has the grace for what is on its way, the one who comes second as well."""

from __future__ import annotations

import random

import msgspec
import pytest
from django.conf import settings

from accounts.models import User
from games import store
from games.engine import live as lives
from games.engine.clocks import Watch
from games.engine.decisions import Seat
from games.models import Match, MatchEntry
from games.services.turns import Ack
from tests.games.support import GAMES, SECOND, T0, Play, started

SETTLE = settings.GAUNTLET_SETTLE_MS
# By how much one of both has longer, in ms: nothing, less than the grace, all of it, and more.
APART = (0, 1, SETTLE // 2, SETTLE - 1, SETTLE, SETTLE + 1, 4 * SETTLE)
MOVES = 40


def at_once(ada: User, ben: User, ruleset: str, variant: str) -> tuple[Play, int] | None:
    """A match in which both have something to decide that runs out, and when it came to that (ms
    after `T0`); None where the game has no such moment within some moves."""
    source = random.Random(7)
    play = started((ada, ben), ruleset, variant=variant, random=source.random)
    for number in range(MOVES):
        held = play.held
        if all(_deadline(play, seat) is not None for seat in (0, 1)):
            return play, number * SECOND
        table = held.live.table
        seats = [s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s)]
        if held.is_over or not seats:
            return None
        play.move(seats[0], play.random_move(seats[0], source.random), (number + 1) * SECOND)
    return None


def _deadline(play: Play, seat: Seat) -> int | None:
    held = play.held
    found = lives.deadline_of(held.ruleset, held.live, seat)
    return None if found is None else found - T0


def deadlines(play: Play) -> tuple[int, int]:
    """Until when each seat has time (ms after `T0`)."""
    first, second = _deadline(play, 0), _deadline(play, 1)
    assert first is not None
    assert second is not None
    return first, second


def give(play: Play, seat: int, until: int) -> None:
    """Have a seat's clock show so much that its time is over at that instant, as after a decision
    that was suspended for a while."""
    held = play.held
    watches = list(held.live.watches)
    watch = watches[seat]
    assert watch is not None
    watches[seat] = Watch(watch.before_ms - (until - deadlines(play)[seat]), watch.since)
    live = msgspec.structs.replace(held.live, watches=tuple(watches))
    wake = store.next_wake(held.ruleset, live, after=T0)
    Match.objects.filter(pk=play.pk).update(
        snapshot=store.snapshot_of(held.ruleset, live, held.readers),
        deadline_at=lives.next_deadline(held.ruleset, live), wake_at=wake, sweep_at=wake,
    )  # fmt: skip
    assert deadlines(play)[seat] == until


def ran_out(play: Play) -> dict[str, int]:
    """Whose time has run out, and when that took effect (ms after `T0`)."""
    found = MatchEntry.objects.filter(match=play.pk, timeout=True).order_by("seq")
    return {actor: at - T0 for actor, at in found.values_list("actor", "at")}


def look(play: Play) -> int:
    """Be the worker that looks when it is to; returns when that was (ms after `T0`)."""
    due = play.match.wake_at
    assert due is not None
    play.wake(due - T0)
    return due - T0


SIMULTANEOUS = [
    (ruleset, variant)
    for ruleset, variant in GAMES
    if ruleset in {"tetronogo", "domino-wars", "peg-domain", "domain"}
]


def test_these_are_the_games_in_which_both_decide_at_once(ada: User, ben: User) -> None:
    found = [game for game in GAMES if at_once(ada, ben, *game) is not None]
    assert found == SIMULTANEOUS


@pytest.mark.parametrize("apart", APART)
@pytest.mark.parametrize(("ruleset", "variant"), SIMULTANEOUS)
@pytest.mark.parametrize("later", [0, 1])
def test_each_of_both_has_the_grace(
    later: int, ruleset: str, variant: str, apart: int, ada: User, ben: User
) -> None:
    found = at_once(ada, ben, ruleset, variant)
    assert found is not None
    play, since = found
    until = max(deadlines(play))
    give(play, 1 - later, until)
    give(play, later, until + apart)
    before = MatchEntry.objects.filter(match=play.pk).count()
    first, second = str(1 - later), str(later)
    # Whatever else it is asked for meanwhile.
    while not ran_out(play):
        looked = look(play)
        assert looked <= until + SETTLE + 1
    assert looked == until + SETTLE + 1
    assert first in ran_out(play) or apart == 0
    if apart:
        assert second not in ran_out(play)
        # What the second has sent in time is dealt with only now, and counts.
        text = play.random_move(later, random.Random(1).random)
        assert isinstance(play.submit(later, text, until + apart), Ack)
        assert second not in ran_out(play)
    else:
        assert ran_out(play) == {"0": looked, "1": looked}
    assert since < until
    assert MatchEntry.objects.filter(match=play.pk).count() > before


@pytest.mark.parametrize("apart", APART)
def test_both_run_out_each_at_its_instant(apart: int, ada: User, ben: User) -> None:
    """And no later than that."""
    found = at_once(ada, ben, "tetronogo", "standard")
    assert found is not None
    play, _ = found
    until = max(deadlines(play))
    give(play, 0, until)
    give(play, 1, until + apart)
    while len(ran_out(play)) < 2:
        look(play)
    assert ran_out(play) == {"0": until + SETTLE + 1, "1": until + apart + SETTLE + 1}
