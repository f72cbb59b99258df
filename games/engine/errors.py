"""The two ways something can go wrong in the engine.

A :class:`Refusal` is the player's (or the record's) to fix and is always shown.
An :class:`EngineFault` cannot happen unless the program is wrong; it is logged, never explained
to a player.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class Refusal(Exception):
    """A submission that cannot stand.

    ``code`` is stable and machine readable (``area.reason``), ``sentence`` is one English sentence
    for people, ``squares`` names the squares the sentence is about, for boards to mark, ``part``
    which of several things of one kind it is about, such as the name of an option.
    """

    def __init__(
        self, code: str, sentence: str, squares: tuple[str, ...] = (), *, part: str = ""
    ) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.squares = squares
        self.part = part


class Refusals(Refusal):
    """Several things that cannot stand, each by itself, in ``each``. The code is that of the first,
    the sentence has those of all."""

    def __init__(self, each: Sequence[Refusal]) -> None:
        sentences = dict.fromkeys(refusal.sentence for refusal in each)
        super().__init__(each[0].code, " ".join(sentences), each[0].squares)
        self.each = tuple(each)


class Together:
    """Goes on behind something that is refused, so that all of it is told at the end::

        told = Together()
        with told.of():
            ...
        told.settle()

    For what is looked at before anything is done.
    """

    def __init__(self) -> None:
        self.refused: list[Refusal] = []

    @contextmanager
    def of(self) -> Iterator[None]:
        """One of the things to look at."""
        try:
            yield
        except Refusal as refusal:
            self.refused.append(refusal)

    def settle(self) -> None:
        """Raise what was refused, as Refusals where it is more than one thing."""
        if len(self.refused) > 1:
            raise Refusals(self.refused)
        if self.refused:
            raise self.refused[0]


class EngineFault(Exception):
    """A state of affairs that the rules make impossible: a bug in the program."""
