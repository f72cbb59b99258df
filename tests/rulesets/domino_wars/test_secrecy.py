"""What each reader may know: hands, piles and the order of piles stay where they belong."""

from __future__ import annotations

import json
from itertools import permutations
from random import Random
from typing import Any

import msgspec
import pytest

from games.engine.decisions import Audience, Seat, seen_by
from games.engine.errors import EngineFault
from games.engine.playouts import step
from games.rulesets.domino_wars.board import Play
from games.rulesets.domino_wars.moves import Top
from games.rulesets.domino_wars.notation import print_move
from games.rulesets.domino_wars.state import Opening, Position, State
from tests.rulesets.domino_wars.helpers import (
    DECKS,
    RULES,
    begin,
    both,
    dealt,
    position,
    say,
    shown,
    side,
)
from tests.rulesets.domino_wars.test_against_reference import started

IDLE = side("03 13", "23 35", "")
READERS: tuple[Audience, ...] = (0, 1, "room")


def course(seed: int) -> list[State]:
    """The states of a random match from its beginning, set-up included."""
    random = Random(seed)
    items = [
        (seat, item)
        for seat in (0, 1)
        for item in ("domino-repeat", "hand-mulligan")
        for _ in range(random.randrange(3))
    ]
    state: State = begin(*items, draw_when_stuck=random.random() < 0.5)
    states = [state]
    while RULES.outcome(state) is None:
        state = step(RULES, state, random.random)
        states.append(state)
    return states


def sent(state: State, audience: Audience) -> bytes:
    return json.dumps(RULES.view(state, audience)).encode()


def other_world(state: State, seat: Seat, random: Random) -> State:
    """Another state, as different as it may be from what ``seat`` cannot know of this one."""
    return RULES.determinize(RULES.view(state, seat), seat, random.random)  # type: ignore[arg-type]


# -- views ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_worlds_that_a_seat_cannot_tell_apart_look_alike_to_the_byte(seed: int) -> None:
    random = Random(seed)
    differences = 0
    for state in course(seed)[:-1]:
        for seat in (0, 1):
            twin = other_world(state, seat, random)
            for audience in (seat, "room"):
                assert sent(twin, audience) == sent(state, audience)
            assert RULES.decisions(twin) == RULES.decisions(state)
            assert RULES.chance_due(twin) == RULES.chance_due(state)
            differences += twin != state
    assert differences > 10  # or else nothing has been tested


def test_what_is_shown_to_whom() -> None:
    state = say(position(side("24 03", "12 35"), IDLE), "24 A1:A2")
    for audience in READERS:
        view = RULES.view(state, audience)
        for seat, has in enumerate(view["sides"]):
            secret = [has[key] for key in ("hand", "pile", "order", "deck")]
            assert (secret == [None] * 4) == (audience != seat)
        assert view["legal"] == {}
        assert view["choices"] == (["12", "35"] if audience == 0 else [])
    view = shown(state)
    assert view["sides"][1]["hand"] == ["03", "13"]
    assert (view["legal"], view["choices"]) == ({}, [])


def test_where_a_hand_can_be_laid_is_shown_to_its_owner_in_the_own_turn_alone() -> None:
    state = position(side("34", "12"), IDLE)
    assert len(RULES.view(state, 0)["legal"]["34"]) == 24
    for audience in (1, "room", "all"):
        assert RULES.view(state, audience)["legal"] == {}


def test_decks_are_hidden_while_they_are_shuffled_and_after() -> None:
    state = both(say(begin(), "first"), f"deck {DECKS[0]}", f"deck {DECKS[1]}")
    for each in (state, dealt()):
        view = RULES.view(each, 0)
        assert view["sides"][0]["deck"] == ["01", "06", "12", "16", "23", "34", "45", "56"]
        assert view["sides"][1]["deck"] is None
        assert [has["deck"] for has in RULES.view(each, "room")["sides"]] == [None, None]


def test_the_order_of_a_pile_is_unknown_to_its_owner_too() -> None:
    hidden = {
        sent(position(side("34", pile), IDLE), 0) for pile in ("12 35 46", "12 46 35", "46 35 12")
    }
    assert len(hidden) == 1
    assert RULES.view(position(side("34", "46 12 35"), IDLE), 0)["sides"][0]["pile"] == [
        "12", "35", "46",
    ]  # fmt: skip


# -- what owners know of their pile --------------------------------------------------------------


def order(state: State) -> list[str | None]:
    known: list[str | None] = RULES.view(state, 0)["sides"][0]["order"]
    return known


