"""Filling in what a seat cannot see, so that a bot can think on from a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from games.engine.chance import RandomSource, choose, shuffled
from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.rulesets.domino_wars.board import INDEX_OF, SQUARE_OF, Play, board_of
from games.rulesets.domino_wars.lanes import DOMINOES, SQUARES, WAYS, DominoIndex, fits
from games.rulesets.domino_wars.moves import DECK
from games.rulesets.domino_wars.notation import parse_move
from games.rulesets.domino_wars.state import (
    DISCARD,
    KINDS,
    PLAY,
    RETURN,
    TOP,
    Ask,
    Dominoes,
    Known,
    Last,
    Opening,
    Position,
    Side,
    State,
    Terms,
)

TRIES: Final = 300
"""How often the hidden dominoes are dealt anew to fit what was said in public."""


def determinize(view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
    """A state that looks exactly like ``view`` to ``seat``.

    The opponent's deck holds what was seen of it; the rest is drawn among the decks that their
    items allow, and dealt so that they have the choice that they are being asked for and, as far as
    a bounded search finds such a deal, could not play where they were skipped. Raises EngineFault
    for what never was a view of that seat.
    """
    try:
        return _guess(view, seat, random)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise EngineFault(f"not a view of Domino Wars: {error!r}") from error


def _guess(view: Mapping[str, Any], seat: Seat, random: RandomSource) -> State:
    items = view["items"]
    terms = Terms(
        view["advantage"],
        view["draw_when_stuck"],
        _pair(items["domino-repeat"]),
        _pair(items["hand-mulligan"]),
        _pair(items["tie-advantage"]),
    )
    if view["phase"] in ("play", "over"):
        return _position(view, terms, seat, random)
    if view["phase"] in ("first", "deck"):
        return Opening(terms, view["first"])
    sides: list[Side | None] = []
    decks: list[Dominoes] = []
    for each in (0, 1):
        shown = view["sides"][each]
        if each == seat:
            decks.append(_dominoes(shown["deck"]))
            side = _own(shown, random)
        else:
            side = _others(shown, terms.repeats[each], random)
            decks.append(side.deck)
        sides.append(side if shown["hand_size"] else None)
    left, again = _pair(view["mulligans"]), view["again"]
    return Opening(
        terms, view["first"], (decks[0], decks[1]), (sides[0], sides[1]), left,
        (again[0], again[1]), view["asked"],
    )  # fmt: skip


def _pair(values: Sequence[int]) -> tuple[int, int]:
    one, two = values
    return one, two


def _dominoes(names: Sequence[str]) -> Dominoes:
    return tuple([INDEX_OF[name] for name in names])


# -- a match in play -----------------------------------------------------------------------------


def _position(view: Mapping[str, Any], terms: Terms, seat: Seat, random: RandomSource) -> Position:
    last = _last(view["last"])
    ask, effect = _question(view, last)
    turn = view["turn"]
    numbers: list[int | None] = [None] * SQUARES
    owned = [0, 0]
    for cell in view["cells"]:
        at = SQUARE_OF[cell["square"]]
        numbers[at] = cell["number"]
        owned[cell["owner"]] |= 1 << at
    known = Position(
        terms,
        view["first"],
        view["number"],
        0 if turn is None else turn,
        ask,
        effect,
        board_of(tuple(numbers)),
        (owned[0], owned[1]),
        (Side((), ()), Side((), ())),
        last,
        tuple([(each["seat"], each["why"]) for each in view["passed"]]),
        view["phase"] == "over",
        view["late"],
    )
    own = _own(view["sides"][seat], random)
    theirs = _plausible(known, 1 - seat, view["sides"][1 - seat], random)
    sides = (own, theirs) if seat == 0 else (theirs, own)
    return msgspec.structs.replace(known, sides=sides)


def _last(shown: Mapping[str, Any] | None) -> Last | None:
    if shown is None:
        return None
    play = parse_move(shown["move"].lower())
    if not isinstance(play, Play):
        raise EngineFault(f"{shown['move']!r} is not a play")
    taken = sum(1 << SQUARE_OF[name] for name in shown["taken"])
    return Last(shown["seat"], play.code, taken)


_NUMBER_OF: Final = {RETURN: 0, TOP: 2, DISCARD: 4}


def _question(view: Mapping[str, Any], last: Last | None) -> tuple[Ask, int]:
    ask: Ask = KINDS.index(view["ask"]) if view["ask"] is not None else 0  # type: ignore[assignment]
    if last is None or ask not in _NUMBER_OF:
        return ask, 0
    return ask, DOMINOES[last.code // WAYS].index(_NUMBER_OF[ask])


# -- dominoes ------------------------------------------------------------------------------------


def _own(shown: Mapping[str, Any], random: RandomSource) -> Side:
    """The seat's own dominoes: only the order of the pile is guessed, where it is not known."""
    order = shown["order"]
    unknown = list(_dominoes(shown["pile"]))
    pile = [None if name is None else INDEX_OF[name] for name in order]
    for domino in pile:
        if domino is not None:
            unknown.remove(domino)
    rest = iter(shuffled(random, unknown))
    top = next((at for at, domino in enumerate(pile) if domino is None), len(pile))
    bottom = next((at for at, domino in enumerate(reversed(pile)) if domino is None), 0)
    return Side(
        _dominoes(shown["hand"]),
        tuple([next(rest) if domino is None else domino for domino in pile]),
        _dominoes(shown["discards"]),
        _knowledge(shown, top, bottom),
        shown["skip"],
    )


