"""Turns that are cut off while they are stored: in the midst of their statement, just before they
are committed, and just behind that, when nobody has been told. Either way nobody hears, and whoever
sends the same again is told what is so; it counts once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.faults.support import MATCHES, cut_off, stored
from tests.support.ground import COMMIT, COMMITTED, STATEMENT, Ground
from tests.support.ledger import Crowd
from tests.support.site import Site, wait_for


def end_one(ground: Ground) -> None:
    """Kill one of the processes of the database that hold a turn; it ends all others, and
    recovers."""
    held = ground.held()
    os.kill(held[0], signal.SIGKILL)
    wait_for(lambda: not set(held) & set(ground.held()), what="the database to recover")


def kill(ground: Ground) -> None:
    """Kill the whole of it."""
    ground.kill_postgres(signal.SIGKILL)
    ground.start_postgres()


def end_at_once(ground: Ground) -> None:
    """An immediate shutdown."""
    ground.kill_postgres(signal.SIGQUIT)
    ground.start_postgres()


@pytest.mark.parametrize("end", [end_one, kill, end_at_once])
@pytest.mark.parametrize("where", [COMMIT, COMMITTED])
def test_the_database_ends(
    where: str, end: Callable[[Ground], None], ground: Ground, site: Site, crowd: Crowd
) -> None:
    with ground.held_turns(where):
        sent = cut_off(ground, crowd)
        # Nothing is sent again before it is known what is there.
        site.web.pause()
        end(ground)
    assert stored(site, sent) == (MATCHES if where == COMMITTED else 0)
    site.web.resume()
    crowd.goes_on()
    assert stored(site, sent) == MATCHES
    assert [each for each in sent if not crowd.ledger.sent[each].acks] == []
    assert crowd.end() == []


@pytest.mark.parametrize("where", [COMMIT, COMMITTED])
def test_the_web_process_is_killed(where: str, ground: Ground, site: Site, crowd: Crowd) -> None:
    """The database goes on with what it was asked."""
    with ground.held_turns(where):
        sent = cut_off(ground, crowd)
        site.web.kill()
    wait_for(lambda: stored(site, sent) == MATCHES, what="the turns to be stored")
    site.web.start()
    crowd.goes_on()
    assert [each for each in sent if not crowd.ledger.sent[each].acks] == []
    assert crowd.end() == []


def test_the_web_process_is_killed_between_statement_and_commit(
    ground: Ground, site: Site, crowd: Crowd
) -> None:
    """Where a turn takes more than one statement, as the first of a match in a process does: it
    stands still when it should commit, and is killed."""
    # Until turns are held nobody makes one: the next is no first one any more.
    crowd.rest_all(rests=True)
    wait_for(lambda: crowd.pending() == [], what="what is under way to be answered")
    site.web.restart()  # which remembers no match
    with ground.held_turns(STATEMENT) as let_go:
        crowd.rest_all(rests=False)
        sent = cut_off(ground, crowd)
        site.web.pause()
        let_go()
        wait_for(lambda: len(ground.idle()) == MATCHES, what="the statements to be done")
        assert stored(site, sent) == 0
        site.web.kill()
    assert stored(site, sent) == 0
    site.web.start()
    crowd.goes_on()
    assert stored(site, sent) == MATCHES
    assert crowd.end() == []
