"""How much of a product of cases a run goes through.

What people change by hand is tested with every case of every dimension, but not with every case of
one beside every case of the others: that product is what takes the time, and seldom what fails. The
whole product is gone through by `script/test --whole`, and so by CI every night. What a run leaves
out follows from the cases alone: the same in every run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, TypeVar

from script.lib.suite import WHOLE

T = TypeVar("T")
# Whether every product is to be gone through.
whole = bool(os.environ.get(WHOLE))


def covering(*dimensions: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Some of the product of the dimensions, with every case of each; all in a whole run."""
    cases = [list(each) for each in dimensions]
    if whole or not all(cases):
        return list(product(*cases))
    return [
        tuple(each[number % len(each)] for each in cases) for number in range(max(map(len, cases)))
    ]


def some(cases: Sequence[T], at_most: int) -> list[T]:
    """So many of the cases, spread evenly from the first to the last; all in a whole run."""
    if whole or len(cases) <= at_most:
        return list(cases)
    last = len(cases) - 1
    return [cases[round(number * last / (at_most - 1))] for number in range(at_most)]


def examples(number: int) -> int:
    """How many examples Hypothesis makes up: a third of them, all in a whole run."""
    return number if whole else -(-number // 3)


def at_most(number: int) -> float:
    """How often the same thing is looked at; without end in a whole run."""
    return math.inf if whole else number