def test_what_was_put_at_the_bottom_and_on_top_is_known() -> None:
    state = position(side("02 13", "12 35 46 16"), IDLE)
    assert order(state) == [None] * 4
    state = say(state, "02 A1:A2")
    assert order(state) == [None] * 4 + ["02"]
    state = say(state, "top 46")  # and drawn at the end of the turn
    assert order(state) == [None] * 3 + ["02"]
    state = say(position(side("25", "12 35 46 16"), IDLE), "25 A1:A2", "top 46")
    assert order(state) == ["46", None, None, None]


def test_what_is_left_over_is_known_too() -> None:
    state = say(position(side("25", "12 35"), IDLE), "25 A1:A2", "top 35")
    assert order(state) == ["35", "12"]
    assert order(position(side("25", "12"), IDLE)) == ["12"]
    assert order(position(side("25", "12 12"), IDLE, repeats=(1, 0))) == ["12", "12"]
    assert order(position(side("25", "12 12 35"), IDLE, repeats=(1, 0))) == [None] * 3


def test_a_known_domino_brought_up_leaves_the_others_known() -> None:
    two = side("25 02 13", "12 35 46 16 15")
    state = say(position(two, IDLE), "25 A1:A2", "top 46")
    state = msgspec.structs.replace(state, seat=0)  # as if the opponent had played
    state = say(state, "02 B1:B2")  # one discarded already: 25 and 02 to choose from
    state = say(state, "return 25")
    assert order(state) == ["46", None, None, None, None, "25"]
    state = say(state, "top 25")
    assert order(state) == ["46", None, None, None, None]  # the 25 is in hand again


@pytest.mark.parametrize("seed", range(60))
def test_owners_are_shown_all_that_they_can_know_of_their_pile_and_no_more(seed: int) -> None:
    """Every order that the shuffled pile may have had is followed through what its owner did and
    drew. A place is known exactly where all orders that are still possible agree on it."""
    state: State = started(seed)
    assert isinstance(state, Position)
    random = Random(seed)
    orders = [set(permutations(shown(state)["sides"][seat]["order"])) for seat in (0, 1)]
    while True:
        for seat in (0, 1):
            known = [
                next(iter(names)) if len(names) == 1 else None
                for names in map(set, zip(*orders[seat], strict=True))
            ]
            assert RULES.view(state, seat)["sides"][seat]["order"] == known
        if RULES.outcome(state) is not None:
            break
        (decision,) = RULES.decisions(state)
        chosen = ((decision.seat, RULES.sample(state, decision, random.random)),)
        after = RULES.apply(state, chosen)
        for event in RULES.events(state, chosen, after):
            name = event.data.get("domino")
            if event.seat is None or event.kind not in ("draw", "return", "top"):
                continue
            possible = orders[event.seat]
            if event.kind == "draw":
                possible = {pile[1:] for pile in possible if pile[0] == name}
            elif event.kind == "return":
                possible = {(*pile, name) for pile in possible}
            else:
                possible = {_brought_up(pile, name) for pile in possible}
            orders[event.seat] = possible
        state = after


def _brought_up(pile: tuple[Any, ...], name: object) -> tuple[Any, ...]:
    at = pile.index(name)
    return (name, *pile[:at], *pile[at + 1 :])


# -- what everybody knows ------------------------------------------------------------------------


def public(state: State) -> dict[str, list[str]]:
    told: dict[str, list[str]] = RULES.view(state, "room")["sides"][0]["shown"]
    return told


def test_a_returned_domino_is_known_to_be_at_the_bottom() -> None:
    state = say(position(side("05", "12 35", "46"), IDLE), "05 A1:A2", "return 46")
    assert public(state) == {"bottom": ["46"], "hand": [], "either": []}
    assert shown(state)["sides"][0]["order"][-1] == "46"


def test_it_is_known_to_be_in_hand_once_all_above_it_are_drawn() -> None:
    state = say(position(side("05 13 34", "12", "46"), IDLE), "05 A1:A2", "return 46")
    state = msgspec.structs.replace(state, seat=0)
    state = say(state, "13 B1:B2")  # draws the 12, then the 46
    assert public(state) == {"bottom": [], "hand": ["46"], "either": []}
    state = msgspec.structs.replace(state, seat=0)
    state = say(state, "46 C1:C2", "discard 34")
    assert public(state) == {"bottom": [], "hand": [], "either": []}


