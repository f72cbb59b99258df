"""What everyone may see, what nobody may, and the way back from a view to a state."""

from __future__ import annotations

from itertools import product
from typing import Any, Literal

import msgspec
import pytest

from games.engine import play
from games.engine.chance import RandomSource
from games.engine.decisions import Audience, seen_by
from games.engine.errors import EngineFault
from games.engine.table import Header, Table
from games.rulesets.tetronogo.moves import LETTERS, SIZE, OutOfTime, Pick
from games.rulesets.tetronogo.rules import TetronogoOptions
from games.rulesets.tetronogo.state import TetronogoState
from tests.rulesets.tetronogo import reference
from tests.rulesets.tetronogo.helpers import (
    RULES,
    begin,
    drawn_bout,
    full,
    picks,
    placing,
    run_out,
    say,
    source,
    start,
    strips,
    walk,
    won_on_time,
)

AUDIENCES: tuple[Audience, ...] = (0, 1, "room", "all")


def _bytes(view: dict[str, Any]) -> bytes:
    return msgspec.json.encode(view)


def _plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(type(key) is str and _plain(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_plain, value))
    return value is None or type(value) in (str, int, bool)


def _opened() -> Table:
    header = Header(
        ruleset="tetronogo", variant="standard", options=TetronogoOptions(), advantage=1
    )
    return play.opened(RULES, header)


# -- secrecy -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("audience", ["room", "all", 0, 1])
def test_a_sealed_pick_shows_in_nobodys_view(seat: int, audience: Audience) -> None:
    """Whatever a player has picked, and whether they have picked at all, all views, the stored
    state and the log stay the same, byte for byte, until the other pick is in."""
    opened = _opened()
    untouched = RULES.view(opened.state, audience)
    for letter in LETTERS:
        step = play.submitted(RULES, opened, seat=seat, text=f"pick {letter}", reading_ms=7)
        assert _bytes(RULES.view(step.table.state, audience)) == _bytes(untouched)
        assert RULES.encode(step.table.state) == RULES.encode(opened.state)
        assert step.events == ()


def test_a_pick_shows_only_once_both_are_in() -> None:
    table = _opened()
    table = play.submitted(RULES, table, seat=1, text="pick L", reading_ms=1).table
    step = play.submitted(RULES, table, seat=0, text="pick T", reading_ms=2)
    for audience in AUDIENCES:
        assert RULES.view(step.table.state, audience)["pieces"] == ["T", "L"]
        assert len(seen_by(step.events, audience)) == 2


def test_views_before_a_reveal_do_not_depend_on_the_picks_that_follow() -> None:
    """In a later bout too: all 36 pairs of picks follow from one and the same view."""
    before = run_out(placing("T", "L"))
    shown = {audience: _bytes(RULES.view(before, audience)) for audience in AUDIENCES}
    followed = set()
    for first, second in product("OISZLJ", "OISZJT"):
        after = RULES.apply(before, ((0, Pick(first)), (1, Pick(second))))
        assert {a: _bytes(RULES.view(before, a)) for a in AUDIENCES} == shown
        followed.add(_bytes(RULES.view(after, "room")))
    assert len(followed) == 36


def test_a_drawn_pick_is_as_secret_as_a_chosen_one() -> None:
    table = play.timed_out(RULES, _opened(), seat=0).table
    shown = _bytes(RULES.view(table.state, 1))
    for letter in LETTERS:
        step = play.chanced(RULES, table, text=f"pick 0 {letter}")
        assert _bytes(RULES.view(step.table.state, 1)) == shown
        assert step.events == ()


def test_everything_else_is_public() -> None:
    """All audiences get the same view of every state."""
    for seed in range(4):
        for state in walk(seed):
            assert len({_bytes(RULES.view(state, audience)) for audience in AUDIENCES}) == 1


# -- what a view shows -------------------------------------------------------------------------


def test_views_are_plain_json_and_small() -> None:
    for seed in range(6):
        for state in walk(seed):
            view = RULES.view(state, "room")
            assert _plain(view)
            assert len(_bytes(view)) < 12_000
            assert msgspec.json.decode(_bytes(view)) == view


def test_a_view_can_be_changed_without_harm() -> None:
    """Views are built from nothing: changing one does not change the next."""
    state = won_on_time(begin(), 0, points=140)
    before = _bytes(RULES.view(state, 0))
    spoilt = RULES.view(state, 0)
    spoilt["bouts"][0]["groups"].clear()
    spoilt["totals"][0] = 0
    spoilt["shapes"]["T"]["0"].clear()
    assert _bytes(RULES.view(state, 0)) == before


