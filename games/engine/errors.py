"""The two ways something can go wrong in the engine.

A :class:`Refusal` is the player's (or the record's) to fix and is always shown.
An :class:`EngineFault` cannot happen unless the program is wrong; it is logged, never explained
to a player.
"""

from __future__ import annotations


class Refusal(Exception):
    """A submission that cannot stand.

    ``code`` is stable and machine readable (``area.reason``), ``sentence`` is one English sentence
    for people, ``squares`` names the squares the sentence is about, for boards to mark.
    """

    def __init__(self, code: str, sentence: str, squares: tuple[str, ...] = ()) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.squares = squares


class EngineFault(Exception):
    """A state of affairs that the rules make impossible: a bug in the program."""
