"""Which refusals of seasons are about the address or the caller, for HTTP."""

from config.api import problems
from games.engine.errors import Refusal

problems.register(
    Refusal,
    {
        "season.none": 404,
        "season.not-allowed": 403,
        "season.not-organiser": 403,
        "round.none": 404,
        "contestant.none": 404,
        "death-match.none": 404,
        "leg.none": 404,
        "item.none": 404,
        "webhook.none": 404,
        "webhook.not-allowed": 403,
    },
)