def test_the_phases_of_a_bout() -> None:
    state = begin(1)
    view = RULES.view(state, 0)
    assert (view["phase"], view["bout"], view["most_bouts"]) == ("pick", 1, 4)
    assert (view["pieces"], view["starter"], view["turn"]) == (None, None, None)
    assert view["unused"] == [list(LETTERS), list(LETTERS)]
    assert sorted(view["shapes"]) == sorted(LETTERS)

    state = picks(state, "T", "L")
    view = RULES.view(state, 0)
    assert (view["phase"], view["pieces"], view["chooser"]) == ("starter", ["T", "L"], 1)
    assert view["used"] == [["T"], ["L"]]
    assert view["unused"] == [list("OISZLJ"), list("OISZJT")]
    assert sorted(view["shapes"]) == ["L", "T"]

    state = say(state, "second", "D4 90")
    view = RULES.view(state, 0)
    assert (view["phase"], view["starter"], view["turn"]) == ("place", 0, 1)
    assert view["placed"] == [[0, "D4 90"]]
    assert view["last"] == {
        "seat": 0,
        "move": "D4 90",
        "piece": "T",
        "squares": ["D4", "D5", "E5", "D6"],
    }
    assert view["standing"] == [140, 0]


def test_the_end_of_a_match_in_a_view() -> None:
    view = RULES.view(walk(0)[-1], "all")
    assert view["phase"] == "over"
    assert view["outcome"]["scores"] == view["totals"]
    assert view["bout"] == len(view["bouts"])
    assert view["turn"] is None
    assert view["chooser"] is None


def test_a_board_names_the_piece_on_each_square() -> None:
    view = RULES.view(say(placing("T", "L"), "D4 90", "A1 0"), 0)
    assert view["board"][:7] == [
        "..1.........",
        "111.........",
        "............",
        "...0........",
        "...00.......",
        "...0........",
        "............",
    ]


def test_a_board_of_the_most_pieces_there_can_be() -> None:
    bout = RULES.view(drawn_bout(begin(), "O"), 0)["bouts"][0]
    assert len(bout["placed"]) == 36
    assert set("".join(bout["board"])) == set("0123456789abcdefghijklmnopqrstuvwxyz")


