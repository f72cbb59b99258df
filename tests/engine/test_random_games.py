"""Whatever happens in a live match, its record says the same: random games of every ruleset."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.engine import limits, records, saving
from games.engine import live as lives
from games.engine.course import MatchCourse
from games.engine.registry import Registry
from games.engine.table import AnyRuleset
from games.engine.views import match_view
from games.rulesets import REGISTRY
from tests.engine.random_play import RandomGame, random_header
from tests.support import depth
from tests.toy.rules import TOY

EVERY = [TOY, *REGISTRY]
EVERYBODY = Registry(*EVERY)
NAMES = [ruleset.id for ruleset in EVERY]

seeds = st.integers(0, 2**32)
calm = settings(
    deadline=None, max_examples=depth.examples(60), suppress_health_check=[HealthCheck.too_slow]
)


def record_of(game: RandomGame) -> bytes:
    """The record that the server would write of the match as it stands."""
    return records.write(
        game.ruleset,
        game.header,
        seats=("Ada", "Ben"),
        entries=game.entries,
        result=game.live.table.result,
    )


@pytest.mark.parametrize("ruleset", EVERY, ids=NAMES)
@calm
@given(seed=seeds, steps=st.integers(0, 120))
def test_the_record_of_any_match_checks_and_replays_to_the_same_table(
    ruleset: AnyRuleset, seed: int, steps: int
) -> None:
    game = RandomGame(ruleset, random_header(ruleset, seed), seed)
    game.play(steps)
    table = game.live.table
    assert game.course.table == table

    data = record_of(game)
    verdict = records.check(EVERYBODY, data, steps=True)
    assert verdict["ok"], verdict
    assert verdict["finished"] == game.is_over
    if table.result is not None:
        assert verdict["winner"] == table.result.winner
        assert verdict["reason"] == table.result.reason
        assert verdict["scores"] == list(table.result.scores)
    assert len(verdict["steps"]) == len(game.entries)
    json.dumps(verdict, allow_nan=False)
    if verdict["steps"]:
        last = verdict["steps"][-1]
        assert [round(1000 * seconds) for seconds in last["reserve"]] == list(table.reserve_ms)
        assert last["to_move"] == [seat for seat in (0, 1) if table.open[seat] is not None]

    record = records.read(data)
    assert [records.entry_of(move) for move in record.moves] == game.entries
    read_ruleset, header = records.header_of(EVERYBODY, record)
    assert read_ruleset is ruleset
    assert header == game.header


@pytest.mark.parametrize("ruleset", EVERY, ids=NAMES)
@calm
@given(seed=seeds)
def test_a_stored_match_goes_on_as_if_it_had_never_been_stored(
    ruleset: AnyRuleset, seed: int
) -> None:
    header = random_header(ruleset, seed)
    stored, kept = RandomGame(ruleset, header, seed), RandomGame(ruleset, header, seed)
    for _ in range(40):
        if stored.is_over:
            break
        stored.step()
        kept.step()
        data = lives.encode_live(ruleset, stored.live)
        stored.live = lives.decode_live(ruleset, header, data)
        assert lives.encode_live(ruleset, stored.live) == data
    assert stored.entries == kept.entries
    assert saving.encode_table(ruleset, stored.live.table) == saving.encode_table(
        ruleset, kept.live.table
    )


@pytest.mark.parametrize("ruleset", EVERY, ids=NAMES)
@calm
@given(seed=seeds)
def test_clocks_views_and_deadlines_stay_sound(ruleset: AnyRuleset, seed: int) -> None:
    game = RandomGame(ruleset, random_header(ruleset, seed), seed)
    for _ in range(40):
        if game.is_over:
            break
        game.step()
        live, table = game.live, game.live.table
        assert all(reserve >= 0 for reserve in table.reserve_ms)
        for seat in (0, 1):
            shown = limits.shown(table, seat)
            assert (live.watches[seat] is None) == (shown is None)
            if live.watches[seat] is not None:
                assert (live.watches[seat].since is None) == table.paused  # type: ignore[union-attr]
        if table.paused:
            assert lives.next_deadline(ruleset, live) is None
        for audience in (0, 1, "room"):
            view = match_view(ruleset, live, audience, at=game.at)
            assert json.loads(json.dumps(view, allow_nan=False)) == view
        for reminder in lives.reminders(ruleset, live, after=game.at):
            assert reminder.at > game.at
            assert reminder.left_ms > 0
        expired = lives.expire(ruleset, live, at=game.at, random=game.random.random).live
        again = lives.expire(ruleset, expired, at=game.at, random=game.random.random)
        assert again.happened == ()


@pytest.mark.parametrize("ruleset", EVERY, ids=NAMES)
@calm
@given(seed=seeds)
def test_a_take_back_leaves_what_a_replay_of_the_standing_entries_gives(
    ruleset: AnyRuleset, seed: int
) -> None:
    game = RandomGame(ruleset, random_header(ruleset, seed), seed)
    game.play(60)
    standing = [game.entries[index] for index in game.course.standing]
    assert MatchCourse(ruleset, game.header, standing).table == game.live.table
