"""The fixtures of matches serve here too."""

from tests.games.conftest import desk

__all__ = ["desk"]
