"""The fixtures of matches serve here too."""

from tests.games.conftest import desk, desk_session

__all__ = ["desk", "desk_session"]
