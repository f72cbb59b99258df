"""Hidden halves: what leaves the ruleset for those who must not know them."""

import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from games.engine.decisions import ALL, ROOM, Audience, other
from games.engine.errors import EngineFault
from games.rulesets.domino_black_white import guessing
from games.rulesets.domino_black_white.lines import MET_TEXT
from games.rulesets.domino_black_white.moves import colour
from games.rulesets.domino_black_white.state import BlackWhiteState, begun, ordered, played
from tests.rulesets.domino_black_white.helpers import RULES, at_random, play

seeds = st.integers(0, 10**6)
counts = st.integers(1, 31)
SEATS: tuple[Audience, Audience] = (0, 1)


def as_bytes(value: object) -> bytes:
    return msgspec.json.encode(value)


def log(state: BlackWhiteState, audience: Audience) -> list[object]:
    """Everything the log told ``audience`` on the way to ``state``, given the letters it has."""
    before = begun(state.advantage)
    assert state.first is not None
    told: list[object] = []
    now = ordered(before, state.first)
    for index, placed in enumerate(state.history):
        after = played(now, placed.place, placed.met)
        chosen = ((state.placer(index), placed.place),)
        told += [event.seen_as(audience) for event in RULES.events(now, chosen, after)]
        now = after
    return told


def surfaces(state: BlackWhiteState, audience: Audience) -> bytes:
    """All that an audience gets of a state: view, picture, log, and what they are made of."""
    view = RULES.view(state, audience)
    return as_bytes([view, RULES.picture(view), log(state, audience), RULES.decisions(state)])


def twin(state: BlackWhiteState, secret_of: int, seed: int) -> BlackWhiteState:
    """A state that differs from ``state`` only in the hidden numbers of seat ``secret_of``."""
    view = RULES.view(state, SEATS[other(secret_of)])
    return RULES.determinize(view, other(secret_of), random.Random(seed).random)


def agrees_with_its_letters(state: BlackWhiteState) -> bool:
    """Whether scoring the placements again gives the letters that the state has."""
    assert state.first is not None
    now = ordered(begun(state.advantage), state.first)
    for placed in state.history:
        now = played(now, placed.place)
        assert now.last is not None
        if now.last.met != placed.met:
            return False
    return True


@given(seeds, counts, st.integers(0, 1), seeds)
def test_hidden_numbers_change_nothing_for_opponent_and_room(
    seed: int, count: int, secret_of: int, other_seed: int
) -> None:
    state = at_random(seed, count)
    changed = twin(state, secret_of, other_seed)
    assume(changed != state)
    opponent: Audience = 0 if secret_of else 1
    for audience in (opponent, ROOM):
        assert surfaces(changed, audience) == surfaces(state, audience)


@given(seeds, counts, seeds)
def test_the_room_learns_neither_seats_numbers(seed: int, count: int, other_seed: int) -> None:
    state = at_random(seed, count)
    changed = twin(twin(state, 0, other_seed), 1, other_seed + 1)
    assert surfaces(changed, ROOM) == surfaces(state, ROOM)


def test_such_twins_do_differ_and_their_owners_see_it() -> None:
    differing = 0
    for seed in range(40):
        state = at_random(seed, 12)
        changed = twin(state, 0, seed)
        if changed != state:
            differing += 1
            assert agrees_with_its_letters(changed)
            assert surfaces(changed, 0) != surfaces(state, 0)
            assert surfaces(changed, ALL) != surfaces(state, ALL)
    assert differing > 30


