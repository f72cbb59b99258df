"""The example bot against itself on the real site: every ruleset, to the result."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from games.rulesets import REGISTRY
from script.lib.console import ROOT
from tests.games.desk import Desk
from tests.support.site import Site, wait_for

BOT = ROOT / "examples" / "bot.py"
LINES_AT_MOST = 60


@contextmanager
def running(site: Site, token: str, log: Path) -> Iterator[None]:
    with log.open("wb") as out:
        child = subprocess.Popen(
            [sys.executable, "-u", BOT, site.base_url, token], stdout=out, stderr=out, cwd="/"
        )
        try:
            yield
            assert child.poll() is None, log.read_text()
        finally:
            child.kill()
            child.wait(10)


def test_it_is_short() -> None:
    assert len(BOT.read_text().splitlines()) < LINES_AT_MOST


@pytest.mark.site
@pytest.mark.slow
def test_it_plays_everything(site: Site, desk: Desk, tmp_path: Path) -> None:
    ada, ben = desk.person(), desk.person()
    for each in (ada, ben):
        desk.become_bot(each)
    one, other = (desk.token(each, "bot")[1] for each in (ada, ben))
    rulesets = [ruleset.id for ruleset in REGISTRY]
    # One is there before the bots are, the others begin under their eyes.
    matches = [desk.match(ada, ben, ruleset=rulesets[0])]
    logs = (tmp_path / "one", tmp_path / "other")
    with running(site, one, logs[0]), running(site, other, logs[1]):
        challenge = desk.challenge(ada, ben, ruleset=rulesets[1])
        matches += [desk.match(ada, ben, ruleset=each) for each in rulesets[2:]]
        accepted = wait_for(
            lambda: desk.match_of(challenge), timeout=120, what="the challenge to be accepted"
        )
        matches.append(accepted)
        left = set(matches)

        def over() -> bool:
            left.difference_update([match for match in left if desk.is_over(match)])
            return not left

        try:
            wait_for(over, timeout=400, what="the matches to end")
        finally:
            said = [log.read_text() for log in logs]
    for match in matches:
        verdict = desk.record(match)
        assert verdict["ok"], verdict
        # Nobody lost by time, and nobody gave up: they played.
        assert verdict["reason"] not in {"time", "concession"}, (match, verdict, said)
    assert not any("Traceback" in each for each in said), said
