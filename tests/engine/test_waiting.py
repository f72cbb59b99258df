"""What came at one instant and is carried out at a later one: it is judged by the first, and what
it opens begins at the second."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from games.engine import live as lives
from games.engine.acts import parse_act
from games.engine.live import Turn
from tests.engine.helpers import header, to_move
from tests.engine.test_live import START, Game, in_turns, middle
from tests.toy.rules import TOY

LIMIT = 180_000  # of a turn and its reserve


def submit(game: Game, seat: int, text: str, at: int, opens: int | None) -> Turn:
    turn = lives.submit(TOY, game.live, seat=seat, text=text, at=at, random=middle, opens=opens)
    return game._keep(turn)


@given(came=st.integers(LIMIT - 2000, LIMIT + 2000), waited=st.integers(0, 5000))
def test_however_long_it_waits_it_is_in_time_if_it_came_in_time(came: int, waited: int) -> None:
    game = in_turns(mild=True)
    turn = submit(game, 1, "take 3", START + came, START + came + waited)
    assert (turn.refusal is None) is (came <= LIMIT)
    if turn.refusal is None:
        assert game.entries[-1].reading_ms == came
        # Nobody pays for what the server took.
        assert to_move(game.live.table) == [0]
        assert game.deadline(0) == START + came + waited + LIMIT
    else:
        assert turn.refusal.code == "clock.over"
        assert (game.entries[-1].timeout, game.entries[-1].reading_ms) == (True, came)
        assert game.deadline(0) == START + came + waited + LIMIT


@given(first=st.integers(0, 9000), second=st.integers(0, 9000), waited=st.integers(0, 9000))
def test_one_that_is_overtaken_has_its_own_reading(first: int, second: int, waited: int) -> None:
    """Both look at the same time; whose answer is dealt with first may have come last."""
    game = Game(header(look_time=10))
    carried_out = START + max(first, second) + waited
    assert submit(game, 0, "ready", START + first, carried_out).refusal is None
    assert submit(game, 1, "ready", START + second, carried_out + 1).refusal is None
    assert [entry.reading_ms for entry in game.entries[:2]] == [first, second]
    # What follows both begins with the later step, whichever came first.
    assert [game.reading(seat, carried_out + 1) for seat in to_move(game.live.table)] == [0, 0]


@given(before=st.integers(0, 5000))
def test_what_came_before_its_decision_was_open_has_taken_no_time(before: int) -> None:
    game = in_turns(mild=True)
    submit(game, 1, "take 3", START + 10_000, None)
    assert submit(game, 0, "take 3", START + 10_000 - before, START + 10_001).refusal is None
    assert game.entries[-1].reading_ms == 0


def test_nothing_that_came_in_time_lets_the_other_seat_run_out() -> None:
    """Its deadline passed while this one waited, and it may have been in time itself."""
    game = Game(header(look_time=10))
    game.organise("extend 1 60", START)
    turn = submit(game, 1, "ready", START + 9000, START + 30_000)
    assert [h.entry.actor for h in turn.happened] == [1]
    assert submit(game, 0, "ready", START + 10_000, START + 30_001).refusal is None


def test_it_is_never_carried_out_before_it_came() -> None:
    """Whatever the clock of the process that does so says."""
    game = in_turns(mild=True)
    submit(game, 1, "take 3", START + 5000, START + 4000)
    assert game.deadline(0) == START + 5000 + LIMIT


def test_an_act_stops_clocks_where_they_stood_when_it_came() -> None:
    game = in_turns()
    for text, came, opens in (("pause", 7000, 9000), ("resume", 20_000, 26_000)):
        game._keep(
            lives.organise(
                TOY, game.live, act=parse_act(text), by="Cleo", why="because", at=START + came,
                random=middle, opens=START + opens,
            )
        )  # fmt: skip
    assert game.reading(1, START + 26_000) == 7000
    assert game.deadline(1) == START + 26_000 + LIMIT - 7000


def test_the_latest_of_what_had_run_out() -> None:
    game = Game(header(look_time=10))
    game.organise("extend 0 5", START)
    ask = lives.last_run_out
    ends = [game.deadline(seat) for seat in (1, 0)]
    assert ends == [START + 10_000, START + 15_000]
    found = [ask(TOY, game.live, at=START + at) for at in (10_000, 10_001, 15_000, 15_001)]
    assert found == [None, ends[0], ends[0], ends[1]]
