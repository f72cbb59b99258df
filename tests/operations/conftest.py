"""People and matches on the running site."""

from tests.games.conftest import desk

__all__ = ["desk"]
