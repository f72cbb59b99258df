"""The set-up of a match: who plays first, the decks, the shuffled piles and the mulligans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Final

from core.refusals import Refusal
from games.engine.chance import Below, RandomSource, below, shuffled_by
from games.engine.decisions import Chance, Decision, Draw, Seat
from games.engine.errors import EngineFault
from games.engine.naming import PLAYERS
from games.engine.ruleset import Chosen
from games.rulesets.domino_wars.board import NAMES
from games.rulesets.domino_wars.lanes import DOMINOES
from games.rulesets.domino_wars.moves import DECK, ChooseStarter, Deck, Move, Mulligan
from games.rulesets.domino_wars.notation import names_of
from games.rulesets.domino_wars.state import (
    DECK_DECISIONS,
    FIRST_DECISIONS,
    HAND,
    MULLIGANS_PER_ITEM,
    Dominoes,
    Opening,
    Side,
    State,
    Terms,
    mulligan_decision,
)
from games.rulesets.domino_wars.turns import begun

DRAWS: Final = {kind: (Draw(kind, 0), Draw(kind, 1)) for kind in ("deck", "pile", "mulligan")}
_ALL: Final = range(len(DOMINOES))


# -- what is open --------------------------------------------------------------------------------


def decisions(state: Opening) -> tuple[Decision, ...]:
    """The open decisions; none while chance is due."""
    if state.first is None:
        return FIRST_DECISIONS[state.terms.favoured]
    if state.decks is None:
        return DECK_DECISIONS
    if None in state.sides or any(state.again):
        return ()
    return tuple([mulligan_decision(seat, state.round) for seat in (0, 1) if state.left[seat]])


def chance_due(state: Opening) -> tuple[Draw, ...]:
    """The piles that have yet to be shuffled, or the mulligans that have yet to be drawn."""
    if state.decks is None:
        return ()
    piles = tuple([DRAWS["pile"][seat] for seat in (0, 1) if state.sides[seat] is None])
    return piles or tuple([DRAWS["mulligan"][seat] for seat in (0, 1) if state.again[seat]])


# -- decks ---------------------------------------------------------------------------------------


def check_deck(terms: Terms, seat: Seat, dominoes: Dominoes) -> None:
    """Raise Refusal ``deck.three-alike`` or ``deck.repeated`` where the seat may not have this
    deck: each domino once, and one twice for every Domino Repeat."""
    counts = Counter(dominoes)
    repeated = tuple([domino for domino, count in counts.items() if count > 1])
    many = [domino for domino, count in counts.items() if count > 2]
    if many:
        raise Refusal(
            "deck.three-alike", f"No domino can be in a deck three times: {names_of((many[0],))}."
        )
    allowed = terms.repeats[seat]
    if len(repeated) > allowed:
        listed = ", ".join([NAMES[domino] for domino in repeated])
        if allowed == 0:
            sentence = f"Each domino can be in the deck once only, but you have two of {listed}."
        else:
            times = "one domino" if allowed == 1 else f"{allowed} dominoes"
            sentence = f"You may have {times} twice, but you have two of {listed}."
        raise Refusal("deck.repeated", sentence)


def decks(repeats: int) -> Iterator[Deck]:
    """Every deck of a holder of so many Domino Repeats; there are at least 203,490."""
    for doubled in range(min(repeats, DECK // 2) + 1):
        for twice in combinations(_ALL, doubled):
            rest = [domino for domino in _ALL if domino not in twice]
            for once in combinations(rest, DECK - 2 * doubled):
                yield Deck(tuple(sorted((*twice, *twice, *once))))


_DECKS_BY_DOUBLES: Final = tuple(
    [comb(len(_ALL), j) * comb(len(_ALL) - j, DECK - 2 * j) for j in range(DECK // 2 + 1)]
)


def some_deck(repeats: int, random: RandomSource) -> Deck:
    """A deck of a holder of so many Domino Repeats, each equally likely."""
    doubled = 0
    if repeats:
        counts = _DECKS_BY_DOUBLES[: repeats + 1]
        at = below(random, sum(counts))
        while at >= counts[doubled]:
            at -= counts[doubled]
            doubled += 1
    pool = list(_ALL)
    for i in range(DECK - doubled):
        j = i + int(random() * (len(pool) - i))
        pool[i], pool[j] = pool[j], pool[i]
    return Deck(tuple(sorted(pool[: DECK - doubled] + pool[:doubled])))


# -- what happens --------------------------------------------------------------------------------


def applied(state: Opening, chosen: Chosen[Move]) -> State:
    """The state after the order, both decks or the answers about mulligans."""
    seat, move = chosen[0]
    terms = state.terms
    if isinstance(move, ChooseStarter):
        return Opening(terms, first=seat if move.first else 1 - seat)
    if isinstance(move, Deck):
        one, two = [deck.dominoes for _, deck in chosen if isinstance(deck, Deck)]
        left = [MULLIGANS_PER_ITEM * items for items in terms.mulligans]
        return Opening(terms, state.first, (one, two), left=(left[0], left[1]))
    left, again = [0, 0], [False, False]
    for each, answer in chosen:
        # Whoever keeps the hand is not asked again.
        if isinstance(answer, Mulligan) and answer.again:
            again[each] = True
            left[each] = state.left[each] - 1
    return _begin_if_ready(
        Opening(
            terms, state.first, state.decks, state.sides, (left[0], left[1]), (again[0], again[1]),
            state.round,
        )
    )  # fmt: skip


def _begin_if_ready(state: Opening) -> State:
    """The next round of questions, or the first turn when nobody is left to be asked."""
    one, two = state.sides
    if one is None or two is None or any(state.again):
        return state
    if state.first is None:
        raise EngineFault("dominoes were shuffled before the order was chosen")
    if not any(state.left):
        return begun(state.terms, state.first, (one, two))
    return Opening(
        state.terms, state.first, state.decks, state.sides, state.left, round=state.round + 1
    )


# -- chance --------------------------------------------------------------------------------------


def draw(state: Opening, draw: Draw, below: Below) -> Chance:
    """An outcome for a deck that was not chosen, a pile to be shuffled or a mulligan. Whatever is
    shuffled is in ascending order before, so that the outcome depends on nothing but the numbers.
    """
    seat = seat_of(draw)
    if draw.kind == "deck":
        # House ruling: eight different ones, whatever items are held.
        return Chance("deck", seat, _names(tuple(sorted(shuffled_by(below, _ALL)[:DECK]))))
    if draw.kind == "pile":
        return Chance("pile", seat, _names(_shuffled(below, _deck_of(state, seat))))
    side = _side_of(state, seat)
    others = _shuffled(below, side.pile)
    hand, pile = others[:HAND], _shuffled(below, (*others[HAND:], *side.hand))
    return Chance("mulligan", seat, ("hand", *_names(hand), "pile", *_names(pile)))


def _shuffled(below: Below, dominoes: Dominoes) -> Dominoes:
    return tuple(shuffled_by(below, sorted(dominoes)))


def draw_label(state: Opening, draw: Draw) -> str:
    """A seat's mulligans are numbered from 1; all else is drawn once for a seat."""
    seat = seat_of(draw)
    if draw.kind != "mulligan":
        return f"{draw.kind} {seat}"
    allowed = MULLIGANS_PER_ITEM * state.terms.mulligans[seat]
    return f"mulligan {seat} {allowed - state.left[seat]}"