@pytest.mark.parametrize(
    ("one", "two"),
    [
        # A number below and one above the open half: 1 or 5 under a question mark beside 3.
        ("(1,3) DY:DZ hide 1", "(5,3) DY:DZ hide 5"),
        ("(1,3) DZ:DY hide 1", "(5,3) DZ:DY hide 5"),
        # A double, whose canonical text names its squares in another order.
        ("(3,3) DZ:DY hide DZ", "(5,3) DZ:DY hide DZ"),
        ("(4,4) BX:BY hide BY", "(0,4) BY:BX hide BY"),
    ],
)
def test_the_order_of_writing_does_not_tell_which_number_is_larger(one: str, two: str) -> None:
    first, second = play(one), play(two)
    for audience in (1, ROOM):
        assert surfaces(first, audience) == surfaces(second, audience)
    assert surfaces(first, 0) != surfaces(second, 0)


def _cell(state: BlackWhiteState, audience: Audience, square: str) -> dict[str, Any]:
    return next(cell for cell in RULES.view(state, audience)["cells"] if cell["square"] == square)


@pytest.mark.parametrize(
    ("number", "shown"), [(n, "white" if n % 2 else "black") for n in range(6)]
)
def test_even_halves_look_black_and_odd_ones_white(number: int, shown: str) -> None:
    assert colour(number) == shown
    state = play(f"({number},{number}) DY:DZ hide DZ")
    assert _cell(state, ROOM, "DY") == {
        "square": "DY",
        "colour": shown,
        "number": number,
        "hidden": False,
        "seat": 0,
        "domino": 0,
        "partner": "DZ",
    }
    assert _cell(state, ROOM, "DZ") == {
        "square": "DZ",
        "colour": shown,
        "number": None,
        "hidden": True,
        "seat": 0,
        "domino": 0,
        "partner": "DY",
    }


def test_the_owner_sees_everything_of_their_own() -> None:
    state = play("(3,4) DY:DZ hide DY", "(1,2) EY:EZ hide EZ")
    assert _cell(state, 0, "DY")["number"] == 3
    assert _cell(state, 0, "EZ")["number"] is None
    assert _cell(state, 1, "DY")["number"] is None
    assert _cell(state, 1, "EZ")["number"] == 2


def test_each_seat_sees_its_own_hand_and_of_the_other_how_many_are_left() -> None:
    state = play("(3,4) DY:DZ hide DY", "(1,2) EY:EZ hide EZ", "(0,0) GY:GZ hide GZ")
    for seat in (0, 1):
        view = RULES.view(state, SEATS[seat])
        assert view["hands"][other(seat)] is None
        assert len(view["hands"][seat]) == view["left"][seat]
    room = RULES.view(state, ROOM)
    assert room["hands"] == [None, None]
    assert room["left"] == [19, 20]


def test_after_the_end_everything_is_revealed() -> None:
    end = at_random(4)
    view = RULES.view(end, ALL)
    assert all(cell["number"] is not None for cell in view["cells"])
    assert all(hand is not None for hand in view["hands"])


def test_the_log_tells_the_owner_all_and_others_the_colour() -> None:
    state = play()
    after = play("(4,3) DZ:DY hide 4", state=state)
    assert after.last is not None
    (event,) = RULES.events(state, ((0, after.last.place),), after)
    own, theirs, room = (event.seen_as(audience) for audience in (0, 1, ROOM))
    assert own is not None
    assert own.text == "placed (3,4) DY:DZ, hiding the 4 on DZ, and scored nothing"
    assert own.data["move"] == "(3,4) DY:DZ hide DZ"
    assert theirs == room
    assert theirs is not None
    assert theirs.text == "placed (3,?) DY:DZ, hiding a black half on DZ, and scored nothing"
    assert theirs.data == {
        "domino": 0,
        "met": "",
        "points": 0,
        "halves": [
            {"square": "DY", "colour": "white", "number": 3, "hidden": False},
            {"square": "DZ", "colour": "black", "number": None, "hidden": True},
        ],
    }


def test_the_log_says_why_the_match_is_over() -> None:
    end = at_random(9)
    before = at_random(9, len(end.history) - 1)
    assert end.last is not None
    placed, over = RULES.events(before, ((before.turn & 1, end.last.place),), end)
    assert (placed.kind, over.kind) == ("place", "end")
    assert over.seat is None
    assert RULES.step_notes([placed, over]) == {"met": MET_TEXT[end.last.met]}


