"""Before the first turn: items, the first player, secret decks, piles, hands and mulligans."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from core.refusals import Refusal
from games.engine.chance import evenly
from games.engine.decisions import Draw, seen_by
from games.engine.errors import EngineFault
from games.engine.ruleset import Options
from games.rulesets.domino_wars.lanes import DOMINOES
from games.rulesets.domino_wars.moves import ChooseStarter, Deck
from games.rulesets.domino_wars.opening import check_deck, decks
from games.rulesets.domino_wars.rules import DominoWarsOptions
from games.rulesets.domino_wars.state import Opening, Position, Terms
from tests.rulesets.domino_wars.helpers import (
    DECKS,
    RULES,
    begin,
    both,
    dealt,
    decision_of,
    draw,
    read,
    refusal,
    say,
    shown,
    source,
)

REPEAT, MULLIGAN, TIE = "domino-repeat", "hand-mulligan", "tie-advantage"


# -- items and options ---------------------------------------------------------------------------


def test_the_items_and_what_may_be_done_to_them() -> None:
    assert {item.id: (item.copyable, item.blockable) for item in RULES.items} == {
        REPEAT: (True, True),
        MULLIGAN: (True, True),
        TIE: (False, False),
    }


def test_the_usual_times() -> None:
    options = DominoWarsOptions()
    assert (options.turn_time, options.reserve) == (60, 180)
    assert (options.choice_time, options.deck_time) == (60, 120)
    assert options.draw_when_stuck is False
    policies = RULES.policies(options)
    assert {name: (p.turn_ms, p.uses_reserve, p.interval_ms) for name, p in policies.items()} == {
        "choice": (60_000, False, 0),
        "deck": (120_000, False, 0),
        "turn": (60_000, True, 0),
    }
    with pytest.raises(EngineFault):
        RULES.policies(Options(turn_time=1, reserve=1))


# -- who plays first -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "chooser"),
    [((), 1), (((0, TIE),), 0), (((1, TIE),), 1), (((0, TIE), (1, TIE)), 1), (((0, REPEAT),), 1)],
)
def test_who_chooses_the_first_player(items: Any, chooser: int) -> None:
    """The holder of Tie Advantage, else the seat with the advantage, here 1."""
    (decision,) = RULES.decisions(begin(*items))
    assert (decision.seat, decision.kind, decision.clock) == (chooser, "first", "choice")
    assert shown(begin(*items))["favoured"] == chooser


@pytest.mark.parametrize(("word", "first"), [("first", 1), ("second", 0)])
def test_the_first_player_plays_vertically_and_the_second_horizontally(
    word: str, first: int
) -> None:
    state = say(begin(), word)
    directions = ["horizontal", "horizontal"]
    directions[first] = "vertical"
    assert (shown(state)["first"], shown(state)["directions"]) == (first, directions)
    played = dealt(first=word)
    (decision,) = RULES.decisions(played)
    assert (decision.seat, decision.kind) == (first, "play")


def test_out_of_time_the_chooser_plays_first() -> None:
    state = begin()
    move = RULES.on_timeout(state, decision_of(state, 1))
    assert isinstance(move, ChooseStarter)
    assert shown(RULES.apply(state, ((1, move),)))["first"] == 1


# -- decks ---------------------------------------------------------------------------------------


def choosing(*items: tuple[int, str]) -> Opening:
    state = say(begin(*items), "first")
    assert isinstance(state, Opening)
    return state


def test_both_choose_at_once_in_secret() -> None:
    one, two = RULES.decisions(choosing())
    assert (one.seat, two.seat) == (0, 1)
    assert one.barrier == two.barrier is not None
    assert {one.kind, two.kind} == {"deck"}
    assert {one.clock, two.clock} == {"deck"}


def test_there_are_21_dominoes_with_two_different_numbers() -> None:
    assert len(DOMINOES) == 21
    assert all(0 <= low < high <= 6 for low, high in DOMINOES)
    assert sum(1 for _ in zip(decks(0), range(1000), strict=False)) == 1000


@pytest.mark.parametrize(
    ("items", "deck", "code"),
    [
        (0, "01 02 03 04 05 06 12 13", None),
        (0, "01 01 03 04 05 06 12 13", "deck.repeated"),
        (0, "01 10 03 04 05 06 12 13", "deck.repeated"),
        (1, "01 01 03 04 05 06 12 13", None),
        (1, "01 02 03 04 05 06 12 13", None),
        (1, "01 01 02 02 05 06 12 13", "deck.repeated"),
        (2, "01 01 02 02 05 06 12 13", None),
        (1, "01 01 01 02 05 06 12 13", "deck.three-alike"),
        (2, "01 01 01 02 05 06 12 13", "deck.three-alike"),
        (2, "01 01 02 02 03 03 12 13", "deck.repeated"),
    ],
)
def test_each_domino_once_and_one_twice_for_every_domino_repeat(
    items: int, deck: str, code: str | None
) -> None:
    state = choosing(*[(0, REPEAT)] * items)
    if code is None:
        RULES.validate(state, decision_of(state, 0), read(f"deck {deck}"))
    else:
        refused = refusal(state, f"deck {deck}", 0)
        assert refused.code == code
        assert refused.sentence.endswith(".")


def test_domino_repeat_is_of_no_use_to_the_other_player() -> None:
    state = choosing((0, REPEAT))
    assert refusal(state, "deck 01 01 03 04 05 06 12 13", 1).code == "deck.repeated"


def test_every_listed_deck_can_be_chosen() -> None:
    listed = decks(2)
    terms = Terms(0, repeats=(2, 0))
    found = [next(listed) for _ in range(300)]
    assert len(set(found)) == 300
    for deck in found:
        check_deck(terms, 0, deck.dominoes)


def test_a_deck_out_of_time_is_drawn() -> None:
    state = choosing((0, REPEAT))
    for seat in (0, 1):
        answer = RULES.on_timeout(state, decision_of(state, seat))
        assert answer == Draw("deck", seat)
        assert isinstance(answer, Draw)
        for seed in range(50):
            chance = RULES.draw(state, answer, evenly(source(seed)))
            RULES.check_chance(state, chance)
            assert len(set(chance.value)) == 8
            move = RULES.drawn_move(state, chance)
            assert isinstance(move, Deck)
            RULES.validate(state, decision_of(state, seat), move)
    with pytest.raises(Refusal) as caught:
        RULES.check_chance(state, RULES.parse_chance("deck 1 01 01 03 04 05 06 12 13"))
    assert caught.value.code == "deck.repeated"


# -- piles and hands -----------------------------------------------------------------------------


def test_the_decks_are_shuffled_and_three_drawn_from_the_top() -> None:
    state = both(choosing(), f"deck {DECKS[0]}", f"deck {DECKS[1]}")
    assert RULES.decisions(state) == ()
    assert RULES.chance_due(state) == (Draw("pile", 0), Draw("pile", 1))
    state = draw(state, f"pile 1 {DECKS[1]}")  # in any order
    assert RULES.chance_due(state) == (Draw("pile", 0),)
    state = draw(state, "pile 0 16 06 65 54 43 32 21 10")
    assert isinstance(state, Position)
    one, two = shown(state)["sides"]
    assert (one["hand"], one["order"]) == (["06", "16", "56"], ["45", "34", "23", "12", "01"])
    assert (two["hand"], two["order"]) == (["02", "13", "24"], ["35", "46", "05", "15", "26"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pile 0 01 12 23 34 45 56 06 26", "chance.other-deck"),
        ("pile 0 01 12 23 34 45 56 06 06", "chance.other-deck"),
        ("pile 0 01 12 23 34 45 56 06", "notation.deck-size"),
        ("pile 0 01 12 23 34 45 56 06 77", "notation.not-a-domino"),
        ("pile 2 01 12 23 34 45 56 06 16", "notation.chance"),
        ("deal 0 01 12 23 34 45 56 06 16", "notation.chance"),
        ("mulligan 0 hand 01 12 pile 23 34 45 56 06 16", "notation.hand-size"),
        ("mulligan 0 hand 01 12 23 pile 34 45 56 06", "notation.deck-size"),
    ],
)
def test_a_pile_that_cannot_be(text: str, code: str) -> None:
    state = both(choosing(), f"deck {DECKS[0]}", f"deck {DECKS[1]}")
    with pytest.raises(Refusal) as caught:
        RULES.apply_chance(state, RULES.parse_chance(text))
    assert caught.value.code == code


def test_a_shuffle_is_even() -> None:
    state = both(choosing(), f"deck {DECKS[0]}", f"deck {DECKS[1]}")
    random = Random(5)
    tops = [RULES.draw(state, Draw("pile", 0), evenly(random.random)).value[0] for _ in range(4000)]
    assert all(abs(tops.count(name) - 500) < 120 for name in DECKS[0].split())


# -- mulligans -----------------------------------------------------------------------------------

NEW = "mulligan 0 hand 45 34 06 pile 01 12 23 56 16"
NEWER = "mulligan 0 hand 01 12 16 pile 06 34 45 23 56"


def test_without_the_item_there_is_no_mulligan() -> None:
    assert isinstance(dealt(), Position)


def test_a_hand_goes_back_for_three_of_the_other_five_up_to_twice() -> None:
    state = dealt((0, MULLIGAN))
    (decision,) = RULES.decisions(state)
    assert (decision.seat, decision.kind, decision.clock) == (0, "mulligan", "choice")
    state = say(state, "mulligan")
    assert RULES.decisions(state) == ()
    assert RULES.chance_due(state) == (Draw("mulligan", 0),)
    state = draw(state, NEW)
    one = shown(state)["sides"][0]
    assert (one["hand"], one["order"]) == (["06", "34", "45"], ["01", "12", "23", "56", "16"])
    assert decision_of(state, 0).id != decision.id
    # After the last allowed one nothing is asked any more.
    state = draw(say(state, "mulligan"), NEWER)
    assert isinstance(state, Position)
    assert shown(state)["sides"][0]["hand"] == ["01", "12", "16"]


def test_keeping_ends_the_mulligans() -> None:
    assert isinstance(say(dealt((0, MULLIGAN)), "keep"), Position)
    state = draw(say(dealt((0, MULLIGAN)), "mulligan"), NEW)
    assert isinstance(say(state, "keep"), Position)


def test_two_items_are_four_mulligans() -> None:
    state = dealt((0, MULLIGAN), (0, MULLIGAN))
    random = source(1)
    for _ in range(4):
        assert isinstance(state, Opening)
        state = say(state, "mulligan")
        state = RULES.apply_chance(state, RULES.draw(state, Draw("mulligan", 0), evenly(random)))
    assert isinstance(state, Position)


def test_out_of_time_the_hand_is_kept() -> None:
    state = dealt((0, MULLIGAN))
    move = RULES.on_timeout(state, decision_of(state, 0))
    assert RULES.print(move) == "keep"  # type: ignore[arg-type]


def test_two_holders_decide_at_the_same_time() -> None:
    state = dealt((0, MULLIGAN), (1, MULLIGAN))
    one, two = RULES.decisions(state)
    assert one.barrier == two.barrier is not None
    state = both(state, "mulligan", "mulligan")
    assert RULES.chance_due(state) == (Draw("mulligan", 0), Draw("mulligan", 1))
    state = draw(state, "mulligan 1 hand 46 05 15 pile 02 13 24 35 26", NEW)
    state = both(state, "keep", "mulligan")
    assert RULES.chance_due(state) == (Draw("mulligan", 1),)
    state = draw(state, "mulligan 1 hand 02 13 24 pile 46 05 15 35 26")
    assert isinstance(state, Position)


def test_who_keeps_is_not_asked_again() -> None:
    state = both(dealt((0, MULLIGAN), (1, MULLIGAN)), "mulligan", "keep")
    state = draw(state, NEW)
    assert [decision.seat for decision in RULES.decisions(state)] == [0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("mulligan 0 hand 01 34 45 pile 12 23 56 06 16", "chance.old-hand"),
        ("mulligan 0 hand 34 45 56 pile 01 12 23 06 26", "chance.other-deck"),
    ],
)
def test_a_mulligan_that_cannot_be(text: str, code: str) -> None:
    state = say(dealt((0, MULLIGAN)), "mulligan")
    with pytest.raises(Refusal) as caught:
        RULES.apply_chance(state, RULES.parse_chance(text))
    assert caught.value.code == code


def test_a_mulligan_with_two_alike_counts_them() -> None:
    """One of two alike in the hand: the other one may come, but only once."""
    state = both(
        choosing((0, REPEAT), (0, MULLIGAN)), "deck 01 01 23 34 45 56 06 16", f"deck {DECKS[1]}"
    )
    state = draw(state, "pile 0 01 23 34 01 45 56 06 16", f"pile 1 {DECKS[1]}")
    state = say(state, "mulligan")
    draw(state, "mulligan 0 hand 01 45 56 pile 01 23 34 06 16")
    with pytest.raises(Refusal):
        draw(state, "mulligan 0 hand 01 01 45 pile 56 23 34 06 16")


def test_mulligans_are_drawn_evenly_from_the_other_five() -> None:
    state = say(dealt((0, MULLIGAN)), "mulligan")
    random = Random(6)
    drawn = [
        RULES.draw(state, Draw("mulligan", 0), evenly(random.random)).value for _ in range(3000)
    ]
    for value in drawn:
        RULES.apply_chance(state, RULES.parse_chance(f"mulligan 0 {' '.join(value)}"))
    hands = [name for value in drawn for name in value[1:4]]
    assert {*hands} == {"34", "45", "56", "06", "16"}
    assert all(abs(hands.count(name) - 1800) < 200 for name in {*hands})
    tops = [value[5] for value in drawn]
    assert all(tops.count(name) > 250 for name in ("01", "12", "23"))


# -- the log -------------------------------------------------------------------------------------


def test_the_log_tells_a_deck_and_a_hand_to_their_owner_alone() -> None:
    state = choosing()
    chosen = tuple((seat, read(f"deck {DECKS[seat]}")) for seat in (0, 1))
    after = RULES.apply(state, chosen)
    events = RULES.events(state, chosen, after)
    assert [seen.text for seen in seen_by(events, 0)] == [
        "has the deck 01, 06, 12, 16, 23, 34, 45, 56",
        "has a deck of eight",
    ]
    assert [seen.text for seen in seen_by(events, "room")] == ["has a deck of eight"] * 2
    chance = RULES.parse_chance(f"pile 1 {DECKS[1]}")
    events = RULES.chance_events(after, chance, RULES.apply_chance(after, chance))
    assert [seen.text for seen in seen_by(events, 1)] == ["drew 02, 13, 24 as the opening hand"]
    for audience in (0, "room"):
        (seen,) = seen_by(events, audience)
        assert (seen.text, seen.data) == ("drew an opening hand", {})
