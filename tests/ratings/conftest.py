"""Fixtures for ratings."""

from __future__ import annotations

from tests.games.conftest import ada, ben, cleo, mona, orla, root
from tests.pages.conftest import own_cache, people, visitor

__all__ = ["ada", "ben", "cleo", "mona", "orla", "own_cache", "people", "root", "visitor"]
