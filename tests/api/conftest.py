"""Fixtures of the API's tests: people and a match between them."""

from tests.games.conftest import (
    ada,
    ben,
    cleo,
    desk,
    play,
    rng,
    root,
    set_clock,
    wire,
)

__all__ = [
    "ada", "ben", "cleo", "desk", "play", "rng", "root", "set_clock", "wire",
]  # fmt: skip
