"""Filling in what a seat cannot see, so that a bot can think on from a view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from games.engine.chance import RandomSource, choose
from games.engine.decisions import Seat, other
from games.rulesets.peg_domain.boards import (
    DOMAIN_SQUARE,
    DOMAIN_STRIDE,
    PALLET_SQUARE,
    STRIDE,
    members,
    set_of,
)
from games.rulesets.peg_domain.saving import _move
from games.rulesets.peg_domain.state import (
    ITEM_IDS,
    PegDomainState,
    PegTurn,
    Preliminaries,
    removable_at_first,
)
from games.rulesets.peg_domain.view import MARKS, REMOVED, THERE, THERE_PEG, USED_PEG


def determinize(view: Mapping[str, Any], seat: Seat, random: RandomSource) -> PegDomainState:
    """A state that looks to ``seat`` like this view. Only what the opponent named for Additional
    Peg is guessed, and only while colours are open."""
    items = _items_of(view)
    rights, colours = view["rights"], view["colours"]
    advantage = view["advantage"]
    frame = Preliminaries(
        variant=view["variant"],
        advantage=advantage,
        early_ready=view["early_ready"],
        items=items,
        right=None if rights is None else ("order" if rights["order"] == advantage else "colour"),
        ready=(view["ready"][0], view["ready"][1]),
        first=view["first"],
        red=None if colours is None else colours.index("red"),
    )
    if view["pallets"] is None:
        return PegDomainState(frame, view["phase"])
    red, blue = (_pallet_of(pallet) for pallet in view["pallets"])
    own = _extra_of(view["extra"][seat])
    replace = msgspec.structs.replace
    if colours is None:
        drawn = red[0], blue[0]
        theirs = _guess_extra(drawn, items[other(seat)][0], random)
        extra = (own, theirs) if seat == 0 else (theirs, own)
        return PegDomainState(replace(frame, drawn=drawn, extra=extra), view["phase"])
    extra = (own, ((), ())) if seat == 0 else (((), ()), own)
    by_seat = (red, blue) if frame.red == 0 else (blue, red)
    pegs = by_seat[0][0], by_seat[1][0]
    began = [red[0], blue[0]]
    at = frame.colour_of(seat)
    began[at] &= ~set_of(own[at])
    owned = _owned_of(view["domain"]["rows"])
    return PegDomainState(
        replace(
            frame,
            drawn=(began[0], began[1]),
            extra=extra,
            pegs=pegs,
            listed=(tuple(members(pegs[0])), tuple(members(pegs[1]))),
        ),
        view["phase"],
        turn=view["turn"],
        mover=view["to_move"] or 0,
        left=(by_seat[0][1], by_seat[1][1]),
        removed=(by_seat[0][2], by_seat[1][2]),
        owned=owned,
        standing=set_of([DOMAIN_SQUARE[name] for name in view["domain"]["pegs"]]),
        ended=(view["finished"][0], view["finished"][1]),
        spent=_uses_of(view["items"]),
        last=_turn_of(view["last"]),
    )


def _digits(marks: str, all_marks: str) -> dict[int, str]:
    return {ord(mark): "1" if mark in marks else "0" for mark in all_marks}


_DIGITS: Final = [
    _digits(marks, MARKS) for marks in (THERE_PEG + USED_PEG, THERE_PEG + THERE, REMOVED)
]
_OWNERS: Final = [_digits(seat, "01.") for seat in "01"]


def _items_of(view: Mapping[str, Any]) -> Any:
    return tuple(
        [tuple([held.get(item, (0, 0))[1] for item in ITEM_IDS]) for held in view["items"]]
    )


def _uses_of(items: Any) -> Any:
    return tuple(
        [
            tuple([held[item][1] - held[item][0] if item in held else 0 for item in ITEM_IDS[1:]])
            for held in items
        ]
    )


def _pallet_of(pallet: Mapping[str, Any]) -> tuple[int, int, int]:
    """Pegs, squares left and squares removed of a pallet that was shown."""
    # The first row follows on a whole empty one, and a column of nobody's ends each row.
    text = ("0" * STRIDE + "0".join(pallet["rows"]))[::-1]
    pegs, left, removed = (int(text.translate(digits), 2) for digits in _DIGITS)
    return pegs, left, removed


def _owned_of(rows: Sequence[str]) -> tuple[int, int]:
    """The squares of the domain that each seat owns."""
    # As on a pallet, but for two columns of nobody's, before and after each row.
    text = ("." * (DOMAIN_STRIDE + 1) + "..".join(rows))[::-1]
    first, second = (int(text.translate(digits), 2) for digits in _OWNERS)
    return first, second


def _extra_of(named: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    squares = [tuple([PALLET_SQUARE[name] for name in names]) for names in named]
    return squares[0], squares[1]


def _guess_extra(
    drawn: tuple[int, int], most: int, random: RandomSource
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """One square for each colour, as most holders would name."""
    if not most:
        return (), ()
    named = []
    for pegs in drawn:
        fit = members(removable_at_first(pegs))
        named.append((choose(random, fit),) if fit else ())
    return named[0], named[1]


def _turn_of(last: Mapping[str, Any] | None) -> PegTurn | None:
    if last is None:
        return None
    return PegTurn(
        last["seat"],
        _move(last["move"]),
        set_of([DOMAIN_SQUARE[name] for name in last["covered"]]),
        None if last["removal"] is None else _move(last["removal"]),
        set_of([PALLET_SQUARE[name] for name in last["gone"]]),
    )
