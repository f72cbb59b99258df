"""What can be done in a season, in tables: see `core.actions`.

The desk and the admin site render these; the services that they call are the only ones who decide.
"""

from typing import Any, Final

from core.actions import Actions
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.legs import LEG

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (DEATH_MATCH, LEG)
