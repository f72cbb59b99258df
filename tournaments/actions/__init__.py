"""What can be done in a season, in tables: see `core.actions`.

The desk, the players' pages and the admin site render these; the services that they call are the
only ones who decide.
"""

from typing import Any, Final

from core.actions import Actions
from tournaments.actions.challenges import CHALLENGES
from tournaments.actions.contestants import (
    APPLICATION,
    APPLICATIONS,
    CHECK_IN,
    CONTESTANT,
    ROSTER,
)
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.items import GIFT, ITEMS
from tournaments.actions.ledger import ENTRY, TREASURY
from tournaments.actions.legs import LEG
from tournaments.actions.pictures import (
    CONTESTANT_PICTURE,
    MAIN_MATCH_PICTURE,
    PICTURE,
    SEASON_PICTURE,
)
from tournaments.actions.players import OWN
from tournaments.actions.rounds import NEXT, ROUND
from tournaments.actions.seasons import ASKED, DESK, INVITATION, ORGANISER, SEASON, SEASONS
from tournaments.actions.site import SITE
from tournaments.actions.times import HOURS

#: Every table.
TABLES: Final[tuple[Actions[Any], ...]] = (
    SITE, SEASON, SEASONS, DESK, INVITATION, ORGANISER, ASKED, ROSTER, APPLICATION,
    APPLICATIONS, CHECK_IN, CONTESTANT, NEXT, ROUND, DEATH_MATCH, LEG, ITEMS, GIFT, TREASURY,
    ENTRY, CHALLENGES, OWN, HOURS, SEASON_PICTURE, CONTESTANT_PICTURE,
    MAIN_MATCH_PICTURE, PICTURE,
)  # fmt: skip