def test_after_a_2_it_may_have_been_brought_up() -> None:
    state = say(position(side("05 25", "12 35", "46"), IDLE), "05 A1:A2", "return 46")
    state = msgspec.structs.replace(state, seat=0)
    after = {
        name: RULES.view(say(state, "25 B1:B2", f"top {name}"), "room")
        for name in ("12", "35", "46")
    }
    assert after["12"] == after["35"] == after["46"]
    assert after["12"]["sides"][0]["shown"] == {"bottom": [], "hand": [], "either": ["46"]}


# -- the log -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_log_tells_of_secret_things_to_their_owner_alone(seed: int) -> None:
    """In two worlds that a reader cannot tell apart, the same public action reads the same."""
    random = Random(seed)
    compared = 0
    for state in course(seed)[:-1]:
        if isinstance(state, Opening):
            continue
        (decision,) = RULES.decisions(state)
        me = decision.seat
        move = RULES.sample(state, decision, random.random)
        for seat, audiences in ((1 - me, (1 - me, "room")), (me, (me,))):
            twin = other_world(state, seat, random)
            assert isinstance(twin, Position)
            legal = set(map(print_move, RULES.legal(twin, decision)))
            if print_move(move) not in legal:
                continue
            worlds = []
            for world in (state, twin):
                after = RULES.apply(world, ((me, move),))
                assert isinstance(after, Position)
                events = RULES.events(world, ((me, move),), after)
                worlds.append((events, after))
            for audience in audiences:
                logs = [seen_by(events, audience) for events, _ in worlds]  # type: ignore[arg-type]
                if seat == me:
                    # Only what comes out of the unknown part of the pile may differ.
                    logs = [[e for e in log if e.kind not in DRAWN] for log in logs]
                if _same_public_course(logs):
                    assert logs[0] == logs[1]
                    compared += 1
    assert compared > 5


# Forced by what is in the hand or the pile, so that worlds part here.
DRAWN = {"draw", "discard", "top", "return", "nothing-to-discard", "nothing-to-draw", "skip", "end"}


def _same_public_course(logs: list[list[Any]]) -> bool:
    return [event.kind for event in logs[0]] == [event.kind for event in logs[1]] and not any(
        event.kind in {"discard", "return"} and event.data.get("forced") for event in logs[0]
    )


def test_what_is_brought_up_is_told_to_nobody_else() -> None:
    """Byte for byte, whatever domino it was."""
    told = set()
    for name in ("12", "35", "46"):
        state = say(position(side("25 13", "12 35 46"), IDLE), "25 A1:A2")
        move = RULES.parse(f"top {name}")
        assert isinstance(move, Top)
        events = RULES.events(state, ((0, move),), RULES.apply(state, ((0, move),)))
        told.add(str([seen_by(events, audience) for audience in (1, "room")]))
    assert len(told) == 1


# -- worlds made up from views -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_worlds_made_up_fit_what_was_said_in_public(seed: int) -> None:
    random = Random(seed)
    for state in course(seed)[:-1]:
        if isinstance(state, Opening):
            continue
        for seat in (0, 1):
            twin = other_world(state, seat, random)
            assert isinstance(twin, Position)
            assert twin.sides[1 - seat].discards == state.sides[1 - seat].discards
            deck = twin.sides[1 - seat].deck
            assert len(deck) == 8
            doubled = len(deck) - len(set(deck))
            assert doubled <= state.terms.repeats[1 - seat]
            assert twin.sides[seat].deck == state.sides[seat].deck
            if state.seat != seat and state.ask == 0:
                assert any(
                    isinstance(move, Play) for move in RULES.legal(twin, RULES.decisions(twin)[0])
                )


def test_a_stuck_opponent_is_given_a_hand_that_does_not_fit() -> None:
    high = "5a 5b 5a ..  5b 5a 5b ..  5a 5b 5a ..  5b 5a 5b .."
    state = say(position(side("34 35", "12 13"), side("03 13", "56 46"), high), "35 D1:D2")
    view = RULES.view(state, 0)
    assert view["passed"] == [{"seat": 1, "why": "board"}]
    random = Random(1)
    for _ in range(100):
        twin = RULES.determinize(view, 0, random.random)
        assert isinstance(twin, Position)
        mover = msgspec.structs.replace(twin, seat=1)
        assert not list(RULES.legal(mover, RULES.decisions(mover)[0]))


@pytest.mark.parametrize("change", ["cells", "sides", "items", "last"])
def test_what_is_no_view_is_a_fault(change: str) -> None:
    view = RULES.view(say(position(side("34 35", "12"), IDLE), "35 A1:A2"), 1)
    wrongs: tuple[Any, ...] = ("x", 7, [{}])
    for wrong in wrongs:
        with pytest.raises(EngineFault):
            RULES.determinize({**view, change: wrong}, 1, Random(1).random)