def _knowledge(shown: Mapping[str, Any], top: int, bottom: int) -> Known:
    public = shown["shown"]
    return Known(
        top, bottom, len(public["bottom"]), _dominoes(public["hand"]), _dominoes(public["either"])
    )


def _others(
    shown: Mapping[str, Any], repeats: int, random: RandomSource, wanted: Dominoes = ()
) -> Side:
    """The opponent's dominoes; ``wanted`` are tried to be among the hand."""
    public = shown["shown"]
    held, sunk, loose = map(_dominoes, (public["hand"], public["bottom"], public["either"]))
    discards = _dominoes(shown["discards"])
    rest = list(loose)
    free = DECK - len(discards) - len(held) - len(sunk) - len(loose)
    for _ in range(free):
        deck = [*discards, *held, *sunk, *rest]
        may_be = _may_be_next(deck, repeats)
        choices = [domino for domino in wanted if domino in may_be and domino not in rest]
        rest.append(choose(random, choices or may_be))
    rest = shuffled(random, rest)
    # Stable, so that the rest stays in its random order.
    rest.sort(key=lambda domino: domino not in wanted)
    hand_size = shown["hand_size"] - len(held) if shown["hand_size"] else 0
    hand, pile = (*held, *rest[:hand_size]), (*rest[hand_size:], *sunk)
    return Side(hand, pile, discards, _knowledge(shown, 0, len(sunk)), shown["skip"])


def _may_be_next(deck: Sequence[DominoIndex], repeats: int) -> list[DominoIndex]:
    """What else a deck with these dominoes in it can hold."""
    doubled = len(deck) - len(set(deck))
    most = 2 if doubled < repeats else 1
    return [domino for domino in range(len(DOMINOES)) if deck.count(domino) < most]


def _plausible(state: Position, seat: Seat, shown: Mapping[str, Any], random: RandomSource) -> Side:
    """The opponent's dominoes so that they can do what they are asked to do."""
    repeats = state.terms.repeats[seat]
    direction = state.direction(seat)
    asked = None if state.over or state.seat != seat else state.ask
    stuck = (seat, "board") in state.passed and not state.terms.draw_when_stuck

    def able(side: Side) -> bool:
        if asked is PLAY:
            return fits(state.board, side.hand, direction)
        if asked == TOP:
            return len(set(side.pile)) > 1
        return asked != DISCARD or len(set(side.hand)) > 1

    second_best = None
    for _ in range(TRIES):
        side = _others(shown, repeats, random)
        if able(side):
            if not (stuck and fits(state.board, side.hand, direction)):
                return side
            second_best = side
    if second_best is not None:
        return second_best
    for domino in shuffled(random, range(len(DOMINOES))):
        if asked is not PLAY or fits(state.board, (domino,), direction):
            side = _others(shown, repeats, random, (domino,))
            if able(side):
                return side
    raise EngineFault("the opponent cannot have what this view says")