def drawn(state: Opening, chance: Chance, dominoes: Dominoes) -> State:
    """The state after a pile was shuffled or a mulligan drawn, ``dominoes`` being the hand and the
    pile from the top.

    Raises Refusal ``chance.other-deck`` for dominoes other than those of the deck, and
    ``chance.old-hand`` for a mulligan that gives some of the old hand back.
    """
    seat = seat_of(chance.draw)
    if sorted(dominoes) != sorted(_deck_of(state, seat)):
        raise Refusal(
            "chance.other-deck", f"These are not the dominoes of the {PLAYERS[seat]} player's deck."
        )
    hand, pile = dominoes[:HAND], dominoes[HAND:]
    again = state.again
    if chance.kind == "mulligan":
        if Counter(hand) - Counter(_side_of(state, seat).pile):
            raise Refusal(
                "chance.old-hand", "A mulligan gives three of the five that were not in the hand."
            )
        again = (again[0] and seat == 1, again[1] and seat == 0)
    side = Side(hand, pile)
    sides = (side, state.sides[1]) if seat == 0 else (state.sides[0], side)
    return _begin_if_ready(
        Opening(state.terms, state.first, state.decks, sides, state.left, again, state.round)
    )


def seat_of(draw: Draw) -> Seat:
    """The seat that a draw is for."""
    if draw.whose not in (0, 1):
        raise EngineFault(f"{draw.kind} is drawn for a seat, not for {draw.whose!r}")
    return int(draw.whose)


def _deck_of(state: Opening, seat: Seat) -> Dominoes:
    if state.decks is None:
        raise EngineFault("there are no decks to shuffle yet")
    return state.decks[seat]


def _side_of(state: Opening, seat: Seat) -> Side:
    side = state.sides[seat]
    if side is None:
        raise EngineFault("there is no hand to put back yet")
    return side


def _names(dominoes: Dominoes) -> tuple[str, ...]:
    return tuple([NAMES[domino] for domino in dominoes])
