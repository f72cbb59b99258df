"""What it looks like from here that the database or Redis does not answer, or has no room: nobody's
mistake, and it passes. Whoever asked is told to come back, over HTTP by a 503."""

from __future__ import annotations

from typing import Final

from django.db import InterfaceError, OperationalError
from redis.exceptions import RedisError

from core.collisions import is_collision

CODE: Final = "service.away"
SENTENCE: Final = "The server cannot do this right now. Please try again in a moment."
#: Seconds after which somebody who was sent away may come back.
COME_BACK_S: Final = 5


def is_away(error: BaseException | None) -> bool:
    """Whether that is what an error says. Not of a collision, which is done again."""
    return isinstance(error, OperationalError | InterfaceError | RedisError) and not is_collision(
        error
    )
