"""What each audience may know of a state, and what the log tells it.

A hand, the contents of a draw pile and a deck are known to their owner until the match is over;
everybody else gets their sizes, the discard piles, and what has been shown in public. Of the order
of their own pile owners know what they settled themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from games.engine.decisions import ALL, EVERYONE, Audience, Chance, Event, Seat
from games.engine.ruleset import Chosen
from games.rulesets.domino_wars import opening, turns
from games.rulesets.domino_wars.board import (
    COVER,
    DIRECTION_NAMES,
    NAMES,
    PLAYS,
    SQUARE_NAMES,
    SQUARES,
    Play,
    numbers_on,
    plays_on,
)
from games.rulesets.domino_wars.moves import (
    Deck,
    Discard,
    Move,
    Mulligan,
    Order,
    Return,
    Top,
    print_move,
)
from games.rulesets.domino_wars.state import (
    HAND,
    KINDS,
    PLAY,
    Dominoes,
    Opening,
    Position,
    Side,
    State,
)

_AUDIENCE_OF: Final[tuple[Audience, Audience]] = (0, 1)
_NO_SIDE: Final = Side((), ())


def view(state: State, audience: Audience) -> dict[str, Any]:
    """The match for ``audience``; what the keys hold is described in docs/views.md.

    ``legal`` and ``choices`` are filled for the deciding seat alone, since they would tell anybody
    else what is in its hand or pile; ``shown`` of a side holds what effects 0 told everybody.
    """
    opening_up = state if isinstance(state, Opening) else None
    position = state if isinstance(state, Position) else None
    terms = state.terms
    return {
        "phase": _phase(state),
        "ask": None if position is None or position.over else KINDS[position.ask],
        "turn": None if position is None or position.over else position.seat,
        "number": 0 if position is None else position.turn,
        "advantage": terms.advantage,
        "favoured": terms.favoured,
        "items": {
            "domino-repeat": list(terms.repeats),
            "hand-mulligan": list(terms.mulligans),
            "tie-advantage": list(terms.ties),
        },
        "draw_when_stuck": terms.draw_when_stuck,
        "first": state.first,
        "directions": _directions(state),
        "mulligans": [0, 0] if opening_up is None else list(opening_up.left),
        "again": [False, False] if opening_up is None else list(opening_up.again),
        "asked": 0 if opening_up is None else opening_up.round,
        "scores": [0, 0] if position is None else list(position.scores()),
        "cells": [] if position is None else _cells(position),
        "sides": [_side_view(state, seat, audience) for seat in (0, 1)],
        "legal": _legal(position, audience),
        "choices": _choices(position, audience),
        "last": None if position is None else _last(position),
        "passed": []
        if position is None
        else [{"seat": seat, "why": why} for seat, why in position.passed],
        "late": None if position is None else position.late,
    }


def _phase(state: State) -> str:
    if isinstance(state, Position):
        return "over" if state.over else "play"
    if state.first is None:
        return "first"
    if state.decks is None:
        return "deck"
    return "shuffle" if opening.chance_due(state) else "mulligan"


def _directions(state: State) -> list[str] | None:
    if state.first is None:
        return None
    return [DIRECTION_NAMES[seat != state.first] for seat in (0, 1)]


def _cells(position: Position) -> list[dict[str, Any]]:
    second = position.owned[1]
    return [
        {"square": SQUARE_NAMES[at], "number": number, "owner": second >> at & 1}
        for at, number in enumerate(numbers_on(position.board))
        if number is not None
    ]


def _squares(bits: int) -> list[str]:
    return [SQUARE_NAMES[at] for at in range(SQUARES) if bits >> at & 1]


def _last(position: Position) -> dict[str, Any] | None:
    last = position.last
    if last is None:
        return None
    direction = position.direction(last.seat)
    return {
        "seat": last.seat,
        "move": PLAYS[direction][last.code].text,
        "squares": _squares(COVER[direction][last.code]),
        "taken": _squares(last.taken),
    }


def _names(dominoes: Dominoes) -> list[str]:
    return [NAMES[domino] for domino in dominoes]


def _sorted(dominoes: Dominoes) -> list[str]:
    return [NAMES[domino] for domino in sorted(dominoes)]


# -- dominoes ------------------------------------------------------------------------------------


def _side_view(state: State, seat: Seat, audience: Audience) -> dict[str, Any]:
    """A seat's dominoes. ``hand`` and ``pile`` are in ascending order; ``order`` is the pile from
    the top with null for what is not known there; ``deck`` is all eight. All four are null where
    this audience may not know them. ``shown`` is what everybody knows: the dominoes at the
    ``bottom`` of the pile, from above to below, those in the ``hand``, and those in the one or the
    other (``either``)."""
    side = state.sides[seat]
    knows = audience in (ALL, seat)
    if side is None:
        deck = state.decks[seat] if isinstance(state, Opening) and state.decks else None
        side = _NO_SIDE
    else:
        deck = side.deck
    known = side.known
    return {
        "hand": _sorted(side.hand) if knows else None,
        "hand_size": len(side.hand),
        "pile": _sorted(side.pile) if knows else None,
        "pile_size": len(side.pile),
        "order": _order(side, known_all=audience == ALL) if knows else None,
        "deck": _names(deck) if knows and deck is not None else None,
        "discards": _names(side.discards),
        "skip": side.skip,
        "shown": {
            "bottom": _names(side.pile[len(side.pile) - known.sunk :]),
            "hand": _sorted(known.held),
            "either": _sorted(known.loose),
        },
    }


def _order(side: Side, *, known_all: bool) -> list[str | None]:
    """The pile from the top as its owner knows it. Where only alike ones are left between those
    whose places are known, theirs are known as well."""
    pile, known = side.pile, side.known
    low, high = known.top, len(pile) - known.bottom
    if known_all or len(set(pile[low:high])) <= 1:
        return list(_names(pile))
    return [NAMES[domino] if not low <= at < high else None for at, domino in enumerate(pile)]


def _legal(position: Position | None, audience: Audience) -> dict[str, list[str]]:
    """Only for the seat that is to play: for anybody else it would tell the hand."""
    if (
        position is None
        or position.over
        or position.ask is not PLAY
        or audience != _AUDIENCE_OF[position.seat]
    ):
        return {}
    direction = position.direction(position.seat)
    return {
        NAMES[domino]: [
            play.text.partition(" ")[2] for play in plays_on(position.board, domino, direction)
        ]
        for domino in sorted(set(position.sides[position.seat].hand))
    }


def _choices(position: Position | None, audience: Audience) -> list[str]:
    if position is None or position.over or audience != _AUDIENCE_OF[position.seat]:
        return []
    side = position.sides[position.seat]
    from_ = () if position.ask is PLAY else turns.choosable(side, position.ask)
    return _names(tuple(sorted(set(from_))))


# -- the log -------------------------------------------------------------------------------------


def events(before: State, chosen: Chosen[Move], after: State) -> Sequence[Event]:
    """What the log says of moves; running out of time is announced by the table."""
    if isinstance(before, Opening):
        return [_setup_event(seat, move) for seat, move in chosen]
    seat, move = chosen[0]
    notes: list[turns.Note] = []
    if isinstance(move, Return | Top | Discard):
        notes.append(turns.Note(print_move(move).partition(" ")[0], seat, move.domino))
        turns.chosen(before, move, notes)
    elif isinstance(move, Play):
        turns.played(before, move, notes)
    said = [_note_event(note, before.terms.draw_when_stuck) for note in notes]
    if isinstance(move, Play):
        said.insert(0, _play_event(before, seat, move))
    if isinstance(after, Position) and after.over and after.late is None:
        text = "Neither player has a domino in hand that fits."
        said.append(Event(kind="end", seat=None, text=text, seen_by=EVERYONE))
    return said


def _setup_event(seat: Seat, move: Move) -> Event:
    match move:
        case Order(first):
            return Event(
                kind="first",
                seat=seat,
                text=f"plays {'first, vertically' if first else 'second, horizontally'}",
                data={"first": seat if first else 1 - seat},
                seen_by=EVERYONE,
            )
        case Deck(dominoes):
            return Event(
                kind="deck",
                seat=seat,
                text=f"has the deck {', '.join(_names(dominoes))}",
                data={"deck": _names(dominoes)},
                seen_by=(_AUDIENCE_OF[seat],),
                public_text="has a deck of eight",
            )
        case _:
            again = isinstance(move, Mulligan) and move.again
            return Event(
                kind="mulligan",
                seat=seat,
                text="puts the hand back for another one" if again else "keeps the hand",
                data={"again": again},
                seen_by=EVERYONE,
            )


def chance_events(chance: Chance) -> Sequence[Event]:
    """What the log says of a shuffled pile or a mulligan: the owner learns the hand."""
    seat = int(chance.whose or 0)
    values = chance.value[1:] if chance.kind == "mulligan" else chance.value
    hand = sorted(values[:HAND])
    return (
        Event(
            kind="hand",
            seat=seat,
            text=f"drew {', '.join(hand)} as the opening hand",
            data={"hand": hand},
            seen_by=(_AUDIENCE_OF[seat],),
            public_text="drew an opening hand",
        ),
    )


def _play_event(before: Position, seat: Seat, move: Play) -> Event:
    cover = COVER[move.direction][move.code]
    taken = _squares(before.owned[1 - seat] & cover)
    took = f", taking {' and '.join(taken)} from the opponent" if taken else ""
    return Event(
        kind="play",
        seat=seat,
        text=f"played {move.text}{took}",
        data={
            "move": move.text,
            "domino": NAMES[move.domino],
            "squares": _squares(cover),
            "taken": taken,
        },
        seen_by=EVERYONE,
    )


_SAID: Final = {
    "nothing-to-draw": "has no draw pile left to draw from",
    "nothing-to-top": "has no draw pile to choose from",
    "nothing-to-discard": "has no domino in hand to discard",
    "no-draw": "does not draw at the end of this turn, because of the 5",
    "will-skip": "will have the next turn skipped, because of the 6",
}
_SKIPPED: Final = {
    "six": "had this turn skipped, because of the 6 played before",
    "hand": "had this turn skipped, with no domino in hand",
    "board": "had this turn skipped, since no domino in hand fits",
}


def _note_event(note: turns.Note, draw_when_stuck: bool) -> Event:
    name = None if note.domino is None else NAMES[note.domino]
    data: dict[str, object] = {}
    if note.kind == "skip":
        data = {"why": note.why, "draws": draw_when_stuck and note.why != "six"}
        text = _SKIPPED[note.why]
    elif note.kind in _SAID:
        text = _SAID[note.kind]
    else:
        return _domino_event(note, str(name))
    return Event(kind=note.kind, seat=note.seat, text=text, data=data, seen_by=EVERYONE)


def _domino_event(note: turns.Note, name: str) -> Event:
    data: dict[str, object] = {"domino": name, "forced": note.forced}
    only = ", the only choice" if note.forced else ""
    own = (_AUDIENCE_OF[note.seat],)
    if note.kind == "draw":
        return Event(
            kind="draw",
            seat=note.seat,
            text=f"drew {name}",
            data=data,
            seen_by=own,
            public_text="drew a domino",
        )
    if note.kind == "top":
        return Event(
            kind="top",
            seat=note.seat,
            text=f"put {name} on top of the draw pile{only}",
            data=data,
            seen_by=own,
            public_text="put a domino of the draw pile on top of it",
        )
    text = (
        f"put {name} from the discard pile at the bottom of the draw pile{only}"
        if note.kind == "return"
        else f"discarded {name}{only}"
    )
    return Event(kind=note.kind, seat=note.seat, text=text, data=data, seen_by=EVERYONE)
