"""What the log says of Domino Wars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.engine.decisions import EVERYONE, Chance, Event, Seat
from games.engine.ruleset import Chosen
from games.rulesets.domino_wars import turns
from games.rulesets.domino_wars.board import NAMES, Play
from games.rulesets.domino_wars.lanes import COVER
from games.rulesets.domino_wars.moves import (
    ChooseStarter,
    Deck,
    Discard,
    Move,
    Mulligan,
    Return,
    Top,
)
from games.rulesets.domino_wars.notation import print_move
from games.rulesets.domino_wars.state import HAND, Opening, Position, State
from games.rulesets.domino_wars.view import _AUDIENCE_OF, _names, _squares


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
        case ChooseStarter(first):
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
    won = _squares(cover & ~before.owned[seat])
    took = f", taking {' and '.join(taken)} from the opponent" if taken else ""
    return Event(
        kind="play",
        seat=seat,
        text=f"played {move.text}{took}",
        data={
            "move": move.text,
            "domino": NAMES[move.domino],
            "squares": _squares(cover),
            "won": won,
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
