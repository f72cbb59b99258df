"""How the rounds and death matches of a season's document are numbered, and how it is said that
something in one is wrong: what comes next in a season is found by counting what there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.refusals import Refusal


class NumberedRound(NamedTuple):
    """A round's number, and the number and key of each of its death matches, as a document has
    them and in its order."""

    number: int
    death_matches: tuple[tuple[int, str], ...]


def wrong(where: str, fault: str) -> Refusal:
    """Something in a document that cannot be, and where."""
    return Refusal("document.wrong", f"At {where}: {fault}.")


def must_have_keys(rounds: Sequence[NumberedRound], expected: Callable[[int], str]) -> None:
    """Raises Refusal ``document.wrong`` where a death match has another key than is ``expected`` of
    its number."""
    for row, played in enumerate(rounds):
        for index, (number, key) in enumerate(played.death_matches):
            if key != expected(number):
                where = f"rounds[{row}].death_matches[{index}].key"
                raise wrong(where, "this death match has another key")
