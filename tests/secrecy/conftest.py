"""The fixtures of matches serve here too."""

from tests.games.conftest import ada, ben, cleo, mona, orla, root, set_clock, wire

__all__ = ["ada", "ben", "cleo", "mona", "orla", "root", "set_clock", "wire"]
