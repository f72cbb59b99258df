"""Chance, for whoever is not given another source of it."""

from __future__ import annotations

from random import SystemRandom

_source = SystemRandom()


def system() -> float:
    """A number from 0 to below 1 that nobody can foresee: the operating system's."""
    return _source.random()


def is_system(random: object) -> bool:
    """Whether a source is that one, and not another that somebody was given."""
    return random is system
