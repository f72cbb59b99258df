"""A turn: a play, the effects of both halves, the draw at the end, and the way to the next one.

Why a match always ends. A play needs two squares that are empty or show less, and leaves more on
both; a square can be raised seven times, so with sixteen squares there are at most 56 plays.
Between two plays there are only finitely many skipped turns: a 6 takes one turn and is used up, and
a play adds at most one such turn. A player who is stuck hands the turn to an opponent who is not,
or else the match would have been over at the test after the last complete turn; that opponent
either plays or spends a 6, and has at most one to spend. Drawing when stuck only empties a pile of
at most eight. No choice within a turn opens a new play, and there are two effects to a turn.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from games.engine.decisions import Seat
from games.engine.errors import EngineFault
from games.rulesets.domino_wars.board import Play
from games.rulesets.domino_wars.lanes import CLEAR, COVER, DOMINOES, EMPTY, WAYS, DominoIndex, fits
from games.rulesets.domino_wars.moves import Discard, Return, Top
from games.rulesets.domino_wars.state import (
    DISCARD,
    KINDS,
    NOTHING,
    PLAY,
    RETURN,
    TOP,
    Ask,
    Dominoes,
    Known,
    Last,
    Position,
    Side,
    Terms,
    Why,
)


class Note(NamedTuple):
    """Something that happened within a turn, for the log. ``forced`` says that a choice had one
    possibility only and was made for the player."""

    kind: str
    seat: Seat
    domino: DominoIndex | None = None
    forced: bool = False
    why: str = ""


Notes: TypeAlias = list[Note] | None

DRAWING, NO_DRAW, SKIPPING = 1, 5, 6
"""Numbers whose effects ask for nothing; a 3 has none at all."""
ASKS: Final[tuple[Ask, ...]] = (RETURN, PLAY, TOP, PLAY, DISCARD, PLAY, PLAY)
"""By number, the choice that its effect asks for; `PLAY` where there is none."""
_WARNINGS: Final = {NO_DRAW: "no-draw", SKIPPING: "will-skip"}


def begun(terms: Terms, first: Seat, sides: tuple[Side, Side]) -> Position:
    """The first turn, on the empty board; every domino fits there."""
    return Position(terms, first, 0, first, PLAY, 0, EMPTY, (0, 0), sides)


# -- dominoes going to and fro -------------------------------------------------------------------


def _without(dominoes: Dominoes, domino: DominoIndex) -> Dominoes:
    at = dominoes.index(domino)
    return dominoes[:at] + dominoes[at + 1 :]


def drawn(side: Side) -> Side:
    """The side after drawing the top of a pile that is not empty."""
    pile = side.pile
    known = side.known
    if known is not NOTHING:
        known = known_after_draw(known, pile)
    return Side((*side.hand, pile[0]), pile[1:], side.discards, known, side.skip)


def known_after_draw(known: Known, pile: Dominoes) -> Known:
    """What is known once the top of that pile was drawn."""
    top, bottom, sunk, held, loose = known.top, known.bottom, known.sunk, known.held, known.loose
    if sunk == len(pile):
        sunk -= 1
        held = (*held, pile[0])
    if bottom == len(pile):
        bottom -= 1
    return Known(top - 1 if top else 0, bottom, sunk, held, loose)


def put_away(side: Side, domino: DominoIndex) -> Side:
    """The side with a domino of the hand on the discard pile."""
    known = side.known
    if known is not NOTHING:
        known = known_without(known, domino)
    hand = _without(side.hand, domino)
    return Side(hand, side.pile, (*side.discards, domino), known, side.skip)


def known_without(known: Known, domino: DominoIndex) -> Known:
    """What is known once that domino has left the hand for all to see."""
    if domino in known.held:
        held = _without(known.held, domino)
        return Known(known.top, known.bottom, known.sunk, held, known.loose)
    if domino in known.loose:
        loose = _without(known.loose, domino)
        return Known(known.top, known.bottom, known.sunk, known.held, loose)
    return known


def returned(side: Side, domino: DominoIndex) -> Side:
    """The side with a domino of the discard pile at the bottom of the draw pile."""
    known = known_after_return(side.known)
    discards = _without(side.discards, domino)
    return Side(side.hand, (*side.pile, domino), discards, known, side.skip)


def known_after_return(known: Known) -> Known:
    """What is known once a domino came to lie at the bottom of the pile for all to see."""
    return Known(known.top, known.bottom + 1, known.sunk + 1, known.held, known.loose)


def topped(side: Side, domino: DominoIndex) -> Side:
    """The side with a domino of the draw pile, the upper one of two alike, on top of it."""
    pile = side.pile
    at = pile.index(domino)
    known = known_after_top(side.known, pile, domino)
    return Side(side.hand, (domino, *pile[:at], *pile[at + 1 :]), side.discards, known, side.skip)


def known_after_top(known: Known, pile: Dominoes, domino: DominoIndex) -> Known:
    """What is known once a domino of that pile was put on top of it, as its owner alone saw."""
    at = pile.index(domino)
    top, bottom, sunk, held, loose = known.top, known.bottom, known.sunk, known.held, known.loose
    if at >= top:
        top += 1
        if at >= len(pile) - bottom:
            bottom -= 1
    if sunk and len(pile) > 1:
        # It may be one of those at the bottom that has been taken; others cannot tell.
        loose = tuple(sorted(loose + pile[-sunk:]))
        sunk = 0
    return Known(top, bottom, sunk, held, loose)


# -- a turn --------------------------------------------------------------------------------------


def played(state: Position, move: Play, notes: Notes = None) -> Position:
    """The position after a legal play, as far as it goes without a choice."""
    seat = state.seat
    direction = move.direction
    cover = COVER[direction][move.code]
    mine, theirs = state.owned[seat] | cover, state.owned[1 - seat]
    last = Last(seat, move.code, theirs & cover)
    theirs &= ~cover
    return _effects(
        state,
        put_away(state.sides[seat], move.domino),
        0,
        (theirs, mine) if seat else (mine, theirs),
        state.board & CLEAR[direction][move.code],
        last,
        notes=notes,
    )


def chosen(state: Position, move: Return | Top | Discard, notes: Notes = None) -> Position:
    """The position after a choice of an effect, as far as it goes without another one."""
    if state.last is None:
        raise EngineFault("an effect without a domino that was played")
    side = _carry_out(state.ask, state.sides[state.seat], move.domino, state.seat, notes)
    return _effects(
        state, side, state.effect + 1, state.owned, state.board, state.last, notes=notes
    )


def choosable(side: Side, ask: Ask) -> Dominoes:
    """The dominoes that a choice is made from, some perhaps alike."""
    if ask == RETURN:
        return side.discards
    return side.pile if ask == TOP else side.hand


def _carry_out(ask: Ask, side: Side, domino: DominoIndex, seat: Seat, notes: Notes) -> Side:
    if ask == RETURN:
        return returned(side, domino)
    if ask == TOP:
        return topped(side, domino)
    return _draw(put_away(side, domino), seat, notes)


def _draw(side: Side, seat: Seat, notes: Notes) -> Side:
    if side.pile:
        side = drawn(side)
        if notes is not None:
            notes.append(Note("draw", seat, side.hand[-1]))
    elif notes is not None:
        notes.append(Note("nothing-to-draw", seat))
    return side


def _effects(
    state: Position,
    side: Side,
    effect: int,
    owned: tuple[int, int],
    board: int,
    last: Last,
    *,
    notes: Notes,
) -> Position:
    """Go on from an effect of the domino just played to the next choice or to the next turn."""
    seat = state.seat
    numbers = DOMINOES[last.code // WAYS]
    while effect < len(numbers):
        ask, side = _effect(numbers[effect], side, seat, notes)
        if ask is not PLAY:
            sides = (state.sides[0], side) if seat else (side, state.sides[1])
            return Position(
                state.terms, state.first, state.turn, seat, ask, effect, board, owned, sides, last
            )
        effect += 1
    if NO_DRAW not in numbers:
        side = _draw(side, seat, notes)
    sides = (state.sides[0], side) if seat else (side, state.sides[1])
    follower = 1 - seat
    if sides[follower].skip or not fits(
        board, sides[follower].hand, 0 if follower == state.first else 1
    ):
        return _next_turn(state, board, owned, sides, last, notes)
    return Position(
        state.terms, state.first, state.turn + 1, follower, PLAY, 0, board, owned, sides, last
    )


def _effect(number: int, side: Side, seat: Seat, notes: Notes) -> tuple[Ask, Side]:
    """One effect: what has to be asked, or `PLAY` for nothing, and the side after it."""
    ask = ASKS[number]
    if ask is not PLAY:
        return _choice(ask, side, seat, notes)
    if number == DRAWING:
        side = _draw(side, seat, notes)
    elif number == SKIPPING:
        side = Side(side.hand, side.pile, side.discards, side.known, True)
    if notes is not None and number in _WARNINGS:
        notes.append(Note(_WARNINGS[number], seat))
    return PLAY, side


def _choice(ask: Ask, side: Side, seat: Seat, notes: Notes) -> tuple[Ask, Side]:
    """A choice is asked for only where there are two possibilities. House ruling: a single one is
    taken for the player, and dominoes that are alike are one."""
    dominoes = choosable(side, ask)
    kind = KINDS[ask]
    if not dominoes:
        if notes is not None:
            notes.append(Note(f"nothing-to-{kind}", seat))
        return PLAY, side
    only = dominoes[0]
    if dominoes.count(only) < len(dominoes):
        return ask, side
    if notes is not None:
        notes.append(Note(kind, seat, only, forced=True))
    return PLAY, _carry_out(ask, side, only, seat, notes)


def _next_turn(
    state: Position,
    board: int,
    owned: tuple[int, int],
    sides: tuple[Side, Side],
    last: Last,
    notes: Notes,
) -> Position:
    """The position when somebody can play again, or the end. Tested after each complete turn,
    before any skip is spent.

    House rulings: nothing is drawn in a skipped turn, and a turn without a play is skipped; the
    option lets a player who is stuck draw one.
    """
    seat = 1 - state.seat
    directions = state.direction(0), state.direction(1)
    passed: list[tuple[Seat, Why]] = []
    over = False
    can = [
        fits(board, sides[0].hand, directions[0]),
        fits(board, sides[1].hand, directions[1]),
    ]
    while True:
        if not can[0] and not can[1]:
            over = True
            break
        side = sides[seat]
        if side.skip:
            why: Why = "six"
            side = Side(side.hand, side.pile, side.discards, side.known, False)
        elif can[seat]:
            break
        else:
            why = "board" if side.hand else "hand"
        passed.append((seat, why))
        if notes is not None:
            notes.append(Note("skip", seat, why=why))
        if why != "six" and state.terms.draw_when_stuck:
            side = _draw(side, seat, notes)
            can[seat] = fits(board, side.hand, directions[seat])
        sides = (sides[0], side) if seat else (side, sides[1])
        seat = 1 - seat
    return Position(
        state.terms, state.first, state.turn + 1, seat, PLAY, 0, board, owned, sides, last,
        tuple(passed), over,
    )  # fmt: skip