def test_views_are_plain_json() -> None:
    for seed in range(5):
        for audience in (0, 1, ROOM, ALL):
            view = RULES.view(at_random(seed, 3 * seed), audience)
            assert json.loads(json.dumps(view)) == view


def test_a_view_lists_the_legal_spots_while_a_placement_is_due() -> None:
    assert RULES.view(begun(0), ROOM)["legal"] == []
    assert RULES.view(begun(0), ROOM)["phase"] == "order"
    view = RULES.view(play(), ROOM)
    assert view["phase"] == "place"
    assert ["BY", "CY"] in view["legal"]
    assert len(view["legal"]) == 13
    end = RULES.view(at_random(3), ROOM)
    assert (end["phase"], end["legal"], end["to_move"]) == ("over", [], None)


# -- guessing what is hidden ---------------------------------------------------------------------


@given(seeds, st.integers(0, 31), st.integers(0, 1), seeds)
def test_a_guess_looks_exactly_like_the_view_it_was_made_from(
    seed: int, count: int, seat: int, other_seed: int
) -> None:
    state = at_random(seed, count, advantage=seat)
    view = RULES.view(state, SEATS[seat])
    guess = RULES.determinize(json.loads(json.dumps(view)), seat, random.Random(other_seed).random)
    assert RULES.view(guess, SEATS[seat]) == view
    assert RULES.decode(RULES.encode(guess)) == guess
    for whose in (0, 1):
        dominoes = [
            placed.place.domino
            for index, placed in enumerate(guess.history)
            if guess.placer(index) == whose
        ]
        assert len(set(dominoes)) == len(dominoes)


def test_a_guess_before_the_order_and_after_running_out_of_time() -> None:
    source = random.Random(1).random
    start = begun(1)
    assert RULES.determinize(RULES.view(start, 0), 0, source) == start
    lost = RULES.apply(play(), ((0, RULES.on_timeout(play(), RULES.decisions(play())[0])),))
    assert RULES.determinize(RULES.view(lost, 1), 1, source) == lost


def test_guesses_explain_the_letters_that_were_announced() -> None:
    for seed in range(40):
        state = at_random(seed)
        guess = RULES.determinize(RULES.view(state, 0), 0, random.Random(seed).random)
        assert agrees_with_its_letters(guess)


def test_a_guess_is_found_even_where_the_search_for_an_explanation_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guessing, "MOST_STORIES", ())
    differing = 0
    for seed in range(60):
        state = at_random(seed)
        view = RULES.view(state, 1)
        guess = RULES.determinize(view, 1, random.Random(seed).random)
        assert RULES.view(guess, 1) == view
        differing += guess != state
    assert differing > 50


def test_guesses_differ_from_draw_to_draw() -> None:
    view = RULES.view(at_random(3, 10), 0)
    source = random.Random(5).random
    guesses = {RULES.encode(RULES.determinize(view, 0, source)) for _ in range(20)}
    assert len(guesses) > 2


def test_a_view_that_no_dominoes_can_make_is_a_fault() -> None:
    """Four dominoes with a 1 and a hidden black half: there are only three."""
    view = RULES.view(
        play(
            "(1,0) CY:CZ hide 0",
            "(0,3) DY:DZ hide 0",
            "(1,2) EY:EZ hide 2",
            "(2,3) FY:FZ hide 2",
            "(1,4) GY:GZ hide 4",
            "(3,4) BX:BY hide 4",
            "(3,3) HX:HY hide HX",
        ),
        1,
    )
    for cell in view["cells"]:
        if cell["square"] == "HY":
            cell["number"] = 1
        if cell["square"] == "HX":
            cell["colour"] = "black"
    with pytest.raises(EngineFault):
        RULES.determinize(view, 1, random.Random(1).random)