def test_shapes_give_the_squares_of_every_placement() -> None:
    """A client can work out all placements from shapes and board alone."""
    for state in walk(3):
        view = RULES.view(state, 0)
        if view["turn"] is None:
            continue
        letter = view["pieces"][view["turn"]]
        found = set()
        for shape in view["shapes"][letter].values():
            for corner in range(SIZE * SIZE):
                cells = [(corner % SIZE + x, corner // SIZE + y) for x, y in shape]
                if all(x < SIZE and y < SIZE and view["board"][y][x] == "." for x, y in cells):
                    found.add(frozenset(cells))
        taken = frozenset((x, y) for x, y in reference.BOARD if view["board"][y][x] != ".")
        assert found == reference.placements(letter, taken)
        assert view["left"][view["turn"]] == len(found)
        other = view["pieces"][1 - view["turn"]]
        assert view["left"][1 - view["turn"]] == len(reference.placements(other, taken))


def test_a_finished_bout_stays_to_be_looked_at() -> None:
    state = say(start(picks(begin(), "O", "O"), 0), *strips(0))
    (bout,) = RULES.view(state, "room")["bouts"]
    assert bout["bout"] == 1
    assert bout["pieces"] == ["O", "O"]
    assert bout["placed"][:2] == [[0, "B1 0"], [1, "H1 0"]]
    assert (bout["points"], bout["winner"]) == ([24, 12], 0)
    assert (bout["stuck"], bout["out_of_time"]) == (0, None)
    assert [line[0] for line in bout["board"]] == ["."] * 12
    groups = [(g["squares"][0], len(g["squares"]), g["edges"], g["taker"]) for g in bout["groups"]]
    assert groups == [
        ("A1", 12, [12, 0], 0),
        ("D1", 12, [24, 0], 0),
        ("G1", 12, [12, 12], None),
        ("J1", 12, [0, 24], 1),
    ]


def test_groups_of_a_bout_lost_on_time_never_go_to_who_ran_out() -> None:
    """Seat 0 has more edges around the one group, but ran out of time."""
    state = run_out(say(placing("T", "L"), "A1 180", "J11 0"))
    (bout,) = RULES.view(state, "room")["bouts"]
    assert bout["points"] == [0, 0]
    assert bout["out_of_time"] == 0
    assert [(group["edges"], group["taker"]) for group in bout["groups"]] == [([6, 5], None)]


def test_points_of_a_bout_are_the_squares_of_the_groups_taken() -> None:
    for seed in range(20):
        for bout in RULES.view(walk(seed)[-1], "all")["bouts"]:
            for seat in (0, 1):
                taken = [len(g["squares"]) for g in bout["groups"] if g["taker"] == seat]
                assert sum(taken) == bout["points"][seat]


# -- back to a state ---------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_can_rebuild_the_state_from_its_view(seat: Literal[0, 1]) -> None:
    for seed in range(8):
        for state in walk(seed):
            view = msgspec.json.decode(_bytes(RULES.view(state, seat)))
            assert RULES.determinize(view, seat, _never) == state


def test_a_state_lost_on_time_can_be_rebuilt_too() -> None:
    state = won_on_time(won_on_time(begin(), 0, points=140), 1)
    assert RULES.determinize(RULES.view(state, 0), 0, _never) == state


def _never() -> float:
    raise AssertionError("nothing is hidden, so nothing is drawn")


def _broken(state: TetronogoState, **changes: object) -> dict[str, Any]:
    return {**RULES.view(state, 0), **changes}


@pytest.mark.parametrize(
    "view",
    [
        {},
        _broken(placing("T", "L"), pieces=["T"]),
        _broken(placing("T", "L"), pieces=["T", "X"]),
        _broken(placing("T", "L"), placed=[[0, "L12 0"]]),
        _broken(placing("T", "L"), placed=[[0, "pick T"]]),
        _broken(placing("T", "L"), placed=[[0, "D4 0"], [1, "D4 0"]]),
        _broken(begin(), bouts=[{}]),
        _broken(begin(), bouts=None),
    ],
)
def test_what_never_was_a_view_is_a_fault(view: dict[str, Any]) -> None:
    with pytest.raises(EngineFault):
        RULES.determinize(view, 0, _never)


# -- the log -----------------------------------------------------------------------------------


def _told(before: TetronogoState, *texts: str) -> list[tuple[str, int | None, str]]:
    state, told = before, []
    for text in texts:
        (decision,) = RULES.decisions(state)
        chosen = ((decision.seat, RULES.parse(text.lower())),)
        after = RULES.apply(state, chosen)
        told += [(e.kind, e.seat, e.text) for e in RULES.events(state, chosen, after)]
        state = after
    return told


def test_the_log_of_a_bout() -> None:
    assert _told(picks(begin(), "T", "L"), "second", "D4 90", "A1 180") == [
        ("starter", 1, "chose to go second"),
        ("place", 0, "placed T at D4 90"),
        ("place", 1, "placed L at A1 180"),
    ]


def test_the_log_tells_how_a_bout_ended() -> None:
    moves = strips(0)
    told = _told(say(placing("O", "O"), *moves[:-1]), moves[-1])
    assert told == [("place", 1, "placed O at K11 0"), ("bout", 0, "won bout 1, 24 to 12")]
    moves = strips(0, winner=1)
    assert _told(say(placing("O", "O"), *moves[:-1]), moves[-1])[1:] == [
        ("bout", 1, "won bout 1, 24 to 12")
    ]


def test_the_log_tells_of_a_drawn_bout_and_one_lost_on_time() -> None:
    before = placing("T", "L")
    chosen = ((0, OutOfTime()),)
    (event,) = RULES.events(before, chosen, RULES.apply(before, chosen))
    assert (event.kind, event.seat, event.text) == ("bout", 1, "won bout 1 on time, 0 to 0")
    assert event.data["out_of_time"] == 0

    moves = full("I")
    told = _told(say(placing("I", "I"), *moves[:-1]), moves[-1])
    assert told[-1] == ("bout", None, "Bout 1 is drawn, 0 to 0.")


def test_everything_in_the_log_is_public_and_plain() -> None:
    random: RandomSource = source(2)
    state = begin()
    kinds = set()
    while RULES.outcome(state) is None:
        chosen = tuple((d.seat, RULES.sample(state, d, random)) for d in RULES.decisions(state))
        after = RULES.apply(state, chosen)
        events = RULES.events(state, chosen, after)
        assert events
        for event in events:
            kinds.add(event.kind)
            assert event.seen_by == (0, 1, "room")
            assert _plain(msgspec.to_builtins(event.data))
        state = after
    assert kinds == {"pick", "starter", "place", "bout"}


def test_the_log_of_a_bout_has_its_score_by_group() -> None:
    moves = strips(0)
    before = say(placing("O", "O"), *moves[:-1])
    (decision,) = RULES.decisions(before)
    chosen = ((decision.seat, RULES.parse(moves[-1].lower())),)
    event = RULES.events(before, chosen, RULES.apply(before, chosen))[-1]
    assert event.data == {
        "bout": 1,
        "winner": 0,
        "points": [24, 12],
        "totals": [24, 12],
        "groups": [2, 1, 1],
        "out_of_time": None,
    }
