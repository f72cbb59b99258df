"""People as tests of matches have them."""

from tests.games.conftest import ada, ben, orla, root

__all__ = ["ada", "ben", "orla", "root"]
